//! Samples out of games of self-play.

use std::io::Read;

use super::sample::Sample;
use crate::notation::game::GameResult;
use crate::tools::datagen::{GameReader, GameRecord, RecordError, ScoredGame};
use crate::tools::tuning::{game_key, is_put_aside};
use crate::types::score::is_decisive;
use crate::types::{Side, Value};
use crate::util::cancel::CancelFlag;
use crate::util::parallel::map_ordered;

/// The share of games whose positions are put aside for validation.
pub const SHARE_ASIDE: f64 = 0.01;
/// How many games a thread takes at once.
const GAMES_AT_ONCE: usize = 32;
/// How many such lots each thread takes before their samples are handed on.
const LOTS_AT_ONCE: usize = 16;

/// What was found in files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// Games.
    pub games: u64,
    /// Games among them whose result is not known; nothing is taken of them.
    pub without_result: u64,
    /// Positions that a search scored.
    pub positions: u64,
    /// Positions that were taken.
    pub taken: u64,
    /// Bytes of the files.
    pub bytes: u64,
}

impl Found {
    /// Adds what was found elsewhere.
    pub fn add(&mut self, other: Found) {
        self.games += other.games;
        self.without_result += other.without_result;
        self.positions += other.positions;
        self.taken += other.taken;
        self.bytes += other.bytes;
    }
}

/// The samples of a game: its quiet positions, in which the mover is not in check, captures nothing and is neither
/// sure to win or to lose nor more than `most_score` ahead or behind. None when the result is not known.
///
/// ```
/// use chuhe::notation::game::GameResult;
/// use chuhe::position::Position;
/// use chuhe::tools::datagen::{ScoredGame, ScoredMove};
/// use chuhe::tools::training::samples_of;
/// let scored = |text: &str, score| ScoredMove { mv: text.parse().unwrap(), score };
/// let game = ScoredGame {
///     start: Position::start(),
///     moves: vec![scored("h2e2", 30), scored("h9g7", -25), scored("e2e6", 12), scored("g7e6", 800)],
///     result: GameResult::RedWins,
/// };
/// // The third move captures, and the fourth too.
/// let samples = samples_of(&game, 2000);
/// assert_eq!(samples.iter().map(|sample| (sample.score(), sample.result())).collect::<Vec<_>>(), [(30, 1.0), (-25, 0.0)]);
/// assert_eq!(samples_of(&game, 29).len(), 1);
/// ```
pub fn samples_of(game: &ScoredGame, most_score: Value) -> Vec<Sample> {
    let Some(points) = game.result.points(Side::Red) else { return Vec::new() };
    let is_aside = is_put_aside(game_key(&game.start, game.moves.iter().map(|played| played.mv)), SHARE_ASIDE);
    let mut position = game.start.clone();
    let mut samples = Vec::with_capacity(game.moves.len());
    for played in &game.moves {
        let is_quiet = position.piece_on(played.mv.to()).is_none()
            && played.score.abs() <= most_score
            && !is_decisive(played.score)
            && !position.in_check();
        if is_quiet {
            let sample = Sample::of(&position, played.score, points);
            samples.extend(sample.map(|sample| sample.put_aside(is_aside)));
        }
        position.make(played.mv);
    }
    samples
}

/// What is told while games are read.
#[derive(Debug)]
pub enum Heard<'a> {
    /// The samples of some games, and what was found in all files so far, these games included.
    Samples(&'a [Sample], Found),
    /// A record of a file that is no game.
    Fault(&'a RecordError),
}

/// Hands on the samples of all games of a file, in their order whatever the number of threads, and tells of records that
/// are no games. What is found is added to `found`; an interrupt ends it early.
///
/// # Errors
/// Those of `hear`.
pub fn take_samples<R: Read, E>(
    mut games: GameReader<R>,
    most_score: Value,
    threads: usize,
    interrupt: &CancelFlag,
    found: &mut Found,
    hear: &mut dyn FnMut(Heard) -> Result<(), E>,
) -> Result<(), E> {
    let bytes_before = found.bytes;
    loop {
        let mut faults = Vec::new();
        let lots = std::iter::from_fn(|| {
            let mut lot = Vec::with_capacity(GAMES_AT_ONCE);
            while lot.len() < GAMES_AT_ONCE {
                match games.next() {
                    Some(Ok(game)) => lot.push(game),
                    Some(Err(fault)) => faults.push(fault),
                    None => break,
                }
            }
            (!lot.is_empty()).then_some(lot)
        });
        let work = |(): &mut (), lot: Vec<GameRecord>| {
            let mut part = Found { games: lot.len() as u64, ..Found::default() };
            let mut samples = Vec::new();
            for game in lot {
                part.positions += game.moves.len() as u64;
                part.without_result += u64::from(game.result == GameResult::Unknown);
                samples.extend(samples_of(&game.into_scored_game(), most_score));
            }
            part.taken = samples.len() as u64;
            (samples, part)
        };
        let parts = map_ordered(lots.take(LOTS_AT_ONCE * threads.max(1)), threads, || (), work);
        faults.iter().try_for_each(|fault| hear(Heard::Fault(fault)))?;
        let is_end = parts.is_empty();
        found.bytes = bytes_before + games.bytes_read();
        for (samples, part) in parts {
            found.add(part);
            hear(Heard::Samples(&samples, *found))?;
        }
        if is_end || interrupt.is_cancelled() {
            return Ok(());
        }
    }
}
