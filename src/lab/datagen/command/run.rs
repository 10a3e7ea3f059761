//! Playing and rescoring of games, with progress on standard error.

use std::io;
use std::path::Path;

use super::progress::{GameProgress, report_resumption};
use super::{Faults, Play, RANDOM_PLIES, Search, refuse_same, unreadable};
use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::input::open_openings;
use crate::console::note;
use crate::console::progress::{cancel_on_request, clock};
use crate::engine::bench;
use crate::lab::datagen::{
    GameFile, GameSource, Openings, Plan, RelabelSource, Relabelling, SearchSettings, Settings, knowledge_name, run,
};
use crate::position::Strictness;
use crate::rules::{RuleSet, Rules};
use crate::types::Value;

/// Makes the games that the file lacks.
pub fn make(work: &impl GameSource, path: &Path) -> Result<(), CommandError> {
    let (mut file, resumed) = GameFile::open(path, &work.settings())?;
    report_resumption(path, file.numbers().len(), &resumed);
    let missing = work.missing(file.numbers());
    if missing == 0 {
        note!("{}: nothing to do, all games are present", path.display());
        return Ok(());
    }
    let cancel = cancel_on_request();
    let mut progress = GameProgress::new(missing);
    let summary = run(work, &mut file, &cancel, &mut |event| progress.on_event(&event));
    let elapsed = progress.finish();
    let summary = summary?;
    let own = summary.cost.nodes as f64 / summary.cost.elapsed.as_secs_f64().max(1e-6);
    note!(
        "{}: {} with {} in {}, {:.0} nodes/s (the searches alone: {own:.0} on each thread)",
        path.display(),
        counted(summary.games, "game"),
        counted(summary.positions, "position"),
        clock(elapsed),
        summary.cost.nodes as f64 / elapsed.as_secs_f64().max(1e-6),
    );
    if cancel.is_cancelled() {
        return Err(CommandError::Interrupted);
    }
    match work.missing(file.numbers()).saturating_sub(summary.skipped) {
        0 => Ok(()),
        // All of them were readable when the source was scanned.
        left => Err(CommandError::Lost(format!("{} could not be read again", counted(left, "game")))),
    }
}

/// Plays the games that the file lacks.
pub fn play(args: &Play, search: &Search, path: &Path, strictness: Strictness) -> Result<(), CommandError> {
    let plan = plan(args, search, strictness)?;
    make(&plan, path)
}

fn plan(args: &Play, search: &Search, strictness: Strictness) -> Result<Plan, CommandError> {
    let SearchSettings { nodes, hard_nodes, hash, rules, knowledge, network } =
        search.search_settings(RuleSet::default())?;
    let openings = match &args.openings {
        None => Openings::default(),
        Some(path) => Openings::read(open_openings(path)?, strictness, Rules::new(rules))
            .map_err(|fault| CommandError::Unusable { path: path.clone(), fault: fault.to_string() })?,
    };
    let usual_plies = if args.openings.is_some() { 0 } else { RANDOM_PLIES };
    let settings = Settings {
        program: bench::program_id(),
        seed: args.seed,
        shard: search.shard,
        nodes,
        hard_nodes,
        hash,
        random_plies: usize::from(args.random_plies.unwrap_or(usual_plies)),
        balance: Value::from(args.balance),
        openings: openings.name().map(str::to_owned),
        win_score: Some(Value::from(args.win_score)).filter(|&score| score > 0),
        win_plies: u32::from(args.win_plies),
        draw_score: args.draw_score.map(Value::from),
        draw_plies: u32::from(args.draw_plies),
        draw_from: usize::from(args.draw_from),
        most_plies: usize::from(args.most_plies),
        rules: rules.name().to_owned(),
        knowledge: knowledge_name(knowledge),
        evalfile: network,
    };
    Ok(Plan { settings, openings, games: args.games, threads: search.threads() })
}

/// Rescores the games of a file that are not in `out` yet.
pub fn relabel(path: &Path, search: &Search, out: &Path) -> Result<(), CommandError> {
    refuse_same(path, out)?;
    // A pipe cannot be read twice.
    if path.exists() && !path.is_file() {
        let error = io::Error::other("not a regular file");
        return Err(CommandError::File { path: path.to_owned(), error });
    }
    // Report unusable search settings before reading the games.
    let usual = search.search_settings(RuleSet::default())?;
    let mut faults = Faults { path, count: 0 };
    let source =
        RelabelSource::read(path, &mut |fault| faults.report(&fault)).map_err(|error| unreadable(path, error))?;
    let faulty = faults.count;
    faults.finish();
    let games = source.origin().games;
    if games == 0 {
        return Err(CommandError::NoGame { path: path.to_owned() });
    }
    if faulty > 0 {
        note!("{}: {} can be rescored", path.display(), counted(games, "game"));
    }
    let search_settings = SearchSettings { rules: search.rules.or(source.rules()).unwrap_or_default(), ..usual };
    make(&Relabelling::new(source, &search_settings, search.shard, search.threads()), out)
}
