//! The files of a match: its journal and its games.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crate::cli::failure::Failure;
use crate::cli::news::counted;
use crate::notation::Dialect;
use crate::notation::format::Format;
use crate::tools::tournament::journal::{GameLine, Journal, JournalError, Settings};
use crate::tools::tournament::{GameRecord, Ledger, Summary};

/// Keeps the games of a match.
pub(super) struct Keeper {
    journal: Option<Journal>,
    games: Option<Ledger>,
    /// What could not be written the last time, so that the same trouble is told once.
    trouble: Option<String>,
}

impl Keeper {
    /// Opens the files, and tells which games were played before.
    pub fn open(
        journal: Option<&Path>,
        games: Option<&Path>,
        settings: impl FnOnce() -> Settings,
    ) -> Result<(Keeper, BTreeMap<u64, Summary>), Failure> {
        if journal.is_some() && journal == games {
            return Err(Failure::Mismatch("--resume and --pgn must name two files".to_owned()));
        }
        let opened = journal.map(|path| Journal::open(path, &settings()).map(|opened| (path, opened))).transpose()?;
        let (journal, past) = match opened {
            None => (None, Default::default()),
            Some((path, (journal, past))) => {
                for line in &past.faulty_lines {
                    eprintln!("chuhe: {}: line {line} cannot be read and counts for nothing", path.display());
                }
                if past.repeated > 0 {
                    let games = counted(past.repeated, "game");
                    eprintln!("chuhe: {}: {games} there twice and counted once", path.display());
                }
                (Some(journal), past)
            }
        };
        Ok((Keeper { journal, games: games.map(open_games).transpose()?, trouble: None }, past.games))
    }

    /// Adds a game, and returns what should be told about it. A game that cannot be written is tried again with the
    /// next.
    pub fn add(&mut self, record: &GameRecord, names: [&str; 2], tags: Vec<(String, String)>) -> Vec<String> {
        let mut troubles = Vec::new();
        // The journal first: should the program end between the two, no game is played twice.
        if let Some(journal) = &mut self.journal
            && let Err(error) = journal.add(&GameLine::of(record, names))
        {
            troubles.push(error.to_string());
        }
        if let Some(ledger) = &mut self.games {
            let mut text = Vec::new();
            let written = Format::Pgn.write(&mut text, &record.to_game(tags), Dialect::Iccs);
            if let Err(error) = written.and_then(|()| ledger.append(&text)) {
                troubles.push(format!("{}: {error}", ledger.path().display()));
            }
        }
        let trouble = (!troubles.is_empty()).then(|| troubles.join("; "));
        let is_news = trouble != self.trouble;
        self.trouble = trouble;
        match &self.trouble {
            _ if !is_news => Vec::new(),
            Some(trouble) => vec![format!("{trouble}; the games go on, and what is missing is tried again")],
            None => vec!["the files can be written again, and nothing is missing".to_owned()],
        }
    }

    /// Fails when something could not be written to the end.
    pub fn close(mut self) -> Result<(), Failure> {
        let Some(trouble) = self.trouble else { return Ok(()) };
        // There may be room by now.
        let games = self.games.as_mut().map_or(Ok(()), |ledger| ledger.append(&[]));
        let journal = self.journal.as_mut().map_or(Ok(()), Journal::complete);
        if games.is_ok() && journal.is_ok() { Ok(()) } else { Err(Failure::Lost(trouble)) }
    }
}

/// Opens a file of games to add to it. A game torn off at its end stays, but the next one begins on a line of its own.
fn open_games(path: &Path) -> Result<Ledger, Failure> {
    let failed = |error: io::Error| Failure::File { path: path.to_owned(), error };
    let mut ledger = Ledger::open(path).map_err(failed)?;
    if ledger.ends_within_line().map_err(failed)? {
        ledger.append(b"\n\n").map_err(failed)?;
    }
    Ok(ledger)
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Failure {
        match error {
            JournalError::File { path, error } => Failure::File { path, error },
            other => Failure::Mismatch(other.to_string()),
        }
    }
}
