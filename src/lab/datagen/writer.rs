//! Writer of game files. A crash at any moment costs only the games in progress.

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::reader::{GameReader, RecordError};
use super::record::{GameRecord, Header, MAX_SETTINGS};
use super::settings::{Difference, difference};
use crate::util::full_disk::with_remedy;

/// Error while a game file is opened or written.
#[derive(Debug, Error)]
#[error("{}: {fault}", path.display())]
pub struct FileError {
    pub path: PathBuf,
    pub fault: FileFault,
}

/// Cause of a [`FileError`].
#[derive(Debug, Error)]
pub enum FileFault {
    #[error(transparent)]
    System(#[from] io::Error),
    /// The games were made with other settings.
    #[error("its games were made with other settings: {0}; use the same options or another file")]
    Settings(Difference),
    /// Any other reason, with the remedy.
    #[error("{0}")]
    Other(String),
}

/// Returns the fault of a file that cannot be used.
fn other(fault: &str) -> FileFault {
    FileFault::Other(fault.to_owned())
}

/// State found in an existing file.
#[derive(Debug, Default)]
pub struct Resumed {
    /// The file was created or empty.
    pub is_new: bool,
    /// Damaged records. They stay in the file, and their games are made again.
    pub faults: Vec<RecordError>,
    /// Bytes of an incomplete record that were cut off at the end.
    pub bytes_cut: u64,
}

/// Locks a game file against other programs.
fn lock(file: &File, path: &Path) -> Result<(), FileFault> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(other("another program is writing to it")),
        // Some file systems do not support locks; generating games without a lock is better than not at all.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
            log::warn!("{}: cannot lock the file against other programs: {error}", path.display());
            Ok(())
        }
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Checks that no program writes games to a file that is going to be replaced.
///
/// # Errors
/// When one does, or an error of the system.
pub fn check_unlocked(path: &Path) -> Result<(), FileError> {
    // A pipe is no game file, and opening it would block.
    if !path.is_file() {
        return Ok(());
    }
    // Some systems lock files only that are open for writing. The lock ends here: others do not replace locked files.
    let file = match File::options().read(true).write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => File::open(path),
        file => file,
    };
    let checked = match file {
        Ok(file) => lock(&file, path),
        // Only its folder decides whether it can be replaced.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Err(error) => Err(error.into()),
    };
    checked.map_err(|fault| FileError { path: path.to_owned(), fault })
}

/// Game file open for appending, locked against other programs.
#[derive(Debug)]
pub struct GameFile {
    path: PathBuf,
    file: File,
    /// Offset of the next record.
    end: u64,
    numbers: HashSet<u64>,
}

impl GameFile {
    /// Opens or creates a game file with these settings and scans its games. An incomplete record at the end is cut
    /// off.
    ///
    /// # Errors
    /// [`FileFault`] when nothing can be appended; the file is unchanged then.
    pub fn open(path: &Path, settings: &str) -> Result<(GameFile, Resumed), FileError> {
        GameFile::try_open(path, settings).map_err(|fault| FileError { path: path.to_owned(), fault })
    }

    fn try_open(path: &Path, settings: &str) -> Result<(GameFile, Resumed), FileFault> {
        // Opening a pipe would block until another program reads it.
        if path.exists() && !path.is_file() {
            return Err(other("not a regular file"));
        }
        let file =
            File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(with_remedy)?;
        lock(&file, path)?;
        let header = Header { settings: settings.to_owned() }.bytes();
        let mut game_file = GameFile { path: path.to_owned(), file, end: 0, numbers: HashSet::new() };
        let resumed =
            if game_file.is_beginning_of(&header)? { game_file.begin(&header)? } else { game_file.scan(settings)? };
        Ok((game_file, resumed))
    }

    /// Returns whether the file is empty or holds only a prefix of this header, left by an interrupted writer.
    fn is_beginning_of(&mut self, header: &[u8]) -> io::Result<bool> {
        let mut bytes = Vec::new();
        Read::by_ref(&mut self.file).take(header.len() as u64).read_to_end(&mut bytes)?;
        self.file.rewind()?;
        Ok(bytes.len() < header.len() && header.starts_with(&bytes))
    }

    /// Writes the header of a file without games.
    fn begin(&mut self, header: &[u8]) -> io::Result<Resumed> {
        self.append_bytes(header)?;
        Ok(Resumed { is_new: true, ..Resumed::default() })
    }

    /// Scans the games of the file and finds the offset of the next record. A file without games, which a run left that
    /// failed before its first one, begins again with these settings.
    fn scan(&mut self, settings: &str) -> Result<Resumed, FileFault> {
        let mut reader = GameReader::new(&self.file)
            .map_err(|error| FileFault::Other(format!("{error}; left unchanged, choose another file")))?;
        let header = reader
            .header()
            .ok_or_else(|| other("its header with the settings of its games is damaged; nothing can be appended"))?;
        if let Some(difference) = difference(settings, &header.settings) {
            if reader.next().is_some() {
                return Err(FileFault::Settings(difference));
            }
            self.file.set_len(0)?;
            return Ok(self.begin(&Header { settings: settings.to_owned() }.bytes())?);
        }
        let mut resumed = Resumed::default();
        for record in reader.by_ref() {
            match record {
                Ok(record) => drop(self.numbers.insert(record.number)),
                Err(error) if error.is_read_error() => return Err(FileFault::Other(error.to_string())),
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

    /// Numbers of the games in the file.
    pub fn numbers(&self) -> &HashSet<u64> {
        &self.numbers
    }

    /// Appends a game.
    ///
    /// # Errors
    /// [`FileError`] when it cannot be written. Earlier games are intact, and the file can be resumed later.
    pub fn append(&mut self, record: &GameRecord) -> Result<(), FileError> {
        let written = match record.bytes() {
            Ok(bytes) => self.append_bytes(&bytes).map_err(|error| {
                let games = self.numbers.len();
                FileFault::Other(format!(
                    "{error}; the {games} games in it are safe, and the same command resumes with the rest"
                ))
            }),
            Err(fault) => Err(FileFault::Other(format!("game {}: {fault}", record.number))),
        };
        written.map_err(|fault| FileError { path: self.path.clone(), fault })?;
        self.numbers.insert(record.number);
        Ok(())
    }

    fn append_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written =
            self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.write_all(bytes)).map_err(with_remedy);
        match written {
            Ok(()) => self.end += bytes.len() as u64,
            // Remove the partial record.
            Err(_) => drop(self.file.set_len(self.end)),
        }
        written
    }

    /// Flushes all appended games to the disk.
    ///
    /// # Errors
    /// Error reported by the system.
    pub fn sync(&self) -> Result<(), FileError> {
        self.file.sync_data().map_err(|error| FileError { path: self.path.clone(), fault: with_remedy(error).into() })
    }
}

/// Writer of game records to any output.
#[derive(Debug)]
pub struct GameWriter<W> {
    pub(super) out: W,
}

impl<W: Write> GameWriter<W> {
    /// Writes the header with these settings.
    ///
    /// # Errors
    /// Write errors of `out`, and settings longer than the format allows.
    pub fn new(mut out: W, settings: &str) -> io::Result<GameWriter<W>> {
        if settings.len() > MAX_SETTINGS {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the settings are too long"));
        }
        out.write_all(&Header { settings: settings.to_owned() }.bytes())?;
        Ok(GameWriter { out })
    }

    /// Writes a game.
    ///
    /// # Errors
    /// Write errors of `out`, and games that do not fit into a record.
    pub fn write(&mut self, record: &GameRecord) -> io::Result<()> {
        let bytes = record.bytes().map_err(|fault| io::Error::new(io::ErrorKind::InvalidData, fault))?;
        self.out.write_all(&bytes)
    }
}
