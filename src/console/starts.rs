//! Starts of games from a file.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use crate::console::error::CommandError;
use crate::notation::openings::{Opening, OpeningReader};
use crate::position::Strictness;
use crate::rules::{Rules, Verdict};

/// The openings of a file. Those with a fault, and those after which the game is over under these rules, are told and
/// left out.
pub fn read_openings(path: &Path, strictness: Strictness, rules: Rules) -> Result<Vec<Opening>, CommandError> {
    let file = File::open(path).map_err(|error| CommandError::File { path: path.to_owned(), error })?;
    let mut openings = Vec::new();
    for opening in OpeningReader::new(BufReader::new(file), strictness).numbered() {
        let fault = match opening {
            Ok((number, opening)) => match rules.verdict(&opening.position()) {
                Verdict::Continue => {
                    openings.push(opening);
                    continue;
                }
                verdict => {
                    let reason = verdict.reason().map_or_else(String::new, |reason| format!(": {reason}"));
                    format!("line {number}: the game is over{reason}")
                }
            },
            Err(error) if error.ends_the_file() => return Err(CommandError::Game { path: path.to_owned(), error }),
            Err(error) => error.to_string(),
        };
        eprintln!("chuhe: {}: {fault}; this opening is left out", path.display());
    }
    if openings.is_empty() {
        return Err(CommandError::Unusable { path: path.to_owned(), fault: "there is no opening in it".to_owned() });
    }
    Ok(openings)
}
