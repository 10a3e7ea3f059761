//! Building opening books from games and importing those of other programs.
//!
//! A [`Counter`] counts the moves played in the first plies of games and their results, [`Criteria`] select the moves
//! to keep, and [`verify`] checks these by searches, with a [`Journal`] that makes the work resumable. [`foreign`]
//! reads books of other programs. The book format is defined in [`crate::book`].

pub mod command;
mod count;
pub mod foreign;
mod journal;
mod verdict;
mod verify;

pub use count::{Candidate, Counter, Criteria};
pub use journal::{Journal, JournalError};
pub use verdict::Verdict;
pub use verify::{Progress, Verification, VerifyError, verify};
