//! Formats of game files: detection, reading and writing.

use std::io::{self, BufRead, Write};
use std::path::Path;

use super::dhtmlxq::DhtmlXqReader;
use super::game::{Game, GameError, GameResult};
use super::game_lines::GameLineReader;
use super::pgn::PgnReader;
use super::pgn_text::Style;
use super::utf16::decode_head;
use super::{Dialect, cbr, dhtmlxq, dhtmlxq_write, game_lines, move_list, pgn, xqf, xqf_write};
use crate::position::Strictness;

/// Number of bytes for [`Format::detect`].
pub const BYTES_TO_DETECT: usize = 4096;

/// Format of game files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// PGN with Chinese, WXF, ICCS or coordinate moves; read and written.
    Pgn,
    /// One line per game: result, optional FEN, and moves, separated by tabs; read and written.
    Moves,
    /// List of moves as people write them, in any notation, with or without numbers or a position before them; read
    /// only.
    MoveList,
    /// XQStudio; one game a file, read and written.
    Xqf,
    /// DhtmlXQ, the board of web pages; read and written.
    DhtmlXq,
    /// 象棋桥: a game (CBR) or a library of games (CBL); read only.
    Cbr,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 6] =
        [Format::Pgn, Format::Moves, Format::MoveList, Format::Xqf, Format::DhtmlXq, Format::Cbr];
    /// Formats that can be written.
    pub const WRITTEN: [Format; 4] = [Format::Pgn, Format::Moves, Format::Xqf, Format::DhtmlXq];

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Pgn => "pgn",
            Format::Moves => "moves",
            Format::MoveList => "movelist",
            Format::Xqf => "xqf",
            Format::DhtmlXq => "dhtmlxq",
            Format::Cbr => "cbr",
        }
    }

    /// Returns the format with this name.
    ///
    /// ```
    /// use chuhe::notation::format::Format;
    /// assert!(Format::ALL.into_iter().all(|format| Format::from_name(format.name()) == Some(format)));
    /// ```
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Extensions of file names, the usual one first.
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Pgn => &["pgn", "pgns"],
            Format::Moves => &["tsv", "moves"],
            Format::MoveList => &["wxf"],
            Format::Xqf => &["xqf"],
            Format::DhtmlXq => &["dhtmlxq", "html", "htm", "ubb"],
            Format::Cbr => &["cbr", "cbl"],
        }
    }

    /// Returns the format that belongs to the extension of a file name.
    pub fn from_path(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Format::ALL.into_iter().find(|format| format.extensions().contains(&extension.as_str()))
    }

    /// Returns whether games that are written in this format keep a tag of this name.
    pub fn keeps_tag(self, name: &str) -> bool {
        match self {
            Format::Pgn => true,
            Format::Moves | Format::MoveList | Format::Cbr => false,
            Format::Xqf => xqf::TEXTS.iter().any(|(_, _, tag)| *tag == name),
            Format::DhtmlXq => dhtmlxq::FIELDS.iter().any(|(tag, _, _)| *tag == name),
        }
    }

    /// Names the parts of a game that this format does not keep in full, such as tags that are too long.
    pub fn cut_parts(self, game: &Game) -> Vec<&'static str> {
        if self == Format::Xqf { xqf_write::cut_parts(game) } else { Vec::new() }
    }

    /// Detects the format from the first bytes of a file, preferably [`BYTES_TO_DETECT`] of them.
    ///
    /// The signatures of XQF, CBR, CBL and DhtmlXQ come first; then the first line that is not empty decides. A result
    /// and a tab, or a tab without a move number or a header after it, begin lines of games; `[` or `{` begins PGN.
    /// Otherwise a text is a list of moves if it begins with `startpos`, `position` or `FORMAT WXF`, or if one of its
    /// first three words has the form of a move, apart from titles, headers, numbers, positions and comments. A
    /// position belongs to a list only if the next word is a move; suites (EPD) and lists of positions are not games. A
    /// text that begins with `1.` but not with moves is PGN.
    ///
    /// ```
    /// use chuhe::notation::format::Format;
    /// assert_eq!(Format::detect(b"[Event \"Cup\"]\r\n"), Some(Format::Pgn));
    /// assert_eq!(Format::detect(b"1-0\t\th2e2 h9g7\n"), Some(Format::Moves));
    /// assert_eq!(Format::detect(b"h2e2 h9g7\n"), Some(Format::MoveList));
    /// assert_eq!(Format::detect(b"Dear Sir,\n"), None);
    /// ```
    pub fn detect(head: &[u8]) -> Option<Format> {
        // A text may begin with these letters, but not with such a version byte next.
        if head.starts_with(b"XQ") && head.get(2).is_some_and(|version| *version < 0x20) {
            return Some(Format::Xqf);
        }
        if cbr::begins_a_file(head) {
            return Some(Format::Cbr);
        }
        let text = decode_head(head);
        if text.contains("[DhtmlXQ") {
            return Some(Format::DhtmlXq);
        }
        let text = text.trim_start_matches('\u{feff}');
        let line = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with(['#', '%']))?;
        if let Some((first, rest)) = line.split_once('\t') {
            // Lists may be indented by a tab, and a table may begin with such a word as 'Draw'.
            let is_result = || !first.starts_with(|c: char| c.is_ascii_alphabetic());
            let is_indented = || move_list::begins_with_number_or_header(rest);
            if (GameResult::from_text(first).is_some() && is_result()) || (first.trim().is_empty() && !is_indented()) {
                return Some(Format::Moves);
            }
        }
        let line = line.trim_start();
        if line.starts_with(['[', '{']) {
            return Some(Format::Pgn);
        }
        if move_list::is_list(head) {
            return Some(Format::MoveList);
        }
        line.starts_with("1.").then_some(Format::Pgn)
    }

    /// Iterates over the games of `reader`, keeping one in memory. After an error, reading continues with the next
    /// game.
    pub fn games<'a>(
        self,
        reader: impl BufRead + 'a,
        strictness: Strictness,
    ) -> Box<dyn Iterator<Item = Result<Game, GameError>> + 'a> {
        match self {
            Format::Pgn => Box::new(PgnReader::new(reader, Style::Pgn, strictness)),
            Format::MoveList => Box::new(PgnReader::new(reader, Style::List, strictness)),
            Format::Moves => Box::new(GameLineReader::new(reader, strictness)),
            Format::Xqf => Box::new(std::iter::once_with(move || xqf::read_game(reader, strictness))),
            Format::DhtmlXq => Box::new(DhtmlXqReader::new(reader, strictness)),
            Format::Cbr => Box::new(cbr::games(reader, strictness)),
        }
    }

    /// Writes a game with its variations, which lines of games leave out. XQF and DhtmlXQ have no notation.
    ///
    /// # Errors
    /// Errors of `out`, an error for a read-only format, one for a position that the format cannot hold, and one for a
    /// game that is not [valid](Game::is_valid).
    pub fn write(self, out: &mut impl Write, game: &Game, dialect: Dialect) -> io::Result<()> {
        if !game.is_valid() {
            let fault = "the game has moves that are not legal, not in order or too many";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, fault));
        }
        match self {
            Format::Pgn => pgn::write_game(out, game, dialect),
            Format::Moves => game_lines::write_game(out, game, dialect),
            Format::Xqf => xqf_write::write_game(out, game),
            Format::DhtmlXq => dhtmlxq_write::write_game(out, game),
            Format::MoveList | Format::Cbr => {
                Err(io::Error::new(io::ErrorKind::Unsupported, format!("{} files cannot be written", self.name())))
            }
        }
    }
}
