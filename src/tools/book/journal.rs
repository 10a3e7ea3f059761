//! Journal of a book verification: the search results of each position, so that no search is repeated.
//!
//! ```text
//! chuhe book verification 1: program 0.1.0 1234567, 10000 nodes
//! e5b53780b6be8172 b0c2 13 b2e2 -4 #1a2b3c4d
//! ```
//!
//! A line holds the book key of a position, the compared moves with their scores for the side to move in centipawns,
//! and the CRC-32 of the text before ` #`. Incomplete or damaged lines are ignored.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::verdict::Verdict;
use crate::types::{Move, Value};
use crate::util::append_log::AppendLog;

/// Reason why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be opened, read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// The file has another format.
    #[error("{}: this is not a journal of a book verification; the file was not changed", path.display())]
    Foreign {
        /// Which file.
        path: PathBuf,
    },
    /// The journal was written with another node count or by a program whose search differs.
    #[error("{}: this journal begins with '{found}' instead of '{expected}'; use another file or the same settings", path.display())]
    Different {
        /// Which file.
        path: PathBuf,
        /// First line of the file.
        found: String,
        /// Expected first line.
        expected: String,
    },
}

/// Maximum size of a journal in bytes, more than ten million positions.
const MAX_BYTES: u64 = 1 << 30;
const TITLE: &str = "chuhe book verification 1: ";

/// Journal opened for writing.
#[derive(Debug)]
pub struct Journal {
    log: AppendLog,
    pending: Vec<u8>,
}

impl Journal {
    /// Opens a journal of searches with this node count, or creates it. Also returns its verdicts, the last one for
    /// each position.
    ///
    /// # Errors
    /// [`JournalError`]; the file is unchanged in this case.
    pub fn open(path: &Path, nodes: u64) -> Result<(Journal, HashMap<u64, Verdict>), JournalError> {
        let failed = |error| JournalError::File { path: path.to_owned(), error };
        let mut log = AppendLog::open(path).map_err(failed)?;
        let content = log.read(MAX_BYTES).map_err(failed)?;
        let title = format!("{TITLE}program {}, {nodes} nodes", crate::engine::bench::program_id());
        let whole = content.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let text = String::from_utf8_lossy(&content[..whole]);
        let mut lines = text.lines();
        match lines.next() {
            // A new file, or one whose title line is incomplete.
            None if title.as_bytes().starts_with(&content) => {
                log.cut(0).map_err(failed)?;
                log.append(format!("{title}\n").as_bytes()).map_err(failed)?;
                return Ok((Journal { log, pending: Vec::new() }, HashMap::new()));
            }
            Some(found) if found == title => {}
            Some(found) if found.starts_with(TITLE) => {
                let found = found.chars().take(200).filter(|c| !c.is_control()).collect();
                return Err(JournalError::Different { path: path.to_owned(), found, expected: title });
            }
            _ => return Err(JournalError::Foreign { path: path.to_owned() }),
        }
        let verdicts = lines.filter_map(read_line).collect();
        log.cut(whole as u64).map_err(failed)?;
        Ok((Journal { log, pending: Vec::new() }, verdicts))
    }

    /// Adds a verdict; [`Journal::save`] writes it.
    pub fn add(&mut self, key: u64, verdict: &Verdict) {
        let mut line = format!("{key:016x}");
        verdict.0.iter().for_each(|(mv, score)| line.push_str(&format!(" {mv} {score}")));
        let checksum = crc32fast::hash(line.as_bytes());
        line.push_str(&format!(" #{checksum:08x}\n"));
        self.pending.extend_from_slice(line.as_bytes());
    }

    /// Writes all added verdicts to the disk.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn save(&mut self) -> Result<(), JournalError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let pending = std::mem::take(&mut self.pending);
        let path = self.log.path().to_owned();
        self.log.append(&pending).map_err(|error| JournalError::File { path, error })
    }
}

fn read_line(line: &str) -> Option<(u64, Verdict)> {
    let (content, checksum) = line.rsplit_once(" #")?;
    if u32::from_str_radix(checksum, 16).ok()? != crc32fast::hash(content.as_bytes()) {
        return None;
    }
    let mut words = content.split(' ');
    let key = u64::from_str_radix(words.next()?, 16).ok()?;
    let mut scores: Vec<(Move, Value)> = Vec::new();
    while let Some(mv) = words.next() {
        scores.push((mv.parse().ok()?, words.next()?.parse().ok()?));
    }
    Some((key, Verdict(scores)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(score: Value) -> Verdict {
        Verdict(vec![("h2e2".parse().unwrap(), score), ("b0c2".parse().unwrap(), -score)])
    }

    #[test]
    fn complete_lines_survive_truncation_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut journal, empty) = Journal::open(&path, 7).unwrap();
        assert!(empty.is_empty());
        (0..3).for_each(|key| journal.add(key, &verdict(key as Value + 1)));
        journal.save().unwrap();
        journal.save().unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        let ends: Vec<usize> = (0..whole.len()).filter(|&index| whole[index] == b'\n').collect();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut journal, verdicts) = Journal::open(&path, 7).unwrap();
            let expected = ends[1..].iter().filter(|&&end| end < length).count();
            assert_eq!(verdicts.len(), expected, "truncated after {length} bytes");
            assert!(verdicts.iter().all(|(key, found)| *found == verdict(*key as Value + 1)));
            journal.add(9, &verdict(0));
            journal.save().unwrap();
            drop(journal);
            assert_eq!(Journal::open(&path, 7).unwrap().1.len(), expected + 1);
        }
    }

    #[test]
    fn damaged_lines_are_ignored_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut journal, _) = Journal::open(&path, 7).unwrap();
        (0..3).for_each(|key| journal.add(key, &verdict(5)));
        journal.save().unwrap();
        drop(journal);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen("h2e2 5", "h2e2 6", 1)).unwrap();
        assert_eq!(Journal::open(&path, 7).unwrap().1.len(), 2);
        assert!(matches!(Journal::open(&path, 8), Err(JournalError::Different { .. })));
        for other in ["Dear Sir,\n", "Dear Sir", "\n"] {
            std::fs::write(&path, other).unwrap();
            assert!(matches!(Journal::open(&path, 7), Err(JournalError::Foreign { .. })));
            assert_eq!(std::fs::read_to_string(&path).unwrap(), other);
        }
    }
}
