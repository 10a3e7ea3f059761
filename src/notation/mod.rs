//! How moves and games are written, and what a written move means.
//!
//! Players have written moves in many ways: by the two points of the board, in Chinese by man, file, way and number,
//! and in Latin letters the same way (WXF). All but the first describe a move from the mover's seat and lean on where
//! the other men of its kind stand, so writing and reading need the position. What a move is worth, and whether a game
//! goes on, is not asked here. Files of games are read and written in [`mod@format`], positions with remarks in
//! [`epd`].
//!
//! Files are counted from the mover's own right hand, 1 to 9. The four signs of a move are man, file, way and number;
//! the number is the file a man arrives on, or how many points a man that keeps to its file moves. Of two or more men
//! of a kind on one file — kings, advisors and elephants left aside, whose way tells them apart — the place among them
//! is named instead of the file. How, is where the dialects differ:
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
//! # What is promised
//!
//! In every dialect no two legal moves of a position are written alike, in composed problems with surplus men too:
//! where a dialect has no words for a move there (a fourth rook on a file in `WxfOfficial`, say), its coordinates stand
//! instead. [`read_in`] takes what [`write()`] wrote in the same dialect back to the move, always.
//!
//! [`read`] does so without being told the dialect, with one exception. The Chinese dialects never contradict each
//! other, nor does `Wxf` contradict those in Latin letters; but with three pawns on file 1 or 3 and two or more on
//! another, `11` and `33` are the middle one of the three in `WxfOfficial`, and the first and the last one in
//! `WxfFairy`. `WxfOfficial` is the elder and wins.

pub mod epd;
pub mod format;
pub mod game;
pub mod openings;

mod chinese;
mod coordinate;
mod dhtmlxq;
mod error;
mod move_list;
mod move_parts;
mod pgn;
mod pgn_moves;
mod pgn_text;
mod piece_list;
mod read;
pub(crate) mod text_encoding;
mod wxf;
mod xqf;

use std::fmt;

use crate::position::Position;
use crate::types::Move;

pub use error::{Candidate, NotationError, NotationFault};
use move_parts::MoveParts;
pub use read::{read, read_in};
#[cfg(feature = "tools")]
pub(crate) use text_encoding::{TextLines, next_record};

/// A way to write moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Dialect {
    /// The two points, `h2e2`: what protocols speak.
    #[default]
    Coordinate,
    /// The two points with a dash, `H2-E2`.
    Iccs,
    /// Chinese, 炮二平五, always four signs; the usual form in books and programs today.
    Chinese,
    /// Chinese with the older names for crowded pawns, 前兵七平八.
    ChineseCxa,
    /// Latin letters sign by sign for [`Dialect::Chinese`], `C2.5`, with `N` and `B` for horse and elephant.
    Wxf,
    /// Latin letters as the World Xiangqi Federation publishes them, with `H` and `E`.
    WxfOfficial,
    /// Latin letters as Fairy-Stockfish and the world rules of 2018 have them, `C2=5`.
    WxfFairy,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Dialect; 7] = [
        Dialect::Coordinate,
        Dialect::Iccs,
        Dialect::Chinese,
        Dialect::ChineseCxa,
        Dialect::Wxf,
        Dialect::WxfOfficial,
        Dialect::WxfFairy,
    ];

    /// The name that options and JSON keys use.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Coordinate => "coordinate",
            Dialect::Iccs => "iccs",
            Dialect::Chinese => "chinese",
            Dialect::ChineseCxa => "chinese_cxa",
            Dialect::Wxf => "wxf",
            Dialect::WxfOfficial => "wxf_official",
            Dialect::WxfFairy => "wxf_fairy",
        }
    }

    /// The dialect of this name, upper or lower case.
    ///
    /// ```
    /// use chuhe::notation::Dialect;
    /// assert_eq!(Dialect::from_name("WXF"), Some(Dialect::Wxf));
    /// assert_eq!(Dialect::from_name("latin"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A legal move of `position` in a dialect.
///
/// Any other move is described as if its man could make it, and by its coordinates where no man of the side to move
/// stands.
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
    let signs = || MoveParts::of(position, mv);
    let words = match dialect {
        Dialect::Coordinate => None,
        Dialect::Iccs => return coordinate::write_iccs(mv),
        Dialect::Chinese | Dialect::ChineseCxa => signs().and_then(|signs| chinese::write(&signs, dialect)),
        Dialect::Wxf | Dialect::WxfOfficial | Dialect::WxfFairy => {
            signs().and_then(|signs| wxf::write(&signs, dialect))
        }
    };
    words.unwrap_or_else(|| mv.to_string())
}

/// A line of play from `position`, each move in the words of the position it is played in. A move that is not legal
/// there ends the line before it.
///
/// ```
/// use chuhe::notation::{Dialect, write_line};
/// use chuhe::position::Position;
///
/// let line = ["h2e2", "h9g7"].map(|text| text.parse().unwrap());
/// assert_eq!(write_line(&Position::start(), &line, Dialect::Chinese), ["炮二平五", "马８进７"]);
/// ```
pub fn write_line(position: &Position, moves: &[Move], dialect: Dialect) -> Vec<String> {
    let mut position = position.clone();
    let mut words = Vec::with_capacity(moves.len());
    for &mv in moves {
        if !position.can_play(mv) {
            break;
        }
        words.push(write(&position, mv, dialect));
        position.make(mv);
    }
    words
}
