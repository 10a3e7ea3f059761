//! Lock of a folder in which one program works at a time.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use super::full_disk::with_remedy;

/// Attempts to lock a folder before another program counts as working in it.
const ATTEMPTS: u32 = 20;
/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// Lock of a folder; it ends with the value or with the program.
#[derive(Debug)]
pub struct FolderLock(#[expect(dead_code, reason = "the open file holds the lock")] File);

#[derive(Debug, Error)]
pub enum LockError {
    /// The lock file cannot be created.
    #[error("{}: {error}", path.display())]
    File {
        /// Path of the lock file.
        path: PathBuf,
        /// Error reported by the system.
        error: io::Error,
    },
    /// Another program holds the lock.
    #[error("{}: another program is working there", folder.display())]
    Held { folder: PathBuf },
}

impl FolderLock {
    /// Name of the lock file.
    pub const FILE: &str = "lock";

    /// Locks a folder by its file `lock`, which is created and stays. On file systems without locks nothing is locked.
    ///
    /// # Errors
    /// [`LockError`].
    pub fn acquire(folder: &Path) -> Result<FolderLock, LockError> {
        let path = folder.join(FolderLock::FILE);
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| LockError::File { path, error: with_remedy(error) })?;
        // A program that is being started holds the locks of the one that starts it for an instant.
        for attempt in 1.. {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if attempt < ATTEMPTS => std::thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(LockError::Held { folder: folder.to_owned() }),
                // Work without a lock is better than none.
                Ok(()) | Err(TryLockError::Error(_)) => break,
            }
        }
        Ok(FolderLock(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_lock_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::acquire(folder.path()).unwrap();
        let error = FolderLock::acquire(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with(": another program is working there"), "{error}");
        drop(lock);
        FolderLock::acquire(folder.path()).unwrap();
        let missing = FolderLock::acquire(&folder.path().join("missing"));
        assert!(matches!(missing, Err(LockError::File { .. })));
    }
}
