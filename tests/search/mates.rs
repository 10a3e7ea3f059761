//! Mates in one to three are found, no longer than the collection says, and lines of full length end in mate.

use chuhe::engine::Engine;
use chuhe::position::Position;
use chuhe::search::Limits;
use chuhe::types::Value;
use chuhe::types::score::{MATE, is_mate};

const MATES: &str = include_str!("../data/mates.epd");

#[test]
fn mates_in_one_to_three_are_found_in_time() {
    let mut engine = Engine::with_hash(16).unwrap();
    let (mut found, mut played_out) = (0, 0);
    for line in MATES.lines().filter(|line| !line.starts_with('#')) {
        let (fen, distance) = line.split_once("\tdm ").unwrap();
        let plies = 2 * distance.parse::<usize>().unwrap() - 1;
        let position = Position::from_fen(fen).unwrap();
        engine.new_game();
        engine.set_position(position.clone());
        let outcome = engine.search(&Limits::depth(2 * plies + 6), &mut ()).unwrap();
        assert!(outcome.score >= MATE - plies as Value, "{line}: {} {:?}", outcome.score, outcome.line);
        // The line is legal and ends in mate where the score says so.
        let mut end = position;
        for &mv in &outcome.line {
            assert!(end.is_pseudo_legal(mv) && end.is_legal(mv), "{line}: {mv}");
            end.make(mv);
        }
        if outcome.line.len() as Value == MATE - outcome.score {
            assert!(!end.has_legal_move(), "{line}");
            played_out += 1;
        }
        found += 1;
    }
    assert_eq!(found, 120);
    assert!(played_out > 100, "only {played_out} lines were of full length");
}

#[test]
fn being_mated_or_stalemated_next_move_is_seen() {
    let mut engine = Engine::with_hash(1).unwrap();
    // Black can only wait; the rooks mate next move.
    engine.set_position(Position::from_fen("3k5/9/R8/7R1/9/9/9/9/4A4/4K4 b").unwrap());
    let outcome = engine.search(&Limits::depth(6), &mut ()).unwrap();
    assert!(is_mate(outcome.score) && outcome.score < 0, "{outcome:?}");
    // Taking away the last move wins as well as mate.
    engine.set_position(Position::from_fen("3k5/9/4R4/9/9/9/9/9/4A4/4K4 w").unwrap());
    let outcome = engine.search(&Limits::depth(4), &mut ()).unwrap();
    assert_eq!(outcome.score, MATE - 1, "{outcome:?}");
}
