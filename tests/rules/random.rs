//! Rules of repetition against a slow model that judges random repetitions, too.

use chuhe::position::Position;
use chuhe::rules::Rules;
use chuhe::types::Side;
use chuhe::util::parallel::{cores, map_ordered};

use crate::cases::flipped;
use crate::cycles::{Cycle, cycles};
use crate::model::{Outcome, Violation, judge_window};

fn judgement(position: &Position) -> &'static str {
    Rules::default().verdict(position).word()
}

fn description(cycle: &Cycle) -> String {
    let lap: Vec<String> = cycle.lap.iter().map(ToString::to_string).collect();
    format!("{} moves {}, again and again", cycle.fen, lap.join(" "))
}

fn judge_by_both(cycle: &Cycle) -> Outcome {
    let position = cycle.after_laps(2);
    assert_eq!(position.key(), cycle.position().key(), "the moves lead back: {}", description(cycle));
    let outcome = judge_window(&cycle.fen, &cycle.window());
    let expected = match outcome {
        Outcome::Draw => "draw",
        Outcome::Loses(Side::Red, _) => "black_wins",
        Outcome::Loses(Side::Black, _) => "red_wins",
    };
    assert_eq!(judgement(&position), expected, "{outcome:?} says the model of {}", description(cycle));
    outcome
}

#[test]
fn random_repetitions_are_judged_as_the_model_judges_them() {
    const PORTIONS: u64 = 100;
    const CYCLES_OF_A_PORTION: usize = 1000;
    // Each portion has its own seed, so the cycles do not depend on how many threads share the work.
    let judge = |(): &mut (), portion| -> Vec<Outcome> {
        cycles(portion, CYCLES_OF_A_PORTION).iter().map(judge_by_both).collect()
    };
    let outcomes = map_ordered(0..PORTIONS, cores().get(), || (), judge).concat();
    let count = |violation| {
        let is_such = |outcome: &&Outcome| matches!(outcome, Outcome::Loses(_, found) if *found == violation);
        outcomes.iter().filter(is_such).count()
    };
    let (checks, chases) = (count(Violation::Check), count(Violation::Chase));
    let draws = outcomes.len() - checks - chases;
    assert_eq!(outcomes.len(), PORTIONS as usize * CYCLES_OF_A_PORTION);
    assert!(draws >= 20_000 && checks >= 5_000 && chases >= 15_000, "{draws} draws, {checks} checks, {chases} chases");
}

#[test]
fn neither_colours_nor_sides_of_the_board_nor_start_nor_laps_matter() {
    // Other cycles than those above.
    for cycle in cycles(1_000_000, 8_000) {
        let judged = judgement(&cycle.after_laps(2));
        assert_ne!(judged, "none", "{}", description(&cycle));
        let same = [
            (cycle.mirrored().after_laps(2), judged),
            (cycle.rotated().after_laps(2), judged),
            (cycle.after_laps(3), judged),
            (cycle.colour_flipped().after_laps(2), flipped(judged)),
        ];
        for (number, (position, expected)) in same.iter().enumerate() {
            assert_eq!(judgement(position), *expected, "{number}: {}", description(&cycle));
        }
    }
}
