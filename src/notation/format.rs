//! Formats of game files: detection, reading and writing.

use std::io::{self, BufRead, Write};
use std::path::Path;

use super::game::{Game, GameError, GameResult};
use super::pgn_text::{self, Style};
use super::text_encoding::decode_head;
use super::{Dialect, binary, dhtmlxq, move_list, pgn};
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
    /// List of moves as people write them, in any notation, with or without numbers or a position; read only.
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

    /// Name on the command line and extensions of file names, the usual one first.
    const fn names(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Format::Pgn => ("pgn", &["pgn", "pgns"]),
            Format::Moves => ("moves", &["tsv", "moves"]),
            Format::MoveList => ("movelist", &["wxf"]),
            Format::Xqf => ("xqf", &["xqf"]),
            Format::DhtmlXq => ("dhtmlxq", &["dhtmlxq", "html", "htm", "ubb"]),
            Format::Cbr => ("cbr", &["cbr", "cbl"]),
        }
    }

    /// Name on the command line, which is also an extension of files that are written.
    pub const fn name(self) -> &'static str {
        self.names().0
    }

    /// Extensions of file names, the usual one first.
    pub const fn extensions(self) -> &'static [&'static str] {
        self.names().1
    }

    /// Formats that can be written.
    pub fn written() -> impl Iterator<Item = Format> + Clone {
        Format::ALL.into_iter().filter(|format| !matches!(format, Format::MoveList | Format::Cbr))
    }

    /// Returns whether games in this format have moves and a result only, so that a file may list openings.
    pub const fn is_plain(self) -> bool {
        matches!(self, Format::Moves | Format::MoveList)
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
            Format::Xqf => binary::XQF_TEXTS.iter().any(|(_, _, tag)| *tag == name),
            Format::DhtmlXq => dhtmlxq::FIELDS.iter().any(|(tag, _, _)| *tag == name),
        }
    }

    /// Names the parts of a game that this format does not keep in full, such as tags that are too long.
    pub fn cut_parts(self, game: &Game) -> Vec<&'static str> {
        if self == Format::Xqf { binary::cut_parts(game) } else { Vec::new() }
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
        if binary::begins_cbr(head) {
            return Some(Format::Cbr);
        }
        let text = decode_head(head);
        if text.contains("[DhtmlXQ") {
            return Some(Format::DhtmlXq);
        }
        let is_remark = |line: &&str| line.trim().is_empty() || line.starts_with(['#', '%']);
        let line = text.trim_start_matches('\u{feff}').lines().find(|line| !is_remark(line)).unwrap_or_default();
        let is_line_of_a_game = line.split_once('\t').is_some_and(|(first, rest)| {
            // Lists may be indented by a tab, and a table may begin with such a word as 'Draw'.
            GameResult::from_text(first).is_some() && !first.starts_with(|c: char| c.is_ascii_alphabetic())
                || first.trim().is_empty() && !move_list::begins_with_number_or_header(rest)
        });
        let start = line.trim_start();
        match () {
            () if is_line_of_a_game => Some(Format::Moves),
            () if start.starts_with(['[', '{']) => Some(Format::Pgn),
            () if !line.is_empty() && pgn_text::begins_a_list(head) => Some(Format::MoveList),
            () => start.starts_with("1.").then_some(Format::Pgn),
        }
    }

    /// Like [`Format::detect`], also for a position alone, which is a list without moves.
    pub fn detect_with_positions(head: &[u8]) -> Option<Format> {
        Format::detect(head).or_else(|| move_list::is_lone_position(head).then_some(Format::MoveList))
    }

    /// Iterates over the games of `reader`, keeping one in memory. After an error, reading continues with the next
    /// game. A game with a wrong move is one up to there, with a warning.
    pub fn games<'a>(
        self,
        reader: impl BufRead + 'a,
        strictness: Strictness,
    ) -> Box<dyn Iterator<Item = Result<Game, GameError>> + 'a> {
        match self {
            Format::Pgn => Box::new(pgn::games(reader, Style::Pgn, strictness)),
            Format::MoveList => Box::new(pgn::games(reader, Style::List, strictness)),
            Format::Moves => Box::new(pgn::games_of_lines(reader, strictness)),
            Format::Xqf => Box::new(std::iter::once_with(move || binary::read_xqf(reader, strictness))),
            Format::DhtmlXq => Box::new(dhtmlxq::games(reader, strictness)),
            Format::Cbr => Box::new(binary::read_cbr(reader, strictness)),
        }
    }

    /// Writes a game with its variations, which lines of games leave out. XQF and DhtmlXQ have no notation. Fails for a
    /// read-only format, a position that it cannot hold, and a game that is not [valid](Game::is_valid).
    pub fn write(self, out: &mut impl Write, game: &Game, dialect: Dialect) -> io::Result<()> {
        if !game.is_valid() {
            return Err(io::Error::other("the game has moves that are not legal, not in order or too many"));
        }
        match self {
            Format::Pgn => pgn::write_game(out, game, dialect),
            Format::Moves => pgn::write_as_line(out, game, dialect),
            Format::Xqf => binary::write_xqf(out, game),
            Format::DhtmlXq => dhtmlxq::write_game(out, game),
            Format::MoveList | Format::Cbr => Err(io::Error::other(format!("{} files cannot be written", self.name()))),
        }
    }
}
