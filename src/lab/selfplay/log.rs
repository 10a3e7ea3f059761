//! Table of the completed rounds, for people and scripts; never read back.

use std::fmt::Write as _;

use super::state::{Round, State};

/// Placeholder of an unknown number.
const UNKNOWN: &str = "-";

/// Returns the table, one row a round.
pub(super) fn table(state: &State) -> String {
    let mut text = String::from(
        "round\tgames\tpositions\ttrained_on\ttraining\tvalidation\twins\tdraws\tlosses\tscore\telo\terror\taccepted\t\
         network\thours\n",
    );
    for (number, round) in (1..).zip(&state.rounds) {
        let Round { games, trained_on, training, validation, network, result, accepted, seconds } = round;
        let loss = |loss: &Option<f64>| loss.map_or(UNKNOWN.to_owned(), |loss| format!("{loss:.8}"));
        let finite = |number: Option<f64>| {
            number.filter(|number| number.is_finite()).map_or(UNKNOWN.to_owned(), |number| format!("{number:.1}"))
        };
        let estimate = result.estimate();
        let _ = writeln!(
            text,
            "{number}\t{}\t{}\t{trained_on}\t{}\t{}\t{}\t{}\t{}\t{:.4}\t{}\t{}\t{}\t{network}\t{:.2}",
            games.games,
            games.positions,
            loss(training),
            loss(validation),
            result.wins,
            result.draws,
            result.losses,
            result.score(),
            finite(estimate.map(|estimate| estimate.elo)),
            finite(estimate.map(|estimate| estimate.error)),
            if *accepted { "yes" } else { "no" },
            seconds / 3600.0
        );
    }
    text
}
