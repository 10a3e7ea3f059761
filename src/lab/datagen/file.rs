//! Files of games: a reader that leaves out damaged lines, and a writer that appends. A crash costs unfinished games.

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::difference;
use super::record::{GameRecord, HEADER, header_line, read_header, without_checksum};
use crate::console::{Faults, Result, counted, note};
use crate::lab::{in_file, unusable};
use crate::util::files::with_remedy;

/// Maximum length of a line in bytes; longer ones hold no game.
const MAX_LINE: u64 = 1 << 20;
/// Beginning of the binary files of earlier versions.
pub const EARLIER_MAGIC: &[u8] = b"CHUHEGAM";

/// Iterator over the games of a file. Damaged lines are reported on standard error and left out.
pub struct GameReader<'a, R> {
    reader: R,
    path: &'a Path,
    settings: Option<String>,
    /// Damage to the header that is not reported yet.
    header_fault: Option<String>,
    /// Lines without a checksum are damaged, and none are remarks.
    has_checksums: bool,
    is_silent: bool,
    has_failed: bool,
    faults: Faults<'a>,
    line: u64,
    /// Number of bytes read.
    offset: u64,
    /// Offset after the last whole line.
    end: u64,
}

impl<'a> GameReader<'a, BufReader<File>> {
    pub fn open(path: &'a Path) -> Result<GameReader<'a, BufReader<File>>> {
        GameReader::new(path, BufReader::new(File::open(path).map_err(in_file(path))?))
    }
}

impl<'a, R: BufRead> GameReader<'a, R> {
    /// Creates a reader of a file with this name in messages. A damaged header costs no game.
    pub fn new(path: &'a Path, reader: R) -> Result<GameReader<'a, R>> {
        let mut games = GameReader {
            reader,
            path,
            settings: None,
            header_fault: None,
            has_checksums: true,
            is_silent: false,
            has_failed: false,
            faults: Faults::new(path),
            line: 0,
            offset: 0,
            end: 0,
        };
        let bytes = games.read_line().map_err(in_file(path))?;
        if bytes.starts_with(EARLIER_MAGIC) {
            let remedy = "'datagen --to-text' of that version converts them";
            return Err(unusable(path, format!("binary games of an earlier version; {remedy}")));
        }
        if !bytes.starts_with(HEADER.as_bytes()) {
            return Err(unusable(path, "not a file of self-play games: its first line is not '#settings {…}'"));
        }
        let wrong = "its checksum or its settings are wrong";
        match line_text(&bytes, false).and_then(|line| read_header(line).ok_or_else(|| wrong.to_owned())) {
            Ok((settings, has_checksum)) => (games.settings, games.has_checksums) = (Some(settings), has_checksum),
            Err(fault) => games.header_fault = Some(fault),
        }
        Ok(games)
    }

    /// Reports no damage.
    pub fn silent(mut self) -> GameReader<'a, R> {
        self.is_silent = true;
        self
    }

    /// Returns the settings of the games as JSON; `None` when the header is damaged.
    pub fn settings(&self) -> Option<&str> {
        self.settings.as_deref()
    }

    pub fn bytes_read(&self) -> u64 {
        self.offset
    }

    /// Number of damaged lines so far.
    pub fn damaged_lines(&self) -> u64 {
        self.faults.count
    }

    /// Counts and reports a game or line that is left out.
    pub(super) fn leave_out(&mut self, fault: impl std::fmt::Display) {
        match self.is_silent {
            true => self.faults.count += 1,
            false => self.faults.add(fault),
        }
    }

    /// Reads a line with its line break; nothing at the end.
    fn read_line(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)?;
        self.line += 1;
        self.offset += bytes.len() as u64;
        if bytes.ends_with(b"\n") {
            self.end = self.offset;
        }
        Ok(bytes)
    }

    /// Reads a game from its line; `None` for a remark.
    fn read_game(&self, bytes: &[u8]) -> Option<Result<GameRecord, String>> {
        let line = match line_text(bytes, !self.has_checksums) {
            Ok(line) if !self.has_checksums && (line.trim().is_empty() || line.starts_with('#')) => return None,
            Ok(line) => line,
            Err(fault) => return Some(Err(fault)),
        };
        Some(match without_checksum(line) {
            Some((game, has_checksum)) if has_checksum || !self.has_checksums => GameRecord::from_line(game),
            _ => Err("its checksum is missing or wrong".to_owned()),
        })
    }
}

/// Returns a line without its break, which the last line may lack if `may_lack_break`; or why it is damaged.
fn line_text(bytes: &[u8], may_lack_break: bool) -> Result<&str, String> {
    let whole = Some(bytes).filter(|bytes| may_lack_break && (bytes.len() as u64) < MAX_LINE);
    let cut_off = || format!("it is cut off or too long, {} bytes without a line break", bytes.len());
    let line = bytes.strip_suffix(b"\n").or(whole).ok_or_else(cut_off)?;
    str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)).map_err(|_| "it is not UTF-8".to_owned())
}

impl<R: BufRead> Iterator for GameReader<'_, R> {
    type Item = Result<GameRecord>;

    fn next(&mut self) -> Option<Result<GameRecord>> {
        while !self.has_failed {
            let bytes = match self.read_line() {
                Ok(bytes) if bytes.is_empty() => break,
                Ok(bytes) => bytes,
                Err(error) => {
                    self.has_failed = true;
                    return Some(Err(in_file(self.path)(error)));
                }
            };
            if let Some(fault) = self.header_fault.take() {
                self.leave_out(format_args!("line 1, with the settings, is damaged: {fault}"));
            }
            match self.read_game(&bytes) {
                None => {}
                Some(Ok(game)) => return Some(Ok(game)),
                Some(Err(fault)) => self.leave_out(format!("line {} is left out: {fault}", self.line)),
            }
        }
        None
    }
}

impl<R> Drop for GameReader<'_, R> {
    /// Reports the number of faults if not all were named.
    fn drop(&mut self) {
        if self.faults.has_unnamed() && !self.is_silent {
            self.faults.report_count("line");
        }
    }
}

/// Locks a file of games against other programs.
fn lock(file: &File, path: &Path) -> Result {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(unusable(path, "another program is writing to it")),
        Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => Err(in_file(path)(error)),
        // Some file systems do not support locks; generating games without a lock is better than not at all.
        _ => Ok(()),
    }
}

/// Checks that no program writes games to a file that is going to be replaced.
pub fn check_unlocked(path: &Path) -> Result {
    // A pipe is no file of games, and opening it would block. Some systems lock only files that are open for writing.
    let file = path.is_file().then(|| File::options().read(true).write(true).open(path));
    // Whether a file can be replaced that cannot be opened, its folder decides.
    file.and_then(Result::ok).map_or(Ok(()), |file| lock(&file, path))
}

/// File of games open for appending, locked against other programs.
#[derive(Debug)]
pub struct GameFile {
    path: PathBuf,
    file: File,
    /// Length up to the last whole line.
    end: u64,
    numbers: HashSet<u64>,
}

impl GameFile {
    /// Remedy for games of other settings.
    pub const OTHER_FILE: &str = "use the same options or another file";

    /// Opens or creates a file of games with these settings and scans its games. Damage is reported on standard error,
    /// and an incomplete last line is cut off.
    ///
    /// # Errors
    /// When nothing can be appended; the file is unchanged then. `remedy` is that for games of other settings.
    pub fn open(path: &Path, settings: &str, remedy: &str) -> Result<GameFile> {
        // Opening a pipe would block until another program reads it.
        if path.exists() && !path.is_file() {
            return Err(unusable(path, "not a regular file"));
        }
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.map_err(with_remedy).map_err(in_file(path))?;
        lock(&file, path)?;
        let header = header_line(settings);
        let mut beginning = Vec::new();
        Read::by_ref(&mut file).take(header.len() as u64).read_to_end(&mut beginning).map_err(in_file(path))?;
        file.rewind().map_err(in_file(path))?;
        let mut games = GameFile { path: path.to_owned(), file, end: 0, numbers: HashSet::new() };
        // A writer that was interrupted leaves a part of the header, or a header alone if it failed before its first
        // game; other settings may follow then.
        let is_new = beginning.len() < header.len() && header.as_bytes().starts_with(&beginning);
        if is_new || !games.scan(settings, remedy)? {
            games.file.set_len(0).and_then(|()| games.append_line(&header)).map_err(in_file(path))?;
        }
        Ok(games)
    }

    /// Scans the games of the file and finds the end of its last whole line. Returns `false` for a file without games
    /// that was begun with other settings.
    fn scan(&mut self, settings: &str, remedy: &str) -> Result<bool> {
        let path = self.path.as_path();
        let mut games = GameReader::new(path, BufReader::new(&self.file))?;
        let Some(there) = games.settings() else {
            return Err(unusable(path, "its header with the settings of its games is damaged; choose another file"));
        };
        if let Some(difference) = difference(settings, there) {
            return match games.next() {
                None if games.damaged_lines() == 0 => Ok(false),
                _ => Err(unusable(path, format!("its games were made with other settings: {difference}; {remedy}"))),
            };
        }
        while let Some(game) = games.next().transpose()? {
            // A last line without a line break is cut off, and its game played again.
            if games.end == games.offset {
                self.numbers.insert(game.number);
            }
        }
        self.end = games.end;
        drop(games);
        self.file.set_len(self.end).map_err(in_file(path))?;
        note!("{}: resuming after {}", path.display(), counted(self.numbers.len() as u64, "game"));
        Ok(true)
    }

    pub fn numbers(&self) -> &HashSet<u64> {
        &self.numbers
    }

    /// Appends a game.
    ///
    /// # Errors
    /// When it cannot be written. Earlier games are intact, and the file can be resumed later.
    pub fn append(&mut self, record: &GameRecord) -> Result {
        self.append_line(&record.to_line()).map_err(|error| {
            let games = self.numbers.len();
            let fault =
                format!("{error}; the {games} games in it are safe, and the same command resumes with the rest");
            unusable(&self.path, fault)
        })?;
        self.numbers.insert(record.number);
        Ok(())
    }

    fn append_line(&mut self, line: &str) -> io::Result<()> {
        let end = SeekFrom::Start(self.end);
        let written = self.file.seek(end).and_then(|_| self.file.write_all(line.as_bytes())).map_err(with_remedy);
        match written {
            Ok(()) => self.end += line.len() as u64,
            // Remove the partial line.
            Err(_) => drop(self.file.set_len(self.end)),
        }
        written
    }

    /// Flushes all appended games to the disk.
    pub fn sync(&self) -> Result {
        self.file.sync_data().map_err(|error| in_file(&self.path)(with_remedy(error)))
    }
}
