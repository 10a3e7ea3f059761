//! Rescored games keep everything but their scores, which are those of fresh searches.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chuhe::engine::Engine;
use chuhe::eval::network::Network;
use chuhe::lab::datagen::{
    GameFile, GameReader, GameRecord, GameSource, Plan, Relabelling, SearchSettings, Settings, difference, run,
    unless_embedded,
};
use chuhe::position::Position;
use chuhe::search::Limits;
use chuhe::util::cancel::CancelFlag;
use chuhe::util::shard::Shard;

use crate::common::self_play::{file_of, file_with, random_games};
use crate::playing::{games_of, play, small};

fn written(folder: &Path, games: &[GameRecord]) -> PathBuf {
    let path = folder.join("source.txt");
    std::fs::write(&path, file_with(&small().to_json(), games)).unwrap();
    path
}

/// Searches that take no time, other than those by which the games here are played.
fn relabelling(source: &Path, threads: usize) -> Relabelling {
    let search = SearchSettings { nodes: 300, hash: 1, ..SearchSettings::default() };
    Relabelling::read(source, search, Shard::default(), NonZeroUsize::new(threads).unwrap()).unwrap()
}

fn relabelled(work: &Relabelling) -> BTreeMap<u64, GameRecord> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("relabelled.txt");
    let mut file = GameFile::open(&path, &work.settings(), "").unwrap();
    run(work, &mut file, &CancelFlag::default(), &mut || ()).unwrap();
    games_of(&path)
}

/// The scores of a game as an engine of its own gives them that has played nothing before. `shown` is what it is shown
/// of the position before each move.
fn scores(game: &GameRecord, shown: impl Fn(&Position) -> Position) -> Vec<i32> {
    let mut engine = Engine::with_hash(1).unwrap();
    let limits = Limits { soft_nodes: Some(300), nodes: Some(3_000), ..Limits::default() };
    let mut position = game.opening.position();
    let score = |played: &chuhe::lab::datagen::ScoredMove| {
        engine.set_position(shown(&position));
        position.make(played.mv);
        engine.search(&limits, &mut ()).unwrap().score
    };
    game.moves.iter().map(score).collect()
}

#[test]
fn scores_are_what_a_fresh_engine_says_and_nothing_else_changes() {
    let folder = tempfile::tempdir().unwrap();
    let threads = NonZeroUsize::new(2).unwrap();
    let games = play(&Plan { settings: small(), openings: Default::default(), games: 6, threads });
    let source = written(folder.path(), &games.values().cloned().collect::<Vec<_>>());
    let rescored = relabelled(&relabelling(&source, 2));
    assert_eq!(rescored.len(), 6);
    let mut changed = 0;
    for (number, game) in &rescored {
        let found: Vec<i32> = game.moves.iter().map(|played| played.score).collect();
        assert_eq!(found, scores(game, Position::clone), "game {number}");
        let before = &games[number];
        changed += game.moves.iter().zip(&before.moves).filter(|(now, before)| now.score != before.score).count();
        let mut back = game.clone();
        back.moves.iter_mut().zip(&before.moves).for_each(|(now, before)| now.score = before.score);
        assert_eq!(&back, before, "game {number}");
    }
    assert!(changed > 50, "other searches, other scores: {changed}");
}

#[test]
fn rescoring_uses_the_history_of_the_game() {
    // The rook goes to and fro: what occurred before is a draw the next time.
    let moves = ["i0i1", "e9e8", "i1i0", "e8e9"].iter().cycle().take(11).map(|mv| format!("{mv}/0"));
    let moves = moves.collect::<Vec<_>>().join(" ");
    let text = format!("#settings {{}}\n5\t*\t4k4/9/9/9/9/9/9/9/4A4/3AK3R w\t{moves}\n");
    let game = GameReader::new(Path::new("game"), text.as_bytes()).unwrap().next().unwrap().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let source = written(folder.path(), std::slice::from_ref(&game));
    let found: Vec<i32> = relabelled(&relabelling(&source, 1))[&5].moves.iter().map(|m| m.score).collect();
    assert_eq!(found, scores(&game, Position::clone));
    assert_ne!(found, scores(&game, |position| position.with_recent_history(0)), "it makes a difference here");
}

#[test]
fn damage_costs_its_game_and_appended_games_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut games = random_games(23, 6);
    games.iter_mut().for_each(|game| game.moves.truncate(4));
    games[3].number = games[0].number;
    let mut file = file_of(&games[..5]);
    file[file_of(&games[..1]).len() + 9] ^= 0x10;
    // The first bytes of the settings, too.
    file[20] ^= 0x10;
    file.extend_from_slice(b"9\t1-0");
    let path = folder.path().join("damaged.txt");
    std::fs::write(&path, file).unwrap();
    let work = relabelling(&path, 1);
    assert_eq!((work.origin.games, work.origin.settings.is_null()), (3, true));
    std::fs::write(&path, file_of(&games)).unwrap();
    let found = relabelled(&work);
    let mut expected = [0, 2, 4].map(|index: usize| games[index].number);
    expected.sort_unstable();
    assert_eq!(found.keys().copied().collect::<Vec<u64>>(), expected);
    assert_eq!(found[&games[0].number].opening, games[0].opening, "the first of two is taken");
}

#[test]
fn the_source_checksum_is_independent_of_the_order() {
    let folder = tempfile::tempdir().unwrap();
    let games = random_games(24, 8);
    let origin = |games: &[GameRecord]| relabelling(&written(folder.path(), games), 1).origin;
    let expected = origin(&games);
    assert_eq!((expected.games, &expected.settings["nodes"]), (8, &200.into()));
    assert_eq!(origin(&games.iter().rev().cloned().collect::<Vec<_>>()), expected);
    let mut other = games.clone();
    other[2].number = 99;
    assert_ne!(origin(&other), expected);
    assert_ne!(origin(&games[1..]), expected);
}

#[test]
fn other_networks_are_named_by_checksum() {
    let own = Network::embedded();
    let mut numbers = own.raw_weights();
    numbers.output_biases[4] += 10_000_000;
    let changed = Arc::new(Network::new(&numbers, own.note()).unwrap());
    // The checksum of a file is what it ends with.
    let checksum = u32::from_le_bytes(*changed.to_bytes().last_chunk().unwrap());
    let settings = |network| {
        let search = SearchSettings { network: unless_embedded(network), ..small().search };
        Settings { search, ..small() }
    };
    assert_eq!(settings(own), small(), "the embedded network is not named");
    let expected = format!("--evalfile is not given there and {checksum:08x} now");
    assert_eq!(difference(&settings(changed).to_json(), &small().to_json()), Some(expected));
}
