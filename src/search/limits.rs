//! Limits of a search.

use std::time::{Duration, Instant};

use crate::types::score::{DRAW, MAX_PLY, clamp_evaluation};
use crate::types::{Move, Value};

/// The deepest iteration; quiescence goes beyond it.
pub const MAX_DEPTH: usize = MAX_PLY / 2;

/// Game clock of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Remaining time.
    pub remaining: Duration,
    /// Increment after each move.
    pub increment: Duration,
    /// Moves until the next time control; `None` for the rest of the game, 0 if the time is for this move alone.
    pub moves_to_go: Option<u32>,
}

/// Limits of a search. It ends at the first one reached.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// The last iteration, 1 to [`MAX_DEPTH`].
    pub depth: Option<usize>,
    /// The most nodes. The first iteration is finished even so.
    pub nodes: Option<u64>,
    /// No iteration starts after this many nodes. The last iteration is always finished.
    pub soft_nodes: Option<u64>,
    /// The time for this move.
    pub move_time: Option<Duration>,
    /// The game clock to allocate time from.
    pub clock: Option<Clock>,
    /// The move is played in a game where time that is left is a gain: a search by time ends early when there is only
    /// one move, or a mate is proved. The engine ignores it for analysis, of several lines too.
    pub saves_time: bool,
    /// Start of the search and of its clock, where that is earlier than the call of the engine.
    pub start: Option<Instant>,
    /// Search until stopped.
    pub infinite: bool,
    /// An infinite search waits for its stop even after a proved mate.
    pub wait_for_stop: bool,
    /// Search on the opponent's time until the predicted move is played (ponder hit).
    pub ponder: bool,
    /// Ends the search when a mate in at most this many moves is proved for either side.
    pub mate: Option<usize>,
    /// The engine asks its mate solver for a mate of that length before it searches.
    pub prove_mate: bool,
    /// Root moves that may not be played.
    pub banned_moves: Vec<Move>,
    /// Root moves that may be played; all if empty.
    pub search_moves: Vec<Move>,
    /// Known bounds on the values of root moves. What the search finds for them is clamped to these bounds, so that
    /// they decide the order of several lines too.
    pub known_values: Vec<KnownValue>,
    /// Number of principal variations (MultiPV); 0 counts as 1.
    pub multi_pv: usize,
    /// The engine may ponder in this game, so that this move may take a little longer.
    pub ponder_enabled: bool,
    /// Time kept back on every move for communication.
    pub move_overhead: Duration,
    /// How much less than 0 a draw is worth to the side to move at the root, in centipawns, for moves that are played.
    /// In analysis, which is a search without end, for a mate, or of several lines, the engine makes it 0.
    pub contempt: Value,
}

/// Known bounds on the value of a root move, for the side that makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownValue {
    /// The move.
    pub mv: Move,
    /// The least value.
    pub min: Value,
    /// The greatest value.
    pub max: Value,
}

impl Limits {
    /// Returns `true` if the search is for knowledge of the position, not for a move in a game: it has no end, or looks
    /// for a mate. Whether a search of several lines is analysis too, the caller decides.
    pub fn is_analysis(&self) -> bool {
        self.infinite || self.mate.is_some()
    }

    /// Returns `true` if depth, nodes or time end the search at the latest.
    pub fn is_bounded(&self) -> bool {
        self.depth.is_some() || self.nodes.is_some() || self.soft_nodes.is_some() || self.is_timed()
    }

    /// A search to a fixed depth.
    pub fn depth(depth: usize) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// A search of a fixed number of nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// Completes the limits that a client asks for: the one that is reached first ends the search, and without any of
    /// them `default` is the time for the move.
    pub fn or_time(mut self, default: Duration) -> Limits {
        self.depth = self.depth.filter(|&depth| depth > 0).map(|depth| depth.min(MAX_DEPTH));
        let has_limit = self.is_bounded() || self.mate.is_some();
        self.infinite &= !has_limit;
        if !has_limit && !self.infinite {
            self.move_time = Some(default);
        }
        self
    }

    /// The same limits for a move in a game, where time that is left is a gain.
    pub fn saving_time(self) -> Limits {
        Limits { saves_time: true, ..self }
    }

    /// Returns `true` if the search may end before its time, since its move is certain.
    pub(super) fn may_end_early(&self) -> bool {
        self.saves_time && self.is_timed() && !self.infinite
    }

    /// Returns `true` if this root move may be played.
    pub fn allows(&self, mv: Move) -> bool {
        !self.banned_moves.contains(&mv) && (self.search_moves.is_empty() || self.search_moves.contains(&mv))
    }

    /// Returns the value of a draw for the side to move at the root, in centipawns.
    pub(crate) fn draw_value(&self) -> Value {
        DRAW - clamp_evaluation(self.contempt)
    }

    /// Returns the known bounds on the value of a root move.
    pub(super) fn known_value(&self, mv: Move) -> Option<&KnownValue> {
        self.known_values.iter().find(|known| known.mv == mv)
    }

    /// Clamps the reported value of a root move to its known bounds.
    pub(super) fn clamp_to_known(&self, mv: Move, value: Value) -> Value {
        self.known_value(mv).map_or(value, |known| value.clamp(known.min, known.max))
    }

    /// Returns `true` if the search has a time limit or a clock.
    pub fn is_timed(&self) -> bool {
        self.move_time.is_some() || self.clock.is_some()
    }
}
