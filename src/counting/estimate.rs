//! Estimate of a share from a random sample.

/// The two-sided 95 % point of the normal distribution.
const WITHIN_95_PERCENT: f64 = 1.959_963_984_540_054;

/// Number of hits in a random sample.
///
/// ```
/// use chuhe::counting::Estimate;
/// let mut estimate = Estimate::default();
/// (0..100).for_each(|number| estimate.add(number % 4 == 0));
/// assert_eq!(estimate.share(), 0.25);
/// let interval = estimate.interval();
/// assert!((interval.low - 0.1755).abs() < 1e-4 && (interval.high - 0.3430).abs() < 1e-4);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Estimate {
    /// Sample size.
    pub drawn: u64,
    /// Number of hits.
    pub found: u64,
}

/// Interval of numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

impl Estimate {
    /// Adds one draw.
    pub fn add(&mut self, is_hit: bool) {
        self.drawn += 1;
        self.found += u64::from(is_hit);
    }

    /// Observed share; 0 for an empty sample.
    pub fn share(&self) -> f64 {
        self.found as f64 / self.drawn.max(1) as f64
    }

    /// Returns the 95 % Wilson score interval (Wilson 1927), which is also valid for shares near 0 and 1.
    pub fn interval(&self) -> Interval {
        if self.drawn == 0 {
            return Interval { low: 0.0, high: 1.0 };
        }
        let (n, share, z) = (self.drawn as f64, self.share(), WITHIN_95_PERCENT);
        let middle = share + z * z / (2.0 * n);
        let reach = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z * z / n;
        // Rounding must not exclude 0 or 1.
        let low = if self.found == 0 { 0.0 } else { (middle - reach) / scale };
        let high = if self.found == self.drawn { 1.0 } else { (middle + reach) / scale };
        Interval { low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_stay_between_zero_and_one() {
        assert_eq!(Estimate::default().interval(), Interval { low: 0.0, high: 1.0 });
        let none = Estimate { drawn: 10, found: 0 }.interval();
        assert!(none.low == 0.0 && (none.high - 0.2775).abs() < 1e-4, "{none:?}");
        let all = Estimate { drawn: 10, found: 10 }.interval();
        assert!((all.low - 0.7225).abs() < 1e-4 && all.high == 1.0, "{all:?}");
    }
}
