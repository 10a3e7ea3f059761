//! Record files: one JSON object a line, appended as soon as it is known, so that interrupted work can be resumed.
//!
//! The first line is the header, `{"chuhe_KIND":VERSION,"settings":{…}}`. The last key of every line is `crc32`, the
//! CRC-32 of the bytes before its comma in eight hexadecimal digits; lines of older programs lack it and are read as
//! well. A line that cannot be read costs its record only. Files of one kind with the same settings, one after another,
//! are a file of that kind.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thiserror::Error;

use super::append_log::AppendLog;

/// Beginning of the checksum of a line, before eight digits and `"}`.
const CHECKSUM_KEY: &[u8] = b",\"crc32\":\"";
/// Length of a checksum with its key, in bytes.
const CHECKSUM_LENGTH: usize = CHECKSUM_KEY.len() + 10;

pub type Settings = BTreeMap<String, String>;

#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub key: &'static str,
    pub version: u32,
    /// Name of the work in messages.
    pub work: &'static str,
    pub max_bytes: u64,
}

#[derive(Debug, Error)]
pub enum RecordFileError {
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    /// The file is not of this kind and version.
    #[error(
        "{}: this is not a {} journal of version {}; nothing was changed: name another file or move this one away",
        path.display(), kind.work, kind.version
    )]
    Foreign { path: PathBuf, kind: Kind },
    /// The work was begun with other settings.
    #[error(
        "{}: this {work} has {name} '{there}', not '{here}'; use another file or the same settings", path.display()
    )]
    Different { path: PathBuf, work: &'static str, name: String, there: String, here: String },
}

#[derive(Debug)]
pub struct RecordFile {
    log: AppendLog,
}

impl RecordFile {
    /// Creates a file, or opens one of this kind with the same settings and passes its records to `on_record`, which
    /// returns whether a record makes sense. Returns the numbers of the lines that cannot be read.
    ///
    /// An incomplete last line is removed; a file of which only a part of this header is left begins again.
    /// After an error the file is unchanged.
    pub fn open<R: DeserializeOwned>(
        kind: Kind,
        path: &Path,
        settings: &Settings,
        mut on_record: impl FnMut(R) -> bool,
    ) -> Result<(RecordFile, Vec<usize>), RecordFileError> {
        let failed = |error| RecordFileError::File { path: path.to_owned(), error };
        let foreign = || RecordFileError::Foreign { path: path.to_owned(), kind };
        let mut log = AppendLog::open(path).map_err(failed)?;
        let content = log.read(kind.max_bytes).map_err(failed)?;
        let whole = whole_lines(&content);
        let lines = (1..).zip(whole.split(|&byte| byte == b'\n')).filter(|(_, line)| !line.is_empty());
        let (mut faulty_lines, mut has_header) = (Vec::new(), false);
        for (number, line) in lines {
            if has_header && decode(line).is_some_and(&mut on_record) {
                continue;
            }
            // The header of joined files stands between records.
            let header = decode::<Value>(line);
            match header.and_then(|mut line| Some((line.get(kind.key)?.as_u64()?, line["settings"].take()))) {
                Some((version, there)) => {
                    let there = serde_json::from_value::<Settings>(there).ok();
                    let there = there.filter(|_| version == u64::from(kind.version)).ok_or_else(foreign)?;
                    check_settings(kind, path, &there, settings)?;
                    has_header = true;
                }
                None if !has_header => return Err(foreign()),
                None => faulty_lines.push(number),
            }
        }
        if !has_header {
            let header = header(kind, settings);
            // Nothing, or what a crash or a power failure leaves of a header.
            if !header.starts_with(&content) && content.iter().any(|&byte| byte != 0) {
                return Err(foreign());
            }
            log.cut(0).and_then(|()| log.append(&header)).map_err(failed)?;
        } else if whole.len() < content.len() {
            faulty_lines.push(whole.iter().filter(|&&byte| byte == b'\n').count() + 1);
            log.cut(whole.len() as u64).map_err(failed)?;
        }
        Ok((RecordFile { log }, faulty_lines))
    }

    /// Queues a record for the next [`RecordFile::save`].
    pub fn hold(&mut self, record: &impl Serialize) {
        self.log.hold(&encode(record));
    }

    /// Writes the queued records to the disk. After an error they stay queued for the next call.
    pub fn save(&mut self) -> Result<(), RecordFileError> {
        self.log.append(&[]).map_err(|error| RecordFileError::File { path: self.log.path().to_owned(), error })
    }
}

fn check_settings(kind: Kind, path: &Path, there: &Settings, here: &Settings) -> Result<(), RecordFileError> {
    for name in there.keys().chain(here.keys()) {
        let [there, here] = [there, here].map(|all| all.get(name).cloned().unwrap_or_default());
        if there != here {
            let (path, name) = (path.to_owned(), name.clone());
            return Err(RecordFileError::Different { path, work: kind.work, name, there, here });
        }
    }
    Ok(())
}

/// Returns the header of a file as a line.
pub fn header(kind: Kind, settings: &Settings) -> Vec<u8> {
    encode(&json!({ kind.key: kind.version, "settings": settings }))
}

/// Returns a record, which must have a field, as a line.
pub fn encode(record: &impl Serialize) -> Vec<u8> {
    let mut line = match serde_json::to_vec(record) {
        Ok(line) => line,
        Err(error) => unreachable!("records are plain data: {error}"),
    };
    line.pop();
    let checksum = crc32fast::hash(&line);
    line.extend_from_slice(CHECKSUM_KEY);
    line.extend_from_slice(format!("{checksum:08x}\"}}\n").as_bytes());
    line
}

/// Decodes a line without its end; `None` if it is damaged or not such a record.
pub fn decode<R: DeserializeOwned>(line: &[u8]) -> Option<R> {
    let (content, checksum) = line.split_at(line.len().saturating_sub(CHECKSUM_LENGTH));
    if let Some(digits) = checksum.strip_prefix(CHECKSUM_KEY).and_then(|rest| rest.get(..8)) {
        let checksum = u32::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
        if checksum != crc32fast::hash(content) {
            return None;
        }
    }
    serde_json::from_slice(line).ok()
}

/// Returns the content up to its last line end.
pub fn whole_lines(content: &[u8]) -> &[u8] {
    &content[..content.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)]
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Number {
        number: u64,
    }

    const KIND: Kind = Kind { key: "chuhe_test", version: 3, work: "test", max_bytes: 1_000 };

    fn open(path: &Path, settings: &Settings) -> Result<(RecordFile, Vec<u64>, Vec<usize>), RecordFileError> {
        let mut found = Vec::new();
        let opened = RecordFile::open(KIND, path, settings, |record: Number| {
            found.push(record.number);
            record.number < 100
        });
        opened.map(|(file, faulty)| (file, found, faulty))
    }

    #[test]
    fn every_truncation_loses_at_most_the_last_record_and_every_change_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, settings) = (folder.path().join("file"), Settings::from([("depth".into(), "9".into())]));
        let (mut file, ..) = open(&path, &settings).unwrap();
        (0..3).for_each(|number| file.hold(&Number { number }));
        file.save().unwrap();
        drop(file);
        let whole = std::fs::read(&path).unwrap();
        let ends: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] == b'\n').collect();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut file, found, faulty) = open(&path, &settings).unwrap();
            let complete = ends[1..].iter().filter(|&&end| end < length).count() as u64;
            assert_eq!(found, (0..complete).collect::<Vec<_>>());
            let is_torn = length > ends[0] && !ends.contains(&(length - 1));
            assert_eq!(faulty.len(), usize::from(is_torn), "cut after {length} bytes");
            file.hold(&Number { number: 7 });
            file.save().unwrap();
            drop(file);
            assert_eq!(open(&path, &settings).unwrap().1.last(), Some(&7));
        }
        // Also where the digits of a checksum change, but not where its key does.
        for at in (ends[1] + 1..ends[2]).filter(|at| !(ends[2] - 20..ends[2] - 10).contains(at)) {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(&path, changed).unwrap();
            let (_, found, faulty) = open(&path, &settings).unwrap();
            assert_eq!((found, faulty), (vec![0, 2], vec![3]), "byte {at}");
        }
        // Joined, without checksums, and with a record that makes no sense.
        let more = b"{\"number\":4}\n{\"number\":100}\n";
        std::fs::write(&path, [&whole, &whole[..], more].concat()).unwrap();
        let (_, found, faulty) = open(&path, &settings).unwrap();
        assert_eq!((found, faulty), (vec![0, 1, 2, 0, 1, 2, 4, 100], vec![10]));
    }

    #[test]
    fn other_files_and_settings_are_refused_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let (path, settings) = (folder.path().join("file"), Settings::from([("depth".into(), "9".into())]));
        let header = header(KIND, &settings);
        let other = String::from_utf8(header.clone()).unwrap();
        let other = other.split_once(",\"crc32").unwrap().0.replace(":3", ":4") + "}\n";
        for content in ["no json\n", "{}\n", "no line end", &other, "\n", "{\"number\":1}\n"] {
            std::fs::write(&path, content).unwrap();
            assert!(matches!(open(&path, &settings), Err(RecordFileError::Foreign { .. })), "{content}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        }
        std::fs::write(&path, &header).unwrap();
        let error = open(&path, &Settings::new()).unwrap_err().to_string();
        assert!(error.ends_with("this test has depth '9', not ''; use another file or the same settings"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), header);
    }
}
