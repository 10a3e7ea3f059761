//! Time that a search may use, by the clock and the overhead.

use std::time::Duration;

use chuhe::search::{Budget, Clock, IterationStats, Limits, should_stop_after_iteration};

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn on_clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Budget {
    let clock = Some(Clock { remaining: ms(remaining), increment: ms(increment), moves_to_go });
    Budget::new(&Limits { clock, move_overhead: ms(30), ..Limits::default() }).unwrap()
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
    let easy = IterationStats { stable_iterations: 9, score_drop: 0, best_move_share: 950 };
    assert!(should_stop_after_iteration(budget, budget.maximum * 4 / 5, easy), "the clock recovers");
    let one_move = on_clock(3_300, 2_000, Some(0));
    assert!(!should_stop_after_iteration(one_move, one_move.maximum * 4 / 5, easy));
}
