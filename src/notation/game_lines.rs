//! Lines of games: one game per line with result, start position and moves, separated by tabs.
//!
//! ```text
//! 1-0<TAB>FEN<TAB>h2e2 h9g7 …
//! ```
//!
//! The FEN may be empty or its column may be missing: then the game begins with the start position. Further columns are
//! ignored, and so are empty lines and those that begin with `#`.

use std::io::{self, BufRead, Write};

use super::game::{Game, GameError, GameFault, GameResult, Location, shortened};
use super::pgn::play_from_right_side;
use super::pgn_moves;
use super::text_encoding::{TextLines, next_record};
use super::warnings::WarningKind;
use super::{Dialect, write_line};
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
        let words: Vec<&str> = moves.unwrap_or_default().split_ascii_whitespace().collect();
        let place = Location::Line(number);
        let play = |start: &Position| pgn_moves::play(start, &words, false, None);
        let played = play_from_right_side(&mut game, is_given.then_some(place), self.strictness, play);
        for (_, warning) in played.warnings {
            game.warnings.add(WarningKind::Corrected, place, warning);
        }
        played.moves.into_iter().for_each(|(_, mv)| game.push(mv, String::new()));
        if let Some((_, fault)) = played.fault {
            if game.nodes.is_empty() && !is_given {
                return Err(fault);
            }
            game.cut(&GameError::in_line(number, fault));
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
