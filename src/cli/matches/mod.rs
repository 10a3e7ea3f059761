//! The `match` command: what is wanted, and playing it.

mod keeper;
mod table;

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::args::rule_set;
use super::failure::Failure;
use super::interrupt;
use crate::notation::openings::{Opening, OpeningReader};
use crate::position::Strictness;
use crate::rules::{RuleSet, Rules};
use crate::tools::arbiter::{Adjudication, Agreement};
use crate::tools::tournament::journal::{GameLine, Settings, words_of};
use crate::tools::tournament::sprt::{Hypothesis, Sprt};
use crate::tools::tournament::{
    Conditions, EngineSpec, Fixture, Format, GameRecord, Match, News, Patience, Schedule, SpecError, StandingReport,
    Standings, Summary, TimeControl, name_engines, shuffled,
};
use crate::types::score::MATE;
use keeper::Keeper;

/// What stands below the options in the help.
pub const HELP: &str = "\
An engine is described by name=, cmd= (program and arguments), proto=ucci or uci, dir= (the folder it runs in),
option.NAME= as often as needed, and tc=, movetime=, nodes= or depth= if it is to have a limit of its own. Without
cmd= it is this very program.

Each opening is played twice with colours reversed. An engine that crashes, hangs, answers nonsense, breaks the
rules or oversteps its time loses the game; it is told in the record, counted in the table, and started again.
Two 'draw' replies in a row are a draw, 'resign' loses.

Elo is that of pairs of games, with half of its 95 % interval. A test ends the match as soon as it has shown
enough. Ctrl-C breaks off the games in play; with --resume they are played when the match is taken up again.

Examples:
  chuhe match --engine name=new --engine name=old,cmd=./chuhe-old --tc 1+0.01 --sprt elo0=0,elo1=10 --concurrency 2
  chuhe match --engine option.hashsize=64 --engine option.hashsize=16 --nodes 5000 --games 200
  chuhe match --engine name=A --engine name=eye,cmd=./ELEEYE,dir=eleeye --engine \"cmd=fairy,proto=uci\" \\
      --format gauntlet --openings starts.txt --resume cup.jsonl --pgn cup.pgn";

/// The starts that come with the program.
const STARTS: &str = include_str!("../../../books/openings.txt");

/// What `match` is asked for.
#[derive(Args, Debug)]
pub struct Contest {
    /// An engine that takes part; at least two.
    #[arg(long = "engine", value_name = "KEY=VALUE,...", required = true, value_parser = engine)]
    engines: Vec<EngineSpec>,
    #[command(flatten)]
    limit: Limit,
    /// How many games each two engines play; odd numbers are rounded up. 100, or with --sprt as many as it needs.
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// How many games are played at a time.
    #[arg(long, value_name = "GAMES", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// How more than two engines meet.
    #[arg(long, value_enum, default_value_t)]
    format: Meeting,
    /// Starts, one a line: moves, a FEN with moves or without, or EPD. Without a file, 2,500 starts that come with the
    /// program.
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// The order in which openings are taken.
    #[arg(long, value_enum, default_value_t)]
    order: Order,
    /// What the random order is drawn from.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// End when one of two strengths is shown, for two engines: elo0=0,elo1=10,alpha=0.05,beta=0.05,model=logistic (or
    /// normalized).
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = |text: &str| text.parse::<Sprt>())]
    sprt: Option<Sprt>,
    /// Keep a journal of the match in this file, and go on with it if it is there.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Add the games to this file.
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Print JSON: an object for each game and one for the table.
    #[arg(long)]
    json: bool,
    /// The rules that judge the games.
    #[arg(long, value_name = "RULES", default_value = RuleSet::default().name(),
        value_parser = PossibleValuesParser::new(RuleSet::NAMED.map(|(name, _)| name)).try_map(rule_set))]
    rules: RuleSet,
    /// The natural move limit in counted plies; by default that of the rules, 120, or 100 for league.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(1..=1000))]
    natural_limit: Option<u16>,
    /// End a game as won that both engines see so far ahead for so many plies in a row: score=1000,plies=8,from=0.
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = |text: &str| agreement(text, (1000, 8, 0)))]
    adjudicate_win: Option<Agreement>,
    /// End a game as drawn that both engines see so even for so many plies in a row: score=10,plies=20,from=120.
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = |text: &str| agreement(text, (10, 20, 120)))]
    adjudicate_draw: Option<Agreement>,
    /// End a game as drawn after so many plies.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    max_plies: Option<u32>,
    /// By how many milliseconds a clock may be overstepped.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 10)]
    margin: u32,
    /// How many seconds an engine may take to start, to get ready, and to answer where no clock runs.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    patience: u32,
    /// Start the engines anew for every game.
    #[arg(long)]
    restart: bool,
}

/// What bounds the moves.
#[derive(Args, Debug)]
#[group(multiple = false)]
struct Limit {
    /// Seconds for a game and for each move: 10+0.1, or 40/60+0.5 with the 60 again after every 40 moves.
    #[arg(long, value_name = "TIME", default_value = "10+0.1", value_parser = |text: &str| text.parse::<TimeControl>())]
    tc: TimeControl,
    /// So many milliseconds for each move.
    #[arg(long, value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    movetime: Option<u64>,
    /// So many nodes for each move.
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// So many plies of depth for each move.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(1..))]
    depth: Option<u16>,
}

/// How engines meet.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Meeting {
    /// Every engine plays every other.
    #[default]
    RoundRobin,
    /// The first engine plays every other.
    Gauntlet,
}

/// The order of openings.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Order {
    /// Shuffled.
    #[default]
    Random,
    /// As they stand in the file.
    Sequential,
}

fn engine(text: &str) -> Result<EngineSpec, SpecError> {
    EngineSpec::read(text)
}

/// Reads `score=1000,plies=8,from=0`; what is missing is as `usual`.
fn agreement(text: &str, usual: (i32, u32, usize)) -> Result<Agreement, String> {
    let mut agreement = Agreement { score: usual.0, plies: usual.1, from_ply: usual.2 };
    for part in text.split(',').filter(|part| !part.trim().is_empty()) {
        let (name, value) = part.split_once('=').ok_or_else(|| format!("'{part}' lacks '='"))?;
        let number = value.trim().parse::<u32>().map_err(|_| format!("'{value}' is no number"))?;
        match name.trim() {
            "score" if number <= MATE.unsigned_abs() => agreement.score = number as i32,
            "score" => return Err(format!("no score is beyond {MATE}")),
            "plies" if number > 0 => agreement.plies = number,
            "plies" => return Err("one ply is the least".to_owned()),
            "from" => agreement.from_ply = number as usize,
            other => return Err(format!("'{other}' is none of score, plies and from")),
        }
    }
    Ok(agreement)
}

impl Contest {
    fn control(&self) -> TimeControl {
        match &self.limit {
            Limit { movetime: Some(time), .. } => TimeControl::MoveTime(Duration::from_millis(*time)),
            Limit { nodes: Some(nodes), .. } => TimeControl::Nodes(*nodes),
            Limit { depth: Some(depth), .. } => TimeControl::Depth(usize::from(*depth)),
            limit => limit.tc,
        }
    }

    fn rules(&self) -> Rules {
        let usual = Rules::of(self.rules);
        Rules { move_limit: self.natural_limit.unwrap_or(usual.move_limit), ..usual }
    }

    fn adjudication(&self) -> Adjudication {
        Adjudication {
            win: self.adjudicate_win,
            draw: self.adjudicate_draw,
            most_plies: self.max_plies.map(|plies| plies as usize),
        }
    }

    /// The match that is asked for.
    fn plan(&self, strictness: Strictness) -> Result<Match, Failure> {
        let mut engines = self.engines.clone();
        name_engines(&mut engines);
        let count = engines.len();
        if count < 2 {
            return Err(Failure::Mismatch("a match needs two engines; add another --engine".to_owned()));
        }
        if self.sprt.is_some() && count > 2 {
            return Err(Failure::Mismatch("--sprt compares two engines, not more".to_owned()));
        }
        let openings = match &self.openings {
            Some(path) => read_openings(path, strictness)?,
            None => OpeningReader::new(STARTS.as_bytes(), Strictness::Strict).flatten().collect(),
        };
        let order = match self.order {
            Order::Sequential => (0..openings.len()).collect(),
            Order::Random => shuffled(openings.len(), self.seed),
        };
        let usual = if self.sprt.is_some() { u64::MAX } else { 100 };
        let pairs = self.games.unwrap_or(usual).div_ceil(2);
        let format = if self.format == Meeting::Gauntlet { Format::Gauntlet } else { Format::RoundRobin };
        let margin = Duration::from_millis(u64::from(self.margin));
        Ok(Match {
            control: self.control(),
            conditions: Conditions { rules: self.rules(), adjudication: self.adjudication(), margin },
            patience: Patience { silence: Duration::from_secs(u64::from(self.patience)), margin },
            schedule: Schedule::new(count, format, pairs, &order),
            openings,
            engines,
            concurrency: usize::from(self.concurrency),
            restarts: self.restart,
        })
    }

    /// What all games of the match have in common, and may not change when it is taken up again.
    fn settings(&self, plan: &Match) -> Settings {
        let mut settings = Settings::new();
        let mut set = |name: &str, value: String| {
            settings.insert(name.to_owned(), value);
        };
        for (index, spec) in plan.engines.iter().enumerate() {
            let control = spec.control.map_or_else(String::new, |control| format!(", {control}"));
            let options: Vec<String> = spec.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let command = shlex::try_join(spec.command.iter().map(String::as_str)).unwrap_or_default();
            let folder = spec.folder.as_deref().map_or_else(String::new, |folder| format!(", in {}", folder.display()));
            let words =
                format!("{} ({:?}, '{command}'{folder}, {}{control})", spec.name, spec.protocol, options.join(" "));
            set(&format!("engine {}", index + 1), words);
        }
        set("limit", plan.control.to_string());
        set("format", format!("{:?}", self.format));
        let rules = self.rules();
        set("rules", format!("{}, {} plies", rules.set.name(), rules.move_limit));
        set("adjudication", format!("{:?}", self.adjudication()));
        set(
            "order",
            if self.order == Order::Random { format!("random {}", self.seed) } else { "sequential".to_owned() },
        );
        let fingerprint = plan.openings.iter().map(words_of).collect::<Vec<_>>().join("\n");
        set("openings", format!("{} (checksum {:08x})", plan.openings.len(), crc32fast::hash(fingerprint.as_bytes())));
        settings
    }
}

/// The openings of a file. Those with a fault are told and left out.
fn read_openings(path: &Path, strictness: Strictness) -> Result<Vec<Opening>, Failure> {
    let file = File::open(path).map_err(|error| Failure::File { path: path.to_owned(), error })?;
    let mut openings = Vec::new();
    for opening in OpeningReader::new(BufReader::new(file), strictness) {
        match opening {
            Ok(opening) if opening.position().has_legal_move() => openings.push(opening),
            Ok(_) => eprintln!("chuhe: {}: an opening without a legal move is left out", path.display()),
            Err(error) if error.ends_the_file() => return Err(Failure::Game { path: path.to_owned(), error }),
            Err(error) => eprintln!("chuhe: {}: {error}; this opening is left out", path.display()),
        }
    }
    if openings.is_empty() {
        return Err(Failure::Unusable { path: path.to_owned(), fault: "there is no opening in it".to_owned() });
    }
    Ok(openings)
}

/// Plays the match that is asked for.
///
/// # Errors
/// What keeps it from being played, that a file could not be written in the end, or that it was interrupted.
pub fn play(wanted: &Contest, strictness: Strictness, out: &mut impl Write) -> Result<(), Failure> {
    let plan = wanted.plan(strictness)?;
    let names: Vec<String> = plan.engines.iter().map(|spec| spec.name.clone()).collect();
    let (keeper, past) = Keeper::open(wanted.resume.as_deref(), wanted.pgn.as_deref(), || wanted.settings(&plan))?;
    let mut standings = Standings::new(names);
    let done: HashSet<u64> = past.keys().copied().filter(|number| *number < plan.schedule.len()).collect();
    for (number, summary) in past.iter().filter(|(number, _)| done.contains(number)) {
        standings.add(&plan.schedule.fixture(*number), summary);
    }
    if !done.is_empty() {
        eprintln!("chuhe: {} games were played before", done.len());
    }
    let interrupt = interrupt::from_keyboard(&Arc::new(AtomicBool::new(true)));
    let mut board = Board { wanted, plan: &plan, standings, keeper, out, bar: progress_bar(), failure: None };
    if board.decision().is_none() {
        let can_play = plan.try_engines(|news| board.tell(news));
        if can_play.iter().filter(|can| **can).count() < 2 {
            return Err(Failure::Mismatch("there are no two engines that can play".to_owned()));
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

/// Where the match is followed: standings, files, and what is shown.
struct Board<'a, W> {
    wanted: &'a Contest,
    plan: &'a Match,
    standings: Standings,
    keeper: Keeper,
    out: &'a mut W,
    bar: ProgressBar,
    /// Why nothing can be shown any more.
    failure: Option<Failure>,
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
    fn decision(&self) -> Option<Hypothesis> {
        let test = self.wanted.sprt?;
        test.decision(test.log_likelihood_ratio(&self.standings.pairs()))
    }

    fn hear(&mut self, news: &News) -> ControlFlow<()> {
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
    fn tell(&self, news: &News) {
        let text = match news {
            News::Finished(..) => return,
            News::UnknownOption { engine, option } => format!("{engine} knows no option '{option}'"),
            News::Withdrawn { engine, fault } => format!("{engine} {fault}; its games are not played"),
        };
        self.bar.suspend(|| eprintln!("chuhe: {text}"));
    }

    /// Writes a game into the files and shows it.
    fn book(&mut self, fixture: &Fixture, record: &GameRecord) -> Result<(), Failure> {
        let names = fixture.engines.map(|engine| self.plan.engines[engine].name.as_str());
        let tags = self.tags(fixture, record);
        for trouble in self.keeper.add(record, names, tags) {
            self.bar.suspend(|| eprintln!("chuhe: {trouble}"));
        }
        let line = if self.wanted.json {
            serde_json::to_string(&GameLine::of(record, names, None))?
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
    fn close(self, was_interrupted: bool) -> Result<(), Failure> {
        self.bar.finish_and_clear();
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
        if was_interrupted { Err(Failure::Interrupted) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_starts_that_come_with_the_program_are_all_read() {
        let starts: Result<Vec<Opening>, _> = OpeningReader::new(STARTS.as_bytes(), Strictness::Strict).collect();
        assert_eq!(starts.unwrap().len(), STARTS.lines().filter(|line| !line.starts_with('#')).count());
    }

    #[test]
    fn agreements_are_read() {
        let usual = (1000, 8, 0);
        assert_eq!(agreement("", usual), Ok(Agreement { score: 1000, plies: 8, from_ply: 0 }));
        assert_eq!(agreement("from=60,score=5", usual), Ok(Agreement { score: 5, plies: 8, from_ply: 60 }));
        for fault in ["score", "score=x", "score=10001", "plies=0", "moves=3", "score=-5"] {
            assert!(agreement(fault, usual).is_err(), "{fault}");
        }
    }
}
