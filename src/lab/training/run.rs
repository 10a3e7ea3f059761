//! Training in a folder, from game files to a network: fits the scale, prepares the samples, trains from the start or
//! from a checkpoint, and writes the network and the losses. Shows its progress on standard error.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::checkpoint::{Checkpoint, Epoch, Progress, Settings};
use super::gradient::{Target, Trainer};
use super::model::Model;
use super::optimizer::{AdamStep, ParamState, cosine_rate};
use super::prepare::{Samples, fit_scale_to_games, no_position, prepare};
use super::sample::Sample;
use crate::console::{CommandError, Result, clock, counted, progress};
use crate::eval::network::{Network, NetworkError};
use crate::lab::datagen::checksum;
use crate::lab::{in_file, locked_folder};
use crate::util::atomic_file::write_atomically;
use crate::util::cancel::CancelFlag;
use crate::util::math::StableRandom;

/// Number of samples that the scale is fitted to, if there are as many.
const SAMPLES_FOR_SCALE: usize = 1_000_000;
/// Time between two checkpoints within an epoch.
const CHECKPOINT_PERIOD: Duration = Duration::from_secs(300);
/// Random sequence of the first epoch; lower numbers have other uses.
const FIRST_EPOCH: u64 = 1 << 32;
/// Odd multiplier that spreads seeds over all bits.
const SEED_SPREAD: u64 = 0xD6E8_FEB8_6659_FD93;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrainingFiles {
    pub network: PathBuf,
    pub checkpoint: PathBuf,
    log: PathBuf,
}

impl TrainingFiles {
    /// Returns the files of a training in this folder.
    pub fn new(folder: &Path) -> TrainingFiles {
        TrainingFiles {
            network: folder.join("network.bin"),
            checkpoint: folder.join("checkpoint"),
            log: folder.join("log.tsv"),
        }
    }

    fn write_losses(&self, epochs: &[Epoch]) -> Result {
        write_atomically(&self.log, loss_table(epochs).as_bytes()).map_err(in_file(&self.log))
    }

    /// Writes and returns the network of a model.
    fn write_network(&self, model: &Model, note: &str) -> Result<Network> {
        let unfit = |error: NetworkError| CommandError::Mismatch(format!("cannot write the network: {error}"));
        let network = model.quantized(note).map_err(unfit)?;
        write_atomically(&self.network, &network.to_bytes()).map_err(in_file(&self.network))?;
        Ok(network)
    }

    /// Refuses a folder with results but no checkpoint: they belong to another training and would be overwritten.
    fn refuse_foreign(&self) -> Result {
        match [&self.network, &self.log].into_iter().find(|path| path.exists()) {
            Some(path) if !self.checkpoint.exists() => Err(CommandError::Mismatch(format!(
                "{}: of another training, whose checkpoint is missing; choose another --out, or move it away",
                path.display()
            ))),
            _ => Ok(()),
        }
    }
}

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

#[derive(Debug)]
pub struct Trained {
    /// The network as written.
    pub network: Network,
    pub epochs: Vec<Epoch>,
    pub samples: usize,
}

/// Trains in a folder and resumes what an interrupted run has left there: fits the scale, prepares the samples, and
/// writes a checkpoint and the network after every epoch, and a checkpoint every few minutes and on cancellation.
/// Writes lines about the samples to `out` and calls `on_step` after each step.
///
/// # Errors
/// [`CommandError`], also when cancelled; files written before are intact.
pub fn train_in_folder(
    plan: &Plan,
    cancel: &CancelFlag,
    out: &mut dyn Write,
    on_step: &mut dyn FnMut(&Progress),
) -> Result<Trained> {
    let _lock = locked_folder(&plan.folder)?;
    let files = TrainingFiles::new(&plan.folder);
    let mut settings = Settings { start: plan.start.as_deref().map(checksum), ..plan.settings.clone() };
    files.refuse_foreign()?;
    let begun = Checkpoint::read(&files.checkpoint)?;
    // A training that was begun keeps its scale.
    let how = match &begun {
        _ if !plan.fits_scale => "as given",
        Some(begun) => {
            settings.source.scale = begun.settings.source.scale;
            "as the training was begun"
        }
        None => {
            let identities = &settings.source.files;
            settings.source.scale =
                fit_scale_to_games(&plan.files, identities, SAMPLES_FOR_SCALE, settings.threads, cancel)?;
            "fitted to the results"
        }
    };
    // Refuse other settings before the games are read.
    begun.as_ref().map_or(Ok(()), |begun| begun.check(&settings, &files.checkpoint))?;
    let samples = prepare(&plan.files, &settings.source, settings.threads, cancel)?;
    let (training, validation) = (samples.training.len(), samples.validation.len());
    writeln!(
        out,
        "{} of {} positions in {} are quiet, {} of them duplicates\n{training} training positions, {validation} held \
         out; scale {:.1} centipawns, {how}",
        samples.taken,
        samples.positions,
        counted(samples.games, "game"),
        samples.taken - (training + validation) as u64,
        settings.source.scale
    )?;
    out.flush()?;
    let own = if plan.note.is_empty() { String::new() } else { format!("{}\n", plan.note) };
    let note = own + &settings.note(training);
    let start = plan.start.as_deref().map(Model::from_network);
    let (mut progress, parts) = match begun {
        Some(checkpoint) => (checkpoint.progress, checkpoint.parts),
        None => {
            let model = start.clone().unwrap_or_else(|| Model::random(settings.source.seed));
            (Progress::default(), model.parts.into_iter().map(ParamState::new).collect())
        }
    };
    let target = Target { lambda: settings.lambda, scale: settings.source.scale };
    let mut trainer = Trainer::new(settings.threads, target, parts);
    // Training itself goes on with the trained model, not with the mean.
    let write_network = |trainer: &Trainer| {
        let model = match &start {
            Some(start) if settings.start_share > 0.0 => trainer.model().mean_with(start, settings.start_share),
            _ => trainer.model(),
        };
        files.write_network(&model, &note)
    };
    train(&settings, &samples, (&mut trainer, &mut progress), &files, &write_network, cancel, on_step)?;
    // Write everything again, in case an interrupted run stopped after its last checkpoint.
    files.write_losses(&progress.epochs)?;
    Ok(Trained { network: write_network(&trainer)?, epochs: progress.epochs, samples: training })
}

/// Makes the steps that are left.
fn train(
    settings: &Settings,
    samples: &Samples,
    (trainer, progress): (&mut Trainer, &mut Progress),
    files: &TrainingFiles,
    write_network: &dyn Fn(&Trainer) -> Result<Network>,
    cancel: &CancelFlag,
    on_step: &mut dyn FnMut(&Progress),
) -> Result {
    let save = |trainer: &Trainer, progress: &Progress| {
        let (settings, progress) = (settings.clone(), progress.clone());
        let checkpoint = Checkpoint { settings, progress, parts: trainer.states() };
        write_atomically(&files.checkpoint, &checkpoint.to_bytes()).map_err(in_file(&files.checkpoint))
    };
    let batch = settings.batch.clamp(1, samples.training.len().max(1));
    let in_epoch = (samples.training.len() / batch) as u64;
    if in_epoch == 0 {
        return Err(no_position());
    }
    let (mut order, mut order_of) = (Vec::new(), None);
    let (before, all) = (progress.steps, settings.epochs.saturating_mul(in_epoch));
    let mut bar = progress::Progress::bar(all);
    let (mut begun, mut saved) = (Instant::now(), Instant::now());
    while progress.steps < all {
        CommandError::if_interrupted(cancel)?;
        let epoch = progress.steps / in_epoch;
        if order_of != Some(epoch) {
            (order, order_of) = (epoch_order(samples.training.len(), settings.source.seed, epoch), Some(epoch));
        }
        let first = (progress.steps % in_epoch) as usize * batch;
        let chosen: Vec<Sample> =
            order[first..first + batch].iter().map(|&index| samples.training[index as usize]).collect();
        let rate = cosine_rate(settings.rate, settings.last_rate, progress.steps, all);
        let step = AdamStep::new(progress.steps + 1, batch, rate, Settings::DECAY);
        let spread = settings.source.seed.wrapping_mul(SEED_SPREAD);
        let seed = progress.steps.wrapping_mul(settings.batch as u64) ^ spread;
        progress.loss += trainer.step(&chosen, seed, step);
        progress.steps += 1;
        let seen = (progress.steps - 1) % in_epoch + 1;
        let mean = progress.loss / (seen as f64 * batch as f64);
        if !mean.is_finite() {
            let step = progress.steps;
            let text = format!("the loss of step {step} is not a number; choose a larger --scale or a smaller --rate");
            return Err(CommandError::Mismatch(text));
        }
        on_step(progress);
        let (own, seconds) = ((progress.steps - before) as f64, bar.elapsed().as_secs_f64().max(1e-3));
        bar.update(progress.steps, || {
            let left = Duration::try_from_secs_f64(seconds / own * (all - progress.steps) as f64).unwrap_or_default();
            let rate = own * batch as f64 / seconds;
            format!("loss {mean:.6}, {rate:.0} positions/s, {} left", clock(left))
        });
        if seen == in_epoch {
            let held_out = samples.validation.len();
            let validation = (held_out > 0).then(|| trainer.loss_of(&samples.validation) / held_out as f64);
            let seconds = progress.seconds + begun.elapsed().as_secs_f64();
            progress.epochs.push(Epoch { rate, training: mean, validation, seconds });
            (progress.loss, progress.seconds, begun) = (0.0, 0.0, Instant::now());
            // The checkpoint first: a network without one would count as that of another training.
            save(trainer, progress)?;
            saved = Instant::now();
            write_network(trainer)?;
            files.write_losses(&progress.epochs)?;
            bar.note(&epoch_line(&progress.epochs));
        } else if saved.elapsed() >= CHECKPOINT_PERIOD || cancel.is_cancelled() {
            progress.seconds += begun.elapsed().as_secs_f64();
            begun = Instant::now();
            save(trainer, progress)?;
            saved = Instant::now();
        }
    }
    Ok(())
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

/// Returns the order of the samples in an epoch. Each epoch leaves out another remainder that fills no batch.
fn epoch_order(count: usize, seed: u64, epoch: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    StableRandom::new(seed, FIRST_EPOCH + epoch).shuffle(&mut order);
    order
}
