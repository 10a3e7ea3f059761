//! The picker returns every pseudo-legal move exactly once, whatever table move and histories are; the witness
//! is plain move generation.

use std::collections::HashSet;

use chuhe::position::{CheckSquares, Position, exchange_value};
use chuhe::search::{Continuation, History, HistoryKeys, Params, Picker, PickerMode, Stage};
use chuhe::types::{Move, MoveList, Piece, Square};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::walks::random_games;

/// A move that may or may not fit: one of the position's, any sixteen bits, or none.
fn some_move(position: &Position, random: &mut ChaCha8Rng) -> Move {
    let mut list = MoveList::new();
    position.pseudo_legal_moves(&mut list);
    match random.random_range(0..4) {
        0 => Move::NONE,
        1 => Move::from_bits(random.random()),
        _ => list.choose(random).copied().unwrap_or(Move::NONE),
    }
}

fn some_continuation(random: &mut ChaCha8Rng) -> Continuation {
    let piece = *Piece::ALL.choose(random).unwrap();
    let to = Square::from_index(random.random_range(0..90));
    if random.random() { Continuation::new(piece, to) } else { Continuation::NONE }
}

/// A history filled with chance, so that the order is any order.
fn random_history(random: &mut ChaCha8Rng, position: &Position, keys: &HistoryKeys) -> History {
    let mut history = History::new().unwrap();
    let mut list = MoveList::new();
    position.pseudo_legal_moves(&mut list);
    for mv in list {
        let piece = position.piece_on(mv.from()).unwrap();
        let bonus = random.random_range(-3000..3000);
        match position.piece_on(mv.to()) {
            Some(victim) => history.update_capture(piece, mv.to(), victim.kind(), bonus),
            None => history.update_quiet(position.side(), piece, mv, keys, bonus),
        }
    }
    history
}

/// A picker of all moves of a position.
fn all_moves(position: &Position, table_move: Move, keys: HistoryKeys) -> Picker {
    let (check_squares, mode) = (CheckSquares::new(position), PickerMode::All);
    Picker::new(position, check_squares, position.in_check(), mode, table_move, keys)
}

fn drain(picker: &mut Picker, position: &Position, history: &History) -> Vec<(Move, Stage)> {
    std::iter::from_fn(|| picker.next(position, history)).collect()
}

#[test]
fn every_pseudo_legal_move_comes_exactly_once() {
    random_games(21, 30, 100, |position, random| {
        let continuation = std::array::from_fn(|_| some_continuation(random));
        let keys = HistoryKeys::new(position, random.random_range(0..8), position.in_check(), continuation);
        let history = random_history(random, position, &keys);
        let table_move = some_move(position, random);
        let in_check = position.in_check();
        let mut picker = all_moves(position, table_move, keys);
        let picked = drain(&mut picker, position, &history);
        let unique: HashSet<Move> = picked.iter().map(|&(mv, _)| mv).collect();
        assert_eq!(unique.len(), picked.len(), "a move came twice in {position}: {picked:?}");

        let legal: HashSet<Move> = position.legal_moves().into_iter().collect();
        assert!(legal.is_subset(&unique), "a legal move is missing in {position}");
        assert!(unique.iter().all(|&mv| position.is_pseudo_legal(mv)));
        if !in_check {
            let mut list = MoveList::new();
            position.pseudo_legal_moves(&mut list);
            assert_eq!(unique, list.into_iter().collect(), "{position}");
            // Stages follow each other in their order.
            assert!(picked.is_sorted_by_key(|&(_, stage)| stage), "{picked:?}");
        }
        if position.is_pseudo_legal(table_move) && (!in_check || legal.contains(&table_move)) {
            assert_eq!(picked[0], (table_move, Stage::Table));
        }
    });
}

#[test]
fn captures_are_good_or_bad_by_static_exchange_and_quiets_can_be_skipped_or_restricted_to_checks() {
    random_games(22, 20, 100, |position, random| {
        if position.in_check() {
            return;
        }
        let keys = HistoryKeys::new(position, 0, false, [Continuation::NONE; 5]);
        let history = random_history(random, position, &keys);
        let mut picker = all_moves(position, Move::NONE, keys);
        picker.skip_quiets();
        let picked = drain(&mut picker, position, &history);
        let (mut captures, mut quiets) = (MoveList::new(), MoveList::new());
        position.captures(&mut captures);
        position.quiets(&mut quiets);
        quiets.retain(|mv| position.gives_check(*mv));
        assert_eq!(picked.len(), captures.len());
        for (mv, stage) in picked {
            // A valuable victim, or a capture that was good elsewhere, may cost a little.
            let (piece, victim) = (position.piece_on(mv.from()).unwrap(), position.piece_on(mv.to()).unwrap().kind());
            let rank = 10 * exchange_value(victim) + history.capture(piece, mv.to(), victim);
            let threshold = -rank / Params::default().order_exchange_divisor;
            let expected = if position.see_ge(mv, threshold) { Stage::GoodCaptures } else { Stage::BadCaptures };
            assert_eq!(stage, expected, "{mv} in {position}");
        }
        let good: HashSet<Move> = captures.iter().copied().filter(|&mv| position.see_ge(mv, 0)).collect();
        let checks: HashSet<Move> = quiets.iter().copied().collect();
        for (scope, expected_quiets) in
            [(PickerMode::Captures, HashSet::new()), (PickerMode::CapturesAndChecks, checks)]
        {
            // A quiet move of the table is no reason to hand it out, and no reason to leave it out if it gives check.
            let table_move = quiets.first().copied().unwrap_or(Move::NONE);
            let mut tactical = Picker::new(position, CheckSquares::new(position), false, scope, table_move, keys);
            let picked = drain(&mut tactical, position, &history);
            let of_stage = |wanted: Stage| -> HashSet<Move> {
                picked.iter().filter(|(_, stage)| *stage == wanted).map(|(mv, _)| *mv).collect()
            };
            assert_eq!(of_stage(Stage::GoodCaptures), good);
            assert_eq!(of_stage(Stage::Quiets), expected_quiets);
            assert_eq!(picked.len(), good.len() + expected_quiets.len());
        }
    });
}

#[test]
fn evasions_and_quiet_moves_come_by_their_whole_history_near_the_root_and_far_from_it() {
    let mut random = ChaCha8Rng::seed_from_u64(21);
    // No move gives check, and no piece is attacked or enters an attack. In the second position Red is in check, and a
    // horse can take the rook.
    for (fen, in_check) in [("3a1k3/9/9/9/9/9/9/9/9/N2K4N w", false), ("3a1k3/9/9/9/9/9/3r5/5N3/9/N2K5 w", true)] {
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(position.in_check(), in_check);
        let mut captures = 0;
        for ply in [0, 1, 20].repeat(20) {
            let continuation = std::array::from_fn(|_| some_continuation(&mut random));
            let keys = HistoryKeys::new(&position, ply, in_check, continuation);
            let history = random_history(&mut random, &position, &keys);
            let mut picker = all_moves(&position, Move::NONE, keys);
            let picked: Vec<Move> = drain(&mut picker, &position, &history).into_iter().map(|(mv, _)| mv).collect();
            let is_quiet = |mv: &&Move| position.piece_on(mv.to()).is_none();
            captures += picked.iter().take_while(|mv| !is_quiet(mv)).count();
            let quiets: Vec<Move> = picked.iter().filter(is_quiet).copied().collect();
            let rank = |mv: &Move| history.order(position.side(), position.piece_on(mv.from()).unwrap(), *mv, &keys);
            assert!(quiets.len() >= 2 && quiets.is_sorted_by_key(|mv| -rank(mv)), "ply {ply}: {picked:?}");
        }
        assert_eq!(captures, if in_check { 60 } else { 0 });
    }
}

/// The moves of `fen` in the order of their picking, with empty histories.
fn picked(fen: &str) -> Vec<(String, Stage)> {
    let position = Position::from_fen(fen).unwrap();
    let keys = HistoryKeys::new(&position, 0, false, [Continuation::NONE; 5]);
    let mut picker = all_moves(&position, Move::NONE, keys);
    let moves = drain(&mut picker, &position, &History::new().unwrap());
    moves.into_iter().map(|(mv, stage)| (mv.to_string(), stage)).collect()
}

fn place_of(moves: &[(String, Stage)], name: &str) -> usize {
    moves.iter().position(|(mv, _)| mv == name).unwrap_or_else(|| panic!("{name} is missing in {moves:?}"))
}

#[test]
fn quiet_checks_that_lose_nothing_come_before_other_quiet_moves() {
    // The rook checks along the file of the king, unless an elephant stands between.
    let moves = picked("2b1k4/9/9/9/9/9/9/9/R8/3K5 w - - 0 1");
    assert_eq!(moves[0].0, "a1e1", "{moves:?}");
    let moves = picked("2b1k4/9/4b4/9/9/9/9/9/R8/5K3 w - - 0 1");
    assert_ne!(moves[0].0, "a1e1", "{moves:?}");
    // Of two checks that on h9 loses the rook to the other one.
    let moves = picked("4k3r/9/9/9/9/9/9/9/7R1/3K5 w - - 0 1");
    assert_eq!(moves[0].0, "h1e1", "{moves:?}");
    assert!(place_of(&moves, "h1h9") > 1, "{moves:?}");
}

#[test]
fn pieces_leave_the_attacks_of_lesser_ones_and_do_not_enter_them() {
    // The horse on c2 attacks the rook on a1, and a3, b0, b4, d0, d4, e1 and e3 besides.
    let moves = picked("4k4/9/9/9/9/9/9/2n6/R8/5K3 w - - 0 1");
    let attacked = ["a1a3", "a1e1"].map(|mv| place_of(&moves, mv));
    let king = ["f0f1", "f0e0"].map(|mv| place_of(&moves, mv));
    let safe = ["a1a0", "a1a2", "a1a4", "a1b1", "a1f1"].map(|mv| place_of(&moves, mv));
    assert!(safe.iter().max() < king.iter().min(), "the rook flees before the king moves: {moves:?}");
    assert!(safe.iter().max() < attacked.iter().min(), "and not to where it is attacked again: {moves:?}");
}

#[test]
fn quiet_moves_with_a_bad_history_come_after_captures_that_lose_material() {
    let position = Position::from_fen("4k4/1n7/9/2p6/9/2R6/9/9/9/3K5 w - - 0 1").unwrap();
    let keys = HistoryKeys::new(&position, 0, false, [Continuation::NONE; 5]);
    let mut history = History::new().unwrap();
    let (capture, bad): (Move, Move) = ("c4c6".parse().unwrap(), "c4c0".parse().unwrap());
    let piece = position.piece_on(bad.from()).unwrap();
    (0..50).for_each(|_| history.update_quiet(position.side(), piece, bad, &keys, -5_000));
    let mut picker = all_moves(&position, Move::NONE, keys);
    let moves = drain(&mut picker, &position, &history);
    let place = |wanted: (Move, Stage)| moves.iter().position(|&picked| picked == wanted).unwrap();
    assert_eq!(place((bad, Stage::BadQuiets)), place((capture, Stage::BadCaptures)) + 2);
    // The pawn attacks c5; all other squares are better.
    assert_eq!(place(("c4c5".parse().unwrap(), Stage::BadQuiets)), moves.len() - 2);
    assert!(moves[..moves.len() - 3].iter().all(|(_, stage)| *stage == Stage::Quiets), "{moves:?}");
}
