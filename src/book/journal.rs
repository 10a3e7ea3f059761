//! A book that learns: games change it, and a journal beside it tells how, so that all can be undone.
//!
//! Every change goes first into the journal and then into the book, which is written anew and takes the place of the
//! old one at once. Whenever a program is killed, the book is that of all entries of the journal or of all but the
//! last, which whoever comes next makes up for. A lock file keeps others out meanwhile, so that nobody's games are
//! lost.
//!
//! The journal is text, a line for each game: the CRC-32 of the rest of the line in eight digits, a blank, and JSON
//! with the game's name, the CRC-32 of the book before and after it, and its changes, each `[key, move, before,
//! after]`.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::learning::{Change, changed, lesson};
use super::{Book, BookError, WriteError, write};
use crate::position::Position;
use crate::types::Move;
use crate::util::atomic_file::{clear_leftover, write_exclusively};

/// The longest name of a game that is kept, in characters.
const LONGEST_NAME: usize = 200;

/// Why a book cannot learn.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LearnError {
    /// It cannot be used at all.
    #[error(transparent)]
    Book(#[from] BookError),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// A line of the journal, not its last, is not what was written.
    #[error("{}: line {line} is damaged, so that what was learned cannot be undone; take the journal away to learn anew", path.display())]
    Journal {
        /// The journal.
        path: PathBuf,
        /// Which line, 1 for the first.
        line: usize,
    },
    /// Others have been changing it all the time.
    #[error("another program is changing this book")]
    Busy,
    /// The book is not the one that the journal is of.
    #[error("{}: this journal is of another book, or of an earlier one; take it away to learn anew", .0.display())]
    OtherBook(PathBuf),
}

/// What was learned from one game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LearnedGame {
    /// What the game is called.
    pub name: String,
    /// What changed.
    pub changes: Vec<Change>,
    /// The CRC-32 of the book before and after.
    books: [u32; 2],
}

/// How a game stands in the journal.
#[derive(Serialize, Deserialize)]
struct Line {
    game: String,
    books: [u32; 2],
    changes: Vec<(String, String, i16, i16)>,
}

impl LearnedGame {
    /// The games that the book of this file has learned from, the earliest first, without waiting for those who change
    /// it.
    ///
    /// # Errors
    /// [`LearnError`] says why there is no such book, or what is wrong with its journal.
    pub fn all_of(path: &Path) -> Result<Vec<LearnedGame>, LearnError> {
        let path = path.canonicalize().map_err(|error| LearnError::File { path: path.to_owned(), error })?;
        Book::open(&path)?;
        Ok(Journal::read(&beside(&path, ".journal"))?.games)
    }

    /// Its line in the journal.
    fn to_line(&self) -> String {
        let changes = self.changes.iter();
        let changes = changes.map(|one| (format!("{:016x}", one.key), one.mv.to_string(), one.before, one.after));
        let line = Line { game: self.name.clone(), books: self.books, changes: changes.collect() };
        // Text and numbers are always JSON.
        let json = serde_json::to_string(&line).unwrap_or_default();
        format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()))
    }

    fn from_line(text: &str) -> Option<LearnedGame> {
        let (checksum, json) = text.split_once(' ')?;
        if u32::from_str_radix(checksum, 16).ok()? != crc32fast::hash(json.as_bytes()) {
            return None;
        }
        let line: Line = serde_json::from_str(json).ok()?;
        let change = |(key, mv, before, after): (String, String, i16, i16)| {
            Some(Change { key: u64::from_str_radix(&key, 16).ok()?, mv: mv.parse().ok()?, before, after })
        };
        let changes = line.changes.into_iter().map(change).collect::<Option<_>>()?;
        Some(LearnedGame { name: line.game, changes, books: line.books })
    }
}

/// A book of a file with the right to change it. Others wait until it is dropped.
pub struct Learner {
    path: PathBuf,
    journal_path: PathBuf,
    book: Book,
    games: Vec<LearnedGame>,
    /// Locked as long as it is open.
    _lock: File,
}

/// A file beside the book.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

impl Learner {
    /// The book of this file, as soon as nobody else changes it any more. What an earlier change left undone is made up
    /// for.
    ///
    /// # Errors
    /// [`LearnError`] says why that book cannot learn.
    pub fn open(path: &Path) -> Result<Learner, LearnError> {
        Learner::open_within(path, Duration::MAX)
    }

    /// The same for those who cannot wait for longer.
    ///
    /// # Errors
    /// [`LearnError::Busy`] when others change it all the time, and those of [`Learner::open`].
    pub fn open_within(path: &Path, patience: Duration) -> Result<Learner, LearnError> {
        // The same book by any name.
        let path = path.canonicalize().map_err(|error| LearnError::File { path: path.to_owned(), error })?;
        let (journal_path, lock_path) = (beside(&path, ".journal"), beside(&path, ".lock"));
        let lock = lock(&lock_path, patience)?;
        // Of a program that was killed.
        [&path, &journal_path].into_iter().for_each(|path| clear_leftover(path));
        let Journal { games, bytes, whole } = Journal::read(&journal_path)?;
        // Not mapped: some systems replace no file that is.
        let book = fs::read(&path).map_err(|error| LearnError::File { path: path.clone(), error })?;
        let mut learner = Learner { book: Book::from_bytes(book)?, path, journal_path, games, _lock: lock };
        learner.catch_up()?;
        if whole < bytes.len() {
            write_exclusively(&learner.journal_path, &bytes[..whole]).map_err(|error| learner.in_journal(error))?;
        }
        Ok(learner)
    }

    /// The book as it is now.
    pub fn book(&self) -> &Book {
        &self.book
    }

    /// The games that it has learned from, the earliest first.
    pub fn games(&self) -> &[LearnedGame] {
        &self.games
    }

    /// Learns from a game; see [`lesson`]. Returns how many moves are seen in another way now. A game that says nothing
    /// of the book is not kept.
    ///
    /// # Errors
    /// When the files cannot be written. Then the book is to be opened anew, which finds it as it was or makes up for
    /// the change.
    pub fn learn(&mut self, name: &str, start: &Position, moves: &[Move], points: f64) -> Result<usize, LearnError> {
        let changes = lesson(&self.book, start, moves, points);
        if changes.is_empty() {
            return Ok(0);
        }
        let bytes = self.with(&changes, true)?;
        let name = name.chars().take(LONGEST_NAME).collect();
        let game = LearnedGame { name, changes, books: [self.checksum(), crc32fast::hash(&bytes)] };
        self.append(&game)?;
        let count = game.changes.len();
        self.games.push(game);
        self.replace_book(bytes)?;
        Ok(count)
    }

    /// Forgets the last game that it learned from, as if it had never been played. Returns it; nothing when there is
    /// none.
    ///
    /// # Errors
    /// When the files cannot be written. Then the book is to be opened anew; the game is forgotten or still learned.
    pub fn unlearn(&mut self) -> Result<Option<LearnedGame>, LearnError> {
        let Some(game) = self.games.last() else { return Ok(None) };
        let bytes = self.with(&game.changes, false)?;
        let rest: String = self.games[..self.games.len() - 1].iter().map(LearnedGame::to_line).collect();
        self.replace_book(bytes)?;
        write_exclusively(&self.journal_path, rest.as_bytes()).map_err(|error| self.in_journal(error))?;
        Ok(self.games.pop())
    }

    /// Makes the change of the last entry that never came into the book.
    fn catch_up(&mut self) -> Result<(), LearnError> {
        let Some(LearnedGame { changes, books: [before, after], .. }) = self.games.last() else { return Ok(()) };
        let found = self.checksum();
        if found == *after {
            return Ok(());
        }
        if found != *before {
            return Err(LearnError::OtherBook(self.journal_path.clone()));
        }
        let bytes = self.with(changes, true)?;
        self.replace_book(bytes)
    }

    fn checksum(&self) -> u32 {
        crc32fast::hash(self.book.bytes())
    }

    /// The book with these changes made, `forth` or back.
    fn with(&self, changes: &[Change], forth: bool) -> Result<Vec<u8>, LearnError> {
        let records = changed(self.book.records().collect(), changes, forth);
        let records = records.ok_or_else(|| LearnError::OtherBook(self.journal_path.clone()))?;
        Ok(write(&records, self.book.provenance())?)
    }

    fn append(&self, game: &LearnedGame) -> Result<(), LearnError> {
        let write = || -> io::Result<()> {
            let mut journal = File::options().create(true).append(true).open(&self.journal_path)?;
            journal.write_all(game.to_line().as_bytes())?;
            journal.sync_all()
        };
        write().map_err(|error| self.in_journal(error))
    }

    fn replace_book(&mut self, bytes: Vec<u8>) -> Result<(), LearnError> {
        let in_book = |error| LearnError::File { path: self.path.clone(), error };
        write_exclusively(&self.path, &bytes).map_err(in_book)?;
        self.book = Book::from_bytes(bytes)?;
        Ok(())
    }

    fn in_journal(&self, error: io::Error) -> LearnError {
        LearnError::File { path: self.journal_path.clone(), error }
    }
}

/// What stands in a journal.
struct Journal {
    games: Vec<LearnedGame>,
    bytes: Vec<u8>,
    /// How many of the bytes are whole lines; the rest was cut off in the midst of writing and counts for nothing.
    whole: usize,
}

impl Journal {
    fn read(path: &Path) -> Result<Journal, LearnError> {
        let bytes = match fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(|error| LearnError::File { path: path.to_owned(), error })?,
        };
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let lines = bytes[..whole].split_inclusive(|&byte| byte == b'\n').enumerate();
        let game = |(number, line): (usize, &[u8])| {
            let text = std::str::from_utf8(line).ok().map(str::trim_end);
            let damaged = || LearnError::Journal { path: path.to_owned(), line: number + 1 };
            text.and_then(LearnedGame::from_line).ok_or_else(damaged)
        };
        let games = lines.map(game).collect::<Result<_, _>>()?;
        Ok(Journal { games, bytes, whole })
    }
}

/// Locks this file, which is made for nothing else.
fn lock(path: &Path, patience: Duration) -> Result<File, LearnError> {
    /// How long to wait between two tries.
    const PAUSE: Duration = Duration::from_millis(20);
    let in_lock = |error| LearnError::File { path: path.to_owned(), error };
    let file = File::options().create(true).append(true).open(path).map_err(in_lock)?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(in_lock(error)),
            Err(TryLockError::WouldBlock) if start.elapsed() >= patience => return Err(LearnError::Busy),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}
