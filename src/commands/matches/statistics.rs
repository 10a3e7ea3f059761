//! Elo estimates from pairs of games.
//!
//! Each opening is played twice with colours reversed. The results of the two games are correlated when the opening is
//! unbalanced, so the statistics count pairs: how many gave 0, ½, 1, 1½ and 2 points (the *pentanomial* distribution;
//! Van den Bergh, "Comments on normalized Elo", 2020).

use statrs::distribution::{ContinuousCDF, Normal};

use crate::util::math::logistic;

/// Points of a pair of games as a share of the 2 possible.
pub(super) const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Elo points for one unit of the natural logarithm of the odds.
pub(super) const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// Numbers of game pairs with 0, ½, 1, 1½ and 2 points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pairs(pub [u64; 5]);

/// Elo difference with half of its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Difference; infinite when every game was won or every game lost.
    pub elo: f64,
    /// Half of the 95 % interval; infinite when the results have no variance.
    pub error: f64,
    /// Likelihood of superiority: probability of a positive difference, 0 to 1; unknown when the results have no
    /// variance.
    pub superiority: Option<f64>,
}

/// Returns the Elo difference of an expected score between 0 and 1 on the logistic curve.
///
/// ```
/// use chuhe::commands::matches::statistics::{elo_from_score, score_from_elo};
/// assert_eq!(elo_from_score(0.5), 0.0);
/// assert!((elo_from_score(0.75) - 190.85).abs() < 0.01);
/// assert!((score_from_elo(elo_from_score(0.9)) - 0.9).abs() < 1e-12);
/// ```
pub fn elo_from_score(score: f64) -> f64 {
    // Adding 0 turns −0 into 0.
    -ELO_PER_LOGIT * (1.0 / score - 1.0).ln() + 0.0
}

/// Returns the expected score of an Elo difference, between 0 and 1.
pub fn score_from_elo(elo: f64) -> f64 {
    logistic(elo / ELO_PER_LOGIT)
}

impl Pairs {
    /// Adds a pair with `half_points` half points, at most 4.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points.min(4)] += 1;
    }

    /// Returns the number of pairs.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the pairs from the opponent's side.
    pub fn reversed(&self) -> Pairs {
        let mut pairs = *self;
        pairs.0.reverse();
        pairs
    }

    /// Returns mean and variance of the share of points of a pair; `None` without pairs.
    pub fn moments(&self) -> Option<(f64, f64)> {
        let count = self.count() as f64;
        (count > 0.0).then(|| moments(&self.0.map(|pairs| pairs as f64 / count)))
    }

    /// Estimates the Elo difference; `None` without pairs.
    pub fn estimate(&self) -> Option<Estimate> {
        let (mean, variance) = self.moments()?;
        let deviation = (variance / self.count() as f64).sqrt();
        let elo_within = |share: f64| elo_from_score(share.clamp(0.0, 1.0));
        let normal = Normal::standard();
        // The two-sided 95 % interval.
        let reach = normal.inverse_cdf(0.975) * deviation;
        let error = (elo_within(mean + reach) - elo_within(mean - reach)) / 2.0;
        // Without variance the error is unknown.
        let error = if deviation > 0.0 { error } else { f64::INFINITY };
        let superiority = (deviation > 0.0).then(|| normal.cdf((mean - 0.5) / deviation));
        Some(Estimate { elo: elo_from_score(mean), error, superiority })
    }
}

/// Returns mean and variance of the share of points under these probabilities.
pub(super) fn moments(probabilities: &[f64; 5]) -> (f64, f64) {
    let expect = |f: &dyn Fn(f64) -> f64| probabilities.iter().zip(SHARES).map(|(p, share)| p * f(share)).sum::<f64>();
    let mean = expect(&|share| share);
    (mean, expect(&|share| (share - mean).powi(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_differences_are_reproduced() {
        let examples = include_str!("../../../tests/data/elo_examples.tsv");
        let mut checked = 0;
        for line in examples.lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split('\t').collect();
            let [elo, error, superiority] = [2, 3, 4].map(|index| columns[index].parse::<f64>().unwrap());
            let counts: Vec<u64> = columns[5].split(' ').map(|count| count.parse().unwrap()).collect();
            let found = Pairs(counts.try_into().unwrap()).estimate().unwrap();
            // To the last published digit.
            assert!((found.elo - elo).abs() < 0.0051, "{line}: {found:?}");
            assert!((found.error - error).abs() < 0.051, "{line}: {found:?}");
            assert!((100.0 * found.superiority.unwrap() - superiority).abs() < 0.051, "{line}: {found:?}");
            checked += 1;
        }
        assert!(checked > 20);
    }

    #[test]
    fn the_opponent_has_the_opposite_estimate() {
        let pairs = Pairs([3, 10, 20, 14, 5]);
        let (own, other) = (pairs.estimate().unwrap(), pairs.reversed().estimate().unwrap());
        assert!((own.elo + other.elo).abs() < 1e-9);
        assert!((own.error - other.error).abs() < 1e-9);
        assert!((own.superiority.unwrap() + other.superiority.unwrap() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn results_without_variance_have_infinite_errors() {
        assert_eq!(Pairs::default().estimate(), None);
        let even = Pairs([0, 0, 7, 0, 0]).estimate().unwrap();
        assert_eq!((even.elo, even.error, even.superiority), (0.0, f64::INFINITY, None));
        let all = Pairs([0, 0, 0, 0, 7]).estimate().unwrap();
        assert_eq!((all.elo, all.error, all.superiority), (f64::INFINITY, f64::INFINITY, None));
    }
}
