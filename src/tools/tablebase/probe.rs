//! What tables say: of a folder, of an ending, of a position.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;

use super::{USUAL_FOLDER, metric, read, unusable};
use crate::console::error::CommandError;
use crate::console::input::read_game;
use crate::counting::Signature;
use crate::notation::{Dialect, write};
use crate::position::{Position, Strictness};
use crate::tablebase::{
    Content, Metric, Outcome, ProbeError, StoredTable, Tablebases, endings_in, is_exact, path_of, stronger_first,
};
use crate::types::{Move, Side};

/// What stands below the options in the help.
pub const LIST_HELP: &str = "\
Examples:
  chuhe tablebase list
  chuhe tablebase list --dir tables";

/// What stands below the options in the help.
pub const INFO_HELP: &str = "\
Mirror images are counted once, but where the larger group of king and defenders is its own image.

Examples:
  chuhe tablebase info KRvKAABB
  chuhe tablebase info KNvKAA --dir tables --dtm";

/// What stands below the options in the help.
pub const PROBE_HELP: &str = "\
The result is that of the side to move. 'dtc' counts the plies to the next capture that wins, or to mate; 'dtm' those
to mate, where such tables are there. The natural move limit is not regarded.

Examples:
  chuhe tablebase probe '3k5/9/9/9/9/9/9/9/9/4K3R w'
  chuhe tablebase probe '3ak4/9/4b4/9/9/9/4R4/9/9/4K4 b' --dir tables --json";

/// What stands below the options in the help.
pub const EXPORT_HELP: &str = "\
A line has the FEN, the result for the side to move and the plies, with tabs between. Drawn positions are left out,
and so are mirror images, but where the larger group of king and defenders is its own image.

Examples:
  chuhe tablebase export KPvK > pawn.tsv";

/// What `tablebase list` is asked for.
#[derive(Args, Debug)]
pub struct List {
    /// Where the tables are.
    #[arg(long, value_name = "FOLDER", default_value = USUAL_FOLDER)]
    dir: PathBuf,
}

/// What `tablebase info` is asked for.
#[derive(Args, Debug)]
pub struct Info {
    /// The ending, such as KRvKAABB.
    #[arg(value_name = "ENDING")]
    ending: Signature,
    /// Where the tables are.
    #[arg(long, value_name = "FOLDER", default_value = USUAL_FOLDER)]
    dir: PathBuf,
    /// Look at the table that counts plies to mate.
    #[arg(long)]
    dtm: bool,
}

/// What `tablebase export` is asked for.
#[derive(Args, Debug)]
pub struct Export {
    #[command(flatten)]
    table: Info,
}

/// What `tablebase probe` is asked for.
#[derive(Args, Debug)]
pub struct Probe {
    /// The position before the first move; 'startpos' is the start of the game.
    fen: String,
    /// The moves played, such as h2e2.
    moves: Vec<String>,
    /// Where the tables are; may be named several times. 'tables', if it is there, unless told otherwise.
    #[arg(long, value_name = "FOLDER")]
    dir: Vec<PathBuf>,
    /// How moves are written.
    #[arg(long, value_name = "NOTATION", default_value = Dialect::Chinese.name(),
        value_parser = PossibleValuesParser::new(Dialect::ALL.map(Dialect::name)))]
    notation: String,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Lists the tables of a folder.
pub fn list(wanted: &List, out: &mut impl Write) -> Result<(), CommandError> {
    for ending in endings_in(&wanted.dir).map_err(|error| unusable(&wanted.dir, error))? {
        let contents = [Content::Results, Content::Plies(Metric::Conversion), Content::Plies(Metric::Mate)];
        write!(out, "{ending}")?;
        for content in contents {
            if let Ok(file) = std::fs::metadata(path_of(&wanted.dir, ending, content)) {
                write!(out, "  {} {}", content.extension(), file.len())?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Tells what is in a table.
pub fn info(wanted: &Info, out: &mut impl Write) -> Result<(), CommandError> {
    let table = read(&wanted.dir, wanted.ending, metric(wanted.dtm))?;
    let statistics = table.statistics();
    writeln!(out, "ending     {}", table.signature())?;
    writeln!(out, "entries    {}", table.entries())?;
    for side in Side::BOTH {
        let (wins, losses) = (statistics.wins[side.index()], statistics.losses[side.index()]);
        writeln!(out, "{:<10} {wins} won, {losses} lost", format!("{side} moves"))?;
    }
    let rules = if is_exact(table.signature()) {
        "exact, chases by advisors and elephants left aside"
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

/// Writes the decided positions of a table.
pub fn export(wanted: &Export, out: &mut impl Write) -> Result<(), CommandError> {
    let Info { ending, dir, dtm } = &wanted.table;
    let table = read(dir, *ending, metric(*dtm))?;
    let mut out = BufWriter::new(out);
    for (fen, value) in table.decided_positions() {
        writeln!(out, "{fen}\t{}\t{}", value.outcome(), value.plies().unwrap_or_default())?;
    }
    out.flush()?;
    Ok(())
}

/// The answer as JSON.
#[derive(Serialize)]
struct Answer {
    fen: String,
    result: String,
    /// Whether the rules of repetition say the same.
    exact: bool,
    dtc: Option<u8>,
    dtm: Option<u8>,
    line: Vec<String>,
}

/// Looks a position up.
pub fn probe(wanted: &Probe, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    let position = read_game(Some(&wanted.fen), &wanted.moves, strictness)?;
    let usual = PathBuf::from(USUAL_FOLDER);
    let folders = if wanted.dir.is_empty() && usual.is_dir() { vec![usual] } else { wanted.dir.clone() };
    let (shelf, faults) = Tablebases::open(&folders);
    for fault in faults {
        eprintln!("chuhe: {fault}");
    }
    let found = shelf.probe(&position).map_err(|error| no_value(&error))?;
    let mate = (found.value.outcome() != Outcome::Draw)
        .then(|| folders.iter().find_map(|folder| plies_to_mate(folder, &position)))
        .flatten();
    let dialect = Dialect::from_name(&wanted.notation).unwrap_or_default();
    let answer = Answer {
        fen: position.to_string(),
        result: found.value.outcome().to_string(),
        exact: found.is_exact,
        dtc: found.value.plies(),
        dtm: mate,
        line: line(&position, &found.line, dialect),
    };
    if wanted.json {
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        return Ok(());
    }
    let doubt = if found.is_exact { "" } else { ", unless somebody must check or chase for ever" };
    writeln!(out, "result  {}{doubt}", answer.result)?;
    for (name, plies) in [("dtc", answer.dtc), ("dtm", answer.dtm)] {
        if let Some(plies) = plies {
            writeln!(out, "{name:<7} {plies}")?;
        }
    }
    if !answer.line.is_empty() {
        writeln!(out, "line    {}", answer.line.join(" "))?;
    }
    Ok(())
}

fn no_value(error: &ProbeError) -> CommandError {
    CommandError::Mismatch(error.to_string())
}

/// The plies to mate, where a folder has such a table.
fn plies_to_mate(folder: &std::path::Path, position: &Position) -> Option<u8> {
    let ending = stronger_first(Signature::of(position)?).0;
    let table = StoredTable::open(folder, ending, Metric::Mate).ok()?;
    table.value_of(position).ok().flatten()?.plies()
}

fn line(position: &Position, moves: &[Move], dialect: Dialect) -> Vec<String> {
    let mut position = position.clone();
    moves
        .iter()
        .map(|&mv| {
            let text = write(&position, mv, dialect);
            position.make(mv);
            text
        })
        .collect()
}
