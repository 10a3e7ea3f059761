//! The sentences in which verdicts are explained.

use chuhe::position::Position;
use chuhe::rules::{Reason, RuleSet, Rules, Verdict, Violation};
use chuhe::types::Side;

use crate::common::data::{after, moves, played, position as start};

fn reason(set: RuleSet, fen: &str, moves: &str) -> String {
    let verdict = Rules::new(set).verdict(&played(start(fen), moves));
    verdict.reason().map_or("none".to_owned(), |reason| reason.to_string())
}

const ROOK_CHECKS: &str = "3k5/R8/9/9/9/9/9/4K4/9/9 w - - 0 1";
const START: &str = chuhe::position::START_FEN;

#[test]
fn violation_side_pieces_squares_and_cycle_are_named() {
    let cases = [
        // The same cycle twice.
        (
            ROOK_CHECKS,
            "a8a9 d9d8 a9a8 d8d9",
            "Red's rook checks the king on d9 and d8 with every move of the cycle (plies 1-8)",
        ),
        (
            "2C6/3k5/9/9/9/9/9/9/4K4/R4cc2 w - - 0 1",
            "a0a9 g0g9 a9a0 g9g0",
            "Black's cannon chases the rook on a9 and a0 with every move of the cycle (plies 1-8)",
        ),
        (
            "2r6/5k3/1C7/9/1N7/6B2/9/2r6/4K4/2B1N4 w - - 0 1",
            "b5d4 c2b2 d4b5 b2c2",
            "Red's horse and cannon chase the rook on c2 and b2 with every move of the cycle (plies 1-8)",
        ),
        (
            "3kr4/2N6/1P1c5/3N5/9/9/9/5A3/4K4/3C5 w - - 0 1",
            "d6e4 d7e7 e4d6 e7d7",
            "Red's cannon checks the king on d9 and Black's cannon and rook check the king on e1 with every \
             move of the cycle (plies 1-8)",
        ),
        (
            START,
            "a0a1 a9a8 a1a0 a8a9",
            "the position has occurred 3 times; neither side checks or chases one piece with every move of the cycle (plies 1-8)",
        ),
        (
            "3k5/9/R8/9/9/9/9/4K4/9/9 w - - 0 1",
            "a7a9 d9d8 a9a7 d8d9",
            "the position has occurred 3 times; because of the checks in it no chase counts, and neither side checks with \
             every move of the cycle (plies 1-8)",
        ),
    ];
    for (fen, lap, expected) in cases {
        assert_eq!(reason(RuleSet::Computer, fen, &format!("{lap} {lap}")), expected);
    }
    // Occurrences are counted all the way, and plies from the start of the game.
    let sentence = reason(RuleSet::Computer, START, &"a0a1 a9a8 a1a0 a8a9 ".repeat(4));
    assert!(sentence.starts_with("the position has occurred 5 times; ") && sentence.ends_with("(plies 9-16)"));
    let lap = "h4h9 g4h2 h9h4 h2g4";
    let expected = "Red's cannon and rook chase the cannon on e4 with every move of the cycle (plies 3-10)";
    let fen = "9/4k4/9/9/2b6/3cc1nRC/p7P/5A3/4K4/2B6 w - - 0 1";
    assert_eq!(reason(RuleSet::Computer, fen, &format!("e1e0 a3a2 {lap} {lap}")), expected);
}

#[test]
fn equal_pieces_are_counted_and_lists_have_commas() {
    let sentence = |case: crate::cases::Case| {
        let position = after(start(case.fen), case.moves);
        Rules::default().verdict(&position).reason().expect("it is over").to_string()
    };
    let repetitions = crate::cases::cases().into_iter().filter(|case| case.id.starts_with(['A', 'D']));
    let sentences: Vec<String> = repetitions.map(sentence).collect();
    let has = |part: &str| sentences.iter().any(|sentence| sentence.contains(part));
    assert!(has("Red's two rooks chase the ") && has("Red's rook and two cannons chase the "), "{sentences:#?}");
    assert!(has("Red's cannon, horse and elephant chase the pawn on h4 and g4 with"), "{sentences:#?}");
    assert!(has("Red's horse and rook check the king on d9, e9 and f9 with"), "{sentences:#?}");
    assert!(has("Black's two rooks chase the cannon on b2 and the cannon on b9 with"), "{sentences:#?}");
    assert!(!has("rook and rook") && !has("cannon and cannon"), "{sentences:#?}");
}

#[test]
fn the_ends_of_games_are_named() {
    let cases = [
        (RuleSet::Computer, "R3k4/1R7/9/9/9/9/9/9/9/3K5 b", "", "Black is checkmated"),
        (RuleSet::Computer, "3k5/4R4/9/9/9/9/9/9/9/4K4 b", "", "Black has no legal move"),
        (RuleSet::Computer, "3ak4/4a4/4b4/9/9/9/9/4B4/4A4/3AK4 w", "", "neither side has enough pieces left to win"),
        (
            RuleSet::Computer,
            "4k4/4a4/4b4/9/9/4R4/9/4B4/4A4/4KA3 w - - 119 60",
            "e4a4",
            "the natural move limit is reached: no capture for 120 counted plies",
        ),
        (
            RuleSet::League,
            "4k4/4a4/4b4/9/9/4R4/9/4B4/4A4/4KA3 w - - 99 60",
            "e4a4",
            "the natural move limit is reached: no capture for 100 counted plies",
        ),
        (RuleSet::Computer, START, "", "none"),
    ];
    for (set, fen, moves, expected) in cases {
        assert_eq!(reason(set, fen, moves), expected, "{fen}");
    }
}

#[test]
fn every_move_of_the_cycle_is_accounted_for() {
    let lap = "b5d4 c2b2 d4b5 b2c2";
    let moves = moves(&format!("{lap} {lap}"));
    let position = after(start("2r6/5k3/1C7/9/1N7/6B2/9/2r6/4K4/2B1N4 w - - 0 1"), moves.iter().copied());
    let Verdict::Win(Side::Black, Reason::Repetition(cycle)) = Rules::default().verdict(&position) else {
        panic!("Red chases");
    };
    assert_eq!(cycle.moves.iter().map(|mv| mv.mv).collect::<Vec<_>>(), moves);
    assert_eq!((cycle.plies(), cycle.loser(), cycle.most_serious()), ((1, 8), Some(Side::Red), Violation::Chase));
    for (index, mv) in cycle.moves.iter().enumerate() {
        assert_eq!((mv.ply, mv.side), (index + 1, Side::BOTH[index % 2]));
        if mv.side == Side::Red {
            // The victim ends where it is now, on c2, and so its identity is the same all the way.
            assert!(mv.chases.iter().any(|chase| chase.victim.identity.to_string() == "c2"), "{mv:?}");
        }
        assert!(mv.checkers.is_empty());
    }
}

#[test]
fn the_moment_of_decision_is_found_again() {
    let lap = "a8a9 d9d8 a9a8 d8d9";
    let position = played(start(ROOK_CHECKS), &format!("{lap} {lap} a8a7 d9d8"));
    let rules = Rules::default();
    assert_eq!(rules.verdict(&position), Verdict::Continue);
    let (plies, verdict) = rules.first_decision(&position).expect("the game was over");
    assert_eq!((plies, verdict.winner()), (8, Some(Side::Black)));
    assert_eq!(rules.first_decision(&Position::start()), None);
}
