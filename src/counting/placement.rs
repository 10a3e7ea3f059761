//! Men on points, without a side to move.

use super::palace_and_home::HalfArrangement;
use crate::position::{Position, Strictness, ValidityError, board_text};
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

/// Men on points of the board. Whose move it is is not told, and whether it is a position of a game is not asked.
///
/// ```
/// use chuhe::counting::Placement;
/// use chuhe::position::Position;
/// use chuhe::types::Side;
/// let position = Position::from_fen("3ak4/9/9/9/9/9/9/9/4A4/4K3R b")?;
/// let placement = Placement::of(&position);
/// assert_eq!(placement.fen(Side::Black), position.to_string());
/// assert_eq!(placement.position(Side::Black)?, position);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Placement {
    /// By [`Piece::index`]; no point is in two of them.
    men: [SquareSet; Piece::TABLE_SIZE],
}

impl Placement {
    /// The men of a position.
    pub fn of(position: &Position) -> Placement {
        let mut placement = Placement::default();
        for (piece, square) in position.pieces() {
            placement.men[piece.index()].insert(square);
        }
        placement
    }

    /// Puts a man on a point of the board, or takes away the one that stands there.
    pub fn put(&mut self, square: Square, man: Option<Piece>) {
        let point = SquareSet::from_square(square);
        self.men.iter_mut().for_each(|men| *men -= point);
        if let Some(piece) = man {
            self.add(piece, point);
        }
    }

    /// Adds men on points that are empty.
    pub(super) fn add(&mut self, piece: Piece, squares: SquareSet) {
        let men = &mut self.men[piece.index()];
        *men |= squares;
    }

    /// Where the men of this piece stand.
    pub fn squares(&self, piece: Piece) -> SquareSet {
        self.men[piece.index()]
    }

    /// All points where men stand.
    pub fn occupied(&self) -> SquareSet {
        self.men.iter().fold(SquareSet::EMPTY, |all, &men| all | men)
    }

    /// All men and where they stand.
    pub fn pieces(&self) -> impl Iterator<Item = (Piece, Square)> + '_ {
        Piece::ALL.into_iter().flat_map(|piece| self.squares(piece).iter().map(move |square| (piece, square)))
    }

    /// The same men with colours and ends of the board exchanged.
    pub fn swapped(&self) -> Placement {
        let mut swapped = Placement::default();
        for (piece, square) in self.pieces() {
            swapped.men[Piece::new(!piece.side(), piece.kind()).index()].insert(square.flipped());
        }
        swapped
    }

    /// The position with this side to move.
    ///
    /// # Errors
    /// [`ValidityError`] says why it is none: when the kings face each other, say, or the other side is in check.
    pub fn position(&self, side: Side) -> Result<Position, ValidityError> {
        let board = self.board();
        Position::from_board(|square| board[square.index()], side, Strictness::Strict)
    }

    /// The FEN with this side to move, whether that is a position or not.
    pub fn fen(&self, side: Side) -> String {
        let board = self.board();
        let letter = if side == Side::Red { 'w' } else { 'b' };
        format!("{} {letter} - - 0 1", board_text(|square| board[square.index()]))
    }

    fn board(&self) -> [Option<Piece>; Square::COUNT] {
        let mut board = [None; Square::COUNT];
        self.pieces().for_each(|(piece, square)| board[square.index()] = Some(piece));
        board
    }

    /// The men of a side that have not left their half, as Red would see them, and on the board its pawns that have.
    /// `None` unless there is one king.
    pub(super) fn half(&self, side: Side) -> Option<(HalfArrangement, SquareSet)> {
        let home = if side == Side::Red { RED_HALF } else { SquareSet::FULL - RED_HALF };
        let men = |kind| self.squares(Piece::new(side, kind));
        let king = men(PieceKind::King);
        let (pawns, seen) = (men(PieceKind::Pawn), |squares| seen_from(side, squares));
        let arrangement = HalfArrangement {
            king: seen(king).iter().next()?,
            advisors: seen(men(PieceKind::Advisor)),
            elephants: seen(men(PieceKind::Elephant)),
            pawns: seen(pawns & home),
        };
        (king.len() == 1).then_some((arrangement, pawns - home))
    }

    /// Adds the men that [`Placement::half`] tells of, and gives back the points they take.
    pub(super) fn add_half(&mut self, side: Side, half: &HalfArrangement, crossed: SquareSet) {
        let mut add = |kind, squares| self.add(Piece::new(side, kind), seen_from(side, squares));
        add(PieceKind::King, SquareSet::from_square(half.king));
        add(PieceKind::Advisor, half.advisors);
        add(PieceKind::Elephant, half.elephants);
        add(PieceKind::Pawn, half.pawns);
        self.add(Piece::new(side, PieceKind::Pawn), crossed);
    }
}

/// The points of ranks 0 to 4.
pub(super) const RED_HALF: SquareSet = SquareSet::from_bits((1 << (Square::COUNT / 2)) - 1);

/// The points as a side sees them: Red as they are, Black upside down.
pub(super) fn seen_from(side: Side, squares: SquareSet) -> SquareSet {
    match side {
        Side::Red => squares,
        Side::Black => squares.flipped(),
    }
}
