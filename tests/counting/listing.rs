//! Tests that signatures with few pieces have exactly the positions found by trying all squares.

use chuhe::counting::{Ranking, Signature, U256};
use chuhe::position::Position;
use chuhe::types::{Piece, Side, Square};

use crate::common::board;
use crate::common::placements::{can_capture_king, letters, placement, placements};

const KINDS: [char; 6] = ['R', 'N', 'C', 'P', 'A', 'B'];

fn ranking(signature: &str) -> Ranking {
    Ranking::new(signature.parse().unwrap())
}

fn size(signature: &str) -> usize {
    ranking(signature).size().to()
}

/// All signatures with up to two pieces beside the kings, and some whose pieces restrict each other in every way.
fn signatures() -> Vec<String> {
    let interacting = ["KvK", "KAABBvK", "KPABBvK", "KBBvKBB", "KPPvKB", "KAvKPA", "KPABvKA", "KPvKBB"];
    let mut found: Vec<String> = interacting.map(str::to_owned).into();
    for one in KINDS {
        found.extend([format!("K{one}vK"), format!("KvK{one}")]);
        for other in KINDS {
            found.extend([format!("K{one}{other}vK"), format!("KvK{one}{other}"), format!("K{one}vK{other}")]);
        }
    }
    found
}

#[test]
fn counts_agree_with_a_listing() {
    for signature in signatures() {
        assert_eq!(size(&signature), placements(&letters(&signature)).len(), "{signature}");
    }
}

#[test]
fn every_listed_position_has_its_own_rank() {
    let signatures =
        ["KvK", "KRvK", "KvKN", "KCvK", "KPvK", "KvKP", "KAvK", "KvKB", "KPvKA", "KAABBvK", "KBvKP", "KPPvK", "KPvKP"];
    for signature in signatures {
        let ranking = ranking(signature);
        let mut numbers = vec![false; ranking.size().to()];
        for pieces in placements(&letters(signature)) {
            let placement = placement(&pieces);
            for side in Side::BOTH {
                assert_eq!(placement.position(side).is_err(), can_capture_king(&pieces, side), "{pieces:?} {side}");
            }
            let number = ranking.rank(&placement).unwrap_or_else(|| panic!("{pieces:?} has no rank"));
            assert_eq!(ranking.unrank(number), Some(placement), "{pieces:?}");
            assert!(!std::mem::replace(&mut numbers[number.to::<usize>()], true), "{pieces:?} shares its rank");
        }
        assert!(numbers.into_iter().all(|has_position| has_position), "{signature}");
    }
}

/// The FEN parser is another witness of the allowed squares.
#[test]
fn positions_agree_with_the_fen_parser() {
    for signature in ["KRvK", "KvKP", "KPvK", "KAvK", "KvKB", "KPAvKB"] {
        let ranking = ranking(signature);
        for number in 0..ranking.size().to::<u64>() {
            let placement = ranking.unrank(U256::from(number)).unwrap();
            for side in Side::BOTH {
                match placement.position(side) {
                    Ok(position) => {
                        assert_eq!(Position::from_fen(&placement.fen(side)), Ok(position.clone()));
                        assert_eq!(Signature::from_position(&position), Some(signature.parse().unwrap()));
                    }
                    Err(error) => {
                        let is_check =
                            ["face each other", "in check"].iter().any(|part| error.to_string().contains(part));
                        assert!(is_check, "{}: {error}", placement.fen(side));
                    }
                }
            }
        }
    }
}

#[test]
fn placements_of_other_signatures_have_no_rank() {
    let king_and_pawns = ranking("KPPvK");
    let everything = Ranking::all_positions();
    for (fen, is_of_the_kind, is_any) in [
        ("4k4/9/9/9/9/P1P6/9/9/9/4K4", true, true),
        ("4k4/9/9/9/9/P8/P8/9/9/4K4", false, false),
        ("4k4/9/9/9/P8/P8/9/9/9/4K4", true, true),
        ("4k4/9/9/9/9/PP7/9/9/9/4K4", false, false),
        ("4k4/9/9/9/9/P1P6/9/P8/9/4K4", false, false),
        ("4k4/9/9/9/9/P1P6/9/9/9/9", false, false),
        ("4k4/9/9/9/9/P1P6/9/9/4K4/4K4", false, false),
        ("4k4/9/9/4k4/9/P1P6/9/9/9/4K4", false, false),
        ("9/9/9/4k4/9/P1P6/9/9/9/4K4", false, false),
        ("4k4/9/9/9/9/p1P6/9/9/9/4K4", false, true),
        ("4k4/9/9/PPPPPP3/9/9/9/9/9/4K4", false, false),
        ("4k4/9/9/RRR6/9/9/9/9/9/4K4", false, false),
        ("4k4/9/9/AAA6/9/9/9/9/9/4K4", false, false),
        ("4k4/9/9/9/B8/9/9/9/9/4K4", false, false),
        ("4k4/9/9/RR7/9/9/9/9/9/4K4", false, true),
    ] {
        let mut placement = chuhe::counting::Placement::default();
        for (point, letter) in board::letters(fen) {
            placement.put(Square::new(point.file as u8, point.rank as u8), Piece::from_letter(letter));
        }
        assert_eq!(king_and_pawns.rank(&placement).is_some(), is_of_the_kind, "{fen}");
        assert_eq!(everything.rank(&placement).is_some(), is_any, "{fen}");
    }
}
