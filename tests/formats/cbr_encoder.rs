//! Encoder of CBR and CBL files, written from the description of the format: trees are written recursively, and what
//! the format does not define is filled with noise, as the program 象棋桥 leaves memory there.

use chuhe::notation::game::Game;
use chuhe::types::{Side, Square};

use crate::xqf_encoder::{Node, result_code};

const NOISE: u8 = 0xA7;

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn number(square: Square) -> u8 {
    9 * (9 - square.rank()) + square.file()
}

fn put_node(out: &mut Vec<u8>, squares: [u8; 2], is_end: bool, has_sibling: bool, comment: &str) {
    let flags = u8::from(is_end) | u8::from(has_sibling) << 1 | u8::from(!comment.is_empty()) << 2;
    out.extend([flags, 0, squares[0], squares[1]]);
    if !comment.is_empty() {
        let text = utf16(comment);
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(text);
    }
}

fn put_tree(out: &mut Vec<u8>, node: &Node) {
    let squares = [node.mv.from(), node.mv.to()].map(number);
    put_node(out, squares, node.next.is_none(), node.instead.is_some(), &node.comment);
    node.next.iter().chain(&node.instead).for_each(|node| put_tree(out, node));
}

/// The record of a game, which is a CBR file.
pub fn encode(game: &Game, root: Option<&Node>) -> Vec<u8> {
    let mut record = vec![NOISE; 2214];
    record[..16].copy_from_slice(b"CCBridge Record\0");
    record[19] = 2;
    for (at, tag) in [(180, "Title"), (692, "Event"), (948, "Site"), (1076, "Red"), (1140, "RedTeam"), (1300, "Black")]
    {
        let text = [utf16(game.tag(tag).unwrap_or_default()), vec![0, 0]].concat();
        record[at..at + text.len()].copy_from_slice(&text);
    }
    for at in [564, 756, 884, 1012, 1364, 1652, 1780, 2080] {
        record[at..at + 2].fill(0);
    }
    record[2076] = result_code(game.result);
    record[2112] = if game.start.side() == Side::Black { 2 } else { 1 };
    record[2116..2118].copy_from_slice(&[1, 0]);
    record[2120..2210].fill(0);
    for (piece, square) in game.start.pieces() {
        let kind = 1 + "RNBAKCP".find(piece.letter().to_ascii_uppercase()).unwrap() as u8;
        let side = if piece.side() == Side::Red { 0x10 } else { 0x20 };
        record[2120 + usize::from(number(square))] = side | kind;
    }
    record[2210..2214].fill(0xFF);
    put_node(&mut record, [0, 0], root.is_none(), false, &game.comment);
    root.iter().for_each(|root| put_tree(&mut record, root));
    record
}

/// A library with an index for this number of records.
pub fn library(records: &[Vec<u8>], slots: usize) -> Vec<u8> {
    let mut file = vec![NOISE; 66_624 + 276 * slots];
    file[..16].copy_from_slice(b"CCBridgeLibrary\0");
    file[60..64].copy_from_slice(&(slots as u32).to_le_bytes());
    file[64..66].fill(0);
    for record in records {
        file.extend(record);
        file.extend(vec![0; record.len().next_multiple_of(4096) - record.len()]);
    }
    file
}
