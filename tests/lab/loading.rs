//! Tests how positions for tuning are read from lines and games.

use std::path::Path;

use chuhe::lab::tuning::{Example, Label, LoadSettings, PlayedMove, Sets, load_moves, load_positions};
use chuhe::position::Strictness;

const FENS: [&str; 2] = ["3ak4/9/9/9/9/9/9/9/4A4/3RK4 w", "3ak4/9/9/9/9/9/9/9/4A4/3RK4 b"];

fn settings(per_game: usize, from_ply: usize, validation_share: f64) -> LoadSettings {
    let (strictness, cancel) = (Strictness::Strict, Default::default());
    LoadSettings { per_game, from_ply, validation_share, seed: 1, strictness, threads: 1, cancel }
}

fn load_text(text: &str, settings: &LoadSettings) -> Sets<Example> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    load_positions(&[file.path().to_owned()], settings).unwrap()
}

#[test]
fn lines_are_read_for_red_and_bad_ones_are_reported() {
    let [white, black] = FENS;
    let text = format!(
        "# a remark\n{white}\t1-0\t250\n{black}\t0-1\t250\n\n{white}\t1/2-1/2\n{white}\n{white}\t2-0\n{white}\t1-0\tx\n\
         nonsense\t1-0\n{white}\t*\n"
    );
    let positions = load_text(&text, &settings(10, 17, 0.0));
    assert!(positions.validation.is_empty());
    let labels: Vec<Label> = positions.training.iter().map(|example| example.label).collect();
    let label = |result, score| Label { result, score };
    assert_eq!(labels, [label(1.0, Some(250)), label(0.0, Some(-250)), label(0.5, None)]);
    assert_eq!(positions.faults, 5);
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
    let settings = settings(2, 6, 0.5);
    let one = load_text(&text, &settings);
    assert_eq!((one.faults, one.games), (0, 200));
    assert_eq!(load_text(&text, &LoadSettings { threads: 3, ..settings.clone() }), one);
    // Games with the same moves are always in the same set.
    assert_eq!(one.training.len() + one.validation.len(), 2 * 134);
    let none = load_text(&text, &LoadSettings { validation_share: 0.0, ..settings.clone() });
    let all = load_text(&text, &LoadSettings { validation_share: 1.0, ..settings });
    assert!(none.validation.is_empty() && all.training.is_empty());
}

#[test]
fn quiet_positions_of_games_are_taken() {
    let game = "1-0\t\th2e2 h9g7 h0g2 i9h9 h2e2\n1-0\t\th2e2 h9g7 e2e6 g7e6 h0g2\n";
    let positions = load_text(game, &settings(0, 1, 0.0));
    // The first game has an illegal move; of the second the first ply is left out, and two captures with the check.
    assert_eq!((positions.faults, positions.games, positions.training.len()), (1, 1, 2));
    assert!(positions.training.iter().all(|example| example.label == Label { result: 1.0, score: None }));
}

#[test]
fn moves_are_spread_over_the_game_and_whole_games_are_held_out() {
    let games = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/games.tsv"));
    let load = |per_game, from_ply, validation_share| -> Sets<PlayedMove> {
        let found = load_moves(&[games.to_owned()], &settings(per_game, from_ply, validation_share)).unwrap();
        assert_eq!(found.faults, 0);
        found
    };
    let lengths: Vec<usize> = std::fs::read_to_string(games)
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').nth(2).unwrap().split_whitespace().count())
        .collect();
    let all = load(0, 0, 0.0);
    let forced = lengths.iter().sum::<usize>() - all.training.len();
    assert!(forced * 20 < all.training.len(), "{forced} moves without a choice");
    assert!(all.training.iter().all(|played| played.position.can_play(played.mv)));
    assert!(all.training.iter().all(|played| played.position.legal_moves().len() > 1));
    // The position after the opening moves has no history; later ones keep it to the last capture.
    assert!(all.training.iter().all(|played| played.position.history().len() == played.position.reversible_plies()));

    let few = load(4, 20, 0.0);
    let expected = lengths.iter().map(|length| length.saturating_sub(20).min(4));
    assert_eq!(few.training.len(), expected.sum::<usize>());
    assert!(few.training.iter().all(|played| played.position.move_number() > 10));

    let split = load(0, 0, 0.3);
    assert_eq!(split.training.len() + split.validation.len(), all.training.len());
    assert!(!split.training.is_empty() && !split.validation.is_empty());
    assert_eq!((split.games, all.games), (lengths.len(), lengths.len()));
}
