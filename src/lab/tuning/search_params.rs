//! Search parameters tuned by games of the engine with itself, or by the moves of players.
//!
//! Games have a fixed number of nodes per move, and each opening is played twice with colours reversed; the same games
//! always have the same result.
//! Fitness by agreement with the moves of masters is that of Huang, Lin and Ren (2007). It is exact, unlike the result
//! of a few games, and says how human an engine plays rather than how strong.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::load::PlayedMove;
use super::objective::{Objective, Parameter};
use crate::commands::matches::arbiter::{Adjudication, Agreement, Arbiter};
use crate::engine::{Engine, EngineError};
use crate::notation::game::GameResult;
use crate::notation::openings::Opening;
use crate::rules::Rules;
use crate::search::{self, Limits, Params};
use crate::types::Side;
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
            let [start, min, max] = [value(&base, parameter), parameter.min, parameter.max].map(f64::from);
            let step = (start.abs() * STEP_SHARE).max((max - min) / STEPS_IN_RANGE).max(1.0);
            Parameter { name: parameter.name.to_owned(), start, min, max, step, resolution: 1.0 }
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

fn value(params: &Params, parameter: &search::Parameter) -> i32 {
    params.get(parameter.name).unwrap_or(parameter.default)
}

/// Returns the sum of what `work` makes of all numbers below `count`, on several threads with one engine of
/// `hash_megabytes` for each of `params`. `None` when something was cancelled.
///
/// # Errors
/// Errors of the engines; work that has not begun is left out then.
fn sum_in_parallel<const ENGINES: usize>(
    params: [Params; ENGINES],
    hash_megabytes: usize,
    (count, threads): (usize, usize),
    work: impl Fn(&mut [Engine; ENGINES], usize) -> Result<Option<i64>, EngineError> + Sync,
) -> Result<Option<i64>, EngineError> {
    let has_failed = AtomicBool::new(false);
    let prepare = || -> Result<[Engine; ENGINES], EngineError> {
        let mut engines = Vec::new();
        for params in params {
            let mut engine = Engine::with_hash(hash_megabytes)?;
            engine.set_params(params)?;
            engines.push(engine);
        }
        Ok(engines.try_into().unwrap_or_else(|_| unreachable!("there is one engine for each of the parameters")))
    };
    let work = |engines: &mut Result<[Engine; ENGINES], EngineError>, index| {
        let engines = engines.as_mut().map_err(|error| error.clone())?;
        if has_failed.load(Relaxed) {
            return Ok(None);
        }
        work(engines, index).inspect_err(|_| has_failed.store(true, Relaxed))
    };
    let found = map_ordered(0..count, threads.min(count), prepare, work);
    // An error counts before the work that was left out for it.
    let found: Vec<Option<i64>> = found.into_iter().collect::<Result<_, EngineError>>()?;
    Ok(found.into_iter().sum())
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
    /// Returns the wins minus the losses of `one` against `other` in a match that starts with opening number `first`.
    /// `None` when cancelled.
    pub fn play(&self, one: Params, other: Params, first: usize) -> Result<Option<i64>, EngineError> {
        /// Short searches fill no more.
        const HASH_MEGABYTES: usize = 4;
        sum_in_parallel([one, other], HASH_MEGABYTES, (self.games, self.threads), |engines, game| {
            let opening = &self.openings[(first + game / 2) % self.openings.len()];
            let one_side = if game.is_multiple_of(2) { Side::Red } else { Side::Black };
            let result = self.play_game(engines, opening, one_side)?;
            Ok(result.and_then(|result| result.points(one_side)).map(|points| (2.0 * points - 1.0) as i64))
        })
    }

    /// Plays a game in which the first engine has this side. `None` when cancelled.
    fn play_game(
        &self,
        engines: &mut [Engine; 2],
        opening: &Opening,
        first_side: Side,
    ) -> Result<Option<GameResult>, EngineError> {
        engines.iter_mut().for_each(Engine::new_game);
        let mut arbiter = Arbiter::new(opening.position(), Rules::default(), ADJUDICATION);
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

/// Objective over search parameters by moves. The loss of a vector is the share of the moves that its searches do not
/// choose.
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
        let chosen = sum_in_parallel([params], HASH_MEGABYTES, (moves.len(), self.threads), |[engine], at| {
            if self.cancel.is_cancelled() {
                return Ok(None);
            }
            engine.new_game();
            engine.set_position(moves[at].position.clone());
            let outcome = engine.search(&Limits::nodes(self.nodes), &mut ())?;
            Ok(Some(i64::from(outcome.best() == Some(moves[at].mv))))
        })?;
        Ok(chosen.filter(|_| !moves.is_empty()).map(|chosen| chosen as f64 / moves.len() as f64))
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

    #[test]
    fn matches_are_reproducible_and_a_cancelled_one_has_no_result() {
        let mut games = Tournament {
            space: SearchSpace::new(Params::default(), Vec::new()),
            openings: vec![Opening::default()],
            nodes: 300,
            games: 4,
            threads: 2,
            cancel: CancelFlag::default(),
            next_opening: 0,
            failure: None,
        };
        let usual = Params::default();
        assert_eq!(games.play(usual, usual, 0), Ok(Some(0)));
        let other = Params { reduction_base: 2_500, ..usual };
        let first = games.play(usual, other, 0);
        games.threads = 1;
        let reversed = games.play(other, usual, 0).unwrap().unwrap();
        assert_eq!(first, Ok(Some(-reversed)), "both start from both sides");
        games.cancel.cancel();
        assert_eq!(games.play(usual, usual, 0), Ok(None));
    }
}
