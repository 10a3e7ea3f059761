//! Games between two engines of this program with a fixed number of nodes for each move. Each opening is played twice
//! with colours reversed. The same games have the same results, whatever the number of threads.

use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::commands::matches::arbiter::{Adjudication, Arbiter};
use crate::commands::matches::{built_in_openings, shuffled};
use crate::engine::{Engine, EngineError};
use crate::eval::WinModel;
use crate::notation::openings::Opening;
use crate::rules::Rules;
use crate::search::Limits;
use crate::types::Side;
use crate::util::cancel::CancelFlag;
use crate::util::parallel::map_ordered;

/// Conditions of games.
pub struct MatchPlay<'a> {
    /// Openings; at least one. They are used in turn.
    pub openings: &'a [Opening],
    pub nodes: u64,
    pub adjudication: Adjudication,
    pub threads: usize,
    /// Ends the games in progress without a result.
    pub cancel: &'a CancelFlag,
}

/// Returns the built-in openings in an order that the seed decides.
pub fn drawn_openings(seed: u64) -> Vec<Opening> {
    let all = built_in_openings();
    shuffled(all.len(), seed).into_iter().map(|index| all[index].clone()).collect()
}

impl MatchPlay<'_> {
    /// Plays the games of these numbers, of which two follow each opening; the first engine is Red in those of even
    /// number. Each thread has engines of its own from `engines`. Returns the points of the first engine in each game;
    /// `None` when cancelled.
    ///
    /// # Errors
    /// Errors of the engines.
    pub fn play(
        &self,
        games: Range<usize>,
        engines: impl Fn() -> Result<[Engine; 2], EngineError> + Sync,
    ) -> Result<Option<Vec<f64>>, EngineError> {
        // After an error no further game begins.
        let has_failed = AtomicBool::new(false);
        let work = |engines: &mut Result<[Engine; 2], EngineError>, game: usize| {
            if has_failed.load(Relaxed) {
                return Ok(None);
            }
            let side = if game.is_multiple_of(2) { Side::Red } else { Side::Black };
            let opening = &self.openings[game / 2 % self.openings.len()];
            let points = match engines {
                Ok(engines) => self.play_game(engines, opening, side),
                Err(error) => Err(error.clone()),
            };
            has_failed.fetch_or(points.is_err(), Relaxed);
            points
        };
        let threads = self.threads.min(games.len());
        let points = map_ordered(games, threads, engines, work).into_iter().collect::<Result<Vec<_>, EngineError>>()?;
        Ok(points.into_iter().collect())
    }

    fn play_game(
        &self,
        engines: &mut [Engine; 2],
        opening: &Opening,
        first_side: Side,
    ) -> Result<Option<f64>, EngineError> {
        engines.iter_mut().for_each(Engine::new_game);
        let mut arbiter = Arbiter::new(opening.position(), Rules::default(), self.adjudication);
        let limits = Limits::nodes(self.nodes);
        let mut ending = arbiter.ending_by_rules();
        loop {
            if let Some(ending) = ending {
                return Ok(ending.result().points(first_side));
            }
            if self.cancel.is_cancelled() {
                return Ok(None);
            }
            let engine = &mut engines[usize::from(arbiter.position().side() != first_side)];
            engine.set_position(arbiter.position().clone());
            let outcome = engine.search(&limits, &mut ())?;
            // Without a legal move the rules would have ended the game.
            let Some(mv) = outcome.best() else { return Ok(Some(0.5)) };
            // The scores that `chuhe match` would see.
            let score = WinModel::of(arbiter.position()).reported(outcome.score).get();
            ending = arbiter.play(mv, Some(score));
        }
    }
}
