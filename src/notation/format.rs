//! Formats of game files: detection, reading and writing.
//!
//! A new format is a variant of [`Format`] with its properties, reader and writer: the compiler asks for all of them.
//! `notation::game_lines` is a small example.

use std::io::{self, BufRead, Write};
use std::path::Path;

use super::fault::GameError;
use super::game::{Game, GameResult};
use super::pgn_text::Style;
use super::text_encoding::decode_head;
use super::{Dialect, cbr, dhtmlxq, game_lines, move_list, pgn, xqf};
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

/// Properties of a format.
struct Properties {
    /// Name on the command line, which is also an extension of files that are written.
    name: &'static str,
    /// Extensions of file names, the usual one first.
    extensions: &'static [&'static str],
    is_written: bool,
    /// Games have moves and a result only, so that a file may also be a list of openings.
    is_plain: bool,
}

/// How the beginning of a file resembles a format, in ascending order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    No,
    /// It has a number of a move.
    Number,
    /// It has moves.
    Moves,
    /// It has the form of this format.
    Form,
    /// It has a mark of this format, maybe among other text.
    Mark,
    /// It begins with the signature of this format.
    Signature,
}

impl Likeness {
    /// Returns this likeness if the condition holds.
    fn when(self, holds: bool) -> Likeness {
        if holds { self } else { Likeness::No }
    }
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 6] = {
        // A new variant does not compile until it stands here, and then belongs into the list, too.
        match Format::Pgn {
            Format::Pgn | Format::Moves | Format::MoveList | Format::Xqf | Format::DhtmlXq | Format::Cbr => {}
        }
        [Format::Pgn, Format::Moves, Format::MoveList, Format::Xqf, Format::DhtmlXq, Format::Cbr]
    };

    const fn properties(self) -> Properties {
        let (name, extensions, is_written, is_plain): (_, &[&str], _, _) = match self {
            Format::Pgn => ("pgn", &["pgn", "pgns"], true, false),
            Format::Moves => ("moves", &["tsv", "moves"], true, true),
            Format::MoveList => ("movelist", &["wxf"], false, true),
            Format::Xqf => ("xqf", &["xqf"], true, false),
            Format::DhtmlXq => ("dhtmlxq", &["dhtmlxq", "html", "htm", "ubb"], true, false),
            Format::Cbr => ("cbr", &["cbr", "cbl"], false, false),
        };
        Properties { name, extensions, is_written, is_plain }
    }

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        self.properties().name
    }

    /// Extensions of file names, the usual one first.
    pub const fn extensions(self) -> &'static [&'static str] {
        self.properties().extensions
    }

    /// Formats that can be written.
    pub fn written() -> impl Iterator<Item = Format> + Clone {
        Format::ALL.into_iter().filter(|format| format.properties().is_written)
    }

    /// Returns whether games in this format have moves and a result only, so that a file may be a list of openings, too.
    pub const fn is_plain(self) -> bool {
        self.properties().is_plain
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
        match self {
            Format::Xqf => xqf::cut_parts(game),
            Format::Pgn | Format::Moves | Format::MoveList | Format::DhtmlXq | Format::Cbr => Vec::new(),
        }
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
        let text = decode_head(head);
        let is_remark = |line: &&str| line.trim().is_empty() || line.starts_with(['#', '%']);
        let line = text.trim_start_matches('\u{feff}').lines().find(|line| !is_remark(line)).unwrap_or_default();
        let found = Format::ALL.into_iter().map(|format| (format.likeness(head, &text, line), format));
        found
            .max_by(|(one, _), (other, _)| one.cmp(other))
            .filter(|(best, _)| *best > Likeness::No)
            .map(|found| found.1)
    }

    /// Returns how the beginning of a file, also as text and by its first line, resembles this format.
    fn likeness(self, head: &[u8], text: &str, line: &str) -> Likeness {
        match self {
            // A text may begin with these letters, but not with such a version byte next.
            Format::Xqf => Likeness::Signature.when(head.starts_with(b"XQ") && head.get(2).is_some_and(|v| *v < 0x20)),
            Format::Cbr => Likeness::Signature.when(cbr::begins_a_file(head)),
            Format::DhtmlXq => Likeness::Mark.when(text.contains("[DhtmlXQ")),
            Format::Moves => Likeness::Form.when(line.split_once('\t').is_some_and(|(first, rest)| {
                // Lists may be indented by a tab, and a table may begin with such a word as 'Draw'.
                GameResult::from_text(first).is_some() && !first.starts_with(|c: char| c.is_ascii_alphabetic())
                    || first.trim().is_empty() && !move_list::begins_with_number_or_header(rest)
            })),
            Format::Pgn if line.trim_start().starts_with(['[', '{']) => Likeness::Form,
            Format::Pgn => Likeness::Number.when(line.trim_start().starts_with("1.")),
            Format::MoveList => Likeness::Moves.when(!line.is_empty() && move_list::is_list(head)),
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
            Format::Moves => Box::new(game_lines::games(reader, strictness)),
            Format::Xqf => Box::new(std::iter::once_with(move || xqf::read_game(reader, strictness))),
            Format::DhtmlXq => Box::new(dhtmlxq::games(reader, strictness)),
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
            Format::Xqf => xqf::write_game(out, game),
            Format::DhtmlXq => dhtmlxq::write_game(out, game),
            Format::MoveList | Format::Cbr => {
                Err(io::Error::new(io::ErrorKind::Unsupported, format!("{} files cannot be written", self.name())))
            }
        }
    }
}
