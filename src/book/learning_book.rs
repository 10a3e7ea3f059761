//! Persistent book learning with undo.
//!
//! Each change is appended to a journal beside the book ([`super::journal`]) before the book file is replaced
//! atomically. If the program is killed at any moment, the book matches either all entries of the journal or all but
//! the last, and the next [`LearningBook::open`] applies the missing entry. A lock file serialises writers, so that no
//! update is lost.
//!
//! Preferences are no part of what is learned: they may be set and removed at any time, and undoing a game leaves them.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::journal::{Journal, JournalEntry, LearningError, beside};
use super::learning::{RecordChange, apply_changes, learning_update};
use super::{Book, BookKey, Preference, Record, Statistics, VERSION, write};
use crate::position::Position;
use crate::types::Move;
use crate::util::atomic_file::write_atomically;
use crate::util::full_disk::with_remedy;

/// Maximum length of the stored name of a game, in characters.
const MAX_NAME_LENGTH: usize = 200;

/// Book file opened for learning, with its journal. Other writers wait until it is dropped.
pub struct LearningBook {
    path: PathBuf,
    journal_path: PathBuf,
    book: Book,
    games: Vec<JournalEntry>,
    /// The lock is held as long as this file is open.
    _lock: File,
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
        if !lock_path.exists() {
            // A lock beside something else would stay there.
            Book::open(&path)?;
        }
        let lock = lock(&lock_path, timeout)?;
        let Journal { games, bytes, complete } = Journal::read(&journal_path)?;
        let mut learning = LearningBook { book: Book::open(&path)?, path, journal_path, games, _lock: lock };
        learning.complete_last_update()?;
        if complete < bytes.len() {
            write_atomically(&learning.journal_path, &bytes[..complete]).map_err(|error| learning.in_journal(error))?;
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

    /// Updates the book with the result of a game; see [`learning_update`]. Returns its journal entry, or `None` for a
    /// game that changes nothing, which is not stored.
    ///
    /// # Errors
    /// If a file cannot be written. Open the book again in this case, which restores a consistent state.
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
        let game = JournalEntry { name, changes, books: [self.checksum()?, checksum] };
        self.append(&game)?;
        self.games.push(game);
        self.replace_book(bytes)?;
        Ok(self.games.last())
    }

    /// Reverts the last game of the journal and returns its entry; `None` if the journal is empty.
    ///
    /// # Errors
    /// If a file cannot be written. Open the book again in this case; the game is either reverted or not.
    pub fn undo(&mut self) -> Result<Option<JournalEntry>, LearningError> {
        let Some(game) = self.games.last() else { return Ok(None) };
        let (bytes, _) = self.encode(&self.records_with(&game.changes, false)?)?;
        let remaining: String = self.games[..self.games.len() - 1].iter().map(JournalEntry::to_line).collect();
        self.replace_book(bytes)?;
        write_atomically(&self.journal_path, remaining.as_bytes()).map_err(|error| self.in_journal(error))?;
        Ok(self.games.pop())
    }

    /// Sets or removes the preference for a legal move of a position and returns the one before. A move that the book
    /// does not have is added without games and weight, and removed again with its preference.
    ///
    /// # Errors
    /// If the file cannot be written.
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
            return Err(LearningError::OtherBook(self.journal_path.clone()));
        }
        let (bytes, _) = self.encode(&self.records_with(changes, true)?)?;
        self.replace_book(bytes)
    }

    /// CRC-32 of the book without preferences.
    fn checksum(&self) -> Result<u32, LearningError> {
        if self.book.version() < VERSION {
            return Ok(crc32fast::hash(self.book.bytes()));
        }
        let records: Vec<Record> = self.book.records().collect();
        Ok(self.encode(&records)?.1)
    }

    /// Returns the records with changes applied, or reverted if `forward` is false.
    fn records_with(&self, changes: &[RecordChange], forward: bool) -> Result<Vec<Record>, LearningError> {
        let records: Vec<Record> = self.book.records().collect();
        apply_changes(&records, changes, forward).ok_or_else(|| LearningError::OtherBook(self.journal_path.clone()))
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

    /// Appends an entry to the journal, all of it or nothing.
    fn append(&self, game: &JournalEntry) -> Result<(), LearningError> {
        let write = || -> io::Result<()> {
            let mut journal = File::options().create(true).append(true).open(&self.journal_path)?;
            let length = journal.metadata()?.len();
            let written = journal.write_all(game.to_line().as_bytes()).and_then(|()| journal.sync_all());
            // If this fails too, an incomplete line is ignored when the journal is read.
            written.or_else(|error| journal.set_len(length).and(Err(error)))
        };
        write().map_err(|error| self.in_journal(with_remedy(error)))
    }

    fn replace_book(&mut self, bytes: Vec<u8>) -> Result<(), LearningError> {
        let in_book = |error| LearningError::File { path: self.path.clone(), error };
        write_atomically(&self.path, &bytes).map_err(in_book)?;
        self.book = Book::from_bytes(bytes)?;
        Ok(())
    }

    fn in_journal(&self, error: io::Error) -> LearningError {
        LearningError::File { path: self.journal_path.clone(), error }
    }
}

/// Acquires the lock file, which has no other purpose.
fn lock(path: &Path, timeout: Duration) -> Result<File, LearningError> {
    /// Interval between two attempts.
    const PAUSE: Duration = Duration::from_millis(20);
    let in_lock = |error| LearningError::File { path: path.to_owned(), error: with_remedy(error) };
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
