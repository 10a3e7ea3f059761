//! The options: one row of [`OPTIONS`] for each, with its names in both protocols, type and range, access to the value,
//! the work that a new value requires, and its description.
//!
//! Declarations of both protocols, the parser of `setoption`, help texts and `docs/options.md` follow from the table.
//! An option is a field of [`Options`] with its default and a row; one that results of earlier searches depend on has
//! the effect [`OptionEffect::ClearSearch`]. `Engine::prepare` puts values into the configuration of the search, and
//! `request.rs` into its limits, where it also decides what analysis ignores.

use super::EngineError;
use super::pruning::Pruning;
use super::skill::{self, FULL_SKILL, MIN_SKILL};
use super::style::Style;
use crate::eval::Knowledge;
use crate::position::Strictness;
use crate::rules::{RuleSet, Rules};
use crate::search::MAX_THREADS;
use crate::types::Value;
use crate::util::parallel::cores;
use OptionEffect::{ClearSearch, NewGame, OpenBooks, OpenNetwork, OpenTablebases, ResizeTable, SetParams, SetThreads};

/// Default size of the transposition table in megabytes.
pub const DEFAULT_HASH_MEGABYTES: usize = 32;
/// Largest size of the transposition table in megabytes; the machine decides whether the memory is available.
pub const MAX_HASH_MEGABYTES: usize = 1 << 20;
/// Largest number of lines to search.
pub const MAX_MULTI_PV: usize = 100;
/// Natural move limits in counted plies; `None` is the limit of the rule set.
const MOVE_LIMITS: [(&str, Option<u16>); 3] = [("auto", None), ("100", Some(100)), ("120", Some(120))];
/// Number of Red's home rank in moves: 1 or 0; `None` for 1 with UCI clients that set `UCI_Variant` and 0 with others
/// and those of the Cyclone dialect. Moves that can only be meant the other way prove it.
const COORDINATES: [(&str, Option<bool>); 3] = [("auto", None), ("zero", Some(false)), ("one", Some(true))];
/// Largest change of an evaluation in centipawns, which follows from the position and the seed. The engine prefers a
/// move that is worse by at most twice as much, if both moves are searched to the same positions.
const RANDOMNESS: [(&str, Value); 4] = [("none", 0), ("small", 5), ("medium", 15), ("large", 40)];

/// Value of every option: the configuration of an engine. Descriptions stand in the table of options.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the table of options has a description of each")]
pub struct Options {
    pub use_milliseconds: bool,
    pub batch: bool,
    pub ponder: bool,
    pub hash_megabytes: usize,
    pub threads: usize,
    pub multi_pv: usize,
    /// Largest random change of an evaluation in centipawns.
    pub randomness: Value,
    /// Seed of all random choices; 0 draws a new seed each time.
    pub seed: u64,
    /// Playing strength, from -2 to [`FULL_SKILL`].
    pub skill: i8,
    /// The strength is that of [`Options::rating`] instead of [`Options::skill`].
    pub limits_strength: bool,
    /// Playing strength in Elo points, on the scale of the skill levels.
    pub rating: u16,
    pub style: Style,
    pub knowledge: Knowledge,
    /// Network file; empty for the built-in network.
    pub evaluation_file: String,
    pub pruning: Pruning,
    /// Search parameters that differ from their defaults, in the form that [`crate::search::Params`] reads.
    pub search_params: String,
    pub uses_book: bool,
    /// Names of book files, separated by semicolons; empty for the built-in book.
    pub book_files: String,
    /// Number of plies of a game that may come from a book.
    pub book_plies: usize,
    pub book_variety: Variety,
    /// The first of the book files learns from games.
    pub book_learns: bool,
    pub uses_tablebases: bool,
    /// Folders with tables, separated by `;`. Small tables are computed and need no folder.
    pub tablebase_folders: String,
    /// How much less than 0 a draw is worth to the engine in games, in centipawns.
    pub contempt: Value,
    pub offers_draws: bool,
    pub resigns: bool,
    /// Time reserved on each move for communication, in milliseconds.
    pub move_overhead_ms: u64,
    /// Moves number ranks from 1; `None` to follow the client.
    pub ranks_from_one: Option<bool>,
    /// The client has set `UCI_Variant`, as clients do that play other games too and count ranks from 1.
    pub variant_was_chosen: bool,
    pub shows_chances: bool,
    pub raw_scores: bool,
    pub strictness: Strictness,
    pub rule_set: RuleSet,
    /// Natural move limit in counted plies; `None` for the limit of the rule set.
    pub move_limit: Option<u16>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            use_milliseconds: true,
            batch: false,
            ponder: false,
            hash_megabytes: DEFAULT_HASH_MEGABYTES,
            threads: 1,
            multi_pv: 1,
            randomness: 0,
            seed: 0,
            skill: FULL_SKILL,
            limits_strength: false,
            rating: skill::MAX_RATING,
            style: Style::Normal,
            knowledge: Knowledge::Large,
            evaluation_file: String::new(),
            pruning: Pruning::Large,
            search_params: String::new(),
            uses_book: false,
            book_files: String::new(),
            book_plies: 40,
            book_variety: Variety::Medium,
            book_learns: false,
            uses_tablebases: false,
            tablebase_folders: String::new(),
            contempt: 0,
            offers_draws: false,
            resigns: false,
            move_overhead_ms: 30,
            ranks_from_one: None,
            variant_was_chosen: false,
            shows_chances: false,
            raw_scores: false,
            strictness: Strictness::Strict,
            rule_set: RuleSet::default(),
            move_limit: None,
        }
    }
}

impl Options {
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
}

pub(crate) struct EngineOption {
    /// Name in UCCI; empty if UCCI does not declare the option.
    pub ucci: &'static str,
    pub uci: &'static str,
    pub kind: OptionKind,
    /// Work that a new value requires; without it the next search or answer uses the value.
    pub effect: Option<OptionEffect>,
    /// Description in Markdown, of ASCII characters only.
    pub help: &'static str,
    pub is_for_laboratory: bool,
}

/// Type of an option with its range and the functions that read and write its value.
pub(crate) enum OptionKind {
    Check {
        get: fn(&Options) -> bool,
        set: fn(&mut Options, bool),
    },
    Spin {
        min: i64,
        max: i64,
        unit: &'static str,
        /// The number that 0 stands for, if it stands for another one.
        zero: Option<fn() -> i64>,
        get: fn(&Options) -> i64,
        set: fn(&mut Options, i64),
    },
    Combo {
        words: fn() -> Vec<&'static str>,
        get: fn(&Options) -> &'static str,
        /// Sets the value of this word, in any case of letters. Returns false if it is none of the words.
        set: fn(&mut Options, &str) -> bool,
    },
    Text {
        get: fn(&Options) -> &str,
        set: fn(&mut Options, String),
    },
    Button,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OptionEffect {
    /// The transposition table gets another size; its contents are lost.
    ResizeTable,
    /// The number of search threads changes; the results of earlier searches are lost.
    SetThreads,
    /// The results of earlier searches are no longer valid and are cleared.
    ClearSearch,
    NewGame,
    /// Files are opened, also when the value is set again.
    OpenBooks,
    OpenTablebases,
    OpenNetwork,
    SetParams,
}

/// A row without effect and help; an empty name is one that the protocol does not have.
const fn option(ucci: &'static str, uci: &'static str, kind: OptionKind) -> EngineOption {
    EngineOption { ucci, uci, kind, effect: None, help: "", is_for_laboratory: false }
}

impl EngineOption {
    const fn of_the_laboratory(self) -> EngineOption {
        EngineOption { is_for_laboratory: true, ..self }
    }

    const fn effect(self, effect: OptionEffect) -> EngineOption {
        EngineOption { effect: Some(effect), ..self }
    }

    const fn help(self, help: &'static str) -> EngineOption {
        EngineOption { help, ..self }
    }
}

macro_rules! check {
    ($field:ident) => {
        OptionKind::Check { get: |options| options.$field, set: |options, value| options.$field = value }
    };
}

/// [`OptionKind::Spin`] of a field whose type holds the range; a test sets both ends.
macro_rules! spin {
    ($field:ident, $min:expr, $max:expr) => {
        spin!($field, $min, $max, "", None)
    };
    ($field:ident, $min:expr, $max:expr, $unit:expr, $zero:expr) => {
        OptionKind::Spin {
            min: $min as i64,
            max: $max as i64,
            unit: $unit,
            zero: $zero,
            get: |options| options.$field as i64,
            set: |options, value| options.$field = value as _,
        }
    };
}

/// [`OptionKind::Combo`] of a field, with its table of words and values.
macro_rules! combo {
    ($field:ident, $named:expr) => {
        OptionKind::Combo {
            words: || $named.iter().map(|(word, _)| *word).collect(),
            get: |options| $named.iter().find(|(_, value)| *value == options.$field).map_or("", |(word, _)| word),
            set: |options, word| {
                let found = $named.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
                found.map(|(_, value)| options.$field = *value).is_some()
            },
        }
    };
}

macro_rules! text {
    ($field:ident) => {
        OptionKind::Text { get: |options| &options.$field, set: |options, value| options.$field = value }
    };
}

pub(crate) static OPTIONS: [EngineOption; 35] = [
    option("usemillisec", "", check!(use_milliseconds))
        .help("Times in `go` are in milliseconds; otherwise they are in seconds."),
    option("batch", "", check!(batch)).help(
        "Commands wait until the running search has ended; 'stop' still ends 'bench' and 'go perft'. A search for a \
         mate without another limit takes at most 10 s. For scripts.",
    ),
    option(
        "hashsize",
        "Hash",
        spin!(hash_megabytes, 0, MAX_HASH_MEGABYTES, "MB", Some(|| DEFAULT_HASH_MEGABYTES as i64)),
    )
    .effect(ResizeTable)
    .help(
        "Memory for the transposition table; 0 means 32 MB. 10 MB for each second of thought and thread are enough. \
         If the machine cannot provide the memory, Chuhe says so and keeps the old table.",
    ),
    option("threads", "Threads", spin!(threads, 0, MAX_THREADS, "", Some(|| cores().get().min(MAX_THREADS) as i64)))
        .effect(SetThreads)
        .help("Number of search threads; 0 means all cores."),
    option("multipv", "MultiPV", spin!(multi_pv, 1, MAX_MULTI_PV)).help("Number of best lines to search and report."),
    option("ponder", "Ponder", check!(ponder))
        .help("The client lets Chuhe think on the opponent's time, so Chuhe uses a little more of its own time."),
    option("newgame", "Clear Hash", OptionKind::Button)
        .effect(NewGame)
        .help("Starts a new game: clears the transposition table and everything else learned in the last game."),
    option("useegtb", "UseEGTB", check!(uses_tablebases)).effect(OpenTablebases).help(
        "Uses endgame tables instead of the evaluation. Tables of one attacker and a bare king against any defenders \
         need no files; other tables come from `egtbpaths`.",
    ),
    option("egtbpaths", "EGTBPath", text!(tablebase_folders))
        .effect(OpenTablebases)
        .help("Folders with tables built by `chuhe tablebase build`, separated by `;`."),
    option("usebook", "OwnBook", check!(uses_book)).effect(OpenBooks).help(
        "Plays moves from an opening book. The book is not used in analysis, with several lines or on the opponent's \
         time; after `ponderhit` it is.",
    ),
    option("bookfiles", "BookFile", text!(book_files)).effect(OpenBooks).help(
        "Book files, separated by `;`. The first book that contains the position is used. Empty means the built-in \
         book.",
    ),
    option("bookdepth", "BookDepth", spin!(book_plies, 0, 200)).help(
        "Number of plies of a game that may come from a book. A position without the moves before it counts by its \
         move number, which some clients always send as 1.",
    ),
    option("booklearn", "BookLearn", check!(book_learns)).help(
        "The first of `bookfiles` learns from games in which it was used, when the next game starts or the program \
         ends: results, weights and, up to `bookdepth`, new moves. Chuhe infers the result of a game from its own \
         scores.",
    ),
    option("bookvariety", "BookVariety", combo!(book_variety, Variety::NAMED)).help(
        "Book moves to choose from: the one of the largest weight (`best`), or at random by weight those with at least \
         half of it (`small`), a tenth of it (`medium`), or all (`large`).",
    ),
    option("skill", "Skill Level", spin!(skill, MIN_SKILL, FULL_SKILL))
        .effect(ClearSearch)
        .help("Playing strength; 20 is full strength."),
    option("", "UCI_LimitStrength", check!(limits_strength))
        .effect(ClearSearch)
        .help("Plays with the strength of `UCI_Elo` instead of that of `Skill Level`."),
    option("", "UCI_Elo", spin!(rating, skill::MIN_RATING, skill::MAX_RATING))
        .effect(ClearSearch)
        .help("Playing strength if `UCI_LimitStrength` is true, on the scale on which level 1 has 1000 points."),
    option("style", "Style", combo!(style, Style::NAMED)).effect(ClearSearch).help(
        "Weight of Chuhe's attack against the opponent's: equal (`normal`), 65 to 35 (`risky`) or 35 to 65 (`solid`). \
         `dynamic` begins equal and shifts with Chuhe's share of the evaluation.",
    ),
    option("knowledge", "Knowledge", combo!(knowledge, Knowledge::NAMED)).of_the_laboratory().effect(ClearSearch).help(
        "Terms of the evaluation: material (`none`), piece-square tables too (`small`), the whole hand-made evaluation \
         (`medium`), the network (`large`), or the numbers of early papers (`classic`).",
    ),
    option("evalfile", "EvalFile", text!(evaluation_file)).effect(OpenNetwork).help(
        "Network file for the evaluation; empty means the built-in network. If a file cannot be used, Chuhe says so \
         and uses the built-in network.",
    ),
    option("pruning", "Pruning", combo!(pruning, Pruning::NAMED)).of_the_laboratory().effect(ClearSearch).help(
        "Selectivity of the search: full width (`none`), null move, ProbCut and reductions (`small`), also pruning by \
         margins and exchanges (`medium`), also pruning of late moves and of moves with a bad history (`large`).",
    ),
    option("searchparams", "SearchParams", text!(search_params)).of_the_laboratory().effect(SetParams).help(
        "Search parameters that differ from their defaults, as words `name=number`, for experiments. A name or a value \
         that is refused changes nothing.",
    ),
    option("randomness", "Randomness", combo!(randomness, RANDOMNESS)).effect(ClearSearch).help(
        "Random change of each evaluation, by at most 0, 5, 15 or 40 centipawns. Chuhe may then play a move that looks \
         worse by up to twice that amount.",
    ),
    option("seed", "Seed", spin!(seed, 0, i32::MAX))
        .of_the_laboratory()
        .effect(ClearSearch)
        .help("Seed of all random choices: the same seed repeats the game; 0 draws a new seed each time."),
    option("contempt", "Contempt", spin!(contempt, 0, 100)).help(
        "Centipawns by which a draw is worth less than 0 to Chuhe in games. The larger it is, the worse the positions \
         in which Chuhe plays on instead of repeating them. It applies to searches of one line on a clock or for a \
         time, but not to those for a mate; all others value a draw at 0.",
    ),
    option("drawoffers", "", check!(offers_draws)).help(
        "Chuhe may offer a draw: from its 40th searched move of a game on, after 10 moves in a row within 10 \
         centipawns of 0 or of a draw with contempt.",
    ),
    option("resign", "", check!(resigns)).help(
        "Chuhe may resign: after 3 moves in a row at -1200 centipawns or less, or if it is mated within 3 moves.",
    ),
    option("rules", "Rules", combo!(rule_set, RuleSet::NAMED))
        .effect(ClearSearch)
        .help("Repetition rules that the opponent and the arbiter follow."),
    option("naturallimit", "NaturalLimit", combo!(move_limit, MOVE_LIMITS)).effect(ClearSearch).help(
        "Number of plies without a capture after which the game is a draw; `auto` means the limit of the rules, 120, \
         or 100 for `league` and `axf`.",
    ),
    option("moveoverhead", "Move Overhead", spin!(move_overhead_ms, 0, 5_000, "ms", None))
        .help("Time reserved on each move for communication with the client; of a `movetime` at most 60 %."),
    option(
        "",
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
    )
    .help("Game to play. For a client that sets this option, ranks are numbered from 1; see `coordinates`."),
    option("", "UCI_ShowWDL", check!(shows_chances)).help(
        "Adds `wdl` and the chances of a win, a draw and a loss for the side to move to each score, in thousandths, as \
         in games of Chuhe with itself.",
    ),
    option("rawscores", "RawScores", check!(raw_scores)).of_the_laboratory().help(
        "Reports scores in the unit of the search, in which limits such as those of `resign` are given, instead of \
         hundredths of the lead that wins half of the games (see analysis.md).",
    ),
    option("coordinates", "Coordinates", combo!(ranks_from_one, COORDINATES)).help(
        "Number of Red's home rank in moves: 0 (`zero`), 1 (`one`), or the one that the client seems to use (`auto`).",
    ),
    option(
        "laxfen",
        "LaxFen",
        OptionKind::Check {
            get: |options| options.strictness == Strictness::Lax,
            set: |options, is_lax| {
                options.strictness = if is_lax { Strictness::Lax } else { Strictness::Strict };
            },
        },
    )
    .help("Accepts positions with extra pieces or doubled uncrossed pawns, for composed problems."),
];

impl EngineOption {
    /// The options that this build offers.
    pub fn all() -> impl Iterator<Item = &'static EngineOption> {
        OPTIONS.iter().filter(|option| cfg!(feature = "lab") || !option.is_for_laboratory)
    }

    /// Returns the option with this name in either protocol, without regard to case, spaces and underscores.
    pub fn named(name: &str) -> Result<&'static EngineOption, EngineError> {
        fn letters(name: &str) -> impl Iterator<Item = char> {
            name.chars().filter(|c| !c.is_whitespace() && *c != '_').flat_map(char::to_lowercase)
        }
        let is_named = |option: &&EngineOption| {
            [option.ucci, option.uci].iter().any(|known| !known.is_empty() && letters(known).eq(letters(name)))
        };
        EngineOption::all()
            .find(is_named)
            .ok_or_else(|| EngineError::Option(format!("there is no option '{}'", quote(name))))
    }

    /// Returns the name for messages: that of UCCI, if there is one.
    pub fn name(&self) -> &'static str {
        if self.ucci.is_empty() { self.uci } else { self.ucci }
    }

    /// Returns the value as text; empty for a button.
    pub fn value(&self, options: &Options) -> String {
        match &self.kind {
            OptionKind::Check { get, .. } => get(options).to_string(),
            OptionKind::Spin { get, .. } => get(options).to_string(),
            OptionKind::Combo { get, .. } => get(options).to_owned(),
            OptionKind::Text { get, .. } => get(options).to_owned(),
            OptionKind::Button => String::new(),
        }
    }

    /// Writes a value as clients write it. Numbers out of range are set to the nearest one in the range.
    pub fn set(&self, options: &mut Options, value: &str) -> Result<(), EngineError> {
        let value = value.trim();
        let bad_value = || {
            let (name, values) = (self.name(), self.kind.values(" or "));
            EngineError::Option(format!("option {name} takes {values}, not '{}'; it keeps its value", quote(value)))
        };
        match &self.kind {
            OptionKind::Check { set, .. } => set(options, parse_bool(value).ok_or_else(bad_value)?),
            OptionKind::Spin { set, .. } => {
                let number = saturating_number(value).ok_or_else(bad_value)?;
                set(options, self.kind.limited(number));
            }
            OptionKind::Combo { set, .. } => set(options, value).then_some(()).ok_or_else(bad_value)?,
            // UCI clients send `<empty>` for the empty text.
            OptionKind::Text { set, .. } if value.eq_ignore_ascii_case("<empty>") => set(options, String::new()),
            OptionKind::Text { set, .. } => set(options, value.to_owned()),
            OptionKind::Button => {}
        }
        Ok(())
    }

    /// Sets a number out of range to the nearest one in the range.
    pub fn limit(&self, options: &mut Options) {
        if let OptionKind::Spin { get, set, .. } = &self.kind {
            set(options, self.kind.limited(get(options)));
        }
    }
}

impl OptionKind {
    fn limited(&self, number: i64) -> i64 {
        match self {
            OptionKind::Spin { zero: Some(meant), .. } if number <= 0 => meant(),
            OptionKind::Spin { min, max, .. } => number.clamp(*min, *max),
            _ => number,
        }
    }

    /// Returns the accepted values as text, the last of several words after `before_last`.
    pub fn values(&self, before_last: &str) -> String {
        match self {
            OptionKind::Check { .. } => ["true", "false"].join(before_last),
            OptionKind::Spin { min, max, unit, .. } => format!("{min} to {max} {unit}").trim_end().to_owned(),
            OptionKind::Combo { words, .. } => match words().as_slice() {
                [others @ .., last] if !others.is_empty() => format!("{}{before_last}{last}", others.join(", ")),
                words => words.concat(),
            },
            OptionKind::Text { .. } => "text".to_owned(),
            OptionKind::Button => "button".to_owned(),
        }
    }
}

fn quote(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Reads a truth value: true, on, yes or 1, and their opposites, in any case of letters.
pub(crate) fn parse_bool(value: &str) -> Option<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "1" | "yes" => Some(true),
        "false" | "off" | "0" | "no" => Some(false),
        _ => None,
    }
}

/// Reads a decimal number with an optional sign. Numbers outside the range of `i64` saturate.
pub(crate) fn saturating_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let limit = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    is_number.then(|| text.parse().unwrap_or(limit))
}

/// Range of book moves to choose from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variety {
    /// The move of the largest weight.
    Best,
    /// Moves with at least half of the largest weight.
    Small,
    /// Moves with at least a tenth of the largest weight.
    Medium,
    /// All moves.
    Large,
}

impl Variety {
    const NAMED: [(&'static str, Variety); 4] =
        [("best", Variety::Best), ("small", Variety::Small), ("medium", Variety::Medium), ("large", Variety::Large)];

    /// Returns the smallest weight that is played if `max_weight` is the largest.
    pub(super) fn min_weight(self, max_weight: u32) -> u32 {
        match self {
            Variety::Best => max_weight,
            Variety::Small => max_weight.div_ceil(2),
            Variety::Medium => max_weight.div_ceil(10),
            Variety::Large => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(options: &mut Options, name: &str, value: &str) -> Result<(), EngineError> {
        EngineOption::named(name)?.set(options, value)
    }

    #[test]
    fn odd_spellings_are_accepted_and_numbers_out_of_range_set_to_the_nearest() {
        let mut options = Options::default();
        for (name, value, read) in [
            ("Hash", "64", "64"),
            ("hashsize", "0", "32"),
            ("HASH SIZE", "-1", "32"),
            ("Hash", "99999999999999999999", "1048576"),
            ("usemillisec", "1", "true"),
            ("UseMilliSec", "off", "false"),
            ("use_millisec", "YES", "true"),
            ("Move Overhead", "999999", "5000"),
            ("evalfile", "  C:\\my networks\\a.net ", "C:\\my networks\\a.net"),
            ("EvalFile", "<empty>", ""),
            ("Rules", "LEAGUE", "league"),
            ("Natural Limit", "120", "120"),
        ] {
            set(&mut options, name, value).unwrap();
            assert_eq!(EngineOption::named(name).unwrap().value(&options), read, "{name} {value}");
        }
        assert_eq!(options.rules(), Rules { set: RuleSet::League, move_limit: 120 });
        set(&mut options, "naturallimit", "auto").unwrap();
        assert_eq!(options.rules(), Rules { set: RuleSet::League, move_limit: 100 });
        let error = set(&mut options, "naturallimit", "60").unwrap_err().to_string();
        assert_eq!(error, "option naturallimit takes auto, 100 or 120, not '60'; it keeps its value");
    }

    fn other_value(option: &EngineOption, options: &Options) -> Option<String> {
        Some(match &option.kind {
            OptionKind::Check { get, .. } => (!get(options)).to_string(),
            OptionKind::Spin { get, max, .. } if get(options) < *max => max.to_string(),
            OptionKind::Spin { min, .. } => min.to_string(),
            OptionKind::Combo { get, words, .. } => words().into_iter().find(|word| *word != get(options))?.to_owned(),
            OptionKind::Text { .. } => "x".to_owned(),
            OptionKind::Button => return None,
        })
    }

    #[test]
    fn every_option_keeps_what_it_reads_and_changes_no_other() {
        let shown = OPTIONS.iter().filter(|option| !option.is_for_laboratory);
        assert!(shown.count() <= 30, "more options than a front end can show");
        for option in EngineOption::all() {
            for name in [option.ucci, option.uci].into_iter().filter(|name| !name.is_empty()) {
                let mut options = Options::default();
                let default = option.value(&options);
                let other = other_value(option, &options);
                set(&mut options, name, other.as_ref().unwrap_or(&default)).unwrap();
                assert_eq!(option.value(&options), *other.as_ref().unwrap_or(&default), "{name}");
                let changed = OPTIONS.iter().filter(|one| one.value(&options) != one.value(&Options::default()));
                let changed: Vec<&str> = changed.map(EngineOption::name).collect();
                assert_eq!(changed, Vec::from_iter(other.map(|_| option.name())), "{name}");
                set(&mut options, name, &default).unwrap();
                options.variant_was_chosen = false;
                assert_eq!(options, Options::default(), "{name}");
            }
            assert!(option.help.is_ascii() && option.help.ends_with('.'), "{}", option.name());
        }
    }
}
