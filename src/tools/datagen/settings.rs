//! What decides how games of self-play go: the same settings and number give the same game on every machine.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::searcher::{Searching, knowledge_in_settings};
use crate::engine::bench;
use crate::rules::RuleSet;
use crate::tools::datagen::NamedNetwork;
use crate::tools::matches::arbiter::{Adjudication, Agreement};
use crate::types::Value as Score;
use crate::util::shard::Shard;

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
    pub balance: Score,
    /// The starts of a file, told by their number and a checksum.
    pub openings: Option<String>,
    /// The score that wins a game when it lasts, in centipawns; `None` when no score does.
    pub win_score: Option<Score>,
    /// For how many plies it has to last.
    pub win_plies: u32,
    /// The score within which a game is drawn when it lasts; `None` when no score does.
    pub draw_score: Option<Score>,
    /// For how many plies it has to last.
    pub draw_plies: u32,
    /// From which ply on.
    pub draw_from: usize,
    /// After how many plies a game is drawn, those before the first search included.
    pub most_plies: usize,
    /// The law of repetition.
    pub rules: String,
    /// How much of the evaluation is known, when it is not everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<String>,
    /// The network, when it is not the one that the program brings along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evalfile: Option<NamedNetwork>,
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
        let agreement = |score: Option<Score>, plies, from_ply| score.map(|score| Agreement { score, plies, from_ply });
        Adjudication {
            win: agreement(self.win_score, self.win_plies, 0),
            draw: agreement(self.draw_score, self.draw_plies, self.draw_from),
            max_plies: Some(self.most_plies.clamp(1, Settings::MOST_PLIES)),
        }
    }

    /// What its searches depend on.
    pub fn searching(&self) -> Searching {
        let Settings { nodes, hard_nodes, hash, .. } = *self;
        Searching {
            nodes,
            hard_nodes,
            hash,
            rules: self.rule_set(),
            knowledge: knowledge_in_settings(self.knowledge.as_deref()),
            network: self.evalfile.clone(),
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
        difference(&self.to_json(), earlier)
    }

    /// The settings as they stand in a file: one JSON object.
    pub fn to_json(&self) -> String {
        match serde_json::to_string(self) {
            Ok(text) => text,
            Err(error) => unreachable!("numbers and words can be written as JSON: {error}"),
        }
    }
}

/// The first option in which two texts of settings differ, those of a file and those wanted now.
pub fn difference(now: &str, earlier: &str) -> Option<Difference> {
    let map = |text: &str| serde_json::from_str::<Map>(text).unwrap_or_default();
    first_difference(&map(now), &map(earlier))
}

/// The same for settings that were read.
pub(super) fn first_difference(now: &Map, earlier: &Map) -> Option<Difference> {
    let tell = |value: Option<&Value>| match value {
        None | Some(Value::Null) => "not given".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let names = now.keys().chain(earlier.keys().filter(|name| !now.contains_key(*name)));
    let option = names.into_iter().find(|name| now.get(*name) != earlier.get(*name))?;
    let (value, before) = (now.get(option), earlier.get(option));
    // Of an option that says several things, the one that differs.
    if let (Some(Value::Object(value)), Some(Value::Object(before))) = (value, before)
        && let Some(Difference { option: part, earlier, now }) = first_difference(value, before)
    {
        return Some(Difference { option: format!("{option} ({part})"), earlier, now });
    }
    Some(Difference { option: option.clone(), earlier: tell(before), now: tell(value) })
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
            knowledge: None,
            evalfile: None,
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

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { earlier, now, .. } = self;
        write!(f, "{} is {earlier} there and {now} now", self.name())
    }
}

impl Difference {
    /// The option as it is given.
    pub fn name(&self) -> String {
        let dashes = if self.option == "program" { "the " } else { "--" };
        format!("{dashes}{}", self.option)
    }
}

/// Settings as a JSON object.
pub(super) type Map = serde_json::Map<String, Value>;

#[cfg(test)]
mod tests {
    use super::*;

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
