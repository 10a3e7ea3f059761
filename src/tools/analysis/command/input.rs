//! Input of `analyze`, detected from the argument and the first bytes of the file.

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use super::Analyze;
use super::stream::{FIRST_LINE_TIMEOUT, Stream};
use crate::console::error::CommandError;
use crate::console::input::{GameFile, input_name, is_stream, open, peek, read_game, rejoin};
use crate::notation::epd::{EpdReader, EpdRecord};
use crate::notation::format::Format;
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
    /// Games.
    Games(GameFile),
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
        let path = Path::new(word);
        let name = input_name(path);
        let failed = |error| CommandError::File { path: name.clone(), error };
        let (kind, reader): (_, Box<dyn BufRead>) = if is_stream(path) {
            let mut stream = Stream::new(io::stdin());
            let head = stream.take_head(FIRST_LINE_TIMEOUT).map_err(failed)?;
            // Lines that are not positions are reported one by one.
            let kind = Format::detect(&head).map_or(Kind::Fens, Kind::Games);
            (Some(kind), Box::new(rejoin(head, stream)))
        } else if is_position(word) {
            return Ok(Input::Position(Box::new(read_game(Some(word), &args.moves, strictness)?)));
        } else {
            let (head, reader) = open(path).and_then(peek).map_err(failed)?;
            (Kind::detect(path, &head), Box::new(reader))
        };
        let input = match kind {
            Some(Kind::Games(format)) => Input::Games(GameFile { name, format, reader }),
            Some(Kind::Suite) => Input::Suite(path.to_owned()),
            Some(Kind::Fens) => Input::Fens(Fens { records: EpdReader::new(reader, strictness) }),
            None => {
                let fault = "it contains neither games, nor moves, nor a suite, nor positions".to_owned();
                return Err(CommandError::Unusable { path: name, fault });
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
