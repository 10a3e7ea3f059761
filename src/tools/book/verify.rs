//! Looking for what is wrong with moves that were played.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::thread::Builder;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::{Candidate, Counter, Journal, JournalError};
use crate::book::weigh;
use crate::engine::{Engine, EngineError};
use crate::position::Position;
use crate::search::{Limits, STACK_SIZE};
use crate::types::{Move, Value};
use crate::util::cancel::Interrupt;

/// What a thread needs beside the stack of its searches.
const MORE_STACK: usize = 1 << 20;
/// How much of what was found may be lost with the power.
const SAVE_PERIOD: Duration = Duration::from_secs(2);
/// A search of so many nodes fills a megabyte of its table about half.
const NODES_PER_MEGABYTE: u64 = 30_000;
/// No search has a larger table.
const MOST_MEGABYTES: u64 = 256;

/// How moves are verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verification {
    /// The nodes of each search.
    pub nodes: u64,
    /// How many centipawns worse than the best one a move may be.
    pub most_loss: Value,
    /// How many positions are searched at once.
    pub threads: usize,
}

/// The moves of a position that were compared, with their scores for the side to move. The first is the one that a
/// search of the position itself found best.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict(pub Vec<(Move, Value)>);

impl Verdict {
    fn score(&self, mv: Move) -> Option<Value> {
        self.0.iter().find(|(other, _)| *other == mv).map(|(_, score)| *score)
    }

    /// How many centipawns each move of the candidate is worse than the best one of them and of what the search found;
    /// `None` if one of them was not compared. What else was compared does not matter, so that it makes no difference
    /// whether more was asked for at another time.
    pub fn losses(&self, candidate: &Candidate) -> Option<Vec<Value>> {
        let scores: Option<Vec<Value>> = candidate.records.iter().map(|record| self.score(record.mv)).collect();
        let (scores, (favourite, favourite_score)) = (scores?, *self.0.first()?);
        let best = scores.iter().copied().max().unwrap_or(favourite_score).max(favourite_score);
        let is_alone = candidate.records.len() == 1 && candidate.records[0].mv == favourite;
        Some(scores.into_iter().map(|score| if is_alone { 0 } else { best - score }).collect())
    }
}

/// How far a verification is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Positions that are judged.
    pub positions: usize,
    /// Moves of them that were dropped.
    pub dropped: usize,
}

/// Why a verification ends early.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// An engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// What was found cannot be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Judges all moves of the candidates, drops those that lose too much, and sets the weights of the others anew. What is
/// found is added to the journal, and what stands in `known` is not searched again. `None` when interrupted.
///
/// A position is searched first. If the best move is the only candidate, that is all; otherwise it and all candidates
/// are made, and the positions that they lead to are searched with as many nodes each, so that like is compared with
/// like. Each search begins with an empty table: its result depends on the position alone, and the book on neither
/// threads nor interruptions.
///
/// # Errors
/// [`VerifyError`]; what was found before is in the journal.
pub fn verify(
    counter: &Counter,
    candidates: Vec<Candidate>,
    verification: &Verification,
    known: &HashMap<u64, Verdict>,
    mut journal: Option<&mut Journal>,
    interrupt: &Interrupt,
    listen: &mut dyn FnMut(Progress),
) -> Result<Option<Vec<Candidate>>, VerifyError> {
    let mut progress = Progress::default();
    let mut judged: Vec<Option<Candidate>> = Vec::with_capacity(candidates.len());
    let mut unknown = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        match known.get(&candidate.key()).and_then(|verdict| verdict.losses(candidate)) {
            Some(losses) => judged.push(progress.judge(candidate, &losses, verification.most_loss)),
            None => {
                unknown.push(index);
                judged.push(None);
            }
        }
    }
    let threads = verification.threads.clamp(1, unknown.len().max(1));
    let megabytes = (verification.nodes / NODES_PER_MEGABYTE).clamp(1, MOST_MEGABYTES) as usize;
    let engines = (0..threads).map(|_| Engine::with_hash(megabytes)).collect::<Result<Vec<_>, _>>()?;
    let next = AtomicUsize::new(0);
    // Set when something fails; the wish of a person is not touched.
    let stop = Interrupt::default();
    std::thread::scope(|scope| {
        let (sender, results) = channel();
        for mut engine in engines {
            let (sender, next, stop, unknown, candidates) = (sender.clone(), &next, &stop, &unknown, &candidates);
            let thread = Builder::new().name("verifier".into()).stack_size(STACK_SIZE + MORE_STACK);
            let work = move || {
                while !interrupt.is_requested() && !stop.is_requested() {
                    let Some(&index) = unknown.get(next.fetch_add(1, Relaxed)) else { break };
                    let candidate = &candidates[index];
                    let verdict = judge(&mut engine, &counter.position(candidate), candidate, verification.nodes);
                    let failed = verdict.is_err();
                    if sender.send((index, verdict)).is_err() || failed {
                        break;
                    }
                }
            };
            if let Err(error) = thread.spawn_scoped(scope, work) {
                stop.request();
                return Err(EngineError::Thread(error.to_string()).into());
            }
        }
        drop(sender);
        let mut saved = Instant::now();
        let mut failure = None;
        for (index, verdict) in results {
            match verdict {
                Ok(verdict) => {
                    let candidate = &candidates[index];
                    let losses = verdict.losses(candidate).unwrap_or_default();
                    judged[index] = progress.judge(candidate, &losses, verification.most_loss);
                    if let Some(journal) = &mut journal {
                        journal.add(candidate.key(), &verdict);
                        if saved.elapsed() >= SAVE_PERIOD {
                            saved = Instant::now();
                            if let Err(error) = journal.save() {
                                stop.request();
                                return Err(error.into());
                            }
                        }
                    }
                    listen(progress);
                }
                Err(error) => {
                    stop.request();
                    failure = failure.or(Some(error));
                }
            }
        }
        if let Some(journal) = journal {
            journal.save()?;
        }
        failure.map_or(Ok(()), |error| Err(VerifyError::from(error)))
    })?;
    let is_whole = progress.positions == candidates.len();
    Ok(is_whole.then(|| judged.into_iter().flatten().collect()))
}

impl Progress {
    /// What is left of a candidate.
    fn judge(&mut self, candidate: &Candidate, losses: &[Value], most_loss: Value) -> Option<Candidate> {
        let mut kept = candidate.clone();
        let mut losses = losses.iter();
        kept.records.retain(|_| losses.next().is_some_and(|&loss| loss <= most_loss));
        kept.records.iter_mut().for_each(|record| record.is_verified = true);
        weigh(&mut kept.records);
        self.positions += 1;
        self.dropped += candidate.records.len() - kept.records.len();
        (!kept.records.is_empty()).then_some(kept)
    }
}

fn judge(engine: &mut Engine, position: &Position, candidate: &Candidate, nodes: u64) -> Result<Verdict, EngineError> {
    let mut moves: Vec<Move> = candidate.records.iter().map(|record| record.mv).collect();
    let outcome = look(engine, position.clone(), nodes)?;
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
        scores.push((mv, -look(engine, after, nodes)?.score));
    }
    Ok(Verdict(scores))
}

fn look(engine: &mut Engine, position: Position, nodes: u64) -> Result<crate::search::Outcome, EngineError> {
    engine.new_game();
    engine.set_position(position);
    engine.search_on_current_thread(&Limits::nodes(nodes.max(1)), &mut ())
}
