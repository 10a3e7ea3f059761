//! Whether a table agrees with itself: every value derived anew from those of the positions one move further.
//!
//! The moves are those of the ordinary generator, one position at a time, so that nothing is shared with the analysis
//! but the numbering and the values after captures.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use thiserror::Error;

use super::layout::Place;
use super::parallel::in_parallel;
use super::slice_board::SliceBoard;
use super::table::Table;
use super::value::{Metric, Value};
use crate::counting::Placement;
use crate::position::Position;
use crate::types::{Move, Side};

/// A position whose value does not follow from those of its successors.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{fen}: the table says {found:?}, its successors say {expected:?}")]
pub struct VerifyError {
    /// The position.
    pub fen: String,
    /// What the table says.
    pub found: Value,
    /// What follows from its successors.
    pub expected: Value,
}

/// The legal moves of a position with the value that each gives it. `value` tells the values of the positions they lead
/// to, each for the side to move in it; its last argument says whether the ending is another one, after a capture.
///
/// # Errors
/// Whatever `value` cannot tell.
pub(super) fn valued_moves<E>(
    position: &Position,
    metric: Metric,
    mut value: impl FnMut(&Placement, Side, bool) -> Result<Value, E>,
) -> Result<Vec<(Move, Value)>, E> {
    let placement = Placement::of(position);
    let with_value = |mv: Move| {
        let captures = position.piece_on(mv.to()).is_some();
        let mut after = placement;
        after.put(mv.from(), None);
        after.put(mv.to(), position.piece_on(mv.from()));
        let value = value(&after, !position.side(), captures)?;
        Ok((mv, value.before(captures && metric == Metric::Conversion)))
    };
    position.legal_moves().into_iter().map(with_value).collect()
}

/// The value of a position that follows from those of its successors, which `value` tells: each for the side to move in
/// it. Its last argument says whether the ending is another one, after a capture.
///
/// # Errors
/// Whatever `value` cannot tell.
pub fn value_from_successors<E>(
    position: &Position,
    metric: Metric,
    value: impl FnMut(&Placement, Side, bool) -> Result<Value, E>,
) -> Result<Value, E> {
    let values = valued_moves(position, metric, value)?.into_iter().map(|(_, value)| value);
    Ok(values.max_by_key(|value| value.preference()).unwrap_or(Value::Loss(0)))
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
) -> Result<u64, VerifyError> {
    let layout = &table.layout;
    let stride = stride.max(1);
    let checked = AtomicU64::new(0);
    let done = AtomicU64::new(0);
    let is_over = AtomicBool::new(false);
    let found = in_parallel(threads, layout.slices().div_ceil(stride), |piece, found: &mut Vec<VerifyError>| {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let slice = piece * stride;
        let Some(scene) = SliceBoard::new(layout, layout.statics(slice)) else { return };
        for rover in (scene.rover_places() & layout.first_places(slice)).iter() {
            let placement = scene.placement(rover);
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
                    found.push(VerifyError { fen: placement.fen(side), found: here, expected });
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
