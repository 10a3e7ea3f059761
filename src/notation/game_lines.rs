//! Lines of games: one game per line with result, start position and moves, separated by tabs.
//!
//! ```text
//! 1-0<TAB>FEN<TAB>h2e2 h9g7 …
//! ```
//!
//! The FEN may be empty or its column may be missing: then the game begins with the start position. Further columns are
//! ignored, and so are empty lines and those that begin with `#`.

use std::io::{self, BufRead, Write};

use super::game::{Game, GameError, GameFault, GameMove, GameResult, Location, MAX_PLIES, shortened};
use super::pgn::with_other_side;
use super::text_encoding::{TextLines, next_record};
use super::warnings::WarningKind;
use super::{Dialect, read, write_line};
use crate::position::{Position, Strictness};

/// Iterator over the games of a file.
#[derive(Debug)]
pub struct GameLineReader<R> {
    /// `None` after a read error.
    lines: Option<TextLines<R>>,
    strictness: Strictness,
    start: Position,
}

impl<R: BufRead> GameLineReader<R> {
    /// Creates a reader.
    pub fn new(reader: R, strictness: Strictness) -> GameLineReader<R> {
        GameLineReader { lines: Some(TextLines::new(reader)), strictness, start: Position::start() }
    }

    fn read_game(&self, number: u64, line: &str) -> Result<Game, GameFault> {
        let mut columns = line.split('\t');
        let first = columns.next().unwrap_or_default().trim();
        let result = if first.is_empty() { Some(GameResult::Unknown) } else { GameResult::from_text(first) };
        let result = result.ok_or_else(|| GameFault::Result(shortened(first)))?;
        let (mut fen, mut moves) = (columns.next(), columns.next());
        // Without a FEN, the moves may be in its column.
        if fen.is_some_and(|text| !text.is_empty() && !text.contains('/')) && moves.is_none_or(|text| !has_move(text)) {
            (fen, moves) = (None, fen);
        }
        let start = match fen.map(str::trim) {
            None | Some("") => self.start.clone(),
            Some(fen) => Position::parse_fen(fen, self.strictness)?.position,
        };
        let is_given = fen.is_some_and(|fen| !fen.trim().is_empty());
        let mut game = Game { start, result, ..Game::default() };
        if is_given
            && let Some(first) = moves.and_then(|moves| moves.split_ascii_whitespace().next())
            && read(&game.start, first).is_err()
            && let Some((other, reason)) = with_other_side(&game.start, self.strictness)
            && read(&other, first).is_ok()
        {
            game.warnings.add(WarningKind::Corrected, Location::Line(number), reason);
            game.start = other;
        }
        let mut position = game.start.clone();
        for (index, text) in moves.unwrap_or_default().split_ascii_whitespace().enumerate() {
            let mv = match read(&position, text) {
                Ok(mv) if index < MAX_PLIES => mv,
                Ok(_) => {
                    let fault = GameFault::TooMuch { what: "plies", max: MAX_PLIES };
                    game.cut(&GameError::in_line(number, fault));
                    break;
                }
                Err(error) => {
                    let fault = GameFault::in_move(index + 1, &error);
                    if index == 0 && !is_given {
                        return Err(fault);
                    }
                    game.cut(&GameError::in_line(number, fault));
                    break;
                }
            };
            position.make(mv);
            game.moves.push(GameMove { mv, comment: String::new() });
        }
        Ok(game)
    }
}

/// Returns whether the first word of a column is a move in coordinates.
fn has_move(column: &str) -> bool {
    column.split_ascii_whitespace().next().is_some_and(|word| word.parse::<crate::types::Move>().is_ok())
}

impl<R: BufRead> Iterator for GameLineReader<R> {
    type Item = Result<Game, GameError>;

    fn next(&mut self) -> Option<Result<Game, GameError>> {
        let line = next_record(&mut self.lines)?;
        Some(line.and_then(|(number, text)| {
            self.read_game(number, &text).map_err(|fault| GameError::in_line(number, fault))
        }))
    }
}

/// Writes a game as one line, without tags and comments.
///
/// # Errors
/// Errors of `out`.
pub fn write_game(out: &mut impl Write, game: &Game, dialect: Dialect) -> io::Result<()> {
    let fen = if game.start == Position::start() { String::new() } else { game.start.to_string() };
    writeln!(out, "{}\t{fen}\t{}", game.result, write_line(&game.start, &game.line(), dialect).join(" "))
}
