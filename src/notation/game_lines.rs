//! Lines of games: one game per line with result, start position and moves, separated by tabs.
//!
//! ```text
//! 1-0<TAB>FEN<TAB>h2e2 h9g7 …
//! ```
//!
//! The FEN may be empty or its column may be missing: then the game begins with the start position. Further columns are
//! ignored, and so are empty lines and those that begin with `#`.

use std::io::{self, BufRead, Write};

use super::fault::{GameError, GameFault, Location};
use super::game::{Game, GameResult};
use super::pgn::play_from_right_side;
use super::text_encoding::Records;
use super::{Dialect, pgn_moves, write_line};
use crate::position::{Position, Strictness};
use crate::types::Move;

/// Iterates over the games of a file.
pub(super) fn games(reader: impl BufRead, strictness: Strictness) -> impl Iterator<Item = Result<Game, GameError>> {
    Records::new(reader).parsed(move |number, line| read_game(number, line, strictness))
}

fn read_game(number: u64, line: &str, strictness: Strictness) -> Result<Game, GameFault> {
    let mut columns = line.split('\t').map(str::trim);
    let first = columns.next().unwrap_or_default();
    let result = if first.is_empty() { Some(GameResult::Unknown) } else { GameResult::from_text(first) };
    let result = result.ok_or_else(|| GameFault::result(first))?;
    let (mut fen, mut moves) = (columns.next().unwrap_or_default(), columns.next());
    // Without a FEN, the moves may be in its column.
    if !fen.is_empty() && !fen.contains('/') && moves.is_none_or(|text| !begins_with_a_move(text)) {
        (fen, moves) = ("", Some(fen));
    }
    let place = Location::Line(number);
    let given = (!fen.is_empty()).then_some(place);
    let start = if fen.is_empty() { Position::start() } else { Position::parse_fen(fen, strictness)?.position };
    let mut game = Game { start, result, ..Game::default() };
    let words: Vec<&str> = moves.unwrap_or_default().split_ascii_whitespace().collect();
    let play = |start: &Position| pgn_moves::play(start, &words, false, None);
    let played = play_from_right_side(&mut game, given, strictness, play);
    played.warnings.into_iter().for_each(|(_, warning)| game.warnings.add_correction(place, warning));
    played.moves.into_iter().for_each(|(_, mv)| game.push(mv, String::new()));
    if let Some((_, fault)) = played.fault {
        // Without any legal move from the usual start, the notation is not understood.
        if game.nodes.is_empty() && given.is_none() {
            return Err(fault);
        }
        game.cut(&GameError::in_line(number, fault));
    }
    Ok(game)
}

/// Returns whether the first word of a column is a move in coordinates.
fn begins_with_a_move(column: &str) -> bool {
    column.split_ascii_whitespace().next().is_some_and(|word| word.parse::<Move>().is_ok())
}

/// Writes a game as one line, without tags, comments and variations.
pub(super) fn write_game(out: &mut impl Write, game: &Game, dialect: Dialect) -> io::Result<()> {
    let fen = if game.start == Position::start() { String::new() } else { game.start.to_string() };
    writeln!(out, "{}\t{fen}\t{}", game.result, write_line(&game.start, &game.line(), dialect).join(" "))
}
