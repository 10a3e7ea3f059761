//! A book that learns: games change it, and a journal beside it tells how, so that all can be undone.
//!
//! Every change goes first into the journal and then into the book, which is written anew and takes the place of the old
//! one at once. Whenever a program is killed, the book is that of all entries of the journal or of all but the last,
//! which whoever comes next makes up for. A lock file keeps others out meanwhile, so that nobody's games are lost.
//!
//! The journal is text, a line for each game: the CRC-32 of the rest of the line in eight digits, a blank, and JSON with
//! the game's name and its changes, each `[key, move, before, after]`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::lesson::{Change, changed, lesson};
use super::{Book, BookError, Record, WriteError, write};
use crate::files::write_atomically;
use crate::position::Position;
use crate::types::Move;

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
}

/// How a game stands in the journal.
#[derive(Serialize, Deserialize)]
struct Line {
    game: String,
    changes: Vec<(String, String, i16, i16)>,
}

impl LearnedGame {
    /// Its line in the journal.
    fn to_line(&self) -> String {
        let changes = self.changes.iter();
        let changes = changes.map(|one| (format!("{:016x}", one.key), one.mv.to_string(), one.before, one.after));
        let line = Line { game: self.name.clone(), changes: changes.collect() };
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
        Some(LearnedGame { name: line.game, changes: line.changes.into_iter().map(change).collect::<Option<_>>()? })
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
    /// The book of this file, when nobody else changes it any more. What an earlier change left undone is made up for.
    ///
    /// # Errors
    /// [`LearnError`] says why that book cannot learn.
    pub fn open(path: &Path) -> Result<Learner, LearnError> {
        // The same book by any name.
        let path = path.canonicalize().map_err(|error| LearnError::File { path: path.to_owned(), error })?;
        let (journal_path, lock_path) = (beside(&path, ".journal"), beside(&path, ".lock"));
        let in_lock = |error| LearnError::File { path: lock_path.clone(), error };
        let lock = File::options().create(true).append(true).open(&lock_path).map_err(in_lock)?;
        lock.lock().map_err(in_lock)?;
        let games = read_journal(&journal_path)?;
        // Not mapped: some systems replace no file that is.
        let bytes = fs::read(&path).map_err(|error| LearnError::File { path: path.clone(), error })?;
        let mut learner = Learner { book: Book::from_bytes(bytes)?, path, journal_path, games, _lock: lock };
        learner.catch_up()?;
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

    /// Learns from a game; see [`lesson`]. Returns how many moves are seen in another way now. A game that says nothing of
    /// the book is not kept.
    ///
    /// # Errors
    /// When the files cannot be written. The book is then as it was, or will be made up for.
    pub fn learn(&mut self, name: &str, start: &Position, moves: &[Move], points: f64) -> Result<usize, LearnError> {
        let changes = lesson(&self.book, start, moves, points);
        if changes.is_empty() {
            return Ok(0);
        }
        let game = LearnedGame { name: name.chars().take(LONGEST_NAME).collect(), changes };
        let records = self.changed(&game, true)?;
        self.append(&game)?;
        let count = game.changes.len();
        self.games.push(game);
        self.replace_book(&records)?;
        Ok(count)
    }

    /// Forgets the last game that it learned from, as if it had never been played. Returns it; nothing when there is none.
    ///
    /// # Errors
    /// When the files cannot be written. The book is then as it was.
    pub fn unlearn(&mut self) -> Result<Option<LearnedGame>, LearnError> {
        let Some(game) = self.games.last() else { return Ok(None) };
        let records = self.changed(game, false)?;
        let rest: String = self.games[..self.games.len() - 1].iter().map(LearnedGame::to_line).collect();
        self.replace_book(&records)?;
        write_atomically(&self.journal_path, rest.as_bytes()).map_err(|error| self.in_journal(error))?;
        Ok(self.games.pop())
    }

    /// Makes the change of the last entry that never came into the book.
    fn catch_up(&mut self) -> Result<(), LearnError> {
        let Some(last) = self.games.last() else { return Ok(()) };
        let records: Vec<Record> = self.book.records().collect();
        if changed(records.clone(), &last.changes, false).is_some() {
            return Ok(());
        }
        let records = changed(records, &last.changes, true);
        let records = records.ok_or_else(|| LearnError::OtherBook(self.journal_path.clone()))?;
        self.replace_book(&records)
    }

    fn changed(&self, game: &LearnedGame, forth: bool) -> Result<Vec<Record>, LearnError> {
        let records = changed(self.book.records().collect(), &game.changes, forth);
        records.ok_or_else(|| LearnError::OtherBook(self.journal_path.clone()))
    }

    fn append(&self, game: &LearnedGame) -> Result<(), LearnError> {
        let write = || -> io::Result<()> {
            let mut journal = File::options().create(true).append(true).open(&self.journal_path)?;
            journal.write_all(game.to_line().as_bytes())?;
            journal.sync_all()
        };
        write().map_err(|error| self.in_journal(error))
    }

    fn replace_book(&mut self, records: &[Record]) -> Result<(), LearnError> {
        let bytes = write(records, self.book.provenance())?;
        let in_book = |error| LearnError::File { path: self.path.clone(), error };
        write_atomically(&self.path, &bytes).map_err(in_book)?;
        self.book = Book::from_bytes(bytes)?;
        Ok(())
    }

    fn in_journal(&self, error: io::Error) -> LearnError {
        LearnError::File { path: self.journal_path.clone(), error }
    }
}

/// The games of a journal. An end that was cut off in the midst of writing is cut away.
fn read_journal(path: &Path) -> Result<Vec<LearnedGame>, LearnError> {
    let in_journal = |error| LearnError::File { path: path.to_owned(), error };
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(in_journal(error)),
    };
    let mut games = Vec::new();
    let mut whole = 0;
    for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let text = line.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok());
        match text.and_then(LearnedGame::from_line) {
            Some(game) => games.push(game),
            None if whole + line.len() == bytes.len() => break,
            None => return Err(LearnError::Journal { path: path.to_owned(), line: number + 1 }),
        }
        whole += line.len();
    }
    if whole < bytes.len() {
        write_atomically(path, &bytes[..whole]).map_err(in_journal)?;
    }
    Ok(games)
}
