//! Rules that depend on the history of a game: repetition, perpetual check and chase, move limit and dead draws.
//!
//! # The rules in short
//!
//! A *cycle* is the plies between two occurrences of a position. A side that gives check with every move of it commits
//! *perpetual check*; a side that newly threatens to win one and the same piece with every move of it commits
//! *perpetual chase*. A single idle move clears a side. The side with the more serious violation loses (check before
//! chase), otherwise the game is drawn. Under [`RuleSet::Computer`] any check in the cycle that is not part of a
//! perpetual check makes it a draw, and a *threat* is defined without exceptions by the result of the capture:
//!
//! - Kings and pawns may attack anything; kings and pawns that have not crossed the river may be attacked.
//! - An illegal capture is no threat, so a piece that shields its king threatens at most those it shields from.
//! - A horse or cannon always threatens a rook; an advisor or elephant always threatens a rook, horse or cannon.
//! - Otherwise the victim must be unprotected: no piece of its side could legally recapture.
//! - A piece that could capture an attacker of its own kind is offered an exchange, not chased.
//!
//! A move chases the pieces that are threatened after it and were not before, whichever piece attacks. These are the
//! rules that computers play by today (those of Pikafish); [`RuleSet`] lists the others.
//!
//! [`Rules::verdict`] judges a game; the search calls [`Rules::recurrence`] where [`RepetitionFilter`] does not exclude
//! a repetition.

mod chase;
mod cycle;
mod league;
mod limits;
mod material;
mod recurrence;
mod repetition_filter;
mod rule_set;
mod verdict;

pub use cycle::{Chase, Cycle, CycleMove, TrackedPiece, Violation, Violations};
pub use limits::{MoveCount, MoveFacts};
pub use recurrence::Recurrence;
pub use repetition_filter::RepetitionFilter;
pub use rule_set::{DEFAULT_MOVE_LIMIT, RuleSet, Rules};
pub use verdict::{Reason, Verdict};
