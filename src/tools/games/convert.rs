//! Turning files of games into other files of games.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};

use crate::console::error::CommandError;
use crate::console::progress::counted;
use crate::notation::Dialect;
use crate::notation::format::{BYTES_TO_DETECT, Format};
use crate::notation::game::{GameError, GameFault, Location};
use crate::position::Strictness;
use crate::util::atomic_file::replace;

/// The name that stands for standard input and output.
const STREAM: &str = "-";
/// How many places of faults of one kind are told.
const PLACES_TOLD: usize = 5;
const BUFFER_SIZE: usize = 1 << 16;

/// What is to be turned into what.
#[derive(Debug)]
pub struct Conversion {
    /// The file to read; `-` is standard input.
    pub input: PathBuf,
    /// The file to write; `-` is standard output.
    pub output: PathBuf,
    /// Its format; found out if not given.
    pub from: Option<Format>,
    /// The format to write; by default what the name of the file tells, or PGN.
    pub to: Option<Format>,
    /// How moves are written; by default the usual way of the format.
    pub dialect: Option<Dialect>,
    /// Which positions are admitted.
    pub strictness: Strictness,
}

impl Conversion {
    /// Reads all games and writes those that can be read. A summary goes to standard error.
    ///
    /// # Errors
    /// [`CommandError`] when a file fails, its format is not known, or there are faults and no game.
    pub fn run(&self, stdout: &mut impl Write) -> Result<(), CommandError> {
        let to = self.to.or_else(|| Format::of_path(&self.output)).unwrap_or(Format::Pgn);
        if !Format::WRITTEN.contains(&to) {
            return Err(CommandError::ReadOnlyFormat(to.name()));
        }
        let bar = self.progress_bar()?;
        let (reader, from) = self.open(&bar)?;
        let job = Job { conversion: self, games: from.games(reader, self.strictness), to };
        // Games that are left out in place are nowhere else.
        let would_lose = self.is_in_place();
        let is_wanted = |tally: &Tally| tally.skipped() == 0 || (tally.written > 0 && !would_lose);
        let tally = if is_stream(&self.output) {
            let mut out = BufWriter::with_capacity(BUFFER_SIZE, stdout);
            let tally = job.write(&mut out, CommandError::Output)?;
            out.flush()?;
            tally
        } else {
            let in_output = |error| CommandError::File { path: self.output.clone(), error };
            replace(&self.output, in_output, |out| job.write(out, in_output), is_wanted)?
        };
        bar.finish_and_clear();
        if is_wanted(&tally) {
            tally.tell_of_output(&self.output);
        }
        tally.tell_of_faults();
        if tally.written == 0 && tally.skipped() > 0 {
            return Err(CommandError::NoGame { path: self.input.clone() });
        }
        if would_lose && tally.skipped() > 0 {
            return Err(CommandError::WouldLoseGames { path: self.output.clone(), games: tally.skipped() });
        }
        Ok(())
    }

    /// A bar for the bytes that are read. It is not seen where nobody looks, or where it would disturb the games.
    fn progress_bar(&self) -> Result<ProgressBar, CommandError> {
        if is_stream(&self.input) || (is_stream(&self.output) && io::stdout().is_terminal()) {
            return Ok(ProgressBar::hidden());
        }
        let length = fs::metadata(&self.input).map_err(|error| self.in_input(error))?.len();
        let style = ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}, {eta} left");
        Ok(ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    /// The input from its first byte on, and its format.
    fn open(&self, bar: &ProgressBar) -> Result<(impl BufRead + use<>, Format), CommandError> {
        let mut reader: Box<dyn Read> = if is_stream(&self.input) {
            Box::new(io::stdin().lock())
        } else {
            let file = File::open(&self.input).map_err(|error| self.in_input(error))?;
            Box::new(bar.wrap_read(file))
        };
        let mut head = Vec::new();
        let limit = BYTES_TO_DETECT as u64;
        reader.by_ref().take(limit).read_to_end(&mut head).map_err(|error| self.in_input(error))?;
        let is_empty = head.is_empty().then_some(Format::Pgn);
        let found = || Format::detect(&head).or_else(|| Format::of_path(&self.input)).or(is_empty);
        let from = self.from.or_else(found).ok_or_else(|| CommandError::UnknownFormat { path: self.input.clone() })?;
        Ok((BufReader::with_capacity(BUFFER_SIZE, Cursor::new(head).chain(reader)), from))
    }

    /// Whether the file to read is the one to write.
    fn is_in_place(&self) -> bool {
        let real = |path: &Path| fs::canonicalize(path).ok();
        real(&self.input).is_some_and(|input| real(&self.output) == Some(input))
    }

    fn in_input(&self, error: io::Error) -> CommandError {
        CommandError::File { path: self.input.clone(), error }
    }
}

type GameOrError = Result<crate::notation::game::Game, GameError>;

fn is_stream(path: &Path) -> bool {
    path.as_os_str() == STREAM
}

/// Games on their way into a file.
struct Job<'a, G> {
    conversion: &'a Conversion,
    games: G,
    to: Format,
}

impl<G: Iterator<Item = GameOrError>> Job<'_, G> {
    fn write(
        self,
        mut out: &mut (impl Write + ?Sized),
        in_output: impl Fn(io::Error) -> CommandError,
    ) -> Result<Tally, CommandError> {
        let usual = if self.to == Format::Moves { Dialect::Coordinate } else { Dialect::Chinese };
        let dialect = self.conversion.dialect.unwrap_or(usual);
        let mut tally = Tally::default();
        for game in self.games {
            match game {
                Ok(game) => {
                    self.to.write(&mut out, &game, dialect).map_err(&in_output)?;
                    tally.written += 1;
                    tally.skipped_variations += game.skipped_variations;
                }
                Err(GameError { fault: GameFault::Unreadable(error), .. }) => {
                    return Err(self.conversion.in_input(error));
                }
                Err(error) => tally.add_fault(&error),
            }
        }
        Ok(tally)
    }
}

/// What became of the games.
#[derive(Default)]
struct Tally {
    written: usize,
    skipped_variations: usize,
    faults: BTreeMap<&'static str, Faults>,
}

/// Faults of one kind.
struct Faults {
    count: usize,
    /// The first of them in full.
    first: String,
    places: Vec<Location>,
}

impl Tally {
    fn add_fault(&mut self, error: &GameError) {
        let new = || Faults { count: 0, first: error.to_string(), places: Vec::new() };
        let faults = self.faults.entry(error.fault.kind()).or_insert_with(new);
        faults.count += 1;
        if faults.places.len() < PLACES_TOLD {
            faults.places.push(error.location);
        }
    }

    fn skipped(&self) -> usize {
        self.faults.values().map(|faults| faults.count).sum()
    }

    fn tell_of_output(&self, output: &Path) {
        let target = if is_stream(output) { "standard output".to_owned() } else { output.display().to_string() };
        if self.written > 0 || self.faults.is_empty() {
            eprintln!("chuhe: {} written to {target}", counted(self.written as u64, "game"));
        }
    }

    fn tell_of_faults(&self) {
        if self.skipped_variations > 0 {
            eprintln!("chuhe: {} left out", counted(self.skipped_variations as u64, "side line"));
        }
        for (kind, faults) in &self.faults {
            let places: Vec<String> = faults.places.iter().map(Location::to_string).collect();
            let more = if faults.count > places.len() { ", …" } else { "" };
            let count = counted(faults.count as u64, "game");
            eprintln!("chuhe: {count} skipped, {kind}: {}{more}\n  {}", places.join(", "), faults.first);
        }
    }
}
