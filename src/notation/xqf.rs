//! Game files of XQStudio (XQF), read only.
//!
//! A head of 1024 bytes holds the start position and what is known about the game; nodes of a tree follow, each move
//! before what follows it and that before its alternatives. Versions above 10 hide positions, moves and comments by
//! adding keys made from thirteen bytes of the head. Only the main line is read; side lines are counted.

use std::io::{BufRead, Read};

use super::game::{Game, GameError, GameFault, GameMove, GameResult, MOST_PLIES};
use super::piece_list::{self, Men};
use super::text_encoding::decode_gbk;
use crate::position::Strictness;
use crate::types::{Move, Side, Square};

/// Where the tree begins.
const HEAD_SIZE: usize = 1024;
/// The last version that hides nothing.
const LAST_PLAIN_VERSION: u8 = 10;
/// The first version that also shuffles the men.
const FIRST_SHUFFLED_VERSION: u8 = 12;
/// The largest file that is read.
const MOST_BYTES: usize = 16 << 20;
/// What the keys of later versions are cut from.
const MASKED: &[u8; 32] = b"[(C) Copyright Mr. Dong Shiwei.]";

/// Texts of the head, each behind a byte with its length: where, how long at most, and the tag it is read as.
const TEXTS: [(usize, usize, &str); 9] = [
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

/// Reads the one game of a file.
///
/// # Errors
/// [`GameError`] with the byte at which the fault is.
pub fn read_game(reader: impl BufRead, strictness: Strictness) -> Result<Game, GameError> {
    let mut bytes = Vec::new();
    let read = reader.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| GameError::at_byte(bytes.len(), error))?;
    if bytes.len() > MOST_BYTES {
        let fault = GameFault::TooMuch { what: "bytes in an XQF file", most: MOST_BYTES };
        return Err(GameError::at_byte(MOST_BYTES, fault));
    }
    parse(&bytes, strictness)
}

fn parse(bytes: &[u8], strictness: Strictness) -> Result<Game, GameError> {
    if !bytes.starts_with(b"XQ") {
        let fault = GameFault::Malformed("an XQF file begins with the letters XQ".to_owned());
        return Err(GameError::at_byte(0, fault));
    }
    let Some((head, tree)) = bytes.split_at_checked(HEAD_SIZE) else {
        return Err(GameError::at_byte(bytes.len(), GameFault::CutOff("its head")));
    };
    let version = head[2];
    let keys = if version > LAST_PLAIN_VERSION { Keys::of(head) } else { Keys::default() };
    let men = men_of(head, version, &keys);
    let mut nodes = Nodes { tree, offset: 0, keys, is_plain: version <= LAST_PLAIN_VERSION };

    let mut game = Game { result: result_of(head[0x33]), ..Game::default() };
    for (offset, most, tag) in TEXTS {
        let length = usize::from(head[offset]).min(most);
        game.add_tag(tag, decode_gbk(&head[offset + 1..offset + 1 + length]).trim());
    }
    let root = nodes.next_node()?;
    // The root stands for no move, so its own sibling would be one of nothing.
    game.comment = root.comment;
    let mut goes_on = root.goes_on;
    let mut pending = 0;
    let mut position = None;
    while goes_on {
        let offset = HEAD_SIZE + nodes.offset;
        let node = nodes.next_node()?;
        goes_on = node.goes_on;
        pending += usize::from(node.has_sibling);
        let ply = game.moves.len() + 1;
        let fault = |reason: String| GameError::at_byte(offset, GameFault::Move { ply, reason });
        let (Some(from), Some(to)) = (square(node.from), square(node.to)) else {
            return Err(fault(format!("{} to {} are no points of the board", node.from, node.to)));
        };
        if ply > MOST_PLIES {
            return Err(GameError::at_byte(offset, GameFault::TooMuch { what: "plies", most: MOST_PLIES }));
        }
        // The head does not say who begins; who moves first does.
        let position = match &mut position {
            Some(position) => position,
            none => {
                let side = piece_list::side_on(&men, from).unwrap_or(Side::Red);
                game.start = start(&men, side, strictness)?;
                none.insert(game.start.clone())
            }
        };
        let mv = Move::new(from, to);
        if !position.can_play(mv) {
            return Err(fault(format!("'{mv}' is not legal")));
        }
        position.make(mv);
        game.moves.push(GameMove { mv, comment: node.comment });
    }
    if position.is_none() {
        game.start = start(&men, Side::Red, strictness)?;
    }
    game.left_out_lines = pending + nodes.count_lines(pending);
    Ok(game)
}

fn start(men: &Men, side: Side, strictness: Strictness) -> Result<crate::position::Position, GameError> {
    piece_list::position(men, side, strictness).map_err(|fault| GameError::at_byte(0x10, fault))
}

fn result_of(byte: u8) -> GameResult {
    match byte {
        1 => GameResult::RedWins,
        2 => GameResult::BlackWins,
        // Files with 4 exist; programs show them as drawn.
        3 | 4 => GameResult::Draw,
        _ => GameResult::Unknown,
    }
}

/// The point that a number means: ten times the file plus the rank, both from Red's left.
fn square(number: u8) -> Option<Square> {
    (number < 90).then(|| Square::new(number / 10, number % 10))
}

/// The men of the head; a number beyond the board means one that was captured.
fn men_of(head: &[u8], version: u8, keys: &Keys) -> Men {
    let mut men = [None; 32];
    for (index, &byte) in head[0x10..0x30].iter().enumerate() {
        let place = if version >= FIRST_SHUFFLED_VERSION { (usize::from(keys.men) + index + 1) % 32 } else { index };
        men[place] = square(byte.wrapping_sub(keys.men));
    }
    men
}

/// What a file has added to its numbers and to every byte of its tree; all zero in plain files.
#[derive(Default)]
struct Keys {
    men: u8,
    from: u8,
    to: u8,
    comment_length: u32,
    tree: [u8; 32],
}

impl Keys {
    fn of(head: &[u8]) -> Keys {
        let mask = head[3];
        let [sum, men, from, to] = [head[12], head[13], head[14], head[15]];
        let grown = |byte: u8| byte.wrapping_mul(byte).wrapping_mul(54).wrapping_add(221);
        let men_key = grown(men).wrapping_mul(men);
        let from_key = grown(from).wrapping_mul(men_key);
        let to_key = grown(to).wrapping_mul(from_key);
        let words = [sum, men, from, to];
        let tree = std::array::from_fn(|i| MASKED[i] & ((words[i % 4] & mask) | head[8 + i % 4]));
        let comment_length = (u32::from(sum) * 256 + u32::from(men)) % 32_000 + 767;
        Keys { men: men_key, from: from_key, to: to_key, comment_length, tree }
    }
}

/// A node of the tree.
struct Node {
    from: u8,
    to: u8,
    /// Whether a move follows this one.
    goes_on: bool,
    /// Whether an alternative to this move is kept behind all that follows it.
    has_sibling: bool,
    comment: String,
}

/// Reads the nodes in the order of the file.
struct Nodes<'a> {
    tree: &'a [u8],
    offset: usize,
    keys: Keys,
    is_plain: bool,
}

impl Nodes<'_> {
    fn next_node(&mut self) -> Result<Node, GameError> {
        let begin = self.offset;
        let cut = |what| GameError::at_byte(HEAD_SIZE + begin, GameFault::CutOff(what));
        let [from, to, tag, _] = self.take().ok_or_else(|| cut("a move"))?;
        let (goes_on, has_sibling, has_comment) = if self.is_plain {
            (tag & 0xF0 != 0, tag & 0x0F != 0, true)
        } else {
            (tag & 0x80 != 0, tag & 0x40 != 0, tag & 0x20 != 0)
        };
        let mut comment = String::new();
        if has_comment {
            let length = u32::from_le_bytes(self.take().ok_or_else(|| cut("the length of a comment"))?);
            let length = length.wrapping_sub(self.keys.comment_length) as usize;
            let left = self.tree.len() - self.offset;
            if length > left {
                return Err(cut("a comment"));
            }
            let bytes: Vec<u8> = (self.offset..self.offset + length).map(|i| self.byte(i)).collect();
            self.offset += length;
            comment = super::game::tidy_comment(&decode_gbk(&bytes));
        }
        let from = from.wrapping_sub(0x18).wrapping_sub(self.keys.from);
        let to = to.wrapping_sub(0x20).wrapping_sub(self.keys.to);
        Ok(Node { from, to, goes_on, has_sibling, comment })
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

    /// How many more side lines there are among the `pending` ones. A fault in them only ends the count.
    fn count_lines(&mut self, mut pending: usize) -> usize {
        let mut found = 0;
        while pending > 0 {
            let Ok(node) = self.next_node() else { break };
            found += usize::from(node.has_sibling);
            pending += usize::from(node.has_sibling);
            pending -= usize::from(!node.goes_on);
        }
        found
    }
}
