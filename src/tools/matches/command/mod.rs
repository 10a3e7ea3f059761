//! The `match` command: playing what is asked for.

mod args;
mod files;
mod games;
mod reporter;
mod table;

use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use indicatif::{ProgressBar, ProgressStyle};

use crate::console::error::CommandError;
use crate::console::interrupt;
use crate::position::Strictness;
use crate::tools::matches::Standings;
pub use args::{HELP, MatchArgs};
use files::Keeper;
use reporter::Board;

/// Plays the match that is asked for.
///
/// # Errors
/// What keeps it from being played, that a file could not be written in the end, or that it was interrupted.
pub fn play(wanted: &MatchArgs, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    let plan = wanted.plan(strictness)?;
    let names: Vec<String> = plan.engines.iter().map(|spec| spec.name.clone()).collect();
    let (keeper, past) = Keeper::open(wanted.resume.as_deref(), wanted.pgn.as_deref(), || wanted.settings(&plan))?;
    let mut standings = Standings::new(names);
    let done: HashSet<u64> = past.keys().copied().filter(|number| plan.schedule.has(*number)).collect();
    for (number, summary) in past.iter().filter(|(number, _)| done.contains(number)) {
        standings.add(&plan.schedule.fixture(*number), summary);
    }
    if !done.is_empty() {
        eprintln!("chuhe: {} games were played before", done.len());
    }
    let interrupt = interrupt::from_keyboard(&Arc::new(AtomicBool::new(true)));
    let mut board = Board { wanted, plan: &plan, standings, keeper, out, bar: progress_bar(), failure: None };
    if board.decision().is_none() {
        let can_play = plan.try_engines(&interrupt, |news| board.tell(news));
        if interrupt.is_requested() {
            return Err(CommandError::Interrupted);
        }
        if can_play.iter().filter(|can| **can).count() < 2 {
            return Err(CommandError::Mismatch("there are no two engines that can play".to_owned()));
        }
        plan.play(&can_play, &done, &interrupt, |news| board.hear(news));
    }
    board.close(interrupt.is_requested())
}

/// A bar that is nothing but lines of text, redrawn in place; hidden unless somebody watches.
fn progress_bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new_spinner().with_style(style)
}
