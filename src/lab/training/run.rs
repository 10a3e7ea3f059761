//! The training loop, from the start or from a checkpoint.

use std::io;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::checkpoint::{Checkpoint, CheckpointError, Epoch, Progress, Settings};
use super::loss::{Loss, Target};
use super::model::Model;
use super::optimizer::{AdamStep, ParamState, cosine_rate};
use super::prepare::PrepareError;
use super::sample::Sample;
use super::sample_file::{EpochOrder, SampleFile};
use super::worker_pool::WorkerPool;
use crate::eval::network::NetworkError;
use crate::lab::datagen::{Difference, difference};
use crate::util::atomic_file::write_atomically;
use crate::util::cancel::CancelFlag;
use crate::util::read_limit::read_file;
use crate::util::simd::Isa;

/// Time between two checkpoints within an epoch.
const CHECKPOINT_PERIOD: Duration = Duration::from_secs(300);
/// Samples per validation batch.
const VALIDATION_BATCH: usize = 1 << 16;
/// Random sequence of the first epoch; lower numbers have other uses.
const FIRST_EPOCH: u64 = 1 << 32;
/// Odd multiplier that spreads seeds over all bits.
const SEED_SPREAD: u64 = 0xD6E8_FEB8_6659_FD93;

/// Arguments of [`train`].
#[derive(Clone, Debug)]
pub struct Plan {
    /// Settings that decide the result.
    pub settings: Settings,
    /// Instruction set; the result does not depend on it.
    pub path: Isa,
    /// Path of the network.
    pub network: PathBuf,
    /// Path of the checkpoint.
    pub checkpoint: PathBuf,
    /// Note stored in the network.
    pub note: String,
}

/// Progress report.
#[derive(Debug)]
pub enum TrainEvent<'a> {
    /// A step was done.
    Step {
        /// Number of steps done.
        done: u64,
        /// Number of steps in all.
        all: u64,
        /// Mean loss in the current epoch.
        loss: f64,
    },
    /// An epoch ended; all completed epochs.
    Epoch(&'a [Epoch]),
}

/// Result of training.
#[derive(Clone, PartialEq, Debug)]
pub struct Trained {
    /// The network that was trained or, with a share of the initial network, the mean of both.
    pub model: Model,
    /// Completed epochs.
    pub epochs: Vec<Epoch>,
    /// `true` if all epochs are completed.
    pub is_finished: bool,
}

/// Error that prevents training.
#[derive(Debug, Error)]
pub enum TrainError {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error reported by the system.
        error: io::Error,
    },
    /// The sample file cannot be read.
    #[error("cannot read the samples: {0}")]
    Samples(io::Error),
    /// The samples cannot be prepared.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// Another program holds the lock of the folder.
    #[error("{}: another program is training there", folder.display())]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// There are no training samples.
    #[error("there is no position to train on")]
    Empty,
    /// A checkpoint cannot be used.
    #[error("{}: {error}", path.display())]
    Checkpoint {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        error: CheckpointError,
    },
    /// A checkpoint was made with other settings.
    #[error("{}: {difference}; choose another --out, or remove it to start again", path.display())]
    Settings {
        /// Path of the file.
        path: PathBuf,
        /// First difference.
        difference: Difference,
    },
    /// A checkpoint was made with other games.
    #[error("{}: made from other games; choose another --out, or remove it to start again", path.display())]
    Games {
        /// Path of the file.
        path: PathBuf,
    },
    /// The settings name a start network that is not loaded.
    #[error("network {checksum} is not loaded; name its file with --start")]
    Start {
        /// Checksum of the network.
        checksum: String,
    },
    /// The share of the start network is not between 0 and 1.
    #[error("the share of the start network is {share} instead of 0 to 1")]
    Share {
        /// The share.
        share: f64,
    },
    /// The loss of a step is infinite or not a number.
    #[error("the loss of step {step} is not a number; choose a larger --scale or a smaller --rate")]
    Diverged {
        /// The step, from 1.
        step: u64,
    },
    /// The folder has files of another training, which would be overwritten.
    #[error("{}: of another training, whose checkpoint is missing; choose another --out, or move it away", path.display())]
    Foreign {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file of the samples is another file, which would be overwritten.
    #[error("{}: not a file of 'train'; choose another --out, or move it away", path.display())]
    ForeignSamples {
        /// Path of the file.
        path: PathBuf,
    },
    /// The parameters do not fit the integer format.
    #[error("cannot write the network: {0}")]
    Network(#[from] NetworkError),
}

/// Maximum size of a checkpoint in bytes, many times that of the network and its moments.
const MAX_CHECKPOINT_BYTES: u64 = 1 << 28;

/// Reads a checkpoint. `None` when there is no such file.
///
/// # Errors
/// [`TrainError`] when it cannot be read or is damaged.
pub fn read_checkpoint(path: &FilePath) -> Result<Option<Checkpoint>, TrainError> {
    let bytes = match read_file(path, MAX_CHECKPOINT_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes.map_err(|error| TrainError::File { path: path.to_owned(), error })?,
    };
    let checkpoint = Checkpoint::from_bytes(&bytes);
    checkpoint.map(Some).map_err(|error| TrainError::Checkpoint { path: path.to_owned(), error })
}

/// Returns the settings of the training that a checkpoint continues. `None` when there is no such file, or when its
/// settings are those of another version.
///
/// # Errors
/// [`TrainError`] when it cannot be read or is damaged.
pub fn begun_settings(path: &FilePath) -> Result<Option<Settings>, TrainError> {
    let checkpoint = read_checkpoint(path)?;
    Ok(checkpoint.and_then(|checkpoint| serde_json::from_str(&checkpoint.settings).ok()))
}

/// Checks that a checkpoint was made with the same games and settings.
///
/// # Errors
/// [`TrainError`] with the first difference.
pub fn check_settings(settings: &Settings, checkpoint: &Checkpoint, path: &FilePath) -> Result<(), TrainError> {
    let path = path.to_owned();
    match difference(&settings.to_json(), &checkpoint.settings) {
        None => Ok(()),
        Some(difference) if difference.option == "games (files)" => Err(TrainError::Games { path }),
        Some(mut difference) => {
            // The filters of samples are options of their own.
            let inner = difference.option.strip_prefix("games (").and_then(|option| option.strip_suffix(')'));
            if let Some(inner) = inner {
                // One option sets both scales.
                let option = if inner == "td-scale" { "scale" } else { inner };
                difference.option = option.to_owned();
            }
            Err(TrainError::Settings { path, difference })
        }
    }
}

/// Trains a network, resuming from the checkpoint of the plan if there is one. Writes a checkpoint and the network
/// after every epoch, and a checkpoint every few minutes and on cancellation.
///
/// # Errors
/// [`TrainError`]; files written before are intact.
pub fn train(
    plan: &Plan,
    dataset: &mut SampleFile,
    cancel: &CancelFlag,
    on_event: &mut dyn FnMut(TrainEvent),
) -> Result<Trained, TrainError> {
    let settings = &plan.settings;
    let mean_with = mean_of(settings)?;
    let (mut progress, parts) = match read_checkpoint(&plan.checkpoint)? {
        Some(checkpoint) => {
            check_settings(settings, &checkpoint, &plan.checkpoint)?;
            (checkpoint.progress, checkpoint.parts)
        }
        None => (Progress::default(), initial_model(settings)?.parts.into_iter().map(ParamState::new).collect()),
    };
    let mut batches = Batches::new(dataset.training(), settings);
    let in_epoch = batches.in_epoch;
    if in_epoch == 0 {
        return Err(TrainError::Empty);
    }
    let all = settings.epochs.saturating_mul(in_epoch);
    let loss = Loss::from_name(&settings.loss).unwrap_or(Loss::Squared);
    let target = Target::new(loss, settings.lambda, settings.scale, settings.games.filter.most_score);
    let mut loss = f64::from_bits(progress.loss_bits);
    std::thread::scope(|scope| {
        let pool = WorkerPool::new(scope, settings.threads, plan.path, target, parts);
        let save = |pool: &WorkerPool, progress: &Progress| {
            let checkpoint =
                Checkpoint { settings: settings.to_json(), progress: progress.clone(), parts: pool.states() };
            write_atomically(&plan.checkpoint, &checkpoint.to_bytes())
                .map_err(|error| TrainError::File { path: plan.checkpoint.clone(), error })
        };
        let (mut begun, mut saved) = (Instant::now(), Instant::now());
        let mut next = Arc::new(batches.read(progress.steps, dataset)?);
        while progress.steps < all && !cancel.is_cancelled() {
            let samples = std::mem::take(&mut next);
            pool.begin_batch(
                &samples,
                progress.steps.wrapping_mul(settings.batch as u64) ^ settings.seed.wrapping_mul(SEED_SPREAD),
            );
            // Read the next batch while the workers process this one.
            if progress.steps + 1 < all {
                next = Arc::new(batches.read(progress.steps + 1, dataset)?);
            }
            let rate = cosine_rate(settings.rate, settings.last_rate, progress.steps, all);
            loss += pool.end_batch(AdamStep::new(progress.steps + 1, samples.len(), rate, settings.decay));
            progress.steps += 1;
            let seen = (progress.steps - 1) % in_epoch + 1;
            let mean = loss / (seen as f64 * samples.len() as f64);
            if !mean.is_finite() {
                return Err(TrainError::Diverged { step: progress.steps });
            }
            on_event(TrainEvent::Step { done: progress.steps, all, loss: mean });
            progress.loss_bits = loss.to_bits();
            if seen == in_epoch {
                let validation = validation_loss(&pool, dataset)?;
                let seconds = progress.seconds + begun.elapsed().as_secs_f64();
                progress.epochs.push(Epoch { rate, training: mean, validation, seconds });
                (loss, progress.loss_bits, progress.seconds) = (0.0, 0.0_f64.to_bits(), 0.0);
                begun = Instant::now();
                // The checkpoint first: a network without one would count as that of another training.
                save(&pool, &progress)?;
                saved = Instant::now();
                let network = averaged(pool.model(), &mean_with).quantized(&plan.note)?;
                write_atomically(&plan.network, &network.to_bytes())
                    .map_err(|error| TrainError::File { path: plan.network.clone(), error })?;
                on_event(TrainEvent::Epoch(&progress.epochs));
            } else if saved.elapsed() >= CHECKPOINT_PERIOD || cancel.is_cancelled() {
                progress.seconds += begun.elapsed().as_secs_f64();
                begun = Instant::now();
                save(&pool, &progress)?;
                saved = Instant::now();
            }
        }
        let model = averaged(pool.model(), &mean_with);
        Ok(Trained { model, epochs: progress.epochs.clone(), is_finished: progress.steps >= all })
    })
}

/// Returns the initial model.
fn initial_model(settings: &Settings) -> Result<Model, TrainError> {
    Ok(start_model(settings)?.unwrap_or_else(|| Model::random(settings.seed)))
}

/// Returns the model of the start network. `None` when training begins with random weights.
fn start_model(settings: &Settings) -> Result<Option<Model>, TrainError> {
    let Some(start) = &settings.start else { return Ok(None) };
    let missing = || TrainError::Start { checksum: start.checksum().to_owned() };
    Ok(Some(Model::from_network(start.network().ok_or_else(missing)?)))
}

/// Start network and its share in the mean of weights that is written; the share is not 0.
type Mean = Option<(Model, f64)>;

/// Returns what the trained model is averaged with, if anything.
fn mean_of(settings: &Settings) -> Result<Mean, TrainError> {
    let share = settings.start_share;
    if !(0.0..=1.0).contains(&share) {
        return Err(TrainError::Share { share });
    }
    Ok(if share > 0.0 { start_model(settings)?.map(|start| (start, share)) } else { None })
}

/// Returns the model to write. Training itself goes on with the trained one.
fn averaged(trained: Model, mean: &Mean) -> Model {
    match mean {
        Some((start, share)) => trained.mean_with(start, *share),
        None => trained,
    }
}

/// Finds the samples of each step.
struct Batches<'a> {
    settings: &'a Settings,
    samples: usize,
    /// Order of the current epoch.
    order: EpochOrder,
    epoch: u64,
    in_epoch: u64,
}

impl<'a> Batches<'a> {
    fn new(samples: usize, settings: &'a Settings) -> Batches<'a> {
        let order = EpochOrder::new(samples, settings.batch, settings.seed, FIRST_EPOCH);
        let in_epoch = order.batches() as u64;
        Batches { settings, samples, order, epoch: 0, in_epoch }
    }

    /// Reads the samples of a step.
    fn read(&mut self, step: u64, dataset: &mut SampleFile) -> Result<Vec<Sample>, TrainError> {
        let epoch = step / self.in_epoch;
        if self.epoch != epoch {
            let Settings { batch, seed, .. } = *self.settings;
            (self.epoch, self.order) = (epoch, EpochOrder::new(self.samples, batch, seed, FIRST_EPOCH + epoch));
        }
        let mut samples = Vec::with_capacity(self.settings.batch.min(self.samples));
        for (start, count) in self.order.batch((step % self.in_epoch) as usize) {
            dataset.read(start, count, &mut samples).map_err(TrainError::Samples)?;
        }
        Ok(samples)
    }
}

/// Returns the validation loss.
fn validation_loss(pool: &WorkerPool, dataset: &mut SampleFile) -> Result<Option<f64>, TrainError> {
    let (all, mut start, mut loss) = (dataset.validation(), 0, 0.0);
    while start < all {
        let samples = Arc::new(dataset.read_validation(start, VALIDATION_BATCH).map_err(TrainError::Samples)?);
        loss += pool.loss_of(&samples);
        start += samples.len();
    }
    Ok((all > 0).then(|| loss / all as f64))
}
