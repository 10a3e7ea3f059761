//! Whole inputs in memory, with a size limit: the length of a file is not trusted.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use thiserror::Error;

/// Error of an input that is larger than the limit; holds the limit in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("it has more than {0} bytes, the maximum; check that this is the right file, or split it")]
pub struct TooLarge(pub u64);

/// Reads an input to its end, which must come after at most `max_bytes`.
///
/// # Errors
/// Read errors, and [`TooLarge`] in an error of the kind [`io::ErrorKind::FileTooLarge`].
///
/// ```
/// use chuhe::util::read_limit::read_all;
/// assert_eq!(read_all(&b"four"[..], 4)?, b"four");
/// let error = read_all(&b"five!"[..], 4).unwrap_err();
/// assert_eq!(error.kind(), std::io::ErrorKind::FileTooLarge);
/// let text = "it has more than 4 bytes, the maximum; check that this is the right file, or split it";
/// assert_eq!(error.to_string(), text);
/// // An input without an end is an error too.
/// assert!(read_all(std::io::repeat(0), 1 << 20).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read_all(input: impl Read, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    LimitedInput::new(input, max_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Input that must end after a number of bytes; reading more of it fails with [`TooLarge`] in an error of the kind
/// [`io::ErrorKind::FileTooLarge`].
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
        match self.remaining.checked_sub(read as u64) {
            Some(remaining) => self.remaining = remaining,
            None => return Err(io::Error::new(io::ErrorKind::FileTooLarge, TooLarge(self.max_bytes))),
        }
        Ok(read)
    }
}

/// Reads a file of at most `max_bytes`.
///
/// # Errors
/// When it cannot be opened, and the errors of [`read_all`].
pub fn read_file(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read_all(File::open(path)?, max_bytes)
}

/// Reads a file of at most `max_bytes` that holds UTF-8 text.
///
/// # Errors
/// Those of [`read_file`], and an error of the kind [`io::ErrorKind::InvalidData`] for other encodings.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    let not_utf8 = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text");
    String::from_utf8(read_file(path, max_bytes)?).map_err(not_utf8)
}
