//! Playing games into a file.

use std::fs::File;
use std::io::BufReader;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Faults, HARD_FACTOR, Play, RANDOM_PLIES};
use crate::cli::failure::Failure;
use crate::cli::interrupt;
use crate::cli::news::{News, clock, counted};
use crate::position::Strictness;
use crate::rules::Rules;
use crate::tools::datagen::{
    Done, Effort, FileError, FileFault, GameFile, Plan, Resumed, RunError, Settings, Starts, run,
};
use crate::types::Value;

/// Plays the games that the file lacks.
pub fn play(wanted: &Play, path: &Path, strictness: Strictness) -> Result<(), Failure> {
    let plan = plan(wanted, strictness)?;
    let (mut file, resumed) = GameFile::open(path, &plan.settings).map_err(file_failure)?;
    tell_of_resumption(path, &file, resumed);
    let missing = plan.missing(&file);
    if missing == 0 {
        eprintln!("chuhe: {}: nothing to do, all games are there", path.display());
        return Ok(());
    }
    let interrupt = interrupt::from_keyboard(&Arc::new(AtomicBool::new(true)));
    let (mut news, mut done, mut positions, mut nodes, mut told) = (News::of(missing), 0, 0, 0, false);
    let summary = run(&plan, &mut file, &interrupt, &mut |game| {
        match game {
            Done::Played(record, Effort { nodes: spent, .. }) => {
                positions += record.moves.len() as u64;
                nodes += spent;
            }
            Done::Unplayed(number) => {
                news.note(&format!("game {number} has no even start and is left out; --balance may be raised"));
            }
        }
        done += 1;
        if interrupt.is_requested() && !told {
            told = true;
            news.note("the games in progress are finished; Ctrl-C again ends at once");
        }
        let seconds = news.elapsed().as_secs_f64();
        let left = news.time_left(done);
        news.tell(done, || {
            let rate = |count: u64| (count as f64 / seconds.max(1e-3)).round();
            format!("{} positions/s, {} nodes/s, {} left", rate(positions), rate(nodes), clock(left))
        });
    });
    let elapsed = news.elapsed();
    news.finish();
    let summary = summary.map_err(|error| match error {
        RunError::File(error) => file_failure(error),
        RunError::Engine(error) => error.into(),
        error => Failure::Mismatch(error.to_string()),
    })?;
    let own = summary.effort.nodes as f64 / summary.effort.elapsed.as_secs_f64().max(1e-6);
    eprintln!(
        "chuhe: {}: {} with {} in {}, {:.0} nodes/s (the searches alone: {own:.0} on each thread)",
        path.display(),
        counted(summary.games, "game"),
        counted(summary.positions, "position"),
        clock(elapsed),
        summary.effort.nodes as f64 / elapsed.as_secs_f64().max(1e-6),
    );
    if interrupt.is_requested() {
        return Err(Failure::Interrupted);
    }
    Ok(())
}

fn plan(wanted: &Play, strictness: Strictness) -> Result<Plan, Failure> {
    let starts = match &wanted.openings {
        None => Starts::default(),
        Some(path) => {
            let file = File::open(path).map_err(|error| Failure::File { path: path.clone(), error })?;
            Starts::read(BufReader::new(file), strictness, Rules::of(wanted.rules))
                .map_err(|fault| Failure::Unusable { path: path.clone(), fault: fault.to_string() })?
        }
    };
    let usual_plies = if wanted.openings.is_some() { 0 } else { RANDOM_PLIES };
    let hard_nodes = wanted.hard_nodes.unwrap_or(wanted.nodes.saturating_mul(HARD_FACTOR));
    if hard_nodes < wanted.nodes {
        let nodes = wanted.nodes;
        return Err(Failure::Mismatch(format!("--hard-nodes {hard_nodes} is less than --nodes {nodes}")));
    }
    let settings = Settings {
        program: Settings::this_program(),
        seed: wanted.seed,
        shard: wanted.shard,
        nodes: wanted.nodes,
        hard_nodes,
        hash: usize::try_from(wanted.hash).unwrap_or(usize::MAX),
        random_plies: usize::from(wanted.random_plies.unwrap_or(usual_plies)),
        balance: Value::from(wanted.balance),
        openings: starts.name().map(str::to_owned),
        win_score: Some(Value::from(wanted.win_score)).filter(|&score| score > 0),
        win_plies: u32::from(wanted.win_plies),
        draw_score: wanted.draw_score.map(Value::from),
        draw_plies: u32::from(wanted.draw_plies),
        draw_from: usize::from(wanted.draw_from),
        most_plies: usize::from(wanted.most_plies),
        rules: wanted.rules.name().to_owned(),
    };
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let threads = NonZeroUsize::new(usize::from(wanted.threads)).unwrap_or_else(cores);
    Ok(Plan { settings, starts, games: wanted.games, threads })
}

fn tell_of_resumption(path: &Path, file: &GameFile, resumed: Resumed) {
    let mut faults = Faults { path, count: 0 };
    resumed.faults.iter().for_each(|fault| faults.tell(&format!("{fault}; its game is played anew")));
    faults.close();
    if resumed.bytes_cut > 0 {
        let bytes = counted(resumed.bytes_cut, "byte");
        eprintln!("chuhe: {}: {bytes} of a game that was not written whole cut off at the end", path.display());
    }
    if !resumed.is_new {
        eprintln!("chuhe: {}: goes on after {}", path.display(), counted(file.numbers().len() as u64, "game"));
    }
}

fn file_failure(FileError { path, fault }: FileError) -> Failure {
    match fault {
        FileFault::System(error) => Failure::File { path, error },
        fault => Failure::Unusable { path, fault: fault.to_string() },
    }
}
