//! The loops in which a network spends its time. Integers only, so that every path gives the same bits.

use super::{HIDDEN, QA, QN};
use crate::util::simd::multiversion;

/// What the inputs of one view add up to, for every neuron.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct Accumulator(pub [i16; HIDDEN]);

impl Accumulator {
    /// Those of no inputs and no biases.
    pub const ZERO: Accumulator = Accumulator([0; HIDDEN]);
}

/// How many neurons are summed at once, so that sums stay in registers over all rows.
const BLOCK: usize = if HIDDEN < 128 { HIDDEN } else { 128 };
/// How far sums are shifted to the left before they are squared and halved in length.
const RAISE: u32 = 5;
const _: () = assert!(QA << RAISE <= i16::MAX as i32 && (QA * QA) >> (16 - 2 * RAISE) == QN);
const _: () = assert!(HIDDEN.is_multiple_of(BLOCK) && HIDDEN.is_multiple_of(32));

multiversion! {
    /// `to` becomes `from` with some rows of `weights` added. Accumulator wrap around, which no position of at most 32 men can
    /// bring about in a network that was checked: in either view its men set that many different inputs.
    pub(super) fn add(from: &Accumulator, to: &mut Accumulator, weights: &[Accumulator], added: &[u16]) = add_rows;
    /// `to` becomes `from` with one row added and one taken away: a quiet move.
    pub(super) fn add_sub(from: &Accumulator, to: &mut Accumulator, added: &Accumulator, removed: &Accumulator) = add_sub_rows;
    /// `to` becomes `from` with one row added and two taken away: a capture.
    pub(super) fn add_sub_sub(from: &Accumulator, to: &mut Accumulator, added: &Accumulator, removed: &Accumulator, captured: &Accumulator) = add_sub_sub_rows;
    /// The weighted sum of the neurons of both views, in units of neuron · output.
    pub(super) fn output(own: &Accumulator, other: &Accumulator, weights: &[[i16; HIDDEN]; 2]) -> i64 = output_of;
}

#[inline(always)]
fn add_rows(from: &Accumulator, to: &mut Accumulator, weights: &[Accumulator], added: &[u16]) {
    for start in (0..HIDDEN).step_by(BLOCK) {
        let mut block = [0_i16; BLOCK];
        block.copy_from_slice(&from.0[start..start + BLOCK]);
        for &row in added {
            let row = &weights[usize::from(row)].0[start..start + BLOCK];
            for (sum, weight) in block.iter_mut().zip(row) {
                *sum = sum.wrapping_add(*weight);
            }
        }
        to.0[start..start + BLOCK].copy_from_slice(&block);
    }
}

#[inline(always)]
fn add_sub_rows(from: &Accumulator, to: &mut Accumulator, added: &Accumulator, removed: &Accumulator) {
    for neuron in 0..HIDDEN {
        to.0[neuron] = from.0[neuron].wrapping_add(added.0[neuron]).wrapping_sub(removed.0[neuron]);
    }
}

#[inline(always)]
fn add_sub_sub_rows(
    from: &Accumulator,
    to: &mut Accumulator,
    added: &Accumulator,
    removed: &Accumulator,
    captured: &Accumulator,
) {
    for neuron in 0..HIDDEN {
        let moved = from.0[neuron].wrapping_add(added.0[neuron]).wrapping_sub(removed.0[neuron]);
        to.0[neuron] = moved.wrapping_sub(captured.0[neuron]);
    }
}

#[inline(always)]
fn output_of(own: &Accumulator, other: &Accumulator, weights: &[[i16; HIDDEN]; 2]) -> i64 {
    i64::from(weighted(own, &weights[0])) + i64::from(weighted(other, &weights[1]))
}

/// The squares of clamped sums, weighted. Shifted to the left, a clamped sum still fits 16 bits and the upper half of its
/// square is the neuron: every product is one that vector instructions have for 16 bits.
#[inline(always)]
fn weighted(sums: &Accumulator, weights: &[i16; HIDDEN]) -> i32 {
    let mut total = 0;
    for (&sum, &weight) in sums.0.iter().zip(weights) {
        let raised = i32::from(sum.clamp(0, QA as i16) << RAISE);
        let neuron = ((raised * raised) >> 16) as i16;
        total += i32::from(neuron) * i32::from(weight);
    }
    total
}
