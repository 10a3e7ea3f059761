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
//! [`Rules::verdict`] judges a game; the search calls [`Rules::recurrence`] if [`RepetitionFilter`] excludes no
//! repetition.

mod chase;
mod cycle;
mod draws;
mod recurrence;
mod verdict;

pub use cycle::{Chase, Cycle, CycleMove, TrackedPiece, Violation, Violations};
pub use draws::{MoveCount, MoveFacts};
pub use recurrence::{Recurrence, RepetitionFilter};
pub use verdict::{Reason, Verdict};

/// Natural move limit in counted plies, unless the rule set has its own.
pub const DEFAULT_MOVE_LIMIT: u16 = 120;

/// Rules of repetition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RuleSet {
    /// The rules that computers play by today: at the third occurrence a perpetual check loses, then a perpetual chase,
    /// where a chase is a new threat to win a piece (see [`crate::rules`]).
    #[default]
    Computer,
    /// The simplified test of the UCCI league manager: at the fourth occurrence, and only for what the piece that just
    /// moved attacks. Its games end after 100 plies without capture, and checks do not count.
    League,
    /// The Asian rules as Fairy-Stockfish and pychess play them: at the third occurrence, checks excuse no chase, and a
    /// chase is a new attack on an unprotected piece or one worth more, even by a pinned one. Its games end after 100
    /// plies without capture, all of which count.
    Axf,
    /// The rules of old servers: at the third occurrence a one-sided perpetual check loses, everything else is a draw.
    Simple,
}

impl RuleSet {
    /// Names in options and arguments, in the order of the rule sets.
    pub const NAMED: [(&'static str, RuleSet); 4] = [
        ("computer", RuleSet::Computer),
        ("league", RuleSet::League),
        ("axf", RuleSet::Axf),
        ("simple", RuleSet::Simple),
    ];

    /// Returns the rule set of this name, ignoring case.
    pub fn from_name(name: &str) -> Option<RuleSet> {
        RuleSet::NAMED.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, set)| set)
    }

    /// Returns the name in options and arguments.
    pub fn name(self) -> &'static str {
        RuleSet::NAMED[self as usize].0
    }

    /// Returns the number of occurrences at which a game is judged.
    pub const fn occurrences(self) -> usize {
        match self {
            RuleSet::League => 4,
            RuleSet::Computer | RuleSet::Axf | RuleSet::Simple => 3,
        }
    }

    /// Tells whether the natural move limit and dead material are tested before repetition and stalemate.
    pub const fn limits_come_first(self) -> bool {
        matches!(self, RuleSet::League | RuleSet::Axf)
    }

    /// Returns the default natural move limit in counted plies.
    pub const fn move_limit(self) -> u16 {
        match self {
            RuleSet::League | RuleSet::Axf => 100,
            RuleSet::Computer | RuleSet::Simple => DEFAULT_MOVE_LIMIT,
        }
    }
}

/// Rule set with its natural move limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Rules of repetition.
    pub set: RuleSet,
    /// Natural move limit in counted plies (see [`crate::rules::MoveCount`]).
    pub move_limit: u16,
}

impl Rules {
    /// Returns a rule set with its default limit.
    pub const fn new(set: RuleSet) -> Rules {
        Rules { set, move_limit: set.move_limit() }
    }
}

impl Default for Rules {
    fn default() -> Rules {
        Rules::new(RuleSet::default())
    }
}
