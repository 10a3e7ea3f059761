//! Numbers of won, drawn and lost positions against a plain solver that shares nothing with the tables but the moves.

use std::collections::HashMap;

use chuhe::position::Position;
use chuhe::tablebase::{Counts, Metric};
use chuhe::types::Side;

use super::solved;
use crate::common::placements::{letters, placement, placements};

/// Solves all positions of these endings by sweeps over all of them until nothing changes: a position is won if a move
/// leads to a lost one, and lost if all moves lead to won ones. Positions of other endings are drawn. Returns the
/// counts of the last ending.
fn counts(endings: &[&str]) -> [Counts; 2] {
    let mut all: Vec<(usize, Position)> = Vec::new();
    for (number, ending) in endings.iter().enumerate() {
        for pieces in placements(&letters(ending)) {
            let positions = Side::BOTH.into_iter().filter_map(|side| placement(&pieces).position(side).ok());
            all.extend(positions.map(|position| (number, position)));
        }
    }
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
    for ((_, position), value) in all.iter().zip(values).filter(|((number, _), _)| *number == endings.len() - 1) {
        let counts = &mut counts[position.side().index()];
        counts.legal += 1;
        counts.won += u64::from(value == Some(true));
        counts.lost += u64::from(value == Some(false));
    }
    counts
}

#[test]
fn won_drawn_and_lost_positions_are_counted_with_both_mirror_images() {
    for endings in [["KNvK", "KNvKA"], ["KPvK", "KPPvK"]] {
        let tables = solved(&endings, Metric::Conversion);
        let found = tables.get(endings[1].parse().unwrap()).unwrap().statistics().counts;
        assert_eq!(found, counts(&endings), "{}", endings[1]);
    }
}
