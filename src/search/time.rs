//! How long to think.
//!
//! Works on plain durations: it reads no clock, so that it can be tested without waiting.

use std::time::Duration;

use super::limits::Limits;
use crate::types::Value;

/// How many more moves a game is planned for when the clock must do for all of it.
const MOVES_PLANNED: u32 = 36;
/// The share of the clock, in percent, that one move may take at most.
const MOST_PERCENT: u32 = 30;
/// What a clock without a refill keeps back as long as it can, for moments in which the system gives the processor to
/// somebody else: on a busy or virtual machine up to a quarter of a second was seen.
const RESERVE: Duration = Duration::from_millis(150);

/// The budget of one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// What an ordinary move should take.
    pub optimum: Duration,
    /// What no move may exceed.
    pub maximum: Duration,
}

impl Budget {
    /// The budget that the limits leave, or `None` without a clock.
    pub fn of(limits: &Limits) -> Option<Budget> {
        let fixed = limits.move_time.map(|time| {
            let whole = time.saturating_sub(limits.move_overhead);
            Budget { optimum: whole, maximum: whole }
        });
        let shared = limits.clock.map(|clock| {
            let usable = clock.remaining.saturating_sub(limits.move_overhead);
            let three_quarters = clock.increment / 4 * 3;
            let (optimum, maximum) = match clock.moves_to_go {
                Some(0 | 1) => (usable, usable),
                Some(moves) => {
                    let moves = moves.min(MOVES_PLANNED);
                    let optimum = (usable / moves).saturating_add(three_quarters);
                    (optimum, optimum.saturating_mul(4).min(usable / 5 * 3))
                }
                None => {
                    let usable = usable - RESERVE.min(usable / 4 * 3);
                    let optimum = (usable / MOVES_PLANNED).saturating_add(three_quarters);
                    let most = (usable / 100 * MOST_PERCENT).saturating_add(clock.increment / 2);
                    (optimum, optimum.saturating_mul(4).min(most).min(usable))
                }
            };
            let optimum = if limits.ponder_enabled { optimum.saturating_add(optimum / 4) } else { optimum };
            // The increment is not on the clock yet.
            let maximum = maximum.min(usable);
            Budget { optimum: optimum.min(maximum), maximum }
        });
        match (fixed, shared) {
            (Some(one), Some(other)) => {
                Some(Budget { optimum: one.optimum.min(other.optimum), maximum: one.maximum.min(other.maximum) })
            }
            (one, other) => one.or(other),
        }
    }

    /// Whether the budget is fixed: nothing is gained by stopping early.
    pub fn is_fixed(&self) -> bool {
        self.optimum == self.maximum
    }
}

/// What the iterations so far say about how hard the move is.
#[derive(Clone, Copy, Debug, Default)]
pub struct IterationStats {
    /// Iterations in a row with the same best move.
    pub stable_iterations: u32,
    /// How far the score fell since the iteration before, in centipawns; negative when it rose.
    pub score_drop: Value,
    /// Thousandths of all nodes that went into the best move.
    pub best_move_share: u32,
}

/// Whether to stop after a finished iteration: another one would hardly change the move.
///
/// The optimum is stretched to 1.6 times for a best move that has just changed and shrunk to 0.6 for one that has long
/// been the same; stretched again when the score falls and when the best move took few of the nodes.
pub fn should_stop_after_iteration(budget: Budget, elapsed: Duration, judgement: IterationStats) -> bool {
    if budget.is_fixed() {
        return elapsed >= budget.maximum;
    }
    let stability = [160, 120, 95, 85, 75, 70, 65, 60][judgement.stable_iterations.min(7) as usize];
    let falling = (100 + judgement.score_drop).clamp(85, 160) as u32;
    let effort = 160u32.saturating_sub(judgement.best_move_share / 10).clamp(65, 140);
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
                    let budget = Budget::of(&on_clock(remaining, increment, moves_to_go)).unwrap();
                    assert!(budget.optimum <= budget.maximum);
                    assert!(budget.maximum <= ms(remaining.saturating_sub(30)));
                }
            }
        }
    }

    #[test]
    fn a_game_on_a_clock_without_increment_never_runs_out() {
        let mut remaining = ms(1_000);
        for _ in 0..300 {
            let limits = on_clock(remaining.as_millis() as u64, 0, None);
            remaining = remaining.checked_sub(Budget::of(&limits).unwrap().maximum).unwrap();
        }
        assert!(remaining >= ms(30));
    }

    #[test]
    fn the_increment_is_not_spent_before_a_reserve_is_there() {
        let increment = ms(5);
        let mut remaining = ms(500);
        for _ in 0..300 {
            let optimum = Budget::of(&on_clock(remaining.as_millis() as u64, 5, None)).unwrap().optimum;
            remaining = remaining.checked_sub(optimum).unwrap() + increment;
        }
        assert!(remaining >= RESERVE, "{remaining:?}");
        // Who has minutes does not feel it.
        let long = Budget::of(&on_clock(60_000, 0, None)).unwrap();
        assert!(long.optimum > ms(60_000) / MOVES_PLANNED * 99 / 100, "{long:?}");
    }

    #[test]
    fn the_last_move_before_a_refill_may_use_all_of_it() {
        let budget = Budget::of(&on_clock(1_000, 0, Some(1))).unwrap();
        assert_eq!(budget.maximum, ms(970));
    }

    #[test]
    fn a_hard_decision_takes_longer_than_an_easy_one() {
        let budget = Budget::of(&on_clock(60_000, 0, None)).unwrap();
        let easy = IterationStats { stable_iterations: 9, score_drop: -20, best_move_share: 950 };
        let hard = IterationStats { stable_iterations: 0, score_drop: 60, best_move_share: 200 };
        let limit = |judgement| (0..60_000).find(|&t| should_stop_after_iteration(budget, ms(t), judgement)).unwrap();
        assert!(limit(easy) * 3 < limit(hard));
        assert!(ms(limit(hard)) <= budget.maximum);
    }

    #[test]
    fn two_limits_give_the_smaller_budget() {
        let limits = Limits { move_time: Some(ms(50)), ..on_clock(60_000, 0, None) };
        assert_eq!(Budget::of(&limits).unwrap().maximum, ms(20));
        assert_eq!(Budget::of(&Limits::default()), None);
    }
}
