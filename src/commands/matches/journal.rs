//! Files of a match: the journal, and the games in PGN for other programs.
//!
//! Each game is written as soon as it ends, so an interrupted match can be resumed. A line of the journal that cannot
//! be read costs its game only, which is played again. So is a game that an engine was not started for. Concatenated
//! journals of the shards of a match are a journal of the match. A line also contains the text of the game for the PGN
//! file, which is written later if the program ended before.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use super::game::{Entry, GameRecord};
use crate::console::{CommandError, Result, counted, note, would_replace};
use crate::notation::Dialect;
use crate::notation::format::{BYTES_TO_DETECT, Format};
use crate::notation::game::{Game, GameResult};
use crate::util::record_file::{AppendLog, Kind, RecordFile, RecordFileError, Settings};

/// Format of journals. The maximum size is that of about 80,000 games, or 60,000 with their text for a PGN file.
const KIND: Kind = Kind { key: "chuhe_match", version: 1, work: "match", max_bytes: 2 << 30 };
const MAX_GAMES_BYTES: u64 = 4 << 30;

#[derive(Debug, Default)]
pub struct ResumeState {
    /// Finished games by number from 0; the last one of a number counts.
    pub games: BTreeMap<u64, GameRecord>,
    /// Number of games that an engine was not started for, and that are not among the finished ones.
    pub not_started: u64,
    pub faulty_lines: Vec<usize>,
    pub repeated: u64,
}

/// Creates a journal, or opens one with the same settings.
pub fn open(path: &Path, settings: &Settings) -> Result<(RecordFile, ResumeState), RecordFileError> {
    let mut state = ResumeState::default();
    let mut not_started = BTreeSet::new();
    let (file, faulty_lines) = RecordFile::open(KIND, path, settings, |record: GameRecord| {
        let Some(number) = record.game.checked_sub(1).filter(|_| record.result != GameResult::Unknown) else {
            return false;
        };
        if record.was_played() {
            state.repeated += u64::from(state.games.insert(number, record).is_some());
        } else {
            not_started.insert(number);
        }
        true
    })?;
    state.not_started = not_started.iter().filter(|number| !state.games.contains_key(number)).count() as u64;
    Ok((file, ResumeState { faulty_lines, ..state }))
}

#[derive(Default)]
pub(super) struct MatchFiles {
    journal: Option<RecordFile>,
    /// PGN file, to which other programs may have written as well.
    games: Option<AppendLog>,
    /// Canonical name of the PGN file; `None` if it is not regular, for example a pipe.
    games_name: Option<String>,
    /// Last write error, so that the same error is printed once.
    error: Option<String>,
}

impl MatchFiles {
    /// Opens the files, appends the games of the journal that the PGN file lacks, and returns those played before.
    pub fn open(
        journal: Option<&Path>,
        games: Option<&Path>,
        settings: impl FnOnce() -> Settings,
    ) -> Result<(MatchFiles, BTreeMap<u64, GameRecord>)> {
        if journal.zip(games).is_some_and(|(journal, games)| journal == games || would_replace(journal, games)) {
            return Err(CommandError::Mismatch("--resume and --pgn must name two files".to_owned()));
        }
        let (mut files, mut state) = (MatchFiles::default(), ResumeState::default());
        let content = games.map_or(Ok(Vec::new()), |path| files.open_games(path))?;
        if let Some(path) = journal {
            let (file, found) = open(path, &settings())?;
            (files.journal, state) = (Some(file), found);
            let name = path.display();
            for line in &state.faulty_lines {
                note!("{name}: line {line} cannot be read and is ignored");
            }
            if state.repeated > 0 {
                note!("{name}: {} there twice and counted once", counted(state.repeated, "game"));
            }
            if state.not_started > 0 {
                let games = counted(state.not_started, "game");
                note!("{name}: {games} that an engine was not started for: not counted");
            }
        }
        let (known, mut is_missing) = (games_in(&content), false);
        let entries = state.games.values_mut().filter_map(|record| record.entry.take());
        for Entry { text, .. } in entries.filter(|entry| Some(&entry.file) == files.games_name.as_ref()) {
            if let Some(games) = files.games.as_mut().filter(|_| !known.contains(text.trim_ascii().as_bytes())) {
                games.hold(text.as_bytes());
                is_missing = true;
            }
        }
        if let Some(message) = is_missing.then_some(&mut files).and_then(MatchFiles::write) {
            note!("{message}");
        }
        Ok((files, state.games))
    }

    /// Opens the PGN file and returns its content. An empty line ends a truncated game.
    fn open_games(&mut self, path: &Path) -> Result<Vec<u8>> {
        let in_file = |error| CommandError::File { path: path.to_owned(), error };
        let mut file = AppendLog::open(path).map_err(in_file)?;
        let content = without_returns(&file.read(MAX_GAMES_BYTES).map_err(in_file)?);
        if !is_pgn(&content) {
            let fault = "not a PGN file, so no games are appended to it; name another file for --pgn";
            return Err(CommandError::Mismatch(format!("{}: {fault}", path.display())));
        }
        file.hold(match content.as_slice() {
            [] | [.., b'\n', b'\n'] => b"",
            [.., b'\n'] => b"\n",
            _ => b"\n\n",
        });
        let name = file.is_regular().then(|| fs::canonicalize(path).ok()).flatten();
        self.games_name = name.map(|name| name.to_string_lossy().into_owned());
        self.games = Some(file);
        Ok(content)
    }

    /// Adds a game, which `game` converts for the PGN file, and returns a message for the user. What cannot be written
    /// now is written with the next game.
    pub fn add(&mut self, record: &mut GameRecord, game: impl FnOnce(&GameRecord) -> Game) -> Option<String> {
        // A game that was not played does not count, so the PGN file must not have it.
        let mut text = Vec::new();
        if self.games.is_some() && record.was_played() {
            let written = Format::Pgn.write(&mut text, &game(record), Dialect::Iccs);
            written.unwrap_or_else(|error| unreachable!("writing to memory failed: {error}"));
        }
        if let Some(journal) = &mut self.journal {
            let entry = |file| Entry { file, text: String::from_utf8_lossy(&text).into_owned() };
            record.entry = self.games_name.clone().filter(|_| !text.is_empty()).map(entry);
            journal.hold(record);
            record.entry = None;
        }
        self.games.iter_mut().for_each(|games| games.hold(&text));
        self.write()
    }

    /// Writes what is queued. Returns a message for the user if that fails in another way than the last time.
    fn write(&mut self) -> Option<String> {
        // The journal first, with the text for the PGN file: if the program ends between the two writes, the text is
        // written when the match is resumed. A game that the journal lacks is played again, so the PGN file must not
        // have it.
        let journalled = self.journal.as_mut().map_or(Ok(()), RecordFile::save).map_err(|error| error.to_string());
        let written = journalled.and_then(|()| match &mut self.games {
            Some(games) => games.append(&[]).map_err(|error| format!("{}: {error}", games.path().display())),
            None => Ok(()),
        });
        let before = std::mem::replace(&mut self.error, written.err());
        (before != self.error).then(|| match &self.error {
            Some(error) => format!("{error}; the match continues, and the missing games are written later"),
            None => "the files can be written again, and nothing is missing".to_owned(),
        })
    }

    /// Writes what is missing; the disk may have room by now.
    pub fn finish(mut self) -> Result {
        if self.error.is_some() {
            self.write();
        }
        self.error.map_or(Ok(()), |error| Err(CommandError::Failed(format!("not everything was written: {error}"))))
    }
}

fn without_returns(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|&byte| byte != b'\r').collect()
}

/// Returns `true` if a file with this content is empty or PGN, possibly truncated in its first line.
fn is_pgn(content: &[u8]) -> bool {
    let text = String::from_utf8_lossy(content);
    let text = text.trim_start_matches('\u{feff}');
    let line = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with(['%', ';'])).unwrap_or_default();
    match line.strip_prefix('[') {
        _ if "[Game \"Chinese Chess\"]".starts_with(text.trim()) => true,
        Some(tag) => tag.starts_with(char::is_alphabetic) && tag.contains(" \""),
        // Braces begin comments, but also other formats.
        None => {
            !line.starts_with('{')
                && Format::detect(&content[..content.len().min(BYTES_TO_DETECT)]) == Some(Format::Pgn)
        }
    }
}

/// Returns the texts of the games, each from its first tag. A tag after an empty line begins a game.
fn games_in(text: &[u8]) -> HashSet<&[u8]> {
    let begins = |at: &usize| text[*at] == b'[' && (*at == 0 || text[..*at].ends_with(b"\n\n"));
    let starts: Vec<usize> = (0..text.len()).filter(begins).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(&start, end)| text[start..end].trim_ascii()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::openings::Opening;

    fn record(number: u64) -> GameRecord {
        GameRecord { game: number + 1, result: GameResult::Draw, ..GameRecord::default() }
    }

    fn open(journal: &Path, games: &Path) -> (MatchFiles, usize) {
        let (files, earlier) = MatchFiles::open(Some(journal), Some(games), Settings::default).unwrap();
        (files, earlier.len())
    }

    fn add(files: &mut MatchFiles, mut record: GameRecord) {
        let round = ("Round".to_owned(), record.game.to_string());
        assert_eq!(files.add(&mut record, |record| record.to_game(&Opening::default(), vec![round])), None);
    }

    #[test]
    fn missing_games_are_written_when_the_match_resumes() {
        let folder = tempfile::tempdir().unwrap();
        let [journal, games] = ["journal", "games"].map(|name| folder.path().join(name));
        fs::write(&games, "[Event \"before\"]\n\n*\n\n").unwrap();
        let mut ends = vec![fs::read(&games).unwrap().len()];
        let (mut files, _) = open(&journal, &games);
        for number in 0..3 {
            add(&mut files, record(number));
            ends.push(fs::read(&games).unwrap().len());
        }
        drop(files);
        let whole = fs::read(&games).unwrap();
        let whole_text = String::from_utf8(whole.clone()).unwrap();
        // Truncation at any byte: the missing games of the journal are appended, even several.
        for length in ends[0]..=whole.len() {
            fs::write(&games, &whole[..length]).unwrap();
            let (files, earlier) = open(&journal, &games);
            drop(files);
            assert_eq!(earlier, 3);
            let found = fs::read(&games).unwrap();
            if ends.contains(&length) {
                assert_eq!(found, whole, "cut to {length} bytes");
            }
            // The truncated game stays, and complete games follow.
            assert!(found.starts_with(&whole[..length]), "cut to {length} bytes");
            let found_text = String::from_utf8_lossy(&found);
            for text in whole_text[ends[0]..].split_inclusive("\n1/2-1/2\n\n") {
                assert_eq!(found_text.matches(text.trim_end()).count(), 1, "cut to {length} bytes: {found_text}");
            }
            // Nothing is written twice.
            drop(open(&journal, &games));
            assert_eq!(fs::read(&games).unwrap(), found, "cut to {length} bytes");
        }
    }

    #[test]
    fn other_files_of_games_are_left_alone() {
        for text in ["", "\n", "[Ga", "[Game \"Chinese Chess\"]\n", "[Event \"Cup\"]\n[Result \"*\"]\n\n1. C2.5 *\n"] {
            assert!(is_pgn(text.as_bytes()), "{text}");
        }
        for text in ["Dear Sir,\n", "[section]\nkey=1", "[1, 2]", "{\"chuhe_match\":1}", "[DhtmlXQ]\n", "\0"] {
            assert!(!is_pgn(text.as_bytes()), "{text}");
        }
        let folder = tempfile::tempdir().unwrap();
        let [journal, games, other] = ["journal", "games", "other"].map(|name| folder.path().join(name));
        let (mut files, _) = open(&journal, &games);
        (0..3).for_each(|number| add(&mut files, record(number)));
        drop(files);
        for text in ["", "[Event \"\"]\n\n*\n"] {
            fs::write(&other, text).unwrap();
            assert_eq!(open(&journal, &other).1, 3);
            assert_eq!(fs::read_to_string(&other).unwrap(), text);
        }
        // Other games before and after do not matter, even in another encoding.
        let own = fs::read(&games).unwrap();
        let around = [b"[Event \"\xd0\xbb\"]\n\n1. C2.5 *\n\n", own.as_slice(), b"[Event \"\"]\n\n*\n"];
        fs::write(&games, around.concat()).unwrap();
        drop(open(&journal, &games));
        assert_eq!(fs::read(&games).unwrap(), around.concat());
        // Nor do carriage returns, and the same file by another name is the same file.
        let text = String::from_utf8(own).unwrap().replace('\n', "\r\n");
        fs::write(&games, &text).unwrap();
        drop(open(&journal, &folder.path().join(".").join("games")));
        assert_eq!(fs::read_to_string(&games).unwrap(), text);
        fs::write(&games, &text[..text.len() / 2]).unwrap();
        drop(open(&journal, &folder.path().join(".").join("games")));
        assert_eq!(games_in(&without_returns(&fs::read(&games).unwrap())).len(), 4, "one of them is cut");
    }
}
