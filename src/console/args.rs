//! Argument parsers shared by several commands.

use std::num::NonZeroUsize;

use clap::Args;

use crate::eval::Knowledge;
use crate::notation::Dialect;
use crate::rules::RuleSet;
use crate::util::cores::cores;

/// Notation of moves in the output.
#[derive(Args, Debug)]
#[group(multiple = false)]
pub struct NotationArgs {
    /// Write moves in Chinese, 炮二平五.
    #[arg(long)]
    chinese: bool,
    /// Write moves in WXF notation, C2.5.
    #[arg(long)]
    wxf: bool,
    /// Write moves in ICCS notation, H2-E2.
    #[arg(long)]
    iccs: bool,
    /// Write moves in Vietnamese notation, P2-5.
    #[arg(long)]
    vietnamese: bool,
}

impl NotationArgs {
    /// Returns the notation that was chosen.
    pub fn chosen(&self) -> Option<Dialect> {
        match self {
            NotationArgs { chinese: true, .. } => Some(Dialect::Chinese),
            NotationArgs { wxf: true, .. } => Some(Dialect::Wxf),
            NotationArgs { iccs: true, .. } => Some(Dialect::Iccs),
            NotationArgs { vietnamese: true, .. } => Some(Dialect::Vietnamese),
            _ => None,
        }
    }

    /// Returns the notation; coordinates unless another one was chosen.
    pub fn dialect(&self) -> Dialect {
        self.chosen().unwrap_or(Dialect::Coordinate)
    }
}

/// Parses a level of knowledge.
///
/// # Errors
/// One line for the user when the name is unknown.
pub fn knowledge(name: String) -> Result<Knowledge, String> {
    Knowledge::from_name(&name).ok_or_else(|| format!("there is no level of knowledge '{name}'"))
}

/// Parses a rule set.
///
/// # Errors
/// One line for the user when the name is unknown.
pub fn rule_set(name: String) -> Result<RuleSet, String> {
    RuleSet::from_name(&name).ok_or_else(|| format!("there are no rules '{name}'"))
}

fn number(text: &str, is_good: impl Fn(f64) -> bool, what: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && is_good(*number));
    number.ok_or_else(|| what.to_owned())
}

/// Parses a number above 0.
///
/// # Errors
/// One line for the user when the text is not such a number.
pub fn positive(text: &str) -> Result<f64, String> {
    number(text, |number| number > 0.0, "expected a number above 0")
}

/// Parses a number of at least 0.
///
/// # Errors
/// One line for the user when the text is not such a number.
pub fn not_negative(text: &str) -> Result<f64, String> {
    number(text, |number| number >= 0.0, "expected a number of at least 0")
}

/// Parses a number from 0 to 1.
///
/// # Errors
/// One line for the user when the text is not such a number.
pub fn share(text: &str) -> Result<f64, String> {
    number(text, |number| (0.0..=1.0).contains(&number), "expected a number from 0 to 1")
}

/// Parses a number from 0 to 90.
///
/// # Errors
/// One line for the user when the text is not such a number.
pub fn percentage(text: &str) -> Result<f64, String> {
    number(text, |number| (0.0..=90.0).contains(&number), "expected a number from 0 to 90")
}

/// Splits `key=value,key=value`, where each of these keys may stand once.
///
/// # Errors
/// One line for the user that names the part at fault.
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
