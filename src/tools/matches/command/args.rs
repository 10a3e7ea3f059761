//! What `match` is asked for, and the match that this means.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::console::args::rule_set;
use crate::console::error::CommandError;
use crate::console::starts::read_openings;
use crate::notation::openings::OpeningReader;
use crate::position::Strictness;
use crate::protocol::Protocol;
use crate::rules::{RuleSet, Rules};
use crate::tools::matches::arbiter::{Adjudication, Agreement};
use crate::tools::matches::journal::{Settings, words_of};
use crate::tools::matches::sprt::Sprt;
use crate::tools::matches::{
    Conditions, EngineSpec, Format, Match, Schedule, SpecError, TimeControl, Timeouts, name_engines, shuffled,
};
use crate::types::score::MATE;
use crate::util::shard::Shard;

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
  chuhe match --engine name=weak,option.skill=8 --engine name=bold,option.style=risky --nodes 5000
  chuhe match --engine name=A --engine name=eye,cmd=./ELEEYE,dir=eleeye --engine \"cmd=fairy,proto=uci\" \\
      --format gauntlet --openings starts.txt --resume cup.jsonl --pgn cup.pgn
  chuhe match --engine name=A --engine name=B,cmd=./b --games 1000 --shard 2/3 --resume second.jsonl";

/// The starts that come with the program.
const STARTS: &str = include_str!("../../../../books/openings.txt");

/// What `match` is asked for.
#[derive(Args, Debug)]
pub struct MatchArgs {
    /// An engine that takes part; at least two.
    #[arg(long = "engine", value_name = "KEY=VALUE,...", required = true, value_parser = engine)]
    engines: Vec<EngineSpec>,
    #[command(flatten)]
    limit: Limit,
    /// How many games each two engines play; odd numbers are rounded up. 100, or with --sprt as many as it needs.
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Play this part of the pairs of games, such as 2/3. The journals (--resume) of all parts one after another in a
    /// file are a journal of the whole match.
    #[arg(long, value_name = "I/N", default_value_t, conflicts_with = "sprt")]
    shard: Shard,
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
    pub(super) sprt: Option<Sprt>,
    /// Keep a journal of the match in this file, and go on with it if it is there: the games that it has are not played
    /// again, and those of them that the same --pgn lacks are written.
    #[arg(long, value_name = "FILE")]
    pub(super) resume: Option<PathBuf>,
    /// Add the games to this file.
    #[arg(long, value_name = "FILE")]
    pub(super) pgn: Option<PathBuf>,
    /// Print JSON: an object for each game and one for the table.
    #[arg(long)]
    pub(super) json: bool,
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

impl MatchArgs {
    fn control(&self) -> TimeControl {
        match &self.limit {
            Limit { movetime: Some(time), .. } => TimeControl::MoveTime(Duration::from_millis(*time)),
            Limit { nodes: Some(nodes), .. } => TimeControl::Nodes(*nodes),
            Limit { depth: Some(depth), .. } => TimeControl::Depth(usize::from(*depth)),
            limit => limit.tc,
        }
    }

    fn rules(&self) -> Rules {
        let usual = Rules::new(self.rules);
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
    pub(super) fn plan(&self, strictness: Strictness) -> Result<Match, CommandError> {
        let mut engines = self.engines.clone();
        name_engines(&mut engines);
        let count = engines.len();
        if count < 2 {
            return Err(CommandError::Mismatch("a match needs two engines; add another --engine".to_owned()));
        }
        if self.sprt.is_some() && count > 2 {
            return Err(CommandError::Mismatch("--sprt compares two engines, not more".to_owned()));
        }
        let openings = match &self.openings {
            Some(path) => read_openings(path, strictness, self.rules())?,
            None => OpeningReader::new(STARTS.as_bytes(), Strictness::Strict).flatten().collect(),
        };
        let order = match self.order {
            Order::Sequential => (0..openings.len()).collect(),
            Order::Random => shuffled(openings.len(), self.seed),
        };
        let usual = if self.sprt.is_some() { u64::MAX } else { 100 };
        let pairs = self.games.unwrap_or(usual).div_ceil(2);
        let format = if self.format == Meeting::Gauntlet { Format::Gauntlet } else { Format::RoundRobin };
        let repeats = matches!(self.control(), TimeControl::Nodes(_) | TimeControl::Depth(_));
        if repeats && self.games.is_some() && pairs > openings.len() as u64 {
            eprintln!(
                "chuhe: {pairs} pairs of games begin with {} openings: without clocks some are the same",
                openings.len()
            );
        }
        let margin = Duration::from_millis(u64::from(self.margin));
        Ok(Match {
            control: self.control(),
            conditions: Conditions { rules: self.rules(), adjudication: self.adjudication(), margin },
            patience: Timeouts { silence: Duration::from_secs(u64::from(self.patience)), margin },
            schedule: Schedule::new(count, format, pairs, &order).shared(self.shard),
            openings,
            engines,
            concurrency: usize::from(self.concurrency),
            restarts: self.restart,
        })
    }

    /// What all games of the match have in common, and may not change when it is taken up again.
    pub(super) fn settings(&self, plan: &Match) -> Settings {
        let mut settings = Settings::new();
        let mut set = |name: &str, value: String| {
            settings.insert(name.to_owned(), value);
        };
        for (index, spec) in plan.engines.iter().enumerate() {
            set(&format!("engine {}", index + 1), words_of_engine(spec));
        }
        // Without a command an engine is this program.
        if plan.engines.iter().any(|spec| spec.command.is_empty()) {
            set("program", crate::tools::datagen::Settings::this_program());
        }
        let words = |agreement: Option<Agreement>| {
            agreement.map_or_else(
                || "no".to_owned(),
                |Agreement { score, plies, from_ply }| format!("score={score},plies={plies},from={from_ply}"),
            )
        };
        let rules = self.rules();
        set("limit", plan.control.to_string());
        set("format", if self.format == Meeting::Gauntlet { "gauntlet" } else { "round-robin" }.to_owned());
        set("rules", format!("{}, natural limit {}", rules.set.name(), rules.move_limit));
        set("adjudication of wins", words(self.adjudicate_win));
        set("adjudication of draws", words(self.adjudicate_draw));
        set("most plies", self.max_plies.map_or_else(|| "any".to_owned(), |plies| plies.to_string()));
        set("margin", format!("{} ms", self.margin));
        set("patience", format!("{} s", self.patience));
        set("restart", if self.restart { "for every game" } else { "no" }.to_owned());
        set(
            "order",
            if self.order == Order::Random { format!("random {}", self.seed) } else { "sequential".to_owned() },
        );
        let fingerprint = plan.openings.iter().map(words_of).collect::<Vec<_>>().join("\n");
        set("openings", format!("{} (checksum {:08x})", plan.openings.len(), crc32fast::hash(fingerprint.as_bytes())));
        settings
    }
}

/// An engine as it was described.
fn words_of_engine(spec: &EngineSpec) -> String {
    let protocol = if spec.protocol == Protocol::Ucci { "ucci" } else { "uci" };
    let mut words = format!("name={},proto={protocol}", spec.name);
    if !spec.command.is_empty() {
        let command = shlex::try_join(spec.command.iter().map(String::as_str)).unwrap_or_default();
        words.push_str(&format!(",cmd={command}"));
    }
    if let Some(folder) = &spec.folder {
        words.push_str(&format!(",dir={}", folder.display()));
    }
    spec.options.iter().for_each(|(name, value)| words.push_str(&format!(",option.{name}={value}")));
    if let Some(control) = spec.control {
        words.push_str(&format!(",{control}"));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::openings::Opening;

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
