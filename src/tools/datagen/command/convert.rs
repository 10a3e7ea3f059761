//! Conversion of game files to and from text, and their statistics.

use std::fs;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{Faults, open, refuse_same};
use crate::console::error::CommandError;
use crate::console::progress::counted;
use crate::position::Strictness;
use crate::tools::datagen::stats::Stats;
use crate::tools::datagen::text::{TextReader, settings_line, write_game};
use crate::tools::datagen::{GameReader, GameWriter};
use crate::util::atomic_file::replace;

/// Name of standard input and output.
const STREAM: &str = "-";

/// Writes a game file as text. Damaged records are reported and left out.
pub fn to_text(input: &Path, output: &Path, out: &mut impl Write) -> Result<(), CommandError> {
    refuse_same(input, output)?;
    let reader = open(input)?;
    let mut faults = Faults { path: input, count: 0 };
    if output.as_os_str() == STREAM {
        let mut out = BufWriter::new(out);
        write_all(reader, &mut faults, &mut out)?;
        out.flush()?;
    } else {
        let in_output = |error| CommandError::File { path: output.to_owned(), error };
        let games = replace(output, in_output, |out| write_all(reader, &mut faults, out).map_err(in_output), |_| true)?;
        eprintln!("chuhe: {} written to {}", counted(games, "game"), output.display());
    }
    faults.finish();
    Ok(())
}

fn write_all(reader: GameReader<File>, faults: &mut Faults, mut out: &mut dyn Write) -> io::Result<u64> {
    if let Some(header) = reader.header() {
        writeln!(out, "{}", settings_line(&printable(&header.settings)))?;
    }
    let mut games = 0;
    for record in reader {
        match record {
            Ok(record) => {
                write_game(&mut out, &record)?;
                games += 1;
            }
            Err(error) => faults.report(&error),
        }
    }
    Ok(games)
}

/// Writes a text as a game file. Faulty lines are reported and left out.
pub fn from_text(input: &Path, output: &Path, strictness: Strictness) -> Result<(), CommandError> {
    refuse_same(input, output)?;
    let in_input = |error| CommandError::File { path: input.to_owned(), error };
    let text: Box<dyn BufRead> = if input.as_os_str() == STREAM {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(input).map_err(in_input)?))
    };
    let in_output = |error| CommandError::File { path: output.to_owned(), error };
    let unusable = |fault: String| CommandError::Unusable { path: input.to_owned(), fault };
    let games = TextReader::new(text, strictness).map_err(|error| unusable(error.to_string()))?;
    let settings = games.settings().unwrap_or("{}").to_owned();
    let mut faults = Faults { path: input, count: 0 };
    let write = |out: &mut dyn Write| {
        let mut writer = GameWriter::new(out, &settings).map_err(in_output)?;
        let mut written = 0;
        for game in games {
            match game {
                Ok(record) => match writer.write(&record) {
                    Ok(()) => written += 1,
                    Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                        faults.report(&format!("game {}: {error}", record.number));
                    }
                    Err(error) => return Err(in_output(error)),
                },
                Err(error) if error.is_read_error() => return Err(unusable(error.to_string())),
                Err(error) => faults.report(&error),
            }
        }
        Ok(written)
    };
    let is_wanted = |&games: &u64| games > 0;
    let written = replace(output, in_output, write, is_wanted)?;
    let faulty = faults.count;
    faults.finish();
    if written == 0 {
        return Err(CommandError::NoGame { path: input.to_owned() });
    }
    let left_out = if faulty > 0 { format!(", {} left out", counted(faulty, "line")) } else { String::new() };
    eprintln!("chuhe: {} written to {}{left_out}", counted(written, "game"), output.display());
    Ok(())
}

/// Prints statistics over the games of all files. Damaged records are reported and left out.
pub fn show_stats(paths: &[PathBuf], out: &mut impl Write) -> Result<(), CommandError> {
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
                Err(error) => faults.report(&error),
            }
        }
        faulty += faults.count;
        faults.finish();
        stats.add_bytes(fs::metadata(path).map_err(|error| CommandError::File { path: path.clone(), error })?.len());
    }
    writeln!(out, "\n{}", stats.to_string().trim_end())?;
    if faulty > 0 {
        writeln!(out, "\n{faulty} damaged records left out")?;
    }
    Ok(())
}

/// Returns a text from a file with control characters replaced.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
