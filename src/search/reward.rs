//! What a cut-off teaches about the moves of a node.

use super::history::Continuation;
use super::margins;
use super::worker::Worker;
use crate::types::Move;

impl Worker {
    /// Rewards the move that cut off and blames those tried before it.
    pub(super) fn reward(
        &mut self,
        ply: usize,
        mv: Move,
        depth: i32,
        before: [Continuation; 2],
        quiets_tried: &[Move],
        captures_tried: &[Move],
    ) {
        let bonus = margins::history_bonus(depth);
        let side = self.position.side();
        let position = &self.position;
        let Some(piece) = position.piece_on(mv.from()) else { return };
        if let Some(victim) = position.piece_on(mv.to()) {
            self.history.update_capture(piece, mv.to(), victim.kind(), bonus);
        } else {
            let killers = &mut self.frames[ply].killers;
            if killers[0] != mv {
                killers[1] = killers[0];
                killers[0] = mv;
            }
            self.history.set_counter(before[0], mv);
            self.history.update_quiet(side, piece, mv, before, bonus);
            for &quiet in quiets_tried {
                if let Some(piece) = position.piece_on(quiet.from()) {
                    self.history.update_quiet(side, piece, quiet, before, -bonus);
                }
            }
        }
        for &capture in captures_tried {
            if let (Some(piece), Some(victim)) = (position.piece_on(capture.from()), position.piece_on(capture.to())) {
                self.history.update_capture(piece, capture.to(), victim.kind(), -bonus);
            }
        }
    }
}
