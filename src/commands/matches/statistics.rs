//! Statistics of matches: standings, Elo estimates from pairs of games, and sequential tests.
//!
//! Each opening is played twice with colours reversed. The results of the two games are correlated when the opening is
//! unbalanced, so the statistics count pairs: how many gave 0, ½, 1, 1½ and 2 points (the *pentanomial* distribution;
//! Van den Bergh, "Comments on normalized Elo", 2020).
//!
//! A test is a generalized sequential probability ratio test (Wald, 1945; Van den Bergh, "A practical introduction to
//! the GSPRT", 2019) on such pairs. It compares the likelihood of the results under two hypotheses about the strength
//! of the first engine. Nuisance parameters such as the draw rate take their maximum likelihood estimate under each
//! hypothesis.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use statrs::distribution::{ContinuousCDF, Normal};

use super::game::{Effort, GameRecord};
use super::process::FaultKind;
use super::run::ScheduledGame;
use crate::console::key_values;
use crate::types::Side;
use crate::util::math::logistic;

/// Points of a pair of games as a share of the 2 possible.
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Elo points for one unit of the natural logarithm of the odds.
const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pairs(pub [u64; 5]);

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Difference; infinite when every game was won or every game lost.
    pub elo: f64,
    /// Half of the 95 % interval; infinite when the results have no variance.
    pub error: f64,
    /// Probability that the difference is positive, 0 to 1; unknown when the results have no variance.
    pub superiority: Option<f64>,
}

/// Returns the Elo difference of an expected score on the logistic curve; scores beyond 0 and 1 are cut.
fn elo_from_score(score: f64) -> f64 {
    // Adding 0 turns −0 into 0.
    -ELO_PER_LOGIT * (1.0 / score.clamp(0.0, 1.0) - 1.0).ln() + 0.0
}

impl Pairs {
    fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    pub fn estimate(&self) -> Option<Estimate> {
        let count = Some(self.count() as f64).filter(|count| *count > 0.0)?;
        let (mean, variance) = moments(&self.0.map(|pairs| pairs as f64 / count));
        let (elo, deviation) = (elo_from_score(mean), (variance / count).sqrt());
        if deviation == 0.0 {
            return Some(Estimate { elo, error: f64::INFINITY, superiority: None });
        }
        let normal = Normal::standard();
        // The two-sided 95 % interval.
        let reach = normal.inverse_cdf(0.975) * deviation;
        let error = (elo_from_score(mean + reach) - elo_from_score(mean - reach)) / 2.0;
        Some(Estimate { elo, error, superiority: Some(normal.cdf((mean - 0.5) / deviation)) })
    }
}

/// Returns mean and variance of the share of points under these probabilities.
fn moments(probabilities: &[f64; 5]) -> (f64, f64) {
    let expect = |f: &dyn Fn(f64) -> f64| probabilities.iter().zip(SHARES).map(|(p, share)| p * f(share)).sum::<f64>();
    let mean = expect(&|share| share);
    (mean, expect(&|share| (share - mean).powi(2)))
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    pub elo0: f64,
    pub elo1: f64,
    /// Probability of accepting H1 when H0 holds.
    pub alpha: f64,
    /// Probability of accepting H0 when H1 holds.
    pub beta: f64,
}

const MAX_ELO: f64 = 1_000.0;

impl Default for Sprt {
    fn default() -> Sprt {
        Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 }
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sprt { elo0, elo1, alpha, beta } = self;
        write!(f, "elo0={elo0},elo1={elo1},alpha={alpha},beta={beta}")
    }
}

/// Parses `elo0=0,elo1=10,alpha=0.05,beta=0.05`, in any order; these are the defaults.
impl FromStr for Sprt {
    type Err = String;

    fn from_str(text: &str) -> Result<Sprt, String> {
        let mut test = Sprt::default();
        for (key, value) in key_values(text, &["elo0", "elo1", "alpha", "beta"])? {
            let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
            let number = number.ok_or_else(|| format!("'{value}' is not a number"))?;
            match key {
                "elo0" => test.elo0 = number,
                "elo1" => test.elo1 = number,
                "alpha" => test.alpha = number,
                _ => test.beta = number,
            }
        }
        if test.elo0 >= test.elo1 {
            return Err("elo0 must be less than elo1".to_owned());
        }
        if test.elo0.abs().max(test.elo1.abs()) > MAX_ELO {
            return Err(format!("elo0 and elo1 must be within ±{MAX_ELO}"));
        }
        if ![test.alpha, test.beta].iter().all(|error| (1e-6..0.5).contains(error)) {
            return Err("alpha and beta must be at least 0.000001 and less than 0.5".to_owned());
        }
        Ok(test)
    }
}

impl Sprt {
    /// Returns the bounds of the log-likelihood ratio: at the lower one the test accepts H0, at the upper one H1.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// Returns the name of the accepted hypothesis; `None` while more games are needed.
    pub fn decision(&self, ratio: f64) -> Option<&'static str> {
        match self.bounds() {
            (lower, _) if ratio <= lower => Some("H0"),
            (_, upper) if ratio >= upper => Some("H1"),
            _ => None,
        }
    }

    /// Returns the logarithm of the likelihood ratio of H1 to H0; 0 without pairs.
    pub fn log_likelihood_ratio(&self, pairs: &Pairs) -> f64 {
        if pairs.count() == 0 {
            return 0.0;
        }
        /// Count of a result that did not occur, since its probability is not 0.
        const MIN_COUNT: f64 = 1e-3;
        let counts = pairs.0.map(|count| (count as f64).max(MIN_COUNT));
        let count: f64 = counts.iter().sum();
        let seen = counts.map(|pairs| pairs / count);
        let most_likely = |elo: f64| most_likely(&seen, logistic(elo / ELO_PER_LOGIT));
        let (null, alternative) = (most_likely(self.elo0), most_likely(self.elo1));
        let terms = seen.iter().zip(null.iter().zip(alternative));
        count * terms.map(|(seen, (null, alternative))| seen * (alternative / null).ln()).sum::<f64>()
    }
}

/// Returns the maximum likelihood distribution with this mean, from 0 to 1, given the observed one, `seen`.
fn most_likely(seen: &[f64; 5], mean: f64) -> [f64; 5] {
    // With the deviations d from the mean p = seen / (1 + θ·d) by Lagrange multipliers, where θ is the root of Σ p·d.
    // The sum decreases with θ, and every p is positive only between these bounds.
    let deviations = SHARES.map(|share| share - mean);
    let (mut low, mut high) = (-1.0 / deviations[4], -1.0 / deviations[0]);
    let weighted = |theta: f64| -> f64 { seen.iter().zip(deviations).map(|(p, d)| p * d / (1.0 + theta * d)).sum() };
    /// Bisections until the interval is empty in double precision.
    const BISECTIONS: usize = 100;
    for _ in 0..BISECTIONS {
        let middle = (low + high) / 2.0;
        if weighted(middle) > 0.0 { low = middle } else { high = middle }
    }
    let theta = (low + high) / 2.0;
    std::array::from_fn(|index| seen[index] / (1.0 + theta * deviations[index]))
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    pub pairs: Pairs,
    pub effort: Effort,
    /// Number of faults by kind, in the order of [`FaultKind::NAMED`].
    pub faults: [u64; FaultKind::NAMED.len()],
}

impl Standing {
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the points (1 for a win, ½ for a draw) as a share of the games; `None` without games.
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / self.games() as f64)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standings {
    names: Vec<String>,
    standings: Vec<Standing>,
    /// Pairs with one finished game: an engine and its half points.
    open_pairs: HashMap<u64, (usize, usize)>,
}

impl Standings {
    pub fn new(names: Vec<String>) -> Standings {
        let standings = vec![Standing::default(); names.len()];
        Standings { names, standings, open_pairs: HashMap::new() }
    }

    pub fn engines(&self) -> impl Iterator<Item = (&str, &Standing)> {
        self.names.iter().map(String::as_str).zip(&self.standings)
    }

    pub fn games(&self) -> u64 {
        self.standings.iter().map(Standing::games).sum::<u64>() / 2
    }

    pub fn draw_rate(&self) -> Option<f64> {
        let draws = self.standings.iter().map(|standing| standing.draws).sum::<u64>() / 2;
        (self.games() > 0).then(|| draws as f64 / self.games() as f64)
    }

    /// Returns the complete pairs of the first engine, the data of a sequential test of two engines.
    pub fn pairs(&self) -> Pairs {
        self.standings.first().map_or_else(Pairs::default, |standing| standing.pairs)
    }

    /// Adds a game. Of one that was not played only the fault is counted; see [`GameRecord::was_played`].
    pub fn add(&mut self, scheduled: &ScheduledGame, record: &GameRecord) {
        if let Some(fault) = record.fault {
            self.standings[scheduled.engines[fault.side.index()]].faults[fault.kind as usize] += 1;
        }
        if !record.was_played() {
            return;
        }
        let half_points = Side::BOTH.map(|side| record.result.points(side).map_or(1, |points| (2.0 * points) as usize));
        for (index, half_points) in half_points.into_iter().enumerate() {
            let standing = &mut self.standings[scheduled.engines[index]];
            match half_points {
                0 => standing.losses += 1,
                1 => standing.draws += 1,
                _ => standing.wins += 1,
            }
            standing.effort.add(&record.efforts[index]);
        }
        let [red, black] = scheduled.engines;
        // Games 2n and 2n + 1 are a pair.
        let pair = scheduled.number / 2;
        match self.open_pairs.remove(&pair) {
            None => {
                self.open_pairs.insert(pair, (red, half_points[0]));
            }
            Some((first, first_points)) => {
                let (own, other) = if first == red { (half_points[0], black) } else { (half_points[1], red) };
                self.standings[first].pairs.0[first_points + own] += 1;
                self.standings[other].pairs.0[4 - first_points - own] += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::game::GameFault;
    use super::super::run::{Format, Schedule};
    use super::*;
    use crate::notation::game::GameResult;
    use crate::util::shard::Shard;

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
        // Without variance the errors are infinite.
        assert_eq!(Pairs::default().estimate(), None);
        for (pairs, elo) in [([0, 0, 7, 0, 0], 0.0), ([0, 0, 0, 0, 7], f64::INFINITY)] {
            let expected = Estimate { elo, error: f64::INFINITY, superiority: None };
            assert_eq!(Pairs(pairs).estimate(), Some(expected));
        }
    }

    #[test]
    fn published_ratios_are_reproduced() {
        let examples = include_str!("../../../tests/data/sprt_examples.tsv");
        let mut checked = 0;
        for line in examples.lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split('\t').collect();
            let [_, _, elo0, elo1, published, counts] = columns[..] else { panic!("{line}") };
            let test: Sprt = format!("elo0={elo0},elo1={elo1}").parse().unwrap();
            let counts: Vec<u64> = counts.split(' ').map(|count| count.parse().unwrap()).collect();
            assert_eq!(test.to_string().parse(), Ok(test));
            let ratio = test.log_likelihood_ratio(&Pairs(counts.try_into().unwrap()));
            let published: f64 = published.parse().unwrap();
            assert!((ratio - published).abs() < 0.0051, "{line}: {ratio}");
            checked += 1;
        }
        assert!(checked > 20);
        // The bounds are those of Wald.
        let (lower, upper) = Sprt::default().bounds();
        assert!((lower + 2.944).abs() < 0.001 && (upper - 2.944).abs() < 0.001);
        let accepted = [lower, 0.0, upper].map(|ratio| Sprt::default().decision(ratio));
        assert_eq!(accepted, [Some("H0"), None, Some("H1")]);
    }

    #[test]
    fn all_results_give_finite_ratios_within_all_bounds() {
        let mut random = crate::util::math::StableRandom::new(5, 0);
        let mut results = vec![[1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 500, 0, 0], [500, 0, 0, 0, 500]];
        results.extend([[0, 0, 0, 0, 100_000], [100_000, 0, 0, 0, 0], [0, 1, 0, 0, 0]]);
        results.extend((0..100).map(|_| std::array::from_fn(|_| random.below(40) as u64 * random.below(3) as u64)));
        let max = MAX_ELO;
        for (elo0, elo1) in [(0.0, 10.0), (0.0, max), (-max, 0.0), (-max, max), (max / 2.0, max)] {
            for &pairs in &results {
                let ratio = Sprt { elo0, elo1, ..Sprt::default() }.log_likelihood_ratio(&Pairs(pairs));
                assert!(ratio.is_finite(), "{pairs:?} {elo0} {elo1} {ratio}");
            }
        }
    }

    #[test]
    fn pairs_do_not_depend_on_the_order_of_games() {
        use GameResult::{BlackWins, Draw, RedWins};
        let schedule = Schedule::new(2, Format::RoundRobin, 4, &[0], Shard::default());
        // First engine: win as Red and as Black; draw and loss; win and loss; nothing yet of the second game.
        let results = [RedWins, BlackWins, Draw, RedWins, RedWins, RedWins, Draw];
        let mut forward = Standings::new(vec!["A".into(), "B".into()]);
        let mut backward = forward.clone();
        let order: Vec<usize> = (0..results.len()).collect();
        let add = |standings: &mut Standings, number: usize| {
            let record = GameRecord { result: results[number], ..GameRecord::default() };
            standings.add(&schedule.game(number as u64), &record);
        };
        order.iter().for_each(|&number| add(&mut forward, number));
        order.iter().rev().for_each(|&number| add(&mut backward, number));
        // A game that never started does not count, and its pair has only one game.
        let fault = Some(GameFault { side: Side::Red, kind: FaultKind::Start });
        forward.add(&schedule.game(7), &GameRecord { fault, ..GameRecord::default() });
        for standings in [&forward, &backward] {
            assert_eq!(standings.pairs(), Pairs([0, 1, 1, 0, 1]));
            assert_eq!(standings.standings[1].pairs, Pairs([1, 0, 1, 1, 0]));
            let first = &standings.standings[0];
            assert_eq!((first.wins, first.draws, first.losses), (3, 2, 2));
            assert_eq!((first.score(), standings.draw_rate()), (Some(4.0 / 7.0), Some(2.0 / 7.0)));
        }
        assert_eq!(forward.standings[1].faults[FaultKind::Start as usize], 1);
    }
}
