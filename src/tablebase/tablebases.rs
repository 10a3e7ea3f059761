//! All tables that a program has at hand: those in folders, and the small ones that it makes itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use thiserror::Error;

use super::endings::{CanonicalPosition, Endings, draws_are_exact, needed_for};
use super::store::{Content, StoreError};
use super::stored::StoredTable;
use super::value::{Metric, Outcome, Value};
use super::verify::valued_moves;
use crate::counting::{Placement, Signature};
use crate::position::Position;
use crate::types::{Move, PieceKind, Side};

/// Why a position has no value here.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// No table of this ending.
    #[error("there is no table of {0}; 'chuhe tablebase build' makes those that memory allows")]
    NoTable(Signature),
    /// More men than a game starts with, as composed problems have.
    #[error("tables know only positions with no more men of a kind than a game starts with")]
    SurplusMen,
    /// A table that cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Tables to look positions up in. It may be shared by threads.
#[derive(Default)]
pub struct Tablebases {
    stored: BTreeMap<Signature, StoredTable>,
    /// The most attackers of an ending here.
    most_attackers: usize,
}

/// The endings that a program makes itself when it first needs one: one attacker and a bare king against any defenders.
pub fn small_endings() -> Vec<Signature> {
    let attackers = [PieceKind::Rook, PieceKind::Horse, PieceKind::Cannon, PieceKind::Pawn];
    let full = |attacker| {
        let count = move |side, kind| match (side, kind) {
            (_, PieceKind::King) => 1,
            (Side::Black, PieceKind::Advisor | PieceKind::Elephant) => 2,
            (Side::Red, kind) => usize::from(kind == attacker),
            _ => 0,
        };
        Signature::new(count).ok()
    };
    let largest: Vec<Signature> = attackers.into_iter().filter_map(full).collect();
    needed_for(&largest).unwrap_or_default()
}

impl Tablebases {
    /// The tables of these folders by conversion, and the small ones. Files that cannot be used are left out and told.
    pub fn open(folders: &[PathBuf]) -> (Tablebases, Vec<StoreError>) {
        let mut shelf = Tablebases { most_attackers: 1, ..Tablebases::default() };
        let mut faults = Vec::new();
        for folder in folders {
            let endings = match endings_in(folder) {
                Ok(endings) => endings,
                Err(fault) => {
                    faults.push(fault);
                    continue;
                }
            };
            for ending in endings {
                match StoredTable::open(folder, ending, Metric::Conversion) {
                    Ok(table) => {
                        shelf.most_attackers = shelf.most_attackers.max(ending.attackers());
                        shelf.stored.entry(ending).or_insert(table);
                    }
                    Err(fault) => faults.push(fault),
                }
            }
        }
        (shelf, faults)
    }

    /// The endings that come from folders.
    pub fn stored(&self) -> impl Iterator<Item = &StoredTable> {
        self.stored.values()
    }

    /// Whether a table of this position's ending may be here: a quick look that never misses one.
    #[inline]
    pub fn may_know(&self, position: &Position) -> bool {
        position.attacker_count() <= self.most_attackers
    }

    /// The value of a position for the side to move, by conversion. Repetition and the natural move limit are not
    /// regarded. An ending without attackers is drawn.
    ///
    /// # Errors
    /// [`ProbeError`] when no table knows it.
    pub fn value(&self, position: &Position) -> Result<Value, ProbeError> {
        self.value_of(&Placement::of(position), position.side())
    }

    fn value_of(&self, placement: &Placement, side: Side) -> Result<Value, ProbeError> {
        let CanonicalPosition { ending, placement, side } =
            CanonicalPosition::new(placement, side).ok_or(ProbeError::SurplusMen)?;
        if ending.attackers() == 0 {
            return Ok(Value::Draw);
        }
        let value = match self.stored.get(&ending) {
            Some(table) => table.value(&placement, side)?,
            None if ending.attackers() == 1 => small().get(ending).and_then(|table| table.value(&placement, side)),
            None => None,
        };
        value.ok_or(ProbeError::NoTable(ending))
    }

    /// The legal moves of a position with the value that each leads to, for the side to move in `position`, best first.
    ///
    /// # Errors
    /// [`ProbeError`] when a table is missing.
    pub fn moves(&self, position: &Position) -> Result<Vec<(Move, Value)>, ProbeError> {
        let value = |after: &Placement, side, _| self.value_of(after, side);
        let mut moves = valued_moves(position, Metric::Conversion, value)?;
        moves.sort_by_key(|&(_, value)| std::cmp::Reverse(value.preference()));
        Ok(moves)
    }

    /// What tables say of a position, with the moves that follow from it when both sides play best: to the end of the
    /// game, or to a draw, which has no line.
    ///
    /// # Errors
    /// [`ProbeError`] when a table is missing for the position itself; a line ends where one is missing.
    pub fn probe(&self, position: &Position) -> Result<Probe, ProbeError> {
        let value = self.value(position)?;
        let mut line = Vec::new();
        if value.outcome() != Outcome::Draw {
            let mut position = position.clone();
            while line.len() < LONGEST_LINE
                && let Ok(moves) = self.moves(&position)
                && let Some(&(mv, _)) = moves.first()
            {
                line.push(mv);
                position.make(mv);
            }
        }
        let is_exact = draws_are_exact(position) || value.outcome() != Outcome::Draw;
        Ok(Probe { value, is_exact, line })
    }
}

/// The most moves of a line.
const LONGEST_LINE: usize = 400;

/// What tables say of a position.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Its value, with the plies to conversion.
    pub value: Value,
    /// Whether the outcome is that of the rules, chases by advisors and elephants left aside; a draw where both sides
    /// have attackers may be lost for one of them by perpetual checks or chases.
    pub is_exact: bool,
    /// The best moves of both sides from there on.
    pub line: Vec<Move>,
}

/// Makes the small tables, if they are not there yet; otherwise the first look at one of them does. It takes less than a
/// second.
pub fn make_small_tables() {
    small();
}

fn small() -> &'static Endings {
    static SMALL: OnceLock<Endings> = OnceLock::new();
    SMALL.get_or_init(|| solved(&small_endings()))
}

/// Solves endings one after the other, each by its captures and moves.
fn solved(endings: &[Signature]) -> Endings {
    let mut tables = Endings::default();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    for &ending in endings {
        match tables.solve(ending, Metric::Conversion, threads, |_| ()) {
            Ok(table) => tables.insert(Arc::new(table)),
            Err(error) => unreachable!("small endings can be solved: {error}"),
        }
    }
    tables
}

/// The endings of which a folder has results.
///
/// # Errors
/// [`StoreError`] when the folder cannot be read.
pub fn endings_in(folder: &Path) -> Result<Vec<Signature>, StoreError> {
    let io = |source| StoreError::Io { path: folder.to_owned(), source };
    let mut endings = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.extension().is_some_and(|extension| extension == Content::Results.extension())
            && let Some(name) = path.file_stem().and_then(|name| name.to_str())
            && let Ok(ending) = name.parse::<Signature>()
            && ending.to_string() == name
        {
            endings.push(ending);
        }
    }
    endings.sort_unstable_by_key(|ending| (ending.men(), *ending));
    Ok(endings)
}
