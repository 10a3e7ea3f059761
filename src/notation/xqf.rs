//! Reader of XQStudio game files (XQF).
//!
//! A header of 1024 bytes holds the start position, the side to move and the tags. The nodes of a tree follow in
//! pre-order: each move before its continuation, and that before its alternatives. Versions above 10 obfuscate
//! positions, moves and comments by adding keys derived from thirteen bytes of the header.

use std::io::{BufRead, Read};

use super::game::{Game, GameError, GameFault, GameResult};
use super::node_tree::{self, Node, Start};
use super::piece_list::{self, PieceList};
use super::text_encoding::decode_gbk;
use crate::position::Strictness;
use crate::types::{Side, Square};

/// Length of the header in bytes; the tree follows.
pub(super) const HEADER_SIZE: usize = 1024;
/// Offset of the squares of the 32 pieces.
const PIECES: usize = 0x10;
/// Offset of the side to move.
pub(super) const SIDE_TO_MOVE: usize = 0x32;
/// Its value for Black; 0 is Red.
pub(super) const BLACK_TO_MOVE: u8 = 1;
/// Last version without obfuscation.
const LAST_PLAIN_VERSION: u8 = 10;
/// First version that also permutes the pieces.
const FIRST_SHUFFLED_VERSION: u8 = 12;
/// Maximum file size in bytes.
const MAX_BYTES: usize = 256 << 20;
/// Constant from which the keys of later versions are derived.
const MASKED: &[u8; 32] = b"[(C) Copyright Mr. Dong Shiwei.]";

/// Strings of the header, each preceded by a length byte: offset, maximum length, tag.
pub(super) const TEXTS: [(usize, usize, &str); 9] = [
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

/// Reads the game of a file with its variations. The main line ends before its first wrong move, and so does a
/// variation; the others are read, as far as the file goes.
///
/// # Errors
/// [`GameError`] with the byte offset, for the header.
pub fn read_game(reader: impl BufRead, strictness: Strictness) -> Result<Game, GameError> {
    parse(&read_bytes(reader)?, strictness)
}

fn read_bytes(reader: impl BufRead) -> Result<Vec<u8>, GameError> {
    let mut bytes = Vec::new();
    let read = reader.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| GameError::at_byte(bytes.len(), error))?;
    if bytes.len() > MAX_BYTES {
        let fault = GameFault::TooMuch { what: "bytes in an XQF file", max: MAX_BYTES };
        return Err(GameError::at_byte(MAX_BYTES, fault));
    }
    Ok(bytes)
}

/// Header of a file, and the nodes after it.
struct Head<'a> {
    /// Tags and result.
    game: Game,
    pieces: PieceList,
    /// Side to move, which counts without moves: many files have Red where Black moves first.
    side: Side,
    nodes: Nodes<'a>,
}

fn head(bytes: &[u8]) -> Result<Head<'_>, GameError> {
    if !bytes.starts_with(b"XQ") {
        let fault = GameFault::Malformed("an XQF file must begin with the letters XQ".to_owned());
        return Err(GameError::at_byte(0, fault));
    }
    let Some((header, tree)) = bytes.split_at_checked(HEADER_SIZE) else {
        return Err(GameError::at_byte(bytes.len(), GameFault::CutOff("its header")));
    };
    let version = header[2];
    let keys = if version > LAST_PLAIN_VERSION { Keys::derive(header) } else { Keys::default() };
    let pieces = decode_pieces(header, version, &keys);
    let nodes = Nodes { tree, offset: 0, keys, is_plain: version <= LAST_PLAIN_VERSION };

    let mut game = Game { result: result_of(header[0x33]), ..Game::default() };
    for (offset, max_length, tag) in TEXTS {
        let length = usize::from(header[offset]).min(max_length);
        game.add_tag(tag, decode_gbk(&header[offset + 1..offset + 1 + length]).trim());
    }
    let side = if header[SIDE_TO_MOVE] == BLACK_TO_MOVE { Side::Black } else { Side::Red };
    Ok(Head { game, pieces, side, nodes })
}

fn parse(bytes: &[u8], strictness: Strictness) -> Result<Game, GameError> {
    let Head { mut game, pieces, side, mut nodes } = head(bytes)?;
    let board = piece_list::board(&pieces).map_err(|fault| GameError::at_byte(PIECES, fault))?;
    // The root is not a move, so its sibling flag is meaningless.
    let root = nodes.next_node()?;
    game.comment = root.comment;
    let bytes = [PIECES as u64, SIDE_TO_MOVE as u64];
    let start = Start { board: &board, side, bytes, strictness };
    node_tree::read(game, &start, root.has_continuation, || (HEADER_SIZE + nodes.offset, nodes.next_node().map(Some)))
}

fn result_of(byte: u8) -> GameResult {
    match byte {
        1 => GameResult::RedWins,
        2 => GameResult::BlackWins,
        // Files with 4 exist; programs show them as draws.
        3 | 4 => GameResult::Draw,
        _ => GameResult::Unknown,
    }
}

/// Decodes a square: ten times the file plus the rank, both from Red's left.
fn square(number: u8) -> Option<Square> {
    (number < 90).then(|| Square::new(number / 10, number % 10))
}

/// Decodes the pieces of the header; numbers beyond the board mean captured pieces.
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
    from: u8,
    to: u8,
    comment_length: u32,
    tree: [u8; 32],
}

impl Keys {
    fn derive(header: &[u8]) -> Keys {
        let mask = header[3];
        let [sum, pieces, from, to] = [header[12], header[13], header[14], header[15]];
        let expand = |byte: u8| byte.wrapping_mul(byte).wrapping_mul(54).wrapping_add(221);
        let pieces_key = expand(pieces).wrapping_mul(pieces);
        let from_key = expand(from).wrapping_mul(pieces_key);
        let to_key = expand(to).wrapping_mul(from_key);
        let words = [sum, pieces, from, to];
        let tree = std::array::from_fn(|i| MASKED[i] & ((words[i % 4] & mask) | header[8 + i % 4]));
        let comment_length = (u32::from(sum) * 256 + u32::from(pieces)) % 32_000 + 767;
        Keys { pieces: pieces_key, from: from_key, to: to_key, comment_length, tree }
    }
}

/// Reader of the nodes in file order.
struct Nodes<'a> {
    tree: &'a [u8],
    offset: usize,
    keys: Keys,
    is_plain: bool,
}

impl Nodes<'_> {
    fn next_node(&mut self) -> Result<Node, GameError> {
        let begin = self.offset;
        let cut = |what| GameError::at_byte(HEADER_SIZE + begin, GameFault::CutOff(what));
        let [from, to, tag, _] = self.take().ok_or_else(|| cut("a move"))?;
        let (has_continuation, has_sibling, has_comment) = if self.is_plain {
            (tag & 0xF0 != 0, tag & 0x0F != 0, true)
        } else {
            (tag & 0x80 != 0, tag & 0x40 != 0, tag & 0x20 != 0)
        };
        let mut comment = String::new();
        if has_comment {
            let length = u32::from_le_bytes(self.take().ok_or_else(|| cut("the length of a comment"))?);
            let length = length.wrapping_sub(self.keys.comment_length) as usize;
            let remaining = self.tree.len() - self.offset;
            if length > remaining {
                return Err(cut("a comment"));
            }
            let bytes: Vec<u8> = (self.offset..self.offset + length).map(|i| self.byte(i)).collect();
            self.offset += length;
            comment = super::game::tidy_comment(&decode_gbk(&bytes));
        }
        let from = from.wrapping_sub(0x18).wrapping_sub(self.keys.from);
        let to = to.wrapping_sub(0x20).wrapping_sub(self.keys.to);
        Ok(Node { squares: [square(from), square(to)], has_continuation, has_sibling, comment })
    }

    fn take(&mut self) -> Option<[u8; 4]> {
        if self.tree.len() - self.offset < 4 {
            return None;
        }
        let bytes = std::array::from_fn(|i| self.byte(self.offset + i));
        self.offset += 4;
        Some(bytes)
    }

    fn byte(&self, index: usize) -> u8 {
        self.tree[index].wrapping_sub(self.keys.tree[index % 32])
    }
}
