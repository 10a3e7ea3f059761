//! Tests that damaged files never stop or hang the reader or exhaust the memory.

use chuhe::notation::Dialect;
use chuhe::notation::format::Format;
use chuhe::notation::game::{Game, MAX_TEXT};
use chuhe::notation::openings::read_epd;
use chuhe::position::Strictness;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cbr_encoder;
use crate::samples::{random_games, read, written};
use crate::xqf_encoder::{Secret, encode, tree};

/// Every game that is read must be valid, whatever the file contains.
fn check(format: Format, bytes: &[u8]) {
    for game in format.games(bytes, Strictness::Strict).flatten() {
        let text: usize = game.nodes.iter().map(|played| played.comment.len()).sum();
        assert!(text + game.comment.len() <= 4 * bytes.len());
        // Illegal moves would fail here in a debug build.
        assert_eq!(game.end().history().len(), game.main_line().len());
        assert!(game.is_valid() && game.nodes.len() <= bytes.len());
    }
}

fn files() -> Vec<(Format, Vec<u8>)> {
    let games = random_games(11, 6);
    let mut files = Vec::new();
    for format in Format::written() {
        for dialect in [Dialect::Coordinate, Dialect::Chinese, Dialect::Wxf] {
            // XQF cannot hold Black to move without a move.
            let is_held = |game: &&Game| format != Format::Xqf || !game.nodes.is_empty();
            let games: Vec<Game> = games.iter().filter(is_held).cloned().collect();
            files.push((format, written(format, &games, dialect)));
        }
    }
    for version in [10, 18] {
        let game = Game { tags: Vec::new(), ..games[0].clone() };
        let secret = Secret { version, bytes: [7; 13] };
        files.push((Format::Xqf, encode(&game, tree(&game).as_deref(), &secret)));
    }
    let records: Vec<Vec<u8>> = games.iter().map(|game| cbr_encoder::encode(game, tree(game).as_deref())).collect();
    files.push((Format::Cbr, records[0].clone()));
    files.push((Format::Cbr, cbr_encoder::library(&records, 128)[..].to_vec()));
    let page = "[DhtmlXQ]\n[DhtmlXQ_binit]0919293949596979891777062646668600102030405060708012720323436383[/DhtmlXQ_binit]\n\
                [DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist][DhtmlXQ_comment1]x||y[/DhtmlXQ_comment1]\n[/DhtmlXQ]\n";
    files.push((Format::DhtmlXq, page.repeat(3).into_bytes()));
    files
}

#[test]
fn truncated_and_changed_files_are_read_as_far_as_possible() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for (format, file) in files() {
        for _ in 0..60 {
            check(format, &file[..random.random_range(0..=file.len())]);
            let mut changed = file.clone();
            for _ in 0..random.random_range(1..20) {
                let place = random.random_range(0..changed.len());
                match random.random_range(0..3) {
                    0 => changed[place] ^= 1 << random.random_range(0..8),
                    1 => changed[place] = random.random(),
                    _ => {
                        changed.remove(place);
                    }
                }
            }
            check(format, &changed);
        }
    }
}

const MARKS: &[u8] = b"[]{}()\";\n\r\t 1.*\\D";

#[test]
fn random_noise_is_not_a_game() {
    let mut random = ChaCha8Rng::seed_from_u64(6);
    for length in [0, 1, 10, 1024, 1032, 20_000] {
        for _ in 0..5 {
            let noise: Vec<u8> = (0..length).map(|_| random.random()).collect();
            let marks: Vec<u8> = (0..length).map(|_| MARKS[random.random_range(0..MARKS.len())]).collect();
            for format in Format::ALL {
                check(format, &noise);
                check(format, &marks);
                check(format, &[b"XQ\x12", noise.as_slice()].concat());
                check(format, &[b"CCBridgeLibrary\0", noise.as_slice()].concat());
                check(format, &[b"CCBridge Record\0", noise.as_slice()].concat());
            }
            assert!(read_epd(noise.as_slice(), Strictness::Strict).all(|record| record.is_err()));
        }
    }
}

/// Repeats a text beyond the size limit of a game, for which a part of it suffices where each repetition is an item.
fn much(text: &str) -> Vec<u8> {
    let bytes = if text.ends_with([' ', ',']) { MAX_TEXT / 4 } else { 2 * MAX_TEXT };
    text.repeat(bytes / text.len() + 1).into_bytes()
}

#[test]
fn oversized_games_are_refused_and_the_next_one_is_read() {
    let next = b"\n[Event \"next\"]\n\n1. h2e2 *\n";
    for flood in ["{", "(", "a ", "x", "[a \"b\"]\n", "[a \"b", "h2e2 ", "{a\nb", "{a}", "1. ", "1.", "$1 "] {
        let games = read(Format::Pgn, &[much(flood), next.to_vec()].concat());
        let error = games[0].as_ref().err().unwrap_or_else(|| panic!("{flood}")).to_string();
        assert!(error.starts_with("line "), "{flood}: {error}");
        assert!(games.last().unwrap().as_ref().is_ok_and(|game| game.tag("Event") == Some("next")), "{flood}");
        assert_eq!(games.len(), 2, "{flood}");
    }
    for flood in ["{", "(", "a ", "x", "h2e2 ", "h2e2,", "{a}", "2. ", "2.", "$1 ", "startpos h2e2 x h2e2 "] {
        let games = read(Format::MoveList, &[much(flood), next.to_vec()].concat());
        assert!(games[0].as_ref().is_err_and(|error| error.to_string().starts_with("line ")), "{flood}");
        assert!(games.last().unwrap().as_ref().is_ok_and(|game| game.tag("Event") == Some("next")), "{flood}");
    }
    let lap = "h2e2 h7e7 e2h2 e7h7 ";
    let long = format!("*\t\t{}\n*\t\th2e2\n", lap.repeat(3_000));
    let games = read(Format::Moves, long.as_bytes());
    assert!(games[0].as_ref().unwrap_err().to_string().contains("plies") && games[1].is_ok());
    for flood in ["[DhtmlXQ]", "[DhtmlXQ_a]", "[DhtmlXQ_", "[DhtmlXQ]\n[DhtmlXQ_a]\nb", "[/DhtmlXQ]", "[[[[", "7747"] {
        let page = [b"[DhtmlXQ_movelist]".to_vec(), much(flood)].concat();
        check(Format::DhtmlXq, &page);
    }
    for flood in ["*\n", "1-0 1. ", "\t", "x\n", "\r"] {
        let text = flood.repeat((MAX_TEXT / 16) / flood.len());
        Format::ALL.into_iter().for_each(|format| check(format, text.as_bytes()));
    }
}

#[test]
fn a_game_has_a_limited_number_of_tags() {
    let tags = |count: usize| (0..count).map(|number| format!("[Tag{number} \"x\"]\n\n")).collect::<String>();
    let games = |count| read(Format::Pgn, format!("{}1. h2e2 *\n", tags(count)).as_bytes());
    assert_eq!(games(1_000)[0].as_ref().unwrap().nodes.len(), 1);
    assert!(games(1_001)[0].as_ref().unwrap_err().to_string().contains("tags in a game"));
    // A flood of them is not compared with all before.
    assert!(games(100_000)[0].as_ref().unwrap_err().to_string().contains("tags in a game"));
}
