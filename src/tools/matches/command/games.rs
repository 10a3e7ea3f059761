//! The file of a match's games, for other programs to read.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use crate::console::error::CommandError;
use crate::notation::Dialect;
use crate::notation::format::Format;
use crate::notation::game::Game;
use crate::tools::matches::journal::Entry;
use crate::util::append_log::AppendLog;

/// A file of games in PGN that others may have written to as well.
pub(super) struct GamesFile {
    ledger: AppendLog,
    full_name: Option<String>,
}

/// The bytes in which an empty line can be recognized, with the end of the line before it.
const LONGEST_EMPTY_LINE: u64 = 4;

impl GamesFile {
    /// Opens a file to add games to it.
    pub fn open(path: &Path) -> Result<GamesFile, CommandError> {
        let ledger = AppendLog::open(path).map_err(|error| CommandError::File { path: path.to_owned(), error })?;
        let full_path = ledger.is_regular().then(|| fs::canonicalize(path).ok()).flatten();
        Ok(GamesFile { ledger, full_name: full_path.map(|path| path.to_string_lossy().into_owned()) })
    }

    /// The file in full, wherever it is named from; `None` when games in it cannot be found again, as in a pipe.
    pub fn full_name(&self) -> Option<&str> {
        self.full_name.as_deref()
    }

    /// A game as it stands in the file.
    pub fn text_of(game: &Game) -> String {
        let mut text = Vec::new();
        match Format::Pgn.write(&mut text, game, Dialect::Iccs) {
            Ok(()) => String::from_utf8_lossy(&text).into_owned(),
            Err(error) => unreachable!("memory takes whatever is written: {error}"),
        }
    }

    /// Appends those of these games that belong to this file and are missing from it. A game that was cut off at the
    /// end of the file stays; an empty line separates it from the next one. Returns why nothing can be written now;
    /// the next game tries again.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn complete(&mut self, entries: impl Iterator<Item = Entry>) -> Result<Option<String>, CommandError> {
        let tail = self.ledger.tail(LONGEST_EMPTY_LINE).map_err(|error| self.failure(error))?;
        self.hold(separator_after(&tail));
        let own = entries.filter(|entry| Some(entry.file.as_str()) == self.full_name());
        let texts: Vec<String> = own.map(|entry| entry.text).collect();
        if texts.is_empty() {
            return Ok(None);
        }
        let content = without_returns(&self.ledger.read().map_err(|error| self.failure(error))?);
        let known = games_in(&content);
        let is_missing = |text: &&String| !known.contains(text.trim_ascii().as_bytes());
        let missing: String = texts.iter().filter(is_missing).map(String::as_str).collect();
        Ok(if missing.is_empty() { None } else { self.append(&missing) })
    }

    fn failure(&self, error: io::Error) -> CommandError {
        CommandError::File { path: self.ledger.path().to_owned(), error }
    }

    /// Keeps a text in memory that is written with the next one.
    pub fn hold(&mut self, text: &str) {
        self.ledger.hold(text.as_bytes());
    }

    /// Adds a text, after those that were kept in memory, or tells why it cannot be written now; it is kept in memory then.
    pub fn append(&mut self, text: &str) -> Option<String> {
        let error = self.ledger.append(text.as_bytes()).err()?;
        Some(format!("{}: {error}", self.ledger.path().display()))
    }
}

/// What must follow a file with these last bytes so that a game can begin.
fn separator_after(tail: &[u8]) -> &'static str {
    match without_returns(tail).as_slice() {
        [] | [.., b'\n', b'\n'] => "",
        [.., b'\n'] => "\n",
        _ => "\n\n",
    }
}

/// A text with the line ends of this program, whatever system it is from.
fn without_returns(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|&byte| byte != b'\r').collect()
}

/// The games of a text as they stand there, each from its first tag on. A tag behind an empty line begins a game.
fn games_in(text: &[u8]) -> HashSet<&[u8]> {
    let begins = |at: &usize| text[*at] == b'[' && (*at == 0 || text[..*at].ends_with(b"\n\n"));
    let starts: Vec<usize> = (0..text.len()).filter(begins).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(&start, end)| text[start..end].trim_ascii()).collect()
}
