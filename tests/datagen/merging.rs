//! Merging files from several machines loses nothing, and everything missing, duplicated or damaged is reported.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use chuhe::lab::datagen::{
    GameFile, GameReader, GameRecord, GameSource, GameWriter, Merge, MergeStats, MissingGames, RelabelSource,
    Relabelling, ScoredMove, SearchSettings, Settings, Warning, run,
};
use chuhe::notation::openings::Opening;
use chuhe::types::Move;
use chuhe::util::cancel::CancelFlag;
use chuhe::util::shard::Shard;
use tempfile::TempDir;

use crate::common::self_play::random_games;
use crate::playing::{games_of, small};

/// A file of these games, in a folder.
fn write(folder: &TempDir, name: &str, shard: &str, games: &[GameRecord]) -> PathBuf {
    let path = folder.path().join(name);
    let settings = Settings { shard: shard.parse().unwrap(), ..small() };
    let mut writer = GameWriter::new(fs::File::create(&path).unwrap(), &settings.to_json()).unwrap();
    games.iter().for_each(|game| writer.write(game).unwrap());
    path
}

/// This many different games with the numbers from 0 on.
fn numbered(seed: u64, count: usize) -> Vec<GameRecord> {
    let games = random_games(seed, count).into_iter().enumerate();
    games.map(|(number, game)| GameRecord { number: number as u64, ..game }).collect()
}

/// Those of a shard.
fn of_shard(shard: &str, games: &[GameRecord]) -> Vec<GameRecord> {
    let shard: Shard = shard.parse().unwrap();
    games.iter().filter(|game| shard.has(game.number)).cloned().collect()
}

fn words(warning: &Warning) -> String {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    match warning {
        Warning::Fault(path, error) => format!("{}: {error}", name(path)),
        Warning::Repeated { shard, path, first } => format!("{}: {shard} again, as {}", name(path), name(first)),
        Warning::Conflict { number, path, first } => format!("{}: game {number}, not {}", name(path), name(first)),
    }
}

/// Warnings about the merged files, and the games as they are written.
struct Joined {
    warnings: Vec<String>,
    merge: Merge,
    written: MergeStats,
    games: Vec<GameRecord>,
}

fn join(paths: &[PathBuf]) -> Joined {
    let mut warnings = Vec::new();
    let mut on_warning = |warning: Warning| warnings.push(words(&warning));
    let merge = Merge::read(paths, &CancelFlag::default(), &mut on_warning, &mut |_| {}).unwrap();
    let mut file = Vec::new();
    let written = merge.write(&mut file, &CancelFlag::default(), &mut |_| {}).unwrap();
    let games = GameReader::new(file.as_slice()).unwrap().map(Result::unwrap).collect();
    Joined { warnings, merge, written, games }
}

fn missing_games(paths: &[PathBuf], games: Option<u64>) -> MissingGames {
    join(paths).merge.missing(games)
}

#[test]
fn what_is_no_file_of_games_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(&folder, "1", "1/1", &numbered(34, 6));
    let mut bytes = fs::read(&file).unwrap();
    bytes[20] ^= 4;
    let damaged = folder.path().join("2");
    fs::write(&damaged, &bytes).unwrap();
    let folder = folder.path().to_owned();
    for (other, part) in [(damaged, "2: its header"), (folder.join("3"), "3: "), (folder, "not a regular file")] {
        let refused = Merge::read(&[file.clone(), other], &CancelFlag::default(), &mut |_| {}, &mut |_| {});
        assert!(refused.unwrap_err().to_string().contains(part), "{part}");
    }
}

#[test]
fn missing_and_incomplete_shards_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let games = numbered(31, 20);
    let file = |shard: &str, left_out: &[u64]| {
        let mut own = of_shard(shard, &games);
        own.retain(|game| !left_out.contains(&game.number));
        write(&folder, &shard.replace('/', "-"), shard, &own)
    };
    let shards = |missing: &MissingGames| -> Vec<String> { missing.lost.iter().map(Shard::to_string).collect() };
    let whole = ["1/4", "2/4", "3/4", "4/4"].map(|shard| file(shard, &[]));
    assert_eq!(missing_games(&whole, None), MissingGames { expected: 20, ..MissingGames::default() });
    assert_eq!(missing_games(&whole, Some(20)), missing_games(&whole, None));
    // A shard that never came.
    let missing = missing_games(&[whole[0].clone(), whole[1].clone(), whole[3].clone()], Some(20));
    assert_eq!((shards(&missing), missing.lost_count, missing.count), (vec!["3/4".to_owned()], 1, 5));
    assert_eq!(missing.runs, [2..=2, 6..=6, 10..=10, 14..=14, 18..=18]);
    assert!(missing.incomplete.is_empty() && !missing.is_empty());
    // Games that a shard lacks, in the middle and at the end, where only --games or the other shards tell.
    let lacking = [file("1/4", &[]), file("2/4", &[5, 17]), file("3/4", &[18]), file("4/4", &[19])];
    let incomplete = |missing: &MissingGames| -> Vec<(String, u64, u64)> {
        missing.incomplete.iter().map(|one| (one.shard.to_string(), one.games, one.missing)).collect()
    };
    let missing = missing_games(&lacking, Some(20));
    let expected = [("2/4".to_owned(), 5, 2), ("3/4".to_owned(), 5, 1), ("4/4".to_owned(), 5, 1)];
    assert_eq!((incomplete(&missing), missing.count), (expected.to_vec(), 4));
    assert_eq!(missing.runs, [5..=5, 17..=19]);
    let missing = missing_games(&lacking, None);
    assert_eq!((missing.expected, missing.count, missing.runs), (17, 1, vec![5..=5]));
    // More games than anybody played, and fewer.
    let missing = missing_games(&whole[..1], Some(u64::MAX));
    assert_eq!((missing.lost_count, missing.count), (3, u64::MAX - 5));
    assert!(missing_games(&whole[..1], Some(1)).is_empty());
    // Shards that never had a game are not lost.
    let few = [write(&folder, "few", "1/1000000000000", &games[..1])];
    assert!(missing_games(&few, Some(1)).is_empty());
    let missing = missing_games(&few, Some(1_000_000));
    assert_eq!((missing.lost.len(), missing.lost_count), (10, 999_999));
    // Where shards are mixed, the games tell.
    let mixed = [write(&folder, "half", "1/2", &of_shard("1/2", &games)), file("2/4", &[]), file("4/4", &[])];
    assert!(missing_games(&mixed, Some(20)).is_empty());
    let missing = missing_games(&mixed[..2], Some(20));
    assert_eq!((missing.lost_count, missing.count), (0, 5));
}

#[test]
fn duplicates_are_written_once_and_conflicts_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let games = numbered(32, 12);
    let mut other = of_shard("2/2", &games);
    other[1].moves.iter_mut().for_each(|played| played.score = 7);
    let parts = [
        write(&folder, "a", "1/2", &of_shard("1/2", &games)),
        write(&folder, "b", "2/2", &of_shard("2/2", &games)),
        write(&folder, "c", "2/2", &other),
    ];
    let joined = join(&parts);
    assert_eq!(joined.warnings, ["c: 2/2 again, as b", "c: game 3, not b"]);
    assert_eq!(joined.games, games);
    let merge = &joined.merge;
    assert_eq!((merge.games(), merge.duplicates, merge.conflicts), (12, 5, 1));
    assert!(merge.missing(Some(12)).is_empty());
    let counts: Vec<(String, u64)> = merge.parts.iter().map(|part| (part.shard.to_string(), part.games)).collect();
    assert_eq!(counts, [("1/2".to_owned(), 6), ("2/2".to_owned(), 6), ("2/2".to_owned(), 6)]);
    // The file that is named first has its way.
    let joined = join(&[parts[0].clone(), parts[2].clone(), parts[1].clone()]);
    assert_eq!(joined.warnings, ["b: 2/2 again, as c", "b: game 3, not c"]);
    assert_eq!(joined.games[3], other[1]);
    // The same moves under other numbers, with other scores.
    let mut same = games.clone();
    same[9] = GameRecord { number: 9, ..games[4].clone() };
    same[9].moves.iter_mut().for_each(|played| played.score += 1);
    same[11] = GameRecord { number: 11, ..games[4].clone() };
    let joined = join(&[write(&folder, "same", "1/1", &same)]);
    assert_eq!(joined.written, MergeStats { games: 10, same_moves: 2 });
    assert_eq!(joined.games.iter().map(|game| game.number).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 10]);
    assert!(joined.merge.missing(Some(12)).is_empty(), "they were played");
}

#[test]
fn more_games_than_are_kept_in_memory_come_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    // Different games of three plies, in no order.
    let mut lines = vec![Vec::new()];
    for _ in 0..3 {
        let longer = |line: &Vec<Move>| -> Vec<Vec<Move>> {
            let position = Opening { moves: line.clone(), ..Opening::default() }.position();
            position.legal_moves().iter().map(|&mv| [line.as_slice(), &[mv]].concat()).collect()
        };
        lines = lines.iter().take(250).flat_map(longer).collect();
    }
    let game = |index: usize| {
        let number = index as u64 * 7_001 % 9_001;
        let moves = vec![ScoredMove { mv: lines[index][2], score: 1 }];
        let opening = Opening { moves: lines[index][..2].to_vec(), ..Opening::default() };
        GameRecord { number, opening, moves, ..random_games(33, 1)[0].clone() }
    };
    let games: Vec<GameRecord> = (0..9_001).map(game).collect();
    let paths = ["1/3", "2/3", "3/3"].map(|shard| write(&folder, &shard[..1], shard, &of_shard(shard, &games)));
    let joined = join(&paths);
    assert_eq!(joined.written, MergeStats { games: 9_001, same_moves: 0 });
    assert!(joined.games.iter().map(|game| game.number).eq(0..9_001));
    assert_eq!(joined.games[7_001], games[1]);
}

#[test]
fn a_file_that_changes_during_the_merge_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, "a", "1/1", &numbered(35, 6));
    let paths = [path.clone()];
    let merge = Merge::read(&paths, &CancelFlag::default(), &mut |_| {}, &mut |_| {}).unwrap();
    for games in [numbered(36, 6), numbered(35, 3)] {
        write(&folder, "a", "1/1", &games);
        let error = merge.write(&mut Vec::new(), &CancelFlag::default(), &mut |_| {}).unwrap_err().to_string();
        assert!(error.ends_with("it changed while it was read"), "{error}");
    }
    let cancel = CancelFlag::default();
    cancel.cancel();
    assert_eq!(Merge::read(&paths, &cancel, &mut |_| {}, &mut |_| {}).unwrap_err().to_string(), "interrupted");
}

#[test]
fn one_gap_in_the_source_is_not_taken_for_a_lost_game() {
    let folder = tempfile::tempdir().unwrap();
    let mut games: Vec<GameRecord> = numbered(38, 8);
    games.iter_mut().for_each(|game| game.moves.truncate(2));
    games.remove(5);
    let source = write(&folder, "gap", "1/1", &games);
    let source = RelabelSource::read(&source, &mut |fault| panic!("{fault}")).unwrap();
    let settings = serde_json::json!({ "relabel": source.origin(), "shard": "1/1" }).to_string();
    let path = folder.path().join("rescored.bin");
    let mut writer = GameWriter::new(fs::File::create(&path).unwrap(), &settings).unwrap();
    // Without the last one the numbers 0 to 6 would hold as many games as the source, were there no gap.
    games[..6].iter().for_each(|game| writer.write(game).unwrap());
    let missing = missing_games(&[path], None);
    assert_eq!((missing.expected, missing.count), (7, 1));
    assert!(missing.runs.is_empty() && missing.incomplete.is_empty(), "{missing:?}");
}

#[test]
fn the_source_gives_the_number_of_rescored_games() {
    let folder = tempfile::tempdir().unwrap();
    // Chosen from more, so that the numbers have gaps.
    let mut games: Vec<GameRecord> = numbered(37, 9);
    games.iter_mut().for_each(|game| {
        game.number = game.number * 3 + 2;
        game.moves.truncate(3);
    });
    let source = write(&folder, "source", "1/1", &games);
    let relabelled = |shard: &str| {
        let source = RelabelSource::read(&source, &mut |fault| panic!("{fault}")).unwrap();
        let search_settings = SearchSettings {
            nodes: 50,
            hard_nodes: 500,
            hash: 1,
            rules: source.rules().unwrap(),
            knowledge: Default::default(),
            network: None,
        };
        let work = Relabelling::new(source, &search_settings, shard.parse().unwrap(), NonZeroUsize::MIN);
        let path = folder.path().join(shard.replace('/', "-"));
        let (mut file, _) = GameFile::open(&path, &work.settings()).unwrap();
        run(&work, &mut file, &CancelFlag::default(), &mut |_| {}).unwrap();
        (path, work)
    };
    let [(first, _), (second, _)] = ["1/2", "2/2"].map(relabelled);
    let (whole, work) = relabelled("1/1");
    let joined = join(&[first.clone(), second]);
    assert_eq!(joined.games, games_of(&whole).into_values().collect::<Vec<_>>());
    assert!(joined.merge.missing(None).is_empty());
    let missing = missing_games(&[first], None);
    assert_eq!((missing.expected, missing.lost_count, missing.lost[0].to_string()), (9, 1, "2/2".to_owned()));
    assert!(missing.count >= 4 && missing.runs.is_empty(), "{missing:?}");
    // A game that is lost leaves numbers that could belong to any shard, the last one too.
    for lost in [0, 8] {
        let kept: Vec<GameRecord> =
            joined.games.iter().enumerate().filter(|(at, _)| *at != lost).map(|(_, game)| game.clone()).collect();
        let path = folder.path().join("lost.bin");
        let mut writer = GameWriter::new(fs::File::create(&path).unwrap(), &work.settings()).unwrap();
        kept.iter().for_each(|game| writer.write(game).unwrap());
        let missing = missing_games(&[path], None);
        assert_eq!((missing.expected, missing.count, missing.runs.len(), missing.incomplete.len()), (9, 1, 0, 0));
    }
    // Gone on with as one file.
    let path = folder.path().join("joined.bin");
    let mut out = fs::File::create(&path).unwrap();
    joined.merge.write(&mut out, &CancelFlag::default(), &mut |_| {}).unwrap();
    let (file, _) = GameFile::open(&path, &work.settings()).unwrap();
    assert_eq!(work.missing(file.numbers()), 0);
}
