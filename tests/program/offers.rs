//! Tests draw offers and resignation: only if the options allow them, only in UCCI, and only within one game; and the
//! answer to an offer.

use chuhe::position::Position;

use crate::harness::{MATE_IN_ONE, Program};
use crate::lines::{best_move, position};

/// Black is lost, but Red's pieces are too far away for a mate within the search depth.
const LOST: &str = "3ak4/4a4/9/9/9/9/9/9/4A4/R1BAK2NR b";
const EVEN: &str = "3akab2/9/4b4/9/9/9/9/4B4/9/2BAKA3 w";
/// Black is mated next move whatever it does.
const MATED: &str = "3k5/9/R8/7R1/9/9/9/9/4A4/4K4 b";

/// The side with the rook wins; there are only defenders otherwise.
const ROOK_AHEAD: &str = "3ak4/9/9/9/9/9/9/9/4A4/4K3R w - - 0 1";
const ROOK_BEHIND: &str = "3ak4/9/9/9/9/9/9/9/4A4/4K3R b - - 0 1";

/// Lets the program play for the side to move, and replies with the first quiet move.
fn answers(program: &mut Program, start: &str, moves: usize) -> Vec<String> {
    let mut position: Position = position(start);
    (0..moves)
        .map(|_| {
            program.say(&format!("position fen {position}"));
            let answer = program.go("go depth 1").pop().unwrap();
            position.make(best_move(&answer).parse().expect("it is a move"));
            let replies = position.legal_moves();
            let is_quiet = |position: &Position| !position.in_check() && position.has_legal_move();
            let reply = replies.iter().copied().find(|&reply| {
                let mut after = position.clone();
                after.make(reply);
                position.piece_on(reply.to()).is_none() && is_quiet(&after)
            });
            position.make(reply.expect("there is a quiet reply"));
            answer
        })
        .collect()
}

fn with_offer(answers: &[String], offer: &str) -> Vec<usize> {
    (0..answers.len()).filter(|&index| answers[index].ends_with(offer)).collect()
}

#[test]
fn the_engine_resigns_a_lost_game_only_if_allowed() {
    let mut program = Program::start();
    program.use_test_network();
    assert!(with_offer(&answers(&mut program, LOST, 4), "resign").is_empty());
    program.say("setoption resign true");
    assert_eq!(with_offer(&answers(&mut program, LOST, 4), " resign"), [2, 3], "after three lost moves in a row");
    program.say("uci");
    assert!(with_offer(&answers(&mut program, LOST, 4), "resign").is_empty());
    program.leave();
}

#[test]
fn a_new_game_or_another_position_resets_the_count() {
    let mut program = Program::start();
    program.use_test_network();
    program.say("setoption resign true");
    for between in ["setoption newgame", "ucinewgame", "go infinite"] {
        assert!(with_offer(&answers(&mut program, LOST, 2), "resign").is_empty());
        program.say(between);
        if between == "go infinite" {
            program.say("stop");
            assert!(!program.answer().ends_with("resign"), "no resignation in analysis");
        }
    }
    program.leave();
}

#[test]
fn an_offer_depends_on_the_position_and_on_that_of_the_opponent() {
    let mut program = Program::start();
    program.say("setoption resign on");
    for (fen, go, offer) in [
        (ROOK_BEHIND, "go draw depth 5", " draw"),
        (ROOK_BEHIND, "go draw time 300 increment 0 opptime 300 oppincrement 0", " draw"),
        (ROOK_BEHIND, "go ponder depth 4\nponderhit draw", " draw"),
        // The offer was for one move.
        (ROOK_BEHIND, "go depth 3", ""),
        (ROOK_AHEAD, "go draw depth 5", ""),
        (MATE_IN_ONE, "go draw depth 5", ""),
        (MATED, "go depth 4", " resign"),
        (MATED, "go draw depth 4", " draw"),
        (MATED, "go ponder depth 4\nstop", ""),
        (MATED, "go ponder depth 4\nponderhit", " resign"),
    ] {
        let answer = program.go(&format!("position fen {fen}\n{go}")).pop().unwrap();
        let found = [" draw", " resign"].into_iter().find(|offer| answer.ends_with(offer)).unwrap_or_default();
        assert_eq!(found, offer, "{fen}: {go}: {answer}");
    }
    program.leave();
}

#[test]
fn a_draw_is_offered_late_in_an_even_game_only_if_allowed() {
    let mut program = Program::start();
    program.use_test_network();
    assert!(with_offer(&answers(&mut program, EVEN, 45), "draw").is_empty());
    program.say("setoption drawoffers true");
    assert_eq!(with_offer(&answers(&mut program, EVEN, 55), " draw"), [39, 49]);
    program.leave();
}
