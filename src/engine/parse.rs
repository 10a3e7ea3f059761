//! Parsing of option values as clients write them.

/// Reads a truth value: true, on, yes or 1, and their opposites, in any case of letters.
pub(super) fn parse_bool(value: &str) -> Option<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "1" | "yes" => Some(true),
        "false" | "off" | "0" | "no" => Some(false),
        _ => None,
    }
}

/// Returns a text without spaces around it. UCI clients send `<empty>` for the empty text.
pub(super) fn parse_text(value: &str) -> &str {
    let value = value.trim();
    if value.eq_ignore_ascii_case("<empty>") { "" } else { value }
}

/// Returns the file or folder names of an option that takes several, separated by `;`.
pub(super) fn split_names(value: &str) -> impl Iterator<Item = &str> {
    value.split(';').map(str::trim).filter(|name| !name.is_empty())
}

/// Reads a decimal number with an optional sign. Numbers outside the range of `i64` saturate.
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
