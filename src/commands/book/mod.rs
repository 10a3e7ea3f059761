//! Building opening books from games and importing those of other programs.
//!
//! A [`Counter`] counts the moves played in the first plies of games and their results, [`Criteria`] select the moves
//! to keep, and `verify` checks these by searches, with a journal that makes the work resumable. [`foreign`]
//! reads books of other programs. The book format is defined in [`crate::book`].

#[cfg(feature = "obk")]
pub mod binghe;
pub mod command;
pub mod foreign;

mod build;
mod show;
mod verify;

use std::collections::{HashMap, HashSet};

pub use verify::{JournalLine, Progress, Verdict, Verification, open_journal, verify};

use crate::book::{BookKey, MAX_GAMES, Orientation, Record, Statistics, weigh};
use crate::notation::game::{Game, GameResult};
use crate::position::{Position, Strictness};
use crate::types::{Move, Side};

/// Thresholds for a move to be kept.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Criteria {
    /// Minimum number of games that played the move.
    pub min_games: u64,
    /// Minimum share of the games of the position that played it, 0 to 1.
    pub min_share: f64,
    /// Minimum score of the side that played it, 0 to 1.
    pub min_score: f64,
    /// Number of plies up to which positions that only one game reached are kept.
    pub rare_plies: usize,
}

impl Default for Criteria {
    fn default() -> Criteria {
        Criteria { min_games: 2, min_share: 0.02, min_score: 0.3, rare_plies: 400 }
    }
}

/// Moves played in games, by position. Mirror images are one position.
#[derive(Clone, Debug)]
pub struct Counter {
    max_plies: usize,
    positions: HashMap<u64, Reached>,
    pub games: u64,
    pub without_result: u64,
}

#[derive(Clone, Debug)]
struct Reached {
    /// Board and side to move as a FEN, as first reached.
    fen: String,
    /// Number of moves before the position in the game that reached it first.
    plies: usize,
    moves: Vec<(Move, Statistics)>,
}

/// Position with the moves that meet the criteria.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    fen: String,
    /// At least one move, sorted as in a book, with base weights.
    pub records: Vec<Record>,
}

impl Candidate {
    pub fn key(&self) -> u64 {
        self.records[0].key
    }

    /// Returns the board that has the key of the candidate, without history and with the counters of a new game.
    pub fn position(&self) -> Position {
        let position = match Position::parse_fen(&self.fen, Strictness::Lax) {
            Ok(parsed) => parsed.position,
            Err(error) => unreachable!("a position that was reached is valid: {error}"),
        };
        let is_mirrored = BookKey::new(&position).orientation == Orientation::Mirrored;
        if is_mirrored { position.mirrored() } else { position }
    }
}

impl Counter {
    pub fn new(max_plies: usize) -> Counter {
        Counter { max_plies, positions: HashMap::new(), games: 0, without_result: 0 }
    }

    /// Counts the moves of a game. A move repeated in the same position counts once. Games without a result are
    /// skipped.
    pub fn add(&mut self, game: &Game) {
        if game.result == GameResult::Unknown {
            self.without_result += 1;
            return;
        }
        self.games += 1;
        let (mut position, mut seen) = (game.start.clone(), HashSet::new());
        for (plies, mv) in game.line().into_iter().enumerate().take(self.max_plies) {
            let entry = BookKey::new(&position);
            let in_book = entry.to_book(mv);
            if seen.insert((entry.key, in_book)) {
                let reached = self.positions.entry(entry.key).or_insert_with(|| {
                    let side = if position.side() == Side::Red { 'w' } else { 'b' };
                    Reached { fen: format!("{} {side}", position.board_text()), plies, moves: Vec::new() }
                });
                reached.count(in_book, game.result, position.side());
            }
            position.make(mv);
        }
    }

    pub fn positions(&self) -> usize {
        self.positions.len()
    }

    /// Returns the positions with moves that meet the criteria, sorted by key. Base weights are computed among the kept
    /// moves.
    pub fn candidates(&self, criteria: &Criteria) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> =
            self.positions.iter().filter_map(|(&key, reached)| reached.candidate(key, criteria)).collect();
        candidates.sort_unstable_by_key(Candidate::key);
        candidates
    }
}

impl Reached {
    fn count(&mut self, mv: Move, result: GameResult, side: Side) {
        let index = self.moves.iter().position(|(other, _)| *other == mv).unwrap_or_else(|| {
            self.moves.push((mv, Statistics::default()));
            self.moves.len() - 1
        });
        let statistics = &mut self.moves[index].1;
        let count = match result {
            GameResult::Draw | GameResult::Unknown => &mut statistics.draws,
            win if win == GameResult::win_of(side) => &mut statistics.wins,
            _ => &mut statistics.losses,
        };
        *count = (*count + 1).min(MAX_GAMES);
    }

    fn candidate(&self, key: u64, criteria: &Criteria) -> Option<Candidate> {
        let all: u64 = self.moves.iter().map(|(_, statistics)| statistics.games()).sum();
        if all < 2 && self.plies >= criteria.rare_plies {
            return None;
        }
        let is_kept = |statistics: &Statistics| {
            statistics.games() >= criteria.min_games
                && statistics.games() as f64 >= criteria.min_share * all as f64
                && statistics.score().is_some_and(|score| score >= criteria.min_score)
        };
        let kept = self.moves.iter().filter(|(_, statistics)| is_kept(statistics));
        let mut records: Vec<Record> = kept.map(|&(mv, statistics)| Record::new(key, mv, statistics)).collect();
        if records.is_empty() {
            return None;
        }
        records.sort_unstable_by_key(Record::order);
        weigh(&mut records);
        Some(Candidate { fen: self.fen.clone(), records })
    }
}
