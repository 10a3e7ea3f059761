//! Books as text.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::open;
use crate::book::export;
use crate::console::error::CommandError;
use crate::util::atomic_file::write_atomically;

/// What stands below the options in the help.
pub const HELP: &str = "\
The first line is 'chuhe book 1', the second the origin as a JSON string. A line for each move follows:
key of the position, move, wins, draws and losses of the side to move, weight, and what else there is.
'chuhe book import' makes the same book of it, byte for byte.

Examples:
  chuhe book export --out default.txt
  chuhe book export own.book | less";

/// What `book export` is asked for.
#[derive(Args, Debug)]
pub struct Export {
    /// The book.
    book: Option<PathBuf>,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Writes a book as text.
pub fn export_book(wanted: &Export, out: &mut impl Write) -> Result<(), CommandError> {
    let text = export(&open(wanted.book.as_deref())?);
    match &wanted.out {
        None => out.write_all(text.as_bytes())?,
        Some(path) => {
            let in_file = |error| CommandError::File { path: path.clone(), error };
            write_atomically(path, text.as_bytes()).map_err(in_file)?;
        }
    }
    Ok(())
}
