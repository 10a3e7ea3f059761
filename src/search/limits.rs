//! Limits of a search, and the time that they allow for one move. Reads no clock, so that tests need not wait.

use super::params::*;
use crate::types::score::{DRAW, MAX_PLY, clamp_evaluation};
use crate::types::{Move, Value};
use crate::util::host::{Duration, Instant};

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
    /// Time that is left is a gain, as in a game: a search by time ends early when there is only one move, or a mate is
    /// proved. The engine ignores it for analysis, of several lines too.
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
    /// Known bounds on the values of root moves, to which what the search finds is clamped.
    pub known_values: Vec<KnownValue>,
    /// Number of principal variations (MultiPV); 0 counts as 1.
    pub multi_pv: usize,
    /// The engine may ponder in this game, so that a move may take a little longer.
    pub ponder_enabled: bool,
    /// Time kept back on every move for communication.
    pub move_overhead: Duration,
    /// How much less than 0 a draw is worth to the side to move at the root, in centipawns. The engine makes it 0 in
    /// analysis: a search without end, for a mate, or of several lines.
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
    /// Returns `true` if the search has no end or looks for a mate, so that it is not for a move in a game.
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

    /// Completes the limits that a client asks for: without any of them `default` is the time for the move.
    pub fn or_time(mut self, default: Duration) -> Limits {
        self.depth = self.depth.filter(|&depth| depth > 0).map(|depth| depth.min(MAX_DEPTH));
        let has_limit = self.is_bounded() || self.mate.is_some();
        self.infinite &= !has_limit;
        if !has_limit && !self.infinite {
            self.move_time = Some(default);
        }
        self
    }

    /// Returns `true` if the search may end before its time, since its move is certain.
    pub(crate) fn may_end_early(&self) -> bool {
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

    /// Returns `true` if a depth limit alone ends the search.
    pub(crate) fn is_to_depth(&self) -> bool {
        self.depth.is_some() && !self.is_timed() && !self.infinite
    }

    /// Returns `true` if the search looks for mates and one at this distance in plies is short enough.
    pub(super) fn is_mate_wanted(&self, distance: Value) -> bool {
        self.mate.is_some_and(|moves| distance <= 2 * moves.min(MAX_DEPTH) as Value)
    }

    /// Returns `true` if the search has a time limit or a clock.
    pub fn is_timed(&self) -> bool {
        self.move_time.is_some() || self.clock.is_some()
    }
}

/// Time budget of one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Time that an ordinary move should take.
    pub optimum: Duration,
    /// Time that no move may exceed.
    pub maximum: Duration,
    /// The time is for this move alone, so that nothing is gained by stopping early.
    pub is_fixed: bool,
}

impl Budget {
    /// Allocates time by the limits; `None` without a clock or move time.
    pub fn new(limits: &Limits) -> Option<Budget> {
        let fixed = limits.move_time.map(|time| {
            // With nothing left of a short time, the first iteration would be the only one.
            let usable = time - limits.move_overhead.min(time / 100 * MAX_OVERHEAD_PERCENT);
            Budget { optimum: usable, maximum: usable, is_fixed: true }
        });
        let allocated = limits.clock.map(|clock| {
            let usable = clock.remaining.saturating_sub(limits.move_overhead);
            let (optimum, maximum) = match clock.moves_to_go {
                Some(0) => (usable, usable),
                // Late is lost, and what is left over is mostly added to the next control.
                Some(1) => LAST_MOVE_PERCENT.map(|percent| usable / 100 * percent).into(),
                Some(moves) => {
                    let moves = moves.min(MOVES_PLANNED);
                    let optimum = (usable / moves).saturating_add(clock.increment / 100 * INCREMENT_PERCENT[0]);
                    (optimum, optimum.saturating_mul(MAX_OPTIMUM_FACTOR).min(usable / 5 * 3))
                }
                None => {
                    let reserve = Duration::from_millis(RESERVE_MILLISECONDS);
                    let is_low = usable < 2 * reserve;
                    let percent = INCREMENT_PERCENT[usize::from(is_low)];
                    let usable = usable - reserve.min(usable / 4 * 3);
                    let optimum = (usable / MOVES_PLANNED).saturating_add(clock.increment / 100 * percent);
                    let share = (usable / 100 * MAX_CLOCK_PERCENT).saturating_add(clock.increment / 2);
                    (optimum, optimum.saturating_mul(MAX_OPTIMUM_FACTOR).min(share).min(usable))
                }
            };
            let optimum = if limits.ponder_enabled { optimum.saturating_add(optimum / 4) } else { optimum };
            // The increment is added only after the move.
            let maximum = maximum.min(usable);
            let is_fixed = clock.moves_to_go == Some(0);
            Budget { optimum: optimum.min(maximum), maximum, is_fixed }
        });
        match (fixed, allocated) {
            (Some(one), Some(other)) => Some(Budget {
                optimum: one.optimum.min(other.optimum),
                maximum: one.maximum.min(other.maximum),
                is_fixed: if one.optimum <= other.optimum { one.is_fixed } else { other.is_fixed },
            }),
            (one, other) => one.or(other),
        }
    }

    /// Time that counts towards the budget once the clock runs, from the time `on_clock` and since the start of the
    /// search. Pondering counts, but not towards a time for this move alone.
    pub fn time_spent(&self, on_clock: Duration, elapsed: Duration) -> Duration {
        if self.is_fixed { on_clock } else { elapsed }
    }
}

/// Measures of how hard the decision is.
#[derive(Clone, Copy, Debug, Default)]
pub struct IterationStats {
    /// Iterations in a row with the same best move.
    pub stable_iterations: u32,
    /// Fall of the score since the previous iteration in centipawns; negative for a rise.
    pub score_drop: Value,
    /// Share of the best move in all nodes, in thousandths.
    pub best_move_share: u32,
}

/// Returns `true` if to stop after a finished iteration, because another one would hardly change the move: at the
/// optimum, scaled by best-move stability, by the fall of the score and by the share of the best move in the nodes.
pub fn should_stop_after_iteration(budget: Budget, elapsed: Duration, stats: IterationStats) -> bool {
    if budget.is_fixed {
        return elapsed >= budget.maximum;
    }
    let stability = STABILITY_PERCENT[stats.stable_iterations.min(7) as usize];
    let falling = (100 + stats.score_drop).clamp(SCORE_DROP_PERCENT.0, SCORE_DROP_PERCENT.1) as u32;
    let effort = EFFORT_PERCENT.saturating_sub(stats.best_move_share / 10).clamp(EFFORT_RANGE.0, EFFORT_RANGE.1);
    let planned = [stability, falling, effort]
        .into_iter()
        .fold(budget.optimum, |planned, percent| (planned / 100).saturating_mul(percent));
    elapsed >= planned.min(budget.maximum)
}
