//! Rules of repetition against a slow model that judges random repetitions, too.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use chuhe::position::Position;
use chuhe::rules::{RuleSet, Rules, Verdict};
use chuhe::types::Side;

use crate::cycles::{Cycle, cycles};
use crate::model::{self, Outcome, Violation};

/// Verdict of the engine without its reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Judgement {
    Continue,
    Draw,
    Wins(Side),
}

impl Judgement {
    fn of(position: &Position) -> Judgement {
        match Rules::new(RuleSet::Computer).verdict(position) {
            Verdict::Continue => Judgement::Continue,
            Verdict::Draw(_) => Judgement::Draw,
            Verdict::Win(side, _) => Judgement::Wins(side),
        }
    }

    fn of_outcome(outcome: Outcome) -> Judgement {
        match outcome {
            Outcome::Draw => Judgement::Draw,
            Outcome::Loses(side, _) => Judgement::Wins(!side),
        }
    }

    /// The judgement of the same thing with the sides exchanged.
    fn colour_flipped(self) -> Judgement {
        match self {
            Judgement::Wins(side) => Judgement::Wins(!side),
            other => other,
        }
    }
}

/// The FEN and the moves, to repeat a failure by hand.
fn description(cycle: &Cycle) -> String {
    let lap: Vec<String> = cycle.lap.iter().map(ToString::to_string).collect();
    format!("{} moves {}, again and again", cycle.fen, lap.join(" "))
}

/// Number of verdicts of each kind.
#[derive(Default, Debug)]
struct Tally {
    draws: usize,
    checks: usize,
    chases: usize,
}

impl Tally {
    fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Draw => self.draws += 1,
            Outcome::Loses(_, Violation::Check) => self.checks += 1,
            Outcome::Loses(_, Violation::Chase) => self.chases += 1,
        }
    }
}

/// Compares the two judges at the third occurrence.
fn judge_by_both(cycle: &Cycle) -> Outcome {
    let position = cycle.after_laps(2);
    assert_eq!(position.key(), cycle.position().key(), "the moves lead back: {}", description(cycle));
    let window = cycle.window();
    let outcome = model::judge_window(&cycle.fen, &window);
    let judgement = Judgement::of(&position);
    assert!(
        judgement == Judgement::of_outcome(outcome),
        "{}: {judgement:?} says the engine, but {outcome} says the model\n{}",
        description(cycle),
        model::explanation(&cycle.fen, &window)
    );
    outcome
}

#[test]
fn random_repetitions_are_judged_as_the_model_judges_them() {
    const PORTIONS: u64 = 100;
    const CYCLES_OF_A_PORTION: usize = 1000;
    let next_portion = AtomicU64::new(0);
    let tally = Mutex::new(Tally::default());
    // Each portion has its own seed, so the cycles do not depend on how many threads share the work.
    let work = || {
        while let portion = next_portion.fetch_add(1, Ordering::Relaxed)
            && portion < PORTIONS
        {
            for cycle in cycles(portion, CYCLES_OF_A_PORTION) {
                let outcome = judge_by_both(&cycle);
                tally.lock().expect("no other thread failed").count(outcome);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(work);
        }
    });
    let tally = tally.into_inner().expect("no thread failed");
    println!("{tally:?}");
    assert_eq!(tally.draws + tally.checks + tally.chases, PORTIONS as usize * CYCLES_OF_A_PORTION);
    assert!(tally.draws >= 20_000 && tally.checks >= 5_000 && tally.chases >= 15_000, "too few of a kind: {tally:?}");
}

/// Cycles for the properties below; other ones than those above.
fn some_cycles(seed: u64) -> Vec<Cycle> {
    cycles(1_000_000 + seed, 4_000)
}

#[test]
fn colours_do_not_matter() {
    for cycle in some_cycles(0) {
        let judgement = Judgement::of(&cycle.after_laps(2));
        let flipped = Judgement::of(&cycle.colour_flipped().after_laps(2));
        assert_eq!(flipped, judgement.colour_flipped(), "{}", description(&cycle));
    }
}

#[test]
fn left_and_right_do_not_matter() {
    for cycle in some_cycles(1) {
        let judgement = Judgement::of(&cycle.after_laps(2));
        assert_eq!(Judgement::of(&cycle.mirrored().after_laps(2)), judgement, "{}", description(&cycle));
    }
}

#[test]
fn the_start_of_the_cycle_does_not_matter() {
    for cycle in some_cycles(2) {
        let judgement = Judgement::of(&cycle.after_laps(2));
        assert_eq!(Judgement::of(&cycle.rotated().after_laps(2)), judgement, "{}", description(&cycle));
    }
}

#[test]
fn a_third_cycle_changes_nothing() {
    for cycle in some_cycles(3) {
        let judgement = Judgement::of(&cycle.after_laps(2));
        assert_ne!(judgement, Judgement::Continue, "{}", description(&cycle));
        assert_eq!(Judgement::of(&cycle.after_laps(3)), judgement, "{}", description(&cycle));
    }
}
