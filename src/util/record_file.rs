//! Append-only logs, and record files: one JSON object a line, appended as soon as it is known, so that interrupted
//! work can be resumed.
//!
//! The first line is the header, `{"chuhe_KIND":VERSION,"settings":{…}}`. The last key of every line is `crc32`, the
//! CRC-32 of the bytes before its comma; lines of older programs lack it. A line that cannot be read costs its record
//! only. Files of one kind with the same settings, one after another, are a file of that kind.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thiserror::Error;

use super::files::{lock_or_refuse, read_all, with_remedy};

/// Beginning of the checksum of a line, before eight digits and `"}`.
const CHECKSUM_KEY: &[u8] = b",\"crc32\":\"";
/// Length of a checksum with its key, in bytes.
const CHECKSUM_LENGTH: usize = CHECKSUM_KEY.len() + 10;

pub type Settings = BTreeMap<String, String>;

#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub key: &'static str,
    pub version: u32,
    pub work: &'static str,
    pub max_bytes: u64,
}

#[derive(Debug, Error)]
pub enum RecordFileError {
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    /// The file is not of this kind and version, or the work was begun with other settings.
    #[error("{0}")]
    Refused(String),
}

#[derive(Debug)]
pub struct RecordFile {
    log: AppendLog,
}

impl RecordFile {
    /// Creates a file, or opens one of this kind with the same settings and passes its records to `on_record`, which
    /// returns whether a record makes sense. Returns the numbers of the lines that cannot be read. Removes an
    /// incomplete last line; after an error the file is unchanged.
    pub fn open<R: DeserializeOwned>(
        kind: Kind,
        path: &Path,
        settings: &Settings,
        mut on_record: impl FnMut(R) -> bool,
    ) -> Result<(RecordFile, Vec<usize>), RecordFileError> {
        let failed = |error| RecordFileError::File { path: path.to_owned(), error };
        let foreign = || {
            let remedy = "nothing was changed: name another file or move this one away";
            let (path, Kind { work, version, .. }) = (path.display(), kind);
            RecordFileError::Refused(format!("{path}: this is not a {work} journal of version {version}; {remedy}"))
        };
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
        let [there, here] = [there, here].map(|all| all.get(name).map_or("", String::as_str));
        if there != here {
            let (path, work, remedy) = (path.display(), kind.work, "use another file or the same settings");
            let fault = format!("{path}: this {work} has {name} '{there}', not '{here}'; {remedy}");
            return Err(RecordFileError::Refused(fault));
        }
    }
    Ok(())
}

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

pub fn whole_lines(content: &[u8]) -> &[u8] {
    &content[..content.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)]
}

/// File that grows by whole entries and is locked against other programs. A failed write is rolled back; its entry is
/// written with the next one.
#[derive(Debug)]
pub struct AppendLog {
    path: PathBuf,
    file: File,
    /// Length up to the last whole entry, in bytes; `None` for a pipe or device, which cannot be truncated.
    length: Option<u64>,
    pending: Vec<u8>,
}

impl AppendLog {
    pub fn open(path: &Path) -> io::Result<AppendLog> {
        let file = File::options().read(true).append(true).create(true).open(path);
        // A pipe cannot be read but can be written to. The first error tells why a file cannot be created.
        let file = file.or_else(|error| File::options().append(true).open(path).map_err(|_| error));
        let file = file.map_err(with_remedy)?;
        lock_or_refuse(&file, "another program is writing it")?;
        let metadata = file.metadata()?;
        let length = metadata.is_file().then_some(metadata.len());
        Ok(AppendLog { path: path.to_owned(), file, length, pending: Vec::new() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the content of the file, at most `max_bytes`; nothing for a pipe or device.
    pub fn read(&mut self, max_bytes: u64) -> io::Result<Vec<u8>> {
        if self.length.is_none() {
            return Ok(Vec::new());
        }
        self.file.seek(SeekFrom::Start(0))?;
        read_all(&self.file, max_bytes)
    }

    pub fn is_regular(&self) -> bool {
        self.length.is_some()
    }

    pub fn cut(&mut self, length: u64) -> io::Result<()> {
        if self.length.is_some_and(|old| length < old) {
            self.truncate(length).and_then(|()| self.file.sync_data())?;
            self.length = Some(length);
        }
        Ok(())
    }

    /// Windows truncates no file through a handle that appends.
    fn truncate(&self, length: u64) -> io::Result<()> {
        File::options().write(true).open(&self.path)?.set_len(length)
    }

    pub fn hold(&mut self, entry: &[u8]) {
        self.pending.extend_from_slice(entry);
    }

    /// Appends an entry after the queued ones and flushes all to the disk. After an error they stay queued.
    pub fn append(&mut self, entry: &[u8]) -> io::Result<()> {
        self.hold(entry);
        let written = self.file.write_all(&self.pending).and_then(|()| self.file.flush());
        let written = written.and_then(|()| if self.length.is_some() { self.file.sync_data() } else { Ok(()) });
        if let Err(error) = written {
            // Remove the partial entry.
            self.length.map_or(Ok(()), |length| self.truncate(length))?;
            return Err(with_remedy(error));
        }
        self.length = self.length.map(|length| length + self.pending.len() as u64);
        self.pending.clear();
        Ok(())
    }
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
            let error = open(&path, &settings).unwrap_err().to_string();
            assert!(error.contains(": this is not a test journal of version 3; "), "{content}: {error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        }
        std::fs::write(&path, &header).unwrap();
        let error = open(&path, &Settings::new()).unwrap_err().to_string();
        assert!(error.ends_with("this test has depth '9', not ''; use another file or the same settings"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), header);
    }

    #[test]
    fn entries_of_one_writer_are_appended_and_can_be_truncated() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let mut log = AppendLog::open(&path).unwrap();
        assert_eq!(AppendLog::open(&path).unwrap_err().to_string(), "another program is writing it");
        log.append(b"one\n").unwrap();
        log.append(b"two\n").unwrap();
        assert_eq!(log.read(99).unwrap(), b"one\ntwo\n");
        assert_eq!(log.read(7).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        log.cut(4).unwrap();
        log.hold(b"three\n");
        assert_eq!(log.read(99).unwrap(), b"one\n");
        log.append(b"four\n").unwrap();
        drop(log);
        assert_eq!(std::fs::read(&path).unwrap(), b"one\nthree\nfour\n");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn entries_stay_queued_on_a_full_disk() {
        let mut log = AppendLog::open(Path::new("/dev/full")).unwrap();
        let error = log.append(b"one").unwrap_err().to_string();
        assert_eq!(error, "No space left on device (os error 28); make room there");
        assert_eq!(log.pending, b"one");
        assert!(log.append(b"two").is_err());
        assert_eq!(log.pending, b"onetwo");
    }
}
