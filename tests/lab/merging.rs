//! Merging files from several machines loses nothing, and everything missing, duplicated or in conflict is counted.

use std::fs::{self, File};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use chuhe::lab::datagen::{
    GameFile, GameReader, GameRecord, GameSource, Merge, Missing, Relabelling, SearchSettings, Settings, run,
};
use chuhe::util::cancel::CancelFlag;
use chuhe::util::shard::Shard;
use tempfile::TempDir;

use crate::common::self_play::{file_with, random_games};
use crate::playing::{games_of, small};

/// A file of those of these games that belong to a shard, in a folder.
fn part(folder: &TempDir, name: &str, shard: &str, games: &[GameRecord]) -> PathBuf {
    let path = folder.path().join(name);
    let shard: Shard = shard.parse().unwrap();
    let own: Vec<GameRecord> = games.iter().filter(|game| shard.has(game.number)).cloned().collect();
    fs::write(&path, file_with(&Settings { shard, ..small() }.to_json(), &own)).unwrap();
    path
}

/// This many different games with the numbers from 0 on.
fn numbered(seed: u64, count: usize) -> Vec<GameRecord> {
    let games = random_games(seed, count).into_iter().enumerate();
    games.map(|(number, game)| GameRecord { number: number as u64, ..game }).collect()
}

/// The games of the merged files as they are written, and the numbers of those written and left out.
fn join(paths: &[PathBuf]) -> (Merge, Vec<GameRecord>, [u64; 2]) {
    let (merge, mut file) = (Merge::read(paths).unwrap(), Vec::new());
    let counts = merge.write(&mut file).unwrap();
    let games = GameReader::new(Path::new("merged"), &file[..]).unwrap().map(Result::unwrap).collect();
    (merge, games, counts)
}

/// Numbers of games expected and missing, and what is said about them.
fn missing(paths: &[PathBuf], games: Option<u64>) -> (u64, u64, String) {
    let Missing { expected, count, lines } = Merge::read(paths).unwrap().missing(games);
    (expected, count, lines.join("; "))
}

#[test]
fn what_is_no_file_of_games_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = part(&folder, "1", "1/1", &numbered(34, 6));
    let mut bytes = fs::read(&file).unwrap();
    bytes[20] ^= 4;
    let damaged = folder.path().join("2");
    fs::write(&damaged, &bytes).unwrap();
    for (other, part) in [(damaged, "2: its header"), (folder.path().join("3"), "3: ")] {
        assert!(Merge::read(&[file.clone(), other]).unwrap_err().to_string().contains(part), "{part}");
    }
}

#[test]
fn missing_and_incomplete_shards_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let games = numbered(31, 20);
    let file = |shard: &str, left_out: &[u64]| {
        let mut own = games.clone();
        own.retain(|game| !left_out.contains(&game.number));
        part(&folder, &shard.replace('/', "-"), shard, &own)
    };
    let whole = ["1/4", "2/4", "3/4", "4/4"].map(|shard| file(shard, &[]));
    for expected in [None, Some(20)] {
        assert_eq!(missing(&whole, expected), (20, 0, String::new()));
    }
    // A shard that never came.
    let found = missing(&[whole[0].clone(), whole[1].clone(), whole[3].clone()], Some(20));
    let words = "shard 3/4 is missing: no file of it; missing games: 2, 6, 10, 14, 18";
    assert_eq!(found, (20, 5, words.to_owned()));
    // More games than anybody played, and fewer.
    let (expected, count, words) = missing(&whole[..1], Some(u64::MAX));
    assert_eq!((expected, count), (u64::MAX, u64::MAX - 5));
    assert!(words.ends_with(&format!("13-15, 17-{}", u64::MAX - 1)), "{words}");
    assert_eq!(missing(&whole[..1], Some(1)), (1, 0, String::new()));
    // Games that a shard lacks, in the middle and at the end, where only --games or the other shards tell.
    let lacking = [file("1/4", &[]), file("2/4", &[5, 17]), file("3/4", &[18]), file("4/4", &[19])];
    let (_, count, words) = missing(&lacking, Some(20));
    let incomplete = |shard, count| format!("shard {shard} is incomplete: {count} of 5 games missing; ");
    let expected = [incomplete("2/4", 2), incomplete("3/4", 1), incomplete("4/4", 1)].concat();
    assert_eq!((count, words), (4, expected + "missing games: 5, 17-19"));
    let (expected, count, words) = missing(&lacking, None);
    assert_eq!((expected, count), (17, 1));
    assert!(words.ends_with("missing games: 5"), "{words}");
    // Shards that never had a game are not lost, and of many only some are named.
    let few = [part(&folder, "few", "1/1000000000000", &games[..1])];
    assert_eq!(missing(&few, Some(1)).1, 0);
    let (_, count, words) = missing(&few, Some(1_000_000));
    assert_eq!((count, words.matches("no file of it").count()), (999_999, 10));
    assert!(words.contains("further shards lack games"), "{words}");
    // Where shards are mixed, the games tell.
    let mixed = [part(&folder, "half", "1/2", &games), file("2/4", &[]), file("4/4", &[])];
    assert_eq!(missing(&mixed, Some(20)), (20, 0, String::new()));
    assert_eq!(missing(&mixed[..2], Some(20)), (20, 5, "missing games: 3, 7, 11, 15, 19".to_owned()));
}

#[test]
fn duplicates_are_written_once_and_conflicts_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let games = numbered(32, 12);
    let mut other = games.clone();
    other[3].moves.iter_mut().for_each(|played| played.score = 7);
    // In no order.
    other.reverse();
    let parts =
        [part(&folder, "a", "1/2", &games), part(&folder, "b", "2/2", &games), part(&folder, "c", "2/2", &other)];
    let (merge, found, _) = join(&parts);
    assert_eq!((found, merge.duplicates, merge.conflicts), (games.clone(), 5, 1));
    assert!(merge.missing(Some(12)).is_empty());
    // The file that is named first has its way.
    let (_, found, _) = join(&[parts[0].clone(), parts[2].clone(), parts[1].clone()]);
    assert_eq!(found[3], other[8]);
    // The same moves under other numbers, with other scores.
    let mut same = games.clone();
    same[9] = GameRecord { number: 9, ..games[4].clone() };
    same[9].moves.iter_mut().for_each(|played| played.score += 1);
    same[11] = GameRecord { number: 11, ..games[4].clone() };
    let (merge, found, counts) = join(&[part(&folder, "same", "1/1", &same)]);
    assert_eq!(counts, [10, 2]);
    assert_eq!(found.iter().map(|game| game.number).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 10]);
    assert!(merge.missing(Some(12)).is_empty(), "they were played");
}

#[test]
fn the_source_gives_the_number_of_rescored_games() {
    let folder = tempfile::tempdir().unwrap();
    // Chosen from more, so that the numbers have gaps.
    let mut games = numbered(37, 9);
    games.iter_mut().for_each(|game| {
        game.number = game.number * 3 + 2;
        game.moves.truncate(3);
    });
    let source = part(&folder, "source", "1/1", &games);
    let search = SearchSettings { nodes: 50, hash: 1, ..SearchSettings::default() };
    let relabelled = |shard: &str| {
        let work = Relabelling::read(&source, search.clone(), shard.parse().unwrap(), NonZeroUsize::MIN).unwrap();
        let path = folder.path().join(shard.replace('/', "-"));
        let mut file = GameFile::open(&path, &work.settings(), "").unwrap();
        run(&work, &mut file, &CancelFlag::default(), &mut || ()).unwrap();
        (path, work)
    };
    let [(first, _), (second, _), (whole, work)] = ["1/2", "2/2", "1/1"].map(relabelled);
    let (merge, found, _) = join(&[first.clone(), second]);
    assert_eq!(found, games_of(&whole).into_values().collect::<Vec<_>>());
    assert!(merge.missing(None).is_empty());
    let (expected, count, words) = missing(&[first], None);
    assert_eq!((expected, words.as_str()), (9, "shard 2/2 is missing: no file of it"));
    assert!(count >= 4, "{count}");
    // A game that is lost leaves numbers that could belong to any shard, the last one too.
    let path = folder.path().join("lost.txt");
    for lost in [0, 8] {
        let mut kept = found.clone();
        kept.remove(lost);
        fs::write(&path, file_with(&work.settings(), &kept)).unwrap();
        assert_eq!(missing(std::slice::from_ref(&path), None), (9, 1, String::new()));
    }
    // Gone on with as one file.
    merge.write(&mut File::create(&path).unwrap()).unwrap();
    assert_eq!(work.missing(GameFile::open(&path, &work.settings(), "").unwrap().numbers()), 0);
    // Where one number is missing in the source, the others are not those from 0 on.
    let mut gap = numbered(38, 8);
    gap.remove(5);
    let source = part(&folder, "gap", "1/1", &gap);
    let work = Relabelling::read(&source, search.clone(), Shard::default(), NonZeroUsize::MIN).unwrap();
    fs::write(&path, file_with(&work.settings(), &gap[..6])).unwrap();
    assert_eq!(missing(&[path], None), (7, 1, String::new()));
}
