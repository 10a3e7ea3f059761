//! `book export` and `book import`.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{open, refuse_learning_book, save, save_bytes, unusable};
use crate::book::{Book, export, import};
use crate::commands::book::foreign::{Bounds, ForeignBook, ForeignError, read_eleeye, walk};
use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::input::{self, input_name, is_stream};
use crate::console::note;
use crate::console::output::refuse_replacing;
use crate::util::atomic_file::{check_writable, write_atomically};
use crate::util::read_limit::read_all;

/// Text below the options in the help.
pub const EXPORT_HELP: &str = "\
The first line is 'chuhe book 1', the second the origin as a JSON string. One line for each move follows:
key of the position, move, wins, draws and losses of the side to move, weight, delta and verification.
'chuhe book import' restores the same book from it, byte for byte.

Examples:
  chuhe book export --out default.txt
  chuhe book export own.book | less";

/// Arguments of `book export`.
#[derive(Args, Debug)]
pub struct Export {
    /// The book.
    book: Option<PathBuf>,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs `book export`.
pub fn export_book(args: &Export, out: &mut impl Write) -> Result<(), CommandError> {
    if let (Some(book), Some(out)) = (&args.book, &args.out) {
        refuse_replacing("--out", out, [book.as_path()])?;
    }
    if let Some(out) = &args.out {
        refuse_learning_book(out)?;
    }
    let text = export(&open(args.book.as_deref())?);
    match args.out.as_ref().filter(|out| !is_stream(out)) {
        None => out.write_all(text.as_bytes())?,
        Some(path) => {
            let in_file = |error| CommandError::File { path: path.clone(), error };
            write_atomically(path, text.as_bytes()).map_err(in_file)?;
        }
    }
    Ok(())
}

/// Text below the options in the help.
pub const IMPORT_HELP: &str = "\
The format follows from the extension: .dat is an ElephantEye book, .obk a Binghe book, anything else is text.
The lines of a text may have any order; empty lines and lines that begin with # are ignored.

Books of other programs store only hash keys of positions. Their moves are therefore found by playing: from
the start position along the moves of the book, and along all others that lead to a position of it. Moves that
cannot be reached are skipped. Weights are kept, or computed from games where all moves of a position have some.

Binghe books need a program built with 'cargo build --release --features obk'. Their hash keys are made from
3585 numbers that are not part of Chuhe: --keys names a text with these numbers, 16 hexadecimal digits each:
first that of Red to move, then 256 for each piece (帅仕相马车炮兵, then those of Black), in rows of 16 from
the corner beyond a9 on Black's side.

Examples:
  chuhe book import own.txt --out own.book
  chuhe book export own.book | grep -v ' 0 0 1 weight ' | chuhe book import - --out smaller.book
  chuhe book import BOOK.DAT --out eye.book
  chuhe book import some.obk --keys words.txt --out some.book";

/// Arguments of `book import`.
#[derive(Args, Debug)]
pub struct Import {
    /// Text or book to import; '-' is standard input.
    file: PathBuf,
    /// Write the book to this file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Format of the file, regardless of its name.
    #[arg(long)]
    format: Option<ImportFormat>,
    /// File with the numbers that make up the keys of a Binghe book.
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Maximum ply of the moves of another program's book.
    #[arg(long, value_name = "PLIES", default_value_t = 400, value_parser = clap::value_parser!(u16).range(1..=400))]
    max_ply: u16,
    /// Description of the origin of another program's book; the import settings are appended.
    #[arg(long, value_name = "TEXT", default_value = "")]
    provenance: String,
}

/// Format of an imported file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ImportFormat {
    /// Text written by `export`
    Text,
    /// ElephantEye (BOOK.DAT)
    Eleeye,
    /// Binghe (.obk)
    Obk,
}

impl ImportFormat {
    /// Returns the format that belongs to the extension.
    fn from_extension(path: &Path) -> ImportFormat {
        match path.extension() {
            Some(ending) if ending.eq_ignore_ascii_case("dat") => ImportFormat::Eleeye,
            Some(ending) if ending.eq_ignore_ascii_case("obk") => ImportFormat::Obk,
            _ => ImportFormat::Text,
        }
    }
}

/// Runs `book import`.
pub fn import_book(args: &Import) -> Result<(), CommandError> {
    let path = &args.file;
    refuse_learning_book(&args.out)?;
    refuse_replacing("--out", &args.out, [path.as_path()])?;
    let unusable = |error: ForeignError| unusable(path, &error);
    let format = args.format.unwrap_or_else(|| ImportFormat::from_extension(path));
    if args.keys.is_some() && format != ImportFormat::Obk {
        return Err(CommandError::Mismatch("--keys applies to Binghe books only".to_owned()));
    }
    match format {
        ImportFormat::Text => import_text(args),
        ImportFormat::Eleeye => {
            let bytes = read(path)?;
            import_foreign(args, "ElephantEye", &read_eleeye(&bytes).map_err(unusable)?)
        }
        ImportFormat::Obk => import_foreign(args, "Binghe", &read_obk(args)?),
    }
}

/// Imports a text.
fn import_text(args: &Import) -> Result<(), CommandError> {
    let path = &args.file;
    let text = String::from_utf8(read(path)?).map_err(|_| unusable(path, &"the file is not UTF-8 text"))?;
    let bytes = import(&text).map_err(|error| unusable(path, &error))?;
    let book = Book::from_bytes(bytes).map_err(|error| unusable(path, &error))?;
    save_bytes(&args.out, book.bytes(), book.len())
}

/// Imports a book of another program.
fn import_foreign(args: &Import, program: &str, book: &ForeignBook) -> Result<(), CommandError> {
    let (path, out) = (&args.file, &args.out);
    check_writable(out).map_err(|error| CommandError::File { path: out.clone(), error })?;
    let bounds = Bounds { plies: usize::from(args.max_ply), ..Bounds::default() };
    let walked = walk(book, bounds);
    if walked.records.is_empty() {
        return Err(unusable(
            path,
            &"nothing was written: no move of this book can be reached from the start position",
        ));
    }
    let total = counted(book.len() as u64, "move");
    note!("{} of {total} of {} found", walked.found, path.display());
    if walked.is_cut_off {
        note!("more than {} positions; the rest was skipped", bounds.positions);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut provenance = args.provenance.clone();
    if !provenance.is_empty() {
        provenance.push('\n');
    }
    let (found, plies) = (walked.found, args.max_ply);
    provenance
        .push_str(&format!("{found} of {total} of a book of {program}; chuhe book import {name} --max-ply {plies}"));
    save(out, &walked.records, &provenance)
}

#[cfg(feature = "obk")]
fn read_obk(args: &Import) -> Result<ForeignBook, CommandError> {
    use crate::commands::book::foreign::{read_binghe, read_keys};
    let path = &args.file;
    let Some(keys) = &args.keys else {
        let message = "a Binghe book needs --keys, a file with the numbers that make up its keys; see --help";
        return Err(CommandError::Mismatch(message.to_owned()));
    };
    let text = String::from_utf8_lossy(&read(keys)?).into_owned();
    let table = read_keys(&text).map_err(|error| unusable(keys, &error))?;
    // SQLite would not report why a file cannot be opened.
    std::fs::File::open(path).map_err(|error| CommandError::File { path: path.clone(), error })?;
    read_binghe(path, table).map_err(|error| unusable(path, &error))
}

#[cfg(not(feature = "obk"))]
fn read_obk(_: &Import) -> Result<ForeignBook, CommandError> {
    let message =
        "this program was built without support for Binghe books; build it with 'cargo build --release --features obk'";
    Err(CommandError::Mismatch(message.to_owned()))
}

/// Maximum size of an imported file in bytes.
const MAX_IMPORT_BYTES: u64 = 4 << 30;

fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    let read = input::open(path).and_then(|input| read_all(input, MAX_IMPORT_BYTES));
    read.map_err(|error| CommandError::File { path: input_name(path), error })
}
