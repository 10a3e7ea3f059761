//! Repetition, the natural move limit and dead material end an attempt.

use chuhe::counting::Ranking;
use chuhe::position::Position;
use chuhe::rules::{Reason, RuleSet, Rules, Verdict};
use chuhe::solver::{MateLimits, MateVerdict};
use chuhe::types::{Move, Side};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::common::data::{after, position};
use crate::common::placements::random_placement;
use crate::witness::Witness;
use crate::{mate, solve, solver, verdict};

#[test]
fn perpetual_check_is_no_mate() {
    // Published false mates of other engines: fairy-stockfish/Fairy-Stockfish#635 and noobpwnftw/chessdb#15.
    for fen in [
        "3aka3/4n4/9/9/9/9/9/7C1/7r1/3AK4 w",
        "5R3/4k4/9/4r4/9/9/5p3/5A3/5K3/9 b",
        "3aka3/4n4/9/9/9/9/2C6/9/6r2/3AK4 b",
    ] {
        assert_eq!(verdict(&position(fen), 3), MateVerdict::Refuted, "{fen}");
        let limits = MateLimits { nodes: 100_000, ..MateLimits::moves(40) };
        assert_eq!(solve(&position(fen), &limits).verdict.mate(), None, "{fen}");
    }
}

/// Positions of one piece against a king with a mate in exactly this number of moves, and a first move of it.
fn bare_king_mates(ending: &str, moves: usize) -> impl Iterator<Item = (Position, Move)> + use<> {
    let ranking = Ranking::new(ending.parse().unwrap());
    let mut random = ChaCha8Rng::seed_from_u64(17);
    let draw = move || random_placement(&ranking, &mut random).0.position(Side::Red).ok();
    std::iter::repeat_with(draw).flatten().filter_map(move |position| {
        let mut witness = Witness::default();
        if witness.mates_within(&mut position.clone(), moves - 1) || !witness.mates_within(&mut position.clone(), moves)
        {
            return None;
        }
        let mut first = position.legal_moves().into_iter();
        first.find(|&mv| witness.mates_by(&mut position.clone(), mv, moves)).map(|mv| (position, mv))
    })
}

/// Tells whether no other first move mates within this number of moves.
fn is_only_mate(position: &Position, first: Move, moves: usize) -> bool {
    let mates = |mv| Witness::default().mates_by(&mut position.clone(), mv, moves);
    position.legal_moves().into_iter().all(|mv| mv == first || !mates(mv))
}

fn reverse(mv: Move) -> Move {
    Move::new(mv.to(), mv.from())
}

#[test]
fn a_position_that_the_game_has_seen_twice_is_no_step_to_a_mate() {
    let mut tested = 0;
    for (start, first) in bare_king_mates("KRvK", 2).filter(|(start, first)| is_only_mate(start, *first, 2)).take(40) {
        // The game begins after the first move of the mate: there and back again, so that the mate would repeat.
        let Ok(game) = Position::from_fen(&after(start.clone(), [first]).to_string()) else { continue };
        let reply = game.legal_moves().into_iter().find(|&reply| {
            let mut played = game.clone();
            [reply, reverse(first), reverse(reply), first].into_iter().all(|mv| {
                let can_play = played.can_play(mv);
                if can_play {
                    played.make(mv);
                }
                can_play
            })
        });
        let Some(reply) = reply else { continue };
        let once = after(game, [reply, reverse(first), reverse(reply)]);
        assert_eq!(once.key(), start.key());
        assert_eq!(mate(&once, 2).line[0], first, "the second occurrence is not judged yet");
        let twice = after(once, [first, reply, reverse(first), reverse(reply)]);
        assert_eq!(Rules::default().verdict(&twice), Verdict::Continue);
        assert_eq!(verdict(&twice, 2), MateVerdict::Refuted, "{twice}");
        // The rules say so too.
        let third = after(twice.clone(), [first]);
        assert!(matches!(Rules::default().verdict(&third).reason(), Some(Reason::Repetition(_))), "{third}");
        // Rules that judge at the fourth occurrence still allow it.
        let league = Rules::new(RuleSet::League);
        let result = solver().solve(&twice, league, &MateLimits::moves(2), &|| false);
        assert_eq!(result.verdict.mate().map(|mate| mate.line[0]), Some(first), "{twice}");
        tested += 1;
    }
    assert!(tested >= 5, "only {tested} positions");
}

#[test]
fn a_mate_must_come_before_the_natural_move_limit() {
    for moves in 1..=3 {
        for (start, _) in bare_king_mates("KNvK", moves).take(4) {
            let fen = start.to_string();
            let board = fen.split(' ').next().unwrap();
            for plies in 110..120 {
                let position = position(&format!("{board} w - - {plies} 70"));
                // The last move of the mate is played from a position that is not drawn yet.
                let is_in_time = plies + 2 * (moves - 1) < 120;
                let verdict = verdict(&position, moves);
                assert_eq!(verdict.mate().is_some(), is_in_time, "{position}: {verdict:?}");
                assert!(is_in_time || verdict != MateVerdict::Refuted, "late checks might not count: {position}");
            }
        }
    }
}

#[test]
fn dead_material_is_drawn_unless_it_mates_at_once() {
    // Under the default rules a bare cannon against two advisors is a draw unless the next move mates.
    let ranking = Ranking::new("KCvKAA".parse().unwrap());
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let (mut mated, mut drawn) = (0, 0);
    while mated + drawn < 300 {
        let Ok(position) = random_placement(&ranking, &mut random).0.position(Side::Red) else { continue };
        let expected = Witness::default().mates_within(&mut position.clone(), 1);
        assert_eq!(Rules::default().is_dead_unless_mate(&position), !expected, "{position}");
        match verdict(&position, 6) {
            MateVerdict::Proved(mate) => {
                assert!(expected && mate.moves == 1, "{position}");
                mated += 1;
            }
            verdict => {
                assert!(!expected && verdict == MateVerdict::Refuted, "{position}");
                drawn += 1;
            }
        }
    }
    assert!(mated > 5 && drawn > 200, "{mated} mated, {drawn} drawn");
}

#[test]
fn a_game_that_repetition_has_ended_has_no_mate() {
    let mut game = position("3k5/9/R1P6/9/9/9/9/9/9/4K4 w");
    for _ in 0..2 {
        assert!(verdict(&game, 1).mate().is_some(), "{game}");
        for mv in ["a7b7", "d9d8", "b7a7", "d8d9"] {
            game.make(mv.parse().unwrap());
        }
    }
    assert!(matches!(Rules::default().verdict(&game).reason(), Some(Reason::Repetition(_))));
    assert_eq!(verdict(&game, 1), MateVerdict::Refuted);
}
