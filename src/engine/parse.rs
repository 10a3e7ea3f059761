//! Reading the values of options as front ends write them.

use super::options::OptionError;

fn bad_value(name: &'static str, wanted: &'static str, value: &str) -> OptionError {
    OptionError::BadValue { name, wanted, value: value.chars().take(40).collect() }
}

/// One of several words, in any case of letters.
pub(super) fn choice<T: Copy>(
    name: &'static str,
    wanted: &'static str,
    choices: &[(&'static str, T)],
    value: &str,
) -> Result<T, OptionError> {
    let chosen = choices.iter().find(|(word, _)| value.trim().eq_ignore_ascii_case(word));
    chosen.map(|(_, choice)| *choice).ok_or_else(|| bad_value(name, wanted, value))
}

/// The words that stand for yes and no in what front ends send.
pub(super) fn boolean(name: &'static str, value: &str) -> Result<bool, OptionError> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "1" | "yes" => Ok(true),
        "false" | "off" | "0" | "no" => Ok(false),
        _ => Err(bad_value(name, "true or false", value)),
    }
}

/// A text without blanks around it. UCI clients send `<empty>` for one that is empty.
pub(super) fn text(value: &str) -> &str {
    let value = value.trim();
    if value.eq_ignore_ascii_case("<empty>") { "" } else { value }
}

/// A whole number; too large or too small ones saturate.
pub(super) fn number(name: &'static str, value: &str) -> Result<u64, OptionError> {
    saturating_number(value.trim()).map(|number| number.max(0) as u64).ok_or_else(|| bad_value(name, "a number", value))
}

/// Reads a decimal number with an optional sign. Digits beyond the range of `i64` saturate it.
///
/// ```
/// use chuhe::engine::saturating_number;
/// assert_eq!(saturating_number("-12"), Some(-12));
/// assert_eq!(saturating_number("99999999999999999999"), Some(i64::MAX));
/// assert_eq!(saturating_number("12a"), None);
/// ```
pub fn saturating_number(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let limit = if negative { i64::MIN } else { i64::MAX };
    Some(digits.parse::<i64>().map_or(limit, |number| if negative { -number } else { number }))
}
