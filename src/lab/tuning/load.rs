//! Loads labelled positions from files.
//!
//! ```text
//! FEN<TAB>result<TAB>score
//! ```
//!
//! Results are `1-0`, `0-1` and `1/2-1/2`; the optional score is in centipawns for the side to move. All such positions
//! are used. From games, in any supported format or from self-play with scores, the quiet positions are used. The
//! validation split is by game, or by position where games are unknown, so that no game is in both sets.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::agreement::{PlayedMove, played_moves};
use super::dataset::{Dataset, Label};
use super::quiet::{QuietPosition, Selection, quiet_positions, quiet_scored_positions};
use crate::lab::datagen::record::MAGIC;
use crate::lab::datagen::{GameReader, RecordError, ScoredGame};
use crate::lab::training::{game_key, is_held_out};
use crate::notation::format::{BYTES_TO_DETECT, Format};
use crate::notation::game::{Game, GameError, GameFault, GameResult, Location, shortened};
use crate::notation::text_encoding::{Records, decode_head};
use crate::position::{Position, Strictness};
use crate::types::{Side, Value};
use crate::util::cancel::CancelFlag;
use crate::util::parallel::map_ordered;

/// Lines per work item.
const LINES_AT_ONCE: usize = 1024;
/// Games per work item.
const GAMES_AT_ONCE: usize = 32;

/// Arguments of [`load`] and [`load_played_moves`].
#[derive(Clone, Debug)]
pub struct LoadSettings {
    /// Selection of positions from a game.
    pub selection: Selection,
    /// Share held out for validation.
    pub validation_share: f64,
    /// Strictness of the FEN parser.
    pub strictness: Strictness,
    /// Number of threads.
    pub threads: usize,
    /// Stops early with the positions read so far.
    pub cancel: CancelFlag,
}

impl Default for LoadSettings {
    fn default() -> LoadSettings {
        LoadSettings {
            selection: Selection::default(),
            validation_share: 0.01,
            strictness: Strictness::Strict,
            threads: 1,
            cancel: CancelFlag::default(),
        }
    }
}

/// Error that makes a file unusable.
#[derive(Debug, Error)]
pub enum LoadError {
    /// It cannot be opened or read.
    #[error("{}: {error}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error reported by the system.
        error: io::Error,
    },
    /// It holds neither labelled positions nor games.
    #[error("{}: it holds neither games nor lines of FEN, a tab and a result", path.display())]
    Unknown {
        /// Path of the file.
        path: PathBuf,
    },
    /// It holds no games of players: labelled positions or self-play, for example.
    #[error("{}: it holds no games of players", path.display())]
    NoGames {
        /// Path of the file.
        path: PathBuf,
    },
}

/// Training and validation positions.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Positions {
    /// Training set.
    pub training: Dataset,
    /// Validation set.
    pub validation: Dataset,
    /// Number of games read.
    pub games: usize,
    /// Number of games without a result.
    pub games_without_result: usize,
}

impl Positions {
    /// Adds a position to the set selected by the key of its game or position.
    pub fn add(&mut self, position: &Position, label: Label, key: u64, validation_share: f64) {
        if is_held_out(key, validation_share) {
            self.validation.push(position, label);
        } else {
            self.training.push(position, label);
        }
    }

    /// Adds the quiet positions of a game; see [`game_key`] and [`super::quiet_scored_positions`].
    pub fn add_game(&mut self, quiet: &[QuietPosition], key: u64, validation_share: f64) {
        self.games += 1;
        quiet.iter().for_each(|quiet| self.add(&quiet.position, quiet.label, key, validation_share));
    }

    /// Appends all positions of another set.
    pub fn append(&mut self, other: &Positions) {
        self.training.append(&other.training);
        self.validation.append(&other.validation);
        self.games += other.games;
        self.games_without_result += other.games_without_result;
    }
}

/// Loads a file. Calls `on_fault` for every line or game that cannot be used, in order; the rest is used.
///
/// # Errors
/// [`LoadError`] when nothing of the file can be used.
pub fn load(path: &Path, settings: &LoadSettings, on_fault: &mut OnFault) -> Result<Positions, LoadError> {
    let failed = |error| LoadError::File { path: path.to_owned(), error };
    let (kind, reader) = open(path)?;
    match kind {
        Some(Kind::Lines) => combine(path, load_lines(reader, settings), on_fault),
        Some(Kind::Games(format)) => {
            combine(path, load_games(format.games(reader, settings.strictness), settings), on_fault)
        }
        Some(Kind::SelfPlay) => {
            let games = GameReader::new(reader).map_err(|error| failed(io::Error::other(error)))?;
            let (positions, faults) = load_scored_games(games.scored_games().map(|game| Ok(game?.1)), settings);
            if let Some(error) = faults.iter().find_map(RecordError::read_error) {
                return Err(failed(error));
            }
            faults.iter().for_each(|error: &RecordError| on_fault(error));
            Ok(positions)
        }
        None => Err(LoadError::Unknown { path: path.to_owned() }),
    }
}

/// Moves of games in two sets.
#[derive(Clone, Debug, Default)]
pub struct PlayedMoves {
    /// Training set.
    pub training: Vec<PlayedMove>,
    /// Validation set.
    pub validation: Vec<PlayedMove>,
    /// Number of games read.
    pub games: usize,
}

impl PlayedMoves {
    /// Appends all moves of another set.
    pub fn append(&mut self, other: PlayedMoves) {
        self.training.extend(other.training);
        self.validation.extend(other.validation);
        self.games += other.games;
    }
}

/// Loads moves from a file of games; see [`played_moves`]. Calls `on_fault` for every game that cannot be used, in
/// order; the rest is used.
///
/// # Errors
/// [`LoadError`] when nothing of the file can be used.
pub fn load_played_moves(
    path: &Path,
    settings: &LoadSettings,
    on_fault: &mut OnFault,
) -> Result<PlayedMoves, LoadError> {
    let (kind, reader) = open(path)?;
    let Some(Kind::Games(format)) = kind else { return Err(LoadError::NoGames { path: path.to_owned() }) };
    let work =
        |part: &mut Part<PlayedMoves, GameError>, game: Result<Game, GameError>| match game.and_then(Game::with_end) {
            Ok(game) => {
                let key = game_key(&game.start, game.line().into_iter());
                let is_held_out = is_held_out(key, settings.validation_share);
                let set = if is_held_out { &mut part.0.validation } else { &mut part.0.training };
                set.extend(played_moves(&game, &settings.selection));
                part.0.games += 1;
            }
            Err(error) => part.1.push(error),
        };
    let mut moves = PlayedMoves::default();
    for (part, faults) in load_records(format.games(reader, settings.strictness), GAMES_AT_ONCE, settings, work) {
        moves.append(part);
        report(path, &faults, on_fault)?;
    }
    Ok(moves)
}

/// Opens a file and detects its kind; the reader begins at its first byte.
fn open(path: &Path) -> Result<(Option<Kind>, impl BufRead + use<>), LoadError> {
    let failed = |error| LoadError::File { path: path.to_owned(), error };
    let mut file = File::open(path).map_err(failed)?;
    let mut head = Vec::new();
    file.by_ref().take(BYTES_TO_DETECT as u64).read_to_end(&mut head).map_err(failed)?;
    let kind = Kind::detect(path, &head);
    Ok((kind, BufReader::with_capacity(1 << 16, Cursor::new(head).chain(file))))
}

/// Callback for faults in parts of a file.
pub type OnFault<'a> = dyn FnMut(&dyn Display) + 'a;

/// Combines the parts and reports their faults.
fn combine(
    path: &Path,
    parts: Vec<Part<Positions, GameError>>,
    on_fault: &mut OnFault,
) -> Result<Positions, LoadError> {
    let mut positions = Positions::default();
    for (part, faults) in parts {
        positions.append(&part);
        report(path, &faults, on_fault)?;
    }
    Ok(positions)
}

/// Reports faults of lines and games. A file that cannot be read further is unusable.
fn report(path: &Path, faults: &[GameError], on_fault: &mut OnFault) -> Result<(), LoadError> {
    for fault in faults {
        if fault.is_read_error() {
            return Err(LoadError::File { path: path.to_owned(), error: io::Error::other(fault.to_string()) });
        }
        on_fault(fault);
    }
    Ok(())
}

/// Content of a file.
enum Kind {
    Lines,
    Games(Format),
    /// Self-play games; see [`crate::lab::datagen`].
    SelfPlay,
}

impl Kind {
    fn detect(path: &Path, head: &[u8]) -> Option<Kind> {
        if head.starts_with(MAGIC) {
            return Some(Kind::SelfPlay);
        }
        let text = decode_head(head);
        let mut lines = text.trim_start_matches('\u{feff}').lines();
        let line = lines.find(|line| !line.trim().is_empty() && !line.starts_with('#'))?;
        if line.split('\t').next().is_some_and(|column| column.matches('/').count() == 9) {
            return Some(Kind::Lines);
        }
        Format::detect(head).or_else(|| Format::from_path(path)).map(Kind::Games)
    }
}

/// Content of some records and the faults of others.
type Part<T, E> = (T, Vec<E>);

fn load_lines(reader: impl BufRead, settings: &LoadSettings) -> Vec<Part<Positions, GameError>> {
    let records = Records::new(reader);
    let work = |part: &mut Part<Positions, GameError>, record: Result<(u64, String), GameError>| {
        let read = record.and_then(|(number, text)| {
            let fault = |fault| GameError { location: Location::Line(number), fault };
            read_line(&text, settings.strictness).map_err(fault)
        });
        match read {
            Ok((position, label)) => part.0.add(&position, label, position.key(), settings.validation_share),
            Err(error) => part.1.push(error),
        }
    };
    load_records(records, LINES_AT_ONCE, settings, work)
}

fn load_games(
    games: impl Iterator<Item = Result<Game, GameError>>,
    settings: &LoadSettings,
) -> Vec<Part<Positions, GameError>> {
    let work =
        |part: &mut Part<Positions, GameError>, game: Result<Game, GameError>| match game.and_then(Game::with_end) {
            Ok(game) => {
                let key = game_key(&game.start, game.line().into_iter());
                part.0.add_game(&quiet_positions(&game, &settings.selection), key, settings.validation_share);
                part.0.games_without_result += usize::from(game.result == GameResult::Unknown);
            }
            Err(error) => part.1.push(error),
        };
    load_records(games, GAMES_AT_ONCE, settings, work)
}

/// Returns the quiet positions of self-play games and the errors of unreadable ones. The result does not depend on the
/// number of threads.
///
/// ```
/// use chuhe::notation::game::GameResult;
/// use chuhe::position::Position;
/// use chuhe::lab::datagen::{EndingKind, ScoredGame, ScoredMove};
/// use chuhe::lab::tuning::{Selection, LoadSettings, load_scored_games};
/// let moves = ["h2e2", "h9g7"].map(|text| ScoredMove { mv: text.parse().unwrap(), score: 20 }).to_vec();
/// let (start, result, ending) = (Position::start(), GameResult::Draw, EndingKind::DrawAgreed);
/// let game = ScoredGame { start, moves, result, ending };
/// let selection = Selection { from_ply: 0, ..Selection::default() };
/// let settings = LoadSettings { selection, validation_share: 0.0, ..LoadSettings::default() };
/// let (positions, faults) = load_scored_games([Ok(game), Err("cut off")].into_iter(), &settings);
/// assert_eq!((positions.training.len(), positions.games, faults), (2, 1, vec!["cut off"]));
/// ```
pub fn load_scored_games<E: Send>(
    games: impl Iterator<Item = Result<ScoredGame, E>>,
    settings: &LoadSettings,
) -> (Positions, Vec<E>) {
    let work = |part: &mut Part<Positions, E>, game: Result<ScoredGame, E>| match game {
        Ok(game) => {
            let key = game_key(&game.start, game.moves.iter().map(|played| played.mv));
            part.0.add_game(&quiet_scored_positions(&game, &settings.selection), key, settings.validation_share);
            part.0.games_without_result += usize::from(game.result == GameResult::Unknown);
        }
        Err(error) => part.1.push(error),
    };
    let mut whole = Part::<Positions, E>::default();
    for (positions, faults) in load_records(games, GAMES_AT_ONCE, settings, work) {
        whole.0.append(&positions);
        whole.1.extend(faults);
    }
    whole
}

/// Processes all records in work items of `at_once`; the parts come in the order of the records.
fn load_records<T: Send, P: Default + Send, E: Send>(
    mut records: impl Iterator<Item = T>,
    at_once: usize,
    settings: &LoadSettings,
    work: impl Fn(&mut Part<P, E>, T) + Sync,
) -> Vec<Part<P, E>> {
    let batches = std::iter::from_fn(|| {
        let batch: Vec<T> = records.by_ref().take(at_once).collect();
        (!batch.is_empty() && !settings.cancel.is_cancelled()).then_some(batch)
    });
    let work_off = |(): &mut (), batch: Vec<T>| {
        let mut part = Part::<P, E>::default();
        batch.into_iter().for_each(|record| work(&mut part, record));
        part
    };
    map_ordered(batches, settings.threads, || (), work_off)
}

/// Parses a position with its label.
fn read_line(line: &str, strictness: Strictness) -> Result<(Position, Label), GameFault> {
    let mut columns = line.split('\t').map(str::trim);
    let position = Position::parse_fen(columns.next().unwrap_or_default(), strictness)?.position;
    let malformed = |text: String| GameFault::malformed(text);
    let word = columns.next().filter(|word| !word.is_empty());
    let word = word.ok_or_else(|| malformed("there is no result after the position".to_owned()))?;
    let points = GameResult::from_text(word).and_then(|result| result.points(Side::Red));
    let points =
        points.ok_or_else(|| malformed(format!("'{}' is not a result (1-0, 0-1 or 1/2-1/2)", shortened(word))))?;
    let score = match columns.next().filter(|word| !word.is_empty()) {
        None => None,
        Some(word) => {
            let score = word.parse::<Value>();
            let score = score.map_err(|_| malformed(format!("'{}' is not a score in centipawns", shortened(word))))?;
            Some(if position.side() == Side::Red { score } else { score.saturating_neg() })
        }
    };
    Ok((position, Label { result: points as f32, score }))
}
