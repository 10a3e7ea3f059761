//! Files of games: reading comes to an end, and a game that was read is written and read the same.
#![no_main]

use std::io::Cursor;

use chuhe::notation::Dialect;
use chuhe::notation::format::Format;
use chuhe::position::Strictness;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for game in Format::Pgn.games(Cursor::new(bytes), Strictness::Lax) {
        let game = match game {
            Ok(game) => game,
            Err(error) => {
                drop(error.to_string());
                continue;
            }
        };
        for dialect in Dialect::ALL {
            let mut written = Vec::new();
            Format::Pgn.write(&mut written, &game, dialect).expect("memory can be written");
            let again: Vec<_> = Format::Pgn.games(Cursor::new(&written), Strictness::Lax).collect();
            let [Ok(again)] = &again[..] else { panic!("{again:?} from {}", String::from_utf8_lossy(&written)) };
            let moves = |moves: &[chuhe::notation::game::GameMove]| -> Vec<_> { moves.iter().map(|m| m.mv).collect() };
            assert_eq!(moves(&again.moves), moves(&game.moves), "{}", String::from_utf8_lossy(&written));
            assert_eq!(again.start.to_string(), game.start.to_string());
        }
    }
    for tree in Format::Pgn.trees(Cursor::new(bytes), Strictness::Lax).flatten() {
        assert!(tree.is_valid());
        let mut written = Vec::new();
        Format::Pgn.write_tree(&mut written, &tree, Dialect::Wxf).expect("memory can be written");
        let again: Vec<_> = Format::Pgn.trees(Cursor::new(&written), Strictness::Lax).collect();
        let [Ok(again)] = &again[..] else { panic!("{again:?} from {}", String::from_utf8_lossy(&written)) };
        assert_eq!(again.nodes.len(), tree.nodes.len(), "{}", String::from_utf8_lossy(&written));
    }
});
