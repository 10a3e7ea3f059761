//! Parameters of the search as vectors, and games between them as what tells which is better.
//!
//! Games of a fixed number of nodes a move, from openings that are each played twice with colours reversed. A win
//! counts 1, a loss −1, a draw nothing. Whoever plays the same games again gets the same result.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::objective::{Axis, Objective};
use crate::engine::{Engine, EngineError};
use crate::notation::game::GameResult;
use crate::notation::openings::Opening;
use crate::rules::Rules;
use crate::search::{Limits, Parameter, Params};
use crate::tools::matches::arbiter::{Adjudication, Agreement, Arbiter};
use crate::types::Side;
use crate::util::cancel::CancelFlag;
use crate::util::parallel::map_ordered;

/// Megabytes of the table of each engine: short searches fill no more.
const HASH_MEGABYTES: usize = 4;
/// A first step of a parameter is this part of its range.
const STEPS_IN_RANGE: f64 = 20.0;

/// How games are played.
#[derive(Clone, Debug)]
pub struct Games {
    /// How games begin; the start of the game when there is none.
    pub openings: Vec<Opening>,
    /// Nodes of each search.
    pub nodes: u64,
    /// Games in a match, two from each opening.
    pub games: usize,
    /// Games played at the same time.
    pub threads: usize,
    /// Which games end before the rules end them.
    pub adjudication: Adjudication,
    /// Ends all games.
    pub interrupt: CancelFlag,
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
            interrupt: CancelFlag::default(),
        }
    }
}

impl Games {
    /// Wins less losses of `one` against `other`, in a match whose first opening is the one of this number. `None` when
    /// it was interrupted.
    ///
    /// # Errors
    /// Those of the engines.
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
        map_ordered(0..self.games, self.threads.min(self.games), engines, play).into_iter().sum()
    }

    /// A game in which the first engine plays this side. `None` when it was interrupted.
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
            if self.interrupt.is_cancelled() {
                return Ok(None);
            }
            let engine = &mut engines[usize::from(arbiter.position().side() != first_side)];
            engine.set_position(arbiter.position().clone());
            let outcome = engine.search(&limits, &mut ())?;
            // The rules would have ended a game in which there is no move.
            let Some(mv) = outcome.best() else { return Ok(Some(GameResult::Draw)) };
            ending = arbiter.play(mv, Some(outcome.score));
        }
        Ok(ending.map(|ending| ending.result()))
    }
}

/// Parameters of the search to be tuned by games.
///
/// The loss of a vector is its mean result, the sign turned, in a match against the start, always from the same
/// openings. A difference is a match between the two, each time from other openings.
pub struct Tournament {
    games: Games,
    base: Params,
    parameters: Vec<&'static Parameter>,
    axes: Vec<Axis>,
    /// The number of the opening that the next difference begins with.
    next_opening: usize,
    failure: Option<EngineError>,
}

impl Tournament {
    /// Tunes these parameters, from `base` on; the others stay as they are there.
    pub fn new(games: Games, base: Params, parameters: Vec<&'static Parameter>) -> Tournament {
        let axis = |parameter: &&'static Parameter| Axis {
            name: parameter.name.to_owned(),
            start: base.get(parameter.name).unwrap_or(parameter.default).into(),
            least: parameter.min.into(),
            most: parameter.max.into(),
            step: (f64::from(parameter.max - parameter.min) / STEPS_IN_RANGE).max(1.0),
            grain: 1.0,
        };
        let axes = parameters.iter().map(axis).collect();
        Tournament { games, base, parameters, axes, next_opening: 0, failure: None }
    }

    /// The parameters that a vector stands for, each rounded.
    pub fn params(&self, vector: &[f64]) -> Params {
        let mut params = self.base;
        for (parameter, value) in self.parameters.iter().zip(vector) {
            let value = (value.round() as i32).clamp(parameter.min, parameter.max);
            // A name from the list and a value in its range are never refused.
            let _ = params.set(parameter.name, value);
        }
        params
    }

    /// Why there was no loss, if an engine failed.
    pub fn failure(&self) -> Option<&EngineError> {
        self.failure.as_ref()
    }

    /// The mean result of one vector against another, −1 to 1.
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
    fn axes(&self) -> &[Axis] {
        &self.axes
    }

    fn loss(&mut self, vector: &[f64]) -> Option<f64> {
        // Against itself everything ends even, since each opening is played from both sides.
        if self.params(vector) == self.base {
            return Some(0.0);
        }
        self.result(vector, self.base, 0).map(|result| -result)
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
    fn equal_engines_end_even_and_games_come_again() {
        let usual = Params::default();
        assert_eq!(games().play(usual, usual, 0), Ok(Some(0)));
        let other = Params { reduction_base: 2_500, ..usual };
        let first = games().play(usual, other, 0);
        assert_eq!(games().play(usual, other, 0), first);
        let reversed = Games { threads: 1, ..games() }.play(other, usual, 0).unwrap().unwrap();
        assert_eq!(first, Ok(Some(-reversed)), "both start from both sides");
    }

    #[test]
    fn vectors_are_rounded_into_their_ranges() {
        let names = ["null_move_depth", "reduction_base"];
        let parameters = names.map(|name| Params::parameter(name).unwrap()).to_vec();
        let mut tournament = Tournament::new(games(), Params::default(), parameters);
        let starts: Vec<f64> = tournament.axes().iter().map(|axis| axis.start).collect();
        assert_eq!(starts, [3.0, 400.0]);
        assert_eq!(
            tournament.params(&[4.4, 1e9]),
            Params { null_move_depth: 4, reduction_base: 3072, ..Params::default() }
        );
        assert_eq!(tournament.loss(&[3.4, 399.6]), Some(0.0));
    }

    #[test]
    fn an_interrupt_leaves_no_result() {
        let games = games();
        games.interrupt.cancel();
        assert_eq!(games.play(Params::default(), Params::default(), 0), Ok(None));
    }
}
