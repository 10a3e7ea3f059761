//! Where the bytes of a book are.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

/// The bytes of a book. Copies are the same bytes.
#[derive(Clone, Debug)]
pub(super) enum Storage {
    /// In the program.
    Program(&'static [u8]),
    /// In memory.
    Memory(Arc<Vec<u8>>),
    /// In a file.
    File(Arc<Mmap>),
}

impl Storage {
    /// These bytes.
    pub fn owned(bytes: Vec<u8>) -> Storage {
        Storage::Memory(Arc::new(bytes))
    }

    /// The bytes of a file, which is mapped, so that a large one takes no time and no memory to open.
    ///
    /// # Errors
    /// When the file cannot be opened, or is no regular file.
    pub fn map(path: &Path) -> io::Result<Storage> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is no regular file"));
        }
        // Not every system maps nothing.
        if metadata.len() == 0 {
            return Ok(Storage::Program(&[]));
        }
        // SAFETY: memory of a file must not change while it is borrowed as bytes. All of Chuhe replaces books by name
        // and never writes into one, which leaves this mapping to the old file; users are told to do the same. Should
        // other hands write into it, no reader here trusts what it found there before: every record is read again
        // byte by byte, and every move is tested for legality.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Storage::File(Arc::new(map)))
    }

    pub fn bytes(&self) -> &[u8] {
        match self {
            Storage::Program(bytes) => bytes,
            Storage::Memory(bytes) => bytes,
            Storage::File(map) => map,
        }
    }
}
