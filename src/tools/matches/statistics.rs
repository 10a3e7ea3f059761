//! What the results of games say about strength.
//!
//! Each opening is played twice with colours reversed, and the two games lean the same way when the opening is not
//! balanced. So pairs are counted, not games: how many of them gave 0, ½, 1, 1½ and 2 points (the *pentanomial*
//! distribution; Van den Bergh, "Comments on normalized Elo", 2020). Where the games come from is not known here.

/// The points of a pair of games as a share of what could be won.
pub(super) const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The two-sided 95 % point of the normal distribution.
const WITHIN_95_PERCENT: f64 = 1.959_963_984_540_054;

/// Elo points for each unit of natural logarithm of odds.
pub(super) const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// How many pairs of games gave 0, ½, 1, 1½ and 2 points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pairs(pub [u64; 5]);

/// A strength difference in Elo with half of its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The difference; infinite when every game was won or lost.
    pub elo: f64,
    /// Half of the 95 % interval; infinite where the results say too little for one.
    pub error: f64,
    /// The likelihood that the difference is positive, 0 to 1.
    pub superiority: f64,
}

/// The Elo difference that an expected score between 0 and 1 stands for, by the logistic curve.
///
/// ```
/// use chuhe::tools::matches::statistics::{elo_of, score_of};
/// assert_eq!(elo_of(0.5), 0.0);
/// assert!((elo_of(0.75) - 190.85).abs() < 0.01);
/// assert!((score_of(elo_of(0.9)) - 0.9).abs() < 1e-12);
/// ```
pub fn elo_of(score: f64) -> f64 {
    // The sum turns −0 into 0.
    -ELO_PER_LOGIT * (1.0 / score - 1.0).ln() + 0.0
}

/// The expected score of an Elo difference, between 0 and 1.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO_PER_LOGIT).exp())
}

impl Pairs {
    /// Counts a pair that gave so many half points, at most 4.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points.min(4)] += 1;
    }

    /// How many pairs there are.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The same pairs from the other side.
    pub fn reversed(&self) -> Pairs {
        let mut pairs = *self;
        pairs.0.reverse();
        pairs
    }

    /// The mean share of the points and its variance from pair to pair; `None` without pairs.
    pub fn moments(&self) -> Option<(f64, f64)> {
        let count = self.count() as f64;
        (count > 0.0).then(|| moments(&self.0.map(|pairs| pairs as f64 / count)))
    }

    /// The difference in strength that the pairs speak for; `None` without pairs.
    pub fn estimate(&self) -> Option<Estimate> {
        let (mean, variance) = self.moments()?;
        let deviation = (variance / self.count() as f64).sqrt();
        let elo_within = |share: f64| elo_of(share.clamp(0.0, 1.0));
        let reach = WITHIN_95_PERCENT * deviation;
        let error = (elo_within(mean + reach) - elo_within(mean - reach)) / 2.0;
        // Results without any variance say nothing about their error.
        let error = if deviation > 0.0 { error } else { f64::INFINITY };
        let superiority = match (mean - 0.5) / deviation {
            towards if towards.is_nan() => 0.5,
            towards => 0.5 * libm::erfc(-towards / std::f64::consts::SQRT_2),
        };
        Some(Estimate { elo: elo_of(mean), error, superiority })
    }
}

/// Mean and variance of the share of points under these probabilities.
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
            // To the last figure that was published.
            assert!((found.elo - elo).abs() < 0.0051, "{line}: {found:?}");
            assert!((found.error - error).abs() < 0.051, "{line}: {found:?}");
            assert!((100.0 * found.superiority - superiority).abs() < 0.051, "{line}: {found:?}");
            checked += 1;
        }
        assert!(checked > 20);
    }

    #[test]
    fn the_other_side_sees_the_opposite() {
        let pairs = Pairs([3, 10, 20, 14, 5]);
        let (own, other) = (pairs.estimate().unwrap(), pairs.reversed().estimate().unwrap());
        assert!((own.elo + other.elo).abs() < 1e-9);
        assert!((own.error - other.error).abs() < 1e-9);
        assert!((own.superiority + other.superiority - 1.0).abs() < 1e-12);
    }

    #[test]
    fn results_that_say_nothing_are_not_sure() {
        assert_eq!(Pairs::default().estimate(), None);
        let even = Pairs([0, 0, 7, 0, 0]).estimate().unwrap();
        assert_eq!((even.elo, even.error, even.superiority), (0.0, f64::INFINITY, 0.5));
        let all = Pairs([0, 0, 0, 0, 7]).estimate().unwrap();
        assert_eq!((all.elo, all.error, all.superiority), (f64::INFINITY, f64::INFINITY, 1.0));
    }
}
