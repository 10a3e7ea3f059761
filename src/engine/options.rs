//! The options of an engine: the one place where configuration lives.

use std::time::Duration;

use thiserror::Error;

use super::book::BookUse;
use super::parse::{boolean, choice, number, text};
use super::pruning::Pruning;
use super::skill::FULL_SKILL;
use super::style::Style;
use super::tablebases::EndingUse;
use crate::eval::Knowledge;
use crate::position::Strictness;
use crate::rules::{RuleSet, Rules};
use crate::search::MAX_THREADS;
use crate::types::Value;

/// The default size of the transposition table in megabytes.
pub const DEFAULT_HASH_MEGABYTES: usize = 32;
/// The largest size that may be asked for; the machine decides whether it is granted.
pub const MOST_HASH_MEGABYTES: usize = 1 << 20;
/// The longest time that may be set aside on every move, in milliseconds.
pub const MOST_OVERHEAD_MILLISECONDS: u64 = 5_000;

/// From which number ranks are counted in moves; `auto` counts as the front end does.
pub const COORDINATES: [(&str, Coordinates); 3] =
    [("auto", Coordinates::Auto), ("zero", Coordinates::Zero), ("one", Coordinates::One)];
/// How UCCI tells of a mate: by a value near the largest, or by `mate` and the number of moves.
pub const MATE_WORDS: [(&str, bool); 2] = [("number", false), ("word", true)];

/// From which number the ranks of the board are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Coordinates {
    /// From 1 for front ends that chose the variant in UCI, otherwise from 0.
    #[default]
    Auto,
    /// Red's home rank is 0.
    Zero,
    /// Red's home rank is 1.
    One,
}

/// The most lines that may be wanted at once.
pub const MOST_LINES: usize = 100;
/// The greatest seed that front ends may be told of.
pub const MOST_SEED: u64 = i32::MAX as u64;

/// How much chance there is in the choice of moves.
///
/// Every evaluation changes by at most the amplitude, by how much follows from the position and the seed. So what a
/// line is worth at its end changes by no more than that, and a move is preferred to another that is better by at most
/// twice the amplitude, as far as both are searched to the same positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Randomness {
    /// The same search twice gives the same move.
    #[default]
    None,
    /// EvalCache vary by ±5 centipawns.
    Small,
    /// EvalCache vary by ±15 centipawns.
    Medium,
    /// EvalCache vary by ±40 centipawns.
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

    /// By how many centipawns an evaluation may change.
    pub const fn amplitude(self) -> Value {
        match self {
            Randomness::None => 0,
            Randomness::Small => 5,
            Randomness::Medium => 15,
            Randomness::Large => 40,
        }
    }
}

/// The laws of repetition that may be chosen.
pub const RULE_SETS: [(&str, RuleSet); 3] = RuleSet::NAMED;
/// The natural move limits that may be set, in counted plies; by default the rule set chooses.
pub const MOVE_LIMITS: [(&str, Option<u16>); 3] = [("auto", None), ("100", Some(100)), ("120", Some(120))];

/// Everything a user may set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Times of the protocol are milliseconds instead of seconds.
    pub use_milliseconds: bool,
    /// Input is not read while a search runs.
    pub batch: bool,
    /// Say more, such as which options are unknown.
    pub debug: bool,
    /// The front end will let the engine think on the opponent's time.
    pub ponder: bool,
    /// The size of the transposition table in megabytes.
    pub hash_megabytes: usize,
    /// How many threads search.
    pub threads: usize,
    /// How many best lines are searched for and told.
    pub lines: usize,
    /// Chance in the choice of moves.
    pub randomness: Randomness,
    /// What chance follows from: the same number gives the same game; 0 draws a new one for every game.
    pub seed: u64,
    /// How well it plays, from 1 to [`FULL_SKILL`].
    pub skill: u8,
    /// How it likes to play.
    pub style: Style,
    /// How much of the evaluation is known.
    pub knowledge: Knowledge,
    /// The file of the network to ask what positions are worth; empty for the one that the program brings along.
    pub evaluation_file: String,
    /// How selective the search is.
    pub pruning: Pruning,
    /// How books are used.
    pub book: BookUse,
    /// How tables of endings are used.
    pub endings: EndingUse,
    /// It may offer a draw (in UCCI).
    pub offers_draws: bool,
    /// It may give up a lost game (in UCCI).
    pub resigns: bool,
    /// Set aside on every move for the way to the front end and back.
    pub move_overhead: Duration,
    /// From which number ranks are counted.
    pub coordinates: Coordinates,
    /// The front end has chosen the variant, as those do that know other games too and count ranks from 1.
    pub variant_was_chosen: bool,
    /// UCCI names mates instead of giving their value.
    pub ucci_names_mates: bool,
    /// Which positions are admitted.
    pub strictness: Strictness,
    /// The law of repetition that the opponent and the arbiter go by.
    pub rule_set: RuleSet,
    /// The natural move limit in counted plies; `None` for the one that goes with the rule set.
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
            lines: 1,
            randomness: Randomness::None,
            seed: 0,
            skill: FULL_SKILL,
            style: Style::Normal,
            knowledge: Knowledge::Large,
            evaluation_file: String::new(),
            pruning: Pruning::Large,
            book: BookUse::default(),
            endings: EndingUse::default(),
            offers_draws: false,
            resigns: false,
            move_overhead: Duration::from_millis(30),
            coordinates: Coordinates::Auto,
            variant_was_chosen: false,
            ucci_names_mates: false,
            strictness: Strictness::Strict,
            rule_set: RuleSet::default(),
            move_limit: None,
        }
    }
}

/// Why an option was not set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OptionError {
    /// There is no such option.
    #[error("there is no option '{0}'")]
    Unknown(String),
    /// The value does not fit the option.
    #[error("option {name} takes {wanted}, not '{value}'; it keeps its value")]
    BadValue {
        /// The option.
        name: &'static str,
        /// What it takes.
        wanted: &'static str,
        /// What was given.
        value: String,
    },
}

/// What setting an option asks the engine to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// The value is kept, nothing else.
    Kept,
    /// A table of this many megabytes is wanted.
    Resize(usize),
    /// So many threads are wanted.
    Threads(usize),
    /// A new game begins.
    NewGame,
    /// Other books are wanted.
    Books,
    /// Other tables of endings are wanted.
    Endings,
    /// Another network is wanted.
    Network,
}

impl Options {
    /// What chance follows from: the seed, or a number that is drawn.
    pub(super) fn chance(&self) -> u64 {
        if self.seed == 0 { rand::random() } else { self.seed }
    }

    /// The rules that games are played by.
    pub fn rules(&self) -> Rules {
        let usual = Rules::new(self.rule_set);
        Rules { move_limit: self.move_limit.unwrap_or(usual.move_limit), ..usual }
    }

    /// What the contents of the transposition table depend on: found under other options, they do not hold.
    pub(super) fn way_of_play(&self) -> impl PartialEq + use<> {
        (self.rules(), self.randomness, self.seed, self.skill, self.style, self.knowledge, self.pruning)
    }

    /// Sets the option `name` to `value`. Names are read without regard to case, blanks and underscores, and the
    /// customary names of other protocols are understood. Numbers out of range are set to the nearest one within.
    ///
    /// # Errors
    /// [`OptionError::Unknown`] for a name that is no option, [`OptionError::BadValue`] for a value that cannot be
    /// read.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Change, OptionError> {
        let plain: String =
            name.chars().filter(|c| !c.is_whitespace() && *c != '_').flat_map(char::to_lowercase).collect();
        if let Some(set) = self.book.set(&plain, value) {
            return set.map(|wants_others| if wants_others { Change::Books } else { Change::Kept });
        }
        if let Some(set) = self.endings.set(&plain, value) {
            return set.map(|()| Change::Endings);
        }
        match plain.as_str() {
            "usemillisec" => self.use_milliseconds = boolean("usemillisec", value)?,
            "batch" => self.batch = boolean("batch", value)?,
            "debug" => self.debug = boolean("debug", value)?,
            "ponder" => self.ponder = boolean("ponder", value)?,
            "laxfen" => {
                self.strictness = if boolean("laxfen", value)? { Strictness::Lax } else { Strictness::Strict };
            }
            "moveoverhead" => {
                let milliseconds = number("moveoverhead", value)?.min(MOST_OVERHEAD_MILLISECONDS);
                self.move_overhead = Duration::from_millis(milliseconds);
            }
            "randomness" => {
                self.randomness = choice("randomness", "none, small, medium or large", &Randomness::NAMED, value)?;
            }
            "seed" => self.seed = number("seed", value)?.min(MOST_SEED),
            "skill" | "skilllevel" => {
                self.skill = number("skill", value)?.clamp(1, u64::from(FULL_SKILL)) as u8;
            }
            "style" => self.style = choice("style", "solid, normal or risky", &Style::NAMED, value)?,
            "knowledge" => {
                self.knowledge = choice("knowledge", "none, small, medium or large", &Knowledge::NAMED, value)?;
            }
            "evalfile" => {
                self.evaluation_file = text(value).to_owned();
                return Ok(Change::Network);
            }
            "pruning" => {
                self.pruning = choice("pruning", "none, small, medium or large", &Pruning::NAMED, value)?;
            }
            "drawoffers" => self.offers_draws = boolean("drawoffers", value)?,
            "resign" => self.resigns = boolean("resign", value)?,
            "rules" => self.rule_set = choice("rules", "computer, league or simple", &RULE_SETS, value)?,
            "naturallimit" => {
                self.move_limit = choice("naturallimit", "auto, 100 or 120 plies", &MOVE_LIMITS, value)?;
            }
            "hashsize" | "hash" => {
                let megabytes = number("hashsize", value)?.min(MOST_HASH_MEGABYTES as u64) as usize;
                return Ok(Change::Resize(if megabytes == 0 { DEFAULT_HASH_MEGABYTES } else { megabytes }));
            }
            "coordinates" => {
                self.coordinates = choice("coordinates", "auto, zero or one", &COORDINATES, value)?;
            }
            "ucivariant" => {
                self.variant_was_chosen = choice("UCI_Variant", "xiangqi", &[("xiangqi", true)], value)?;
            }
            "uccimate" => self.ucci_names_mates = choice("uccimate", "number or word", &MATE_WORDS, value)?,
            "threads" => {
                let threads = number("threads", value)?.min(MAX_THREADS as u64) as usize;
                let all = || std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
                return Ok(Change::Threads(if threads == 0 { all() } else { threads }));
            }
            "multipv" => self.lines = number("multipv", value)?.clamp(1, MOST_LINES as u64) as usize,
            "newgame" | "clearhash" => return Ok(Change::NewGame),
            _ => return Err(OptionError::Unknown(name.chars().take(40).collect())),
        }
        Ok(Change::Kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_dialects_and_odd_spellings_are_understood() {
        let mut options = Options::default();
        assert_eq!(options.set("Hash", "64"), Ok(Change::Resize(64)));
        assert_eq!(options.set("hashsize", "0"), Ok(Change::Resize(DEFAULT_HASH_MEGABYTES)));
        assert_eq!(options.set("hashsize", "-1"), Ok(Change::Resize(DEFAULT_HASH_MEGABYTES)));
        assert_eq!(options.set("hashsize", "99999999999999999999"), Ok(Change::Resize(MOST_HASH_MEGABYTES)));
        assert_eq!(options.set("NewGame", ""), Ok(Change::NewGame));
        for (text, expected) in [("1", true), ("off", false), ("YES", true), ("False", false)] {
            assert_eq!(options.set("use_MilliSec", text), Ok(Change::Kept));
            assert_eq!(options.use_milliseconds, expected);
        }
        options.set("Move Overhead", "999999").unwrap();
        assert_eq!(options.move_overhead, Duration::from_millis(MOST_OVERHEAD_MILLISECONDS));
        options.set("randomness", "Large").unwrap();
        assert_eq!(options.randomness, Randomness::Large);
        options.set("Skill Level", "99").unwrap();
        assert_eq!(options.skill, FULL_SKILL);
        for (text, level) in [("0", 1), ("-5", 1), ("7", 7)] {
            options.set("skill", text).unwrap();
            assert_eq!(options.skill, level);
        }
        options.set("Style", "RISKY").unwrap();
        options.set("knowledge", "small").unwrap();
        options.set("Pruning", "none").unwrap();
        options.set("Seed", "99999999999").unwrap();
        options.set("drawoffers", "on").unwrap();
        options.set("resign", "1").unwrap();
        assert_eq!(
            (options.style, options.knowledge, options.pruning),
            (Style::Risky, Knowledge::Small, Pruning::None)
        );
        assert_eq!((options.seed, options.offers_draws, options.resigns), (MOST_SEED, true, true));
        options.set("Rules", "league").unwrap();
        assert_eq!(options.rules(), Rules { set: RuleSet::League, move_limit: 100 });
        options.set("NaturalLimit", "120").unwrap();
        assert_eq!(options.rules(), Rules { set: RuleSet::League, move_limit: 120 });
        options.set("NaturalLimit", "Auto").unwrap();
        options.set("rules", "Simple").unwrap();
        assert_eq!(options.rules(), Rules { set: RuleSet::Simple, move_limit: 120 });
    }

    #[test]
    fn a_value_that_cannot_be_read_changes_nothing() {
        let mut options = Options::default();
        for (name, value) in [
            ("hashsize", "abc"),
            ("batch", ""),
            ("randomness", "huge"),
            ("skill", "good"),
            ("style", "wild"),
            ("knowledge", "all"),
            ("pruning", ""),
            ("seed", "x"),
            ("drawoffers", "often"),
            ("resign", "never"),
            ("moveoverhead", "1.5"),
            ("rules", "axf"),
            ("naturallimit", "60"),
        ] {
            let error = options.set(name, value).unwrap_err();
            assert!(matches!(error, OptionError::BadValue { .. }), "{error}");
            assert_eq!(options, Options::default());
        }
        for (name, value) in [("style", "risky"), ("seed", "1"), ("skill", "3"), ("knowledge", "none")] {
            let way = options.way_of_play();
            options.set(name, value).unwrap();
            assert!(options.way_of_play() != way, "{name}");
        }
        assert_eq!(options.set("nosuch", "1"), Err(OptionError::Unknown("nosuch".into())));
    }
}
