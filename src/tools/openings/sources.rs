//! Where starts come from: games that were played, and chance.

use std::collections::HashMap;

use super::{Criteria, identity};
use crate::notation::game::Game;
use crate::position::Position;
use crate::types::Move;
use crate::util::random::{StableRandom, random_moves};

/// The numbers of the sequences that random lines are drawn from begin here; the ones below are for other choices.
const FIRST_RANDOM_SEQUENCE: u64 = 1 << 32;

/// The positions that games passed through, and how often.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    lines: HashMap<u64, Reached>,
    games: usize,
}

#[derive(Clone, Debug)]
struct Reached {
    games: usize,
    /// How the first of the games came there.
    moves: Vec<Move>,
}

impl Sources {
    /// Notes where a game was within the plies that a start may have. A game that has another start is left out.
    pub fn add(&mut self, game: &Game, criteria: &Criteria) {
        let mut position = Position::start();
        if game.start != position {
            return;
        }
        self.games += 1;
        let line = game.line();
        for (index, &mv) in line.iter().enumerate().take(criteria.most_plies) {
            position.make(mv);
            if index + 1 >= criteria.least_plies {
                let new = || Reached { games: 0, moves: line[..=index].to_vec() };
                self.lines.entry(identity(&position)).or_insert_with(new).games += 1;
            }
        }
    }

    /// How many games were noted.
    pub fn games(&self) -> usize {
        self.games
    }

    /// The lines to positions that at least so many games reached, in an order that only the seed decides.
    pub fn lines(&self, least_games: usize, seed: u64) -> Vec<Vec<Move>> {
        let reached = self.lines.values().filter(|reached| reached.games >= least_games);
        let mut lines: Vec<Vec<Move>> = reached.map(|reached| reached.moves.clone()).collect();
        lines.sort_by(|first, second| first.iter().map(|mv| mv.bits()).cmp(second.iter().map(|mv| mv.bits())));
        StableRandom::new(seed, 0).shuffle(&mut lines);
        lines
    }
}

/// The random line of this seed and number: its length and its moves are drawn evenly. `None` when the game ends on
/// the way.
pub fn random_line(criteria: &Criteria, seed: u64, number: u64) -> Option<Vec<Move>> {
    let mut dice = StableRandom::new(seed, FIRST_RANDOM_SEQUENCE.saturating_add(number));
    let plies = criteria.least_plies + dice.below(criteria.most_plies - criteria.least_plies + 1);
    let mut position = Position::start();
    random_moves(&mut position, plies, &mut dice)
}
