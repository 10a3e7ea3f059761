//! Preparation: quiet positions of game files are collected, deduplicated and shuffled into one sample file.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::sample::Sample;
use super::sample_file::{SampleFilter, SampleSource, SampleWriter};
use super::shuffle::{ShuffleStats, Shuffler};
use crate::lab::datagen::{GameReader, GameRecord, HeaderError, RecordError, ScoredGame};
use crate::notation::game::GameResult;
use crate::position::Position;
use crate::types::score::is_decisive;
use crate::types::{Move, Side};
use crate::util::atomic_file::replace;
use crate::util::cancel::CancelFlag;
use crate::util::full_disk::with_remedy;
use crate::util::math::GOLDEN_RATIO;
use crate::util::parallel::map_ordered;
use crate::util::stable_hash::StableHash;

/// Minimum size of a position in a game file, in bytes.
const MIN_POSITION_BYTES: u64 = 3;

/// Bytes read at a time, a multiple of the word size of the hash.
const CHUNK: usize = 1 << 20;
const _: () = assert!(CHUNK.is_multiple_of(size_of::<u64>()));

/// Arguments of [`prepare`].
#[derive(Clone, Debug)]
pub struct PrepareSettings {
    /// Game files.
    pub files: Vec<PathBuf>,
    /// Identity of the game files and filter of the samples.
    pub source: SampleSource,
    /// Number of threads.
    pub threads: usize,
    /// Memory for shuffling, in bytes.
    pub memory: u64,
}

/// Error while samples are prepared.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error reported by the system.
        error: io::Error,
    },
    /// A file is no game file.
    #[error("{}: {error}", path.display())]
    Header {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        error: HeaderError,
    },
    /// All games were stopped before they had a result, so no scale can be fitted.
    #[error("no game has a result that the scale could be fitted to; 'train' takes it as --scale")]
    NoResult,
}

/// Returns the length and a hash of a file. A CRC-32 of the file would not do: every record ends with its own CRC-32,
/// which makes the CRC-32 of the file independent of the content.
///
/// # Errors
/// Read errors. A pipe is refused, since it cannot be read again.
pub fn identify(path: &Path) -> io::Result<(u64, u64)> {
    if path.exists() && !path.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let (file, mut hash, mut length) = (File::open(path)?, StableHash::default(), 0);
    let mut piece = Vec::with_capacity(CHUNK);
    loop {
        piece.clear();
        match (&file).take(CHUNK as u64).read_to_end(&mut piece)? {
            0 => return Ok((length, hash.value())),
            count => {
                hash = hash.with_bytes(&piece);
                length += count as u64;
            }
        }
    }
}

/// Event while samples are prepared.
#[derive(Debug)]
pub enum PrepareEvent<'a> {
    /// Statistics so far.
    Progress(ReadStats),
    /// Damaged record.
    Fault(&'a Path, &'a RecordError),
    /// All files were read; shuffling starts.
    Shuffling,
}

/// Writes the sample file, which no other program may write; an old one stays until the new one is complete. Returns
/// `None`, and writes nothing, when cancelled.
///
/// # Errors
/// [`PrepareError`].
pub fn prepare(
    settings: &PrepareSettings,
    out: &Path,
    cancel: &CancelFlag,
    on_event: &mut dyn FnMut(PrepareEvent),
) -> Result<Option<(ReadStats, ShuffleStats)>, PrepareError> {
    let in_out = |error| PrepareError::File { path: out.to_owned(), error: with_remedy(error) };
    let folder = match out.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let PrepareSettings { files, source, threads, memory } = settings;
    let bytes: u64 = source.files.iter().map(|(length, _)| length).sum();
    let mut shuffler = Shuffler::new(folder, bytes / MIN_POSITION_BYTES, *memory).map_err(in_out)?;
    let mut found = ReadStats::default();
    for path in files {
        take_samples(open_games(path)?, source.filter, *threads, cancel, &mut found, &mut |event| match event {
            ReadEvent::Samples(samples, found) => {
                on_event(PrepareEvent::Progress(found));
                samples.iter().try_for_each(|sample| shuffler.add(sample)).map_err(in_out)
            }
            ReadEvent::Fault(fault) => {
                on_event(PrepareEvent::Fault(path, fault));
                Ok(())
            }
            ReadEvent::Unreadable(error) => Err(PrepareError::File { path: path.clone(), error }),
        })?;
    }
    if cancel.is_cancelled() {
        return Ok(None);
    }
    on_event(PrepareEvent::Shuffling);
    let write = |file: &mut dyn io::Write| {
        let mut writer = SampleWriter::new(file);
        let (validation, stats) = shuffler.finish(source.seed, cancel, &mut writer)?;
        validation.iter().try_for_each(|sample| writer.write_all(sample.bytes()))?;
        writer.finish(source, stats.training, stats.validation)?;
        Ok(stats)
    };
    let stats = replace(out, |error| error, write, |_| !cancel.is_cancelled()).map_err(in_out)?;
    Ok((!cancel.is_cancelled()).then_some((found, stats)))
}

/// Opens a game file.
///
/// # Errors
/// [`PrepareError`] when it cannot be read or is no game file.
pub fn open_games(path: &Path) -> Result<GameReader<File>, PrepareError> {
    let file = File::open(path).map_err(|error| PrepareError::File { path: path.to_owned(), error })?;
    GameReader::new(file).map_err(|error| PrepareError::Header { path: path.to_owned(), error })
}

/// Share of games held out for validation.
pub const VALIDATION_SHARE: f64 = 0.01;
/// Games per work item.
const GAMES_AT_ONCE: usize = 32;
/// Work items per thread between two events.
const ITEMS_PER_EVENT: usize = 16;

/// Statistics of the files read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReadStats {
    /// Games read.
    pub games: u64,
    /// Games with an unknown result, which give no samples.
    pub without_result: u64,
    /// Scored positions.
    pub positions: u64,
    /// Samples taken.
    pub taken: u64,
    /// Bytes read.
    pub bytes: u64,
}

impl ReadStats {
    /// Adds other statistics.
    pub fn add(&mut self, other: ReadStats) {
        self.games += other.games;
        self.without_result += other.without_result;
        self.positions += other.positions;
        self.taken += other.taken;
        self.bytes += other.bytes;
    }
}

/// Hash of a game: its start position and its moves.
pub fn game_key(start: &Position, moves: impl Iterator<Item = Move>) -> u64 {
    let of_start = StableHash::default().with(start.key());
    moves.fold(of_start, |hash, mv| hash.with(u64::from(mv.bits()))).value()
}

/// Returns whether the game or position with this key belongs to the validation set, as a `share` of all keys does.
/// Equal keys are always in the same set.
pub fn is_held_out(key: u64, share: f64) -> bool {
    // Game keys come from multiplications, so their high bits are the most random.
    let mixed = (key ^ (key >> 32)).wrapping_mul(GOLDEN_RATIO) >> 32;
    (mixed as f64) < share * (1u64 << 32) as f64
}

/// Returns the samples of a game: quiet positions, in which the mover is not in check, makes no capture, and has a
/// score that is not decisive and within the bound of the filter. Games with an unknown result have none.
///
/// ```
/// use chuhe::notation::game::GameResult;
/// use chuhe::position::Position;
/// use chuhe::lab::datagen::{EndingKind, ScoredGame, ScoredMove};
/// use chuhe::lab::training::{SampleFilter, samples_from_game};
/// let scored = |text: &str, score| ScoredMove { mv: text.parse().unwrap(), score };
/// let game = ScoredGame {
///     start: Position::start(),
///     moves: vec![scored("h2e2", 30), scored("h9g7", -25), scored("e2e6", 12), scored("g7e6", 800)],
///     result: GameResult::RedWins,
///     ending: EndingKind::WinAgreed,
/// };
/// // The third move captures, and the fourth too.
/// let filter = |most_score| SampleFilter { most_score, smoothing: None };
/// let samples = samples_from_game(&game, filter(2000));
/// let targets: Vec<_> = samples.iter().map(|sample| (sample.score(), sample.result())).collect();
/// assert_eq!(targets, [(30, 1.0), (-25, 0.0)]);
/// assert_eq!(samples_from_game(&game, filter(29)).len(), 1);
/// ```
pub fn samples_from_game(game: &ScoredGame, filter: SampleFilter) -> Vec<Sample> {
    let Some(points) = game.result.points(Side::Red) else { return Vec::new() };
    let is_validation = is_held_out(game_key(&game.start, game.moves.iter().map(|played| played.mv)), VALIDATION_SHARE);
    let mut position = game.start.clone();
    let mut samples = Vec::with_capacity(game.moves.len());
    let results = filter.smoothing.map(|smoothing| smoothing.results(game, points));
    for (index, played) in game.moves.iter().enumerate() {
        let is_quiet = position.piece_on(played.mv.to()).is_none()
            && played.score.abs() <= filter.most_score
            && !is_decisive(played.score)
            && !position.in_check();
        if is_quiet {
            let result = results.as_ref().map_or(points, |results| results[index]);
            let sample = Sample::new(&position, played.score, result);
            samples.extend(sample.map(|sample| sample.with_validation(is_validation)));
        }
        position.make(played.mv);
    }
    samples
}

/// Event while games are read.
#[derive(Debug)]
pub enum ReadEvent<'a> {
    /// Samples of some games, and the statistics of all files so far.
    Samples(&'a [Sample], ReadStats),
    /// Damaged record.
    Fault(&'a RecordError),
    /// The rest of the file cannot be read.
    Unreadable(io::Error),
}

/// Passes the samples of a game file to `on_event`, in file order whatever the number of threads. Adds to `stats`; a
/// cancellation stops early.
///
/// # Errors
/// Errors of `on_event`.
pub fn take_samples<R: Read, E>(
    mut games: GameReader<R>,
    filter: SampleFilter,
    threads: usize,
    cancel: &CancelFlag,
    found: &mut ReadStats,
    on_event: &mut dyn FnMut(ReadEvent) -> Result<(), E>,
) -> Result<(), E> {
    let bytes_before = found.bytes;
    loop {
        let mut faults = Vec::new();
        let runs = std::iter::from_fn(|| {
            let mut run = Vec::with_capacity(GAMES_AT_ONCE);
            while run.len() < GAMES_AT_ONCE {
                match games.next() {
                    Some(Ok(game)) => run.push(game),
                    Some(Err(fault)) => faults.push(fault),
                    None => break,
                }
            }
            (!run.is_empty()).then_some(run)
        });
        let work = |(): &mut (), run: Vec<GameRecord>| {
            let mut part = ReadStats { games: run.len() as u64, ..ReadStats::default() };
            let mut samples = Vec::new();
            for game in run {
                part.positions += game.moves.len() as u64;
                part.without_result += u64::from(game.result == GameResult::Unknown);
                samples.extend(samples_from_game(&game.into_scored_game(), filter));
            }
            part.taken = samples.len() as u64;
            (samples, part)
        };
        let parts = map_ordered(runs.take(ITEMS_PER_EVENT * threads.max(1)), threads, || (), work);
        for fault in &faults {
            on_event(fault.read_error().map_or(ReadEvent::Fault(fault), ReadEvent::Unreadable))?;
        }
        let is_end = parts.is_empty();
        found.bytes = bytes_before + games.bytes_read();
        for (samples, part) in parts {
            found.add(part);
            on_event(ReadEvent::Samples(&samples, *found))?;
        }
        if is_end || cancel.is_cancelled() {
            return Ok(());
        }
    }
}
