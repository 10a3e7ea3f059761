//! Books as text and back.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::{open, save_bytes, unusable};
use crate::book::{Book, export, import};
use crate::cli::failure::Failure;
use crate::files::write_atomically;

/// What stands below the options of `export` in the help.
pub const EXPORT_HELP: &str = "\
The first line is 'chuhe book 1', the second the origin as a JSON string. A line for each move follows:
key of the position, move, wins, draws and losses of the side to move, weight, and what else there is.
'chuhe book import' makes the same book of it, byte for byte.

Examples:
  chuhe book export --out default.txt
  chuhe book export own.book | less";

/// What stands below the options of `import` in the help.
pub const IMPORT_HELP: &str = "\
The lines of the text may stand in any order; empty ones and those that begin with # are passed over.

Examples:
  chuhe book import own.txt --out own.book
  chuhe book export own.book | grep -v ' 0 0 1 weight ' | chuhe book import - --out smaller.book";

/// What `book export` is asked for.
#[derive(Args, Debug)]
pub struct Export {
    /// The book.
    book: Option<PathBuf>,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What `book import` is asked for.
#[derive(Args, Debug)]
pub struct Import {
    /// The text; '-' is standard input.
    text: PathBuf,
    /// Write the book to this file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Writes a book as text.
pub fn export_book(wanted: &Export, out: &mut impl Write) -> Result<(), Failure> {
    let text = export(&open(wanted.book.as_deref())?);
    match &wanted.out {
        None => out.write_all(text.as_bytes())?,
        Some(path) => {
            let in_file = |error| Failure::File { path: path.clone(), error };
            write_atomically(path, text.as_bytes()).map_err(in_file)?;
        }
    }
    Ok(())
}

/// Makes a book of a text.
pub fn import_book(wanted: &Import) -> Result<(), Failure> {
    let path = &wanted.text;
    let text = read_text(path).map_err(|error| Failure::File { path: path.clone(), error })?;
    let bytes = import(&text).map_err(|error| unusable(path, &error))?;
    let book = Book::from_bytes(bytes).map_err(|error| unusable(path, &error))?;
    save_bytes(&wanted.out, book.bytes(), book.len())
}

fn read_text(path: &Path) -> io::Result<String> {
    if path.as_os_str() != "-" {
        return fs::read_to_string(path);
    }
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text)?;
    Ok(text)
}
