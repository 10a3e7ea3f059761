//! Labelled positions from files.
//!
//! ```text
//! FEN<TAB>result<TAB>score
//! ```
//!
//! Results are `1-0`, `0-1` and `1/2-1/2`; the score, in centipawns for the side to move, may be missing. Such
//! positions are taken as they are. Of games, in any format that is read and of self-play with its scores, the quiet
//! positions are taken. Which
//! positions are put aside is decided by game, or by position where games are not known, so that nothing is checked
//! with what it was learned from.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::dataset::{Dataset, Label};
use super::quiet::{Choice, Quiet, game_key, positions_of, quiet_positions};
use crate::notation::format::{BYTES_TO_DETECT, Format};
use crate::notation::game::{Game, GameError, GameFault, GameResult, Location, shortened};
use crate::notation::{TextLines, next_record};
use crate::position::{Position, Strictness};
use crate::tools::datagen::record::MAGIC;
use crate::tools::datagen::{GameReader, RecordError, ScoredGame};
use crate::types::{Side, Value};
use crate::util::cancel::CancelFlag;
use crate::util::parallel::map_ordered;

/// Lines a thread takes at a time.
const LINES_AT_ONCE: usize = 1024;
/// The same for games.
const GAMES_AT_ONCE: usize = 32;

/// How positions are taken out of files.
#[derive(Clone, Debug)]
pub struct Loading {
    /// Which positions of a game.
    pub choice: Choice,
    /// The share that is put aside to check that nothing is learned by heart.
    pub validation_share: f64,
    /// Which positions are admitted.
    pub strictness: Strictness,
    /// How many threads work at it.
    pub threads: usize,
    /// Ends it early, with what was read by then.
    pub interrupt: CancelFlag,
}

impl Default for Loading {
    fn default() -> Loading {
        Loading {
            choice: Choice::default(),
            validation_share: 0.01,
            strictness: Strictness::Strict,
            threads: 1,
            interrupt: CancelFlag::default(),
        }
    }
}

/// Why a file cannot be used.
#[derive(Debug, Error)]
pub enum LoadError {
    /// It cannot be opened or read.
    #[error("{}: {error}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// It holds neither labelled positions nor games.
    #[error("{}: neither games nor lines of FEN, a tab and a result stand in it", path.display())]
    Unknown {
        /// Which file.
        path: PathBuf,
    },
}

/// Positions to fit to and positions put aside.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Positions {
    /// To fit to.
    pub training: Dataset,
    /// To check with.
    pub validation: Dataset,
    /// Games that were read.
    pub games: usize,
    /// Games among them that told no result.
    pub games_without_result: usize,
}

impl Positions {
    /// Adds a position of the game or position of this key, to either of the sets.
    pub fn add(&mut self, position: &Position, label: Label, key: u64, validation_share: f64) {
        if is_put_aside(key, validation_share) {
            self.validation.push(position, label);
        } else {
            self.training.push(position, label);
        }
    }

    /// Adds the quiet positions of a game of this key; see [`game_key`] and [`super::positions_of`].
    pub fn add_game(&mut self, quiet: &[Quiet], key: u64, validation_share: f64) {
        self.games += 1;
        quiet.iter().for_each(|quiet| self.add(&quiet.position, quiet.label, key, validation_share));
    }

    /// Adds all of another.
    pub fn append(&mut self, other: &Positions) {
        self.training.append(&other.training);
        self.validation.append(&other.validation);
        self.games += other.games;
        self.games_without_result += other.games_without_result;
    }
}

/// Whether what has this key is put aside: the same keys always are.
pub(in crate::tools) fn is_put_aside(key: u64, share: f64) -> bool {
    // The bits of a key are random, but those of games are mixed by multiplication and best at the top.
    let mixed = (key ^ (key >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    (mixed as f64) < share * (1u64 << 32) as f64
}

/// Reads a file. `complain` hears of every line or game that cannot be used, in order; the rest is used.
///
/// # Errors
/// [`LoadError`] when nothing of the file can be used.
pub fn load(path: &Path, loading: &Loading, complain: &mut Complain) -> Result<Positions, LoadError> {
    let failed = |error| LoadError::File { path: path.to_owned(), error };
    let mut file = File::open(path).map_err(failed)?;
    let mut head = Vec::new();
    file.by_ref().take(BYTES_TO_DETECT as u64).read_to_end(&mut head).map_err(failed)?;
    let kind = Kind::detect(path, &head);
    let reader = BufReader::with_capacity(1 << 16, Cursor::new(head).chain(file));
    match kind {
        Some(Kind::Lines) => Ok(gather(load_lines(reader, loading), complain)),
        Some(Kind::Games(format)) => {
            Ok(gather(load_games(format.games(reader, loading.strictness), loading), complain))
        }
        Some(Kind::SelfPlay) => {
            let games = GameReader::new(reader).map_err(|error| failed(io::Error::other(error)))?;
            let (positions, faults) = load_scored_games(games.scored_games().map(|game| Ok(game?.1)), loading);
            faults.iter().for_each(|error: &RecordError| complain(error));
            Ok(positions)
        }
        None => Err(LoadError::Unknown { path: path.to_owned() }),
    }
}

/// Hears what is wrong with a part of a file, and where.
pub type Complain<'a> = dyn FnMut(&dyn Display) + 'a;

/// All positions of the parts; what is wrong with others is complained of.
fn gather<E: Display>(parts: Vec<Part<E>>, complain: &mut Complain) -> Positions {
    let mut positions = Positions::default();
    for (part, faults) in parts {
        positions.append(&part);
        faults.iter().for_each(|fault| complain(fault));
    }
    positions
}

/// What a file holds.
enum Kind {
    Lines,
    Games(Format),
    /// Games that an engine played against itself; see [`crate::tools::datagen`].
    SelfPlay,
}

impl Kind {
    fn detect(path: &Path, head: &[u8]) -> Option<Kind> {
        if head.starts_with(MAGIC) {
            return Some(Kind::SelfPlay);
        }
        let text = String::from_utf8_lossy(head);
        let mut lines = text.trim_start_matches('\u{feff}').lines();
        let line = lines.find(|line| !line.trim().is_empty() && !line.starts_with('#'))?;
        if line.split('\t').next().is_some_and(|column| column.matches('/').count() == 9) {
            return Some(Kind::Lines);
        }
        Format::detect(head).or_else(|| Format::of_path(path)).map(Kind::Games)
    }
}

/// What some records hold, and what is wrong with others.
type Part<E> = (Positions, Vec<E>);

fn load_lines(reader: impl BufRead, loading: &Loading) -> Vec<Part<GameError>> {
    let mut lines = Some(TextLines::new(reader));
    let records = std::iter::from_fn(|| next_record(&mut lines));
    let work = |part: &mut Part<GameError>, record: Result<(u64, String), GameError>| {
        let read = record.and_then(|(number, text)| {
            let fault = |fault| GameError { location: Location::Line(number), fault };
            read_line(&text, loading.strictness).map_err(fault)
        });
        match read {
            Ok((position, label)) => part.0.add(&position, label, position.key(), loading.validation_share),
            Err(error) => part.1.push(error),
        }
    };
    load_records(records, LINES_AT_ONCE, loading, work)
}

fn load_games(games: impl Iterator<Item = Result<Game, GameError>>, loading: &Loading) -> Vec<Part<GameError>> {
    let work = |part: &mut Part<GameError>, game: Result<Game, GameError>| match game {
        Ok(game) => {
            let key = game_key(&game.start, game.moves.iter().map(|played| played.mv));
            part.0.add_game(&quiet_positions(&game, &loading.choice), key, loading.validation_share);
            part.0.games_without_result += usize::from(game.result == GameResult::Unknown);
        }
        Err(error) => part.1.push(error),
    };
    load_records(games, GAMES_AT_ONCE, loading, work)
}

/// The quiet positions of games that an engine played with itself, with the faults of those that could not be read. The
/// result does not depend on the number of threads.
///
/// ```
/// use chuhe::notation::game::GameResult;
/// use chuhe::position::Position;
/// use chuhe::tools::datagen::{ScoredGame, ScoredMove};
/// use chuhe::tools::tuning::{Choice, Loading, load_scored_games};
/// let moves = ["h2e2", "h9g7"].map(|text| ScoredMove { mv: text.parse().unwrap(), score: 20 }).to_vec();
/// let game = ScoredGame { start: Position::start(), moves, result: GameResult::Draw };
/// let choice = Choice { from_ply: 0, ..Choice::default() };
/// let loading = Loading { choice, validation_share: 0.0, ..Loading::default() };
/// let (positions, faults) = load_scored_games([Ok(game), Err("cut off")].into_iter(), &loading);
/// assert_eq!((positions.training.len(), positions.games, faults), (2, 1, vec!["cut off"]));
/// ```
pub fn load_scored_games<E: Send>(
    games: impl Iterator<Item = Result<ScoredGame, E>>,
    loading: &Loading,
) -> (Positions, Vec<E>) {
    let work = |part: &mut Part<E>, game: Result<ScoredGame, E>| match game {
        Ok(game) => {
            let key = game_key(&game.start, game.moves.iter().map(|played| played.mv));
            part.0.add_game(&positions_of(&game, &loading.choice), key, loading.validation_share);
            part.0.games_without_result += usize::from(game.result == GameResult::Unknown);
        }
        Err(error) => part.1.push(error),
    };
    let mut whole = Part::<E>::default();
    for (positions, faults) in load_records(games, GAMES_AT_ONCE, loading, work) {
        whole.0.append(&positions);
        whole.1.extend(faults);
    }
    whole
}

/// Does `work` to all records, so many at once; the parts come in the order of the records.
fn load_records<T: Send, E: Send>(
    mut records: impl Iterator<Item = T>,
    at_once: usize,
    loading: &Loading,
    work: impl Fn(&mut Part<E>, T) + Sync,
) -> Vec<Part<E>> {
    let batches = std::iter::from_fn(|| {
        let batch: Vec<T> = records.by_ref().take(at_once).collect();
        (!batch.is_empty() && !loading.interrupt.is_cancelled()).then_some(batch)
    });
    let work_off = |(): &mut (), batch: Vec<T>| {
        let mut part = Part::<E>::default();
        batch.into_iter().for_each(|record| work(&mut part, record));
        part
    };
    map_ordered(batches, loading.threads, || (), work_off)
}

/// Reads a position with its label.
fn read_line(line: &str, strictness: Strictness) -> Result<(Position, Label), GameFault> {
    let mut columns = line.split('\t').map(str::trim);
    let position = Position::parse_fen(columns.next().unwrap_or_default(), strictness)?.position;
    let malformed = |text: String| GameFault::Malformed(text);
    let word = columns.next().filter(|word| !word.is_empty());
    let word = word.ok_or_else(|| malformed("there is no result behind the position".to_owned()))?;
    let points = GameResult::from_text(word).and_then(|result| result.points(Side::Red));
    let points = points.ok_or_else(|| malformed(format!("'{}' is no result of a game", shortened(word))))?;
    let score = match columns.next().filter(|word| !word.is_empty()) {
        None => None,
        Some(word) => {
            let score = word.parse::<Value>();
            let score = score.map_err(|_| malformed(format!("'{}' is no score in centipawns", shortened(word))))?;
            Some(if position.side() == Side::Red { score } else { score.saturating_neg() })
        }
    };
    Ok((position, Label { result: points as f32, score }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FENS: [&str; 2] = ["3ak4/9/9/9/9/9/9/9/4A4/3RK4 w", "3ak4/9/9/9/9/9/9/9/4A4/3RK4 b"];

    fn load_text(text: &str, loading: &Loading) -> (Positions, Vec<String>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let mut faults = Vec::new();
        let positions = load(file.path(), loading, &mut |error| faults.push(error.to_string())).unwrap();
        (positions, faults)
    }

    #[test]
    fn lines_are_read_for_red_and_bad_ones_are_told() {
        let [white, black] = FENS;
        let text = format!(
            "# a remark\n{white}\t1-0\t250\n{black}\t0-1\t250\n\n{white}\t1/2-1/2\n{white}\n{white}\t2-0\n{white}\t1-0\tx\n\
             nonsense\t1-0\n{white}\t*\n"
        );
        let loading = Loading { validation_share: 0.0, ..Loading::default() };
        let (positions, faults) = load_text(&text, &loading);
        assert!(positions.validation.is_empty());
        let labels: Vec<Label> = (0..positions.training.len()).map(|at| positions.training.label(at)).collect();
        let label = |result, score| Label { result, score };
        assert_eq!(labels, [label(1.0, Some(250)), label(0.0, Some(-250)), label(0.5, None)]);
        let places: Vec<&str> = faults.iter().map(|fault| fault.split(':').next().unwrap()).collect();
        assert_eq!(places, ["line 6", "line 7", "line 8", "line 9", "line 10"], "{faults:#?}");
    }

    #[test]
    fn sets_do_not_depend_on_threads_and_hold_whole_games() {
        let line = "h2e2 h9g7 h0g2 i9h9 i0h0 h7h3 g3g4 b7e7 b0a2 b9c7 a0b0 c6c5 b2c2 c7d5 b0b4";
        let mut text = String::new();
        for game in 0..200 {
            // Games that differ in a first pair of moves that do not matter to the others.
            let first = ["a0a1 a9a8 a1a0 a8a9", "a3a4 i6i5", "i3i4 a6a5", "c3c4 g6g5"][game % 4];
            text.push_str(&format!("{}\t\t{first} {line}\n", ["1-0", "0-1", "*"][game % 3]));
        }
        let choice = Choice { per_game: 2, from_ply: 6, ..Choice::default() };
        let loading = Loading { choice, validation_share: 0.5, ..Loading::default() };
        let (one, faults) = load_text(&text, &loading);
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!((one.games, one.games_without_result), (200, 66));
        assert_eq!(load_text(&text, &Loading { threads: 3, ..loading.clone() }).0, one);
        // Four games that come again and again are on the same side each time.
        assert_eq!(one.training.len() + one.validation.len(), 2 * 134);
        let (none, _) = load_text(&text, &Loading { validation_share: 0.0, ..loading.clone() });
        let (all, _) = load_text(&text, &Loading { validation_share: 1.0, ..loading });
        assert!(none.validation.is_empty() && all.training.is_empty());
    }

    #[test]
    fn what_holds_nothing_is_refused() {
        let mut silent = |_: &dyn Display| {};
        let missing = Path::new("/nowhere/at/all");
        let error = load(missing, &Loading::default(), &mut silent).unwrap_err();
        assert!(error.to_string().starts_with("/nowhere/at/all: "), "{error}");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "Dear Sir,\n").unwrap();
        assert!(matches!(load(file.path(), &Loading::default(), &mut silent), Err(LoadError::Unknown { .. })));
    }
}
