//! Bench: a fixed set of searches whose node count, the same on every machine, identifies the search.

use std::ops::ControlFlow;

use super::{Engine, EngineError};
use crate::position::Position;
use crate::search::{Limits, Reporter};
use crate::util::host::{Duration, Instant};

/// Default depth.
pub const DEFAULT_DEPTH: usize = 11;
/// Depth of [`SIGNATURE`].
pub const SIGNATURE_DEPTH: usize = 8;
/// Nodes of [`bench()`] at [`SIGNATURE_DEPTH`]: a program with another count was built wrongly.
pub const SIGNATURE: u64 = 86_208;
/// Version and [`SIGNATURE`] of this program, as files name the program that wrote them.
pub fn program_id() -> String {
    format!("{} {SIGNATURE}", env!("CARGO_PKG_VERSION"))
}

/// The greatest depth.
pub const MAX_DEPTH: usize = 60;
/// Size of the transposition table in megabytes; the node count depends on it.
const HASH_MEGABYTES: usize = 16;

/// Openings, middle games and endings of many material balances, from master games and random play.
pub const POSITIONS: &[&str] = &[
    crate::position::START_FEN,
    "r2akabnr/9/1cn1b2c1/p1p1p3p/6p2/2P6/P3P1P1P/2NC3C1/9/R1BAKABNR w - - 0 1",
    "r1b1kabnr/1c2a2R1/2n2c3/p1p1p3p/6p2/9/P1P1P1P1P/1CN1C1N2/9/R1BAKAB2 w - - 0 1",
    "r1bakabr1/8c/1cn3n2/p3p1R1p/2p3p2/9/P1P1P1P1P/1CN1C1N2/R8/2BAKAB2 w - - 0 1",
    "1rbakabr1/6c2/c1n3n2/p1p1p1R1p/6p2/2P1P4/P5P1P/2NCC1N2/9/R1BAKAB2 w - - 0 1",
    "2bak2r1/4a4/1c2b1n1c/4p1p1p/1np6/r5PR1/2P1P3P/N3C1N2/2C2R3/2BAKAB2 w - - 0 1",
    "2bak3r/C1c1an3/n3bc1R1/2p1C1p1p/5r3/p1P6/2N1P1P1P/6N2/9/1RBAKAB2 w - - 0 1",
    "4ka3/4a4/n1ccb1n2/p1p1p3p/1r2r1b2/P1P3R1P/4P4/N2CB1N2/4A4/R1BAK1C2 b - - 0 1",
    "2baka3/7r1/4b1n2/pRp1p3p/5n3/2P2CB2/c3P3P/3C2N2/9/3AKAB2 w - - 0 1",
    "1rb1ka3/4a4/4b2r1/C1R3N1p/7n1/2P3p2/P3P1c1P/1cN1B4/9/1R1AKAB2 b - - 0 1",
    "4kabn1/4a4/4b4/6p1p/p1p1c4/2n1N1P2/r1N3R1P/3C5/4A4/2BAK1B2 w - - 0 1",
    "2baka2R/9/5c3/p1pr4p/6cn1/1NP1CnB2/P3P3P/B2C3N1/4A4/3AK4 w - - 0 1",
    "2bak4/4a4/4b1n2/1RC1p3p/2r3p2/4P3P/9/4B4/3pA4/3AK1B2 w - - 0 1",
    "1Rc1kab2/4a4/4b1n2/p3r3p/4R4/9/P1r6/4B1N2/4A4/3CKAB2 w - - 0 1",
    "2baka3/2c6/2n1b4/p3p3p/3r5/8R/P3P4/2N1B4/5N3/2BAKA3 w - - 0 1",
    "4kab2/4a4/4b4/p3R3p/9/2P2p3/P6cP/r2nBA3/4K4/3N1AN2 w - - 0 1",
    "2ba5/c3ak3/9/5C3/4N1b2/2P1p2p1/8c/4B1n2/4AN3/2BAK4 w - - 0 1",
    "2bak4/4a4/4b4/4c4/5Cn2/2N6/5p3/4B4/4A4/4KAB2 b - - 0 1",
    "2bak4/C1N1a1P2/4b1n2/5r2p/3R5/9/8c/4BA2B/9/3K1A3 b - - 0 1",
    "4k4/4a1C2/4b4/9/9/6B2/9/4KA3/9/9 w - - 0 1",
    "5R3/9/4k4/9/7N1/9/9/7p1/3pr4/5K3 w - - 0 1",
    "3a5/4c4/4k4/9/9/9/4p4/8B/4A4/3A1KB2 b - - 0 1",
    "9/3k5/1n1n5/9/4R4/9/9/9/9/3K5 w - - 0 1",
    "9/4k4/3a3c1/9/9/9/9/4BA3/3KAp3/9 b - - 0 1",
];

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
    for fen in POSITIONS {
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
