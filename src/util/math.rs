//! Mathematical functions.

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
