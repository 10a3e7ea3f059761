//! Results of games agree with a replay by the rules and the adjudication.

use chuhe::lab::datagen::{EndingKind, Settings};
use chuhe::notation::game::GameResult;
use chuhe::position::Position;
use chuhe::rules::{Reason, Rules, Verdict};
use chuhe::types::Side;

use crate::playing::{play, small};

#[test]
fn every_result_is_that_of_a_replay() {
    let settings = Settings { random_plies: 8, balance: 2_000, win_score: Some(3_000), ..small() };
    let plan = chuhe::lab::datagen::Plan {
        settings: settings.clone(),
        openings: Default::default(),
        games: 60,
        threads: std::num::NonZeroUsize::new(2).unwrap(),
    };
    let mut kinds = std::collections::BTreeSet::new();
    for (number, game) in play(&plan) {
        kinds.insert(game.ending);
        let mut position = Position::start();
        let all: Vec<_> = game.opening.moves.iter().copied().chain(game.moves.iter().map(|played| played.mv)).collect();
        for (ply, &mv) in all.iter().enumerate() {
            // No side plays on in a game that is over, once searches play.
            if ply >= game.opening.moves.len() {
                assert_eq!(Rules::default().verdict(&position), Verdict::Continue, "game {number}, ply {ply}");
            }
            assert!(position.can_play(mv));
            position.make(mv);
        }
        let verdict = Rules::default().verdict(&position);
        let expected = match &verdict {
            Verdict::Win(Side::Red, _) => GameResult::RedWins,
            Verdict::Win(Side::Black, _) => GameResult::BlackWins,
            Verdict::Draw(_) => GameResult::Draw,
            Verdict::Continue => {
                // The scores decided it, or its length.
                let last: Vec<i32> = game.moves.iter().rev().take(2).map(|played| played.score).collect();
                match game.ending {
                    EndingKind::TooLong => {
                        assert_eq!(all.len(), settings.most_plies);
                        GameResult::Draw
                    }
                    EndingKind::WinAgreed => {
                        // The side that moved last is to move no longer.
                        let mover = !position.side();
                        let winner = if last[0] >= 3_000 && last[1] <= -3_000 { mover } else { !mover };
                        assert!(
                            last[0].abs() >= 3_000 && last[1].abs() >= 3_000 && last[0].signum() != last[1].signum()
                        );
                        GameResult::win_of(winner)
                    }
                    other => panic!("game {number} ends without a reason: {other:?}"),
                }
            }
        };
        assert_eq!(game.result, expected, "game {number}: {verdict:?}");
        let kind = match verdict.reason() {
            None => game.ending,
            Some(Reason::Checkmate(_)) => EndingKind::Checkmate,
            Some(Reason::Stalemate(_)) => EndingKind::Stalemate,
            Some(Reason::Repetition(_)) => EndingKind::Repetition,
            Some(Reason::MoveLimit(_)) => EndingKind::MoveLimit,
            Some(Reason::Material) => EndingKind::Material,
        };
        assert_eq!(game.ending, kind, "game {number}");
    }
    assert!(kinds.len() >= 3, "games end in several ways: {kinds:?}");
}
