//! Arguments of `match`, and the match that they describe.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::commands::matches::arbiter::{Adjudication, Agreement};
use crate::commands::matches::journal::{Settings, opening_text};
use crate::commands::matches::sprt::Sprt;
use crate::commands::matches::{
    Conditions, EngineSpec, Format, Match, Schedule, TimeControl, Timeouts, built_in_openings, name_engines, shuffled,
};
use crate::console::args::{key_values, rule_set};
use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::input::read_openings;
use crate::console::note;
use crate::position::Strictness;
use crate::protocol::Protocol;
use crate::rules::{RuleSet, Rules};
use crate::types::score::MATE;
use crate::util::shard::Shard;

/// Text after the options in the help.
pub const HELP: &str = "\
Keys of an engine: name=, cmd= (program and arguments; by default this program), proto=ucci or uci, dir= (working
folder), option.NAME= any number of times, and tc=, movetime=, nodes= or depth= for a limit of this engine alone.

Each opening is played twice with colours reversed. An engine that crashes, hangs, sends something other than a
move, plays an illegal move or oversteps its time loses the game; the record names the fault, the table counts it,
and the engine is started again. Two 'draw' replies in a row are a draw, 'resign' loses.

Elo is computed from pairs of games, with half of its 95 % interval. --sprt ends the match as soon as a hypothesis
is accepted. Ctrl-C aborts the running games; with --resume they are played when the match is resumed.

Examples:
  chuhe match --engine name=new --engine name=old,cmd=./chuhe-old --tc 1+0.01 --sprt elo0=0,elo1=10 --concurrency 2
  chuhe match --engine option.hashsize=64 --engine option.hashsize=16 --nodes 5000 --games 200
  chuhe match --engine name=weak,option.skill=8 --engine name=bold,option.style=risky --nodes 5000
  chuhe match --engine name=A --engine name=eye,cmd=./ELEEYE,dir=eleeye --engine \"cmd=fairy,proto=uci\" \\
      --format gauntlet --openings openings.txt --resume cup.jsonl --pgn cup.pgn
  chuhe match --engine name=A --engine name=B,cmd=./b --games 1000 --shard 2/3 --resume second.jsonl";

/// Arguments of `match`.
#[derive(Args, Debug)]
pub struct MatchArgs {
    /// Engine of the match; at least two.
    #[arg(long = "engine", value_name = "KEY=VALUE,...", required = true, value_parser = EngineSpec::parse)]
    engines: Vec<EngineSpec>,
    #[command(flatten)]
    limit: Limit,
    /// Number of games of each pairing, rounded up to even. Default: 100; with --sprt no limit, or
    /// without clocks one pair for each opening.
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..))]
    pub games: Option<u64>,
    /// Play this shard of the game pairs, such as 2/3. The concatenated journals (--resume) of all shards are the
    /// journal of the whole match.
    #[arg(long, value_name = "I/N", default_value_t, conflicts_with = "sprt")]
    shard: Shard,
    /// Number of concurrent games.
    #[arg(long, value_name = "GAMES", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Pairings of more than two engines.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// File of openings, one per line: moves, a FEN with or without moves, or EPD. Default: 2,500 built-in openings.
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,
    /// Order of the openings.
    #[arg(long, value_enum, default_value_t)]
    order: Order,
    /// Seed of the random order.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Sequential test of two engines; ends the match when a hypothesis is accepted:
    /// elo0=0,elo1=10,alpha=0.05,beta=0.05,model=logistic (or normalized).
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = |text: &str| text.parse::<Sprt>())]
    pub(super) sprt: Option<Sprt>,
    /// Journal of the match. If the file exists, the match continues: its games are not played again, except those that
    /// an engine was not started for, and those that the same --pgn file lacks are written.
    #[arg(long, value_name = "FILE")]
    pub(super) resume: Option<PathBuf>,
    /// Append the games to this file, except those that an engine was not started for.
    #[arg(long, value_name = "FILE")]
    pub(super) pgn: Option<PathBuf>,
    /// Print JSON: an object for each game and one for the table.
    #[arg(long)]
    pub(super) json: bool,
    /// Rules of repetition that judge the games.
    #[arg(long, value_name = "RULES", default_value = RuleSet::default().name(),
        value_parser = PossibleValuesParser::new(RuleSet::NAMED.map(|(name, _)| name)).try_map(rule_set))]
    rules: RuleSet,
    /// Natural move limit in counted plies. Default: that of the rules, 120, or 100 for league.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(1..=1000))]
    natural_limit: Option<u16>,
    /// Adjudicate a win when both engines report this score for one side during this many plies:
    /// score=400,plies=8,from=0.
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = |text: &str| agreement(text, Agreement::WIN))]
    adjudicate_win: Option<Agreement>,
    /// Adjudicate a draw when both engines report scores within this bound during this many plies:
    /// score=4,plies=20,from=120.
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = |text: &str| agreement(text, Agreement::DRAW))]
    adjudicate_draw: Option<Agreement>,
    /// Adjudicate a draw after this many plies.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    max_plies: Option<u32>,
    /// Time by which a clock may be overstepped, in milliseconds.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 10)]
    margin: u32,
    /// Seconds that an engine may take to start, to get ready, and to answer where no clock runs.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    patience: u32,
    /// Restart the engines for every game.
    #[arg(long)]
    restart: bool,
}

/// Limit of the moves.
#[derive(Args, Debug)]
#[group(multiple = false)]
struct Limit {
    /// Seconds for a game and for each move: 10+0.1, or 40/60+0.5 to add the 60 again after every 40 moves.
    #[arg(long, value_name = "TIME", default_value = "10+0.1", value_parser = |text: &str| text.parse::<TimeControl>())]
    tc: TimeControl,
    /// Milliseconds for each move.
    #[arg(long, value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    movetime: Option<u64>,
    /// Nodes for each move.
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Depth of each search in plies.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(1..))]
    depth: Option<u16>,
}

/// Order of openings.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Order {
    /// Shuffled.
    #[default]
    Random,
    /// In the order of the file.
    Sequential,
}

/// Parses `score=1000,plies=8,from=0`; a key that is missing keeps its value in `agreement`.
fn agreement(text: &str, mut agreement: Agreement) -> Result<Agreement, String> {
    for (key, value) in key_values(text, &["score", "plies", "from"])? {
        let number = value.parse::<u32>().map_err(|_| format!("'{value}' is not a number"))?;
        match key {
            "score" if number <= MATE.unsigned_abs() => agreement.score = number as i32,
            "score" => return Err(format!("the largest score is {MATE}")),
            "plies" if number > 0 => agreement.plies = number,
            "plies" => return Err("plies must be at least 1".to_owned()),
            _ => agreement.from_ply = number as usize,
        }
    }
    Ok(agreement)
}

/// Games of each pairing without --games and --sprt.
const DEFAULT_GAMES: u64 = 100;

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
        let rules = Rules::new(self.rules);
        Rules { move_limit: self.natural_limit.unwrap_or(rules.move_limit), ..rules }
    }

    fn adjudication(&self) -> Adjudication {
        Adjudication {
            win: self.adjudicate_win,
            draw: self.adjudicate_draw,
            max_plies: self.max_plies.map(|plies| plies as usize),
        }
    }

    /// Creates the match.
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
            None => built_in_openings(),
        };
        let order = match self.order {
            Order::Sequential => (0..openings.len()).collect(),
            Order::Random => shuffled(openings.len(), self.seed),
        };
        // Without clocks most engines play the same game from the same opening.
        let is_exact = |control| matches!(control, TimeControl::Nodes(_) | TimeControl::Depth(_));
        let repeats = engines.iter().all(|engine| is_exact(engine.control.unwrap_or(self.control())));
        let distinct = openings.len() as u64;
        let pairs = match self.games {
            Some(games) => games.div_ceil(2),
            // Repeated games are no further evidence.
            None if self.sprt.is_some() && repeats => distinct,
            None if self.sprt.is_some() => u64::MAX,
            None => DEFAULT_GAMES / 2,
        };
        if repeats && pairs > distinct {
            let (pairs, openings) = (counted(pairs, "pair"), counted(distinct, "opening"));
            note!("{pairs} of games use {openings}: without clocks some games are the same");
        }
        let margin = Duration::from_millis(u64::from(self.margin));
        Ok(Match {
            control: self.control(),
            conditions: Conditions { rules: self.rules(), adjudication: self.adjudication(), margin },
            timeouts: Timeouts { response: Duration::from_secs(u64::from(self.patience)), margin },
            schedule: Schedule::new(count, self.format, pairs, &order).shared(self.shard),
            openings,
            engines,
            concurrency: usize::from(self.concurrency),
            restarts: self.restart,
        })
    }

    /// Returns the settings that must not change when the match is resumed.
    pub(super) fn settings(&self, plan: &Match) -> Settings {
        let mut settings = Settings::new();
        let mut set = |name: &str, value: String| {
            settings.insert(name.to_owned(), value);
        };
        for (index, spec) in plan.engines.iter().enumerate() {
            set(&format!("engine {}", index + 1), engine_text(spec));
        }
        // An engine without a command is this program.
        if plan.engines.iter().any(|spec| spec.command.is_empty()) {
            set("program", crate::engine::bench::program_id());
        }
        let text = |agreement: Option<Agreement>| {
            agreement.map_or_else(
                || "no".to_owned(),
                |Agreement { score, plies, from_ply }| format!("score={score},plies={plies},from={from_ply}"),
            )
        };
        let rules = self.rules();
        set("limit", plan.control.to_string());
        set("format", if self.format == Format::Gauntlet { "gauntlet" } else { "round-robin" }.to_owned());
        set("rules", format!("{}, natural limit {}", rules.set.name(), rules.move_limit));
        set("adjudication of wins", text(self.adjudicate_win));
        set("adjudication of draws", text(self.adjudicate_draw));
        set("most plies", self.max_plies.map_or_else(|| "any".to_owned(), |plies| plies.to_string()));
        set("margin", format!("{} ms", self.margin));
        set("patience", format!("{} s", self.patience));
        set("restart", if self.restart { "for every game" } else { "no" }.to_owned());
        set(
            "order",
            if self.order == Order::Random { format!("random {}", self.seed) } else { "sequential".to_owned() },
        );
        let all = plan.openings.iter().map(opening_text).collect::<Vec<_>>().join("\n");
        set("openings", format!("{} (checksum {:08x})", plan.openings.len(), crc32fast::hash(all.as_bytes())));
        settings
    }
}

/// Returns the specification of an engine as text.
fn engine_text(spec: &EngineSpec) -> String {
    let protocol = if spec.protocol == Protocol::Ucci { "ucci" } else { "uci" };
    let mut text = format!("name={},proto={protocol}", spec.name);
    if !spec.command.is_empty() {
        let command = shlex::try_join(spec.command.iter().map(String::as_str)).unwrap_or_default();
        text.push_str(&format!(",cmd={command}"));
    }
    if let Some(folder) = &spec.folder {
        text.push_str(&format!(",dir={}", folder.display()));
    }
    spec.options.iter().for_each(|(name, value)| text.push_str(&format!(",option.{name}={value}")));
    if let Some(control) = spec.control {
        text.push_str(&format!(",{control}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreements_are_parsed() {
        let defaults = Agreement { score: 400, plies: 8, from_ply: 0 };
        assert_eq!(agreement("", defaults), Ok(defaults));
        assert_eq!(agreement("from=60,score=5", defaults), Ok(Agreement { score: 5, plies: 8, from_ply: 60 }));
        for fault in ["score", "score=x", "score=10001", "plies=0", "moves=3", "score=-5", "score=5,score=6"] {
            assert!(agreement(fault, defaults).is_err(), "{fault}");
        }
    }
}
