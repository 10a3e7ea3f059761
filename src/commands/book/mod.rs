//! Building opening books from games and importing those of ElephantEye.
//!
//! A [`Counter`] counts the moves played in the first plies of games and their results, [`Criteria`] select the moves
//! to keep, and [`verify`] checks these by searches. Its journal is a [record file](crate::util::record_file) with one
//! object for each position: its book key in hexadecimal, and the compared moves with their scores for the side to move
//! in centipawns. [`foreign`] reads books of ElephantEye. The book format is defined in [`crate::book`].

pub mod command;
pub mod foreign;

mod build;
mod show;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::book::{BookKey, MAX_GAMES, Orientation, Record, Statistics, weigh};
use crate::console::{CommandError, Result};
use crate::engine::{Engine, EngineError};
use crate::notation::game::{Game, GameResult};
use crate::position::{Position, Strictness};
use crate::search::{Limits, Outcome};
use crate::types::{Move, Side, Value};
use crate::util::cancel::CancelFlag;
use crate::util::parallel::map_ordered;
use crate::util::record_file::{Kind, RecordFile, RecordFileError, Settings};

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

/// Compared moves of a position with their scores for the side to move. The first is the best one by a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict(pub Vec<(Move, Value)>);

impl Verdict {
    fn score(&self, mv: Move) -> Option<Value> {
        self.0.iter().find(|(other, _)| *other == mv).map(|(_, score)| *score)
    }

    /// Returns what each move of the candidate loses against the best of them and of the search, in centipawns; `None`
    /// if one was not compared. Other moves have no influence, so the result does not depend on the criteria of earlier
    /// runs.
    pub fn losses(&self, candidate: &Candidate) -> Option<Vec<Value>> {
        let scores: Option<Vec<Value>> = candidate.records.iter().map(|record| self.score(record.mv)).collect();
        let (scores, (best_move, first_score)) = (scores?, *self.0.first()?);
        let best_score = scores.iter().copied().max().unwrap_or(first_score).max(first_score);
        let is_only_move = candidate.records.len() == 1 && candidate.records[0].mv == best_move;
        Some(scores.into_iter().map(|score| if is_only_move { 0 } else { best_score - score }).collect())
    }
}

/// Interval between writes of the journal, which limits the loss on a power failure.
const SAVE_PERIOD: Duration = Duration::from_secs(2);
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
/// Results are added to the journal; positions in `known` are not searched again. Returns `None` if interrupted.
///
/// Each position is searched first. If the best move is the only candidate, that suffices. Otherwise the best move and
/// all candidates are made and the resulting positions are searched with the same number of nodes each, so that scores
/// are comparable. Each search starts with an empty transposition table, so its result depends on the position alone
/// and the book neither on threads nor on interruptions.
pub fn verify(
    candidates: Vec<Candidate>,
    verification: &Verification,
    known: &HashMap<u64, Verdict>,
    mut journal: Option<&mut RecordFile>,
    interrupt: &CancelFlag,
    on_progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Option<Vec<Candidate>>> {
    let mut progress = Progress::default();
    let mut kept: Vec<Option<Candidate>> = Vec::with_capacity(candidates.len());
    let mut unknown = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        match known.get(&candidate.key()).and_then(|verdict| verdict.losses(candidate)) {
            Some(losses) => kept.push(progress.finish(candidate, &losses, verification.max_loss)),
            None => {
                unknown.push(index);
                kept.push(None);
            }
        }
    }
    let threads = verification.threads.clamp(1, unknown.len().max(1));
    let megabytes = (verification.nodes / NODES_PER_MEGABYTE).clamp(1, MAX_MEGABYTES) as usize;
    let engines = (0..threads).map(|_| Engine::with_hash(megabytes)).collect::<Result<Vec<_>, _>>()?;
    let (engines, mut saved) = (Mutex::new(engines), Instant::now());
    // Stores the verdict on the candidate with this index.
    let finish = Mutex::new(|index: usize, verdict: &Verdict| {
        let candidate = &candidates[index];
        kept[index] = progress.finish(candidate, &verdict.losses(candidate).unwrap_or_default(), verification.max_loss);
        on_progress(progress);
        let Some(journal) = &mut journal else { return Ok(()) };
        journal.hold(&JournalLine::new(candidate.key(), verdict));
        if saved.elapsed() < SAVE_PERIOD {
            return Ok(());
        }
        saved = Instant::now();
        journal.save()
    });
    // Ends the work after a failure, apart from the interrupt of the user.
    let failed = CancelFlag::default();
    let work = |engine: &mut Option<Engine>, index: usize| -> Result {
        let may_go_on = !interrupt.is_cancelled() && !failed.is_cancelled();
        let Some(engine) = engine.as_mut().filter(|_| may_go_on) else { return Ok(()) };
        let candidate = &candidates[index];
        let verdict = evaluate_moves(engine, &candidate.position(), candidate, verification.nodes);
        let finished = verdict.map_err(CommandError::from).and_then(|verdict| Ok(lock(&finish)(index, &verdict)?));
        finished.inspect_err(|_| {
            failed.cancel();
        })
    };
    let results = map_ordered(unknown.into_iter(), threads, || lock(&engines).pop(), work);
    if let Some(journal) = journal {
        journal.save()?;
    }
    results.into_iter().collect::<Result<(), _>>()?;
    let is_complete = progress.positions == candidates.len();
    Ok(is_complete.then(|| kept.into_iter().flatten().collect()))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress {
    /// Counts a finished candidate and returns what remains of it.
    fn finish(&mut self, candidate: &Candidate, losses: &[Value], max_loss: Value) -> Option<Candidate> {
        let mut kept = candidate.clone();
        let mut losses = losses.iter();
        kept.records.retain(|_| losses.next().is_some_and(|&loss| loss <= max_loss));
        kept.records.iter_mut().for_each(|record| record.is_verified = true);
        weigh(&mut kept.records);
        self.positions += 1;
        self.dropped += candidate.records.len() - kept.records.len();
        (!kept.records.is_empty()).then_some(kept)
    }
}

fn evaluate_moves(
    engine: &mut Engine,
    position: &Position,
    candidate: &Candidate,
    nodes: u64,
) -> Result<Verdict, EngineError> {
    let mut moves: Vec<Move> = candidate.records.iter().map(|record| record.mv).collect();
    let outcome = search(engine, position.clone(), nodes)?;
    match outcome.best() {
        Some(best) if moves == [best] => return Ok(Verdict(vec![(best, outcome.score)])),
        Some(best) => {
            moves.retain(|&mv| mv != best);
            moves.insert(0, best);
        }
        None => {}
    }
    let mut scores = Vec::with_capacity(moves.len());
    for mv in moves {
        let mut after = position.clone();
        after.make(mv);
        scores.push((mv, -search(engine, after, nodes)?.score));
    }
    Ok(Verdict(scores))
}

fn search(engine: &mut Engine, position: Position, nodes: u64) -> Result<Outcome, EngineError> {
    engine.new_game();
    engine.set_position(position);
    engine.search(&Limits::nodes(nodes.max(1)), &mut ())
}

/// Format of journals. The maximum size is that of more than ten million positions.
const JOURNAL: Kind =
    Kind { key: "chuhe_book_verification", version: 2, work: "book verification", max_bytes: 1 << 30 };

#[derive(Serialize, Deserialize)]
pub struct JournalLine {
    position: String,
    scores: Vec<(String, Value)>,
}

impl JournalLine {
    pub fn new(key: u64, verdict: &Verdict) -> JournalLine {
        let scores = verdict.0.iter().map(|(mv, score)| (mv.to_string(), *score));
        JournalLine { position: format!("{key:016x}"), scores: scores.collect() }
    }

    fn verdict(self) -> Option<(u64, Verdict)> {
        let scores = self.scores.into_iter().map(|(mv, score)| Some((mv.parse().ok()?, score)));
        Some((u64::from_str_radix(&self.position, 16).ok()?, Verdict(scores.collect::<Option<_>>()?)))
    }
}

/// Opens a journal of searches with this node count, or creates it, and returns its verdicts by position.
pub fn open_journal(path: &Path, nodes: u64) -> Result<(RecordFile, HashMap<u64, Verdict>), RecordFileError> {
    let settings = [("program", crate::engine::bench::program_id()), ("nodes", nodes.to_string())];
    let settings: Settings = settings.map(|(name, value)| (name.to_owned(), value)).into();
    let mut verdicts = HashMap::new();
    let (file, _) = RecordFile::open(JOURNAL, path, &settings, |line: JournalLine| {
        line.verdict().map(|(key, verdict)| verdicts.insert(key, verdict)).is_some()
    })?;
    Ok((file, verdicts))
}
