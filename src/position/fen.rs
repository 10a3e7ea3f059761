//! Reading and writing FEN.

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

use super::{LIST_SIZE, Position, Strictness, ValidityError};
use crate::types::{Piece, Side, Square};

/// Maximum plies since a capture in a FEN, as in other programs. More are possible, since the natural move limit leaves
/// out some checks; they are written as this number.
const MAX_PLIES_SINCE_CAPTURE: usize = 119;
/// Maximum move number; larger ones are reduced to this.
const MAX_MOVE_NUMBER: usize = 100_000;

/// Error of a text that is not a position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum FenError {
    /// An empty text.
    #[error("the FEN is empty")]
    Empty,
    /// Not ten ranks.
    #[error("the board has {count} ranks instead of 10")]
    RankCount {
        /// Ranks found; counting stops at 11.
        count: usize,
    },
    /// A rank without nine files.
    #[error("rank {rank} has {count} files instead of 9")]
    FileCount {
        /// The rank, 9 to 0.
        rank: u8,
        /// Files found; counting stops when there are too many.
        count: usize,
    },
    /// An unknown letter.
    #[error("rank {rank}, file {}: '{letter}' is not a piece letter (KABNRCP, E, H) or a number of empty squares (1-9)",
        (b'a' + file) as char)]
    UnknownLetter {
        /// The letter.
        letter: char,
        /// The rank, 9 to 0.
        rank: u8,
        /// The file, 0 to 8.
        file: u8,
    },
    /// An unknown word in the place of the side to move.
    #[error("'{0}' is not a side to move (w, r or b)")]
    UnknownSide(String),
    /// More equal pieces than any position may have.
    #[error("more than {LIST_SIZE} pieces '{letter}' (rank {rank}, file {})", (b'a' + file) as char)]
    Overfull {
        /// Letter of the piece.
        letter: char,
        /// Rank of the first surplus piece, 9 to 0.
        rank: u8,
        /// Its file, 0 to 8.
        file: u8,
    },
    /// Pieces that are not a valid position.
    #[error(transparent)]
    Invalid(#[from] ValidityError),
}

/// Unreadable field after the board, replaced by its default or the nearest value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FenWarning {
    /// Missing side to move: Red is assumed.
    MissingSide,
    /// Plies since a capture out of range, for which the nearest number is assumed, or not a number: 0 is assumed.
    InvalidPliesSinceCapture(String),
    /// Invalid move number: 1 is assumed.
    InvalidMoveNumber(String),
}

impl fmt::Display for FenWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FenWarning::MissingSide => f.write_str("the FEN has no side to move, Red is assumed"),
            FenWarning::InvalidPliesSinceCapture(text) => write!(
                f,
                "'{text}' is not a number of plies since a capture (0 to {MAX_PLIES_SINCE_CAPTURE}), {} is assumed",
                nearest_plies(text)
            ),
            FenWarning::InvalidMoveNumber(text) => write!(f, "'{text}' is not a move number, 1 is assumed"),
        }
    }
}

/// Position read from a FEN, with warnings.
#[derive(Clone, Debug)]
pub struct ParsedFen {
    /// The position.
    pub position: Position,
    /// Fields that were replaced by their defaults.
    pub warnings: Vec<FenWarning>,
}

impl Position {
    /// Reads a FEN with [`Strictness::Strict`], ignoring warnings.
    ///
    /// # Errors
    /// [`FenError`] names the first fault, with rank and file where it has one.
    ///
    /// ```
    /// use chuhe::position::Position;
    /// let position = Position::from_fen("3ak4/9/9/9/9/9/9/9/4A4/4K4 b").unwrap();
    /// assert_eq!(position.to_string(), "3ak4/9/9/9/9/9/9/9/4A4/4K4 b - - 0 1");
    /// let error = Position::from_fen("3ak4/9/9/9/9x/9/9/9/4A4/4K4 b").unwrap_err();
    /// assert_eq!(error.to_string(), "rank 5 has 10 files instead of 9");
    /// ```
    pub fn from_fen(fen: &str) -> Result<Position, FenError> {
        Position::parse_fen(fen, Strictness::Strict).map(|parsed| parsed.position)
    }

    /// Reads a FEN. Fields after the side to move may be missing or unreadable, and the side missing; they are replaced
    /// by defaults with a warning. Addresses of web pages have `_`, `+` or `%20` for blanks and `%2F` for slashes.
    ///
    /// # Errors
    /// [`FenError`] names the first fault, with rank and file where it has one.
    pub fn parse_fen(fen: &str, strictness: Strictness) -> Result<ParsedFen, FenError> {
        let fen = decode_address(fen);
        let mut words = fen.split_whitespace();
        let mut position = read_board(words.next().ok_or(FenError::Empty)?)?;
        let mut warnings = Vec::new();
        let side = match words.next() {
            Some(word) => side_from_word(word).ok_or_else(|| FenError::UnknownSide(shortened(word)))?,
            None => {
                warnings.push(FenWarning::MissingSide);
                Side::Red
            }
        };
        // Two unused fields, written as dashes; some programs write them as one word.
        let mut counters = words.filter(|word| !word.bytes().all(|byte| byte == b'-'));
        let (mut plies_since_capture, mut move_number) = (0, 1);
        if let Some(text) = counters.next() {
            match text.parse() {
                Ok(plies) if plies <= MAX_PLIES_SINCE_CAPTURE => plies_since_capture = plies,
                _ => {
                    plies_since_capture = nearest_plies(text);
                    warnings.push(FenWarning::InvalidPliesSinceCapture(shortened(text)));
                }
            }
        }
        if let Some(text) = counters.next() {
            if text.bytes().all(|byte| byte.is_ascii_digit()) {
                move_number = text.parse().unwrap_or(MAX_MOVE_NUMBER).clamp(1, MAX_MOVE_NUMBER);
            } else {
                warnings.push(FenWarning::InvalidMoveNumber(shortened(text)));
            }
        }
        position.set_counters(side, plies_since_capture, move_number);
        position.validate(strictness)?;
        Ok(ParsedFen { position, warnings })
    }

    /// Returns the board field of the FEN.
    pub fn board_text(&self) -> String {
        board_text(|square| self.piece_on(square))
    }
}

/// Returns the side that a word of a FEN names.
pub(crate) fn side_from_word(word: &str) -> Option<Side> {
    let is = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(word));
    match () {
        _ if is(&["w", "r", "white", "red", "红", "紅"]) => Some(Side::Red),
        _ if is(&["b", "black", "黑"]) => Some(Side::Black),
        _ => None,
    }
}

/// Replaces the signs that stand for blanks and slashes in addresses, which a FEN does not have.
pub(crate) fn decode_address(fen: &str) -> Cow<'_, str> {
    if !fen.contains(['_', '+', '%']) {
        return Cow::Borrowed(fen);
    }
    Cow::Owned(fen.replace(['_', '+'], " ").replace("%20", " ").replace("%2F", "/").replace("%2f", "/"))
}

/// Returns the board field of a FEN with these pieces, which need not be a valid position.
pub fn board_text(piece_on: impl Fn(Square) -> Option<Piece>) -> String {
    let mut text = String::with_capacity(90);
    for rank in (0..Square::RANKS).rev() {
        let mut empty = 0;
        for file in 0..Square::FILES {
            match piece_on(Square::new(file, rank)) {
                None => empty += 1,
                Some(piece) => {
                    if empty > 0 {
                        text.push((b'0' + empty) as char);
                        empty = 0;
                    }
                    text.push(piece.letter());
                }
            }
        }
        if empty > 0 {
            text.push((b'0' + empty) as char);
        }
        if rank > 0 {
            text.push('/');
        }
    }
    text
}

impl fmt::Display for Position {
    /// Writes the position as FEN, which [`Position::parse_fen`] reads. More than 119 plies since a capture become 119.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.side == Side::Red { 'w' } else { 'b' };
        let plies = self.plies_since_capture().min(MAX_PLIES_SINCE_CAPTURE);
        write!(f, "{} {side} - - {plies} {}", self.board_text(), self.move_number())
    }
}

/// Returns the valid number of plies since a capture that is nearest to a number out of range, 0 for any other text.
fn nearest_plies(text: &str) -> usize {
    let is_large = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_large { MAX_PLIES_SINCE_CAPTURE } else { 0 }
}

fn shortened(text: &str) -> String {
    text.chars().take(20).collect()
}

fn read_board(text: &str) -> Result<Position, FenError> {
    let count = text.split('/').take(Square::RANKS as usize + 1).count();
    let mut position = Position::empty();
    for (row, rank_text) in text.split('/').enumerate().take(Square::RANKS as usize) {
        let rank = Square::RANKS - 1 - row as u8;
        let mut file = 0u8;
        for letter in rank_text.chars() {
            if file >= Square::FILES {
                return Err(FenError::FileCount { rank, count: file as usize + 1 });
            }
            if let Some(empty) = letter.to_digit(10).filter(|&digit| digit > 0) {
                file += empty as u8;
                continue;
            }
            let piece = Piece::from_letter(letter).ok_or(FenError::UnknownLetter { letter, rank, file })?;
            if position.count(piece) == LIST_SIZE {
                return Err(FenError::Overfull { letter, rank, file });
            }
            position.put(piece, Square::new(file, rank));
            file += 1;
        }
        if file != Square::FILES {
            return Err(FenError::FileCount { rank, count: file as usize });
        }
    }
    if count != Square::RANKS as usize {
        return Err(FenError::RankCount { count });
    }
    Ok(position)
}
