//! Values of all positions of one ending in memory, and their verification.
//!
//! A table is verified against the values of successors by the regular move generator, one position at a time, so that
//! only the index and the values after captures are shared with the analysis.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use thiserror::Error;

use super::layout::{Layout, PositionIndex};
use super::slice_board::SliceBoard;
use super::value::{Metric, TablebaseValue, is_exact};
use crate::counting::{Placement, Signature};
use crate::position::Position;
use crate::types::{Move, Side, Square, SquareSet};
use crate::util::parallel::map_indices;

/// Content of a table file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    /// Win, draw or loss.
    Results,
    /// Number of plies.
    Plies(Metric),
}

impl Content {
    /// File extension.
    pub fn extension(self) -> &'static str {
        ["wdl", "dtc", "dtm"][usize::from(self.code())]
    }

    pub(super) fn code(self) -> u8 {
        match self {
            Content::Results => 0,
            Content::Plies(Metric::Conversion) => 1,
            Content::Plies(Metric::Mate) => 2,
        }
    }

    pub(super) const fn bytes_per_slice(self) -> usize {
        match self {
            Content::Results => 4 * SET,
            Content::Plies(_) => 2 * Square::COUNT,
        }
    }
}

pub(super) const SET: usize = 12;

/// Values of one ending, with the stronger material as Red's.
pub struct Table {
    pub(super) layout: Layout,
    pub(super) metric: Metric,
    /// For each slice the squares of the free piece that win and lose with Red, then with Black to move.
    pub(super) results: Vec<u8>,
    /// For each slice the plies with Red, then with Black to move, by square of the free piece; 0 in drawn positions.
    pub(super) plies: Vec<u8>,
}

/// Decodes the squares of the free piece that win and lose from the results of a slice.
pub(super) fn wins_and_losses(results: &[u8], side: Side) -> [SquareSet; 2] {
    [0, SET].map(|start| {
        let start = side.index() * 2 * SET + start;
        let mut word = [0; 16];
        word[..SET].copy_from_slice(&results[start..start + SET]);
        SquareSet::from_bits(u128::from_le_bytes(word))
    })
}

pub(super) fn plies_index(slice: usize, side: Side) -> usize {
    (slice * 2 + side.index()) * Square::COUNT
}

pub(super) const BYTES_PER_SLICE: u64 =
    (Content::Results.bytes_per_slice() + Content::Plies(Metric::Mate).bytes_per_slice()) as u64;

/// Additional memory of the analysis per slice in bytes: four sets for each side to move, effects of captures at two
/// levels for each side to move, the results of a level, each a set with its index, and three sets for perpetual check.
pub(super) const BYTES_PER_ANALYSED_SLICE: u64 = 2 * 4 * 16 + 2 * 2 * 48 + 2 * 48 + 3 * 16;

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
    /// Length of the longest win without perpetual check in plies, and a position that takes it.
    pub longest: Option<(u8, String)>,
}

impl Table {
    /// Material of the ending.
    pub fn signature(&self) -> Signature {
        self.layout.signature
    }

    /// Number of slices; a slice contains all squares of one attacker with the other pieces fixed.
    pub fn slices(&self) -> usize {
        self.layout.slices
    }

    /// Number of table entries: both sides to move, impossible squares included.
    pub fn entries(&self) -> u64 {
        self.plies.len() as u64
    }

    /// Returns the numbers of legal, won and lost positions and the longest win.
    pub fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        let is_exact = is_exact(self.signature());
        for slice in 0..self.slices() {
            let fixed = self.layout.fixed_pieces(slice);
            let stored = self.layout.stored_squares(&fixed);
            // A slice stands for its mirror image as well, unless that is stored as a slice of its own.
            let images = if self.layout.mirror_slice_of(&fixed).is_some() { 1 } else { 2 };
            let Some(board) = SliceBoard::new(&self.layout, fixed) else { continue };
            for side in Side::BOTH {
                let legal = (board.free_squares & stored) - board.checked(!side);
                let [wins, losses] = self.wins_and_losses(slice, side).map(|squares| squares & legal);
                let counts = &mut statistics.counts[side.index()];
                for (count, squares) in
                    [(&mut counts.legal, legal), (&mut counts.won, wins), (&mut counts.lost, losses)]
                {
                    *count += images * u64::from(squares.len());
                }
                for free_square in wins.iter() {
                    let plies = self.plies[plies_index(slice, side) + free_square.index()];
                    let is_distance = TablebaseValue::Win(plies).distance(is_exact).is_some();
                    if is_distance && statistics.longest.as_ref().is_none_or(|longest| plies > longest.0) {
                        statistics.longest = Some((plies, self.fen(PositionIndex { slice, free_square }, side)));
                    }
                }
            }
        }
        statistics
    }

    /// Returns FEN and value of every position that is not drawn; of most mirror images only one.
    pub fn decided_positions(&self) -> impl Iterator<Item = (String, TablebaseValue)> + '_ {
        let slices_and_sides = (0..self.slices()).flat_map(|slice| Side::BOTH.map(|side| (slice, side)));
        slices_and_sides.flat_map(move |(slice, side)| {
            let [wins, losses] = self.wins_and_losses(slice, side);
            (wins | losses).iter().map(move |free_square| {
                let index = PositionIndex { slice, free_square };
                (self.fen(index, side), self.value_at(index, side))
            })
        })
    }

    fn fen(&self, index: PositionIndex, side: Side) -> String {
        self.layout.placement(&self.layout.fixed_pieces(index.slice), index.free_square).fen(side)
    }

    /// Returns the value of a position of this ending, whose side not to move is not in check; `None` for any other.
    pub(super) fn value(&self, placement: &Placement, side: Side) -> Option<TablebaseValue> {
        self.layout.index_of(placement).map(|index| self.value_at(index, side))
    }

    pub(super) fn value_at(&self, PositionIndex { slice, free_square }: PositionIndex, side: Side) -> TablebaseValue {
        let [wins, losses] = self.wins_and_losses(slice, side);
        let plies = self.plies[plies_index(slice, side) + free_square.index()];
        if wins.contains(free_square) {
            TablebaseValue::Win(plies)
        } else if losses.contains(free_square) {
            TablebaseValue::Loss(plies)
        } else {
            TablebaseValue::Draw
        }
    }

    fn wins_and_losses(&self, slice: usize, side: Side) -> [SquareSet; 2] {
        wins_and_losses(&self.results[slice * Content::Results.bytes_per_slice()..], side)
    }
}

/// Position whose value contradicts its successors.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{fen}: the table has {found:?}, but the successors give {expected:?}")]
pub struct VerifyError {
    pub fen: String,
    pub found: TablebaseValue,
    pub expected: TablebaseValue,
}

/// Returns the legal moves with the values that they give a position; `value` is that of a successor.
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

/// Returns whether the side to move loses within `plies` or must check, and has to after an answer without check, too.
fn must_check<E>(
    position: &Position,
    plies: u8,
    metric: Metric,
    mut value: impl FnMut(&Placement, Side) -> Result<TablebaseValue, E>,
) -> Result<bool, E> {
    for (mv, after) in valued_moves(position, metric, &mut value)? {
        let mut next = position.clone();
        next.make(mv);
        let is_answer =
            |(reply, value)| value == TablebaseValue::Win(plies.saturating_add(1)) && !next.gives_check(reply);
        if after.sort_key() > TablebaseValue::Loss(plies).sort_key()
            && !(next.in_check() && valued_moves(&next, metric, &mut value)?.into_iter().any(is_answer))
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Verifies all positions of a table and returns their number. `value` returns the values after captures; `report`
/// receives the number of finished slices. The error is a position whose value does not follow from its successors.
pub fn verify(
    table: &Table,
    threads: usize,
    value: impl Fn(&Placement, Side) -> TablebaseValue + Sync,
    report: impl Fn(u64) + Sync,
) -> Result<u64, VerifyError> {
    let layout = &table.layout;
    let (checked, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let is_over = AtomicBool::new(false);
    let successor =
        |after: &Placement, side| Ok::<_, Infallible>(table.value(after, side).unwrap_or_else(|| value(after, side)));
    let found = map_indices(threads, layout.slices, |slice, found: &mut Vec<VerifyError>| {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
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
                let must_check = || match here {
                    TablebaseValue::Loss(plies) => must_check(&position, plies, table.metric, successor),
                    _ => Ok(false),
                };
                if here != expected && !matches!(must_check(), Ok(true)) {
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
