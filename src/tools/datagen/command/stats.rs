//! Showing what there is in files of games.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use super::{Faults, open};
use crate::console::error::CommandError;
use crate::tools::datagen::stats::Stats;

/// Counts the games of all files together. Records that are no games are told of and left out.
pub fn show(paths: &[PathBuf], out: &mut impl Write) -> Result<(), CommandError> {
    let mut stats = Stats::default();
    let mut faulty = 0;
    for path in paths {
        let reader = open(path)?;
        let settings = reader.header().map_or("(damaged)", |header| header.settings.as_str());
        writeln!(out, "{}: {}", path.display(), printable(settings))?;
        let mut faults = Faults { path, count: 0 };
        for record in reader {
            match record {
                Ok(record) => stats.add(&record),
                Err(error) => faults.tell(&error),
            }
        }
        faulty += faults.count;
        faults.close();
        stats.add_bytes(fs::metadata(path).map_err(|error| CommandError::File { path: path.clone(), error })?.len());
    }
    writeln!(out, "\n{}", stats.to_string().trim_end())?;
    if faulty > 0 {
        writeln!(out, "\n{faulty} faulty records left out")?;
    }
    Ok(())
}

/// A text from a file without what moves the cursor.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
