//! Endgame tables in use, and the root moves that keep the result of a position.

use std::path::PathBuf;
use std::sync::Arc;

use super::parse::split_names;
use crate::position::Position;
use crate::rules::{MoveCount, Rules};
use crate::search::{KnownValue, Limits};
use crate::tablebase::{TablebaseValue, Tablebases, draws_are_exact, make_small_tables};
use crate::types::score::{INFINITE, MAX_PLY, TABLEBASE_WIN};
use crate::types::{Move, Value};
use crate::util::time_limit::{TIME_TO_OPEN, within};

/// Options of endgame tables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TablebaseOptions {
    /// Tables are used.
    pub is_on: bool,
    /// Folders with tables, separated by `;`. Small tables are computed and need no folder.
    pub folders: String,
}

impl TablebaseOptions {
    /// Opens the tables if they are used. Also returns one message for each file that cannot be used.
    pub(super) fn open(&self) -> (Option<Arc<Tablebases>>, Vec<String>) {
        if !self.is_on {
            return (None, Vec::new());
        }
        let folders: Vec<PathBuf> = split_names(&self.folders).map(PathBuf::from).collect();
        let opened = within(TIME_TO_OPEN, move || Tablebases::open(&folders));
        let (tables, errors) = match opened {
            Ok((tables, errors)) => (tables, errors.iter().map(ToString::to_string).collect()),
            Err(error) => (Tablebases::open(&[]).0, vec![format!("{}: {error}", self.folders)]),
        };
        // Computed here, not while a clock runs.
        make_small_tables();
        (Some(Arc::new(tables)), errors)
    }
}

/// Result of a table lookup for all root moves.
pub(super) struct RootMoves {
    /// Bounds of the values of the moves.
    pub known: Vec<KnownValue>,
    /// Moves that keep the value of the position: the fastest wins, or the draws, or the slowest losses.
    pub best: Vec<Move>,
}

/// Looks up the moves of a position; returns `None` unless the tables contain all of them. Moves that `limits` exclude
/// are left out. A win counts if its next capture comes within the natural move limit.
pub(super) fn probe_root(
    tables: &Tablebases,
    position: &Position,
    rules: &Rules,
    limits: &Limits,
) -> Option<RootMoves> {
    if !tables.may_contain(position) {
        return None;
    }
    let mut moves = tables.moves(position).ok()?;
    moves.retain(|(mv, _)| limits.allows(*mv));
    let plies_left = usize::from(rules.move_limit).saturating_sub(MoveCount::new(rules.set, position).plies());
    let is_in_time = |plies: u8| usize::from(plies) <= plies_left;
    let draws_are_exact = draws_are_exact(position);
    let draw = limits.draw_value();
    // Draws, and wins and losses that the natural move limit may turn into draws, are one class.
    let class = |value: TablebaseValue| match value {
        TablebaseValue::Win(plies) | TablebaseValue::Loss(plies) if is_in_time(plies) => value,
        _ => TablebaseValue::Draw,
    };
    let known = |&(mv, value): &(Move, TablebaseValue)| {
        let in_band = |plies: u8| TABLEBASE_WIN - Value::from(plies).min(MAX_PLY as Value);
        let (min, max) = match value {
            TablebaseValue::Win(plies) if is_in_time(plies) => (in_band(plies), INFINITE),
            TablebaseValue::Loss(plies) if is_in_time(plies) => (-INFINITE, -in_band(plies)),
            TablebaseValue::Draw if draws_are_exact => (draw, draw),
            _ => return None,
        };
        Some(KnownValue { mv, min, max })
    };
    let best = class(moves.first()?.1);
    Some(RootMoves {
        known: moves.iter().filter_map(known).collect(),
        best: moves.iter().filter(|(_, value)| class(*value) == best).map(|&(mv, _)| mv).collect(),
    })
}
