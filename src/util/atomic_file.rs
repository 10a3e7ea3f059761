//! Atomic file replacement: readers find the old content or the new, never a part.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Suffix of the temporary files of [`replace_exclusively`].
const LEFTOVER_ENDING: &str = ".chuhe-tmp";

/// Writes a file; see [`replace`].
///
/// # Errors
/// When the file or its folder cannot be written; the old content is kept then.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    replace(path, |error| error, |out| out.write_all(content), |()| true)
}

/// Writes a file as a stream: into a temporary file beside it, which replaces it once all data is on the disk and
/// `is_wanted` accepts the result of `write`.
///
/// Readers, also after a power failure, find either the old content or the new. Pipes and devices such as `/dev/stdout`
/// are written to directly. Symbolic links are followed and kept.
///
/// # Errors
/// Errors of `write`, and I/O errors mapped by `failed`; the old content is kept then.
pub fn replace<T, E>(
    path: &Path,
    failed: impl Fn(io::Error) -> E,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
    is_wanted: impl FnOnce(&T) -> bool,
) -> Result<T, E> {
    replace_through(|path| temporary_file(folder_of(path)), path, failed, write, is_wanted)
}

/// Writes a file that a lock protects from other writers; see [`replace_exclusively`].
///
/// # Errors
/// When the file or its folder cannot be written; the old content is kept then.
pub fn write_exclusively(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_exclusively(path, |error| error, |out| out.write_all(content), |()| true)
}

/// Writes a file that a lock protects from other writers as a stream; see [`replace`]. The temporary file has a fixed
/// name: the leftover of a killed program can be recognized, and the next write of the same file removes it.
///
/// # Errors
/// Errors of `write`, and I/O errors mapped by `failed`; the old content is kept then.
pub fn replace_exclusively<T, E>(
    path: &Path,
    failed: impl Fn(io::Error) -> E,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
    is_wanted: impl FnOnce(&T) -> bool,
) -> Result<T, E> {
    let temporary = |path: &Path| {
        clear_leftover(path);
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        create_in(folder_of(path), &tempfile_builder(&name, LEFTOVER_ENDING, 0))
    };
    replace_through(temporary, path, failed, write, is_wanted)
}

/// Removes the leftover of a program that was killed inside [`replace_exclusively`]. Call only while holding the lock.
pub fn clear_leftover(path: &Path) {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(LEFTOVER_ENDING);
    // Usually there is none.
    let _ = fs::remove_file(folder_of(path).join(name));
}

/// Implements [`replace`] with the temporary file that `temporary` creates for the resolved path.
fn replace_through<T, E>(
    temporary: impl FnOnce(&Path) -> io::Result<NamedTempFile>,
    path: &Path,
    failed: impl Fn(io::Error) -> E,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
    is_wanted: impl FnOnce(&T) -> bool,
) -> Result<T, E> {
    // A file that does not exist yet cannot be resolved.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        let mut out = BufWriter::new(File::options().write(true).open(path).map_err(&failed)?);
        let written = write(&mut out)?;
        out.flush().map_err(failed)?;
        return Ok(written);
    }
    let mut out = BufWriter::new(temporary(path).map_err(&failed)?);
    let written = write(&mut out)?;
    if is_wanted(&written) {
        let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
        if let Some(old) = old {
            file.as_file().set_permissions(old.permissions()).map_err(&failed)?;
        }
        file.as_file().sync_all().map_err(&failed)?;
        file.persist(path).map_err(|error| failed(error.error))?;
        // The rename is durable once the folder is flushed; systems that cannot open folders do not need it.
        if let Ok(folder) = File::open(folder_of(path)) {
            let _ = folder.sync_all();
        }
    }
    Ok(written)
}

/// Checks that a file can be written, without changing anything.
///
/// # Errors
/// The reason why it cannot be written.
pub fn check_writable(path: &Path) -> io::Result<()> {
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match fs::metadata(path) {
        Ok(old) if old.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // Opening a pipe would block until it has a reader, and closing it would end that reader.
        Ok(old) if !old.is_file() => Ok(()),
        _ => temporary_file(folder_of(path)).map(drop),
    }
}

/// Returns the folder of a file.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Creates a temporary file that is deleted unless it is given a name.
fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    create_in(folder, &tempfile_builder(OsStr::new(".chuhe-"), ".tmp", 6))
}

/// Creates a temporary file. Errors name the folder, not the file, whose name means nothing to the user.
fn create_in(folder: &Path, builder: &tempfile::Builder<'_, '_>) -> io::Result<NamedTempFile> {
    builder.tempfile_in(folder).map_err(|error| {
        let fault = match error.kind() {
            io::ErrorKind::NotFound => "does not exist".to_owned(),
            kind => format!("takes no new file: {kind}"),
        };
        io::Error::new(error.kind(), format!("the folder '{}' {fault}", folder.display()))
    })
}

/// Returns a builder of temporary files with this prefix, this suffix and `letters` random letters between. Permissions
/// follow the umask.
fn tempfile_builder<'a>(prefix: &'a OsStr, suffix: &'a str, letters: usize) -> tempfile::Builder<'a, 'a> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(suffix).rand_bytes(letters);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
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
    fn a_file_is_created_or_replaced_without_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("board.svg");
        for content in [&b"a long content"[..], b"short", b""] {
            write_atomically(&path, content).unwrap();
            assert_eq!(fs::read(&path).unwrap(), content);
            assert_eq!(names(folder.path()), ["board.svg"]);
        }
    }

    #[test]
    fn only_leftovers_of_the_same_file_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.book");
        for name in [".own.book.chuhe-tmp", ".other.book.chuhe-tmp", ".chuhe-abcdef.tmp"] {
            fs::write(folder.path().join(name), "half of").unwrap();
        }
        write_exclusively(&path, b"whole").unwrap();
        let failing = |_: &mut dyn Write| Err(io::Error::other("no more games"));
        assert!(replace_exclusively(&path, |error| error, failing, |()| true).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(names(folder.path()), [".chuhe-abcdef.tmp", ".other.book.chuhe-tmp", "own.book"]);
        fs::write(folder.path().join(".own.book.chuhe-tmp"), "half of").unwrap();
        clear_leftover(&path);
        assert_eq!(names(folder.path()), [".chuhe-abcdef.tmp", ".other.book.chuhe-tmp", "own.book"]);
        clear_leftover(&path);
    }

    #[test]
    fn failed_writes_change_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("folder")).unwrap();
        for path in [folder.path().join("missing").join("board.svg"), folder.path().join("folder")] {
            assert!(check_writable(&path).is_err());
            assert!(write_atomically(&path, b"new").is_err());
        }
        let missing = folder.path().join("missing");
        let error = check_writable(&missing.join("board.svg")).unwrap_err();
        assert_eq!(error.to_string(), format!("the folder '{}' does not exist", missing.display()));
        check_writable(&folder.path().join("board.svg")).unwrap();
        assert_eq!(names(folder.path()), ["folder"]);
        assert!(names(&folder.path().join("folder")).is_empty());
        assert!(check_writable(&folder.path().join("missing").join("board.svg")).is_err());
        assert!(check_writable(&folder.path().join("folder")).is_err());
        assert!(check_writable(&folder.path().join("board.svg")).is_ok());
        assert_eq!(names(folder.path()), ["folder"], "checking leaves nothing behind");
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
