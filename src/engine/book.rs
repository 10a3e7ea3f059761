//! Opening books in use: choice of a move and learning from games.

use std::path::PathBuf;
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::options::Options;
use super::split_names;
use crate::book::{Book, BookMove, LearningBook, LearningError, Statistics};
use crate::position::Position;
use crate::rules::{Rules, Verdict};
use crate::search::Limits;
use crate::types::Move;
use crate::util::files::{TIME_TO_OPEN, within};

const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// Book move with its statistics.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BookChoice {
    /// The move to play.
    pub mv: Move,
    /// Best reply in the books.
    pub reply: Option<Move>,
    /// Results of the games with this move, for the side that plays it.
    pub statistics: Statistics,
    /// Share of this move in the games from this position, in percent.
    pub share: u32,
}

pub(super) enum BookSet {
    /// The built-in book, which is read at its first use: books are off by default.
    Embedded,
    /// Books in order of priority: the first one that contains a position is used.
    Files(Vec<Book>),
}

impl BookSet {
    /// Opens the books in these files, or the built-in book without any, with a message for each unusable file.
    pub(super) fn open(files: &str) -> (BookSet, Vec<String>) {
        let mut names = split_names(files).peekable();
        if names.peek().is_none() {
            return (BookSet::Embedded, Vec::new());
        }
        let (mut books, mut errors) = (Vec::new(), Vec::new());
        for name in names {
            let file = name.to_owned();
            match within(TIME_TO_OPEN, move || Book::open(&path_from_name(&file))) {
                Ok(Ok(book)) => books.push(book),
                Ok(Err(error)) => errors.push(format!("{name}: {error}")),
                Err(error) => errors.push(format!("{name}: {error}")),
            }
        }
        (BookSet::Files(books), errors)
    }

    fn moves(&self, position: &Position) -> Vec<BookMove> {
        match self {
            BookSet::Embedded => Book::embedded().moves(position),
            BookSet::Files(books) => {
                books.iter().map(|book| book.moves(position)).find(|moves| !moves.is_empty()).unwrap_or_default()
            }
        }
    }

    /// Returns the moves of positive weight that do not lose by the repetition rules, largest weight first.
    fn sound_moves(&self, position: &Position, rules: Rules) -> Vec<BookMove> {
        let loses = |mv: Move| {
            let mut after = position.clone();
            after.make(mv);
            matches!(rules.verdict(&after), Verdict::Win(winner, _) if winner != position.side())
        };
        let mut moves = self.moves(position);
        moves.retain(|known| known.effective_weight() > 0 && !loses(known.mv));
        moves
    }

    /// Returns a random move to play under these limits; `None` in analysis, while pondering, and late in the game.
    pub(super) fn choose(
        &self,
        position: &Position,
        limits: &Limits,
        banned: &[Move],
        options: &Options,
    ) -> Option<BookChoice> {
        let is_for_a_move = !limits.is_analysis() && !limits.ponder && limits.multi_pv.max(options.multi_pv) <= 1;
        if !options.uses_book || !is_for_a_move || ply_of(position) >= options.book_plies {
            return None;
        }
        let games: u64 = self.moves(position).iter().map(BookMove::games).sum();
        let mut moves = self.sound_moves(position, options.rules());
        moves.retain(|known| limits.allows(known.mv) && !banned.contains(&known.mv));
        let min_weight = options.book_variety.min_weight(moves.iter().map(BookMove::effective_weight).max()?);
        moves.retain(|known| known.effective_weight() >= min_weight);
        let mut random = ChaCha8Rng::seed_from_u64(options.seed_or_random() ^ position.key());
        let chosen = moves.choose_weighted(&mut random, |known| u64::from(known.effective_weight())).ok()?;
        let mut after = position.clone();
        after.make(chosen.mv);
        Some(BookChoice {
            mv: chosen.mv,
            reply: self.sound_moves(&after, options.rules()).first().map(|reply| reply.mv),
            statistics: chosen.record.statistics,
            share: (chosen.games() * 100 / games.max(1)) as u32,
        })
    }
}

/// Returns the path of a file. On Unix a file whose name is encoded in GBK is found too.
fn path_from_name(name: &str) -> PathBuf {
    let path = PathBuf::from(name);
    #[cfg(unix)]
    if !path.exists() {
        use std::os::unix::ffi::OsStrExt as _;
        use std::path::Path;

        let (bytes, _, _) = encoding_rs::GB18030.encode(name);
        let other = Path::new(std::ffi::OsStr::from_bytes(&bytes));
        if other.exists() {
            return other.to_owned();
        }
    }
    path
}

/// Updates the first of the book files with a game that scored `points` for Red, from 0 to 1; see [`LearningBook`].
/// Moves are added up to the ply to which books are used. Returns the numbers of changed and of added moves.
pub(super) fn learn(
    options: &Options,
    start: &Position,
    moves: &[Move],
    points: f64,
) -> Result<(usize, usize), String> {
    let name = split_names(&options.book_files)
        .next()
        .ok_or("the built-in book cannot learn; name a book file with bookfiles")?;
    let path = path_from_name(name);
    let opened = within(TIME_TO_OPEN, move || LearningBook::open_within(&path, LOCK_TIMEOUT));
    let in_book = |error: LearningError| format!("{name}: {error}");
    let mut learner = opened.map_err(|error| format!("{name}: {error}"))?.map_err(in_book)?;
    let game = format!("a game of {} plies", moves.len());
    let learned = learner
        .update(&game, start, moves, points, options.book_plies.saturating_sub(ply_of(start)))
        .map_err(in_book)?;
    Ok(learned.map_or((0, 0), |game| (game.changes.len() - game.added(), game.added())))
}

/// Returns the number of plies before this position, from the move number and the history.
fn ply_of(position: &Position) -> usize {
    (2 * position.move_number().saturating_sub(1) + position.side().index()).max(position.history().len())
}
