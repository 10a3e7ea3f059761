//! Merging of game files made on several machines.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::reader::{GameReader, HeaderError, RecordError};
use super::record::{FRAME_BYTES, GameRecord};
use super::relabel::Origin;
use super::settings::{Map, first_difference};
use super::writer::GameWriter;
use crate::util::cancel::CancelFlag;
use crate::util::shard::Shard;

/// Setting in which merged files may differ.
const SHARD: &str = "shard";
/// Setting that is present in rescored games.
const RELABEL: &str = "relabel";
/// Games read per pass of the writer. Each input file is opened once per pass.
const GAMES_AT_ONCE: usize = 4_096;

/// Result of writing a merge.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MergeStats {
    /// Games written.
    pub games: u64,
    /// Games dropped because another game has the same moves.
    pub same_moves: u64,
}

/// Merge of files with games of the same settings.
#[derive(Debug)]
pub struct Merge {
    settings: Map,
    /// Input files in the order given.
    pub parts: Vec<Part>,
    /// Sorted by number, one entry per number.
    entries: Vec<IndexEntry>,
    /// Number of exact duplicates that were dropped.
    pub duplicates: u64,
    /// Number of games that were dropped because a different game has the same number.
    pub conflicts: u64,
}

impl Merge {
    /// Scans the files. Calls `on_warning` for every problem found and `on_progress` after each game with the number of
    /// files completed.
    ///
    /// # Errors
    /// [`MergeError`] when the files cannot be merged.
    pub fn read(
        paths: &[PathBuf],
        cancel: &CancelFlag,
        on_warning: &mut dyn FnMut(Warning),
        on_progress: &mut dyn FnMut(usize),
    ) -> Result<Merge, MergeError> {
        let mut merge =
            Merge { settings: Map::new(), parts: Vec::new(), entries: Vec::new(), duplicates: 0, conflicts: 0 };
        for path in paths {
            let mut reader = open(path)?;
            let header = reader.header().ok_or_else(|| {
                let fault =
                    "its header with the settings of its games is damaged; merge without it to see what is missing";
                MergeError::unusable(path, fault)
            })?;
            let (settings, shard) = settings_and_shard(&header.settings);
            if merge.parts.is_empty() {
                merge.settings = settings;
            } else if let Some(difference) = first_difference(&settings, &merge.settings) {
                let fault = format!(
                    "its games were made with other settings than those of {}: {} is {} there and {} here; leave out \
                     one of them",
                    paths[0].display(),
                    difference.name(),
                    difference.earlier,
                    difference.now
                );
                return Err(MergeError::unusable(path, fault));
            }
            if let Some(before) = merge.parts.iter().find(|part| part.shard == shard) {
                on_warning(Warning::Repeated { shard, path, first: &before.path });
            }
            let part = merge.parts.len();
            let mut games = 0;
            while let Some(record) = reader.next() {
                if cancel.is_cancelled() {
                    return Err(MergeError::Interrupted);
                }
                match record {
                    Ok(record) => {
                        games += 1;
                        let (location, key) = (reader.last_record(), record.key_of_moves());
                        let (offset, checksum, part) = (location.offset, location.checksum, part as u32);
                        merge.entries.push(IndexEntry { number: record.number, key, offset, checksum, part });
                    }
                    Err(RecordError::Unreadable { error, .. }) => return Err(in_file(path)(error)),
                    Err(error) => on_warning(Warning::Fault(path, error)),
                }
                on_progress(part);
            }
            merge.parts.push(Part { path: path.clone(), shard, games });
        }
        merge.keep_one_of_each_number(on_warning);
        Ok(merge)
    }

    /// Sorts the games and keeps the first of each number.
    fn keep_one_of_each_number(&mut self, on_warning: &mut dyn FnMut(Warning)) {
        self.entries.sort_unstable_by_key(|entry| (entry.number, entry.part, entry.offset));
        let (parts, duplicates, conflicts) = (&self.parts, &mut self.duplicates, &mut self.conflicts);
        let path = |entry: &IndexEntry| parts[entry.part as usize].path.as_path();
        self.entries.dedup_by(|entry, first| {
            if entry.number != first.number {
                return false;
            }
            if (entry.key, entry.checksum) == (first.key, first.checksum) {
                *duplicates += 1;
            } else {
                *conflicts += 1;
                on_warning(Warning::Conflict { number: entry.number, path: path(entry), first: path(first) });
            }
            true
        });
    }

    /// Number of games with distinct numbers.
    pub fn games(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Returns the missing games out of `games`; without it the origin of rescored games or the highest number decides.
    pub fn missing(&self, games: Option<u64>) -> MissingGames {
        let origin: Option<Origin> =
            self.settings.get(RELABEL).and_then(|origin| serde_json::from_value(origin.clone()).ok());
        MissingGames::find(&self.parts, &self.entries, games, origin.as_ref())
    }

    /// Settings of the merged games as JSON, those of shard 1/1.
    pub fn settings(&self) -> String {
        let mut settings = self.settings.clone();
        if !settings.is_empty() {
            settings.insert(SHARD.to_owned(), Shard::default().to_string().into());
        }
        serde_json::Value::Object(settings).to_string()
    }

    /// Writes all games by number. Of games with the same moves only the first is written.
    ///
    /// # Errors
    /// [`MergeError`]; the output is unusable then.
    pub fn write(
        &self,
        out: &mut dyn Write,
        cancel: &CancelFlag,
        on_progress: &mut dyn FnMut(u64),
    ) -> Result<MergeStats, MergeError> {
        let left_out = self.same_moves()?;
        let writer = GameWriter::new(out, &self.settings()).map_err(MergeError::Output)?;
        let mut written = MergeStats { games: 0, same_moves: left_out.len() as u64 };
        for entries in self.entries.chunks(GAMES_AT_ONCE) {
            for (entry, bytes) in entries.iter().zip(self.records(entries)?) {
                if cancel.is_cancelled() {
                    return Err(MergeError::Interrupted);
                }
                if !left_out.contains(&entry.number) {
                    writer.out.write_all(&bytes).map_err(MergeError::Output)?;
                    written.games += 1;
                    on_progress(written.games);
                }
            }
        }
        Ok(written)
    }

    /// Returns the numbers of the games whose moves occurred before.
    fn same_moves(&self) -> Result<BTreeSet<u64>, MergeError> {
        let mut by_key: Vec<(u64, usize)> =
            self.entries.iter().enumerate().map(|(index, entry)| (entry.key, index)).collect();
        by_key.sort_unstable();
        let mut left_out = BTreeSet::new();
        for group in by_key.chunk_by(|one, other| one.0 == other.0).filter(|group| group.len() > 1) {
            // Different games may share a key, though hardly ever.
            let mut kept: Vec<GameRecord> = Vec::new();
            for &(_, index) in group {
                let game = self.game(&self.entries[index])?;
                if kept.iter().any(|other| other.has_moves_of(&game)) {
                    left_out.insert(game.number);
                } else {
                    kept.push(game);
                }
            }
        }
        Ok(left_out)
    }

    fn game(&self, entry: &IndexEntry) -> Result<GameRecord, MergeError> {
        let bytes = self.records(std::slice::from_ref(entry))?;
        let changed = || MergeError::changed(self.path(entry));
        let content = bytes.first().and_then(|bytes| bytes.get(4..bytes.len() - 4)).ok_or_else(changed)?;
        GameRecord::read(content).map_err(|_| changed())
    }

    fn path(&self, entry: &IndexEntry) -> &Path {
        &self.parts[entry.part as usize].path
    }

    /// Reads the encoded records of these games, in their order. Keeps one file open at a time.
    fn records(&self, entries: &[IndexEntry]) -> Result<Vec<Vec<u8>>, MergeError> {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_unstable_by_key(|&index| (entries[index].part, entries[index].offset));
        let mut records = vec![Vec::new(); entries.len()];
        for indices in order.chunk_by(|&one, &other| entries[one].part == entries[other].part) {
            let path = self.path(&entries[indices[0]]);
            let mut file = BufReader::new(File::open(path).map_err(in_file(path))?);
            let mut location = 0;
            for &index in indices {
                let entry = &entries[index];
                // Both are offsets in existing files.
                file.seek_relative(entry.offset.wrapping_sub(location) as i64).map_err(in_file(path))?;
                records[index] =
                    record_of(entry, &mut file).map_err(in_file(path))?.ok_or_else(|| MergeError::changed(path))?;
                location = entry.offset + records[index].len() as u64;
            }
        }
        Ok(records)
    }
}

/// Reads the record at the current position; `None` when the file changed since the scan.
fn record_of(entry: &IndexEntry, file: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = vec![0; 4];
    let read = file.read_exact(&mut bytes).and_then(|()| {
        bytes.resize(FRAME_BYTES + usize::from(u16::from_le_bytes([bytes[2], bytes[3]])), 0);
        file.read_exact(&mut bytes[4..])
    });
    match read {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let (content, sum) = bytes.split_at(bytes.len() - 4);
    let is_same = sum == entry.checksum.to_le_bytes() && crc32fast::hash(&content[2..]) == entry.checksum;
    Ok(is_same.then_some(bytes))
}

/// Splits settings into the shard and all others.
fn settings_and_shard(text: &str) -> (Map, Shard) {
    let mut settings: Map = serde_json::from_str(text).unwrap_or_default();
    let shard = settings.remove(SHARD).and_then(|shard| shard.as_str()?.parse().ok());
    (settings, shard.unwrap_or_default())
}

fn open(path: &Path) -> Result<GameReader<File>, MergeError> {
    if path.exists() && !path.is_file() {
        return Err(MergeError::unusable(path, "not a regular file"));
    }
    let file = File::open(path).map_err(in_file(path))?;
    GameReader::new(file).map_err(|error| match error {
        HeaderError::Unreadable(error) => in_file(path)(error),
        error => MergeError::unusable(path, error),
    })
}

fn in_file(path: &Path) -> impl Fn(io::Error) -> MergeError {
    move |error| MergeError::File { path: path.to_owned(), error }
}

/// Input file of a merge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Path of the file.
    pub path: PathBuf,
    /// Shard named in its header.
    pub shard: Shard,
    /// Number of games read from it.
    pub games: u64,
}

/// Location of a game and the hashes it is compared by. The only data kept in memory per game.
#[derive(Clone, Copy, Debug)]
struct IndexEntry {
    number: u64,
    key: u64,
    offset: u64,
    checksum: u32,
    part: u32,
}

/// Error that prevents merging. Nothing is written then.
#[derive(Debug, Error)]
pub enum MergeError {
    /// An input file cannot be read.
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    /// An input file cannot be used.
    #[error("{}: {fault}", path.display())]
    Unusable { path: PathBuf, fault: String },
    /// The output cannot be written.
    #[error(transparent)]
    Output(io::Error),
    #[error("interrupted")]
    Interrupted,
}

impl MergeError {
    fn unusable(path: &Path, fault: impl ToString) -> MergeError {
        MergeError::Unusable { path: path.to_owned(), fault: fault.to_string() }
    }

    /// The file changed between the two passes.
    fn changed(path: &Path) -> MergeError {
        MergeError::unusable(path, "it changed while it was read")
    }
}

/// Problem in the input that does not prevent merging.
#[derive(Debug)]
pub enum Warning<'a> {
    /// Damaged record.
    Fault(&'a Path, RecordError),
    /// Second file with the same shard.
    Repeated { shard: Shard, path: &'a Path, first: &'a Path },
    /// Two different games with the same number, of which the first is kept.
    Conflict { number: u64, path: &'a Path, first: &'a Path },
}

/// Maximum number of missing shards, and of missing runs of games, listed in [`Missing`].
const MAX_LISTED: usize = 10;

/// Shard with missing games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IncompleteShard {
    /// The shard.
    pub shard: Shard,
    /// Number of games that the shard should have.
    pub games: u64,
    /// Number of games that are in no file.
    pub missing: u64,
}

/// Games missing from a merge.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MissingGames {
    /// Number of games expected.
    pub expected: u64,
    /// Number of games that are in no file.
    pub count: u64,
    /// First runs of missing game numbers.
    pub runs: Vec<RangeInclusive<u64>>,
    /// First shards without a file. Empty where shards of several counts are mixed.
    pub lost: Vec<Shard>,
    /// Number of shards without a file.
    pub lost_count: u64,
    /// Shards with a file that lacks games.
    pub incomplete: Vec<IncompleteShard>,
}

impl MissingGames {
    /// Finds the missing games. `entries` are sorted by number without duplicates.
    ///
    /// For rescored games `origin` says how many there are, and whether their numbers have gaps: then only the number
    /// of missing games is known. All other numbers start at 0, and without `games` the highest number decides.
    fn find(parts: &[Part], entries: &[IndexEntry], games: Option<u64>, origin: Option<&Origin>) -> MissingGames {
        let seeming = entries.last().map_or(0, |last| last.number.saturating_add(1));
        let games = games.or(origin.map(|origin| origin.games)).unwrap_or(seeming);
        // Rescored games may be a selection, whose numbers have gaps of their own.
        let is_dense = origin
            .is_none_or(|origin| origin.highest.is_some_and(|highest| highest.checked_add(1) == Some(origin.games)));
        let own = if is_dense { entries.partition_point(|entry| entry.number < games) } else { entries.len() };
        let entries = &entries[..own];
        let count = games.saturating_sub(own as u64);
        let mut missing = MissingGames { expected: games, count, ..MissingGames::default() };
        missing.find_lost(parts, games, is_dense);
        if is_dense {
            missing.find_incomplete(parts, entries, games);
            missing.find_runs(entries, games);
        }
        missing
    }

    /// Returns whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.count == 0 && self.lost_count == 0
    }

    fn find_lost(&mut self, parts: &[Part], games: u64, is_dense: bool) {
        let Some(count) = parts.first().map(|part| part.shard.step()) else { return };
        if parts.iter().any(|part| part.shard.step() != count) {
            return;
        }
        // A shard beyond the last game has no games.
        let count_with_games = if is_dense { count.min(games) } else { count };
        let present: BTreeSet<u64> =
            parts.iter().map(|part| part.shard.first()).filter(|first| *first < count_with_games).collect();
        self.lost_count = count_with_games - present.len() as u64;
        let lost = (0..count_with_games).filter(|first| !present.contains(first)).take(MAX_LISTED);
        self.lost = lost.filter_map(|first| Shard::new(first + 1, count)).collect();
    }

    fn find_incomplete(&mut self, parts: &[Part], entries: &[IndexEntry], games: u64) {
        let shards: BTreeSet<(u64, u64)> = parts.iter().map(|part| (part.shard.step(), part.shard.first())).collect();
        let steps: BTreeSet<u64> = shards.iter().map(|shard| shard.0).collect();
        let mut present: BTreeMap<(u64, u64), u64> = shards.iter().map(|&shard| (shard, 0)).collect();
        for entry in entries {
            for &step in &steps {
                if let Some(count) = present.get_mut(&(step, entry.number % step)) {
                    *count += 1;
                }
            }
        }
        let incomplete = present.into_iter().filter_map(|((step, first), present)| {
            let shard = Shard::new(first + 1, step)?;
            let games = shard.count(games);
            Some(IncompleteShard { shard, games, missing: games - present }).filter(|incomplete| incomplete.missing > 0)
        });
        self.incomplete = incomplete.collect();
    }

    fn find_runs(&mut self, entries: &[IndexEntry], games: u64) {
        let mut next = 0;
        let ends = entries.iter().map(|entry| entry.number).chain((games > 0).then_some(games));
        for number in ends {
            if number > next {
                self.runs.push(next..=number - 1);
                if self.runs.len() == MAX_LISTED {
                    return;
                }
            }
            next = number.saturating_add(1);
        }
    }
}
