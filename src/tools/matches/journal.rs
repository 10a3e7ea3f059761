//! The journal of a match: a line of JSON for its settings, and one for every game.
//!
//! Each game is written as soon as it ends, so that a match that was ended in any way can be taken up where it stopped.
//! A line that cannot be read costs its game only, which is played again. Journals of parts of one match, one after
//! another in a file, are a journal of the match. A line also holds what a file of games is to have of its game, so that
//! this can still be written when the program ended before.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::fault::FaultKind;
use super::record::{Effort, GameRecord, PlayedMove};
use super::standings::Summary;
use crate::notation::game::GameResult;
use crate::notation::openings::Opening;
use crate::position::START_FEN;
use crate::types::Side;
use crate::util::append_log::AppendLog;

/// The version of the format.
const VERSION: u32 = 1;

/// What all games of a match have in common, by name; a match can only be taken up with the same.
pub type Settings = BTreeMap<String, String>;

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// It cannot be opened, read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// It is something else.
    #[error("{}: this is no journal of a match (version {VERSION}); nothing was changed", path.display())]
    Foreign {
        /// Which file.
        path: PathBuf,
    },
    /// Its match was played under other settings.
    #[error("{}: this match has {name} '{there}', not '{here}'; take another file or the same settings", path.display())]
    Different {
        /// Which file.
        path: PathBuf,
        /// Which setting.
        name: String,
        /// What it is in the file.
        there: String,
        /// What it is to be now.
        here: String,
    },
}

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    ledger: AppendLog,
}

/// What a journal tells of an earlier part of its match.
#[derive(Debug, Default)]
pub struct Past {
    /// The games that are over, by number.
    pub games: BTreeMap<u64, Summary>,
    /// What files of games are to have of them, by number.
    pub entries: BTreeMap<u64, Entry>,
    /// The lines that cannot be read.
    pub faulty_lines: Vec<usize>,
    /// How many games were there before; the last one of a number counts.
    pub repeated: u64,
}

#[derive(Serialize, Deserialize)]
struct Header {
    chuhe_match: u32,
    settings: Settings,
}

/// A finished game as a line of JSON.
#[derive(Serialize, Debug)]
pub struct GameLine<'a> {
    /// 1 for the first.
    game: u64,
    red: &'a str,
    black: &'a str,
    /// FEN or `startpos`, and moves.
    opening: String,
    result: &'static str,
    reason: &'a str,
    fault: Option<FaultLine>,
    efforts: [Effort; 2],
    moves: Vec<MoveLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<Entry>,
}

/// What a file of games has, or is to have, of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Which file.
    pub file: String,
    /// What stands there.
    pub text: String,
}

#[derive(Serialize, Deserialize, Debug)]
struct FaultLine {
    side: SideWord,
    kind: FaultKind,
}

#[derive(Serialize, Deserialize, Debug, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum SideWord {
    Red,
    Black,
}

#[derive(Serialize, Debug)]
struct MoveLine {
    #[serde(rename = "move")]
    mv: String,
    /// Centipawns, for the side that moved.
    score: Option<i32>,
    depth: Option<usize>,
    nodes: Option<u64>,
    milliseconds: f64,
    /// The time of the search as the engine told it.
    own_milliseconds: Option<f64>,
}

/// What is read of a game; the rest is for people.
#[derive(Deserialize)]
struct GameRead {
    game: u64,
    result: String,
    fault: Option<FaultLine>,
    efforts: [Effort; 2],
    entry: Option<Entry>,
}

impl<'a> GameLine<'a> {
    /// The game between these engines, Red first.
    pub fn of(record: &'a GameRecord, names: [&'a str; 2]) -> GameLine<'a> {
        let milliseconds = |time: Duration| time.as_micros() as f64 / 1e3;
        let move_line = |played: &PlayedMove| MoveLine {
            mv: played.mv.to_string(),
            score: played.score,
            depth: played.depth,
            nodes: played.nodes,
            milliseconds: milliseconds(played.elapsed),
            own_milliseconds: played.own_time.map(milliseconds),
        };
        GameLine {
            game: record.number + 1,
            red: names[0],
            black: names[1],
            opening: words_of(&record.opening),
            result: record.result.text(),
            reason: &record.reason,
            fault: record.fault.map(|(side, kind)| FaultLine { side: SideWord::of(side), kind }),
            efforts: record.efforts(),
            moves: record.moves.iter().map(move_line).collect(),
            entry: None,
        }
    }

    /// The same with what a file of games is to have of it.
    pub fn with_entry(self, entry: Option<Entry>) -> GameLine<'a> {
        GameLine { entry, ..self }
    }
}

/// An opening in the words of a protocol.
pub fn words_of(opening: &Opening) -> String {
    let fen = opening.start.to_string();
    let mut words = if fen == START_FEN { "startpos".to_owned() } else { fen };
    if !opening.moves.is_empty() {
        words.push_str(" moves");
    }
    opening.moves.iter().for_each(|mv| words.push_str(&format!(" {mv}")));
    words
}

impl SideWord {
    fn of(side: Side) -> SideWord {
        if side == Side::Red { SideWord::Red } else { SideWord::Black }
    }

    fn side(self) -> Side {
        match self {
            SideWord::Red => Side::Red,
            SideWord::Black => Side::Black,
        }
    }
}

/// What became of a file.
fn failure(path: &Path, error: io::Error) -> JournalError {
    JournalError::File { path: path.to_owned(), error }
}

impl Journal {
    /// Begins a journal, or goes on with one that has the same settings. What is torn off at its end is dropped.
    ///
    /// # Errors
    /// [`JournalError`]; the file is as it was then.
    pub fn open(path: &Path, settings: &Settings) -> Result<(Journal, Past), JournalError> {
        let failed = |error: io::Error| failure(path, error);
        let mut ledger = AppendLog::open(path).map_err(failed)?;
        let content = ledger.read().map_err(failed)?;
        let whole = content.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut lines = content[..whole].split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).enumerate();
        let mut past = Past::default();
        match lines.next() {
            None if content.is_empty() => {
                let header = Header { chuhe_match: VERSION, settings: settings.clone() };
                ledger.append(&json_line(&header).map_err(failed)?).map_err(failed)?;
                return Ok((Journal { ledger }, past));
            }
            None => return Err(JournalError::Foreign { path: path.to_owned() }),
            Some((_, line)) => check_header(path, line, settings)?,
        }
        for (index, line) in lines {
            match read_game(line) {
                Some((number, summary, entry)) => {
                    past.repeated += u64::from(past.games.insert(number, summary).is_some());
                    match entry {
                        Some(entry) => past.entries.insert(number, entry),
                        None => past.entries.remove(&number),
                    };
                }
                // Another journal of the same match stands behind the first.
                None if is_header(line) => check_header(path, line, settings)?,
                None => past.faulty_lines.push(index + 1),
            }
        }
        if whole < content.len() {
            past.faulty_lines.push(content[..whole].iter().filter(|&&byte| byte == b'\n').count() + 1);
            ledger.cut(whole as u64).map_err(failed)?;
        }
        Ok((Journal { ledger }, past))
    }

    /// Adds a game.
    ///
    /// # Errors
    /// [`JournalError::File`]; the game is not lost, the next call tries again.
    pub fn add(&mut self, line: &GameLine) -> Result<(), JournalError> {
        let bytes = json_line(line).map_err(|error| failure(self.ledger.path(), error))?;
        self.ledger.append(&bytes).map_err(|error| failure(self.ledger.path(), error))
    }

    /// Tries once more to write what could not be written.
    ///
    /// # Errors
    /// When it still cannot.
    pub fn complete(&mut self) -> io::Result<()> {
        self.ledger.append(&[])
    }
}

fn json_line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

fn is_header(line: &[u8]) -> bool {
    serde_json::from_slice::<Header>(line).is_ok()
}

fn check_header(path: &Path, line: &[u8], settings: &Settings) -> Result<(), JournalError> {
    let header: Option<Header> = serde_json::from_slice(line).ok();
    let header = header.filter(|header| header.chuhe_match == VERSION);
    let header = header.ok_or_else(|| JournalError::Foreign { path: path.to_owned() })?;
    let names = header.settings.keys().chain(settings.keys());
    for name in names {
        let [there, here] = [&header.settings, settings].map(|all| all.get(name).cloned().unwrap_or_default());
        if there != here {
            return Err(JournalError::Different { path: path.to_owned(), name: name.clone(), there, here });
        }
    }
    Ok(())
}

fn read_game(line: &[u8]) -> Option<(u64, Summary, Option<Entry>)> {
    let read: GameRead = serde_json::from_slice(line).ok()?;
    let result = GameResult::from_text(&read.result).filter(|result| *result != GameResult::Unknown)?;
    let fault = read.fault.map(|fault| (fault.side.side(), fault.kind));
    Some((read.game.checked_sub(1)?, Summary { result, fault, efforts: read.efforts }, read.entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: u64, result: GameResult) -> GameRecord {
        let played = PlayedMove {
            mv: "h2e2".parse().unwrap(),
            score: Some(12),
            depth: Some(5),
            nodes: Some(1000),
            elapsed: Duration::from_micros(1500),
            own_time: None,
        };
        let fault = (number == 2).then_some((Side::Black, FaultKind::Hang));
        let reason = "Black is \"checkmated\"\n".to_owned();
        GameRecord { number, opening: Opening::default(), moves: vec![played], result, reason, fault }
    }

    fn settings() -> Settings {
        Settings::from([("rules".to_owned(), "computer".to_owned()), ("time".to_owned(), "1+0.01".to_owned())])
    }

    #[test]
    fn a_match_is_taken_up_where_it_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.jsonl");
        let (mut journal, past) = Journal::open(&path, &settings()).unwrap();
        assert!(past.games.is_empty());
        let records = [record(1, GameResult::Draw), record(0, GameResult::RedWins), record(2, GameResult::RedWins)];
        for record in &records {
            journal.add(&GameLine::of(record, ["A", "B"])).unwrap();
        }
        drop(journal);
        let whole = std::fs::read(&path).unwrap();

        // Cut off anywhere, at worst the game that is cut is lost.
        let ends: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] == b'\n').collect();
        for length in (ends[0] + 1..=whole.len()).step_by(7).chain([whole.len()]) {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut journal, past) = Journal::open(&path, &settings()).unwrap();
            let complete = ends.iter().filter(|&&end| end < length).count() - 1;
            assert_eq!(past.games.len(), complete);
            for record in &records[..complete] {
                assert_eq!(past.games[&record.number], Summary::of(record));
            }
            let is_torn = !ends.iter().any(|&end| end + 1 == length);
            assert_eq!(past.faulty_lines.len(), usize::from(is_torn));
            journal.add(&GameLine::of(&record(7, GameResult::Draw), ["A", "B"])).unwrap();
            drop(journal);
            assert_eq!(Journal::open(&path, &settings()).unwrap().1.games.len(), complete + 1);
        }
    }

    #[test]
    fn a_file_of_games_is_to_have_each_game_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.jsonl");
        let entry = |text: &str| Some(Entry { file: "games.pgn".to_owned(), text: text.to_owned() });
        let (mut journal, _) = Journal::open(&path, &settings()).unwrap();
        for (number, entry) in [(0, entry("a\n")), (1, entry("b\n")), (2, entry("c\n")), (1, entry("d\n")), (2, None)] {
            let record = record(number, GameResult::Draw);
            journal.add(&GameLine::of(&record, ["A", "B"]).with_entry(entry)).unwrap();
        }
        drop(journal);
        let past = Journal::open(&path, &settings()).unwrap().1;
        assert_eq!((past.games.len(), past.repeated), (3, 2));
        let expected = [(0, entry("a\n").unwrap()), (1, entry("d\n").unwrap())];
        assert_eq!(past.entries, BTreeMap::from(expected));
        // A line that counts for nothing is no game of any file.
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen("\"result\":\"1/2-1/2\"", "\"result\":\"*\"", 1)).unwrap();
        let past = Journal::open(&path, &settings()).unwrap().1;
        assert_eq!((past.faulty_lines, past.entries.keys().copied().collect::<Vec<_>>()), (vec![2], vec![1]));
    }

    #[test]
    fn journals_one_after_another_are_one() {
        let folder = tempfile::tempdir().unwrap();
        let written = |name: &str, settings: &Settings, numbers: &[u64]| {
            let path = folder.path().join(name);
            let (mut journal, _) = Journal::open(&path, settings).unwrap();
            for &number in numbers {
                journal.add(&GameLine::of(&record(number, GameResult::Draw), ["A", "B"])).unwrap();
            }
            std::fs::read(path).unwrap()
        };
        let [first, second] = [written("1", &settings(), &[0, 1, 4, 5]), written("2", &settings(), &[2, 3])];
        let path = folder.path().join("all");
        std::fs::write(&path, [first.as_slice(), &second].concat()).unwrap();
        let past = Journal::open(&path, &settings()).unwrap().1;
        assert_eq!((past.games.keys().copied().collect::<Vec<u64>>(), past.repeated), ((0..6).collect(), 0));
        assert!(past.faulty_lines.is_empty());
        std::fs::write(&path, [first.as_slice(), &second, &second].concat()).unwrap();
        let past = Journal::open(&path, &settings()).unwrap().1;
        assert_eq!((past.games.len(), past.repeated), (6, 2));
        let mut other = settings();
        other.insert("time".to_owned(), "2".to_owned());
        std::fs::write(&path, [first, written("3", &other, &[2, 3])].concat()).unwrap();
        let error = Journal::open(&path, &settings()).unwrap_err().to_string();
        assert!(error.contains("this match has time '2', not '1+0.01'"), "{error}");
    }

    #[test]
    fn other_settings_and_other_files_are_refused_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.jsonl");
        Journal::open(&path, &settings()).unwrap();
        let before = std::fs::read(&path).unwrap();
        let mut other = settings();
        other.insert("time".to_owned(), "2".to_owned());
        let error = Journal::open(&path, &other).unwrap_err().to_string();
        assert!(
            error.ends_with("this match has time '1+0.01', not '2'; take another file or the same settings"),
            "{error}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), before);
        for content in ["no json\n", "{}\n", "no line end", "{\"chuhe_match\":2,\"settings\":{}}\n", "\n"] {
            std::fs::write(&path, content).unwrap();
            assert!(matches!(Journal::open(&path, &settings()), Err(JournalError::Foreign { .. })), "{content}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        }
    }

    #[test]
    fn a_faulty_line_costs_its_game_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.jsonl");
        let (mut journal, _) = Journal::open(&path, &settings()).unwrap();
        for number in 0..3 {
            journal.add(&GameLine::of(&record(number, GameResult::Draw), ["A", "B"])).unwrap();
        }
        drop(journal);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen("\"game\":2", "\"game\":x", 1)).unwrap();
        let (_, past) = Journal::open(&path, &settings()).unwrap();
        assert_eq!(past.games.keys().copied().collect::<Vec<_>>(), [0, 2]);
        assert_eq!(past.faulty_lines, [3]);
    }
}
