//! Profile of a player over reviewed games: results, accuracy, openings, missed tactics and attack.
//!
//! [`player`] finds the name that is meant, [`miss`] defines a missed tactic, [`attack`] the weight of the player's
//! attack.

pub mod attack;
pub mod miss;
pub mod player;

use crate::notation::game::{Game, GameResult};
use crate::notation::opening_name::OpeningName;
use crate::types::Side;

pub use attack::AttackBalance;
pub use miss::{MissedGain, TacticalMiss, missed_tactics};

use super::Phase;
use super::game::{GameReview, SideSummary};

/// Results of games for one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Results {
    /// Games won.
    pub wins: usize,
    /// Games drawn.
    pub draws: usize,
    /// Games lost.
    pub losses: usize,
    /// Games without a known result.
    pub unknown: usize,
}

impl Results {
    /// Counts the result of a game of this side.
    ///
    /// ```
    /// use chuhe::notation::game::GameResult;
    /// use chuhe::commands::analysis::profile::Results;
    /// use chuhe::types::Side;
    ///
    /// let mut results = Results::default();
    /// results.add(GameResult::BlackWins, Side::Black);
    /// results.add(GameResult::Draw, Side::Red);
    /// assert_eq!((results.wins, results.draws, results.score()), (1, 1, Some(0.75)));
    /// ```
    pub fn add(&mut self, result: GameResult, side: Side) {
        let count = match result {
            GameResult::Unknown => &mut self.unknown,
            GameResult::Draw => &mut self.draws,
            win if win == GameResult::win_of(side) => &mut self.wins,
            _ => &mut self.losses,
        };
        *count += 1;
    }

    /// Returns the number of games.
    pub fn games(&self) -> usize {
        self.wins + self.draws + self.losses + self.unknown
    }

    /// Returns the mean points of the games with a known result, from 0 to 1; `None` without any.
    pub fn score(&self) -> Option<f64> {
        let known = self.games() - self.unknown;
        (known > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / known as f64)
    }
}

/// Accuracy and marks of a player, in all moves and by phase.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PlayerSummary {
    /// All moves.
    pub whole: SideSummary,
    /// Moves of each phase, in the order of [`Phase::ALL`].
    pub phases: [SideSummary; 3],
}

impl PlayerSummary {
    /// Summarizes the moves of a side in one game.
    pub fn new(review: &GameReview, side: Side) -> PlayerSummary {
        PlayerSummary {
            whole: review.side_summary(side, None),
            phases: Phase::ALL.map(|phase| review.side_summary(side, Some(phase))),
        }
    }

    /// Adds the moves of another game.
    pub fn add(&mut self, other: &PlayerSummary) {
        self.whole.add(&other.whole);
        self.phases.iter_mut().zip(&other.phases).for_each(|(sum, other)| sum.add(other));
    }
}

/// Place of a game in the input, and its tags.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameLabel {
    /// File.
    pub file: String,
    /// Number of the game in the file, from 1.
    pub number: u64,
    /// Tag `Date` as it stands in the file.
    pub date: Option<String>,
    /// Tag `Event`.
    pub event: Option<String>,
    /// Name of the opponent.
    pub opponent: Option<String>,
}

impl GameLabel {
    /// Describes a game for the player of a side.
    pub fn new(file: String, number: u64, game: &Game, side: Side) -> GameLabel {
        let tag = |name| game.tag(name).map(str::trim).filter(|text| !text.is_empty() && *text != "?");
        let date = tag("Date").filter(|date| date.chars().any(|c| c.is_ascii_digit()));
        GameLabel {
            file,
            number,
            date: date.map(str::to_owned),
            event: tag("Event").map(str::to_owned),
            opponent: tag(player::tag_of(!side)).map(str::to_owned),
        }
    }

    /// Returns year, month and day of the date, 0 where unknown, if its first number is a year.
    fn day(&self) -> Option<[u32; 3]> {
        let mut numbers = self.date.as_deref()?.split(|c: char| !c.is_ascii_digit() && c != '?');
        let mut number = || numbers.find(|text| !text.is_empty()).and_then(|text| text.parse().ok());
        let year = number().filter(|year| (1000..=9999).contains(year))?;
        Some([year, number().unwrap_or(0), number().unwrap_or(0)])
    }
}

/// Game of a player with its review.
#[derive(Clone, Debug)]
pub struct PlayerGame {
    /// Place and tags.
    pub label: GameLabel,
    /// Side of the player.
    pub side: Side,
    /// Result of the game.
    pub result: GameResult,
    /// Opening by the moves, whatever the file says.
    pub opening: Option<OpeningName>,
    /// Number of moves of both sides.
    pub plies: usize,
    /// Accuracy and marks of the player.
    pub summary: PlayerSummary,
    /// Missed tactics in the order of the moves.
    pub misses: Vec<TacticalMiss>,
    /// Attack of the player and of the opponent.
    pub attack: AttackBalance,
}

impl PlayerGame {
    /// Summarizes a reviewed game for the player of a side.
    pub fn new(label: GameLabel, game: &Game, review: &GameReview, side: Side) -> PlayerGame {
        PlayerGame {
            label,
            side,
            result: game.result,
            opening: OpeningName::new(&game.start, &game.line()),
            plies: game.main_line().len(),
            summary: PlayerSummary::new(review, side),
            misses: missed_tactics(review, side),
            attack: AttackBalance::new(review, side),
        }
    }
}

/// Games of a player with one opening.
#[derive(Clone, PartialEq, Debug)]
pub struct OpeningResults {
    /// Name; `None` for games of no known opening.
    pub opening: Option<OpeningName>,
    /// Results of the player.
    pub results: Results,
    /// Accuracy and marks of the player in the whole games.
    pub summary: PlayerSummary,
}

/// Profile of a player.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Name.
    pub player: String,
    /// Games by date, those without one last and in the order of the input.
    pub games: Vec<PlayerGame>,
}

impl Profile {
    /// Collects the games of a player.
    pub fn new(player: String, mut games: Vec<PlayerGame>) -> Profile {
        games.sort_by_key(|game| {
            let day = game.label.day();
            (day.is_none(), day)
        });
        Profile { player, games }
    }

    fn games_of(&self, side: Option<Side>) -> impl Iterator<Item = &PlayerGame> {
        self.games.iter().filter(move |game| side.is_none_or(|side| side == game.side))
    }

    /// Returns the results with one colour or both.
    pub fn results(&self, side: Option<Side>) -> Results {
        let mut results = Results::default();
        self.games_of(side).for_each(|game| results.add(game.result, game.side));
        results
    }

    /// Returns accuracy and marks with one colour or both; every move counts the same.
    pub fn summary(&self, side: Option<Side>) -> PlayerSummary {
        let mut sum = PlayerSummary::default();
        self.games_of(side).for_each(|game| sum.add(&game.summary));
        sum
    }

    /// Returns the openings played with a colour, the most frequent first.
    pub fn openings(&self, side: Side) -> Vec<OpeningResults> {
        let mut openings: Vec<OpeningResults> = Vec::new();
        for game in self.games_of(Some(side)) {
            let index = openings.iter().position(|other| other.opening == game.opening).unwrap_or_else(|| {
                let (results, summary) = (Results::default(), PlayerSummary::default());
                openings.push(OpeningResults { opening: game.opening.clone(), results, summary });
                openings.len() - 1
            });
            openings[index].results.add(game.result, side);
            openings[index].summary.add(&game.summary);
        }
        openings.sort_by_key(|opening| std::cmp::Reverse(opening.results.games()));
        openings
    }

    /// Returns the missed tactics of all games, each with the index of its game, the greatest loss of winning
    /// chance first.
    pub fn misses(&self) -> Vec<(usize, &TacticalMiss)> {
        let all = self.games.iter().enumerate();
        let mut misses: Vec<_> =
            all.flat_map(|(index, game)| game.misses.iter().map(move |miss| (index, miss))).collect();
        misses.sort_by(|(_, a), (_, b)| b.loss.total_cmp(&a.loss));
        misses
    }

    /// Returns the attack in all games.
    pub fn attack(&self) -> AttackBalance {
        let mut sum = AttackBalance::default();
        self.games.iter().for_each(|game| sum.add(&game.attack));
        sum
    }

    /// Returns the standard error of the mean preference of attack in centipawns; `None` with fewer than two games.
    pub fn preference_error(&self) -> Option<f64> {
        attack::preference_error(self.games.iter().map(|game| &game.attack))
    }
}
