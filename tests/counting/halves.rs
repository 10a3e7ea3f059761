//! Tests that the arrangements of one half are those of a listing, with distinct ranks.

use chuhe::counting::{HomeArrangement, HomeArrangements};
use chuhe::types::{Square, SquareSet};

use crate::common::placements::{are_doubled, points};

/// All sets of `size` squares of the list that avoid the occupied ones.
fn sets(points: &[Square], size: usize, taken: SquareSet) -> Vec<SquareSet> {
    let Some((&first, rest)) = points.split_first() else {
        return if size == 0 { vec![SquareSet::EMPTY] } else { Vec::new() };
    };
    let mut found = sets(rest, size, taken);
    if size > 0 && !taken.contains(first) {
        found.extend(sets(rest, size - 1, taken).into_iter().map(|set| set | SquareSet::from_iter([first])));
    }
    found
}

fn has_doubled_pawns(pawns: SquareSet) -> bool {
    pawns.iter().any(|one| pawns.iter().any(|other| one < other && are_doubled('P', one, other)))
}

/// Lists every arrangement with nested loops over the squares of each kind.
fn listed(advisors: usize, elephants: usize, pawns: usize) -> Vec<HomeArrangement> {
    let home_pawns: Vec<Square> = points('P').into_iter().filter(|square| square.rank() <= 4).collect();
    let mut found = Vec::new();
    for king in points('K') {
        let taken = SquareSet::from_iter([king]);
        for advisors in sets(&points('A'), advisors, taken) {
            for elephants in sets(&points('B'), elephants, taken | advisors) {
                for pawns in sets(&home_pawns, pawns, taken | advisors | elephants) {
                    if !has_doubled_pawns(pawns) {
                        found.push(HomeArrangement { king, advisors, elephants, pawns });
                    }
                }
            }
        }
    }
    found
}

#[test]
fn arrangements_agree_with_a_listing() {
    let mut all = 0;
    for advisors in 0..=2 {
        for elephants in 0..=2 {
            for pawns in 0..=5 {
                let arrangements = HomeArrangements::new(advisors, elephants, pawns);
                let listed = listed(advisors as usize, elephants as usize, pawns as usize);
                assert_eq!(arrangements.count(), listed.len(), "{advisors} {elephants} {pawns}");
                let mut numbers = vec![false; listed.len()];
                for arrangement in listed {
                    let number = arrangements.find(&arrangement).expect("it is listed");
                    assert!(!std::mem::replace(&mut numbers[number], true), "{arrangement:?} shares its rank");
                    assert_eq!(arrangements.get(number), arrangement);
                }
                all += arrangements.count();
            }
        }
    }
    // The number was also computed by a Python program.
    assert_eq!(all, 682_236);
}
