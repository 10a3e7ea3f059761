//! The `tablebase` command: what is wanted, and who does it.

mod build;
mod probe;
mod verify;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Subcommand;

use crate::console::error::CommandError;
use crate::counting::Signature;
use crate::position::Strictness;
use crate::tablebase::{Metric, StoreError, StoredTable, Table, stronger_first};

/// Where tables go and are looked for unless told otherwise.
const USUAL_FOLDER: &str = "tables";

/// What stands below the commands in the help.
pub const HELP: &str = "\
An ending is written as the men of both sides, KRvKAABB: K R N C P A B for king, rook, horse, cannon, pawn,
advisor and elephant. The side with the stronger men may stand first or last. Endings with one attacker and a
bare king beside it are known without any files.

Examples:
  chuhe tablebase build KRvKAABB KNPvKAABB --dir tables
  chuhe tablebase probe '3k5/9/9/9/9/9/9/9/9/4K3R w'
  chuhe tablebase verify KRvKAABB --dir tables";

/// What `tablebase` is asked for.
#[derive(Subcommand, Debug)]
pub enum TablebaseTask {
    /// Solve endings and write their tables.
    #[command(after_help = build::HELP)]
    Build(build::Build),
    /// Show which tables a folder has.
    #[command(after_help = probe::LIST_HELP)]
    List(probe::List),
    /// Show what is in the table of an ending.
    #[command(after_help = probe::INFO_HELP)]
    Info(probe::Info),
    /// Show who wins a position, how soon, and how.
    #[command(after_help = probe::PROBE_HELP)]
    Probe(probe::Probe),
    /// Check every value of a table by the moves of its position.
    #[command(after_help = verify::HELP)]
    Verify(verify::Verify),
    /// Write a table as text, a position a line.
    #[command(after_help = probe::EXPORT_HELP)]
    Export(probe::Export),
}

/// Does what the task asks for.
///
/// # Errors
/// [`CommandError`] says what went wrong.
pub fn run(task: &TablebaseTask, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    match task {
        TablebaseTask::Build(wanted) => build::build(wanted),
        TablebaseTask::List(wanted) => probe::list(wanted, out),
        TablebaseTask::Info(wanted) => probe::info(wanted, out),
        TablebaseTask::Probe(wanted) => probe::probe(wanted, strictness, out),
        TablebaseTask::Verify(wanted) => verify::verify(wanted, out),
        TablebaseTask::Export(wanted) => probe::export(wanted, out),
    }
}

/// What plies are counted to.
fn metric(mate: bool) -> Metric {
    if mate { Metric::Mate } else { Metric::Conversion }
}

/// As many threads as were asked for, or as there are cores.
fn threads(wanted: Option<usize>) -> usize {
    wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1)
}

/// Reads the table of an ending.
fn read(folder: &Path, ending: Signature, metric: Metric) -> Result<Table, CommandError> {
    StoredTable::open(folder, stronger_first(ending).0, metric)
        .and_then(StoredTable::read_all)
        .map_err(|error| unusable(folder, error))
}

/// Why a table is of no use.
fn unusable(folder: &Path, error: StoreError) -> CommandError {
    match error {
        StoreError::Io { path, source } => CommandError::File { path, error: source },
        other => CommandError::Unusable { path: PathBuf::from(folder), fault: other.to_string() },
    }
}
