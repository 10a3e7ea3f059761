//! Journal of book learning: what each game changed, so that it can be undone.
//!
//! The journal has one line of text for each game: the CRC-32 of the rest of the line in eight hexadecimal digits, a
//! space, and a JSON object with the name of the game, the CRC-32 of the book without preferences before and after, and
//! the changes, each `[key, move, before, after]`. The values before and after are `[wins, draws, losses, base weight,
//! learned delta]`, or null before if the game added the move. Programs that changed learned deltas only wrote these
//! alone; such lines are read, and undone, as well.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::learning::{LearnedValues, RecordChange};
use super::{Book, BookError, Statistics, WriteError};
use crate::util::read_limit::read_file;

/// Maximum size of a journal in bytes, some hundred thousand games.
const MAX_JOURNAL_BYTES: u64 = 1 << 30;

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
    /// Changes of the records.
    pub changes: Vec<RecordChange>,
    /// CRC-32 of the book without preferences before and after.
    pub(super) books: [u32; 2],
}

/// JSON object of a journal line.
#[derive(Serialize, Deserialize)]
struct Line {
    game: String,
    books: [u32; 2],
    changes: Vec<(String, String, Option<Values>, Option<Values>)>,
}

/// Values of a record in a journal line.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Values {
    /// Learned delta only.
    Delta(i16),
    /// Wins, draws, losses, base weight and learned delta.
    All(u32, u32, u32, u16, i16),
}

impl Values {
    fn new(values: &LearnedValues) -> Values {
        match values.games {
            None => Values::Delta(values.learned_delta),
            Some((Statistics { wins, draws, losses }, weight)) => {
                Values::All(wins, draws, losses, weight, values.learned_delta)
            }
        }
    }

    fn decode(self) -> LearnedValues {
        match self {
            Values::Delta(learned_delta) => LearnedValues { games: None, learned_delta },
            Values::All(wins, draws, losses, weight, learned_delta) => {
                LearnedValues { games: Some((Statistics { wins, draws, losses }, weight)), learned_delta }
            }
        }
    }
}

impl JournalEntry {
    /// Number of moves that the game added to the book.
    pub fn added(&self) -> usize {
        self.changes.iter().filter(|change| change.before.is_none()).count()
    }

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
    pub(super) fn to_line(&self) -> String {
        let changes = self.changes.iter();
        let changes = changes.map(|one| {
            let [before, after] = [one.before, one.after].map(|values| values.as_ref().map(Values::new));
            (format!("{:016x}", one.key), one.mv.to_string(), before, after)
        });
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
        let change = |(key, mv, before, after): (String, String, Option<Values>, Option<Values>)| {
            let [before, after] = [before, after].map(|values| values.map(Values::decode));
            Some(RecordChange { key: u64::from_str_radix(&key, 16).ok()?, mv: mv.parse().ok()?, before, after })
        };
        let changes = line.changes.into_iter().map(change).collect::<Option<_>>()?;
        Some(JournalEntry { name: line.game, changes, books: line.books })
    }
}

/// Returns the path of the journal of a book, which exists once the book has learned. Links are followed.
pub fn journal_path(book: &Path) -> PathBuf {
    beside(&book.canonicalize().unwrap_or_else(|_| book.to_owned()), ".journal")
}

/// Path of a companion file of the book.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Content of a journal file.
pub(super) struct Journal {
    pub games: Vec<JournalEntry>,
    pub bytes: Vec<u8>,
    /// Length of the complete lines in bytes; an incomplete last line is ignored.
    pub complete: usize,
}

impl Journal {
    pub fn read(path: &Path) -> Result<Journal, LearningError> {
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
