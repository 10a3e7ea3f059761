//! Runs `train`: trains in the folder with progress on standard error, and reports the result.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use super::Train;
use super::progress::{TrainingProgress, epoch_line};
use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::input::network_in;
use crate::console::progress::{cancel_on_request, clock};
use crate::lab::datagen::NamedNetwork;
use crate::lab::training::{
    FolderEvent, FolderPlan, Sample, SampleFile, SampleFilter, SampleSource, Settings, Smoothing, TrainedInFolder,
    TrainingFiles, compare, identify, train_in_folder,
};

/// Maximum number of samples for the comparison with the quantized network.
const SAMPLES_COMPARED: usize = 20_000;

/// Trains a network on the games and writes all results into the folder.
pub fn train(args: &Train, out: &mut impl Write) -> Result<(), CommandError> {
    let files = TrainingFiles::new(&args.out);
    let plan = plan(args, &files)?;
    let cancel = cancel_on_request();
    let mut progress = TrainingProgress::default();
    let mut printed = Ok(());
    let trained = train_in_folder(&plan, &cancel, &mut |event| {
        if let Some(line) = line_of(&event, args)
            && printed.is_ok()
        {
            printed = writeln!(out, "{line}").and_then(|()| out.flush());
        }
        progress.on_event(&event);
    });
    progress.finish();
    let trained = trained?;
    printed?;
    match trained {
        Some(trained) => report(trained, &plan, &files, out),
        None => Err(CommandError::Interrupted),
    }
}

/// Returns the training that the arguments describe.
fn plan(args: &Train, files: &TrainingFiles) -> Result<FolderPlan, CommandError> {
    let start = args.start.as_deref().map(|path| starting_network(path, &files.network)).transpose()?;
    let identities = args.files.iter().map(|path| identify(path).map_err(|error| in_file(path, error)));
    // Fitted later when it is not given.
    let scale = args.scale.unwrap_or_default();
    let games = SampleSource {
        files: identities.collect::<Result<_, CommandError>>()?,
        filter: SampleFilter { most_score: args.most_score.into(), smoothing: Smoothing::new(args.td_lambda, scale) },
        seed: args.seed,
    };
    let settings = Settings {
        shape: Settings::this_shape(),
        games,
        epochs: args.epochs,
        batch: usize::try_from(args.batch).unwrap_or(usize::MAX),
        lambda: args.lambda,
        scale,
        loss: args.loss.clone(),
        rate: args.rate,
        last_rate: args.last_rate,
        decay: args.decay,
        seed: args.seed,
        threads: args.threads(),
        start,
        start_share: args.start_share,
    };
    Ok(FolderPlan {
        folder: args.out.clone(),
        files: args.files.clone(),
        settings,
        fits_scale: args.scale.is_none(),
        memory: u64::from(args.memory) << 20,
        note: args.note.clone(),
    })
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

fn in_file(path: &Path, error: io::Error) -> CommandError {
    CommandError::File { path: path.to_owned(), error }
}

/// Returns the line that an event prints on standard output.
fn line_of(event: &FolderEvent, args: &Train) -> Option<String> {
    match event {
        FolderEvent::Prepared(found, stats) => Some(format!(
            "{} of {} positions in {} are quiet, {} of them duplicates",
            found.taken,
            found.positions,
            counted(found.games, "game"),
            stats.repeated
        )),
        FolderEvent::Begins { training, validation, settings, keeps_scale } => {
            let how = match args.scale {
                Some(_) => "as given",
                None if *keeps_scale => "as the training was begun",
                None => "fitted to the results",
            };
            Some(format!(
                "{training} training positions, {validation} held out; scale {:.1} centipawns, {how}",
                settings.scale
            ))
        }
        _ => None,
    }
}

/// Reports the result.
fn report(
    result: TrainedInFolder,
    plan: &FolderPlan,
    files: &TrainingFiles,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let TrainedInFolder { trained, network, samples: mut dataset } = result;
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
    let samples = samples_to_compare(&mut dataset).map_err(|error| in_file(&files.samples, error))?;
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
fn samples_to_compare(dataset: &mut SampleFile) -> io::Result<Vec<Sample>> {
    let mut samples = dataset.read_validation(0, SAMPLES_COMPARED)?;
    let count = (SAMPLES_COMPARED - samples.len()).min(dataset.training());
    dataset.read(0, count, &mut samples)?;
    Ok(samples)
}
