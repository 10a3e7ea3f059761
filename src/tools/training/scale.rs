//! Scale of the scores, fitted to the results of games before their samples are prepared.

use std::path::PathBuf;

use super::loss::{Loss, fit_scale_to};
use super::prepare::{PrepareError, ReadEvent, ReadStats, open_games, take_samples};
use super::sample_file::{SampleFilter, SampleSource};
use crate::util::cancel::CancelFlag;

/// Marks that enough samples of a file were read.
struct Enough;

/// Fits the scale, in centipawns, to plain results by [`fit_scale_to`]. Each file gives its first samples, in proportion
/// to its size: about `count` in all and at least one of each file, without those held out for validation. Returns
/// `None` when there are none or when cancelled.
///
/// # Errors
/// [`PrepareError`] when a file cannot be read.
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
    for (path, (length, _)) in files.iter().zip(&source.files) {
        let share = count as u128 * u128::from(*length) / u128::from(bytes);
        let most = pairs.len() + share as usize + 1;
        let mut add = |event: ReadEvent| {
            if let ReadEvent::Samples(samples, _) = event {
                let training = samples.iter().filter(|sample| !sample.is_validation());
                pairs.extend(training.map(|sample| (f64::from(sample.score()), f64::from(sample.result()))));
                pairs.truncate(most);
            }
            if pairs.len() < most { Ok(()) } else { Err(Enough) }
        };
        // An error says only that there are enough.
        let _: Result<(), Enough> =
            take_samples(open_games(path)?, filter, threads, cancel, &mut ReadStats::default(), &mut add);
    }
    let is_complete = !pairs.is_empty() && !cancel.is_cancelled();
    Ok(is_complete.then(|| fit_scale_to(&pairs, Loss::CrossEntropy, threads)))
}
