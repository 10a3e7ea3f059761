//! A file to which games are added one by one, and which always ends with a whole one.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that grows by whole entries.
///
/// An entry that cannot be written, on a full disk say, leaves nothing behind; it is kept in memory and tried again
/// with the next one. Two programs cannot have the same file open in this way.
#[derive(Debug)]
pub struct AppendLog {
    path: PathBuf,
    file: File,
    /// Up to where the file is whole, in bytes; `None` for what is no regular file and cannot be cut.
    length: Option<u64>,
    /// Entries that are not in the file yet.
    pending: Vec<u8>,
}

impl AppendLog {
    /// Opens a file, new or old, to add to it.
    ///
    /// # Errors
    /// When it cannot be opened or another program has it open.
    pub fn open(path: &Path) -> io::Result<AppendLog> {
        let file = File::options().read(true).append(true).create(true).open(path);
        // What cannot be read, such as a pipe, can still be written to.
        let file = file.or_else(|_| File::options().append(true).open(path))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, "another program is writing it"));
            }
            // Not every file system knows locks.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        let metadata = file.metadata()?;
        let length = metadata.is_file().then_some(metadata.len());
        Ok(AppendLog { path: path.to_owned(), file, length, pending: Vec::new() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The last bytes of the file, at most so many; none of what is no regular file.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn tail(&mut self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if let Some(length) = self.length {
            self.file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
            Read::take(&mut self.file, most).read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    }

    /// All that is in the file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        if self.length.is_some() {
            self.file.seek(SeekFrom::Start(0))?;
            self.file.read_to_end(&mut content)?;
        }
        Ok(content)
    }

    /// Whether it is a regular file, in which what was written can be found again.
    pub fn is_regular(&self) -> bool {
        self.length.is_some()
    }

    /// Drops what stands behind this length.
    ///
    /// # Errors
    /// When the file cannot be cut.
    pub fn cut(&mut self, length: u64) -> io::Result<()> {
        if self.length.is_some_and(|old| length < old) {
            self.file.set_len(length)?;
            self.length = Some(length);
        }
        Ok(())
    }

    /// Keeps an entry in memory that the next call of [`append`](AppendLog::append) writes.
    pub fn hold(&mut self, entry: &[u8]) {
        self.pending.extend_from_slice(entry);
    }

    /// Adds an entry, after those that could not be written before, and sees them safe on the disk.
    ///
    /// # Errors
    /// When it cannot be written now. It is not lost: the next call tries again.
    pub fn append(&mut self, entry: &[u8]) -> io::Result<()> {
        self.hold(entry);
        let written = self.file.write_all(&self.pending).and_then(|()| self.file.flush());
        let written = written.and_then(|()| if self.length.is_some() { self.file.sync_data() } else { Ok(()) });
        match (written, &mut self.length) {
            (Ok(()), length) => {
                length.iter_mut().for_each(|length| *length += self.pending.len() as u64);
                self.pending.clear();
                Ok(())
            }
            (Err(error), length) => {
                // Half an entry is worse than none.
                if let Some(length) = length {
                    self.file.set_len(*length)?;
                }
                Err(error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_follow_each_other_and_can_be_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let mut ledger = AppendLog::open(&path).unwrap();
        ledger.append(b"one\n").unwrap();
        ledger.append(b"two\n").unwrap();
        assert_eq!(ledger.read().unwrap(), b"one\ntwo\n");
        assert_eq!(ledger.tail(2).unwrap(), b"o\n");
        ledger.cut(4).unwrap();
        ledger.hold(b"three\n");
        assert_eq!(ledger.read().unwrap(), b"one\n");
        ledger.append(b"four\n").unwrap();
        drop(ledger);
        assert_eq!(std::fs::read(&path).unwrap(), b"one\nthree\nfour\n");
        std::fs::write(&path, "torn").unwrap();
        assert_eq!(AppendLog::open(&path).unwrap().tail(9).unwrap(), b"torn");
        std::fs::write(&path, "").unwrap();
        assert_eq!(AppendLog::open(&path).unwrap().tail(9).unwrap(), b"");
    }

    #[test]
    fn nobody_else_can_open_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let _first = AppendLog::open(&path).unwrap();
        assert_eq!(AppendLog::open(&path).unwrap_err().to_string(), "another program is writing it");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_keeps_what_could_not_be_written() {
        let mut ledger = AppendLog::open(Path::new("/dev/full")).unwrap();
        assert!(ledger.append(b"one").is_err());
        assert_eq!(ledger.pending, b"one");
        assert!(ledger.append(b"two").is_err());
        assert_eq!(ledger.pending, b"onetwo");
    }
}
