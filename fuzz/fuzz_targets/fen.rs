//! Positions: whatever is read can be written, read again and played on.
#![no_main]

use chuhe::position::{Position, Strictness, perft, perft_by_making};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for strictness in [Strictness::Strict, Strictness::Lax] {
        let Ok(parsed) = Position::parse_fen(text, strictness) else { continue };
        let mut position = parsed.position;
        let written = position.to_string();
        let again = Position::parse_fen(&written, strictness).expect("what is written can be read").position;
        assert_eq!(again.to_string(), written);
        assert_eq!(again.key(), position.key());
        let moves = position.legal_moves();
        assert_eq!(perft(&mut position, 1), moves.len() as u64);
        assert_eq!(perft(&mut position, 2), perft_by_making(&mut position, 2));
        assert_eq!(position.to_string(), written, "moves are taken back");
        assert!(moves.iter().all(|&mv| position.can_play(mv)));
        assert_eq!(position.has_legal_move(), !moves.is_empty());
    }
});
