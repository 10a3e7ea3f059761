//! Moves of a game in every dialect, as text.

use serde::Serialize;

use crate::notation::{Dialect, write};
use crate::position::Position;
use crate::types::Move;

/// A move and what each dialect has for it.
#[derive(Serialize)]
pub struct MoveWords {
    ply: usize,
    /// The position before it.
    fen: String,
    coordinate: String,
    iccs: String,
    chinese: String,
    chinese_cxa: String,
    wxf: String,
    wxf_official: String,
    wxf_fairy: String,
}

impl MoveWords {
    /// The words for a legal move of `position`, the `ply`-th of its game.
    pub fn of(position: &Position, ply: usize, mv: Move) -> MoveWords {
        let words = |dialect| write(position, mv, dialect);
        MoveWords {
            ply,
            fen: position.to_string(),
            coordinate: words(Dialect::Coordinate),
            iccs: words(Dialect::Iccs),
            chinese: words(Dialect::Chinese),
            chinese_cxa: words(Dialect::ChineseCxa),
            wxf: words(Dialect::Wxf),
            wxf_official: words(Dialect::WxfOfficial),
            wxf_fairy: words(Dialect::WxfFairy),
        }
    }

    /// One line of the table.
    fn cells(&self) -> [&str; 7] {
        [&self.coordinate, &self.iccs, &self.chinese, &self.chinese_cxa, &self.wxf, &self.wxf_official, &self.wxf_fairy]
    }
}

/// A table with a line for each move and a column for each dialect.
pub fn table(moves: &[MoveWords]) -> String {
    let mut text = String::new();
    line(&mut text, "ply", &Dialect::ALL.map(Dialect::name));
    for words in moves {
        line(&mut text, &words.ply.to_string(), &words.cells());
    }
    text
}

/// The moves as JSON, one object a line.
///
/// # Errors
/// None in practice: everything in it can be written as JSON.
pub fn json(moves: &[MoveWords]) -> serde_json::Result<String> {
    moves.iter().map(|words| Ok(serde_json::to_string(words)? + "\n")).collect()
}

fn line(text: &mut String, ply: &str, cells: &[&str]) {
    let mut line = format!("{ply:>4}");
    for cell in cells {
        // Chinese signs and full-width digits are two columns wide, as on the board.
        let width: usize = cell.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
        line.push_str("  ");
        line.push_str(cell);
        line.push_str(&" ".repeat(12usize.saturating_sub(width)));
    }
    text.push_str(line.trim_end());
    text.push('\n');
}
