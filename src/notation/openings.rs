//! Opening suites: one opening per line.
//!
//! ```text
//! h2e2 h9g7 h0g2                              moves from the start position, in any notation
//! FEN moves h9g7                              a position with optional moves
//! FEN bm h2e2; id "name";                     EPD; the operations are ignored
//! ```
//!
//! A line of moves may begin with `startpos` or `moves`. Empty lines and those that begin with `#` are skipped.

use std::io::BufRead;

use super::epd::EpdRecord;
use super::game::{GameError, GameFault, MAX_PLIES};
use super::read;
use super::text_encoding::{TextLines, next_record};
use crate::position::{Position, Strictness};
use crate::types::Move;

/// Opening of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// Position before the first move, without history.
    pub start: Position,
    /// Moves already played, all legal.
    pub moves: Vec<Move>,
}

impl Opening {
    /// Parses a line.
    ///
    /// # Errors
    /// [`GameFault`] for the first error.
    ///
    /// ```
    /// use chuhe::notation::openings::Opening;
    /// use chuhe::position::Strictness;
    /// let opening = Opening::read("h2e2 h9g7", Strictness::Strict)?;
    /// assert_eq!(opening.position().history().len(), 2);
    /// let error = Opening::read("h2e2 h2e2", Strictness::Strict).unwrap_err();
    /// assert!(error.to_string().starts_with("ply 2:"));
    /// # Ok::<(), chuhe::notation::game::GameFault>(())
    /// ```
    pub fn read(line: &str, strictness: Strictness) -> Result<Opening, GameFault> {
        let line = line.trim();
        let (start, moves) = if line.split_whitespace().next().is_some_and(|word| word.contains('/')) {
            match line.split_once(" moves") {
                Some((fen, moves)) => (EpdRecord::read(fen, strictness)?.position, moves),
                None => (EpdRecord::read(line, strictness)?.position, ""),
            }
        } else {
            (Position::start(), line.strip_prefix("startpos").unwrap_or(line))
        };
        let moves = moves.trim_start();
        let moves = moves.strip_prefix("moves").unwrap_or(moves);
        let mut opening = Opening { start, moves: Vec::new() };
        let mut position = opening.start.clone();
        for (index, word) in moves.split_whitespace().enumerate() {
            if index == MAX_PLIES {
                return Err(GameFault::TooMuch { what: "plies", max: MAX_PLIES });
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

/// The start position.
impl Default for Opening {
    fn default() -> Opening {
        Opening { start: Position::start(), moves: Vec::new() }
    }
}

/// Iterator over the openings of a file.
#[derive(Debug)]
pub struct OpeningReader<R> {
    /// `None` after a read error.
    lines: Option<TextLines<R>>,
    strictness: Strictness,
}

impl<R: BufRead> OpeningReader<R> {
    /// Creates a reader.
    pub fn new(reader: R, strictness: Strictness) -> OpeningReader<R> {
        OpeningReader { lines: Some(TextLines::new(reader)), strictness }
    }

    /// Iterates with line numbers, starting with 1.
    pub fn numbered(mut self) -> impl Iterator<Item = Result<(u64, Opening), GameError>> {
        std::iter::from_fn(move || self.next_numbered())
    }

    fn next_numbered(&mut self) -> Option<Result<(u64, Opening), GameError>> {
        let line = next_record(&mut self.lines)?;
        Some(line.and_then(|(number, text)| {
            let opening = Opening::read(&text, self.strictness);
            opening.map(|opening| (number, opening)).map_err(|fault| GameError::in_line(number, fault))
        }))
    }
}

impl<R: BufRead> Iterator for OpeningReader<R> {
    type Item = Result<Opening, GameError>;

    fn next(&mut self) -> Option<Result<Opening, GameError>> {
        self.next_numbered().map(|opening| opening.map(|(_, opening)| opening))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_is_read() {
        let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b";
        let text = format!(
            "# a comment\n\nh2e2 h9g7\nstartpos moves 炮二平五\nmoves C2.5\n{fen}\n{fen} - - 1 1 moves h9g7\n{fen} bm h9g7; id \"x\";\n{fen}\tid y\nstartpos\n"
        );
        let openings: Vec<Opening> =
            OpeningReader::new(text.as_bytes(), Strictness::Strict).map(Result::unwrap).collect();
        let plies: Vec<usize> = openings.iter().map(|opening| opening.moves.len()).collect();
        assert_eq!(plies, [2, 1, 1, 0, 1, 0, 0, 0]);
        assert_eq!(openings[1].position().board_text(), openings[3].position().board_text());
        assert_eq!(openings[7], Opening::default());
    }

    #[test]
    fn an_error_names_its_line_and_the_rest_is_read() {
        let text = "h2e2\nh2e2 h2e2\n9/9 w\nh2e9\nb2e2\n";
        let read: Vec<String> = OpeningReader::new(text.as_bytes(), Strictness::Strict)
            .map(|opening| opening.map_or_else(|error| error.to_string(), |opening| opening.moves.len().to_string()))
            .collect();
        assert_eq!(read.len(), 5);
        assert_eq!((read[0].as_str(), read[4].as_str()), ("1", "1"));
        assert!(read[1].starts_with("line 2: ply 2: "), "{}", read[1]);
        assert!(read[2].starts_with("line 3: invalid position: "), "{}", read[2]);
        assert!(read[3].starts_with("line 4: ply 1: "), "{}", read[3]);
    }
}
