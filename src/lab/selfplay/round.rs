//! Makes rounds: games, training, match, and the choice of the stronger network. Shows its progress on standard error.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::folder::{Best, Folder, GamesDone, MatchResult, Round, player};
use crate::commands::matches::arbiter::{Adjudication, Agreement};
use crate::console::{CommandError, Progress, Result, clock, counted, network_in, note};
use crate::engine::{Engine, EngineError};
use crate::eval::Knowledge;
use crate::eval::network::Network;
use crate::lab::datagen::{self, GameFile, GameReader, GameSource, Merge, Openings, checksum, unless_embedded};
use crate::lab::match_play::{MatchPlay, drawn_openings};
use crate::lab::training::{self, Checkpoint, SampleSource, Trained, TrainingFiles, identify, train_in_folder};
use crate::lab::{in_file, unusable};
use crate::util::atomic_file::replace;
use crate::util::cancel::CancelFlag;
use crate::util::files::create_folder;

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
) -> Result {
    while rounds.is_none_or(|rounds| folder.state.round() <= rounds) {
        let begun = Instant::now();
        let made = make_round(folder, threads, cancel);
        folder.state.seconds += begun.elapsed().as_secs_f64();
        let round = match made {
            Ok(round) => Round { seconds: folder.state.seconds, ..round },
            Err(CommandError::Interrupted) => {
                folder.save()?;
                return Err(CommandError::Interrupted);
            }
            Err(error) => return Err(error),
        };
        let number = folder.state.round();
        folder.complete_round(round.clone())?;
        writeln!(out, "{}", line_of(number, &round))?;
        out.flush()?;
    }
    Ok(())
}

fn line_of(number: u64, round: &Round) -> String {
    let Round { games, trained_on, training, validation, result, accepted, .. } = round;
    let MatchResult { wins, draws, losses, .. } = result;
    let loss = |loss: &Option<f64>| loss.map_or("-".to_owned(), |loss| format!("{loss:.6}"));
    format!(
        "round {number}: {} games, trained on {trained_on} positions, loss {}, validation {}; match +{wins} ={draws} \
         -{losses}, {:.1} %, Elo {}: {}",
        games.games,
        loss(training),
        loss(validation),
        100.0 * result.score(),
        result.elo(),
        if *accepted { "accepted" } else { "not accepted" }
    )
}

/// Makes the current round, or what it lacks.
fn make_round(folder: &mut Folder, threads: NonZeroUsize, cancel: &CancelFlag) -> Result<Round> {
    CommandError::if_interrupted(cancel)?;
    // Before hours are spent on a round that could not be trained.
    check_games(folder)?;
    let best = folder.best()?;
    let best = best.as_ref();
    let games = match folder.state.games {
        Some(games) => games,
        None => {
            let games = play_games(folder, best, threads, cancel)?;
            folder.state.games = Some(games);
            folder.save()?;
            games
        }
    };
    let trained = train(folder, best, threads, cancel)?;
    let network = checksum(&trained.network);
    let result = play_match(folder, best, threads, cancel)?;
    let losses = trained.epochs.last();
    let finite = |loss: f64| loss.is_finite().then_some(loss);
    Ok(Round {
        games,
        trained_on: trained.samples as u64,
        training: losses.and_then(|epoch| finite(epoch.training)),
        validation: losses.and_then(|epoch| finite(epoch.validation?)),
        network,
        result,
        accepted: result.score() > folder.state.settings.accept,
        seconds: 0.0,
    })
}

/// Returns the complete game files with their numbers and identities, that of the first round first.
fn complete_games(folder: &Folder) -> impl Iterator<Item = (PathBuf, GamesDone)> {
    let games = folder.state.rounds.iter().map(|round| round.games).chain(folder.state.games);
    (1..).zip(games).map(|(round, games)| (folder.games_path(round), games))
}

fn check_games(folder: &Folder) -> Result {
    for (path, games) in complete_games(folder) {
        if identify(&path)? != games.identity {
            let fault = "it is damaged or was changed after its games were complete; restore it from a copy";
            return Err(unusable(&path, fault));
        }
    }
    Ok(())
}

/// Plays the games of the current round that its file lacks: those of `datagen` with these settings.
fn play_games(folder: &Folder, best: Option<&Best>, threads: NonZeroUsize, cancel: &CancelFlag) -> Result<GamesDone> {
    let (round, settings) = (folder.state.round(), &folder.state.settings);
    let path = folder.games_path(round);
    let round_folder = path.parent().unwrap_or(&folder.path);
    create_folder(round_folder).map_err(in_file(round_folder))?;
    let search = datagen::SearchSettings {
        nodes: settings.nodes,
        hash: settings.hash,
        knowledge: if best.is_some() { Knowledge::default() } else { Knowledge::Medium },
        network: best.and_then(|best| unless_embedded(best.network.clone())),
        ..datagen::SearchSettings::default()
    };
    let (seed, games) = (settings.seed_of_round(round), settings.games);
    let settings = datagen::Settings { seed, search, ..datagen::Settings::default() };
    let plan = datagen::Plan { settings, openings: Openings::default(), games, threads };
    note!("round {round}, games: {} by {}", counted(games, "game"), player(best));
    let remedy = "remove it to play the games of this round again";
    let mut file = GameFile::open(&path, &plan.settings(), remedy)?;
    datagen::run(&plan, &mut file, cancel, &mut || ())?;
    drop(file);
    CommandError::if_interrupted(cancel)?;
    // The order in which games end depends on the threads, and the samples of the training on the order of the games.
    let merge = Merge::read(std::slice::from_ref(&path))?;
    let in_games = in_file(&path);
    replace(&path, &in_games, |out| merge.write(out).map_err(&in_games), |_| true)?;
    let mut done = GamesDone { games: 0, positions: 0, identity: identify(&path)? };
    for game in GameReader::open(&path)? {
        done.positions += game?.moves.len() as u64;
        done.games += 1;
    }
    Ok(done)
}

/// Trains the network of the current round, whose games are complete: on the games of all rounds, from the strongest
/// network or from random weights.
fn train(folder: &Folder, best: Option<&Best>, threads: NonZeroUsize, cancel: &CancelFlag) -> Result<Trained> {
    let (round, own) = (folder.state.round(), &folder.state.settings);
    let start = best.map_or("random weights".to_owned(), |_| player(best));
    note!("round {round}, training: on the games of {}, beginning with {start}", counted(round, "round"));
    // Newest first: of duplicate positions the first is kept.
    let mut all: Vec<(PathBuf, GamesDone)> = complete_games(folder).collect();
    all.reverse();
    let (files, identities) = all.into_iter().map(|(path, games)| (path, games.identity)).unzip();
    let trained = folder.training_path(round);
    // The result depends on the number of threads, so a training that was begun keeps it, whatever the machine has.
    let begun = Checkpoint::read(&TrainingFiles::new(&trained).checkpoint)?;
    let rate = own.rate(best.is_some());
    // The scale is fitted to the games.
    let (seed, td_lambda, scale) = (own.seed_of_round(round), 1.0, 0.0);
    let settings = training::Settings {
        shape: training::Settings::this_shape(),
        source: SampleSource { files: identities, td_lambda, scale, seed },
        epochs: own.epochs,
        batch: own.batch,
        lambda: training::Settings::LAMBDA,
        rate,
        last_rate: rate / training::Settings::RATE_RATIO,
        threads: begun.map_or(threads.get(), |begun| begun.settings.threads),
        start: None,
        start_share: best.map_or(0.0, |_| own.share_of_start()),
    };
    let (start, note) = (best.map(|best| best.network.clone()), format!("round {round} of selfplay-train"));
    let plan = training::Plan { folder: trained, files, settings, start, fits_scale: true, note };
    train_in_folder(&plan, cancel, &mut io::sink(), &mut |_| ())
}

/// Hash size of each engine of a match in megabytes.
const HASH_MEGABYTES: usize = 16;
/// Adjudication of a match; the draw by length is that of datagen.
const ADJUDICATION: Adjudication = Adjudication { win: Some(Agreement::WIN), draw: None, max_plies: Some(400) };
/// Games on each thread between two displays of the progress.
const GAMES_AT_ONCE: usize = 16;

/// Plays the match of the current round: its new network against the strongest one, or against the hand-made
/// evaluation. Games of a fixed number of nodes are the same each time, so a match that was interrupted is played
/// again. Its openings are drawn for each round, so that no network is selected by one of them.
fn play_match(folder: &Folder, best: Option<&Best>, threads: NonZeroUsize, cancel: &CancelFlag) -> Result<MatchResult> {
    let (round, settings) = (folder.state.round(), &folder.state.settings);
    let new = network_in(&folder.network_path(round))?;
    let engines = || Ok([engine(Some(&new))?, engine(best.map(|best| &best.network))?]);
    let (openings, threads) = (drawn_openings(settings.seed_of_round(round)), threads.get());
    let (nodes, adjudication) = (settings.gate_nodes, ADJUDICATION);
    let conditions = MatchPlay { openings: &openings, nodes, adjudication, threads, cancel };
    let games = settings.gate_games.next_multiple_of(2);
    note!("round {round}, match: {} against {}", counted(games, "game"), player(best));
    let (mut bar, mut points) = (Progress::bar(games), Vec::new());
    while points.len() < games as usize {
        let next = points.len()..(games as usize).min(points.len() + GAMES_AT_ONCE * threads);
        points.extend(conditions.play(next, engines)?.ok_or(CommandError::Interrupted)?);
        let left = clock(bar.time_left(points.len() as u64));
        bar.update(points.len() as u64, || {
            let result = MatchResult::new(&points);
            let MatchResult { wins, draws, losses, .. } = result;
            format!("+{wins} ={draws} -{losses}, Elo {}, {left} left", result.elo())
        });
    }
    bar.finish();
    Ok(MatchResult::new(&points))
}

/// Returns an engine with this network, or with the hand-made evaluation.
fn engine(network: Option<&Arc<Network>>) -> Result<Engine, EngineError> {
    let mut engine = Engine::with_hash(HASH_MEGABYTES)?;
    match network {
        Some(network) => engine.set_network(Arc::clone(network))?,
        None => engine.configure(|options| options.knowledge = Knowledge::Medium)?,
    }
    Ok(engine)
}
