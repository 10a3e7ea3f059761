//! Game files of WXF, as playing sites write them: lines of keys and values, and a list of moves.
//!
//! ```text
//! FORMAT  WXF
//! RED     name;team;;rating
//! RESULT  1-0
//! FEN     FEN
//! START{
//!   1. C2.5 h8+7  2. H2+3 r9.8
//! }END
//! ```
//!
//! [`super::pgn_text`] reads the moves as a list.

use super::game::GameResult;

/// Value of the tag that names the notation of the moves.
pub(super) const FORMAT: &str = "WXF";
/// Values of the first line, where letters of pieces may follow. The last four are those of early drafts: the notation
/// of the Asian federation, coordinates, and long and short algebraic notation.
const FORMATS: [&str; 5] = [FORMAT, "AXF", "ICCS", "LALG", "SALG"];
/// Word after the moves.
pub(super) const END: &str = "END";
/// Word around a comment.
pub(super) const COMMENT: &str = "COMMENT";
/// Word before the moves.
pub(super) const START: &str = "START";
/// Keys with one value.
const KEYS: [(&str, &str); 5] =
    [("GAME", "Title"), ("EVENT", "Event"), ("DATE", "Date"), ("PLACE", "Site"), ("FEN", "FEN")];
/// Keys of players, with the tags of name, team and rating: a number, wherever it stands.
const PLAYERS: [(&str, [&str; 3]); 2] =
    [("RED", ["Red", "RedTeam", "RedElo"]), ("BLACK", ["Black", "BlackTeam", "BlackElo"])];

/// Returns whether a line is the first one of a game.
pub(super) fn begins_a_game(line: &str) -> bool {
    let format = key(line).filter(|(key, _)| *key == "FORMAT");
    format.is_some_and(|(_, value)| value.split([',', ' ']).next().is_some_and(|first| FORMATS.contains(&first)))
}

/// Returns the tags of a line before the moves; lines with other keys have none.
pub(super) fn tags(line: &str) -> Vec<(&'static str, &str)> {
    let Some((key, value)) = key(line) else { return Vec::new() };
    let mut tags = Vec::new();
    if key == "RESULT" && GameResult::from_text(value).is_some() {
        tags.push(("Result", value));
    }
    let plain = KEYS.iter().find(|(name, _)| *name == key);
    tags.extend(plain.map(|&(_, tag)| (tag, value)));
    if let Some(&(_, [name, team, rating])) = PLAYERS.iter().find(|(name, _)| *name == key) {
        let is_rating = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
        let mut parts = value.split(';').map(str::trim);
        tags.push((name, parts.next().unwrap_or_default()));
        let (ratings, others): (Vec<&str>, Vec<&str>) = parts.filter(|part| !part.is_empty()).partition(is_rating);
        tags.extend(others.first().map(|&part| (team, part)));
        tags.extend(ratings.first().map(|&part| (rating, part)));
    }
    tags.retain(|(_, value)| !value.is_empty());
    tags
}

/// Returns the text after the bracket that opens the moves, if the text begins with it.
pub(super) fn after_start(text: &str) -> Option<&str> {
    text.strip_prefix(START)?.trim_start().strip_prefix('{')
}

/// Splits a line into its key and value.
fn key(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (key, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (!key.is_empty() && key.bytes().all(|byte| byte.is_ascii_uppercase())).then_some((key, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_keys_and_values() {
        assert!(
            begins_a_game("FORMAT\tWXF\r")
                && begins_a_game("FORMAT AXF, K(K) R(C)")
                && !begins_a_game("FORMAT PGN")
                && !begins_a_game("h2e2")
        );
        let players = tags("RED\tHu Ronghua; Shanghai;;2600");
        assert_eq!(players, [("Red", "Hu Ronghua"), ("RedTeam", "Shanghai"), ("RedElo", "2600")]);
        assert_eq!(tags("BLACK someone;;;"), [("Black", "someone")]);
        assert_eq!(tags("RED     jugador rojo ; 1200 ;;"), [("Red", "jugador rojo"), ("RedElo", "1200")]);
        assert_eq!(tags("FEN 4k4/9/9/9/9/9/9/9/9/R3K4 r"), [("FEN", "4k4/9/9/9/9/9/9/9/9/R3K4 r")]);
        assert_eq!((tags("RESULT 1-0"), tags("EVENT\t A cup")), (vec![("Result", "1-0")], vec![("Event", "A cup")]));
        for line in ["RESULT", "RESULT none", "TIME 20", "GAME", "Red x", "", "START{"] {
            assert_eq!(tags(line), [], "{line}");
        }
        assert_eq!(
            (after_start("START{ 1. C2.5"), after_start("START {"), after_start("C2.5")),
            (Some(" 1. C2.5"), Some(""), None)
        );
    }
}
