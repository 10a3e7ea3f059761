//! Choice of the openings of a new suite, from games and random moves.

use std::collections::HashMap;

use super::random_moves;
use super::{Criteria, Deduplicator, OpeningNumber, Progress, SuiteFilter, symmetric_key};
use crate::engine::EngineError;
use crate::notation::game::Game;
use crate::position::Position;
use crate::types::Move;
use crate::util::cancel::CancelFlag;
use crate::util::random::StableRandom;

/// Number of candidates that are searched before the next ones are compared with the chosen ones. It affects the
/// choice, so it does not depend on the number of threads.
const BATCH: usize = 32;
/// Maximum number of random lines tried for each requested opening.
const MAX_TRIES: u64 = 2_000;

/// Numbers of openings by source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChooseSettings {
    /// Openings from games.
    pub from_games: usize,
    /// Minimum number of games that reached each of them.
    pub min_games: usize,
    /// Openings of random moves.
    pub random: usize,
    /// Seed of the choice.
    pub seed: u64,
}

/// Chosen openings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choice {
    /// All lines, in an order determined by the seed.
    pub lines: Vec<Vec<Move>>,
    /// Number of lines from games.
    pub from_games: usize,
    /// Number of random lines.
    pub random: usize,
}

/// Chooses openings until the requested numbers are reached or no candidates are left. `None` when interrupted.
///
/// # Errors
/// Errors of the engines.
pub fn choose(
    sources: &Sources,
    settings: ChooseSettings,
    filter: &mut SuiteFilter,
    interrupt: &CancelFlag,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<Option<Choice>, EngineError> {
    let criteria = *filter.criteria();
    let mut work = Chooser {
        filter,
        criteria,
        chosen: Deduplicator::default(),
        lines: Vec::new(),
        searched: 0,
        on_progress,
        interrupt,
    };
    let lines = sources.lines(settings.min_games, settings.seed).into_iter();
    let from_games = work.take(lines, settings.from_games)?;
    let tries = MAX_TRIES.saturating_mul(settings.random as u64);
    let lines = (0..tries).filter_map(|number| random_line(&criteria, settings.seed, number));
    let random = work.take(lines, settings.random)?;
    if interrupt.is_cancelled() {
        return Ok(None);
    }
    let mut lines = work.lines;
    // Any number of first lines is then a fair sample.
    StableRandom::new(settings.seed, 1).shuffle(&mut lines);
    Ok(Some(Choice { lines, from_games, random }))
}

struct Chooser<'a> {
    filter: &'a mut SuiteFilter,
    criteria: Criteria,
    chosen: Deduplicator,
    lines: Vec<Vec<Move>>,
    searched: usize,
    on_progress: &'a mut dyn FnMut(Progress),
    interrupt: &'a CancelFlag,
}

impl Chooser<'_> {
    /// Takes up to `max` of the candidates. Returns the number taken.
    fn take(&mut self, mut candidates: impl Iterator<Item = Vec<Move>>, max: usize) -> Result<usize, EngineError> {
        let mut taken = 0;
        while taken < max && !self.interrupt.is_cancelled() {
            let differ = |line: &Vec<Move>| self.chosen.check(line, &self.criteria).is_ok();
            let batch: Vec<Vec<Move>> = candidates.by_ref().filter(differ).take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            let lines: Vec<&[Move]> = batch.iter().map(Vec::as_slice).collect();
            let results = self.filter.search_all(&lines)?;
            self.searched += batch.len();
            for (line, result) in batch.into_iter().zip(results) {
                // Two lines of a batch may be similar.
                if taken < max && result.is_ok() && self.chosen.check(&line, &self.criteria).is_ok() {
                    taken += 1;
                    self.chosen.add(&line, &self.criteria, OpeningNumber(self.lines.len() as u64 + 1));
                    self.lines.push(line);
                }
            }
            (self.on_progress)(Progress { chosen: self.lines.len(), searched: self.searched });
        }
        Ok(taken)
    }
}

/// First random sequence of random lines; lower numbers are for other choices.
const FIRST_RANDOM_SEQUENCE: u64 = 1 << 32;

/// Positions that games reached, with the number of games.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    lines: HashMap<u64, Reached>,
    games: usize,
}

#[derive(Clone, Debug)]
struct Reached {
    games: usize,
    /// Moves of the first of these games.
    moves: Vec<Move>,
}

impl Sources {
    /// Adds the positions of a game within the plies of an opening. Games from other positions are ignored.
    pub fn add(&mut self, game: &Game, criteria: &Criteria) {
        let mut position = Position::start();
        if game.start != position {
            return;
        }
        self.games += 1;
        let line = game.line();
        for (index, &mv) in line.iter().enumerate().take(criteria.max_plies) {
            position.make(mv);
            if index + 1 >= criteria.min_plies {
                let new = || Reached { games: 0, moves: line[..=index].to_vec() };
                self.lines.entry(symmetric_key(&position)).or_insert_with(new).games += 1;
            }
        }
    }

    /// Returns the number of games.
    pub fn games(&self) -> usize {
        self.games
    }

    /// Returns the lines to positions that at least `min_games` games reached, in an order determined by the seed.
    pub fn lines(&self, min_games: usize, seed: u64) -> Vec<Vec<Move>> {
        let reached = self.lines.values().filter(|reached| reached.games >= min_games);
        let mut lines: Vec<Vec<Move>> = reached.map(|reached| reached.moves.clone()).collect();
        lines.sort_by(|first, second| first.iter().map(|mv| mv.bits()).cmp(second.iter().map(|mv| mv.bits())));
        StableRandom::new(seed, 0).shuffle(&mut lines);
        lines
    }
}

/// Returns the random line of this seed and number, with uniformly distributed length and moves. `None` when the game
/// ends before.
pub fn random_line(criteria: &Criteria, seed: u64, number: u64) -> Option<Vec<Move>> {
    let mut random = StableRandom::new(seed, FIRST_RANDOM_SEQUENCE.saturating_add(number));
    let plies = criteria.min_plies + random.below(criteria.max_plies - criteria.min_plies + 1);
    let mut position = Position::start();
    random_moves(&mut position, plies, &mut random)
}
