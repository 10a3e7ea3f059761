//! Scoring the games of a file anew.

use std::io;
use std::path::Path;

use super::{Faults, Search, refuse_same, run, unreadable};
use crate::console::error::CommandError;
use crate::console::progress::counted;
use crate::rules::RuleSet;
use crate::tools::datagen::{Relabelling, Searching, Source};

/// Writes the games of a file with new scores, those that are not written yet.
pub fn relabel(path: &Path, search: &Search, out: &Path) -> Result<(), CommandError> {
    refuse_same(path, out)?;
    // What is no file cannot be read twice.
    if path.exists() && !path.is_file() {
        let error = io::Error::other("it is no ordinary file");
        return Err(CommandError::File { path: path.to_owned(), error });
    }
    // What cannot be searched by is told of before games are read.
    let usual = search.searching(RuleSet::default())?;
    let mut faults = Faults { path, count: 0 };
    let source = Source::read(path, &mut |fault| faults.tell(&fault)).map_err(|error| unreadable(path, error))?;
    let faulty = faults.count;
    faults.close();
    let games = source.origin().games;
    if games == 0 {
        return Err(CommandError::NoGame { path: path.to_owned() });
    }
    if faulty > 0 {
        eprintln!("chuhe: {}: {} can be scored anew", path.display(), counted(games, "game"));
    }
    let searching = Searching { rules: search.rules.or(source.rules()).unwrap_or_default(), ..usual };
    run::make(&Relabelling::new(source, &searching, search.shard, search.threads()), out)
}
