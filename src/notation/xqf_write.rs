//! Writer of XQStudio game files (XQF), in the oldest version, which every program reads.
//!
//! Texts longer than their fields are cut; [`cut_parts`] names them.

use std::io::{self, Write};

use encoding_rs::GBK;

use super::game::{Game, GameResult};
use super::piece_list;
use super::xqf::{BLACK_TO_MOVE, HEADER_SIZE, SIDE_TO_MOVE, TEXTS};
use crate::types::{Side, Square};

/// Version without obfuscation.
const VERSION: u8 = 10;
/// Position of a captured piece.
const OFF_THE_BOARD: u8 = 0xFF;
/// Sign for a character that GBK lacks.
const UNKNOWN: u8 = b'?';

/// Writes a game with its variations.
///
/// # Errors
/// Errors of `out`, and an error for a position with more pieces of a kind than a game starts with.
pub fn write_game(out: &mut impl Write, game: &Game) -> io::Result<()> {
    let surplus = "an XQF file holds no more pieces of a kind than a game starts with";
    let pieces = piece_list::from_position(&game.start);
    let pieces = pieces.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, surplus))?;
    let mut bytes = vec![0; HEADER_SIZE];
    bytes[..3].copy_from_slice(&[b'X', b'Q', VERSION]);
    for (slot, square) in pieces.into_iter().enumerate() {
        bytes[0x10 + slot] = square.map_or(OFF_THE_BOARD, number);
    }
    bytes[SIDE_TO_MOVE] = if game.start.side() == Side::Black { BLACK_TO_MOVE } else { 0 };
    bytes[0x33] = match game.result {
        GameResult::Unknown => 0,
        GameResult::RedWins => 1,
        GameResult::BlackWins => 2,
        GameResult::Draw => 3,
    };
    for (offset, max_length, tag) in TEXTS {
        let value = game.tags.iter().find(|(name, _)| name == tag).map_or("", |(_, value)| value.as_str());
        let text = encoded(value, max_length).bytes;
        bytes[offset] = text.len() as u8;
        bytes[offset + 1..offset + 1 + text.len()].copy_from_slice(&text);
    }
    let links = game.links();
    node(&mut bytes, [0x18, 0x20], links.first(None).is_some(), false, &game.comment);
    // Pre-order with alternatives after the continuation, as the tree has them.
    for (index, played) in game.nodes.iter().enumerate() {
        let has_sibling = links.next(index).is_some();
        let points = [number(played.mv.from()) + 0x18, number(played.mv.to()) + 0x20];
        node(&mut bytes, points, links.first(Some(index)).is_some(), has_sibling, &played.comment);
    }
    out.write_all(&bytes)
}

/// Ten times the file plus the rank, both from Red's left.
fn number(square: Square) -> u8 {
    square.file() * 10 + square.rank()
}

fn node(bytes: &mut Vec<u8>, points: [u8; 2], has_continuation: bool, has_sibling: bool, comment: &str) {
    let tag = if has_continuation { 0xF0 } else { 0 } | if has_sibling { 0x0F } else { 0 };
    let comment = encoded_comment(comment).bytes;
    bytes.extend([points[0], points[1], tag, 0]);
    bytes.extend((comment.len() as u32).to_le_bytes());
    bytes.extend(comment);
}

/// Names the parts of a game that its file does not keep in full: tags and comments that are too long or have
/// characters that GBK lacks, and the counters of the start position.
pub fn cut_parts(game: &Game) -> Vec<&'static str> {
    let is_cut = |name: &str, max_length| {
        game.tags.iter().any(|(tag, value)| tag == name && !encoded(value, max_length).is_whole)
    };
    let mut parts: Vec<&str> =
        TEXTS.iter().filter(|(_, max_length, tag)| is_cut(tag, *max_length)).map(|&(_, _, tag)| tag).collect();
    let mut comments = game.nodes.iter().map(|node| &node.comment).chain([&game.comment]);
    if comments.any(|comment| !encoded_comment(comment).is_whole) {
        parts.push("comments");
    }
    if game.start.plies_since_capture() > 0 || game.start.move_number() > 1 {
        parts.push("plies since a capture and move number of the start position");
    }
    parts
}

/// Text in GBK.
struct Encoded {
    bytes: Vec<u8>,
    /// Nothing is cut, and no character is unknown.
    is_whole: bool,
}

fn encoded_comment(comment: &str) -> Encoded {
    encoded(&comment.replace('\n', "\r\n"), u16::MAX.into())
}

/// Encodes a text in GBK, cut to whole characters of at most `max_length` bytes.
fn encoded(text: &str, max_length: usize) -> Encoded {
    let (mut bytes, mut is_whole) = (Vec::new(), true);
    let mut buffer = [0; 4];
    for c in text.chars() {
        let (code, _, is_unknown) = GBK.encode(c.encode_utf8(&mut buffer));
        let code = if is_unknown { &[UNKNOWN][..] } else { &code[..] };
        is_whole &= !is_unknown;
        if bytes.len() + code.len() > max_length {
            is_whole = false;
            break;
        }
        bytes.extend_from_slice(code);
    }
    Encoded { bytes, is_whole }
}
