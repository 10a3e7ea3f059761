//! A game as it stands in a file: who played, from where, which moves, with what result.
//!
//! Answers what every format has in common, and what can be wrong with a game in a file. How the formats look is not
//! its business.

use std::fmt;
use std::io;

use thiserror::Error;

use crate::position::{FenError, Position};
use crate::types::{Move, Side};

/// The most plies a game in a file may have; a longer one is refused, so that no file can exhaust the memory.
pub const MOST_PLIES: usize = 10_000;
/// The most bytes of text that the tags and comments of one game may have together.
pub const MOST_TEXT: usize = 4 << 20;

/// A game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Game {
    /// What is known about the game, by the tag names of PGN such as `Event` and `Red`, in the order of the file.
    /// Start, result and notation are no tags here.
    pub tags: Vec<(String, String)>,
    /// The position before the first move, without a history.
    pub start: Position,
    /// What is said before the first move.
    pub comment: String,
    /// The moves, all legal.
    pub moves: Vec<GameMove>,
    /// How the game ended.
    pub result: GameResult,
    /// How many side lines of the file were left out.
    pub left_out_lines: usize,
}

/// A move of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameMove {
    /// The move.
    pub mv: Move,
    /// What is said after it.
    pub comment: String,
}

impl Game {
    /// The value of a tag; the first one if there are several of that name.
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

    /// The moves without what is said about them.
    pub fn line(&self) -> Vec<Move> {
        self.moves.iter().map(|played| played.mv).collect()
    }

    /// The position after the last move, with the whole game as its history.
    pub fn end(&self) -> Position {
        let mut position = self.start.clone();
        self.moves.iter().for_each(|played| position.make(played.mv));
        position
    }

    /// Adds a tag unless its value is empty or a tag of that name is there.
    pub(super) fn add_tag(&mut self, name: &str, value: &str) {
        if !value.is_empty() && self.tag(name).is_none() {
            self.tags.push((name.to_owned(), value.to_owned()));
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum GameResult {
    /// Red won: `1-0`.
    RedWins,
    /// Black won: `0-1`.
    BlackWins,
    /// Nobody won: `1/2-1/2`.
    Draw,
    /// Nobody knows, or the game is not over: `*`.
    #[default]
    Unknown,
}

impl GameResult {
    /// Reads a result, as PGN writes it or in Chinese.
    ///
    /// ```
    /// use chuhe::notation::game::GameResult;
    /// assert_eq!(GameResult::from_text("1-0"), Some(GameResult::RedWins));
    /// assert_eq!(GameResult::from_text("和棋"), Some(GameResult::Draw));
    /// assert_eq!(GameResult::from_text("2-0"), None);
    /// ```
    pub fn from_text(text: &str) -> Option<GameResult> {
        match text.trim() {
            "1-0" | "红胜" | "红先胜" | "紅勝" | "紅先勝" => Some(GameResult::RedWins),
            "0-1" | "黑胜" | "红先负" | "黑勝" | "紅先負" => Some(GameResult::BlackWins),
            "1/2-1/2" | "1/2" | "½-½" | "0.5-0.5" | "和棋" | "和局" | "和" | "红先和" | "紅先和" => {
                Some(GameResult::Draw)
            }
            "*" | "不明" | "未知" => Some(GameResult::Unknown),
            _ => None,
        }
    }

    /// The result of a game that this side won.
    pub const fn win_of(side: Side) -> GameResult {
        match side {
            Side::Red => GameResult::RedWins,
            Side::Black => GameResult::BlackWins,
        }
    }

    /// What the game was worth for a side: 1 for a win, ½ for a draw, 0 for a loss; `None` when nobody knows.
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
            decided => Some(if decided == GameResult::win_of(side) { 1.0 } else { 0.0 }),
        }
    }

    /// The result as PGN writes it.
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

/// Why a game of a file cannot be read, and where the fault is.
#[derive(Debug, Error)]
#[error("{place}: {fault}")]
pub struct GameError {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub fault: GameFault,
}

impl GameError {
    /// A fault in a line.
    pub(super) fn in_line(number: u64, fault: impl Into<GameFault>) -> GameError {
        GameError { place: Place::Line(number), fault: fault.into() }
    }

    /// A fault at a byte.
    pub(super) fn at_byte(offset: usize, fault: impl Into<GameFault>) -> GameError {
        GameError { place: Place::Byte(offset as u64), fault: fault.into() }
    }

    /// Whether the file itself failed, not only a game in it: nothing more can be read.
    pub fn ends_the_file(&self) -> bool {
        matches!(self.fault, GameFault::Unreadable(_))
    }
}

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A line, 1 for the first.
    Line(u64),
    /// A byte, 0 for the first.
    Byte(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(number) => write!(f, "line {number}"),
            Place::Byte(offset) => write!(f, "byte {offset}"),
        }
    }
}

/// What is wrong with a game in a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GameFault {
    /// The file cannot be read any further.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// The game starts from something that is no position.
    #[error("invalid position: {0}")]
    Position(#[from] FenError),
    /// A move that cannot be read or played.
    #[error("ply {ply}: {reason}")]
    Move {
        /// Which move of the game, 1 for the first.
        ply: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A result that is none.
    #[error("'{0}' is no result (1-0, 0-1, 1/2-1/2 or *)")]
    Result(String),
    /// More of something than any game needs.
    #[error("more than {most} {what}")]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// How much may be.
        most: usize,
    },
    /// The file ends within the game.
    #[error("the file ends within {0}")]
    CutOff(&'static str),
    /// Something else that the format does not allow.
    #[error("{0}")]
    Malformed(String),
}

impl GameFault {
    /// A fault of a move, with nothing in it that a terminal would obey.
    pub(super) fn in_move(ply: usize, reason: &impl fmt::Display) -> GameFault {
        let plain = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
        GameFault::Move { ply, reason: reason.to_string().chars().map(plain).collect() }
    }

    /// A few words that are the same for all faults of a kind, to count them by.
    pub fn kind(&self) -> &'static str {
        match self {
            GameFault::Unreadable(_) => "the file cannot be read",
            GameFault::Position(_) => "invalid position",
            GameFault::Move { .. } => "invalid move",
            GameFault::Result(_) => "invalid result",
            GameFault::TooMuch { .. } => "too long",
            GameFault::CutOff(_) => "cut off",
            GameFault::Malformed(_) => "malformed",
        }
    }
}

/// The first characters of a text of unknown length, for a message; control characters are shown as such.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// A comment without space around its lines and without empty lines around the whole.
pub(super) fn tidy_comment(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let lines: Vec<&str> = text.split(['\n', '\r']).map(str::trim).collect();
    let Some(first) = lines.iter().position(|line| !line.is_empty()) else { return String::new() };
    let last = lines.iter().rposition(|line| !line.is_empty()).unwrap_or(first);
    lines[first..=last].join("\n")
}
