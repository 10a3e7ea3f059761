//! Arguments and argument parsers shared by several commands.

use std::num::NonZeroUsize;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::console::chinese::Language;
use crate::notation::Dialect;
use crate::rules::RuleSet;
use crate::search::MAX_THREADS;
use crate::util::parallel::cores;

/// Returns the parser of one of these values by its name.
pub fn named<T: Copy + Send + Sync + 'static>(
    values: impl IntoIterator<Item = (&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<(&str, T)> = values.into_iter().collect();
    let names = PossibleValuesParser::new(values.iter().map(|(name, _)| *name));
    // The argument decides whether case matters.
    let value =
        move |name: String| values.iter().find(|(known, _)| known.eq_ignore_ascii_case(&name)).map(|found| found.1);
    names.try_map(move |name| value(name).ok_or("unknown name"))
}

pub fn dialect() -> impl TypedValueParser<Value = Dialect> {
    named(Dialect::ALL.map(|dialect| (dialect.name(), dialect)))
}

#[derive(Args, Debug)]
pub struct JsonArg {
    /// Print JSON, one object a line.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct RulesArg {
    /// Rules of repetition.
    #[arg(long, value_name = "RULES", default_value = RuleSet::default().name(), ignore_case = true,
        value_parser = named(RuleSet::NAMED))]
    pub rules: RuleSet,
}

/// Limits of a search or a proof.
#[derive(Args, Debug)]
pub struct LimitArgs {
    /// Nodes of the search.
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Time of the search in milliseconds.
    #[arg(long, value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
}

impl LimitArgs {
    pub fn time(&self) -> Option<Duration> {
        self.movetime.map(Duration::from_millis)
    }
}

/// Threads of work that uses all cores unless told otherwise.
#[derive(Args, Debug)]
pub struct ThreadsArg {
    /// Number of threads; 0 is the number of cores.
    #[arg(long, value_name = "N", default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
}

impl ThreadsArg {
    pub fn count(&self) -> usize {
        thread_count(self.threads).get()
    }
}

/// Notation of moves in the output.
#[derive(Args, Debug)]
pub struct NotationArgs {
    /// Write moves in this notation: chinese, wxf (C2.5), iccs (H2-E2), vietnamese (P2-5), coordinate (h2e2),
    /// chinese_cxa, wxf_official or wxf_fairy.
    #[arg(long, value_name = "NOTATION", hide_possible_values = true, value_parser = dialect())]
    notation: Option<Dialect>,
}

impl NotationArgs {
    /// Returns the notation that was chosen, Chinese with the option `--chinese`, or the usual one of the command.
    pub fn or(&self, usual: Dialect) -> Dialect {
        self.notation.unwrap_or(if Language::is_option_given() { Dialect::Chinese } else { usual })
    }
}

fn number(text: &str, is_good: impl Fn(f64) -> bool, what: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && is_good(*number));
    number.ok_or_else(|| format!("expected a number {what}"))
}

pub fn positive(text: &str) -> Result<f64, String> {
    number(text, |number| number > 0.0, "above 0")
}

pub fn share(text: &str) -> Result<f64, String> {
    number(text, |number| (0.0..=1.0).contains(&number), "from 0 to 1")
}

pub fn percentage(text: &str) -> Result<f64, String> {
    number(text, |number| (0.0..=90.0).contains(&number), "from 0 to 90")
}

/// Splits `key=value,key=value`, where each of these keys may stand once.
pub fn key_values<'a>(text: &'a str, keys: &[&str]) -> Result<Vec<(&'a str, &'a str)>, String> {
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for part in text.split(',').filter(|part| !part.trim().is_empty()) {
        let (key, value) = part.split_once('=').ok_or_else(|| format!("'{part}' lacks '='"))?;
        let (key, value) = (key.trim(), value.trim());
        if !keys.contains(&key) {
            return Err(format!("'{key}' is none of {}", keys.join(", ")));
        }
        if pairs.iter().any(|(earlier, _)| *earlier == key) {
            return Err(format!("{key}={value}: {key} was given before"));
        }
        pairs.push((key, value));
    }
    Ok(pairs)
}

/// Returns the number of threads of a `--threads` option, where 0 stands for the number of cores.
pub fn thread_count(threads: u16) -> NonZeroUsize {
    NonZeroUsize::new(usize::from(threads)).unwrap_or_else(cores)
}
