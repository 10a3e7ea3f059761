//! The options that are declared to front ends, with the name that each has in either protocol.

use crate::engine::{
    COORDINATES, FULL_SKILL, MATE_WORDS, MOST_BOOK_DEPTH, MOST_HASH_MEGABYTES, MOST_LINES, MOST_OVERHEAD_MILLISECONDS,
    MOST_SEED, MOVE_LIMITS, Options, Pruning, RULE_SETS, Randomness, Style, Variety,
};
use crate::eval::Knowledge;
use crate::search::MAX_THREADS;

/// What values an option takes, and its default.
pub(super) enum Kind {
    /// Yes or no.
    Check(bool),
    /// A number.
    Spin { least: u64, most: u64, default: u64 },
    /// One of some words.
    Combo { words: Vec<&'static str>, default: &'static str },
    /// Any text.
    Text(String),
    /// Nothing: setting it does something.
    Button,
}

/// A declared option. A protocol that has no use for it has no name for it.
pub(super) struct Declaration {
    pub ucci: Option<&'static str>,
    pub uci: Option<&'static str>,
    pub kind: Kind,
}

/// All options, in the order in which they are declared.
pub(super) fn declarations() -> Vec<Declaration> {
    let defaults = Options::default();
    let both = |ucci, uci, kind| Declaration { ucci: Some(ucci), uci: Some(uci), kind };
    let only_ucci = |name, kind| Declaration { ucci: Some(name), uci: None, kind };
    let only_uci = |name, kind| Declaration { ucci: None, uci: Some(name), kind };
    let spin = |least: u64, most: u64, default: u64| Kind::Spin { least, most, default };
    vec![
        only_ucci("usemillisec", Kind::Check(defaults.use_milliseconds)),
        only_ucci("batch", Kind::Check(defaults.batch)),
        both("hashsize", "Hash", spin(0, MOST_HASH_MEGABYTES as u64, defaults.hash_megabytes as u64)),
        both("threads", "Threads", spin(0, MAX_THREADS as u64, defaults.threads as u64)),
        both("multipv", "MultiPV", spin(1, MOST_LINES as u64, defaults.lines as u64)),
        both("ponder", "Ponder", Kind::Check(defaults.ponder)),
        both("newgame", "Clear Hash", Kind::Button),
        both("useegtb", "UseEGTB", Kind::Check(defaults.endings.is_on)),
        both("egtbpaths", "EGTBPath", Kind::Text(defaults.endings.folders.clone())),
        both("usebook", "OwnBook", Kind::Check(defaults.book.is_on)),
        both("bookfiles", "BookFile", Kind::Text(defaults.book.files.clone())),
        both("bookdepth", "BookDepth", spin(0, MOST_BOOK_DEPTH, defaults.book.most_plies as u64)),
        both("booklearn", "BookLearn", Kind::Check(defaults.book.learns)),
        both("bookvariety", "BookVariety", combo(&Variety::NAMED, defaults.book.variety)),
        both("skill", "Skill Level", spin(1, u64::from(FULL_SKILL), u64::from(defaults.skill))),
        both("style", "Style", combo(&Style::NAMED, defaults.style)),
        both("knowledge", "Knowledge", combo(&Knowledge::NAMED, defaults.knowledge)),
        both("evalfile", "EvalFile", Kind::Text(defaults.evaluation_file.clone())),
        both("pruning", "Pruning", combo(&Pruning::NAMED, defaults.pruning)),
        both("randomness", "Randomness", combo(&Randomness::NAMED, defaults.randomness)),
        both("seed", "Seed", spin(0, MOST_SEED, defaults.seed)),
        only_ucci("drawoffers", Kind::Check(defaults.offers_draws)),
        only_ucci("resign", Kind::Check(defaults.resigns)),
        both("rules", "Rules", combo(&RULE_SETS, defaults.rule_set)),
        both("naturallimit", "NaturalLimit", combo(&MOVE_LIMITS, defaults.move_limit)),
        both(
            "moveoverhead",
            "Move Overhead",
            spin(0, MOST_OVERHEAD_MILLISECONDS, defaults.move_overhead.as_millis() as u64),
        ),
        only_uci("UCI_Variant", Kind::Combo { words: vec!["xiangqi"], default: "xiangqi" }),
        both("coordinates", "Coordinates", combo(&COORDINATES, defaults.coordinates)),
        only_ucci("uccimate", combo(&MATE_WORDS, defaults.ucci_names_mates)),
        both("laxfen", "LaxFen", Kind::Check(false)),
        both("debug", "Debug", Kind::Check(defaults.debug)),
    ]
}

/// A choice among words. The default comes first: some clients take the first word for it, whatever `default` says
/// (uci2wb passes none on, so XBoard sends every first word back when it restarts an engine).
fn combo<T: Copy + PartialEq>(choices: &[(&'static str, T)], chosen: T) -> Kind {
    let word_of = |&(word, _): &(&'static str, T)| word;
    let is_default = |&&(_, choice): &&(&'static str, T)| choice == chosen;
    let default = choices.iter().find(is_default).map(word_of);
    let others = choices.iter().filter(|choice| !is_default(choice)).map(word_of);
    Kind::Combo { words: default.into_iter().chain(others).collect(), default: default.unwrap_or_default() }
}

/// ` var` and the word, for each of them.
pub(super) fn variants(words: &[&str]) -> String {
    words.iter().map(|word| format!(" var {word}")).collect()
}
