//! Append-only log file.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::files::{lock_or_refuse, read_all, with_remedy};

/// File that grows by whole entries and is locked against other programs.
///
/// A failed write, on a full disk for example, is rolled back; the entry stays in memory and is written with the next
/// one.
#[derive(Debug)]
pub struct AppendLog {
    path: PathBuf,
    file: File,
    /// Length up to the last whole entry, in bytes; `None` for a pipe or device, which cannot be truncated.
    length: Option<u64>,
    /// Entries that are not in the file yet.
    pending: Vec<u8>,
}

impl AppendLog {
    pub fn open(path: &Path) -> io::Result<AppendLog> {
        let file = File::options().read(true).append(true).create(true).open(path);
        // A pipe cannot be read but can be written to. The first error tells why a file cannot be created.
        let file = file.or_else(|error| File::options().append(true).open(path).map_err(|_| error));
        let file = file.map_err(with_remedy)?;
        lock_or_refuse(&file, "another program is writing it")?;
        let metadata = file.metadata()?;
        let length = metadata.is_file().then_some(metadata.len());
        Ok(AppendLog { path: path.to_owned(), file, length, pending: Vec::new() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the content of the file, at most `max_bytes`; nothing for a pipe or device.
    pub fn read(&mut self, max_bytes: u64) -> io::Result<Vec<u8>> {
        if self.length.is_none() {
            return Ok(Vec::new());
        }
        self.file.seek(SeekFrom::Start(0))?;
        read_all(&self.file, max_bytes)
    }

    /// Returns whether it is a regular file, whose content can be read back.
    pub fn is_regular(&self) -> bool {
        self.length.is_some()
    }

    pub fn cut(&mut self, length: u64) -> io::Result<()> {
        if self.length.is_some_and(|old| length < old) {
            self.file.set_len(length)?;
            self.length = Some(length);
        }
        Ok(())
    }

    /// Queues an entry for the next call of [`append`](AppendLog::append).
    pub fn hold(&mut self, entry: &[u8]) {
        self.pending.extend_from_slice(entry);
    }

    /// Appends an entry after the queued ones and flushes all to the disk.
    /// After an error the entry stays queued for the next call.
    pub fn append(&mut self, entry: &[u8]) -> io::Result<()> {
        self.hold(entry);
        let written = self.file.write_all(&self.pending).and_then(|()| self.file.flush());
        let written = written.and_then(|()| if self.length.is_some() { self.file.sync_data() } else { Ok(()) });
        if let Err(error) = written {
            // Remove the partial entry.
            self.length.map_or(Ok(()), |length| self.file.set_len(length))?;
            return Err(with_remedy(error));
        }
        self.length = self.length.map(|length| length + self.pending.len() as u64);
        self.pending.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_one_writer_are_appended_and_can_be_truncated() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let mut log = AppendLog::open(&path).unwrap();
        assert_eq!(AppendLog::open(&path).unwrap_err().to_string(), "another program is writing it");
        log.append(b"one\n").unwrap();
        log.append(b"two\n").unwrap();
        assert_eq!(log.read(99).unwrap(), b"one\ntwo\n");
        assert_eq!(log.read(7).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        log.cut(4).unwrap();
        log.hold(b"three\n");
        assert_eq!(log.read(99).unwrap(), b"one\n");
        log.append(b"four\n").unwrap();
        drop(log);
        assert_eq!(std::fs::read(&path).unwrap(), b"one\nthree\nfour\n");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn entries_stay_queued_on_a_full_disk() {
        let mut log = AppendLog::open(Path::new("/dev/full")).unwrap();
        let error = log.append(b"one").unwrap_err().to_string();
        assert_eq!(error, "No space left on device (os error 28); make room there");
        assert_eq!(log.pending, b"one");
        assert!(log.append(b"two").is_err());
        assert_eq!(log.pending, b"onetwo");
    }
}
