//! Choosing the starts of a new suite.

use super::{Chosen, Criteria, Place, Sources, SuiteFilter, random_line};
use crate::engine::EngineError;
use crate::types::Move;
use crate::util::cancel::Interrupt;
use crate::util::random::StableRandom;

/// How many candidates are judged before the next ones are compared with those chosen. It has a say in the choice, and
/// so it does not depend on the number of threads.
const BATCH: usize = 32;
/// After so many random lines for each start wanted, chance is given up.
const MOST_TRIES: u64 = 2_000;

/// How many starts are wanted, and whence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Starts that games passed through.
    pub from_games: usize,
    /// How many games must have passed through each of them.
    pub least_games: usize,
    /// Starts made of random moves.
    pub random: usize,
    /// The same seed chooses the same starts.
    pub seed: u64,
}

/// The starts that were chosen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choice {
    /// All of them, in an order that the seed decides.
    pub lines: Vec<Vec<Move>>,
    /// How many of them games passed through.
    pub from_games: usize,
    /// How many of them are made of random moves.
    pub random: usize,
}

/// How far the work is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// How many starts were chosen, or found to be sound.
    pub chosen: usize,
    /// How many lines were judged by a search.
    pub judged: usize,
}

/// Chooses starts until there are as many as wanted or nothing is left to choose from. `None` when interrupted.
///
/// # Errors
/// Those of the engines.
pub fn choose(
    sources: &Sources,
    wanted: Wanted,
    examiner: &mut SuiteFilter,
    interrupt: &Interrupt,
    listen: &mut dyn FnMut(Progress),
) -> Result<Option<Choice>, EngineError> {
    let criteria = *examiner.criteria();
    let mut work =
        Work { examiner, criteria, chosen: Chosen::default(), lines: Vec::new(), judged: 0, listen, interrupt };
    let lines = sources.lines(wanted.least_games, wanted.seed).into_iter();
    let from_games = work.take(lines, wanted.from_games)?;
    let tries = MOST_TRIES.saturating_mul(wanted.random as u64);
    let lines = (0..tries).filter_map(|number| random_line(&criteria, wanted.seed, number));
    let random = work.take(lines, wanted.random)?;
    if interrupt.is_requested() {
        return Ok(None);
    }
    let mut lines = work.lines;
    // Whoever takes the first hundred takes a fair sample.
    StableRandom::new(wanted.seed, 1).shuffle(&mut lines);
    Ok(Some(Choice { lines, from_games, random }))
}

struct Work<'a> {
    examiner: &'a mut SuiteFilter,
    criteria: Criteria,
    chosen: Chosen,
    lines: Vec<Vec<Move>>,
    judged: usize,
    listen: &'a mut dyn FnMut(Progress),
    interrupt: &'a Interrupt,
}

impl Work<'_> {
    /// Takes up to so many of the candidates. Returns how many.
    fn take(&mut self, mut candidates: impl Iterator<Item = Vec<Move>>, wanted: usize) -> Result<usize, EngineError> {
        let mut taken = 0;
        while taken < wanted && !self.interrupt.is_requested() {
            let differ = |line: &Vec<Move>| self.chosen.admits(line, &self.criteria).is_ok();
            let batch: Vec<Vec<Move>> = candidates.by_ref().filter(differ).take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            let lines: Vec<&[Move]> = batch.iter().map(Vec::as_slice).collect();
            let judgements = self.examiner.examine(&lines)?;
            self.judged += batch.len();
            for (line, judgement) in batch.into_iter().zip(judgements) {
                // Two of a batch may be alike.
                if taken < wanted && judgement.is_ok() && self.chosen.admits(&line, &self.criteria).is_ok() {
                    taken += 1;
                    self.chosen.add(&line, &self.criteria, Place(self.lines.len() as u64 + 1));
                    self.lines.push(line);
                }
            }
            (self.listen)(Progress { chosen: self.lines.len(), judged: self.judged });
        }
        Ok(taken)
    }
}
