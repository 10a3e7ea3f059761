//! Tests the geometry of the board against the sizes in the rule book and against its own inverse.

use chuhe::tables::geometry::{
    advisor, elephant, has_crossed, horse, horse_leg, horses_attacking, is_advisor_point, is_elephant_point,
    is_in_palace, is_pawn_point, pawn, pawns_attacking,
};
use chuhe::types::{Side, Square};

fn count(holds: impl Fn(Square) -> bool) -> usize {
    Square::all().filter(|&square| holds(square)).count()
}

#[test]
fn regions_have_the_sizes_of_the_rule_book() {
    for side in Side::BOTH {
        assert_eq!(count(|s| is_in_palace(s) && !has_crossed(side, s)), 9);
        assert_eq!(count(|s| is_advisor_point(side, s)), 5);
        assert_eq!(count(|s| is_elephant_point(side, s)), 7);
        assert_eq!(count(|s| is_pawn_point(side, s)), 55);
    }
}

#[test]
fn sources_are_the_inverse_of_steps() {
    for from in Square::all() {
        for to in Square::all() {
            let forth = horse(from).iter().find(|step| step.square == to).map(|step| step.over);
            let back = horses_attacking(to).iter().find(|step| step.square == from).map(|step| step.over);
            assert_eq!(forth, back);
            assert_eq!(forth, horse_leg(from, to));
            for side in Side::BOTH {
                let forth = pawn(side, from).iter().any(|square| square == to);
                let back = pawns_attacking(side, to).iter().any(|square| square == from);
                let reachable = !has_crossed(side, from) || has_crossed(side, to);
                assert_eq!(forth, back && reachable, "{side} {from} {to}");
            }
        }
    }
}

#[test]
fn advisors_and_elephants_never_leave_their_points() {
    for side in Side::BOTH {
        for from in Square::all() {
            if is_advisor_point(side, from) {
                assert!(advisor(from).iter().all(|to| is_advisor_point(side, to)));
            }
            if is_elephant_point(side, from) {
                assert!(elephant(from).iter().all(|step| is_elephant_point(side, step.square)));
            }
        }
    }
}
