//! What searches said of the moves of a book that is being made, so that nothing is searched twice.
//!
//! ```text
//! chuhe book verification 1: program 0.1.0 1234567, 10000 nodes
//! e5b53780b6be8172 b0c2 13 b2e2 -4 #1a2b3c4d
//! ```
//!
//! A line holds the key of a position, the moves that were compared with their scores for the side to move, and the
//! CRC-32 of what stands before ` #`. A line that was torn or damaged is as good as none.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::verify::Verdict;
use crate::tools::datagen::Settings;
use crate::types::{Move, Value};
use crate::util::append_log::AppendLog;

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// It cannot be opened, read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// It is something else.
    #[error("{}: this is no journal of a verification; nothing was changed", path.display())]
    Foreign {
        /// Which file.
        path: PathBuf,
    },
    /// It was written with another number of nodes, or by a program that searches in another way.
    #[error("{}: this journal begins '{there}', not '{here}'; take another file or the same settings", path.display())]
    Different {
        /// Which file.
        path: PathBuf,
        /// Its first line.
        there: String,
        /// What its first line should be.
        here: String,
    },
}

const TITLE: &str = "chuhe book verification 1: ";

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    ledger: AppendLog,
    pending: Vec<u8>,
}

impl Journal {
    /// Begins a journal of searches of so many nodes, or goes on with one. Gives back the verdicts in it, the last one
    /// of each position.
    ///
    /// # Errors
    /// [`JournalError`]; the file is as it was then.
    pub fn open(path: &Path, nodes: u64) -> Result<(Journal, HashMap<u64, Verdict>), JournalError> {
        let failed = |error| JournalError::File { path: path.to_owned(), error };
        let mut ledger = AppendLog::open(path).map_err(failed)?;
        let content = ledger.read().map_err(failed)?;
        let title = format!("{TITLE}program {}, {nodes} nodes", Settings::this_program());
        let whole = content.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let text = String::from_utf8_lossy(&content[..whole]);
        let mut lines = text.lines();
        match lines.next() {
            // A title that was torn.
            None if title.as_bytes().starts_with(&content) => {
                ledger.cut(0).map_err(failed)?;
                ledger.append(format!("{title}\n").as_bytes()).map_err(failed)?;
                return Ok((Journal { ledger, pending: Vec::new() }, HashMap::new()));
            }
            Some(there) if there == title => {}
            Some(there) if there.starts_with(TITLE) => {
                let there = there.chars().take(200).filter(|c| !c.is_control()).collect();
                return Err(JournalError::Different { path: path.to_owned(), there, here: title });
            }
            _ => return Err(JournalError::Foreign { path: path.to_owned() }),
        }
        let verdicts = lines.filter_map(read_line).collect();
        ledger.cut(whole as u64).map_err(failed)?;
        Ok((Journal { ledger, pending: Vec::new() }, verdicts))
    }

    /// Notes a verdict; [`Journal::save`] writes it.
    pub fn add(&mut self, key: u64, verdict: &Verdict) {
        let mut line = format!("{key:016x}");
        verdict.0.iter().for_each(|(mv, score)| line.push_str(&format!(" {mv} {score}")));
        let checksum = crc32fast::hash(line.as_bytes());
        line.push_str(&format!(" #{checksum:08x}\n"));
        self.pending.extend_from_slice(line.as_bytes());
    }

    /// Sees all verdicts safe on the disk.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn save(&mut self) -> Result<(), JournalError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let pending = std::mem::take(&mut self.pending);
        let path = self.ledger.path().to_owned();
        self.ledger.append(&pending).map_err(|error| JournalError::File { path, error })
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
    fn what_was_saved_is_found_wherever_the_file_was_torn() {
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
            assert_eq!(verdicts.len(), expected, "torn after {length} bytes");
            assert!(verdicts.iter().all(|(key, found)| *found == verdict(*key as Value + 1)));
            journal.add(9, &verdict(0));
            journal.save().unwrap();
            drop(journal);
            assert_eq!(Journal::open(&path, 7).unwrap().1.len(), expected + 1);
        }
    }

    #[test]
    fn damaged_lines_are_as_good_as_none_and_other_files_are_refused() {
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
