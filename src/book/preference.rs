//! Preferences: the opinion of the author or user of a book about a move, apart from the games.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Largest percentage of a preference.
pub const MAX_PERCENT: u16 = 600;
/// Percentages are multiples of this number.
pub const PERCENT_STEP: u16 = 5;

/// Stored form of [`Preference::ALWAYS`], the largest that fits in seven bits.
const ALWAYS: u8 = 127;
/// Stored form of [`Preference::NEVER`].
const NEVER: u8 = 1;

/// Preference for a move: a factor of its weight, or `always` or `never`.
///
/// Learning, merging and the results of games leave it alone. Text forms are `none`, `always`, `never` and a percentage
/// such as `250%`, a multiple of 5 from 5 to 600; the sign may be left out.
///
/// ```
/// use chuhe::book::Preference;
/// let twice: Preference = "200%".parse()?;
/// assert_eq!((twice.percent(), twice.to_string()), (Some(200), "200%".to_owned()));
/// assert_eq!("100".parse(), Ok(Preference::NONE));
/// assert!("7%".parse::<Preference>().is_err());
/// # Ok::<(), chuhe::book::PreferenceError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Preference(u8);

/// Error of a text that is not a preference.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("a preference is 'always', 'never', 'none' or a percentage, a multiple of {PERCENT_STEP} up to {MAX_PERCENT}%")]
pub struct PreferenceError;

impl Preference {
    /// No preference: the weight of the move decides.
    pub const NONE: Preference = Preference(0);
    /// The move is never played.
    pub const NEVER: Preference = Preference(NEVER);
    /// Only the moves of the position with this preference are played.
    pub const ALWAYS: Preference = Preference(ALWAYS);

    /// Creates a preference that multiplies the weight by this percentage: 100 is [`Preference::NONE`], 0 is
    /// [`Preference::NEVER`]. `None` unless it is a multiple of 5 up to 600.
    pub fn from_percent(percent: u16) -> Option<Preference> {
        match percent {
            0 => Some(Preference::NEVER),
            100 => Some(Preference::NONE),
            _ if percent <= MAX_PERCENT && percent.is_multiple_of(PERCENT_STEP) => {
                Some(Preference((percent / PERCENT_STEP) as u8 + NEVER))
            }
            _ => None,
        }
    }

    /// Percentage by which the weight is multiplied; `None` for `always`.
    pub fn percent(self) -> Option<u16> {
        match self.0 {
            0 => Some(100),
            ALWAYS => None,
            code => Some(u16::from(code - NEVER) * PERCENT_STEP),
        }
    }

    /// Stored form, 0 to 127; 0 is [`Preference::NONE`].
    pub(super) fn code(self) -> u8 {
        self.0
    }

    /// Decodes the stored form; `None` if it is invalid.
    pub(super) fn from_code(code: u8) -> Option<Preference> {
        is_code(code).then_some(Preference(code))
    }
}

/// Returns whether this is a stored form. Each preference has one. Avoids branches, for speed.
#[inline(always)]
pub(super) fn is_code(code: u8) -> bool {
    const UNITY: u8 = (100 / PERCENT_STEP) as u8 + NEVER;
    const LAST: u8 = (MAX_PERCENT / PERCENT_STEP) as u8 + NEVER;
    ((code <= LAST) & (code != UNITY)) | (code == ALWAYS)
}

impl fmt::Display for Preference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.percent() {
            None => f.write_str("always"),
            Some(0) => f.write_str("never"),
            Some(100) => f.write_str("none"),
            Some(percent) => write!(f, "{percent}%"),
        }
    }
}

impl FromStr for Preference {
    type Err = PreferenceError;

    fn from_str(text: &str) -> Result<Preference, PreferenceError> {
        match text {
            "always" => Ok(Preference::ALWAYS),
            "never" => Ok(Preference::NEVER),
            "none" => Ok(Preference::NONE),
            _ => {
                let digits = text.strip_suffix('%').unwrap_or(text);
                let percent = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
                percent.and_then(Preference::from_percent).ok_or(PreferenceError)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stored_form_is_one_preference_and_one_text() {
        let mut texts = Vec::new();
        for code in 0..=u8::MAX {
            let Some(preference) = Preference::from_code(code) else { continue };
            assert_eq!((preference.code(), preference.to_string().parse()), (code, Ok(preference)));
            texts.push(preference.to_string());
        }
        let percentages = (1..=120).map(|number| 5 * number).filter(|&percent| percent != 100);
        let expected = ["none", "never"].map(str::to_owned).into_iter();
        let expected = expected.chain(percentages.map(|percent| format!("{percent}%"))).chain(["always".to_owned()]);
        assert_eq!(texts, expected.collect::<Vec<_>>());
        for text in ["", "%", "7", "605", "-5", "+5", "1000%", "65536", "Always", "5 %"] {
            assert_eq!(text.parse::<Preference>(), Err(PreferenceError), "{text}");
        }
    }
}
