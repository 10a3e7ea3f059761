//! Probing all available tables: those in folders and the built-in small ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use thiserror::Error;

use super::endings::{EndingError, Endings, draws_are_exact, needed_for};
use super::file_format::{CanonicalPosition, Content, StoreError};
use super::layout::MAX_ATTACKERS;
use super::stored_table::StoredTable;
use super::value::{Metric, Outcome, TablebaseValue};
use super::verify::valued_moves;
use crate::counting::{Placement, Signature};
use crate::position::Position;
use crate::types::{Move, PieceKind, Side};
use crate::util::cores::cores;

/// Reason why a position has no value.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// There is no table of the ending.
    #[error("there is no table of {0}; build it with 'chuhe tablebase build {0}'")]
    NoTable(Signature),
    /// No table can hold the ending.
    #[error(transparent)]
    NoSuchTable(#[from] EndingError),
    /// The position has more pieces of a kind than a game starts with.
    #[error("tablebases contain no positions with more pieces of a kind than a game starts with")]
    SurplusPieces,
    /// A table cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Set of tables to probe; may be shared between threads.
#[derive(Default)]
pub struct Tablebases {
    stored: BTreeMap<Signature, StoredTable>,
    /// Maximum number of attackers of the available endings.
    max_attackers: usize,
}

/// Returns the endings that are solved in memory on first use: one attacker and a bare king against any defenders.
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
    /// Opens the tables of these folders (conversion metric) in addition to the built-in small ones. Returns an error
    /// for each unusable file, which is skipped.
    pub fn open(folders: &[PathBuf]) -> (Tablebases, Vec<StoreError>) {
        let mut tablebases = Tablebases { max_attackers: 1, ..Tablebases::default() };
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
                        tablebases.max_attackers = tablebases.max_attackers.max(ending.attackers());
                        tablebases.stored.entry(ending).or_insert(table);
                    }
                    Err(fault) => faults.push(fault),
                }
            }
        }
        (tablebases, faults)
    }

    /// Tables from folders.
    pub fn stored(&self) -> impl Iterator<Item = &StoredTable> {
        self.stored.values()
    }

    /// Quick test whether a table of the position's ending may exist; never false if there is one.
    #[inline]
    pub fn may_contain(&self, position: &Position) -> bool {
        position.attacker_count() <= self.max_attackers
    }

    /// Returns the value of a position for the side to move (conversion metric), without regard to repetition and the
    /// natural move limit. Endings without attackers are drawn.
    ///
    /// # Errors
    /// [`ProbeError`] if there is no usable table.
    pub fn value(&self, position: &Position) -> Result<TablebaseValue, ProbeError> {
        self.value_of(&Placement::from_position(position), position.side())
    }

    fn value_of(&self, placement: &Placement, side: Side) -> Result<TablebaseValue, ProbeError> {
        let CanonicalPosition { ending, placement, side } =
            CanonicalPosition::new(placement, side).ok_or(ProbeError::SurplusPieces)?;
        if ending.attackers() == 0 {
            return Ok(TablebaseValue::Draw);
        }
        let value = match self.stored.get(&ending) {
            Some(table) => table.value(&placement, side)?,
            None if ending.attackers() == 1 => small().get(ending).and_then(|table| table.value(&placement, side)),
            None => None,
        };
        match value {
            Some(value) => Ok(value),
            // The search probes too, so this takes no time.
            None if ending.attackers() > MAX_ATTACKERS => Err(EndingError::TooLarge(ending).into()),
            None => Err(ProbeError::NoTable(ending)),
        }
    }

    /// Returns the legal moves with their values for the side to move in `position`, best first.
    ///
    /// # Errors
    /// [`ProbeError`] if a table is missing.
    pub fn moves(&self, position: &Position) -> Result<Vec<(Move, TablebaseValue)>, ProbeError> {
        let value = |after: &Placement, side, _| self.value_of(after, side);
        let mut moves = valued_moves(position, Metric::Conversion, value)?;
        moves.sort_by_key(|&(_, value)| std::cmp::Reverse(value.sort_key()));
        Ok(moves)
    }

    /// Returns the value of a position and the principal variation to the end of the game; empty for a draw.
    ///
    /// # Errors
    /// [`ProbeError`] if there is no usable table for the position itself; the line ends where one is missing.
    pub fn probe(&self, position: &Position) -> Result<Probe, ProbeError> {
        let value = self.value(position)?;
        let mut line = Vec::new();
        if value.outcome() != Outcome::Draw {
            let mut position = position.clone();
            while line.len() < MAX_LINE_LENGTH
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

/// Maximum length of a line in plies.
const MAX_LINE_LENGTH: usize = 400;

/// Result of a probe.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Value, with the plies to conversion.
    pub value: TablebaseValue,
    /// The outcome agrees with the rules, apart from chases by advisors and elephants. A draw with attackers on both
    /// sides may be lost for one of them because of perpetual checks or chases.
    pub is_exact: bool,
    /// Best moves of both sides.
    pub line: Vec<Move>,
}

/// Builds the small tables now instead of at the first probe. Takes less than a second.
pub fn make_small_tables() {
    small();
}

fn small() -> &'static Endings {
    static SMALL: OnceLock<Endings> = OnceLock::new();
    SMALL.get_or_init(|| solved(&small_endings()))
}

/// Solves endings in order.
fn solved(endings: &[Signature]) -> Endings {
    let mut tables = Endings::default();
    for &ending in endings {
        match tables.solve(ending, Metric::Conversion, cores().get(), |_| ()) {
            Ok(table) => tables.insert(Arc::new(table)),
            Err(error) => unreachable!("small endings can be solved: {error}"),
        }
    }
    tables
}

/// Returns the endings with a result file in a folder.
///
/// # Errors
/// [`StoreError`] if the folder cannot be read.
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
    endings.sort_unstable_by_key(|ending| (ending.piece_count(), *ending));
    Ok(endings)
}
