//! Values of all positions of one ending in memory.

use super::layout::{Layout, PositionIndex};
use super::slice_board::SliceBoard;
use super::value::{Metric, TablebaseValue};
use crate::counting::{Placement, Signature};
use crate::types::{Side, Square, SquareSet};

/// Squares of the free piece that win and lose, for one slice and side to move.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct WinLossBits {
    pub wins: SquareSet,
    pub losses: SquareSet,
}

/// Values of one ending, with the stronger material as Red's.
pub struct Table {
    pub(super) layout: Layout,
    pub(super) metric: Metric,
    /// By slice and side to move.
    pub(super) decided: Vec<[WinLossBits; 2]>,
    /// By slice, side to move and square of the free piece; undefined in drawn positions.
    pub(super) plies: Vec<u8>,
}

impl Table {
    /// Material of the ending.
    pub fn signature(&self) -> Signature {
        self.layout.signature()
    }

    /// Metric of the plies.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Returns the numbers of legal, won and lost positions and the longest win.
    pub fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        for (slice, sides) in self.decided.iter().enumerate() {
            let fixed = self.layout.fixed_pieces(slice);
            // A slice stands for its mirror image as well, unless that is stored as a slice of its own.
            let images = if self.layout.mirror_slice_of(&fixed).is_some() { 1 } else { 2 };
            let Some(board) = SliceBoard::new(&self.layout, fixed) else { continue };
            let firsts = self.layout.stored_squares(slice);
            for side in Side::BOTH {
                let decided = sides[side.index()];
                let legal = (board.free_squares() & firsts) - board.checked(!side);
                let (wins, losses) = (decided.wins & legal, decided.losses & legal);
                let count = |squares: SquareSet| images * u64::from(squares.len());
                let counts = &mut statistics.counts[side.index()];
                counts.legal += count(legal);
                counts.won += count(wins);
                counts.lost += count(losses);
                let start = plies_index(slice, side);
                for free_square in wins.iter() {
                    let plies = self.plies[start + free_square.index()];
                    if statistics.longest.as_ref().is_none_or(|longest| plies > longest.0) {
                        statistics.longest = Some((plies, self.fen(PositionIndex { slice, free_square }, side)));
                    }
                }
            }
        }
        statistics
    }

    pub(super) fn fen(&self, index: PositionIndex, side: Side) -> String {
        self.layout.placement(&self.layout.fixed_pieces(index.slice), index.free_square).fen(side)
    }

    /// Returns FEN and value of every position that is not drawn. Of mirror images only one is returned, except where
    /// the larger group is symmetric.
    pub fn decided_positions(&self) -> impl Iterator<Item = (String, TablebaseValue)> + '_ {
        (0..self.decided.len()).flat_map(move |slice| {
            let firsts = self.layout.stored_squares(slice);
            Side::BOTH.into_iter().flat_map(move |side| {
                let decided = self.decided[slice][side.index()];
                let squares = (decided.wins | decided.losses) & firsts;
                squares.iter().map(move |free_square| {
                    let index = PositionIndex { slice, free_square };
                    (self.fen(index, side), self.value_at(index, side))
                })
            })
        })
    }

    /// Number of slices; a slice contains all squares of one attacker with the other pieces fixed.
    pub fn slices(&self) -> usize {
        self.decided.len()
    }

    /// Number of table entries: both sides to move, impossible squares included.
    pub fn entries(&self) -> u64 {
        self.plies.len() as u64
    }

    /// Returns the value of a position of this ending; `None` if the material differs or a piece is on an impossible
    /// square. The side not to move must not be in check.
    pub(super) fn value(&self, placement: &Placement, side: Side) -> Option<TablebaseValue> {
        self.layout.index_of(placement).map(|index| self.value_at(index, side))
    }

    pub(super) fn value_at(&self, index: PositionIndex, side: Side) -> TablebaseValue {
        let decided = &self.decided[index.slice][side.index()];
        let plies = || self.plies[plies_index(index.slice, side) + index.free_square.index()];
        if decided.wins.contains(index.free_square) {
            TablebaseValue::Win(plies())
        } else if decided.losses.contains(index.free_square) {
            TablebaseValue::Loss(plies())
        } else {
            TablebaseValue::Draw
        }
    }
}

/// Memory of a slice in bytes: two sets for each side to move, and the plies.
pub(super) const BYTES_PER_SLICE: u64 = 2 * 2 * 16 + 2 * Square::COUNT as u64;
/// Additional memory of the analysis per slice in bytes: four sets for each side to move, effects of captures at two
/// levels for each side to move, and the results of a level, each a set with its index.
pub(super) const BYTES_PER_ANALYSED_SLICE: u64 = 2 * 4 * 16 + 2 * 2 * 48 + 2 * 48;

/// Numbers of positions with one side to move. Both mirror images of a position count.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Legal positions: the side that has just moved is not in check, and the kings do not face each other.
    pub legal: u64,
    /// Positions won by the side to move.
    pub won: u64,
    /// Positions lost by the side to move.
    pub lost: u64,
}

impl Counts {
    /// Drawn positions.
    pub fn drawn(&self) -> u64 {
        self.legal - self.won - self.lost
    }
}

/// Statistics of a table.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// Numbers of positions with Red and with Black to move.
    pub counts: [Counts; 2],
    /// Length of the longest win in plies, and a position that takes it.
    pub longest: Option<(u8, String)>,
}

/// Returns the offset of the plies of a slice.
pub(super) fn plies_index(slice: usize, side: Side) -> usize {
    (slice * 2 + side.index()) * Square::COUNT
}
