//! Files with one position or opening per line: Extended Position Description (EPD) and opening suites.
//!
//! ```text
//! FEN bm h2e2 h2d2; am a0a1; dm 3; id "three plies";     EPD; as an opening without its operations
//! h2e2 h9g7 h0g2                              moves from the start position, in any notation
//! FEN moves h9g7                              a position with optional moves
//! ```
//!
//! A line of moves may begin with `startpos` or `moves`. Empty lines and those that begin with `#` are skipped.

use std::io::BufRead;

use super::game::{GameError, GameFault, MAX_PLIES, shortened};
use super::read;
use super::text_encoding::TextLines;
use crate::position::{Position, Strictness, side_from_word};
use crate::types::Move;

/// Position with its operations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EpdRecord {
    /// The position.
    pub position: Position,
    /// `bm`: best moves, one of which should be played.
    pub best_moves: Vec<Move>,
    /// `am`: moves to avoid.
    pub avoided_moves: Vec<Move>,
    /// `dm`: maximum number of moves in which the side to move can mate.
    pub mate_in: Option<u32>,
    /// `id`: name of the position; without one, the text after a tab behind the operations.
    pub id: Option<String>,
}

impl EpdRecord {
    /// Parses a line. Moves may be in any dialect. The counters of the FEN are optional, and a tab may follow it.
    pub fn read(line: &str, strictness: Strictness) -> Result<EpdRecord, GameFault> {
        let mut columns = line.trim().splitn(3, '\t');
        let (fen, rest) = split_fen(columns.next().unwrap_or_default());
        let operations = if rest.is_empty() { columns.next().unwrap_or_default() } else { rest.trim_end() };
        let remark = columns.next().unwrap_or_default().trim();
        let position = Position::parse_fen(fen, strictness)?.position;
        let (best_moves, avoided_moves) = (Vec::new(), Vec::new());
        let mut record = EpdRecord { position, best_moves, avoided_moves, mate_in: None, id: None };
        for operation in split_operations(operations) {
            record.add(operation)?;
        }
        if record.id.is_none() && !remark.is_empty() {
            record.id = Some(remark.to_owned());
        }
        Ok(record)
    }

    fn add(&mut self, operation: &str) -> Result<(), GameFault> {
        let (name, operands) = operation.split_once(char::is_whitespace).unwrap_or((operation, ""));
        let operands = operands.trim();
        match name {
            "bm" => self.best_moves = self.read_moves(operands)?,
            "am" => self.avoided_moves = self.read_moves(operands)?,
            "dm" => {
                let fault = |_| GameFault::malformed(format!("'{}' is not a number of moves", shortened(operands)));
                self.mate_in = Some(operands.parse().map_err(fault)?);
            }
            "id" => {
                let inner = operands.strip_prefix('"').map(|inner| inner.strip_suffix('"').unwrap_or(inner));
                self.id = Some(inner.unwrap_or(operands).to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    fn read_moves(&self, operands: &str) -> Result<Vec<Move>, GameFault> {
        let words = operands.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        words.map(|word| read(&self.position, word).map_err(|error| GameFault::in_move(1, &error))).collect()
    }
}

/// Iterates over the records of a file in EPD.
pub fn read_epd(reader: impl BufRead, strictness: Strictness) -> impl Iterator<Item = Result<EpdRecord, GameError>> {
    TextLines::new(reader).parsed(move |_, line| EpdRecord::read(line, strictness))
}

/// Splits a line into position and operations: a FEN has a board, a side, and at most four fields of dashes and digits.
/// A letter, or a word before a dash, stands in the place of the side, even if it names none.
pub(super) fn split_fen(text: &str) -> (&str, &str) {
    let mut rest = text.trim_start();
    for index in 0..6 {
        let word = &rest[..rest.find(char::is_whitespace).unwrap_or(rest.len())];
        let is_letter = || word.chars().all(char::is_alphabetic) && word.chars().count() == 1;
        let precedes_dash = || rest[word.len()..].trim_start().starts_with("- ");
        let is_fen = match index {
            0 => true,
            1 => side_from_word(word).is_some() || is_letter() || precedes_dash(),
            _ => word.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()),
        };
        if !is_fen {
            break;
        }
        rest = rest[word.len()..].trim_start();
    }
    (&text[..text.len() - rest.len()], rest)
}

fn split_operations(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let parts = text.split(move |c| {
        is_quoted ^= c == '"';
        c == ';' && !is_quoted
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// Opening of a game; by default the start position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Opening {
    /// Position before the first move, without history.
    pub start: Position,
    /// Moves already played, all legal.
    pub moves: Vec<Move>,
}

impl Opening {
    /// Parses a line.
    pub fn read(line: &str, strictness: Strictness) -> Result<Opening, GameFault> {
        let line = line.trim();
        let (start, moves) = if line.split_whitespace().next().is_some_and(|word| word.contains('/')) {
            let (fen, moves) = line.split_once(" moves").unwrap_or((line, ""));
            (EpdRecord::read(fen, strictness)?.position, moves)
        } else {
            (Position::start(), line.strip_prefix("startpos").unwrap_or(line))
        };
        let moves = moves.trim_start();
        let moves = moves.strip_prefix("moves").unwrap_or(moves);
        let mut opening = Opening { start, moves: Vec::new() };
        let mut position = opening.start.clone();
        for (index, word) in moves.split_whitespace().enumerate() {
            if index == MAX_PLIES {
                return Err(GameFault::TooMuch("plies", MAX_PLIES));
            }
            let mv = read(&position, word).map_err(|error| GameFault::in_move(index + 1, &error))?;
            position.make(mv);
            opening.moves.push(mv);
        }
        Ok(opening)
    }

    /// Returns the position after the moves, which are its history.
    pub fn position(&self) -> Position {
        let mut position = self.start.clone();
        self.moves.iter().for_each(|&mv| position.make(mv));
        position
    }
}

/// Iterates over the openings of a file, with their line numbers.
pub fn read_openings(
    reader: impl BufRead,
    strictness: Strictness,
) -> impl Iterator<Item = Result<(u64, Opening), GameError>> {
    TextLines::new(reader).parsed(move |number, line| Ok((number, Opening::read(line, strictness)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_is_read_and_an_error_names_its_line() {
        let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b";
        let text = format!(
            "# a comment\n\nh2e2 h9g7\nstartpos moves 炮二平五\nmoves C2.5\n{fen}\n{fen} - - 1 1 moves h9g7\n\
             {fen} bm h9g7; id \"x\";\n{fen}\tid y\nstartpos\nh2e2 h2e2\n9/9 w\nb2e2\n"
        );
        let read: Vec<_> = read_openings(text.as_bytes(), Strictness::Strict).collect();
        let openings: Vec<&Opening> = read.iter().flatten().map(|(_, opening)| opening).collect();
        let plies: Vec<usize> = openings.iter().map(|opening| opening.moves.len()).collect();
        assert_eq!(plies, [2, 1, 1, 0, 1, 0, 0, 0, 1]);
        assert_eq!(openings[1].position().board_text(), openings[3].position().board_text());
        assert_eq!(*openings[7], Opening::default());
        let errors: Vec<String> = read.iter().filter_map(|line| line.as_ref().err().map(ToString::to_string)).collect();
        assert!(errors[0].starts_with("line 11: ply 2: ") && errors[1].starts_with("line 12: invalid position: "));
    }
}
