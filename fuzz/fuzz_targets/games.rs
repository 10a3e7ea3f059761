//! Files of games and of positions, in the format that the first byte chooses: reading comes to an end, and what was
//! read is written and read the same. Files of XQStudio and 象棋桥 are templates of which the input is a list of
//! changes.
#![no_main]

#[path = "../../tests/formats/cbr_encoder.rs"]
mod cbr_encoder;
#[path = "../../tests/formats/xqf_encoder.rs"]
#[allow(dead_code)]
mod xqf_encoder;

use std::sync::LazyLock;

use chuhe::notation::Dialect;
use chuhe::notation::format::Format;
use chuhe::notation::game::{Game, GameNode};
use chuhe::notation::openings::read_epd;
use chuhe::position::Strictness;
use chuhe_fuzz::changed;
use libfuzzer_sys::fuzz_target;
use xqf_encoder::{Node, Secret};

const STRICTNESS: Strictness = Strictness::Lax;

/// A game with comments and variations in binary formats: XQF of several versions, CBR, and a library of two.
static TEMPLATES: LazyLock<[(Format, Vec<u8>); 5]> = LazyLock::new(|| {
    let line = |line: &str| {
        let mut game = Game::default();
        line.split(' ').for_each(|word| game.push(word.parse().expect("a move"), word.to_owned()));
        xqf_encoder::tree(&game)
    };
    let mut tree = line("h2e2 h9g7 h0g2 i9h9");
    let root: Option<&mut Box<Node>> = tree.as_mut();
    let root = root.expect("there are moves");
    (root.instead, root.next.as_mut().expect("another move").instead) = (line("c3c4"), line("b9c7 h0i2"));
    let game = Game { tags: vec![("Red".to_owned(), "x".to_owned())], ..Game::default() };
    let xqf = |version, byte| {
        (Format::Xqf, xqf_encoder::encode(&game, tree.as_deref(), &Secret { version, bytes: [byte; 13] }))
    };
    let cbr = cbr_encoder::encode(&game, tree.as_deref());
    let library = cbr_encoder::library(&[cbr.clone(), cbr.clone()], 1);
    [xqf(10, 0), xqf(11, 3), xqf(18, 7), (Format::Cbr, cbr), (Format::Cbr, library)]
});

fn examine_games(format: Format, bytes: &[u8]) {
    for game in format.games(bytes, STRICTNESS) {
        let game = match game {
            Ok(game) => game,
            Err(error) => {
                drop(error.to_string());
                continue;
            }
        };
        assert!(game.is_valid());
        for format in Format::written() {
            examine_tree(format, &game);
        }
        for dialect in Dialect::ALL {
            let mut written = Vec::new();
            Format::Pgn.write(&mut written, &game, dialect).expect("memory can be written");
            let again: Vec<_> = Format::Pgn.games(&written[..], STRICTNESS).collect();
            let [Ok(again)] = &again[..] else { panic!("{again:?} from {}", String::from_utf8_lossy(&written)) };
            assert_eq!(again.line(), game.line(), "{}", String::from_utf8_lossy(&written));
            assert_eq!(again.start.to_string(), game.start.to_string());
        }
    }
}

/// Writes a tree and reads it again.
fn examine_tree(format: Format, tree: &Game) {
    let mut written = Vec::new();
    if let Err(error) = format.write(&mut written, tree, Dialect::Wxf) {
        assert!(format == Format::Xqf || format == Format::DhtmlXq, "{error}");
        return;
    }
    let again: Vec<_> = format.games(&written[..], STRICTNESS).collect();
    let text = || format!("{format:?}: {}", String::from_utf8_lossy(&written));
    let [Ok(again)] = &again[..] else { panic!("{again:?} from {}", text()) };
    let moves = |nodes: &[GameNode]| -> Vec<_> { nodes.iter().map(|node| (node.parent, node.mv)).collect() };
    let expected = if format == Format::Moves { tree.clone().without_variations() } else { tree.clone() };
    assert_eq!(moves(&again.nodes), moves(&expected.nodes), "{}", text());
    // Without a move, an XQF file has Red to move; counters it never has.
    if format != Format::Xqf {
        assert_eq!(again.start.to_string(), tree.start.to_string(), "{}", text());
    }
}

fn examine_positions(bytes: &[u8]) {
    for record in read_epd(bytes, STRICTNESS) {
        match record {
            Ok(record) => {
                let mut moves = record.best_moves.iter().chain(&record.avoided_moves);
                assert!(moves.all(|&mv| record.position.can_play(mv)));
            }
            Err(error) => drop(error.to_string()),
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else { return };
    match choice {
        b'P' => examine_games(Format::Pgn, rest),
        b'L' => examine_games(Format::Moves, rest),
        b'D' => examine_games(Format::DhtmlXq, rest),
        b'E' => examine_positions(rest),
        _ => {
            let (format, template) = &TEMPLATES[usize::from(choice) % TEMPLATES.len()];
            examine_games(*format, &changed(template, rest));
        }
    }
});
