//! When a match has shown enough: the sequential probability ratio test (Wald, 1945) on pairs of games.
//!
//! Two hypotheses about the strength of the first engine are weighed by how likely each makes the results. What is
//! unknown beside the strength — how often pairs are drawn, say — is set for each hypothesis to what makes the results
//! likeliest (Van den Bergh, "A practical introduction to the GSPRT", 2019).

use std::fmt;
use std::str::FromStr;

use super::statistics::{ELO_PER_LOGIT, Pairs, SHARES, moments, score_of};

/// What the bounds of a test are measured in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EloModel {
    /// Elo: what the expected score stands for.
    #[default]
    Logistic,
    /// Normalized Elo: the expected score in standard deviations of a game, so that a test takes equally long whatever
    /// the openings and the draw rate.
    Normalized,
}

impl EloModel {
    const NAMED: [(&'static str, EloModel); 2] =
        [("logistic", EloModel::Logistic), ("normalized", EloModel::Normalized)];
}

/// A test.
///
/// ```
/// use chuhe::tools::matches::sprt::{Sprt, Hypothesis};
/// use chuhe::tools::matches::statistics::Pairs;
///
/// let test: Sprt = "elo0=0,elo1=10,alpha=0.05,beta=0.05".parse()?;
/// let ratio = test.log_likelihood_ratio(&Pairs([20, 100, 300, 180, 60]));
/// assert_eq!(test.decision(ratio), Some(Hypothesis::Elo1));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The strength that is not worth having.
    pub elo0: f64,
    /// The strength that is.
    pub elo1: f64,
    /// How often `elo1` may be accepted wrongly.
    pub alpha: f64,
    /// How often `elo0` may be accepted wrongly.
    pub beta: f64,
    /// What the two are measured in.
    pub model: EloModel,
}

/// The largest logistic bound.
const MOST_LOGISTIC: f64 = 1_000.0;
/// The largest normalized bound. Far beyond it no results have the strength that is asked about.
const MOST_NORMALIZED: f64 = 100.0;

/// What a test accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hypothesis {
    /// The lower strength.
    Elo0,
    /// The higher strength.
    Elo1,
}

impl fmt::Display for Hypothesis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Hypothesis::Elo0 { "H0" } else { "H1" })
    }
}

impl Default for Sprt {
    fn default() -> Sprt {
        Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05, model: EloModel::default() }
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sprt { elo0, elo1, alpha, beta, model } = self;
        let name = EloModel::NAMED.into_iter().find(|(_, named)| named == model).map_or("", |(name, _)| name);
        write!(f, "elo0={elo0},elo1={elo1},alpha={alpha},beta={beta},model={name}")
    }
}

/// Reads `elo0=0,elo1=10,alpha=0.05,beta=0.05,model=logistic`, in any order; what is missing has these values.
impl FromStr for Sprt {
    type Err = String;

    fn from_str(text: &str) -> Result<Sprt, String> {
        let mut test = Sprt::default();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let (name, value) = part.split_once('=').ok_or_else(|| format!("'{part}' lacks '='"))?;
            let number = || {
                let parsed = value.trim().parse::<f64>().ok().filter(|number| number.is_finite());
                parsed.ok_or_else(|| format!("'{value}' is no number"))
            };
            match name.trim() {
                "elo0" => test.elo0 = number()?,
                "elo1" => test.elo1 = number()?,
                "alpha" => test.alpha = number()?,
                "beta" => test.beta = number()?,
                "model" => {
                    let named = EloModel::NAMED.into_iter().find(|(name, _)| *name == value.trim());
                    test.model = named.ok_or("the model is logistic or normalized")?.1;
                }
                other => return Err(format!("'{other}' is none of elo0, elo1, alpha, beta and model")),
            }
        }
        if test.elo0 >= test.elo1 {
            return Err("elo0 must be less than elo1".to_owned());
        }
        let most = if test.model == EloModel::Normalized { MOST_NORMALIZED } else { MOST_LOGISTIC };
        if test.elo0.abs().max(test.elo1.abs()) > most {
            return Err(format!("elo0 and elo1 must lie within {most}"));
        }
        if ![test.alpha, test.beta].iter().all(|error| (1e-6..0.5).contains(error)) {
            return Err("alpha and beta must be more than 0 and less than 0.5".to_owned());
        }
        Ok(test)
    }
}

impl Sprt {
    /// The bounds of the log-likelihood ratio: at the lower one the test accepts `elo0`, at the upper one `elo1`.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// What a ratio means; `None` as long as more games are needed.
    pub fn decision(&self, ratio: f64) -> Option<Hypothesis> {
        let (lower, upper) = self.bounds();
        if ratio <= lower {
            Some(Hypothesis::Elo0)
        } else if ratio >= upper {
            Some(Hypothesis::Elo1)
        } else {
            None
        }
    }

    /// The logarithm of how much likelier the results are with `elo1` than with `elo0`; 0 without pairs.
    pub fn log_likelihood_ratio(&self, pairs: &Pairs) -> f64 {
        if pairs.count() == 0 {
            return 0.0;
        }
        /// A result that did not occur could have: it counts as a thousandth of a pair.
        const LEAST: f64 = 1e-3;
        let counts = pairs.0.map(|count| (count as f64).max(LEAST));
        let count: f64 = counts.iter().sum();
        let seen = counts.map(|pairs| pairs / count);
        let likeliest = |elo: f64| match self.model {
            EloModel::Logistic => likeliest_with_mean(&seen, score_of(elo)),
            // A pair has the variance of two games as a sum, half of it as a mean.
            EloModel::Normalized => {
                likeliest_with_deviations(&seen, elo / (2.0 * ELO_PER_LOGIT) * std::f64::consts::SQRT_2)
            }
        };
        let (null, alternative) = (likeliest(self.elo0), likeliest(self.elo1));
        let terms = seen.iter().zip(null.iter().zip(alternative));
        count * terms.map(|(seen, (null, alternative))| seen * (alternative / null).ln()).sum::<f64>()
    }
}

/// The distribution with Σ p·d = 0 that makes the `seen` one likeliest. Some of the `deviations` d are positive and
/// some negative.
fn likeliest(seen: &[f64; 5], deviations: &[f64; 5]) -> [f64; 5] {
    // By Lagrange it is seen / (1 + θ·d), where θ makes the sum of p·d vanish. The sum falls with θ, and every p is
    // positive only between these bounds.
    let most = deviations.iter().copied().fold(f64::MIN, f64::max);
    let least = deviations.iter().copied().fold(f64::MAX, f64::min);
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    let weighted = |theta: f64| -> f64 { seen.iter().zip(deviations).map(|(p, d)| p * d / (1.0 + theta * d)).sum() };
    /// Halvings until nothing is left of the interval in double precision.
    const HALVINGS: usize = 100;
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if weighted(middle) > 0.0 { low = middle } else { high = middle }
    }
    let theta = (low + high) / 2.0;
    std::array::from_fn(|index| seen[index] / (1.0 + theta * deviations[index]))
}

/// The distribution with this mean that makes the `seen` one likeliest.
fn likeliest_with_mean(seen: &[f64; 5], mean: f64) -> [f64; 5] {
    likeliest(seen, &SHARES.map(|share| share - mean))
}

/// The distribution whose mean is so many of its own standard deviations above ½ that makes the `seen` one likeliest.
fn likeliest_with_deviations(seen: &[f64; 5], deviations: f64) -> [f64; 5] {
    // The condition is not linear in p. It is replaced by its linear part at the last solution, until that stays.
    const MOST_ROUNDS: usize = 50;
    const CLOSE_ENOUGH: f64 = 1e-10;
    let mut solution = [0.2; 5];
    for _ in 0..MOST_ROUNDS {
        let (mean, variance) = moments(&solution);
        let sigma = variance.sqrt();
        let linear =
            SHARES.map(|share| share - 0.5 - deviations * sigma * (1.0 + ((mean - share) / sigma).powi(2)) / 2.0);
        let next = likeliest(seen, &linear);
        let change = next.iter().zip(solution).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
        solution = next;
        if change < CLOSE_ENOUGH {
            break;
        }
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_ratios_are_reproduced() {
        let examples = include_str!("../../../tests/data/sprt_examples.tsv");
        let mut checked = [0, 0];
        for line in examples.lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split('\t').collect();
            let [_, _, model, elo0, elo1, published, counts] = columns[..] else { panic!("{line}") };
            let test: Sprt = format!("elo0={elo0},elo1={elo1},model={model}").parse().unwrap();
            let counts: Vec<u64> = counts.split(' ').map(|count| count.parse().unwrap()).collect();
            let ratio = test.log_likelihood_ratio(&Pairs(counts.try_into().unwrap()));
            let published: f64 = published.parse().unwrap();
            assert!((ratio - published).abs() < 0.0051, "{line}: {ratio}");
            checked[usize::from(test.model == EloModel::Normalized)] += 1;
        }
        assert!(checked.iter().all(|&count| count > 20), "{checked:?}");
    }

    #[test]
    fn the_bounds_are_those_of_wald() {
        let (lower, upper) = Sprt::default().bounds();
        assert!((lower + 2.944).abs() < 0.001 && (upper - 2.944).abs() < 0.001);
        assert_eq!(Sprt::default().decision(upper), Some(Hypothesis::Elo1));
        assert_eq!(Sprt::default().decision(lower), Some(Hypothesis::Elo0));
        assert_eq!(Sprt::default().decision(0.0), None);
    }

    #[test]
    fn the_likeliest_distribution_is_one_and_keeps_its_condition() {
        let seen = [0.1, 0.2, 0.4, 0.2, 0.1];
        let with_mean = likeliest_with_mean(&seen, 0.6);
        assert!((with_mean.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!((moments(&with_mean).0 - 0.6).abs() < 1e-9);
        let with_deviations = likeliest_with_deviations(&seen, 0.3);
        let (mean, variance) = moments(&with_deviations);
        assert!(((mean - 0.5) / variance.sqrt() - 0.3).abs() < 1e-6);
    }

    #[test]
    fn all_results_give_finite_ratios_within_all_bounds() {
        let mut dice = crate::util::random::StableRandom::new(5, 0);
        let mut results = vec![[1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 500, 0, 0], [500, 0, 0, 0, 500]];
        results.extend([[0, 0, 0, 0, 100_000], [100_000, 0, 0, 0, 0], [0, 1, 0, 0, 0]]);
        results.extend((0..100).map(|_| std::array::from_fn(|_| dice.below(40) as u64 * dice.below(3) as u64)));
        for (model, most) in [(EloModel::Logistic, MOST_LOGISTIC), (EloModel::Normalized, MOST_NORMALIZED)] {
            let bounds = [(0.0, 10.0), (0.0, most), (-most, 0.0), (-most, most), (most / 2.0, most)];
            for (elo0, elo1) in bounds {
                for &pairs in &results {
                    let ratio = Sprt { elo0, elo1, model, ..Sprt::default() }.log_likelihood_ratio(&Pairs(pairs));
                    assert!(ratio.is_finite(), "{pairs:?} {model:?} {elo0} {elo1} {ratio}");
                }
            }
        }
    }

    #[test]
    fn faults_are_named() {
        let fault = |text: &str| text.parse::<Sprt>().unwrap_err();
        assert_eq!(fault("elo0=5,elo1=5"), "elo0 must be less than elo1");
        assert_eq!(fault("elo1=300,model=normalized"), "elo0 and elo1 must lie within 100");
        assert_eq!(fault("elo1=1001"), "elo0 and elo1 must lie within 1000");
        assert_eq!(fault("elo0"), "'elo0' lacks '='");
        assert_eq!(fault("elo0=x"), "'x' is no number");
        assert_eq!(fault("alpha=0.6"), "alpha and beta must be more than 0 and less than 0.5");
        assert_eq!(fault("gamma=1"), "'gamma' is none of elo0, elo1, alpha, beta and model");
        assert_eq!(fault("model=linear"), "the model is logistic or normalized");
        let text = "elo0=-3,elo1=1,alpha=0.1,beta=0.05,model=normalized";
        assert_eq!(text.parse::<Sprt>().unwrap().to_string(), text);
    }
}
