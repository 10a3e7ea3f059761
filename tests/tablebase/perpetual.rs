//! Positions that are lost because a side can only check perpetually.

use std::cmp::Reverse;

use chuhe::counting::Placement;
use chuhe::position::Position;
use chuhe::rules::{Reason, Rules, Verdict};
use chuhe::tablebase::{FIRST_BY_CHECKS, Metric, Outcome};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::data::after;

#[test]
fn who_must_check_perpetually_loses_by_the_rules() {
    let tables = super::solved(&["KRvKN"], Metric::Conversion);
    let table = tables.get("KRvKN".parse().unwrap()).unwrap();
    // As found by a separate solver of the game over all positions.
    let [red, black] = table.statistics().counts;
    assert_eq!([red.won, red.drawn(), black.lost, black.drawn()], [346_935, 78, 373_350, 1_140]);
    let rules = Rules { move_limit: u16::MAX, ..Rules::default() };
    let mut random = ChaCha8Rng::seed_from_u64(71);
    let (mut games, mut by_checks) = (0, 0);
    let decided = table.decided_positions().filter(|(_, value)| value.plies() >= Some(FIRST_BY_CHECKS));
    for (fen, value) in decided.step_by(23) {
        let mut position = Position::from_fen(&fen).unwrap();
        let winner = if value.outcome() == Outcome::Win { position.side() } else { !position.side() };
        while rules.verdict(&position) == Verdict::Continue {
            // The winner follows the table; the loser plays for the longest game or anything.
            let best = position.legal_moves().into_iter().min_by_key(|&mv| {
                let next = after(position.clone(), [mv]);
                let value = tables.value(&Placement::from_position(&next), next.side()).unwrap();
                let is_quiet = position.piece_on(mv.to()).is_none();
                if position.side() == winner {
                    (value.outcome(), is_quiet, value.plies(), Reverse(None), u32::from(next.in_check()))
                } else {
                    let plies = if random.random_ratio(1, 4) { None } else { value.plies() };
                    (value.outcome(), true, None, Reverse(plies), random.random())
                }
            });
            position.make(best.unwrap());
        }
        let verdict = rules.verdict(&position);
        assert_eq!(verdict.winner(), Some(winner), "{fen}: {position}");
        by_checks += u32::from(verdict.reason().map(Reason::kind) == Some("perpetual_check"));
        games += 1;
    }
    assert!(games > 60 && by_checks > 20, "{by_checks} of {games}");
}
