//! Files of a match: the journal, and the games in PGN for other programs.
//!
//! Each game is written as soon as it ends, so an interrupted match can be resumed. A line of the journal that cannot be
//! read costs its game only, which is played again. So is a game that an engine was not started for. Concatenated
//! journals of the shards of a match are a journal of the match. A line also contains the text of the game for the PGN
//! file, which is written later if the program ended before.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::io::{self, Read as _};
use std::path::{self, Path};

use super::game::{Entry, GameRecord};
use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::note;
use crate::console::output::would_replace;
use crate::notation::Dialect;
use crate::notation::format::{BYTES_TO_DETECT, Format};
use crate::notation::game::{Game, GameResult};
use crate::util::append_log::AppendLog;
use crate::util::record_file::{Kind, RecordFile, RecordFileError, Settings};

/// Format of journals. The maximum size is that of about 80,000 games, or 60,000 with their text for a PGN file.
const KIND: Kind = Kind { key: "chuhe_match", version: 1, work: "match", max_bytes: 2 << 30 };
/// End of the message about a file that cannot be written.
const WILL_RETRY: &str = "the match continues, and the missing games are written later";

/// State of an interrupted match, read from its journal.
#[derive(Debug, Default)]
pub struct ResumeState {
    /// Finished games by number from 0, without those that an engine was not started for. The last one of a number
    /// counts.
    pub games: BTreeMap<u64, GameRecord>,
    /// Number of games that an engine was not started for, and that are not among the finished ones.
    pub not_started: u64,
    /// Numbers of the lines that cannot be read.
    pub faulty_lines: Vec<usize>,
    /// Number of finished games that occur more than once.
    pub repeated: u64,
}

/// Creates a journal, or opens one with the same settings.
///
/// # Errors
/// Those of [`RecordFile::open`]; the file is unchanged.
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

pub(super) struct MatchFiles {
    journal: Option<RecordFile>,
    games: Option<GamesFile>,
    /// Last write error, so that the same error is printed once.
    write_error: Option<String>,
}

impl MatchFiles {
    /// Opens the files. Returns the games that were played before.
    pub fn open(
        journal: Option<&Path>,
        games: Option<&Path>,
        settings: impl FnOnce() -> Settings,
    ) -> Result<(MatchFiles, BTreeMap<u64, GameRecord>), CommandError> {
        if journal.zip(games).is_some_and(|(journal, games)| is_same_file(journal, games)) {
            return Err(CommandError::Mismatch("--resume and --pgn must name two files".to_owned()));
        }
        if let Some(path) = games {
            refuse_other_formats(path)?;
        }
        let mut state = ResumeState::default();
        let journal = match journal {
            None => None,
            Some(path) => {
                let (file, found) = open(path, &settings())?;
                state = found;
                for line in &state.faulty_lines {
                    note!("{}: line {line} cannot be read and is ignored", path.display());
                }
                if state.repeated > 0 {
                    let games = counted(state.repeated, "game");
                    note!("{}: {games} there twice and counted once", path.display());
                }
                if state.not_started > 0 {
                    let games = counted(state.not_started, "game");
                    note!("{}: {games} that an engine was not started for: not counted", path.display());
                }
                Some(file)
            }
        };
        let mut games = games.map(GamesFile::open).transpose()?;
        let entries = state.games.values_mut().filter_map(|record| record.entry.take());
        let write_error = games.as_mut().map_or(Ok(None), |games| games.complete(entries))?;
        if let Some(error) = &write_error {
            note!("{error}; {WILL_RETRY}");
        }
        Ok((MatchFiles { journal, games, write_error }, state.games))
    }

    /// Adds a game; `game` converts it for the PGN file. Returns a message about the files for the user. A game that
    /// cannot be written is written with the next one.
    pub fn add(&mut self, record: &mut GameRecord, game: impl FnOnce(&GameRecord) -> Game) -> Option<String> {
        // A game that was not played does not count, so the PGN file must not have it.
        let games = self.games.as_ref().filter(|_| record.was_played());
        let text = games.map(|_| GamesFile::text_of(&game(record))).unwrap_or_default();
        let file = games.and_then(|games| games.full_name.clone());
        // The journal first, with the text for the PGN file: if the program ends between the two writes, the text is
        // written when the match is resumed. A game that the journal lacks is played again, so the PGN file must not
        // have it.
        record.entry = file.map(|file| Entry { file, text: text.clone() });
        let journalled = self.journal.as_mut().map_or(Ok(()), |journal| {
            journal.hold(record);
            journal.save()
        });
        record.entry = None;
        let write_error = match (journalled, &mut self.games) {
            (Ok(()), Some(games)) => games.append(&text),
            (Ok(()), None) => None,
            (Err(error), games) => {
                games.iter_mut().for_each(|games| games.file.hold(text.as_bytes()));
                Some(error.to_string())
            }
        };
        let has_changed = write_error != self.write_error;
        self.write_error = write_error;
        has_changed.then(|| match &self.write_error {
            Some(error) => format!("{error}; {WILL_RETRY}"),
            None => "the files can be written again, and nothing is missing".to_owned(),
        })
    }

    /// Writes what is missing.
    ///
    /// # Errors
    /// When something could not be written.
    pub fn finish(mut self) -> Result<(), CommandError> {
        let Some(error) = self.write_error else { return Ok(()) };
        // The disk may have room by now.
        let journal = self.journal.as_mut().map_or(Ok(()), RecordFile::save);
        let is_written = journal.is_ok() && self.games.as_mut().is_none_or(|games| games.append("").is_none());
        if is_written { Ok(()) } else { Err(CommandError::Lost(error)) }
    }
}

/// Returns `true` if both names mean one file, also one that does not exist yet. Symbolic links and the like are
/// resolved for existing files only.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let absolute = |path: &Path| path::absolute(path).ok();
    would_replace(one, other) || absolute(one).is_some_and(|one| absolute(other) == Some(one))
}

/// Refuses a file with content that is not PGN.
fn refuse_other_formats(path: &Path) -> Result<(), CommandError> {
    // What is missing is created, and pipes have no content.
    if !path.is_file() {
        return Ok(());
    }
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(BYTES_TO_DETECT as u64).read_to_end(&mut head));
    read.map_err(|error| CommandError::File { path: path.to_owned(), error })?;
    if is_pgn(&head) {
        return Ok(());
    }
    let fault = "not a PGN file, so no games are appended to it; name another file for --pgn";
    Err(CommandError::Mismatch(format!("{}: {fault}", path.display())))
}

/// Returns `true` if a file with this beginning is empty or PGN, possibly truncated in its first line.
fn is_pgn(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}');
    let line = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with(['%', ';'])).unwrap_or_default();
    match line.strip_prefix('[') {
        _ if "[Game \"Chinese Chess\"]".starts_with(text.trim()) => true,
        Some(tag) => {
            let is_quoted = |value: &str| value.starts_with('"');
            tag.starts_with(char::is_alphabetic) && tag.split_whitespace().nth(1).is_some_and(is_quoted)
        }
        // Braces begin comments, but also other formats.
        None => !line.starts_with('{') && Format::detect(head) == Some(Format::Pgn),
    }
}

/// PGN file, to which other programs may have written as well.
struct GamesFile {
    file: AppendLog,
    /// Canonical path; `None` if the file is not regular, for example a pipe.
    full_name: Option<String>,
}

/// Maximum size in bytes of a PGN file that is completed after an interruption.
const MAX_GAMES_BYTES: u64 = 4 << 30;
/// Length in bytes of the longest empty line with the line end before it.
const LONGEST_EMPTY_LINE: u64 = 4;

impl GamesFile {
    fn open(path: &Path) -> Result<GamesFile, CommandError> {
        let file = AppendLog::open(path).map_err(|error| CommandError::File { path: path.to_owned(), error })?;
        let full_path = file.is_regular().then(|| fs::canonicalize(path).ok()).flatten();
        Ok(GamesFile { file, full_name: full_path.map(|path| path.to_string_lossy().into_owned()) })
    }

    /// Returns the text of a game in the file.
    fn text_of(game: &Game) -> String {
        let mut text = Vec::new();
        match Format::Pgn.write(&mut text, game, Dialect::Iccs) {
            Ok(()) => String::from_utf8_lossy(&text).into_owned(),
            Err(error) => unreachable!("writing to memory failed: {error}"),
        }
    }

    /// Appends the entries of this file that it lacks. A truncated game at the end of the file stays; an empty line
    /// separates it from the next one. Returns the error if nothing can be written now; the next game tries again.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn complete(&mut self, entries: impl Iterator<Item = Entry>) -> Result<Option<String>, CommandError> {
        let tail = self.file.tail(LONGEST_EMPTY_LINE).map_err(|error| self.failure(error))?;
        self.file.hold(separator_after(&tail).as_bytes());
        let own = entries.filter(|entry| Some(&entry.file) == self.full_name.as_ref());
        let texts: Vec<String> = own.map(|entry| entry.text).collect();
        if texts.is_empty() {
            return Ok(None);
        }
        let content = without_returns(&self.file.read(MAX_GAMES_BYTES).map_err(|error| self.failure(error))?);
        let known = games_in(&content);
        let is_missing = |text: &&String| !known.contains(text.trim_ascii().as_bytes());
        let missing: String = texts.iter().filter(is_missing).map(String::as_str).collect();
        Ok(if missing.is_empty() { None } else { self.append(&missing) })
    }

    fn failure(&self, error: io::Error) -> CommandError {
        CommandError::File { path: self.file.path().to_owned(), error }
    }

    /// Appends the texts kept in memory and this one. Returns the error if that fails; the text is then kept in memory.
    fn append(&mut self, text: &str) -> Option<String> {
        let error = self.file.append(text.as_bytes()).err()?;
        Some(format!("{}: {error}", self.file.path().display()))
    }
}

/// Returns the separator that must follow a file with these last bytes before a game.
fn separator_after(tail: &[u8]) -> &'static str {
    match without_returns(tail).as_slice() {
        [] | [.., b'\n', b'\n'] => "",
        [.., b'\n'] => "\n",
        _ => "\n\n",
    }
}

fn without_returns(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|&byte| byte != b'\r').collect()
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
    use super::super::game::opening_text;
    use super::*;
    use crate::commands::matches::{Effort, FaultKind, GameFault};
    use crate::notation::openings::Opening;
    use crate::types::Side;

    fn record(number: u64) -> GameRecord {
        let [red, black] = ["A", "B"].map(str::to_owned);
        let (opening, reason) = (opening_text(&Opening::default()), "agreed".to_owned());
        let (result, efforts) = (GameResult::Draw, [Effort::default(); 2]);
        let (game, fault, moves, entry) = (number + 1, None, Vec::new(), None);
        GameRecord { game, red, black, opening, result, reason, fault, efforts, moves, entry }
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
    fn only_pgn_is_taken_for_pgn() {
        for text in ["", "\n", "[Ga", "[Game \"Chinese Chess\"]\n", "[Event \"Cup\"]\n[Result \"*\"]\n\n1. C2.5 *\n"] {
            assert!(is_pgn(text.as_bytes()), "{text}");
        }
        for text in ["Dear Sir,\n", "[section]\nkey=1", "[1, 2]", "{\"chuhe_match\":1}", "[DhtmlXQ]\n", "\0"] {
            assert!(!is_pgn(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn games_without_a_start_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let [journal, games] = ["journal", "games"].map(|name| folder.path().join(name));
        let (mut files, _) = open(&journal, &games);
        for (number, kind) in (0..).zip([FaultKind::Start, FaultKind::Crash]) {
            add(&mut files, GameRecord { fault: Some(GameFault { side: Side::Black, kind }), ..record(number) });
        }
        drop(files);
        assert_eq!(games_in(&fs::read(&games).unwrap()).len(), 1);
        assert_eq!(open(&journal, &games).1, 1);
    }

    #[test]
    fn two_names_of_one_file_are_recognized() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        for is_there in [false, true] {
            if is_there {
                fs::write(&one, "").unwrap();
                fs::write(&other, "").unwrap();
            }
            assert!(is_same_file(&one, &folder.path().join(".").join("one")));
            assert!(!is_same_file(&one, &other));
        }
        assert!(is_same_file(Path::new("missing"), Path::new("./missing")));
        let Err(error) = MatchFiles::open(Some(Path::new("missing")), Some(Path::new("./missing")), Settings::default)
        else {
            panic!("one file for both was accepted")
        };
        assert!(error.to_string().contains("--resume and --pgn must name two files"), "{error}");
        assert!(!Path::new("missing").exists());
    }

    #[test]
    fn other_files_of_games_are_left_alone() {
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
