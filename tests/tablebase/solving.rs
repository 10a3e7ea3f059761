//! Solved values against the regular move generator, a plain search and known theory.

use chuhe::counting::{Placement, Ranking, Signature};
use chuhe::eval::handcrafted::scale_factor;
use chuhe::position::{Position, Strictness};
use chuhe::tablebase::{self, Endings, Metric, Outcome, Table, TableError, TablebaseValue};
use chuhe::types::{Piece, PieceKind, Side};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::solved;
use crate::common::placements::random_placement;

fn table<'a>(tables: &'a Endings, ending: &str) -> &'a Table {
    tables.get(ending.parse().unwrap()).unwrap()
}

fn check(tables: &Endings, ending: &str) -> u64 {
    let value = |placement: &_, side| tables.value(placement, side).unwrap();
    tablebase::verify(table(tables, ending), 2, value, |_| ()).unwrap()
}

fn value(tables: &Endings, fen: &str) -> TablebaseValue {
    let position = Position::from_fen(fen).unwrap();
    tables.value(&Placement::from_position(&position), position.side()).unwrap()
}

#[test]
fn every_value_follows_from_its_successors() {
    for metric in [Metric::Conversion, Metric::Mate] {
        let tables = solved(&["KRvKAB", "KNvKA", "KCAvKA", "KPvKB", "KPBvKA"], metric);
        for ending in ["KRvK", "KRvKAB", "KNvKA", "KCAvKA", "KPvKB", "KPBvKA"] {
            assert!(check(&tables, ending) > 3_000, "{ending}");
        }
    }
    // Several attackers block each other.
    let tables = solved(&["KRCvK", "KNPvK", "KCCvK", "KPPvK", "KRvKN", "KCvKC"], Metric::Conversion);
    for ending in ["KRCvK", "KNPvK", "KCCvK", "KPPvK", "KRvKN", "KCvKC"] {
        assert!(check(&tables, ending) > 30_000, "{ending}");
    }
}

#[test]
fn random_positions_follow_from_their_successors() {
    let tables = solved(&["KRPvKA", "KNvKAABB"], Metric::Mate);
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for ending in ["KRPvKA", "KNvKAABB", "KNvKABB"] {
        let ranking = Ranking::new(ending.parse().unwrap());
        let mut met = 0;
        while met < 1_000 {
            let (placement, side) = random_placement(&ranking, &mut random);
            let Ok(position) = placement.position(side) else { continue };
            let value = |placement: &Placement, side| tables.value(placement, side).ok_or(());
            let expected = tablebase::value_from_successors(&position, Metric::Mate, value);
            assert_eq!(tables.value(&placement, side), expected.ok(), "{position}");
            met += 1;
        }
    }
}

#[test]
fn a_wrong_value_is_detected() {
    let tables = solved(&["KNvKA"], Metric::Conversion);
    // As if every capture lost.
    let error = tablebase::verify(table(&tables, "KNvKA"), 2, |_, _| TablebaseValue::Win(1), |_| ()).unwrap_err();
    assert!(Position::from_fen(&error.fen).is_ok(), "{error}");
    assert_ne!(error.found, error.expected);
}

#[test]
fn unreachable_pawns_have_no_value() {
    let tables = solved(&["KPPvK"], Metric::Conversion);
    let value = |fen: &str| {
        let position = Position::parse_fen(fen, Strictness::Lax).unwrap().position;
        tables.value(&Placement::from_position(&position), position.side())
    };
    assert_eq!(value("3k5/9/9/9/9/P8/P8/9/9/4K4 w"), None);
    assert!(matches!(value("3k5/9/9/9/P8/9/P8/9/9/4K4 w"), Some(TablebaseValue::Win(_))));
}

/// Returns whether the side to move is the one that mates or stalemates within this number of plies, or the one that
/// cannot avoid it, by exhaustive search.
fn is_decided_within(position: &mut Position, plies: u8, is_winner: bool) -> bool {
    let mut moves = position.legal_moves().into_iter();
    let mut is_decided_after = |mv| {
        position.make(mv);
        let is_decided = plies > 0 && is_decided_within(position, plies - 1, !is_winner);
        position.unmake();
        is_decided
    };
    if is_winner { moves.any(&mut is_decided_after) } else { moves.all(&mut is_decided_after) }
}

#[test]
fn plies_to_mate_agree_with_exhaustive_search() {
    let tables = solved(&["KRvK", "KPvKA"], Metric::Mate);
    let mut tried = 0;
    for ending in ["KRvK", "KPvKA"] {
        for (fen, value) in table(&tables, ending).decided_positions().step_by(101) {
            let plies = value.plies().unwrap();
            if plies <= 5 {
                let (mut position, is_winner) = (Position::from_fen(&fen).unwrap(), value.outcome() == Outcome::Win);
                assert!(is_decided_within(&mut position, plies, is_winner), "{fen} {value:?}");
                assert!(plies == 0 || !is_decided_within(&mut position, plies - 1, is_winner), "{fen} {value:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 30, "{tried}");
}

#[test]
fn known_theory_is_confirmed() {
    let tables = solved(&["KRvKAABB"], Metric::Conversion);
    // A rook does not win against full defence, set up well; it does against two advisors.
    let held = ['w', 'b'].map(|side| value(&tables, &format!("2b1ka3/4a4/4b4/9/9/9/9/9/4K4/R8 {side}")));
    assert_eq!(held, [TablebaseValue::Draw; 2]);
    assert_eq!(value(&tables, "3ak4/4a4/9/9/9/9/9/9/4K4/R8 w").outcome(), Outcome::Win);
    // Defenders cannot win, and no side wins without an attacker.
    assert_eq!(table(&tables, "KRvKAABB").statistics().counts[0].lost, 0);
    assert_eq!(value(&tables, "3ak4/9/9/9/9/9/9/9/9/3K5 w"), TablebaseValue::Draw);
}

#[test]
fn scale_factors_agree_with_the_share_of_wins() {
    let all = "KRvKABB KRvKAAB KRvKP KRvKN KRvKC KNvKA KNvKB KNvKAA KNvKBB KNvKN KNvKP KNPvKA KNPvKB KNNvKA KCAvKB \
        KCAvKAA KCAvKBB KCAvKAAB KCvKAABB KCAAvKP KCAvKP KCCvKB KCPvKA KCPvKB KPvK KPvKB KPvKA KPPvKAA KPPvKAB \
        KPPvKBB KPAvKA KPBvKA";
    let all: Vec<&str> = all.split_whitespace().collect();
    let tables = solved(&all, Metric::Conversion);
    let class = |limits: [f64; 3], value: f64| limits.iter().filter(|&&limit| value <= limit).count();
    let mut met = [0; 4];
    for ending in &all {
        let mut random = ChaCha8Rng::seed_from_u64(8);
        let ranking = Ranking::new(ending.parse().unwrap());
        // Positions and wins, without and with own pawns on the last rank, by class: almost all won, most, some, few.
        let mut counts = [[[0, 0]; 4]; 2];
        let drawn = std::iter::repeat_with(|| random_placement(&ranking, &mut random));
        let legal = drawn.filter_map(|(placement, side)| placement.position(side).ok());
        for position in legal.take(6_000) {
            let factor = scale_factor(&position, Side::Red);
            assert_eq!(scale_factor(&position.colour_flipped(), Side::Black), factor, "{position}");
            let outcome = value(&tables, &position.to_string()).outcome();
            let won = outcome == if position.side() == Side::Red { Outcome::Win } else { Outcome::Loss };
            let is_last = position.squares(Piece::new(Side::Red, PieceKind::Pawn)).iter().any(|pawn| pawn.rank() == 9);
            let [total, wins] = &mut counts[usize::from(is_last)][class([64.0, 60.0, 12.0], factor.into())];
            (*total, *wins) = (*total + 1, *wins + usize::from(won));
        }
        for (index, &[total, wins]) in counts.as_flattened().iter().enumerate().filter(|(_, counts)| counts[0] >= 600) {
            met[index % 4] += 1;
            assert_eq!(class([0.9, 0.35, 0.08], wins as f64 / total as f64), index % 4, "{ending}: {wins} won");
        }
    }
    assert!(met.iter().all(|&count| count > 2), "{met:?}");
    let factor = |fen: &str| scale_factor(&Position::from_fen(fen).unwrap(), Side::Red);
    assert_eq!(factor("P2k4P/4a4/9/9/4P4/9/4N4/9/9/4K4 w"), factor("3k5/4a4/9/9/4P4/9/4N4/9/9/4K4 w"));
    // The endings by which chances are scored have the result that their table gives.
    let is_solved = |line: &&str| all.contains(&line.rsplit('\t').next().unwrap());
    let rows: Vec<&str> = include_str!("../data/endings.tsv").lines().filter(is_solved).collect();
    assert!(rows.len() > 10, "{}", rows.len());
    for line in rows {
        let won = if line.contains(" w ") { "\t1-0" } else { "\t0-1" };
        let outcome = if line.contains(won) { Outcome::Win } else { Outcome::Draw };
        assert_eq!(value(&tables, line.split('\t').next().unwrap()).outcome(), outcome, "{line}");
    }
}

#[test]
fn both_colours_and_mirror_images_are_known() {
    let tables = solved(&["KNvKAB"], Metric::Conversion);
    let decided: Vec<_> = table(&tables, "KNvKAB").decided_positions().step_by(17).collect();
    assert!(decided.len() > 300, "{}", decided.len());
    for (fen, value) in decided {
        let position = Position::from_fen(&fen).unwrap();
        for other in [position.mirrored(), position.colour_flipped(), position.colour_flipped().mirrored()] {
            assert_eq!(tables.value(&Placement::from_position(&other), other.side()), Some(value), "{other}");
        }
    }
}

#[test]
fn unsolvable_endings_are_errors() {
    let [none, large] = ["KAABBvKA", "KRRNNCCPvK"].map(|ending| ending.parse::<Signature>().unwrap());
    assert!(matches!(tablebase::needed_for(&[none]), Err(TableError::NoAttacker(_))));
    assert!(matches!(tablebase::needed_for(&[large, none]), Err(TableError::TooLarge(_))));
    assert!(Endings::default().solve(none, Metric::Mate, 1, |_| ()).is_err());
}
