//! The `match` command: plays the games, reports them and writes the files.

mod args;
mod files;
mod table;

use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::commands::matches::journal::GameLine;
use crate::commands::matches::sprt::Hypothesis;
use crate::commands::matches::{
    EngineSpec, GameRecord, Match, MatchEvent, ScheduledGame, StandingReport, Standings, Summary,
};
use crate::console::error::CommandError;
use crate::console::note;
use crate::console::output::refuse_replacing;
use crate::console::output::write_json;
use crate::console::progress::cancel_on_request;
use crate::position::Strictness;
pub use args::{HELP, MatchArgs};
use files::MatchFiles;

/// Plays a match.
///
/// # Errors
/// When the match cannot be played, a file could not be written, or the match was interrupted.
pub fn play(args: &MatchArgs, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    let outputs = [("--pgn", &args.pgn), ("--resume", &args.resume)];
    for (option, output) in outputs.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?))) {
        refuse_replacing(option, output, args.openings.as_deref())?;
    }
    let plan = args.plan(strictness)?;
    let names: Vec<String> = plan.engines.iter().map(|spec| spec.name.clone()).collect();
    let (files, earlier) = MatchFiles::open(args.resume.as_deref(), args.pgn.as_deref(), || args.settings(&plan))?;
    let mut standings = Standings::new(names);
    let done: HashSet<u64> = earlier.keys().copied().filter(|number| plan.schedule.has(*number)).collect();
    for (number, summary) in earlier.iter().filter(|(number, _)| done.contains(number)) {
        standings.add(&plan.schedule.game(*number), summary);
    }
    if !done.is_empty() {
        let were = if done.len() == 1 { "game was" } else { "games were" };
        note!("{} {were} played before", done.len());
    }
    let interrupt = cancel_on_request();
    let mut reporter = MatchReporter { args, plan: &plan, standings, files, out, bar: progress_bar(), failure: None };
    if reporter.decision().is_none() {
        let can_play = plan.try_engines(&interrupt, |event| reporter.print_notice(event));
        if interrupt.is_cancelled() {
            return Err(CommandError::Interrupted);
        }
        if can_play.iter().filter(|can| **can).count() < 2 {
            return Err(CommandError::Mismatch("fewer than two engines can play".to_owned()));
        }
        plan.play(&can_play, &done, &interrupt, |event| reporter.on_event(event));
    }
    reporter.finish(interrupt.is_cancelled())
}

/// Creates a status display of text lines, redrawn in place; hidden unless standard error is a terminal.
fn progress_bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new_spinner().with_style(style)
}

/// Reports the events of a match: standings, files and output.
struct MatchReporter<'a, W> {
    args: &'a MatchArgs,
    plan: &'a Match,
    standings: Standings,
    files: MatchFiles,
    out: &'a mut W,
    bar: ProgressBar,
    /// Error of the output, which ends the match.
    failure: Option<CommandError>,
}

/// Final table as JSON.
#[derive(Serialize)]
struct FinalReport<'a> {
    standings: Vec<StandingReport<'a>>,
    draw_rate: Option<f64>,
    sprt: Option<SprtReport>,
}

#[derive(Serialize)]
struct SprtReport {
    elo0: f64,
    elo1: f64,
    llr: f64,
    lower: f64,
    upper: f64,
    accepted: Option<String>,
}

impl<W: Write> MatchReporter<'_, W> {
    fn decision(&self) -> Option<Hypothesis> {
        let test = self.args.sprt?;
        test.decision(test.log_likelihood_ratio(&self.standings.pairs()))
    }

    fn on_event(&mut self, event: &MatchEvent) -> ControlFlow<()> {
        let MatchEvent::Finished(scheduled, record) = event else {
            self.print_notice(event);
            return ControlFlow::Continue(());
        };
        self.standings.add(scheduled, &Summary::from_record(record));
        if let Err(failure) = self.record(scheduled, record) {
            self.failure = Some(failure);
            return ControlFlow::Break(());
        }
        self.bar.set_message(table::text(&self.standings, self.args.sprt.as_ref()).trim_end().to_owned());
        if self.decision().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Prints an event that is not a game.
    fn print_notice(&self, event: &MatchEvent) {
        let text = match event {
            MatchEvent::Finished(..) => return,
            MatchEvent::UnknownOption { engine, option } => format!("{engine} has no option '{option}'"),
            MatchEvent::RefusedOption { engine, option, declared } => {
                format!("{engine} may ignore '{option}': it declares '{declared}'")
            }
            MatchEvent::Message { engine, text } => format!("{engine} says: {text}"),
            MatchEvent::Withdrawn { engine, fault } => format!("{engine} {fault}; its games are not played"),
        };
        self.bar.suspend(|| note!("{text}"));
    }

    /// Writes a game to the files and prints it.
    fn record(&mut self, scheduled: &ScheduledGame, record: &GameRecord) -> Result<(), CommandError> {
        let names = scheduled.engines.map(|engine| self.plan.engines[engine].name.as_str());
        let tags = self.tags(scheduled, record);
        for message in self.files.add(record, names, tags) {
            self.bar.suspend(|| note!("{message}"));
        }
        let line = if self.args.json {
            let mut line = Vec::new();
            write_json(&mut line, "game", &GameLine::new(record, names))?;
            String::from_utf8_lossy(line.trim_ascii_end()).into_owned()
        } else {
            let all = self.plan.schedule.len();
            let number = if all < u64::MAX / 2 {
                format!("{}/{all}", record.number + 1)
            } else {
                (record.number + 1).to_string()
            };
            let status = table::line(&self.standings, self.args.sprt.as_ref());
            format!("{number} {} – {} {}: {}{status}", names[0], names[1], record.result, record.reason)
        };
        let out = &mut self.out;
        self.bar.suspend(|| writeln!(out, "{line}").and_then(|()| out.flush()))?;
        Ok(())
    }

    fn tags(&self, scheduled: &ScheduledGame, record: &GameRecord) -> Vec<(String, String)> {
        let [red, black] = scheduled.engines.map(|engine| &self.plan.engines[engine]);
        let control = |spec: &EngineSpec| spec.control.unwrap_or(self.plan.control).to_string();
        let controls = [control(red), control(black)];
        let control = if controls[0] == controls[1] { controls[0].clone() } else { controls.join(" against ") };
        let tags = [
            ("Event", "Match of engines".to_owned()),
            ("Date", jiff::Zoned::now().strftime("%Y.%m.%d").to_string()),
            ("Round", (record.number + 1).to_string()),
            ("Red", red.name.clone()),
            ("Black", black.name.clone()),
            ("TimeControl", control),
            ("Termination", record.reason.clone()),
        ];
        let opening = record.to_game(Vec::new()).opening().map(|name| ("Opening", name));
        tags.into_iter().chain(opening).map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Prints the final table and closes the files.
    fn finish(self, was_interrupted: bool) -> Result<(), CommandError> {
        self.bar.finish_and_clear();
        let decision = self.decision();
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if self.args.json {
            let report = FinalReport {
                standings: self
                    .standings
                    .engines()
                    .map(|(name, standing)| StandingReport::new(name, standing))
                    .collect(),
                draw_rate: self.standings.draw_rate(),
                sprt: self.args.sprt.as_ref().map(|test| {
                    let llr = test.log_likelihood_ratio(&self.standings.pairs());
                    let (lower, upper) = test.bounds();
                    let accepted = test.decision(llr).map(|hypothesis| hypothesis.to_string());
                    SprtReport { elo0: test.elo0, elo1: test.elo1, llr, lower, upper, accepted }
                }),
            };
            write_json(self.out, "table", &report)?;
        } else {
            write!(self.out, "\n{}", table::text(&self.standings, self.args.sprt.as_ref()))?;
        }
        self.out.flush()?;
        let is_complete = self.standings.games() == self.plan.schedule.len();
        if self.args.sprt.is_some() && self.args.games.is_none() && decision.is_none() && is_complete {
            note!(
                "without clocks one pair of games is played from each opening, and all were; --games plays repeated games too"
            );
        }
        self.files.finish()?;
        if was_interrupted {
            return Err(CommandError::Interrupted);
        }
        let unplayed = self.plan.schedule.own_games().saturating_sub(self.standings.games());
        match decision {
            None if unplayed > 0 && self.args.sprt.is_none() => Err(CommandError::Unplayed(unplayed)),
            None if unplayed > 0 => Err(CommandError::Undecided),
            _ => Ok(()),
        }
    }
}
