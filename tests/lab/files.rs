//! Files of games lose nothing, and damage costs only the games that it touches.

use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;

use chuhe::console::error::CommandError;
use chuhe::lab::datagen::{EndingKind, GameReader, GameRecord, ScoredMove, Settings};
use chuhe::notation::game::GameResult;
use chuhe::notation::openings::Opening;
use chuhe::position::Position;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::self_play::{file_of, random_games};

/// The games that can be read, and the number of damaged lines.
fn read(file: &[u8]) -> (Vec<GameRecord>, u64) {
    let Ok(games) = GameReader::new(Path::new("games"), file) else { return (Vec::new(), 0) };
    let mut games = games.silent();
    let found = games.by_ref().map(Result::unwrap).collect();
    (found, games.damaged_lines())
}

/// Returns the offsets of the end of the header and of each game.
fn ends(games: &[GameRecord]) -> Vec<usize> {
    (0..=games.len()).map(|count| file_of(&games[..count]).len()).collect()
}

#[test]
fn games_are_read_as_they_were_written() {
    let games = random_games(1, 300);
    let file = file_of(&games);
    assert_eq!(read(&file), (games.clone(), 0));
    let settings = Settings::default().to_json();
    assert_eq!(GameReader::new(Path::new("games"), &file[..]).unwrap().settings(), Some(settings.as_str()));
    // Without checksums, with line breaks of Windows.
    let lines = str::from_utf8(&file).unwrap().lines().map(|line| format!("{}\r\n", line.rsplit_once('\t').unwrap().0));
    assert_eq!(read(lines.collect::<String>().as_bytes()), (games, 0));
}

/// Written by hand from the description of the format, with the checksums of another implementation (`zlib.crc32`).
#[test]
fn a_file_written_by_hand_is_read() {
    let file = "#settings {}\t655b117d\n300\t1-0\t\th2e2 h9g7/35 h0g2/-45\tcheckmate\tbb99c747\n";
    let played = |text: &str, score| ScoredMove { mv: text.parse().unwrap(), score };
    let expected = GameRecord {
        number: 300,
        opening: Opening { start: Position::start(), moves: vec!["h2e2".parse().unwrap()] },
        moves: vec![played("h9g7", 35), played("h0g2", -45)],
        result: GameResult::RedWins,
        ending: EndingKind::Checkmate,
    };
    assert_eq!(read(file.as_bytes()), (vec![expected.clone()], 0));
    assert_eq!(expected.to_line(), file.lines().nth(1).unwrap().to_owned() + "\n");
}

#[test]
fn faulty_lines_are_left_out_and_the_rest_is_read() {
    let text = "#settings {}\n7\t1-0\t\th2e2 h9g7/-3\tcheckmate\n\n# a remark\n8\t*\t\th2e2/1 h9g7\n9\t*\t\th2e9/1\n\
                10\t2-0\t\th2e2/1\nx\t*\t\t\n11\t*\th2e2\n12\t*\t9/9\th2e2\n13\t*\t\th2e2/99999\n\
                14\t*\t\th2e2/4\tflood\n16\t*\t\th2e2/-2147483648\n17\t*\t\t\tunknown\t\n\
                15\t0-1\t3ak4/9/9/9/9/9/9/9/4A4/4K4 b\te9e8/0\n";
    let (games, damaged) = read(text.as_bytes());
    assert_eq!((games.iter().map(|game| game.number).collect::<Vec<_>>(), damaged), (vec![7, 15], 10));
}

#[test]
fn a_file_that_ends_anywhere_keeps_the_games_before() {
    let games = random_games(11, 6);
    let (file, ends) = (file_of(&games), ends(&games));
    for length in ends[0]..=file.len() {
        let whole = ends.iter().filter(|&&end| end <= length).count() - 1;
        let expected = (games[..whole].to_vec(), u64::from(!ends.contains(&length)));
        assert_eq!(read(&file[..length]), expected, "{length} bytes");
    }
}

#[test]
fn a_changed_byte_costs_the_game_in_which_it_is() {
    let games = random_games(12, 8);
    let (file, ends) = (file_of(&games), ends(&games));
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    for place in 0..file.len() {
        let mut damaged = file.clone();
        damaged[place] ^= rng.random_range(1..=255_u8);
        let (found, faults) = read(&damaged);
        if place < "#settings ".len() {
            assert!(found.is_empty() && GameReader::new(Path::new("games"), &damaged[..]).is_err());
            continue;
        }
        // A line break stands between two lines.
        let is_break = file[place] == b'\n';
        let lines: Vec<usize> = (0..=games.len())
            .filter(|&line| place < ends[line] && (line == 0 || ends[line - 1] <= place + usize::from(is_break)))
            .collect();
        let kept = (1..=games.len()).filter(|line| !lines.contains(line)).map(|line| games[line - 1].clone());
        assert_eq!(found, kept.collect::<Vec<_>>(), "byte {place}");
        assert!((1..=2).contains(&faults), "byte {place}: {faults}");
        let settings = GameReader::new(Path::new("games"), &damaged[..]).unwrap().settings().map(str::len);
        assert_eq!(settings.is_none(), lines.contains(&0), "byte {place}");
    }
}

#[test]
fn bytes_that_go_or_come_cost_only_the_games_they_touch() {
    let games = random_games(15, 10);
    let (file, ends) = (file_of(&games), ends(&games));
    let mut rng = ChaCha8Rng::seed_from_u64(16);
    for round in 0..300 {
        let from = rng.random_range(ends[0]..file.len());
        let to = rng.random_range(from..=(from + 700).min(file.len()));
        let alphabet: Vec<u8> = if round % 2 == 0 { (0..=255).collect() } else { b"\n\t#/ h2e9-017".to_vec() };
        let noise = (0..rng.random_range(0..300)).map(|_| alphabet[rng.random_range(0..alphabet.len())]);
        let before = [&file[..from], &noise.collect::<Vec<_>>()].concat();
        let is_whole = |index: usize| {
            ends[index + 1] <= from || ends[index] > to || (ends[index] == to && before.ends_with(b"\n"))
        };
        let untouched = (0..games.len()).filter(|&index| is_whole(index)).map(|index| games[index].clone());
        assert_eq!(read(&[&before, &file[to..]].concat()).0, untouched.collect::<Vec<_>>(), "{from}..{to}");
    }
    // A file without an end of a line, and the binary files of earlier versions.
    let long = [b"#settings {}\n", &vec![b'1'; 3 << 20][..]].concat();
    assert_eq!(read(&long), (Vec::new(), 3));
    let error = GameReader::new(Path::new("games"), &b"CHUHEGAM\x01"[..]).err().unwrap().to_string();
    assert!(error.starts_with("games: binary games of an earlier version"), "{error}");
}

#[test]
fn an_error_of_the_system_is_no_damage() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(ErrorKind::TimedOut.into())
        }
    }
    let file = file_of(&random_games(5, 3));
    let input = BufReader::new(file[..file.len() - 1].chain(Failing));
    let read: Vec<_> = GameReader::new(Path::new("games"), input).unwrap().collect();
    assert!(read.len() == 3 && read[..2].iter().all(Result::is_ok));
    assert!(matches!(&read[2], Err(CommandError::File { error, .. }) if error.kind() == ErrorKind::TimedOut));
}
