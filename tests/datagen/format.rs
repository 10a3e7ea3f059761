//! Game files and their text form round-trip, and the binary format matches its description.

use chuhe::lab::datagen::text::{TextReader, settings_line, write_game};
use chuhe::lab::datagen::{EndingKind, GameReader, GameRecord, RecordError, RecordFault, ScoredMove, Settings};
use chuhe::notation::game::GameResult;
use chuhe::notation::openings::Opening;
use chuhe::position::{Position, Strictness};

use crate::common::self_play::{file_of, random_games};

fn read(file: &[u8]) -> Vec<GameRecord> {
    GameReader::new(file).unwrap().map(Result::unwrap).collect()
}

#[test]
fn games_are_read_as_they_were_written() {
    let games = random_games(1, 300);
    let file = file_of(&games);
    assert_eq!(read(&file), games);
    let reader = GameReader::new(file.as_slice()).unwrap();
    assert_eq!(reader.settings(), Some(Settings::default().to_json().as_str()));
}

#[test]
fn the_scored_part_of_a_game_stands_for_itself() {
    for game in random_games(2, 100) {
        let scored = game.clone().into_scored_game();
        assert_eq!((scored.result, &scored.moves), (game.result, &game.moves));
        assert_eq!(scored.start, game.opening.position());
        assert!(scored.start.history().is_empty());
        let mut end = scored.start;
        scored.moves.iter().for_each(|played| end.make(played.mv));
        assert_eq!(end, game.end());
    }
}

/// Written by hand from the description of the format, with the checksums of another implementation (`zlib.crc32`).
#[test]
fn a_file_written_by_hand_is_read() {
    let mut file = b"CHUHEGAM\x01\x00\x02\x00\x00\x00{}".to_vec();
    file.extend_from_slice(&HAND_HEADER_SUM.to_le_bytes());
    // h2e2 is 25 → 22: 90 · 25 + 22 = 2272; h9g7 is 88 → 69: 7989; h0g2 is 7 → 24: 654.
    let content = [0xAC, 0x02, 0x05, 0x00, 0x01, 0xE0, 0x08, 0x35, 0x1F, 0x46, 0x8E, 0x02, 0x13];
    file.extend_from_slice(&[0xC3, 0x58, content.len() as u8, 0]);
    file.extend_from_slice(&content);
    file.extend_from_slice(&HAND_RECORD_SUM.to_le_bytes());
    let game = |text: &str, score| ScoredMove { mv: text.parse().unwrap(), score };
    let expected = GameRecord {
        number: 300,
        opening: Opening { start: Position::start(), moves: vec!["h2e2".parse().unwrap()] },
        // 0x46 = 70 is +35; 0x13 = 19 is −10, and −35 − 10 = −45.
        moves: vec![game("h9g7", 35), game("h0g2", -45)],
        result: GameResult::RedWins,
        ending: EndingKind::Checkmate,
    };
    assert_eq!(read(&file), [expected]);
}

const HAND_HEADER_SUM: u32 = 0xC052_11FA;
const HAND_RECORD_SUM: u32 = 0xCD00_6F10;

#[test]
fn text_round_trips_exactly() {
    let games = random_games(3, 200);
    let settings = Settings::default().to_json();
    let mut text = format!("{}\n", settings_line(&settings)).into_bytes();
    games.iter().for_each(|game| write_game(&mut text, game).unwrap());
    let reader = TextReader::new(text.as_slice(), Strictness::Strict).unwrap();
    assert_eq!(reader.settings(), Some(settings.as_str()));
    let back: Vec<GameRecord> = reader.map(Result::unwrap).collect();
    assert_eq!(back, games);
    assert_eq!(file_of(&back), file_of(&games));
}

#[test]
fn faulty_lines_are_named_and_the_rest_is_read() {
    let text = "7\t1-0\t\th2e2 h9g7/-3\tcheckmate\n\n# a remark\n8\t*\t\th2e2/1 h9g7\n9\t*\t\th2e9/1\n\
                10\t2-0\t\th2e2/1\nx\t*\t\t\n11\t*\th2e2\n12\t*\t9/9\th2e2\n13\t*\t\th2e2/99999\n\
                14\t*\t\th2e2/4\tflood\n16\t*\t\th2e2/-2147483648\n15\t0-1\t3ak4/9/9/9/9/9/9/9/4A4/4K4 b\te9e8/0\n";
    let read: Vec<String> = TextReader::new(text.as_bytes(), Strictness::Strict)
        .unwrap()
        .map(|game| game.map_or_else(|error| error.to_string(), |game| format!("game {}", game.number)))
        .collect();
    let expected = [
        "game 7",
        "line 4: ply 2: 'h9g7' has no score",
        "line 5: ply 1: 'h2e9/1' is not a legal move",
        "line 6: '2-0' is not a result",
        "line 7: 'x' is not the number",
        "line 8: fewer than four columns",
        "line 9: invalid position:",
        "line 10: ply 1: 'h2e2/99999'",
        "line 11: 'flood' is not a kind of ending",
        "line 12: ply 1: 'h2e2/-2147483648'",
        "game 15",
    ];
    assert_eq!(read.len(), expected.len(), "{read:#?}");
    read.iter().zip(expected).for_each(|(read, expected)| assert!(read.starts_with(expected), "{read}"));
}

#[test]
fn a_record_with_an_illegal_move_is_no_game() {
    let mut games = random_games(4, 3);
    let mv = "a0a9".parse().unwrap();
    let moves = vec![ScoredMove { mv, score: 0 }];
    games[1] = GameRecord { opening: Opening::default(), moves, ..games[1].clone() };
    let read: Vec<Result<GameRecord, RecordError>> = GameReader::new(file_of(&games).as_slice()).unwrap().collect();
    assert_eq!(read[0].as_ref().unwrap(), &games[0]);
    assert_eq!(read[2].as_ref().unwrap(), &games[2]);
    let Err(RecordError::Damaged { record: 2, fault, .. }) = &read[1] else { panic!("{:?}", read[1]) };
    assert_eq!(*fault, format!(": {}", RecordFault::Move { ply: 1, mv }));
}

#[test]
fn a_game_that_is_too_long_for_a_record_is_refused() {
    let words = ["b0c2", "b9c7", "c2b0", "c7b9"];
    let moves = words.iter().cycle().take(25_000).map(|text| ScoredMove { mv: text.parse().unwrap(), score: 0 });
    let game = GameRecord { moves: moves.collect(), ..random_games(5, 1)[0].clone() };
    assert_eq!(game.bytes(), Err(RecordFault::TooLong));
}
