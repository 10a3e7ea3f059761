//! What bounds a search.

use std::time::Duration;

use crate::types::score::MAX_PLY;
use crate::types::{Move, Value};

/// The deepest iteration; quiescence goes beyond it.
pub const MAX_DEPTH: usize = MAX_PLY / 2;

/// A running game clock, seen from the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// What is left on it.
    pub remaining: Duration,
    /// What is added after each move.
    pub increment: Duration,
    /// Moves until the clock is refilled; `None` when it must do for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// What ends a search; whatever is reached first does.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// The last iteration, 1 to [`MAX_DEPTH`].
    pub depth: Option<usize>,
    /// The most nodes. A first iteration is finished all the same.
    pub nodes: Option<u64>,
    /// No iteration is begun once so many nodes were searched: a move is decided by whole iterations then.
    pub soft_nodes: Option<u64>,
    /// The time for this move.
    pub move_time: Option<Duration>,
    /// The game clock to share out.
    pub clock: Option<Clock>,
    /// Search until told to stop.
    pub infinite: bool,
    /// A search without end waits for its stop even when a mate is proved.
    pub wait_for_stop: bool,
    /// Search on the opponent's time until told that the predicted move was played.
    pub ponder: bool,
    /// Ends the search when a mate in at most this many moves is proved for either side.
    pub mate: Option<usize>,
    /// Root moves that may not be played.
    pub banned_moves: Vec<Move>,
    /// Root moves to choose from; all when there are none.
    pub search_moves: Vec<Move>,
    /// What is known beforehand of the values of root moves; what is told of them is kept within.
    pub known_values: Vec<KnownValue>,
    /// How many best lines are wanted; 0 counts as 1.
    pub multi_pv: usize,
    /// The opponent's time is used too, so that this move may take a little more.
    pub ponder_enabled: bool,
    /// Set aside on every move for the way to the front end and back.
    pub move_overhead: Duration,
}

/// Bounds of the value of a root move, for the side that makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownValue {
    /// The move.
    pub mv: Move,
    /// It is not less.
    pub min: Value,
    /// It is not more.
    pub max: Value,
}

impl Limits {
    /// A search to a fixed depth.
    pub fn depth(depth: usize) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// A search of a fixed number of nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// The value of a root move as it is told, with what is known of it beforehand.
    pub(super) fn told(&self, mv: Move, value: Value) -> Value {
        let known = self.known_values.iter().find(|known| known.mv == mv);
        known.map_or(value, |known| value.clamp(known.min, known.max))
    }

    /// Whether time plays a part.
    pub fn is_timed(&self) -> bool {
        self.move_time.is_some() || self.clock.is_some()
    }
}
