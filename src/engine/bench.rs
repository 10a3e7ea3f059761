//! Bench: a fixed set of searches whose node count, the same on every machine, identifies the search.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use super::{Engine, EngineError};
use crate::position::Position;
use crate::search::{Limits, Reporter};
use crate::util::host::{Duration, Instant};

/// Default depth.
pub const DEFAULT_DEPTH: usize = 11;
/// Depth of [`SIGNATURE`].
pub const SIGNATURE_DEPTH: usize = 8;
/// Nodes of [`bench()`] at [`SIGNATURE_DEPTH`]: a program with another count was built wrongly.
pub const SIGNATURE: u64 = 71_988;
/// Version and [`SIGNATURE`] of this program, as files name the program that wrote them.
pub fn program_id() -> String {
    format!("{} {SIGNATURE}", env!("CARGO_PKG_VERSION"))
}

/// The greatest depth.
pub const MAX_DEPTH: usize = 60;
/// Size of the transposition table in megabytes; the node count depends on it.
const HASH_MEGABYTES: usize = 16;

/// Openings, middle games and endings of many material balances, from master games and random play.
pub static POSITIONS: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("../../assets/self_test/bench.txt").lines().collect());

/// Cost of one search, or of all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// Moves made, in the main search and in quiescence.
    pub nodes: u64,
    /// Duration.
    pub elapsed: Duration,
}

impl Count {
    /// Nodes per second, 0 if no time was measured.
    pub fn nodes_per_second(&self) -> u64 {
        match self.elapsed.as_micros() {
            0 => 0,
            micros => (u128::from(self.nodes) * 1_000_000 / micros) as u64,
        }
    }
}

/// An engine for the bench, if there is memory for its table. Its [`Engine::stop_handle`] stops a running bench.
pub fn engine() -> Result<Engine, EngineError> {
    Engine::with_hash(HASH_MEGABYTES)
}

/// Searches every position to `depth`, each from an empty table; `each` returns whether to continue.
pub fn bench(
    engine: &mut Engine,
    depth: usize,
    reporter: &mut dyn Reporter,
    mut each: impl FnMut(&Position, Count) -> ControlFlow<()>,
) -> Result<Count, EngineError> {
    let mut total = Count::default();
    for fen in POSITIONS.iter() {
        let Ok(position) = Position::from_fen(fen) else { unreachable!("bench positions are valid") };
        engine.new_game();
        engine.set_position(position);
        let start = Instant::now();
        let outcome = engine.search(&Limits::depth(depth), reporter)?;
        let count = Count { nodes: outcome.nodes, elapsed: start.elapsed() };
        total.nodes += count.nodes;
        total.elapsed += count.elapsed;
        if each(engine.position(), count).is_break() {
            break;
        }
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_this_search() {
        let total = bench(&mut engine().unwrap(), SIGNATURE_DEPTH, &mut (), |_, _| ControlFlow::Continue(())).unwrap();
        assert_eq!(total.nodes, SIGNATURE, "after an intended change, set SIGNATURE to the first of these numbers");
    }
}
