//! Tests the journal of a verification: cut anywhere, damaged, or another file.

use chuhe::commands::book::{Journal, JournalError, Verdict};
use chuhe::types::Value;

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
