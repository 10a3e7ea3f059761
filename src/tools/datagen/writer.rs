//! Writing files of games so that a program that is ended at any moment costs no game but those in progress.

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::reader::{GameReader, HeaderError, RecordError};
use super::record::{GameRecord, Header, MOST_SETTINGS, RecordFault};
use super::settings::{Difference, difference};

/// Why games cannot be written to a file.
#[derive(Debug, Error)]
#[error("{}: {fault}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// Why not.
    pub fault: FileFault,
}

/// What is wrong with a file to write to.
#[derive(Debug, Error)]
pub enum FileFault {
    /// The system does not let us.
    #[error(transparent)]
    System(#[from] io::Error),
    /// It is no file to which something can be appended.
    #[error("it is no ordinary file")]
    Special,
    /// Another program writes it.
    #[error("another program is writing to it")]
    Locked,
    /// It is a file of games, but how they were played cannot be read any more.
    #[error("its first bytes, which tell how its games were played, are damaged; nothing can be added to it")]
    Headless,
    /// It holds something else, which is left as it is.
    #[error("{0}; nothing is changed, name another file")]
    Header(HeaderError),
    /// Its games were made otherwise.
    #[error("its games were made otherwise: {0}; use the same options or another file")]
    Settings(Difference),
    /// It cannot be read to its end.
    #[error("{0}")]
    Unreadable(RecordError),
    /// A game does not fit into a record.
    #[error("game {number}: {fault}")]
    Game {
        /// Which game.
        number: u64,
        /// Why not.
        fault: RecordFault,
    },
    /// Something could not be written; what was there before is there still.
    #[error("{error}; {games} games are safe in it, and the same command goes on with the rest")]
    Full {
        /// Why not.
        error: io::Error,
        /// How many games the file holds.
        games: usize,
    },
}

/// What was found in a file to go on with.
#[derive(Debug, Default)]
pub struct Resumed {
    /// Whether there was nothing yet.
    pub is_new: bool,
    /// Records that are no games. They stay where they are, and their games are made anew.
    pub faults: Vec<RecordError>,
    /// How many bytes of a record that was not finished were cut off at the end.
    pub bytes_cut: u64,
}

/// A file to which games are appended, each as a whole. Nobody else writes to it as long as this lives.
#[derive(Debug)]
pub struct GameFile {
    path: PathBuf,
    file: File,
    /// Where the next record goes.
    end: u64,
    numbers: HashSet<u64>,
}

impl GameFile {
    /// Opens a file of games with these settings, which is made if it is not there, and finds out which games are in
    /// it. A record at its end that was not finished is cut off.
    ///
    /// # Errors
    /// [`FileFault`] tells why nothing can be appended; nothing is changed then.
    pub fn open(path: &Path, settings: &str) -> Result<(GameFile, Resumed), FileError> {
        GameFile::try_open(path, settings).map_err(|fault| FileError { path: path.to_owned(), fault })
    }

    fn try_open(path: &Path, settings: &str) -> Result<(GameFile, Resumed), FileFault> {
        // A pipe would wait for somebody to read it.
        if path.exists() && !path.is_file() {
            return Err(FileFault::Special);
        }
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FileFault::Locked),
            // Some file systems know no locks; nobody is refused his games for that.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                log::warn!("{}: no lock keeps other programs away: {error}", path.display());
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let header = Header { settings: settings.to_owned() }.bytes();
        let mut game_file = GameFile { path: path.to_owned(), file, end: 0, numbers: HashSet::new() };
        let resumed = if game_file.is_beginning_of(&header)? {
            game_file.append_bytes(&header)?;
            game_file.file.sync_all()?;
            Resumed { is_new: true, ..Resumed::default() }
        } else {
            game_file.take_stock(settings)?
        };
        Ok((game_file, resumed))
    }

    /// Whether the file holds nothing, or nothing but the first bytes of this header: its writer was ended early.
    fn is_beginning_of(&mut self, header: &[u8]) -> io::Result<bool> {
        let mut bytes = Vec::new();
        Read::by_ref(&mut self.file).take(header.len() as u64).read_to_end(&mut bytes)?;
        self.file.rewind()?;
        Ok(bytes.len() < header.len() && header.starts_with(&bytes))
    }

    /// Finds out which games are there and where the next one goes.
    fn take_stock(&mut self, settings: &str) -> Result<Resumed, FileFault> {
        let mut reader = GameReader::new(&self.file).map_err(FileFault::Header)?;
        let header = reader.header().ok_or(FileFault::Headless)?;
        if let Some(difference) = difference(settings, &header.settings) {
            return Err(FileFault::Settings(difference));
        }
        let mut resumed = Resumed::default();
        for record in reader.by_ref() {
            match record {
                Ok(record) => drop(self.numbers.insert(record.number)),
                Err(error) if error.is_read_error() => return Err(FileFault::Unreadable(error)),
                Err(RecordError::CutOff { bytes, .. }) => resumed.bytes_cut = bytes,
                Err(error) => resumed.faults.push(error),
            }
        }
        self.end = reader.end_of_records();
        if resumed.bytes_cut > 0 {
            self.file.set_len(self.end)?;
        }
        Ok(resumed)
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The numbers of its games.
    pub fn numbers(&self) -> &HashSet<u64> {
        &self.numbers
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.end
    }

    /// Appends a game.
    ///
    /// # Errors
    /// When it cannot be written. The games before it are safe, and the file can be gone on with.
    pub fn append(&mut self, record: &GameRecord) -> Result<(), FileError> {
        let number = record.number;
        let written = match record.bytes() {
            Ok(bytes) => {
                self.append_bytes(&bytes).map_err(|error| FileFault::Full { error, games: self.numbers.len() })
            }
            Err(fault) => Err(FileFault::Game { number, fault }),
        };
        written.map_err(|fault| FileError { path: self.path.clone(), fault })?;
        self.numbers.insert(number);
        Ok(())
    }

    fn append_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.write_all(bytes));
        match written {
            Ok(()) => self.end += bytes.len() as u64,
            // What got there of it would only be cut off later.
            Err(_) => drop(self.file.set_len(self.end)),
        }
        written
    }

    /// Sees to it that what was appended outlives a power cut.
    ///
    /// # Errors
    /// What the system says.
    pub fn sync(&self) -> Result<(), FileError> {
        self.file.sync_data().map_err(|error| FileError { path: self.path.clone(), fault: error.into() })
    }
}

/// Writes games to anything, such as a file that is made anew as a whole.
#[derive(Debug)]
pub struct GameWriter<W> {
    out: W,
}

impl<W: Write> GameWriter<W> {
    /// Writes the header with these settings.
    ///
    /// # Errors
    /// Those of `out`, and that the settings are too long.
    pub fn new(mut out: W, settings: &str) -> io::Result<GameWriter<W>> {
        if settings.len() > MOST_SETTINGS {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the settings are too long"));
        }
        out.write_all(&Header { settings: settings.to_owned() }.bytes())?;
        Ok(GameWriter { out })
    }

    /// Writes a game.
    ///
    /// # Errors
    /// Those of `out`, and that the game does not fit into a record.
    pub fn write(&mut self, record: &GameRecord) -> io::Result<()> {
        let bytes = record.bytes().map_err(|fault| io::Error::new(io::ErrorKind::InvalidData, fault))?;
        self.write_bytes(&bytes)
    }

    /// Writes a record as it stands in another file.
    pub(super) fn write_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }
}
