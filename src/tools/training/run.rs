//! Training from beginning to end, or from where it was interrupted.

use std::io;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::adamw::{Learned, Step, cosine_rate};
use super::checkpoint::{Checkpoint, CheckpointError, Epoch, Progress};
use super::dataset::{Dataset, Order};
use super::model::Model;
use super::sample::Sample;
use super::settings::Settings;
use super::target::Goal;
use super::worker_pool::Team;
use crate::eval::network::NetworkError;
use crate::tools::datagen::{Difference, difference};
use crate::tools::tuning::Loss;
use crate::util::atomic_file::write_exclusively;
use crate::util::cancel::CancelFlag;
use crate::util::simd::Isa;

/// How often a checkpoint is written within an epoch.
const CHECKPOINT_PERIOD: Duration = Duration::from_secs(300);
/// How many samples are checked with at once.
const VALIDATION_BATCH: usize = 1 << 16;
/// The sequence of random numbers that the first epoch has; those before it serve other ends.
const FIRST_EPOCH: u64 = 1 << 32;
/// A multiplier that spreads seeds over all bits.
const SEED_SPREAD: u64 = 0xD6E8_FEB8_6659_FD93;

/// What is to be trained.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What the result depends on.
    pub settings: Settings,
    /// Which vector instructions they use; nothing depends on it.
    pub path: Isa,
    /// Where the network is written.
    pub network: PathBuf,
    /// Where checkpoints are written.
    pub checkpoint: PathBuf,
    /// What the network says of itself.
    pub note: String,
}

/// What happens while training goes on.
#[derive(Debug)]
pub enum News<'a> {
    /// A step was made: how many were, of how many, and the mean price in the epoch so far.
    Step {
        /// How many steps were made.
        done: u64,
        /// How many there are.
        all: u64,
        /// The mean price in the epoch so far.
        price: f64,
    },
    /// An epoch is over: all that are.
    Epoch(&'a [Epoch]),
}

/// What became of training.
#[derive(Clone, PartialEq, Debug)]
pub struct Trained {
    /// The network.
    pub model: Model,
    /// The epochs.
    pub epochs: Vec<Epoch>,
    /// Whether it came to its end.
    pub is_finished: bool,
}

/// Why training cannot begin or go on.
#[derive(Debug, Error)]
pub enum TrainError {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// The samples cannot be read.
    #[error("the samples cannot be read: {0}")]
    Samples(io::Error),
    /// There is nothing to learn from.
    #[error("there is no position to learn from")]
    Empty,
    /// A checkpoint cannot be used.
    #[error("{}: {error}", path.display())]
    Checkpoint {
        /// Which file.
        path: PathBuf,
        /// Why not.
        error: CheckpointError,
    },
    /// A checkpoint was made with other settings.
    #[error("{}: {difference}; name another --out, or remove it to begin anew", path.display())]
    Settings {
        /// Which file.
        path: PathBuf,
        /// In what they differ.
        difference: Difference,
    },
    /// A checkpoint was made with other games.
    #[error("{}: its games are others than these, or fewer; name another --out, or remove it to begin anew", path.display())]
    Games {
        /// Which file.
        path: PathBuf,
    },
    /// The settings name a network to begin with that they were not given.
    #[error("network {checksum} is not at hand; --start names its file")]
    Start {
        /// Its checksum.
        checksum: String,
    },
    /// The numbers do not fit integers.
    #[error("the network cannot be written: {0}")]
    Network(#[from] NetworkError),
}

/// The checkpoint in a file. `None` when there is no such file.
///
/// # Errors
/// [`TrainError`] when it cannot be read, or is none.
pub fn read_checkpoint(path: &FilePath) -> Result<Option<Checkpoint>, TrainError> {
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes.map_err(|error| TrainError::File { path: path.to_owned(), error })?,
    };
    let checkpoint = Checkpoint::from_bytes(&bytes);
    checkpoint.map(Some).map_err(|error| TrainError::Checkpoint { path: path.to_owned(), error })
}

/// Makes sure that training can go on from a checkpoint of this file.
///
/// # Errors
/// [`TrainError`] when it was made with other games or settings.
pub fn check_settings(settings: &Settings, checkpoint: &Checkpoint, path: &FilePath) -> Result<(), TrainError> {
    let path = path.to_owned();
    match difference(&settings.to_json(), &checkpoint.settings) {
        None => Ok(()),
        Some(difference) if difference.option == "games (files)" => Err(TrainError::Games { path }),
        Some(mut difference) => {
            // What samples are taken by is an option of its own.
            let inner = difference.option.strip_prefix("games (").and_then(|option| option.strip_suffix(')'));
            if let Some(inner) = inner.map(str::to_owned) {
                difference.option = inner;
            }
            Err(TrainError::Settings { path, difference })
        }
    }
}

/// Trains a network, from the checkpoint of the plan on if there is one. A checkpoint and the network so far are written
/// after every epoch, and a checkpoint every few minutes and when an interrupt ends it early.
///
/// # Errors
/// [`TrainError`]; what was written before is safe.
pub fn train(
    plan: &Plan,
    dataset: &mut Dataset,
    interrupt: &CancelFlag,
    listen: &mut dyn FnMut(News),
) -> Result<Trained, TrainError> {
    let settings = &plan.settings;
    let (mut progress, parts) = match read_checkpoint(&plan.checkpoint)? {
        Some(checkpoint) => {
            check_settings(settings, &checkpoint, &plan.checkpoint)?;
            (checkpoint.progress, checkpoint.parts)
        }
        None => (Progress::default(), beginning(settings)?.parts.into_iter().map(Learned::new).collect()),
    };
    let mut batches = Batches::new(dataset.training(), settings);
    let in_epoch = batches.in_epoch;
    if in_epoch == 0 {
        return Err(TrainError::Empty);
    }
    let all = settings.epochs.saturating_mul(in_epoch);
    let loss = Loss::from_name(&settings.loss).unwrap_or(Loss::Squared);
    let goal = Goal::new(loss, settings.lambda, settings.scale, settings.games.most_score);
    let mut price = f64::from_bits(progress.price_bits);
    std::thread::scope(|scope| {
        let team = Team::new(scope, settings.threads, plan.path, goal, parts);
        let save = |team: &Team, progress: &Progress| {
            let checkpoint =
                Checkpoint { settings: settings.to_json(), progress: progress.clone(), parts: team.learned() };
            write_exclusively(&plan.checkpoint, &checkpoint.to_bytes())
                .map_err(|error| TrainError::File { path: plan.checkpoint.clone(), error })
        };
        let (mut begun, mut saved) = (Instant::now(), Instant::now());
        let mut next = Arc::new(batches.read(progress.steps, dataset)?);
        while progress.steps < all && !interrupt.is_cancelled() {
            let samples = std::mem::take(&mut next);
            team.begin_batch(
                &samples,
                progress.steps.wrapping_mul(settings.batch as u64) ^ settings.seed.wrapping_mul(SEED_SPREAD),
            );
            // The next batch is read while the threads are at this one.
            if progress.steps + 1 < all {
                next = Arc::new(batches.read(progress.steps + 1, dataset)?);
            }
            let rate = cosine_rate(settings.rate, settings.last_rate, progress.steps, all);
            price += team.end_batch(Step::new(progress.steps + 1, samples.len(), rate, settings.decay));
            progress.steps += 1;
            let seen = (progress.steps - 1) % in_epoch + 1;
            let mean = price / (seen as f64 * samples.len() as f64);
            listen(News::Step { done: progress.steps, all, price: mean });
            progress.price_bits = price.to_bits();
            if seen == in_epoch {
                let validation = judge(&team, dataset)?;
                let seconds = progress.seconds + begun.elapsed().as_secs_f64();
                progress.epochs.push(Epoch { rate, training: mean, validation, seconds });
                (price, progress.price_bits, progress.seconds) = (0.0, 0.0_f64.to_bits(), 0.0);
                begun = Instant::now();
                let network = team.model().quantised(&plan.note)?;
                write_exclusively(&plan.network, &network.to_bytes())
                    .map_err(|error| TrainError::File { path: plan.network.clone(), error })?;
                save(&team, &progress)?;
                saved = Instant::now();
                listen(News::Epoch(&progress.epochs));
            } else if saved.elapsed() >= CHECKPOINT_PERIOD || interrupt.is_cancelled() {
                progress.seconds += begun.elapsed().as_secs_f64();
                begun = Instant::now();
                save(&team, &progress)?;
                saved = Instant::now();
            }
        }
        Ok(Trained { model: team.model(), epochs: progress.epochs.clone(), is_finished: progress.steps >= all })
    })
}

/// What training begins with.
fn beginning(settings: &Settings) -> Result<Model, TrainError> {
    let Some(start) = &settings.start else { return Ok(Model::random(settings.seed)) };
    let missing = || TrainError::Start { checksum: start.checksum().to_owned() };
    Ok(Model::of_network(start.network().ok_or_else(missing)?))
}

/// Finds the batches of all epochs.
struct Batches<'a> {
    settings: &'a Settings,
    samples: usize,
    /// The order of the epoch that was last asked about.
    order: Order,
    epoch: u64,
    in_epoch: u64,
}

impl<'a> Batches<'a> {
    fn new(samples: usize, settings: &'a Settings) -> Batches<'a> {
        let order = Order::new(samples, settings.batch, settings.seed, FIRST_EPOCH);
        let in_epoch = order.batches() as u64;
        Batches { settings, samples, order, epoch: 0, in_epoch }
    }

    /// The samples of a step.
    fn read(&mut self, step: u64, dataset: &mut Dataset) -> Result<Vec<Sample>, TrainError> {
        let epoch = step / self.in_epoch;
        if self.epoch != epoch {
            let Settings { batch, seed, .. } = *self.settings;
            (self.epoch, self.order) = (epoch, Order::new(self.samples, batch, seed, FIRST_EPOCH + epoch));
        }
        let mut samples = Vec::with_capacity(self.settings.batch.min(self.samples));
        for (start, count) in self.order.batch((step % self.in_epoch) as usize) {
            dataset.read(start, count, &mut samples).map_err(TrainError::Samples)?;
        }
        Ok(samples)
    }
}

/// The mean price of what was put aside.
fn judge(team: &Team, dataset: &mut Dataset) -> Result<Option<f64>, TrainError> {
    let (all, mut start, mut price) = (dataset.validation(), 0, 0.0);
    while start < all {
        let samples = Arc::new(dataset.read_validation(start, VALIDATION_BATCH).map_err(TrainError::Samples)?);
        price += team.judge(&samples);
        start += samples.len();
    }
    Ok((all > 0).then(|| price / all as f64))
}
