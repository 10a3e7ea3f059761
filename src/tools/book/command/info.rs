//! What a book is made of.

use std::io::Write;
use std::path::Path;

use super::open;
use crate::book::VERSION;
use crate::console::error::CommandError;

/// Shows it.
pub fn show(path: Option<&Path>, out: &mut impl Write) -> Result<(), CommandError> {
    let book = open(path)?;
    let (mut positions, mut verified, mut learned, mut last) = (0_u64, 0_u64, 0_u64, None);
    let mut games = 0;
    for record in book.records() {
        positions += u64::from(last != Some(record.key));
        last = Some(record.key);
        verified += u64::from(record.is_verified);
        learned += u64::from(record.delta != 0);
        games = games.max(record.statistics.games());
    }
    let name = path.map_or_else(|| "that of the program".to_owned(), |path| path.display().to_string());
    writeln!(out, "book       {name}")?;
    writeln!(out, "format     {VERSION}")?;
    writeln!(out, "bytes      {}", book.bytes().len())?;
    writeln!(out, "positions  {positions}")?;
    writeln!(out, "moves      {}", book.len())?;
    writeln!(out, "verified   {verified}")?;
    writeln!(out, "learned    {learned}")?;
    writeln!(out, "most games {games}")?;
    let plain = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    for (index, line) in book.provenance().lines().enumerate() {
        let line: String = line.chars().map(plain).collect();
        writeln!(out, "{} {line}", if index == 0 { "origin    " } else { "          " })?;
    }
    Ok(())
}
