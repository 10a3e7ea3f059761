//! Standings of a match: results, estimated strength and faults of each engine.

use std::collections::HashMap;

use serde::Serialize;

use super::record::FaultKind;
use super::record::{Effort, GameRecord};
use super::schedule::ScheduledGame;
use super::statistics::{Estimate, Pairs};
use crate::notation::game::GameResult;
use crate::types::Side;

/// Result of a game without its moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The result; never [`GameResult::Unknown`].
    pub result: GameResult,
    /// Side and kind of the fault, if any.
    pub fault: Option<(Side, FaultKind)>,
    /// Efforts of Red and Black.
    pub efforts: [Effort; 2],
}

impl Summary {
    /// Summarizes a game.
    pub fn from_record(record: &GameRecord) -> Summary {
        Summary { result: record.result, fault: record.fault, efforts: record.efforts() }
    }

    /// Returns `false` if an engine was not started for the game. Such a game says nothing about strength: it does not
    /// count, and is played again when the match is resumed.
    pub fn was_played(&self) -> bool {
        self.fault.is_none_or(|(_, kind)| kind != FaultKind::Start)
    }
}

/// Standing of one engine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Complete pairs of games.
    pub pairs: Pairs,
    /// Sum of its efforts.
    pub effort: Effort,
    /// Number of faults by kind, in the order of [`FaultKind::ALL`].
    pub faults: [u64; FaultKind::ALL.len()],
}

impl Standing {
    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the points: 1 for a win, ½ for a draw.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Returns the points as a share of the games; `None` without games.
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }

    /// Estimates the Elo difference to the opponents from complete pairs.
    pub fn estimate(&self) -> Option<Estimate> {
        self.pairs.estimate()
    }

    /// Returns the number of faults of this kind.
    pub fn faults_of(&self, kind: FaultKind) -> u64 {
        self.faults[kind as usize]
    }
}

/// Standings of all engines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standings {
    names: Vec<String>,
    standings: Vec<Standing>,
    /// Pairs with one finished game: an engine and its half points.
    open_pairs: HashMap<u64, (usize, usize)>,
    games: u64,
    draws: u64,
}

impl Standings {
    /// Creates the standings before the first game.
    pub fn new(names: Vec<String>) -> Standings {
        let standings = vec![Standing::default(); names.len()];
        Standings { names, standings, open_pairs: HashMap::new(), games: 0, draws: 0 }
    }

    /// Returns names and standings in the order of the engines.
    pub fn engines(&self) -> impl Iterator<Item = (&str, &Standing)> {
        self.names.iter().map(String::as_str).zip(&self.standings)
    }

    /// Returns the number of finished games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Returns the share of drawn games; `None` without games.
    pub fn draw_rate(&self) -> Option<f64> {
        (self.games > 0).then(|| self.draws as f64 / self.games as f64)
    }

    /// Returns the complete pairs of the first engine, the data of a sequential test of two engines.
    pub fn pairs(&self) -> Pairs {
        self.standings.first().map_or_else(Pairs::default, |standing| standing.pairs)
    }

    /// Adds a game. Of one that was not played only the fault is counted; see [`Summary::was_played`].
    pub fn add(&mut self, scheduled: &ScheduledGame, summary: &Summary) {
        if let Some((side, kind)) = summary.fault {
            self.standings[scheduled.engines[side.index()]].faults[kind as usize] += 1;
        }
        if !summary.was_played() {
            return;
        }
        self.games += 1;
        self.draws += u64::from(summary.result == GameResult::Draw);
        let half_points = |side: Side| match summary.result.points(side) {
            Some(points) => (2.0 * points) as usize,
            None => 1,
        };
        for side in Side::BOTH {
            let standing = &mut self.standings[scheduled.engines[side.index()]];
            match half_points(side) {
                0 => standing.losses += 1,
                1 => standing.draws += 1,
                _ => standing.wins += 1,
            }
            standing.effort.add(&summary.efforts[side.index()]);
        }
        let [red, black] = scheduled.engines;
        let points = half_points(Side::Red);
        match self.open_pairs.remove(&scheduled.pair()) {
            None => {
                self.open_pairs.insert(scheduled.pair(), (red, points));
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

/// Standing of an engine, for JSON.
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
    growth: Option<f64>,
    nodes_per_second: Option<f64>,
    /// The engine does not report all its nodes.
    nodes_per_second_is_minimum: bool,
    faults: serde_json::Map<String, serde_json::Value>,
}

impl<'a> StandingReport<'a> {
    /// Creates the report. Infinite or unknown numbers become null.
    pub fn new(name: &'a str, standing: &Standing) -> StandingReport<'a> {
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
            likelihood_of_superiority: estimate.and_then(|estimate| estimate.superiority),
            milliseconds_a_move: standing.effort.milliseconds_a_move(),
            depth: standing.effort.mean_depth(),
            growth: standing.effort.mean_growth(),
            nodes_per_second: standing.effort.nodes_per_second(),
            nodes_per_second_is_minimum: standing.effort.lacks_nodes(),
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
    fn pairs_do_not_depend_on_the_order_of_games() {
        use GameResult::{BlackWins, Draw, RedWins};
        let schedule = Schedule::new(2, Format::RoundRobin, 4, &[0]);
        // First engine: win as Red and as Black; draw and loss; win and loss; nothing yet of the second game.
        let results = [RedWins, BlackWins, Draw, RedWins, RedWins, RedWins, Draw];
        let mut forward = Standings::new(vec!["A".into(), "B".into()]);
        let mut backward = forward.clone();
        let order: Vec<usize> = (0..results.len()).collect();
        let add = |standings: &mut Standings, number: usize| {
            standings.add(&schedule.game(number as u64), &summary(results[number]));
        };
        order.iter().for_each(|&number| add(&mut forward, number));
        order.iter().rev().for_each(|&number| add(&mut backward, number));
        for standings in [&forward, &backward] {
            assert_eq!(standings.pairs(), Pairs([0, 1, 1, 0, 1]));
            assert_eq!(standings.standings[1].pairs, Pairs([1, 0, 1, 1, 0]));
            let first = &standings.standings[0];
            assert_eq!((first.wins, first.draws, first.losses), (3, 2, 2));
            assert_eq!((first.points(), standings.draw_rate()), (4.0, Some(2.0 / 7.0)));
        }
    }

    #[test]
    fn faults_count_for_the_engine_that_failed() {
        let schedule = Schedule::new(2, Format::RoundRobin, 2, &[0]);
        let mut standings = Standings::new(vec!["A".into(), "B".into()]);
        let lost = |side, kind| Summary { fault: Some((side, kind)), ..summary(GameResult::win_of(!side)) };
        standings.add(&schedule.game(0), &lost(Side::Black, FaultKind::Time));
        standings.add(&schedule.game(1), &lost(Side::Red, FaultKind::Crash));
        let second = &standings.standings[1];
        assert_eq!((second.faults_of(FaultKind::Time), second.faults_of(FaultKind::Crash)), (1, 1));
        assert_eq!((second.losses, standings.standings[0].faults), (2, [0; 6]));
        assert_eq!(standings.pairs(), Pairs([0, 0, 0, 0, 1]));
        // A game that never started does not count, and its pair has only one game.
        standings.add(&schedule.game(2), &lost(Side::Black, FaultKind::Start));
        standings.add(&schedule.game(3), &lost(Side::Black, FaultKind::Illegal));
        assert_eq!(standings.pairs(), Pairs([0, 0, 0, 0, 1]));
        let standing = &standings.standings[0];
        assert_eq!((standings.games(), standing.wins, standing.losses), (3, 2, 1));
        assert_eq!(standings.standings[1].faults_of(FaultKind::Start), 1);
    }
}
