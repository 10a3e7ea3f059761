//! Makes rounds: games, training, match, and the choice of the stronger network. Shows its progress on standard error.

use std::fs::File;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

use super::folder::{Best, Folder, checksum, player, unusable};
use super::gate::play_match;
use super::state::{GamesDone, Round};
use crate::console::error::CommandError;
use crate::console::{counted, note};
use crate::eval::Knowledge;
use crate::lab::datagen::command::{GameProgress, report_resumption};
use crate::lab::datagen::{
    self, FileError, FileFault, GameFile, GameReader, GameSource, Merge, MergeError, NamedNetwork, Openings,
    knowledge_name,
};
use crate::lab::training::{self, SampleSource, Trained, TrainingFiles, identify, in_file, train_in_folder};
use crate::util::atomic_file::replace;
use crate::util::cancel::CancelFlag;
use crate::util::folder::create_folder;

/// Makes rounds until there are `rounds` in all, including earlier ones, or without a limit. Writes a line a round.
///
/// # Errors
/// [`CommandError`], also when cancelled; everything done before is kept, and the same call resumes there.
pub fn run(
    folder: &mut Folder,
    rounds: Option<u64>,
    threads: NonZeroUsize,
    cancel: &CancelFlag,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    while rounds.is_none_or(|rounds| folder.state().round() <= rounds) {
        let begun = Instant::now();
        let made = make_round(folder, threads, cancel);
        let seconds = begun.elapsed().as_secs_f64();
        let round = match made {
            Ok(round) => Round { seconds: folder.state().seconds + seconds, ..round },
            Err(error) => {
                if matches!(error, CommandError::Interrupted) {
                    folder.add_seconds(seconds)?;
                }
                return Err(error);
            }
        };
        let number = folder.state().round();
        folder.complete_round(round.clone())?;
        writeln!(out, "{}", line_of(number, &round))?;
        out.flush()?;
    }
    Ok(())
}

/// Returns the line of a completed round.
fn line_of(number: u64, round: &Round) -> String {
    let Round { games, trained_on, training, validation, result, accepted, .. } = round;
    let loss = |loss: &Option<f64>| loss.map_or("-".to_owned(), |loss| format!("{loss:.6}"));
    format!(
        "round {number}: {} games, trained on {trained_on} positions, loss {}, validation {}; match +{} ={} -{}, {:.1} %, \
         Elo {}: {}",
        games.games,
        loss(training),
        loss(validation),
        result.wins,
        result.draws,
        result.losses,
        100.0 * result.score(),
        result.elo(),
        if *accepted { "accepted" } else { "not accepted" }
    )
}

/// Makes the current round, or what it lacks.
fn make_round(folder: &mut Folder, threads: NonZeroUsize, cancel: &CancelFlag) -> Result<Round, CommandError> {
    if cancel.is_cancelled() {
        return Err(CommandError::Interrupted);
    }
    // Before hours are spent on a round that could not be trained.
    check_games(folder)?;
    let best = folder.best()?;
    let best = best.as_ref();
    let games = match folder.state().games {
        Some(games) => games,
        None => {
            let games = play_games(folder, best, threads, cancel)?;
            folder.set_games(games)?;
            games
        }
    };
    let trained = train(folder, &games, best, threads, cancel)?;
    let network = checksum(&trained.network);
    let result = play_match(folder, &network, best, threads, cancel)?;
    let losses = trained.epochs.last();
    let finite = |loss: f64| loss.is_finite().then_some(loss);
    Ok(Round {
        games,
        trained_on: trained.samples as u64,
        training: losses.and_then(|epoch| finite(epoch.training)),
        validation: losses.and_then(|epoch| finite(epoch.validation?)),
        network,
        result,
        accepted: result.score() > folder.state().settings.accept,
        seconds: 0.0,
    })
}

/// Error of a game file that is not as it was when its last game was written.
const CHANGED: &str = "it is damaged or was changed after its games were complete; restore it from a copy";

/// Checks the complete game files.
fn check_games(folder: &Folder) -> Result<(), CommandError> {
    let state = folder.state();
    let complete = state.rounds.iter().map(|round| &round.games).chain(&state.games);
    for (round, games) in (1..).zip(complete) {
        let path = folder.path().join(folder.round_files(round).games);
        if identify(&path)? != games.identity {
            return Err(unusable(&path, CHANGED));
        }
    }
    Ok(())
}

/// Plays the games of the current round that its file lacks: those of `datagen` with these settings.
fn play_games(
    folder: &Folder,
    best: Option<&Best>,
    threads: NonZeroUsize,
    cancel: &CancelFlag,
) -> Result<GamesDone, CommandError> {
    let (round, settings) = (folder.state().round(), &folder.state().settings);
    let files = folder.round_files(round);
    let round_folder = folder.path().join(files.folder);
    create_folder(&round_folder).map_err(in_file(&round_folder))?;
    let path = folder.path().join(files.games);
    let knowledge = if best.is_some() { Knowledge::default() } else { Knowledge::Medium };
    let settings_of_games = datagen::Settings {
        seed: settings.seed_of_round(round),
        nodes: settings.nodes,
        hard_nodes: settings.nodes.saturating_mul(datagen::Settings::HARD_FACTOR),
        hash: settings.hash,
        knowledge: knowledge_name(knowledge),
        evalfile: best.and_then(|best| NamedNetwork::unless_embedded(best.network.clone())),
        ..datagen::Settings::default()
    };
    let (games, openings) = (settings.games, Openings::default());
    let plan = datagen::Plan { settings: settings_of_games, openings, games, threads };
    let (mut file, resumed) = GameFile::open(&path, &plan.settings()).map_err(|error| match error {
        FileError { path, fault: FileFault::Settings(difference) } => {
            let remedy = "remove it to play the games of this round again";
            unusable(&path, format!("its games were made with other settings: {difference}; {remedy}"))
        }
        error => error.into(),
    })?;
    let missing = plan.missing(file.numbers());
    note!("round {round}, games: {} by {}", counted(games, "game"), player(best));
    report_resumption(&path, (games - missing) as usize, &resumed);
    let mut progress = GameProgress::new(missing);
    datagen::run(&plan, &mut file, cancel, &mut |event| progress.on_event(&event))?;
    drop((file, progress));
    if cancel.is_cancelled() {
        return Err(CommandError::Interrupted);
    }
    // The order in which games end depends on the speed of the threads, and the samples of the training on the order of
    // the games.
    let ordered = Merge::read(std::slice::from_ref(&path), cancel, &mut |_| {}, &mut |_| {})
        .and_then(|merge| replace(&path, MergeError::Output, |out| merge.write(out, cancel, &mut |_| {}), |_| true));
    ordered.map_err(|error| match error {
        MergeError::Output(error) => in_file(&path)(error),
        error => error.into(),
    })?;
    let mut done = GamesDone { games: 0, positions: 0, identity: identify(&path)? };
    let changed = || unusable(&path, CHANGED);
    for record in GameReader::new(File::open(&path).map_err(in_file(&path))?).map_err(|_| changed())? {
        done.positions += record.map_err(|_| changed())?.moves.len() as u64;
        done.games += 1;
    }
    Ok(done)
}

/// Trains the network of the current round, whose games are complete: on the games of all rounds, from the strongest
/// network or from random weights.
fn train(
    folder: &Folder,
    games: &GamesDone,
    best: Option<&Best>,
    threads: NonZeroUsize,
    cancel: &CancelFlag,
) -> Result<Trained, CommandError> {
    let (round, own) = (folder.state().round(), &folder.state().settings);
    let start = best.map_or("random weights".to_owned(), |_| player(best));
    note!("round {round}, training: on the games of {}, beginning with {start}", counted(round, "round"));
    // Newest first: of duplicate positions the first is kept.
    let all = folder.state().rounds.iter().map(|round| &round.games).chain([games]);
    let file =
        |(round, games): (u64, &GamesDone)| (folder.path().join(folder.round_files(round).games), games.identity);
    let mut all: Vec<(PathBuf, (u64, u64))> = (1..).zip(all).map(file).collect();
    all.reverse();
    let (files, identities) = all.into_iter().unzip();
    let trained = folder.path().join(folder.round_files(round).trained);
    // The result depends on the number of threads, so a training that was begun keeps it, whatever the machine has.
    let begun = training::Checkpoint::read(&TrainingFiles::new(&trained).checkpoint)?;
    let [rate, last_rate] = own.rates(best.is_some());
    let settings = training::Settings {
        shape: training::Settings::this_shape(),
        // The scale is fitted to the games.
        source: SampleSource {
            files: identities,
            td_lambda: own.td_lambda,
            scale: 0.0,
            seed: own.seed_of_round(round),
        },
        epochs: own.epochs,
        batch: own.batch,
        lambda: own.lambda,
        rate,
        last_rate,
        threads: begun.map_or(threads.get(), |begun| begun.settings.threads),
        start: best.map(|best| NamedNetwork::new(best.network.clone())),
        start_share: own.share_of_start(best.is_some()),
    };
    let note = format!("round {round} of selfplay-train");
    let plan = training::Plan { folder: trained, files, settings, fits_scale: true, note };
    train_in_folder(&plan, cancel, &mut io::sink())
}
