//! Tables of endings as an engine uses them: which, and what they leave of the moves of a position they know.

use std::path::PathBuf;
use std::sync::Arc;

use super::options::OptionError;
use super::values::boolean;
use crate::position::Position;
use crate::rules::{MoveCount, Rules};
use crate::search::{Known, Limits};
use crate::tablebase::{Shelf, Value as TableValue};
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
                self.folders = value.trim().to_owned();
                Ok(())
            }
            _ => return None,
        })
    }

    /// The tables, and what is wrong with those that cannot be used.
    pub(super) fn open(&self) -> (Option<Arc<Shelf>>, Vec<String>) {
        if !self.is_on {
            return (None, Vec::new());
        }
        let folders: Vec<PathBuf> =
            self.folders.split(SEPARATOR).map(str::trim).filter(|name| !name.is_empty()).map(PathBuf::from).collect();
        let (shelf, faults) = Shelf::open(&folders);
        // Now, and not while a clock runs.
        shelf.make_small();
        (Some(Arc::new(shelf)), faults.iter().map(ToString::to_string).collect())
    }
}

/// What tables tell of a position to be searched, for a game in which so many plies may still be made without capture.
pub(super) struct Verdict {
    /// Its value.
    pub known: Known,
    /// The moves that keep it: those that win soonest, or hold the draw, or lose latest.
    pub moves: Vec<Move>,
}

/// Asks the tables about a position; `None` when they do not know it. A win that the natural move limit comes before is
/// a draw. Moves that `limits` exclude are left out.
pub(super) fn verdict(shelf: &Shelf, position: &Position, rules: &Rules, limits: &Limits) -> Option<Verdict> {
    if !shelf.may_know(position) {
        return None;
    }
    let mut moves = shelf.moves(position).ok()?;
    moves.retain(|(mv, _)| !limits.banned.contains(mv) && (limits.wanted.is_empty() || limits.wanted.contains(mv)));
    let left = usize::from(rules.move_limit).saturating_sub(MoveCount::of(rules.set, position).plies());
    let within = |value: TableValue| match value {
        TableValue::Win(plies) | TableValue::Loss(plies) if usize::from(plies) > left => TableValue::Draw,
        value => value,
    };
    let best = within(moves.first()?.1);
    moves.retain(|&(_, value)| within(value) == best);
    let known = match best {
        TableValue::Win(plies) => Known { least: TABLE_WIN - Value::from(plies).min(MAX_PLY as Value), most: INFINITE },
        TableValue::Draw => Known { least: DRAW, most: DRAW },
        TableValue::Loss(plies) => {
            Known { least: -INFINITE, most: Value::from(plies).min(MAX_PLY as Value) - TABLE_WIN }
        }
    };
    Some(Verdict { known, moves: moves.into_iter().map(|(mv, _)| mv).collect() })
}
