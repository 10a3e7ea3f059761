//! Moves that are played from books instead of being searched for: which books, how far into the game, and which of
//! several moves.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::options::{OptionError, Options};
use super::parse::{boolean, choice, number, text};
use crate::book::{Book, BookMove, LearnError, Learner, Statistics};
use crate::position::Position;
use crate::rules::{Rules, Verdict};
use crate::search::Limits;
use crate::types::Move;

/// How long a game waits for a book that others change.
const PATIENCE: Duration = Duration::from_secs(2);
/// What stands between the names of several files.
const SEPARATOR: char = ';';
/// The deepest that `bookdepth` may ask for, in plies.
pub const MOST_BOOK_DEPTH: u64 = 200;

/// Which of the moves of a book are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Variety {
    /// The one with the greatest weight.
    Best,
    /// Those with at least half of the greatest weight.
    Small,
    /// Those with at least a tenth of the greatest weight.
    #[default]
    Medium,
    /// All.
    Large,
}

impl Variety {
    /// Names and levels, in rising order.
    pub const NAMED: [(&'static str, Variety); 4] =
        [("best", Variety::Best), ("small", Variety::Small), ("medium", Variety::Medium), ("large", Variety::Large)];

    /// The least weight that is played where this one is the greatest.
    fn least(self, greatest: u32) -> u32 {
        match self {
            Variety::Best => greatest,
            Variety::Small => greatest.div_ceil(2),
            Variety::Medium => greatest.div_ceil(10),
            Variety::Large => 0,
        }
    }
}

/// How books are used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BookUse {
    /// They are used at all.
    pub is_on: bool,
    /// The files, separated by semicolons; the program's own book when there are none.
    pub files: String,
    /// How many plies of a game may come from a book.
    pub most_plies: usize,
    /// Which of several moves are played.
    pub variety: Variety,
    /// The first of the files learns from the games.
    pub learns: bool,
}

impl Default for BookUse {
    fn default() -> BookUse {
        BookUse { is_on: false, files: String::new(), most_plies: 40, variety: Variety::default(), learns: false }
    }
}

impl BookUse {
    /// Sets the option of this plain name, if it is about books. Returns whether books
    /// are to be opened now: those that are not used are not.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Option<Result<bool, OptionError>> {
        let done = match name {
            "usebook" | "ownbook" => boolean("usebook", value).map(|is_on| self.is_on = is_on),
            "booklearn" => boolean("booklearn", value).map(|learns| self.learns = learns),
            "bookdepth" => {
                number("bookdepth", value).map(|plies| self.most_plies = plies.min(MOST_BOOK_DEPTH) as usize)
            }
            "bookvariety" => choice("bookvariety", "best, small, medium or large", &Variety::NAMED, value)
                .map(|variety| self.variety = variety),
            "bookfiles" | "bookfile" => {
                self.files = text(value).to_owned();
                Ok(())
            }
            _ => return None,
        };
        let names_books = matches!(name, "usebook" | "ownbook" | "bookfiles" | "bookfile");
        Some(done.map(|()| self.is_on && names_books))
    }
}

/// A move from a book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BookChoice {
    /// The move.
    pub mv: Move,
    /// What the books prefer in reply.
    pub reply: Option<Move>,
    /// How its games ended, for the side that plays it.
    pub statistics: Statistics,
    /// In how many percent of the games of this position it was played.
    pub share: u32,
}

/// Books, the first of which that knows a position is believed.
pub(super) struct Library(Vec<Book>);

impl Library {
    /// The program's own book.
    pub(super) fn embedded() -> Library {
        Library(vec![Book::embedded()])
    }

    /// The books in these files, or the program's own when none is named; and what is wrong with those that cannot be
    /// used.
    pub(super) fn open(files: &str) -> (Library, Vec<String>) {
        let names: Vec<&str> = files.split(SEPARATOR).map(str::trim).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return (Library::embedded(), Vec::new());
        }
        let (mut books, mut faults) = (Vec::new(), Vec::new());
        for name in names {
            match Book::open(&file_named(name)) {
                Ok(book) => books.push(book),
                Err(error) => faults.push(format!("{name}: {error}")),
            }
        }
        (Library(books), faults)
    }

    /// The moves of the first book that knows the position.
    fn moves(&self, position: &Position) -> Vec<BookMove> {
        self.0.iter().map(|book| book.moves(position)).find(|moves| !moves.is_empty()).unwrap_or_default()
    }

    /// The moves that are to be preferred at all and do not lose by the rules, the most preferred first.
    fn sound_moves(&self, position: &Position, rules: Rules) -> Vec<BookMove> {
        let mut moves = self.moves(position);
        moves.retain(|known| known.preference() > 0 && !loses_by_the_rules(position, known.mv, rules));
        moves
    }

    /// A move to play within these limits, by chance. None for an analysis, on the opponent's time, too deep in the
    /// game, or when the books know none that is allowed and does not lose by the rules.
    pub(super) fn choose(
        &self,
        position: &Position,
        limits: &Limits,
        banned: &[Move],
        options: &Options,
    ) -> Option<BookChoice> {
        let book = &options.book;
        let is_analysis =
            limits.infinite || limits.ponder || limits.mate.is_some() || limits.multi_pv.max(options.lines) > 1;
        if !book.is_on || is_analysis || plies_of(position) >= book.most_plies {
            return None;
        }
        let games: u64 = self.moves(position).iter().map(BookMove::games).sum();
        let is_allowed = |mv: Move| {
            let is_wanted = limits.search_moves.is_empty() || limits.search_moves.contains(&mv);
            is_wanted && !banned.contains(&mv) && !limits.banned_moves.contains(&mv)
        };
        let mut moves = self.sound_moves(position, options.rules());
        moves.retain(|known| is_allowed(known.mv));
        let greatest = moves.iter().map(BookMove::preference).max()?;
        let least = book.variety.least(greatest);
        let moves: Vec<&BookMove> = moves.iter().filter(|known| known.preference() >= least).collect();
        let all: u64 = moves.iter().map(|known| u64::from(known.preference())).sum();
        let mut drawn = ChaCha8Rng::seed_from_u64(options.chance() ^ position.key()).random_range(0..all);
        let chosen = moves.into_iter().find(|known| {
            let weight = u64::from(known.preference());
            let is_chosen = drawn < weight;
            drawn = drawn.saturating_sub(weight);
            is_chosen
        })?;
        let mut after = position.clone();
        after.make(chosen.mv);
        Some(BookChoice {
            mv: chosen.mv,
            reply: self.sound_moves(&after, options.rules()).first().map(|reply| reply.mv),
            statistics: chosen.statistics,
            share: (chosen.games() * 100 / games.max(1)) as u32,
        })
    }
}

/// The file of this name. Where names are mere bytes, one that was written in GBK is found too.
fn file_named(name: &str) -> PathBuf {
    let path = PathBuf::from(name);
    #[cfg(unix)]
    if !path.exists() {
        use std::os::unix::ffi::OsStrExt as _;
        let (bytes, _, _) = encoding_rs::GB18030.encode(name);
        let other = Path::new(std::ffi::OsStr::from_bytes(&bytes));
        if other.exists() {
            return other.to_owned();
        }
    }
    path
}

/// Lets the first of these files learn from a game that was worth so much to Red; see [`Learner`]. Returns how many
/// moves are seen in another way now.
pub(super) fn learn(files: &str, start: &Position, moves: &[Move], points: f64) -> Result<usize, String> {
    let first = files.split(SEPARATOR).map(str::trim).find(|name| !name.is_empty());
    let name = first.ok_or("the program's own book cannot learn; name a file with bookfiles")?;
    let in_book = |error: LearnError| format!("{name}: {error}");
    let mut learner = Learner::open_within(&file_named(name), PATIENCE).map_err(in_book)?;
    learner.learn(&format!("a game of {} plies", moves.len()), start, moves, points).map_err(in_book)
}

/// How many plies were played before this position, as far as it tells.
fn plies_of(position: &Position) -> usize {
    (2 * position.move_number().saturating_sub(1) + position.side().index()).max(position.history().len())
}

/// Whether the rules take the move for a loss of whoever plays it.
fn loses_by_the_rules(position: &Position, mv: Move, rules: Rules) -> bool {
    let mut after = position.clone();
    after.make(mv);
    matches!(rules.verdict(&after), Verdict::Win(winner, _) if winner != position.side())
}
