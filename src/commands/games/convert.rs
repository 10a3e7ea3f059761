//! `convert`: conversion between formats and notations of game files.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufRead, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use encoding_rs::GB18030;
use indicatif::{ProgressBar, ProgressStyle};

use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::input::{input_name, is_stream, open, peek};
use crate::console::note;
use crate::notation::Dialect;
use crate::notation::format::Format;
use crate::notation::game::{Game, GameError, GameFault, Location, Warnings, is_known, shortened};
use crate::position::Strictness;
use crate::util::atomic_file::replace;

/// Number of locations reported per kind of error.
const MAX_LOCATIONS: usize = 5;
/// Number of warnings that are printed.
const MAX_WARNINGS: usize = 20;
/// Number of tags that are named.
const MAX_NAMED_TAGS: usize = 12;
const BUFFER_SIZE: usize = 1 << 16;

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

impl TextEncoding {
    /// Encodes a text whose lines end with LF.
    fn encode(self, text: &[u8]) -> Cow<'_, [u8]> {
        match self {
            TextEncoding::Utf8 => Cow::Borrowed(text),
            TextEncoding::Gbk => {
                let text = String::from_utf8_lossy(text).replace('\n', "\r\n");
                Cow::Owned(GB18030.encode(&text).0.into_owned())
            }
        }
    }
}

/// Settings of a conversion.
pub struct Conversion {
    /// Input file; `-` is standard input.
    pub input: PathBuf,
    /// Output file; `-` is standard output.
    pub output: PathBuf,
    /// Input format; detected by default.
    pub from: Option<Format>,
    /// Output format; by default that of the file name, or PGN for one without extension.
    pub to: Option<Format>,
    /// Notation of moves; by default that of the format.
    pub dialect: Option<Dialect>,
    /// Encoding of the output; XQF has its own.
    pub encoding: TextEncoding,
    /// Strictness of position validation.
    pub strictness: Strictness,
}

impl Conversion {
    /// Reads all games and writes the valid ones. A summary goes to standard error.
    ///
    /// # Errors
    /// [`CommandError`] if a file cannot be read or written, its format is unknown, or not all games can be read in
    /// full; what can be read is written, unless the file would be converted in its place.
    pub fn run(&self, stdout: &mut impl Write) -> Result<(), CommandError> {
        let to = self.to.map_or_else(|| self.format_of_output(), Ok)?;
        if Format::written().all(|format| format != to) {
            return Err(CommandError::ReadOnlyFormat(to.name()));
        }
        let bar = self.progress_bar()?;
        let (reader, from) = self.open(&bar)?;
        let games = from.games(reader, self.strictness);
        // What is skipped when a file is converted in place would be lost.
        let is_in_place = self.is_in_place();
        // An input without games replaces nothing, and is an error, unless its format was named.
        let is_accepted = |tally: &Tally| match tally.written {
            _ if is_in_place => tally.lost() == 0,
            0 => tally.skipped() == 0 && self.from.is_some(),
            _ => true,
        };
        let tally = if is_stream(&self.output) {
            let mut out = BufWriter::with_capacity(BUFFER_SIZE, stdout);
            let tally = self.write_games(games, to, &mut out, CommandError::Output)?;
            out.flush()?;
            tally
        } else {
            let in_output = |error| CommandError::File { path: self.output.clone(), error };
            replace(&self.output, in_output, |out| self.write_games(games, to, out, in_output), is_accepted)?
        };
        bar.finish_and_clear();
        if is_accepted(&tally) {
            tally.report_output(&self.output);
        }
        tally.report_faults(&input_name(&self.input));
        if tally.written == 0 && (tally.skipped() > 0 || self.from.is_none()) {
            return Err(CommandError::NoGame { path: input_name(&self.input) });
        }
        match tally.lost() {
            0 => Ok(()),
            games if is_in_place => Err(CommandError::WouldLoseGames { path: self.output.clone(), games }),
            games => Err(CommandError::PartlyRead { path: input_name(&self.input), games }),
        }
    }

    /// Returns the format that the name of the output stands for.
    fn format_of_output(&self) -> Result<Format, CommandError> {
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

    /// Progress bar over the input bytes; hidden without a terminal or if the games go to it.
    fn progress_bar(&self) -> Result<ProgressBar, CommandError> {
        if is_stream(&self.input) || (is_stream(&self.output) && io::stdout().is_terminal()) {
            return Ok(ProgressBar::hidden());
        }
        let length = fs::metadata(&self.input).map_err(|error| self.in_input(error))?.len();
        let style = ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}, {eta} left");
        Ok(ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    /// Opens the input and detects its format.
    fn open(&self, bar: &ProgressBar) -> Result<(impl BufRead + use<>, Format), CommandError> {
        let input = open(&self.input).map_err(|error| self.in_input(error))?;
        let (head, reader) = peek(bar.wrap_read(input)).map_err(|error| self.in_input(error))?;
        let is_empty = head.is_empty().then_some(Format::Pgn);
        let by_name = || Format::detect(&head).or_else(|| Format::from_path(&self.input));
        let found = || by_name().or_else(|| Format::detect_with_positions(&head)).or(is_empty);
        let unknown = || CommandError::UnknownFormat { path: input_name(&self.input) };
        let format = self.from.or_else(found).ok_or_else(unknown)?;
        Ok((reader, format))
    }

    /// Returns whether input and output are the same file.
    fn is_in_place(&self) -> bool {
        let real = |path: &Path| fs::canonicalize(path).ok();
        real(&self.input).is_some_and(|input| real(&self.output) == Some(input))
    }

    /// Writes a game in the encoding of the output.
    fn write_game(&self, out: &mut impl Write, game: &Game, to: Format, dialect: Dialect) -> io::Result<()> {
        if to == Format::Xqf {
            return to.write(out, game, dialect);
        }
        let mut text = Vec::new();
        to.write(&mut text, game, dialect)?;
        out.write_all(&self.encoding.encode(&text))
    }

    /// Writes the games that can be read.
    fn write_games(
        &self,
        games: impl Iterator<Item = Result<Game, GameError>>,
        to: Format,
        mut out: &mut (impl Write + ?Sized),
        in_output: impl Fn(io::Error) -> CommandError,
    ) -> Result<Tally, CommandError> {
        let default_dialect = if to.is_plain() { Dialect::Coordinate } else { Dialect::Chinese };
        let dialect = self.dialect.unwrap_or(default_dialect);
        let mut tally = Tally::default();
        for (number, game) in (1..).zip(games) {
            match game {
                Ok(_) if to == Format::Xqf && tally.written == 1 => {
                    let fault = "an XQF file holds one game; choose another format with --to".to_owned();
                    return Err(CommandError::Mismatch(fault));
                }
                Ok(game) => {
                    self.write_game(&mut out, &game, to, dialect).map_err(&in_output)?;
                    tally.written += 1;
                    // Lines of games have neither tags, which is known, nor variations.
                    if to.is_plain() {
                        tally.skipped_variations += game.variations();
                    } else {
                        tally.add_lost_tags(&game, to);
                        tally.cut_parts.extend(to.cut_parts(&game));
                    }
                    tally.add_warnings(number, &game.warnings);
                }
                Err(GameError { fault: GameFault::Unreadable(error), .. }) => {
                    return Err(self.in_input(error));
                }
                Err(error) => tally.add_fault(&error),
            }
        }
        Ok(tally)
    }

    fn in_input(&self, error: io::Error) -> CommandError {
        CommandError::File { path: input_name(&self.input), error }
    }
}

/// Result of a conversion.
#[derive(Default)]
struct Tally {
    written: usize,
    skipped_variations: usize,
    /// Number of games that were written without something of the input.
    incomplete: usize,
    /// Warnings about games, the first [`MAX_WARNINGS`] of them.
    warnings: Vec<String>,
    more_warnings: usize,
    faults: BTreeMap<&'static str, Faults>,
    /// Names of tags that the output cannot have.
    lost_tags: BTreeSet<String>,
    /// Parts that the output does not keep in full.
    cut_parts: BTreeSet<&'static str>,
}

/// Errors of one kind.
struct Faults {
    count: usize,
    /// Message of the first one.
    first: String,
    locations: Vec<Location>,
}

impl Tally {
    fn add_fault(&mut self, error: &GameError) {
        let new = || Faults { count: 0, first: error.to_string(), locations: Vec::new() };
        let faults = self.faults.entry(error.fault.kind()).or_insert_with(new);
        faults.count += 1;
        if faults.locations.len() < MAX_LOCATIONS {
            faults.locations.push(error.location);
        }
    }

    fn add_lost_tags(&mut self, game: &Game, to: Format) {
        let lost = game.tags.iter().filter(|(name, value)| is_known(value) && !to.keeps_tag(name));
        self.lost_tags.extend(lost.map(|(name, _)| shortened(name)));
    }

    fn add_warnings(&mut self, number: u64, warnings: &Warnings) {
        self.incomplete += usize::from(warnings.has_losses());
        for warning in warnings.iter() {
            if self.warnings.len() < MAX_WARNINGS {
                self.warnings.push(format!("game {number}, {warning}"));
            } else {
                self.more_warnings += 1;
            }
        }
    }

    /// Number of games that were skipped or are not complete.
    fn lost(&self) -> usize {
        self.skipped() + self.incomplete
    }

    fn skipped(&self) -> usize {
        self.faults.values().map(|faults| faults.count).sum()
    }

    fn report_output(&self, output: &Path) {
        let target = if is_stream(output) { "standard output".to_owned() } else { output.display().to_string() };
        if self.written > 0 || self.faults.is_empty() {
            note!("{} written to {target}", counted(self.written as u64, "game"));
        }
    }

    fn report_faults(&self, input: &Path) {
        if self.skipped_variations > 0 {
            note!("{} skipped", counted(self.skipped_variations as u64, "variation"));
        }
        for warning in &self.warnings {
            note!("warning: {}: {warning}", input.display());
        }
        if self.more_warnings > 0 {
            note!("warning: {}: {} more", input.display(), counted(self.more_warnings as u64, "warning"));
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
        for (kind, faults) in &self.faults {
            let locations: Vec<String> = faults.locations.iter().map(Location::to_string).collect();
            let more = if faults.count > locations.len() { ", …" } else { "" };
            let count = counted(faults.count as u64, "game");
            note!("{count} skipped, {kind}: {}{more}\n  {}", locations.join(", "), faults.first);
        }
    }
}
