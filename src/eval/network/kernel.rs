//! Inner loops of the network. Integers only, so that every instruction set gives the same bits.

use super::{HIDDEN, QA, QN};
use crate::util::simd::multiversion;

/// Accumulator of one perspective: first-layer sums before activation, in units of [`QA`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct Accumulator(pub [i16; HIDDEN]);

impl Accumulator {
    /// All sums zero, without biases.
    pub const ZERO: Accumulator = Accumulator([0; HIDDEN]);
}

/// Neurons that are summed at once, so that sums stay in registers over all rows. Those of WebAssembly have 128 bits.
const BLOCK: usize = if cfg!(target_family = "wasm") || HIDDEN < 128 { 32 } else { 128 };
/// Left shift of clamped sums before they are squared; the upper 16 bits of the square are the neuron.
const SHIFT: u32 = 5;
const _: () = assert!(QA << SHIFT <= i16::MAX as i32 && (QA * QA) >> (16 - 2 * SHIFT) == QN);
const _: () = assert!(HIDDEN.is_multiple_of(BLOCK) && HIDDEN.is_multiple_of(32));

multiversion! {
    /// Sets `to` to `from` plus some rows of `weights`. Sums wrap around, which no position reaches in a checked
    /// network unless it has more pieces of a kind than a game begins with; the result never depends on the order of
    /// additions.
    pub(super) fn add(from: &Accumulator, to: &mut Accumulator, weights: &[Accumulator], added: &[u16]) = add_rows;
    /// Sets both perspectives of `to` to those of `from` plus and minus rows of `weights`, in pairs for each
    /// perspective.
    pub(super) fn update(
        from: [&Accumulator; 2],
        to: [&mut Accumulator; 2],
        weights: &[Accumulator],
        added: &[[u16; 2]],
        removed: &[[u16; 2]],
    ) = update_rows;
    /// Returns the weighted sum of the neurons of both perspectives, in units of [`QN`] · [`QB`](super::QB).
    pub(super) fn output(own: &Accumulator, other: &Accumulator, weights: &[[i16; HIDDEN]; 2]) -> i64 = output_of;
}

#[inline(always)]
fn add_rows(from: &Accumulator, to: &mut Accumulator, weights: &[Accumulator], added: &[u16]) {
    for start in (0..HIDDEN).step_by(BLOCK) {
        let mut block = [0_i16; BLOCK];
        block.copy_from_slice(&from.0[start..start + BLOCK]);
        for &row in added {
            add_block(&mut block, &weights[usize::from(row)], start);
        }
        to.0[start..start + BLOCK].copy_from_slice(&block);
    }
}

#[inline(always)]
fn update_rows(
    from: [&Accumulator; 2],
    to: [&mut Accumulator; 2],
    weights: &[Accumulator],
    added: &[[u16; 2]],
    removed: &[[u16; 2]],
) {
    let [own, other] = to;
    for start in (0..HIDDEN).step_by(BLOCK) {
        let mut blocks = [[0_i16; BLOCK]; 2];
        for view in 0..2 {
            blocks[view].copy_from_slice(&from[view].0[start..start + BLOCK]);
        }
        for rows in added {
            for view in 0..2 {
                add_block(&mut blocks[view], &weights[usize::from(rows[view])], start);
            }
        }
        for rows in removed {
            for view in 0..2 {
                subtract_block(&mut blocks[view], &weights[usize::from(rows[view])], start);
            }
        }
        own.0[start..start + BLOCK].copy_from_slice(&blocks[0]);
        other.0[start..start + BLOCK].copy_from_slice(&blocks[1]);
    }
}

#[inline(always)]
fn add_block(block: &mut [i16; BLOCK], row: &Accumulator, start: usize) {
    for (sum, weight) in block.iter_mut().zip(&row.0[start..start + BLOCK]) {
        *sum = sum.wrapping_add(*weight);
    }
}

#[inline(always)]
fn subtract_block(block: &mut [i16; BLOCK], row: &Accumulator, start: usize) {
    for (sum, weight) in block.iter_mut().zip(&row.0[start..start + BLOCK]) {
        *sum = sum.wrapping_sub(*weight);
    }
}

#[inline(always)]
fn output_of(own: &Accumulator, other: &Accumulator, weights: &[[i16; HIDDEN]; 2]) -> i64 {
    i64::from(activated_dot(own, &weights[0])) + i64::from(activated_dot(other, &weights[1]))
}

/// Returns the dot product of SCReLU-activated sums and weights. Shifted to the left, a clamped sum still fits 16 bits
/// and the upper half of its square is the neuron: every product is one that vector instructions have for 16 bits.
#[cfg(not(target_family = "wasm"))]
#[inline(always)]
fn activated_dot(sums: &Accumulator, weights: &[i16; HIDDEN]) -> i32 {
    let mut total = 0;
    for (&sum, &weight) in sums.0.iter().zip(weights) {
        let shifted = i32::from(sum.clamp(0, QA as i16) << SHIFT);
        let neuron = ((shifted * shifted) >> 16) as i16;
        total += i32::from(neuron) * i32::from(weight);
    }
    total
}

/// The same with vector instructions that the compiler does not choose here by itself.
#[cfg(target_family = "wasm")]
#[inline(always)]
fn activated_dot(sums: &Accumulator, weights: &[i16; HIDDEN]) -> i32 {
    use std::arch::wasm32::*;
    let vector = |row: &[i16; 8]| i16x8(row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]);
    let mut totals = i32x4_splat(0);
    for (sums, weights) in sums.0.as_chunks().0.iter().zip(weights.as_chunks().0) {
        let clamped = i16x8_min(i16x8_max(vector(sums), i16x8_splat(0)), i16x8_splat(QA as i16));
        let shifted = i16x8_shl(clamped, SHIFT);
        let low = u32x4_shr(i32x4_extmul_low_i16x8(shifted, shifted), 16);
        let high = u32x4_shr(i32x4_extmul_high_i16x8(shifted, shifted), 16);
        totals = i32x4_add(totals, i32x4_dot_i16x8(i16x8_narrow_i32x4(low, high), vector(weights)));
    }
    let pairs = i32x4_add(totals, i32x4_shuffle::<2, 3, 0, 1>(totals, totals));
    i32x4_extract_lane::<0>(pairs) + i32x4_extract_lane::<1>(pairs)
}
