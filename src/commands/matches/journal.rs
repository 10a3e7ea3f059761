//! Journal of a match: an append-only log with a line of JSON for the settings and one for every game.
//!
//! Each game is written as soon as it ends, so an interrupted match can be resumed. A line that cannot be read costs
//! its game only, which is played again. So is a game that an engine was not started for. Concatenated journals of the
//! shards of a match are a journal of the match. A line also contains the text of the game for the PGN file, which is
//! written later if the program ended before.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::record::{Effort, FaultKind, GameRecord, PlayedMove};
use super::standings::Summary;
use crate::notation::game::GameResult;
use crate::notation::openings::Opening;
use crate::position::START_FEN;
use crate::types::Side;
use crate::util::append_log::AppendLog;

/// Version of the format.
const VERSION: u32 = 1;
/// Maximum size of a journal in bytes: about 80,000 games, or 60,000 with their text for a PGN file.
const MAX_BYTES: u64 = 2 << 30;

/// Settings of a match by name. A match can only be resumed with the same settings.
pub type Settings = BTreeMap<String, String>;

/// Error of opening or writing a journal.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be opened, read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        error: io::Error,
    },
    /// The file is not a journal of this version.
    #[error(
        "{}: this is not a match journal of version {VERSION}; nothing was changed: name another file or move this one \
         away",
        path.display()
    )]
    Foreign {
        /// Path of the file.
        path: PathBuf,
    },
    /// The match was played with other settings.
    #[error("{}: this match has {name} '{there}', not '{here}'; use another file or the same settings", path.display())]
    Different {
        /// Path of the file.
        path: PathBuf,
        /// Name of the setting.
        name: String,
        /// Value in the file.
        there: String,
        /// Value of the current match.
        here: String,
    },
}

/// Journal open for appending.
#[derive(Debug)]
pub struct Journal {
    file: AppendLog,
}

/// State of an interrupted match, read from its journal.
#[derive(Debug, Default)]
pub struct ResumeState {
    /// Finished games by number, without those that an engine was not started for.
    pub games: BTreeMap<u64, Summary>,
    /// Number of games that an engine was not started for, and that are not among the finished ones.
    pub not_started: u64,
    /// Entries of the PGN file by game number.
    pub entries: BTreeMap<u64, Entry>,
    /// Numbers of the lines that cannot be read.
    pub faulty_lines: Vec<usize>,
    /// Number of finished games that occur more than once; the last one of a number counts.
    pub repeated: u64,
}

#[derive(Serialize, Deserialize)]
struct Header {
    chuhe_match: u32,
    settings: Settings,
}

/// Finished game as a line of JSON.
#[derive(Serialize, Debug)]
pub struct GameLine<'a> {
    /// Number of the game, from 1.
    game: u64,
    red: &'a str,
    black: &'a str,
    /// `startpos` or a FEN, and moves.
    opening: String,
    result: &'static str,
    reason: &'a str,
    fault: Option<FaultLine>,
    efforts: [Effort; 2],
    moves: Vec<MoveLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<Entry>,
}

/// Text of a game for a PGN file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Full path of the PGN file.
    pub file: String,
    /// PGN text of the game.
    pub text: String,
}

#[derive(Serialize, Deserialize, Debug)]
struct FaultLine {
    side: SideName,
    kind: FaultKind,
}

#[derive(Serialize, Deserialize, Debug, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum SideName {
    Red,
    Black,
}

#[derive(Serialize, Debug)]
struct MoveLine {
    #[serde(rename = "move")]
    mv: String,
    /// Score for the side that moved, in hundredths as its engine reports it.
    score: Option<i32>,
    depth: Option<usize>,
    nodes: Option<u64>,
    milliseconds: f64,
    /// Search time that the engine reported.
    own_milliseconds: Option<f64>,
    /// Factor by which a ply multiplied the nodes of the search.
    growth: Option<f64>,
}

/// Fields of a game that are read back; the others are for people and scripts.
#[derive(Deserialize)]
struct GameRead {
    game: u64,
    result: String,
    fault: Option<FaultLine>,
    efforts: [Effort; 2],
    entry: Option<Entry>,
}

impl<'a> GameLine<'a> {
    /// Creates the line of a game between these engines, Red first.
    pub fn new(record: &'a GameRecord, names: [&'a str; 2]) -> GameLine<'a> {
        let milliseconds = |time: Duration| time.as_micros() as f64 / 1e3;
        let move_line = |played: &PlayedMove| MoveLine {
            mv: played.mv.to_string(),
            score: played.score,
            depth: played.depth,
            nodes: played.nodes,
            milliseconds: milliseconds(played.elapsed),
            own_milliseconds: played.own_time.map(milliseconds),
            growth: played.growth.map(|growth| f64::from(growth) / 1e3),
        };
        GameLine {
            game: record.number + 1,
            red: names[0],
            black: names[1],
            opening: opening_text(&record.opening),
            result: record.result.text(),
            reason: &record.reason,
            fault: record.fault.map(|(side, kind)| FaultLine { side: SideName::from_side(side), kind }),
            efforts: record.efforts(),
            moves: record.moves.iter().map(move_line).collect(),
            entry: None,
        }
    }

    /// Adds the entry for the PGN file.
    pub fn with_entry(self, entry: Option<Entry>) -> GameLine<'a> {
        GameLine { entry, ..self }
    }
}

/// Returns an opening as `startpos` or a FEN, followed by `moves` and its moves.
pub fn opening_text(opening: &Opening) -> String {
    let fen = opening.start.to_string();
    let mut words = if fen == START_FEN { "startpos".to_owned() } else { fen };
    if !opening.moves.is_empty() {
        words.push_str(" moves");
    }
    opening.moves.iter().for_each(|mv| words.push_str(&format!(" {mv}")));
    words
}

impl SideName {
    fn from_side(side: Side) -> SideName {
        if side == Side::Red { SideName::Red } else { SideName::Black }
    }

    fn side(self) -> Side {
        match self {
            SideName::Red => Side::Red,
            SideName::Black => Side::Black,
        }
    }
}

fn failure(path: &Path, error: io::Error) -> JournalError {
    JournalError::File { path: path.to_owned(), error }
}

impl Journal {
    /// Creates a journal, or opens one with the same settings. An incomplete last line is removed; a file of which only
    /// a part of this header is left begins again.
    ///
    /// # Errors
    /// [`JournalError`]; the file is unchanged.
    pub fn open(path: &Path, settings: &Settings) -> Result<(Journal, ResumeState), JournalError> {
        let failed = |error: io::Error| failure(path, error);
        let mut file = AppendLog::open(path).map_err(failed)?;
        let content = file.read(MAX_BYTES).map_err(failed)?;
        let whole = content.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut lines = content[..whole].split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).enumerate();
        let mut resumed = ResumeState::default();
        match lines.next() {
            None => {
                let header = json_line(&Header { chuhe_match: VERSION, settings: settings.clone() }).map_err(failed)?;
                // Nothing, or what a crash or a power failure leaves of a header.
                if !header.starts_with(&content) && content.iter().any(|&byte| byte != 0) {
                    return Err(JournalError::Foreign { path: path.to_owned() });
                }
                file.cut(0).and_then(|()| file.append(&header)).map_err(failed)?;
                return Ok((Journal { file }, resumed));
            }
            Some((_, line)) => check_header(path, line, settings)?,
        }
        let mut not_started = BTreeSet::new();
        for (index, line) in lines {
            match read_game(line) {
                Some((number, summary, _)) if !summary.was_played() => {
                    not_started.insert(number);
                }
                Some((number, summary, entry)) => {
                    resumed.repeated += u64::from(resumed.games.insert(number, summary).is_some());
                    match entry {
                        Some(entry) => resumed.entries.insert(number, entry),
                        None => resumed.entries.remove(&number),
                    };
                }
                // Another shard of the same match follows.
                None if is_header(line) => check_header(path, line, settings)?,
                None => resumed.faulty_lines.push(index + 1),
            }
        }
        resumed.not_started = not_started.iter().filter(|number| !resumed.games.contains_key(number)).count() as u64;
        if whole < content.len() {
            resumed.faulty_lines.push(content[..whole].iter().filter(|&&byte| byte == b'\n').count() + 1);
            file.cut(whole as u64).map_err(failed)?;
        }
        Ok((Journal { file }, resumed))
    }

    /// Appends a game.
    ///
    /// # Errors
    /// [`JournalError::File`]; the game stays in memory, and the next call tries again.
    pub fn add(&mut self, line: &GameLine) -> Result<(), JournalError> {
        let bytes = json_line(line).map_err(|error| failure(self.file.path(), error))?;
        self.file.append(&bytes).map_err(|error| failure(self.file.path(), error))
    }

    /// Writes the games that could not be written before.
    ///
    /// # Errors
    /// When writing fails again.
    pub fn complete(&mut self) -> io::Result<()> {
        self.file.append(&[])
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
