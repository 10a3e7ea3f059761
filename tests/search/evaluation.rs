//! Symmetry and incremental update of the hand-made evaluation.

use chuhe::eval::handcrafted::{self, PsqtScore, PsqtStack, Trace};
use chuhe::position::Position;
use chuhe::types::Side;
use chuhe::types::score::EVALUATION_LIMIT;
use rand::SeedableRng;

use crate::common::walks::{random_games, to_and_fro};

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
        let mut stack = PsqtStack::new(&Position::start());
        to_and_fro(&mut random, 150, true, &mut stack, |position, stack| {
            assert_eq!(stack.current(), PsqtScore::new(position));
            assert_eq!(handcrafted::evaluate_with(position, stack.current()), handcrafted::evaluate(position));
        });
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
