//! Parsers of arguments that several commands have.

use crate::eval::Knowledge;
use crate::rules::RuleSet;

/// The level of knowledge of this name.
///
/// # Errors
/// One line for the user when there is no such level.
pub fn knowledge(name: String) -> Result<Knowledge, String> {
    Knowledge::from_name(&name).ok_or_else(|| format!("there is no level of knowledge '{name}'"))
}

/// The rules of this name.
///
/// # Errors
/// One line for the user when there are no such rules.
pub fn rule_set(name: String) -> Result<RuleSet, String> {
    RuleSet::from_name(&name).ok_or_else(|| format!("there are no rules '{name}'"))
}

fn number(text: &str, is_good: impl Fn(f64) -> bool, what: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && is_good(*number));
    number.ok_or_else(|| what.to_owned())
}

/// A number above 0.
///
/// # Errors
/// One line for the user when the text is no such number.
pub fn positive(text: &str) -> Result<f64, String> {
    number(text, |number| number > 0.0, "a number above 0 is wanted")
}

/// A number of at least 0.
///
/// # Errors
/// One line for the user when the text is no such number.
pub fn not_negative(text: &str) -> Result<f64, String> {
    number(text, |number| number >= 0.0, "a number of 0 or more is wanted")
}

/// A number from 0 to 1.
///
/// # Errors
/// One line for the user when the text is no such number.
pub fn share(text: &str) -> Result<f64, String> {
    number(text, |number| (0.0..=1.0).contains(&number), "a number from 0 to 1 is wanted")
}

/// A number from 0 to 90.
///
/// # Errors
/// One line for the user when the text is no such number.
pub fn percentage(text: &str) -> Result<f64, String> {
    number(text, |number| (0.0..=90.0).contains(&number), "a number from 0 to 90 is wanted")
}
