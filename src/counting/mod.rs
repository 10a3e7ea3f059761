//! How many positions there are, and which number each one has.
//!
//! Counts positions exactly, gives every one of them a number without gaps ([`Ranking`]), finds the position of a
//! number, and draws positions at random, each as likely as any other ([`Sampler`]). What a position is worth, whose
//! turn it is and how it came about are not its business.
//!
//! A position here is men on points, a [`Placement`]: both kings are there, no kind has more men than at the start,
//! every man stands where its kind may stand, and of the uncrossed pawns of a side no two share a file. Kings may face
//! each other, both may stand in check, and whose move it is does not count.
//!
//! Men are placed in the order King, Advisor, Elephant, uncrossed Pawn, crossed Pawn, Rook, Horse, Cannon, those with
//! the fewest places first, as Wei and Li did (动态规划求解中国象棋状态总数, 2019). Then only the *number* of points
//! that are taken matters to those who come later, so that the count is a sum of products, and the number of a position
//! is written in digits of mixed bases. [`published`] shows where their own sum goes wrong.
//!
//! ```
//! use chuhe::counting::{Placement, Ranking, Signature};
//! use chuhe::position::Position;
//!
//! let everything = Ranking::of_everything();
//! assert_eq!(everything.size().to_string(), "7583767311308936928441671793917387439659");
//! let start = Placement::of(&Position::start());
//! let number = everything.rank(&start).ok_or("not one of them")?;
//! assert_eq!(everything.unrank(number), Some(start));
//!
//! let ending = Ranking::new("KRvK".parse::<Signature>()?);
//! assert_eq!(ending.size().to_string(), "7128");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod combinations;
mod estimate;
mod free_pieces;
pub mod palace_and_home;
mod placement;
pub mod published;
mod ranking;
mod sample;
mod signature;

pub use estimate::{Estimate, Interval};
pub use placement::Placement;
pub use ranking::Ranking;
/// A whole number below 2²⁵⁶; the number of all positions has 133 bits.
pub use ruint::aliases::U256;
pub use sample::Sampler;
pub use signature::{Signature, SignatureError};
