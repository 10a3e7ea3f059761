//! The `tablebase` command.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use clap::{Args, Subcommand};

use crate::console::{
    CommandError, JsonArg, NotationArgs, Object, Progress, Result, ThreadsArg, clock, counted, note, read_game,
    write_json,
};
use crate::counting::Signature;
use crate::notation::{Dialect, write_line};
use crate::position::{Position, Strictness};
use crate::tablebase::{
    Endings, Metric, Plan, Step, StoredTable, Table, TableError, Tablebases, build as build_tables, is_exact,
    needed_for, prepare, stronger_first, verify as verify_table,
};
use crate::types::Side;
use crate::util::files::create_folder;
use crate::util::memory::available_memory;

const DEFAULT_FOLDER: &str = "tables";

pub const HELP: &str = "\
An ending is named by the pieces of both sides, such as KRvKAABB: K R N C P A B for king, rook, horse, cannon,
pawn, advisor and elephant. The stronger side may come first or last. Endings with one attacker against a side
without attackers are built in if the attacker has no advisors or elephants.

Examples:
  chuhe tablebase build KRvKAABB KNPvKAABB --dir tables
  chuhe tablebase probe '3k5/9/9/9/9/9/9/9/9/4K3R w'
  chuhe tablebase verify KRvKAABB --dir tables";

#[derive(Subcommand, Debug)]
pub enum TablebaseTask {
    /// Solve endings and write their tables.
    #[command(after_help = "\
Endings that captures lead to are solved first. Valid tables in the folder are kept, so an interrupted build
continues where it stopped.

Repetition counts as a draw. If one side has only defenders, the results are exact, except where defenders hold
only by chasing perpetually with advisors or elephants. If both sides have attackers, perpetual check loses,
and perpetual chases are not judged.

Examples:
  chuhe tablebase build KRvKAABB
  chuhe tablebase build KNvKAA --dir tables --dtm")]
    Build {
        #[command(flatten)]
        tables: TablesArgs,
        /// Memory limit in megabytes; default is the available memory.
        #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
        memory: Option<u64>,
        #[command(flatten)]
        threads: ThreadsArg,
    },
    /// Show the statistics of a table.
    #[command(after_help = "\
For each side to move, the legal positions and how many of them that side wins, draws and loses; both mirror
images of a position count. 'entries' are all indices of the table, squares that a piece cannot reach included.

Examples:
  chuhe tablebase info KRvKAABB
  chuhe tablebase info KNvKAA --dir tables --dtm")]
    Info(TablesArgs),
    /// Show result, distance and best line of a position.
    #[command(after_help = "\
The result is that of the side to move. 'dtc' is the number of plies to the next winning capture or to mate; 'dtm'
to mate, if such tables exist. The natural move limit is ignored.

Examples:
  chuhe tablebase probe '3k5/9/9/9/9/9/9/9/9/4K3R w'
  chuhe tablebase probe '3ak4/9/4b4/9/9/9/4R4/9/9/4K4 b' --dir tables --json")]
    Probe(Probe),
    /// Verify every value of a table against its successor positions.
    #[command(after_help = "\
Every value must follow from the values of the successor positions, with moves from the regular generator. This
proves a table correct if the tables that its captures lead to are correct. Checksums are verified as well.

Examples:
  chuhe tablebase verify KRvKAABB
  chuhe tablebase verify KRCvKAABB --dir tables")]
    Verify {
        #[command(flatten)]
        tables: TablesArgs,
        #[command(flatten)]
        threads: ThreadsArg,
    },
    /// Export tables as text, one position per line.
    #[command(after_help = "\
Each line has the FEN, the result for the side to move and the plies, 0 for perpetual check, separated by tabs.
Drawn positions are omitted; so are mirror images, unless the larger group of king and defenders is symmetric.

Examples:
  chuhe tablebase export KPvK > pawn.tsv")]
    Export(TablesArgs),
}

/// Endings and where their tables are.
#[derive(Args, Debug)]
pub struct TablesArgs {
    /// Endings, such as KRvKAABB.
    #[arg(required = true, value_name = "ENDING")]
    endings: Vec<Signature>,
    /// Folder of the tables.
    #[arg(long, value_name = "FOLDER", default_value = DEFAULT_FOLDER)]
    dir: PathBuf,
    /// Distance to mate instead of to the next winning capture; 'build' makes tables of both.
    #[arg(long)]
    dtm: bool,
}

impl TablesArgs {
    fn metric(&self) -> Metric {
        if self.dtm { Metric::Mate } else { Metric::Conversion }
    }

    fn read(&self, ending: Signature) -> Result<Table> {
        needed_for(&[ending])?;
        let (ending, folder) = (stronger_first(ending), &self.dir);
        let table = StoredTable::open(folder, ending, self.metric()).and_then(StoredTable::read_all);
        table.map_err(|error| match error {
            TableError::File { error, .. } if error.kind() == io::ErrorKind::NotFound => {
                let dtm = if self.dtm { " --dtm" } else { "" };
                let command = format!("chuhe tablebase build {ending} --dir {}{dtm}", folder.display());
                let fault = format!("there is no such table of {ending}; build it with '{command}'");
                CommandError::unusable(folder, fault)
            }
            error => error.into(),
        })
    }
}

#[derive(Args, Debug)]
pub struct Probe {
    /// Position before the first move as FEN, or 'startpos'.
    fen: String,
    /// Moves played, such as h2e2.
    moves: Vec<String>,
    /// Folder of tables; may be repeated. Default is 'tables' if it exists.
    #[arg(long, value_name = "FOLDER")]
    dir: Vec<PathBuf>,
    #[command(flatten)]
    notation: NotationArgs,
    #[command(flatten)]
    output: JsonArg,
}

impl From<TableError> for CommandError {
    fn from(error: TableError) -> CommandError {
        match error {
            TableError::File { path, error } => CommandError::File { path, error },
            TableError::Unusable { .. } => CommandError::Failed(error.to_string()),
            error => CommandError::Mismatch(error.to_string()),
        }
    }
}

pub fn run(task: &TablebaseTask, strictness: Strictness, out: &mut impl Write) -> Result {
    match task {
        TablebaseTask::Build { tables, memory, threads } => build(tables, *memory, threads.count()),
        TablebaseTask::Info(tables) => tables.endings.iter().try_for_each(|&ending| info(&tables.read(ending)?, out)),
        TablebaseTask::Probe(args) => probe(args, strictness, out),
        TablebaseTask::Verify { tables, threads } => verify(tables, threads.count(), out),
        TablebaseTask::Export(tables) => {
            let mut out = BufWriter::new(out);
            for &ending in &tables.endings {
                for (fen, value) in tables.read(ending)?.decided_positions() {
                    let plies = value.distance(is_exact(ending));
                    writeln!(out, "{fen}\t{}\t{}", value.outcome(), plies.unwrap_or_default())?;
                }
            }
            Ok(out.flush()?)
        }
    }
}

fn build(args: &TablesArgs, memory: Option<u64>, threads: usize) -> Result {
    let (endings, folder) = (&args.endings, &args.dir);
    // Without a limit where the system reports none.
    let memory =
        memory.map(|megabytes| megabytes.saturating_mul(1 << 20)).or_else(available_memory).unwrap_or(u64::MAX);
    let plan = Plan { folder, metric: Metric::Conversion, threads, memory };
    let (needed, peak) = prepare(&plan, endings)?;
    create_folder(folder).map_err(CommandError::in_file(folder))?;
    let tables = counted(needed.len() as u64, "table");
    note!("{tables} into {}, at most {} MB of memory", folder.display(), peak.div_ceil(1 << 20));
    for ending in needed.iter().filter(|&&ending| !is_exact(ending)) {
        note!("{ending}: perpetual chases will count as draws");
    }
    // The engine uses the distance to conversion; mate tables are optional.
    build_by(&plan, endings, needed.len())?;
    if args.dtm { build_by(&Plan { metric: Metric::Mate, ..plan }, endings, needed.len()) } else { Ok(()) }
}

fn build_by(plan: &Plan, endings: &[Signature], tables: usize) -> Result {
    let mut progress_bar = Progress::bar(tables as u64);
    let mut done = 0;
    let built = build_tables(plan, endings, |step| match step {
        Step::Found(ending) => {
            done += 1;
            progress_bar.note(&format!("{ending} exists already"));
        }
        Step::Solving(ending, progress) => {
            progress_bar
                .update(done, || format!("{ending}: ply {}, {} positions decided", progress.level, progress.decided));
        }
        Step::Written { table, bytes, time } => {
            done += 1;
            let longest = table.statistics().longest.map_or(0, |longest| longest.0);
            let rate = table.entries() as f64 / time.as_secs_f64().max(1e-6) / 1e6;
            progress_bar.note(&format!(
                "{}: {} entries in {} ({:.3} s, {rate:.0} million/s), longest win {longest} plies, {}",
                table.signature(),
                table.entries(),
                clock(time),
                time.as_secs_f64(),
                counted(bytes, "byte")
            ));
        }
    });
    progress_bar.finish();
    Ok(built?)
}

fn verify(args: &TablesArgs, threads: usize, out: &mut impl Write) -> Result {
    let mut failed = 0;
    for ending in args.endings.iter().copied().map(stronger_first) {
        let table = args.read(ending)?;
        let mut tables = Endings::default();
        tables.read_captures_of(ending, &args.dir, args.metric())?;
        let progress_bar = Mutex::new(Progress::bar(table.slices() as u64));
        let value = |placement: &_, side| match tables.value(placement, side) {
            Some(value) => value,
            None => unreachable!("the tables after all captures have been read"),
        };
        let checked = verify_table(&table, threads, value, |done| {
            if done % 256 == 0
                && let Ok(mut progress_bar) = progress_bar.lock()
            {
                let left = progress_bar.time_left(done);
                progress_bar.update(done, || format!("{ending}: slices, {} left", clock(left)));
            }
        });
        progress_bar.into_inner().into_iter().for_each(Progress::finish);
        failed += usize::from(checked.is_err());
        match checked {
            Ok(count) => writeln!(out, "{ending}: {count} positions checked, no error")?,
            Err(error) => writeln!(out, "{ending}: {error}")?,
        }
    }
    let fault = format!("{failed} of {} tables disagree", args.endings.len());
    if failed > 0 { Err(CommandError::Failed(fault)) } else { Ok(()) }
}

fn info(table: &Table, out: &mut impl Write) -> Result {
    let statistics = table.statistics();
    writeln!(out, "ending     {}\nentries    {}", table.signature(), table.entries())?;
    for side in Side::BOTH {
        let counts = statistics.counts[side.index()];
        let share = |count: u64| format!("{count} ({:.2} %)", 100.0 * count as f64 / counts.legal.max(1) as f64);
        let [won, drawn, lost] = [counts.won, counts.drawn(), counts.lost].map(share);
        writeln!(out, "{:<10} {} legal: {won} won, {drawn} drawn, {lost} lost", format!("{side} moves"), counts.legal)?;
    }
    let rules = if is_exact(table.signature()) {
        "exact, apart from chases by advisors and elephants"
    } else {
        "perpetual chases count as draws"
    };
    let longest = statistics.longest.map_or("no win".to_owned(), |(plies, fen)| format!("{plies} plies, {fen}"));
    Ok(writeln!(out, "rules      {rules}\nlongest    {longest}")?)
}

fn probe(args: &Probe, strictness: Strictness, out: &mut impl Write) -> Result {
    let position = read_game(Some(&args.fen), &args.moves, strictness)?;
    let default_folder = PathBuf::from(DEFAULT_FOLDER);
    let folders = if args.dir.is_empty() && default_folder.is_dir() { vec![default_folder] } else { args.dir.clone() };
    let (tablebases, errors) = Tablebases::open(&folders);
    for error in errors {
        note!("{error}");
    }
    let found = tablebases.probe(&position)?;
    let (result, dtc) = (found.value.outcome().to_string(), found.value.plies().filter(|_| !found.by_checks));
    let dtm = dtc.and_then(|_| folders.iter().find_map(|folder| plies_to_mate(folder, &position)));
    let notation = write_line(&position, &found.line, args.notation.or(Dialect::Chinese));
    if args.output.json {
        let object = Object::default()
            .with("fen", position.to_string())
            .with("result", result)
            // The result agrees with the rules of repetition.
            .with("exact", found.is_exact)
            .with("by_checks", found.by_checks)
            .with("dtc", dtc)
            .with("dtm", dtm)
            .with("moves", &found.line)
            .with("notation", notation);
        return write_json(out, "ending", &object);
    }
    let reservation = match (found.is_exact, found.by_checks) {
        (false, _) => ", unless a side must chase perpetually",
        (_, true) => ": in the end the losing side can only check perpetually",
        _ => "",
    };
    writeln!(out, "result  {result}{reservation}")?;
    for (name, plies) in [("dtc", dtc), ("dtm", dtm)] {
        plies.map_or(Ok(()), |plies| writeln!(out, "{name:<7} {plies}"))?;
    }
    if notation.is_empty() { Ok(()) } else { Ok(writeln!(out, "line    {}", notation.join(" "))?) }
}

fn plies_to_mate(folder: &Path, position: &Position) -> Option<u8> {
    let ending = stronger_first(Signature::from_position(position)?);
    let table = StoredTable::open(folder, ending, Metric::Mate).ok()?;
    table.value_of(position).ok().flatten()?.plies()
}
