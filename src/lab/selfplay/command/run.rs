//! Runs `selfplay-train`: limits the time, shows the progress, and reports where the strongest network lies.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::SelfplayTrain;
use super::progress::{RoundsProgress, elo};
use crate::console::args::thread_count;
use crate::console::error::CommandError;
use crate::console::input::network_in;
use crate::console::note;
use crate::console::progress::cancel_on_request;
use crate::lab::datagen::MergeError;
use crate::lab::selfplay::{Folder, Round, RoundsError, RoundsEvent, RunLimits, Start, run};
use crate::util::cancel::CancelFlag;
use crate::util::folder_lock::LockError;

/// Makes rounds in the folder.
pub fn selfplay_train(args: &SelfplayTrain, out: &mut impl Write) -> Result<(), CommandError> {
    let start = match &args.start {
        Some(path) => Some(Start::Network(network_in(path)?)),
        None => args.from_nothing.then_some(Start::Nothing),
    };
    let mut folder = Folder::open(&args.out, start, |settings| args.given.over(settings))?;
    let cancel = cancel_on_request();
    let is_time_over = args.hours.map(|hours| cancel_after(hours, &cancel)).unwrap_or_default();
    let limits = RunLimits { rounds: args.rounds, threads: thread_count(args.threads) };
    let mut progress = RoundsProgress::default();
    let mut printed = Ok(());
    let has_ended = run(&mut folder, limits, &cancel, &mut |event| {
        progress.on_event(&event);
        if let RoundsEvent::Round(number, round) = event
            && printed.is_ok()
        {
            printed = writeln!(out, "{}", line_of(number, round)).and_then(|()| out.flush());
        }
    });
    progress.finish();
    let has_ended = has_ended?;
    printed?;
    report(&folder, out)?;
    if has_ended {
        return Ok(());
    }
    if !is_time_over.load(Relaxed) {
        return Err(CommandError::Interrupted);
    }
    note!("the time is over; the same command continues");
    Ok(())
}

/// Sets the flag after this time. The returned flag then shows that it was not set by Ctrl-C.
fn cancel_after(hours: f64, cancel: &CancelFlag) -> Arc<AtomicBool> {
    let is_over = Arc::new(AtomicBool::new(false));
    let (cancel, flag) = (cancel.clone(), Arc::clone(&is_over));
    let time = Duration::try_from_secs_f64(hours * 3600.0).unwrap_or(Duration::MAX);
    // The thread ends with the program.
    std::thread::spawn(move || {
        std::thread::sleep(time);
        if !cancel.is_cancelled() {
            flag.store(true, Relaxed);
            cancel.cancel();
        }
    });
    is_over
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
        elo(result),
        if *accepted { "accepted" } else { "not accepted" }
    )
}

/// Reports where the strongest network lies and how to use it.
fn report(folder: &Folder, out: &mut impl Write) -> Result<(), CommandError> {
    let Some(best) = folder.best()? else {
        writeln!(out, "no network is stronger than the hand-made evaluation yet; {}", folder.log_path().display())?;
        return Ok(());
    };
    let origin = best.round.map_or("the first one".to_owned(), |round| format!("of round {round}"));
    let path = folder.best_path();
    writeln!(out, "strongest network: {} ({origin}); all rounds: {}", path.display(), folder.log_path().display())?;
    writeln!(out, "  play:    setoption evalfile {}", path.display())?;
    writeln!(out, "  measure: chuhe match --engine {} --engine name=old --nodes 4000 --games 400", engine(&path))?;
    Ok(())
}

/// Returns the engine of a network as an argument for a shell.
fn engine(network: &Path) -> String {
    let path = network.to_string_lossy();
    let text = format!("name=new,option.evalfile={path}");
    match shlex::try_quote(&path) {
        // Quotation marks that are not needed only disturb.
        Ok(quoted) if quoted == path => text,
        _ => shlex::try_quote(&text).map_or_else(|_| text.clone(), |quoted| quoted.into_owned()),
    }
}

impl From<RoundsError> for CommandError {
    fn from(error: RoundsError) -> CommandError {
        match error {
            RoundsError::File { path, error } | RoundsError::Lock(LockError::File { path, error }) => {
                CommandError::File { path, error }
            }
            RoundsError::Unusable { path, fault } => CommandError::Unusable { path, fault: fault.to_string() },
            RoundsError::Order(MergeError::Part { path, fault }) => {
                CommandError::Unusable { path, fault: fault.to_string() }
            }
            RoundsError::Games(error) => error.into(),
            RoundsError::Train(error) => error.into(),
            RoundsError::Journal(error) => error.into(),
            error => CommandError::Mismatch(error.to_string()),
        }
    }
}
