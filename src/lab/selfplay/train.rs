//! Training of a round: on the games of all rounds, from the strongest network or from random weights.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::error::RoundsError;
use super::event::RoundsEvent;
use super::folder::{Best, Folder};
use super::state::GamesDone;
use crate::lab::datagen::NamedNetwork;
use crate::lab::training::{
    self, FolderPlan, SampleFilter, SampleSource, Smoothing, TrainedInFolder, TrainingFiles, begun_settings,
    train_in_folder,
};
use crate::util::cancel::CancelFlag;

/// Trains the network of the current round, whose games are complete. Returns `None` when cancelled.
pub(super) fn train(
    folder: &Folder,
    games: &GamesDone,
    best: Option<&Best>,
    threads: NonZeroUsize,
    cancel: &CancelFlag,
    on_event: &mut dyn FnMut(RoundsEvent),
) -> Result<Option<TrainedInFolder>, RoundsError> {
    let round = folder.state().round();
    let start = best.map(Best::checksum);
    on_event(RoundsEvent::Training { round, rounds: round as usize, start: start.as_deref() });
    let (files, identities) = game_files(folder, games);
    let own = &folder.state().settings;
    let seed = own.seed_of_round(round);
    let trained = folder.path().join(folder.round_files(round).trained);
    let [rate, last_rate] = own.rates(best.is_some());
    let filter = SampleFilter {
        most_score: training::Settings::MOST_SCORE.into(),
        // The scale is fitted to the games.
        smoothing: Smoothing::new(own.td_lambda, 0.0),
    };
    let settings = training::Settings {
        shape: training::Settings::this_shape(),
        games: SampleSource { files: identities, filter, seed },
        epochs: own.epochs,
        batch: own.batch,
        lambda: own.lambda,
        scale: 0.0,
        loss: training::Settings::LOSS.name().to_owned(),
        rate,
        last_rate,
        decay: training::Settings::DECAY,
        seed,
        threads: threads_of(&TrainingFiles::new(&trained))?.unwrap_or(threads.get()),
        start: best.map(|best| NamedNetwork::new(best.network.clone())),
        start_share: own.share_of_start(best.is_some()),
    };
    // The order of the samples depends on it.
    let memory = u64::from(training::Settings::SHUFFLE_MEGABYTES) << 20;
    let note = format!("round {round} of selfplay-train");
    let plan = FolderPlan { folder: trained, files, settings, fits_scale: true, memory, note };
    Ok(train_in_folder(&plan, cancel, &mut |event| on_event(RoundsEvent::Train(event)))?)
}

/// Returns the game files of all rounds with their identities, newest first: of duplicate positions the first is kept.
fn game_files(folder: &Folder, current: &GamesDone) -> (Vec<PathBuf>, Vec<(u64, u64)>) {
    let earlier = folder.state().rounds.iter().map(|round| &round.games);
    let all = (1..).zip(earlier.chain([current])).map(|(round, games)| {
        let path = folder.path().join(folder.round_files(round).games);
        (path, games.identity)
    });
    let mut all: Vec<(PathBuf, (u64, u64))> = all.collect();
    all.reverse();
    all.into_iter().unzip()
}

/// Returns the number of threads of a training that was begun. The result depends on it, so a training continues with
/// it, whatever the machine has.
fn threads_of(files: &TrainingFiles) -> Result<Option<usize>, RoundsError> {
    Ok(begun_settings(&files.checkpoint)?.map(|settings| settings.threads))
}
