//! Probing all available tables: those in folders and the built-in small ones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::endings::{Endings, needed_for};
use super::file_format::StoredTable;
use super::layout::normalised;
use super::table::{Content, valued_moves};
use super::value::{MAX_ATTACKERS, Metric, Outcome, TableError, TablebaseValue, draws_are_exact};
use crate::counting::{Placement, Signature};
use crate::position::Position;
use crate::types::{Move, Side};
use crate::util::parallel::cores;

/// Set of tables to probe; may be shared between threads.
#[derive(Default)]
pub struct Tablebases {
    stored: BTreeMap<Signature, StoredTable>,
    max_attackers: usize,
}

impl Tablebases {
    /// Opens the tables of these folders (conversion metric) in addition to the built-in small ones. Returns an error
    /// for each unusable file, which is skipped.
    pub fn open(folders: &[PathBuf]) -> (Tablebases, Vec<TableError>) {
        let mut tablebases = Tablebases { max_attackers: 1, ..Tablebases::default() };
        let mut faults = Vec::new();
        for folder in folders {
            let endings = endings_in(folder).unwrap_or_else(|fault| {
                faults.push(fault);
                Vec::new()
            });
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

    /// Number of tables from folders.
    pub fn stored(&self) -> usize {
        self.stored.len()
    }

    /// Quick test whether a table of the position's ending may exist; never false if there is one.
    #[inline]
    pub fn may_contain(&self, position: &Position) -> bool {
        position.attacker_count() <= self.max_attackers
    }

    /// Returns the value of a position for the side to move (conversion metric), without regard to its history and the
    /// natural move limit. Endings without attackers are drawn.
    pub fn value(&self, position: &Position) -> Result<TablebaseValue, TableError> {
        self.value_of(&Placement::from_position(position), position.side())
    }

    fn value_of(&self, placement: &Placement, side: Side) -> Result<TablebaseValue, TableError> {
        let (ending, placement, side) = normalised(placement, side).ok_or(TableError::SurplusPieces)?;
        let value = match (self.stored.get(&ending), ending.attackers()) {
            (_, 0) => Some(TablebaseValue::Draw),
            (Some(table), _) => table.value(&placement, side)?,
            (None, 1) => small().get(ending).and_then(|table| table.value(&placement, side)),
            _ => None,
        };
        // The search probes too, so errors take no time.
        value.ok_or(if ending.attackers() > MAX_ATTACKERS {
            TableError::TooLarge(ending)
        } else {
            TableError::Missing(ending)
        })
    }

    /// Returns the legal moves with their values for the side to move in `position`, best first.
    pub fn moves(&self, position: &Position) -> Result<Vec<(Move, TablebaseValue)>, TableError> {
        let mut moves = valued_moves(position, Metric::Conversion, |after, side| self.value_of(after, side))?;
        moves.sort_by_key(|&(_, value)| std::cmp::Reverse(value.sort_key()));
        Ok(moves)
    }

    /// Returns the value of a position and the principal variation, as far as there are tables; empty for a draw.
    pub fn probe(&self, position: &Position) -> Result<Probe, TableError> {
        let value = self.value(position)?;
        let (mut line, mut met) = (Vec::new(), BTreeSet::new());
        if value.outcome() != Outcome::Draw {
            let mut position = position.clone();
            while met.insert(position.key())
                && line.len() < MAX_LINE_LENGTH
                && let Ok(moves) = self.moves(&position)
                && let Some(&(mv, _)) = moves.first()
            {
                line.push(mv);
                position.make(mv);
            }
        }
        let is_exact = draws_are_exact(position) || value.outcome() != Outcome::Draw;
        let by_checks = value.distance(draws_are_exact(position)) != value.plies();
        Ok(Probe { value, is_exact, by_checks, line })
    }
}

const MAX_LINE_LENGTH: usize = 400;

/// Result of a probe.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Value, with the plies to conversion.
    pub value: TablebaseValue,
    /// The outcome agrees with the rules, apart from chases by advisors and elephants. A draw with attackers on both
    /// sides may be lost for one of them because of perpetual chases.
    pub is_exact: bool,
    /// The loser can in the end only check perpetually; the plies are no distance.
    pub by_checks: bool,
    /// Best moves of both sides, up to the first repetition.
    pub line: Vec<Move>,
}

/// Builds the small tables now instead of at the first probe. Takes less than a second.
pub fn make_small_tables() {
    small();
}

/// Tables that are solved in memory on first use: one attacker and a bare king against any defenders.
fn small() -> &'static Endings {
    static SMALL: OnceLock<Endings> = OnceLock::new();
    SMALL.get_or_init(|| {
        let largest = ["KRvKAABB", "KNvKAABB", "KCvKAABB", "KPvKAABB"];
        let largest: Vec<Signature> = largest.iter().filter_map(|ending| ending.parse().ok()).collect();
        let mut tables = Endings::default();
        for ending in needed_for(&largest).unwrap_or_default() {
            if let Err(error) = tables.solve(ending, Metric::Conversion, cores().get(), |_| ()) {
                unreachable!("small endings can be solved: {error}");
            }
        }
        tables
    })
}

/// Returns the endings with a result file in a folder.
pub fn endings_in(folder: &Path) -> Result<Vec<Signature>, TableError> {
    let io = |error| TableError::File { path: folder.to_owned(), error };
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
