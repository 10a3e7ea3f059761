//! Games, common to all formats.

use std::fmt;

pub use super::game_error::{GameError, GameFault, Location};
use super::opening_name::OpeningName;
use super::warnings::{Warning, WarningKind, Warnings};
use crate::position::Position;
use crate::types::{Move, Side};

/// Maximum length of a game in plies; longer games are refused, which bounds the memory.
pub const MAX_PLIES: usize = 10_000;
/// Maximum total length of the tags and words of a game in bytes.
pub const MAX_TEXT: usize = 4 << 20;
/// Maximum total length of the comments and variations of a game in bytes.
pub const MAX_COMMENTS: usize = 128 << 20;

/// Game with tags and comments.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Game {
    /// Tags with PGN names such as `Event` and `Red`, in the order of the file, without those for start, result and
    /// notation.
    pub tags: Vec<(String, String)>,
    /// Position before the first move, without history.
    pub start: Position,
    /// Comment before the first move.
    pub comment: String,
    /// Moves, all legal.
    pub moves: Vec<GameMove>,
    /// Result of the game.
    pub result: GameResult,
    /// Number of variations of the file that were skipped.
    pub skipped_variations: usize,
    /// What is lost or read otherwise than the file has it.
    pub warnings: Warnings,
}

/// Move of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameMove {
    /// The move.
    pub mv: Move,
    /// Comment after the move.
    pub comment: String,
}

impl Game {
    /// Returns the value of a tag; the first one of several with that name.
    ///
    /// ```
    /// use chuhe::notation::game::Game;
    /// let game = Game { tags: vec![("Red".to_owned(), "Hu Ronghua".to_owned())], ..Game::default() };
    /// assert_eq!(game.tag("Red"), Some("Hu Ronghua"));
    /// assert_eq!(game.tag("Black"), None);
    /// ```
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Returns the moves without comments.
    pub fn line(&self) -> Vec<Move> {
        self.moves.iter().map(|played| played.mv).collect()
    }

    /// Returns the position after the last move with the game as its history.
    pub fn end(&self) -> Position {
        let mut position = self.start.clone();
        self.moves.iter().for_each(|played| position.make(played.mv));
        position
    }

    /// Returns the name of the opening: of the file if it has one, or else by the moves.
    pub fn opening(&self) -> Option<String> {
        let of_file = self.tag("Opening").filter(|name| is_known(name)).map(str::to_owned);
        of_file.or_else(|| OpeningName::new(&self.start, &self.line()).map(|name| name.text()))
    }

    /// Returns the game if its main line has its end, for uses that learn from results.
    ///
    /// # Errors
    /// The reason why the main line is cut.
    pub fn with_end(self) -> Result<Game, GameError> {
        match self.warnings.cut() {
            Some(Warning { location, reason, .. }) => {
                Err(GameError { location: *location, fault: GameFault::Malformed(reason.clone()) })
            }
            None => Ok(self),
        }
    }

    /// Ends the main line because of an error in its next move. The result stays.
    pub(super) fn cut(&mut self, error: &GameError) {
        self.warnings.add_error(WarningKind::Cut, error);
    }

    /// Adds a tag unless its value is empty or the tag exists.
    pub(super) fn add_tag(&mut self, name: &str, value: &str) {
        if !value.is_empty() && self.tag(name).is_none() {
            self.tags.push((name.to_owned(), value.to_owned()));
        }
    }
}

/// Result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum GameResult {
    /// Red won: `1-0`.
    RedWins,
    /// Black won: `0-1`.
    BlackWins,
    /// Drawn: `1/2-1/2`.
    Draw,
    /// Unknown or unfinished: `*`.
    #[default]
    Unknown,
}

impl GameResult {
    /// Parses a result in PGN form or in words.
    ///
    /// ```
    /// use chuhe::notation::game::GameResult;
    /// assert_eq!(GameResult::from_text("1-0"), Some(GameResult::RedWins));
    /// assert_eq!(GameResult::from_text("和棋"), Some(GameResult::Draw));
    /// assert_eq!(GameResult::from_text("Red Won"), Some(GameResult::RedWins));
    /// assert_eq!(GameResult::from_text("2-0"), None);
    /// ```
    pub fn from_text(text: &str) -> Option<GameResult> {
        let text = text.trim();
        match text {
            "1-0" | "1:0" => return Some(GameResult::RedWins),
            "0-1" | "0:1" => return Some(GameResult::BlackWins),
            "1/2-1/2" | "1/2" | "½-½" | "0.5-0.5" => return Some(GameResult::Draw),
            "*" | "不明" | "未知" => return Some(GameResult::Unknown),
            _ => {}
        }
        // Every word of a game is tried, so most moves and numbers are recognised without a copy.
        const FIRST: [char; 14] = ['红', '紅', '黑', '先', '后', '後', '和', '平', '双', '雙', '胜', '勝', '负', '負'];
        const AFTER: [char; 7] = ['–', '—', '(', '（', '。', '！', '!'];
        let is_word = text.len() >= 4 && text.bytes().take(2).all(|byte| byte.is_ascii_alphabetic());
        let is_vietnamese = || text.starts_with(['Đ', 'đ', 'H', 'h']) && !text.is_ascii();
        let is_score = || text.starts_with(['0', '1']) && text.contains(AFTER);
        if !is_word && !text.starts_with(FIRST) && !is_score() && !is_vietnamese() {
            return None;
        }
        let text = text.split(['(', '（']).next().unwrap_or_default().trim_end_matches(['。', '！', '!', ' ']);
        let common = |c| match c {
            '–' | '—' => '-',
            '紅' => '红',
            '勝' => '胜',
            '負' => '负',
            '雙' => '双',
            '後' => '后',
            c => c.to_lowercase().next().unwrap_or(c),
        };
        let text: String = text.chars().map(common).collect();
        match text.as_str() {
            "1-0" | "胜" | "红胜" | "红先胜" | "红方胜" | "红方先胜" | "先胜" | "先手胜" | "后负" | "后手负"
            | "黑负" | "黑方负" | "red won" | "red wins" | "đỏ thắng" | "đen thua" => {
                Some(GameResult::RedWins)
            }
            "0-1" | "负" | "黑胜" | "黑方胜" | "红先负" | "红负" | "红方负" | "先负" | "先手负" | "后胜" | "后手胜"
            | "black won" | "black wins" | "đen thắng" | "đỏ thua" => Some(GameResult::BlackWins),
            "1/2-1/2" | "和棋" | "和局" | "和" | "红先和" | "先和" | "先手和" | "平局" | "双方和" | "draw"
            | "drawn" | "hòa" | "hoà" => Some(GameResult::Draw),
            _ => None,
        }
    }

    /// Returns whether a result in words is that of the side that moves first, which [`GameResult::from_text`] takes
    /// for Red: 胜 or 负 alone.
    pub(super) fn names_no_side(text: &str) -> bool {
        ["胜", "勝", "负", "負"].contains(&text.trim().trim_end_matches(['。', '！', '!', ' ']))
    }

    /// Returns the result of a game that this side won.
    pub const fn win_of(side: Side) -> GameResult {
        match side {
            Side::Red => GameResult::RedWins,
            Side::Black => GameResult::BlackWins,
        }
    }

    /// Returns the score of a side: 1 for a win, ½ for a draw, 0 for a loss; `None` if unknown.
    ///
    /// ```
    /// use chuhe::notation::game::GameResult;
    /// use chuhe::types::Side;
    /// assert_eq!(GameResult::BlackWins.points(Side::Black), Some(1.0));
    /// assert_eq!(GameResult::Draw.points(Side::Red), Some(0.5));
    /// ```
    pub fn points(self, side: Side) -> Option<f64> {
        match self {
            GameResult::Unknown => None,
            GameResult::Draw => Some(0.5),
            win => Some(if win == GameResult::win_of(side) { 1.0 } else { 0.0 }),
        }
    }

    /// Returns the result in PGN form.
    pub const fn text(self) -> &'static str {
        match self {
            GameResult::RedWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Returns whether the value of a tag says anything.
pub(crate) fn is_known(value: &str) -> bool {
    !["", "?"].contains(&value.trim())
}

/// Returns the first 40 characters of a text for a message, with control characters replaced.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Trims the lines of a comment and removes empty lines at both ends.
pub(super) fn tidy_comment(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let lines: Vec<&str> = text.split(['\n', '\r']).map(str::trim).collect();
    let Some(first) = lines.iter().position(|line| !line.is_empty()) else { return String::new() };
    let last = lines.iter().rposition(|line| !line.is_empty()).unwrap_or(first);
    lines[first..=last].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_in_words() {
        for (result, texts) in [
            (
                GameResult::RedWins,
                "1-0 1:0 1–0 Đỏ\u{a0}thắng 胜 红胜 红方胜！ 紅先勝 先胜 黑负 red\u{a0}wins 1-0(认输)",
            ),
            (GameResult::BlackWins, "0-1 0:1 ĐEN\u{a0}THẮNG 負。 後胜 黑胜 黑方胜。 紅負 先负 後手勝 0-1（超时）"),
            (GameResult::Draw, "1/2-1/2 Hòa hoà ½-½ 和棋 先和 平局 雙方和 Draw"),
            (GameResult::Unknown, "* 不明"),
        ] {
            for text in texts.split(' ') {
                assert_eq!(GameResult::from_text(&text.replace('\u{a0}', " ")), Some(result), "{text}");
            }
        }
        for text in ["", "1", "1.", "2-0", "1-1", "后炮平四", "平", "b2e2", "red", "红", "(1-0)", "10", "0"] {
            assert_eq!(GameResult::from_text(text), None, "{text}");
        }
    }
}
