//! The state of a match: who has won how often, what that says about strength, and who failed.

use std::collections::HashMap;

use serde::Serialize;

use super::fault::FaultKind;
use super::record::{Effort, GameRecord};
use super::schedule::Fixture;
use super::statistics::{Estimate, Pairs};
use crate::notation::game::GameResult;
use crate::types::Side;

/// What a game comes to, without its moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The result; never [`GameResult::Unknown`].
    pub result: GameResult,
    /// Who failed, and how.
    pub fault: Option<(Side, FaultKind)>,
    /// What Red and Black used.
    pub efforts: [Effort; 2],
}

impl Summary {
    /// What a game comes to.
    pub fn of(record: &GameRecord) -> Summary {
        Summary { result: record.result, fault: record.fault, efforts: record.efforts() }
    }
}

/// How one engine stands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// The pairs of games that are complete.
    pub pairs: Pairs,
    /// What it used.
    pub effort: Effort,
    /// How often it failed, by kind in the order of [`FaultKind::ALL`].
    pub faults: [u64; FaultKind::ALL.len()],
}

impl Standing {
    /// The games played.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The points: 1 for a win, ½ for a draw.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// The share of the points that could be won; `None` without games.
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }

    /// The difference in strength to its opponents, from complete pairs.
    pub fn estimate(&self) -> Option<Estimate> {
        self.pairs.estimate()
    }

    /// How often it failed in this way.
    pub fn faults_of(&self, kind: FaultKind) -> u64 {
        self.faults[kind as usize]
    }
}

/// How all engines stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standings {
    names: Vec<String>,
    standings: Vec<Standing>,
    /// For pairs of which one game is over: who has how many half points.
    open_pairs: HashMap<u64, (usize, usize)>,
    games: u64,
    draws: u64,
}

impl Standings {
    /// Before the first game.
    pub fn new(names: Vec<String>) -> Standings {
        let standings = vec![Standing::default(); names.len()];
        Standings { names, standings, open_pairs: HashMap::new(), games: 0, draws: 0 }
    }

    /// The engines in the order in which they were named.
    pub fn engines(&self) -> impl Iterator<Item = (&str, &Standing)> {
        self.names.iter().map(String::as_str).zip(&self.standings)
    }

    /// How many games are over.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The share of the games that were drawn; `None` without games.
    pub fn draw_rate(&self) -> Option<f64> {
        (self.games > 0).then(|| self.draws as f64 / self.games as f64)
    }

    /// The complete pairs of the first engine: in a match of two, what a test of their strength looks at.
    pub fn pairs(&self) -> Pairs {
        self.standings.first().map_or_else(Pairs::default, |standing| standing.pairs)
    }

    /// Books a game.
    pub fn add(&mut self, fixture: &Fixture, summary: &Summary) {
        self.games += 1;
        self.draws += u64::from(summary.result == GameResult::Draw);
        let half_points = |side: Side| match summary.result.points(side) {
            Some(points) => (2.0 * points) as usize,
            None => 1,
        };
        for side in Side::BOTH {
            let standing = &mut self.standings[fixture.engines[side.index()]];
            match half_points(side) {
                0 => standing.losses += 1,
                1 => standing.draws += 1,
                _ => standing.wins += 1,
            }
            standing.effort.add(&summary.efforts[side.index()]);
        }
        if let Some((side, kind)) = summary.fault {
            self.standings[fixture.engines[side.index()]].faults[kind as usize] += 1;
        }
        // A game that was never begun says nothing of strength, and neither does its pair.
        if summary.fault.is_some_and(|(_, kind)| kind == FaultKind::Start) {
            return;
        }
        let [red, black] = fixture.engines;
        let points = half_points(Side::Red);
        match self.open_pairs.remove(&fixture.pair()) {
            None => {
                self.open_pairs.insert(fixture.pair(), (red, points));
            }
            Some((first, first_points)) => {
                let both = first_points + if first == red { points } else { 2 - points };
                let other = if first == red { black } else { red };
                self.standings[first].pairs.add(both);
                self.standings[other].pairs.add(4 - both);
            }
        }
    }
}

/// How an engine stands, for JSON.
#[derive(Serialize, Debug)]
pub struct StandingReport<'a> {
    engine: &'a str,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    /// Pairs of games with 0, ½, 1, 1½ and 2 points.
    pairs: [u64; 5],
    elo: Option<f64>,
    elo_error: Option<f64>,
    likelihood_of_superiority: Option<f64>,
    milliseconds_a_move: Option<f64>,
    depth: Option<f64>,
    nodes_per_second: Option<f64>,
    faults: serde_json::Map<String, serde_json::Value>,
}

impl<'a> StandingReport<'a> {
    /// How this engine stands. What is infinite or not known yet is missing.
    pub fn of(name: &'a str, standing: &Standing) -> StandingReport<'a> {
        let estimate = standing.estimate();
        let finite = |number: f64| number.is_finite().then_some(number);
        let faults = FaultKind::ALL.map(|kind| (kind.name().to_owned(), standing.faults_of(kind).into()));
        StandingReport {
            engine: name,
            games: standing.games(),
            wins: standing.wins,
            draws: standing.draws,
            losses: standing.losses,
            pairs: standing.pairs.0,
            elo: estimate.and_then(|estimate| finite(estimate.elo)),
            elo_error: estimate.and_then(|estimate| finite(estimate.error)),
            likelihood_of_superiority: estimate.map(|estimate| estimate.superiority),
            milliseconds_a_move: standing.effort.milliseconds_a_move(),
            depth: standing.effort.mean_depth(),
            nodes_per_second: standing.effort.nodes_per_second(),
            faults: faults.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::{Format, Schedule};
    use super::*;

    fn summary(result: GameResult) -> Summary {
        Summary { result, fault: None, efforts: [Effort::default(); 2] }
    }

    #[test]
    fn pairs_are_counted_whatever_order_their_games_end_in() {
        use GameResult::{BlackWins, Draw, RedWins};
        let schedule = Schedule::new(2, Format::RoundRobin, 4, &[0]);
        // First engine: win as Red and as Black; draw and loss; win and loss; nothing yet of the second game.
        let results = [RedWins, BlackWins, Draw, RedWins, RedWins, RedWins, Draw];
        let mut forward = Standings::new(vec!["A".into(), "B".into()]);
        let mut backward = forward.clone();
        let order: Vec<usize> = (0..results.len()).collect();
        let book = |standings: &mut Standings, number: usize| {
            standings.add(&schedule.fixture(number as u64), &summary(results[number]));
        };
        order.iter().for_each(|&number| book(&mut forward, number));
        order.iter().rev().for_each(|&number| book(&mut backward, number));
        for standings in [&forward, &backward] {
            assert_eq!(standings.pairs(), Pairs([0, 1, 1, 0, 1]));
            assert_eq!(standings.standings[1].pairs, Pairs([1, 0, 1, 1, 0]));
            let first = &standings.standings[0];
            assert_eq!((first.wins, first.draws, first.losses), (3, 2, 2));
            assert_eq!((first.points(), standings.draw_rate()), (4.0, Some(2.0 / 7.0)));
        }
    }

    #[test]
    fn faults_go_to_whoever_failed() {
        let schedule = Schedule::new(2, Format::RoundRobin, 2, &[0]);
        let mut standings = Standings::new(vec!["A".into(), "B".into()]);
        let lost = |side, kind| Summary { fault: Some((side, kind)), ..summary(GameResult::win_of(!side)) };
        standings.add(&schedule.fixture(0), &lost(Side::Black, FaultKind::Time));
        standings.add(&schedule.fixture(1), &lost(Side::Red, FaultKind::Crash));
        let second = &standings.standings[1];
        assert_eq!((second.faults_of(FaultKind::Time), second.faults_of(FaultKind::Crash)), (1, 1));
        assert_eq!((second.losses, standings.standings[0].faults), (2, [0; 6]));
        assert_eq!(standings.pairs(), Pairs([0, 0, 0, 0, 1]));
        // What never began is lost, but says nothing of strength.
        standings.add(&schedule.fixture(2), &lost(Side::Black, FaultKind::Start));
        standings.add(&schedule.fixture(3), &lost(Side::Black, FaultKind::Illegal));
        assert_eq!(standings.pairs(), Pairs([0, 0, 0, 0, 1]));
        assert_eq!(standings.standings[1].losses, 3);
    }
}
