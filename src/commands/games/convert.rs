//! `convert`: conversion between formats and notations of game files.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use encoding_rs::GB18030;

use crate::console::{CommandError, Games, Result, counted, dialect, input_name, is_stream, named, note, open, peek};
use crate::notation::Dialect;
use crate::notation::format::Format;
use crate::notation::game::{Game, is_known, shortened};
use crate::position::Strictness;
use crate::util::atomic_file::replace;

const MAX_NAMED_TAGS: usize = 12;
const BUFFER_SIZE: usize = 1 << 16;

pub const HELP: &str = "\
Reads PGN, lists of moves, lines of games, XQF (XQStudio), CBR and CBL (象棋桥) and DhtmlXQ; writes all but
lists of moves, CBR and CBL. A game is read up to its first wrong move; what is lost is reported on standard
error, with exit status 1. Variations and comments are kept, except in lines of games. An XQF file holds one game.

A list of moves (movelist) contains moves in any notation, with or without numbers, on one line or many,
from the start position or after 'startpos moves', 'FEN moves' or a line with a FEN; results may end games,
and # or ; begins a comment. A line of games (moves) is a result, a FEN or nothing, and moves, separated by tabs.

Examples:
  chuhe convert game.xqf game.pgn
  chuhe convert games.pgn games.tsv      a line for each game
  echo h2e2 h9g7 h0g2 | chuhe convert - game.pgn
  chuhe convert --notation wxf games.pgn - | less";

/// Encoding of written files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum TextEncoding {
    #[default]
    #[value(name = "utf-8")]
    Utf8,
    // With CR LF, which older programs for Windows expect. Characters that GBK lacks are those of GB18030, of which GBK
    // is a part.
    Gbk,
}

#[derive(Args, Debug)]
pub struct Conversion {
    /// File to read; '-' is standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// File to write; '-' is standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Notation of the moves; by default chinese in PGN and coordinate in lines of games.
    #[arg(long = "notation", value_name = "NOTATION", value_parser = dialect())]
    dialect: Option<Dialect>,
    /// Format to read; by default it is detected.
    #[arg(long, value_name = "FORMAT", value_parser = named(Format::ALL.map(|format| (format.name(), format))))]
    from: Option<Format>,
    /// Format to write; by default that of the extension of the file name; pgn if it has none.
    #[arg(long, value_name = "FORMAT", value_parser = named(Format::written().map(|format| (format.name(), format))))]
    to: Option<Format>,
    /// Encoding of the output; gbk, with CR LF at the ends of lines, for older programs. XQF is always in GBK.
    #[arg(long, value_enum, value_name = "ENCODING", default_value_t)]
    encoding: TextEncoding,
}

impl Conversion {
    /// Reads all games and writes the valid ones. A summary goes to standard error.
    ///
    /// # Errors
    /// [`CommandError`] if a file cannot be read or written, its format is unknown, or not all games can be read in
    /// full; what can be read is written, unless the file would be converted in its place.
    pub fn run(&self, strictness: Strictness, stdout: &mut impl Write) -> Result {
        let to = self.to.map_or_else(|| self.format_of_output(), Ok)?;
        if Format::written().all(|format| format != to) {
            let fault = format!("{} files are only read; choose another format with --to", to.name());
            return Err(CommandError::Mismatch(fault));
        }
        let mut games = self.open(strictness)?;
        // What is skipped when a file is converted in place would be lost.
        let is_in_place = self.is_in_place();
        // An input without games replaces nothing, and is an error, unless its format was named.
        let is_accepted = |tally: &Tally| match tally.written {
            _ if is_in_place => tally.left_out + tally.incomplete == 0,
            0 => tally.left_out == 0 && self.from.is_some(),
            _ => true,
        };
        let tally = if is_stream(&self.output) {
            let mut out = BufWriter::with_capacity(BUFFER_SIZE, stdout);
            let tally = self.write_games(&mut games, to, &mut out, CommandError::Output)?;
            out.flush()?;
            tally
        } else {
            let in_output = CommandError::in_file(&self.output);
            let write = |out: &mut dyn Write| self.write_games(&mut games, to, out, &in_output);
            replace(&self.output, &in_output, write, is_accepted)?
        };
        if is_accepted(&tally) && (tally.written > 0 || tally.left_out == 0) {
            let file = self.output.display().to_string();
            let target = if is_stream(&self.output) { "standard output" } else { &file };
            note!("{} written to {target}", counted(tally.written as u64, "game"));
        }
        drop(games);
        tally.report();
        if tally.written == 0 && (tally.left_out > 0 || self.from.is_none()) {
            return Err(CommandError::no_game(input_name(&self.input)));
        }
        match tally.left_out + tally.incomplete {
            games @ 1.. if is_in_place => {
                let fault = "games cannot be read in full, and what is missing would be lost; nothing was changed";
                Err(CommandError::unusable(&self.output, format!("{games} {fault}, name another output")))
            }
            games => CommandError::if_partly_read(input_name(&self.input), games),
        }
    }

    /// Returns the format that the name of the output stands for.
    fn format_of_output(&self) -> Result<Format> {
        match Format::from_path(&self.output) {
            Some(format) => Ok(format),
            None if self.output.extension().is_none() => Ok(Format::Pgn),
            None => {
                let named = |format: Format| format!("{} (.{})", format.name(), format.extensions().join(", ."));
                let formats: Vec<String> = Format::written().map(named).collect();
                let fault = "no format has this extension; name one with --to or by the extension";
                Err(CommandError::Mismatch(format!("{}: {fault}: {}", self.output.display(), formats.join(", "))))
            }
        }
    }

    fn open(&self, strictness: Strictness) -> Result<Games> {
        let name = input_name(&self.input);
        let (head, reader) = open(&self.input).and_then(peek).map_err(CommandError::in_file(&name))?;
        let is_empty = head.is_empty().then_some(Format::Pgn);
        let by_name = || Format::detect(&head).or_else(|| Format::from_path(&self.input));
        let found = || by_name().or_else(|| Format::detect_with_positions(&head)).or(is_empty);
        match self.from.or_else(found) {
            Some(format) => Ok(Games::new(name, format, reader, strictness)),
            None => Err(CommandError::unusable(name, "no games or moves were found; name the format with --from")),
        }
    }

    fn is_in_place(&self) -> bool {
        let real = |path: &Path| fs::canonicalize(path).ok();
        real(&self.input).is_some_and(|input| real(&self.output) == Some(input))
    }

    fn write_game(&self, out: &mut impl Write, game: &Game, to: Format, dialect: Dialect) -> io::Result<()> {
        let mut bytes = Vec::new();
        to.write(&mut bytes, game, dialect)?;
        if self.encoding == TextEncoding::Gbk && to != Format::Xqf {
            let text = String::from_utf8_lossy(&bytes).replace('\n', "\r\n");
            bytes = GB18030.encode(&text).0.into_owned();
        }
        out.write_all(&bytes)
    }

    fn write_games(
        &self,
        games: &mut Games,
        to: Format,
        mut out: &mut (impl Write + ?Sized),
        in_output: impl Fn(io::Error) -> CommandError,
    ) -> Result<Tally> {
        let default_dialect = if to.is_plain() { Dialect::Coordinate } else { Dialect::Chinese };
        let dialect = self.dialect.unwrap_or(default_dialect);
        let mut tally = Tally::default();
        while let Some(game) = games.next() {
            let game = game?;
            if to == Format::Xqf && tally.written == 1 {
                let fault = "an XQF file holds one game; choose another format with --to".to_owned();
                return Err(CommandError::Mismatch(fault));
            }
            self.write_game(&mut out, &game, to, dialect).map_err(&in_output)?;
            tally.written += 1;
            // Lines of games have neither tags, which is known, nor variations.
            if to.is_plain() {
                tally.skipped_variations += game.variations();
            } else {
                let lost = game.tags.iter().filter(|(name, value)| is_known(value) && !to.keeps_tag(name));
                tally.lost_tags.extend(lost.map(|(name, _)| shortened(name)));
                tally.cut_parts.extend(to.cut_parts(&game));
            }
            games.warn(&game.warnings);
            tally.incomplete += usize::from(game.warnings.has_losses());
        }
        tally.left_out = games.left_out();
        Ok(tally)
    }
}

#[derive(Default)]
struct Tally {
    written: usize,
    skipped_variations: usize,
    left_out: usize,
    /// Number of games that were written without something of the input.
    incomplete: usize,
    lost_tags: BTreeSet<String>,
    /// Parts that the output does not keep in full.
    cut_parts: BTreeSet<&'static str>,
}

impl Tally {
    fn report(&self) {
        if self.skipped_variations > 0 {
            note!("{} skipped", counted(self.skipped_variations as u64, "variation"));
        }
        if !self.lost_tags.is_empty() {
            let names: Vec<&str> = self.lost_tags.iter().take(MAX_NAMED_TAGS).map(String::as_str).collect();
            let more = if self.lost_tags.len() > names.len() { ", …" } else { "" };
            note!("tags left out, for which this format has no place: {}{more}", names.join(", "));
        }
        if !self.cut_parts.is_empty() {
            let names: Vec<&str> = self.cut_parts.iter().copied().collect();
            note!("not kept in full, since this format has no room or no characters for it: {}", names.join(", "));
        }
    }
}
