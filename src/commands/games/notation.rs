//! `notation`: moves of a game in every dialect.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::notation::{Dialect, write};
use crate::position::Position;
use crate::types::Move;

/// Move in every dialect.
pub struct MoveNotations {
    ply: usize,
    /// Position before the move.
    fen: String,
    /// In the order of [`Dialect::ALL`].
    words: [String; Dialect::ALL.len()],
}

impl MoveNotations {
    /// Formats a legal move of `position` at this ply of its game.
    pub fn new(position: &Position, ply: usize, mv: Move) -> MoveNotations {
        let words = Dialect::ALL.map(|dialect| write(position, mv, dialect));
        MoveNotations { ply, fen: position.to_string(), words }
    }
}

impl Serialize for MoveNotations {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("ply", &self.ply)?;
        object.serialize_entry("fen", &self.fen)?;
        for (dialect, words) in Dialect::ALL.iter().zip(&self.words) {
            object.serialize_entry(dialect.name(), words)?;
        }
        object.end()
    }
}

/// Formats a table with a row for each move and a column for each dialect.
pub fn table(moves: &[MoveNotations]) -> String {
    let mut text = String::new();
    line(&mut text, "ply", Dialect::ALL.map(Dialect::name));
    for played in moves {
        line(&mut text, &played.ply.to_string(), played.words.each_ref().map(String::as_str));
    }
    text
}

fn line(text: &mut String, ply: &str, cells: [&str; Dialect::ALL.len()]) {
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
