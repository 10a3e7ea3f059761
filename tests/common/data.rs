//! Files of `tests/data`; each names its source.

use chuhe::position::Position;
use chuhe::types::Move;

pub const GAMES: &str = include_str!("../data/games.tsv");
/// Cases of repetition that other engines have judged.
pub const RULES_CASES: &str = include_str!("../data/rules_cases.tsv");

/// A line of the perft file: a position and its counts at depth 1, 2, and so on.
pub struct PerftLine {
    pub fen: &'static str,
    pub counts: Vec<u64>,
}

impl PerftLine {
    pub fn position(&self) -> Position {
        position(self.fen)
    }
}

pub fn perft_lines() -> Vec<PerftLine> {
    let read = |(fen, counts): (&'static str, &str)| PerftLine {
        fen,
        counts: counts.split(' ').map(|count| count.parse().expect("a count")).collect(),
    };
    lines(include_str!("../data/perft.tsv")).filter_map(|line| line.split_once('\t')).map(read).collect()
}

/// FENs of positions with a forced mate, each with the number of moves in which it comes at the latest.
pub fn mates() -> Vec<(&'static str, usize)> {
    mates_in(include_str!("../data/mates.epd"))
}

pub fn long_mates() -> Vec<(&'static str, usize)> {
    mates_in(include_str!("../data/long_mates.epd"))
}

/// The same with mates in three moves.
pub fn short_mates() -> Vec<(&'static str, usize)> {
    mates_in(include_str!("../data/short_mates.epd"))
}

fn mates_in(text: &'static str) -> Vec<(&'static str, usize)> {
    let read = |(fen, moves): (&'static str, &str)| (fen, moves.parse().expect("a number of moves"));
    lines(text).filter_map(|line| line.split_once("\tdm ")).map(read).collect()
}

pub fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

pub fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Reads moves in coordinates.
pub fn moves(text: &str) -> Vec<Move> {
    text.split_whitespace().map(|mv| mv.parse().unwrap_or_else(|error| panic!("{text}: {error}"))).collect()
}

/// Returns the position after moves by their names, each of which must be legal.
pub fn played(mut position: Position, moves: &str) -> Position {
    position.play(moves.split_whitespace()).unwrap_or_else(|error| panic!("{moves}: {error}"));
    position
}

/// Returns the position after these moves, each of which must be legal.
pub fn after(mut position: Position, moves: impl IntoIterator<Item = Move>) -> Position {
    for mv in moves {
        assert!(position.can_play(mv), "{mv} in {position}");
        position.make(mv);
    }
    position
}
