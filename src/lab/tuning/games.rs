//! Search parameters tuned by games.
//!
//! Games have a fixed number of nodes per move, and each opening is played twice with colours reversed. A win counts 1,
//! a loss −1, a draw 0. The same games always have the same result.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::objective::{Objective, Parameter};
use super::search_space::{SearchSpace, Tuned};
use crate::commands::matches::arbiter::{Adjudication, Agreement, Arbiter};
use crate::engine::{Engine, EngineError};
use crate::notation::game::GameResult;
use crate::notation::openings::Opening;
use crate::rules::Rules;
use crate::search::{Limits, Params};
use crate::types::Side;
use crate::util::cancel::CancelFlag;
use crate::util::parallel::map_ordered;

/// Hash size of each engine in megabytes; short searches fill no more.
const HASH_MEGABYTES: usize = 4;

/// Match settings.
#[derive(Clone, Debug)]
pub struct Games {
    /// Openings; the start position if empty.
    pub openings: Vec<Opening>,
    /// Nodes per search.
    pub nodes: u64,
    /// Games per match, two from each opening.
    pub games: usize,
    /// Games played in parallel.
    pub threads: usize,
    /// Adjudication before the rules end a game.
    pub adjudication: Adjudication,
    /// Stops all games.
    pub cancel: CancelFlag,
}

impl Default for Games {
    fn default() -> Games {
        Games {
            openings: Vec::new(),
            nodes: 2_000,
            games: 32,
            threads: 1,
            adjudication: Adjudication {
                win: Some(Agreement { score: 800, plies: 4, from_ply: 0 }),
                draw: Some(Agreement { score: 10, plies: 12, from_ply: 100 }),
                max_plies: Some(240),
            },
            cancel: CancelFlag::default(),
        }
    }
}

impl Games {
    /// Returns the wins minus the losses of `one` against `other` in a match that starts with opening number `first`.
    /// `None` when cancelled.
    ///
    /// # Errors
    /// Errors of the engines.
    pub fn play(&self, one: Params, other: Params, first: usize) -> Result<Option<i64>, EngineError> {
        let has_failed = AtomicBool::new(false);
        let usual = [Opening::default()];
        let openings = if self.openings.is_empty() { &usual[..] } else { &self.openings };
        let engines = || -> Result<[Engine; 2], EngineError> {
            let engine = |params| {
                let mut engine = Engine::with_hash(HASH_MEGABYTES)?;
                engine.set_params(params)?;
                Ok::<Engine, EngineError>(engine)
            };
            Ok([engine(one)?, engine(other)?])
        };
        let play = |engines: &mut Result<[Engine; 2], EngineError>, game: usize| -> Result<Option<i64>, EngineError> {
            let engines = engines.as_mut().map_err(|error| error.clone())?;
            if has_failed.load(Relaxed) {
                return Ok(None);
            }
            let opening = &openings[(first + game / 2) % openings.len()];
            let one_side = if game.is_multiple_of(2) { Side::Red } else { Side::Black };
            let result = self.play_game(engines, opening, one_side).inspect_err(|_| has_failed.store(true, Relaxed))?;
            Ok(result.and_then(|result| result.points(one_side)).map(|points| (2.0 * points - 1.0) as i64))
        };
        let points = map_ordered(0..self.games, self.threads.min(self.games), engines, play);
        // An error counts before the games that were left out for it.
        let points: Vec<Option<i64>> = points.into_iter().collect::<Result<_, EngineError>>()?;
        Ok(points.into_iter().sum())
    }

    /// Plays a game in which the first engine has this side. `None` when cancelled.
    fn play_game(
        &self,
        engines: &mut [Engine; 2],
        opening: &Opening,
        first_side: Side,
    ) -> Result<Option<GameResult>, EngineError> {
        engines.iter_mut().for_each(Engine::new_game);
        let mut arbiter = Arbiter::new(opening.position(), Rules::default(), self.adjudication);
        let limits = Limits::nodes(self.nodes);
        let mut ending = arbiter.ending_by_rules();
        while ending.is_none() {
            if self.cancel.is_cancelled() {
                return Ok(None);
            }
            let engine = &mut engines[usize::from(arbiter.position().side() != first_side)];
            engine.set_position(arbiter.position().clone());
            let outcome = engine.search(&limits, &mut ())?;
            // Without a legal move the rules would have ended the game.
            let Some(mv) = outcome.best() else { return Ok(Some(GameResult::Draw)) };
            ending = arbiter.play(mv, Some(outcome.score));
        }
        Ok(ending.map(|ending| ending.result()))
    }
}

/// Objective over search parameters.
///
/// The loss of a vector is its negated mean result in a match against the start values, always with the same openings.
/// A difference is a match between two vectors, each time with the next openings.
pub struct Tournament {
    games: Games,
    space: SearchSpace,
    /// First opening of the next difference.
    next_opening: usize,
    failure: Option<EngineError>,
}

impl Tournament {
    /// Creates the objective over these parameters or groups of parameters; all others stay as in `base`.
    pub fn new(games: Games, base: Params, tuned: impl IntoIterator<Item: Into<Tuned>>) -> Tournament {
        Tournament { games, space: SearchSpace::new(base, tuned), next_opening: 0, failure: None }
    }

    /// Returns the search parameters of a vector, each rounded.
    pub fn params(&self, vector: &[f64]) -> Params {
        self.space.params(vector)
    }

    /// The space of the vectors.
    pub(super) fn space(&self) -> &SearchSpace {
        &self.space
    }

    /// Engine error that ended the tuning, if any.
    pub fn failure(&self) -> Option<&EngineError> {
        self.failure.as_ref()
    }

    /// Number of pairs of games that were to begin with different openings.
    pub fn pairs(&self) -> usize {
        self.next_opening.max(self.games.games.div_ceil(2))
    }

    /// Number of openings.
    pub fn openings(&self) -> usize {
        self.games.openings.len().max(1)
    }

    /// Mean result of one vector against other parameters, −1 to 1.
    fn result(&mut self, one: &[f64], other: Params, first: usize) -> Option<f64> {
        match self.games.play(self.params(one), other, first) {
            Ok(sum) => Some(sum? as f64 / self.games.games.max(1) as f64),
            Err(error) => {
                self.failure = Some(error);
                None
            }
        }
    }
}

impl Objective for Tournament {
    fn parameters(&self) -> &[Parameter] {
        &self.space.dimensions
    }

    fn loss(&mut self, vector: &[f64]) -> Option<f64> {
        // A match against itself is even, since each opening is played from both sides.
        if self.params(vector) == self.space.base {
            return Some(0.0);
        }
        self.result(vector, self.space.base, 0).map(|result| -result)
    }

    fn difference(&mut self, one: &[f64], other: &[f64]) -> Option<f64> {
        let first = self.next_opening;
        self.next_opening += self.games.games.div_ceil(2);
        let other = self.params(other);
        self.result(one, other, first).map(|result| -result)
    }

    fn difference_cost(&self) -> u64 {
        1
    }

    fn is_exact(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games() -> Games {
        Games { nodes: 300, games: 4, threads: 2, ..Games::default() }
    }

    #[test]
    fn equal_engines_draw_and_matches_are_reproducible() {
        let usual = Params::default();
        assert_eq!(games().play(usual, usual, 0), Ok(Some(0)));
        let other = Params { reduction_base: 2_500, ..usual };
        let first = games().play(usual, other, 0);
        assert_eq!(games().play(usual, other, 0), first);
        let reversed = Games { threads: 1, ..games() }.play(other, usual, 0).unwrap().unwrap();
        assert_eq!(first, Ok(Some(-reversed)), "both start from both sides");
    }

    #[test]
    fn a_vector_that_rounds_to_the_start_has_no_loss() {
        let tuned = ["null_move_depth", "reduction_base"].map(|name| Params::parameter(name).unwrap()).to_vec();
        let base = Params { null_move_depth: 3, reduction_base: 400, ..Params::default() };
        assert_eq!(Tournament::new(games(), base, tuned).loss(&[3.4, 399.6]), Some(0.0));
    }

    #[test]
    fn a_cancelled_match_has_no_result() {
        let games = games();
        games.cancel.cancel();
        assert_eq!(games.play(Params::default(), Params::default(), 0), Ok(None));
    }
}
