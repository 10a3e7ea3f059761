//! Reader of the files of the program 象棋桥: a game (CBR) or a library of games (CBL).
//!
//! The record of a game has a head of fixed offsets with texts in UTF-16, the 90 squares of the start position from
//! Black's left, and the nodes of a tree in pre-order. A library has a head, an index, and the records of its games in
//! blocks of 4096 bytes; a record begins a block and may take several.

use std::io::{BufRead, Read};

use encoding_rs::UTF_16LE;

use super::fault::{GameError, GameFault, Location, WarningKind};
use super::game::{Game, tidy_comment};
use super::nodes::{self, Node, RESULTS, Start};
use crate::position::Strictness;
use crate::types::{Piece, PieceKind, Side, Square};

/// Begins every record, and a file with one game.
const RECORD: &[u8] = b"CCBridge Record\0";
/// Begins a library.
const LIBRARY: &[u8] = b"CCBridgeLibrary\0";
/// Length of the blocks of a library in bytes.
const BLOCK: usize = 4096;
/// Maximum length of a record in bytes.
const MAX_RECORD: usize = 128 << 20;
/// Offsets in a record.
const RESULT: usize = 2076;
const SIDE_TO_MOVE: usize = 2112;
const SQUARES: usize = 2120;
const NODES: usize = 2214;
/// Texts of a record: offset, length in bytes, tag.
const TEXTS: [(usize, usize, &str); 14] = [
    (180, 128, "Title"),
    (564, 64, "Source"),
    (692, 64, "Event"),
    (756, 64, "Round"),
    (884, 64, "Date"),
    (948, 64, "Site"),
    (1012, 64, "TimeControl"),
    (1076, 64, "Red"),
    (1140, 64, "RedTeam"),
    (1300, 64, "Black"),
    (1364, 64, "BlackTeam"),
    (1652, 64, "Annotator"),
    (1780, 64, "Author"),
    (2080, 32, "Termination"),
];
/// Kinds of pieces by their codes, from 1.
const KINDS: [PieceKind; 7] = [
    PieceKind::Rook,
    PieceKind::Horse,
    PieceKind::Elephant,
    PieceKind::Advisor,
    PieceKind::King,
    PieceKind::Cannon,
    PieceKind::Pawn,
];

/// Returns whether a file with this beginning is of this program.
pub(super) fn begins_a_file(head: &[u8]) -> bool {
    head.starts_with(RECORD) || head.starts_with(LIBRARY)
}

/// Iterates over the games of a file.
pub(super) fn games<R: BufRead>(reader: R, strictness: Strictness) -> impl Iterator<Item = Result<Game, GameError>> {
    let mut records = Records { reader: Some(reader), offset: 0, held: Vec::new(), next: Vec::new() };
    std::iter::from_fn(move || {
        let record = records.next_record().transpose()?;
        Some(record.and_then(|(offset, bytes)| parse(offset, &bytes, strictness)))
    })
}

/// Reader of the records of a file.
struct Records<R> {
    /// `None` after the last game or a read error.
    reader: Option<R>,
    /// Byte of the file after the last one that was read.
    offset: usize,
    /// Bytes that were read, but belong after the offset.
    held: Vec<u8>,
    /// First block of the next record.
    next: Vec<u8>,
}

impl<R: BufRead> Records<R> {
    /// Returns the next record with its place in the file.
    fn next_record(&mut self) -> Result<Option<(usize, Vec<u8>)>, GameError> {
        if self.reader.is_none() {
            return Ok(None);
        }
        if self.offset == 0 {
            self.find_record()?;
        }
        let mut record = std::mem::take(&mut self.next);
        if record.is_empty() {
            return Ok(None);
        }
        let begin = self.offset - record.len();
        loop {
            let block = self.read(BLOCK)?;
            if block.starts_with(RECORD) {
                self.next = block;
                break;
            }
            if record.len() + block.len() > MAX_RECORD {
                self.reader = None;
                let fault = GameFault::TooMuch { what: "bytes in a game", max: MAX_RECORD };
                return Err(GameError::at_byte(begin, fault));
            }
            let is_last = block.len() < BLOCK;
            record.extend(block);
            if is_last {
                break;
            }
        }
        Ok(Some((begin, record)))
    }

    /// Finds the first record. The size of the head and the index of a library depends on its capacity.
    fn find_record(&mut self) -> Result<(), GameError> {
        let mut window = self.read(BLOCK)?;
        if !begins_a_file(&window) {
            self.reader = None;
            let fault = "a CBR or CBL file must begin with the words CCBridge Record or CCBridgeLibrary";
            return Err(GameError::at_byte(0, GameFault::malformed(fault)));
        }
        loop {
            let found = window.windows(RECORD.len()).position(|bytes| bytes == RECORD);
            window.drain(..found.unwrap_or(window.len().saturating_sub(RECORD.len())));
            if found.is_some() {
                self.offset -= window.len();
                self.held = window;
                self.next = self.read(BLOCK)?;
                return Ok(());
            }
            let block = self.read(BLOCK)?;
            if block.is_empty() {
                return Ok(());
            }
            window.extend(block);
        }
    }

    /// Reads this number of bytes, less at the end of the file.
    fn read(&mut self, count: usize) -> Result<Vec<u8>, GameError> {
        let mut bytes = std::mem::take(&mut self.held);
        if bytes.len() > count {
            self.held = bytes.split_off(count);
        }
        if let Some(reader) = &mut self.reader
            && let Err(error) = reader.by_ref().take((count - bytes.len()) as u64).read_to_end(&mut bytes)
        {
            self.reader = None;
            return Err(GameError::at_byte(self.offset + bytes.len(), error));
        }
        self.offset += bytes.len();
        Ok(bytes)
    }
}

/// Reads a record that begins at this byte of the file.
fn parse(begin: usize, record: &[u8], strictness: Strictness) -> Result<Game, GameError> {
    if record.len() < NODES {
        return Err(GameError::at_byte(begin + record.len(), GameFault::cut_off("the head of a game")));
    }
    let result = RESULTS.get(usize::from(record[RESULT])).copied().unwrap_or_default();
    let mut game = Game { result, ..Game::default() };
    for (offset, length, tag) in TEXTS {
        game.add_tag(tag, text(&record[offset..offset + length]).trim());
    }
    let mut nodes = Nodes { record, begin, offset: NODES };
    // The first node has no move. Without moves it may be missing.
    let first = if record.len() == NODES { Ok(None) } else { nodes.next_node() };
    let root = first.unwrap_or_else(|error| {
        game.warnings.add_error(WarningKind::Cut, &error);
        None
    });
    let has_moves = root.as_ref().is_some_and(|root| root.has_continuation) && !nodes.is_over();
    game.comment = root.map_or_else(String::new, |root| root.comment);
    let piece_on = |index| piece(record[SQUARES + Square::from_index(index).flipped().index()]);
    let start = Start {
        board: std::array::from_fn(piece_on),
        side: if record[SIDE_TO_MOVE] == 2 { Side::Black } else { Side::Red },
        places: [SQUARES, SIDE_TO_MOVE].map(|offset| Location::Byte((begin + offset) as u64)),
        strictness,
    };
    nodes::read(game, &start, has_moves, || (begin + nodes.offset, nodes.next_move()))
}

fn piece(code: u8) -> Option<Piece> {
    let side = match code >> 4 {
        1 => Side::Red,
        2 => Side::Black,
        _ => return None,
    };
    let kind = KINDS.get(usize::from(code & 0xF).checked_sub(1)?)?;
    Some(Piece::new(side, *kind))
}

/// Decodes a text up to its zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.chunks_exact(2).position(|unit| unit == [0, 0]).map_or(bytes.len(), |units| 2 * units);
    UTF_16LE.decode_without_bom_handling(&bytes[..end]).0.into_owned()
}

/// Reader of the nodes of a record.
struct Nodes<'a> {
    record: &'a [u8],
    /// Byte of the file at which the record begins.
    begin: usize,
    offset: usize,
}

impl Nodes<'_> {
    /// Returns whether only zeros follow, which fill a block: some programs write no flag at the end.
    fn is_over(&self) -> bool {
        self.record[self.offset..].iter().take(4).all(|&byte| byte == 0)
    }

    /// Returns the next node with a move; `None` at the end.
    fn next_move(&mut self) -> Result<Option<Node>, GameError> {
        let is_end = self.record.len() - self.offset >= 4 && self.is_over();
        if is_end { Ok(None) } else { self.next_node() }
    }

    fn next_node(&mut self) -> Result<Option<Node>, GameError> {
        let cut = |what| GameError::at_byte(self.begin + self.offset, GameFault::cut_off(what));
        let rest = &self.record[self.offset..];
        let ([flags, _, from, to], mut rest) = rest.split_first_chunk::<4>().ok_or_else(|| cut("a move"))?;
        let mut comment = String::new();
        if flags & 4 != 0 {
            let (length, text_and_rest) =
                rest.split_first_chunk::<4>().ok_or_else(|| cut("the length of a comment"))?;
            let length = u32::from_le_bytes(*length) as usize;
            let (bytes, after) = text_and_rest.split_at_checked(length).ok_or_else(|| cut("a comment"))?;
            comment = tidy_comment(&text(bytes));
            rest = after;
        }
        self.offset = self.record.len() - rest.len();
        let squares = [*from, *to].map(|number| {
            let number = usize::from(number);
            (number < Square::COUNT).then(|| Square::from_index(number).flipped())
        });
        Ok(Some(Node { squares, has_continuation: flags & 1 == 0, has_sibling: flags & 2 != 0, comment }))
    }
}
