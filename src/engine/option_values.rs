//! Values of all options: the configuration of an engine.

use std::time::Duration;

use super::book::BookOptions;
use super::pruning::Pruning;
use super::skill::{self, FULL_SKILL};
use super::style::Style;
use super::tablebases::TablebaseOptions;
use crate::eval::Knowledge;
use crate::position::Strictness;
use crate::rules::{RuleSet, Rules};
use crate::types::Value;

/// Default size of the transposition table in megabytes.
pub const DEFAULT_HASH_MEGABYTES: usize = 32;

/// Numbering of the ranks in moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Coordinates {
    /// Red's home rank is 1 for UCI clients that set `UCI_Variant`, otherwise 0; also 0 for clients of the Cyclone
    /// dialect, which send positions without the word `position`. Moves that can only be meant the other way prove it.
    #[default]
    Auto,
    /// Red's home rank is 0.
    Zero,
    /// Red's home rank is 1.
    One,
}

impl Coordinates {
    /// Names and values.
    pub const NAMED: [(&'static str, Coordinates); 3] =
        [("auto", Coordinates::Auto), ("zero", Coordinates::Zero), ("one", Coordinates::One)];
}

/// Amount of noise in the evaluation, so that the choice of moves varies.
///
/// Every evaluation changes by at most the amplitude; the change follows from the position and the seed. The value of a
/// line therefore changes by no more than the amplitude, and the engine prefers a move that is worse by at most twice
/// the amplitude, if both moves are searched to the same positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Randomness {
    /// No noise: equal searches give equal moves.
    #[default]
    None,
    /// Evaluations vary by ±5 centipawns.
    Small,
    /// Evaluations vary by ±15 centipawns.
    Medium,
    /// Evaluations vary by ±40 centipawns.
    Large,
}

impl Randomness {
    /// Names and levels, in rising order.
    pub const NAMED: [(&'static str, Randomness); 4] = [
        ("none", Randomness::None),
        ("small", Randomness::Small),
        ("medium", Randomness::Medium),
        ("large", Randomness::Large),
    ];

    /// Largest change of an evaluation in centipawns.
    pub const fn amplitude(self) -> Value {
        match self {
            Randomness::None => 0,
            Randomness::Small => 5,
            Randomness::Medium => 15,
            Randomness::Large => 40,
        }
    }
}

/// Value of every option. [`OPTIONS`](super::OPTIONS) describes names, ranges and effects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Times of the protocol are in milliseconds, otherwise in seconds.
    pub use_milliseconds: bool,
    /// Commands wait until the running search has ended.
    pub batch: bool,
    /// More is reported, such as unknown options.
    pub debug: bool,
    /// The client lets the engine think on the opponent's time.
    pub ponder: bool,
    /// Size of the transposition table in megabytes.
    pub hash_megabytes: usize,
    /// Number of search threads.
    pub threads: usize,
    /// Number of best lines to search and report.
    pub multi_pv: usize,
    /// Noise in the evaluation.
    pub randomness: Randomness,
    /// Seed of all random choices; 0 draws a new seed each time.
    pub seed: u64,
    /// Playing strength, from 1 to [`FULL_SKILL`].
    pub skill: u8,
    /// The strength is that of [`Options::rating`] instead of [`Options::skill`].
    pub limits_strength: bool,
    /// Playing strength in Elo points, on the scale of the skill levels.
    pub rating: u16,
    /// Playing style.
    pub style: Style,
    /// Evaluation terms in use.
    pub knowledge: Knowledge,
    /// Network file; empty for the built-in network.
    pub evaluation_file: String,
    /// Selectivity of the search.
    pub pruning: Pruning,
    /// Search parameters that differ from their defaults, in the form that [`crate::search::Params`] reads.
    pub search_params: String,
    /// Use of opening books.
    pub book: BookOptions,
    /// Use of endgame tables.
    pub tablebases: TablebaseOptions,
    /// How much less than 0 a draw is worth to the engine in games, in centipawns.
    pub contempt: Value,
    /// The engine may offer draws (in UCCI).
    pub offers_draws: bool,
    /// The engine may resign (in UCCI).
    pub resigns: bool,
    /// Time reserved on each move for communication with the client.
    pub move_overhead: Duration,
    /// Numbering of the ranks in moves.
    pub coordinates: Coordinates,
    /// The client has set `UCI_Variant`, as clients do that play other games too and count ranks from 1.
    pub variant_was_chosen: bool,
    /// UCI scores are followed by the chances of a win, a draw and a loss.
    pub shows_chances: bool,
    /// Scores are reported in the unit of the search, not as a [`crate::eval::ReportedScore`].
    pub raw_scores: bool,
    /// UCCI reports mates as `mate` and the number of moves instead of a value.
    pub ucci_mate_words: bool,
    /// Positions that are accepted.
    pub strictness: Strictness,
    /// Repetition rules.
    pub rule_set: RuleSet,
    /// Natural move limit in counted plies; `None` for the limit of the rule set.
    pub move_limit: Option<u16>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            use_milliseconds: true,
            batch: false,
            debug: false,
            ponder: false,
            hash_megabytes: DEFAULT_HASH_MEGABYTES,
            threads: 1,
            multi_pv: 1,
            randomness: Randomness::None,
            seed: 0,
            skill: FULL_SKILL,
            limits_strength: false,
            rating: skill::MAX_RATING,
            style: Style::Normal,
            knowledge: Knowledge::Large,
            evaluation_file: String::new(),
            pruning: Pruning::Large,
            search_params: String::new(),
            book: BookOptions::default(),
            tablebases: TablebaseOptions::default(),
            contempt: 0,
            offers_draws: false,
            resigns: false,
            move_overhead: Duration::from_millis(30),
            coordinates: Coordinates::Auto,
            variant_was_chosen: false,
            shows_chances: false,
            raw_scores: false,
            ucci_mate_words: false,
            strictness: Strictness::Strict,
            rule_set: RuleSet::default(),
            move_limit: None,
        }
    }
}

impl Options {
    /// Returns the seed, or a random number if the seed is 0.
    pub(super) fn seed_or_random(&self) -> u64 {
        if self.seed == 0 { rand::random() } else { self.seed }
    }

    /// Returns the rules of the game.
    pub fn rules(&self) -> Rules {
        let rules = Rules::new(self.rule_set);
        Rules { move_limit: self.move_limit.unwrap_or(rules.move_limit), ..rules }
    }

    /// Returns the skill level, also one between two levels.
    pub(super) fn level(&self) -> f64 {
        if self.limits_strength { skill::level_of_rating(self.rating) } else { f64::from(self.skill) }
    }

    /// Returns what the values in the transposition table depend on: entries found under other options are not valid.
    pub(super) fn search_values(&self) -> impl PartialEq + use<> {
        (self.rules(), self.randomness, self.seed, self.level(), self.style, self.knowledge, self.pruning)
    }
}
