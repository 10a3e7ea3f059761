//! Helper: random positions labelled with their material balance.

use chuhe::lab::openings::random_moves;
use chuhe::lab::training::Sample;
use chuhe::position::Position;
use chuhe::types::{Side, Value};
use chuhe::util::random::StableRandom;

/// Material balance for the mover.
pub fn material(position: &Position) -> Value {
    const WORTH: [Value; 7] = [0, 20, 20, 90, 200, 100, 30];
    let worth = |side| -> Value {
        let own = position.pieces().filter(|(piece, _)| piece.side() == side);
        own.map(|(piece, _)| WORTH[piece.kind().index()]).sum()
    };
    worth(position.side()) - worth(!position.side())
}

/// `count` positions of random games, each from a different one.
pub fn positions(count: u64, seed: u64) -> Vec<Position> {
    let game = |number| {
        let (mut position, mut random) = (Position::start(), StableRandom::new(seed, number));
        let plies = 20 + random.below(120);
        random_moves(&mut position, plies, &mut random).map(|_| position.with_recent_history(0))
    };
    (0..).filter_map(game).take(count as usize).collect()
}

/// Samples of such positions, with their material as the score and the result that goes with it.
pub fn samples(count: u64, seed: u64) -> Vec<Sample> {
    let sample = |position: &Position| {
        let score = material(position);
        let points = f64::from(score.signum() + 1) / 2.0;
        let for_red = if position.side() == Side::Red { points } else { 1.0 - points };
        Sample::new(position, score, for_red).expect("there are at most 32 men")
    };
    positions(count, seed).iter().map(sample).collect()
}
