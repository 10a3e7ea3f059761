//! Persistent book learning with undo.
//!
//! Each change is appended to a journal beside the book before the book file is replaced atomically. If the program is
//! killed at any moment, the book matches either all entries of the journal or all but the last, and the next
//! [`LearningBook::open`] applies the missing entry. A lock file serialises writers, so that no update is lost.
//!
//! The journal has one line of text for each game: the CRC-32 of the rest of the line in eight hexadecimal digits, a
//! space, and a JSON object with the name of the game, the CRC-32 of the book before and after, and the changes, each
//! `[key, move, before, after]`.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::weights::{DeltaChange, apply_changes, learning_update};
use super::{Book, BookError, WriteError, write};
use crate::position::Position;
use crate::types::Move;
use crate::util::atomic_file::{clear_leftover, write_exclusively};
use crate::util::read_limit::read_file;

/// Maximum size of a journal in bytes, about half a million games.
const MAX_JOURNAL_BYTES: u64 = 1 << 30;
/// Maximum length of the stored name of a game, in characters.
const MAX_NAME_LENGTH: usize = 200;

/// Error of book learning.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LearningError {
    /// The file is not a valid book.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The changed book cannot be encoded.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// A complete line of the journal is damaged.
    #[error("{}: line {line} is damaged, so learning cannot be undone; remove it to continue without undo", path.display())]
    Journal {
        /// Path of the journal.
        path: PathBuf,
        /// Line number, starting with 1.
        line: usize,
    },
    /// The journal has more bytes than are read.
    #[error("{}: this journal has more than {MAX_JOURNAL_BYTES} bytes; remove it to continue without undo", .0.display())]
    JournalTooLarge(PathBuf),
    /// Another program holds the lock.
    #[error("another program is changing this book")]
    Busy,
    /// The book does not match its journal.
    #[error("{}: this journal belongs to another book or to another state of this one; remove it to continue without undo", .0.display())]
    OtherBook(PathBuf),
}

/// Journal entry: the changes caused by one game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JournalEntry {
    /// Name of the game.
    pub name: String,
    /// Changes of learned deltas.
    pub changes: Vec<DeltaChange>,
    /// CRC-32 of the book before and after.
    books: [u32; 2],
}

/// JSON object of a journal line.
#[derive(Serialize, Deserialize)]
struct Line {
    game: String,
    books: [u32; 2],
    changes: Vec<(String, String, i16, i16)>,
}

impl JournalEntry {
    /// Reads the journal of a book, oldest entry first, without waiting for the lock.
    ///
    /// # Errors
    /// [`LearningError`] if the book or its journal is invalid.
    pub fn read_all(path: &Path) -> Result<Vec<JournalEntry>, LearningError> {
        let path = path.canonicalize().map_err(|error| LearningError::File { path: path.to_owned(), error })?;
        Book::open(&path)?;
        Ok(Journal::read(&beside(&path, ".journal"))?.games)
    }

    /// Encodes the entry as a line of the journal.
    fn to_line(&self) -> String {
        let changes = self.changes.iter();
        let changes = changes.map(|one| (format!("{:016x}", one.key), one.mv.to_string(), one.before, one.after));
        let line = Line { game: self.name.clone(), books: self.books, changes: changes.collect() };
        // Strings and integers always serialise.
        let json = serde_json::to_string(&line).unwrap_or_default();
        format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()))
    }

    fn from_line(text: &str) -> Option<JournalEntry> {
        let (checksum, json) = text.split_once(' ')?;
        if u32::from_str_radix(checksum, 16).ok()? != crc32fast::hash(json.as_bytes()) {
            return None;
        }
        let line: Line = serde_json::from_str(json).ok()?;
        let change = |(key, mv, before, after): (String, String, i16, i16)| {
            Some(DeltaChange { key: u64::from_str_radix(&key, 16).ok()?, mv: mv.parse().ok()?, before, after })
        };
        let changes = line.changes.into_iter().map(change).collect::<Option<_>>()?;
        Some(JournalEntry { name: line.game, changes, books: line.books })
    }
}

/// Book file opened for learning, with its journal. Other writers wait until it is dropped.
pub struct LearningBook {
    path: PathBuf,
    journal_path: PathBuf,
    book: Book,
    games: Vec<JournalEntry>,
    /// The lock is held as long as this file is open.
    _lock: File,
}

/// Path of a companion file of the book.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

impl LearningBook {
    /// Opens a book file for learning, waiting for other writers. Completes an update that was interrupted.
    ///
    /// # Errors
    /// [`LearningError`] if a file cannot be used or the journal does not match the book.
    pub fn open(path: &Path) -> Result<LearningBook, LearningError> {
        LearningBook::open_within(path, Duration::MAX)
    }

    /// Like [`LearningBook::open`], with a limit on the waiting time.
    ///
    /// # Errors
    /// [`LearningError::Busy`] if the lock is not free in time, and the errors of [`LearningBook::open`].
    pub fn open_within(path: &Path, timeout: Duration) -> Result<LearningBook, LearningError> {
        // Links must lead to the same lock and journal.
        let path = path.canonicalize().map_err(|error| LearningError::File { path: path.to_owned(), error })?;
        let (journal_path, lock_path) = (beside(&path, ".journal"), beside(&path, ".lock"));
        let lock = lock(&lock_path, timeout)?;
        // Remove temporary files of a killed program.
        [&path, &journal_path].into_iter().for_each(|path| clear_leftover(path));
        let Journal { games, bytes, complete } = Journal::read(&journal_path)?;
        let mut learning = LearningBook { book: Book::open(&path)?, path, journal_path, games, _lock: lock };
        learning.complete_last_update()?;
        if complete < bytes.len() {
            write_exclusively(&learning.journal_path, &bytes[..complete])
                .map_err(|error| learning.in_journal(error))?;
        }
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

    /// Updates the book with the result of a game; see [`learning_update`]. Returns the number of changed moves. A game
    /// that changes nothing is not stored.
    ///
    /// # Errors
    /// If a file cannot be written. Open the book again in this case, which restores a consistent state.
    pub fn update(
        &mut self,
        name: &str,
        start: &Position,
        moves: &[Move],
        points: f64,
    ) -> Result<usize, LearningError> {
        let changes = learning_update(&self.book, start, moves, points);
        if changes.is_empty() {
            return Ok(0);
        }
        let bytes = self.encode_with(&changes, true)?;
        let name = name.chars().take(MAX_NAME_LENGTH).collect();
        let game = JournalEntry { name, changes, books: [self.checksum(), crc32fast::hash(&bytes)] };
        self.append(&game)?;
        let count = game.changes.len();
        self.games.push(game);
        self.replace_book(bytes)?;
        Ok(count)
    }

    /// Reverts the last game of the journal and returns its entry; `None` if the journal is empty.
    ///
    /// # Errors
    /// If a file cannot be written. Open the book again in this case; the game is either reverted or not.
    pub fn undo(&mut self) -> Result<Option<JournalEntry>, LearningError> {
        let Some(game) = self.games.last() else { return Ok(None) };
        let bytes = self.encode_with(&game.changes, false)?;
        let remaining: String = self.games[..self.games.len() - 1].iter().map(JournalEntry::to_line).collect();
        self.replace_book(bytes)?;
        write_exclusively(&self.journal_path, remaining.as_bytes()).map_err(|error| self.in_journal(error))?;
        Ok(self.games.pop())
    }

    /// Applies the last entry if the book was not replaced after it was written.
    fn complete_last_update(&mut self) -> Result<(), LearningError> {
        let Some(JournalEntry { changes, books: [before, after], .. }) = self.games.last() else { return Ok(()) };
        let found = self.checksum();
        if found == *after {
            return Ok(());
        }
        if found != *before {
            return Err(LearningError::OtherBook(self.journal_path.clone()));
        }
        let bytes = self.encode_with(changes, true)?;
        self.replace_book(bytes)
    }

    fn checksum(&self) -> u32 {
        crc32fast::hash(self.book.bytes())
    }

    /// Encodes the book with changes applied, or reverted if `forward` is false.
    fn encode_with(&self, changes: &[DeltaChange], forward: bool) -> Result<Vec<u8>, LearningError> {
        let records = apply_changes(self.book.records().collect(), changes, forward);
        let records = records.ok_or_else(|| LearningError::OtherBook(self.journal_path.clone()))?;
        Ok(write(&records, self.book.provenance())?)
    }

    fn append(&self, game: &JournalEntry) -> Result<(), LearningError> {
        let write = || -> io::Result<()> {
            let mut journal = File::options().create(true).append(true).open(&self.journal_path)?;
            journal.write_all(game.to_line().as_bytes())?;
            journal.sync_all()
        };
        write().map_err(|error| self.in_journal(error))
    }

    fn replace_book(&mut self, bytes: Vec<u8>) -> Result<(), LearningError> {
        let in_book = |error| LearningError::File { path: self.path.clone(), error };
        write_exclusively(&self.path, &bytes).map_err(in_book)?;
        self.book = Book::from_bytes(bytes)?;
        Ok(())
    }

    fn in_journal(&self, error: io::Error) -> LearningError {
        LearningError::File { path: self.journal_path.clone(), error }
    }
}

/// Content of a journal file.
struct Journal {
    games: Vec<JournalEntry>,
    bytes: Vec<u8>,
    /// Length of the complete lines in bytes; an incomplete last line is ignored.
    complete: usize,
}

impl Journal {
    fn read(path: &Path) -> Result<Journal, LearningError> {
        let bytes = match read_file(path, MAX_JOURNAL_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                return Err(LearningError::JournalTooLarge(path.to_owned()));
            }
            read => read.map_err(|error| LearningError::File { path: path.to_owned(), error })?,
        };
        let complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let lines = bytes[..complete].split_inclusive(|&byte| byte == b'\n').enumerate();
        let game = |(number, line): (usize, &[u8])| {
            let text = std::str::from_utf8(line).ok().map(str::trim_end);
            let damaged = || LearningError::Journal { path: path.to_owned(), line: number + 1 };
            text.and_then(JournalEntry::from_line).ok_or_else(damaged)
        };
        let games = lines.map(game).collect::<Result<_, _>>()?;
        Ok(Journal { games, bytes, complete })
    }
}

/// Acquires the lock file, which has no other purpose.
fn lock(path: &Path, timeout: Duration) -> Result<File, LearningError> {
    /// Interval between two attempts.
    const PAUSE: Duration = Duration::from_millis(20);
    let in_lock = |error| LearningError::File { path: path.to_owned(), error };
    let file = File::options().create(true).append(true).open(path).map_err(in_lock)?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(in_lock(error)),
            Err(TryLockError::WouldBlock) if start.elapsed() >= timeout => return Err(LearningError::Busy),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}
