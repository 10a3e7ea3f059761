//! Proves when a draw is offered and a game given up: only with leave, only in UCCI, and only in one and the same game.

use chuhe::position::Position;

use crate::harness::Program;
use crate::lines::{best_move, position};

/// Black has nothing to lose any more; Red's men are too far away for a mate that a glance would see.
const LOST: &str = "3ak4/4a4/9/9/9/9/9/9/4A4/R1BAK2NR b";
/// Nobody can win.
const EVEN: &str = "3akab2/9/4b4/9/9/9/9/4B4/9/2BAKA3 w";
/// Black is mated next move whatever it does.
const MATED: &str = "3k5/9/R8/7R1/9/9/9/9/4A4/4K4 b";

/// Lets the program play for the side to move, and answers with the first move that takes nothing.
fn answers(program: &mut Program, start: &str, moves: usize) -> Vec<String> {
    let mut position: Position = position(start);
    (0..moves)
        .map(|_| {
            program.say(&format!("position fen {position}"));
            program.say("go depth 1");
            let answer = program.answer();
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

fn with_word(answers: &[String], word: &str) -> Vec<usize> {
    (0..answers.len()).filter(|&index| answers[index].ends_with(word)).collect()
}

#[test]
fn a_lost_game_is_given_up_with_leave_only() {
    let mut program = Program::start();
    assert!(with_word(&answers(&mut program, LOST, 4), "resign").is_empty());
    program.say("setoption resign true");
    assert_eq!(with_word(&answers(&mut program, LOST, 4), " resign"), [2, 3], "after three lost moves in a row");
    program.say("uci");
    assert!(with_word(&answers(&mut program, LOST, 4), "resign").is_empty());
    program.leave();
}

#[test]
fn a_new_game_and_another_position_begin_the_count_anew() {
    let mut program = Program::start();
    program.say("setoption resign true");
    for between in ["setoption newgame", "ucinewgame", "go infinite"] {
        assert!(with_word(&answers(&mut program, LOST, 2), "resign").is_empty());
        program.say(between);
        if between == "go infinite" {
            program.say("stop");
            assert!(!program.answer().ends_with("resign"), "analysis gives nothing up");
        }
    }
    program.leave();
}

#[test]
fn who_is_about_to_be_mated_gives_up_at_once_but_not_when_a_draw_is_offered() {
    let mut program = Program::start_at(MATED);
    program.say("setoption resign on");
    for (go, word) in [("go depth 4", " resign"), ("go draw depth 4", " draw"), ("go depth 4", " resign")] {
        program.say(go);
        assert!(program.answer().ends_with(word), "{go}");
    }
    program.leave();
}

#[test]
fn a_guess_about_the_next_move_does_not_give_the_game_up() {
    let mut program = Program::start_at(MATED);
    program.say("setoption resign on");
    program.say("go ponder depth 4");
    program.say("stop");
    assert!(!program.answer().ends_with("resign"));
    program.say("go ponder depth 4");
    program.say("ponderhit");
    assert!(program.answer().ends_with(" resign"));
    program.leave();
}

#[test]
fn a_draw_is_offered_late_in_an_even_game_with_leave_only() {
    let mut program = Program::start();
    assert!(with_word(&answers(&mut program, EVEN, 45), "draw").is_empty());
    program.say("setoption drawoffers true");
    assert_eq!(with_word(&answers(&mut program, EVEN, 55), " draw"), [39, 49]);
    program.leave();
}
