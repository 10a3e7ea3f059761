//! Notations that describe a move by piece, file, direction and number: Chinese, and WXF in three dialects.

use std::cmp::Reverse;

use super::Dialect;
use crate::position::Position;
use crate::types::{Move, Piece, PieceKind, Side, Square};

/// Direction of a move from the mover's perspective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    /// 进
    Forward,
    /// 退
    Backward,
    /// 平
    Sideways,
}

/// Last two signs of a description: direction and number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Displacement {
    pub direction: Direction,
    /// 1 to 9: the target file, or the distance along the file.
    pub number: u8,
}

impl Displacement {
    /// Returns the displacement of a move by `side`; `None` if it is not a move between two squares of the board.
    pub fn new(side: Side, mv: Move) -> Option<Displacement> {
        let (from, to) = (mv.from(), mv.to());
        if !from.is_on_board() || !to.is_on_board() || from == to {
            return None;
        }
        let (start, end) = (progress(side, from), progress(side, to));
        let direction = match start.cmp(&end) {
            std::cmp::Ordering::Less => Direction::Forward,
            std::cmp::Ordering::Greater => Direction::Backward,
            std::cmp::Ordering::Equal => Direction::Sideways,
        };
        let number = if from.file() == to.file() { start.abs_diff(end) } else { file_number(side, to) };
        Some(Displacement { direction, number })
    }
}

/// Position of a piece among tandem pieces, which share their file with another of their kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Disambiguation {
    /// Index on its file, 0 for the front piece.
    pub index_on_file: usize,
    /// Number of pieces of the kind on its file, at least 2.
    pub pieces_on_file: usize,
    /// Index among the tandem pieces of all files: files from the mover's right, on each the front piece first.
    pub index: usize,
    /// Number of tandem pieces on all files.
    pub pieces: usize,
    /// Number of files with tandem pieces.
    pub files: usize,
}

/// Parts of a move description.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MoveParts {
    pub side: Side,
    pub kind: PieceKind,
    /// Source file, 1 to 9 from the mover's right.
    pub file: u8,
    /// Set if the file does not identify the piece.
    pub disambiguation: Option<Disambiguation>,
    pub displacement: Displacement,
}

impl MoveParts {
    /// Returns the parts of a move; `None` if no piece of the side to move is on its from square.
    pub fn new(position: &Position, mv: Move) -> Option<MoveParts> {
        let side = position.side();
        let displacement = Displacement::new(side, mv)?;
        let from = mv.from();
        let piece = position.piece_on(from).filter(|piece| piece.side() == side)?;
        let kind = piece.kind();
        Some(MoveParts {
            side,
            kind,
            file: file_number(side, from),
            disambiguation: disambiguation(position, piece, from),
            displacement,
        })
    }
}

/// Returns the file counted from the right of `side`, 1 to 9.
fn file_number(side: Side, square: Square) -> u8 {
    match side {
        Side::Red => Square::FILES - square.file(),
        Side::Black => square.file() + 1,
    }
}

/// Returns the distance from the back rank of `side`, 0 to 9.
fn progress(side: Side, square: Square) -> u8 {
    match side {
        Side::Red => square.rank(),
        Side::Black => Square::RANKS - 1 - square.rank(),
    }
}

fn disambiguation(position: &Position, piece: Piece, from: Square) -> Option<Disambiguation> {
    if matches!(piece.kind(), PieceKind::King | PieceKind::Advisor | PieceKind::Elephant) {
        // Two advisors or elephants on one file cannot move in the same direction.
        return None;
    }
    let pieces = position.squares(piece);
    let pieces_on = |file: u8| pieces.iter().filter(|square| square.file() == file).count();
    let pieces_on_file = pieces_on(from.file());
    if pieces_on_file < 2 {
        return None;
    }
    let order = |square: Square| (file_number(piece.side(), square), Reverse(progress(piece.side(), square)));
    let tandem = || pieces.iter().filter(|square| pieces_on(square.file()) >= 2);
    let before = || tandem().filter(|square| order(**square) < order(from));
    Some(Disambiguation {
        index_on_file: before().filter(|square| square.file() == from.file()).count(),
        pieces_on_file,
        index: before().count(),
        pieces: tandem().count(),
        files: (0..Square::FILES).filter(|&file| pieces_on(file) >= 2).count(),
    })
}

/// Digits of Red (Chinese numerals) and of Black (full-width digits).
const DIGITS: [[char; 9]; 2] =
    [['一', '二', '三', '四', '五', '六', '七', '八', '九'], ['１', '２', '３', '４', '５', '６', '７', '８', '９']];
/// Numerals of indices within a file, for both sides.
const NUMERALS: [char; 9] = DIGITS[0];
/// Piece characters of both sides, in the order of the kinds.
const PIECES: [[char; 7]; 2] = [['帅', '仕', '相', '马', '车', '炮', '兵'], ['将', '士', '象', '马', '车', '炮', '卒']];

/// Formats a move in [`Dialect::ChineseCxa`] or [`Dialect::Chinese`]; `None` if the dialect cannot distinguish that
/// many tandem pieces.
pub(super) fn write_chinese(parts: &MoveParts, dialect: Dialect) -> Option<String> {
    let digit = |number: u8| DIGITS[parts.side.index()][usize::from(number - 1)];
    let piece = PIECES[parts.side.index()][parts.kind.index()];
    let mut text = String::with_capacity(15);
    match parts.disambiguation {
        None => text.extend([piece, digit(parts.file)]),
        Some(disambiguation) if dialect == Dialect::ChineseCxa => {
            text.extend([file_index_sign(disambiguation)?, piece]);
            if disambiguation.files > 1 {
                text.push(digit(parts.file));
            }
        }
        Some(disambiguation) => text.extend([chinese_index_sign(disambiguation)?, piece]),
    }
    text.push(match parts.displacement.direction {
        Direction::Forward => '进',
        Direction::Backward => '退',
        Direction::Sideways => '平',
    });
    text.push(digit(parts.displacement.number));
    Some(text)
}

/// Index among all tandem pieces.
fn chinese_index_sign(disambiguation: Disambiguation) -> Option<char> {
    match disambiguation.pieces {
        2 => Some(['前', '后'][disambiguation.index]),
        3 => Some(['前', '中', '后'][disambiguation.index]),
        count if count <= NUMERALS.len() => Some(NUMERALS[disambiguation.index]),
        _ => None,
    }
}

/// Index on the file; the first and the last have their own characters.
pub(super) fn file_index_sign(disambiguation: Disambiguation) -> Option<char> {
    match (disambiguation.index_on_file, disambiguation.pieces_on_file) {
        (0, _) => Some('前'),
        (index, count) if index + 1 == count => Some('后'),
        (1, 3) => Some('中'),
        (index, _) => NUMERALS.get(index).copied(),
    }
}

/// Piece letters of FEN, in the order of the kinds.
const LETTERS: [char; 7] = ['K', 'A', 'B', 'N', 'R', 'C', 'P'];
/// Piece letters of the English names.
const ENGLISH_LETTERS: [char; 7] = ['K', 'A', 'E', 'H', 'R', 'C', 'P'];
/// Indices among four and more tandem pieces.
const INDEX_LETTERS: [char; 9] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];

/// Formats a move in a Latin dialect; `None` if the dialect cannot distinguish that many tandem pieces.
pub(super) fn write_wxf(parts: &MoveParts, dialect: Dialect) -> Option<String> {
    let letters = if dialect == Dialect::Wxf { LETTERS } else { ENGLISH_LETTERS };
    let letter = letters[parts.kind.index()];
    let file = digit(parts.file);
    let piece = match parts.disambiguation {
        None => [letter, file],
        Some(disambiguation) if disambiguation.pieces == 2 => [letter, ['+', '-'][disambiguation.index]],
        Some(disambiguation) => match dialect {
            Dialect::Wxf => [letter, wxf_index_sign(disambiguation)?],
            // These two may drop the letter, which is unambiguous for pawns only.
            _ if parts.kind != PieceKind::Pawn => return None,
            Dialect::WxfOfficial => official_pawn(disambiguation, file)?,
            _ => [digit(disambiguation.index_on_file as u8 + 1), file],
        },
    };
    let direction = match parts.displacement.direction {
        Direction::Forward => '+',
        Direction::Backward => '-',
        Direction::Sideways if dialect == Dialect::WxfFairy => '=',
        Direction::Sideways => '.',
    };
    Some(piece.into_iter().chain([direction, digit(parts.displacement.number)]).collect())
}

/// Returns the digit of 1 to 9; no file has ten tandem pieces.
fn digit(number: u8) -> char {
    char::from(b'0' + number.min(9))
}

/// Index among all tandem pieces, of which there are more than two.
fn wxf_index_sign(disambiguation: Disambiguation) -> Option<char> {
    match disambiguation.pieces {
        3 => Some(['+', '.', '-'][disambiguation.index]),
        count if count <= INDEX_LETTERS.len() => Some(INDEX_LETTERS[disambiguation.index]),
        _ => None,
    }
}

/// First two signs of a pawn among three and more tandem pawns.
fn official_pawn(disambiguation: Disambiguation, file: char) -> Option<[char; 2]> {
    let names: &[[char; 2]] = match (disambiguation.files, disambiguation.pieces_on_file) {
        (1, 3) => &[['P', '+'], ['P', file], ['P', '-']],
        (1, 4) => &[['+', '+'], ['P', '+'], ['P', '-'], ['-', '-']],
        (1, 5) => &[['+', '+'], ['P', '+'], ['P', file], ['P', '-'], ['-', '-']],
        (1, _) => &[],
        (_, 2) => &[[file, '+'], [file, '-']],
        (_, 3) => &[[file, '+'], [file, file], [file, '-']],
        _ => &[],
    };
    names.get(disambiguation.index_on_file).copied()
}
