//! Extended Position Description (EPD): one position with operations per line.
//!
//! ```text
//! FEN bm h2e2 h2d2; am a0a1; dm 3; id "three plies";
//! ```

use std::io::BufRead;

use super::game::{GameError, GameFault, shortened};
use super::read;
use super::text_encoding::{TextLines, next_record};
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
    /// All other operations with their operands unchanged.
    pub others: Vec<(String, String)>,
}

impl EpdRecord {
    /// Parses a line. Moves may be in any dialect. The counters of the FEN are optional, and a tab may follow it.
    ///
    /// # Errors
    /// [`GameFault`] for the first error.
    ///
    /// ```
    /// use chuhe::notation::epd::EpdRecord;
    /// use chuhe::position::Strictness;
    /// let line = "3a2b2/3k5/9/7N1/9/9/9/4K4/9/6R2 w bm g0d0; dm 1; id \"a rook\";";
    /// let record = EpdRecord::read(line, Strictness::Strict)?;
    /// assert_eq!(record.best_moves[0].to_string(), "g0d0");
    /// assert_eq!((record.mate_in, record.id.as_deref()), (Some(1), Some("a rook")));
    /// # Ok::<(), chuhe::notation::game::GameFault>(())
    /// ```
    pub fn read(line: &str, strictness: Strictness) -> Result<EpdRecord, GameFault> {
        let mut columns = line.trim().splitn(3, '\t');
        let first = columns.next().unwrap_or_default();
        let (fen, rest) = split_fen(first);
        let operations = if rest.is_empty() { columns.next().unwrap_or_default() } else { rest };
        let remark = columns.next().unwrap_or_default().trim();
        let mut record = EpdRecord {
            position: Position::parse_fen(fen, strictness)?.position,
            best_moves: Vec::new(),
            avoided_moves: Vec::new(),
            mate_in: None,
            id: None,
            others: Vec::new(),
        };
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
                let mate_in = operands.parse();
                let fault = |_| GameFault::Malformed(format!("'{}' is not a number of moves", shortened(operands)));
                self.mate_in = Some(mate_in.map_err(fault)?);
            }
            "id" => self.id = Some(unquoted(operands).to_owned()),
            _ => self.others.push((name.to_owned(), operands.to_owned())),
        }
        Ok(())
    }

    fn read_moves(&self, operands: &str) -> Result<Vec<Move>, GameFault> {
        let words = operands.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        let fault = |error: super::NotationError| GameFault::in_move(1, &error);
        words.map(|word| read(&self.position, word).map_err(fault)).collect()
    }
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
    (&text[..text.len() - rest.len()], rest.trim_end())
}

/// Splits operations at semicolons outside quotes.
fn split_operations(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let parts = text.split(move |c| {
        is_quoted ^= c == '"';
        c == ';' && !is_quoted
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').map_or(text, |inner| inner.strip_suffix('"').unwrap_or(inner))
}

/// Iterator over the records of a file; empty lines and lines that begin with `#` are skipped.
#[derive(Debug)]
pub struct EpdReader<R> {
    /// `None` after a read error.
    lines: Option<TextLines<R>>,
    strictness: Strictness,
}

impl<R: BufRead> EpdReader<R> {
    /// Creates a reader.
    pub fn new(reader: R, strictness: Strictness) -> EpdReader<R> {
        EpdReader { lines: Some(TextLines::new(reader)), strictness }
    }
}

impl<R: BufRead> Iterator for EpdReader<R> {
    type Item = Result<EpdRecord, GameError>;

    fn next(&mut self) -> Option<Result<EpdRecord, GameError>> {
        let line = next_record(&mut self.lines)?;
        Some(line.and_then(|(number, text)| {
            EpdRecord::read(&text, self.strictness).map_err(|fault| GameError::in_line(number, fault))
        }))
    }
}
