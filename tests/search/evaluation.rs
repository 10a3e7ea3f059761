//! Symmetry and incremental update of the hand-made evaluation.

use chuhe::eval::handcrafted::{self, PsqtScore, PsqtStack, Trace};
use chuhe::position::Position;
use chuhe::types::Side;
use chuhe::types::score::EVALUATION_LIMIT;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::walks::random_games;

#[test]
fn colours_and_wings_are_symmetric() {
    random_games(11, 60, 120, |position, _| {
        let value = handcrafted::evaluate(position);
        assert_eq!(handcrafted::evaluate(&position.colour_flipped()), value, "colours in {position}");
        assert_eq!(handcrafted::evaluate(&position.mirrored()), value, "wings in {position}");
        assert!(value.abs() <= EVALUATION_LIMIT);
    });
}

#[test]
fn incremental_sums_equal_sums_from_scratch() {
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(12);
    for _ in 0..200 {
        let mut position = Position::start();
        let mut stack = PsqtStack::new(&position);
        let mut made = 0;
        for _ in 0..150 {
            let moves = position.legal_moves();
            if made > 0 && (moves.is_empty() || random.random_range(0..4) == 0) {
                position.unmake_observed(&mut stack);
                made -= 1;
            } else if let Some(&mv) = moves.choose(&mut random) {
                if !position.in_check() && random.random_range(0..20) == 0 {
                    position.make_null(&mut stack);
                } else {
                    position.make_observed(mv, &mut stack);
                }
                made += 1;
            }
            assert_eq!(stack.current(), PsqtScore::new(&position));
            assert_eq!(handcrafted::evaluate_with(&position, stack.current()), handcrafted::evaluate(&position));
        }
    }
}

#[test]
fn the_terms_add_up_to_the_evaluation() {
    random_games(13, 40, 120, |position, _| {
        let for_red = Trace::new(position).total();
        let expected = if position.side() == Side::Red { for_red } else { -for_red };
        assert_eq!(handcrafted::evaluate(position), expected, "{position}");
    });
}

#[test]
fn more_material_is_worth_more() {
    let base = "3ak4/9/9/9/9/9/9/9/4A4/4K4 w";
    let with = |piece: &str| {
        let fen = base.replacen("9/9/9/9/9/9/9/4A4", &format!("9/9/9/9/1{piece}7/9/9/4A4"), 1);
        handcrafted::evaluate(&Position::from_fen(&fen).unwrap())
    };
    let bare = handcrafted::evaluate(&Position::from_fen(base).unwrap());
    assert!(with("R") > with("N") && with("N") > bare && with("C") > bare);
    assert!(with("r") < with("n") && with("n") < bare);
}
