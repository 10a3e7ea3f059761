//! Verification of a table against the values of successor positions.
//!
//! Uses the regular move generator, one position at a time, so only the index and the values after captures are shared
//! with the analysis.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use thiserror::Error;

use super::layout::PositionIndex;
use super::slice_board::SliceBoard;
use super::table::Table;
use super::value::{Metric, TablebaseValue};
use crate::counting::Placement;
use crate::position::Position;
use crate::types::{Move, Side};
use crate::util::parallel::map_indices;

/// Position whose value contradicts its successors.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{fen}: the table has {found:?}, but the successors give {expected:?}")]
pub struct VerifyError {
    pub fen: String,
    pub found: TablebaseValue,
    pub expected: TablebaseValue,
}

/// Returns the legal moves of a position with the values they give it. `value` returns the value of a successor for its
/// side to move.
pub(super) fn valued_moves<E>(
    position: &Position,
    metric: Metric,
    mut value: impl FnMut(&Placement, Side) -> Result<TablebaseValue, E>,
) -> Result<Vec<(Move, TablebaseValue)>, E> {
    let placement = Placement::from_position(position);
    let with_value = |mv: Move| {
        let captures = position.piece_on(mv.to()).is_some();
        let mut after = placement;
        after.put(mv.from(), None);
        after.put(mv.to(), position.piece_on(mv.from()));
        let value = value(&after, !position.side())?;
        Ok((mv, value.before(captures && metric == Metric::Conversion)))
    };
    position.legal_moves().into_iter().map(with_value).collect()
}

/// Derives the value of a position from its successors. `value` returns the value of a successor for its side to move.
pub fn value_from_successors<E>(
    position: &Position,
    metric: Metric,
    value: impl FnMut(&Placement, Side) -> Result<TablebaseValue, E>,
) -> Result<TablebaseValue, E> {
    let values = valued_moves(position, metric, value)?.into_iter().map(|(_, value)| value);
    Ok(values.max_by_key(|value| value.sort_key()).unwrap_or(TablebaseValue::Loss(0)))
}

/// Verifies the positions of every `stride`-th slice of a table (1 verifies all) and returns their number. `value`
/// returns the values of positions after captures; `report` receives the number of finished slices.
/// The error is a position whose value does not follow from its successors.
pub fn verify(
    table: &Table,
    stride: usize,
    threads: usize,
    value: impl Fn(&Placement, Side) -> TablebaseValue + Sync,
    report: impl Fn(u64) + Sync,
) -> Result<u64, VerifyError> {
    let layout = &table.layout;
    let stride = stride.max(1);
    let (checked, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let is_over = AtomicBool::new(false);
    let successor =
        |after: &Placement, side| Ok::<_, Infallible>(table.value(after, side).unwrap_or_else(|| value(after, side)));
    let found = map_indices(threads, layout.slices.div_ceil(stride), |piece, found: &mut Vec<VerifyError>| {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let slice = piece * stride;
        let fixed = layout.fixed_pieces(slice);
        let stored = layout.stored_squares(&fixed);
        let Some(board) = SliceBoard::new(layout, fixed) else { return };
        for free_square in (board.free_squares & stored).iter() {
            let placement = board.placement(free_square);
            for side in Side::BOTH {
                let Ok(position) = placement.position(side) else { continue };
                let Ok(expected) = value_from_successors(&position, table.metric, successor);
                let here = table.value_at(PositionIndex { slice, free_square }, side);
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
    found.into_iter().next().map_or(Ok(checked.into_inner()), Err)
}
