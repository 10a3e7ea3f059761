//! Which of several threads is believed when their moves differ.

use super::report::Outcome;
use crate::types::Move;
use crate::types::score::is_decisive;

/// What every finished search is worth beyond the centipawns that it is ahead of the most pessimistic one.
const EVERYBODY: i64 = 15;

/// The place of the outcome that is believed; the first one where nothing speaks against it.
///
/// Each thread votes for its move, with the more weight the deeper it came and the better it found its move, so that
/// two threads that agree outvote one that is a little more optimistic. A forced win that any of them found is taken,
/// the shortest first, and a forced loss only if all lose, the longest first. The idea is that of the threads' vote in
/// Stockfish.
///
/// `outcomes` is not empty.
pub(super) fn elected(outcomes: &[&Outcome]) -> usize {
    let finished = |outcome: &&Outcome| outcome.depth > 0 && outcome.best().is_some();
    let Some(worst) = outcomes.iter().copied().filter(finished).map(|outcome| outcome.score).min() else { return 0 };
    let weight = |outcome: &Outcome| (i64::from(outcome.score) - i64::from(worst) + EVERYBODY) * outcome.depth as i64;
    let votes = |mv: Option<Move>| -> i64 {
        let voters = outcomes.iter().copied().filter(finished).filter(|outcome| outcome.best() == mv);
        voters.map(weight).sum()
    };
    let rank = |outcome: &Outcome| {
        let decided = if is_decisive(outcome.score) { outcome.score } else { 0 };
        (decided, votes(outcome.best()), weight(outcome))
    };
    let mut chosen = 0;
    for (place, outcome) in outcomes.iter().enumerate().skip(1) {
        let is_better = !finished(&outcomes[chosen]) || rank(outcome) > rank(outcomes[chosen]);
        if finished(outcome) && is_better {
            chosen = place;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Value;
    use crate::types::score::{mate_in, mated_in};

    fn outcome(mv: &str, score: Value, depth: usize) -> Outcome {
        Outcome { line: vec![mv.parse().unwrap()], score, depth, ..Outcome::default() }
    }

    fn elect(outcomes: &[Outcome]) -> usize {
        elected(&outcomes.iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_first_decides_where_nothing_speaks_against_it() {
        assert_eq!(elect(&[outcome("h2e2", 30, 10)]), 0);
        assert_eq!(elect(&[outcome("h2e2", 30, 10), outcome("b0c2", 30, 10)]), 0);
        assert_eq!(elect(&[outcome("h2e2", 30, 10), outcome("h2e2", 30, 10)]), 0);
    }

    #[test]
    fn depth_score_and_agreement_count() {
        assert_eq!(elect(&[outcome("h2e2", 30, 10), outcome("b0c2", 30, 12)]), 1);
        assert_eq!(elect(&[outcome("h2e2", 30, 10), outcome("b0c2", 45, 10)]), 1);
        assert_eq!(elect(&[outcome("h2e2", 40, 10), outcome("b0c2", 30, 10), outcome("b0c2", 30, 10)]), 1);
        // Of those who agree, the one that came deepest tells the line.
        assert_eq!(elect(&[outcome("h2e2", 30, 9), outcome("h2e2", 30, 10), outcome("b0c2", 25, 9)]), 1);
    }

    #[test]
    fn a_forced_win_is_taken_and_a_loss_put_off() {
        let (slow, quick) = (outcome("h2e2", mate_in(9), 12), outcome("b0c2", mate_in(5), 8));
        assert_eq!(elect(&[slow.clone(), quick.clone()]), 1);
        assert_eq!(elect(&[quick, slow.clone()]), 0);
        assert_eq!(elect(&[outcome("b2e2", 500, 30), slow]), 1);
        assert_eq!(elect(&[outcome("h2e2", mated_in(4), 20), outcome("b0c2", -300, 9)]), 1);
        assert_eq!(elect(&[outcome("h2e2", mated_in(4), 20), outcome("b0c2", mated_in(10), 9)]), 1);
    }

    #[test]
    fn a_search_without_a_finished_iteration_has_no_vote() {
        let unfinished = outcome("b0c2", 900, 0);
        assert_eq!(elect(&[outcome("h2e2", -50, 3), unfinished.clone()]), 0);
        assert_eq!(elect(&[unfinished.clone(), outcome("h2e2", -50, 3)]), 1);
        assert_eq!(elect(&[unfinished.clone(), unfinished]), 0);
        assert_eq!(elect(&[Outcome::default(), Outcome::default()]), 0);
    }
}
