//! Preparing samples, training on them, and telling what came of it.

use std::fmt::Write as _;
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Train, curve};
use crate::console::error::CommandError;
use crate::console::input::network_in;
use crate::console::interrupt;
use crate::console::progress::{Progress, clock, counted};
use crate::eval::network::Network;
use crate::tools::datagen::NamedNetwork;
use crate::tools::training::{
    self, Dataset, Epoch, Plan, Preparation, PrepareError, Sample, Settings, Source, Told, TrainError, Trained,
    check_settings, compare, identify, prepare, read_checkpoint,
};
use crate::tools::tuning::{Loss, fit_scale_to};
use crate::util::atomic_file::write_exclusively;
use crate::util::cancel::CancelFlag;
use crate::util::simd;

/// How many faults of files are named one by one; the rest are only counted.
const FAULTS_NAMED: u64 = 20;
/// How many samples the scale is fitted to, at most.
const SAMPLES_FOR_SCALE: usize = 1_000_000;
/// How many samples floats and integers are compared on, at most.
const SAMPLES_COMPARED: usize = 20_000;

/// The files in the folder of a training.
struct Places {
    network: PathBuf,
    checkpoint: PathBuf,
    samples: PathBuf,
    curve: PathBuf,
    log: PathBuf,
}

/// Trains a network on the files, and writes all that comes of it into the folder.
pub fn train(wanted: &Train, out: &mut impl Write) -> Result<(), CommandError> {
    fs::create_dir_all(&wanted.out).map_err(|error| in_file(&wanted.out, error))?;
    let place = |name: &str| wanted.out.join(name);
    let places = Places {
        network: place("network.bin"),
        checkpoint: place("checkpoint"),
        samples: place("samples"),
        curve: place("loss.svg"),
        log: place("log.tsv"),
    };
    let start = wanted.start.as_deref().map(|path| starting_network(path, &places.network)).transpose()?;
    let interrupt = interrupt::cancel_on_ctrl_c();
    let files = wanted.files.iter().map(|path| identify(path).map_err(|error| in_file(path, error)));
    let games = Source {
        files: files.collect::<Result<_, CommandError>>()?,
        most_score: wanted.most_score.into(),
        seed: wanted.seed,
    };
    let mut settings = Settings {
        shape: Settings::this_shape(),
        games,
        epochs: wanted.epochs,
        batch: usize::try_from(wanted.batch).unwrap_or(usize::MAX),
        lambda: wanted.lambda,
        scale: wanted.scale.unwrap_or_default(),
        loss: wanted.loss.clone(),
        rate: wanted.rate,
        last_rate: wanted.last_rate,
        decay: wanted.decay,
        seed: wanted.seed,
        threads: wanted.threads(),
        start,
    };
    let _lock = lock_folder(&wanted.out)?;
    let mut dataset = open_samples(wanted, &settings, &places, &interrupt, out)?;
    let how = match wanted.scale {
        Some(_) => "as told",
        None => {
            settings.scale = fitted_scale(&mut dataset, wanted.threads()).map_err(failure)?;
            "fitted to the results"
        }
    };
    writeln!(
        out,
        "{} positions to learn from, {} put aside; scale {:.1} centipawns, {how}",
        dataset.training(),
        dataset.validation(),
        settings.scale
    )?;
    out.flush()?;
    let plan = Plan {
        note: note(wanted, &settings, dataset.training()),
        settings,
        path: simd::Isa::best(),
        network: places.network.clone(),
        checkpoint: places.checkpoint.clone(),
    };
    let trained = go_on(&plan, &mut dataset, &places, &interrupt)?;
    if !trained.is_finished {
        return Err(CommandError::Interrupted);
    }
    tell(&trained, &plan, &mut dataset, &places, out)
}

/// The network to begin with, which must not be the one that is going to be written.
fn starting_network(path: &Path, written: &Path) -> Result<NamedNetwork, CommandError> {
    let network = network_in(path)?;
    let [start, written] = [path, written].map(|path| fs::canonicalize(path).ok());
    if start.is_some() && start == written {
        let text = "--start names the network that training writes; copy it elsewhere, or name another --out";
        return Err(CommandError::Mismatch(text.to_owned()));
    }
    Ok(NamedNetwork::new(network))
}

/// Keeps other programs from training in a folder as long as the file lives that is returned.
fn lock_folder(folder: &Path) -> Result<File, CommandError> {
    let path = folder.join("lock");
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|error| in_file(&path, error))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(CommandError::Mismatch(format!("{}: another program is training there", folder.display())))
        }
        // Some file systems know no locks; nobody is refused his training for that.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

fn in_file(path: &Path, error: std::io::Error) -> CommandError {
    CommandError::File { path: path.to_owned(), error }
}

/// The file of samples, made if it is not there or from something else.
fn open_samples(
    wanted: &Train,
    settings: &Settings,
    places: &Places,
    interrupt: &CancelFlag,
    out: &mut impl Write,
) -> Result<Dataset, CommandError> {
    let open = || Dataset::open(&places.samples).map_err(|error| in_file(&places.samples, error));
    if let Some(dataset) = open()?.filter(|dataset| *dataset.source() == settings.games) {
        return Ok(dataset);
    }
    // Better told before the samples of other games are replaced than after.
    if let Some(checkpoint) = read_checkpoint(&places.checkpoint).map_err(failure)? {
        // The scale is not known yet and does not matter here.
        let earlier: Option<Settings> = serde_json::from_str(&checkpoint.settings).ok();
        let scale = earlier.map_or(settings.scale, |earlier| earlier.scale);
        check_settings(&Settings { scale, ..settings.clone() }, &checkpoint, &places.checkpoint).map_err(failure)?;
    }
    let preparation = Preparation {
        files: wanted.files.clone(),
        source: settings.games.clone(),
        threads: wanted.threads(),
        memory: u64::from(wanted.memory) << 20,
    };
    let mut progress_bar = Progress::bar(settings.games.files.iter().map(|(length, _)| length).sum());
    let mut faults = 0;
    let prepared = prepare(&preparation, &places.samples, interrupt, &mut |told| match told {
        Told::Found(found) => {
            let rate = found.positions as f64 / progress_bar.elapsed().as_secs_f64().max(1e-3);
            progress_bar.update(found.bytes, || format!("bytes read, {} positions, {rate:.0}/s", found.positions));
        }
        Told::Fault(path, fault) => {
            faults += 1;
            if faults <= FAULTS_NAMED {
                progress_bar.note(&format!("{}: {fault}", path.display()));
            }
        }
        Told::Shuffling => progress_bar.note("all games are read; their positions are shuffled"),
    });
    progress_bar.finish();
    if faults > FAULTS_NAMED {
        eprintln!("chuhe: {faults} faults in all");
    }
    let prepared = prepared.map_err(|error| match error {
        PrepareError::File { path, error } => CommandError::File { path, error },
        PrepareError::Header { path, error } => CommandError::Unusable { path, fault: error.to_string() },
    })?;
    let Some((found, kept)) = prepared else { return Err(CommandError::Interrupted) };
    writeln!(
        out,
        "{} of {} positions in {} are quiet, {} of them there already",
        found.taken,
        found.positions,
        counted(found.games, "game"),
        kept.repeated
    )?;
    if found.without_result > 0 {
        eprintln!("chuhe: {} without a result left out", counted(found.without_result, "game"));
    }
    let missing = || in_file(&places.samples, std::io::ErrorKind::NotFound.into());
    open()?.ok_or_else(missing)
}

/// The scale with which the scores tell the results best.
fn fitted_scale(dataset: &mut Dataset, threads: usize) -> Result<f64, TrainError> {
    let count = dataset.training().min(SAMPLES_FOR_SCALE);
    if count == 0 {
        return Err(TrainError::Empty);
    }
    let mut samples = Vec::new();
    dataset.read(0, count, &mut samples).map_err(TrainError::Samples)?;
    let pairs: Vec<(f64, f64)> = samples.iter().map(|sample| (sample.score().into(), sample.result().into())).collect();
    Ok(fit_scale_to(&pairs, Loss::CrossEntropy, threads))
}

/// What the network says of itself.
fn note(wanted: &Train, settings: &Settings, positions: usize) -> String {
    let Settings { shape, epochs, batch, lambda, scale, loss, rate, last_rate, decay, seed, start, .. } = settings;
    let start =
        start.as_ref().map(|network| format!(", begun with network {}", network.checksum())).unwrap_or_default();
    let own = if wanted.note.is_empty() { String::new() } else { format!("{}\n", wanted.note) };
    format!(
        "{own}{shape}, {epochs} epochs of {positions} positions of self-play in batches of {batch}, scale {scale:.1}, \
         lambda {lambda}, loss {loss}, rate {rate} to {last_rate}, decay {decay}, seed {seed}{start}; chuhe {}",
        env!("CARGO_PKG_VERSION")
    )
}

/// Trains, and tells how it goes.
fn go_on(plan: &Plan, dataset: &mut Dataset, places: &Places, interrupt: &CancelFlag) -> Result<Trained, CommandError> {
    let mut progress: Option<(Progress, u64)> = None;
    let mut written = Ok(());
    let batch = plan.settings.batch.min(dataset.training()) as f64;
    let trained = training::train(plan, dataset, interrupt, &mut |heard| match heard {
        training::News::Step { done, all, price } => {
            // Steps that were made before the last interruption took no time now.
            let (progress_bar, before) = progress.get_or_insert_with(|| (Progress::bar(all), done - 1));
            let own = (done - *before) as f64;
            let seconds = progress_bar.elapsed().as_secs_f64().max(1e-3);
            let left = Duration::try_from_secs_f64(seconds / own * (all - done) as f64).unwrap_or(Duration::MAX);
            progress_bar.update(done, || {
                format!("loss {price:.6}, {:.0} positions/s, {} left", own * batch / seconds, clock(left))
            });
        }
        training::News::Epoch(epochs) => {
            if let (Some((progress_bar, _)), Some(epoch)) = (&progress, epochs.last()) {
                progress_bar.note(&line(epochs.len(), epoch));
            }
            written = write_curve(places, epochs);
        }
    });
    if let Some((progress_bar, _)) = progress {
        progress_bar.finish();
    }
    let trained = trained.map_err(failure)?;
    written?;
    Ok(trained)
}

/// What an epoch came to, in a line.
fn line(number: usize, epoch: &Epoch) -> String {
    let validation = epoch.validation.map_or(String::new(), |price| format!(", validation {price:.6}"));
    format!("epoch {number}: loss {:.6}{validation}, {:.1} s", epoch.training, epoch.seconds)
}

fn write_curve(places: &Places, epochs: &[Epoch]) -> Result<(), CommandError> {
    let mut log = String::from("epoch\trate\ttraining\tvalidation\tseconds\n");
    for (number, Epoch { rate, training, validation, seconds }) in (1..).zip(epochs) {
        let validation = validation.map_or("-".to_owned(), |price| format!("{price:.8}"));
        let _ = writeln!(log, "{number}\t{rate:.3e}\t{training:.8}\t{validation}\t{seconds:.1}");
    }
    for (path, content) in [(&places.log, log), (&places.curve, curve::svg(epochs))] {
        write_exclusively(path, content.as_bytes()).map_err(|error| in_file(path, error))?;
    }
    Ok(())
}

/// Tells what came of it.
fn tell(
    trained: &Trained,
    plan: &Plan,
    dataset: &mut Dataset,
    places: &Places,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let network: Network = trained.model.quantised(&plan.note).map_err(|error| failure(error.into()))?;
    // All of it again, in case that what was interrupted came no further than the checkpoint.
    write_exclusively(&places.network, &network.to_bytes()).map_err(|error| in_file(&places.network, error))?;
    write_curve(places, &trained.epochs)?;
    if let Some(epoch) = trained.epochs.last() {
        writeln!(out, "{}", line(trained.epochs.len(), epoch))?;
    }
    let seconds: f64 = trained.epochs.iter().map(|epoch| epoch.seconds).sum();
    let seen = plan.settings.epochs as f64 * dataset.training() as f64;
    writeln!(
        out,
        "{} in all, {:.0} positions/s",
        clock(Duration::try_from_secs_f64(seconds).unwrap_or_default()),
        seen / seconds.max(1e-3)
    )?;
    let samples = samples_to_compare(dataset).map_err(|error| in_file(&places.samples, error))?;
    let differences = compare(&trained.model, &network, &samples);
    writeln!(
        out,
        "integers differ from floats by {:.2} centipawns on average over {} positions, {:.1} at most",
        differences.mean, differences.positions, differences.largest
    )?;
    writeln!(out, "{}", places.network.display())?;
    Ok(())
}

/// What was put aside, and if that is too little, some of the rest.
fn samples_to_compare(dataset: &mut Dataset) -> std::io::Result<Vec<Sample>> {
    let mut samples = dataset.read_validation(0, SAMPLES_COMPARED)?;
    let count = (SAMPLES_COMPARED - samples.len()).min(dataset.training());
    dataset.read(0, count, &mut samples)?;
    Ok(samples)
}

fn failure(error: TrainError) -> CommandError {
    match error {
        TrainError::File { path, error } => CommandError::File { path, error },
        TrainError::Checkpoint { path, error } => CommandError::Unusable { path, fault: error.to_string() },
        error => CommandError::Mismatch(error.to_string()),
    }
}
