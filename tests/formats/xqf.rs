//! Tests of the XQF reader: plain and obfuscated versions, and variations.

use chuhe::notation::Dialect;
use chuhe::notation::format::Format;
use chuhe::notation::game::Game;
use chuhe::position::Position;
use chuhe::types::Side;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::samples::{moves, random_games, read_well, side, without_counters, written};
use crate::xqf_encoder::{Secret, encode, tree};

fn without_long_tags(mut game: Game) -> Game {
    game.tags.retain(|(name, _)| name == "Event" || name == "Red");
    game
}

#[test]
fn plain_and_obfuscated_files_are_read() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for version in [1, 10, 11, 12, 15, 18, 255] {
        for game in random_games(u64::from(version), 20) {
            let game = without_long_tags(game);
            // Without moves Red is to move, which is invalid in some positions.
            let first = if game.nodes.is_empty() { 'w' } else { side(&game) };
            let Some(kept) = without_counters(game.clone(), first) else { continue };
            let secret = Secret { version, bytes: std::array::from_fn(|_| random.random()) };
            let root = tree(&game);
            let file = encode(&game, root.as_deref(), &secret);
            assert_eq!(read_well(Format::Xqf, &file), [kept], "version {version}");
            assert_eq!(Format::detect(&file), if version < 0x20 { Some(Format::Xqf) } else { None });
        }
    }
}

#[test]
fn the_side_to_move_is_that_of_the_first_move_or_of_the_header() {
    let written = |game: &Game| written(Format::Xqf, std::slice::from_ref(game), Dialect::Coordinate);
    let game = |fen: &str| Game { start: Position::from_fen(fen).unwrap(), ..Game::default() };
    let side = |file: &[u8]| read_well(Format::Xqf, file)[0].start.side();
    // Without moves Black may even be in check.
    let black = written(&game("3ak4/9/9/9/9/9/9/9/4A4/3K4R b"));
    assert_eq!((black[0x32], side(&black)), (1, Side::Black));
    assert_eq!(side(&written(&game("4k4/4R4/9/9/9/9/9/9/9/3K5 b"))), Side::Black);
    assert_eq!(side(&written(&game("3ak4/9/9/9/9/9/9/9/4A4/3K4R w"))), Side::Red);
    // Programs that do not know the byte write 0.
    let black = game("3ak4/9/9/9/9/9/9/9/4A4/3K4R b");
    let moved = Game { nodes: moves(&black.start, "e9f9"), ..black };
    let mut file = written(&moved);
    assert_eq!(read_well(Format::Xqf, &file), [moved]);
    file[0x32] = 0;
    assert_eq!(side(&file), Side::Black);
}

#[test]
fn a_diagram_with_the_wrong_side_takes_the_valid_one() {
    // Red gives check, so it is Black's turn, whatever the header says.
    let game = Game { start: Position::from_fen("4k4/4R4/9/9/9/9/9/9/9/3K5 b").unwrap(), ..Game::default() };
    let file = encode(&game, None, &Secret { version: 10, bytes: [0; 13] });
    let read = read_well(Format::Xqf, &file).remove(0);
    assert_eq!(read.start, game.start);
    let squares: [&str; 32] = std::array::from_fn(|piece| match piece {
        0 => "41",
        4 => "39",
        20 => "40",
        _ => "99",
    });
    let page = format!("[DhtmlXQ][DhtmlXQ_binit]{}[/DhtmlXQ_binit][/DhtmlXQ]", squares.concat());
    let other = read_well(Format::DhtmlXq, page.as_bytes()).remove(0);
    let expected = "Red cannot be to move in this position; it is read with Black to move";
    for (warnings, place) in [(&read.warnings, "byte 50"), (&other.warnings, "line 1")] {
        let texts: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!((texts, warnings.has_losses()), (vec![format!("{place}: {expected}")], false));
    }
    assert_eq!(other.start.side(), Side::Black);
}
