//! Whether a table agrees with itself: every value derived anew from those of the positions one move further.
//!
//! The moves are those of the ordinary generator, one position at a time, so that nothing is shared with the analysis
//! but the numbering and the values after captures.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use thiserror::Error;

use super::layout::Place;
use super::parallel::in_parallel;
use super::table::Table;
use super::value::{Metric, Value};
use crate::census::Placement;
use crate::position::Position;
use crate::types::{Move, Side};

/// A position whose value does not follow from those of its successors.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{fen}: the table says {found:?}, its successors say {expected:?}")]
pub struct Contradiction {
    /// The position.
    pub fen: String,
    /// What the table says.
    pub found: Value,
    /// What follows from its successors.
    pub expected: Value,
}

/// The value of a position that follows from those of its successors, which `value` tells: each for the side to move in
/// it. Its last argument says whether the ending is another one, after a capture.
///
/// # Errors
/// Whatever `value` cannot tell.
pub fn value_from_successors<E>(
    position: &Position,
    metric: Metric,
    mut value: impl FnMut(&Placement, Side, bool) -> Result<Value, E>,
) -> Result<Value, E> {
    let placement = Placement::of(position);
    let mut best = None;
    for mv in position.legal_moves() {
        let captures = position.piece_on(mv.to()).is_some();
        let after = value(&after_move(&placement, position, mv), !position.side(), captures)?;
        let here = after.before(captures && metric == Metric::Conversion);
        best = best.max(Some(Preference(here)));
    }
    Ok(best.map_or(Value::Loss(0), |best| best.0))
}

/// The men after a move.
pub(super) fn after_move(placement: &Placement, position: &Position, mv: Move) -> Placement {
    let mut after = *placement;
    after.put(mv.from(), None);
    after.put(mv.to(), position.piece_on(mv.from()));
    after
}

/// Values in the order in which a player prefers them: wins soon, then draws, then losses late.
#[derive(PartialEq, Eq, Clone, Copy)]
pub(super) struct Preference(pub Value);

impl Preference {
    fn rank(self) -> i32 {
        match self.0 {
            Value::Win(plies) => 1000 - i32::from(plies),
            Value::Draw => 0,
            Value::Loss(plies) => i32::from(plies) - 1000,
        }
    }
}

impl Ord for Preference {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Preference {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Checks the positions of a table: one slice of every `stride` (1 checks all), and tells how many positions those
/// were. `value` tells the values of all positions that moves from there lead to; `report` hears of slices done.
///
/// # Errors
/// The first position found whose value does not follow from those of its successors.
pub fn verify(
    table: &Table,
    stride: usize,
    threads: usize,
    value: impl Fn(&Placement, Side) -> Value + Sync,
    report: impl Fn(u64) + Sync,
) -> Result<u64, Contradiction> {
    let layout = &table.layout;
    let stride = stride.max(1);
    let checked = AtomicU64::new(0);
    let done = AtomicU64::new(0);
    let is_over = AtomicBool::new(false);
    let found = in_parallel(threads, layout.slices().div_ceil(stride), |piece, found: &mut Vec<Contradiction>| {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let slice = piece * stride;
        let statics = layout.statics(slice);
        for rover in (layout.rover_points() & layout.first_places(slice)).iter() {
            if layout.is_taken(&statics, rover) {
                continue;
            }
            let placement = layout.placement(&statics, rover);
            for side in Side::BOTH {
                let Ok(position) = placement.position(side) else { continue };
                let successor = |after: &Placement, side, captures| {
                    let here = if captures { None } else { table.value(after, side) };
                    Ok::<_, Infallible>(here.unwrap_or_else(|| value(after, side)))
                };
                let Ok(expected) = value_from_successors(&position, table.metric, successor);
                let here = table.value_at(Place { slice, rover }, side);
                checked.fetch_add(1, Ordering::Relaxed);
                if here != expected {
                    is_over.store(true, Ordering::Relaxed);
                    found.push(Contradiction { fen: placement.fen(side), found: here, expected });
                    return;
                }
            }
        }
        report(done.fetch_add(1, Ordering::Relaxed) + 1);
    });
    match found.into_iter().next() {
        Some(contradiction) => Err(contradiction),
        None => Ok(checked.into_inner()),
    }
}
