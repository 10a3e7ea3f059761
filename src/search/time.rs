//! Time management.
//!
//! Works on plain durations and reads no clock, so that tests need not wait.

use std::time::Duration;

use super::limits::Limits;
use super::params::*;
use crate::types::Value;

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
                Some(1) => (usable / 100 * LAST_MOVE_PERCENT, usable / 100 * LAST_MOVE_MAX_PERCENT),
                Some(moves) => {
                    let moves = moves.min(MOVES_PLANNED);
                    let optimum = (usable / moves).saturating_add(clock.increment / 100 * INCREMENT_PERCENT);
                    (optimum, optimum.saturating_mul(MAX_OPTIMUM_FACTOR).min(usable / 5 * 3))
                }
                None => {
                    let reserve = Duration::from_millis(RESERVE_MILLISECONDS);
                    let is_low = usable < 2 * reserve;
                    let percent = if is_low { LOW_CLOCK_INCREMENT_PERCENT } else { INCREMENT_PERCENT };
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

    /// Time that counts towards the budget once the clock runs. That spent pondering does, but not towards a time for
    /// this move alone. `on_clock` is the time that the clock has run, `elapsed` that since the start of the search.
    pub fn time_spent(&self, on_clock: Duration, elapsed: Duration) -> Duration {
        if self.is_fixed { on_clock } else { elapsed }
    }
}

/// Statistics of the iterations so far, as a measure of how hard the decision is.
#[derive(Clone, Copy, Debug, Default)]
pub struct IterationStats {
    /// Iterations in a row with the same best move.
    pub stable_iterations: u32,
    /// Fall of the score since the previous iteration in centipawns; negative for a rise.
    pub score_drop: Value,
    /// Share of the best move in all nodes, in thousandths.
    pub best_move_share: u32,
}

/// Returns `true` if to stop after a finished iteration, because another one would hardly change the move.
///
/// The optimum is scaled by best-move stability, from 1.6 for a best move that has just changed to 0.6 for one that has
/// long been the same, and again by the fall of the score and by the share of the best move in the nodes.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::limits::Clock;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn on_clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Limits {
        Limits {
            clock: Some(Clock { remaining: ms(remaining), increment: ms(increment), moves_to_go }),
            move_overhead: ms(30),
            ..Limits::default()
        }
    }

    #[test]
    fn no_budget_exceeds_the_clock_less_the_overhead() {
        for remaining in [0, 1, 29, 30, 31, 100, 1_000, 60_000, 3_600_000, u64::MAX] {
            for increment in [0, 10, 5_000, u64::MAX] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let budget = Budget::new(&on_clock(remaining, increment, moves_to_go)).unwrap();
                    assert!(budget.optimum <= budget.maximum);
                    assert!(budget.maximum <= ms(remaining.saturating_sub(30)));
                }
            }
        }
    }

    #[test]
    fn the_overhead_leaves_a_part_of_a_short_time_for_one_move() {
        let usable = |time| {
            let limits = Limits { move_time: Some(ms(time)), move_overhead: ms(30), ..Limits::default() };
            Budget::new(&limits).unwrap().maximum
        };
        for (time, expected) in [(0, 0), (5, 2), (30, 12), (50, 20), (60, 30), (1_000, 970)] {
            assert_eq!(usable(time), ms(expected), "{time}");
        }
    }

    #[test]
    fn a_game_on_a_clock_without_increment_never_runs_out() {
        let mut remaining = ms(1_000);
        for _ in 0..300 {
            let limits = on_clock(remaining.as_millis() as u64, 0, None);
            remaining = remaining.checked_sub(Budget::new(&limits).unwrap().maximum).unwrap();
        }
        assert!(remaining >= ms(30));
    }

    #[test]
    fn the_increment_is_not_spent_before_a_reserve_is_there() {
        let increment = ms(5);
        let mut remaining = ms(500);
        for _ in 0..300 {
            let optimum = Budget::new(&on_clock(remaining.as_millis() as u64, 5, None)).unwrap().optimum;
            remaining = remaining.checked_sub(optimum).unwrap() + increment;
        }
        assert!(remaining >= ms(RESERVE_MILLISECONDS), "{remaining:?}");
        // With minutes on the clock it makes no difference.
        let long = Budget::new(&on_clock(60_000, 0, None)).unwrap();
        assert!(long.optimum > ms(60_000) / MOVES_PLANNED * 99 / 100, "{long:?}");
    }

    #[test]
    fn the_last_move_of_a_time_control_keeps_a_reserve_and_may_end_early() {
        for remaining in [500, 3_000, 60_000] {
            let budget = Budget::new(&on_clock(remaining, 0, Some(1))).unwrap();
            assert!(budget.maximum <= ms(remaining * 9 / 10) && budget.maximum >= ms(remaining * 7 / 10), "{budget:?}");
            let easy = IterationStats { stable_iterations: 9, score_drop: 0, best_move_share: 950 };
            assert!(should_stop_after_iteration(budget, budget.maximum * 4 / 5, easy));
        }
        // A time for this move alone is used.
        let budget = Budget::new(&on_clock(1_000, 0, Some(0))).unwrap();
        assert_eq!((budget.optimum, budget.maximum, budget.is_fixed), (ms(970), ms(970), true));
    }

    #[test]
    fn a_hard_decision_takes_longer_than_an_easy_one() {
        let budget = Budget::new(&on_clock(60_000, 0, None)).unwrap();
        let easy = IterationStats { stable_iterations: 9, score_drop: -20, best_move_share: 950 };
        let hard = IterationStats { stable_iterations: 0, score_drop: 60, best_move_share: 200 };
        let limit = |stats| (0..60_000).find(|&t| should_stop_after_iteration(budget, ms(t), stats)).unwrap();
        assert!(limit(easy) * 3 < limit(hard));
        assert!(ms(limit(hard)) <= budget.maximum);
    }

    #[test]
    fn a_clock_that_has_run_low_is_no_time_for_one_move() {
        let budget = Budget::new(&on_clock(3_300, 2_000, None)).unwrap();
        assert_eq!(budget.optimum, budget.maximum);
        let easy = IterationStats { stable_iterations: 9, score_drop: 0, best_move_share: 950 };
        assert!(should_stop_after_iteration(budget, budget.maximum * 4 / 5, easy), "the clock recovers");
        let one_move = Budget::new(&on_clock(3_300, 2_000, Some(0))).unwrap();
        assert!(!should_stop_after_iteration(one_move, one_move.maximum * 4 / 5, easy));
    }

    #[test]
    fn two_limits_give_the_smaller_budget() {
        let limits = Limits { move_time: Some(ms(50)), ..on_clock(60_000, 0, None) };
        let budget = Budget::new(&limits).unwrap();
        assert_eq!((budget.maximum, budget.is_fixed), (ms(20), true));
        // The clock allows less, at first or at all.
        for move_time in [5_000, 500_000] {
            let budget = Budget::new(&Limits { move_time: Some(ms(move_time)), ..limits.clone() }).unwrap();
            assert!(!budget.is_fixed && budget.optimum < ms(5_000) && budget.maximum < ms(move_time));
        }
        assert_eq!(Budget::new(&Limits::default()), None);
    }
}
