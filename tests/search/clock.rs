//! Time that a search may use, by the clock and the overhead.

use std::time::Duration;

use chuhe::search::{Budget, Clock, IterationStats, Limits, should_stop_after_iteration};

/// An easy decision, which ends a search early.
const EASY: IterationStats = IterationStats { stable_iterations: 9, score_drop: -20, best_move_share: 950 };

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn limits(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Limits {
    let clock = Some(Clock { remaining: ms(remaining), increment: ms(increment), moves_to_go });
    Limits { clock, move_overhead: ms(30), ..Limits::default() }
}

fn on_clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Budget {
    Budget::new(&limits(remaining, increment, moves_to_go)).unwrap()
}

#[test]
fn no_budget_exceeds_the_clock_less_the_overhead() {
    for remaining in [0, 1, 29, 30, 31, 100, 1_000, 60_000, 3_600_000, u64::MAX] {
        for increment in [0, 10, 5_000, u64::MAX] {
            for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                let budget = on_clock(remaining, increment, moves_to_go);
                assert!(budget.optimum <= budget.maximum && budget.maximum <= ms(remaining.saturating_sub(30)));
            }
        }
    }
}

#[test]
fn the_last_move_of_a_time_control_keeps_a_reserve_and_may_end_early() {
    for remaining in [500, 3_000, 60_000] {
        let budget = on_clock(remaining, 0, Some(1));
        assert!(budget.maximum <= ms(remaining * 9 / 10) && budget.maximum >= ms(remaining * 7 / 10), "{budget:?}");
        assert!(should_stop_after_iteration(budget, budget.maximum * 4 / 5, EASY));
    }
    // A time for this move alone is used.
    let budget = on_clock(1_000, 0, Some(0));
    assert_eq!((budget.optimum, budget.maximum, budget.is_fixed), (ms(970), ms(970), true));
}

#[test]
fn a_hard_decision_takes_longer_than_an_easy_one() {
    let budget = on_clock(60_000, 0, None);
    let hard = IterationStats { stable_iterations: 0, score_drop: 60, best_move_share: 200 };
    let limit = |stats| (0..60_000).find(|&t| should_stop_after_iteration(budget, ms(t), stats)).unwrap();
    assert!(limit(EASY) * 3 < limit(hard) && ms(limit(hard)) <= budget.maximum);
}

#[test]
fn two_limits_give_the_smaller_budget() {
    for (move_time, is_fixed) in [(50, true), (5_000, false), (500_000, false)] {
        let limits = Limits { move_time: Some(ms(move_time)), ..limits(60_000, 0, None) };
        let budget = Budget::new(&limits).unwrap();
        assert!(budget.is_fixed == is_fixed && budget.optimum < ms(5_000) && budget.maximum < ms(move_time));
    }
    assert_eq!(Budget::new(&Limits::default()), None);
}

#[test]
fn the_overhead_leaves_a_part_of_a_short_time_for_one_move() {
    for (time, expected) in [(0, 0), (5, 2), (30, 12), (50, 20), (60, 30), (1_000, 970)] {
        let limits = Limits { move_time: Some(ms(time)), move_overhead: ms(30), ..Limits::default() };
        assert_eq!(Budget::new(&limits).unwrap().maximum, ms(expected), "{time}");
    }
}

#[test]
fn the_increment_is_not_spent_before_a_reserve_is_there() {
    let mut remaining = ms(500);
    for _ in 0..300 {
        remaining = remaining.checked_sub(on_clock(remaining.as_millis() as u64, 5, None).optimum).unwrap() + ms(5);
    }
    assert!(remaining >= ms(150), "{remaining:?}");
    // Without an increment a game never runs out of time, although every move takes its maximum.
    let mut remaining = ms(1_000);
    for _ in 0..300 {
        remaining = remaining.checked_sub(on_clock(remaining.as_millis() as u64, 0, None).maximum).unwrap();
    }
    assert!(remaining >= ms(30));
    // With minutes on the clock it makes no difference.
    assert!(on_clock(60_000, 0, None).optimum > ms(60_000) / 28 * 99 / 100);
}

#[test]
fn a_clock_that_has_run_low_is_no_time_for_one_move() {
    let budget = on_clock(3_300, 2_000, None);
    assert_eq!(budget.optimum, budget.maximum);
    assert!(should_stop_after_iteration(budget, budget.maximum * 4 / 5, EASY), "the clock recovers");
    let one_move = on_clock(3_300, 2_000, Some(0));
    assert!(!should_stop_after_iteration(one_move, one_move.maximum * 4 / 5, EASY));
}
