//! Building opening books from games and importing those of ElephantEye.
//!
//! A [`Counter`] counts the moves played in the first plies of games and their results, [`Criteria`] select the moves
//! to keep, and [`verify`] checks these by searches. [`foreign`] reads books of ElephantEye. The book format is defined in
//! [`crate::book`].

pub mod command;
pub mod foreign;

mod build;
mod show;

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::book::{BookKey, MAX_GAMES, Orientation, Record, Statistics, weigh};
use crate::console::Result;
use crate::engine::{Engine, EngineError};
use crate::notation::game::{Game, GameResult};
use crate::position::{Position, Strictness};
use crate::search::{Limits, Outcome};
use crate::types::{Move, Side, Value};
use crate::util::cancel::CancelFlag;
use crate::util::parallel::map_ordered;

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

    /// Counts the moves of a game with a result. A move repeated in the same position counts once.
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

    /// Returns the positions with moves that meet the criteria, sorted by key, weighed among the kept moves.
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

/// Number of nodes per MiB of the transposition table, which fills it to about half.
const NODES_PER_MEGABYTE: u64 = 30_000;
const MAX_MEGABYTES: u64 = 256;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verification {
    pub nodes: u64,
    /// Maximum loss of a kept move relative to the best move, in centipawns.
    pub max_loss: Value,
    pub threads: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    pub positions: usize,
    pub dropped: usize,
}

/// Scores all moves of the candidates, drops those that lose too much, and recomputes the base weights of the others.
/// Returns `None` if interrupted.
///
/// Each position is searched first. If the best move is the only candidate, that suffices. Otherwise the best move and
/// all candidates are made and the resulting positions are searched with the same number of nodes each, so that scores
/// are comparable. Each search starts with an empty transposition table, so that the book does not depend on threads.
pub fn verify(
    candidates: &[Candidate],
    verification: &Verification,
    interrupt: &CancelFlag,
    on_progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Option<Vec<Candidate>>> {
    let threads = verification.threads.clamp(1, candidates.len().max(1));
    let megabytes = (verification.nodes / NODES_PER_MEGABYTE).clamp(1, MAX_MEGABYTES) as usize;
    let engines = (0..threads).map(|_| Engine::with_hash(megabytes)).collect::<Result<Vec<_>, _>>()?;
    let (engines, progress) = (Mutex::new(engines), Mutex::new((Progress::default(), on_progress)));
    // Ends the work after a failure, apart from the interrupt of the user.
    let failed = CancelFlag::default();
    let work = |engine: &mut Option<Engine>, candidate: &Candidate| -> Result<Option<Candidate>> {
        let may_go_on = !interrupt.is_cancelled() && !failed.is_cancelled();
        let Some(engine) = engine.as_mut().filter(|_| may_go_on) else { return Ok(None) };
        let losses = losses(engine, candidate, verification.nodes).inspect_err(|_| {
            failed.cancel();
        })?;
        let (mut kept, mut losses) = (candidate.clone(), losses.into_iter());
        kept.records.retain(|_| losses.next().is_some_and(|loss| loss <= verification.max_loss));
        kept.records.iter_mut().for_each(|record| record.is_verified = true);
        weigh(&mut kept.records);
        let (progress, on_progress) = &mut *lock(&progress);
        progress.positions += 1;
        progress.dropped += candidate.records.len() - kept.records.len();
        on_progress(*progress);
        Ok(Some(kept))
    };
    let results = map_ordered(candidates.iter(), threads, || lock(&engines).pop(), work);
    let verified = results.into_iter().collect::<Result<Option<Vec<Candidate>>, _>>()?;
    Ok(verified.map(|verified| verified.into_iter().filter(|kept| !kept.records.is_empty()).collect()))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns what each move of the candidate loses against the best of them and of the search, in centipawns.
fn losses(engine: &mut Engine, candidate: &Candidate, nodes: u64) -> Result<Vec<Value>, EngineError> {
    let position = candidate.position();
    let best = search(engine, position.clone(), nodes)?.best();
    let moves: Vec<Move> = candidate.records.iter().map(|record| record.mv).collect();
    if best.is_some_and(|best| moves == [best]) {
        return Ok(vec![0]);
    }
    let mut score = |&mv: &Move| {
        let mut after = position.clone();
        after.make(mv);
        Ok::<Value, EngineError>(-search(engine, after, nodes)?.score)
    };
    let scores = moves.iter().map(&mut score).collect::<Result<Vec<Value>, _>>()?;
    let other = best.filter(|best| !moves.contains(best)).as_ref().map(score).transpose()?;
    let best_score = scores.iter().copied().chain(other).max().unwrap_or_default();
    Ok(scores.into_iter().map(|score| best_score - score).collect())
}

fn search(engine: &mut Engine, position: Position, nodes: u64) -> Result<Outcome, EngineError> {
    engine.new_game();
    engine.set_position(position);
    engine.search(&Limits::nodes(nodes.max(1)), &mut ())
}
