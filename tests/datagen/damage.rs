//! Damage to a game file costs only the games it touches.

use chuhe::lab::datagen::{GameReader, GameRecord, RecordError};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::self_play::{file_of, random_games};

/// The games that can be read, and the faults.
fn read(file: &[u8]) -> (Vec<GameRecord>, Vec<RecordError>) {
    let (mut games, mut faults) = (Vec::new(), Vec::new());
    let Ok(reader) = GameReader::new(file) else { return (games, faults) };
    for record in reader {
        match record {
            Ok(game) => games.push(game),
            Err(fault) => faults.push(fault),
        }
        assert!(games.len() + faults.len() <= file.len() + 1, "reading comes to an end");
    }
    (games, faults)
}

/// Returns the offsets of the end of the header and of each record.
fn ends(games: &[GameRecord]) -> Vec<usize> {
    (0..=games.len()).map(|count| file_of(&games[..count]).len()).collect()
}

#[test]
fn a_file_that_ends_anywhere_keeps_the_games_before() {
    let games = random_games(11, 6);
    let (file, ends) = (file_of(&games), ends(&games));
    for length in ends[0]..file.len() {
        let (found, faults) = read(&file[..length]);
        let whole = ends.iter().filter(|&&end| end <= length).count() - 1;
        assert_eq!(found, games[..whole], "{length} bytes");
        match faults.as_slice() {
            [] => assert!(ends.contains(&length)),
            [fault] => {
                let (record, offset, bytes) = (whole + 1, ends[whole], length - ends[whole]);
                let end = format!("the last {bytes} bytes of the file hold no game");
                let expected = format!("record {record} at byte {offset} is damaged or cut off: {end}");
                assert_eq!(fault.to_string(), expected);
            }
            other => panic!("{length} bytes: {other:?}"),
        }
    }
}

#[test]
fn a_changed_byte_costs_the_game_in_which_it_is() {
    let games = random_games(12, 8);
    let (file, ends) = (file_of(&games), ends(&games));
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    for place in ends[0]..file.len() {
        let mut damaged = file.clone();
        damaged[place] ^= rng.random_range(1..=255_u8);
        let hit = ends.iter().filter(|&&end| end <= place).count() - 1;
        let (found, faults) = read(&damaged);
        let expected: Vec<&GameRecord> =
            games.iter().enumerate().filter(|&(index, _)| index != hit).map(|(_, game)| game).collect();
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "byte {place}");
        let [fault] = faults.as_slice() else { panic!("byte {place}: {faults:?}") };
        let told = fault.to_string();
        assert!(told.contains(&format!("record {} at byte {}", hit + 1, ends[hit])), "{told}");
    }
}

#[test]
fn a_damaged_header_costs_no_game() {
    let games = random_games(14, 3);
    let (file, ends) = (file_of(&games), ends(&games));
    for place in 10..ends[0] {
        let mut damaged = file.clone();
        damaged[place] ^= 0x55;
        let reader = GameReader::new(damaged.as_slice()).unwrap();
        assert!(reader.settings().is_none());
        let (found, faults) = read(&damaged);
        assert_eq!((found.len(), faults.len()), (3, 1), "byte {place}: {faults:?}");
    }
    for place in 0..10 {
        let mut other = file.clone();
        other[place] ^= 0x55;
        assert!(GameReader::new(other.as_slice()).is_err(), "byte {place}");
    }
}

#[test]
fn bytes_that_go_or_come_cost_only_the_games_they_touch() {
    let games = random_games(15, 10);
    let (file, ends) = (file_of(&games), ends(&games));
    let mut rng = ChaCha8Rng::seed_from_u64(16);
    for _ in 0..300 {
        let from = rng.random_range(ends[0]..file.len());
        let to = rng.random_range(from..=(from + 700).min(file.len()));
        let noise: Vec<u8> = (0..rng.random_range(0..300)).map(|_| rng.random()).collect();
        let damaged = [&file[..from], &noise, &file[to..]].concat();
        let untouched: Vec<&GameRecord> = (0..games.len())
            .filter(|&index| ends[index + 1] <= from || ends[index] >= to)
            .map(|index| &games[index])
            .collect();
        assert_eq!(read(&damaged).0.iter().collect::<Vec<_>>(), untouched, "{from}..{to}");
    }
}

#[test]
fn no_bytes_confuse_the_reader() {
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    let header = file_of(&[]);
    for _ in 0..300 {
        let length = rng.random_range(0..2_000);
        // Markers and lengths in plenty, since those are what misleads.
        let alphabet: Vec<u8> = if rng.random() { (0..=255).collect() } else { vec![0xC3, 0x58, 0, 1, 2, 0xFF] };
        let noise: Vec<u8> = (0..length).map(|_| alphabet[rng.random_range(0..alphabet.len())]).collect();
        read(&noise);
        let (games, faults) = read(&[header.as_slice(), &noise].concat());
        assert_eq!((games.len(), faults.len()), (0, usize::from(length > 0)), "{faults:?}");
    }
    // Lengths that promise far more than there is.
    for length in [0x0001_0000_u32, 0x7FFF_FFFF, u32::MAX] {
        let file = [&header[..10], &length.to_le_bytes(), b"{}"].concat();
        assert!(GameReader::new(file.as_slice()).unwrap().settings().is_none());
        assert_eq!(read(&file).1.len(), 1);
    }
}

/// Bytes that end in an error of the system.
struct Failing<'a>(&'a [u8]);

impl std::io::Read for Failing<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(bytes)? {
            0 => Err(std::io::ErrorKind::TimedOut.into()),
            count => Ok(count),
        }
    }
}

#[test]
fn an_error_of_the_system_is_no_damage() {
    let games = random_games(5, 3);
    let one = file_of(&games);
    // Longer than what is read for the header.
    let mut file = one.clone();
    while file.len() < 1 << 18 {
        file.extend_from_slice(&one[file_of(&[]).len()..]);
    }
    let cut = file.len() - 1;
    let read: Vec<_> = GameReader::new(Failing(&file[..cut])).unwrap().collect();
    let errors: Vec<&RecordError> = read.iter().filter_map(|record| record.as_ref().err()).collect();
    let [RecordError::Unreadable(error)] = errors[..] else { panic!("{errors:?}") };
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    // The same bytes at the end of a file.
    let (_, errors) = self::read(&file[..cut]);
    assert!(matches!(errors[..], [RecordError::Damaged { .. }]), "{errors:?}");
}

#[test]
fn invalid_content_with_a_valid_checksum_is_reported() {
    let games = random_games(18, 40);
    let mut rng = ChaCha8Rng::seed_from_u64(19);
    for game in &games {
        let mut bytes = game.bytes().unwrap();
        let place = rng.random_range(4..bytes.len() - 4);
        bytes[place] = rng.random();
        // The checksum is right: whoever wrote this meant it.
        let end = bytes.len() - 4;
        let sum = crc32fast::hash(&bytes[2..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        let file = [file_of(&[]), bytes.clone(), games[0].bytes().unwrap()].concat();
        let (found, faults) = read(&file);
        assert_eq!(found.last(), Some(&games[0]));
        // What is read all the same is written in the same bytes: nothing was guessed.
        match found.len() {
            2 => assert_eq!(found[0].bytes().unwrap(), bytes),
            _ => assert!(faults[0].to_string().starts_with("record 1 at byte "), "{faults:?}"),
        }
    }
}
