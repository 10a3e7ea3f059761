//! A self-play game depends on its settings and number only, and ends as the rules and the adjudication say.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::Path;

use chuhe::console::error::CommandError;
use chuhe::lab::datagen::{
    EndingKind, GameFile, GameReader, GameRecord, Openings, Plan, SearchSettings, Settings, Summary, run,
};
use chuhe::notation::game::GameResult;
use chuhe::notation::openings::Opening;
use chuhe::position::{Position, Strictness};
use chuhe::rules::{Reason, Rules, Verdict};
use chuhe::types::Side;
use chuhe::util::cancel::CancelFlag;

pub fn small() -> Settings {
    let search = SearchSettings { nodes: 200, hash: 1, ..SearchSettings::default() };
    Settings { most_plies: 120, search, ..Settings::default() }
}

fn plan(settings: Settings, games: u64, threads: usize) -> Plan {
    Plan { settings, openings: Openings::default(), games, threads: NonZeroUsize::new(threads).unwrap() }
}

fn openings(lines: &[&str]) -> Openings {
    Openings::new(lines.iter().map(|line| Opening::read(line, Strictness::Strict).unwrap()).collect())
}

fn play_into(path: &Path, plan: &Plan) -> Result<Summary, CommandError> {
    let mut file = GameFile::open(path, &plan.settings.to_json(), "").unwrap();
    run(plan, &mut file, &CancelFlag::default(), &mut || ())
}

/// The games of a file by their numbers; none is there twice.
pub fn games_of(path: &Path) -> BTreeMap<u64, GameRecord> {
    let mut games = BTreeMap::new();
    for record in GameReader::open(path).unwrap() {
        let record = record.unwrap();
        assert_eq!(games.insert(record.number, record), None);
    }
    games
}

pub fn play(plan: &Plan) -> BTreeMap<u64, GameRecord> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.txt");
    play_into(&path, plan).unwrap();
    games_of(&path)
}

#[test]
fn threads_and_shards_play_the_same_games() {
    let expected = play(&plan(small(), 13, 1));
    assert_eq!(expected.keys().copied().collect::<Vec<u64>>(), (0..13).collect::<Vec<u64>>());
    assert_eq!(play(&plan(small(), 13, 2)), expected);
    let mut together = BTreeMap::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let part = play(&plan(Settings { shard: shard.parse().unwrap(), ..small() }, 13, 2));
        assert!(part.len() == 4 || part.len() == 5);
        together.extend(part);
    }
    assert_eq!(together, expected);
    let others = play(&plan(Settings { seed: 2, ..small() }, 13, 2));
    assert!(expected.iter().all(|(number, game)| others[number].opening != game.opening), "another seed, other games");
}

#[test]
fn random_openings_follow_the_settings() {
    let settings = Settings { random_plies: 5, balance: 40, ..small() };
    for (number, game) in play(&plan(settings, 12, 2)) {
        assert_eq!(game.opening.moves.len(), 5, "game {number}");
        assert!(!game.opening.position().in_check());
        assert!(game.moves[0].score.abs() <= 40, "game {number}: {:?}", game.moves[0]);
    }
}

#[test]
fn openings_of_a_file_are_played_in_turn_and_not_twice() {
    let openings = openings(&["h2e2 h9g7", "3ak4/9/9/9/9/9/9/9/4A4/4K3R b - - 7 30", "c3c4"]);
    assert_ne!(openings.name, super::playing::openings(&["c3c4", "h2e2 h9g7"]).name);
    let settings = Settings { random_plies: 0, openings: openings.name.clone(), ..small() };
    let games = play(&Plan { openings: openings.clone(), ..plan(settings.clone(), 3, 2) });
    games.iter().for_each(|(number, game)| assert_eq!(&game.opening, openings.for_game(*number)));
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan { openings: openings.clone(), ..plan(settings.clone(), 4, 2) };
    let error = play_into(&folder.path().join("games.txt"), &plan).unwrap_err();
    assert!(error.to_string().starts_with("3 openings without random moves give only 3"), "{error}");
    // With random moves behind them there is no end.
    let settings = Settings { random_plies: 2, balance: 9_999, ..settings };
    let games = play(&Plan { settings, ..plan });
    assert_eq!(games[&3].opening.moves[..2], games[&0].opening.moves[..2]);
    assert_ne!(games[&3].opening.moves, games[&0].opening.moves);
}

#[test]
fn games_without_a_balanced_opening_are_skipped() {
    // Black's king is alone against two rooks.
    let openings = openings(&["4k4/9/9/9/9/9/9/9/4A4/R3K3R w"]);
    let search = SearchSettings { nodes: 1, ..small().search };
    let settings = Settings { random_plies: 1, search, ..small() };
    let plan = Plan { openings, ..plan(settings, 2, 1) };
    let folder = tempfile::tempdir().unwrap();
    let summary = play_into(&folder.path().join("games.txt"), &plan).unwrap();
    assert_eq!((summary.games, summary.skipped), (0, 2));
}

#[test]
fn a_cancellation_keeps_the_played_games() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.txt");
    let plan = plan(small(), 16, 2);
    let mut file = GameFile::open(&path, &plan.settings.to_json(), "").unwrap();
    let cancel = CancelFlag::default();
    let summary = run(&plan, &mut file, &cancel, &mut || _ = cancel.cancel()).unwrap();
    drop(file);
    // The one that asked for it, and those that were in progress or waited to be written.
    assert!((1..16).contains(&summary.games), "{summary:?}");
    assert_eq!(games_of(&path).len() as u64, summary.games);
    play_into(&path, &plan).unwrap();
    assert_eq!(games_of(&path), play(&plan));
    assert_eq!(play_into(&path, &plan).unwrap().games, 0);
}

/// Results of games agree with a replay by the rules and the adjudication.
#[test]
fn every_result_is_that_of_a_replay() {
    let settings = Settings { balance: 2_000, ..small() };
    let mut kinds = BTreeSet::new();
    for (number, game) in play(&plan(settings.clone(), 60, 2)) {
        kinds.insert(game.ending);
        let mut position = Position::start();
        for (ply, mv) in game.all_moves().enumerate() {
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
                        assert_eq!(game.all_moves().count(), settings.most_plies);
                        GameResult::Draw
                    }
                    EndingKind::WinAgreed => {
                        // The side that moved last is to move no longer.
                        let mover = !position.side();
                        let winner = if last[0] >= 1_500 && last[1] <= -1_500 { mover } else { !mover };
                        assert!(last.iter().all(|score| score.abs() >= 1_500) && last[0].signum() != last[1].signum());
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
