//! A self-play game depends on its settings and number only.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use chuhe::lab::datagen::{
    GameEvent, GameFile, GameReader, GameRecord, Openings, Plan, RunError, Settings, Summary, run,
};
use chuhe::position::Strictness;
use chuhe::rules::Rules;
use chuhe::util::cancel::CancelFlag;

/// Settings for games that take no time.
pub fn small() -> Settings {
    Settings { nodes: 200, hard_nodes: 2_000, hash: 1, most_plies: 120, win_plies: 2, ..Settings::default() }
}

fn plan(settings: Settings, games: u64, threads: usize) -> Plan {
    Plan { settings, openings: Openings::default(), games, threads: NonZeroUsize::new(threads).unwrap() }
}

fn play_into(path: &Path, plan: &Plan) -> Result<Summary, RunError> {
    let (mut file, _) = GameFile::open(path, &plan.settings.to_json()).unwrap();
    run(plan, &mut file, &CancelFlag::default(), &mut |_| {})
}

/// The games of a file by their numbers; none is there twice.
pub fn games_of(path: &Path) -> BTreeMap<u64, GameRecord> {
    let mut games = BTreeMap::new();
    for record in GameReader::new(std::fs::File::open(path).unwrap()).unwrap() {
        let record = record.unwrap();
        assert_eq!(games.insert(record.number, record), None);
    }
    games
}

pub fn play(plan: &Plan) -> BTreeMap<u64, GameRecord> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.bin");
    play_into(&path, plan).unwrap();
    games_of(&path)
}

#[test]
fn threads_and_shards_play_the_same_games() {
    let expected = play(&plan(small(), 13, 1));
    assert_eq!(expected.keys().copied().collect::<Vec<u64>>(), (0..13).collect::<Vec<u64>>());
    assert_eq!(play(&plan(small(), 13, 2)), expected);
    let mut together = BTreeMap::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let part = play(&plan(Settings { shard: shard.parse().unwrap(), ..small() }, 13, 2));
        assert!(part.len() == 4 || part.len() == 5);
        together.extend(part);
    }
    assert_eq!(together, expected);
    let others = play(&plan(Settings { seed: 2, ..small() }, 13, 2));
    assert!(expected.iter().all(|(number, game)| others[number].opening != game.opening), "another seed, other games");
}

#[test]
fn more_games_are_added_to_those_that_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.bin");
    assert_eq!(play_into(&path, &plan(small(), 3, 2)).unwrap().games, 3);
    assert_eq!(play_into(&path, &plan(small(), 3, 2)).unwrap().games, 0);
    assert_eq!(play_into(&path, &plan(small(), 7, 2)).unwrap().games, 4);
    assert_eq!(play_into(&path, &plan(small(), 2, 2)).unwrap().games, 0);
    assert_eq!(games_of(&path), play(&plan(small(), 7, 1)));
}

#[test]
fn random_openings_follow_the_settings() {
    let settings = Settings { random_plies: 5, balance: 40, ..small() };
    for (number, game) in play(&plan(settings, 12, 2)) {
        assert_eq!(game.opening.moves.len(), 5, "game {number}");
        assert!(!game.opening.position().in_check());
        assert!(game.moves[0].score.abs() <= 40, "game {number}: {:?}", game.moves[0]);
    }
}

#[test]
fn openings_of_a_file_are_played_in_turn_and_not_twice() {
    let text = "h2e2 h9g7\n3ak4/9/9/9/9/9/9/9/4A4/4K3R b - - 7 30\nc3c4\n";
    let openings = Openings::read(text.as_bytes(), Strictness::Strict, Rules::default()).unwrap();
    let settings = Settings { random_plies: 0, openings: openings.name().map(str::to_owned), ..small() };
    let games = play(&Plan { openings: openings.clone(), ..plan(settings.clone(), 3, 2) });
    games.iter().for_each(|(number, game)| assert_eq!(&game.opening, openings.for_game(*number)));
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan { openings: openings.clone(), ..plan(settings.clone(), 4, 2) };
    let error = play_into(&folder.path().join("games.bin"), &plan).unwrap_err();
    assert!(matches!(error, RunError::Repetitive { openings: 3, games: 4 }), "{error}");
    // With random moves behind them there is no end.
    let settings = Settings { random_plies: 2, balance: 9_999, ..settings };
    let games = play(&Plan { settings, ..plan });
    assert_eq!(games[&3].opening.moves[..2], games[&0].opening.moves[..2]);
    assert_ne!(games[&3].opening.moves, games[&0].opening.moves);
}

#[test]
fn unplayable_openings_are_reported() {
    let read = |text: &str| {
        Openings::read(text.as_bytes(), Strictness::Strict, Rules::default()).map_err(|fault| fault.to_string())
    };
    let mated = "R3k4/1R7/9/9/9/9/9/9/9/3K5 b\n";
    let is_over = |lines: &str| Err(format!("the game is over after these lines; leave them out: {lines}"));
    assert_eq!(read(&format!("h2e2\n\n{mated}c3c4\n{mated}")), is_over("3, 5"));
    assert_eq!(read(mated), is_over("1"));
    assert!(read("h2e2\nh2e2 h2e2\n").unwrap_err().starts_with("line 2: ply 2:"));
    assert_eq!(read("# nothing\n"), Err("no opening in the file".to_owned()));
    assert_ne!(read("h2e2\nc3c4\n").unwrap().name(), read("c3c4\nh2e2\n").unwrap().name());
}

#[test]
fn games_without_a_balanced_opening_are_skipped() {
    // Black's king is alone against two rooks.
    let openings =
        Openings::read("4k4/9/9/9/9/9/9/9/4A4/R3K3R w\n".as_bytes(), Strictness::Strict, Rules::default()).unwrap();
    let settings = Settings { random_plies: 1, nodes: 1, hard_nodes: 50, ..small() };
    let plan = Plan { openings, ..plan(settings, 2, 1) };
    let folder = tempfile::tempdir().unwrap();
    let (mut file, _) = GameFile::open(&folder.path().join("games.bin"), &plan.settings.to_json()).unwrap();
    let mut skipped = Vec::new();
    let mut on_event = |done: GameEvent| {
        if let GameEvent::Skipped(number) = done {
            skipped.push(number);
        }
    };
    let summary = run(&plan, &mut file, &CancelFlag::default(), &mut on_event).unwrap();
    assert_eq!((skipped.as_slice(), summary.games, summary.skipped), (&[0, 1][..], 0, 2));
}

#[test]
fn a_cancellation_keeps_the_played_games() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.bin");
    let plan = plan(small(), 40, 2);
    let (mut file, _) = GameFile::open(&path, &plan.settings.to_json()).unwrap();
    let cancel = CancelFlag::default();
    let mut on_event = |_: GameEvent| {
        cancel.cancel();
    };
    let summary = run(&plan, &mut file, &cancel, &mut on_event).unwrap();
    drop(file);
    // The one that asked for it, and those that were in progress or waited to be written.
    assert!((1..40).contains(&summary.games), "{summary:?}");
    assert_eq!(games_of(&path).len() as u64, summary.games);
    play_into(&path, &plan).unwrap();
    assert_eq!(games_of(&path), play(&plan));
}
