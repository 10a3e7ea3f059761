//! Games of a round: played by the strongest network, and put in order when they are complete.

use std::fs::File;
use std::num::NonZeroUsize;
use std::path::Path;

use super::error::{RoundsError, RoundsFault};
use super::event::RoundsEvent;
use super::folder::{Best, Folder};
use super::settings::Settings;
use super::state::GamesDone;
use crate::eval::Knowledge;
use crate::lab::datagen::{
    self, GameFile, GameReader, GameSource, Merge, MergeError, NamedNetwork, Openings, Plan, knowledge_name,
};
use crate::lab::training::identify;
use crate::util::atomic_file::replace;
use crate::util::cancel::CancelFlag;
use crate::util::folder::create_folder;

/// Checks that the complete game files are as they were when their last game was written.
pub(super) fn check_games(folder: &Folder) -> Result<(), RoundsError> {
    let state = folder.state();
    let complete = state.rounds.iter().map(|round| &round.games).chain(&state.games);
    for (round, games) in (1..).zip(complete) {
        let path = folder.path().join(folder.round_files(round).games);
        if identify(&path).map_err(RoundsError::in_file(&path))? != games.identity {
            return Err(RoundsFault::ChangedGames.at(&path));
        }
    }
    Ok(())
}

/// Plays the games of the current round that its file lacks. Returns `None` when cancelled.
pub(super) fn play_games(
    folder: &Folder,
    best: Option<&Best>,
    threads: NonZeroUsize,
    cancel: &CancelFlag,
    on_event: &mut dyn FnMut(RoundsEvent),
) -> Result<Option<GamesDone>, RoundsError> {
    let round = folder.state().round();
    let files = folder.round_files(round);
    let round_folder = folder.path().join(files.folder);
    create_folder(&round_folder).map_err(RoundsError::in_file(&round_folder))?;
    let path = folder.path().join(files.games);
    let plan = plan(&folder.state().settings, round, best, threads);
    let (mut file, resumed) = GameFile::open(&path, &plan.settings())?;
    on_event(RoundsEvent::Games {
        round,
        games: plan.games,
        missing: plan.missing(file.numbers()),
        network: best.map(Best::checksum).as_deref(),
        path: &path,
        resumed: &resumed,
    });
    datagen::run(&plan, &mut file, cancel, &mut |event| on_event(RoundsEvent::Game(event)))?;
    drop(file);
    if cancel.is_cancelled() {
        return Ok(None);
    }
    match order(&path, cancel) {
        Err(MergeError::Interrupted) => Ok(None),
        Err(MergeError::Output(error)) => Err(RoundsError::File { path, error }),
        Err(error) => Err(error.into()),
        Ok(()) => count(&path).map(Some),
    }
}

/// Returns the games of a round: those of `datagen` with these settings.
fn plan(settings: &Settings, round: u64, best: Option<&Best>, threads: NonZeroUsize) -> Plan {
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
    Plan { settings: settings_of_games, openings: Openings::default(), games: settings.games, threads }
}

/// Rewrites a game file by the numbers of its games. The order in which games end depends on the speed of the threads,
/// and the samples of the training on the order of the games.
fn order(path: &Path, cancel: &CancelFlag) -> Result<(), MergeError> {
    let merge = Merge::read(&[path.to_owned()], cancel, &mut |_| {}, &mut |_| {})?;
    replace(path, MergeError::Output, |out| merge.write(out, cancel, &mut |_| {}), |_| true)?;
    Ok(())
}

/// Counts the games of a complete file.
fn count(path: &Path) -> Result<GamesDone, RoundsError> {
    let in_file = RoundsError::in_file(path);
    let identity = identify(path).map_err(&in_file)?;
    let file = File::open(path).map_err(&in_file)?;
    let mut done = GamesDone { games: 0, positions: 0, identity };
    let changed = || RoundsFault::ChangedGames.at(path);
    for record in GameReader::new(file).map_err(|_| changed())? {
        done.positions += record.map_err(|_| changed())?.moves.len() as u64;
        done.games += 1;
    }
    Ok(done)
}
