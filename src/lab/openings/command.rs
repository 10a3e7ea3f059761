//! The `openings` command: makes and checks opening suites.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::{Choice, ChooseSettings, Criteria, FAMILY_PLIES, MIN_GAMES, Sources, Tester, check, choose};
use crate::console::{
    CommandError, Result, cancel_on_request, counted, note, open_openings, read_games, refuse_replacing, thread_count,
};
use crate::lab::{in_file, unusable};
use crate::notation::openings::{self, Opening};
use crate::position::Strictness;
use crate::search::MAX_THREADS;
use crate::types::{Move, Value};
use crate::util::atomic_file::{check_writable, replace};

/// Minimum and maximum plies of an opening.
const PLIES: [usize; 2] = [6, 10];
/// Maximum number of openings with the same first plies.
const MAX_FAMILY: usize = 20;

pub const HELP: &str = "\
A suite is a file with one opening per line: moves such as h2e2 from the start of the game. Openings come from
positions that at least two games of the files reached, and from random moves, after 6 to 10 plies. A search tests each
of them: neither side may be ahead by more than --balance, the best move must not be a capture, and the side to move
must not be in check. No two openings end in the same position, none continues another, and at most 20 share their first
four plies; all of this includes mirror images. The same files, seed and options choose the same openings. The file is
written at the end; Ctrl-C before it leaves none.

--check tests a suite in the same way and names the lines that fail; exit status 1 if there are any.

Examples:
  chuhe openings --random 1000 --out random.txt
  chuhe openings games.pgn more.tsv --from-games 500 --random 500 --out suite.txt
  chuhe openings --check suite.txt --nodes 1000000";

#[derive(Args, Debug)]
pub struct Openings {
    /// Game files (PGN, lists of moves, XQF, CBR, CBL, DhtmlXQ) with openings.
    #[arg(value_name = "GAMES", conflicts_with = "check")]
    games: Vec<PathBuf>,
    /// Write the openings to this file.
    #[arg(long, value_name = "FILE", required_unless_present = "check")]
    out: Option<PathBuf>,
    /// Check the openings of this file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "from_games", "random", "seed"])]
    check: Option<PathBuf>,
    /// Number of openings from games.
    #[arg(long, value_name = "OPENINGS", default_value_t = 0, requires = "games",
        value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    from_games: u64,
    /// Number of openings of random moves.
    #[arg(long, value_name = "OPENINGS", default_value_t = 0,
        value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    random: u64,
    /// Maximum lead of either side in centipawns.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 60,
        value_parser = clap::value_parser!(u16).range(0..=9000))]
    balance: u16,
    /// Nodes of the search of each opening.
    #[arg(long, value_name = "NODES", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Seed of the choice.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Number of openings searched at once; 0 is the number of cores.
    #[arg(long, value_name = "THREADS", default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
}

impl Openings {
    fn criteria(&self) -> Criteria {
        Criteria { plies: PLIES, balance: Value::from(self.balance), nodes: self.nodes, max_family: MAX_FAMILY }
    }
}

fn saturating(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Makes a suite, or checks one.
pub fn openings(args: &Openings, strictness: Strictness, out: &mut impl Write) -> Result {
    match (&args.check, &args.out) {
        (Some(path), _) => check_suite(args, path, strictness, out),
        (None, Some(path)) => make_suite(args, path, strictness),
        (None, None) => Err(CommandError::Mismatch("either --out or --check is needed".to_owned())),
    }
}

fn make_suite(args: &Openings, path: &Path, strictness: Strictness) -> Result {
    if args.from_games + args.random == 0 {
        return Err(CommandError::Mismatch(
            "no openings requested; give their number with --from-games or --random".to_owned(),
        ));
    }
    refuse_replacing("--out", path, args.games.iter().map(PathBuf::as_path))?;
    check_writable(path).map_err(in_file(path))?;
    let criteria = args.criteria();
    let mut sources = Sources::default();
    for file in &args.games {
        read_games(file, strictness, |game| {
            sources.add(game, &criteria);
            Ok(())
        })?;
    }
    let settings =
        ChooseSettings { from_games: saturating(args.from_games), random: saturating(args.random), seed: args.seed };
    let cancel = cancel_on_request();
    let tester = Tester { criteria, threads: thread_count(args.threads).get(), cancel: &cancel };
    let choice = choose(&sources, settings, &tester)?.ok_or(CommandError::Interrupted)?;
    if choice.lines.is_empty() {
        return Err(unusable(path, "nothing was written: no opening meets the criteria; relax --balance"));
    }
    replace(path, in_file(path), |out| write_suite(args, &sources, &choice, out).map_err(in_file(path)), |()| true)?;
    note!("{} written to {}", counted(choice.lines.len() as u64, "opening"), path.display());
    for (found, requested, kind) in
        [(choice.from_games, settings.from_games, "from games"), (choice.random, settings.random, "random")]
    {
        if found < requested {
            note!("only {found} of {requested} openings {kind} were found");
        }
    }
    Ok(())
}

fn write_suite(args: &Openings, sources: &Sources, choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    let (Openings { balance, nodes, seed, .. }, [min_plies, max_plies]) = (args, PLIES);
    let (Choice { from_games, random, .. }, games, version) = (choice, sources.games, env!("CARGO_PKG_VERSION"));
    write!(
        out,
        "# Openings for games between engines: {min_plies} to {max_plies} plies from the start of the game.\n\
         # {from_games} are positions of at least {MIN_GAMES} games of {games}, {random} are random moves.\n\
         # A search of {nodes} nodes gives at most ±{balance} centipawns, and its best move is not a capture.\n\
         # No two end in the same position, none continues another, and at most {MAX_FAMILY} share their first \
         {FAMILY_PLIES} plies, mirrored or not.\n\
         # Made by chuhe openings {version} with seed {seed}.\n"
    )?;
    choice.lines.iter().try_for_each(|line| {
        let words: Vec<String> = line.iter().map(Move::to_string).collect();
        writeln!(out, "{}", words.join(" "))
    })
}

fn check_suite(args: &Openings, path: &Path, strictness: Strictness, out: &mut impl Write) -> Result {
    let (mut suite, mut wrong, mut line) = (Vec::<(u64, Opening)>::new(), 0, 0);
    for opening in openings::read_openings(open_openings(path)?, strictness) {
        match opening {
            Ok((number, opening)) => suite.push((number, opening)),
            Err(error) if error.is_read_error() => return Err(CommandError::unusable(path, error)),
            Err(error) => {
                wrong += 1;
                writeln!(out, "{error}")?;
            }
        }
        line += 1;
    }
    if line == 0 {
        return Err(unusable(path, "it contains no opening"));
    }
    let cancel = cancel_on_request();
    let (criteria, threads) = (args.criteria(), thread_count(args.threads).get());
    let faults = check(&suite, &Tester { criteria, threads, cancel: &cancel })?;
    for (number, fault) in &faults {
        writeln!(out, "line {number}: {fault}")?;
    }
    CommandError::if_interrupted(&cancel)?;
    wrong += faults.len();
    writeln!(out, "{}, {wrong} not valid", counted(line, "opening"))?;
    if wrong > 0 {
        return Err(unusable(path, format!("{wrong} of {line} openings are not valid")));
    }
    Ok(())
}
