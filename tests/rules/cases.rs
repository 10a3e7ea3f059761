//! Cases that other engines have judged.

use chuhe::rules::{RuleSet, Rules, Verdict};
use chuhe::types::{Move, Side};

use crate::common::data::{RULES_CASES, after, lines, position as start};

pub struct Case {
    pub id: &'static str,
    pub fen: &'static str,
    pub moves: Vec<Move>,
    pub verdict: &'static str,
    /// Tells whether the league manager says the same once the moves were played twice.
    pub holds_in_league: bool,
}

pub fn cases() -> Vec<Case> {
    let read = |line: &'static str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [id, fen, moves, verdict, _, judges, ..] = columns[..] else { panic!("columns are missing: {line}") };
        Case {
            id,
            fen,
            moves: moves.split(' ').filter(|text| !text.is_empty()).map(|text| text.parse().unwrap()).collect(),
            verdict,
            holds_in_league: judges.contains("eleeye@4fold"),
        }
    };
    lines(RULES_CASES).map(read).collect()
}

/// The verdict on the same game with the colours exchanged.
pub fn flipped(verdict: &str) -> &str {
    match verdict {
        "red_wins" => "black_wins",
        "black_wins" => "red_wins",
        other => other,
    }
}

#[test]
fn every_case_is_judged_as_the_others_do() {
    let cases = cases();
    assert_eq!(cases.len(), 144);
    for case in &cases {
        let verdict = Rules::default().verdict(&after(start(case.fen), case.moves.iter().copied()));
        assert_eq!(verdict.word(), case.verdict, "{}: {verdict:?}", case.id);
    }
    for verdict in ["red_wins", "black_wins", "draw", "none"] {
        assert!(cases.iter().filter(|case| case.verdict == verdict).count() >= 8, "{verdict}");
    }
}

#[test]
fn the_league_judges_at_the_fourth_occurrence() {
    let league = Rules::new(RuleSet::League);
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.holds_in_league).collect();
    assert_eq!(cases.len(), 73);
    for case in &cases {
        let once = after(start(case.fen), case.moves.iter().copied());
        let twice = after(once.clone(), case.moves.iter().copied());
        assert_eq!(league.verdict(&twice).word(), case.verdict, "{}: {:?}", case.id, league.verdict(&twice));
        let laps = once.history().iter().filter(|played| played.key == once.key()).count();
        if laps < 3 {
            assert_eq!(league.verdict(&once), Verdict::Continue, "{}: not yet", case.id);
        }
    }
}

#[test]
fn the_simple_rules_know_perpetual_check_only() {
    let simple = Rules::new(RuleSet::Simple);
    let mut by_check = 0;
    for case in cases().iter().filter(|case| !case.id.starts_with('N')) {
        let position = after(start(case.fen), case.moves.iter().copied());
        let every_move_checks = |side: Side| {
            let mut replayed = start(case.fen);
            case.moves.iter().all(|&mv| {
                let is_check = replayed.gives_check(mv);
                let mover = replayed.side();
                replayed.make(mv);
                mover != side || is_check
            })
        };
        // The cases marked F have occurred twice only.
        let is_over = !case.id.starts_with('F');
        let expected = match (is_over, every_move_checks(Side::Red), every_move_checks(Side::Black)) {
            (false, ..) => "none",
            (_, true, false) => "black_wins",
            (_, false, true) => "red_wins",
            _ => "draw",
        };
        by_check += usize::from(expected.ends_with("wins"));
        assert_eq!(simple.verdict(&position).word(), expected, "{}", case.id);
    }
    assert!(by_check >= 5, "{by_check}");
}

/// For the league only left and right could differ, in which of two chased pieces counts; in these cases they do not.
#[test]
fn colours_and_sides_of_the_board_make_no_difference() {
    for case in cases() {
        let position = start(case.fen);
        for (set, times) in [(RuleSet::Computer, 1), (RuleSet::Axf, 1), (RuleSet::Simple, 1), (RuleSet::League, 2)] {
            if set == RuleSet::League && !case.holds_in_league {
                continue;
            }
            let rules = Rules::new(set);
            let moves = || (0..times).flat_map(|_| case.moves.iter());
            let verdict = rules.verdict(&after(position.clone(), moves().copied()));
            let mirrored = rules.verdict(&after(position.mirrored(), moves().map(|mv| mv.mirrored())));
            assert_eq!(mirrored.word(), verdict.word(), "{} mirrored, {set:?}", case.id);
            let exchanged = rules.verdict(&after(position.colour_flipped(), moves().map(|mv| mv.flipped())));
            assert_eq!(exchanged.word(), flipped(verdict.word()), "{} flipped, {set:?}", case.id);
        }
    }
}
