//! The values of all positions of one ending, in memory.

use super::layout::{Layout, Place};
use super::value::{Metric, Value};
use crate::counting::{Placement, Signature};
use crate::types::{Side, Square, SquareSet};

/// For one slice and side to move, where the rover must stand for a win and for a loss.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct WinLossBits {
    pub wins: SquareSet,
    pub losses: SquareSet,
}

/// All values of one ending, with Red as the side with the stronger men.
pub struct Table {
    pub(super) layout: Layout,
    pub(super) metric: Metric,
    /// By slice and side to move.
    pub(super) decided: Vec<[WinLossBits; 2]>,
    /// By slice, side to move and point of the rover; without meaning in drawn positions.
    pub(super) plies: Vec<u8>,
}

impl Table {
    /// The ending.
    pub fn signature(&self) -> Signature {
        self.layout.signature()
    }

    /// What its plies are counted to.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// How many positions of which kind there are, and how long the longest win takes.
    pub fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        for (slice, sides) in self.decided.iter().enumerate() {
            let firsts = self.layout.first_places(slice);
            for side in Side::BOTH {
                let decided = sides[side.index()];
                let (wins, losses) = (decided.wins & firsts, decided.losses & firsts);
                statistics.wins[side.index()] += u64::from(wins.len());
                statistics.losses[side.index()] += u64::from(losses.len());
                let start = plies_index(slice, side);
                for rover in wins.iter() {
                    let plies = self.plies[start + rover.index()];
                    if statistics.longest.as_ref().is_none_or(|longest| plies > longest.0) {
                        statistics.longest = Some((plies, self.fen(Place { slice, rover }, side)));
                    }
                }
            }
        }
        statistics
    }

    /// How many positions are decided, those that the numbering has twice counted twice.
    pub(super) fn decided_count(&self) -> u64 {
        self.decided.iter().flatten().map(|decided| u64::from((decided.wins | decided.losses).len())).sum()
    }

    /// The FEN of a position.
    pub(super) fn fen(&self, place: Place, side: Side) -> String {
        self.layout.placement(&self.layout.statics(place.slice), place.rover).fen(side)
    }

    /// The FEN and value of every position that is not drawn; mirror images are told once, but where the men of the
    /// larger group are their own image.
    pub fn decided_positions(&self) -> impl Iterator<Item = (String, Value)> + '_ {
        (0..self.decided.len()).flat_map(move |slice| {
            let firsts = self.layout.first_places(slice);
            Side::BOTH.into_iter().flat_map(move |side| {
                let decided = self.decided[slice][side.index()];
                let rovers = (decided.wins | decided.losses) & firsts;
                rovers.iter().map(move |rover| {
                    let place = Place { slice, rover };
                    (self.fen(place, side), self.value_at(place, side))
                })
            })
        })
    }

    /// How many slices there are: the places of one attacker, the other men standing somewhere, are one.
    pub fn slices(&self) -> usize {
        self.decided.len()
    }

    /// How many positions the table tells of, both sides to move, places where men cannot stand counted.
    pub fn entries(&self) -> u64 {
        self.plies.len() as u64
    }

    /// The value of a position of this ending; `None` when its men are others or stand where they cannot. The position
    /// must be one that a game can reach: the side not to move is not in check.
    pub(super) fn value(&self, placement: &Placement, side: Side) -> Option<Value> {
        self.layout.place_of(placement).map(|place| self.value_at(place, side))
    }

    pub(super) fn value_at(&self, place: Place, side: Side) -> Value {
        let decided = &self.decided[place.slice][side.index()];
        let plies = || self.plies[plies_index(place.slice, side) + place.rover.index()];
        if decided.wins.contains(place.rover) {
            Value::Win(plies())
        } else if decided.losses.contains(place.rover) {
            Value::Loss(plies())
        } else {
            Value::Draw
        }
    }
}

/// The memory that a slice of a table takes, in bytes: two sets for either side to move, and the plies.
pub(super) const BYTES_PER_SLICE: u64 = 2 * 2 * 16 + 2 * Square::COUNT as u64;
/// The memory that its analysis takes besides: two lines of four sets, what captures bring for either side to move at
/// two levels, and what a level finds, each a set with its place.
pub(super) const BYTES_PER_ANALYSED_SLICE: u64 = 2 * 4 * 16 + 2 * 2 * 48 + 2 * 48;

/// What is in a table.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// How many positions the side to move wins, with Red and with Black to move. Mirror images are counted once, but
    /// where the men of the larger group are their own image.
    pub wins: [u64; 2],
    /// How many it loses.
    pub losses: [u64; 2],
    /// The plies of the longest win, and a position that takes so long.
    pub longest: Option<(u8, String)>,
}

/// Where the plies of a slice begin.
pub(super) fn plies_index(slice: usize, side: Side) -> usize {
    (slice * 2 + side.index()) * Square::COUNT
}
