//! Game files: a reader that recovers after damaged records, and writers. A crash at any moment costs only the games in
//! progress.

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::difference;
use super::record::{FRAME_BYTES, GameRecord, MAGIC, MARKER, MAX_RECORD, MAX_SETTINGS, VERSION, header_bytes};
use crate::console::error::CommandError;
use crate::console::input::Faults;
use crate::console::{counted, note};
use crate::lab::{in_file, unusable};
use crate::util::files::with_remedy;

/// Bytes of a header before the settings.
const FIXED_HEADER: usize = MAGIC.len() + 6;
/// Bytes read at a time.
const CHUNK: usize = 1 << 16;

#[derive(Debug, Error)]
pub enum RecordError {
    /// Damage to a record, whose index in the file, from 1, and offset in bytes are given. Reading continues with the
    /// next record.
    #[error("record {record} at byte {offset}{fault}")]
    Damaged { record: u64, offset: u64, fault: String },
    /// The rest of the file is lost.
    #[error(transparent)]
    Unreadable(io::Error),
}

/// Iterator over the games of a file. Holds one record and one chunk of the file in memory.
#[derive(Debug)]
pub struct GameReader<R> {
    settings: Option<String>,
    window: Window<R>,
    /// Number of records before the current position.
    records: u64,
    /// Offset after the last valid record.
    end: u64,
}

impl<R: Read> GameReader<R> {
    /// Creates a reader. A damaged header costs no game; its bytes are reported as a damaged record.
    pub fn new(reader: R) -> io::Result<GameReader<R>> {
        let mut window = Window { reader, bytes: Vec::new(), used: 0, offset: 0, is_at_end: false };
        window.fill(FIXED_HEADER + MAX_SETTINGS + 4)?;
        let Some(rest) = window.rest().strip_prefix(MAGIC) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not a file of self-play games"));
        };
        let version = rest.first_chunk().map_or(VERSION, |&bytes| u16::from_le_bytes(bytes));
        if version != VERSION {
            let text = format!("its format version is {version}, but this program supports {VERSION} only");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let settings = settings_of(window.rest());
        window.skip(settings.as_ref().map_or(MAGIC.len(), |settings| header_bytes(settings).len()));
        let end = window.offset;
        Ok(GameReader { settings, window, records: 0, end })
    }

    /// Returns the settings of the games as JSON; `None` when the header is damaged.
    pub fn settings(&self) -> Option<&str> {
        self.settings.as_deref()
    }

    pub fn bytes_read(&self) -> u64 {
        self.window.offset
    }

    fn read_next(&mut self) -> io::Result<Option<Result<GameRecord, RecordError>>> {
        if self.window.fill(1)? == 0 {
            return Ok(None);
        }
        self.records += 1;
        let (record, offset) = (self.records, self.window.offset);
        let damaged = |fault| Some(Err(RecordError::Damaged { record, offset, fault }));
        let Some(length) = self.record_length()? else {
            let is_end = self.skip_damage()?;
            let bytes = self.window.offset - offset;
            return Ok(damaged(match is_end {
                true => format!(" is damaged or cut off: the last {bytes} bytes of the file hold no game"),
                false => format!(" is damaged: {bytes} bytes skipped"),
            }));
        };
        let read = GameRecord::read(&self.window.rest()[4..length - 4]);
        self.window.skip(length);
        self.end = self.window.offset;
        Ok(read.map_or_else(|fault| damaged(format!(": {fault}")), |record| Some(Ok(record))))
    }

    /// Returns the length of the valid record at the current position, `None` if there is none.
    fn record_length(&mut self) -> io::Result<Option<usize>> {
        self.window.fill(MAX_RECORD)?;
        let rest = self.window.rest();
        let Some(&[low, high]) = rest.strip_prefix(&MARKER).and_then(|rest| rest.first_chunk()) else {
            return Ok(None);
        };
        let length = FRAME_BYTES + usize::from(u16::from_le_bytes([low, high]));
        let Some((content, sum)) = rest.get(2..length).and_then(|record| record.split_last_chunk::<4>()) else {
            return Ok(None);
        };
        Ok((crc32fast::hash(content) == u32::from_le_bytes(*sum)).then_some(length))
    }

    /// Skips to the next valid record, or to the end of the file; returns whether it is the end.
    fn skip_damage(&mut self) -> io::Result<bool> {
        loop {
            let rest = self.window.rest();
            let next = rest.iter().skip(1).position(|&byte| byte == MARKER[0]);
            let distance = next.map_or(rest.len(), |next| next + 1);
            self.window.skip(distance);
            if self.window.fill(1)? == 0 {
                return Ok(true);
            }
            if self.record_length()?.is_some() {
                return Ok(false);
            }
        }
    }
}

impl<R: Read> Iterator for GameReader<R> {
    type Item = Result<GameRecord, RecordError>;

    fn next(&mut self) -> Option<Result<GameRecord, RecordError>> {
        self.read_next().unwrap_or_else(|error| {
            // After a read error the iterator ends.
            let offset = self.window.offset + self.window.rest().len() as u64;
            self.window.close();
            let text = format!("cannot be read from byte {offset} on: {error}");
            Some(Err(RecordError::Unreadable(io::Error::new(error.kind(), text))))
        })
    }
}

/// Returns the settings in the header at the start of `bytes`, `None` if it is damaged.
fn settings_of(bytes: &[u8]) -> Option<String> {
    let length = bytes.get(FIXED_HEADER - 4..)?.first_chunk().map(|&bytes| u32::from_le_bytes(bytes))? as usize;
    let text = bytes.get(FIXED_HEADER..)?.get(..length.min(MAX_SETTINGS))?;
    let settings = std::str::from_utf8(text).ok()?;
    bytes.starts_with(&header_bytes(settings)).then(|| settings.to_owned())
}

/// Buffered part of a file.
#[derive(Debug)]
struct Window<R> {
    reader: R,
    bytes: Vec<u8>,
    /// Number of bytes consumed.
    used: usize,
    /// Offset of the first unconsumed byte in the file.
    offset: u64,
    is_at_end: bool,
}

impl<R: Read> Window<R> {
    fn rest(&self) -> &[u8] {
        &self.bytes[self.used..]
    }

    fn skip(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes.len() - self.used);
        self.used += bytes;
        self.offset += bytes as u64;
    }

    /// Buffers at least `wanted` unconsumed bytes, or all that are left. Returns the number of unconsumed bytes.
    fn fill(&mut self, wanted: usize) -> io::Result<usize> {
        while !self.is_at_end && self.bytes.len() - self.used < wanted {
            self.bytes.drain(..self.used);
            self.used = 0;
            self.is_at_end = self.reader.by_ref().take(CHUNK as u64).read_to_end(&mut self.bytes)? == 0;
        }
        Ok(self.bytes.len() - self.used)
    }

    fn close(&mut self) {
        self.is_at_end = true;
        self.used = self.bytes.len();
    }
}

/// Iterator over the intact games of a file that reports damage on standard error.
pub struct IntactGames<'a> {
    pub reader: GameReader<File>,
    pub(crate) faults: Faults<'a>,
    path: &'a Path,
}

impl<'a> IntactGames<'a> {
    pub fn open(path: &'a Path) -> Result<IntactGames<'a>, CommandError> {
        let reader = File::open(path).and_then(GameReader::new).map_err(in_file(path))?;
        Ok(IntactGames { reader, faults: Faults::new(path), path })
    }
}

impl Iterator for IntactGames<'_> {
    type Item = Result<GameRecord, CommandError>;

    fn next(&mut self) -> Option<Result<GameRecord, CommandError>> {
        loop {
            match self.reader.next() {
                Some(Ok(record)) => return Some(Ok(record)),
                Some(Err(RecordError::Unreadable(error))) => return Some(Err(in_file(self.path)(error))),
                Some(Err(damage)) => self.faults.add(format_args!("{damage}")),
                None => return None,
            }
        }
    }
}

impl Drop for IntactGames<'_> {
    /// Reports the number of faults if not all were named.
    fn drop(&mut self) {
        if self.faults.has_unnamed() {
            self.faults.report_count("record");
        }
    }
}

/// Locks a game file against other programs.
fn lock(file: &File, path: &Path) -> Result<(), CommandError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(unusable(path, "another program is writing to it")),
        Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => Err(in_file(path)(error)),
        // Some file systems do not support locks; generating games without a lock is better than not at all.
        _ => Ok(()),
    }
}

/// Checks that no program writes games to a file that is going to be replaced.
pub fn check_unlocked(path: &Path) -> Result<(), CommandError> {
    // A pipe is no game file, and opening it would block. Some systems lock files only that are open for writing.
    let file = path.is_file().then(|| File::options().read(true).write(true).open(path));
    // Whether a file can be replaced that cannot be opened, its folder decides.
    file.and_then(Result::ok).map_or(Ok(()), |file| lock(&file, path))
}

/// Game file open for appending, locked against other programs.
#[derive(Debug)]
pub struct GameFile {
    path: PathBuf,
    file: File,
    /// Offset of the next record.
    end: u64,
    numbers: HashSet<u64>,
}

impl GameFile {
    /// Remedy for games of other settings.
    pub const OTHER_FILE: &str = "use the same options or another file";

    /// Opens or creates a game file with these settings and scans its games. Damage is reported on standard error, and
    /// an incomplete record at the end is cut off.
    ///
    /// # Errors
    /// When nothing can be appended; the file is unchanged then. `remedy` is that for games of other settings.
    pub fn open(path: &Path, settings: &str, remedy: &str) -> Result<GameFile, CommandError> {
        // Opening a pipe would block until another program reads it.
        if path.exists() && !path.is_file() {
            return Err(unusable(path, "not a regular file"));
        }
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.map_err(with_remedy).map_err(in_file(path))?;
        lock(&file, path)?;
        let header = header_bytes(settings);
        let mut beginning = Vec::new();
        Read::by_ref(&mut file).take(header.len() as u64).read_to_end(&mut beginning).map_err(in_file(path))?;
        file.rewind().map_err(in_file(path))?;
        let mut game_file = GameFile { path: path.to_owned(), file, end: 0, numbers: HashSet::new() };
        // A writer that was interrupted leaves a part of the header, or a header alone if it failed before its first
        // game; other settings may follow then.
        let is_new = beginning.len() < header.len() && header.starts_with(&beginning);
        if is_new || !game_file.scan(settings, remedy)? {
            game_file.file.set_len(0).and_then(|()| game_file.append_bytes(&header)).map_err(in_file(path))?;
        }
        Ok(game_file)
    }

    /// Scans the games of the file and finds the offset of the next record. Returns `false` for a file without games
    /// that was begun with other settings.
    fn scan(&mut self, settings: &str, remedy: &str) -> Result<bool, CommandError> {
        let path = self.path.as_path();
        let refuse = |error: io::Error| unusable(path, format!("{error}; left unchanged, choose another file"));
        let mut reader = GameReader::new(&self.file).map_err(refuse)?;
        let Some(there) = reader.settings() else {
            let fault = "its header with the settings of its games is damaged; nothing can be appended";
            return Err(unusable(path, fault));
        };
        if let Some(difference) = difference(settings, there) {
            return match reader.next() {
                None => Ok(false),
                Some(_) => {
                    Err(unusable(path, format!("its games were made with other settings: {difference}; {remedy}")))
                }
            };
        }
        let mut faults = Faults::new(path);
        for record in reader.by_ref() {
            match record {
                Ok(record) => drop(self.numbers.insert(record.number)),
                Err(RecordError::Unreadable(error)) => return Err(in_file(path)(error)),
                Err(damage) => faults.add(format_args!("{damage}; its game is made again")),
            }
        }
        if faults.has_unnamed() {
            faults.report_count("record");
        }
        self.end = reader.end;
        self.file.set_len(self.end).map_err(in_file(path))?;
        note!("{}: resuming after {}", path.display(), counted(self.numbers.len() as u64, "game"));
        Ok(true)
    }

    pub fn numbers(&self) -> &HashSet<u64> {
        &self.numbers
    }

    /// Appends a game.
    ///
    /// # Errors
    /// When it cannot be written. Earlier games are intact, and the file can be resumed later.
    pub fn append(&mut self, record: &GameRecord) -> Result<(), CommandError> {
        let number = record.number;
        let bytes = record.bytes().map_err(|fault| unusable(&self.path, format!("game {number}: {fault}")))?;
        self.append_bytes(&bytes).map_err(|error| {
            let games = self.numbers.len();
            let fault =
                format!("{error}; the {games} games in it are safe, and the same command resumes with the rest");
            unusable(&self.path, fault)
        })?;
        self.numbers.insert(number);
        Ok(())
    }

    fn append_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written =
            self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.write_all(bytes)).map_err(with_remedy);
        match written {
            Ok(()) => self.end += bytes.len() as u64,
            // Remove the partial record.
            Err(_) => drop(self.file.set_len(self.end)),
        }
        written
    }

    /// Flushes all appended games to the disk.
    pub fn sync(&self) -> Result<(), CommandError> {
        self.file.sync_data().map_err(|error| in_file(&self.path)(with_remedy(error)))
    }
}

/// Writer of game records to any output.
#[derive(Debug)]
pub struct GameWriter<W> {
    out: W,
}

impl<W: Write> GameWriter<W> {
    /// Writes the header with these settings.
    pub fn new(mut out: W, settings: &str) -> io::Result<GameWriter<W>> {
        if settings.len() > MAX_SETTINGS {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the settings are too long"));
        }
        out.write_all(&header_bytes(settings))?;
        Ok(GameWriter { out })
    }

    pub fn write(&mut self, record: &GameRecord) -> io::Result<()> {
        let bytes = record.bytes().map_err(|fault| io::Error::new(io::ErrorKind::InvalidData, fault))?;
        self.out.write_all(&bytes)
    }
}
