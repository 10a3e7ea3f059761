//! Books from text and from the books of other programs.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{save, save_bytes, unusable};
use crate::book::{Book, import};
use crate::console::error::CommandError;
use crate::console::progress::counted;
use crate::tools::book::foreign::{Bounds, ForeignBook, ForeignError, read_eleeye, walk};
use crate::util::atomic_file::check_writable;

/// What stands below the options in the help.
pub const HELP: &str = "\
The format is told by the end of the name: .dat is the book of ElephantEye, .obk one of Binghe, all else is
text. The lines of a text may stand in any order; empty ones and those that begin with # are passed over.

Books of other programs do not tell their positions. So their moves are looked for by playing: from the start
of the game along the moves of the book, and along all others that lead to a position of it. What cannot be
reached so is left out. Weights stay; in positions where every move has games they are told from those.

Books of Binghe are read by a program that was built with 'cargo build --release --features obk'. Their keys
are made of 3585 numbers that are no part of Chuhe: --keys names a text that has them, 16 hexadecimal digits
each, first that of Red's turn, then 256 for each man (帅仕相马车炮兵, then those of Black), from the corner
of Black's side beyond a9 on in rows of 16.

Examples:
  chuhe book import own.txt --out own.book
  chuhe book export own.book | grep -v ' 0 0 1 weight ' | chuhe book import - --out smaller.book
  chuhe book import BOOK.DAT --out eye.book
  chuhe book import some.obk --keys words.txt --out some.book";

/// What `book import` is asked for.
#[derive(Args, Debug)]
pub struct Import {
    /// The text or book; '-' is standard input.
    file: PathBuf,
    /// Write the book to this file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// What the file is, whatever its name.
    #[arg(long)]
    format: Option<ImportFormat>,
    /// The numbers of which the keys of a book of Binghe are made.
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Moves of another program's book are looked for up to this ply.
    #[arg(long, value_name = "PLIES", default_value_t = 400, value_parser = clap::value_parser!(u16).range(1..=400))]
    max_ply: u16,
    /// What the book is to say of the origin of another program's book; how it was made is added.
    #[arg(long, value_name = "TEXT", default_value = "")]
    provenance: String,
}

/// What a book can be made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ImportFormat {
    /// The text that `export` writes
    Text,
    /// BOOK.DAT of ElephantEye
    Eleeye,
    /// A book of Binghe
    Obk,
}

impl ImportFormat {
    /// What a file of this name is.
    fn of(path: &Path) -> ImportFormat {
        match path.extension() {
            Some(ending) if ending.eq_ignore_ascii_case("dat") => ImportFormat::Eleeye,
            Some(ending) if ending.eq_ignore_ascii_case("obk") => ImportFormat::Obk,
            _ => ImportFormat::Text,
        }
    }
}

/// Makes a book of a file.
pub fn import_book(wanted: &Import) -> Result<(), CommandError> {
    let path = &wanted.file;
    let unusable = |error: ForeignError| unusable(path, &error);
    let format = wanted.format.unwrap_or_else(|| ImportFormat::of(path));
    if wanted.keys.is_some() && format != ImportFormat::Obk {
        return Err(CommandError::Mismatch("--keys goes with books of Binghe only".to_owned()));
    }
    match format {
        ImportFormat::Text => import_text(wanted),
        ImportFormat::Eleeye => {
            let bytes = read(path)?;
            import_foreign(wanted, "ElephantEye", &read_eleeye(&bytes).map_err(unusable)?)
        }
        ImportFormat::Obk => import_foreign(wanted, "Binghe", &read_obk(wanted)?),
    }
}

/// Makes a book of a text.
fn import_text(wanted: &Import) -> Result<(), CommandError> {
    let path = &wanted.file;
    let text = String::from_utf8(read(path)?).map_err(|_| unusable(path, &"this is no text of UTF-8"))?;
    let bytes = import(&text).map_err(|error| unusable(path, &error))?;
    let book = Book::from_bytes(bytes).map_err(|error| unusable(path, &error))?;
    save_bytes(&wanted.out, book.bytes(), book.len())
}

/// Makes a book of that of another program.
fn import_foreign(wanted: &Import, program: &str, book: &ForeignBook) -> Result<(), CommandError> {
    let (path, out) = (&wanted.file, &wanted.out);
    check_writable(out).map_err(|error| CommandError::File { path: out.clone(), error })?;
    let bounds = Bounds { plies: usize::from(wanted.max_ply), ..Bounds::default() };
    let walked = walk(book, bounds);
    if walked.records.is_empty() {
        return Err(unusable(path, &"no move of it was found from the start of the game; nothing was written"));
    }
    let all = counted(book.len() as u64, "move");
    eprintln!("chuhe: {} of {all} of {} found", walked.found, path.display());
    if walked.is_cut_off {
        eprintln!("chuhe: more than {} positions; the rest was left out", bounds.positions);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut provenance = wanted.provenance.clone();
    if !provenance.is_empty() {
        provenance.push('\n');
    }
    let (found, plies) = (walked.found, wanted.max_ply);
    provenance
        .push_str(&format!("{found} of {all} of a book of {program}; chuhe book import {name} --max-ply {plies}"));
    save(out, &walked.records, &provenance)
}

#[cfg(feature = "obk")]
fn read_obk(wanted: &Import) -> Result<ForeignBook, CommandError> {
    use crate::tools::book::foreign::{read_binghe, read_keys};
    let path = &wanted.file;
    let Some(keys) = &wanted.keys else {
        let told = "a book of Binghe needs --keys, a file with the numbers of which its keys are made; see --help";
        return Err(CommandError::Mismatch(told.to_owned()));
    };
    let text = String::from_utf8_lossy(&read(keys)?).into_owned();
    let table = read_keys(&text).map_err(|error| unusable(keys, &error))?;
    // The database would not tell why a file cannot be opened.
    fs::File::open(path).map_err(|error| CommandError::File { path: path.clone(), error })?;
    read_binghe(path, table).map_err(|error| unusable(path, &error))
}

#[cfg(not(feature = "obk"))]
fn read_obk(_: &Import) -> Result<ForeignBook, CommandError> {
    let told = "this program was built without books of Binghe; build it with 'cargo build --release --features obk'";
    Err(CommandError::Mismatch(told.to_owned()))
}

fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    read.map_err(|error| CommandError::File { path: path.to_owned(), error })
}
