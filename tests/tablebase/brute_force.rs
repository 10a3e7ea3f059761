//! Numbers of won, drawn and lost positions against a plain solver that shares nothing with the tables but the moves.

use std::collections::HashMap;

use chuhe::position::{Position, board_text};
use chuhe::tablebase::{Counts, Metric};
use chuhe::types::{Piece, PieceKind, Side, Square};

use super::solved;
use crate::common::naive::{Point, can_stand};

/// Returns the squares where a piece can stand.
fn squares(piece: Piece) -> Vec<Square> {
    Square::all().filter(|&square| can_stand(piece.letter(), Point::of(square))).collect()
}

/// Returns the legal positions with these pieces and `side` to move.
fn positions(pieces: &[Piece], side: Side) -> Vec<Position> {
    let mut boards: Vec<Vec<(Piece, Square)>> = vec![Vec::new()];
    for &piece in pieces {
        let squares = squares(piece);
        boards = boards
            .into_iter()
            .flat_map(|board| {
                let after = |&square: &Square| {
                    // Two pieces of a kind are one position, so the second stands on a later square.
                    let is_free = board
                        .iter()
                        .all(|&(other, at)| at != square && (other != piece || at.index() < square.index()));
                    is_free.then(|| board.iter().copied().chain([(piece, square)]).collect())
                };
                squares.iter().filter_map(after).collect::<Vec<_>>()
            })
            .collect();
    }
    let position = |board: Vec<(Piece, Square)>| {
        let text = board_text(|at| board.iter().find(|(_, square)| *square == at).map(|(piece, _)| *piece));
        let side = if side == Side::Red { 'w' } else { 'b' };
        Position::from_fen(&format!("{text} {side}")).ok()
    };
    boards.into_iter().filter_map(position).collect()
}

/// Solves all positions of these sets of pieces by sweeps over all of them until nothing changes: a position is won if
/// a move leads to a lost one, and lost if all moves lead to won ones. Positions of other pieces are drawn. Returns the
/// counts of the last set.
fn counts(sets: &[&[Piece]]) -> [Counts; 2] {
    let all: Vec<(usize, Position)> = sets
        .iter()
        .enumerate()
        .flat_map(|(set, pieces)| {
            Side::BOTH.into_iter().flat_map(move |side| positions(pieces, side)).map(move |position| (set, position))
        })
        .collect();
    let index: HashMap<u64, usize> = all.iter().enumerate().map(|(at, (_, position))| (position.key(), at)).collect();
    let successors: Vec<Vec<Option<usize>>> = all
        .iter()
        .map(|(_, position)| {
            position.legal_moves().into_iter().map(|mv| index.get(&position.key_after(mv)).copied()).collect()
        })
        .collect();
    let mut values: Vec<Option<bool>> = vec![None; all.len()];
    loop {
        let mut has_changed = false;
        for at in 0..all.len() {
            let value = |&to: &Option<usize>| to.and_then(|to| values[to]);
            if values[at].is_some() {
                continue;
            }
            let found = if successors[at].iter().any(|to| value(to) == Some(false)) {
                Some(true)
            } else if successors[at].iter().all(|to| value(to) == Some(true)) {
                Some(false)
            } else {
                None
            };
            has_changed |= found.is_some();
            values[at] = found;
        }
        if !has_changed {
            break;
        }
    }
    let mut counts = [Counts::default(); 2];
    for ((_, position), value) in all.iter().zip(values).filter(|((set, _), _)| *set == sets.len() - 1) {
        let counts = &mut counts[position.side().index()];
        counts.legal += 1;
        counts.won += u64::from(value == Some(true));
        counts.lost += u64::from(value == Some(false));
    }
    counts
}

#[test]
fn won_drawn_and_lost_positions_are_counted_with_both_mirror_images() {
    let red = |kind| Piece::new(Side::Red, kind);
    let [king, horse, pawn] = [PieceKind::King, PieceKind::Horse, PieceKind::Pawn].map(red);
    let (other_king, advisor) = (Piece::new(Side::Black, PieceKind::King), Piece::new(Side::Black, PieceKind::Advisor));
    let cases: [(&str, &[&[Piece]]); 2] = [
        ("KNvKA", &[&[king, other_king, horse], &[king, other_king, advisor, horse]]),
        ("KPPvK", &[&[king, other_king, pawn], &[king, other_king, pawn, pawn]]),
    ];
    for (ending, sets) in cases {
        let tables = solved(&[ending], Metric::Conversion);
        let found = tables.get(ending.parse().unwrap()).unwrap().statistics().counts;
        assert_eq!(found, counts(sets), "{ending}");
    }
}
