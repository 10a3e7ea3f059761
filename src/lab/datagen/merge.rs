//! Merging of game files made on several machines.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use super::merge_report::{IndexEntry, MissingGames, Part};
use super::merge_report::{MergeError, PartFault, Warning};
use super::reader::{GameReader, HeaderError, RecordError};
use super::record::{FRAME_BYTES, GameRecord, checksum};
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
    parts: Vec<Part>,
    /// Sorted by number, one entry per number.
    entries: Vec<IndexEntry>,
    duplicates: u64,
    conflicts: u64,
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
        let first = paths.first().ok_or(MergeError::Nothing)?;
        let mut merge =
            Merge { settings: Map::new(), parts: Vec::new(), entries: Vec::new(), duplicates: 0, conflicts: 0 };
        for path in paths {
            let mut reader = open(path)?;
            let header = reader.header().ok_or_else(|| PartFault::DamagedHeader.at(path))?;
            let (settings, shard) = settings_and_shard(&header.settings);
            if merge.parts.is_empty() {
                merge.settings = settings;
            } else if let Some(difference) = first_difference(&settings, &merge.settings) {
                return Err(PartFault::Settings { first: first.clone(), difference }.at(path));
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

    /// Input files in the order given.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Number of games with distinct numbers.
    pub fn games(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Number of exact duplicates that were dropped.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Number of games that were dropped because a different game has the same number.
    pub fn conflicts(&self) -> u64 {
        self.conflicts
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
        let mut writer = GameWriter::new(out, &self.settings()).map_err(MergeError::Output)?;
        let mut written = MergeStats { games: 0, same_moves: left_out.len() as u64 };
        for entries in self.entries.chunks(GAMES_AT_ONCE) {
            for (entry, bytes) in entries.iter().zip(self.records(entries)?) {
                if cancel.is_cancelled() {
                    return Err(MergeError::Interrupted);
                }
                if !left_out.contains(&entry.number) {
                    writer.write_bytes(&bytes).map_err(MergeError::Output)?;
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
        let changed = || PartFault::Changed.at(self.path(entry));
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
                    record_of(entry, &mut file).map_err(in_file(path))?.ok_or_else(|| PartFault::Changed.at(path))?;
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
    let is_same = sum == entry.checksum.to_le_bytes() && checksum(&content[2..]) == entry.checksum;
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
        return Err(PartFault::NotRegular.at(path));
    }
    let file = File::open(path).map_err(in_file(path))?;
    GameReader::new(file).map_err(|error| match error {
        HeaderError::Unreadable(error) => in_file(path)(error),
        error => PartFault::Header(error).at(path),
    })
}

fn in_file(path: &Path) -> impl Fn(io::Error) -> MergeError {
    move |error| PartFault::System(error).at(path)
}
