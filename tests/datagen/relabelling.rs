//! Rescored games keep everything but their scores, which are those of fresh searches.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use chuhe::engine::Engine;
use chuhe::eval::network::Network;
use chuhe::lab::datagen::NamedNetwork;
use chuhe::lab::datagen::text::TextReader;
use chuhe::lab::datagen::{
    GameFile, GameReader, GameRecord, GameWriter, Plan, RelabelSource, Relabelling, SearchSettings, Settings, run,
};
use chuhe::position::Position;
use chuhe::rules::RuleSet;
use chuhe::search::Limits;
use chuhe::util::cancel::CancelFlag;
use chuhe::util::shard::Shard;

use crate::common::self_play::{file_of, random_games};
use crate::playing::{games_of, play, small};

/// Searches that take no time, other than those by which the games here are played.
fn search_settings() -> SearchSettings {
    SearchSettings {
        nodes: 300,
        hard_nodes: 2_500,
        hash: 1,
        rules: RuleSet::default(),
        knowledge: Default::default(),
        network: None,
    }
}

/// A file of these games.
fn written(folder: &Path, games: impl IntoIterator<Item = GameRecord>) -> std::path::PathBuf {
    let path = folder.join("source.bin");
    let mut writer = GameWriter::new(std::fs::File::create(&path).unwrap(), &small().to_json()).unwrap();
    games.into_iter().for_each(|game| writer.write(&game).unwrap());
    path
}

fn relabelling(source: &Path, shard: &str, threads: usize) -> Relabelling {
    let source = RelabelSource::read(source, &mut |fault| panic!("{fault}")).unwrap();
    Relabelling::new(source, &search_settings(), shard.parse().unwrap(), NonZeroUsize::new(threads).unwrap())
}

/// Rescored games by number.
fn relabelled(work: &Relabelling) -> BTreeMap<u64, GameRecord> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("relabelled.bin");
    relabel_into(&path, work);
    games_of(&path)
}

fn relabel_into(path: &Path, work: &Relabelling) -> u64 {
    let (mut file, _) = GameFile::open(path, &work.settings.to_json()).unwrap();
    run(work, &mut file, &CancelFlag::default(), &mut |_| {}).unwrap().games
}

/// The scores of a game as an engine of its own gives them that has played nothing before. `shown` is what it is shown
/// of the position before each move.
fn scores(game: &GameRecord, shown: impl Fn(&Position) -> Position) -> Vec<i32> {
    let mut engine = Engine::with_hash(1).unwrap();
    let limits = Limits { soft_nodes: Some(300), nodes: Some(2_500), ..Limits::default() };
    let mut position = game.opening.start.clone();
    game.opening.moves.iter().for_each(|&mv| position.make(mv));
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
    let plan =
        Plan { settings: small(), openings: Default::default(), games: 6, threads: NonZeroUsize::new(2).unwrap() };
    let games = play(&plan);
    let source = written(folder.path(), games.values().cloned());
    let rescored = relabelled(&relabelling(&source, "1/1", 2));
    assert_eq!(rescored.len(), 6);
    let mut changed = 0;
    for (number, game) in &rescored {
        let expected = scores(game, Position::clone);
        let found: Vec<i32> = game.moves.iter().map(|played| played.score).collect();
        assert_eq!(found, expected, "game {number}");
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
    let text = "5\t*\t4k4/9/9/9/9/9/9/9/4A4/3AK3R w\t\t\n".to_owned();
    let moves = ["i0i1", "e9e8", "i1i0", "e8e9"].iter().cycle().take(11).map(|mv| format!("{mv}/0"));
    let text = text.replace("\t\t\n", &format!("\t{}\tunknown\n", moves.collect::<Vec<_>>().join(" ")));
    let game = TextReader::new(text.as_bytes(), Default::default()).unwrap().next().unwrap().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let source = written(folder.path(), [game.clone()]);
    let found: Vec<i32> = relabelled(&relabelling(&source, "1/1", 1))[&5].moves.iter().map(|m| m.score).collect();
    assert_eq!(found, scores(&game, Position::clone));
    assert_ne!(found, scores(&game, |position| position.with_recent_history(0)), "it makes a difference here");
}

#[test]
fn games_that_are_appended_after_the_scan_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut games = random_games(25, 6);
    (0..).zip(&mut games).for_each(|(number, game)| {
        game.number = number;
        game.moves.truncate(4);
    });
    let source = written(folder.path(), games[..4].iter().cloned());
    let work = relabelling(&source, "1/1", 1);
    std::fs::write(&source, file_of(&games)).unwrap();
    assert_eq!(relabelled(&work).into_keys().collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn damage_is_reported_and_the_rest_is_rescored() {
    let folder = tempfile::tempdir().unwrap();
    let mut games = random_games(23, 5);
    games.iter_mut().for_each(|game| game.moves.truncate(4));
    games[3].number = games[0].number;
    let mut file = file_of(&games);
    let end = file_of(&games[..1]).len();
    file[end + 9] ^= 0x10;
    // The first bytes of the settings, too.
    file[20] ^= 0x10;
    file.extend_from_slice(&[0xC3, 0x58, 0x09]);
    let path = folder.path().join("damaged.bin");
    std::fs::write(&path, file).unwrap();
    let mut faults = Vec::new();
    let source = RelabelSource::read(&path, &mut |fault| faults.push(fault.to_string())).unwrap();
    let words = ["record 1 at byte 8 is damaged", "record 3 ", "game 0 occurs twice", "cut off: the last 3 bytes"];
    assert_eq!(faults.len(), words.len(), "{faults:#?}");
    words.iter().zip(&faults).for_each(|(word, fault)| assert!(fault.contains(word), "{fault}"));
    assert_eq!((source.origin().games, source.origin().settings.is_null(), source.rules()), (3, true, None));
    let work = Relabelling::new(source, &search_settings(), Shard::default(), NonZeroUsize::MIN);
    let found = relabelled(&work);
    let mut expected = vec![games[0].number, games[2].number, games[4].number];
    expected.sort_unstable();
    assert_eq!(found.keys().copied().collect::<Vec<u64>>(), expected);
    assert_eq!(found[&games[0].number].opening, games[0].opening, "the first of two is taken");
}

#[test]
fn the_source_checksum_is_independent_of_the_order() {
    let folder = tempfile::tempdir().unwrap();
    let games = random_games(24, 8);
    let origin = |games: Vec<GameRecord>| {
        let path = written(folder.path(), games);
        RelabelSource::read(&path, &mut |fault| panic!("{fault}")).unwrap().origin().clone()
    };
    let expected = origin(games.clone());
    assert_eq!((expected.games, &expected.settings["nodes"]), (8, &200.into()));
    assert_eq!(origin(games.iter().rev().cloned().collect()), expected);
    let mut other = games.clone();
    other[2].number = 99;
    assert_ne!(origin(other), expected);
    assert_ne!(origin(games[1..].to_vec()), expected);
}

/// Proves that the settings of earlier programs are read, and that they can read those of this one.
#[test]
fn settings_in_files_are_stable() {
    let text = "{\"program\":\"P\",\"seed\":9001,\"shard\":\"1/1\",\"nodes\":200,\"hard-nodes\":2000,\"hash\":2,\
                \"random-plies\":8,\"balance\":300,\"openings\":null,\"win-score\":1500,\"win-plies\":4,\
                \"draw-score\":null,\"draw-plies\":20,\"draw-from\":80,\"most-plies\":400,\"rules\":\"computer\"}";
    let settings =
        Settings { program: "P".to_owned(), seed: 9001, nodes: 200, hard_nodes: 2000, hash: 2, ..Settings::default() };
    assert_eq!(settings.to_json(), text);
    assert_eq!(serde_json::from_str::<Settings>(text).unwrap(), settings);
    let mut file = Vec::new();
    GameWriter::new(&mut file, text).unwrap();
    assert_eq!(GameReader::new(file.as_slice()).unwrap().header().unwrap().settings, text);
}

#[test]
fn other_networks_are_named_by_checksum() {
    let own = Network::embedded();
    let mut numbers = own.raw_weights();
    numbers.output_biases[4] += 10_000_000;
    let changed = Arc::new(Network::new(&numbers, own.note()).unwrap());
    let settings =
        |network: &Arc<Network>| Settings { evalfile: NamedNetwork::unless_embedded(Arc::clone(network)), ..small() };
    let told = |now: &Settings, earlier: &Settings| now.difference(&earlier.to_json()).unwrap().to_string();
    // The checksum of a file is what it ends with.
    let checksum = |network: &Network| {
        let bytes = network.to_bytes();
        format!("{:08x}", u32::from_le_bytes(bytes[bytes.len() - 4..].try_into().unwrap()))
    };
    assert_eq!(settings(&own), small(), "the embedded network is not named");
    let expected = format!("--evalfile is not given there and {} now", checksum(&changed));
    assert_eq!(told(&settings(&changed), &small()), expected);
    numbers.output_biases[4] += 10_000_000;
    let third = Arc::new(Network::new(&numbers, own.note()).unwrap());
    let expected = format!("--evalfile is {} there and {} now", checksum(&changed), checksum(&third));
    assert_eq!(told(&settings(&third), &settings(&changed)), expected);
    let plan = |settings| Plan { settings, openings: Default::default(), games: 2, threads: NonZeroUsize::MIN };
    let usual = play(&plan(small()));
    assert_ne!(play(&plan(settings(&changed))), usual);
    let folder = tempfile::tempdir().unwrap();
    let source =
        RelabelSource::read(&written(folder.path(), random_games(25, 1)), &mut |fault| panic!("{fault}")).unwrap();
    let search_settings =
        SearchSettings { network: NamedNetwork::unless_embedded(Arc::clone(&changed)), ..search_settings() };
    let work = Relabelling::new(source, &search_settings, Shard::default(), NonZeroUsize::MIN);
    assert!(work.settings.to_json().contains(&format!("\"evalfile\":\"{}\"", checksum(&changed))));
    // Settings that were read back name a network and have none: no other one plays in silence.
    let read: Settings = serde_json::from_str(&settings(&changed).to_json()).unwrap();
    assert_eq!(read, settings(&changed));
    let (mut file, _) = GameFile::open(&folder.path().join("games.bin"), &read.to_json()).unwrap();
    let error = run(&plan(read), &mut file, &CancelFlag::default(), &mut |_| {}).unwrap_err().to_string();
    assert_eq!(error, format!("network {} is not loaded; name its file with --evalfile", checksum(&changed)));
}
