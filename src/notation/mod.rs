//! Notations of moves and formats of game files.
//!
//! Moves are written as coordinates, in Chinese by piece, file, direction and number, and in Latin letters in the same
//! way (WXF and Vietnamese). All but coordinates describe a move from the mover's perspective and depend on the other
//! pieces of its kind, so formatting and parsing need the position. Game files are read and written by [`mod@format`],
//! with their variations, positions with operations and openings by [`openings`].
//!
//! Files are counted from the mover's right, 1 to 9. The four signs of a move are piece, file, direction and number;
//! the number is the target file, or the distance if the piece stays on its file. Of two or more pieces of a kind on
//! one file (tandem pieces; not kings, advisors and elephants, which the direction distinguishes), the index among them
//! replaces the file. The dialects differ in its form:
//!
//! | | [`Dialect::Chinese`] | [`Dialect::ChineseCxa`] | [`Dialect::Wxf`] | [`Dialect::WxfOfficial`] | [`Dialect::WxfFairy`] |
//! |---|---|---|---|---|---|
//! | two on one file | 前兵 后兵 | 前兵 后兵 | `P+` `P-` | `P+` `P-` | `P+` `P-` |
//! | three on file 5 | 前兵 中兵 后兵 | 前兵 中兵 后兵 | `P+` `P.` `P-` | `P+` `P5` `P-` | `15` `25` `35` |
//! | four on file 5 | 一兵 二兵 三兵 四兵 | 前兵 二兵 三兵 后兵 | `Pa` `Pb` `Pc` `Pd` | `++` `P+` `P-` `--` | `15` … `45` |
//! | five on file 5 | 一兵 … 五兵 | 前兵 二兵 三兵 四兵 后兵 | `Pa` … `Pe` | `++` `P+` `P5` `P-` `--` | `15` … `55` |
//! | two on file 3, two on file 7 | 一兵 二兵, 三兵 四兵 | 前兵三 后兵三, 前兵七 后兵七 | `Pa` `Pb`, `Pc` `Pd` | `3+` `3-`, `7+` `7-` | `13` `23`, `17` `27` |
//! | three on file 7 beside them | 三兵 四兵 五兵 | 前兵七 中兵七 后兵七 | `Pc` `Pd` `Pe` | `7+` `77` `7-` | `17` `27` `37` |
//!
//! [`Dialect::Vietnamese`] has letters of its own: see `vietnamese.rs`.
//!
//! # Guarantees
//!
//! In every dialect, no two legal moves of a position have the same notation, not even in composed problems with
//! surplus pieces: if a dialect has no form for a move (a fourth rook on a file in `WxfOfficial`, say), coordinates are
//! used. [`read_in`] always inverts [`write()`] in the same dialect.
//!
//! [`read`] does the same for an unknown dialect, with one exception. The Chinese dialects never contradict each other,
//! nor does `Wxf` contradict the other Latin ones; but with three pawns on file 1 or 3 and two or more on another, `11`
//! and `33` are the middle one of the three in `WxfOfficial`, and the first and the last one in `WxfFairy`.
//! `WxfOfficial` is older and takes precedence. So does every other dialect before `Vietnamese`, in which `P2.3` is a
//! cannon (pháo) that moves forward, and `C2.3` a pawn (chốt). In a list of moves the whole list decides.

pub mod format;
pub mod game;
pub mod opening_name;
pub mod openings;

mod binary;
mod described;
mod dhtmlxq;
mod move_list;
mod nodes;
mod pgn;
mod pgn_moves;
mod pgn_text;
mod read;
#[doc(hidden)]
pub mod text_encoding;
mod turns;
mod vietnamese;

#[doc(hidden)]
pub use move_list::after_position_words;

use std::fmt;

use crate::position::Position;
use crate::types::Move;

use described::{MoveParts, write_described};
pub use read::{NotationError, NotationFault, read, read_in};

/// Notation of moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Dialect {
    /// Coordinates as in protocols, `h2e2`.
    #[default]
    Coordinate,
    /// Coordinates with a dash, `H2-E2`.
    Iccs,
    /// Chinese, 炮二平五, always four signs; the usual form in books and programs today.
    Chinese,
    /// Chinese with the older forms for tandem pawns, 前兵七平八.
    ChineseCxa,
    /// Latin transcription of [`Dialect::Chinese`], `C2.5`, with `N` and `B` for horse and elephant.
    Wxf,
    /// Latin notation of the World Xiangqi Federation, with `H` and `E`.
    WxfOfficial,
    /// Latin notation of Fairy-Stockfish and the world rules of 2018, `C2=5`.
    WxfFairy,
    /// Vietnamese symbols, `P2-5`.
    Vietnamese,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Dialect; 8] = [
        Dialect::Coordinate,
        Dialect::Iccs,
        Dialect::Chinese,
        Dialect::ChineseCxa,
        Dialect::Wxf,
        Dialect::WxfOfficial,
        Dialect::WxfFairy,
        Dialect::Vietnamese,
    ];

    /// Names of all dialects: in options and as JSON keys, and in the tag `Format` of PGN.
    const NAMES: [(&'static str, &'static str); Dialect::ALL.len()] = [
        ("coordinate", "Coordinate"),
        ("iccs", "ICCS"),
        ("chinese", "Chinese"),
        ("chinese_cxa", "Chinese"),
        ("wxf", "WXF"),
        // These two contradict each other in a few positions, so the reader needs the name.
        ("wxf_official", "WXF-Official"),
        ("wxf_fairy", "WXF-Fairy"),
        ("vietnamese", "Vietnamese"),
    ];

    /// Name used in options and as JSON key.
    pub const fn name(self) -> &'static str {
        Dialect::NAMES[self as usize].0
    }

    /// Returns the dialect with this name, in upper or lower case.
    pub fn from_name(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Formats a legal move of `position`.
///
/// An illegal move is formatted as if its piece could make it, or as coordinates if no piece of the side to move is on
/// the from square.
///
/// ```
/// use chuhe::notation::{Dialect, write};
/// use chuhe::position::Position;
///
/// let position = Position::start();
/// let mv = "h2e2".parse().unwrap();
/// assert_eq!(write(&position, mv, Dialect::Chinese), "炮二平五");
/// assert_eq!(write(&position, mv, Dialect::Wxf), "C2.5");
/// assert_eq!(write(&position, mv, Dialect::Iccs), "H2-E2");
/// ```
pub fn write(position: &Position, mv: Move, dialect: Dialect) -> String {
    let text = match dialect {
        Dialect::Coordinate => None,
        Dialect::Iccs => Some(format!("{}-{}", mv.from(), mv.to()).to_ascii_uppercase()),
        _ => MoveParts::new(position, mv).and_then(|parts| write_described(&parts, dialect)),
    };
    text.unwrap_or_else(|| mv.to_string())
}

/// Formats a line from `position`, each move in its own position. Stops before the first illegal move.
pub fn write_line(position: &Position, moves: &[Move], dialect: Dialect) -> Vec<String> {
    let mut position = position.clone();
    let word = |&mv: &Move| {
        let word = position.can_play(mv).then(|| write(&position, mv, dialect))?;
        position.make(mv);
        Some(word)
    };
    moves.iter().map_while(word).collect()
}
