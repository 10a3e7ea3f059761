//! What a search keeps for each ply of the line it is looking at.

use arrayvec::ArrayVec;

use super::history::Continuation;
use super::picker::Refutations;
use crate::position::CheckInfo;
use crate::rules::MoveCount;
use crate::types::score::MAX_PLY;
use crate::types::{Move, Value};

/// A principal variation.
#[derive(Clone, Default, Debug)]
pub struct Line(ArrayVec<Move, { MAX_PLY + 1 }>);

impl Line {
    /// The moves.
    pub fn moves(&self) -> &[Move] {
        &self.0
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Becomes `mv` followed by `rest`.
    pub(super) fn set(&mut self, mv: Move, rest: &Line) {
        self.0.clear();
        self.0.push(mv);
        let room = self.0.remaining_capacity().min(rest.0.len());
        self.0.extend(rest.0[..room].iter().copied());
    }
}

/// One ply of the line under examination.
#[derive(Clone)]
pub(super) struct Frame {
    /// The legality suspects of the position; set by whoever made the move to it.
    pub suspects: CheckInfo,
    /// How far the position is on its way to the natural move limit; set with `suspects`.
    pub count: MoveCount,
    /// The static evaluation; [`Frame::NO_EVALUATION`] when in check.
    pub evaluation: Value,
    /// Quiet moves that cut off here lately.
    pub killers: [Move; 2],
    /// The move that is left out while all others are searched; [`Move::NONE`] otherwise.
    pub excluded: Move,
    /// The move being tried here.
    pub mv: Move,
    /// The same move as a key of continuation history.
    pub continuation: Continuation,
    /// The best line found from here.
    pub line: Line,
}

impl Frame {
    /// Stands for the evaluation of a position in check.
    pub const NO_EVALUATION: Value = -crate::types::score::INFINITE;

    /// A ply that nothing is known of.
    pub fn new(suspects: CheckInfo) -> Frame {
        Frame {
            suspects,
            count: MoveCount::default(),
            evaluation: Frame::NO_EVALUATION,
            killers: Refutations::NONE.killers,
            excluded: Move::NONE,
            mv: Move::NONE,
            continuation: Continuation::NONE,
            line: Line::default(),
        }
    }
}
