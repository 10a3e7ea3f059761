//! Error messages for texts that are not moves.

use chuhe::notation::{Dialect, NotationFault, read, read_in, write};
use chuhe::position::Position;
use chuhe::types::{Move, Square};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::boards::{Material, crowded};

#[test]
fn a_text_that_is_no_move_is_explained_with_the_closest_moves() {
    const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
    const ROOKS: &str = "3k5/9/9/9/2R6/9/9/9/2R6/4K4 w";
    const PAWNS: &str = "3k5/9/4P4/4P4/4P4/9/9/9/9/4K4 w";
    const PINNED: &str = "3k5/9/9/9/9/4r4/9/9/4R4/4K4 w";
    const EXPOSED: &str = "here: Red's king could be captured after e1d1; closest legal move";
    const MATED: &str = "R3k4/1R7/9/9/9/9/9/9/9/3K5 b";
    for (fen, texts, reason) in [
        (PAWNS, "兵五平四", "ambiguous: it could mean 后兵平四 (e5f5), 中兵平四 (e6f6) or 前兵平四 (e7f7)"),
        (ROOKS, "R7.6", "ambiguous: it could mean R-.6 (c1d1) or R+.6 (c5d5)"),
        (START, "车一平五", "not a legal move here; closest legal move: 车一进一 (i0i1)"),
        (START, "h2e9", "not a legal move here; closest legal move: h2e2"),
        (START, "H2-E9", "not a legal move here; closest legal move: H2-E2 (h2e2)"),
        (START, "C3=5", "not a legal move here; closest legal move: C8=5 (b2e2)"),
        (START, "炮二平十", "not a legal move here; closest legal move: 炮二平七 (h2c2)"),
        // More than half of these texts would have to change.
        (START, "|hello|炮|前|a0|z9z9|0|马马马马|O-O|xyzzy", "not a legal move here"),
        (PINNED, "e1d1", &format!("not a legal move {EXPOSED}: e1e2")),
        (PINNED, "车五平六", &format!("not a legal move {EXPOSED}: 车五进一 (e1e2)")),
        (PINNED, "R5.6", &format!("not a legal move {EXPOSED}: R5+1 (e1e2)")),
        (MATED, "e9e8|将5进1|K5+1|xyzzy", "not a legal move here: the game is over, Black has no legal move"),
    ] {
        let position = Position::from_fen(fen).unwrap();
        for text in texts.split('|') {
            assert_eq!(read(&position, text).unwrap_err().to_string(), format!("'{text}' is {reason}"));
        }
    }
    let error = read(&Position::from_fen(ROOKS).unwrap(), "R7.6").unwrap_err();
    assert_eq!((error.fault, error.candidates.len()), (NotationFault::Ambiguous, 2));
    let error = read(&Position::start(), "h2e9").unwrap_err();
    let names: Vec<String> = error.candidates.iter().map(|(mv, _)| mv.to_string()).collect();
    assert_eq!((error.fault, names), (NotationFault::NoSuchMove, vec!["h2e2".to_owned(), "h2h9".to_owned()]));
}

#[test]
fn a_long_text_is_truncated() {
    let error = read(&Position::start(), &"车".repeat(1_000_000)).unwrap_err();
    assert_eq!(error.text.chars().count(), 40);
    assert!(error.to_string().len() < 400);
    assert!(read(&Position::start(), "h2e2h2e2").is_err() && read(&Position::start(), "炮二平五五").is_err());
}

#[test]
fn garbage_is_refused() {
    const SIGNS: &str = "前中后後一二三四五六七八九１２３９帅將仕相象马馬车炮包兵卒进退平上下＋－．＝ＣＨKABENHRCPaeh123456789+-.=- \u{3000}é💥\0";
    let signs: Vec<char> = SIGNS.chars().collect();
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut positions = crowded(8, 30, Material::OfAGame);
    positions.extend(crowded(9, 30, Material::OfAProblem));
    positions.retain(Position::has_legal_move);
    let (mut moves, mut refused) = (0, 0);
    for position in &positions {
        for _ in 0..150 {
            let any = |random: &mut ChaCha8Rng| char::from_u32(random.random_range(0..0x11_0000)).unwrap_or('\u{FFFD}');
            let one_of_the_signs = |random: &mut ChaCha8Rng| *signs.choose(random).unwrap();
            let length = random.random_range(0..7);
            let text: String = match random.random_range(0..3) {
                0 => (0..length).map(|_| any(&mut random)).collect(),
                1 => (0..length).map(|_| one_of_the_signs(&mut random)).collect(),
                _ => {
                    // The notation of a move with one sign changed.
                    let mv = *position.legal_moves().choose(&mut random).expect("there is a move");
                    let words = write(position, mv, *Dialect::ALL.choose(&mut random).unwrap());
                    let place = random.random_range(0..words.chars().count());
                    let changed = one_of_the_signs(&mut random);
                    words.chars().enumerate().map(|(at, c)| if at == place { changed } else { c }).collect()
                }
            };
            match read(position, &text) {
                Ok(mv) => {
                    assert!(position.can_play(mv), "{text}");
                    moves += 1;
                }
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    assert!(error.candidates.iter().all(|(mv, _)| position.can_play(*mv)));
                    refused += 1;
                }
            }
            let dialect = *Dialect::ALL.choose(&mut random).unwrap();
            if let Ok(mv) = read_in(position, &text, dialect) {
                assert!(position.can_play(mv), "{text} in {dialect}");
            }
        }
    }
    assert!(moves > 100 && refused > 5_000, "{moves} moves, {refused} refused");
}

#[test]
fn any_sixteen_bits_can_be_formatted() {
    let start = Position::start();
    for bits in 0..=u16::MAX {
        for dialect in Dialect::ALL {
            assert!(!write(&start, Move::from_bits(bits), dialect).is_empty());
        }
    }
    let no_piece = Move::new(Square::new(4, 4), Square::new(4, 5));
    assert_eq!(write(&start, no_piece, Dialect::Chinese), "e4e5");
}
