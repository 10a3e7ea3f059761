//! What the history of a game means: recurring positions, perpetual check and chase, limits and dead draws.
//!
//! Works on a position and the moves that led to it; knows nothing of scores or searches.
//!
//! # The law in short
//!
//! A *cycle* is the stretch of plies between two occurrences of a position. A side that gives check with every move of
//! it *perpetually checks*; one that newly threatens to win one and the same man with every move of it *perpetually
//! chases*. A single idle move clears a side. The side with the graver violation loses (check before chase), otherwise
//! the game is drawn. Under [`RuleSet::Computer`] any check in the cycle that is not part of a perpetual check makes it
//! a draw, and what a *threat* is, is defined without exceptions by what the capture would come to:
//!
//! - Kings and pawns may attack what they like, kings and pawns that have not crossed the river may be attacked.
//! - A capture that is illegal is no threat; so a man that shields its king threatens at most those it shields from.
//! - A horse or cannon always threatens a rook; an advisor or elephant always threatens a rook, horse or cannon.
//! - Otherwise the victim must be unprotected: nothing of its side could legally take the capturing man in return.
//! - A man that could take its like in return is offered an exchange, not chased.
//!
//! A move chases what is threatened after it and was not before, whichever man attacks. This is the law by which
//! computers play today (the one of Pikafish); [`RuleSet`] names the others.
//!
//! A game is judged by [`Rules::verdict`]; a search asks [`Rules::recurrence`] where [`RepetitionFilter`] says that it may
//! pay.

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
