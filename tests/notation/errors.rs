//! Error messages for texts that are not moves.

use chuhe::notation::{Dialect, NotationFault, read, read_in, write};
use chuhe::position::Position;
use chuhe::types::{Move, Square};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::boards::{Material, crowded};

fn complaint(fen: &str, text: &str) -> String {
    let position = if fen.is_empty() { Position::start() } else { Position::from_fen(fen).unwrap() };
    read(&position, text).expect_err(text).to_string()
}

#[test]
fn an_ambiguous_text_lists_its_candidates() {
    let pawns = "3k5/9/4P4/4P4/4P4/9/9/9/9/4K4 w";
    assert_eq!(
        complaint(pawns, "兵五平四"),
        "'兵五平四' is ambiguous: it could mean 后兵平四 (e5f5), 中兵平四 (e6f6) or 前兵平四 (e7f7)"
    );
    let rooks = "3k5/9/9/9/2R6/9/9/9/2R6/4K4 w";
    assert_eq!(complaint(rooks, "R7.6"), "'R7.6' is ambiguous: it could mean R-.6 (c1d1) or R+.6 (c5d5)");
    let error = read(&Position::from_fen(rooks).unwrap(), "R7.6").unwrap_err();
    assert_eq!((error.fault, error.candidates.len()), (NotationFault::Ambiguous, 2));
}

#[test]
fn an_unknown_text_lists_similar_moves() {
    assert_eq!(
        complaint("", "车一平五"),
        "'车一平五' is not a legal move of Red; similar moves: 车一进一 (i0i1) and 车一进二 (i0i2)"
    );
    assert_eq!(complaint("", "i0e0"), "'i0e0' is not a legal move of Red; similar moves: i0i1 and i0i2");
    let slip = complaint("", "N2+4");
    assert!(slip.contains("N2+3 (h0g2)") && slip.contains("N2+1 (h0i2)"), "{slip}");
    let many = complaint("", "炮二平十");
    assert!(many.contains("炮二平五 (h2e2)") && many.ends_with(" more"), "{many}");
    for text in ["", "hello", "炮", "前", "a0", "z9z9", "0", "马马马马", "O-O"] {
        let complaint = complaint("", text);
        assert!(complaint.contains("not a legal move of Red"), "{complaint}");
    }
    assert!(complaint("", "xyzzy").ends_with("(moves look like h2e2, 炮二平五 or C2.5)"));
    let black = read(&Position::from_fen("4k4/9/9/9/9/9/9/9/9/3K5 b").unwrap(), "K5.9").unwrap_err();
    assert!(black.to_string().contains("of Black"), "{black}");
}

#[test]
fn an_exposed_king_is_reported() {
    let pinned = "3k5/9/9/9/9/4r4/9/9/4R4/4K4 w";
    for text in ["e1d1", "车五平六", "R5.6"] {
        assert_eq!(complaint(pinned, text), format!("'{text}' (e1d1) is not legal: Red's king could be captured"));
    }
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
                    assert!(error.candidates.iter().all(|candidate| position.can_play(candidate.mv)));
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
