//! What a sample says about the share of something in the whole.

/// The two-sided 95 % point of the normal distribution.
const WITHIN_95_PERCENT: f64 = 1.959_963_984_540_054;

/// How often something was found among things drawn at random.
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
    /// How many were drawn.
    pub drawn: u64,
    /// How many of them had it.
    pub found: u64,
}

/// A range of numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

impl Estimate {
    /// Counts one more that was drawn.
    pub fn add(&mut self, has_it: bool) {
        self.drawn += 1;
        self.found += u64::from(has_it);
    }

    /// The share found; 0 before anything was drawn.
    pub fn share(&self) -> f64 {
        self.found as f64 / self.drawn.max(1) as f64
    }

    /// The 95 % interval of the share in the whole (Wilson 1927), which is honest about shares near 0 and 1 too.
    pub fn interval(&self) -> Interval {
        if self.drawn == 0 {
            return Interval { low: 0.0, high: 1.0 };
        }
        let (n, share, z) = (self.drawn as f64, self.share(), WITHIN_95_PERCENT);
        let middle = share + z * z / (2.0 * n);
        let reach = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z * z / n;
        // Rounding must not leave out what has been seen nowhere or everywhere.
        let low = if self.found == 0 { 0.0 } else { (middle - reach) / scale };
        let high = if self.found == self.drawn { 1.0 } else { (middle + reach) / scale };
        Interval { low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_stay_between_nothing_and_everything() {
        assert_eq!(Estimate::default().interval(), Interval { low: 0.0, high: 1.0 });
        let none = Estimate { drawn: 10, found: 0 }.interval();
        assert!(none.low == 0.0 && (none.high - 0.2775).abs() < 1e-4, "{none:?}");
        let all = Estimate { drawn: 10, found: 10 }.interval();
        assert!((all.low - 0.7225).abs() < 1e-4 && all.high == 1.0, "{all:?}");
    }
}
