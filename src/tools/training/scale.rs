//! Scale of the scores, fitted to the results of games before their samples are prepared.

use std::path::PathBuf;

use super::loss::{Loss, fit_scale_to};
use super::prepare::{PrepareError, ReadEvent, ReadStats, SampleFilter, open_games, take_samples};
use super::sample_file::SampleSource;
use crate::util::cancel::CancelFlag;

/// Number of samples that the scale is fitted to, if there are as many.
const SAMPLES: u64 = 1_000_000;

/// Marks that enough samples of a file were read.
struct Enough;

/// Fits the scale, in centipawns, to the plain results of the first games of each file, with a share of the samples in
/// proportion to the size of the file. Samples held out for validation are left out. Returns `None` when there are none
/// or when cancelled; see [`fit_scale_to`] for the method.
///
/// # Errors
/// [`PrepareError`] when a file cannot be read.
pub fn fit_scale_to_games(
    files: &[PathBuf],
    source: &SampleSource,
    threads: usize,
    cancel: &CancelFlag,
) -> Result<Option<f64>, PrepareError> {
    let bytes = source.files.iter().map(|(length, _)| length).sum::<u64>().max(1);
    let filter = SampleFilter { most_score: source.most_score, smoothing: None };
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for (path, (length, _)) in files.iter().zip(&source.files) {
        let share = u128::from(SAMPLES) * u128::from(*length) / u128::from(bytes);
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
