//! The files of a match: its journal and its games.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crate::cli::failure::Failure;
use crate::cli::news::counted;
use crate::notation::Dialect;
use crate::notation::format::Format;
use crate::tools::tournament::journal::{Entry, GameLine, Journal, JournalError, Settings};
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
        let (mut journal, past) = match opened {
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
        let games = games.map(|path| open_games(path, journal.as_mut())).transpose()?;
        Ok((Keeper { journal, games, trouble: None }, past.games))
    }

    /// Adds a game, and returns what should be told about it. A game that cannot be written is tried again with the
    /// next.
    pub fn add(&mut self, record: &GameRecord, names: [&str; 2], tags: Vec<(String, String)>) -> Vec<String> {
        let mut text = Vec::new();
        let mut troubles = Vec::new();
        if self.games.is_some() {
            let written = Format::Pgn.write(&mut text, &record.to_game(tags), Dialect::Iccs);
            troubles.extend(written.err().map(|error| error.to_string()));
        }
        // The journal first, with what the other file will have: should the program end between the two, no game is
        // played twice, and none is missing there once the match is taken up again.
        if let Some(journal) = &mut self.journal {
            let start = self.games.as_ref().and_then(Ledger::end);
            let entry = start.map(|start| Entry { start, text: String::from_utf8_lossy(&text).into_owned() });
            troubles.extend(
                journal.add(&GameLine::of(record, names).with_entry(entry)).err().map(|error| error.to_string()),
            );
        }
        if let Some(games) = &mut self.games
            && let Err(error) = games.append(&text)
        {
            troubles.push(format!("{}: {error}", games.path().display()));
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

/// Opens a file of games to add to it, and writes what the journal tells that it lacks. A game torn off at its end that
/// is not of this match stays, but the next one begins on a line of its own.
fn open_games(path: &Path, journal: Option<&mut Journal>) -> Result<Ledger, Failure> {
    let failed = |error: io::Error| Failure::File { path: path.to_owned(), error };
    let mut games = Ledger::open(path).map_err(failed)?;
    if let Some(journal) = journal {
        complete(&mut games, journal).map_err(failed)?;
    }
    if games.ends_within_line().map_err(failed)? {
        games.append(b"\n\n").map_err(failed)?;
    }
    Ok(games)
}

/// Writes the entries that the program did not come to write, or not as a whole.
fn complete(games: &mut Ledger, journal: &mut Journal) -> io::Result<()> {
    let Some(length) = games.end() else { return Ok(()) };
    for Entry { start, text } in journal.entries_beyond(length)? {
        // Where the file ends before, or has something else there, it is another one.
        let there = if games.end().is_some_and(|end| end >= start) { games.read_from(start)? } else { continue };
        if let Some(missing) = text.as_bytes().strip_prefix(there.as_slice()) {
            games.append(missing)?;
        }
    }
    Ok(())
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Failure {
        match error {
            JournalError::File { path, error } => Failure::File { path, error },
            other => Failure::Mismatch(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::notation::game::GameResult;
    use crate::notation::openings::Opening;

    fn record(number: u64) -> GameRecord {
        let (moves, result) = (Vec::new(), GameResult::Draw);
        GameRecord { number, opening: Opening::default(), moves, result, reason: "agreed".to_owned(), fault: None }
    }

    fn open(journal: &Path, games: &Path) -> (Keeper, usize) {
        let (keeper, past) = Keeper::open(Some(journal), Some(games), Settings::default).unwrap();
        (keeper, past.len())
    }

    fn add(keeper: &mut Keeper, number: u64) {
        let round = ("Round".to_owned(), (number + 1).to_string());
        assert!(keeper.add(&record(number), ["A", "B"], vec![round]).is_empty());
    }

    #[test]
    fn games_that_were_not_written_before_the_end_are_written_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let [journal, games] = ["journal", "games"].map(|name| folder.path().join(name));
        fs::write(&games, "What was there before.\n\n").unwrap();
        let mut lengths = Vec::new();
        let (mut keeper, _) = open(&journal, &games);
        for number in 0..3 {
            lengths.push(fs::read(&games).unwrap().len());
            add(&mut keeper, number);
        }
        drop(keeper);
        let whole = fs::read(&games).unwrap();
        // Wherever the file of games ends, it lacks what the journal knows, be it several games on a full disk.
        for length in lengths[0]..=whole.len() {
            fs::write(&games, &whole[..length]).unwrap();
            let (keeper, past) = open(&journal, &games);
            drop(keeper);
            assert_eq!((past, fs::read(&games).unwrap() == whole), (3, true), "cut to {length} bytes");
        }
        // Another game follows as ever.
        add(&mut open(&journal, &games).0, 3);
        let four = fs::read(&games).unwrap();
        assert!(four.starts_with(&whole) && String::from_utf8_lossy(&four[whole.len()..]).contains("[Round \"4\"]"));
    }

    #[test]
    fn other_files_of_games_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let [journal, games] = ["journal", "games"].map(|name| folder.path().join(name));
        fs::write(&games, "What was there before.\n\n").unwrap();
        let (mut keeper, _) = open(&journal, &games);
        (0..3).for_each(|number| add(&mut keeper, number));
        drop(keeper);
        for other in ["", "Shorter.\n", &"As long as the first game.\n".repeat(3), &"Longer.\n".repeat(1000)] {
            fs::write(&games, other).unwrap();
            assert_eq!(open(&journal, &games).1, 3);
            assert_eq!(fs::read_to_string(&games).unwrap(), other);
        }
    }
}
