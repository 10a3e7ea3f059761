//! Binary files of games.
//!
//! - XQF, of XQStudio, read in all versions and written in the oldest. A header of 1024 bytes holds the start position,
//!   the side to move and the tags; the nodes of a tree follow in pre-order. Versions above 10 obfuscate positions,
//!   moves and comments by adding keys derived from the header. Written texts longer than their fields are cut;
//!   [`cut_parts`] names them.
//! - CBR and CBL, of 象棋桥: a game or a library of games, read only. A game has a head of fixed offsets with texts in
//!   UTF-16, the 90 squares of the start position from Black's left, and the nodes. A library has a head, an index, and
//!   its games, each from the beginning of a block of 4096 bytes on.

use std::io::{self, BufRead, Write};

use encoding_rs::{GBK, UTF_16LE};

use super::game::{Game, GameError, GameFault, GameNode, Location, WarningKind, tidy_comment};
use super::nodes::{self, Node, PieceList, RESULTS, Start};
use super::text_encoding::decode_gbk;
use crate::position::Strictness;
use crate::types::{Piece, PieceKind, Side, Square};

const HEADER_SIZE: usize = 1024;
/// Offsets of the squares of the 32 pieces, the side to move (0 is Red, 1 Black) and the result.
const PIECES: usize = 0x10;
const SIDE_TO_MOVE: usize = 0x32;
const RESULT: usize = 0x33;
/// Last version without obfuscation, which is also the one that is written.
const LAST_PLAIN_VERSION: u8 = 10;
const FIRST_SHUFFLED_VERSION: u8 = 12;
const SQUARE_OFFSETS: [u8; 2] = [0x18, 0x20];
const OFF_THE_BOARD: u8 = 0xFF;
/// Text from which the keys of later versions are derived.
const MASKED: &[u8; 32] = b"[(C) Copyright Mr. Dong Shiwei.]";

/// Strings of the header, each preceded by a length byte: offset, maximum length, tag.
pub(super) const XQF_TEXTS: [(usize, usize, &str); 9] = [
    (0x50, 63, "Title"),
    (0xD0, 63, "Event"),
    (0x110, 15, "Date"),
    (0x120, 15, "Site"),
    (0x130, 15, "Red"),
    (0x140, 15, "Black"),
    (0x150, 63, "TimeControl"),
    (0x1D0, 15, "Annotator"),
    (0x1E0, 15, "Author"),
];

/// Reads the game of an XQF file. Fails on the header only.
pub(super) fn read_xqf(reader: impl BufRead, strictness: Strictness) -> Result<Game, GameError> {
    let bytes = nodes::read_file(reader)?;
    if !bytes.starts_with(b"XQ") {
        return Err(GameError::at_byte(0, GameFault::malformed("an XQF file must begin with the letters XQ")));
    }
    let Some((header, tree)) = bytes.split_at_checked(HEADER_SIZE) else {
        return Err(GameError::at_byte(bytes.len(), GameFault::cut_off("its header")));
    };
    let version = header[2];
    let keys = if version > LAST_PLAIN_VERSION { Keys::derive(header) } else { Keys::default() };
    let board = nodes::board(&decode_pieces(header, version, &keys));
    let board = board.map_err(|fault| GameError::at_byte(PIECES, fault))?;
    let side = if header[SIDE_TO_MOVE] == 1 { Side::Black } else { Side::Red };
    let places = [PIECES, SIDE_TO_MOVE].map(|offset| Location::Byte(offset as u64));
    let start = Start { board, side, places, strictness };

    // Files with the result 4 exist; programs show them as draws.
    let result = RESULTS.get(usize::from(if header[RESULT] == 4 { 3 } else { header[RESULT] }));
    let mut game = Game { result: result.copied().unwrap_or_default(), ..Game::default() };
    for (offset, max_length, tag) in XQF_TEXTS {
        let length = usize::from(header[offset]).min(max_length);
        game.add_tag(tag, decode_gbk(&header[offset + 1..offset + 1 + length]).trim());
    }
    // The root is not a move, so its sibling flag is meaningless.
    let mut nodes = XqfNodes { tree, offset: 0, keys, is_plain: version <= LAST_PLAIN_VERSION };
    let root = nodes.next_node()?;
    game.comment = root.comment;
    nodes::read(game, &start, root.has_continuation, || (HEADER_SIZE + nodes.offset, nodes.next_node().map(Some)))
}

/// Decodes a square: ten times the file plus the rank, both from Red's left. Numbers beyond the board mean none.
fn square(number: u8) -> Option<Square> {
    (number < 90).then(|| Square::new(number / 10, number % 10))
}

fn number(square: Square) -> u8 {
    square.file() * 10 + square.rank()
}

fn decode_pieces(header: &[u8], version: u8, keys: &Keys) -> PieceList {
    let mut pieces = [None; 32];
    for (index, &byte) in header[PIECES..PIECES + 32].iter().enumerate() {
        let slot = if version >= FIRST_SHUFFLED_VERSION { (usize::from(keys.pieces) + index + 1) % 32 } else { index };
        pieces[slot] = square(byte.wrapping_sub(keys.pieces));
    }
    pieces
}

/// Obfuscation keys of a file, added to its numbers and to every byte of its tree; zero in plain files.
#[derive(Default)]
struct Keys {
    pieces: u8,
    squares: [u8; 2],
    comment_length: u32,
    tree: [u8; 32],
}

impl Keys {
    fn derive(header: &[u8]) -> Keys {
        let mask = header[3];
        let words = [header[12], header[13], header[14], header[15]];
        let [sum, pieces, from, to] = words;
        let expand = |byte: u8| byte.wrapping_mul(byte).wrapping_mul(54).wrapping_add(221);
        let pieces_key = expand(pieces).wrapping_mul(pieces);
        let from_key = expand(from).wrapping_mul(pieces_key);
        let to_key = expand(to).wrapping_mul(from_key);
        let tree = std::array::from_fn(|i| MASKED[i] & ((words[i % 4] & mask) | header[8 + i % 4]));
        let comment_length = (u32::from(sum) * 256 + u32::from(pieces)) % 32_000 + 767;
        Keys { pieces: pieces_key, squares: [from_key, to_key], comment_length, tree }
    }
}

struct XqfNodes<'a> {
    tree: &'a [u8],
    offset: usize,
    keys: Keys,
    is_plain: bool,
}

impl XqfNodes<'_> {
    fn next_node(&mut self) -> Result<Node, GameError> {
        let begin = self.offset;
        let cut = |what| GameError::at_byte(HEADER_SIZE + begin, GameFault::cut_off(what));
        let head = self.take(4).ok_or_else(|| cut("a move"))?;
        let tag = head[2];
        let (has_continuation, has_sibling, has_comment) = if self.is_plain {
            (tag & 0xF0 != 0, tag & 0x0F != 0, true)
        } else {
            (tag & 0x80 != 0, tag & 0x40 != 0, tag & 0x20 != 0)
        };
        let mut comment = String::new();
        if has_comment {
            let length = self.take(4).ok_or_else(|| cut("the length of a comment"))?;
            let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]);
            let length = length.wrapping_sub(self.keys.comment_length) as usize;
            comment = tidy_comment(&decode_gbk(&self.take(length).ok_or_else(|| cut("a comment"))?));
        }
        let key = |i: usize| SQUARE_OFFSETS[i].wrapping_add(self.keys.squares[i]);
        let squares = std::array::from_fn(|i| square(head[i].wrapping_sub(key(i))));
        Ok(Node { squares, has_continuation, has_sibling, comment })
    }

    fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        let bytes = self.tree[self.offset..].get(..count)?;
        let plain = bytes.iter().enumerate().map(|(i, byte)| byte.wrapping_sub(self.keys.tree[(self.offset + i) % 32]));
        let plain = plain.collect();
        self.offset += count;
        Some(plain)
    }
}

/// Writes a game with its variations as XQF. Fails also on more pieces of a kind than a game starts with.
pub(super) fn write_xqf(out: &mut impl Write, game: &Game) -> io::Result<()> {
    let mut bytes = vec![0; HEADER_SIZE];
    bytes[..3].copy_from_slice(&[b'X', b'Q', LAST_PLAIN_VERSION]);
    for (slot, square) in nodes::pieces_of(&game.start)?.into_iter().enumerate() {
        bytes[PIECES + slot] = square.map_or(OFF_THE_BOARD, number);
    }
    bytes[SIDE_TO_MOVE] = u8::from(game.start.side() == Side::Black);
    bytes[RESULT] = RESULTS.iter().position(|result| *result == game.result).unwrap_or_default() as u8;
    for (offset, max_length, tag) in XQF_TEXTS {
        let (text, _) = encoded(game.tag(tag).unwrap_or_default(), max_length);
        bytes[offset] = text.len() as u8;
        bytes[offset + 1..offset + 1 + text.len()].copy_from_slice(&text);
    }
    let links = game.links();
    put_node(&mut bytes, [0; 2], links.first(None).is_some(), false, &game.comment);
    // Pre-order with alternatives after the continuation, as the game has them.
    for (index, GameNode { mv, comment, .. }) in game.nodes.iter().enumerate() {
        let has_continuation = links.first(Some(index)).is_some();
        let squares = [mv.from(), mv.to()].map(number);
        put_node(&mut bytes, squares, has_continuation, links.next(index).is_some(), comment);
    }
    out.write_all(&bytes)
}

fn put_node(bytes: &mut Vec<u8>, squares: [u8; 2], has_continuation: bool, has_sibling: bool, comment: &str) {
    let tag = if has_continuation { 0xF0 } else { 0 } | if has_sibling { 0x0F } else { 0 };
    let (comment, _) = encoded_comment(comment);
    bytes.extend([squares[0] + SQUARE_OFFSETS[0], squares[1] + SQUARE_OFFSETS[1], tag, 0]);
    bytes.extend((comment.len() as u32).to_le_bytes());
    bytes.extend(comment);
}

/// Names the parts of a game that XQF does not keep in full: long or foreign tags and comments, and counters.
pub(super) fn cut_parts(game: &Game) -> Vec<&'static str> {
    let is_cut = |(_, max_length, tag): &&(usize, usize, &str)| {
        game.tags.iter().any(|(name, value)| name == tag && !encoded(value, *max_length).1)
    };
    let mut parts: Vec<&str> = XQF_TEXTS.iter().filter(is_cut).map(|&(_, _, tag)| tag).collect();
    let mut comments = game.nodes.iter().map(|node| &node.comment).chain([&game.comment]);
    if comments.any(|comment| !encoded_comment(comment).1) {
        parts.push("comments");
    }
    if game.start.plies_since_capture() > 0 || game.start.move_number() > 1 {
        parts.push("plies since a capture and move number of the start position");
    }
    parts
}

fn encoded_comment(comment: &str) -> (Vec<u8>, bool) {
    encoded(&comment.replace('\n', "\r\n"), u16::MAX.into())
}

/// Encodes a text in GBK, cut to whole characters of at most `max_length` bytes, and tells whether nothing is lost.
fn encoded(text: &str, max_length: usize) -> (Vec<u8>, bool) {
    let (mut bytes, mut is_whole) = (Vec::new(), true);
    let mut buffer = [0; 4];
    for c in text.chars() {
        let (code, _, is_unknown) = GBK.encode(c.encode_utf8(&mut buffer));
        let code = if is_unknown { &b"?"[..] } else { &code[..] };
        is_whole &= !is_unknown;
        if bytes.len() + code.len() > max_length {
            return (bytes, false);
        }
        bytes.extend_from_slice(code);
    }
    (bytes, is_whole)
}

const RECORD: &[u8] = b"CCBridge Record\0";
const LIBRARY: &[u8] = b"CCBridgeLibrary\0";
const BLOCK: usize = 4096;
/// Offsets in a record: result, side to move, squares of the board, and nodes.
const CBR_RESULT: usize = 2076;
const CBR_SIDE: usize = 2112;
const CBR_SQUARES: usize = 2120;
const CBR_NODES: usize = 2214;
/// Texts of a record: offset, length in bytes, tag.
const CBR_TEXTS: [(usize, usize, &str); 14] = [
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
const KINDS: [PieceKind; 7] = {
    use PieceKind::*;
    [Rook, Horse, Elephant, Advisor, King, Cannon, Pawn]
};

pub(super) fn begins_cbr(head: &[u8]) -> bool {
    head.starts_with(RECORD) || head.starts_with(LIBRARY)
}

pub(super) fn read_cbr(reader: impl BufRead, strictness: Strictness) -> impl Iterator<Item = Result<Game, GameError>> {
    let (bytes, mut error) = match nodes::read_file(reader) {
        Ok(bytes) if begins_cbr(&bytes) => (bytes, None),
        Ok(_) => {
            let fault = "a CBR or CBL file must begin with the words CCBridge Record or CCBridgeLibrary";
            (Vec::new(), Some(GameError::at_byte(0, GameFault::malformed(fault))))
        }
        Err(error) => (Vec::new(), Some(error)),
    };
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
        Some(parse_record(begin, &record[..length], strictness))
    })
}

fn parse_record(begin: usize, record: &[u8], strictness: Strictness) -> Result<Game, GameError> {
    if record.len() < CBR_NODES {
        return Err(GameError::at_byte(begin + record.len(), GameFault::cut_off("the head of a game")));
    }
    let result = RESULTS.get(usize::from(record[CBR_RESULT])).copied().unwrap_or_default();
    let mut game = Game { result, ..Game::default() };
    for (offset, length, tag) in CBR_TEXTS {
        game.add_tag(tag, utf16(&record[offset..offset + length]).trim());
    }
    let mut nodes = CbrNodes { record, begin, offset: CBR_NODES };
    // The first node has no move. Without moves it may be missing.
    let first = if record.len() == CBR_NODES { Ok(None) } else { nodes.next_node() };
    let root = first.unwrap_or_else(|error| {
        game.warnings.add_error(WarningKind::Cut, &error);
        None
    });
    let has_moves = root.as_ref().is_some_and(|root| root.has_continuation) && !nodes.is_over();
    game.comment = root.map_or_else(String::new, |root| root.comment);
    let piece_on = |index| piece_of_code(record[CBR_SQUARES + Square::from_index(index).flipped().index()]);
    let start = Start {
        board: std::array::from_fn(piece_on),
        side: if record[CBR_SIDE] == 2 { Side::Black } else { Side::Red },
        places: [CBR_SQUARES, CBR_SIDE].map(|offset| Location::Byte((begin + offset) as u64)),
        strictness,
    };
    nodes::read(game, &start, has_moves, || (begin + nodes.offset, nodes.next_move()))
}

fn piece_of_code(code: u8) -> Option<Piece> {
    let side = match code >> 4 {
        1 => Side::Red,
        2 => Side::Black,
        _ => return None,
    };
    let kind = KINDS.get(usize::from(code & 0xF).checked_sub(1)?)?;
    Some(Piece::new(side, *kind))
}

fn utf16(bytes: &[u8]) -> String {
    let end = bytes.as_chunks().0.iter().position(|unit| *unit == [0, 0]).map_or(bytes.len(), |units| 2 * units);
    UTF_16LE.decode_without_bom_handling(&bytes[..end]).0.into_owned()
}

struct CbrNodes<'a> {
    record: &'a [u8],
    /// Byte of the file at which the record begins.
    begin: usize,
    offset: usize,
}

impl CbrNodes<'_> {
    /// Returns whether only zeros follow, which fill a block: some programs write no flag at the end.
    fn is_over(&self) -> bool {
        self.record[self.offset..].iter().take(4).all(|&byte| byte == 0)
    }

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
            comment = tidy_comment(&utf16(bytes));
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
