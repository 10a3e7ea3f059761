//! Endgame tablebases by retrograde analysis.
//!
//! Solves endings ([`Endings::solve`], [`build()`]), stores their tables in files ([`StoredTable`]) and probes them
//! ([`Tablebases`]). An ending is identified by its material, a [`Signature`](crate::counting::Signature) such as
//! `KRvKAABB`; the side with the stronger material is treated as Red. Retrograde analysis (Thompson, *Retrograde
//! analysis of certain endgames*, ICCA Journal 9/3, 1986) processes ninety positions at a time, one for each square of
//! one attacker.
//!
//! # Exactness
//!
//! Repetition is scored as a draw, except perpetual check. The rules also judge chases, so exactness depends on the
//! material (Fang, Hsu and Hsu, *Checking indefinitely in Chinese-chess endgames*, 2000):
//!
//! * If one side has only defenders, it can give no check, and a perpetual check by the other side gains no more than a
//!   draw. Results are exact under every rule set, except where defenders can hold only by chasing a piece perpetually
//!   with an advisor or an elephant.
//! * If both sides have attackers, a position is lost for a side that in the end can only check with every move while
//!   its opponent need not check. A position scored as a draw may still be lost by the rules for a side that must chase
//!   perpetually. [`is_exact`] distinguishes the two cases.
//!
//! The natural move limit is not part of a value: plies are counted to the next winning capture, so the caller can
//! compare them with the limit.
//!
//! ```
//! use chuhe::position::Position;
//! use chuhe::tablebase::{Outcome, Tablebases};
//! let (tablebases, _) = Tablebases::open(&[]);
//! let position = Position::from_fen("3ak4/9/9/9/9/9/9/9/9/3K4R w")?;
//! let found = tablebases.probe(&position)?;
//! assert_eq!(found.value.outcome(), Outcome::Win);
//! assert!(found.line.len() > 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod endings;
mod file_format;
mod layout;
mod retrograde;
mod slice_board;
mod table;
mod tablebases;
mod value;

pub use endings::{Endings, Plan, Progress, Step, build, needed_for, prepare};
pub use file_format::{StoredTable, path_of, write};
pub use layout::stronger_first;
pub use table::{Content, Counts, Statistics, Table, VerifyError, value_from_successors, verify};
pub use tablebases::{Probe, Tablebases, endings_in, make_small_tables};
pub use value::{FIRST_BY_CHECKS, Metric, Outcome, TableError, TablebaseValue, draws_are_exact, is_exact};
