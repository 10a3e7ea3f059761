//! Tests position keys against values that another program computed, and the moves stored under them.

use chuhe::book::BookKey;
use chuhe::position::Position;
use chuhe::types::Move;

fn after(moves: &str) -> Position {
    let mut position = Position::start();
    position.play(moves.split_whitespace()).unwrap();
    position
}

/// Computed by another program from the description above.
#[test]
fn keys_match_the_description() {
    let kings = Position::from_fen("4k4/9/9/9/9/9/9/9/9/3K5 b").unwrap();
    assert_eq!(BookKey::new(&Position::start()).key, 0xE5B5_3780_B6BE_8172);
    assert_eq!(BookKey::new(&after("h2e2")).key, 0x227F_04D6_2DCF_E191);
    assert_eq!(BookKey::new(&kings).key, 0x9795_D23B_C7C9_AC43);
}

#[test]
fn move_conversion_round_trips() {
    for moves in ["h2e2", "b2e2", "h2e2 h9g7", "c3c4 g6g5 h0g2"] {
        let position = after(moves);
        let book_key = BookKey::new(&position);
        let mirrored = BookKey::new(&position.mirrored());
        assert_eq!(book_key.key, mirrored.key);
        for mv in position.legal_moves() {
            assert_eq!(book_key.from_book(book_key.to_book(mv)), mv);
            assert_eq!(book_key.to_book(mv), mirrored.to_book(mv.mirrored()), "both boards store the same move");
        }
    }
}

#[test]
fn on_a_symmetric_board_a_move_equals_its_mirror_image() {
    let book_key = BookKey::new(&Position::start());
    let [left, right] = ["b2e2", "h2e2"].map(|text| text.parse::<Move>().unwrap());
    assert_eq!((book_key.to_book(left), book_key.to_book(right)), (left, left));
    assert_eq!(book_key.from_book(left), left);
}

#[test]
fn the_key_depends_on_the_side_to_move() {
    let fen = "3k5/9/9/9/9/9/9/9/9/4K4";
    let [red, black] = ["w", "b"].map(|side| Position::from_fen(&format!("{fen} {side}")).unwrap());
    assert_ne!(BookKey::new(&red).key, BookKey::new(&black).key);
}
