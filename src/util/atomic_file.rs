//! Atomic file replacement: readers find the old content or the new, never a part.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::files::{FileOnDisk, with_remedy};

const PREFIX: &str = ".chuhe-";
const SUFFIX: &str = ".tmp";
const RANDOM_LETTERS: usize = 6;

/// Writes a file; see [`replace`]. After an error the old content is kept.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    replace(path, |error| error, |out| out.write_all(content), |()| true)
}

/// Writes a file as a stream: into a temporary file beside it, which replaces it once all data is on the disk and
/// `is_wanted` accepts the result of `write`. After an error or a power failure the old content is there. Pipes and
/// devices such as `/dev/stdout` are written to directly; symbolic links are followed and kept. Temporary files in the
/// folder that no program has locked are those of killed ones, and are removed.
pub fn replace<T, E>(
    path: &Path,
    failed: impl Fn(io::Error) -> E,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
    is_wanted: impl FnOnce(&T) -> bool,
) -> Result<T, E> {
    // A file that does not exist yet cannot be resolved.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        let file = File::options().write(true).open(path).map_err(&failed)?;
        let mut out = BufWriter::new(FileOnDisk(&file));
        let written = write(&mut out)?;
        out.flush().map_err(failed)?;
        return Ok(written);
    }
    remove_leftovers(folder_of(path));
    let file = locked_temporary_file(folder_of(path)).map_err(&failed)?;
    // Errors of the temporary file itself would state its name.
    let mut out = BufWriter::new(FileOnDisk(file.as_file()));
    let written = write(&mut out)?;
    if is_wanted(&written) {
        out.flush().map_err(&failed)?;
        drop(out);
        if let Some(old) = old {
            file.as_file().set_permissions(old.permissions()).map_err(&failed)?;
        }
        file.as_file().sync_all().map_err(|error| failed(with_remedy(error)))?;
        file.persist(path).map_err(|error| failed(with_remedy(error.error)))?;
        // The rename is durable once the folder is flushed; systems that cannot open folders do not need it.
        if let Ok(folder) = File::open(folder_of(path)) {
            let _ = folder.sync_all();
        }
    }
    Ok(written)
}

pub fn check_writable(path: &Path) -> io::Result<()> {
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match fs::metadata(path) {
        Ok(old) if old.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // Opening a pipe would block until it has a reader, and closing it would end that reader.
        Ok(old) if !old.is_file() => Ok(()),
        _ => temporary_file(folder_of(path)).map(drop),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Creates a temporary file that is deleted unless it is given a name. Errors name the folder instead.
fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(RANDOM_LETTERS);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(|error| {
        let fault = match error.kind() {
            io::ErrorKind::NotFound => "does not exist".to_owned(),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "takes no new file; make room there".to_owned()
            }
            kind => format!("takes no new file: {kind}"),
        };
        io::Error::new(error.kind(), format!("the folder '{}' {fault}", folder.display()))
    })
}

/// Creates a [temporary file](temporary_file) that other writers do not take for a leftover.
fn locked_temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    loop {
        let file = temporary_file(folder)?;
        // Another writer that locks it first removes it. On file systems without locks no leftover is removed.
        match file.as_file().try_lock() {
            Err(TryLockError::WouldBlock) => {}
            Ok(()) if !file.path().try_exists().unwrap_or(true) => {}
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(file),
        }
    }
}

fn remove_leftovers(folder: &Path) {
    let is_temporary = |name: &str| {
        let letters = name.strip_prefix(PREFIX).and_then(|name| name.strip_suffix(SUFFIX));
        letters.is_some_and(|letters| {
            letters.len() == RANDOM_LETTERS && letters.bytes().all(|b| b.is_ascii_alphanumeric())
        })
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_candidate = entry.file_name().to_str().is_some_and(is_temporary);
        if is_candidate
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
            && let Err(error) = fs::remove_file(entry.path())
        {
            log::debug!("{}: {error}", entry.path().display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = entries.collect();
        names.sort();
        names
    }

    #[test]
    fn leftovers_that_no_program_writes_to_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.book");
        let held = locked_temporary_file(folder.path()).unwrap();
        let held_name = held.path().file_name().unwrap().to_str().unwrap().to_owned();
        let others = [".chuhe-abc.tmp", ".chuhe-abcd-f.tmp", ".chuhe-abcdef.txt", "chuhe-abcdef.tmp"];
        for name in others.into_iter().chain([".chuhe-abcdef.tmp", ".chuhe-Z0Z0Z0.tmp"]) {
            fs::write(folder.path().join(name), "half of").unwrap();
        }
        fs::create_dir(folder.path().join(".chuhe-folder.tmp")).unwrap();
        let nested = |out: &mut dyn Write| {
            // Another file is written while this one is.
            write_atomically(&folder.path().join("other.book"), b"other")?;
            out.write_all(b"whole")
        };
        replace(&path, |error| error, nested, |()| true).unwrap();
        let failing = |_: &mut dyn Write| Err(io::Error::other("no more games"));
        assert!(replace(&path, |error| error, failing, |()| true).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        let mut expected = [&others[..], &[".chuhe-folder.tmp", &held_name, "other.book", "own.book"]].concat();
        expected.sort_unstable();
        assert_eq!(names(folder.path()), expected);
        drop(held);
    }

    #[test]
    fn failed_writes_and_checks_change_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("folder")).unwrap();
        let missing = folder.path().join("missing");
        for path in [missing.join("board.svg"), folder.path().join("folder")] {
            assert!(check_writable(&path).is_err());
            assert!(write_atomically(&path, b"new").is_err());
        }
        let error = check_writable(&missing.join("board.svg")).unwrap_err();
        assert_eq!(error.to_string(), format!("the folder '{}' does not exist", missing.display()));
        check_writable(&folder.path().join("board.svg")).unwrap();
        assert_eq!(names(folder.path()), ["folder"]);
        assert!(names(&folder.path().join("folder")).is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_error_of_a_full_disk_states_the_remedy() {
        let error = write_atomically(Path::new("/dev/full"), b"new").unwrap_err();
        assert_eq!(error.to_string(), "No space left on device (os error 28); make room there");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_are_kept() {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("board.svg"), folder.path().join("link.svg"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let first = fs::metadata(&path).unwrap().ino();
        symlink(&path, &link).unwrap();
        write_atomically(&link, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_ne!(fs::metadata(&path).unwrap().ino(), first, "it is another file, not the old one overwritten");
    }
}
