//! `notation`: moves of a game in every dialect.

use serde::Serialize;

use crate::notation::{Dialect, write};
use crate::position::Position;
use crate::types::Move;

/// Move in every dialect.
#[derive(Serialize)]
pub struct MoveNotations {
    ply: usize,
    /// Position before the move.
    fen: String,
    coordinate: String,
    iccs: String,
    chinese: String,
    chinese_cxa: String,
    wxf: String,
    wxf_official: String,
    wxf_fairy: String,
    vietnamese: String,
}

impl MoveNotations {
    /// Formats a legal move of `position` at this ply of its game.
    pub fn new(position: &Position, ply: usize, mv: Move) -> MoveNotations {
        let words = |dialect| write(position, mv, dialect);
        MoveNotations {
            ply,
            fen: position.to_string(),
            coordinate: words(Dialect::Coordinate),
            iccs: words(Dialect::Iccs),
            chinese: words(Dialect::Chinese),
            chinese_cxa: words(Dialect::ChineseCxa),
            wxf: words(Dialect::Wxf),
            wxf_official: words(Dialect::WxfOfficial),
            wxf_fairy: words(Dialect::WxfFairy),
            vietnamese: words(Dialect::Vietnamese),
        }
    }

    /// Cells of a table row.
    fn cells(&self) -> [&str; 8] {
        [
            &self.coordinate,
            &self.iccs,
            &self.chinese,
            &self.chinese_cxa,
            &self.wxf,
            &self.wxf_official,
            &self.wxf_fairy,
            &self.vietnamese,
        ]
    }
}

/// Formats a table with a row for each move and a column for each dialect.
pub fn table(moves: &[MoveNotations]) -> String {
    let mut text = String::new();
    line(&mut text, "ply", &Dialect::ALL.map(Dialect::name));
    for words in moves {
        line(&mut text, &words.ply.to_string(), &words.cells());
    }
    text
}

fn line(text: &mut String, ply: &str, cells: &[&str]) {
    let mut line = format!("{ply:>4}");
    for cell in cells {
        // Chinese characters and full-width digits are two columns wide.
        let width: usize = cell.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
        line.push_str("  ");
        line.push_str(cell);
        line.push_str(&" ".repeat(12usize.saturating_sub(width)));
    }
    text.push_str(line.trim_end());
    text.push('\n');
}
