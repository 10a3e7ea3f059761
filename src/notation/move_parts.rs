//! What there is to say about a move whatever the dialect: who moves, from where among its like, which way, how far.

use std::cmp::Reverse;

use crate::position::Position;
use crate::types::{Move, Piece, PieceKind, Side, Square};

/// Which way a man moves, seen from its side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// 进
    Forward,
    /// 退
    Backward,
    /// 平
    Sideways,
}

/// The end of every description: the way and its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Course {
    pub way: Way,
    /// 1 to 9: the file a man arrives on, or the points it moves along its own.
    pub number: u8,
}

impl Course {
    /// The course of a man of `side`; `None` where there is no move between two points of the board.
    pub fn of(side: Side, mv: Move) -> Option<Course> {
        let (from, to) = (mv.from(), mv.to());
        if !from.is_on_board() || !to.is_on_board() || from == to {
            return None;
        }
        let (start, end) = (progress(side, from), progress(side, to));
        let way = match start.cmp(&end) {
            std::cmp::Ordering::Less => Way::Forward,
            std::cmp::Ordering::Greater => Way::Backward,
            std::cmp::Ordering::Equal => Way::Sideways,
        };
        let number = if from.file() == to.file() { start.abs_diff(end) } else { file_number(side, to) };
        Some(Course { way, number })
    }
}

/// A man's place among the men of its kind that share their file with another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Disambiguation {
    /// Its place on its file, 0 for the one in front.
    pub place_on_file: usize,
    /// How many are on its file, at least 2.
    pub men_on_file: usize,
    /// Its place among the men of all crowded files: files from the mover's right, on each the one in front first.
    pub place: usize,
    /// How many are on all crowded files.
    pub men: usize,
    /// How many files are crowded.
    pub files: usize,
}

/// All that a dialect needs to know of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MoveParts {
    pub side: Side,
    pub kind: PieceKind,
    /// The file the man stands on, 1 to 9 from the mover's right.
    pub file: u8,
    /// Its place, where the file alone does not tell it from others.
    pub crowd: Option<Disambiguation>,
    pub course: Course,
}

impl MoveParts {
    /// The signs of a move; `None` where no man of the side to move starts it.
    pub fn of(position: &Position, mv: Move) -> Option<MoveParts> {
        let side = position.side();
        let course = Course::of(side, mv)?;
        let from = mv.from();
        let piece = position.piece_on(from).filter(|piece| piece.side() == side)?;
        let kind = piece.kind();
        Some(MoveParts { side, kind, file: file_number(side, from), crowd: crowd(position, piece, from), course })
    }
}

/// The file counted from the right hand of `side`, 1 to 9.
fn file_number(side: Side, square: Square) -> u8 {
    match side {
        Side::Red => Square::FILES - square.file(),
        Side::Black => square.file() + 1,
    }
}

/// How far from its own back rank a point lies for `side`, 0 to 9.
fn progress(side: Side, square: Square) -> u8 {
    match side {
        Side::Red => square.rank(),
        Side::Black => Square::RANKS - 1 - square.rank(),
    }
}

fn crowd(position: &Position, piece: Piece, from: Square) -> Option<Disambiguation> {
    if matches!(piece.kind(), PieceKind::King | PieceKind::Advisor | PieceKind::Elephant) {
        // No two advisors or elephants of one file can go the same way.
        return None;
    }
    let men = position.squares(piece);
    let men_on = |file: u8| men.iter().filter(|man| man.file() == file).count();
    let men_on_file = men_on(from.file());
    if men_on_file < 2 {
        return None;
    }
    let order = |square: Square| (file_number(piece.side(), square), Reverse(progress(piece.side(), square)));
    let crowded = || men.iter().filter(|man| men_on(man.file()) >= 2);
    let before = || crowded().filter(|man| order(**man) < order(from));
    Some(Disambiguation {
        place_on_file: before().filter(|man| man.file() == from.file()).count(),
        men_on_file,
        place: before().count(),
        men: crowded().count(),
        files: (0..Square::FILES).filter(|&file| men_on(file) >= 2).count(),
    })
}
