//! Reading and writing FEN, and validity of positions.

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

use super::{LIST_SIZE, Position};
use crate::tables::geometry;
use crate::tables::lines::Line;
use crate::types::{Piece, PieceKind, Side, Square};

/// Maximum plies since a capture in a FEN, as in other programs. Where some checks are left out, more are possible, and
/// are written as this number.
const MAX_PLIES_SINCE_CAPTURE: usize = 119;
const MAX_MOVE_NUMBER: usize = 100_000;

/// Maximum pieces of a side when surplus pieces are allowed; keeps move lists within [`crate::types::MAX_MOVES`].
const MAX_PIECES_OF_A_SIDE: usize = 30;

/// Positions that are accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strictness {
    /// Positions of a game: no more pieces of a kind than at the start, at most one uncrossed pawn of a side per file.
    #[default]
    Strict,
    /// Composed problems too: surplus pieces (at most 16 of a kind and 30 of a side) and doubled uncrossed pawns.
    Lax,
}

/// Reason why a text or some pieces are not a position, in one sentence with rank and file where it has one.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct FenError(String);

/// Position read from a FEN, with warnings.
#[derive(Clone, Debug)]
pub struct ParsedFen {
    /// The position.
    pub position: Position,
    /// A sentence for each field after the board that was replaced by its default or the nearest value.
    pub warnings: Vec<String>,
}

impl Position {
    /// Reads a FEN with [`Strictness::Strict`], ignoring warnings.
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
    pub fn parse_fen(fen: &str, strictness: Strictness) -> Result<ParsedFen, FenError> {
        let fen = decode_address(fen);
        let mut words = fen.split_whitespace();
        let board = words.next().ok_or_else(|| FenError("the FEN is empty".to_owned()))?;
        let mut position = read_board(board).map_err(FenError)?;
        let mut warnings = Vec::new();
        let side = match words.next() {
            Some(word) => side_from_word(word)
                .ok_or_else(|| FenError(format!("'{word:.20}' is not a side to move (w, r or b)")))?,
            None => {
                warnings.push("the FEN has no side to move, Red is assumed".to_owned());
                Side::Red
            }
        };
        // Two unused fields, written as dashes; some programs write them as one word.
        let mut counters = words.filter(|word| !word.bytes().all(|byte| byte == b'-'));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let (mut plies_since_capture, mut move_number) = (0, 1);
        if let Some(text) = counters.next() {
            match text.parse() {
                Ok(plies) if plies <= MAX_PLIES_SINCE_CAPTURE => plies_since_capture = plies,
                _ => {
                    plies_since_capture = if is_number(text) { MAX_PLIES_SINCE_CAPTURE } else { 0 };
                    warnings.push(format!(
                        "'{text:.20}' is not a number of plies since a capture (0 to {MAX_PLIES_SINCE_CAPTURE}), \
                         {plies_since_capture} is assumed"
                    ));
                }
            }
        }
        if let Some(text) = counters.next() {
            if is_number(text) {
                move_number = text.parse().unwrap_or(MAX_MOVE_NUMBER).clamp(1, MAX_MOVE_NUMBER);
            } else {
                warnings.push(format!("'{text:.20}' is not a move number, 1 is assumed"));
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
    let letter = |square| piece_on(square).map_or('1', Piece::letter);
    let rank = |rank| (0..Square::FILES).map(|file| letter(Square::new(file, rank))).collect();
    let ranks: Vec<String> = (0..Square::RANKS).rev().map(rank).collect();
    let runs = (2..=9).rev().map(|run: usize| ("1".repeat(run), run.to_string()));
    runs.fold(ranks.join("/"), |text, (ones, run)| text.replace(&ones, &run))
}

impl fmt::Display for Position {
    /// Writes the position as FEN, which [`Position::parse_fen`] reads. More than 119 plies since a capture become 119.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.side == Side::Red { 'w' } else { 'b' };
        let plies = self.plies_since_capture().min(MAX_PLIES_SINCE_CAPTURE);
        write!(f, "{} {side} - - {plies} {}", self.board_text(), self.move_number())
    }
}

fn file_letter(file: u8) -> char {
    (b'a' + file) as char
}

fn read_board(text: &str) -> Result<Position, String> {
    const RANKS: usize = Square::RANKS as usize;
    let mut position = Position::empty();
    for (rank, rank_text) in (0..Square::RANKS).rev().zip(text.split('/')) {
        let mut file = 0;
        for letter in rank_text.chars() {
            if file >= Square::FILES {
                file += 1;
                break;
            }
            if let Some(empty) = letter.to_digit(10).filter(|&digit| digit > 0) {
                file += empty as u8;
                continue;
            }
            let name = file_letter(file);
            let piece = Piece::from_letter(letter).ok_or_else(|| {
                let expected = "is not a piece letter (KABNRCP, E, H) or a number of empty squares (1-9)";
                format!("rank {rank}, file {name}: '{letter}' {expected}")
            })?;
            if position.count(piece) == LIST_SIZE {
                return Err(format!("more than {LIST_SIZE} pieces '{letter}' (rank {rank}, file {name})"));
            }
            position.put(piece, Square::new(file, rank));
            file += 1;
        }
        if file != Square::FILES {
            return Err(format!("rank {rank} has {file} files instead of {}", Square::FILES));
        }
    }
    let count = text.split('/').take(RANKS + 1).count();
    if count != RANKS { Err(format!("the board has {count} ranks instead of {RANKS}")) } else { Ok(position) }
}

impl Position {
    /// Returns the position with these pieces and this side to move, without history.
    pub fn from_board(
        piece_on: impl Fn(Square) -> Option<Piece>,
        side: Side,
        strictness: Strictness,
    ) -> Result<Position, FenError> {
        let mut position = Position::empty();
        for square in Square::all() {
            let Some(piece) = piece_on(square) else { continue };
            if position.count(piece) == LIST_SIZE {
                return Err(too_many(piece, LIST_SIZE + 1, LIST_SIZE));
            }
            position.put(piece, square);
        }
        position.set_counters(side, 0, 1);
        position.validate(strictness)?;
        Ok(position)
    }

    fn validate(&self, strictness: Strictness) -> Result<(), FenError> {
        let is_strict = strictness == Strictness::Strict;
        let misplaced = |kings: bool| {
            let mut pieces = self.pieces().filter(|(piece, _)| !kings || piece.kind() == PieceKind::King);
            pieces.find(|&(piece, square)| !geometry::may_stand(piece, square)).map_or(Ok(()), |(piece, square)| {
                let (owner, name) = (piece.side(), piece.kind().name());
                let (file, rank) = (file_letter(square.file()), square.rank());
                fault(format!("{owner}'s {name} cannot be on {square} (file {file}, rank {rank})"))
            })
        };
        for side in Side::BOTH {
            let count = self.count(Piece::new(side, PieceKind::King));
            if count != 1 {
                return fault(format!("{side} has {count} kings instead of one"));
            }
        }
        misplaced(true)?;
        for side in Side::BOTH {
            let mut total = 0;
            for piece in PieceKind::ALL.map(|kind| Piece::new(side, kind)) {
                let max = if is_strict { piece.kind().initial_count() } else { LIST_SIZE };
                let count = self.count(piece);
                if count > max {
                    return Err(too_many(piece, count, max));
                }
                total += count;
            }
            if total > MAX_PIECES_OF_A_SIDE {
                return fault(format!("{side} has {total} pieces, at most {MAX_PIECES_OF_A_SIDE} are allowed"));
            }
        }
        misplaced(false)?;
        for side in Side::BOTH.into_iter().filter(|_| is_strict) {
            let mut seen = [false; Square::FILES as usize];
            for &square in self.squares(Piece::new(side, PieceKind::Pawn)) {
                let file = square.file();
                if !geometry::has_crossed(side, square) && std::mem::replace(&mut seen[file as usize], true) {
                    return fault(format!("{side} has two uncrossed pawns on file {}", file_letter(file)));
                }
            }
        }
        let (red_king, black_king) = (self.king(Side::Red), self.king(Side::Black));
        let line = Line::new(red_king, black_king, self.rank_occupancy(red_king), self.file_occupancy(red_king));
        if line.is_some_and(|line| line.screens() == 0) {
            return fault(format!("the kings face each other on file {}", file_letter(red_king.file())));
        }
        if self.is_checked(!self.side) {
            return fault(format!("{} is in check but it is not its turn", !self.side));
        }
        Ok(())
    }
}

fn fault(text: String) -> Result<(), FenError> {
    Err(FenError(text))
}

fn too_many(piece: Piece, count: usize, max: usize) -> FenError {
    FenError(format!("{} has {count} {}s, at most {max} are allowed", piece.side(), piece.kind().name()))
}
