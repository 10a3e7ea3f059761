//! Preparation: the quiet positions of game files as samples in memory, 32 bytes each, without duplicates.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::checkpoint::SampleSource;
use super::optimizer::{Loss, fit_scale_to};
use super::sample::Sample;
use crate::console::{CommandError, Progress, Result, counted, note};
use crate::lab::datagen::{EndingKind, GameReader, GameRecord, game_key};
use crate::lab::in_file;
use crate::notation::game::GameResult;
use crate::types::score::is_decisive;
use crate::types::{Side, Value};
use crate::util::cancel::CancelFlag;
use crate::util::math::{GOLDEN_RATIO, StableHash, logistic};
use crate::util::parallel::map_ordered;

/// Maximum absolute score of a sample, in centipawns.
const MAX_SCORE: Value = 2_000;
/// Share of games held out for validation.
const VALIDATION_SHARE: f64 = 0.01;
/// Games per thread between two displays of the progress.
const GAMES_AT_ONCE: usize = 512;
/// Bytes read at a time, a multiple of the word size of the hash.
const CHUNK: usize = 1 << 20;
const _: () = assert!(CHUNK.is_multiple_of(size_of::<u64>()));

/// Returns the length and a hash of a file. A pipe is refused, since it cannot be read again.
pub fn identify(path: &Path) -> Result<(u64, u64)> {
    let identified = || {
        if path.exists() && !path.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let (file, mut hash, mut length) = (File::open(path)?, StableHash::default(), 0);
        let mut piece = Vec::with_capacity(CHUNK);
        loop {
            piece.clear();
            let count = (&file).take(CHUNK as u64).read_to_end(&mut piece)?;
            if count == 0 {
                return Ok((length, hash.value()));
            }
            hash = hash.with_bytes(&piece);
            length += count as u64;
        }
    };
    identified().map_err(in_file(path))
}

/// Samples without duplicate positions, in the order of the games.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Samples {
    pub training: Vec<Sample>,
    pub validation: Vec<Sample>,
    pub games: u64,
    /// Scored positions in the games.
    pub positions: u64,
    /// Samples of the games, with duplicates.
    pub taken: u64,
}

/// Reads the samples of game files. They do not depend on the number of threads. Of duplicates the first training
/// sample is kept, or the first one if all are held out for validation.
pub fn prepare(files: &[PathBuf], source: &SampleSource, threads: usize, cancel: &CancelFlag) -> Result<Samples> {
    let bytes: u64 = source.files.iter().map(|(length, _)| length).sum();
    let (mut all, mut without_result) = (Samples::default(), 0);
    let (mut bytes_before, mut bar) = (0, Progress::bar(bytes));
    for path in files {
        let mut games = GameReader::open(path)?;
        loop {
            let mut failure = None;
            let intact = games.by_ref().map_while(|game| game.map_err(|error| failure = Some(error)).ok());
            let work = |(): &mut (), game: GameRecord| {
                let (positions, has_result) = (game.moves.len() as u64, game.result != GameResult::Unknown);
                let samples = samples_from_game(&game, source.td_lambda, source.scale);
                (positions, has_result, is_validation_game(&game), samples)
            };
            let parts = map_ordered(intact.take(GAMES_AT_ONCE * threads.max(1)), threads, || (), work);
            if let Some(error) = failure {
                return Err(error);
            }
            let is_end = parts.is_empty();
            for (positions, has_result, is_validation, samples) in parts {
                all.games += 1;
                without_result += u64::from(!has_result);
                all.positions += positions;
                all.taken += samples.len() as u64;
                if is_validation { &mut all.validation } else { &mut all.training }.extend(samples);
            }
            CommandError::if_interrupted(cancel)?;
            if is_end {
                break;
            }
            let rate = all.positions as f64 / bar.elapsed().as_secs_f64().max(1e-3);
            bar.update(bytes_before + games.bytes_read(), || {
                format!("bytes read, {} positions, {rate:.0}/s", all.positions)
            });
        }
        bytes_before += games.bytes_read();
    }
    bar.finish();
    if without_result > 0 {
        note!("{} without a result left out", counted(without_result, "game"));
    }
    let mut seen = HashSet::new();
    let mut is_new = |sample: &Sample| seen.insert(StableHash::default().with_bytes(&sample.board()).value());
    all.training.retain(&mut is_new);
    all.validation.retain(is_new);
    Ok(all)
}

/// Returns whether the game or position with this key belongs to the validation set, as a `share` of all keys does.
/// Equal keys are in the same set.
pub fn is_held_out(key: u64, share: f64) -> bool {
    // Game keys come from multiplications, so their high bits are the most random.
    let mixed = (key ^ (key >> 32)).wrapping_mul(GOLDEN_RATIO) >> 32;
    (mixed as f64) < share * (1u64 << 32) as f64
}

/// Returns whether the samples of a game are held out for validation.
pub fn is_validation_game(game: &GameRecord) -> bool {
    is_held_out(game_key(&game.scored_start(), game.moves.iter().map(|played| played.mv)), VALIDATION_SHARE)
}

/// Returns the samples of a game: quiet positions, in which the mover is not in check, makes no capture, and has a
/// score that is not decisive and within `MAX_SCORE`. Games with an unknown result have none. The results are
/// smoothed with a λ below 1.
pub fn samples_from_game(game: &GameRecord, td_lambda: f64, scale: f64) -> Vec<Sample> {
    let Some(points) = game.result.points(Side::Red) else { return Vec::new() };
    let mut position = game.scored_start();
    let mut samples = Vec::with_capacity(game.moves.len());
    let results = smoothed_results(game, position.side(), points, td_lambda, scale);
    for (played, result) in game.moves.iter().zip(results) {
        let is_quiet = position.piece_on(played.mv.to()).is_none()
            && played.score.abs() <= MAX_SCORE
            && !is_decisive(played.score)
            && !position.in_check();
        if is_quiet {
            samples.extend(Sample::new(&position, played.score, result));
        }
        position.make(played.mv);
    }
    samples
}

/// Returns for each scored move of a game that gives Red `points`, where `first` makes the first of them, the average
/// of the winning chances for Red at the later moves and of the points: the returns of TD(λ). λ goes from 0, the
/// winning chance at the next move, to 1, the points alone.
///
/// The result of a game says little about its early positions, because later errors decide it. The scores of the next
/// searches depend on fewer moves, and get a weight of 1 − λ for the next one and λ times less for each later one; the
/// weight that is left goes to the result. Idea: R. S. Sutton, *Learning to Predict by the Methods of Temporal
/// Differences*, Machine Learning 3, 1988. A game that was [stopped](EndingKind::TooLong) has no result of its own: its
/// last score stands in, as the value of the last state does in an unfinished episode.
fn smoothed_results(game: &GameRecord, first: Side, points: f64, td_lambda: f64, scale: f64) -> Vec<f64> {
    let mut results = vec![points; game.moves.len()];
    if td_lambda >= 1.0 {
        return results;
    }
    let chance = |index: usize| {
        let is_red = (first == Side::Red) == index.is_multiple_of(2);
        let score = game.moves[index].score;
        logistic(f64::from(if is_red { score } else { -score }) / scale)
    };
    let is_stopped = game.ending == EndingKind::TooLong && !game.moves.is_empty();
    let mut after = if is_stopped { chance(game.moves.len() - 1) } else { points };
    for index in (0..results.len()).rev() {
        results[index] = after;
        after = td_lambda * after + (1.0 - td_lambda) * chance(index);
    }
    results
}

/// Fits the scale, in centipawns, to plain results by [`fit_scale_to`]. Each file gives its first samples, in
/// proportion to its size: about `count` in all and at least one of each file, without those held out for validation.
/// Games that were stopped at their maximum length are left out, since their draw says nothing about their scores.
/// Damage is reported by [`prepare`].
pub fn fit_scale_to_games(
    files: &[PathBuf],
    identities: &[(u64, u64)],
    count: usize,
    threads: usize,
    cancel: &CancelFlag,
) -> Result<f64> {
    let bytes = identities.iter().map(|(length, _)| length).sum::<u64>().max(1);
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    let mut has_stopped_games = false;
    for (path, (length, _)) in files.iter().zip(identities) {
        let share = count as u128 * u128::from(*length) / u128::from(bytes);
        let most = pairs.len() + share as usize + 1;
        for game in GameReader::open(path)?.silent() {
            CommandError::if_interrupted(cancel)?;
            let game = game?;
            let samples = samples_from_game(&game, 1.0, 1.0);
            if game.ending == EndingKind::TooLong {
                has_stopped_games |= !samples.is_empty();
                continue;
            }
            if !is_validation_game(&game) {
                pairs.extend(samples.iter().map(|sample| (f64::from(sample.score()), f64::from(sample.result()))));
            }
            pairs.truncate(most);
            if pairs.len() == most {
                break;
            }
        }
    }
    match pairs.is_empty() {
        false => Ok(fit_scale_to(&pairs, Loss::CrossEntropy, threads)),
        true if has_stopped_games => {
            let text = "no game has a result that the scale could be fitted to; 'train' takes it as --scale";
            Err(CommandError::Mismatch(text.to_owned()))
        }
        true => Err(no_position()),
    }
}

/// Error of games without a sample for training.
pub(super) fn no_position() -> CommandError {
    CommandError::Mismatch("there is no position to train on".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::datagen::ScoredMove;
    use crate::notation::openings::Opening;
    use crate::position::Position;
    use crate::util::math::StableRandom;

    #[test]
    fn only_quiet_positions_give_samples() {
        let scored = |text: &str, score| ScoredMove { mv: text.parse().unwrap(), score };
        let mut game = GameRecord {
            number: 0,
            opening: Opening::default(),
            // The third move captures, and the fourth too.
            moves: vec![scored("h2e2", 30), scored("h9g7", -25), scored("e2e6", 12), scored("g7e6", 800)],
            result: GameResult::RedWins,
            ending: EndingKind::WinAgreed,
        };
        let samples = samples_from_game(&game, 1.0, 1.0);
        let targets: Vec<_> = samples.iter().map(|sample| (sample.score(), sample.result())).collect();
        assert_eq!(targets, [(30, 1.0), (-25, 0.0)]);
        game.moves[0].score = MAX_SCORE + 1;
        assert_eq!(samples_from_game(&game, 1.0, 1.0).len(), 1);
    }

    /// A game of `length` moves with random scores, begun by either side. The moves themselves do not matter.
    fn game(seed: u64, length: usize) -> GameRecord {
        let mut random = StableRandom::new(seed, 0);
        let mut start = Position::start();
        if random.below(2) == 1 {
            start.play(["h2e2"]).unwrap();
        }
        let mv = "a0a1".parse().unwrap();
        let moves = (0..length).map(|_| ScoredMove { mv, score: random.below(2001) as i32 - 1000 }).collect();
        let opening = Opening { start, moves: Vec::new() };
        GameRecord { number: seed, opening, moves, result: GameResult::Draw, ending: EndingKind::Repetition }
    }

    #[test]
    fn results_are_the_weighted_sums_of_later_chances_and_the_points() {
        for seed in 0..50 {
            let mut game = game(seed, seed as usize);
            let (length, first) = (game.moves.len(), game.opening.start.side());
            let chance = |index: usize| {
                let mover = if index.is_multiple_of(2) { first } else { !first };
                let sign = if mover == Side::Red { 1.0 } else { -1.0 };
                0.5 + 0.5 * (sign * f64::from(game.moves[index].score) / 642.0).tanh()
            };
            let last = (length > 0).then(|| chance(length - 1));
            let results =
                |game: &GameRecord, td_lambda, points| smoothed_results(game, first, points, td_lambda, 321.0);
            for (td_lambda, points) in [(0.95, 1.0), (0.5, 0.0), (0.0, 0.5), (1.0, 0.0)] {
                let found = results(&game, td_lambda, points);
                assert_eq!(found.len(), length);
                for (index, result) in found.into_iter().enumerate() {
                    let mut sum = points * td_lambda.powi((length - 1 - index) as i32);
                    for later in index + 1..length {
                        sum += (1.0 - td_lambda) * td_lambda.powi((later - index - 1) as i32) * chance(later);
                    }
                    assert!((result - sum).abs() < 1e-12, "move {index} of {length}: {result}, not {sum}");
                }
            }
            // The last score replaces the result of a stopped game, unless nothing is smoothed.
            let expected = last.map(|last| results(&game, 0.75, last)).unwrap_or_default();
            game.ending = EndingKind::TooLong;
            let found = results(&game, 0.75, 0.5);
            assert!(found.iter().zip(&expected).all(|(one, other)| (one - other).abs() < 1e-12), "{found:?}");
            assert!(results(&game, 1.0, 0.5).iter().all(|&result| result == 0.5));
        }
    }
}
