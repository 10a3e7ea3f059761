//! Table files: round trips and damage.

use std::fs;
use std::path::Path;

use chuhe::position::Position;
use chuhe::tablebase::{
    Content, Metric, Plan, Step, StoredTable, Table, TableError, TablebaseValue, Tablebases, build, endings_in,
    path_of, prepare,
};

fn plan(folder: &Path) -> Plan<'_> {
    Plan { folder, metric: Metric::Conversion, threads: 2, memory: 1 << 30 }
}

fn built(ending: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    build(&plan(folder.path()), &[ending.parse().unwrap()], |_| ()).unwrap();
    folder
}

fn read(folder: &Path, ending: &str) -> Result<Table, TableError> {
    StoredTable::open(folder, ending.parse().unwrap(), Metric::Conversion)?.read_all()
}

fn solved(ending: &str) -> Vec<(String, TablebaseValue)> {
    let tables = super::solved(&[ending], Metric::Conversion);
    tables.get(ending.parse().unwrap()).unwrap().decided_positions().collect()
}

#[test]
fn written_tables_are_read_back_and_probed_by_several_threads() {
    for ending in ["KNvKAB", "KPPvK"] {
        let folder = built(ending);
        let expected = solved(ending);
        assert!(expected.len() > 500);
        assert_eq!(read(folder.path(), ending).unwrap().decided_positions().collect::<Vec<_>>(), expected);
        let stored = StoredTable::open(folder.path(), ending.parse().unwrap(), Metric::Conversion).unwrap();
        assert_eq!(stored.value_of(&Position::start()).unwrap(), None);
        let (shelf, faults) = Tablebases::open(&[folder.path().to_owned()]);
        assert!(faults.is_empty());
        std::thread::scope(|scope| {
            for start in 0..4 {
                let (stored, shelf, expected) = (&stored, &shelf, &expected);
                scope.spawn(move || {
                    for (fen, value) in expected.iter().skip(start * 31).step_by(29) {
                        let position = Position::from_fen(fen).unwrap();
                        assert_eq!(stored.value_of(&position).unwrap(), Some(*value), "{fen}");
                        assert_eq!(stored.value_of(&position.colour_flipped()).unwrap(), Some(*value), "{fen}");
                        assert_eq!(shelf.value(&position).unwrap(), *value, "{fen}");
                    }
                });
            }
        });
    }
}

#[test]
fn an_interrupted_build_continues() {
    let folder = built("KNvKA");
    let mut steps = Vec::new();
    build(&plan(folder.path()), &["KNvKAB".parse().unwrap()], |step| match step {
        Step::Found(ending) => steps.push(format!("found {ending}")),
        Step::Written { table, .. } => steps.push(format!("written {}", table.signature())),
        Step::Solving(..) => {}
    })
    .unwrap();
    assert_eq!(steps, ["found KNvK", "written KNvKB", "found KNvKA", "written KNvKAB"]);
    let names: Vec<String> = endings_in(folder.path()).unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["KNvK", "KNvKB", "KNvKA", "KNvKAB"]);
    let all = read(folder.path(), "KNvKAB").unwrap().decided_positions().collect::<Vec<_>>();
    assert_eq!(all, solved("KNvKAB"));
}

#[test]
fn the_memory_limit_is_checked_in_advance() {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan { memory: 1 << 20, ..plan(folder.path()) };
    let error = prepare(&plan, &["KRvKAABB".parse().unwrap()]).unwrap_err().to_string();
    assert!(error.contains("KRvK") && error.contains("limit is 1 MB"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn damage_is_detected() {
    let folder = built("KNvKA");
    let ending = "KNvKA".parse().unwrap();
    for content in [Content::Results, Content::Plies(Metric::Conversion)] {
        let path = path_of(folder.path(), ending, content);
        let whole = fs::read(&path).unwrap();
        let lengths = (0..whole.len()).step_by(61).chain([39, 40, 41, whole.len() - 1]);
        for length in lengths {
            fs::write(&path, &whole[..length]).unwrap();
            let error = read(folder.path(), "KNvKA").err().unwrap().to_string();
            assert!(error.contains("KNvKA"), "{length}: {error}");
        }
        for place in (0..whole.len()).step_by(37).chain(0..60) {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << (place % 8);
            fs::write(&path, &bytes).unwrap();
            assert!(read(folder.path(), "KNvKA").is_err(), "a flipped bit at {place}");
        }
        fs::write(&path, [&whole[..], &[0]].concat()).unwrap();
        assert!(read(folder.path(), "KNvKA").is_err(), "a further byte");
        fs::write(&path, &whole).unwrap();
        read(folder.path(), "KNvKA").unwrap();
    }
}

#[test]
fn a_damaged_table_is_rebuilt_and_not_used() {
    let folder = built("KNvKA");
    let path = path_of(folder.path(), "KNvK".parse().unwrap(), Content::Plies(Metric::Conversion));
    let whole = fs::read(&path).unwrap();
    let mut bytes = whole.clone();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    let (shelf, faults) = Tablebases::open(&[folder.path().to_owned()]);
    assert!(faults.is_empty(), "the damage is in a block");
    let win = Position::from_fen("4k4/9/9/9/4N4/9/9/9/9/3K5 w").unwrap();
    assert!(matches!(shelf.value(&win), Err(TableError::Unusable { .. })));
    assert!(matches!(shelf.value(&win), Err(TableError::Missing(_))), "it is disabled");
    build(&plan(folder.path()), &["KNvKA".parse().unwrap()], |_| ()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), whole);
}

#[test]
fn unusable_files_are_reported_and_the_others_are_used() {
    let folder = built("KNvKAB");
    let path = |ending: &str, content| path_of(folder.path(), ending.parse().unwrap(), content);
    let results = |ending| path(ending, Content::Results);
    fs::write(results("KRvK"), "not a table, but long enough to have the header of one").unwrap();
    fs::write(results("KRvKA"), "").unwrap();
    fs::copy(results("KNvK"), results("KCvK")).unwrap();
    fs::remove_file(path("KNvKB", Content::Plies(Metric::Conversion))).unwrap();
    fs::write(folder.path().join("notes.txt"), "not looked at").unwrap();
    for (ending, fault) in [("KRvK", "of this version"), ("KRvKA", "of this version"), ("KCvK", "another ending")] {
        let error = read(folder.path(), ending).err().unwrap().to_string();
        assert!(error.contains(ending) && error.contains(fault), "{error}");
    }
    let (shelf, faults) = Tablebases::open(&[folder.path().to_owned(), folder.path().join("missing")]);
    assert_eq!((shelf.stored(), faults.len()), (3, 5), "{faults:?}");
    // An unusable file is replaced by the built-in table.
    let position = Position::from_fen("3ak4/9/9/9/9/9/9/9/9/3K4R w").unwrap();
    assert!(matches!(shelf.value(&position), Ok(TablebaseValue::Win(_))));
}
