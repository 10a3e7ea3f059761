//! Move generation, legality and attacks against the naive board, along random walks and on crowded boards.

use std::collections::{BTreeSet, HashSet};

use chuhe::position::{CheckInfo, CheckSquares, Position, Strictness};
use chuhe::types::{Move, MoveList, PieceKind, Side, Square};
use rand::RngExt;

use crate::common::naive::{Board, Point, Step, texts};
use crate::walks::{at_every_node, crowded_positions};

/// Returns what `generate` appends to a list that is not empty.
fn appended(generate: impl Fn(&mut MoveList)) -> MoveList {
    let mut list = MoveList::new();
    list.push(Move::NONE);
    generate(&mut list);
    assert_eq!(list.remove(0), Move::NONE, "what was in the list stays");
    list
}

/// Returns the points on which an attack depends: the attacker's, and those between on a line or the leg.
fn points_of_attack(board: &Board, attacker: Point, target: Point) -> Vec<Point> {
    let between = match board.man_on(attacker) {
        Some('N' | 'n') => vec![attacker.leg_towards(target)],
        _ => attacker.points_towards(target).collect(),
    };
    [vec![attacker], between].concat()
}

/// All generators of one position against the naive board.
fn check_generation(position: &Position) {
    let board = Board::of(position);
    let side = position.side();
    let pseudo_legal = texts(board.pseudo_legal_moves(side));
    let legal = texts(board.legal_moves(side));

    let generated = appended(|list| position.pseudo_legal_moves(list));
    assert_eq!(texts(&generated), pseudo_legal, "pseudo-legal moves of {position}");
    assert_eq!(texts(position.legal_moves()), legal, "legal moves of {position}");
    assert_eq!(position.has_legal_move(), !legal.is_empty(), "{position}");

    let captures = appended(|list| position.captures(list));
    let quiets = appended(|list| position.quiets(list));
    assert!(captures.iter().all(|mv| board.man_on(Point::of(mv.to())).is_some()), "captures of {position}");
    assert!(quiets.iter().all(|mv| board.man_on(Point::of(mv.to())).is_none()), "quiet moves of {position}");
    assert_eq!(texts(captures.iter().chain(&quiets)), pseudo_legal, "captures and quiet moves of {position}");

    let attacks_after = |mv: &Move| {
        let step = Step { from: Point::of(mv.from()), to: Point::of(mv.to()) };
        board.after(step).is_king_attacked(!side)
    };
    let checks: MoveList = quiets.iter().copied().filter(attacks_after).collect();
    let quiet_checks = appended(|list| position.quiet_checks(&CheckSquares::new(position), list));
    assert_eq!(quiet_checks, checks, "quiet checks of {position}, in the order of the quiet moves");

    let generated_evasions = appended(|list| position.evasions(list));
    let evasions = texts(&generated_evasions);
    if board.is_king_attacked(side) {
        assert!(evasions.is_sorted_by(|one, next| one < next), "an evasion of {position} is given twice");
        assert!(evasions.iter().all(|mv| pseudo_legal.binary_search(mv).is_ok()), "evasions of {position}");
        assert!(legal.iter().all(|mv| evasions.binary_search(mv).is_ok()), "evasions of {position}");
        let mut later = generated.iter();
        let is_in_order = generated_evasions.iter().all(|mv| later.any(|other| other == mv));
        assert!(is_in_order, "evasions of {position}, in the order of all moves");
        let king = Point::of(position.king(side));
        let attackers = position.attackers(position.king(side), !side).map(Point::of);
        let mut concerned: BTreeSet<Point> =
            attackers.flat_map(|attacker| points_of_attack(&board, attacker, king)).collect();
        concerned.insert(king);
        let concerns_check = |mv: &Move| [mv.from(), mv.to()].map(Point::of).iter().any(|at| concerned.contains(at));
        assert!(generated_evasions.iter().all(concerns_check), "evasions of {position} concern a check");
    } else {
        assert!(evasions.is_empty(), "{position} has no check to evade");
    }
}

/// Checks all predicates on a move before it is made against the naive board after it. Returns the number of moves that
/// give check without an attack by the piece that moves.
fn check_predicates(position: &Position) -> usize {
    let board = Board::of(position);
    let side = position.side();
    let (check_info, check_squares) = (CheckInfo::new(position), CheckSquares::new(position));
    let in_check = board.is_king_attacked(side);
    assert_eq!(position.in_check(), in_check, "{position}");
    assert_eq!(check_info.in_check(), in_check, "{position}");
    let mut after = position.clone();
    let (mut any_test_but_king, mut indirect_checks) = (false, 0);
    for step in board.pseudo_legal_moves(side) {
        let mv: Move = step.to_string().parse().expect("a move");
        let board_after = board.after(step);
        let is_legal = !board_after.is_king_attacked(side);
        assert_eq!(position.is_legal(mv), is_legal, "{mv} in {position}");
        assert_eq!(check_info.is_legal(position, mv), is_legal, "{mv} in {position}");
        assert!(is_legal || check_info.needs_test(mv), "{mv} in {position} is illegal and not tested");
        any_test_but_king |= check_info.needs_test(mv) && mv.from() != position.king(side);

        let gives_check = board_after.is_king_attacked(!side);
        assert_eq!(position.gives_check(mv), gives_check, "{mv} in {position}");
        assert_eq!(check_squares.gives_check(position, mv), gives_check, "{mv} in {position}");
        let attacks = board_after.king_of(!side).is_some_and(|king| board_after.reaches(step.to, king));
        indirect_checks += usize::from(gives_check && is_legal && !attacks);
        after.make(mv);
        assert_eq!(Board::of(&after), board_after, "{mv} in {position}");
        assert_eq!(after.in_check(), gives_check, "{mv} in {position}");
        assert_eq!(after.is_checked(side), !is_legal, "{mv} in {position}");
        after.unmake();
    }
    assert!(!check_info.only_king_moves() || !any_test_but_king, "{position}");
    indirect_checks
}

fn at_least(count: usize, least: usize, what: &str) {
    println!("{count} {what}");
    assert!(count >= least, "the walks met only {count} {what}");
}

#[test]
fn moves_are_those_of_the_rules() {
    let (mut nodes, mut checks, mut double_checks, mut ends) = (0, 0, 0, 0);
    at_every_node(1, 3, 60, |position, _| {
        check_generation(position);
        let checkers = Board::of(position).checkers(position.side());
        nodes += 1;
        checks += usize::from(checkers > 0);
        double_checks += usize::from(checkers > 1);
        ends += usize::from(!position.has_legal_move());
    });
    at_least(nodes, 5000, "positions");
    at_least(checks, 500, "checks");
    at_least(double_checks, 5, "double checks");
    at_least(ends, 20, "positions without a legal move");
}

#[test]
fn predicates_on_moves_agree_with_making_them() {
    let (mut nodes, mut discovered, mut indirect_checks) = (0, 0, 0);
    at_every_node(2, 2, 60, |position, _| {
        indirect_checks += check_predicates(position);
        nodes += 1;
        discovered += usize::from(!CheckInfo::new(position).only_king_moves());
    });
    at_least(nodes, 3000, "positions");
    at_least(discovered, 500, "positions with check_info");
    at_least(indirect_checks, 300, "checks by other pieces than the one that moves");
}

#[test]
fn checks_over_uncovered_lines_and_legs_and_new_screens_are_found() {
    for (fen, moves) in [
        // A pawn on the leg of two horses.
        ("4k4/2NP5/3N5/9/9/9/9/9/9/3K5 w - - 0 1", "d8d9 d8e8"),
        // A cannon that captures the second piece of its line, over the third.
        ("4k4/4a4/4b4/4N4/4C4/9/9/9/9/3K5 w - - 0 1", "e5e7"),
        // Cannons that face the king: one without a screen, so that any piece becomes one.
        ("4k4/9/3R5/9/4C4/9/4N4/9/9/3K5 w - - 0 1", "d7e7 d7d9"),
        // A rook behind its own cannon, which leaves the file.
        ("4k4/9/9/9/4C4/4R4/9/9/9/3K5 w - - 0 1", "e5a5 e5i5"),
        // A pawn on the line through the king that comes next to it, from before it and from beside it.
        ("4k4/9/4P4/9/9/9/9/9/9/3K5 w - - 0 1", "e7e8"),
        ("4k1P2/9/9/9/9/9/9/9/9/3K5 w - - 0 1", "g9f9"),
        // Captures along the line: the second piece becomes the first, the first becomes the second.
        ("4k4/9/9/4p4/9/4R4/9/9/9/3K5 w - - 0 1", "e4e6"),
        ("4k4/9/4C4/9/4N4/9/4p4/9/9/3K5 w - - 0 1", "e7e3"),
        // A horse that leaves a cannon with one screen instead of two: the second piece, the first, and on a rank.
        ("4k4/4a4/4N4/4C4/9/9/9/9/9/3K5 w - - 0 1", "e7c6 e7g6"),
        ("4k4/4N4/4b4/4C4/9/9/9/9/9/3K5 w - - 0 1", "e8c7 e8g7"),
        ("R1C1k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1", "c9c5"),
        // Own kings that are screens or would face the other one, which is no legal move but a check all the same.
        ("4k4/9/9/9/4N4/9/9/9/9/4K4 w - - 0 1", "e5c6"),
        ("4k4/9/9/4p4/9/9/9/9/4K4/4C4 w - - 0 1", "e1d1"),
    ] {
        let position = Position::from_fen(fen).unwrap();
        check_generation(&position);
        check_predicates(&position);
        let check_squares = CheckSquares::new(&position);
        for mv in moves.split_whitespace() {
            assert!(check_squares.gives_check(&position, mv.parse().unwrap()), "{mv} in {fen}");
        }
    }
}

/// A transposition table may return any 16 bits.
#[test]
fn of_all_sixteen_bit_moves_only_the_generated_are_pseudo_legal() {
    let mut nodes = 0;
    at_every_node(3, 1, 40, |position, random| {
        if !random.random_ratio(1, 5) {
            return;
        }
        nodes += 1;
        let board = Board::of(position);
        let bits = |text: String| text.parse::<Move>().expect("a move").bits();
        let pseudo_legal: HashSet<u16> =
            texts(board.pseudo_legal_moves(position.side())).into_iter().map(bits).collect();
        let legal: HashSet<u16> = texts(board.legal_moves(position.side())).into_iter().map(bits).collect();
        for mv in (0..=u16::MAX).map(Move::from_bits) {
            let is_pseudo_legal = position.is_pseudo_legal(mv);
            assert_eq!(is_pseudo_legal, pseudo_legal.contains(&mv.bits()), "{mv} ({}) in {position}", mv.bits());
            let is_legal = is_pseudo_legal && position.is_legal(mv);
            assert_eq!(is_legal, legal.contains(&mv.bits()), "{mv} in {position}");
        }
    });
    at_least(nodes, 200, "positions");
}

fn check_attackers(position: &Position) {
    let board = Board::of(position);
    for target in Square::all() {
        for side in Side::BOTH {
            let expected = texts(board.attackers(Point::of(target), side));
            assert_eq!(texts(position.attackers(target, side)), expected, "{side} on {target} in {position}");
            for kind in PieceKind::ALL {
                let is_attacked = position
                    .attackers(target, side)
                    .any(|from| position.piece_on(from).is_some_and(|piece| piece.kind() == kind));
                let squares = position.attacked_by(side, kind);
                assert_eq!(squares.contains(target), is_attacked, "{side} {kind:?} on {target} in {position}");
            }
            assert_eq!(position.is_attacked(target, side), !expected.is_empty(), "{side} on {target} in {position}");
            let is_occupied = position.piece_on(target).is_some_and(|piece| piece.side() == side);
            assert_eq!(position.occupied_by(side).contains(target), is_occupied, "{side} on {target} in {position}");
        }
    }
}

#[test]
fn attackers_are_the_pieces_that_could_capture() {
    at_every_node(4, 1, 60, |position, _| check_attackers(position));
}

#[test]
fn crowded_boards_follow_the_rules() {
    let (mut most_men, mut most_moves, mut double_checks) = (0, 0, 0);
    for position in crowded_positions(5, 300) {
        check_generation(&position);
        check_predicates(&position);
        check_attackers(&position);
        let mut list = MoveList::new();
        position.pseudo_legal_moves(&mut list);
        most_moves = most_moves.max(list.len());
        most_men = most_men.max(position.pieces().count());
        double_checks += usize::from(Board::of(&position).checkers(position.side()) > 1);
    }
    at_least(most_men, 45, "men on one board");
    at_least(most_moves, 140, "moves in one position");
    at_least(double_checks, 30, "double checks");
}

/// Board with the most moves found by a long hill climb.
#[test]
fn a_side_of_thirty_pieces_with_223_moves_fits_the_list() {
    let fen = "C1CRCkCR1/1R3C2R/C7R/R7R/R7R/C7C/3C4R/C6C1/1C6R/C1RKRRRR1 w";
    let position = Position::parse_fen(fen, Strictness::Lax).expect("a composed position").position;
    check_generation(&position);
    check_predicates(&position);
    check_attackers(&position);
    let mut list = MoveList::new();
    position.pseudo_legal_moves(&mut list);
    assert_eq!((list.len(), position.pieces().count()), (223, 31));
}
