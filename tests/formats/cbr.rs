//! Tests of the reader of CBR and CBL, the files of 象棋桥.

use chuhe::notation::format::Format;
use chuhe::notation::game::{Game, GameResult};
use chuhe::position::Position;

use crate::cbr_encoder::{encode, library};
use crate::samples::{moves, random_games, read, read_well, side, without_counters};
use crate::xqf_encoder::tree;

fn game() -> Game {
    let tags = [("Title", "四两拨千斤"), ("Event", "杯赛"), ("Red", "胡荣华"), ("Black", "柳大华")];
    let mut nodes = moves(&Position::start(), "h2e2 h9g7 h0g2");
    nodes[1].comment = "屏风马\n".repeat(1_200).trim().to_owned();
    Game {
        tags: tags.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        comment: "开局".to_owned(),
        nodes,
        result: GameResult::RedWins,
        ..Game::default()
    }
}

#[test]
fn games_and_libraries_are_read() {
    let kept = |game: Game| without_counters(game.clone(), side(&game));
    let games: Vec<Game> = random_games(66, 30).into_iter().filter_map(kept).chain([game()]).collect();
    let records: Vec<Vec<u8>> = games.iter().map(|game| encode(game, tree(game).as_deref())).collect();
    for (game, record) in games.iter().zip(&records) {
        assert_eq!(Format::detect(record), Some(Format::Cbr));
        assert_eq!(read_well(Format::Cbr, record), std::slice::from_ref(game));
    }
    assert!(records.iter().any(|record| record.len() > 4096), "a game takes several blocks");
    for slots in [31, 128, 140, 1024] {
        let file = library(&records, slots);
        assert_eq!(Format::detect(&file[..100]), Some(Format::Cbr));
        assert_eq!(read_well(Format::Cbr, &file), games, "{slots}");
    }
    assert!(read(Format::Cbr, &library(&[], 128)).is_empty());
}

#[test]
fn the_side_of_a_diagram_is_that_of_the_record_or_the_valid_one() {
    let start = Position::from_fen("4k4/4R4/9/9/9/9/9/9/9/3K5 b").unwrap();
    let mut file = encode(&Game { start: start.clone(), ..Game::default() }, None);
    for (side, warnings) in [(2, 0), (1, 1)] {
        file[2112] = side;
        let game = read_well(Format::Cbr, &file).remove(0);
        assert_eq!((&game.start, game.warnings.iter().count()), (&start, warnings));
    }
    // Some programs end the moves by zeros.
    file.truncate(2214);
    file.extend([0; 1000]);
    assert_eq!(read_well(Format::Cbr, &file)[0].start, start);
}
