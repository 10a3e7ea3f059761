//! Basic types: sides, pieces, squares, moves and scores, with their text forms.

mod moves;
mod piece;
pub mod score;
mod square;
mod square_set;

pub use moves::{MAX_MOVES, Move, MoveList, ParseMoveError};
pub use piece::{Piece, PieceKind, Side};
pub use score::Value;
pub use square::{ParseSquareError, Square};
pub use square_set::SquareSet;
