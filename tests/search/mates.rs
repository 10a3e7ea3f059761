//! Mates in one to three are found, no longer than the collection says, and lines of full length end in mate.

use chuhe::search::Limits;
use chuhe::types::Value;
use chuhe::types::score::{MATE, is_mate};

use crate::common::data::{mates, position};
use crate::common::network::test_engine;

#[test]
fn mates_in_one_to_three_are_found_in_time() {
    let mut engine = test_engine();
    let mates = mates();
    let mut played_out = 0;
    for &(fen, moves) in &mates {
        let plies = 2 * moves - 1;
        let position = position(fen);
        engine.new_game();
        engine.set_position(position.clone());
        // Far more nodes than it takes, whatever the search prunes.
        let limits = Limits { mate: Some(moves), ..Limits::nodes(2_000_000) };
        let outcome = engine.search(&limits, &mut ()).unwrap();
        assert!(outcome.score >= MATE - plies as Value, "{fen}: {} {:?}", outcome.score, outcome.line);
        // The line is legal and ends in mate where the score says so.
        let mut end = position;
        for &mv in &outcome.line {
            assert!(end.is_pseudo_legal(mv) && end.is_legal(mv), "{fen}: {mv}");
            end.make(mv);
        }
        if outcome.line.len() as Value == MATE - outcome.score {
            assert!(!end.has_legal_move(), "{fen}");
            played_out += 1;
        }
    }
    assert_eq!(mates.len(), 120, "the collection is whole");
    assert!(played_out > 100, "only {played_out} lines were of full length");
}

#[test]
fn being_mated_or_stalemated_next_move_is_seen() {
    let mut engine = test_engine();
    // Black can only wait; the rooks mate next move.
    engine.set_position(position("3k5/9/R8/7R1/9/9/9/9/4A4/4K4 b"));
    let outcome = engine.search(&Limits::depth(6), &mut ()).unwrap();
    assert!(is_mate(outcome.score) && outcome.score < 0, "{outcome:?}");
    // Taking away the last move wins as well as mate.
    engine.set_position(position("3k5/9/4R4/9/9/9/9/9/4A4/4K4 w"));
    let outcome = engine.search(&Limits::depth(4), &mut ()).unwrap();
    assert_eq!(outcome.score, MATE - 1, "{outcome:?}");
}
