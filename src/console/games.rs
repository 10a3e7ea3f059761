//! Games from files.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use crate::console::error::CommandError;
use crate::console::progress::counted;
use crate::notation::format::{BYTES_TO_DETECT, Format};
use crate::notation::game::Game;
use crate::position::Strictness;

/// The names of faulty games that are told one by one; the rest are only counted.
const FAULTS_NAMED: usize = 20;

/// Hands the games of a file to `take`, whatever the format. Games with faults are named and left out.
///
/// # Errors
/// When the file cannot be read or its format is not known.
pub fn read_games(path: &Path, strictness: Strictness, mut take: impl FnMut(&Game)) -> Result<(), CommandError> {
    let in_file = |error| CommandError::File { path: path.to_owned(), error };
    let mut reader = BufReader::new(File::open(path).map_err(in_file)?);
    let mut head = Vec::new();
    reader.by_ref().take(BYTES_TO_DETECT as u64).read_to_end(&mut head).map_err(in_file)?;
    let format = Format::detect(&head).or_else(|| Format::of_path(path));
    let format = format.ok_or_else(|| CommandError::UnknownFormat { path: path.to_owned() })?;
    let mut faults = 0;
    for game in format.games(BufReader::new(io::Cursor::new(head).chain(reader)), strictness) {
        match game {
            Ok(game) => take(&game),
            Err(error) if error.ends_the_file() => return Err(CommandError::Game { path: path.to_owned(), error }),
            Err(error) => {
                faults += 1;
                if faults <= FAULTS_NAMED {
                    eprintln!("chuhe: {}: {error}", path.display());
                }
            }
        }
    }
    if faults > 0 {
        eprintln!("chuhe: {}: {} left out", path.display(), counted(faults as u64, "game"));
    }
    Ok(())
}
