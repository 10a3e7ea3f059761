//! The files of a match: its journal and its games.

use std::collections::BTreeMap;
use std::path::Path;

use super::games::GamesFile;
use crate::console::error::CommandError;
use crate::console::progress::counted;
use crate::tools::matches::journal::{Entry, GameLine, Journal, JournalError, Past, Settings};
use crate::tools::matches::{GameRecord, Summary};

/// What is said of trouble with a file.
const GAMES_GO_ON: &str = "the games go on, and what is missing is tried again";

/// Keeps the games of a match.
pub(super) struct Keeper {
    journal: Option<Journal>,
    games: Option<GamesFile>,
    /// What could not be written the last time, so that the same trouble is told once.
    trouble: Option<String>,
}

impl Keeper {
    /// Opens the files, and tells which games were played before.
    pub fn open(
        journal: Option<&Path>,
        games: Option<&Path>,
        settings: impl FnOnce() -> Settings,
    ) -> Result<(Keeper, BTreeMap<u64, Summary>), CommandError> {
        if journal.is_some() && journal == games {
            return Err(CommandError::Mismatch("--resume and --pgn must name two files".to_owned()));
        }
        let opened = journal.map(|path| Journal::open(path, &settings()).map(|opened| (path, opened))).transpose()?;
        let (journal, past) = match opened {
            None => (None, Past::default()),
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
        let mut games = games.map(GamesFile::open).transpose()?;
        let trouble = games.as_mut().map_or(Ok(None), |games| games.complete(past.entries.into_values()))?;
        if let Some(trouble) = &trouble {
            eprintln!("chuhe: {trouble}; {GAMES_GO_ON}");
        }
        Ok((Keeper { journal, games, trouble }, past.games))
    }

    /// Adds a game, and returns what should be told about it. A game that cannot be written is tried again with the
    /// next.
    pub fn add(&mut self, record: &GameRecord, names: [&str; 2], tags: Vec<(String, String)>) -> Vec<String> {
        let text = self.games.as_ref().map(|_| GamesFile::text_of(&record.to_game(tags))).unwrap_or_default();
        // The journal first, with what the other file is to have: should the program end between the two, the game is
        // written when the match is taken up again. A game that the journal lacks is played again then, so the other file
        // must not have it.
        let journalled = self.journal.as_mut().map_or(Ok(()), |journal| {
            let file = self.games.as_ref().and_then(GamesFile::full_name);
            let entry = file.map(|file| Entry { file: file.to_owned(), text: text.clone() });
            journal.add(&GameLine::of(record, names).with_entry(entry))
        });
        let trouble = match (journalled, &mut self.games) {
            (Ok(()), Some(games)) => games.append(&text),
            (Ok(()), None) => None,
            (Err(error), games) => {
                games.iter_mut().for_each(|games| games.hold(&text));
                Some(error.to_string())
            }
        };
        let is_news = trouble != self.trouble;
        self.trouble = trouble;
        match &self.trouble {
            _ if !is_news => Vec::new(),
            Some(trouble) => vec![format!("{trouble}; {GAMES_GO_ON}")],
            None => vec!["the files can be written again, and nothing is missing".to_owned()],
        }
    }

    /// Fails when something could not be written to the end.
    pub fn close(mut self) -> Result<(), CommandError> {
        let Some(trouble) = self.trouble else { return Ok(()) };
        // There may be room by now.
        let journal = self.journal.as_mut().map_or(Ok(()), Journal::complete);
        let is_written = journal.is_ok() && self.games.as_mut().is_none_or(|games| games.append("").is_none());
        if is_written { Ok(()) } else { Err(CommandError::Lost(trouble)) }
    }
}

impl From<JournalError> for CommandError {
    fn from(error: JournalError) -> CommandError {
        match error {
            JournalError::File { path, error } => CommandError::File { path, error },
            other => CommandError::Mismatch(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;
    use crate::notation::game::GameResult;
    use crate::notation::openings::Opening;
    use crate::tools::matches::PlayedMove;

    const MOVES: [&str; 3] = ["h2e2", "h9g7", "h0g2"];

    fn record(number: u64) -> GameRecord {
        let moves = MOVES.map(|text| PlayedMove {
            mv: text.parse().unwrap(),
            score: Some(12),
            depth: Some(5),
            nodes: None,
            elapsed: Duration::from_millis(7),
            own_time: None,
        });
        let (opening, result, reason) = (Opening::default(), GameResult::Draw, "agreed".to_owned());
        GameRecord { number, opening, moves: moves.to_vec(), result, reason, fault: None }
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
        let mut ends = vec![fs::read(&games).unwrap().len()];
        let (mut keeper, _) = open(&journal, &games);
        for number in 0..3 {
            add(&mut keeper, number);
            ends.push(fs::read(&games).unwrap().len());
        }
        drop(keeper);
        let whole = fs::read(&games).unwrap();
        let whole_text = String::from_utf8(whole.clone()).unwrap();
        // Wherever the file of games ends, it lacks what the journal knows, be it several games on a full disk.
        for length in ends[0]..=whole.len() {
            fs::write(&games, &whole[..length]).unwrap();
            let (keeper, past) = open(&journal, &games);
            drop(keeper);
            assert_eq!(past, 3);
            let found = fs::read(&games).unwrap();
            if ends.contains(&length) {
                assert_eq!(found, whole, "cut to {length} bytes");
            }
            // What is torn stays, and whole games follow.
            assert!(found.starts_with(&whole[..length]), "cut to {length} bytes");
            let found_text = String::from_utf8_lossy(&found);
            for text in whole_text[ends[0]..].split_inclusive("\n1/2-1/2\n\n") {
                assert_eq!(found_text.matches(text.trim_end()).count(), 1, "cut to {length} bytes: {found_text}");
            }
            // And nothing is written twice.
            drop(open(&journal, &games));
            assert_eq!(fs::read(&games).unwrap(), found, "cut to {length} bytes");
        }
    }

    #[test]
    fn line_ends_of_other_systems_do_not_make_other_games() {
        let folder = tempfile::tempdir().unwrap();
        let [journal, games] = ["journal", "games"].map(|name| folder.path().join(name));
        let (mut keeper, _) = open(&journal, &games);
        (0..3).for_each(|number| add(&mut keeper, number));
        drop(keeper);
        let text = fs::read_to_string(&games).unwrap().replace('\n', "\r\n");
        fs::write(&games, &text).unwrap();
        drop(open(&journal, &games));
        assert_eq!(fs::read_to_string(&games).unwrap(), text);
    }

    #[test]
    fn other_files_of_games_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let [journal, games, other] = ["journal", "games", "other"].map(|name| folder.path().join(name));
        let (mut keeper, _) = open(&journal, &games);
        (0..3).for_each(|number| add(&mut keeper, number));
        drop(keeper);
        for text in ["", "Something else.\n"] {
            fs::write(&other, text).unwrap();
            assert_eq!(open(&journal, &other).1, 3);
            assert_eq!(fs::read_to_string(&other).unwrap(), text);
        }
        // Games of others before and behind are no matter, be they in another encoding.
        let own = fs::read(&games).unwrap();
        let around = [b"[Event \"\xd0\xbb\"]\n\n1. C2.5 *\n\n", own.as_slice(), b"[Event \"\"]\n\n*\n"];
        fs::write(&games, around.concat()).unwrap();
        drop(open(&journal, &games));
        assert_eq!(fs::read(&games).unwrap(), around.concat());
        // The same file by another name is the same file.
        let cut = fs::read(&games).unwrap().len() / 2;
        fs::write(&games, &fs::read(&games).unwrap()[..cut]).unwrap();
        drop(open(&journal, &folder.path().join(".").join("games")));
        assert!(fs::read(&games).unwrap().len() > cut);
    }
}
