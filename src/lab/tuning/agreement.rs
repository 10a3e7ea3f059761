//! Search parameters tuned by the moves of players: the share of them that searches choose too.
//!
//! Fitness by agreement with the moves of masters is that of Huang, Lin and Ren (2007). It is exact, unlike the result
//! of a few games, and says how human an engine plays rather than how strong: `docs/tuning.md` compares both.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::objective::{Objective, Parameter};
use super::quiet::Selection;
use super::search_space::{SearchSpace, Tuned};
use crate::engine::{Engine, EngineError};
use crate::lab::training::game_key;
use crate::notation::game::Game;
use crate::position::Position;
use crate::search::{Limits, Params};
use crate::types::Move;
use crate::util::cancel::CancelFlag;
use crate::util::parallel::map_ordered;

/// Hash size of each engine in megabytes; short searches fill no more.
const HASH_MEGABYTES: usize = 1;

/// Position of a game in which its player had a choice, and the move played.
#[derive(Clone, Debug)]
pub struct PlayedMove {
    /// The position before the move, with the moves since the last capture.
    pub position: Position,
    /// The move.
    pub mv: Move,
}

/// Returns moves of a game, spread over it. `selection.margin` does not apply.
pub fn played_moves(game: &Game, selection: &Selection) -> Vec<PlayedMove> {
    let mut position = game.start.clone();
    let plies_before = 2 * position.move_number().saturating_sub(1) + position.side().index();
    let mut candidates = Vec::new();
    for (ply, played) in game.main_line().iter().enumerate() {
        if plies_before + ply >= selection.from_ply && position.legal_moves().len() > 1 {
            let position = position.with_recent_history(position.reversible_plies());
            candidates.push(PlayedMove { position, mv: played.mv });
        }
        position.make(played.mv);
    }
    if selection.per_game == 0 || candidates.len() <= selection.per_game {
        return candidates;
    }
    let key = game_key(&game.start, game.line().into_iter());
    let mut random = ChaCha8Rng::seed_from_u64(selection.seed ^ key);
    let bound = |part: usize| part * candidates.len() / selection.per_game;
    (0..selection.per_game).map(|part| candidates[random.random_range(bound(part)..bound(part + 1))].clone()).collect()
}

/// Searches that are compared with moves of players.
#[derive(Clone, Debug)]
pub struct Choices {
    /// Moves that decide the loss.
    pub training: Vec<PlayedMove>,
    /// Moves of other games, for validation.
    pub validation: Vec<PlayedMove>,
    /// Nodes per search.
    pub nodes: u64,
    /// Searches in parallel.
    pub threads: usize,
    /// Ends the comparison after the searches that run.
    pub cancel: CancelFlag,
}

impl Choices {
    /// Returns the share of the moves that a search with these parameters chooses too, 0 to 1. Every search begins with
    /// empty tables, so the share does not depend on the number of threads. `None` when cancelled, or if there are no
    /// moves.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn share(&self, params: Params, moves: &[PlayedMove]) -> Result<Option<f64>, EngineError> {
        if moves.is_empty() {
            return Ok(None);
        }
        let has_failed = AtomicBool::new(false);
        let engine = || {
            let mut engine = Engine::with_hash(HASH_MEGABYTES)?;
            engine.set_params(params)?;
            Ok::<Engine, EngineError>(engine)
        };
        let limits = Limits::nodes(self.nodes);
        let is_chosen = |engine: &mut Result<Engine, EngineError>, played: &PlayedMove| {
            let engine = engine.as_mut().map_err(|error| error.clone())?;
            if has_failed.load(Relaxed) || self.cancel.is_cancelled() {
                return Ok(None);
            }
            engine.new_game();
            engine.set_position(played.position.clone());
            let outcome = engine.search(&limits, &mut ()).inspect_err(|_| has_failed.store(true, Relaxed))?;
            Ok(Some(usize::from(outcome.best() == Some(played.mv))))
        };
        let found = map_ordered(moves.iter(), self.threads.min(moves.len()), engine, is_chosen);
        // An error counts before the searches that were left out for it.
        let found: Vec<Option<usize>> = found.into_iter().collect::<Result<_, EngineError>>()?;
        let chosen: Option<usize> = found.into_iter().sum();
        Ok(chosen.map(|chosen| chosen as f64 / moves.len() as f64))
    }
}

/// Objective over search parameters. The loss of a vector is the share of the moves that its searches do not choose.
pub struct MoveAgreement {
    choices: Choices,
    space: SearchSpace,
    /// Losses on the training and on the validation set, which are exact, of all parameters tried.
    known: [Vec<(Params, f64)>; 2],
    failure: Option<EngineError>,
}

impl MoveAgreement {
    /// Creates the objective over these parameters or groups of parameters; all others stay as in `base`.
    pub fn new(choices: Choices, base: Params, tuned: impl IntoIterator<Item: Into<Tuned>>) -> MoveAgreement {
        MoveAgreement { choices, space: SearchSpace::new(base, tuned), known: Default::default(), failure: None }
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

    fn missed(&mut self, vector: &[f64], is_validation: bool) -> Option<f64> {
        let params = self.space.params(vector);
        let known = &mut self.known[usize::from(is_validation)];
        if let Some((_, loss)) = known.iter().find(|(tried, _)| *tried == params) {
            return Some(*loss);
        }
        let moves = if is_validation { &self.choices.validation } else { &self.choices.training };
        match self.choices.share(params, moves) {
            Ok(share) => {
                let loss = 1.0 - share?;
                known.push((params, loss));
                Some(loss)
            }
            Err(error) => {
                self.failure = Some(error);
                None
            }
        }
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
