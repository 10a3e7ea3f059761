//! The published number of positions, recomputed as a witness of the ranking.
//!
//! Wei and Li (动态规划求解中国象棋状态总数, 智能系统学报 14(1), 2019) count positions step by step: kings, advisors, elephants, pawns, and
//! the other pieces. This file follows their steps as written and shares only the allowed squares with [`Ranking`].
//! With their formula (3) as printed, the sum is exactly the published number. However, that formula omits the number
//! of ways to choose among the files that are half occupied by elephants. With this factor, the sum equals the number
//! of all positions.

use std::collections::BTreeMap;

use chuhe::counting::{Ranking, U256};
use chuhe::tables::geometry;
use chuhe::types::{Side, Square, SquareSet};

/// Published number of positions.
const PUBLISHED: &str = "7547040878332418571694532043654081760159";

/// Maximum number of pieces of a kind other than king and pawn.
const PAIR: usize = 2;
/// Number of pawns of a side.
const PAWNS: usize = 5;

/// Formula for the number of placements of uncrossed pawns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PawnFormula {
    /// As printed: Σᵢ 2^(P−i) · C(5−B, P−i).
    Printed,
    /// With the choice of the half-occupied files: Σᵢ C(B, i) · 2^(P−i) · C(5−B, P−i).
    Complete,
}

impl PawnFormula {
    /// Returns the number of placements of `pawns` (P) uncrossed pawns, at most one per file, when an elephant occupies
    /// one of the two squares on `taken` (B) of the five files. The sum runs over the number i of pawns on such files.
    fn ways(self, pawns: usize, taken: usize) -> u64 {
        (0..=taken.min(pawns))
            .map(|on_taken| {
                let chosen = match self {
                    PawnFormula::Printed => 1,
                    PawnFormula::Complete => binomial(taken, on_taken),
                };
                chosen * (1 << (pawns - on_taken)) * binomial(PAWNS.saturating_sub(taken), pawns - on_taken)
            })
            .sum()
    }

    /// Returns the number of positions by this formula and the published steps.
    fn total(self) -> U256 {
        let sides: Vec<(SideState, u64)> = side_states().into_iter().collect();
        let mut free_pieces = FreePieceCounts::default();
        let mut total = U256::ZERO;
        for &(red, red_ways) in &sides {
            for &(black, black_ways) in &sides {
                total += U256::from(red_ways * black_ways) * self.pawns_and_free_pieces(red, black, &mut free_pieces);
            }
        }
        total
    }

    /// Returns the number of placements of pawns, rooks, horses and cannons after kings, advisors and elephants.
    fn pawns_and_free_pieces(self, red: SideState, black: SideState, free_pieces: &mut FreePieceCounts) -> U256 {
        let mut sum = U256::ZERO;
        for (red_home, red_crossed) in pawn_counts() {
            for (black_home, black_crossed) in pawn_counts() {
                let home = u128::from(self.ways(red_home, red.taken) * self.ways(black_home, black.taken));
                let crossed = u128::from(binomial(black.free - black_home, red_crossed))
                    * u128::from(binomial(red.free - red_home, black_crossed));
                let free = red.free + black.free - red_home - red_crossed - black_home - black_crossed;
                sum += U256::from(home * crossed) * U256::from(free_pieces.ways(free));
            }
        }
        sum
    }
}

/// Returns the rough upper bound of the paper: the pieces of a side are placed as if no others were on the board, and
/// the number of ways is squared.
fn rough_bound() -> U256 {
    let up_to_a_pair = |squares: usize| (0..=PAIR).map(|count| binomial(squares, count)).sum::<u64>();
    // King and advisors share the nine squares of the palace.
    let palace: u64 = (0..=PAIR).map(|advisors| binomial(9, advisors + 1) * (advisors as u64 + 1)).sum();
    let elephants = up_to_a_pair(7);
    let crossed_squares = Square::COUNT / 2;
    let pawns: u64 = pawn_counts()
        .map(|(home, crossed)| binomial(crossed_squares, crossed) * binomial(PAWNS, home) * (1 << home))
        .sum();
    let free_pieces = up_to_a_pair(Square::COUNT).pow(3);
    let side = U256::from(palace * elephants * pawns) * U256::from(free_pieces);
    side * side
}

/// Effect of a side's king, advisors and elephants on later pieces.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SideState {
    /// Free squares of its half.
    free: usize,
    /// Pawn squares occupied by its elephants.
    taken: usize,
}

fn side_states() -> BTreeMap<SideState, u64> {
    let mut states = BTreeMap::new();
    for king in Square::all().filter(|&square| geometry::home_side(square) == Side::Red) {
        if !geometry::is_in_palace(king) {
            continue;
        }
        let advisor_points = 5 - usize::from(geometry::is_advisor_point(Side::Red, king));
        let elephant_points = 7 - usize::from(geometry::is_elephant_point(Side::Red, king));
        for advisors in 0..=PAIR {
            for elephants in 0..=PAIR {
                // Two of the elephant squares, c4 and g4, are also pawn squares.
                for taken in 0..=elephants {
                    let ways = binomial(advisor_points, advisors)
                        * binomial(2, taken)
                        * binomial(elephant_points - 2, elephants - taken);
                    let free = Square::COUNT / 2 - 1 - advisors - elephants;
                    *states.entry(SideState { free, taken }).or_default() += ways;
                }
            }
        }
    }
    states
}

/// Returns all pairs of numbers of uncrossed and crossed pawns of a side.
fn pawn_counts() -> impl Iterator<Item = (usize, usize)> {
    (0..=PAWNS).flat_map(|home| (0..=PAWNS - home).map(move |crossed| (home, crossed)))
}

/// Memoised number of placements of any rooks, horses and cannons on a number of squares.
#[derive(Default)]
struct FreePieceCounts(BTreeMap<(usize, usize), u128>);

impl FreePieceCounts {
    fn ways(&mut self, free: usize) -> u128 {
        self.ways_of_groups(free, 6)
    }

    /// Same for the first `groups` of the six piece types.
    fn ways_of_groups(&mut self, free: usize, groups: usize) -> u128 {
        if groups == 0 {
            return 1;
        }
        if let Some(&known) = self.0.get(&(free, groups)) {
            return known;
        }
        let ways = (0..=PAIR.min(free))
            .map(|count| u128::from(binomial(free, count)) * self.ways_of_groups(free - count, groups - 1))
            .sum();
        self.0.insert((free, groups), ways);
        ways
    }
}

/// Lists the placements of `pawns` uncrossed red pawns, at most one per file, with elephants on c4 (`taken` 1) or on c4
/// and g4 (`taken` 2), by trying all sets of the ten squares.
fn home_pawns(pawns: usize, taken: usize) -> Vec<SquareSet> {
    let elephants: SquareSet = [Square::new(2, 4), Square::new(6, 4)].into_iter().take(taken).collect();
    let points: Vec<Square> =
        [3, 4].into_iter().flat_map(|rank| [0, 2, 4, 6, 8].map(|file| Square::new(file, rank))).collect();
    let is_valid = |set: &SquareSet| {
        let is_alone = |square: Square| set.iter().filter(|other| other.file() == square.file()).count() == 1;
        set.len() as usize == pawns && (*set & elephants).is_empty() && set.iter().all(is_alone)
    };
    let set = |word: u32| (0..points.len()).filter(|bit| word & (1 << bit) != 0).map(|bit| points[bit]).collect();
    (0..1 << points.len()).map(set).filter(is_valid).collect()
}

fn binomial(points: usize, size: usize) -> u64 {
    match (points, size) {
        (_, 0) => 1,
        (0, _) => 0,
        _ => binomial(points - 1, size - 1) + binomial(points - 1, size),
    }
}

#[test]
fn the_printed_formula_gives_the_published_number() {
    assert_eq!(PawnFormula::Printed.total().to_string(), PUBLISHED);
}

/// The number was also computed by a Python program written from the published text with the missing factor.
#[test]
fn the_complete_formula_gives_the_number_of_all_placements() {
    let total = PawnFormula::Complete.total();
    assert_eq!(total.to_string(), "7583767311308936928441671793917387439659");
    assert_eq!(Ranking::all_positions().size(), total);
}

#[test]
fn the_complete_formula_counts_what_can_be_listed() {
    for taken in 0..=2 {
        for pawns in 0..=PAWNS {
            let listed = home_pawns(pawns, taken).len() as u64;
            assert_eq!(PawnFormula::Complete.ways(pawns, taken), listed);
            let is_wrong = taken == 2 && (1..PAWNS).contains(&pawns);
            assert_eq!(PawnFormula::Printed.ways(pawns, taken) != listed, is_wrong, "{pawns} {taken}");
        }
    }
}

/// The figures that the pages on the papers give.
#[test]
fn the_figures_of_the_paper_are_recomputed() {
    let number = |number: U256| number.to_string().parse::<f64>().unwrap();
    let all = number(Ranking::all_positions().size());
    let terabytes = all * all.log2() / 8.0 / (1_u64 << 40) as f64;
    let [printed, complete] = [PawnFormula::Printed, PawnFormula::Complete].map(PawnFormula::total);
    println!("published {PUBLISHED}, printed formula {printed}, complete formula {complete}, 2^{:.2}", all.log2());
    println!("rough bound 10^{:.3}, storage {terabytes:.4e} TB", number(rough_bound()).log10());
    println!("one pawn beside elephants on c4 and g4: {:?}", home_pawns(1, 2));
    assert!((number(rough_bound()).log10() - 42.786).abs() < 5e-4);
    assert!((terabytes / 1.142e29 - 1.0).abs() < 1e-3);
}
