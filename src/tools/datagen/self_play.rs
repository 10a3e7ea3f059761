//! One game of an engine against itself.

use super::record::{EndingKind, GameRecord};
use super::run::RunError;
use super::searcher::{Effort, Searcher};
use super::settings::Settings;
use super::starts::Starts;
use super::{ScoredMove, Unplayed};
use crate::engine::EngineError;
use crate::notation::openings::Opening;
use crate::rules::Verdict;
use crate::search::Outcome;
use crate::tools::matches::arbiter::{Arbiter, Ending};
use crate::util::random::{StableRandom, random_moves};

/// How often random moves are drawn anew before a game is given up.
const MOST_DRAWS: usize = 1_000;

/// Plays games with one engine that forgets between them: a game follows from the settings, the starts and its number.
pub(super) struct Player<'a> {
    searcher: Searcher,
    settings: &'a Settings,
    starts: &'a Starts,
}

impl<'a> Player<'a> {
    /// A player with an engine of its own, with one thread.
    pub fn new(settings: &'a Settings, starts: &'a Starts) -> Result<Player<'a>, RunError> {
        Ok(Player { searcher: Searcher::new(&settings.searching())?, settings, starts })
    }

    /// Plays a game, and adds what it took to `effort`.
    pub fn play(&mut self, number: u64, effort: &mut Effort) -> Result<Result<GameRecord, Unplayed>, EngineError> {
        self.searcher.forget();
        let Some((opening, mut first)) = self.draw_opening(number, effort)? else { return Ok(Err(Unplayed(number))) };
        let mut arbiter = Arbiter::new(opening.position(), self.searcher.rules(), self.settings.adjudication());
        let mut moves = Vec::new();
        let mut ending = arbiter.ending_by_rules();
        while ending.is_none() {
            let outcome = match first.take() {
                Some(outcome) => outcome,
                None => self.searcher.search(arbiter.position().clone(), effort)?,
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
        let mut dice = StableRandom::new(self.settings.seed, number);
        for _ in 0..MOST_DRAWS {
            let mut position = start.position();
            let Some(drawn) = random_moves(&mut position, plies, &mut dice) else { continue };
            if position.in_check() || self.searcher.rules().verdict(&position) != Verdict::Continue {
                continue;
            }
            let outcome = self.searcher.search(position, effort)?;
            if outcome.score.abs() <= self.settings.balance {
                let moves = start.moves.iter().copied().chain(drawn).collect();
                return Ok(Some((Opening { start: start.start, moves }, Some(outcome))));
            }
        }
        Ok(None)
    }
}
