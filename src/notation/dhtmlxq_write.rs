//! Writer of the DhtmlXQ format of web pages.
//!
//! A variation is a field `move_PARENT_PLY_NUMBER`: it replaces the move of this ply of the game in the line `PARENT`,
//! where 0 is the main line. Comments are named by line and ply in the same way.

use std::io::{self, Write};

use super::dhtmlxq::FIELDS;
use super::game::Game;
use super::piece_list;
use crate::position::START_FEN;
use crate::types::{Move, Square};

/// Line of a game.
struct Line {
    /// Number of the line that it leaves.
    parent: usize,
    /// Ply of its first move, from 1.
    ply: usize,
    /// Index of its first move.
    first: usize,
}

/// Writes a game with its variations.
///
/// # Errors
/// Errors of `out`, and an error for a position with more pieces of a kind than a game starts with.
pub fn write_game(out: &mut impl Write, game: &Game) -> io::Result<()> {
    let mut text = "[DhtmlXQ]\n".to_owned();
    let mut field = |name: &str, value: &str| {
        let value = safe(value);
        text.push_str(&format!("[DhtmlXQ_{name}]{value}[/DhtmlXQ_{name}]\n"));
    };
    for (tag, name, _) in FIELDS {
        if let Some((_, value)) = game.tags.iter().find(|(other, value)| other == tag && !value.is_empty()) {
            field(name, value);
        }
    }
    field("result", game.result.text());
    let surplus = "a DhtmlXQ game holds no more pieces of a kind than a game starts with";
    let pieces = piece_list::from_position(&game.start);
    let pieces = pieces.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, surplus))?;
    field("binit", &pieces.into_iter().map(|square| square.map_or("99".to_owned(), pair)).collect::<String>());
    let fen = game.start.to_string();
    // The squares alone do not say whose move it is, nor its number.
    if fen != START_FEN {
        field("fen", &fen);
    }
    if !game.comment.is_empty() {
        field("comment0", &game.comment);
    }
    let links = game.links();
    let mut lines: Vec<Line> = links.first(None).map(|first| Line { parent: 0, ply: 1, first }).into_iter().collect();
    let mut number = 0;
    while number < lines.len() {
        let Line { parent, mut ply, first } = lines[number];
        let name = if number == 0 { "movelist".to_owned() } else { format!("move_{parent}_{ply}_{number}") };
        let (mut moves, mut comments) = (String::new(), Vec::new());
        let mut next = Some(first);
        let mut is_first = true;
        while let Some(index) = next {
            let node = &game.nodes[index];
            // Alternatives to the first move of a variation belong to the line that it leaves.
            if !is_first || number == 0 {
                let alternatives = std::iter::successors(links.next(index), |&other| links.next(other));
                lines.extend(alternatives.map(|first| Line { parent: number, ply, first }));
            }
            is_first = false;
            moves.push_str(&square_pairs(node.mv));
            if !node.comment.is_empty() {
                let line = if number == 0 { String::new() } else { format!("{number}_") };
                comments.push((format!("comment{line}{ply}"), &node.comment));
            }
            ply += 1;
            next = links.first(Some(index));
        }
        field(&name, &moves);
        for (name, comment) in comments {
            field(&name, comment);
        }
        number += 1;
    }
    if lines.is_empty() {
        field("movelist", "");
    }
    text.push_str("[/DhtmlXQ]\n");
    out.write_all(text.as_bytes())
}

/// Square as two digits, column and row from the upper left.
fn pair(square: Square) -> String {
    format!("{}{}", square.file(), Square::RANKS - 1 - square.rank())
}

fn square_pairs(mv: Move) -> String {
    pair(mv.from()) + &pair(mv.to())
}

/// Replaces what would end a field.
fn safe(value: &str) -> String {
    let value = value.replace("\r\n", "\n").replace('\n', "||").replace("[DhtmlXQ", "［DhtmlXQ");
    let value = value.replace("[/DhtmlXQ", "［/DhtmlXQ");
    value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
