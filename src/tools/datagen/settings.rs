//! What decides how games of self-play go: the same settings and number give the same game on every machine.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::engine::bench;
use crate::rules::RuleSet;
use crate::tools::arbiter::{Adjudication, Agreement};
use crate::types::Value;

/// Everything that a game depends on beside its number. The names in files and messages are those of the options.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Settings {
    /// The version of the program and the fingerprint of its search.
    pub program: String,
    /// What all random choices follow from.
    pub seed: u64,
    /// Which part of the games is played.
    pub shard: Shard,
    /// No iteration of a search is begun after so many nodes.
    pub nodes: u64,
    /// A search ends within an iteration after so many nodes.
    pub hard_nodes: u64,
    /// The table of the engine in megabytes.
    pub hash: usize,
    /// How many random moves a game begins with, after its start from a file if there is one.
    pub random_plies: usize,
    /// How many centipawns either side may be ahead after them.
    pub balance: Value,
    /// The starts of a file, told by their number and a checksum.
    pub openings: Option<String>,
    /// The score that wins a game when it lasts, in centipawns; `None` when no score does.
    pub win_score: Option<Value>,
    /// For how many plies it has to last.
    pub win_plies: u32,
    /// The score within which a game is drawn when it lasts; `None` when no score does.
    pub draw_score: Option<Value>,
    /// For how many plies it has to last.
    pub draw_plies: u32,
    /// From which ply on.
    pub draw_from: usize,
    /// After how many plies a game is drawn, those before the first search included.
    pub most_plies: usize,
    /// The law of repetition.
    pub rules: String,
}

impl Settings {
    /// The most plies that a game may be given.
    pub const MOST_PLIES: usize = 10_000;

    /// This program.
    pub fn this_program() -> String {
        format!("{} {}", env!("CARGO_PKG_VERSION"), bench::SIGNATURE)
    }

    /// The law of repetition, the usual one if its name is not known.
    pub fn rule_set(&self) -> RuleSet {
        RuleSet::from_name(&self.rules).unwrap_or_default()
    }

    /// Which games are ended before the rules do.
    pub fn adjudication(&self) -> Adjudication {
        let agreement = |score: Option<Value>, plies, from_ply| score.map(|score| Agreement { score, plies, from_ply });
        Adjudication {
            win: agreement(self.win_score, self.win_plies, 0),
            draw: agreement(self.draw_score, self.draw_plies, self.draw_from),
            most_plies: Some(self.most_plies.clamp(1, Settings::MOST_PLIES)),
        }
    }

    /// The first option in which a file that was made with `earlier` settings differs.
    ///
    /// ```
    /// use chuhe::tools::datagen::Settings;
    /// let (earlier, now) = (Settings::default(), Settings { nodes: 800, ..Settings::default() });
    /// assert_eq!(now.difference(&earlier.to_json()).unwrap().to_string(), "--nodes is 5000 there and 800 now");
    /// assert_eq!(now.difference(&now.to_json()), None);
    /// ```
    pub fn difference(&self, earlier: &str) -> Option<Difference> {
        Difference::between(&self.to_json(), earlier)
    }

    /// The settings as they stand in a file: one JSON object.
    pub fn to_json(&self) -> String {
        match serde_json::to_string(self) {
            Ok(text) => text,
            Err(error) => unreachable!("numbers and words can be written as JSON: {error}"),
        }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            program: Settings::this_program(),
            seed: 1,
            shard: Shard::default(),
            nodes: 5_000,
            hard_nodes: 50_000,
            hash: 16,
            random_plies: 8,
            balance: 300,
            openings: None,
            win_score: Some(1_500),
            win_plies: 4,
            draw_score: None,
            draw_plies: 20,
            draw_from: 80,
            most_plies: 400,
            rules: RuleSet::default().name().to_owned(),
        }
    }
}

/// An option that is not what it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Its name without the dashes; `program` for another version or another search.
    pub option: String,
    /// What it was.
    pub earlier: String,
    /// What it is.
    pub now: String,
}

impl Difference {
    /// The first option in which two JSON objects of settings differ. What is no such object has no option at all.
    pub fn between(now: &str, earlier: &str) -> Option<Difference> {
        let map = |text: &str| serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text);
        let (now, earlier) = (map(now).unwrap_or_default(), map(earlier).unwrap_or_default());
        let tell = |value: Option<&serde_json::Value>| match value {
            None | Some(serde_json::Value::Null) => "not given".to_owned(),
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        let names = now.keys().chain(earlier.keys().filter(|name| !now.contains_key(*name)));
        let option = names.into_iter().find(|name| now.get(*name) != earlier.get(*name))?;
        Some(Difference { option: option.clone(), earlier: tell(earlier.get(option)), now: tell(now.get(option)) })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { option, earlier, now } = self;
        let dashes = if option == "program" { "the " } else { "--" };
        write!(f, "{dashes}{option} is {earlier} there and {now} now")
    }
}

/// Every so many games one, so that several machines can share them: shard 2 of 3 has the games 1, 4, 7, …
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// The number of its first game.
    pub fn first(self) -> u64 {
        self.index - 1
    }

    /// How far it is from one of its games to the next.
    pub fn step(self) -> u64 {
        self.count
    }

    /// Whether a game is one of its own.
    pub fn has(self, number: u64) -> bool {
        number % self.step() == self.first()
    }

    /// How many of the first `games` are its own.
    pub fn count(self, games: u64) -> u64 {
        games.saturating_sub(self.first()).div_ceil(self.step())
    }

    /// Its games among the first `games`.
    ///
    /// ```
    /// use chuhe::tools::datagen::Shard;
    /// let shard: Shard = "2/3".parse()?;
    /// assert_eq!(shard.numbers(8).collect::<Vec<u64>>(), [1, 4, 7]);
    /// # Ok::<(), chuhe::tools::datagen::ShardError>(())
    /// ```
    pub fn numbers(self, games: u64) -> impl Iterator<Item = u64> {
        let next = move |number: &u64| number.checked_add(self.step()).filter(|&number| number < games);
        std::iter::successors(Some(self.first()).filter(|&first| first < games), next)
    }
}

/// All games.
impl Default for Shard {
    fn default() -> Shard {
        Shard { index: 1, count: 1 }
    }
}

/// Why a text names no shard.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is no shard (i/n with i from 1 to n, such as 2/3)")]
pub struct ShardError(String);

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let number = |text: &str| text.parse::<u64>().ok();
        let parts = text.split_once('/').and_then(|(index, count)| Some((number(index)?, number(count)?)));
        match parts {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
            _ => Err(ShardError(text.chars().take(20).collect())),
        }
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Shard, ShardError> {
        text.parse()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_all_games_without_overlap() {
        for count in 1..6_u64 {
            let mut all: Vec<u64> = (1..=count)
                .flat_map(|index| format!("{index}/{count}").parse::<Shard>().unwrap().numbers(17))
                .collect();
            all.sort();
            for index in 1..=count {
                let shard: Shard = format!("{index}/{count}").parse().unwrap();
                let own: Vec<u64> = (0..17).filter(|&number| shard.has(number)).collect();
                assert_eq!((shard.count(17), shard.numbers(17).collect()), (own.len() as u64, own));
            }
            assert_eq!(all, (0..17).collect::<Vec<u64>>(), "{count} shards");
        }
        let late: Shard = "18/20".parse().unwrap();
        assert_eq!((late.numbers(17).count(), late.count(17)), (0, 0));
        for text in ["", "1", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/2", "1/99999999999999999999"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
        let last = format!("{0}/{0}", u64::MAX).parse::<Shard>().unwrap();
        assert_eq!(last.numbers(u64::MAX).count(), 1);
    }

    #[test]
    fn every_option_that_differs_is_named() {
        let earlier = Settings::default();
        let cases = [
            (Settings { seed: 2, ..earlier.clone() }, "--seed is 1 there and 2 now"),
            (Settings { shard: "1/2".parse().unwrap(), ..earlier.clone() }, "--shard is 1/1 there and 1/2 now"),
            (Settings { draw_score: Some(9), ..earlier.clone() }, "--draw-score is not given there and 9 now"),
            (Settings { program: "x".into(), ..earlier.clone() }, "the program is"),
        ];
        for (now, expected) in cases {
            let told = now.difference(&earlier.to_json()).unwrap().to_string();
            assert!(told.starts_with(expected), "{told}");
        }
        let told = earlier.difference("{\"seed\":1").unwrap().to_string();
        assert!(told.contains("not given there"), "{told}");
        let back: Settings = serde_json::from_str(&earlier.to_json()).unwrap();
        assert_eq!(back, earlier);
    }
}
