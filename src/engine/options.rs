//! Option table: names in both protocols, type and range, access to the value, effect on the engine and description.
//!
//! The declarations of both protocols, the parser of `setoption`, `docs/options.md` and the help texts follow from
//! [`OPTIONS`].

use std::time::Duration;

use thiserror::Error;

use super::book::Variety;
use super::option_values::{Coordinates, DEFAULT_HASH_MEGABYTES, Options, Randomness};
use super::parse::{parse_bool, parse_text, saturating_number};
use super::pruning::Pruning;
use super::skill::{self, FULL_SKILL};
use super::style::Style;
use crate::eval::Knowledge;
use crate::position::Strictness;
use crate::rules::RuleSet;
use crate::search::MAX_THREADS;
use crate::util::cores::cores;

/// Largest size of the transposition table in megabytes; the machine decides whether the memory is available.
pub const MAX_HASH_MEGABYTES: usize = 1 << 20;
/// Largest number of lines to search.
pub const MAX_MULTI_PV: usize = 100;
/// Largest seed: clients read numbers of 32 bits with a sign.
const MAX_SEED: u64 = i32::MAX as u64;
/// Largest value of `bookdepth`, in plies.
const MAX_BOOK_PLIES: u64 = 200;
/// Largest value of `moveoverhead`, in milliseconds.
const MAX_OVERHEAD: u64 = 5_000;
/// Largest value of `contempt`, in centipawns.
const MAX_CONTEMPT: u64 = 100;
/// Natural move limits in counted plies; `None` is the limit of the rule set.
const MOVE_LIMITS: [(&str, Option<u16>); 3] = [("auto", None), ("100", Some(100)), ("120", Some(120))];
/// Forms of mate scores in UCCI.
const MATE_FORMS: [(&str, bool); 2] = [("number", false), ("word", true)];
/// Longest part of a name or value that an error quotes, in characters.
const MAX_QUOTE: usize = 40;

/// Option of the engine: a row of [`OPTIONS`].
pub struct EngineOption {
    /// Name in UCCI, if UCCI declares the option.
    pub ucci: Option<&'static str>,
    /// Name in UCI, if UCI declares the option.
    pub uci: Option<&'static str>,
    /// Type, range and access to the value.
    pub kind: OptionKind,
    /// Work that a new value requires.
    pub effect: OptionEffect,
    /// Description in Markdown, of ASCII characters only.
    pub help: &'static str,
}

/// Type of an option with its range and the functions that read and write its value.
pub enum OptionKind {
    /// True or false.
    Check {
        /// Returns the value.
        get: fn(&Options) -> bool,
        /// Sets the value.
        set: fn(&mut Options, bool),
    },
    /// Whole number.
    Spin {
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
        /// Unit of the value; may be empty.
        unit: &'static str,
        /// Returns the value.
        get: fn(&Options) -> u64,
        /// Sets the value, which is in the range.
        set: fn(&mut Options, u64),
    },
    /// One of several words.
    Combo {
        /// Returns all words.
        words: fn() -> Vec<&'static str>,
        /// Returns the word of the value.
        get: fn(&Options) -> &'static str,
        /// Sets the value of this word, in any case of letters. Returns false if it is none of the words.
        set: fn(&mut Options, &str) -> bool,
    },
    /// Any text.
    Text {
        /// Returns the value.
        get: fn(&Options) -> &str,
        /// Sets the value.
        set: fn(&mut Options, String),
    },
    /// No value: setting the option starts its effect.
    Button,
}

/// Work that setting an option requires of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionEffect {
    /// None: the next search or answer uses the value.
    None,
    /// The transposition table gets another size; its contents are lost.
    ResizeTable,
    /// The number of search threads changes; the results of earlier searches are lost.
    SetThreads,
    /// The results of earlier searches are no longer valid and are cleared.
    ClearSearch,
    /// A new game starts.
    NewGame,
    /// The book files are opened.
    OpenBooks,
    /// The endgame tables are opened.
    OpenTablebases,
    /// The network file is opened.
    OpenNetwork,
    /// The search parameters are set, and the results of earlier searches are cleared.
    SetParams,
}

/// Reason why an option was not set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OptionError {
    /// There is no option of this name.
    #[error("there is no option '{0}'")]
    Unknown(String),
    /// The value does not fit the option.
    #[error("option {name} takes {expected}, not '{value}'; it keeps its value")]
    BadValue {
        /// Name of the option.
        name: &'static str,
        /// Accepted values.
        expected: String,
        /// Value that was given.
        value: String,
    },
}

/// Option with a name in both protocols.
const fn both(
    ucci: &'static str,
    uci: &'static str,
    kind: OptionKind,
    effect: OptionEffect,
    help: &'static str,
) -> EngineOption {
    EngineOption { ucci: Some(ucci), uci: Some(uci), kind, effect, help }
}

/// Option that only UCCI declares.
const fn only_ucci(name: &'static str, kind: OptionKind, help: &'static str) -> EngineOption {
    EngineOption { ucci: Some(name), uci: None, kind, effect: OptionEffect::None, help }
}

/// Option that only UCI declares.
const fn only_uci(name: &'static str, kind: OptionKind, effect: OptionEffect, help: &'static str) -> EngineOption {
    EngineOption { ucci: None, uci: Some(name), kind, effect, help }
}

/// [`OptionKind::Check`] of a field.
macro_rules! check {
    ($($field:ident).+) => {
        OptionKind::Check {
            get: |options| options.$($field).+,
            set: |options, value| options.$($field).+ = value,
        }
    };
}

/// [`OptionKind::Spin`] of a field.
macro_rules! spin {
    ($($field:ident).+, $min:expr, $max:expr) => {
        OptionKind::Spin {
            min: $min,
            max: $max as u64,
            unit: "",
            get: |options| options.$($field).+ as u64,
            set: |options, value| options.$($field).+ = value as _,
        }
    };
}

/// [`OptionKind::Combo`] of a field, with its table of words and values.
macro_rules! combo {
    ($field:ident $(. $inner:ident)*, $named:expr) => {
        OptionKind::Combo {
            words: || $named.iter().map(|(word, _)| *word).collect(),
            get: |options| {
                $named.iter().find(|(_, value)| *value == options.$field$(.$inner)*).map_or("", |(word, _)| word)
            },
            set: |options, word| {
                let found = $named.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
                found.map(|(_, value)| options.$field$(.$inner)* = *value).is_some()
            },
        }
    };
}

/// [`OptionKind::Text`] of a field.
macro_rules! text {
    ($($field:ident).+) => {
        OptionKind::Text {
            get: |options| &options.$($field).+,
            set: |options, value| options.$($field).+ = value,
        }
    };
}

/// All options, in the order of their declaration.
pub static OPTIONS: [EngineOption; 37] = [
    only_ucci(
        "usemillisec",
        check!(use_milliseconds),
        "Times in `go` are in milliseconds; otherwise they are in seconds.",
    ),
    only_ucci(
        "batch",
        check!(batch),
        "Commands wait until the running search has ended; 'stop' still ends 'bench' and 'go perft'. For scripts.",
    ),
    both(
        "hashsize",
        "Hash",
        OptionKind::Spin {
            min: 0,
            max: MAX_HASH_MEGABYTES as u64,
            unit: "MB",
            get: |options| options.hash_megabytes as u64,
            set: |options, value| {
                options.hash_megabytes = if value == 0 { DEFAULT_HASH_MEGABYTES } else { value as usize };
            },
        },
        OptionEffect::ResizeTable,
        "Memory for the transposition table; 0 means 32 MB. If the machine cannot provide the memory, Chuhe says so and \
         keeps the old table.",
    ),
    both(
        "threads",
        "Threads",
        OptionKind::Spin {
            min: 0,
            max: MAX_THREADS as u64,
            unit: "",
            get: |options| options.threads as u64,
            set: |options, value| {
                options.threads = if value == 0 { cores().get().min(MAX_THREADS) } else { value as usize };
            },
        },
        OptionEffect::SetThreads,
        "Number of search threads; 0 means all cores.",
    ),
    both(
        "multipv",
        "MultiPV",
        spin!(multi_pv, 1, MAX_MULTI_PV),
        OptionEffect::None,
        "Number of best lines to search and report.",
    ),
    both(
        "ponder",
        "Ponder",
        check!(ponder),
        OptionEffect::None,
        "The client lets Chuhe think on the opponent's time, so Chuhe uses a little more of its own time.",
    ),
    both(
        "newgame",
        "Clear Hash",
        OptionKind::Button,
        OptionEffect::NewGame,
        "Starts a new game: clears the transposition table and everything else learned in the last game.",
    ),
    both(
        "useegtb",
        "UseEGTB",
        check!(tablebases.is_on),
        OptionEffect::OpenTablebases,
        "Uses endgame tables instead of the evaluation. Tables of one attacker and a bare king against any defenders \
         need no files; other tables come from `egtbpaths`.",
    ),
    both(
        "egtbpaths",
        "EGTBPath",
        text!(tablebases.folders),
        OptionEffect::OpenTablebases,
        "Folders with tables built by `chuhe tablebase build`, separated by `;`.",
    ),
    both(
        "usebook",
        "OwnBook",
        check!(book.is_on),
        OptionEffect::OpenBooks,
        "Plays moves from an opening book. The book is not used in analysis, with several lines or on the opponent's \
         time; after `ponderhit` it is.",
    ),
    both(
        "bookfiles",
        "BookFile",
        text!(book.files),
        OptionEffect::OpenBooks,
        "Book files, separated by `;`. The first book that contains the position is used. Empty means the built-in book.",
    ),
    both(
        "bookdepth",
        "BookDepth",
        spin!(book.max_plies, 0, MAX_BOOK_PLIES),
        OptionEffect::None,
        "Number of plies of a game that may come from a book. A position without the moves before it counts by \
         its move number, which some clients always send as 1.",
    ),
    both(
        "booklearn",
        "BookLearn",
        check!(book.learns),
        OptionEffect::None,
        "The first of `bookfiles` learns from games in which it was used, when the next game starts or the program \
         ends: results, weights and, up to `bookdepth`, new moves. Chuhe infers the result of a game from its own \
         scores.",
    ),
    both(
        "bookvariety",
        "BookVariety",
        combo!(book.variety, Variety::NAMED),
        OptionEffect::None,
        "Book moves to choose from: the one of the largest weight (`best`), or at random by weight those with at least \
         half of it (`small`), a tenth of it (`medium`), or all (`large`).",
    ),
    both(
        "skill",
        "Skill Level",
        spin!(skill, 1, FULL_SKILL),
        OptionEffect::ClearSearch,
        "Playing strength; 20 is full strength.",
    ),
    only_uci(
        "UCI_LimitStrength",
        check!(limits_strength),
        OptionEffect::ClearSearch,
        "Plays with the strength of `UCI_Elo` instead of that of `Skill Level`.",
    ),
    only_uci(
        "UCI_Elo",
        spin!(rating, skill::MIN_RATING as u64, skill::MAX_RATING),
        OptionEffect::ClearSearch,
        "Playing strength if `UCI_LimitStrength` is true, on the scale on which level 1 has 1000 points.",
    ),
    both(
        "style",
        "Style",
        combo!(style, Style::NAMED),
        OptionEffect::ClearSearch,
        "Weight of Chuhe's own attack against the opponent's attack: equal (`normal`), 65 to 35 (`risky`) or 35 to 65 \
         (`solid`). The last two shift by 5 whenever Chuhe's share of the material changes by more than 2 % between two \
         of its moves. `dynamic` begins equal, shifts with Chuhe's share of the evaluation instead, and then searches \
         the move again.",
    ),
    both(
        "knowledge",
        "Knowledge",
        combo!(knowledge, Knowledge::NAMED),
        OptionEffect::ClearSearch,
        "Terms of the evaluation: material (`none`), piece-square tables too (`small`), the whole hand-made \
         evaluation (`medium`), the network (`large`), or the numbers of early papers (`classic`).",
    ),
    both(
        "evalfile",
        "EvalFile",
        text!(evaluation_file),
        OptionEffect::OpenNetwork,
        "Network file for the evaluation; empty means the built-in network. If a file cannot be used, Chuhe says so and \
         uses the built-in network.",
    ),
    both(
        "pruning",
        "Pruning",
        combo!(pruning, Pruning::NAMED),
        OptionEffect::ClearSearch,
        "Selectivity of the search: full width (`none`), null move, ProbCut and reductions (`small`), also \
         pruning by margins and exchanges (`medium`), also pruning of late moves and of moves with a bad history \
         (`large`).",
    ),
    both(
        "searchparams",
        "SearchParams",
        text!(search_params),
        OptionEffect::SetParams,
        "Search parameters that differ from their defaults, as words `name=number`, for experiments. A name or a value \
         that is refused changes nothing.",
    ),
    both(
        "randomness",
        "Randomness",
        combo!(randomness, Randomness::NAMED),
        OptionEffect::ClearSearch,
        "Random change of each evaluation, by at most 0, 5, 15 or 40 centipawns. Chuhe may then play a move that looks \
         worse by up to twice that amount.",
    ),
    both(
        "seed",
        "Seed",
        spin!(seed, 0, MAX_SEED),
        OptionEffect::ClearSearch,
        "Seed of all random choices: the same seed repeats the game; 0 draws a new seed each time.",
    ),
    both(
        "contempt",
        "Contempt",
        spin!(contempt, 0, MAX_CONTEMPT),
        OptionEffect::None,
        "Centipawns by which a draw is worth less than 0 to Chuhe in games. The larger it is, the worse the positions \
         in which Chuhe plays on instead of repeating them. It applies to searches of one line on a clock or for a \
         time, but not to those for a mate; all others value a draw at 0.",
    ),
    only_ucci(
        "drawoffers",
        check!(offers_draws),
        "Chuhe may offer a draw: from its 40th searched move of a game on, after 10 moves in a row within 10 \
         centipawns of 0 or of a draw with contempt.",
    ),
    only_ucci(
        "resign",
        check!(resigns),
        "Chuhe may resign: after 3 moves in a row at -1200 centipawns or less, or if it is mated within 3 moves.",
    ),
    both(
        "rules",
        "Rules",
        combo!(rule_set, RuleSet::NAMED),
        OptionEffect::ClearSearch,
        "Repetition rules that the opponent and the arbiter follow.",
    ),
    both(
        "naturallimit",
        "NaturalLimit",
        combo!(move_limit, MOVE_LIMITS),
        OptionEffect::ClearSearch,
        "Number of plies without a capture after which the game is a draw; `auto` means the limit of the rules, 120, or \
         100 for `league`.",
    ),
    both(
        "moveoverhead",
        "Move Overhead",
        OptionKind::Spin {
            min: 0,
            max: MAX_OVERHEAD,
            unit: "ms",
            get: |options| options.move_overhead.as_millis() as u64,
            set: |options, value| options.move_overhead = Duration::from_millis(value),
        },
        OptionEffect::None,
        "Time reserved on each move for communication with the client; of a `movetime` at most 60 %.",
    ),
    only_uci(
        "UCI_Variant",
        OptionKind::Combo {
            words: || vec!["xiangqi"],
            get: |_| "xiangqi",
            set: |options, word| {
                let is_known = word.eq_ignore_ascii_case("xiangqi");
                options.variant_was_chosen |= is_known;
                is_known
            },
        },
        OptionEffect::None,
        "Game to play. For a client that sets this option, ranks are numbered from 1; see `coordinates`.",
    ),
    only_uci(
        "UCI_ShowWDL",
        check!(shows_chances),
        OptionEffect::None,
        "Adds `wdl` and the chances of a win, a draw and a loss for the side to move to each score, in thousandths, as \
         in games of Chuhe with itself.",
    ),
    both(
        "rawscores",
        "RawScores",
        check!(raw_scores),
        OptionEffect::None,
        "Reports scores in the unit of the search, in which limits such as those of `resign` are given, instead of \
         hundredths of the lead that wins half of the games (see analysis.md).",
    ),
    both(
        "coordinates",
        "Coordinates",
        combo!(coordinates, Coordinates::NAMED),
        OptionEffect::None,
        "Number of Red's home rank in moves: 0 (`zero`), 1 (`one`), or the one that the client seems to use (`auto`).",
    ),
    only_ucci(
        "uccimate",
        combo!(ucci_mate_words, MATE_FORMS),
        "Mate scores in UCCI: 10000 minus the number of plies (`number`), or `mate` and the number of moves (`word`).",
    ),
    both(
        "laxfen",
        "LaxFen",
        OptionKind::Check {
            get: |options| options.strictness == Strictness::Lax,
            set: |options, is_lax| {
                options.strictness = if is_lax { Strictness::Lax } else { Strictness::Strict };
            },
        },
        OptionEffect::None,
        "Accepts positions with extra pieces or doubled uncrossed pawns, for composed problems.",
    ),
    both(
        "debug",
        "Debug",
        check!(debug),
        OptionEffect::None,
        "Reports unknown options in UCCI too; in UCI they always are.",
    ),
];

impl EngineOption {
    /// Returns the name for messages: that of UCCI, if there is one.
    pub fn name(&self) -> &'static str {
        self.ucci.or(self.uci).unwrap_or_default()
    }

    /// Returns `true` if `name` is a name of this option, without regard to case, spaces and underscores.
    fn is_named(&self, name: &str) -> bool {
        fn letters(name: &str) -> impl Iterator<Item = char> {
            name.chars().filter(|c| !c.is_whitespace() && *c != '_').flat_map(char::to_lowercase)
        }
        [self.ucci, self.uci].into_iter().flatten().any(|known| letters(known).eq(letters(name)))
    }

    /// Writes a value as clients write it. Numbers out of range are set to the nearest one in the range.
    fn set(&self, options: &mut Options, value: &str) -> Result<(), OptionError> {
        let bad_value = || OptionError::BadValue {
            name: self.name(),
            expected: self.kind.accepted_values(),
            value: value.chars().take(MAX_QUOTE).collect(),
        };
        match &self.kind {
            OptionKind::Check { set, .. } => set(options, parse_bool(value).ok_or_else(bad_value)?),
            OptionKind::Spin { min, max, set, .. } => {
                let number = saturating_number(value.trim()).ok_or_else(bad_value)?;
                set(options, u64::try_from(number).unwrap_or(0).clamp(*min, *max));
            }
            OptionKind::Combo { set, .. } => {
                if !set(options, value.trim()) {
                    return Err(bad_value());
                }
            }
            OptionKind::Text { set, .. } => set(options, parse_text(value).to_owned()),
            OptionKind::Button => {}
        }
        Ok(())
    }
}

impl OptionKind {
    /// Describes the accepted values for an error message.
    fn accepted_values(&self) -> String {
        match self {
            OptionKind::Check { .. } => "true or false".to_owned(),
            OptionKind::Spin { min, max, .. } => format!("a number from {min} to {max}"),
            OptionKind::Combo { words, .. } => match words().as_slice() {
                [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
                words => words.concat(),
            },
            OptionKind::Text { .. } => "a text".to_owned(),
            OptionKind::Button => "no value".to_owned(),
        }
    }
}

impl Options {
    /// Sets the option `name` to `value` and returns the work that this requires. The names of both protocols are
    /// accepted, without regard to case, spaces and underscores. Numbers out of range are set to the nearest one in the
    /// range.
    ///
    /// # Errors
    /// [`OptionError::Unknown`] for a name that is no option, [`OptionError::BadValue`] for a value that cannot be
    /// read. Nothing changes then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<OptionEffect, OptionError> {
        let option = OPTIONS.iter().find(|option| option.is_named(name));
        let option = option.ok_or_else(|| OptionError::Unknown(name.chars().take(MAX_QUOTE).collect()))?;
        let before = self.search_values();
        let params = self.search_params.clone();
        let used_tablebases = self.tablebases.is_on;
        option.set(self, value)?;
        Ok(match option.effect {
            OptionEffect::ClearSearch if self.search_values() == before => OptionEffect::None,
            OptionEffect::SetParams if self.search_params == params => OptionEffect::None,
            // Books that are not in use are opened when they are turned on.
            OptionEffect::OpenBooks if !self.book.is_on => OptionEffect::None,
            OptionEffect::OpenTablebases if !self.tablebases.is_on && !used_tablebases => OptionEffect::None,
            effect => effect,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn names_of_both_protocols_and_odd_spellings_are_accepted() {
        let mut options = Options::default();
        for (name, value, megabytes) in [
            ("Hash", "64", 64),
            ("hashsize", "0", DEFAULT_HASH_MEGABYTES),
            ("hashsize", "-1", DEFAULT_HASH_MEGABYTES),
            ("hashsize", "99999999999999999999", MAX_HASH_MEGABYTES),
        ] {
            assert_eq!(options.set(name, value), Ok(OptionEffect::ResizeTable));
            assert_eq!(options.hash_megabytes, megabytes);
        }
        assert_eq!(options.set("NewGame", ""), Ok(OptionEffect::NewGame));
        for (text, expected) in [("1", true), ("off", false), ("YES", true), ("False", false)] {
            assert_eq!(options.set("use_MilliSec", text), Ok(OptionEffect::None));
            assert_eq!(options.use_milliseconds, expected);
        }
        options.set("Move Overhead", "999999").unwrap();
        assert_eq!(options.move_overhead, Duration::from_millis(MAX_OVERHEAD));
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
        assert_eq!((options.seed, options.offers_draws, options.resigns), (MAX_SEED, true, true));
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
            ("UCI_Variant", "shogi"),
        ] {
            let error = options.set(name, value).unwrap_err();
            assert!(matches!(error, OptionError::BadValue { .. }), "{error}");
            assert_eq!(options, Options::default());
        }
        let error = options.set("naturallimit", "60").unwrap_err().to_string();
        assert_eq!(error, "option naturallimit takes auto, 100 or 120, not '60'; it keeps its value");
        assert_eq!(options.set("nosuch", "1"), Err(OptionError::Unknown("nosuch".into())));
    }

    #[test]
    fn earlier_results_are_cleared_when_values_depend_on_the_option() {
        let mut options = Options::default();
        for (name, value) in [("style", "risky"), ("seed", "1"), ("skill", "3"), ("knowledge", "none")] {
            assert_eq!(options.set(name, value), Ok(OptionEffect::ClearSearch), "{name}");
            assert_eq!(options.set(name, value), Ok(OptionEffect::None), "{name} again");
        }
        // Tables are opened again, but only while they are in use.
        for (name, value, effect) in [
            ("egtbpaths", "folder", OptionEffect::None),
            ("useegtb", "false", OptionEffect::None),
            ("useegtb", "true", OptionEffect::OpenTablebases),
            ("egtbpaths", "folder", OptionEffect::OpenTablebases),
            ("useegtb", "false", OptionEffect::OpenTablebases),
            ("useegtb", "false", OptionEffect::None),
        ] {
            assert_eq!(options.set(name, value), Ok(effect), "{name} {value}");
        }
    }

    /// The value of an option as text; nothing for a button.
    fn value_of(option: &EngineOption, options: &Options) -> String {
        match &option.kind {
            OptionKind::Check { get, .. } => get(options).to_string(),
            OptionKind::Spin { get, .. } => get(options).to_string(),
            OptionKind::Combo { get, .. } => get(options).to_owned(),
            OptionKind::Text { get, .. } => get(options).to_owned(),
            OptionKind::Button => String::new(),
        }
    }

    /// Another value than the present one; `None` if there is no other.
    fn other_value(option: &EngineOption, options: &Options) -> Option<String> {
        Some(match &option.kind {
            OptionKind::Check { get, .. } => (!get(options)).to_string(),
            OptionKind::Spin { get, max, .. } if get(options) < *max => max.to_string(),
            OptionKind::Spin { min, .. } => min.to_string(),
            OptionKind::Combo { get, words, .. } => {
                let words = words();
                let mut others = words.iter().filter(|word| **word != get(options));
                others.next()?.to_string()
            }
            OptionKind::Text { .. } if option.name() == "searchparams" => "null_move_depth=5".to_owned(),
            OptionKind::Text { .. } => "x".to_owned(),
            OptionKind::Button => return None,
        })
    }

    #[test]
    fn every_option_keeps_what_it_reads_and_changes_no_other() {
        for option in &OPTIONS {
            for name in [option.ucci, option.uci].into_iter().flatten() {
                let mut options = Options::default();
                let default = value_of(option, &options);
                let other = other_value(option, &options);
                options.set(name, other.as_ref().unwrap_or(&default)).unwrap();
                assert_eq!(value_of(option, &options), *other.as_ref().unwrap_or(&default), "{name}");
                let changed =
                    OPTIONS.iter().filter(|one| value_of(one, &options) != value_of(one, &Options::default()));
                let changed: Vec<&str> = changed.map(EngineOption::name).collect();
                assert_eq!(changed, Vec::from_iter(other.map(|_| option.name())), "{name}");
                options.set(name, &default).unwrap();
                options.variant_was_chosen = false;
                assert_eq!(options, Options::default(), "{name}");
            }
            assert!(option.help.is_ascii() && option.help.ends_with('.'), "{}", option.name());
        }
    }
}
