//! Input of `analyze`, detected from the argument and the first bytes of the file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::Analyze;
use crate::console::error::CommandError;
use crate::console::input::read_game;
use crate::notation::epd::{EpdReader, EpdRecord};
use crate::notation::format::{BYTES_TO_DETECT, Format};
use crate::notation::game::GameError;
use crate::position::{Position, Strictness};

/// Input to analyze.
pub enum Input {
    /// Position with the moves that led to it.
    Position(Box<Position>),
    /// Positions, one a line.
    Fens(Fens),
    /// File of positions with solutions.
    Suite(PathBuf),
    /// File of games.
    Games(PathBuf, Format),
}

/// Positions from a stream, one a line, and the errors of lines that cannot be read.
pub struct Fens {
    records: EpdReader<Box<dyn BufRead>>,
}

impl Iterator for Fens {
    type Item = Result<Position, GameError>;

    fn next(&mut self) -> Option<Result<Position, GameError>> {
        self.records.next().map(|record| record.map(|record| record.position))
    }
}

impl Input {
    /// Detects the kind of input.
    ///
    /// # Errors
    /// When it is neither a position nor a file that can be read.
    pub fn detect(args: &Analyze, strictness: Strictness) -> Result<Input, CommandError> {
        if let Some(path) = &args.suite {
            return Ok(Input::Suite(path.clone()));
        }
        let word = args.input.as_deref().unwrap_or("startpos");
        let fens = |reader| Input::Fens(Fens { records: EpdReader::new(reader, strictness) });
        let input = if word == "-" {
            fens(Box::new(BufReader::new(io::stdin())) as Box<dyn BufRead>)
        } else if is_position(word) {
            return Ok(Input::Position(Box::new(read_game(Some(word), &args.moves, strictness)?)));
        } else {
            let path = Path::new(word);
            let failed = |error| CommandError::File { path: path.to_owned(), error };
            let mut head = Vec::new();
            let mut file = File::open(path).map_err(failed)?;
            file.by_ref().take(BYTES_TO_DETECT as u64).read_to_end(&mut head).map_err(failed)?;
            match Kind::detect(path, &head) {
                Some(Kind::Games(format)) => Input::Games(path.to_owned(), format),
                Some(Kind::Suite) => Input::Suite(path.to_owned()),
                Some(Kind::Fens) => fens(Box::new(BufReader::new(File::open(path).map_err(failed)?))),
                None => {
                    let fault = "it contains neither games, nor a suite, nor positions".to_owned();
                    return Err(CommandError::Unusable { path: path.to_owned(), fault });
                }
            }
        };
        match args.moves.first() {
            Some(mv) => Err(CommandError::Mismatch(format!("'{mv}': moves can only follow a position"))),
            None => Ok(input),
        }
    }
}

/// Returns whether the argument is a position: `startpos`, or a first field with nine slashes, unless a file has that
/// name.
fn is_position(word: &str) -> bool {
    let field = word.split_whitespace().next().unwrap_or_default();
    let is_start = word.trim().eq_ignore_ascii_case("startpos");
    is_start || (field.matches('/').count() == 9 && !Path::new(word).is_file())
}

/// Content of a file.
enum Kind {
    Games(Format),
    Suite,
    Fens,
}

impl Kind {
    fn detect(path: &Path, head: &[u8]) -> Option<Kind> {
        let has_name = |extension| path.extension().is_some_and(|other| other.eq_ignore_ascii_case(extension));
        if has_name("epd") {
            return Some(Kind::Suite);
        }
        if let Some(format) = Format::detect(head) {
            return Some(Kind::Games(format));
        }
        let text = String::from_utf8_lossy(head);
        let mut lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        let line = lines.next().unwrap_or_default();
        let has_board = line.split_whitespace().next().is_some_and(|word| word.matches('/').count() == 9);
        if has_board {
            // Composed problems have the same form.
            let record = EpdRecord::read(line, Strictness::Lax).ok();
            let has_goal = |record: EpdRecord| super::suite::Goal::from_record(&record).is_some();
            return Some(if record.is_some_and(has_goal) { Kind::Suite } else { Kind::Fens });
        }
        Format::from_path(path).map(Kind::Games)
    }
}
