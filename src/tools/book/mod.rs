//! Making opening books from games and from books of other programs.
//!
//! A [`Counter`] counts which moves were played in the first plies of games and how the games ended, [`Criteria`] say
//! which of them are worth keeping, and [`verify`] lets engines look for what is wrong with those, with a [`Journal`]
//! that can be gone on with. Books of other programs are read in [`foreign`]. What a book is, is the business of
//! [`crate::book`].

pub mod command;
mod count;
pub mod foreign;
mod journal;
mod verify;

pub use count::{Candidate, Counter, Criteria};
pub use journal::{Journal, JournalError};
pub use verify::{Progress, Verdict, Verification, VerifyError, verify};
