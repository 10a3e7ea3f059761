//! Name of a player among the names in games.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::notation::game::Game;
use crate::types::Side;

/// Number of candidates that an error names.
const MAX_CANDIDATES: usize = 20;

/// Returns the tag with the name of a side's player.
pub const fn tag_of(side: Side) -> &'static str {
    match side {
        Side::Red => "Red",
        Side::Black => "Black",
    }
}

/// Returns the name of a side's player; `None` if it is missing.
pub fn name_of(game: &Game, side: Side) -> Option<&str> {
    game.tag(tag_of(side)).map(str::trim).filter(|name| !name.is_empty() && *name != "?")
}

/// Returns whether a name contains the wanted one, regardless of case: whether [`find`] may return it.
pub fn may_match(name: &str, wanted: &str) -> bool {
    name.to_lowercase().contains(&wanted.trim().to_lowercase())
}

/// Error of finding a player.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlayerError {
    /// No game has such a player.
    #[error("no game of a player '{0}' (tags Red and Black)")]
    Unknown(String),
    /// Several players contain the name.
    #[error("'{wanted}' may be {}; name one of them in full", listed(.candidates))]
    Ambiguous {
        /// Wanted name.
        wanted: String,
        /// Names that contain it, sorted.
        candidates: Vec<String>,
    },
}

fn listed(names: &[String]) -> String {
    let text = names.iter().take(MAX_CANDIDATES).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_CANDIDATES) {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

/// Returns the name that is meant: the same name if it is there, or else the only one that contains the wanted one,
/// regardless of case.
///
/// # Errors
/// If there is no such name, or several.
///
/// ```
/// use chuhe::commands::analysis::profile::player::find;
/// let names = ["Hu Ronghua", "Li Laiqun", "Hu Ming"];
/// assert_eq!(find(names, "laiqun"), Ok("Li Laiqun".to_owned()));
/// assert_eq!(find(names, "Hu Ming"), Ok("Hu Ming".to_owned()));
/// assert!(find(names, "Hu").is_err());
/// ```
pub fn find<'a>(names: impl IntoIterator<Item = &'a str>, wanted: &str) -> Result<String, PlayerError> {
    let wanted = wanted.trim();
    let candidates: BTreeSet<&str> = names.into_iter().filter(|name| may_match(name, wanted)).collect();
    if candidates.contains(wanted) {
        return Ok(wanted.to_owned());
    }
    let candidates: Vec<String> = candidates.into_iter().map(str::to_owned).collect();
    match candidates.as_slice() {
        [] => Err(PlayerError::Unknown(wanted.to_owned())),
        [name] => Ok(name.clone()),
        _ => Err(PlayerError::Ambiguous { wanted: wanted.to_owned(), candidates }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_name_precedes_longer_ones_and_case_is_ignored() {
        let names = ["许银川", "许银川 (广东)", "ANNA", "Joanna"];
        assert_eq!(find(names, " 许银川 ").as_deref(), Ok("许银川"));
        assert_eq!(find(names, "joan").as_deref(), Ok("Joanna"));
        let error = find(names, "anna").unwrap_err();
        assert_eq!(error.to_string(), "'anna' may be ANNA, Joanna; name one of them in full");
        assert_eq!(find(names, "x"), Err(PlayerError::Unknown("x".to_owned())));
        // The same player in several games is one candidate.
        assert_eq!(find(["Li", "Li", "Wu"], "li").as_deref(), Ok("Li"));
    }

    #[test]
    fn many_candidates_are_counted() {
        let names: Vec<String> = (0..25).map(|number| format!("player {number:02}")).collect();
        let error = find(names.iter().map(String::as_str), "player").unwrap_err().to_string();
        assert!(error.contains("player 19 and 5 more;") && !error.contains("player 20"), "{error}");
    }
}
