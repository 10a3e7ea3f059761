//! The natural move limit against a count written out move by move, and dead draws against a list.

use chuhe::position::Position;
use chuhe::rules::{MoveCount, MoveFacts, Reason, RuleSet, Rules, Verdict};
use chuhe::types::Side;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::data::{played, position as start};

#[derive(Default)]
struct Counters {
    counted: usize,
    checks: [u32; 2],
}

impl Counters {
    fn play(&mut self, position: &Position, mv: chuhe::types::Move, set: RuleSet) {
        if position.piece_on(mv.to()).is_some() {
            *self = Counters::default();
            return;
        }
        let (own, other) = match position.side() {
            Side::Red => (0, 1),
            Side::Black => (1, 0),
        };
        let (gives, answers) = (position.gives_check(mv), position.in_check());
        self.checks[own] += u32::from(gives);
        let is_uncounted = match set {
            RuleSet::League => gives || answers,
            RuleSet::Axf => false,
            _ => (gives && self.checks[own] > 10) || (answers && self.checks[other] > 10),
        };
        self.counted += usize::from(!is_uncounted);
    }
}

#[test]
fn counts_agree_with_counters_over_games_full_of_checks() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let mut uncounted = 0;
    for round in 0..60 {
        let fen = ["3k5/9/9/4R4/9/9/3r5/9/9/4K4 w", "3k1a3/4N4/9/2R6/9/4n4/9/5A3/4K4/8r w"][round % 2];
        for set in [RuleSet::Computer, RuleSet::League, RuleSet::Axf, RuleSet::Simple] {
            let mut position = start(fen);
            let mut counters = Counters::default();
            let mut running = MoveCount::new(set, &position);
            for _ in 0..250 {
                let moves = position.legal_moves();
                let checks: Vec<_> = moves.iter().filter(|&&mv| position.gives_check(mv)).copied().collect();
                let quiet: Vec<_> = moves.iter().filter(|&&mv| position.piece_on(mv.to()).is_none()).copied().collect();
                let wanted = if random.random_range(0..3) > 0 && !checks.is_empty() { &checks } else { &quiet };
                let Some(&mv) = wanted.choose(&mut random) else { break };
                counters.play(&position, mv, set);
                let quiet_move = MoveFacts {
                    side: position.side(),
                    gives_check: position.gives_check(mv),
                    answers_check: position.in_check(),
                };
                let captures = position.piece_on(mv.to()).is_some();
                running = if captures { MoveCount::default() } else { running.after(set, quiet_move) };
                position.make(mv);
                let count = MoveCount::new(set, &position);
                assert_eq!(count.plies(), counters.counted, "{set:?} {position}");
                assert_eq!(count, running, "{set:?} {position}");
                uncounted += usize::from(position.plies_since_capture() > counters.counted);
            }
        }
    }
    assert!(uncounted > 1_000, "{uncounted}");
}

#[test]
fn plies_before_the_history_count_in_full() {
    let position = start("4k4/4a4/4b4/9/9/4R4/9/4B4/4A4/4KA3 w - - 37 60");
    assert_eq!(MoveCount::new(RuleSet::Computer, &position).plies(), 37);
    assert_eq!(MoveCount::new(RuleSet::League, &position).plies(), 37);
}

#[test]
fn the_limit_can_be_chosen_and_a_lost_side_has_lost() {
    let fen = "4k4/4a4/4b4/9/9/4R4/9/4B4/4A4/4KA3 w - - 99 60";
    let position = played(start(fen), "e4a4");
    let limits = |set, move_limit| Rules { set, move_limit }.verdict(&position);
    assert_eq!(limits(RuleSet::Computer, 120), Verdict::Continue);
    assert_eq!(limits(RuleSet::Computer, 100), Verdict::Draw(Reason::MoveLimit(100)));
    assert_eq!(limits(RuleSet::League, 100), Verdict::Draw(Reason::MoveLimit(100)));
    assert_eq!(limits(RuleSet::League, 120), Verdict::Continue);

    // Stalemate on the last counted ply: the league manager looks at the limit first.
    let position = played(start("3k5/9/4R4/9/9/9/9/9/9/4K4 w - - 99 60"), "e7e8");
    assert!(!position.in_check() && !position.has_legal_move());
    let limits = |set| Rules { set, move_limit: 100 }.verdict(&position);
    assert_eq!(limits(RuleSet::Computer), Verdict::Win(Side::Red, Reason::Stalemate(Side::Black)));
    assert_eq!(limits(RuleSet::League), Verdict::Draw(Reason::MoveLimit(100)));
}

#[test]
fn the_reasons_have_an_order() {
    let text = |set, fen: &str, moves: &str| {
        let verdict = Rules { set, move_limit: 120 }.verdict(&played(start(fen), moves));
        (verdict.word(), verdict.reason().map(ToString::to_string).unwrap_or_default())
    };
    // The third occurrence on the ply of the limit: a perpetual chase still loses.
    let lap = "g0g9 a9a0 g9g0 a0a9";
    let chase = "R1C6/3k5/9/9/9/9/9/9/4K4/5cc2 b - - 112 60";
    assert_eq!(text(RuleSet::Computer, chase, &format!("{lap} {lap}")).0, "red_wins");
    // The league manager looks at the limit first.
    let chase = "R1C6/3k5/9/9/9/9/9/9/4K4/5cc2 b - - 108 60";
    let (word, reason) = text(RuleSet::League, chase, &format!("{lap} {lap} {lap}"));
    assert!(word == "draw" && reason.contains("natural move limit"), "{word}: {reason}");
    // Mate at the limit wins; the limit comes before material.
    let mate = ("3k5/1R7/9/9/9/2R6/9/9/9/4K4 w - - 119 60", "c4c9");
    assert_eq!(text(RuleSet::Computer, mate.0, mate.1).1, "Black is checkmated");
    assert_eq!(text(RuleSet::League, mate.0, mate.1).1, "Black is checkmated");
    let bare = ("3ak4/4a4/4b4/9/9/9/9/4B4/4A4/3AK4 w - - 119 60", "e2c4");
    assert!(text(RuleSet::Computer, bare.0, bare.1).1.contains("natural move limit"));
}

#[test]
fn material_decides_as_the_list_says() {
    // Under the computer rules; nothing but the first holds under the others.
    let cases = [
        ("no attackers", "3ak4/4a4/4b4/9/9/9/9/4B4/4A4/3AK4 w", true),
        ("a pawn", "3ak4/4a4/4b4/9/9/4P4/9/4B4/4A4/3AK4 w", false),
        ("a horse", "3k5/9/9/9/9/9/9/4N4/9/4K4 w", false),
        ("a rook", "3k5/9/9/9/9/9/9/4R4/9/4K4 w", false),
        ("a bare cannon, no advisors", "3k5/9/9/9/9/9/9/4C4/9/4K4 w", true),
        ("a cannon with elephants, no advisors", "4k4/9/4b4/9/9/9/9/4B4/9/2C1K4 w", true),
        ("a cannon with an advisor", "3k5/9/9/9/9/9/9/2C6/4A4/4K4 w", false),
        ("a bare cannon, one advisor against it", "3k5/4a4/9/9/9/9/9/2C6/9/4K4 w", true),
        ("the same with an elephant, no mate at once", "3k5/4a4/9/9/9/9/9/2C1B4/9/4K4 w", true),
        ("a bare cannon, two advisors, no mate at once", "3k1a3/4a4/9/9/9/9/9/2C6/9/4K4 w", true),
        ("a bare cannon, two advisors, a mate at once", "3ak4/4a4/9/9/9/9/9/2C6/9/3K5 w", false),
        ("a cannon with an elephant, two advisors", "3k1a3/4a4/9/9/9/9/9/2C1B4/9/4K4 w", false),
        ("one cannon each, nothing else", "3k5/9/9/2c6/9/9/9/4C4/9/4K4 w", true),
        ("one cannon each, an elephant, no mate at once", "3k5/9/9/2c6/9/9/9/4B4/9/4K3C w", true),
        ("one cannon each, an advisor", "3k5/4a4/9/2c6/9/9/9/4B4/9/4K3C w", false),
        ("two cannons", "3k5/9/9/9/9/9/9/2C1C4/9/4K4 w", false),
    ];
    for (name, fen, is_dead) in cases {
        let position = start(fen);
        for position in [position.clone(), position.mirrored(), position.colour_flipped()] {
            let expected = if is_dead { Verdict::Draw(Reason::Material) } else { Verdict::Continue };
            assert_eq!(Rules::default().verdict(&position), expected, "{name}");
            for set in [RuleSet::League, RuleSet::Axf, RuleSet::Simple] {
                let expected = if name == "no attackers" { "draw" } else { "none" };
                assert_eq!(Rules::new(set).verdict(&position).word(), expected, "{name}, {set:?}");
            }
            // What the search takes for dead is dead; it only leaves out what may be mate at once.
            let is_certain = is_dead && !name.contains("no mate at once");
            assert_eq!(Rules::default().is_dead(&position), is_certain, "{name}");
        }
    }
}
