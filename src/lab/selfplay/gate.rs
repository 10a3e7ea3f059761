//! Match of a round: the new network against the strongest one, or against the hand-made evaluation.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use super::folder::{Best, Folder, checksum, player, unusable};
use super::state::{MatchResult, Settings};
use crate::commands::matches::arbiter::{Adjudication, Agreement};
use crate::commands::matches::statistics::Standings;
use crate::commands::matches::{
    Conditions, EngineSpec, Format, Match, MatchEvent, Schedule, TimeControl, built_in_openings, journal, shuffled,
};
use crate::console::error::CommandError;
use crate::console::progress::{Progress, clock};
use crate::console::{counted, note};
use crate::engine::bench;
use crate::eval::Knowledge;
use crate::lab::training::TrainingFiles;
use crate::protocol::Protocol;
use crate::rules::Rules;
use crate::util::cancel::CancelFlag;
use crate::util::record_file::{self, RecordFileError};
use crate::util::shard::Shard;

/// Names of the engines in the journal.
const NAMES: [&str; 2] = ["new", "best"];
/// Hash size of each engine in megabytes.
const HASH_MEGABYTES: usize = 16;
/// Plies after which a game is drawn.
const MAX_PLIES: usize = 400;
/// Time that an engine may take for an answer, beside that for its nodes.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);
/// Nodes a second that any machine searches, also beside other work.
const MIN_NODES_PER_SECOND: u64 = 10_000;

/// Plays the match of the current round; `network` is the checksum of the new network.
pub(super) fn play_match(
    folder: &Folder,
    network: &str,
    best: Option<&Best>,
    threads: NonZeroUsize,
    cancel: &CancelFlag,
) -> Result<MatchResult, CommandError> {
    let (round, settings) = (folder.state().round(), &folder.state().settings);
    let files = folder.round_files(round);
    let engines = [
        engine(folder, NAMES[0], Some(&TrainingFiles::new(&files.trained).network)),
        engine(folder, NAMES[1], best.map(|best| best.file.as_path())),
    ];
    let plan = plan(settings, round, engines, threads);
    let path = folder.path().join(files.journal);
    let opened = journal::open(&path, &journal_settings(settings, round, network, best)).map_err(refuse);
    let (mut journal, resumed) = opened?;
    let mut standings = Standings::new(NAMES.map(str::to_owned).to_vec());
    let done: HashSet<u64> = resumed.games.keys().copied().filter(|number| plan.schedule.has(*number)).collect();
    for (number, summary) in resumed.games.iter().filter(|(number, _)| done.contains(number)) {
        standings.add(&plan.schedule.game(*number), summary);
    }
    let (games, before) = (plan.schedule.len(), done.len() as u64);
    let played = if before > 0 { format!(", {before} of them played before") } else { String::new() };
    note!("round {round}, match: {} against {}{played}", counted(games, "game"), player(best));
    for line in &resumed.faulty_lines {
        note!("{}: line {line} cannot be read and is ignored", path.display());
    }
    let mut bar = Progress::bar(games - before);
    let mut failure = None;
    plan.play(&[true; 2], &done, cancel, |event| {
        // Both engines are this program, which declares all its options; a start that fails is a fault of the game.
        let MatchEvent::Finished(scheduled, record) = &event else { return ControlFlow::Continue(()) };
        let recorded = match record.fault {
            // A lack of memory, for example, says nothing about the network.
            Some(_) => Err(failed(&path, &record.reason)),
            None => {
                journal.hold(record);
                journal.save().map_err(refuse)
            }
        };
        if let Err(error) = recorded {
            failure = Some(error);
            return ControlFlow::Break(());
        }
        standings.add(scheduled, record);
        let result = result_of(&standings);
        let own = result.games() - before;
        let left = clock(bar.time_left(own));
        bar.update(own, || {
            let all = if before > 0 { format!("{games} in all, ") } else { String::new() };
            let MatchResult { wins, draws, losses, .. } = result;
            format!("{all}+{wins} ={draws} -{losses}, Elo {}, {left} left", result.elo())
        });
        ControlFlow::Continue(())
    });
    match failure {
        Some(failure) => Err(failure),
        None if standings.games() == plan.schedule.len() => Ok(result_of(&standings)),
        None if cancel.is_cancelled() => Err(CommandError::Interrupted),
        None => Err(failed(&path, "an engine does not start")),
    }
}

fn result_of(standings: &Standings) -> MatchResult {
    standings.engines().next().map_or(MatchResult::default(), |(_, standing)| MatchResult::new(standing))
}

/// Error of a game that an engine could not play.
fn failed(path: &Path, reason: &str) -> CommandError {
    unusable(path, format!("a game of the match failed: {reason}; the same command plays it again"))
}

/// Error of the journal. One of another match was begun between other networks or by another program.
fn refuse(error: RecordFileError) -> CommandError {
    match error {
        RecordFileError::Different { path, name, there, here, .. } => {
            let remedy = "remove it to play the match of this round again";
            unusable(&path, format!("its games have {name} '{there}', not '{here}'; {remedy}"))
        }
        error => error.into(),
    }
}

/// Returns this program as an engine with a network inside the folder, or with the hand-made evaluation.
fn engine(folder: &Folder, name: &str, network: Option<&Path>) -> EngineSpec {
    let evaluation = match network {
        Some(file) => ("evalfile", file.to_string_lossy().into_owned()),
        None => ("knowledge", Knowledge::Medium.name().to_owned()),
    };
    let options = [("hashsize", HASH_MEGABYTES.to_string()), evaluation];
    EngineSpec {
        name: name.to_owned(),
        command: Vec::new(),
        protocol: Protocol::Ucci,
        // Names inside the folder are plain, whatever characters its path has.
        folder: Some(folder.path().to_owned()),
        options: options.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        control: None,
    }
}

/// Returns the match of a round. Its openings are drawn for each round, so that no network is selected by one of them.
fn plan(settings: &Settings, round: u64, engines: [EngineSpec; 2], threads: NonZeroUsize) -> Match {
    let openings = built_in_openings();
    let order = shuffled(openings.len(), settings.seed_of_round(round));
    Match {
        engines: engines.to_vec(),
        control: TimeControl::Nodes(settings.gate_nodes),
        conditions: Conditions {
            rules: Rules::default(),
            adjudication: Adjudication { win: Some(Agreement::WIN), draw: None, max_plies: Some(MAX_PLIES) },
            margin: Duration::ZERO,
            patience: RESPONSE_TIMEOUT.saturating_add(Duration::from_secs(settings.gate_nodes / MIN_NODES_PER_SECOND)),
        },
        schedule: Schedule::new(2, Format::RoundRobin, settings.gate_games.div_ceil(2), &order, Shard::default()),
        openings,
        concurrency: threads.get(),
        restarts: false,
    }
}

/// Returns the settings of the journal. They name networks by their checksums, so that a folder can be moved.
fn journal_settings(settings: &Settings, round: u64, network: &str, best: Option<&Best>) -> record_file::Settings {
    let opponent = best.map_or("the hand-made evaluation".to_owned(), |best| checksum(&best.network));
    let entries = [
        (NAMES[0], network.to_owned()),
        (NAMES[1], opponent),
        ("program", bench::program_id()),
        ("nodes", settings.gate_nodes.to_string()),
        ("games", settings.gate_games.to_string()),
        ("seed", settings.seed_of_round(round).to_string()),
    ];
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
