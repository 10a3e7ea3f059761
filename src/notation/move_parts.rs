//! Parts of a move description that all dialects share.

use std::cmp::Reverse;

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
