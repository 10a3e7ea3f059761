//! Encoder of XQF files, written from the description of the format by other means than the reader: keys come from
//! XQStudio's formula in wide integers, and trees are written recursively.

use chuhe::notation::game::{Game, GameResult};
use chuhe::position::Position;
use chuhe::types::{Move, Piece, Square};
use encoding_rs::GB18030;

/// A move with its continuation and its alternative.
pub struct Node {
    pub mv: Move,
    pub comment: String,
    pub next: Option<Box<Node>>,
    pub instead: Option<Box<Node>>,
}

/// A move with its comment, its continuation and its alternative.
pub fn node(mv: &str, comment: &str, next: Option<Node>, instead: Option<Node>) -> Node {
    let boxed = |node: Option<Node>| node.map(Box::new);
    Node { mv: mv.parse().unwrap(), comment: comment.to_owned(), next: boxed(next), instead: boxed(instead) }
}

/// The main line of a game as a tree.
pub fn tree(game: &Game) -> Option<Box<Node>> {
    game.nodes.iter().rev().fold(None, |next, played| {
        Some(Box::new(Node { mv: played.mv, comment: played.comment.clone(), next, instead: None }))
    })
}

/// Obfuscation parameters of a file: bytes 3 to 15 of the header.
pub struct Secret {
    pub version: u8,
    pub bytes: [u8; 13],
}

struct Keys {
    pieces: i64,
    from: i64,
    to: i64,
    length: i64,
    stream: Vec<i64>,
}

fn keys(secret: &Secret) -> Keys {
    if secret.version <= 10 {
        return Keys { pieces: 0, from: 0, to: 0, length: 0, stream: vec![0; 32] };
    }
    let byte = |index: usize| i64::from(secret.bytes[index - 3]);
    let formula = |b: i64| ((((b * b) * 3 + 9) * 3 + 8) * 2 + 1) * 3 + 8;
    let pieces = (formula(byte(13)) * byte(13)).rem_euclid(256);
    let from = (formula(byte(14)) * pieces).rem_euclid(256);
    let to = (formula(byte(15)) * from).rem_euclid(256);
    let stream = "[(C) Copyright Mr. Dong Shiwei.]".bytes().enumerate();
    let stream = stream.map(|(i, c)| i64::from(c) & ((byte(12 + i % 4) & byte(3)) | byte(8 + i % 4))).collect();
    Keys { pieces, from, to, length: (byte(12) * 256 + byte(13)) % 32_000 + 767, stream }
}

fn low(number: i64) -> u8 {
    number.rem_euclid(256) as u8
}

fn number(square: Square) -> i64 {
    i64::from(square.file()) * 10 + i64::from(square.rank())
}

/// Squares of the pieces in the order of the format; captured ones are `None`.
pub fn piece_squares(position: &Position) -> Vec<Option<Square>> {
    let mut squares = Vec::new();
    for half in ["RNBAKABNRCCPPPPP", "rnbakabnrccppppp"] {
        let mut seen = std::collections::HashMap::new();
        for letter in half.chars() {
            let piece = Piece::from_letter(letter).unwrap();
            let taken = seen.entry(letter).or_insert(0);
            squares.push(position.squares(piece).get(*taken).copied());
            *taken += 1;
        }
    }
    squares
}

fn put_text(head: &mut [u8], offset: usize, most: usize, text: &str) {
    let bytes = GB18030.encode(text).0;
    assert!(bytes.len() <= most);
    head[offset] = bytes.len() as u8;
    head[offset + 1..offset + 1 + bytes.len()].copy_from_slice(&bytes);
}

fn put_node(out: &mut Vec<u8>, keys: &Keys, version: u8, node: &Node) {
    let from = low(number(node.mv.from()) + 24 + keys.from);
    let to = low(number(node.mv.to()) + 32 + keys.to);
    put(out, keys, version, [from, to], node.next.is_some(), node.instead.is_some(), &node.comment);
    if let Some(next) = &node.next {
        put_node(out, keys, version, next);
    }
    if let Some(instead) = &node.instead {
        put_node(out, keys, version, instead);
    }
}

fn put(out: &mut Vec<u8>, keys: &Keys, version: u8, points: [u8; 2], next: bool, instead: bool, comment: &str) {
    let comment = GB18030.encode(comment).0;
    let tag = if version <= 10 {
        u8::from(next) * 0xF0 + u8::from(instead) * 0x0F
    } else {
        u8::from(next) << 7 | u8::from(instead) << 6 | u8::from(!comment.is_empty()) << 5 | 0x13
    };
    out.extend([points[0], points[1], tag, 0]);
    if version <= 10 || !comment.is_empty() {
        out.extend((comment.len() as u32 + keys.length as u32).to_le_bytes());
        out.extend(comment.iter());
    }
}

/// The number of a result, the same in XQF and CBR.
pub fn result_code(result: GameResult) -> u8 {
    match result {
        GameResult::Unknown => 0,
        GameResult::RedWins => 1,
        GameResult::BlackWins => 2,
        GameResult::Draw => 3,
    }
}

/// The file.
pub fn encode(game: &Game, root: Option<&Node>, secret: &Secret) -> Vec<u8> {
    let keys = keys(secret);
    let mut head = vec![0; 1024];
    head[..3].copy_from_slice(&[b'X', b'Q', secret.version]);
    head[3..16].copy_from_slice(&secret.bytes);
    let squares = piece_squares(&game.start);
    for slot in 0..32 {
        let source = if secret.version >= 12 { (keys.pieces as usize + slot + 1) & 31 } else { slot };
        head[0x10 + slot] = low(squares[source].map_or(0xFF, number) + keys.pieces);
    }
    head[0x33] = result_code(game.result);
    put_text(&mut head, 0xD0, 63, game.tag("Event").unwrap_or_default());
    put_text(&mut head, 0x120, 15, game.tag("Site").unwrap_or_default());
    put_text(&mut head, 0x130, 15, game.tag("Red").unwrap_or_default());
    let mut tree = Vec::new();
    put(&mut tree, &keys, secret.version, [0x18, 0x20], root.is_some(), false, &game.comment);
    if let Some(root) = root {
        put_node(&mut tree, &keys, secret.version, root);
    }
    head.extend(tree.iter().enumerate().map(|(i, &byte)| low(i64::from(byte) + keys.stream[i % 32])));
    head
}
