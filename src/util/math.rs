//! Mathematical functions and constants.

/// 2⁶⁴ divided by the golden ratio, made odd. Multiples of it are spread evenly over all 64-bit words, so it turns
/// counters and poor hashes into good ones (Knuth, *The Art of Computer Programming*, section 6.4).
pub const GOLDEN_RATIO: u64 = 0x9E37_79B9_7F4A_7C15;

/// Logistic function 1 / (1 + e^(−x)), which turns a score divided by its scale into a winning chance.
///
/// ```
/// use chuhe::util::math::logistic;
/// assert_eq!([f64::NEG_INFINITY, 0.0, f64::INFINITY].map(logistic), [0.0, 0.5, 1.0]);
/// ```
#[inline]
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
