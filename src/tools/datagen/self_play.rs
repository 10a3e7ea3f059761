//! One game of an engine against itself.

use std::sync::Arc;
use std::time::Duration;

use super::ScoredMove;
use super::record::{EndingKind, GameRecord};
use super::settings::Settings;
use super::starts::Starts;
use crate::engine::{Engine, EngineError};
use crate::notation::openings::Opening;
use crate::position::Position;
use crate::rules::Verdict;
use crate::search::{Limits, Outcome, STACK_SIZE};
use crate::tools::arbiter::{Arbiter, Ending};
use crate::tools::dice::{Dice, random_moves};

/// How often random moves are drawn anew before a game is given up.
const MOST_DRAWS: usize = 1_000;

/// The stack that a thread needs to play, in bytes.
pub const PLAYER_STACK: usize = STACK_SIZE + (1 << 20);

/// What searches took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Their nodes.
    pub nodes: u64,
    /// The time that they tell of.
    pub elapsed: Duration,
}

impl Effort {
    fn add(&mut self, outcome: &Outcome) {
        self.nodes += outcome.nodes;
        self.elapsed += outcome.elapsed;
    }
}

/// A game that was not played: no random moves from its start lead to an even game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unplayed;

/// Plays games with one engine that forgets between them: a game follows from the settings, the starts and its number.
pub struct Player {
    engine: Engine,
    settings: Arc<Settings>,
    starts: Arc<Starts>,
    limits: Limits,
}

impl Player {
    /// A player with an engine of its own, with one thread.
    ///
    /// # Errors
    /// When there is no memory for its table.
    pub fn new(settings: &Arc<Settings>, starts: &Arc<Starts>) -> Result<Player, EngineError> {
        let mut engine = Engine::with_hash(settings.hash)?;
        engine.set_option("rules", settings.rule_set().name())?;
        let limits = Limits { soft_nodes: Some(settings.nodes), nodes: Some(settings.hard_nodes), ..Limits::default() };
        Ok(Player { engine, settings: Arc::clone(settings), starts: Arc::clone(starts), limits })
    }

    /// Plays a game, and adds what it took to `effort`. It searches on the calling thread, which must have a stack of
    /// [`PLAYER_STACK`].
    ///
    /// # Errors
    /// Those of the engine.
    pub fn play(&mut self, number: u64, effort: &mut Effort) -> Result<Result<GameRecord, Unplayed>, EngineError> {
        self.engine.new_game();
        let Some((opening, mut first)) = self.draw_opening(number, effort)? else { return Ok(Err(Unplayed)) };
        let rules = self.engine.options().rules();
        let mut arbiter = Arbiter::new(opening.position(), rules, self.settings.adjudication());
        let mut moves = Vec::new();
        let mut ending = arbiter.ending_by_rules();
        while ending.is_none() {
            let outcome = match first.take() {
                Some(outcome) => outcome,
                None => self.search(arbiter.position().clone(), effort)?,
            };
            let Some(mv) = outcome.best() else { break };
            moves.push(ScoredMove { mv, score: outcome.score });
            ending = arbiter.play(mv, Some(outcome.score));
        }
        let (result, ending) =
            ending.map_or_else(Default::default, |ending: Ending| (ending.result(), EndingKind::of(&ending)));
        Ok(Ok(GameRecord { number, opening, moves, result, ending }))
    }

    /// The start of the game with its random moves: the first ones drawn that leave an even game, in which nobody is
    /// in check. The search that found it even is that for the first move. A start without random moves is taken as it
    /// is.
    fn draw_opening(
        &mut self,
        number: u64,
        effort: &mut Effort,
    ) -> Result<Option<(Opening, Option<Outcome>)>, EngineError> {
        let start = self.starts.of_game(number).clone();
        let plies = self.settings.random_plies;
        if plies == 0 {
            return Ok(Some((start, None)));
        }
        let mut dice = Dice::new(self.settings.seed, number);
        for _ in 0..MOST_DRAWS {
            let mut position = start.position();
            let Some(drawn) = random_moves(&mut position, plies, &mut dice) else { continue };
            if position.in_check() || self.engine.options().rules().verdict(&position) != Verdict::Continue {
                continue;
            }
            let outcome = self.search(position, effort)?;
            if outcome.score.abs() <= self.settings.balance {
                let moves = start.moves.iter().copied().chain(drawn).collect();
                return Ok(Some((Opening { start: start.start, moves }, Some(outcome))));
            }
        }
        Ok(None)
    }

    fn search(&mut self, position: Position, effort: &mut Effort) -> Result<Outcome, EngineError> {
        self.engine.set_position(position);
        let outcome = self.engine.search_here(&self.limits, &mut ())?;
        effort.add(&outcome);
        Ok(outcome)
    }
}
