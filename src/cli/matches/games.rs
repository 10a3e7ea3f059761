//! The file of a match's games, for other programs to read.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use crate::cli::failure::Failure;
use crate::notation::Dialect;
use crate::notation::format::Format;
use crate::notation::game::{Game, GameResult};
use crate::position::Strictness;
use crate::tools::tournament::Ledger;
use crate::types::Move;

/// A file of games in PGN that others may have written to as well.
pub(super) struct GamesFile {
    ledger: Ledger,
}

/// The bytes in which an empty line can be recognized, with the end of the line before it.
const LONGEST_EMPTY_LINE: u64 = 4;

/// What tells a game from others: its tags, its moves and its result.
type Identity = (Vec<(String, String)>, Vec<Move>, GameResult);

impl GamesFile {
    /// Opens a file to add games to it.
    pub fn open(path: &Path) -> Result<GamesFile, Failure> {
        let ledger = Ledger::open(path).map_err(|error| Failure::File { path: path.to_owned(), error })?;
        Ok(GamesFile { ledger })
    }

    /// The file in full, wherever it is named from; `None` when games in it cannot be found again, as in a pipe.
    pub fn full_name(&self) -> Option<String> {
        let path = self.ledger.is_regular().then(|| fs::canonicalize(self.ledger.path()).ok()).flatten();
        path.map(|path| path.to_string_lossy().into_owned())
    }

    /// A game as it stands in the file.
    pub fn text_of(game: &Game) -> String {
        let mut text = Vec::new();
        match Format::Pgn.write(&mut text, game, Dialect::Iccs) {
            Ok(()) => String::from_utf8_lossy(&text).into_owned(),
            Err(error) => unreachable!("memory takes whatever is written: {error}"),
        }
    }

    /// Writes those of these games that the file lacks. A game torn off at its end stays, but an empty line keeps the next
    /// one apart from it. Returns why nothing can be written now; it is tried again with the next game.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn complete(&mut self, texts: Vec<String>) -> Result<Option<String>, Failure> {
        let failed = |path: &Path, error: io::Error| Failure::File { path: path.to_owned(), error };
        let tail = self.ledger.tail(LONGEST_EMPTY_LINE).map_err(|error| failed(self.ledger.path(), error))?;
        self.hold(separator_after(&tail));
        let mut missing = String::new();
        if !texts.is_empty() {
            let content = self.ledger.read().map_err(|error| failed(self.ledger.path(), error))?;
            let known = GamesFile::games_in(&content);
            let is_missing = |text: &&String| !GamesFile::games_in(text.as_bytes()).is_subset(&known);
            missing.extend(texts.iter().filter(is_missing).map(String::as_str));
        }
        Ok(if missing.is_empty() { None } else { self.append(&missing) })
    }

    /// The games of a text; what cannot be read is none.
    pub(super) fn games_in(text: &[u8]) -> HashSet<Identity> {
        let games = Format::Pgn.games(text, Strictness::Lax).filter_map(Result::ok);
        games.map(|game| (game.line(), game)).map(|(line, game)| (game.tags, line, game.result)).collect()
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
    let without_returns: Vec<u8> = tail.iter().copied().filter(|&byte| byte != b'\r').collect();
    match without_returns.as_slice() {
        [] | [.., b'\n', b'\n'] => "",
        [.., b'\n'] => "\n",
        _ => "\n\n",
    }
}
