//! Conclusions of a search from repeated positions.

use chuhe::position::Position;
use chuhe::rules::{MoveCount, Recurrence, RepetitionFilter, RuleSet, Rules, Verdict};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cases::cases;
use crate::common::data::{after, moves, played, position as start};
use crate::common::walks::random_line;

/// Red's rook checks with every move.
const CHECKS: (&str, &str) = ("3k5/R8/9/9/9/9/9/4K4/9/9 w", "a8a9 d9d8 a9a8 d8d9");
/// Neither side violates a rule.
const IDLE: (&str, &str) = (chuhe::position::START_FEN, "a0a1 a9a8 a1a0 a8a9");

/// Returns the recurrence after the first `plies` of a repeated cycle, for a root `below_root` plies above.
fn recurrence_after((fen, lap): (&str, &str), plies: usize, below_root: usize) -> Option<Recurrence> {
    let position = after(start(fen), moves(lap).into_iter().cycle().take(plies));
    Rules::default().recurrence(&position, below_root, MoveCount::new(RuleSet::Computer, &position))
}

#[test]
fn a_draw_is_anticipated_only_below_the_root() {
    assert_eq!(recurrence_after(IDLE, 3, 3), None);
    assert_eq!(recurrence_after(IDLE, 4, 4), Some(Recurrence::Open), "the root itself may recur");
    assert_eq!(recurrence_after(IDLE, 5, 5), Some(Recurrence::Draw));
    assert_eq!(recurrence_after(IDLE, 5, 4), Some(Recurrence::Open));
    assert_eq!(recurrence_after(IDLE, 8, 0), Some(Recurrence::Draw), "the third occurrence ends a game");
}

#[test]
fn a_decision_is_anticipated_only_when_the_same_cycle_begins_again() {
    // The position after one ply occurs again after five, but was reached from the root the first time.
    assert_eq!(recurrence_after(CHECKS, 5, 5), Some(Recurrence::Win), "the same check again");
    assert_eq!(recurrence_after(CHECKS, 5, 4), Some(Recurrence::Open));
    // Only the first move of the second cycle: what follows lies in a cycle with positions that recurred.
    assert_eq!(recurrence_after(CHECKS, 6, 6), Some(Recurrence::AtMostDraw));
    // Another way into the cycle: its first recurrence closes it, the next one begins it again.
    for (plies, expected) in [(5, Recurrence::AtLeastDraw), (6, Recurrence::Loss)] {
        let way_in = moves("a7a9 d9d8 a9a8 d8d9 a8a9 d9d8").into_iter().take(plies);
        let position = after(start("3k5/9/R8/9/9/9/9/4K4/9/9 w"), way_in);
        let count = MoveCount::new(RuleSet::Computer, &position);
        assert_eq!(Rules::default().recurrence(&position, plies, count), Some(expected));
    }
    // Near the natural move limit neither side may still come round to the end of the cycle.
    let position = played(start("3k5/R8/9/9/9/9/9/4K4/9/9 w - - 115 60"), "a8a9 d9d8 a9a8 d8d9 a8a9");
    let count = MoveCount::new(RuleSet::Computer, &position);
    assert_eq!(Rules::default().recurrence(&position, 5, count), Some(Recurrence::AtLeastDraw));
    // By the rules `axf` the idle move before the first cycle makes the game a draw before the second one is complete.
    let position = played(start("2Ck5/9/9/9/9/9/9/9/4K4/R4cc2 b"), "d9d8 a0a9 g0g9 a9a0 g9g0 a0a9");
    let by = |set| Rules::new(set).recurrence(&position, 5, MoveCount::default()).unwrap();
    assert_eq!([RuleSet::Computer, RuleSet::Axf].map(by), [Recurrence::Loss, Recurrence::AtMostDraw]);
}

#[test]
fn nothing_recurs_across_captures_and_null_moves() {
    let mut position = played(Position::start(), "a0a1 a9a8");
    position.make_null(&mut ());
    position.make_null(&mut ());
    let position = played(position, "a1a0 a8a9");
    assert_eq!(Rules::default().recurrence(&position, 0, MoveCount::default()), None);
}

#[test]
fn a_position_that_ends_a_game_ends_a_search() {
    for case in cases().iter().filter(|case| case.id.starts_with(['A', 'D', 'F'])) {
        let position = after(start(case.fen), case.moves.iter().copied());
        let found = Rules::default().recurrence(&position, 0, MoveCount::new(RuleSet::Computer, &position));
        let expected = match Rules::default().verdict(&position) {
            Verdict::Continue => Recurrence::Open,
            Verdict::Draw(_) => Recurrence::Draw,
            Verdict::Win(side, _) if side == position.side() => Recurrence::Win,
            Verdict::Win(..) => Recurrence::Loss,
        };
        assert_eq!(found, Some(expected), "{}", case.id);
    }
}

/// Over random walks, the filter never misses a position that occurred before, and says so of few others.
#[test]
fn the_filter_misses_no_recurrence() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let (mut recurred, mut passed, mut wrong) = (0, 0, 0);
    for _ in 0..40 {
        let mut position = start("3k1a3/4N4/9/2R6/9/4n4/9/5A3/4K4/8r w");
        let plies = random.random_range(0..60);
        random_line(&mut position, plies, &mut random);
        let root = position.history().len();
        let mut occurrences = RepetitionFilter::default();
        occurrences.reset(position.history()[root - position.reversible_plies()..].iter().map(|played| played.key));
        for _ in 0..400 {
            let legal = position.legal_moves();
            let is_deep = position.history().len() > root + 120;
            if legal.is_empty() || is_deep || (position.history().len() > root && random.random_range(0..3) == 0) {
                position.unmake();
                occurrences.leave(position.key());
            } else if let Some(&mv) = legal.choose(&mut random) {
                occurrences.enter(position.key());
                position.make(mv);
            }
            let count = MoveCount::new(RuleSet::Computer, &position);
            let really = Rules::default().recurrence(&position, 0, count).is_some();
            let maybe = occurrences.may_contain(position.key());
            assert!(maybe || !really, "{position}");
            recurred += usize::from(really);
            passed += usize::from(!maybe);
            wrong += usize::from(maybe && !really);
        }
    }
    assert!(recurred > 200 && passed > 5_000 && wrong < passed / 10, "{recurred} {passed} {wrong}");
}
