//! Search parameters tuned by games of the engine with itself, or by the moves of players.
//!
//! Games have a fixed number of nodes per move, and each opening is played twice with colours reversed; the same games
//! always have the same result. Fitness by agreement with the moves of masters is that of Huang, Lin and Ren (2007). It
//! is exact, unlike the result of a few games, and says how human an engine plays rather than how strong.

use super::load::PlayedMove;
use super::objective::{Objective, Parameter};
use crate::commands::matches::arbiter::{Adjudication, Agreement};
use crate::engine::{Engine, EngineError};
use crate::lab::match_play::MatchPlay;
use crate::notation::openings::Opening;
use crate::search::{self, Limits, Params};
use crate::util::cancel::CancelFlag;
use crate::util::parallel::map_ordered;

/// Initial step as a share of the start value of a parameter. Smaller ones are lost in the noise of the games.
const STEP_SHARE: f64 = 0.2;
/// Most initial steps in the range of a parameter, for those that start near 0.
const STEPS_IN_RANGE: f64 = 60.0;
/// Search parameters that are tuned, and those that stay.
#[derive(Clone)]
pub struct SearchSpace {
    pub base: Params,
    pub tuned: Vec<&'static search::Parameter>,
    pub dimensions: Vec<Parameter>,
}

impl SearchSpace {
    pub fn new(base: Params, tuned: Vec<&'static search::Parameter>) -> SearchSpace {
        let dimension = |parameter: &&'static search::Parameter| {
            let start = base.get(parameter.name).unwrap_or(parameter.default);
            let [start, min, max] = [start, parameter.min, parameter.max].map(f64::from);
            let step = (start.abs() * STEP_SHARE).max((max - min) / STEPS_IN_RANGE).max(1.0);
            Parameter { start, min, max, step, resolution: 1.0 }
        };
        let dimensions = tuned.iter().map(dimension).collect();
        SearchSpace { base, tuned, dimensions }
    }

    /// Returns the search parameters of a vector, each rounded and within its range.
    pub fn params(&self, vector: &[f64]) -> Params {
        let mut params = self.base;
        for (parameter, value) in self.tuned.iter().zip(vector) {
            // A listed name with a value in range is always accepted.
            let _ = params.set(parameter.name, (value.round() as i32).clamp(parameter.min, parameter.max));
        }
        params
    }
}

/// Returns an engine with these parameters.
fn engine(params: Params, hash_megabytes: usize) -> Result<Engine, EngineError> {
    let mut engine = Engine::with_hash(hash_megabytes)?;
    engine.set_params(params)?;
    Ok(engine)
}

/// Adjudication before the rules end a game.
const ADJUDICATION: Adjudication = Adjudication {
    win: Some(Agreement { score: 800, plies: 4, from_ply: 0 }),
    draw: Some(Agreement { score: 10, plies: 12, from_ply: 100 }),
    max_plies: Some(240),
};

/// Objective over search parameters by games, in which a win counts 1 and a loss −1.
///
/// The loss of a vector is its negated mean result in a match against the start values, always with the same openings.
/// A difference is a match between two vectors, each time with the next openings.
pub struct Tournament {
    pub space: SearchSpace,
    /// Openings; at least one.
    pub openings: Vec<Opening>,
    pub nodes: u64,
    /// Games per match, two from each opening.
    pub games: usize,
    pub threads: usize,
    pub cancel: CancelFlag,
    /// First opening of the next difference.
    pub next_opening: usize,
    /// Engine error that ended the tuning.
    pub failure: Option<EngineError>,
}

impl Tournament {
    /// Returns the wins minus the losses of `one` against `other`, from opening number `first` on. `None` when
    /// cancelled.
    pub fn play(&self, one: Params, other: Params, first: usize) -> Result<Option<i64>, EngineError> {
        /// Short searches fill no more.
        const HASH_MEGABYTES: usize = 4;
        let conditions = MatchPlay {
            openings: &self.openings,
            nodes: self.nodes,
            adjudication: ADJUDICATION,
            threads: self.threads,
            cancel: &self.cancel,
        };
        let engines = || Ok([engine(one, HASH_MEGABYTES)?, engine(other, HASH_MEGABYTES)?]);
        let points = conditions.play(2 * first..2 * first + self.games, engines)?;
        Ok(points.map(|points| points.iter().map(|points| (2.0 * points - 1.0) as i64).sum()))
    }

    /// Negated mean result of one against the other, −1 to 1.
    fn lost(&mut self, one: Params, other: Params, first: usize) -> Option<f64> {
        let sum = self.play(one, other, first).unwrap_or_else(|error| {
            self.failure = Some(error);
            None
        });
        Some(-sum? as f64 / self.games.max(1) as f64)
    }
}

impl Objective for Tournament {
    fn parameters(&self) -> &[Parameter] {
        &self.space.dimensions
    }

    fn loss(&mut self, vector: &[f64]) -> Option<f64> {
        let params = self.space.params(vector);
        // A match against itself is even, since each opening is played from both sides.
        if params == self.space.base { Some(0.0) } else { self.lost(params, self.space.base, 0) }
    }

    fn difference(&mut self, one: &[f64], other: &[f64]) -> Option<f64> {
        let first = self.next_opening;
        self.next_opening += self.games.div_ceil(2);
        self.lost(self.space.params(one), self.space.params(other), first)
    }

    fn is_exact(&self) -> bool {
        false
    }
}

/// Objective over search parameters by moves. The loss of a vector is the share of moves that its searches miss.
pub struct MoveAgreement {
    pub space: SearchSpace,
    /// Moves that decide the loss.
    pub training: Vec<PlayedMove>,
    /// Moves of other games, for validation.
    pub validation: Vec<PlayedMove>,
    pub nodes: u64,
    pub threads: usize,
    /// Ends the comparison after the searches that run.
    pub cancel: CancelFlag,
    /// Losses on the training and on the validation set, which are exact, of all parameters tried.
    pub known: [Vec<(Params, f64)>; 2],
    /// Engine error that ended the tuning.
    pub failure: Option<EngineError>,
}

impl MoveAgreement {
    /// Returns the share of the moves that a search with these parameters chooses too, 0 to 1. Every search begins with
    /// empty tables, so the share does not depend on the number of threads. `None` when cancelled, or if there are no
    /// moves.
    pub fn share(&self, params: Params, moves: &[PlayedMove]) -> Result<Option<f64>, EngineError> {
        /// Short searches fill no more.
        const HASH_MEGABYTES: usize = 1;
        let work = |engine: &mut Result<Engine, EngineError>, played: &PlayedMove| {
            let engine = engine.as_mut().map_err(|error| error.clone())?;
            if self.cancel.is_cancelled() {
                return Ok(None);
            }
            engine.new_game();
            engine.set_position(played.position.clone());
            let outcome = engine.search(&Limits::nodes(self.nodes), &mut ())?;
            Ok(Some(f64::from(outcome.best() == Some(played.mv))))
        };
        let threads = self.threads.min(moves.len());
        let found = map_ordered(moves.iter(), threads, || engine(params, HASH_MEGABYTES), work);
        let found = found.into_iter().collect::<Result<Vec<Option<f64>>, EngineError>>()?;
        let found: Option<f64> = found.into_iter().sum();
        Ok(found.filter(|_| !moves.is_empty()).map(|found| found / moves.len() as f64))
    }

    fn missed(&mut self, vector: &[f64], is_validation: bool) -> Option<f64> {
        let params = self.space.params(vector);
        let known = &self.known[usize::from(is_validation)];
        if let Some((_, loss)) = known.iter().find(|(tried, _)| *tried == params) {
            return Some(*loss);
        }
        let share = self.share(params, if is_validation { &self.validation } else { &self.training });
        let loss = 1.0
            - share.unwrap_or_else(|error| {
                self.failure = Some(error);
                None
            })?;
        self.known[usize::from(is_validation)].push((params, loss));
        Some(loss)
    }
}

impl Objective for MoveAgreement {
    fn parameters(&self) -> &[Parameter] {
        &self.space.dimensions
    }

    fn loss(&mut self, vector: &[f64]) -> Option<f64> {
        self.missed(vector, false)
    }

    fn validation(&mut self, vector: &[f64]) -> Option<f64> {
        self.missed(vector, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_rounded_into_their_ranges() {
        let base = Params { null_move_depth: 3, reduction_base: 400, ..Params::default() };
        let tuned = ["null_move_depth", "reduction_base"].map(|name| Params::parameter(name).unwrap());
        let space = SearchSpace::new(base, tuned.to_vec());
        let starts: Vec<f64> = space.dimensions.iter().map(|parameter| parameter.start).collect();
        assert_eq!(starts, [3.0, 400.0]);
        assert_eq!(space.params(&[4.4, 1e9]), Params { null_move_depth: 4, reduction_base: 3072, ..Params::default() });
        assert_eq!(space.params(&[3.4, 399.6]), base);
    }
}
