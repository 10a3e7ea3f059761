//! Remedy in the errors of a full disk.

use std::fs::File;
use std::io::{self, ErrorKind, Write};

/// Adds the remedy to an error of the system that means a full disk or an exhausted quota.
pub fn with_remedy(error: io::Error) -> io::Error {
    match error.kind() {
        kind @ (ErrorKind::StorageFull | ErrorKind::QuotaExceeded) if error.raw_os_error().is_some() => {
            io::Error::new(kind, format!("{error}; make room there"))
        }
        _ => error,
    }
}

/// File to be written, with errors that state the remedy.
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
