//! Opening books: which moves were played in a position, and with what success.
//!
//! A [`Book`] is a file of sorted [`Record`]s that stays where it is, on disk or in the program; what it knows of a
//! position is found in a moment ([`Book::moves`]). Positions that are reflections of each other are one. Which of the
//! moves is played is for others to choose, and so is what games are like and how books are made of them.

pub mod key;

mod error;
mod file;
mod journal;
mod learning;
mod lookup;
mod merge;
mod record;
mod storage;
mod text;
mod weight;

use std::path::Path;
use std::sync::LazyLock;

pub use error::{BookError, WriteError};
pub use file::{MOST_PROVENANCE, VERSION, write};
pub use journal::{LearnError, LearnedGame, Learner};
pub use key::{Entry, Orientation};
pub use learning::{Change, lesson};
pub use merge::merge;
pub use record::{MOST_DELTA, MOST_GAMES, RECORD_SIZE, Record};
pub use text::{TextError, TextFault, export, import};
pub use weight::weigh;

use crate::position::Position;
use crate::types::Move;
use file::Layout;
use storage::Storage;

/// The book that is part of the program.
static EMBEDDED: &[u8] = include_bytes!("../../books/default.book");

/// How games ended for the side that played a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Games it won.
    pub wins: u32,
    /// Drawn games.
    pub draws: u32,
    /// Games it lost.
    pub losses: u32,
}

impl Statistics {
    /// How many games there were.
    pub fn games(&self) -> u64 {
        u64::from(self.wins) + u64::from(self.draws) + u64::from(self.losses)
    }

    /// What they were worth: 1 for a win, ½ for a draw.
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// What a game was worth on average, 0 to 1; `None` without games.
    ///
    /// ```
    /// use chuhe::book::Statistics;
    /// assert_eq!(Statistics { wins: 2, draws: 1, losses: 1 }.score(), Some(0.625));
    /// assert_eq!(Statistics::default().score(), None);
    /// ```
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }
}

/// A move that a book knows in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// The move; it is legal.
    pub mv: Move,
    /// How its games ended for the side to move.
    pub statistics: Statistics,
    /// How much it is to be preferred to others of the position; see [`weigh`].
    pub weight: u16,
    /// What was learned since.
    pub delta: i16,
    /// Whether a search found nothing against it.
    pub is_verified: bool,
}

impl BookMove {
    /// How many games played it.
    pub fn games(&self) -> u64 {
        self.statistics.games()
    }

    /// What a game was worth to the side to move on average, 0 to 1; ½ when there are no games.
    pub fn score(&self) -> f64 {
        self.statistics.score().unwrap_or(0.5)
    }

    /// Weight and delta together, at least 0: how much the move is to be preferred now.
    pub fn preference(&self) -> u32 {
        u32::try_from(i32::from(self.weight) + i32::from(self.delta)).unwrap_or(0)
    }
}

/// An opening book. Copies share its bytes.
#[derive(Clone, Debug)]
pub struct Book {
    storage: Storage,
    layout: Layout,
}

impl Book {
    /// The book of a file, which is checked to its last byte and mapped into memory. It stays the same when the file is
    /// replaced. A file may be replaced at any time but must not be written over in place.
    ///
    /// # Errors
    /// [`BookError`] says why the file is none.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        Book::of(Storage::map(path)?)
    }

    /// The book of these bytes.
    ///
    /// # Errors
    /// [`BookError`] says why they are none.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Book, BookError> {
        Book::of(Storage::owned(bytes))
    }

    /// The book that is part of the program. It is checked when it is first asked for.
    ///
    /// ```
    /// use chuhe::book::Book;
    /// use chuhe::position::Position;
    /// let moves = Book::embedded().moves(&Position::start());
    /// assert_eq!(moves[0].mv.to_string(), "b2e2");
    /// ```
    pub fn embedded() -> Book {
        static BOOK: LazyLock<Book> = LazyLock::new(|| match Book::of(Storage::Program(EMBEDDED)) {
            Ok(book) => book,
            Err(error) => unreachable!("the book of the program is tested: {error}"),
        });
        BOOK.clone()
    }

    fn of(storage: Storage) -> Result<Book, BookError> {
        let layout = Layout::check(storage.bytes())?;
        Ok(Book { storage, layout })
    }

    /// How many moves it has in all positions together.
    pub fn len(&self) -> usize {
        self.raw_records().len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What it says of its origin. It may hold any characters.
    pub fn provenance(&self) -> &str {
        self.layout.provenance(self.storage.bytes())
    }

    /// The file as it stands.
    pub fn bytes(&self) -> &[u8] {
        self.storage.bytes()
    }

    /// All records, sorted by [`Record::order`].
    pub fn records(&self) -> impl Iterator<Item = Record> + '_ {
        self.raw_records().iter().filter_map(Record::from_bytes)
    }

    /// The records of a key.
    pub fn records_of(&self, key: u64) -> impl Iterator<Item = Record> + '_ {
        lookup::find(self.raw_records(), key).iter().filter_map(Record::from_bytes)
    }

    /// The legal moves that the book knows in a position, the most preferred first; among equals the one with more
    /// games. Where the board is its own reflection, a move stands for its reflection too.
    ///
    /// ```
    /// use chuhe::book::{Book, Entry, Record, Statistics, write};
    /// use chuhe::position::Position;
    ///
    /// let mut position = Position::start();
    /// position.play(["h2e2"])?;
    /// let (entry, reply) = (Entry::of(&position), "h9g7".parse()?);
    /// let statistics = Statistics { wins: 3, draws: 4, losses: 2 };
    /// let mv = entry.to_book(reply);
    /// let record = Record { key: entry.key, mv, statistics, weight: 9, delta: 1, is_verified: false };
    /// let book = Book::from_bytes(write(&[record], "one game")?)?;
    /// let [found] = book.moves(&position)[..] else { panic!("one move") };
    /// assert_eq!((found.mv, found.games(), found.preference()), (reply, 9, 10));
    /// assert_eq!(book.moves(&position.mirrored())[0].mv, reply.mirrored());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn moves(&self, position: &Position) -> Vec<BookMove> {
        let entry = Entry::of(position);
        let mut moves: Vec<BookMove> = self
            .records_of(entry.key)
            .map(|record| BookMove {
                mv: entry.from_book(record.mv),
                statistics: record.statistics,
                weight: record.weight,
                delta: record.delta,
                is_verified: record.is_verified,
            })
            // Another position may have the same key, by chance or by intent.
            .filter(|found| position.can_play(found.mv))
            .collect();
        moves.sort_by_key(|found| std::cmp::Reverse((found.preference(), found.games())));
        moves
    }

    fn raw_records(&self) -> &[[u8; RECORD_SIZE]] {
        self.storage.bytes()[self.layout.records_at..].as_chunks().0
    }
}
