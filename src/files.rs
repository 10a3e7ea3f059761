//! Writing files so that nobody ever finds half of one.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a whole file; see [`replace`].
///
/// # Errors
/// When the file or its folder cannot be written; the old content is still there then.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    replace(path, |error| error, |out| out.write_all(content), |()| true)
}

/// Writes a whole file bit by bit: into a temporary file beside it, which takes its place when all has reached the disk
/// and what `write` says of it `is_wanted`.
///
/// Whoever reads the file meanwhile, or after a power cut, finds the old content or the new. What is no regular file,
/// such as `/dev/stdout` or a named pipe, is written to as it stands; a link stays one.
///
/// # Errors
/// Those of `write`, and what `failed` makes of a file or folder that cannot be written; the old content is still there
/// then.
pub fn replace<T, E>(
    path: &Path,
    failed: impl Fn(io::Error) -> E,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
    is_wanted: impl FnOnce(&T) -> bool,
) -> Result<T, E> {
    // What is not there yet has no other name.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        let mut out = BufWriter::new(File::options().write(true).open(path).map_err(&failed)?);
        let written = write(&mut out)?;
        out.flush().map_err(failed)?;
        return Ok(written);
    }
    let folder = folder_of(path);
    let mut out = BufWriter::new(temporary_file(folder).map_err(&failed)?);
    let written = write(&mut out)?;
    if is_wanted(&written) {
        let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
        if let Some(old) = old {
            file.as_file().set_permissions(old.permissions()).map_err(&failed)?;
        }
        file.as_file().sync_all().map_err(&failed)?;
        file.persist(path).map_err(|error| failed(error.error))?;
        // The new name is safe once the folder is; systems that cannot open folders see to it themselves.
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
    }
    Ok(written)
}

/// Finds out whether a file could be written, without changing anything.
///
/// # Errors
/// Why it cannot be.
pub fn check_writable(path: &Path) -> io::Result<()> {
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match fs::metadata(path) {
        Ok(old) if old.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // Opening a pipe would wait for its reader, and closing it would send him away.
        Ok(old) if !old.is_file() => Ok(()),
        _ => temporary_file(folder_of(path)).map(drop),
    }
}

/// The folder that a file lies in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A file that is gone unless it is given a name. Others may read it as far as the user's mask lets them.
fn temporary_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".chuhe-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
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
    fn a_file_is_made_or_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("board.svg");
        for content in [&b"a long content"[..], b"short", b""] {
            write_atomically(&path, content).unwrap();
            assert_eq!(fs::read(&path).unwrap(), content);
            assert_eq!(names(folder.path()), ["board.svg"]);
        }
    }

    #[test]
    fn what_cannot_be_written_leaves_everything_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("folder")).unwrap();
        for path in [folder.path().join("missing").join("board.svg"), folder.path().join("folder")] {
            assert!(check_writable(&path).is_err());
            assert!(write_atomically(&path, b"new").is_err());
        }
        check_writable(&folder.path().join("board.svg")).unwrap();
        assert_eq!(names(folder.path()), ["folder"]);
        assert!(names(&folder.path().join("folder")).is_empty());
        assert!(check_writable(&folder.path().join("missing").join("board.svg")).is_err());
        assert!(check_writable(&folder.path().join("folder")).is_err());
        assert!(check_writable(&folder.path().join("board.svg")).is_ok());
        assert_eq!(names(folder.path()), ["folder"], "looking leaves nothing behind");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
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
