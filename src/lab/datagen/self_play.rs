//! Self-play: the games of a plan, their openings, and the play of one game.

use std::collections::HashSet;
use std::num::NonZeroUsize;

use crc32fast::Hasher;

use super::ScoredMove;
use super::record::{EndingKind, GameRecord};
use super::run::{GameSource, Made, Tasks, Worker};
use super::settings::{FixedNodesEngine, Settings};
use crate::commands::matches::arbiter::{Arbiter, Ending};
use crate::console::{CommandError, Result};
use crate::engine::EngineError;
use crate::lab::openings::random_moves;
use crate::notation::openings::Opening;
use crate::rules::Verdict;
use crate::search::Outcome;
use crate::types::Move;
use crate::util::math::StableRandom;

/// Maximum number of random openings drawn for one game.
const MAX_DRAWS: usize = 1_000;

#[derive(Clone, Debug)]
pub struct Plan {
    pub settings: Settings,
    pub openings: Openings,
    /// Number of games in all shards together.
    pub games: u64,
    pub threads: NonZeroUsize,
}

impl GameSource for Plan {
    type Task = u64;

    fn settings(&self) -> String {
        self.settings.to_json()
    }

    fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    fn missing(&self, present: &HashSet<u64>) -> u64 {
        let shard = self.settings.shard;
        let is_own = |number: u64| number < self.games && shard.has(number);
        shard.count(self.games) - present.iter().filter(|&&number| is_own(number)).count() as u64
    }

    fn tasks<'a>(&'a self, present: &'a HashSet<u64>) -> Result<Tasks<'a, u64>> {
        let (games, openings) = (self.games, self.openings.openings.len());
        if self.settings.random_plies == 0 && games > openings as u64 {
            return Err(CommandError::Mismatch(format!(
                "{openings} openings without random moves give only {openings} different games, not {games}; add \
                 --random-plies"
            )));
        }
        Ok(Box::new(self.settings.shard.numbers(games).filter(|number| !present.contains(number))))
    }

    fn worker(&self) -> Result<Worker<'_, u64>, EngineError> {
        let mut engine = FixedNodesEngine::new(&self.settings.search)?;
        Ok(Box::new(move |number| self.play(&mut engine, number)))
    }
}

impl Plan {
    /// Plays a game with a cleared engine, so that it depends on the settings, the openings and its number only.
    fn play(&self, engine: &mut FixedNodesEngine, number: u64) -> Result<Made, EngineError> {
        engine.forget();
        let before = engine.nodes;
        let Some((opening, mut first)) = self.draw_opening(engine, number)? else {
            return Ok(Made::Skipped(number));
        };
        let mut arbiter = Arbiter::new(opening.position(), engine.rules(), self.settings.adjudication());
        let mut moves = Vec::new();
        let mut ending = arbiter.ending_by_rules();
        while ending.is_none() {
            let outcome = match first.take() {
                Some(outcome) => outcome,
                None => engine.search(arbiter.position().clone())?,
            };
            let Some(mv) = outcome.best() else { break };
            moves.push(ScoredMove { mv, score: outcome.score });
            ending = arbiter.play(mv, Some(outcome.score));
        }
        let (result, ending) =
            ending.map_or_else(Default::default, |ending: Ending| (ending.result(), EndingKind::from_ending(&ending)));
        let game = Box::new(GameRecord { number, opening, moves, result, ending });
        Ok(Made::Game(game, engine.nodes - before))
    }

    /// Draws random moves until the position is balanced and not in check. Returns the opening with the search that
    /// proved it, which also chooses the first move. Without random plies the opening is taken unchanged.
    fn draw_opening(
        &self,
        engine: &mut FixedNodesEngine,
        number: u64,
    ) -> Result<Option<(Opening, Option<Outcome>)>, EngineError> {
        let start = self.openings.for_game(number).clone();
        let plies = self.settings.random_plies;
        if plies == 0 {
            return Ok(Some((start, None)));
        }
        let mut random = StableRandom::new(self.settings.seed, number);
        for _ in 0..MAX_DRAWS {
            let mut position = start.position();
            let Some(drawn) = random_moves(&mut position, plies, &mut random) else { continue };
            if position.in_check() || engine.rules().verdict(&position) != Verdict::Continue {
                continue;
            }
            let outcome = engine.search(position)?;
            if outcome.score.abs() <= self.settings.balance {
                let moves = start.moves.iter().copied().chain(drawn).collect();
                return Ok(Some((Opening { start: start.start, moves }, Some(outcome))));
            }
        }
        Ok(None)
    }
}

/// Openings that random moves are added to, at least one: those of a file, or the start position alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Openings {
    openings: Vec<Opening>,
    /// Number and checksum of the openings of a file; `None` for the start position alone.
    pub name: Option<String>,
}

impl Default for Openings {
    fn default() -> Openings {
        Openings { openings: vec![Opening::default()], name: None }
    }
}

impl Openings {
    /// Creates the openings of a file, at least one.
    pub fn new(openings: Vec<Opening>) -> Openings {
        let mut hasher = Hasher::new();
        for opening in &openings {
            let words: Vec<String> = opening.moves.iter().map(Move::to_string).collect();
            hasher.update(format!("{} {}\n", opening.start, words.join(" ")).as_bytes());
        }
        let name = Some(format!("{} starts, checksum {:08x}", openings.len(), hasher.finalize()));
        Openings { openings, name }
    }

    /// Returns the opening of a game; openings are used in turn.
    pub fn for_game(&self, number: u64) -> &Opening {
        &self.openings[(number % self.openings.len() as u64) as usize]
    }
}
