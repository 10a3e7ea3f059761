//! Table files: round trips and damage.

use std::fs;
use std::path::Path;

use chuhe::position::Position;
use chuhe::tablebase::{
    Content, Metric, Plan, ProbeError, Step, StoreError, StoredTable, Table, TablebaseValue, Tablebases, build,
    endings_in, path_of, prepare,
};

fn plan(folder: &Path) -> Plan<'_> {
    Plan { folder, metric: Metric::Conversion, threads: 2, memory: 1 << 30 }
}

fn built(ending: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    build(&plan(folder.path()), &[ending.parse().unwrap()], |_| ()).unwrap();
    folder
}

fn read(folder: &Path, ending: &str) -> Result<Table, StoreError> {
    StoredTable::open(folder, ending.parse().unwrap(), Metric::Conversion)?.read_all()
}

fn solved(ending: &str) -> Vec<(String, TablebaseValue)> {
    let tables = super::solved(&[ending], Metric::Conversion);
    tables.get(ending.parse().unwrap()).unwrap().decided_positions().collect()
}

#[test]
fn written_tables_are_read_back() {
    for ending in ["KNvKAB", "KPPvK"] {
        let folder = built(ending);
        let expected = solved(ending);
        assert!(expected.len() > 500);
        let table = read(folder.path(), ending).unwrap();
        assert_eq!(table.decided_positions().collect::<Vec<_>>(), expected);
        let stored = StoredTable::open(folder.path(), ending.parse().unwrap(), Metric::Conversion).unwrap();
        for (fen, value) in expected.iter().step_by(7) {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(stored.value_of(&position).unwrap(), Some(*value), "{fen}");
            assert_eq!(stored.value_of(&position.colour_flipped()).unwrap(), Some(*value), "{fen}");
        }
        assert_eq!(stored.value_of(&Position::start()).unwrap(), None);
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
        let mut longer = whole.clone();
        longer.push(0);
        fs::write(&path, &longer).unwrap();
        assert!(read(folder.path(), "KNvKA").is_err());
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
    assert!(matches!(shelf.value(&win), Err(ProbeError::Store(_))));
    assert!(matches!(shelf.value(&win), Err(ProbeError::NoTable(_))), "it is disabled");
    build(&plan(folder.path()), &["KNvKA".parse().unwrap()], |_| ()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), whole);
}

#[test]
fn results_without_plies_are_rejected() {
    let folder = built("KNvK");
    fs::remove_file(path_of(folder.path(), "KNvK".parse().unwrap(), Content::Plies(Metric::Conversion))).unwrap();
    let (shelf, faults) = Tablebases::open(&[folder.path().to_owned()]);
    assert_eq!((shelf.stored().count(), faults.len()), (0, 1));
}

#[test]
fn foreign_files_are_reported_and_the_others_are_used() {
    let folder = built("KNvKAB");
    let path = |ending: &str| path_of(folder.path(), ending.parse().unwrap(), Content::Results);
    fs::write(path("KRvK"), "not a table, but long enough to have the header of one").unwrap();
    fs::write(path("KRvKA"), "").unwrap();
    fs::copy(path("KNvK"), path("KCvK")).unwrap();
    fs::write(folder.path().join("notes.txt"), "not looked at").unwrap();
    assert!(matches!(read(folder.path(), "KRvK"), Err(StoreError::Foreign(_))));
    assert!(matches!(read(folder.path(), "KRvKA"), Err(StoreError::Foreign(_))));
    assert!(matches!(read(folder.path(), "KCvK"), Err(StoreError::OtherEnding(_))));
    let (shelf, faults) = Tablebases::open(&[folder.path().to_owned(), folder.path().join("missing")]);
    assert_eq!(faults.len(), 4, "{faults:?}");
    assert_eq!(shelf.stored().count(), 4);
    // An unusable file is replaced by the built-in table.
    let position = Position::from_fen("3ak4/9/9/9/9/9/9/9/9/3K4R w").unwrap();
    assert!(matches!(shelf.value(&position), Ok(TablebaseValue::Win(_))));
}

#[test]
fn threads_can_probe_concurrently() {
    let folder = built("KNvKAB");
    let expected = solved("KNvKAB");
    let (shelf, faults) = Tablebases::open(&[folder.path().to_owned()]);
    assert!(faults.is_empty());
    std::thread::scope(|scope| {
        for start in 0..4 {
            let (shelf, expected) = (&shelf, &expected);
            scope.spawn(move || {
                for (fen, value) in expected.iter().skip(start * 31).step_by(101) {
                    assert_eq!(shelf.value(&Position::from_fen(fen).unwrap()).unwrap(), *value, "{fen}");
                }
            });
        }
    });
}
