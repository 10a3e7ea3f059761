//! Persistent book learning with undo.
//!
//! Each change is appended to a journal beside the book before the book file is replaced atomically. If the program is
//! killed at any moment, the book matches either all entries of the journal or all but the last, which the next
//! [`LearningBook::open`] applies. A lock file serialises writers.
//!
//! The journal is a [record file](crate::util::record_file) with one object for each game: its name, the CRC-32 of the
//! book without preferences before and after, and the changes, each `[key, move, before, after]` with `[wins, draws,
//! losses, base weight, learned delta]`, or null before if the game added the move. Older programs wrote no header and
//! put the checksum in front of the object; such lines are read and undone too. Undoing a game leaves preferences.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::learning::{RecordChange, apply_changes, learning_update};
use super::{Book, BookError, BookKey, Preference, Record, Statistics, VERSION, write};
use crate::position::Position;
use crate::types::Move;
use crate::util::atomic_file::write_atomically;
use crate::util::files::{lock_within, read_file, with_remedy};
use crate::util::record_file::{AppendLog, Kind, Settings, decode, encode, header, whole_lines};

/// Format of journals. The maximum size is that of some hundred thousand games.
const JOURNAL: Kind = Kind { key: "chuhe_book_learning", version: 2, work: "book", max_bytes: 1 << 30 };
const MAX_NAME_LENGTH: usize = 200;

/// Error of book learning.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, Error)]
pub enum LearningError {
    #[error(transparent)]
    Book(#[from] BookError),
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{}: {fault}; remove it to continue without undo", path.display())]
    Journal { path: PathBuf, fault: String },
    #[error("another program is changing this book")]
    Busy,
}

/// Journal entry: the changes caused by one game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct JournalEntry {
    /// Name of the game.
    #[serde(rename = "game")]
    pub name: String,
    /// CRC-32 of the book without preferences before and after.
    books: [u32; 2],
    /// Changes of the records.
    pub changes: Vec<RecordChange>,
    #[serde(skip)]
    offset: u64,
}

impl JournalEntry {
    /// Number of moves that the game added to the book.
    pub fn added(&self) -> usize {
        self.changes.iter().filter(|change| change.before.is_none()).count()
    }

    /// Reads the journal of a book, oldest entry first, without waiting for the lock.
    pub fn read_all(path: &Path) -> Result<Vec<JournalEntry>, LearningError> {
        let path = path.canonicalize().map_err(in_file(path))?;
        Book::open(&path)?;
        Ok(read_journal(&beside(&path, ".journal"))?.0)
    }

    fn from_line(line: &[u8], offset: u64) -> Option<JournalEntry> {
        let entry: JournalEntry = if line.starts_with(b"{") {
            decode(line)?
        } else {
            let (checksum, json) = line.split_at_checked(9)?;
            let checksum = str::from_utf8(checksum).ok()?.strip_suffix(' ')?;
            decode(json).filter(|_| u32::from_str_radix(checksum, 16) == Ok(crc32fast::hash(json)))?
        };
        Some(JournalEntry { offset, ..entry })
    }
}

/// Returns the path of the journal of a book, which exists once the book has learned. Links are followed.
pub fn journal_path(book: &Path) -> PathBuf {
    beside(&book.canonicalize().unwrap_or_else(|_| book.to_owned()), ".journal")
}

fn in_file(path: &Path) -> impl FnOnce(io::Error) -> LearningError {
    move |error| LearningError::File { path: path.to_owned(), error }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Returns the entries of a journal file and the length of its complete lines in bytes.
fn read_journal(path: &Path) -> Result<(Vec<JournalEntry>, u64), LearningError> {
    let refused = |fault: String| LearningError::Journal { path: path.to_owned(), fault };
    let bytes = match read_file(path, JOURNAL.max_bytes) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            return Err(refused(format!("this journal has more than {} bytes", JOURNAL.max_bytes)));
        }
        read => read.map_err(in_file(path))?,
    };
    let (mut games, mut offset) = (Vec::new(), 0);
    for (number, line) in (1..).zip(whole_lines(&bytes).split_inclusive(|&byte| byte == b'\n')) {
        let text = line.trim_ascii_end();
        let is_header = || decode::<Value>(text).is_some_and(|line| line[JOURNAL.key] == JOURNAL.version);
        match JournalEntry::from_line(text, offset) {
            Some(game) => games.push(game),
            None if number == 1 && is_header() => {}
            None => {
                return Err(refused(format!(
                    "line {number} is damaged or of an earlier version, so learning cannot be undone"
                )));
            }
        }
        offset += line.len() as u64;
    }
    Ok((games, offset))
}

/// Book file opened for learning, with its journal. Other writers wait until it is dropped.
pub struct LearningBook {
    path: PathBuf,
    journal_path: PathBuf,
    book: Book,
    games: Vec<JournalEntry>,
    journal_length: u64,
    /// The lock is held as long as this file is open.
    _lock: File,
}

impl LearningBook {
    /// Opens a book file for learning, waiting for other writers. Completes an update that was interrupted.
    pub fn open(path: &Path) -> Result<LearningBook, LearningError> {
        LearningBook::open_within(path, Duration::MAX)
    }

    /// Like [`LearningBook::open`], but fails by [`LearningError::Busy`] if the lock is not free in time.
    pub fn open_within(path: &Path, timeout: Duration) -> Result<LearningBook, LearningError> {
        // Links must lead to the same lock and journal.
        let path = path.canonicalize().map_err(in_file(path))?;
        let (journal_path, lock_path) = (beside(&path, ".journal"), beside(&path, ".lock"));
        if !lock_path.exists() {
            // A lock beside something else would stay there.
            Book::open(&path)?;
        }
        let lock = lock(&lock_path, timeout)?;
        let (games, journal_length) = read_journal(&journal_path)?;
        let book = Book::open(&path)?;
        let mut learning = LearningBook { book, path, journal_path, games, journal_length, _lock: lock };
        learning.complete_last_update()?;
        // Without what is left of an incomplete last line.
        learning.cut_journal(journal_length)?;
        Ok(learning)
    }

    /// Current state of the book.
    pub fn book(&self) -> &Book {
        &self.book
    }

    /// Journal entries, oldest first.
    pub fn games(&self) -> &[JournalEntry] {
        &self.games
    }

    /// Updates the book with the result of a game; see [`learning_update`]. Returns its journal entry, or `None` for a
    /// game that changes nothing. After an error open the book again, which restores a consistent state.
    pub fn update(
        &mut self,
        name: &str,
        start: &Position,
        moves: &[Move],
        points: f64,
        new_plies: usize,
    ) -> Result<Option<&JournalEntry>, LearningError> {
        let changes = learning_update(&self.book, start, moves, points, new_plies);
        if changes.is_empty() {
            return Ok(None);
        }
        let records = self.records_with(&changes, true)?;
        let (bytes, checksum) = self.encode(&records)?;
        let name = name.chars().take(MAX_NAME_LENGTH).collect();
        let mut game = JournalEntry { name, books: [self.checksum()?, checksum], changes, offset: 0 };
        self.append(&mut game)?;
        self.games.push(game);
        self.replace_book(bytes)?;
        Ok(self.games.last())
    }

    /// Reverts the last game of the journal and returns its entry; `None` if the journal is empty.
    /// After an error open the book again; the game is either reverted or not.
    pub fn undo(&mut self) -> Result<Option<JournalEntry>, LearningError> {
        let Some(game) = self.games.last() else { return Ok(None) };
        let (bytes, _) = self.encode(&self.records_with(&game.changes, false)?)?;
        // A book that could undo nothing may be replaced, so no header stays.
        let length = if self.games.len() == 1 { 0 } else { game.offset };
        self.replace_book(bytes)?;
        self.cut_journal(length)?;
        Ok(self.games.pop())
    }

    /// Sets or removes the preference for a legal move of a position and returns the one before. A move that the book
    /// does not have is added without games and weight, and removed again with its preference.
    pub fn prefer(
        &mut self,
        position: &Position,
        mv: Move,
        preference: Preference,
    ) -> Result<Preference, LearningError> {
        let book_key = BookKey::new(position);
        let unknown = Record::new(book_key.key, book_key.to_book(mv), Statistics::default());
        let mut records: Vec<Record> = self.book.records().collect();
        let found = records.binary_search_by_key(&unknown.order(), Record::order);
        let before = found.map_or(Preference::NONE, |index| records[index].preference);
        if before == preference {
            return Ok(before);
        }
        match found {
            Ok(index) if preference == Preference::NONE && records[index].is_preference_only() => {
                records.remove(index);
            }
            Ok(index) => records[index].preference = preference,
            Err(index) => records.insert(index, Record { preference, ..unknown }),
        }
        let (bytes, _) = self.encode(&records)?;
        self.replace_book(bytes)?;
        Ok(before)
    }

    /// Applies the last entry if the book was not replaced after it was written.
    fn complete_last_update(&mut self) -> Result<(), LearningError> {
        let Some(JournalEntry { changes, books: [before, after], .. }) = self.games.last() else { return Ok(()) };
        let found = self.checksum()?;
        if found == *after {
            return Ok(());
        }
        if found != *before {
            return Err(self.other_book());
        }
        let (bytes, _) = self.encode(&self.records_with(changes, true)?)?;
        self.replace_book(bytes)
    }

    fn checksum(&self) -> Result<u32, LearningError> {
        if self.book.version() < VERSION {
            return Ok(crc32fast::hash(self.book.bytes()));
        }
        let records: Vec<Record> = self.book.records().collect();
        Ok(self.encode(&records)?.1)
    }

    fn records_with(&self, changes: &[RecordChange], forward: bool) -> Result<Vec<Record>, LearningError> {
        let records: Vec<Record> = self.book.records().collect();
        apply_changes(&records, changes, forward).ok_or_else(|| self.other_book())
    }

    /// Encodes the book with these records. Also returns the CRC-32 of the same book without preferences.
    fn encode(&self, records: &[Record]) -> Result<(Vec<u8>, u32), LearningError> {
        let bytes = write(records, self.book.provenance())?;
        let without = records.iter().filter(|record| !record.is_preference_only());
        let without: Vec<Record> = without.map(|record| Record { preference: Preference::NONE, ..*record }).collect();
        let checksum = match without == records {
            true => crc32fast::hash(&bytes),
            false => crc32fast::hash(&write(&without, self.book.provenance())?),
        };
        Ok((bytes, checksum))
    }

    fn append(&mut self, game: &mut JournalEntry) -> Result<(), LearningError> {
        let mut lines = if self.journal_length == 0 { header(JOURNAL, &Settings::new()) } else { Vec::new() };
        game.offset = self.journal_length + lines.len() as u64;
        lines.extend(encode(game));
        let journal = AppendLog::open(&self.journal_path);
        journal.and_then(|mut journal| journal.append(&lines)).map_err(in_file(&self.journal_path))?;
        self.journal_length += lines.len() as u64;
        Ok(())
    }

    fn cut_journal(&mut self, length: u64) -> Result<(), LearningError> {
        if std::fs::metadata(&self.journal_path).is_ok_and(|journal| journal.len() > length) {
            let journal = AppendLog::open(&self.journal_path);
            journal.and_then(|mut journal| journal.cut(length)).map_err(in_file(&self.journal_path))?;
        }
        self.journal_length = length;
        Ok(())
    }

    fn other_book(&self) -> LearningError {
        let fault = "this journal belongs to another book or to another state of this one".to_owned();
        LearningError::Journal { path: self.journal_path.clone(), fault }
    }

    fn replace_book(&mut self, bytes: Vec<u8>) -> Result<(), LearningError> {
        write_atomically(&self.path, &bytes).map_err(in_file(&self.path))?;
        self.book = Book::from_bytes(bytes)?;
        Ok(())
    }
}

fn lock(path: &Path, timeout: Duration) -> Result<File, LearningError> {
    let in_lock = |error| in_file(path)(with_remedy(error));
    let file = File::options().create(true).append(true).open(path).map_err(in_lock)?;
    match lock_within(&file, timeout) {
        Ok(()) => Ok(file),
        Err(TryLockError::Error(error)) => Err(in_lock(error)),
        Err(TryLockError::WouldBlock) => Err(LearningError::Busy),
    }
}
