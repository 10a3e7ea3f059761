//! Training in a folder, from game files to a network: fits the scale, prepares the samples, trains, and writes the
//! network, the checkpoint and the losses. Prints nothing.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use super::checkpoint::{Epoch, Settings};
use super::curve;
use super::prepare::{PrepareEvent, PrepareSettings, ReadStats, prepare};
use super::run::{Plan, TrainError, TrainEvent, Trained, begun_settings, check_settings, read_checkpoint, train};
use super::sample_file::SampleFile;
use super::scale::fit_scale_to_games;
use super::shuffle::ShuffleStats;
use crate::eval::network::{MAX_NOTE_BYTES, Network, NetworkError};
use crate::util::atomic_file::write_atomically;
use crate::util::cancel::CancelFlag;
use crate::util::folder::create_folder;
use crate::util::folder_lock::{FolderLock, LockError};
use crate::util::simd::Isa;

/// Number of samples that the scale is fitted to, if there are as many.
const SAMPLES_FOR_SCALE: usize = 1_000_000;

/// Paths of the files of a training.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrainingFiles {
    /// The quantized network.
    pub network: PathBuf,
    /// Checkpoint from which training resumes.
    pub checkpoint: PathBuf,
    /// The shuffled samples.
    pub samples: PathBuf,
    /// Plot of the losses.
    pub curve: PathBuf,
    /// Table of the losses.
    pub log: PathBuf,
}

impl TrainingFiles {
    /// Returns the files of a training in this folder.
    pub fn new(folder: &Path) -> TrainingFiles {
        TrainingFiles {
            network: folder.join("network.bin"),
            checkpoint: folder.join("checkpoint"),
            samples: folder.join("samples"),
            curve: folder.join("loss.svg"),
            log: folder.join("log.tsv"),
        }
    }
}

/// Arguments of [`train_in_folder`].
#[derive(Clone, Debug)]
pub struct FolderPlan {
    /// Folder for all output files; created if missing.
    pub folder: PathBuf,
    /// Game files; their identities are part of the settings.
    pub files: Vec<PathBuf>,
    /// Settings that decide the result.
    pub settings: Settings,
    /// True to fit the scale of the settings to the results of the games.
    pub fits_scale: bool,
    /// Memory for shuffling, in bytes.
    pub memory: u64,
    /// Text to store in the network beside the training parameters.
    pub note: String,
}

/// Event of a training in a folder.
#[derive(Debug)]
pub enum FolderEvent<'a> {
    /// The samples are prepared from game files of this many bytes.
    Preparing {
        /// Size of all game files.
        bytes: u64,
    },
    /// Progress of the preparation.
    Prepare(PrepareEvent<'a>),
    /// The samples are complete.
    Prepared(ReadStats, ShuffleStats),
    /// Training begins, or resumes.
    Begins {
        /// Number of training samples.
        training: usize,
        /// Number of validation samples.
        validation: usize,
        /// The settings with the scale in use.
        settings: &'a Settings,
        /// The scale is that of the checkpoint, neither given nor fitted now.
        keeps_scale: bool,
    },
    /// Progress of training.
    Train(TrainEvent<'a>),
}

/// Result of a completed training.
#[derive(Debug)]
pub struct TrainedInFolder {
    /// Floating-point model and losses.
    pub trained: Trained,
    /// The network as written.
    pub network: Network,
    /// The samples.
    pub samples: SampleFile,
}

/// Trains in a folder and resumes what an interrupted run has left there. Returns `None` when cancelled.
///
/// # Errors
/// [`TrainError`]; files written before are intact.
pub fn train_in_folder(
    plan: &FolderPlan,
    cancel: &CancelFlag,
    on_event: &mut dyn FnMut(FolderEvent),
) -> Result<Option<TrainedInFolder>, TrainError> {
    create_folder(&plan.folder).map_err(in_file(&plan.folder))?;
    let files = TrainingFiles::new(&plan.folder);
    let _lock = FolderLock::acquire(&plan.folder).map_err(|error| match error {
        LockError::File { path, error } => TrainError::File { path, error },
        LockError::Held { folder } => TrainError::Locked { folder },
    })?;
    let mut settings = plan.settings.clone();
    // A training that was begun keeps its scale.
    let begun = if plan.fits_scale { begun_settings(&files.checkpoint)? } else { None };
    let keeps_scale = begun.is_some();
    if let Some(begun) = begun {
        settings.set_scale(begun.scale);
    } else if plan.fits_scale {
        match fit_scale_to_games(&plan.files, &settings.games, SAMPLES_FOR_SCALE, settings.threads, cancel)? {
            Some(scale) => settings.set_scale(scale),
            None if cancel.is_cancelled() => return Ok(None),
            None => return Err(TrainError::Empty),
        }
    }
    if network_note(&plan.note, &settings, usize::MAX).len() > MAX_NOTE_BYTES {
        return Err(NetworkError::Note.into());
    }
    refuse_foreign_files(&files)?;
    let Some(mut samples) = open_samples(plan, &settings, &files, cancel, on_event)? else { return Ok(None) };
    let (training, validation) = (samples.training(), samples.validation());
    on_event(FolderEvent::Begins { training, validation, settings: &settings, keeps_scale });
    let plan = Plan {
        note: network_note(&plan.note, &settings, training),
        settings,
        path: Isa::best(),
        network: files.network.clone(),
        checkpoint: files.checkpoint.clone(),
    };
    let mut written = Ok(());
    let trained = train(&plan, &mut samples, cancel, &mut |event| {
        if let TrainEvent::Epoch(epochs) = event {
            written = write_losses(&files, epochs);
        }
        on_event(FolderEvent::Train(event));
    })?;
    written?;
    if !trained.is_finished {
        return Ok(None);
    }
    // Write everything again, in case an interrupted run stopped after its last checkpoint.
    let network = trained.model.quantized(&plan.note)?;
    write_atomically(&files.network, &network.to_bytes()).map_err(in_file(&files.network))?;
    write_losses(&files, &trained.epochs)?;
    Ok(Some(TrainedInFolder { trained, network, samples }))
}

fn in_file(path: &Path) -> impl Fn(io::Error) -> TrainError {
    move |error| TrainError::File { path: path.to_owned(), error }
}

/// Refuses a folder with results but no checkpoint: they belong to another training and would be overwritten. So would
/// a file of something else in place of the samples.
fn refuse_foreign_files(files: &TrainingFiles) -> Result<(), TrainError> {
    if files.checkpoint.exists() {
        return Ok(());
    }
    if let Some(path) = [&files.network, &files.log, &files.curve].into_iter().find(|path| path.exists()) {
        return Err(TrainError::Foreign { path: path.clone() });
    }
    if files.samples.exists() && !SampleFile::ends_like_one(&files.samples).map_err(in_file(&files.samples))? {
        return Err(TrainError::ForeignSamples { path: files.samples.clone() });
    }
    Ok(())
}

/// Opens the sample file, and prepares it first if it is missing or has another source. Returns `None` when cancelled.
fn open_samples(
    plan: &FolderPlan,
    settings: &Settings,
    files: &TrainingFiles,
    cancel: &CancelFlag,
    on_event: &mut dyn FnMut(FolderEvent),
) -> Result<Option<SampleFile>, TrainError> {
    let open = || SampleFile::open(&files.samples).map_err(in_file(&files.samples));
    if let Some(samples) = open()?.filter(|samples| *samples.source() == settings.games) {
        return Ok(Some(samples));
    }
    // Refuse before the samples of other games are replaced.
    if let Some(checkpoint) = read_checkpoint(&files.checkpoint)? {
        check_settings(settings, &checkpoint, &files.checkpoint)?;
    }
    let prepare_settings = PrepareSettings {
        files: plan.files.clone(),
        source: settings.games.clone(),
        threads: settings.threads,
        memory: plan.memory,
    };
    on_event(FolderEvent::Preparing { bytes: settings.games.files.iter().map(|(length, _)| length).sum() });
    let prepared =
        prepare(&prepare_settings, &files.samples, cancel, &mut |event| on_event(FolderEvent::Prepare(event)))?;
    let Some((found, stats)) = prepared else { return Ok(None) };
    on_event(FolderEvent::Prepared(found, stats));
    let missing = || in_file(&files.samples)(io::ErrorKind::InvalidData.into());
    open()?.ok_or_else(missing).map(Some)
}

/// Returns the note of the network: the text of the plan, then the training parameters.
fn network_note(own: &str, settings: &Settings, positions: usize) -> String {
    let Settings { shape, epochs, batch, lambda, scale, loss, .. } = settings;
    let Settings { rate, last_rate, decay, seed, start, start_share, .. } = settings;
    let mut begun =
        start.as_ref().map(|network| format!(", begun with network {}", network.checksum())).unwrap_or_default();
    if start.is_some() && *start_share > 0.0 {
        let _ = write!(begun, ", which has a share of {start_share} in the mean of the weights");
    }
    let td_lambda = settings.games.filter.smoothing.map(|smoothing| format!(", td-lambda {}", smoothing.td_lambda));
    let td_lambda = td_lambda.unwrap_or_default();
    let own = if own.is_empty() { String::new() } else { format!("{own}\n") };
    format!(
        "{own}{shape}, {epochs} epochs of {positions} positions of self-play in batches of {batch}, scale {scale:.1}, \
         lambda {lambda}{td_lambda}, loss {loss}, rate {rate} to {last_rate}, decay {decay}, seed {seed}{begun}; chuhe {}",
        env!("CARGO_PKG_VERSION")
    )
}

/// Writes the losses of all epochs as a table and as a plot.
fn write_losses(files: &TrainingFiles, epochs: &[Epoch]) -> Result<(), TrainError> {
    let mut log = String::from("epoch\trate\ttraining\tvalidation\tseconds\n");
    for (number, Epoch { rate, training, validation, seconds }) in (1..).zip(epochs) {
        let validation = validation.map_or("-".to_owned(), |loss| format!("{loss:.8}"));
        let _ = writeln!(log, "{number}\t{rate:.3e}\t{training:.8}\t{validation}\t{seconds:.1}");
    }
    for (path, content) in [(&files.log, log), (&files.curve, curve::svg(epochs))] {
        write_atomically(path, content.as_bytes()).map_err(in_file(path))?;
    }
    Ok(())
}
