//! Reader of XQStudio game files (XQF).
//!
//! A header of 1024 bytes holds the start position, the side to move and the tags. The nodes of a tree follow in
//! pre-order: each move before its continuation, and that before its alternatives. Versions above 10 obfuscate
//! positions, moves and comments by adding keys derived from thirteen bytes of the header. A game is the main line with
//! the number of variations; a tree has them all.

use std::io::{BufRead, Read};

use super::game::{Game, GameError, GameFault, GameMove, GameResult, Location, MAX_PLIES};
use super::piece_list::{self, PieceList};
use super::text_encoding::decode_gbk;
use super::tree::{GameTree, MAX_NODES, TreeNode};
use super::warnings::{WarningKind, Warnings};
use crate::position::{Position, Strictness};
use crate::types::{Move, Side, Square};

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

/// Reads the game of a file, up to the first wrong move.
///
/// # Errors
/// [`GameError`] with the byte offset.
pub fn read_game(reader: impl BufRead, strictness: Strictness) -> Result<Game, GameError> {
    parse(&read_bytes(reader)?, strictness)
}

/// Parent of a node in the tree.
#[derive(Clone, Copy)]
enum NodeParent {
    /// After this move, or at the start.
    After(Option<usize>),
    /// After a move that is not in the tree.
    LeftOut,
}

/// Reads the game of a file with its variations. The main line ends before its first wrong move, and so does a
/// variation; the others are read, as far as the file goes.
///
/// # Errors
/// [`GameError`] with the byte offset, for the header.
pub fn read_tree(reader: impl BufRead, strictness: Strictness) -> Result<GameTree, GameError> {
    let bytes = read_bytes(reader)?;
    let Head { game, pieces, side, mut nodes } = head(&bytes)?;
    let mut tree = GameTree::from(game);
    let root = nodes.next_node()?;
    tree.comment = root.comment;
    let mut next = root.has_continuation.then_some(NodeParent::After(None));
    let mut is_main_line = true;
    // Parents of the alternatives that follow.
    let mut pending: Vec<NodeParent> = Vec::new();
    let mut path: Vec<usize> = Vec::new();
    let mut position: Option<Position> = None;
    while let Some(node_parent) = next {
        let offset = HEADER_SIZE + nodes.offset;
        let node = match nodes.next_node() {
            Ok(node) => node,
            Err(error) => {
                tree.warnings.add_error(kind(is_main_line), &error);
                break;
            }
        };
        if tree.nodes.len() == MAX_NODES && !is_main_line {
            let fault = GameFault::TooMuch { what: "moves in a game with variations", max: MAX_NODES };
            tree.warnings.add(WarningKind::Limit, Location::Byte(offset as u64), fault);
        }
        let mut instead = node_parent;
        let mut here = NodeParent::LeftOut;
        if let NodeParent::After(parent) = node_parent {
            while path.last().copied() != parent {
                path.pop();
                if let Some(position) = &mut position {
                    position.unmake();
                }
            }
            if position.is_none() {
                tree.start = start(&pieces, square(node.from), side, strictness, &mut tree.warnings)?;
            }
            let before = position.get_or_insert_with(|| tree.start.clone());
            match playable(&node, before, path.len(), tree.nodes.len(), offset) {
                Ok(mv) => {
                    before.make(mv);
                    path.push(tree.nodes.len());
                    here = NodeParent::After(path.last().copied());
                    tree.nodes.push(TreeNode { parent, mv, comment: node.comment });
                }
                Err(GameError { fault: GameFault::TooMuch { .. }, .. }) if tree.nodes.len() == MAX_NODES => {}
                Err(error) => {
                    tree.warnings.add_error(kind(is_main_line), &error);
                    if is_main_line && node.has_sibling {
                        // Otherwise an alternative to the wrong move would go on with the main line.
                        let reason = "alternatives to a wrong move of the main line";
                        tree.warnings.add(WarningKind::LeftOut, error.location, reason);
                        instead = NodeParent::LeftOut;
                    }
                    is_main_line = false;
                }
            }
        }
        if node.has_sibling {
            pending.push(instead);
        }
        if node.has_continuation {
            next = Some(here);
        } else {
            next = pending.pop();
            is_main_line = false;
        }
    }
    if position.is_none() {
        tree.start = start(&pieces, None, side, strictness, &mut tree.warnings)?;
    }
    Ok(tree)
}

/// Returns the kind of warning about an error.
fn kind(is_main_line: bool) -> WarningKind {
    if is_main_line { WarningKind::Cut } else { WarningKind::LeftOut }
}

/// Returns the move of a node at a byte after this number of plies, in a tree of this size.
///
/// # Errors
/// If the move is not legal or exceeds a limit.
fn playable(node: &Node, before: &Position, plies: usize, moves: usize, offset: usize) -> Result<Move, GameError> {
    let fault = |reason: String| GameError::at_byte(offset, GameFault::Move { ply: plies + 1, reason });
    let too_much = |what, max| Err(GameError::at_byte(offset, GameFault::TooMuch { what, max }));
    let (Some(from), Some(to)) = (square(node.from), square(node.to)) else {
        return Err(fault(format!("{} to {} are not squares of the board", node.from, node.to)));
    };
    let mv = Move::new(from, to);
    if plies == MAX_PLIES {
        return too_much("plies", MAX_PLIES);
    }
    if moves == MAX_NODES {
        return too_much("moves in a game with variations", MAX_NODES);
    }
    GameFault::of_move(before, plies + 1, mv).map_or(Ok(mv), |fault| Err(GameError::at_byte(offset, fault)))
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
    let root = nodes.next_node()?;
    // The root is not a move, so its sibling flag is meaningless.
    game.comment = root.comment;
    let mut has_continuation = root.has_continuation;
    let mut pending = 0;
    let mut position = None;
    while has_continuation {
        let offset = HEADER_SIZE + nodes.offset;
        let node = match nodes.next_node() {
            Ok(node) => node,
            Err(error) => {
                if game.warnings.cut().is_none() {
                    game.cut(&error);
                }
                break;
            }
        };
        has_continuation = node.has_continuation;
        pending += usize::from(node.has_sibling);
        if position.is_none() {
            game.start = start(&pieces, square(node.from), side, strictness, &mut game.warnings)?;
        }
        let position = position.get_or_insert_with(|| game.start.clone());
        if game.warnings.cut().is_some() {
            continue;
        }
        match playable(&node, position, game.moves.len(), 0, offset) {
            Ok(mv) => {
                position.make(mv);
                game.moves.push(GameMove { mv, comment: node.comment });
            }
            Err(error) => game.cut(&error),
        }
    }
    if position.is_none() {
        game.start = start(&pieces, None, side, strictness, &mut game.warnings)?;
    }
    game.skipped_variations = pending + nodes.count_lines(pending);
    Ok(game)
}

/// Builds the position before the move from `first`. The side of the header counts without moves.
fn start(
    pieces: &PieceList,
    first: Option<Square>,
    side: Side,
    strictness: Strictness,
    warnings: &mut Warnings,
) -> Result<Position, GameError> {
    let (start, warning) =
        piece_list::start(pieces, first, side, strictness).map_err(|fault| GameError::at_byte(PIECES, fault))?;
    if let Some(warning) = warning {
        warnings.add(WarningKind::Corrected, Location::Byte(SIDE_TO_MOVE as u64), warning);
    }
    Ok(start)
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

/// Node of the tree.
struct Node {
    from: u8,
    to: u8,
    /// A continuation follows.
    has_continuation: bool,
    /// An alternative to this move follows after its continuation.
    has_sibling: bool,
    comment: String,
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
        Ok(Node { from, to, has_continuation, has_sibling, comment })
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

    /// Counts further variations within the `pending` ones. An error in them only ends the count.
    fn count_lines(&mut self, mut pending: usize) -> usize {
        let mut found = 0;
        while pending > 0 {
            let Ok(node) = self.next_node() else { break };
            found += usize::from(node.has_sibling);
            pending += usize::from(node.has_sibling);
            pending -= usize::from(!node.has_continuation);
        }
        found
    }
}
