//! Tables of endings as an engine uses them: which, and what they leave of the moves of a position they know.

use std::path::PathBuf;
use std::sync::Arc;

use super::options::OptionError;
use super::parse::{boolean, text};
use crate::position::Position;
use crate::rules::{MoveCount, Rules};
use crate::search::{KnownValue, Limits};
use crate::tablebase::{Tablebases, Value as TableValue, draws_are_exact, make_small_tables};
use crate::types::score::{DRAW, INFINITE, MAX_PLY, TABLE_WIN};
use crate::types::{Move, Value};

/// What stands between the names of several folders.
const SEPARATOR: char = ';';

/// How tables of endings are used.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EndingUse {
    /// They are used.
    pub is_on: bool,
    /// The folders with tables, `;` between them; small endings are known without.
    pub folders: String,
}

impl EndingUse {
    /// Sets an option of tables, named in small letters without blanks; `None` if it is none of them.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Option<Result<(), OptionError>> {
        Some(match name {
            "useegtb" => boolean("useegtb", value).map(|is_on| self.is_on = is_on),
            "egtbpaths" | "egtbpath" => {
                self.folders = text(value).to_owned();
                Ok(())
            }
            _ => return None,
        })
    }

    /// The tables, and what is wrong with those that cannot be used.
    pub(super) fn open(&self) -> (Option<Arc<Tablebases>>, Vec<String>) {
        if !self.is_on {
            return (None, Vec::new());
        }
        let folders: Vec<PathBuf> =
            self.folders.split(SEPARATOR).map(str::trim).filter(|name| !name.is_empty()).map(PathBuf::from).collect();
        let (shelf, faults) = Tablebases::open(&folders);
        // Now, and not while a clock runs.
        make_small_tables();
        (Some(Arc::new(shelf)), faults.iter().map(ToString::to_string).collect())
    }
}

/// What tables tell of a position to be searched.
pub(super) struct Verdict {
    /// What is known of its moves.
    pub known: Vec<KnownValue>,
    /// The moves that keep its value: those that win soonest, or hold the draw, or lose latest.
    pub best: Vec<Move>,
}

/// Asks the tables about a position; `None` when they do not know all its moves. Moves that `limits` exclude are left
/// out. A win counts when it comes within the plies that the game leaves; so much is certain to the next capture only.
pub(super) fn verdict(shelf: &Tablebases, position: &Position, rules: &Rules, limits: &Limits) -> Option<Verdict> {
    if !shelf.may_know(position) {
        return None;
    }
    let mut moves = shelf.moves(position).ok()?;
    moves.retain(|(mv, _)| {
        !limits.banned_moves.contains(mv) && (limits.search_moves.is_empty() || limits.search_moves.contains(mv))
    });
    let left = usize::from(rules.move_limit).saturating_sub(MoveCount::new(rules.set, position).plies());
    let comes_in_time = |plies: u8| usize::from(plies) <= left;
    let draws_are_exact = draws_are_exact(position);
    // One class for all draws, and for all that the limit may turn into one.
    let class = |value: TableValue| match value {
        TableValue::Win(plies) | TableValue::Loss(plies) if comes_in_time(plies) => value,
        _ => TableValue::Draw,
    };
    let known = |&(mv, value): &(Move, TableValue)| {
        let in_band = |plies: u8| TABLE_WIN - Value::from(plies).min(MAX_PLY as Value);
        let (min, max) = match value {
            TableValue::Win(plies) if comes_in_time(plies) => (in_band(plies), INFINITE),
            TableValue::Loss(plies) if comes_in_time(plies) => (-INFINITE, -in_band(plies)),
            TableValue::Draw if draws_are_exact => (DRAW, DRAW),
            _ => return None,
        };
        Some(KnownValue { mv, min, max })
    };
    let best = class(moves.first()?.1);
    Some(Verdict {
        known: moves.iter().filter_map(known).collect(),
        best: moves.iter().filter(|(_, value)| class(*value) == best).map(|&(mv, _)| mv).collect(),
    })
}
