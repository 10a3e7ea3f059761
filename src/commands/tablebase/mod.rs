//! The `tablebase` command.

mod build;
mod probe;

use std::io::{self, Write};
use std::path::Path;

use clap::Subcommand;

use crate::console::error::CommandError;
use crate::counting::Signature;
use crate::position::Strictness;
use crate::tablebase::{Metric, StoredTable, Table, TableError, needed_for, stronger_first};

/// Default folder of tables.
const DEFAULT_FOLDER: &str = "tables";

pub const HELP: &str = "\
An ending is named by the pieces of both sides, such as KRvKAABB: K R N C P A B for king, rook, horse, cannon,
pawn, advisor and elephant. The stronger side may come first or last. Endings with one attacker against a side
without attackers are built in if the attacker has no advisors or elephants.

Examples:
  chuhe tablebase build KRvKAABB KNPvKAABB --dir tables
  chuhe tablebase probe '3k5/9/9/9/9/9/9/9/9/4K3R w'
  chuhe tablebase verify KRvKAABB --dir tables";

/// Subcommands of `tablebase`.
#[derive(Subcommand, Debug)]
pub enum TablebaseTask {
    /// Solve endings and write their tables.
    #[command(after_help = build::BUILD_HELP)]
    Build(build::Build),
    /// List the tables of a folder.
    #[command(after_help = probe::LIST_HELP)]
    List(probe::List),
    /// Show the statistics of a table.
    #[command(after_help = probe::INFO_HELP)]
    Info(probe::Info),
    /// Show result, distance and best line of a position.
    #[command(after_help = probe::PROBE_HELP)]
    Probe(probe::Probe),
    /// Verify every value of a table against its successor positions.
    #[command(after_help = build::VERIFY_HELP)]
    Verify(build::Verify),
    /// Export a table as text, one position per line.
    #[command(after_help = probe::EXPORT_HELP)]
    Export(probe::Info),
}

/// Runs the command.
///
/// # Errors
/// [`CommandError`] if a table cannot be built, read or verified.
pub fn run(task: &TablebaseTask, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    match task {
        TablebaseTask::Build(args) => build::build(args),
        TablebaseTask::List(args) => probe::list(args, out),
        TablebaseTask::Info(args) => probe::info(args, out),
        TablebaseTask::Probe(args) => probe::probe(args, strictness, out),
        TablebaseTask::Verify(args) => build::verify(args, out),
        TablebaseTask::Export(args) => probe::export(args, out),
    }
}

fn metric(mate: bool) -> Metric {
    if mate { Metric::Mate } else { Metric::Conversion }
}

fn read(folder: &Path, ending: Signature, metric: Metric) -> Result<Table, CommandError> {
    needed_for(&[ending]).map_err(failure)?;
    let ending = stronger_first(ending);
    StoredTable::open(folder, ending, metric).and_then(StoredTable::read_all).map_err(|error| match error {
        TableError::File { error, .. } if error.kind() == io::ErrorKind::NotFound => {
            let dtm = if metric == Metric::Mate { " --dtm" } else { "" };
            let command = format!("chuhe tablebase build {ending} --dir {}{dtm}", folder.display());
            let fault = format!("there is no such table of {ending}; build it with '{command}'");
            CommandError::Unusable { path: folder.to_owned(), fault }
        }
        error => failure(error),
    })
}

fn failure(error: TableError) -> CommandError {
    match error {
        TableError::File { path, error } => CommandError::File { path, error },
        TableError::Unusable { .. } => CommandError::Failed(error.to_string()),
        error => CommandError::Mismatch(error.to_string()),
    }
}
