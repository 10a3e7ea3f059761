//! Choice of the child that a node of the proof-number search follows, and the limits for it.

use super::number::{Bounds, GREATEST, INFINITE};
use crate::types::Move;

/// Choice of the next child: the one with the least number of its kind.
pub(super) struct Choice {
    /// Index of the child.
    pub(super) index: usize,
    /// Its number.
    pub(super) least: u32,
    /// The next greater or equal number of another child.
    second: u32,
    /// Number of the other kind for all children: the greatest, and one for each other child. A plain sum would count
    /// positions again and again that several moves lead to.
    pub(super) sum: u32,
    /// The number of other children.
    others: u32,
}

impl Choice {
    /// Chooses among undecided children; `numbers` returns the number to minimise and the one to sum up. Returns `None`
    /// if there are none.
    #[inline]
    pub(super) fn new(children: &[(Move, Bounds)], numbers: impl Fn(&Bounds) -> [u32; 2]) -> Option<Choice> {
        let (mut index, mut least, mut second, mut greatest) = (0, INFINITE, INFINITE, 0);
        for (at, (_, bounds)) in children.iter().enumerate() {
            let [minimised, summed] = numbers(bounds);
            greatest = greatest.max(summed);
            if minimised < least {
                (index, least, second) = (at, minimised, least);
            } else {
                second = second.min(minimised);
            }
        }
        let others = children.len().checked_sub(1)? as u32;
        Some(Choice { index, least, second, sum: (greatest + others).min(GREATEST), others })
    }

    /// Returns the limit up to which the child stays the best choice, with some allowance against changing to and fro.
    pub(super) fn limit_of_least(&self, limit: u32) -> u32 {
        limit.min(self.second.saturating_add(1 + self.second / 4))
    }

    /// Returns the limit of the child that corresponds to a limit of the sum.
    pub(super) fn limit_of_sum(&self, limit: u32) -> u32 {
        if limit >= INFINITE { INFINITE } else { limit - self.others }
    }
}
