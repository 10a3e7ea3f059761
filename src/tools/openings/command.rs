//! The `openings` command: making suites of starts, and checking those that are there.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;

use crate::console::error::CommandError;
use crate::console::games::read_games;
use crate::console::interrupt;
use crate::console::progress::{News, clock, counted};
use crate::engine::MAX_HASH_MEGABYTES;
use crate::notation::openings::{Opening, OpeningReader};
use crate::position::Strictness;
use crate::search::MAX_THREADS;
use crate::tools::openings::{Choice, Criteria, FAMILY_PLIES, Place, Sources, SuiteFilter, Wanted, check, choose};
use crate::types::{Move, Value};
use crate::util::atomic_file::{check_writable, replace};

/// What stands below the options in the help.
pub const HELP: &str = "\
A suite is a file with one start a line: moves such as h2e2 from the start of the game. Starts are taken
in turn from positions that games of the files passed through, and from random moves. Each is judged by a
search: neither side may be further ahead than --balance, the best move may be no capture, nobody stands in
check. No two starts end alike, none goes on where another ends, and only a few share their first four
plies; all of this also when one of them is mirrored. The same files, seed and options choose the same
starts.

--check judges a suite in the same way and names the lines that fail; exit status 1 if there are any.

Examples:
  chuhe openings --random 1000 --out random.txt
  chuhe openings games.pgn more.tsv --from-games 500 --random 500 --out suite.txt
  chuhe openings --check suite.txt --nodes 1000000";

/// What `openings` is asked for.
#[derive(Args, Debug)]
pub struct Openings {
    /// Files of games (PGN, lists of moves, XQF, DhtmlXQ) to take starts from.
    #[arg(value_name = "GAMES", conflicts_with = "check")]
    pub games: Vec<PathBuf>,
    /// Write the starts to this file.
    #[arg(long, value_name = "FILE", required_unless_present = "check")]
    pub out: Option<PathBuf>,
    /// Check the starts of this file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "from_games", "random", "least_games", "seed"])]
    pub check: Option<PathBuf>,
    /// How many starts are taken from games.
    #[arg(long, value_name = "STARTS", default_value_t = 0, requires = "games",
        value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    pub from_games: u64,
    /// How many games must have passed through a start that is taken from games.
    #[arg(long, value_name = "GAMES", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    pub least_games: u64,
    /// How many starts are made of random moves.
    #[arg(long, value_name = "STARTS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    pub random: u64,
    /// The fewest plies of a start.
    #[arg(long, value_name = "PLIES", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub least_plies: u16,
    /// The most plies of a start.
    #[arg(long, value_name = "PLIES", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub most_plies: u16,
    /// How many centipawns either side may be ahead.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 60, value_parser = clap::value_parser!(u16).range(0..=9000))]
    pub balance: u16,
    /// How many starts may share their first four plies.
    #[arg(long, value_name = "STARTS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub family: u64,
    /// How many nodes each start is searched.
    #[arg(long, value_name = "NODES", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// The same seed chooses the same starts.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// How many starts are searched at once; 0 is as many as the machine has cores.
    #[arg(long, value_name = "THREADS", default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    pub threads: u16,
    /// Memory for each search, in megabytes.
    #[arg(long, value_name = "MEGABYTES", default_value_t = 16,
        value_parser = clap::value_parser!(u64).range(1..=MAX_HASH_MEGABYTES as u64))]
    pub hash: u64,
}

impl Openings {
    fn criteria(&self) -> Result<Criteria, CommandError> {
        if self.least_plies > self.most_plies {
            let (least, most) = (self.least_plies, self.most_plies);
            return Err(CommandError::Mismatch(format!("--least-plies {least} is more than --most-plies {most}")));
        }
        Ok(Criteria {
            least_plies: usize::from(self.least_plies),
            most_plies: usize::from(self.most_plies),
            balance: Value::from(self.balance),
            nodes: self.nodes,
            most_of_family: saturating(self.family),
        })
    }

    fn examiner(&self) -> Result<SuiteFilter, CommandError> {
        let threads = match usize::from(self.threads) {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        Ok(SuiteFilter::new(threads, saturating(self.hash), self.criteria()?)?)
    }
}

fn saturating(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Makes a suite, or checks one.
pub fn openings(wanted: &Openings, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    match (&wanted.check, &wanted.out) {
        (Some(path), _) => check_suite(wanted, path, strictness, out),
        (None, Some(path)) => make_suite(wanted, path, strictness),
        (None, None) => Err(CommandError::Mismatch("either --out or --check is needed".to_owned())),
    }
}

fn make_suite(wanted: &Openings, path: &Path, strictness: Strictness) -> Result<(), CommandError> {
    let all = wanted.from_games + wanted.random;
    if all == 0 {
        return Err(CommandError::Mismatch(
            "no starts are wanted; tell how many with --from-games or --random".to_owned(),
        ));
    }
    let in_output = |error| CommandError::File { path: path.to_owned(), error };
    check_writable(path).map_err(in_output)?;
    let mut examiner = wanted.examiner()?;
    let mut sources = Sources::default();
    for file in &wanted.games {
        read_games(file, strictness, |game| sources.add(game, examiner.criteria()))?;
    }
    let goal = Wanted {
        from_games: saturating(wanted.from_games),
        least_games: saturating(wanted.least_games),
        random: saturating(wanted.random),
        seed: wanted.seed,
    };
    let interrupt = interrupt::from_keyboard(&Arc::new(AtomicBool::new(true)));
    let mut news = News::of(all);
    let chosen = choose(&sources, goal, &mut examiner, &interrupt, &mut |progress| {
        let chosen = progress.chosen as u64;
        let left = news.time_left(chosen);
        news.tell(chosen, || format!("{} searched, {} left", progress.judged, clock(left)));
    })?;
    news.finish();
    let Some(choice) = chosen else { return Err(CommandError::Interrupted) };
    if choice.lines.is_empty() {
        let fault = "nothing was written: no start is good enough; try --balance, --least-games or --family";
        return Err(CommandError::Unusable { path: path.to_owned(), fault: fault.to_owned() });
    }
    replace(path, in_output, |out| write_suite(wanted, &sources, &choice, out).map_err(in_output), |()| true)?;
    eprintln!("chuhe: {} written to {}", counted(choice.lines.len() as u64, "start"), path.display());
    for (found, wanted, kind) in
        [(choice.from_games, goal.from_games, "from games"), (choice.random, goal.random, "random")]
    {
        if found < wanted {
            eprintln!("chuhe: only {found} of {wanted} starts {kind} could be found");
        }
    }
    Ok(())
}

fn write_suite(wanted: &Openings, sources: &Sources, choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    let Openings { least_plies, most_plies, balance, nodes, family, least_games, seed, .. } = wanted;
    writeln!(
        out,
        "# Starts for games between engines: {least_plies} to {most_plies} plies from the start of the game."
    )?;
    writeln!(
        out,
        "# {} of them at least {} of {} passed through, {} are random moves.",
        choice.from_games,
        counted(*least_games, "game"),
        sources.games(),
        choice.random
    )?;
    writeln!(out, "# A search of {nodes} nodes sees each of them within ±{balance} centipawns and no capture best.")?;
    writeln!(
        out,
        "# None ends like another or goes on from it, and at most {family} share their first {FAMILY_PLIES} plies, mirrored or not."
    )?;
    writeln!(out, "# Made by chuhe openings {} with seed {seed}.", env!("CARGO_PKG_VERSION"))?;
    choice.lines.iter().try_for_each(|line| {
        let words: Vec<String> = line.iter().map(Move::to_string).collect();
        writeln!(out, "{}", words.join(" "))
    })
}

fn check_suite(
    wanted: &Openings,
    path: &Path,
    strictness: Strictness,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let in_file = |error| CommandError::File { path: path.to_owned(), error };
    let mut examiner = wanted.examiner()?;
    let file = BufReader::new(File::open(path).map_err(in_file)?);
    let (mut suite, mut wrong, mut line) = (Vec::<(Place, Opening)>::new(), 0, 0);
    for opening in OpeningReader::new(file, strictness).numbered() {
        match opening {
            Ok((number, opening)) => suite.push((Place(number), opening)),
            Err(error) if error.ends_the_file() => return Err(CommandError::Game { path: path.to_owned(), error }),
            Err(error) => {
                wrong += 1;
                writeln!(out, "{error}")?;
            }
        }
        line += 1;
    }
    if line == 0 {
        return Err(CommandError::Unusable { path: path.to_owned(), fault: "there is no start in it".to_owned() });
    }
    let interrupt = interrupt::from_keyboard(&Arc::new(AtomicBool::new(true)));
    let mut news = News::of(suite.len() as u64);
    let faults = check(&suite, &mut examiner, &interrupt, &mut |progress| {
        news.tell(progress.judged as u64, || format!("{} sound", progress.chosen));
    })?;
    news.finish();
    for (place, fault) in &faults {
        writeln!(out, "{place}: {fault}")?;
    }
    if interrupt.is_requested() {
        return Err(CommandError::Interrupted);
    }
    wrong += faults.len();
    writeln!(out, "{}, {wrong} not sound", counted(line, "start"))?;
    if wrong > 0 {
        return Err(CommandError::Unusable {
            path: path.to_owned(),
            fault: format!("{wrong} of {line} starts are not sound"),
        });
    }
    Ok(())
}
