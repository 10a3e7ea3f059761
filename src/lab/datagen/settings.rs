//! Settings of self-play. The same settings and number give the same game on every machine.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::engine::NamedNetwork;
use super::engine::{SearchSettings, knowledge_from_name};
use crate::commands::matches::arbiter::{Adjudication, Agreement};
use crate::engine::bench;
use crate::rules::RuleSet;
use crate::types::Value as Score;
use crate::util::shard::Shard;

/// Settings that decide a game together with its number. Names in files and messages are those of the options.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Settings {
    /// Version of the program and signature of its search.
    pub program: String,
    /// Seed of all random choices.
    pub seed: u64,
    /// Part of the games that is played.
    pub shard: Shard,
    /// Soft node limit: no new iteration starts beyond it.
    pub nodes: u64,
    /// Hard node limit: a search stops within an iteration.
    pub hard_nodes: u64,
    /// Hash size of the engine in megabytes.
    pub hash: usize,
    /// Number of random moves after the opening.
    pub random_plies: usize,
    /// Maximum advantage of either side after them, in centipawns.
    pub balance: Score,
    /// Number and checksum of the openings from a file.
    pub openings: Option<String>,
    /// Score that wins a game when it lasts, in centipawns; `None` to turn it off.
    pub win_score: Option<Score>,
    /// Number of plies that it has to last.
    pub win_plies: u32,
    /// Score within which a game is drawn when it lasts, in centipawns; `None` to turn it off.
    pub draw_score: Option<Score>,
    /// Number of plies that it has to last.
    pub draw_plies: u32,
    /// First ply of the game at which it counts.
    pub draw_from: usize,
    /// Maximum length of a game in plies, the opening included; longer games are drawn.
    pub most_plies: usize,
    /// Rules of repetition.
    pub rules: String,
    /// Knowledge level of the evaluation; `None` for the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<String>,
    /// Network; `None` for the embedded one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evalfile: Option<NamedNetwork>,
}

impl Settings {
    /// Usual ratio of the hard node limit to the soft one.
    pub const HARD_FACTOR: u64 = 10;

    /// Upper limit of [`most_plies`](Settings::most_plies).
    pub const MAX_PLIES: usize = 10_000;
    /// Returns the rules of repetition, the default if the name is unknown.
    pub fn rule_set(&self) -> RuleSet {
        RuleSet::from_name(&self.rules).unwrap_or_default()
    }

    /// Returns the adjudication of games that the rules have not ended.
    pub fn adjudication(&self) -> Adjudication {
        let agreement = |score: Option<Score>, plies, from_ply| score.map(|score| Agreement { score, plies, from_ply });
        Adjudication {
            win: agreement(self.win_score, self.win_plies, 0),
            draw: agreement(self.draw_score, self.draw_plies, self.draw_from),
            max_plies: Some(self.most_plies.clamp(1, Settings::MAX_PLIES)),
        }
    }

    /// Returns the settings of the searches.
    pub fn search_settings(&self) -> SearchSettings {
        let Settings { nodes, hard_nodes, hash, .. } = *self;
        SearchSettings {
            nodes,
            hard_nodes,
            hash,
            rules: self.rule_set(),
            knowledge: knowledge_from_name(self.knowledge.as_deref()),
            network: self.evalfile.clone(),
        }
    }

    /// Returns the first option that differs from `earlier` settings in JSON.
    ///
    /// ```
    /// use chuhe::lab::datagen::Settings;
    /// let (earlier, now) = (Settings::default(), Settings { nodes: 800, ..Settings::default() });
    /// assert_eq!(now.difference(&earlier.to_json()).unwrap().to_string(), "--nodes is 5000 there and 800 now");
    /// assert_eq!(now.difference(&now.to_json()), None);
    /// ```
    pub fn difference(&self, earlier: &str) -> Option<Difference> {
        difference(&self.to_json(), earlier)
    }

    /// Returns the settings as one JSON object.
    pub fn to_json(&self) -> String {
        match serde_json::to_string(self) {
            Ok(text) => text,
            Err(error) => unreachable!("numbers and words can be written as JSON: {error}"),
        }
    }
}

/// Returns the first option that differs between two settings in JSON.
pub fn difference(now: &str, earlier: &str) -> Option<Difference> {
    let map = |text: &str| serde_json::from_str::<Map>(text).unwrap_or_default();
    first_difference(&map(now), &map(earlier))
}

/// Returns the first option that differs between two parsed settings.
pub(super) fn first_difference(now: &Map, earlier: &Map) -> Option<Difference> {
    let tell = |value: Option<&Value>| match value {
        None | Some(Value::Null) => "not given".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let names = now.keys().chain(earlier.keys().filter(|name| !now.contains_key(*name)));
    // Earlier versions did not write the highest number of a source.
    let is_new = |name: &str| name == "highest" && !(now.contains_key(name) && earlier.contains_key(name));
    let differs = |name: &str| match (now.get(name), earlier.get(name)) {
        (Some(Value::Object(now)), Some(Value::Object(earlier))) => first_difference(now, earlier).is_some(),
        (now, earlier) => now != earlier && !is_new(name),
    };
    let first = names.into_iter().find(|name| differs(name))?.as_str();
    // By default the hard limit follows from the other, which the user has given.
    let option = if first == "hard-nodes" && differs("nodes") { "nodes" } else { first };
    let (value, before) = (now.get(option), earlier.get(option));
    // Of a nested option, name the part that differs.
    if let (Some(Value::Object(value)), Some(Value::Object(before))) = (value, before)
        && let Some(Difference { option: part, earlier, now }) = first_difference(value, before)
    {
        return Some(Difference { option: format!("{option} ({part})"), earlier, now });
    }
    Some(Difference { option: option.to_owned(), earlier: tell(before), now: tell(value) })
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            program: bench::program_id(),
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

/// Option with different values in two files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Name without dashes; `program` for another version or search.
    pub option: String,
    /// Earlier value.
    pub earlier: String,
    /// Current value.
    pub now: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { earlier, now, .. } = self;
        write!(f, "{} is {earlier} there and {now} now", self.name())
    }
}

impl Difference {
    /// Returns the option with its dashes.
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
    fn earlier_versions_may_lack_the_highest_number_of_a_source() {
        let [new, old, other] = [
            r#"{"nodes":9,"relabel":{"checksum":"a","games":5,"highest":4}}"#,
            r#"{"nodes":9,"relabel":{"checksum":"a","games":5}}"#,
            r#"{"nodes":9,"relabel":{"checksum":"a","games":5,"highest":6}}"#,
        ];
        assert_eq!((difference(new, old), difference(old, new)), (None, None));
        assert_eq!(difference(new, other).unwrap().option, "relabel (highest)");
        assert_eq!(difference(old, r#"{"nodes":9,"relabel":{"checksum":"b","games":5}}"#).unwrap().now, "a");
    }

    #[test]
    fn every_option_that_differs_is_named() {
        let earlier = Settings::default();
        let cases = [
            (Settings { seed: 2, ..earlier.clone() }, "--seed is 1 there and 2 now"),
            (Settings { shard: "1/2".parse().unwrap(), ..earlier.clone() }, "--shard is 1/1 there and 1/2 now"),
            (Settings { hard_nodes: 9_000, ..earlier.clone() }, "--hard-nodes is 50000 there and 9000 now"),
            (Settings { nodes: 800, hard_nodes: 8_000, ..earlier.clone() }, "--nodes is 5000 there and 800 now"),
            (Settings { draw_score: Some(9), ..earlier.clone() }, "--draw-score is not given there and 9 now"),
            (Settings { program: "x".into(), ..earlier.clone() }, "the program is"),
        ];
        for (now, expected) in cases {
            let message = now.difference(&earlier.to_json()).unwrap().to_string();
            assert!(message.starts_with(expected), "{message}");
        }
        let message = earlier.difference("{\"seed\":1").unwrap().to_string();
        assert!(message.contains("not given there"), "{message}");
        let back: Settings = serde_json::from_str(&earlier.to_json()).unwrap();
        assert_eq!(back, earlier);
    }
}
