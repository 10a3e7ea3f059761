//! Reading, creating and locking of files and folders: limits of size and time, and errors that state the remedy.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{Builder, sleep};

use super::host::{Duration, HAS_THREADS, Instant};

/// Time for a file that a user names to be opened and read.
pub const TIME_TO_OPEN: Duration = Duration::from_secs(10);
/// Time to wait for a lock: a program that is being started holds the locks of the one that starts it for an instant.
const TIME_TO_LOCK: Duration = Duration::from_millis(200);
pub const LOCK_FILE: &str = "lock";

/// Input that must end after a number of bytes; reading more of it fails by [`ErrorKind::FileTooLarge`].
pub struct LimitedInput<R> {
    input: R,
    max_bytes: u64,
    remaining: u64,
}

impl<R> LimitedInput<R> {
    pub fn new(input: R, max_bytes: u64) -> LimitedInput<R> {
        LimitedInput { input, max_bytes, remaining: max_bytes }
    }
}

impl<R: Read> Read for LimitedInput<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // One byte more than allowed shows that the input is too large.
        let length = buffer.len().min(usize::try_from(self.remaining).unwrap_or(usize::MAX).saturating_add(1));
        let read = self.input.read(&mut buffer[..length])?;
        self.remaining = self.remaining.checked_sub(read as u64).ok_or_else(|| {
            let most = self.max_bytes;
            let text =
                format!("it has more than {most} bytes, the maximum; check that this is the right file, or split it");
            io::Error::new(ErrorKind::FileTooLarge, text)
        })?;
        Ok(read)
    }
}

pub fn read_all(input: impl Read, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    LimitedInput::new(input, max_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub fn read_file(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read_all(File::open(path)?, max_bytes)
}

/// Reads a file of at most `max_bytes` in UTF-8; other encodings are [`ErrorKind::InvalidData`].
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    let not_utf8 = |_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text");
    String::from_utf8(read_file(path, max_bytes)?).map_err(not_utf8)
}

/// Does work that the system may block, such as reading a file of a server that does not answer, on a thread of its own
/// and returns its result. Work that takes longer than `limit` is given up: its thread goes on, but its result is
/// dropped. That is an error of the kind [`ErrorKind::TimedOut`].
///
/// ```
/// use chuhe::util::files::within;
/// use std::{io::ErrorKind, sync::mpsc, time::Duration};
/// assert_eq!(within(Duration::from_secs(60), || 1 + 1)?, 2);
/// let (_sender, never) = mpsc::channel::<()>();
/// assert_eq!(within(Duration::ZERO, move || never.recv()).unwrap_err().kind(), ErrorKind::TimedOut);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    if !HAS_THREADS {
        return Ok(work());
    }
    let (sender, result) = channel();
    // The result of work that was given up has no receiver.
    Builder::new().name("opener".into()).spawn(move || drop(sender.send(work())))?;
    result.recv_timeout(limit).map_err(|error| match error {
        RecvTimeoutError::Timeout => {
            let text = format!("it did not answer within {} seconds and is given up", limit.as_secs());
            io::Error::new(ErrorKind::TimedOut, text)
        }
        RecvTimeoutError::Disconnected => io::Error::other("reading it failed"),
    })
}

/// Adds the remedy to an error of the system that means a full disk or an exhausted quota.
pub fn with_remedy(error: io::Error) -> io::Error {
    match error.kind() {
        kind @ (ErrorKind::StorageFull | ErrorKind::QuotaExceeded) if error.raw_os_error().is_some() => {
            io::Error::new(kind, format!("{error}; make room there"))
        }
        _ => error,
    }
}

#[derive(Debug)]
pub struct FileOnDisk<'a>(pub &'a File);

impl Write for FileOnDisk<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(with_remedy)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(with_remedy)
    }
}

/// Creates a folder and those above it, unless it is there. A file of its name is an error.
pub fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => io::Error::new(error.kind(), "this exists and is not a folder"),
        ErrorKind::NotADirectory => io::Error::new(error.kind(), "a part of this path is not a folder"),
        _ => with_remedy(error),
    })
}

/// Locks a file against other programs, or fails by [`TryLockError::WouldBlock`] after `limit`.
pub fn lock_within(file: &File, limit: Duration) -> Result<(), TryLockError> {
    const PAUSE: Duration = Duration::from_millis(10);
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if start.elapsed() < limit => sleep(PAUSE),
            result => return result,
        }
    }
}

/// Locks a file, unless the file system has no locks; [`ErrorKind::ResourceBusy`] if another program holds the lock.
pub(super) fn lock_or_refuse(file: &File, refusal: &'static str) -> io::Result<()> {
    match lock_within(file, TIME_TO_LOCK) {
        Err(TryLockError::WouldBlock) => Err(io::Error::new(ErrorKind::ResourceBusy, refusal)),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Locks a folder, in which one program works at a time, by its file [`LOCK_FILE`], until the result is dropped. The
/// error for one that another program has locked is [`ErrorKind::ResourceBusy`]. File systems without locks lock
/// nothing.
pub fn lock_folder(folder: &Path) -> io::Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(folder.join(LOCK_FILE));
    let file = file.map_err(with_remedy)?;
    lock_or_refuse(&file, "another program is working there")?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_created_where_no_file_has_its_name_and_has_one_lock_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("outer").join("inner");
        assert_eq!(lock_folder(&path).unwrap_err().kind(), ErrorKind::NotFound);
        create_folder(&path).unwrap();
        create_folder(&path).unwrap();
        let lock = lock_folder(&path).unwrap();
        assert_eq!(lock_folder(&path).unwrap_err().to_string(), "another program is working there");
        drop(lock);
        lock_folder(&path).unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "text").unwrap();
        assert_eq!(create_folder(&file).unwrap_err().to_string(), "this exists and is not a folder");
        let error = create_folder(&file.join("inner")).unwrap_err().to_string();
        assert_eq!(error, "a part of this path is not a folder");
        assert_eq!(fs::read(&file).unwrap(), b"text");
    }
}
