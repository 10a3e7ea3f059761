//! Runs `train`: prepares samples, trains, and reports the result.

use std::fmt::Write as _;
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Train, curve};
use crate::console::error::CommandError;
use crate::console::input::network_in;
use crate::console::progress::{Progress, cancel_on_ctrl_c, clock, counted};
use crate::eval::network::Network;
use crate::tools::datagen::NamedNetwork;
use crate::tools::training::{
    self, Epoch, Loss, Plan, PrepareError, PrepareEvent, PrepareSettings, Sample, SampleFile, SampleSource, Settings,
    TrainError, TrainEvent, Trained, check_settings, compare, fit_scale_to, identify, prepare, read_checkpoint,
};
use crate::util::atomic_file::write_exclusively;
use crate::util::cancel::CancelFlag;
use crate::util::simd;

/// Maximum number of faults reported one by one; the rest are counted.
const MAX_FAULTS_REPORTED: u64 = 20;
/// Maximum number of samples that the scale is fitted to.
const SAMPLES_FOR_SCALE: usize = 1_000_000;
/// Maximum number of samples for the comparison with the quantized network.
const SAMPLES_COMPARED: usize = 20_000;

/// Files in the output folder.
struct OutputFiles {
    network: PathBuf,
    checkpoint: PathBuf,
    samples: PathBuf,
    curve: PathBuf,
    log: PathBuf,
}

/// Trains a network on the games and writes all results into the folder.
pub fn train(args: &Train, out: &mut impl Write) -> Result<(), CommandError> {
    fs::create_dir_all(&args.out).map_err(|error| in_file(&args.out, error))?;
    let file = |name: &str| args.out.join(name);
    let files = OutputFiles {
        network: file("network.bin"),
        checkpoint: file("checkpoint"),
        samples: file("samples"),
        curve: file("loss.svg"),
        log: file("log.tsv"),
    };
    let start = args.start.as_deref().map(|path| starting_network(path, &files.network)).transpose()?;
    let cancel = cancel_on_ctrl_c();
    let identities = args.files.iter().map(|path| identify(path).map_err(|error| in_file(path, error)));
    let games = SampleSource {
        files: identities.collect::<Result<_, CommandError>>()?,
        most_score: args.most_score.into(),
        seed: args.seed,
    };
    let mut settings = Settings {
        shape: Settings::this_shape(),
        games,
        epochs: args.epochs,
        batch: usize::try_from(args.batch).unwrap_or(usize::MAX),
        lambda: args.lambda,
        scale: args.scale.unwrap_or_default(),
        loss: args.loss.clone(),
        rate: args.rate,
        last_rate: args.last_rate,
        decay: args.decay,
        seed: args.seed,
        threads: args.threads(),
        start,
    };
    let _lock = lock_folder(&args.out)?;
    let mut dataset = open_samples(args, &settings, &files, &cancel, out)?;
    let how = match args.scale {
        Some(_) => "as given",
        None => {
            settings.scale = fitted_scale(&mut dataset, args.threads()).map_err(command_error)?;
            "fitted to the results"
        }
    };
    writeln!(
        out,
        "{} training positions, {} held out; scale {:.1} centipawns, {how}",
        dataset.training(),
        dataset.validation(),
        settings.scale
    )?;
    out.flush()?;
    let plan = Plan {
        note: note(args, &settings, dataset.training()),
        settings,
        path: simd::Isa::best(),
        network: files.network.clone(),
        checkpoint: files.checkpoint.clone(),
    };
    let trained = run_training(&plan, &mut dataset, &files, &cancel)?;
    if !trained.is_finished {
        return Err(CommandError::Interrupted);
    }
    report(&trained, &plan, &mut dataset, &files, out)
}

/// Reads the start network, which must not be the file that training writes.
fn starting_network(path: &Path, written: &Path) -> Result<NamedNetwork, CommandError> {
    let network = network_in(path)?;
    let [start, written] = [path, written].map(|path| fs::canonicalize(path).ok());
    if start.is_some() && start == written {
        let text = "--start names the network that training writes; copy it elsewhere, or choose another --out";
        return Err(CommandError::Mismatch(text.to_owned()));
    }
    Ok(NamedNetwork::new(network))
}

/// Locks a folder against other training runs as long as the returned file is open.
fn lock_folder(folder: &Path) -> Result<File, CommandError> {
    let path = folder.join("lock");
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|error| in_file(&path, error))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(CommandError::Mismatch(format!("{}: another program is training there", folder.display())))
        }
        // Some file systems do not support locks; training without a lock is better than not at all.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

fn in_file(path: &Path, error: std::io::Error) -> CommandError {
    CommandError::File { path: path.to_owned(), error }
}

/// Opens the sample file, and prepares it first if it is missing or has another source.
fn open_samples(
    args: &Train,
    settings: &Settings,
    files: &OutputFiles,
    cancel: &CancelFlag,
    out: &mut impl Write,
) -> Result<SampleFile, CommandError> {
    let open = || SampleFile::open(&files.samples).map_err(|error| in_file(&files.samples, error));
    if let Some(dataset) = open()?.filter(|dataset| *dataset.source() == settings.games) {
        return Ok(dataset);
    }
    // Refuse before the samples of other games are replaced.
    if let Some(checkpoint) = read_checkpoint(&files.checkpoint).map_err(command_error)? {
        // The scale is not known yet and does not matter here.
        let earlier: Option<Settings> = serde_json::from_str(&checkpoint.settings).ok();
        let scale = earlier.map_or(settings.scale, |earlier| earlier.scale);
        check_settings(&Settings { scale, ..settings.clone() }, &checkpoint, &files.checkpoint)
            .map_err(command_error)?;
    }
    let prepare_settings = PrepareSettings {
        files: args.files.clone(),
        source: settings.games.clone(),
        threads: args.threads(),
        memory: u64::from(args.memory) << 20,
    };
    let mut progress_bar = Progress::bar(settings.games.files.iter().map(|(length, _)| length).sum());
    let mut faults = 0;
    let prepared = prepare(&prepare_settings, &files.samples, cancel, &mut |event| match event {
        PrepareEvent::Progress(found) => {
            let rate = found.positions as f64 / progress_bar.elapsed().as_secs_f64().max(1e-3);
            progress_bar.update(found.bytes, || format!("bytes read, {} positions, {rate:.0}/s", found.positions));
        }
        PrepareEvent::Fault(path, fault) => {
            faults += 1;
            if faults <= MAX_FAULTS_REPORTED {
                progress_bar.note(&format!("{}: {fault}", path.display()));
            }
        }
        PrepareEvent::Shuffling => progress_bar.note("all games are read; shuffling their positions"),
    });
    progress_bar.finish();
    if faults > MAX_FAULTS_REPORTED {
        eprintln!("chuhe: {faults} faults in all");
    }
    let prepared = prepared.map_err(|error| match error {
        PrepareError::File { path, error } => CommandError::File { path, error },
        PrepareError::Header { path, error } => CommandError::Unusable { path, fault: error.to_string() },
    })?;
    let Some((found, stats)) = prepared else { return Err(CommandError::Interrupted) };
    writeln!(
        out,
        "{} of {} positions in {} are quiet, {} of them duplicates",
        found.taken,
        found.positions,
        counted(found.games, "game"),
        stats.repeated
    )?;
    if found.without_result > 0 {
        eprintln!("chuhe: {} without a result left out", counted(found.without_result, "game"));
    }
    let missing = || in_file(&files.samples, std::io::ErrorKind::NotFound.into());
    open()?.ok_or_else(missing)
}

/// Fits the scale of the scores to the results.
fn fitted_scale(dataset: &mut SampleFile, threads: usize) -> Result<f64, TrainError> {
    let count = dataset.training().min(SAMPLES_FOR_SCALE);
    if count == 0 {
        return Err(TrainError::Empty);
    }
    let mut samples = Vec::new();
    dataset.read(0, count, &mut samples).map_err(TrainError::Samples)?;
    let pairs: Vec<(f64, f64)> = samples.iter().map(|sample| (sample.score().into(), sample.result().into())).collect();
    Ok(fit_scale_to(&pairs, Loss::CrossEntropy, threads))
}

/// Returns the note of the network.
fn note(args: &Train, settings: &Settings, positions: usize) -> String {
    let Settings { shape, epochs, batch, lambda, scale, loss, rate, last_rate, decay, seed, start, .. } = settings;
    let start =
        start.as_ref().map(|network| format!(", begun with network {}", network.checksum())).unwrap_or_default();
    let own = if args.note.is_empty() { String::new() } else { format!("{}\n", args.note) };
    format!(
        "{own}{shape}, {epochs} epochs of {positions} positions of self-play in batches of {batch}, scale {scale:.1}, \
         lambda {lambda}, loss {loss}, rate {rate} to {last_rate}, decay {decay}, seed {seed}{start}; chuhe {}",
        env!("CARGO_PKG_VERSION")
    )
}

/// Trains with progress on standard error.
fn run_training(
    plan: &Plan,
    dataset: &mut SampleFile,
    files: &OutputFiles,
    cancel: &CancelFlag,
) -> Result<Trained, CommandError> {
    let mut progress: Option<(Progress, u64)> = None;
    let mut written = Ok(());
    let batch = plan.settings.batch.min(dataset.training()) as f64;
    let trained = training::train(plan, dataset, cancel, &mut |event| match event {
        TrainEvent::Step { done, all, loss } => {
            // Steps of earlier runs took no time in this one.
            let (progress_bar, before) = progress.get_or_insert_with(|| (Progress::bar(all), done - 1));
            let own = (done - *before) as f64;
            let seconds = progress_bar.elapsed().as_secs_f64().max(1e-3);
            let left = Duration::try_from_secs_f64(seconds / own * (all - done) as f64).unwrap_or(Duration::MAX);
            progress_bar.update(done, || {
                format!("loss {loss:.6}, {:.0} positions/s, {} left", own * batch / seconds, clock(left))
            });
        }
        TrainEvent::Epoch(epochs) => {
            if let (Some((progress_bar, _)), Some(epoch)) = (&progress, epochs.last()) {
                progress_bar.note(&epoch_line(epochs.len(), epoch));
            }
            written = write_curve(files, epochs);
        }
    });
    if let Some((progress_bar, _)) = progress {
        progress_bar.finish();
    }
    let trained = trained.map_err(command_error)?;
    written?;
    Ok(trained)
}

/// Formats the result of an epoch.
fn epoch_line(number: usize, epoch: &Epoch) -> String {
    let validation = epoch.validation.map_or(String::new(), |loss| format!(", validation {loss:.6}"));
    format!("epoch {number}: loss {:.6}{validation}, {:.1} s", epoch.training, epoch.seconds)
}

fn write_curve(files: &OutputFiles, epochs: &[Epoch]) -> Result<(), CommandError> {
    let mut log = String::from("epoch\trate\ttraining\tvalidation\tseconds\n");
    for (number, Epoch { rate, training, validation, seconds }) in (1..).zip(epochs) {
        let validation = validation.map_or("-".to_owned(), |loss| format!("{loss:.8}"));
        let _ = writeln!(log, "{number}\t{rate:.3e}\t{training:.8}\t{validation}\t{seconds:.1}");
    }
    for (path, content) in [(&files.log, log), (&files.curve, curve::svg(epochs))] {
        write_exclusively(path, content.as_bytes()).map_err(|error| in_file(path, error))?;
    }
    Ok(())
}

/// Reports the result.
fn report(
    trained: &Trained,
    plan: &Plan,
    dataset: &mut SampleFile,
    files: &OutputFiles,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let network: Network = trained.model.quantized(&plan.note).map_err(|error| command_error(error.into()))?;
    // Write everything again, in case an interrupted run stopped after its last checkpoint.
    write_exclusively(&files.network, &network.to_bytes()).map_err(|error| in_file(&files.network, error))?;
    write_curve(files, &trained.epochs)?;
    if let Some(epoch) = trained.epochs.last() {
        writeln!(out, "{}", epoch_line(trained.epochs.len(), epoch))?;
    }
    let seconds: f64 = trained.epochs.iter().map(|epoch| epoch.seconds).sum();
    let seen = plan.settings.epochs as f64 * dataset.training() as f64;
    writeln!(
        out,
        "{} in all, {:.0} positions/s",
        clock(Duration::try_from_secs_f64(seconds).unwrap_or_default()),
        seen / seconds.max(1e-3)
    )?;
    let samples = samples_to_compare(dataset).map_err(|error| in_file(&files.samples, error))?;
    let differences = compare(&trained.model, &network, &samples);
    writeln!(
        out,
        "integers differ from floats by {:.2} centipawns on average over {} positions, {:.1} at most",
        differences.mean, differences.positions, differences.largest
    )?;
    writeln!(out, "{}", files.network.display())?;
    Ok(())
}

/// Returns validation samples, topped up with training samples.
fn samples_to_compare(dataset: &mut SampleFile) -> std::io::Result<Vec<Sample>> {
    let mut samples = dataset.read_validation(0, SAMPLES_COMPARED)?;
    let count = (SAMPLES_COMPARED - samples.len()).min(dataset.training());
    dataset.read(0, count, &mut samples)?;
    Ok(samples)
}

fn command_error(error: TrainError) -> CommandError {
    match error {
        TrainError::File { path, error } => CommandError::File { path, error },
        TrainError::Checkpoint { path, error } => CommandError::Unusable { path, fault: error.to_string() },
        error => CommandError::Mismatch(error.to_string()),
    }
}
