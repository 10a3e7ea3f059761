//! Reader of the files of the program 象棋桥: a game (CBR) or a library of games (CBL).
//!
//! The record of a game has a head of fixed offsets with texts in UTF-16, the 90 squares of the start position from
//! Black's left, and the nodes of a tree in pre-order. A library has a head, an index, and the records of its games in
//! blocks of 4096 bytes; a record begins a block and may take several.

use std::io::BufRead;

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
pub(super) fn games(reader: impl BufRead, strictness: Strictness) -> impl Iterator<Item = Result<Game, GameError>> {
    let bytes = nodes::read_file(reader).and_then(|bytes| {
        let fault = "a CBR or CBL file must begin with the words CCBridge Record or CCBridgeLibrary";
        let is_known = begins_a_file(&bytes);
        if is_known { Ok(bytes) } else { Err(GameError::at_byte(0, GameFault::malformed(fault))) }
    });
    let (bytes, mut error) = bytes.map_or_else(|error| (Vec::new(), Some(error)), |bytes| (bytes, None));
    // The size of the head and the index of a library depends on its capacity.
    let mut next = bytes.windows(RECORD.len()).position(|window| window == RECORD);
    std::iter::from_fn(move || {
        if let Some(error) = error.take() {
            return Some(Err(error));
        }
        let begin = next?;
        let record = &bytes[begin..];
        let blocks = record.chunks(BLOCK).skip(1).take_while(|block| !block.starts_with(RECORD)).count();
        let length = record.len().min(BLOCK * (1 + blocks));
        next = (length < record.len()).then_some(begin + length);
        Some(parse(begin, &record[..length], strictness))
    })
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
