//! What tables of endings say of a node.

use super::bounds::ValueBounds;
use super::worker::Worker;
use crate::tablebase::{Tablebases, Value as TableValue, draws_are_exact};
use crate::types::Value;
use crate::types::score::*;

impl Worker {
    /// What the tables say of the current position, `ply` plies below the root; `None` when they do not know it.
    ///
    /// They are asked right after captures only: where none happened they said it before, and the natural move limit
    /// has not begun to run, so that a win within its plies is one as far as the next capture.
    #[inline]
    pub(super) fn ruling_of_tables(&mut self, ply: usize) -> Option<ValueBounds> {
        let shelf = self.endings.as_deref()?;
        if self.position.plies_since_capture() > 0 || !shelf.may_contain(&self.position) {
            return None;
        }
        let ruling = ruling_of(shelf, self, ply)?;
        self.tbhits += 1;
        Some(ruling)
    }
}

#[cold]
fn ruling_of(shelf: &Tablebases, worker: &Worker, ply: usize) -> Option<ValueBounds> {
    let limit = worker.rules.move_limit;
    match shelf.value(&worker.position).ok()? {
        TableValue::Win(plies) if u16::from(plies) <= limit => {
            Some(ValueBounds { floor: TABLE_WIN - ply as Value, ..ValueBounds::OPEN })
        }
        TableValue::Loss(plies) if u16::from(plies) <= limit => {
            Some(ValueBounds { ceiling: -TABLE_WIN + ply as Value, ..ValueBounds::OPEN })
        }
        // Where both sides have attackers a draw may be a loss by perpetual checks.
        TableValue::Draw if draws_are_exact(&worker.position) => {
            Some(ValueBounds { floor: DRAW, ceiling: DRAW, ..ValueBounds::OPEN })
        }
        _ => None,
    }
}
