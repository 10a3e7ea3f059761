//! State-space size: exact number of positions and their ranks ([`Ranking`]).
//!
//! A position here is a [`Placement`] of pieces: both kings are on the board, no kind exceeds its initial number, every
//! piece is on a square its kind can occupy, and no two uncrossed pawns of a side share a file. Kings may face each
//! other, both may be in check, and the side to move does not count.
//!
//! Pieces are placed in the order King, Advisor, Elephant, uncrossed Pawn, crossed Pawn, Rook, Horse, Cannon, most
//! restricted first, following Wei and Li (动态规划求解中国象棋状态总数, 2019). Then only the *number* of occupied squares matters
//! for later pieces, so that the count is a sum of products and a rank is a mixed-radix number.

mod placement;
mod ranking;
mod signature;

pub use placement::{HomeArrangement, HomeArrangements, Placement, half_of};
pub use ranking::Ranking;
/// Unsigned 256-bit integer; the number of all positions has 133 bits.
pub use ruint::aliases::U256;
pub use signature::{Signature, SignatureError};
