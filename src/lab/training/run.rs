//! Training in a folder, from game files to a network: fits the scale, prepares the samples, trains from the start or
//! from a checkpoint, and writes the network and the losses. Shows its progress on standard error.

use std::fmt::Write as _;
use std::io::Write;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::checkpoint::{Checkpoint, Epoch, Progress, Settings};
use super::gradient::{Target, Trainer};
use super::model::Model;
use super::optimizer::{AdamStep, ParamState, cosine_rate};
use super::prepare::{fit_scale_to_games, no_position, prepare};
use super::sample::Sample;
use super::sample_file::{EpochOrder, SampleFile};
use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::progress::{self, clock};
use crate::eval::network::{Network, NetworkError};
use crate::lab::datagen::checksum;
use crate::lab::{in_file, unusable};
use crate::util::atomic_file::write_atomically;
use crate::util::cancel::CancelFlag;
use crate::util::folder::create_folder;
use crate::util::folder_lock::{FolderLock, LockError};

/// Number of samples that the scale is fitted to, if there are as many.
const SAMPLES_FOR_SCALE: usize = 1_000_000;
/// Time between two checkpoints within an epoch.
const CHECKPOINT_PERIOD: Duration = Duration::from_secs(300);
/// Samples per validation batch.
const VALIDATION_BATCH: usize = 1 << 16;
/// Random sequence of the first epoch; lower numbers have other uses.
const FIRST_EPOCH: u64 = 1 << 32;
/// Odd multiplier that spreads seeds over all bits.
const SEED_SPREAD: u64 = 0xD6E8_FEB8_6659_FD93;

/// Paths of the files of a training.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrainingFiles {
    pub network: PathBuf,
    pub checkpoint: PathBuf,
    pub samples: PathBuf,
    /// Table of the losses.
    log: PathBuf,
}

impl TrainingFiles {
    /// Returns the files of a training in this folder.
    pub fn new(folder: &Path) -> TrainingFiles {
        TrainingFiles {
            network: folder.join("network.bin"),
            checkpoint: folder.join("checkpoint"),
            samples: folder.join("samples"),
            log: folder.join("log.tsv"),
        }
    }

    fn write_losses(&self, epochs: &[Epoch]) -> Result<(), CommandError> {
        write_atomically(&self.log, loss_table(epochs).as_bytes()).map_err(in_file(&self.log))
    }

    /// Writes and returns the network of a model.
    fn write_network(&self, model: &Model, note: &str) -> Result<Network, CommandError> {
        let unfit = |error: NetworkError| CommandError::Mismatch(format!("cannot write the network: {error}"));
        let network = model.quantized(note).map_err(unfit)?;
        write_atomically(&self.network, &network.to_bytes()).map_err(in_file(&self.network))?;
        Ok(network)
    }

    /// Refuses a folder with results but no checkpoint: they belong to another training and would be overwritten. So
    /// would a file of something else in place of the samples.
    fn refuse_foreign(&self) -> Result<(), CommandError> {
        if self.checkpoint.exists() {
            return Ok(());
        }
        let refuse = |path: &Path, fault: &str| {
            let path = path.display();
            Err(CommandError::Mismatch(format!("{path}: {fault}; choose another --out, or move it away")))
        };
        if let Some(path) = [&self.network, &self.log].into_iter().find(|path| path.exists()) {
            return refuse(path, "of another training, whose checkpoint is missing");
        }
        if self.samples.exists() && !SampleFile::is_one(&self.samples).map_err(in_file(&self.samples))? {
            return refuse(&self.samples, "not a file of 'train'");
        }
        Ok(())
    }
}

/// Arguments of [`train_in_folder`].
#[derive(Clone, Debug)]
pub struct Plan {
    /// Folder for all output files; created if missing.
    pub folder: PathBuf,
    /// Game files; their identities are part of the settings.
    pub files: Vec<PathBuf>,
    /// Settings that decide the result; the checksum of `start` is added to them.
    pub settings: Settings,
    /// Initial network; `None` for small random weights.
    pub start: Option<Arc<Network>>,
    /// True to fit the scale of the settings to the results of the games.
    pub fits_scale: bool,
    /// Text to store in the network before the training parameters.
    pub note: String,
}

/// Result of a completed training.
#[derive(Debug)]
pub struct Trained {
    /// The network as written.
    pub network: Network,
    pub epochs: Vec<Epoch>,
    /// Number of training samples.
    pub samples: usize,
}

/// Trains in a folder and resumes what an interrupted run has left there. Writes lines about the samples to `out`.
///
/// # Errors
/// [`CommandError`], also when cancelled; files written before are intact.
pub fn train_in_folder(plan: &Plan, cancel: &CancelFlag, out: &mut dyn Write) -> Result<Trained, CommandError> {
    create_folder(&plan.folder).map_err(in_file(&plan.folder))?;
    let files = TrainingFiles::new(&plan.folder);
    let _lock = FolderLock::acquire(&plan.folder).map_err(|error| match error {
        LockError::File { path, error } => CommandError::File { path, error },
        error => CommandError::Mismatch(error.to_string()),
    })?;
    let mut settings = Settings { start: plan.start.as_deref().map(checksum), ..plan.settings.clone() };
    // A training that was begun keeps its scale.
    let begun = if plan.fits_scale { Checkpoint::read(&files.checkpoint)? } else { None };
    let how = match &begun {
        Some(_) => "as the training was begun",
        None if plan.fits_scale => "fitted to the results",
        None => "as given",
    };
    if let Some(begun) = begun {
        settings.source.scale = begun.settings.source.scale;
    } else if plan.fits_scale {
        let identities = &settings.source.files;
        let scale = fit_scale_to_games(&plan.files, identities, SAMPLES_FOR_SCALE, settings.threads, cancel)?;
        settings.source.scale = scale;
    }
    files.refuse_foreign()?;
    let mut samples = open_samples(plan, &settings, &files, cancel, out)?;
    let (training, validation) = (samples.training(), samples.validation());
    writeln!(
        out,
        "{training} training positions, {validation} held out; scale {:.1} centipawns, {how}",
        settings.source.scale
    )?;
    out.flush()?;
    let own = if plan.note.is_empty() { String::new() } else { format!("{}\n", plan.note) };
    let note = own + &settings.note(training);
    let start = plan.start.as_deref();
    let (model, epochs) = train(&settings, start, &note, &files, &mut samples, cancel, &mut |_| ())?;
    // Write everything again, in case an interrupted run stopped after its last checkpoint.
    files.write_losses(&epochs)?;
    Ok(Trained { network: files.write_network(&model, &note)?, epochs, samples: training })
}

/// Opens the sample file, and prepares it first if it is missing or has another source.
fn open_samples(
    plan: &Plan,
    settings: &Settings,
    files: &TrainingFiles,
    cancel: &CancelFlag,
    out: &mut dyn Write,
) -> Result<SampleFile, CommandError> {
    let open = || SampleFile::open(&files.samples).map_err(in_file(&files.samples));
    if let Some(samples) = open()?.filter(|samples| *samples.source() == settings.source) {
        return Ok(samples);
    }
    // Refuse before the samples of other games are replaced.
    if let Some(checkpoint) = Checkpoint::read(&files.checkpoint)? {
        checkpoint.check(settings, &files.checkpoint)?;
    }
    let stats = prepare(&plan.files, &settings.source, settings.threads, &files.samples, cancel)?;
    let (taken, positions, repeated) = (stats.taken, stats.positions, stats.repeated);
    let games = counted(stats.games, "game");
    writeln!(out, "{taken} of {positions} positions in {games} are quiet, {repeated} of them duplicates")?;
    open()?.ok_or_else(|| unusable(&files.samples, "damaged while it was written"))
}

/// Trains a network, from `start` or random weights, or from the checkpoint if there is one, and returns the model to be written with the losses.
/// Writes a checkpoint and the network after every epoch, and a checkpoint every few minutes and on cancellation. Calls
/// `on_step` after each step.
///
/// # Errors
/// [`CommandError`], also when cancelled; files written before are intact.
pub fn train(
    settings: &Settings,
    start: Option<&Network>,
    note: &str,
    files: &TrainingFiles,
    samples: &mut SampleFile,
    cancel: &CancelFlag,
    on_step: &mut dyn FnMut(&Progress),
) -> Result<(Model, Vec<Epoch>), CommandError> {
    let start = start.map(Model::from_network);
    let (mut progress, parts) = match Checkpoint::read(&files.checkpoint)? {
        Some(checkpoint) => {
            checkpoint.check(settings, &files.checkpoint)?;
            (checkpoint.progress, checkpoint.parts)
        }
        None => {
            let model = start.clone().unwrap_or_else(|| Model::random(settings.source.seed));
            (Progress::default(), model.parts.into_iter().map(ParamState::new).collect())
        }
    };
    // Training itself goes on with the trained model.
    let model_to_write = |trainer: &Trainer| match &start {
        Some(start) if settings.start_share > 0.0 => trainer.model().mean_with(start, settings.start_share),
        _ => trainer.model(),
    };
    let save = |trainer: &Trainer, progress: &Progress| {
        let (settings, progress) = (settings.clone(), progress.clone());
        let checkpoint = Checkpoint { settings, progress, parts: trainer.states() };
        write_atomically(&files.checkpoint, &checkpoint.to_bytes()).map_err(in_file(&files.checkpoint))
    };
    let mut batches = Batches::new(samples, settings, &files.samples);
    let in_epoch = batches.in_epoch;
    if in_epoch == 0 {
        return Err(no_position());
    }
    let (before, all) = (progress.steps, settings.epochs.saturating_mul(in_epoch));
    let target = Target { lambda: settings.lambda, scale: settings.source.scale };
    let mut trainer = Trainer::new(settings.threads, target, parts);
    let mut bar = progress::Progress::bar(all);
    let (mut begun, mut saved) = (Instant::now(), Instant::now());
    let mut next = batches.read(progress.steps)?;
    while progress.steps < all && !cancel.is_cancelled() {
        let batch = next;
        let rate = cosine_rate(settings.rate, settings.last_rate, progress.steps, all);
        let step = AdamStep::new(progress.steps + 1, batch.len(), rate, Settings::DECAY);
        let spread = settings.source.seed.wrapping_mul(SEED_SPREAD);
        let seed = progress.steps.wrapping_mul(settings.batch as u64) ^ spread;
        // Read the next batch while this one is processed.
        let (loss, read) = std::thread::scope(|scope| {
            let reader = scope.spawn(|| batches.read(progress.steps + 1));
            (trainer.step(&batch, seed, step), reader.join())
        });
        next = read.unwrap_or_else(|panic| resume_unwind(panic))?;
        progress.loss += loss;
        progress.steps += 1;
        let seen = (progress.steps - 1) % in_epoch + 1;
        let mean = progress.loss / (seen as f64 * batch.len() as f64);
        if !mean.is_finite() {
            let step = progress.steps;
            let text = format!("the loss of step {step} is not a number; choose a larger --scale or a smaller --rate");
            return Err(CommandError::Mismatch(text));
        }
        on_step(&progress);
        let (own, seconds) = ((progress.steps - before) as f64, bar.elapsed().as_secs_f64().max(1e-3));
        bar.update(progress.steps, || {
            let left = Duration::try_from_secs_f64(seconds / own * (all - progress.steps) as f64).unwrap_or_default();
            let rate = own * batch.len() as f64 / seconds;
            format!("loss {mean:.6}, {rate:.0} positions/s, {} left", clock(left))
        });
        if seen == in_epoch {
            let validation = validation_loss(&mut trainer, &mut batches)?;
            let seconds = progress.seconds + begun.elapsed().as_secs_f64();
            progress.epochs.push(Epoch { rate, training: mean, validation, seconds });
            (progress.loss, progress.seconds, begun) = (0.0, 0.0, Instant::now());
            // The checkpoint first: a network without one would count as that of another training.
            save(&trainer, &progress)?;
            saved = Instant::now();
            files.write_network(&model_to_write(&trainer), note)?;
            files.write_losses(&progress.epochs)?;
            bar.note(&epoch_line(&progress.epochs));
        } else if saved.elapsed() >= CHECKPOINT_PERIOD || cancel.is_cancelled() {
            progress.seconds += begun.elapsed().as_secs_f64();
            begun = Instant::now();
            save(&trainer, &progress)?;
            saved = Instant::now();
        }
    }
    if progress.steps < all {
        return Err(CommandError::Interrupted);
    }
    Ok((model_to_write(&trainer), progress.epochs))
}

/// Returns a table with one row an epoch.
fn loss_table(epochs: &[Epoch]) -> String {
    let mut text = String::from("epoch\trate\ttraining\tvalidation\tseconds\n");
    for (number, Epoch { rate, training, validation, seconds }) in (1..).zip(epochs) {
        let validation = validation.map_or("-".to_owned(), |loss| format!("{loss:.8}"));
        let _ = writeln!(text, "{number}\t{rate:.3e}\t{training:.8}\t{validation}\t{seconds:.1}");
    }
    text
}

/// Formats the result of the last epoch.
pub(super) fn epoch_line(epochs: &[Epoch]) -> String {
    let Some(Epoch { training, validation, seconds, .. }) = epochs.last() else { return String::new() };
    let validation = validation.map_or(String::new(), |loss| format!(", validation {loss:.6}"));
    format!("epoch {}: loss {training:.6}{validation}, {seconds:.1} s", epochs.len())
}

/// Finds the samples of each step.
struct Batches<'a> {
    samples: &'a mut SampleFile,
    path: &'a Path,
    settings: &'a Settings,
    /// Order of the current epoch.
    order: EpochOrder,
    epoch: u64,
    in_epoch: u64,
}

impl<'a> Batches<'a> {
    fn new(samples: &'a mut SampleFile, settings: &'a Settings, path: &'a Path) -> Batches<'a> {
        let order = EpochOrder::new(samples.training(), settings.batch, settings.source.seed, FIRST_EPOCH);
        let in_epoch = order.batches() as u64;
        Batches { samples, path, settings, order, epoch: 0, in_epoch }
    }

    /// Reads the samples of a step.
    fn read(&mut self, step: u64) -> Result<Vec<Sample>, CommandError> {
        let epoch = step / self.in_epoch;
        if self.epoch != epoch {
            let (batch, seed) = (self.settings.batch, self.settings.source.seed);
            self.order = EpochOrder::new(self.samples.training(), batch, seed, FIRST_EPOCH + epoch);
            self.epoch = epoch;
        }
        let mut samples = Vec::new();
        for (start, count) in self.order.batch((step % self.in_epoch) as usize) {
            self.samples.read(start, count, &mut samples).map_err(in_file(self.path))?;
        }
        Ok(samples)
    }
}

/// Returns the validation loss.
fn validation_loss(trainer: &mut Trainer, batches: &mut Batches) -> Result<Option<f64>, CommandError> {
    let (all, mut start, mut loss) = (batches.samples.validation(), 0, 0.0);
    while start < all {
        let samples = batches.samples.read_validation(start, VALIDATION_BATCH).map_err(in_file(batches.path))?;
        loss += trainer.loss_of(&samples);
        start += samples.len();
    }
    Ok((all > 0).then(|| loss / all as f64))
}
