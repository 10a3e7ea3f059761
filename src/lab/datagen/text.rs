//! Self-play games as text, one game per line.
//!
//! ```text
//! #settings {"program":…}
//! 17<TAB>1-0<TAB>FEN<TAB>h2e2 h9g7 h0g2/35 i9h9/-28 …<TAB>checkmate
//! ```
//!
//! The columns are the number of the game, its result, the FEN of its start (empty for the start position), its moves,
//! each followed by a slash and the score of the search that chose it (the first moves, which no search chose, have no
//! score), and its ending (see [`EndingKind`]; optional). The conversion loses nothing in either direction. Empty lines
//! and lines that begin with `#` are skipped, except a first line with the settings.

use std::io::{self, BufRead, Write};

use thiserror::Error;

use super::record::{EndingKind, GameRecord, ScoredMove};
use crate::notation::game::{GameResult, shortened};
use crate::notation::openings::Opening;
use crate::notation::text_encoding::{TextLine, TextLines};
use crate::position::{Position, Strictness};
use crate::types::score::INFINITE;
use crate::types::{Move, Value};

/// Prefix of the line with the settings.
const SETTINGS: &str = "#settings ";

/// Returns the line with the settings, which are JSON on one line.
pub fn settings_line(settings: &str) -> String {
    format!("{SETTINGS}{settings}")
}

/// Writes a game as a line.
pub fn write_game(out: &mut impl Write, record: &GameRecord) -> io::Result<()> {
    let start = &record.opening.start;
    let fen = if *start == Position::start() { String::new() } else { start.to_string() };
    write!(out, "{}\t{}\t{fen}\t", record.number, record.result)?;
    let unscored = record.opening.moves.iter().map(Move::to_string);
    let scored = record.moves.iter().map(|played| format!("{}/{}", played.mv, played.score));
    let words: Vec<String> = unscored.chain(scored).collect();
    writeln!(out, "{}\t{}", words.join(" "), record.ending.name())
}

/// Line that is no game, or the error that ends the reading.
#[derive(Debug, Error)]
#[error("line {line}: {fault}")]
pub struct TextError {
    /// Line number, from 1.
    pub line: u64,
    pub fault: String,
    /// Nothing more can be read from the file.
    pub is_read_error: bool,
}

fn unreadable(line: u64, error: &io::Error) -> TextError {
    TextError { line, fault: format!("it cannot be read: {error}"), is_read_error: true }
}

/// Iterator over the games of a text.
pub struct TextReader<R> {
    /// `None` after a read error.
    lines: Option<TextLines<R>>,
    settings: Option<String>,
    /// First line, if it holds no settings.
    first: Option<TextLine>,
    strictness: Strictness,
}

impl<R: BufRead> TextReader<R> {
    /// Creates a reader and reads the first line.
    pub fn new(reader: R, strictness: Strictness) -> Result<TextReader<R>, TextError> {
        let mut lines = TextLines::new(reader);
        let first = lines.next_line().map_err(|error| unreadable(1, &error))?;
        let settings = first.as_ref().and_then(|line| line.text.strip_prefix(SETTINGS)).map(str::to_owned);
        Ok(TextReader { lines: Some(lines), settings, first, strictness })
    }

    pub fn settings(&self) -> Option<&str> {
        self.settings.as_deref()
    }

    fn next_line(&mut self) -> Result<Option<TextLine>, TextError> {
        if self.first.is_some() {
            return Ok(self.first.take());
        }
        let Some(lines) = &mut self.lines else { return Ok(None) };
        lines.next_line().map_err(|error| unreadable(lines.number() + 1, &error))
    }
}

impl<R: BufRead> Iterator for TextReader<R> {
    type Item = Result<GameRecord, TextError>;

    fn next(&mut self) -> Option<Result<GameRecord, TextError>> {
        loop {
            let TextLine { number: line, text, is_cut } = match self.next_line() {
                Ok(line) => line?,
                Err(error) => {
                    self.lines = None;
                    return Some(Err(error));
                }
            };
            if text.trim().is_empty() || text.starts_with('#') {
                continue;
            }
            let read = if is_cut { Err("it is too long".to_owned()) } else { read_game(&text, self.strictness) };
            return Some(read.map_err(|fault| TextError { line, fault, is_read_error: false }));
        }
    }
}

fn read_game(line: &str, strictness: Strictness) -> Result<GameRecord, String> {
    let mut columns = line.split('\t');
    let mut column = || {
        let missing = "fewer than four columns (number, result, FEN or nothing, moves) separated by tabs";
        columns.next().map(str::trim).ok_or(missing)
    };
    let is_no = |text: &str, what: &str| format!("'{}' is not {what}", shortened(text));
    let (number, result, fen, moves) = (column()?, column()?, column()?, column()?);
    let number = number.parse().map_err(|_| is_no(number, "the number of a game"))?;
    let result = GameResult::from_text(result).ok_or_else(|| is_no(result, "a result (1-0, 0-1, 1/2-1/2 or *)"))?;
    let parse = |fen| Position::parse_fen(fen, strictness).map_err(|fault| format!("invalid position: {fault}"));
    let start = if fen.is_empty() { Position::start() } else { parse(fen)?.position };
    let ending = match columns.next().map(str::trim) {
        None | Some("") => EndingKind::Unknown,
        Some(name) => EndingKind::from_name(name).ok_or_else(|| is_no(name, "a kind of ending"))?,
    };
    let mut position = start.clone();
    let mut record =
        GameRecord { number, opening: Opening { start, moves: Vec::new() }, moves: Vec::new(), result, ending };
    for (index, word) in moves.split_ascii_whitespace().enumerate() {
        let fault = |what: &str| format!("ply {}: '{}' {what}", index + 1, shortened(word));
        let (mv, score) = word.split_once('/').map_or((word, None), |(mv, score)| (mv, Some(score)));
        let mv = mv.parse().ok().filter(|&mv| position.can_play(mv));
        let mv = mv.ok_or_else(|| fault("is not a legal move"))?;
        match score {
            None if record.moves.is_empty() => record.opening.moves.push(mv),
            score => {
                let score = score
                    .and_then(|score| score.parse::<Value>().ok())
                    .filter(|score| score.unsigned_abs() <= INFINITE.unsigned_abs());
                let score = score.ok_or_else(|| fault("has no score after its slash"))?;
                record.moves.push(ScoredMove { mv, score });
            }
        }
        position.make(mv);
    }
    Ok(record)
}
