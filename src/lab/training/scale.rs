//! Scale of the scores, fitted to the results of games before their samples are prepared.

use std::path::PathBuf;

use super::loss::{Loss, fit_scale_to};
use super::prepare::{PrepareError, open_games, samples_from_game};
use super::sample_file::{SampleFilter, SampleSource};
use crate::lab::datagen::EndingKind;
use crate::util::cancel::CancelFlag;

/// Fits the scale, in centipawns, to plain results by [`fit_scale_to`]. Each file gives its first samples, in
/// proportion to its size: about `count` in all and at least one of each file, without those held out for validation.
/// Games that were stopped at their maximum length are left out, since their draw says nothing about their scores.
/// Returns `None` when there are no samples or when cancelled. Damaged records are skipped; preparing the samples
/// reports them.
///
/// # Errors
/// [`PrepareError`] when a file cannot be read, or when all games with samples were stopped.
pub fn fit_scale_to_games(
    files: &[PathBuf],
    source: &SampleSource,
    count: usize,
    threads: usize,
    cancel: &CancelFlag,
) -> Result<Option<f64>, PrepareError> {
    let bytes = source.files.iter().map(|(length, _)| length).sum::<u64>().max(1);
    let filter = SampleFilter { smoothing: None, ..source.filter };
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    let mut has_stopped_games = false;
    for (path, (length, _)) in files.iter().zip(&source.files) {
        let share = count as u128 * u128::from(*length) / u128::from(bytes);
        let most = pairs.len() + share as usize + 1;
        for record in open_games(path)? {
            if cancel.is_cancelled() {
                return Ok(None);
            }
            let game = match record {
                Ok(record) => record.into_scored_game(),
                Err(fault) => match fault.read_error() {
                    Some(error) => return Err(PrepareError::File { path: path.clone(), error }),
                    None => continue,
                },
            };
            let samples = samples_from_game(&game, filter);
            if game.ending == EndingKind::TooLong {
                has_stopped_games |= !samples.is_empty();
                continue;
            }
            let training = samples.iter().filter(|sample| !sample.is_validation());
            pairs.extend(training.map(|sample| (f64::from(sample.score()), f64::from(sample.result()))));
            pairs.truncate(most);
            if pairs.len() == most {
                break;
            }
        }
    }
    match pairs.is_empty() {
        true if has_stopped_games => Err(PrepareError::NoResult),
        true => Ok(None),
        false => Ok(Some(fit_scale_to(&pairs, Loss::CrossEntropy, threads))),
    }
}
