//! Positions as they stand in arguments.

use crate::console::error::CommandError;
use crate::position::{Position, START_FEN, Strictness};

/// The position of a FEN argument; the start position without one.
///
/// # Errors
/// When the FEN is not valid.
pub fn read_position(fen: Option<&str>, strictness: Strictness) -> Result<Position, CommandError> {
    let Some(fen) = fen else { return Ok(Position::start()) };
    let parsed = Position::parse_fen(fen, strictness)?;
    for warning in parsed.warnings {
        eprintln!("chuhe: {warning}");
    }
    Ok(parsed.position)
}

/// The position after these moves. Each argument may hold several words, the word `moves` may stand before the moves,
/// and a FEN may be spread over several arguments: its fields are all that stands before the first move.
pub fn read_game(fen: Option<&str>, moves: &[String], strictness: Strictness) -> Result<Position, CommandError> {
    let words: Vec<&str> =
        fen.into_iter().chain(moves.iter().map(String::as_str)).flat_map(str::split_ascii_whitespace).collect();
    let is_field = |word: &&str| {
        let looks_like_move = word.len() > 3 && word.chars().any(|letter| letter.is_ascii_alphabetic());
        !looks_like_move && !word.eq_ignore_ascii_case("moves")
    };
    let has_fields = words.first().is_some_and(|word| word.contains('/'));
    let more_fields = words.iter().skip(1).take_while(|word| has_fields && is_field(word)).count();
    let fields = more_fields + usize::from(!words.is_empty());
    let fen = fen.map(|_| words[..fields].join(" "));
    let mut position = read_position(fen.as_deref().map(setup), strictness)?;
    let skipped = words.get(fields).is_some_and(|word| word.eq_ignore_ascii_case("moves"));
    position.play(words[fields + usize::from(skipped)..].iter().copied())?;
    Ok(position)
}

/// The FEN that a text stands for: `startpos` is the start of the game.
pub fn setup(fen: &str) -> &str {
    if fen.trim().eq_ignore_ascii_case("startpos") { START_FEN } else { fen }
}
