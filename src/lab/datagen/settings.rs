//! Settings of self-play and of its searches. The same settings and number give the same game on every machine.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::commands::matches::arbiter::{Adjudication, Agreement};
use crate::engine::{Engine, EngineError, bench};
use crate::eval::Knowledge;
use crate::eval::network::Network;
use crate::position::Position;
use crate::rules::{RuleSet, Rules};
use crate::search::{Limits, Outcome};
use crate::types::Value as Score;
use crate::util::shard::Shard;

pub(super) type Map = serde_json::Map<String, Value>;

/// Ratio of the hard node limit, at which a search stops within an iteration, to the soft one.
const HARD_FACTOR: u64 = 10;
/// Scores that win a game.
const WIN: Agreement = Agreement { score: 1_500, plies: 4, from_ply: 0 };

/// Settings that decide the scores of searches, besides the program and the earlier moves of the game.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchSettings {
    /// Soft node limit: no new iteration starts beyond it.
    pub nodes: u64,
    /// Hash size of the engine in megabytes.
    pub hash: usize,
    pub rules: RuleSet,
    pub knowledge: Knowledge,
    /// Network; `None` for the embedded one.
    pub network: Option<Arc<Network>>,
}

impl Default for SearchSettings {
    fn default() -> SearchSettings {
        SearchSettings {
            nodes: 5_000,
            hash: 16,
            rules: RuleSet::default(),
            knowledge: Knowledge::default(),
            network: None,
        }
    }
}

impl SearchSettings {
    /// Returns the node limit at which a search stops.
    pub fn hard_nodes(&self) -> u64 {
        self.nodes.saturating_mul(HARD_FACTOR)
    }

    /// Returns these and the `other` settings of games as one JSON object whose keys are names of options. Options
    /// that came later are left out at their defaults.
    pub(super) fn to_json_with(&self, other: Value) -> String {
        let mut all = json!({
            "program": bench::program_id(),
            "nodes": self.nodes,
            "hard-nodes": self.hard_nodes(),
            "hash": self.hash,
            "rules": self.rules.name(),
        });
        if self.knowledge != Knowledge::default() {
            all["knowledge"] = self.knowledge.name().into();
        }
        if let Some(network) = &self.network {
            all["evalfile"] = checksum(network).into();
        }
        if let (Value::Object(all), Value::Object(other)) = (&mut all, other) {
            all.extend(other);
        }
        all.to_string()
    }
}

/// Returns the checksum that names a network in files and messages.
pub fn checksum(network: &Network) -> String {
    format!("{:08x}", network.checksum())
}

/// Returns a network for [`SearchSettings`]; `None` for the embedded one.
pub fn unless_embedded(network: Arc<Network>) -> Option<Arc<Network>> {
    Some(network).filter(|network| *network != Network::embedded())
}

/// Settings that decide a game together with its number.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    pub seed: u64,
    pub shard: Shard,
    pub random_plies: usize,
    /// Maximum advantage of either side after them, in centipawns.
    pub balance: Score,
    /// Number and checksum of the openings from a file.
    pub openings: Option<String>,
    /// Maximum length of a game in plies, the opening included; longer games are drawn.
    pub most_plies: usize,
    pub search: SearchSettings,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            seed: 1,
            shard: Shard::default(),
            random_plies: 8,
            balance: 300,
            openings: None,
            most_plies: 400,
            search: SearchSettings::default(),
        }
    }
}

impl Settings {
    /// Upper limit of [`most_plies`](Settings::most_plies).
    pub const MAX_PLIES: usize = 10_000;

    /// Returns the adjudication of games that the rules have not ended.
    pub fn adjudication(&self) -> Adjudication {
        Adjudication { win: Some(WIN), draw: None, max_plies: Some(self.most_plies.clamp(1, Settings::MAX_PLIES)) }
    }

    /// Returns the settings as one JSON object, the header of their games.
    pub fn to_json(&self) -> String {
        let Settings { seed, shard, random_plies, balance, openings, most_plies, search } = self;
        // Earlier programs could play with other scores and draw games by them.
        let own = json!({
            "seed": seed,
            "shard": shard,
            "random-plies": random_plies,
            "balance": balance,
            "openings": openings,
            "most-plies": most_plies,
            "win-score": WIN.score,
            "win-plies": WIN.plies,
            "draw-score": null,
            "draw-plies": 20,
            "draw-from": 80,
        });
        search.to_json_with(own)
    }
}

/// Returns the first option that differs between two settings in JSON, with both values; `None` if they agree.
///
/// ```
/// use chuhe::lab::datagen::{Settings, difference};
/// let (earlier, now) = (Settings::default(), Settings { seed: 2, ..Settings::default() });
/// assert_eq!(difference(&now.to_json(), &earlier.to_json()).unwrap(), "--seed is 1 there and 2 now");
/// assert_eq!(difference(&now.to_json(), &now.to_json()), None);
/// ```
pub fn difference(now: &str, earlier: &str) -> Option<String> {
    let [now, earlier] = [now, earlier].map(options);
    let differs = |name: &str| now.get(name) != earlier.get(name);
    // The hard limit of nodes follows from the other, which the user has given.
    let is_cause = |name: &&String| differs(name) && (name.as_str() != "hard-nodes" || !differs("nodes"));
    let name = now.keys().chain(earlier.keys()).find(is_cause)?;
    let tell = |value: Option<&Value>| match value {
        None | Some(Value::Null) => "not given".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let dashes = if name == "program" { "the " } else { "--" };
    Some(format!("{dashes}{name} is {} there and {} now", tell(earlier.get(name)), tell(now.get(name))))
}

/// Returns the options of settings in JSON; those that have parts as one entry a part, `option (part)`.
fn options(text: &str) -> BTreeMap<String, Value> {
    let mut options = BTreeMap::new();
    for (name, value) in serde_json::from_str::<Map>(text).unwrap_or_default() {
        match value {
            Value::Object(parts) => {
                options.extend(parts.into_iter().map(|(part, value)| (format!("{name} ({part})"), value)));
            }
            value => drop(options.insert(name, value)),
        }
    }
    options
}

/// Single-threaded engine with the limits of its settings.
pub(super) struct FixedNodesEngine {
    engine: Engine,
    limits: Limits,
    pub nodes: u64,
}

impl FixedNodesEngine {
    /// Sets up an engine. This is the only place where anything is set that scores depend on.
    pub fn new(settings: &SearchSettings) -> Result<FixedNodesEngine, EngineError> {
        let mut engine = Engine::with_hash(settings.hash)?;
        engine.configure(|options| {
            options.rule_set = settings.rules;
            options.knowledge = settings.knowledge;
        })?;
        if let Some(network) = &settings.network {
            engine.set_network(Arc::clone(network))?;
        }
        let (soft_nodes, nodes) = (Some(settings.nodes), Some(settings.hard_nodes()));
        Ok(FixedNodesEngine { engine, limits: Limits { soft_nodes, nodes, ..Limits::default() }, nodes: 0 })
    }

    /// Clears everything learned from earlier games.
    pub fn forget(&mut self) {
        self.engine.new_game();
    }

    pub fn rules(&self) -> Rules {
        self.engine.options().rules()
    }

    /// Searches a position with its history on the calling thread.
    pub fn search(&mut self, position: Position) -> Result<Outcome, EngineError> {
        self.engine.set_position(position);
        let outcome = self.engine.search_on_current_thread(&self.limits, &mut ())?;
        self.nodes += outcome.nodes;
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_that_differs_is_named() {
        let earlier = Settings::default();
        let json = earlier.to_json();
        let search = |nodes| SearchSettings { nodes, ..SearchSettings::default() };
        for (now, expected) in [
            (Settings { seed: 2, ..earlier.clone() }.to_json(), "--seed is 1 there and 2 now"),
            (
                Settings { shard: "1/2".parse().unwrap(), ..earlier.clone() }.to_json(),
                "--shard is 1/1 there and 1/2 now",
            ),
            (Settings { search: search(800), ..earlier.clone() }.to_json(), "--nodes is 5000 there and 800 now"),
            (json.replace(":50000", ":9000"), "--hard-nodes is 50000 there and 9000 now"),
            (json.replace("\"draw-score\":null", "\"draw-score\":9"), "--draw-score is not given there and 9 now"),
            (json.replace("\"program\":\"", "\"program\":\"x"), "the program is"),
            ("{\"seed\":1".to_owned(), "--balance is 300 there and not given now"),
            (
                json.replace("\"seed\"", "\"relabel\":{\"games\":5},\"seed\""),
                "--relabel (games) is not given there and 5 now",
            ),
        ] {
            let message = difference(&now, &json).unwrap();
            assert!(message.starts_with(expected), "{message}");
        }
    }
}
