//! What is solved, against the ordinary move generator, a plain search and what every player knows.

use chuhe::counting::{Placement, Ranking, Sampler, Signature};
use chuhe::position::{Position, Strictness};
use chuhe::tablebase::{self, EndingError, Endings, Metric, Outcome, Table, Value};

use super::solved;

fn table<'a>(tables: &'a Endings, ending: &str) -> &'a Table {
    tables.get(ending.parse().unwrap()).unwrap()
}

fn check(tables: &Endings, ending: &str, stride: usize) -> u64 {
    let value = |placement: &_, side| tables.value(placement, side).unwrap();
    tablebase::verify(table(tables, ending), stride, 2, value, |_| ()).unwrap()
}

fn value(tables: &Endings, fen: &str) -> Value {
    let position = Position::from_fen(fen).unwrap();
    tables.value(&Placement::from_position(&position), position.side()).unwrap()
}

#[test]
fn every_value_follows_from_the_moves_of_the_ordinary_generator() {
    for metric in [Metric::Conversion, Metric::Mate] {
        let tables = solved(&["KRvKAB", "KNvKA", "KCAvKA", "KPvKB", "KPBvKA"], metric);
        for ending in ["KRvK", "KRvKAB", "KNvKA", "KCAvKA", "KPvKB", "KPBvKA"] {
            assert!(check(&tables, ending, 1) > 3_000, "{ending}");
        }
    }
}

#[test]
fn attackers_get_in_each_others_way_as_the_moves_say() {
    let tables = solved(&["KRCvK", "KNPvK", "KCCvK", "KPPvK", "KRvKN", "KCvKC"], Metric::Conversion);
    for (ending, stride) in [("KRCvK", 7), ("KNPvK", 5), ("KCCvK", 7), ("KPPvK", 3), ("KRvKN", 11), ("KCvKC", 11)] {
        assert!(check(&tables, ending, stride) > 10_000, "{ending}");
    }
}

#[test]
fn values_of_positions_drawn_at_random_follow_from_their_moves() {
    let tables = solved(&["KRPvKA", "KNvKAABB"], Metric::Mate);
    let mut sampler = Sampler::new(7);
    for ending in ["KRPvKA", "KNvKAABB", "KNvKABB"] {
        let ranking = Ranking::new(ending.parse().unwrap());
        let mut met = 0;
        while met < 1_000 {
            let (placement, side) = (sampler.placement(&ranking), sampler.side());
            let Ok(position) = placement.position(side) else { continue };
            let value = |placement: &Placement, side, _| tables.value(placement, side).ok_or(());
            let expected = tablebase::value_from_successors(&position, Metric::Mate, value);
            assert_eq!(tables.value(&placement, side), expected.ok(), "{position}");
            met += 1;
        }
    }
}

#[test]
fn a_wrong_value_is_found() {
    let tables = solved(&["KNvKA"], Metric::Conversion);
    // As if every capture lost.
    let error = tablebase::verify(table(&tables, "KNvKA"), 1, 2, |_, _| Value::Win(1), |_| ()).unwrap_err();
    assert!(Position::from_fen(&error.fen).is_ok(), "{error}");
    assert_ne!(error.found, error.expected);
}

#[test]
fn pawns_that_no_game_shows_have_no_value() {
    let tables = solved(&["KPPvK"], Metric::Conversion);
    let value = |fen: &str| {
        let position = Position::parse_fen(fen, Strictness::Lax).unwrap().position;
        tables.value(&Placement::from_position(&position), position.side())
    };
    assert_eq!(value("3k5/9/9/9/9/P8/P8/9/9/4K4 w"), None);
    assert!(matches!(value("3k5/9/9/9/P8/9/P8/9/9/4K4 w"), Some(Value::Win(_))));
}

/// Whether the side to move mates or stalemates within so many plies, by trying everything.
fn wins_within(position: &mut Position, plies: usize) -> bool {
    plies > 0
        && position.legal_moves().into_iter().any(|mv| {
            position.make(mv);
            let wins = loses_within(position, plies - 1);
            position.unmake();
            wins
        })
}

fn loses_within(position: &mut Position, plies: usize) -> bool {
    position.legal_moves().into_iter().all(|mv| {
        if plies == 0 {
            return false;
        }
        position.make(mv);
        let wins = wins_within(position, plies - 1);
        position.unmake();
        wins
    })
}

#[test]
fn plies_to_mate_are_those_that_trying_everything_finds() {
    let tables = solved(&["KRvK", "KPvKA"], Metric::Mate);
    let mut tried = 0;
    for ending in ["KRvK", "KPvKA"] {
        for (fen, value) in table(&tables, ending).decided_positions().step_by(101) {
            let mut position = Position::from_fen(&fen).unwrap();
            match value {
                Value::Win(plies) if plies <= 5 => {
                    tried += 1;
                    assert!(wins_within(&mut position, plies.into()), "{fen} {value:?}");
                    assert!(!wins_within(&mut position, usize::from(plies) - 1), "{fen} {value:?}");
                }
                Value::Loss(plies) if plies <= 4 => {
                    tried += 1;
                    assert!(loses_within(&mut position, plies.into()), "{fen} {value:?}");
                    assert!(plies == 0 || !loses_within(&mut position, usize::from(plies) - 1), "{fen} {value:?}");
                }
                _ => {}
            }
        }
    }
    assert!(tried > 30, "{tried}");
}

#[test]
fn what_every_player_knows() {
    let tables = solved(&["KRvKAABB", "KNvKA", "KNvKAB", "KPvKA", "KRvKBB"], Metric::Conversion);
    // A rook does not win against full defence, set up well; it does against two advisors.
    for fen in ["2b1ka3/4a4/4b4/9/9/9/9/9/4K4/R8 w", "2b1ka3/4a4/4b4/9/9/9/9/9/4K4/R8 b"] {
        assert_eq!(value(&tables, fen), Value::Draw, "{fen}");
    }
    assert_eq!(value(&tables, "3ak4/4a4/9/9/9/9/9/9/4K4/R8 w").outcome(), Outcome::Win);
    // A horse wins against one advisor, and draws against advisor and elephant that stand together.
    let share = |ending: &str| {
        let statistics = table(&tables, ending).statistics();
        statistics.wins[0] as f64 / table(&tables, ending).entries() as f64 * 2.0
    };
    assert!(share("KNvKA") > 0.45, "{}", share("KNvKA"));
    assert!(share("KNvKAB") < 0.10, "{}", share("KNvKAB"));
    // Neither does anybody lose to defenders, nor win without an attacker.
    assert_eq!(table(&tables, "KRvKAABB").statistics().losses[0], 0);
    assert_eq!(value(&tables, "3ak4/9/9/9/9/9/9/9/9/3K5 w"), Value::Draw);
}

#[test]
fn either_colour_is_known_and_mirrored() {
    let tables = solved(&["KNvKAB"], Metric::Conversion);
    let mut met = 0;
    for (fen, value) in table(&tables, "KNvKAB").decided_positions().step_by(17) {
        let position = Position::from_fen(&fen).unwrap();
        for other in [position.mirrored(), position.colour_flipped(), position.colour_flipped().mirrored()] {
            assert_eq!(tables.value(&Placement::from_position(&other), other.side()), Some(value), "{other}");
        }
        met += 1;
    }
    assert!(met > 300, "{met}");
}

#[test]
fn what_cannot_be_solved_is_said() {
    let none: Signature = "KAABBvKA".parse().unwrap();
    assert_eq!(tablebase::needed_for(&[none]), Err(EndingError::NoAttacker(none)));
    let large: Signature = "KRRNNCCPvK".parse().unwrap();
    assert!(matches!(tablebase::needed_for(&[large, none]), Err(EndingError::TooLarge(_))));
    assert!(Endings::default().solve(none, Metric::Mate, 1, |_| ()).is_err());
}
