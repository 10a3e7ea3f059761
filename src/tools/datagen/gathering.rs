//! Putting together what was made of the same games on many machines.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use super::findings::{Finding, GatherError, PartFault};
use super::gaps::Gaps;
use super::reader::{GameReader, HeaderError, RecordError};
use super::record::{FRAME, GameRecord, checksum};
use super::relabel::Origin;
use super::settings::{Map, first_difference};
use super::writer::GameWriter;
use crate::util::cancel::CancelFlag;
use crate::util::shard::Shard;

/// The setting in which files of the same games may differ.
const SHARD: &str = "shard";
/// The setting that tells of games that were scored anew.
const RELABEL: &str = "relabel";
/// How many games are in memory when they are written. So many are read from file after file, each of which is opened
/// once for them.
const GAMES_AT_ONCE: usize = 4_096;

/// A file that is put together with others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Where it lies.
    pub path: PathBuf,
    /// Which games it should have.
    pub shard: Shard,
    /// How many it has.
    pub games: u64,
}

/// Where a game is, and what it is compared by. This is all that is in memory of games that are not being written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub number: u64,
    key: u64,
    offset: u64,
    checksum: u32,
    part: u32,
}

/// What was written of files that are put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Written {
    /// Games that were written.
    pub games: u64,
    /// Games that were left out because another game has the same moves.
    pub same_moves: u64,
}

/// Files of the same games: what is in them, and what is not.
#[derive(Debug)]
pub struct Merging {
    settings: Map,
    parts: Vec<Part>,
    /// By number; of each number there is one.
    entries: Vec<Entry>,
    twice: u64,
    conflicts: u64,
}

impl Merging {
    /// Finds out what is in these files, and tells `listen` what is wrong with them, and after each game how many
    /// files were read before.
    ///
    /// # Errors
    /// [`GatherError`] when they cannot belong together.
    pub fn read(
        paths: &[PathBuf],
        interrupt: &CancelFlag,
        listen: &mut dyn FnMut(Finding),
        progress: &mut dyn FnMut(usize),
    ) -> Result<Merging, GatherError> {
        let first = paths.first().ok_or(GatherError::Nothing)?;
        let mut gathering =
            Merging { settings: Map::new(), parts: Vec::new(), entries: Vec::new(), twice: 0, conflicts: 0 };
        for path in paths {
            let mut reader = open(path)?;
            let header = reader.header().ok_or_else(|| PartFault::Headless.of(path))?;
            let (settings, shard) = settings_and_shard(&header.settings);
            if gathering.parts.is_empty() {
                gathering.settings = settings;
            } else if let Some(difference) = first_difference(&settings, &gathering.settings) {
                return Err(PartFault::Settings { first: first.clone(), difference }.of(path));
            }
            if let Some(before) = gathering.parts.iter().find(|part| part.shard == shard) {
                listen(Finding::Repeated { shard, path, first: &before.path });
            }
            let part = gathering.parts.len();
            let mut games = 0;
            while let Some(record) = reader.next() {
                if interrupt.is_cancelled() {
                    return Err(GatherError::Interrupted);
                }
                match record {
                    Ok(record) => {
                        games += 1;
                        let (place, key) = (reader.last_record(), record.key_of_moves());
                        let (offset, checksum, part) = (place.offset, place.checksum, part as u32);
                        gathering.entries.push(Entry { number: record.number, key, offset, checksum, part });
                    }
                    Err(RecordError::Unreadable { error, .. }) => return Err(in_file(path)(error)),
                    Err(error) => listen(Finding::Fault(path, error)),
                }
                progress(part);
            }
            gathering.parts.push(Part { path: path.clone(), shard, games });
        }
        gathering.keep_one_of_each_number(listen);
        Ok(gathering)
    }

    /// Sorts the games, and keeps the first of those of the same number.
    fn keep_one_of_each_number(&mut self, listen: &mut dyn FnMut(Finding)) {
        self.entries.sort_unstable_by_key(|entry| (entry.number, entry.part, entry.offset));
        let (parts, twice, conflicts) = (&self.parts, &mut self.twice, &mut self.conflicts);
        let path = |entry: &Entry| parts[entry.part as usize].path.as_path();
        self.entries.dedup_by(|entry, first| {
            if entry.number != first.number {
                return false;
            }
            if (entry.key, entry.checksum) == (first.key, first.checksum) {
                *twice += 1;
            } else {
                *conflicts += 1;
                listen(Finding::Conflict { number: entry.number, path: path(entry), first: path(first) });
            }
            true
        });
    }

    /// The files, as they were named.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// How many games of different numbers there are.
    pub fn games(&self) -> u64 {
        self.entries.len() as u64
    }

    /// How many games were there again, with all they hold.
    pub fn twice(&self) -> u64 {
        self.twice
    }

    /// How many games differ from another one of the same number, which is kept in their stead.
    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }

    /// What is missing of so many games; where nobody says how many there should be, of as many as there seem to be.
    pub fn gaps(&self, games: Option<u64>) -> Gaps {
        let origin: Option<Origin> =
            self.settings.get(RELABEL).and_then(|origin| serde_json::from_value(origin.clone()).ok());
        Gaps::of(&self.parts, &self.entries, games, origin.map(|origin| origin.games))
    }

    /// The settings of the games put together, which are those of shard 1/1.
    pub fn settings(&self) -> String {
        let mut settings = self.settings.clone();
        if !settings.is_empty() {
            settings.insert(SHARD.to_owned(), Shard::default().to_string().into());
        }
        serde_json::Value::Object(settings).to_string()
    }

    /// Writes all games by their numbers into one file. Of games with the same moves the first one is written.
    ///
    /// # Errors
    /// [`GatherError`]; what was written is of no use then.
    pub fn write(
        &self,
        out: &mut dyn Write,
        interrupt: &CancelFlag,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Written, GatherError> {
        let left_out = self.same_moves()?;
        let mut writer = GameWriter::new(out, &self.settings()).map_err(GatherError::Output)?;
        let mut written = Written { games: 0, same_moves: left_out.len() as u64 };
        for entries in self.entries.chunks(GAMES_AT_ONCE) {
            for (entry, bytes) in entries.iter().zip(self.records(entries)?) {
                if interrupt.is_cancelled() {
                    return Err(GatherError::Interrupted);
                }
                if !left_out.contains(&entry.number) {
                    writer.write_bytes(&bytes).map_err(GatherError::Output)?;
                    written.games += 1;
                    progress(written.games);
                }
            }
        }
        Ok(written)
    }

    /// The numbers of the games that have the moves of one before.
    fn same_moves(&self) -> Result<BTreeSet<u64>, GatherError> {
        let mut by_key: Vec<(u64, usize)> =
            self.entries.iter().enumerate().map(|(index, entry)| (entry.key, index)).collect();
        by_key.sort_unstable();
        let mut left_out = BTreeSet::new();
        for group in by_key.chunk_by(|one, other| one.0 == other.0).filter(|group| group.len() > 1) {
            // The key is the same by chance too, though hardly ever.
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

    fn game(&self, entry: &Entry) -> Result<GameRecord, GatherError> {
        let bytes = self.records(std::slice::from_ref(entry))?;
        let changed = || PartFault::Changed.of(self.path(entry));
        let content = bytes.first().and_then(|bytes| bytes.get(4..bytes.len() - 4)).ok_or_else(changed)?;
        GameRecord::read(content).map_err(|_| changed())
    }

    fn path(&self, entry: &Entry) -> &Path {
        &self.parts[entry.part as usize].path
    }

    /// The records of these games in their order. No more than one file is open at a time.
    fn records(&self, entries: &[Entry]) -> Result<Vec<Vec<u8>>, GatherError> {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_unstable_by_key(|&index| (entries[index].part, entries[index].offset));
        let mut records = vec![Vec::new(); entries.len()];
        for indices in order.chunk_by(|&one, &other| entries[one].part == entries[other].part) {
            let path = self.path(&entries[indices[0]]);
            let mut file = BufReader::new(File::open(path).map_err(in_file(path))?);
            let mut place = 0;
            for &index in indices {
                let entry = &entries[index];
                // Both are sizes of files that exist.
                file.seek_relative(entry.offset.wrapping_sub(place) as i64).map_err(in_file(path))?;
                records[index] =
                    record_of(entry, &mut file).map_err(in_file(path))?.ok_or_else(|| PartFault::Changed.of(path))?;
                place = entry.offset + records[index].len() as u64;
            }
        }
        Ok(records)
    }
}

/// The record of a game, which begins where the file stands; `None` when it is not what it was.
fn record_of(entry: &Entry, file: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = vec![0; 4];
    let read = file.read_exact(&mut bytes).and_then(|()| {
        bytes.resize(FRAME + usize::from(u16::from_le_bytes([bytes[2], bytes[3]])), 0);
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

/// The settings of a file but for its shard, and that.
fn settings_and_shard(text: &str) -> (Map, Shard) {
    let mut settings: Map = serde_json::from_str(text).unwrap_or_default();
    let shard = settings.remove(SHARD).and_then(|shard| shard.as_str()?.parse().ok());
    (settings, shard.unwrap_or_default())
}

fn open(path: &Path) -> Result<GameReader<File>, GatherError> {
    if path.exists() && !path.is_file() {
        return Err(PartFault::Special.of(path));
    }
    let file = File::open(path).map_err(in_file(path))?;
    GameReader::new(file).map_err(|error| match error {
        HeaderError::Unreadable(error) => in_file(path)(error),
        error => PartFault::Header(error).of(path),
    })
}

fn in_file(path: &Path) -> impl Fn(io::Error) -> GatherError {
    move |error| PartFault::System(error).of(path)
}
