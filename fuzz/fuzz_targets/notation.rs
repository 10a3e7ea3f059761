//! Moves as people write them: what is read is legal, and what is written is read again, alone and in lists.
#![no_main]

use chuhe::notation::format::Format;
use chuhe::notation::{self, Dialect};
use chuhe::position::{Position, Strictness};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (fen, text) = text.split_once('\n').unwrap_or(("", text));
    let position = match Position::parse_fen(fen, Strictness::Lax) {
        Ok(parsed) => parsed.position,
        Err(_) => Position::start(),
    };
    match notation::read(&position, text) {
        Ok(mv) => assert!(position.can_play(mv), "{text} is {mv} in {position}"),
        Err(error) => drop(error.to_string()),
    }
    // The whole text as a list: every game that is read is legal, and the list comes to an end.
    let _ = Format::detect(text.as_bytes());
    for game in Format::MoveList.games(text.as_bytes(), Strictness::Lax) {
        match game {
            Ok(game) => {
                let mut position = game.start.clone();
                for mv in game.line() {
                    assert!(position.can_play(mv), "{mv} in {position}");
                    position.make(mv);
                }
            }
            Err(error) => drop(error.to_string()),
        }
    }
    for mv in position.legal_moves() {
        for dialect in Dialect::ALL {
            let written = notation::write(&position, mv, dialect);
            assert_eq!(notation::read_in(&position, &written, dialect).as_ref(), Ok(&mv), "{written} of {position}");
        }
    }
});
