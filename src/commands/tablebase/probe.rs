//! `tablebase list`, `info`, `probe` and `export`.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::json;

use super::{DEFAULT_FOLDER, failure, metric, read};
use crate::console::error::CommandError;
use crate::console::input::read_game;
use crate::console::note;
use crate::console::output::{Object, write_json};
use crate::counting::Signature;
use crate::notation::{Dialect, write_line};
use crate::position::{Position, Strictness};
use crate::tablebase::{
    Content, Metric, Outcome, StoredTable, Tablebases, endings_in, is_exact, path_of, stronger_first,
};
use crate::types::{Move, Side};

pub const LIST_HELP: &str = "\
Examples:
  chuhe tablebase list
  chuhe tablebase list --dir tables";

pub const INFO_HELP: &str = "\
For each side to move, the legal positions and how many of them that side wins, draws and loses; both mirror
images of a position count. 'entries' are all indices of the table, squares that a piece cannot reach included.

Examples:
  chuhe tablebase info KRvKAABB
  chuhe tablebase info KNvKAA --dir tables --dtm";

pub const PROBE_HELP: &str = "\
The result is that of the side to move. 'dtc' is the number of plies to the next winning capture or to mate; 'dtm'
to mate, if such tables exist. The natural move limit is ignored.

Examples:
  chuhe tablebase probe '3k5/9/9/9/9/9/9/9/9/4K3R w'
  chuhe tablebase probe '3ak4/9/4b4/9/9/9/4R4/9/9/4K4 b' --dir tables --json";

pub const EXPORT_HELP: &str = "\
Each line has the FEN, the result for the side to move and the plies, separated by tabs. Drawn positions are
omitted, and so are mirror images, except where the larger group of king and defenders is symmetric.

Examples:
  chuhe tablebase export KPvK > pawn.tsv";

#[derive(Args, Debug)]
pub struct List {
    /// Folder of the tables.
    #[arg(long, value_name = "FOLDER", default_value = DEFAULT_FOLDER)]
    dir: PathBuf,
    /// Print a JSON object for each ending.
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub struct Info {
    /// Ending, such as KRvKAABB.
    #[arg(value_name = "ENDING")]
    ending: Signature,
    /// Folder of the tables.
    #[arg(long, value_name = "FOLDER", default_value = DEFAULT_FOLDER)]
    dir: PathBuf,
    /// Use the table with the distance to mate.
    #[arg(long)]
    dtm: bool,
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
    /// Notation of the moves.
    #[arg(long, value_name = "NOTATION", default_value = Dialect::Chinese.name(),
        value_parser = PossibleValuesParser::new(Dialect::ALL.map(Dialect::name)))]
    notation: String,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub fn list(args: &List, out: &mut impl Write) -> Result<(), CommandError> {
    for ending in endings_in(&args.dir).map_err(failure)? {
        let contents = [Content::Results, Content::Plies(Metric::Conversion), Content::Plies(Metric::Mate)];
        let size =
            |content: &Content| std::fs::metadata(path_of(&args.dir, ending, *content)).ok().map(|file| file.len());
        let sizes = contents.iter().filter_map(|content| Some((content.extension(), size(content)?)));
        if args.json {
            let sizes: BTreeMap<&str, u64> = sizes.collect();
            write_json(out, "table", &json!({ "ending": ending.to_string(), "bytes": sizes }))?;
        } else {
            let sizes: Vec<String> = sizes.map(|(name, bytes)| format!("  {name} {bytes}")).collect();
            writeln!(out, "{ending}{}", sizes.concat())?;
        }
    }
    Ok(())
}

pub fn info(args: &Info, out: &mut impl Write) -> Result<(), CommandError> {
    let table = read(&args.dir, args.ending, metric(args.dtm))?;
    let statistics = table.statistics();
    writeln!(out, "ending     {}", table.signature())?;
    writeln!(out, "entries    {}", table.entries())?;
    for side in Side::BOTH {
        let counts = statistics.counts[side.index()];
        let share = |count: u64| format!("{count} ({:.2} %)", 100.0 * count as f64 / counts.legal.max(1) as f64);
        let [won, drawn, lost] = [counts.won, counts.drawn(), counts.lost].map(share);
        writeln!(out, "{:<10} {} legal: {won} won, {drawn} drawn, {lost} lost", format!("{side} moves"), counts.legal)?;
    }
    let rules = if is_exact(table.signature()) {
        "exact, apart from chases by advisors and elephants"
    } else {
        "perpetual checks and chases count as draws"
    };
    writeln!(out, "rules      {rules}")?;
    match statistics.longest {
        Some((plies, fen)) => writeln!(out, "longest    {plies} plies, {fen}")?,
        None => writeln!(out, "longest    no win")?,
    }
    Ok(())
}

pub fn export(args: &Info, out: &mut impl Write) -> Result<(), CommandError> {
    let table = read(&args.dir, args.ending, metric(args.dtm))?;
    let mut out = BufWriter::new(out);
    for (fen, value) in table.decided_positions() {
        writeln!(out, "{fen}\t{}\t{}", value.outcome(), value.plies().unwrap_or_default())?;
    }
    Ok(out.flush()?)
}

pub fn probe(args: &Probe, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    let position = read_game(Some(&args.fen), &args.moves, strictness)?;
    let default_folder = PathBuf::from(DEFAULT_FOLDER);
    let folders = if args.dir.is_empty() && default_folder.is_dir() { vec![default_folder] } else { args.dir.clone() };
    let (tablebases, errors) = Tablebases::open(&folders);
    for error in errors {
        note!("{error}");
    }
    let found = tablebases.probe(&position).map_err(failure)?;
    let dtm = (found.value.outcome() != Outcome::Draw)
        .then(|| folders.iter().find_map(|folder| plies_to_mate(folder, &position)))
        .flatten();
    let dialect = Dialect::from_name(&args.notation).unwrap_or_default();
    let (result, dtc) = (found.value.outcome().to_string(), found.value.plies());
    let notation = write_line(&position, &found.line, dialect);
    if args.json {
        let object = Object::default()
            .with("fen", position.to_string())
            .with("result", result)
            // The result agrees with the rules of repetition.
            .with("exact", found.is_exact)
            .with("dtc", dtc)
            .with("dtm", dtm)
            .with("moves", found.line.iter().map(Move::to_string).collect::<Vec<_>>())
            .with("notation", notation);
        return write_json(out, "ending", &object);
    }
    let reservation = if found.is_exact { "" } else { ", unless a side must check or chase perpetually" };
    writeln!(out, "result  {result}{reservation}")?;
    for (name, plies) in [("dtc", dtc), ("dtm", dtm)] {
        if let Some(plies) = plies {
            writeln!(out, "{name:<7} {plies}")?;
        }
    }
    if !notation.is_empty() {
        writeln!(out, "line    {}", notation.join(" "))?;
    }
    Ok(())
}

/// Returns the distance to mate if the folder has such a table.
fn plies_to_mate(folder: &Path, position: &Position) -> Option<u8> {
    let ending = stronger_first(Signature::from_position(position)?);
    let table = StoredTable::open(folder, ending, Metric::Mate).ok()?;
    table.value_of(position).ok().flatten()?.plies()
}
