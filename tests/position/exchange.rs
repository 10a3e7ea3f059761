//! Static exchange evaluation against exchanges played out, and statistically against all orders of captures.

use std::collections::HashSet;

use chuhe::position::{Position, exchange_value};
use chuhe::types::{Move, MoveList, PieceKind, Value};
use rand::RngExt;

use crate::walks::{at_every_node, crowded_positions};

/// The legal captures on the target of `mv`, after it.
fn recaptures(position: &Position, mv: Move) -> MoveList {
    let mut list = MoveList::new();
    position.captures(&mut list);
    list.retain(|reply| reply.to() == mv.to() && position.is_legal(*reply));
    list
}

fn kind_on_start(position: &Position, mv: Move) -> PieceKind {
    position.piece_on(mv.from()).expect("a piece moves").kind()
}

/// Returns the value of `mv` when the sides may recapture in turn, or stop, with the pieces that `choose` prefers.
fn played_out(position: &mut Position, mv: Move, choose: &impl Fn(&Position, MoveList) -> MoveList) -> Value {
    let victim = position.piece_on(mv.to()).map(|victim| victim.kind());
    let gain = victim.map_or(0, exchange_value);
    position.make(mv);
    let replies = choose(position, recaptures(position, mv));
    let best_reply = replies.into_iter().map(|reply| played_out(position, reply, choose)).max().unwrap_or(0);
    position.unmake();
    gain - best_reply.max(0)
}

fn least_valuable(position: &Position, replies: MoveList) -> MoveList {
    replies
        .into_iter()
        .min_by_key(|&reply| (exchange_value(kind_on_start(position, reply)), reply.from()))
        .into_iter()
        .collect()
}

fn every(_: &Position, replies: MoveList) -> MoveList {
    replies
}

/// Checks that every legal move reaches its value and not a centipawn more.
fn check_exchanges(position: &Position, thresholds: &[Value]) {
    let mut board = position.clone();
    for mv in position.legal_moves() {
        let value = played_out(&mut board, mv, &least_valuable);
        let near = [value - 1, value, value + 1];
        for &threshold in thresholds.iter().chain(&near) {
            let yields = position.see_ge(mv, threshold);
            assert_eq!(yields, value >= threshold, "{mv} in {position} yields {value}, asked for {threshold}");
        }
    }
}

#[test]
fn see_equals_exchanges_played_out() {
    at_every_node(41, 4, 60, |position, random| {
        let thresholds: [Value; 4] = [0, 1, random.random_range(-1000..1000), random.random_range(-25_000..25_000)];
        check_exchanges(position, &thresholds);
    });
}

/// Long exchanges, with many pieces behind each other on the lines of one square.
#[test]
fn see_of_long_exchanges() {
    for position in crowded_positions(42, 2000) {
        check_exchanges(&position, &[0, 1, -100, 100]);
    }
}

#[test]
fn no_piece_recaptures_that_would_leave_its_king_in_check() {
    // The cannon pins the advisor on e8, and the king would face the other one on file f.
    for (cannon, king, is_safe) in [("C", "5KB2", true), ("1", "5KB2", false), ("C", "4K1B2", false)] {
        let fen = format!("2bak4/3ra4/4b4/1c2{cannon}4/4P4/5R3/9/3AB4/4A4/{king} w");
        let position = Position::from_fen(&fen).unwrap();
        assert_eq!(position.see_ge("f4f9".parse().unwrap(), 0), is_safe, "{fen}");
    }
}

/// The least valuable piece is not always the best to capture with: another one may uncover or screen a line. Counts
/// how often that changes the sign of an exchange.
#[test]
fn capturing_with_the_least_valuable_piece_is_nearly_always_best() {
    let (mut captures, mut differing) = (0u32, 0u32);
    let mut seen = HashSet::new();
    at_every_node(43, 12, 60, |position, _| {
        let mut board = position.clone();
        let mut list = MoveList::new();
        position.captures(&mut list);
        // A walk may come back, and all walks of one start meet there.
        list.retain(|mv| position.is_legal(*mv) && seen.insert(position.key_after(*mv)));
        for mv in list {
            captures += 1;
            differing += u32::from(position.see_ge(mv, 0) != (played_out(&mut board, mv, &every) >= 0));
        }
    });
    assert!(captures > 20_000, "only {captures} captures were met");
    assert!(differing * 500 < captures, "{differing} of {captures} captures differ");
}
