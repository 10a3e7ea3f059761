//! The `match` command: its arguments, the match that they describe, and its output.

use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::arbiter::{Adjudication, Agreement};
use super::game::opening_text;
use super::journal::MatchFiles;
use super::statistics::{Estimate, Sprt, Standing, Standings};
use super::{
    Conditions, EngineSpec, FaultKind, Format, GameRecord, Match, MatchEvent, Schedule, ScheduledGame, TimeControl,
    built_in_openings, name_engines, shuffled,
};
use crate::console::{
    CommandError, JsonArg, Result, RulesArg, aligned, cancel_on_request, counted, data, in_language_of_user,
    key_values, note, read_openings, refuse_replacing, write_json,
};
use crate::notation::openings::Opening;
use crate::position::Strictness;
use crate::rules::Rules;
use crate::types::score::MATE;
use crate::util::record_file::Settings;
use crate::util::shard::Shard;

pub const HELP: &str = "\
Keys of an engine: name=, cmd= (program and arguments; by default this program), proto=ucci or uci, dir= (working
folder), option.NAME= any number of times, and tc=, movetime=, nodes= or depth= for a limit of this engine alone.

Each opening is played twice with colours reversed. An engine that crashes, hangs, sends something other than a
move, plays an illegal move or oversteps its time loses the game; the record names the fault, the table counts it,
and the engine is started again. Two 'draw' replies in a row are a draw, 'resign' loses.

Elo is computed from pairs of games, with half of its 95 % interval. --sprt ends the match as soon as a hypothesis
is accepted. Ctrl-C aborts the running games; with --resume they are played when the match is resumed.

Examples:
  chuhe match --engine name=new --engine name=old,cmd=./chuhe-old --tc 1+0.01 --sprt elo0=0,elo1=10
  chuhe match --engine option.hashsize=64 --engine option.hashsize=16 --nodes 5000 --games 200
  chuhe match --engine name=weak,option.skill=8 --engine name=bold,option.style=risky --nodes 5000
  chuhe match --engine name=A --engine name=eye,cmd=./ELEEYE,dir=eleeye \\
      --engine cmd=fairy,proto=uci --format gauntlet --openings openings.txt --resume cup.jsonl
  chuhe match --engine name=A --engine name=B,cmd=./b --games 1000 --shard 2/3 --resume second.jsonl";

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
    games: Option<u64>,
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
    openings: Option<PathBuf>,
    /// Seed of the random order of the openings; 0 for the order of the file.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Sequential test of two engines; ends the match when a hypothesis is accepted:
    /// elo0=0,elo1=10,alpha=0.05,beta=0.05.
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = |text: &str| text.parse::<Sprt>())]
    sprt: Option<Sprt>,
    /// Journal of the match. If the file exists, the match continues: its games are not played again, except those that
    /// an engine was not started for, and those that the same --pgn file lacks are written.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Append the games to this file, except those that an engine was not started for.
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    #[command(flatten)]
    output: JsonArg,
    #[command(flatten)]
    rules: RulesArg,
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

#[derive(Args, Debug)]
#[group(multiple = false)]
struct Limit {
    /// Seconds for a game and for each move: 10+0.1, or 40/60+0.5 to add the 60 again after every 40 moves.
    #[arg(long, value_name = "TIME", default_value = "10+0.1", value_parser = |text: &str| text.parse::<TimeControl>())]
    tc: TimeControl,
    /// Nodes for each move.
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
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
        self.limit.nodes.map_or(self.limit.tc, TimeControl::Nodes)
    }

    fn plan(&self, strictness: Strictness) -> Result<Match> {
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
            Some(path) => read_openings(path, strictness, Rules::new(self.rules.rules))?,
            None => built_in_openings(),
        };
        let order = match self.seed {
            0 => (0..openings.len()).collect(),
            seed => shuffled(openings.len(), seed),
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
        Ok(Match {
            control: self.control(),
            conditions: Conditions {
                rules: Rules::new(self.rules.rules),
                adjudication: Adjudication {
                    win: self.adjudicate_win,
                    draw: self.adjudicate_draw,
                    max_plies: self.max_plies.map(|plies| plies as usize),
                },
                margin: Duration::from_millis(u64::from(self.margin)),
                patience: Duration::from_secs(u64::from(self.patience)),
            },
            schedule: Schedule::new(count, self.format, pairs, &order, self.shard),
            openings,
            engines,
            concurrency: usize::from(self.concurrency),
            restarts: self.restart,
        })
    }

    fn settings(&self, plan: &Match) -> Settings {
        let agreement = |agreement: Option<Agreement>| agreement.map_or("no".to_owned(), |rule| rule.to_string());
        let openings = plan.openings.iter().map(opening_text).collect::<Vec<_>>().join("\n");
        let checksum = crc32fast::hash(openings.as_bytes());
        let (rules, random) = (plan.conditions.rules, format!("random {}", self.seed));
        let settings = [
            ("limit", plan.control.to_string()),
            ("format", if self.format == Format::Gauntlet { "gauntlet" } else { "round-robin" }.to_owned()),
            ("rules", format!("{}, natural limit {}", rules.set.name(), rules.move_limit)),
            ("adjudication of wins", agreement(self.adjudicate_win)),
            ("adjudication of draws", agreement(self.adjudicate_draw)),
            ("most plies", self.max_plies.map_or("any".to_owned(), |plies| plies.to_string())),
            ("margin", format!("{} ms", self.margin)),
            ("patience", format!("{} s", self.patience)),
            ("restart", if self.restart { "for every game" } else { "no" }.to_owned()),
            ("order", if self.seed == 0 { "sequential".to_owned() } else { random }),
            ("openings", format!("{} (checksum {checksum:08x})", plan.openings.len())),
        ];
        let engines = (1..).zip(&plan.engines).map(|(number, spec)| (format!("engine {number}"), spec.to_string()));
        // An engine without a command is this program.
        let is_own = plan.engines.iter().any(|spec| spec.command.is_empty());
        let program = is_own.then(|| ("program".to_owned(), crate::engine::bench::program_id()));
        let named = settings.into_iter().map(|(name, value)| (name.to_owned(), value));
        named.chain(engines).chain(program).collect()
    }
}

pub fn play(args: &MatchArgs, strictness: Strictness, out: &mut (impl Write + Send)) -> Result {
    for (option, output) in [("--pgn", &args.pgn), ("--resume", &args.resume)] {
        output.iter().try_for_each(|path| refuse_replacing(option, path, args.openings.as_deref()))?;
    }
    let plan = args.plan(strictness)?;
    let (files, mut earlier) = MatchFiles::open(args.resume.as_deref(), args.pgn.as_deref(), || args.settings(&plan))?;
    earlier.retain(|number, _| plan.schedule.has(*number));
    let mut standings = Standings::new(plan.engines.iter().map(|spec| spec.name.clone()).collect());
    earlier.iter().for_each(|(number, record)| standings.add(&plan.schedule.game(*number), record));
    if !earlier.is_empty() {
        let were = if earlier.len() == 1 { "game was" } else { "games were" };
        note!("{} {were} played before", earlier.len());
    }
    let done: HashSet<u64> = earlier.into_keys().collect();
    let interrupt = cancel_on_request();
    let mut reporter = MatchReporter { args, plan: &plan, standings, files, out, bar: status_bar(), failure: None };
    if reporter.decision().is_none() {
        let can_play = plan.try_engines(&interrupt, |notice| reporter.print_notice(notice));
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
fn status_bar() -> ProgressBar {
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
    failure: Option<CommandError>,
}

impl<W: Write> MatchReporter<'_, W> {
    fn decision(&self) -> Option<&'static str> {
        let test = self.args.sprt?;
        test.decision(test.log_likelihood_ratio(&self.standings.pairs()))
    }

    fn on_event(&mut self, event: MatchEvent) -> ControlFlow<()> {
        match event {
            MatchEvent::Notice(text) => self.print_notice(&text),
            MatchEvent::Finished(scheduled, mut record) => {
                self.standings.add(&scheduled, &record);
                if let Err(failure) = self.record(&scheduled, &mut record) {
                    self.failure = Some(failure);
                    return ControlFlow::Break(());
                }
                let table = text(&self.standings, self.args.sprt.as_ref());
                let lines: Vec<String> = table.trim_end().lines().map(in_language_of_user).collect();
                self.bar.set_message(lines.join("\n"));
            }
        }
        if self.decision().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn print_notice(&self, text: &str) {
        self.bar.suspend(|| note!("{text}"));
    }

    fn record(&mut self, scheduled: &ScheduledGame, record: &mut GameRecord) -> Result {
        let (plan, opening) = (self.plan, &self.plan.openings[scheduled.opening]);
        let game = |record: &GameRecord| record.to_game(opening, tags(plan, scheduled, record, opening));
        if let Some(message) = self.files.add(record, game) {
            self.print_notice(&message);
        }
        let line = if self.args.output.json {
            let mut line = Vec::new();
            write_json(&mut line, "game", record)?;
            String::from_utf8_lossy(line.trim_ascii_end()).into_owned()
        } else {
            let all = Some(plan.schedule.len()).filter(|&all| all < u64::MAX / 2).map(|all| format!("/{all}"));
            let GameRecord { game, red, black, result, reason, .. } = record;
            let (all, standing) = (all.unwrap_or_default(), line(&self.standings, self.args.sprt.as_ref()));
            format!("{game}{all} {red} – {black} {result}: {reason}{standing}")
        };
        let out = &mut self.out;
        self.bar.suspend(|| writeln!(out, "{line}").and_then(|()| out.flush()))?;
        Ok(())
    }

    fn finish(self, was_interrupted: bool) -> Result {
        self.bar.finish_and_clear();
        let decision = self.decision();
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if self.args.output.json {
            let sprt = self.args.sprt.map(|test| {
                let (llr, (lower, upper)) = (test.log_likelihood_ratio(&self.standings.pairs()), test.bounds());
                let (elo0, elo1) = (test.elo0, test.elo1);
                json!({ "elo0": elo0, "elo1": elo1, "llr": llr, "lower": lower, "upper": upper, "accepted": decision })
            });
            let standings: Vec<Value> =
                self.standings.engines().map(|(name, standing)| report(name, standing)).collect();
            let draw_rate = self.standings.draw_rate();
            write_json(self.out, "table", &json!({ "standings": standings, "draw_rate": draw_rate, "sprt": sprt }))?;
        } else {
            write!(self.out, "\n{}", text(&self.standings, self.args.sprt.as_ref()))?;
        }
        self.out.flush()?;
        let is_complete = self.standings.games() == self.plan.schedule.len();
        if self.args.sprt.is_some() && self.args.games.is_none() && decision.is_none() && is_complete {
            note!(
                "without clocks one pair of games is played from each opening, and all were; --games plays repeated games too"
            );
        }
        self.files.finish()?;
        let unplayed = self.plan.schedule.own_games().saturating_sub(self.standings.games());
        match was_interrupted {
            true => return Err(CommandError::Interrupted),
            false if decision.is_some() || unplayed == 0 => return Ok(()),
            false => {}
        }
        Err(CommandError::Failed(match self.args.sprt {
            None => format!("{unplayed} games were not played"),
            Some(_) => "the test is not decided: the games it still needs were not played".to_owned(),
        }))
    }
}

fn tags(plan: &Match, scheduled: &ScheduledGame, record: &GameRecord, opening: &Opening) -> Vec<(String, String)> {
    let [red, black] = scheduled.engines.map(|engine| plan.engines[engine].control.unwrap_or(plan.control).to_string());
    let tags = [
        ("Event", "Match of engines".to_owned()),
        ("Date", jiff::Zoned::now().strftime("%Y.%m.%d").to_string()),
        ("Round", record.game.to_string()),
        ("Red", record.red.clone()),
        ("Black", record.black.clone()),
        ("TimeControl", if red == black { red } else { format!("{red} against {black}") }),
        ("Termination", record.reason.clone()),
    ];
    let opening = record.to_game(opening, Vec::new()).opening().map(|name| ("Opening", name));
    tags.into_iter().chain(opening).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the standing of an engine for JSON. Infinite or unknown numbers become null.
fn report(name: &str, standing: &Standing) -> Value {
    let (estimate, effort) = (standing.pairs.estimate(), &standing.effort);
    let faults =
        FaultKind::NAMED.iter().zip(standing.faults).map(|((_, name), count)| ((*name).to_owned(), count.into()));
    json!({
        "engine": name,
        "games": standing.games(),
        "wins": standing.wins,
        "draws": standing.draws,
        "losses": standing.losses,
        "pairs": standing.pairs.0,
        "elo": estimate.map(|estimate| estimate.elo),
        "elo_error": estimate.map(|estimate| estimate.error),
        "likelihood_of_superiority": estimate.and_then(|estimate| estimate.superiority),
        "milliseconds_a_move": effort.milliseconds_a_move(),
        "depth": effort.mean_depth(),
        "nodes_per_second": effort.nodes_per_second(),
        "faults": serde_json::Map::from_iter(faults),
    })
}

/// Returns the short standing of two engines for the line of a game; empty for more engines.
fn line(standings: &Standings, test: Option<&Sprt>) -> String {
    let engines: Vec<_> = standings.engines().collect();
    let [(name, first), _] = engines[..] else { return String::new() };
    let elo = first.pairs.estimate().map(|estimate| format!(", Elo {}", elo(&estimate)));
    let ratio = test.map(|test| format!(", {}", ratio(standings, test)));
    let Standing { wins, draws, losses, .. } = first;
    format!("; {name} +{wins} ={draws} -{losses}{}{}", elo.unwrap_or_default(), ratio.unwrap_or_default())
}

fn text(standings: &Standings, test: Option<&Sprt>) -> String {
    let head = "engine,games,+,=,-,score,Elo,ms/move,depth,knodes/s,time losses,other faults";
    let mut rows = vec![head.split(',').map(str::to_owned).collect::<Vec<_>>()];
    rows.extend(standings.engines().map(|(name, standing)| row(name, standing)));
    let mut text = aligned(&rows, &[0, rows[0].len() - 1]);
    if let Some(rate) = standings.draw_rate() {
        text.push_str(&format!("{} games, {:.1} % drawn", standings.games(), 100.0 * rate));
    }
    let engines: Vec<_> = standings.engines().collect();
    if let [(name, first), _] = engines[..]
        && let Some(estimate) = first.pairs.estimate()
    {
        let [zero, half, one, three_halves, two] = first.pairs.0;
        text.push_str(&format!(
            "; pairs with 0, ½, 1, 1½, 2 points: {zero} {half} {one} {three_halves} {two}\n{name}: Elo {} (95 %)",
            elo(&estimate),
        ));
        if let Some(superiority) = estimate.superiority {
            text.push_str(&format!(", stronger with {:.1} %", 100.0 * superiority));
        }
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if let Some(test) = test {
        let (ratio, decision) = (ratio(standings, test), test.decision(test.log_likelihood_ratio(&standings.pairs())));
        let verdict = decision.map_or_else(|| "not decided".to_owned(), |hypothesis| format!("{hypothesis} accepted"));
        text.push_str(&format!("SPRT {test}: {ratio}, {verdict}\n"));
    }
    text
}

fn row(name: &str, standing: &Standing) -> Vec<String> {
    let known = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let number = |value: Option<f64>, decimals: usize| known(value.map(|value| format!("{value:.decimals$}")));
    let faults = FaultKind::NAMED.iter().zip(standing.faults);
    let others = faults.filter(|((kind, _), count)| *kind != FaultKind::Time && *count > 0);
    let others: Vec<String> = others.map(|((_, name), count)| format!("{count} {name}")).collect();
    vec![
        data(name),
        standing.games().to_string(),
        standing.wins.to_string(),
        standing.draws.to_string(),
        standing.losses.to_string(),
        known(standing.score().map(|score| format!("{:.1} %", 100.0 * score))),
        known(standing.pairs.estimate().map(|estimate| elo(&estimate))),
        number(standing.effort.milliseconds_a_move(), 1),
        number(standing.effort.mean_depth(), 1),
        number(standing.effort.nodes_per_second().map(|nodes| nodes / 1e3), 0),
        standing.faults[FaultKind::Time as usize].to_string(),
        if others.is_empty() { "0".to_owned() } else { others.join(", ") },
    ]
}

fn ratio(standings: &Standings, test: &Sprt) -> String {
    let (lower, upper) = test.bounds();
    format!("LLR {:.2} ({lower:.2}, {upper:.2})", test.log_likelihood_ratio(&standings.pairs()))
}

fn elo(estimate: &Estimate) -> String {
    let error = if estimate.error.is_finite() { format!("{:.0}", estimate.error) } else { "?".to_owned() };
    // Infinite when every game was won or every game lost.
    if estimate.elo.is_finite() {
        format!("{:+.0} ± {error}", estimate.elo)
    } else {
        format!("{}∞", if estimate.elo > 0.0 { '+' } else { '-' })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::matches::{Effort, GameFault};
    use crate::notation::game::GameResult::{BlackWins, Draw, RedWins};
    use crate::types::Side;

    #[test]
    fn columns_align_with_wide_names() {
        let schedule = Schedule::new(2, Format::RoundRobin, 2, &[0], Shard::default());
        let mut standings = Standings::new(vec!["楚河".to_owned(), "Fairy".to_owned()]);
        for (number, result) in [RedWins, BlackWins, Draw, RedWins].into_iter().enumerate() {
            let fault = (number == 1).then_some(GameFault { side: Side::Red, kind: FaultKind::Crash });
            let efforts = [Effort { moves: 1, microseconds: 1_000, nodes: 2_000, ..Effort::default() }; 2];
            let record = GameRecord { game: 1, result, fault, efforts, ..GameRecord::default() };
            standings.add(&schedule.game(number as u64), &record);
        }
        let text = crate::console::chinese::unmarked(&text(&standings, Some(&Sprt::default())));
        assert!(text.starts_with(
            "engine  games  +  =  -   score      Elo  ms/move  depth  knodes/s  time losses  other faults\n\
             楚河        4  2  1  1  62.5 %  +89 ± ?      1.0      –      2000            0  0\n\
             Fairy       4  1  1  2  37.5 %  -89 ± ?      1.0      –      2000            0  1 crash\n\
             4 games, 25.0 % drawn; pairs with 0, ½, 1, 1½, 2 points: 0 1 0 0 1\n"
        ));
        assert!(text.contains("\nSPRT elo0=0,elo1=10,"), "{text}");
        assert!(line(&standings, None).starts_with("; 楚河 +2 =1 -1, Elo +89 ± "));
    }

    #[test]
    fn agreements_are_parsed() {
        let defaults = Agreement { score: 400, plies: 8, from_ply: 0 };
        assert_eq!(agreement("", defaults), Ok(defaults));
        assert_eq!(agreement("from=60,score=5", defaults).unwrap().to_string(), "score=5,plies=8,from=60");
        for fault in ["score", "score=x", "score=10001", "plies=0", "moves=3", "score=-5", "score=5,score=6"] {
            assert!(agreement(fault, defaults).is_err(), "{fault}");
        }
    }
}
