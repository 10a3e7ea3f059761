//! Making one book of several.

use std::path::PathBuf;

use clap::Args;

use super::{open, save};
use crate::book::{Record, merge};
use crate::console::error::CommandError;

/// What stands below the options in the help.
pub const HELP: &str = "\
In positions that several books have, the games of each move are added up and the weights computed anew;
where a move has no games, because its book counts none, the larger weight of each move stays. What was
learned (delta) is added up. All other positions stay as they are. A book that is given twice counts twice.

Example:
  chuhe book merge own.book other.book --out both.book";

/// What `book merge` is asked for.
#[derive(Args, Debug)]
pub struct Merge {
    /// The books.
    #[arg(value_name = "BOOK", required = true, num_args = 2..)]
    books: Vec<PathBuf>,
    /// Write the book to this file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// What the book is to say of its origin; by default what the others say, each in turn.
    #[arg(long, value_name = "TEXT")]
    provenance: Option<String>,
}

/// Merges books.
pub fn merge_books(wanted: &Merge) -> Result<(), CommandError> {
    let (mut records, mut origins) = (Vec::<Record>::new(), Vec::<String>::new());
    for path in &wanted.books {
        let book = open(Some(path))?;
        let own: Vec<Record> = book.records().collect();
        records = merge(&records, &own);
        if !book.provenance().is_empty() && !origins.iter().any(|origin| origin == book.provenance()) {
            origins.push(book.provenance().to_owned());
        }
    }
    let provenance = wanted.provenance.clone().unwrap_or_else(|| origins.join("\n"));
    save(&wanted.out, &records, &provenance)
}
