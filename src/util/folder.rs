//! Folders for the files of a command.

use std::path::Path;
use std::{fs, io};

use super::full_disk::with_remedy;

/// Creates a folder and those above it, unless it is there.
///
/// # Errors
/// The reason why it cannot be created, also that a file has its name.
pub fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => io::Error::new(error.kind(), "this exists and is not a folder"),
        io::ErrorKind::NotADirectory => io::Error::new(error.kind(), "a part of this path is not a folder"),
        _ => with_remedy(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_created_where_no_file_has_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("outer").join("inner");
        create_folder(&path).unwrap();
        create_folder(&path).unwrap();
        assert!(path.is_dir());
        let file = folder.path().join("file");
        fs::write(&file, "text").unwrap();
        assert_eq!(create_folder(&file).unwrap_err().to_string(), "this exists and is not a folder");
        let error = create_folder(&file.join("inner")).unwrap_err().to_string();
        assert_eq!(error, "a part of this path is not a folder");
        assert_eq!(fs::read(&file).unwrap(), b"text");
    }
}
