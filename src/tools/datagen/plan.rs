//! Which games are to be played.

use std::collections::HashSet;
use std::num::NonZeroUsize;

use super::run::{Jobs, Maker, RunError, Work};
use super::self_play::Player;
use super::settings::Settings;
use super::starts::Starts;

/// Games to be played, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What they depend on.
    pub settings: Settings,
    /// How they begin.
    pub starts: Starts,
    /// How many there are in all shards together.
    pub games: u64,
    /// How many are played at once.
    pub threads: NonZeroUsize,
}

impl Work for Plan {
    /// The number of the game.
    type Job = u64;

    fn settings(&self) -> String {
        self.settings.to_json()
    }

    fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    fn missing(&self, there: &HashSet<u64>) -> u64 {
        let shard = self.settings.shard;
        let is_own = |number: u64| number < self.games && shard.has(number);
        shard.count(self.games) - there.iter().filter(|&&number| is_own(number)).count() as u64
    }

    fn jobs<'a>(&'a self, there: &'a HashSet<u64>) -> Result<Jobs<'a, u64>, RunError> {
        let starts = self.starts.count();
        if self.settings.random_plies == 0 && self.games > starts as u64 {
            return Err(RunError::Repetitive { starts, games: self.games });
        }
        Ok(Box::new(self.settings.shard.numbers(self.games).filter(|number| !there.contains(number))))
    }

    fn maker(&self) -> Result<Maker<'_, u64>, RunError> {
        let mut player = Player::new(&self.settings, &self.starts)?;
        Ok(Box::new(move |number, effort| player.play(number, effort)))
    }
}
