//! Tests how positions for tuning are read from lines and games.

use std::fmt::Display;
use std::path::Path;

use chuhe::lab::tuning::{Label, LoadError, LoadSettings, OnFault, Positions, Selection, load};

const FENS: [&str; 2] = ["3ak4/9/9/9/9/9/9/9/4A4/3RK4 w", "3ak4/9/9/9/9/9/9/9/4A4/3RK4 b"];

fn load_text(text: &str, settings: &LoadSettings) -> (Positions, Vec<String>) {
    let (positions, faults) = load_text_by(text, |path, on_fault| load(path, settings, on_fault));
    (positions.unwrap(), faults)
}

/// Returns what `load` makes of a file with this text, and the faults that it reports.
pub fn load_text_by<T>(text: &str, load: impl FnOnce(&Path, &mut OnFault) -> T) -> (T, Vec<String>) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let mut faults = Vec::new();
    let loaded = load(file.path(), &mut |error| faults.push(error.to_string()));
    (loaded, faults)
}

#[test]
fn lines_are_read_for_red_and_bad_ones_are_reported() {
    let [white, black] = FENS;
    let text = format!(
        "# a remark\n{white}\t1-0\t250\n{black}\t0-1\t250\n\n{white}\t1/2-1/2\n{white}\n{white}\t2-0\n{white}\t1-0\tx\n\
         nonsense\t1-0\n{white}\t*\n"
    );
    let settings = LoadSettings { validation_share: 0.0, ..LoadSettings::default() };
    let (positions, faults) = load_text(&text, &settings);
    assert!(positions.validation.is_empty());
    let labels: Vec<Label> = (0..positions.training.len()).map(|at| positions.training.label(at)).collect();
    let label = |result, score| Label { result, score };
    assert_eq!(labels, [label(1.0, Some(250)), label(0.0, Some(-250)), label(0.5, None)]);
    let places: Vec<&str> = faults.iter().map(|fault| fault.split(':').next().unwrap()).collect();
    assert_eq!(places, ["line 6", "line 7", "line 8", "line 9", "line 10"], "{faults:#?}");
}

#[test]
fn sets_do_not_depend_on_threads_and_hold_whole_games() {
    let line = "h2e2 h9g7 h0g2 i9h9 i0h0 h7h3 g3g4 b7e7 b0a2 b9c7 a0b0 c6c5 b2c2 c7d5 b0b4";
    let mut text = String::new();
    for game in 0..200 {
        // Games that differ in a first pair of moves only.
        let first = ["a0a1 a9a8 a1a0 a8a9", "a3a4 i6i5", "i3i4 a6a5", "c3c4 g6g5"][game % 4];
        text.push_str(&format!("{}\t\t{first} {line}\n", ["1-0", "0-1", "*"][game % 3]));
    }
    let selection = Selection { per_game: 2, from_ply: 6, ..Selection::default() };
    let settings = LoadSettings { selection, validation_share: 0.5, ..LoadSettings::default() };
    let (one, faults) = load_text(&text, &settings);
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!((one.games, one.games_without_result), (200, 66));
    assert_eq!(load_text(&text, &LoadSettings { threads: 3, ..settings.clone() }).0, one);
    // Games with the same moves are always in the same set.
    assert_eq!(one.training.len() + one.validation.len(), 2 * 134);
    let (none, _) = load_text(&text, &LoadSettings { validation_share: 0.0, ..settings.clone() });
    let (all, _) = load_text(&text, &LoadSettings { validation_share: 1.0, ..settings });
    assert!(none.validation.is_empty() && all.training.is_empty());
}

#[test]
fn files_without_positions_are_refused() {
    let mut silent = |_: &dyn Display| {};
    let missing = Path::new("/nowhere/at/all");
    let error = load(missing, &LoadSettings::default(), &mut silent).unwrap_err();
    assert!(error.to_string().starts_with("/nowhere/at/all: "), "{error}");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "Dear Sir,\n").unwrap();
    assert!(matches!(load(file.path(), &LoadSettings::default(), &mut silent), Err(LoadError::Unknown { .. })));
}
