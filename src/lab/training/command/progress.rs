//! Progress of a training on standard error.

use std::time::Duration;

use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::note;
use crate::console::progress::{Progress, clock};
use crate::lab::training::{Epoch, FolderEvent, PrepareError, PrepareEvent, TrainError, TrainEvent};

/// Maximum number of faults reported one by one; the rest are counted.
const MAX_FAULTS_REPORTED: u64 = 20;

/// Progress display of a training in a folder.
#[derive(Default)]
pub struct TrainingProgress {
    bar: Option<Progress>,
    /// Faults found while the games are read.
    faults: u64,
    /// Steps of earlier runs, which took no time in this one; `None` before the first step.
    steps_before: Option<u64>,
    /// Samples per step.
    batch: f64,
}

impl TrainingProgress {
    /// Shows an event.
    pub fn on_event(&mut self, event: &FolderEvent) {
        match event {
            FolderEvent::Preparing { bytes } => self.bar = Some(Progress::bar(*bytes)),
            FolderEvent::Prepare(event) => self.on_prepare(event),
            FolderEvent::Prepared(found, _) => {
                self.finish();
                if found.without_result > 0 {
                    note!("{} without a result left out", counted(found.without_result, "game"));
                }
            }
            FolderEvent::Begins { training, settings, .. } => self.batch = settings.batch.min(*training) as f64,
            FolderEvent::Train(event) => self.on_train(event),
        }
    }

    fn on_prepare(&mut self, event: &PrepareEvent) {
        let Some(bar) = &mut self.bar else { return };
        match event {
            PrepareEvent::Progress(found) => {
                let rate = found.positions as f64 / bar.elapsed().as_secs_f64().max(1e-3);
                bar.update(found.bytes, || format!("bytes read, {} positions, {rate:.0}/s", found.positions));
            }
            PrepareEvent::Fault(path, fault) => {
                self.faults += 1;
                if self.faults <= MAX_FAULTS_REPORTED {
                    bar.note(&format!("{}: {fault}", path.display()));
                }
            }
            PrepareEvent::Shuffling => bar.note("all games are read; shuffling their positions"),
        }
    }

    fn on_train(&mut self, event: &TrainEvent) {
        match event {
            TrainEvent::Step { done, all, loss } => {
                let before = *self.steps_before.get_or_insert(done - 1);
                let batch = self.batch;
                let bar = self.bar.get_or_insert_with(|| Progress::bar(*all));
                let own = (done - before) as f64;
                let seconds = bar.elapsed().as_secs_f64().max(1e-3);
                let left = Duration::try_from_secs_f64(seconds / own * (all - done) as f64).unwrap_or(Duration::MAX);
                bar.update(*done, || {
                    format!("loss {loss:.6}, {:.0} positions/s, {} left", own * batch / seconds, clock(left))
                });
            }
            TrainEvent::Epoch(epochs) => {
                if let (Some(bar), Some(epoch)) = (&self.bar, epochs.last()) {
                    bar.note(&epoch_line(epochs.len(), epoch));
                }
            }
        }
    }

    /// Removes the display.
    pub fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish();
        }
        self.steps_before = None;
        if self.faults > MAX_FAULTS_REPORTED {
            note!("{} faults in all", self.faults);
        }
        self.faults = 0;
    }
}

/// Formats the result of an epoch.
pub(super) fn epoch_line(number: usize, epoch: &Epoch) -> String {
    let validation = epoch.validation.map_or(String::new(), |loss| format!(", validation {loss:.6}"));
    format!("epoch {number}: loss {:.6}{validation}, {:.1} s", epoch.training, epoch.seconds)
}

impl From<TrainError> for CommandError {
    fn from(error: TrainError) -> CommandError {
        match error {
            TrainError::File { path, error } | TrainError::Prepare(PrepareError::File { path, error }) => {
                CommandError::File { path, error }
            }
            TrainError::Prepare(PrepareError::Header { path, error }) => {
                CommandError::Unusable { path, fault: error.to_string() }
            }
            TrainError::Checkpoint { path, error } => CommandError::Unusable { path, fault: error.to_string() },
            error => CommandError::Mismatch(error.to_string()),
        }
    }
}
