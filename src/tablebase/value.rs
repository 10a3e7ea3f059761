//! Values of positions, and the reasons why there are none.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::counting::Signature;
use crate::position::Position;
use crate::types::Side;

/// Maximum number of attackers (rooks, cannons, horses and pawns of both sides) of an ending.
pub(super) const MAX_ATTACKERS: usize = 6;

/// Least plies of positions decided by perpetual check, if both sides have attackers. Their plies only order them: each
/// step towards the perpetual check has fewer.
pub const FIRST_BY_CHECKS: u8 = 128;

/// Returns whether a draw in this position is also one by the rules; see [`is_exact`].
pub fn draws_are_exact(position: &Position) -> bool {
    Signature::from_position(position).is_some_and(is_exact)
}

/// Returns whether the values of an ending agree with the rules of repetition, apart from perpetual chases by advisors
/// and elephants: only one side has attackers.
pub fn is_exact(ending: Signature) -> bool {
    Side::BOTH.into_iter().any(|side| ending.attackers_of(side) == 0)
}

/// Outcome with best play.
#[allow(missing_docs, reason = "the names say it")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    Loss,
    Draw,
    Win,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Outcome::Loss => "loss",
            Outcome::Draw => "draw",
            Outcome::Win => "win",
        })
    }
}

/// Metric of the plies of a [`TablebaseValue`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Metric {
    /// Distance to conversion: plies to a capture into a won ending, or to mate or stalemate, whichever comes first.
    Conversion,
    /// Distance to mate: plies to mate or stalemate.
    Mate,
}

/// Outcome for the side to move, with the distance in plies under best play of both sides.
///
/// The winner minimises the distance and the loser maximises it; a position without a legal move is `Loss(0)`. Larger
/// distances than a byte holds are stored as the largest.
#[allow(missing_docs, reason = "the names say it")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TablebaseValue {
    Loss(u8),
    Draw,
    Win(u8),
}

impl TablebaseValue {
    /// Outcome without the distance.
    pub fn outcome(self) -> Outcome {
        match self {
            TablebaseValue::Loss(_) => Outcome::Loss,
            TablebaseValue::Draw => Outcome::Draw,
            TablebaseValue::Win(_) => Outcome::Win,
        }
    }

    /// Distance in plies; `None` for a draw.
    pub fn plies(self) -> Option<u8> {
        match self {
            TablebaseValue::Loss(plies) | TablebaseValue::Win(plies) => Some(plies),
            TablebaseValue::Draw => None,
        }
    }

    /// Plies as a distance, in an exact ending or another: `None` for a draw, and where perpetual check decides.
    pub fn distance(self, is_exact: bool) -> Option<u8> {
        self.plies().filter(|&plies| is_exact || plies < FIRST_BY_CHECKS)
    }

    /// Returns the value before a move that leads to a position with this value for the other side.
    pub(super) fn before(self, is_conversion: bool) -> TablebaseValue {
        let longer = |plies: u8| if is_conversion { 1 } else { plies.saturating_add(1) };
        match self {
            TablebaseValue::Draw => TablebaseValue::Draw,
            TablebaseValue::Loss(plies) => TablebaseValue::Win(longer(plies)),
            TablebaseValue::Win(plies) => TablebaseValue::Loss(longer(plies)),
        }
    }

    pub(super) fn sort_key(self) -> i32 {
        match self {
            TablebaseValue::Win(plies) => 1000 - i32::from(plies),
            TablebaseValue::Draw => 0,
            TablebaseValue::Loss(plies) => i32::from(plies) - 1000,
        }
    }
}

/// Reason why a table cannot be built, read or probed.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    #[error("{0} has no attacker: it is drawn and needs no table")]
    NoAttacker(Signature),
    #[error("{0} has more than {MAX_ATTACKERS} attackers or more positions than can be indexed")]
    TooLarge(Signature),
    #[error(
        "{ending} needs {needed} MB of memory, but the limit is {allowed} MB: choose an ending with fewer pieces or \
        raise --memory"
    )]
    Memory { ending: Signature, needed: u64, allowed: u64 },
    #[error("there is no table of {0}; build it with 'chuhe tablebase build {0}'")]
    Missing(Signature),
    #[error("tablebases contain no positions with more pieces of a kind than a game starts with")]
    SurplusPieces,
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{} {fault}: rebuild it with 'chuhe tablebase build'", path.display())]
    Unusable { path: PathBuf, fault: &'static str },
}
