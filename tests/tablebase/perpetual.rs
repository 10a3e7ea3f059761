//! A position that the tables score as a draw and the rules of repetition as lost.

use std::collections::BTreeMap;

use chuhe::position::Position;
use chuhe::rules::{Rules, Verdict};
use chuhe::types::Side;

use crate::common::data::after;

/// Black to move. Red threatens mate by i5d5; Black can only check, and Red cannot leave the checks.
const FEN: &str = "3k5/2P6/9/9/8R/9/9/9/4K4/r8 b";

fn mates_at_once(position: &Position) -> bool {
    position.legal_moves().into_iter().any(|mv| {
        let next = after(position.clone(), [mv]);
        next.in_check() && !next.has_legal_move()
    })
}

/// Returns whether the king takes the piece that has just moved, which leaves Black without an attacker.
fn king_takes_rook(position: &Position) -> bool {
    position.legal_moves().into_iter().any(|mv| position.piece_on(mv.to()).is_some())
}

#[test]
fn repetition_as_a_draw_misses_a_loss_by_perpetual_check() {
    // All positions that Black's checks and Red's replies lead to, with Black to move.
    let mut open = vec![Position::from_fen(FEN).unwrap()];
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(position) = open.pop() {
        if seen.contains_key(&position.board_text()) {
            continue;
        }
        let mut checks = 0;
        for mv in position.legal_moves() {
            let next = after(position.clone(), [mv]);
            if !next.in_check() {
                assert!(mates_at_once(&next), "{position}: {mv} does not check and loses at once");
            } else if !king_takes_rook(&next) {
                checks += 1;
                open.extend(next.legal_moves().into_iter().map(|reply| after(next.clone(), [reply])));
            }
        }
        seen.insert(position.board_text(), checks);
    }
    // Black can always go on: with repetition as a draw neither side wins.
    assert!(seen.len() >= 3 && seen.values().all(|&checks| checks > 0), "{seen:?}");

    // The rules of repetition say otherwise.
    let mut position = Position::from_fen(FEN).unwrap();
    let cycle = ["a0a1", "e1e0", "a1a0", "e0e1"];
    for mv in cycle.iter().cycle().take(8) {
        assert_eq!(Rules::default().verdict(&position), Verdict::Continue);
        position.make(mv.parse().unwrap());
    }
    assert_eq!(Rules::default().verdict(&position).winner(), Some(Side::Red));
}
