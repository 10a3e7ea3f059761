//! Opening books: the moves played in a position and their results.
//!
//! A [`Book`] holds sorted [`Record`]s in encoded form; [`Book::moves`] looks up a position, for which mirror images
//! are one, without decoding the rest. The engine chooses among the moves; `commands::book` builds books from games.

pub mod key;

mod file;
mod learning;
mod learning_book;
mod record;

use std::borrow::Cow;
use std::fs::File;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::{fmt, io};

use thiserror::Error;

pub use file::{MAX_MOVES, VERSION, export, import, write};
pub use key::{BookKey, Orientation};
pub use learning::{LearnedValues, RecordChange, learning_update};
pub use learning_book::{JournalEntry, LearningBook, LearningError, journal_path};
pub use record::{MAX_DELTA, MAX_GAMES, Preference, RECORD_SIZE, Record, merge, weigh};

use crate::position::Position;
use crate::types::Move;

/// Reason why a file or text is no book, or records cannot be written as one. The caller reports the path.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, Error)]
pub enum BookError {
    #[error(transparent)]
    File(#[from] io::Error),
    #[error("{0}")]
    Invalid(String),
}

impl BookError {
    fn new(reason: impl fmt::Display) -> BookError {
        BookError::Invalid(reason.to_string())
    }
}

static EMBEDDED: &[u8] = include_bytes!("../../books/default.book");

/// Results of games for the side that played a move.
#[allow(missing_docs, reason = "the names say it")]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

impl Statistics {
    /// Number of games.
    pub fn games(&self) -> u64 {
        u64::from(self.wins) + u64::from(self.draws) + u64::from(self.losses)
    }

    /// Points: 1 for a win, ½ for a draw.
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// Mean score, 0 to 1; `None` without games.
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }

    /// Adds the results of more games; counts saturate at [`MAX_GAMES`].
    pub fn plus(self, other: Statistics) -> Statistics {
        let sum = |one: u32, other: u32| one.saturating_add(other).min(MAX_GAMES);
        Statistics {
            wins: sum(self.wins, other.wins),
            draws: sum(self.draws, other.draws),
            losses: sum(self.losses, other.losses),
        }
    }
}

/// Move that a book has for a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// The move, which is legal.
    pub mv: Move,
    /// What the book has for it.
    pub record: Record,
    effective_weight: u32,
}

impl BookMove {
    /// Number of games that played the move.
    pub fn games(&self) -> u64 {
        self.record.statistics.games()
    }

    /// Effective weight, with which the move is chosen: base weight plus learned delta, at least 0, times the factor of
    /// the preference. If a move of the position is preferred `always`, at least 1 for such moves and 0 for all others.
    pub fn effective_weight(&self) -> u32 {
        self.effective_weight
    }
}

/// Opening book. Clones share its bytes.
#[derive(Clone, Debug)]
pub struct Book {
    bytes: Arc<Cow<'static, [u8]>>,
    version: u16,
    /// Offset of the first record, which is the end of the provenance.
    records_at: usize,
}

impl Book {
    /// Reads a book file and validates all of it.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        // Opening a pipe would block until a writer opens it.
        if !path.metadata()?.is_file() {
            return Err(BookError::new("this is not a regular file"));
        }
        Book::new(Cow::Owned(file::read(&File::open(path)?)?))
    }

    /// Validates an encoded book.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Book, BookError> {
        Book::new(Cow::Owned(bytes))
    }

    /// Returns the built-in book. It is validated on first use.
    pub fn embedded() -> Book {
        static BOOK: LazyLock<Book> = LazyLock::new(|| match Book::new(Cow::Borrowed(EMBEDDED)) {
            Ok(book) => book,
            Err(error) => unreachable!("tests validate the built-in book: {error}"),
        });
        BOOK.clone()
    }

    fn new(bytes: Cow<'static, [u8]>) -> Result<Book, BookError> {
        let (version, records_at) = file::check(&bytes)?;
        Ok(Book { bytes: Arc::new(bytes), version, records_at })
    }

    /// Number of moves of all positions together.
    pub fn len(&self) -> usize {
        self.raw_records().len()
    }

    /// Returns whether the book has no moves.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Description of the origin of the book. It may contain any characters.
    pub fn provenance(&self) -> &str {
        file::provenance(&self.bytes, self.records_at)
    }

    /// Version of the format of the book.
    pub fn version(&self) -> u16 {
        self.version
    }

    /// The encoded book.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All records, sorted by [`Record::order`].
    pub fn records(&self) -> impl Iterator<Item = Record> + '_ {
        self.raw_records().iter().filter_map(Record::from_bytes)
    }

    /// Returns the records of a key.
    pub fn records_of(&self, key: u64) -> impl Iterator<Item = Record> + '_ {
        record::find(self.raw_records(), key).iter().filter_map(Record::from_bytes)
    }

    /// Returns the legal moves of the book in a position by decreasing effective weight; ties by decreasing number of
    /// games. On a symmetric board, a move also stands for its mirror image.
    ///
    /// ```
    /// use chuhe::book::{Book, BookKey, Record, Statistics, write};
    /// use chuhe::position::Position;
    ///
    /// let mut position = Position::start();
    /// position.play(["h2e2"])?;
    /// let (entry, reply) = (BookKey::new(&position), "h9g7".parse()?);
    /// let statistics = Statistics { wins: 3, draws: 4, losses: 2 };
    /// let mv = entry.to_book(reply);
    /// let record = Record { base_weight: 9, learned_delta: 1, ..Record::new(entry.key, mv, statistics) };
    /// let book = Book::from_bytes(write(&[record], "one game")?)?;
    /// let [found] = book.moves(&position)[..] else { panic!("one move") };
    /// assert_eq!((found.mv, found.games(), found.effective_weight()), (reply, 9, 10));
    /// assert_eq!(book.moves(&position.mirrored())[0].mv, reply.mirrored());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn moves(&self, position: &Position) -> Vec<BookMove> {
        let book_key = BookKey::new(position);
        let mut moves: Vec<BookMove> = self
            .records_of(book_key.key)
            .map(|record| BookMove { mv: book_key.from_book(record.mv), record, effective_weight: 0 })
            // Another position may have the same key.
            .filter(|found| position.can_play(found.mv))
            .collect();
        let has_always = moves.iter().any(|found| found.record.preference == Preference::ALWAYS);
        for found in &mut moves {
            let Record { base_weight, learned_delta, preference, .. } = found.record;
            let weight = u32::try_from(i32::from(base_weight) + i32::from(learned_delta)).unwrap_or(0);
            found.effective_weight = match preference.percent() {
                None => weight.max(1),
                Some(_) if has_always => 0,
                Some(percent) => (weight * u32::from(percent)).div_ceil(100),
            };
        }
        moves.sort_by_key(|found| std::cmp::Reverse((found.effective_weight(), found.games())));
        moves
    }

    fn raw_records(&self) -> &[[u8; RECORD_SIZE]] {
        self.bytes()[self.records_at..].as_chunks().0
    }
}
