//! Where a match is followed: standings, files, and what is shown.

use std::io::Write;
use std::ops::ControlFlow;

use indicatif::ProgressBar;
use serde::Serialize;

use super::args::MatchArgs;
use super::files::Keeper;
use super::table;
use crate::console::error::CommandError;
use crate::tools::matches::journal::GameLine;
use crate::tools::matches::sprt::Hypothesis;
use crate::tools::matches::{EngineSpec, Fixture, GameRecord, Match, News, StandingReport, Standings, Summary};

/// Follows a match.
pub(super) struct Board<'a, W> {
    pub wanted: &'a MatchArgs,
    pub plan: &'a Match,
    pub standings: Standings,
    pub keeper: Keeper,
    pub out: &'a mut W,
    pub bar: ProgressBar,
    /// Why nothing can be shown any more.
    pub failure: Option<CommandError>,
}

/// The table of a match, for JSON.
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

impl<W: Write> Board<'_, W> {
    pub fn decision(&self) -> Option<Hypothesis> {
        let test = self.wanted.sprt?;
        test.decision(test.log_likelihood_ratio(&self.standings.pairs()))
    }

    pub fn hear(&mut self, news: &News) -> ControlFlow<()> {
        let News::Finished(fixture, record) = news else {
            self.tell(news);
            return ControlFlow::Continue(());
        };
        self.standings.add(fixture, &Summary::of(record));
        if let Err(failure) = self.book(fixture, record) {
            self.failure = Some(failure);
            return ControlFlow::Break(());
        }
        self.bar.set_message(table::text(&self.standings, self.wanted.sprt.as_ref()).trim_end().to_owned());
        if self.decision().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Tells what is no game.
    pub fn tell(&self, news: &News) {
        let text = match news {
            News::Finished(..) => return,
            News::UnknownOption { engine, option } => format!("{engine} knows no option '{option}'"),
            News::Withdrawn { engine, fault } => format!("{engine} {fault}; its games are not played"),
        };
        self.bar.suspend(|| eprintln!("chuhe: {text}"));
    }

    /// Writes a game into the files and shows it.
    fn book(&mut self, fixture: &Fixture, record: &GameRecord) -> Result<(), CommandError> {
        let names = fixture.engines.map(|engine| self.plan.engines[engine].name.as_str());
        let tags = self.tags(fixture, record);
        for trouble in self.keeper.add(record, names, tags) {
            self.bar.suspend(|| eprintln!("chuhe: {trouble}"));
        }
        let line = if self.wanted.json {
            serde_json::to_string(&GameLine::of(record, names))?
        } else {
            let all = self.plan.schedule.len();
            let number = if all < u64::MAX / 2 {
                format!("{}/{all}", record.number + 1)
            } else {
                (record.number + 1).to_string()
            };
            let status = table::line(&self.standings, self.wanted.sprt.as_ref());
            format!("{number} {} – {} {}: {}{status}", names[0], names[1], record.result, record.reason)
        };
        let out = &mut self.out;
        self.bar.suspend(|| writeln!(out, "{line}").and_then(|()| out.flush()))?;
        Ok(())
    }

    fn tags(&self, fixture: &Fixture, record: &GameRecord) -> Vec<(String, String)> {
        let [red, black] = fixture.engines.map(|engine| &self.plan.engines[engine]);
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
        tags.map(|(name, value)| (name.to_owned(), value)).into()
    }

    /// The last words.
    pub fn close(self, was_interrupted: bool) -> Result<(), CommandError> {
        self.bar.finish_and_clear();
        let decision = self.decision();
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if self.wanted.json {
            let report = FinalReport {
                standings: self
                    .standings
                    .engines()
                    .map(|(name, standing)| StandingReport::of(name, standing))
                    .collect(),
                draw_rate: self.standings.draw_rate(),
                sprt: self.wanted.sprt.as_ref().map(|test| {
                    let llr = test.log_likelihood_ratio(&self.standings.pairs());
                    let (lower, upper) = test.bounds();
                    let accepted = test.decision(llr).map(|hypothesis| hypothesis.to_string());
                    SprtReport { elo0: test.elo0, elo1: test.elo1, llr, lower, upper, accepted }
                }),
            };
            writeln!(self.out, "{}", serde_json::to_string(&report)?)?;
        } else {
            write!(self.out, "\n{}", table::text(&self.standings, self.wanted.sprt.as_ref()))?;
        }
        self.out.flush()?;
        self.keeper.close()?;
        if was_interrupted {
            return Err(CommandError::Interrupted);
        }
        let unplayed = self.plan.schedule.own_games().saturating_sub(self.standings.games());
        match decision {
            None if unplayed > 0 && self.wanted.sprt.is_none() => Err(CommandError::Unplayed(unplayed)),
            None if unplayed > 0 => Err(CommandError::Undecided),
            _ => Ok(()),
        }
    }
}
