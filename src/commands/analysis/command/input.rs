//! Input of `analyze`, detected by the argument and the first bytes.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use super::Analyze;
use crate::commands::analysis::suite::is_problem;
use crate::console::{CommandError, Games, Result, input_name, is_stream, open, peek, read_game};
use crate::notation::after_position_words;
use crate::notation::format::Format;
use crate::notation::game::GameError;
use crate::notation::openings::{EpdRecord, read_epd};
use crate::notation::text_encoding::decode_head;
use crate::position::{Position, Strictness, decode_address};

pub enum Input {
    /// Position with the moves that led to it.
    Position(Box<Position>),
    /// Positions, one per line, and the errors of lines that cannot be read.
    Fens(Box<dyn Iterator<Item = Result<Position, GameError>>>),
    /// Positions with solutions, and the name of the file.
    Suite(PathBuf, Box<dyn BufRead>),
    Games(Games),
    Folder(PathBuf),
}

impl Input {
    pub fn detect(args: &Analyze, strictness: Strictness) -> Result<Input> {
        let word = args.input.as_deref().unwrap_or("startpos");
        let path = Path::new(word);
        if word != "startpos" && path.is_dir() && args.moves.is_empty() {
            return Ok(Input::Folder(path.to_owned()));
        }
        let name = input_name(path);
        if is_position(word) {
            return Ok(Input::Position(Box::new(read_game(Some(word), &args.moves, strictness)?)));
        }
        // Moves without a position before them are not a file either.
        if !path.exists() && Format::detect(word.as_bytes()) == Some(Format::MoveList) {
            return Err(CommandError::Mismatch(format!(
                "'{word}' holds moves and is no file; to analyze a game, put its moves in a file or pipe them to \
                 'chuhe analyze -'; for the position after them write 'startpos' first"
            )));
        }
        let (head, reader) = open(path).and_then(peek).map_err(CommandError::in_file(&name))?;
        let kind = if is_stream(path) {
            // Lines that are not positions are reported one by one.
            let usual = (!head.trim_ascii().is_empty()).then_some(Kind::Fens);
            Format::detect(&head).map(Kind::Games).or(usual)
        } else {
            Kind::detect(path, &head)
        };
        let input = match kind {
            Some(Kind::Games(format)) => Input::Games(Games::new(name, format, reader, strictness)),
            Some(Kind::Suite) => Input::Suite(name, Box::new(reader)),
            Some(Kind::Fens) => {
                Input::Fens(Box::new(read_epd(reader, strictness).map(|record| record.map(|record| record.position))))
            }
            None => {
                let fault = "it contains neither games, nor moves, nor a suite, nor positions";
                return Err(CommandError::unusable(name, fault));
            }
        };
        match args.moves.first() {
            Some(mv) => Err(CommandError::Mismatch(format!("'{mv}': moves can only follow a position"))),
            None => Ok(input),
        }
    }
}

/// Returns whether the argument is `startpos` or a FEN, after `position` or `fen` or not, and not the name of a file.
fn is_position(word: &str) -> bool {
    let text = after_position_words(word.trim());
    let mut fields = text.split_whitespace();
    let field = fields.next().unwrap_or_default();
    // Moves after `startpos` alone are the text of a game, after `position startpos` those of a session.
    let is_start = field.eq_ignore_ascii_case("startpos") && (fields.next().is_none() || text != word.trim());
    is_start || (is_board(field) && !Path::new(word).exists())
}

/// Returns whether a word is meant to be the board of a FEN: with any letters if the number of ranks is right, with any
/// number of ranks if the letters are.
fn is_board(word: &str) -> bool {
    let is_letter = |c: char| c == '/' || c.is_ascii_digit() || "rnhbeakcp".contains(c.to_ascii_lowercase());
    let word = decode_address(word);
    let slashes = word.matches('/').count();
    slashes == SLASHES || (slashes >= MIN_SLASHES && word.chars().all(is_letter))
}

const SLASHES: usize = 9;
/// Slashes from which on a word of digits and piece letters is a board rather than the path of a file.
const MIN_SLASHES: usize = 5;

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
        let text = decode_head(head);
        // Composed problems have the same form.
        let is_problem = |line: &str| EpdRecord::read(line, Strictness::Lax).is_ok_and(|record| is_problem(&record));
        if text.lines().any(is_problem) {
            return Some(Kind::Suite);
        }
        let mut lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        if lines.next().and_then(|line| line.split_whitespace().next()).is_some_and(is_board) {
            return Some(Kind::Fens);
        }
        Format::from_path(path).map(Kind::Games)
    }
}
