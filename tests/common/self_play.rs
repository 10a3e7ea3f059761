//! Helper: games with random moves and scores, and files of them.

use chuhe::lab::datagen::record::header_line;
use chuhe::lab::datagen::{EndingKind, GameRecord, ScoredMove, Settings};
use chuhe::notation::game::GameResult;
use chuhe::notation::openings::Opening;
use chuhe::position::Position;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::walks::random_line;

/// A game of random legal moves, from the start of the game or from a position without some pieces.
pub fn random_game(rng: &mut ChaCha8Rng, number: u64) -> GameRecord {
    let mut position = Position::start();
    if rng.random_bool(0.5) {
        let plies = rng.random_range(1..150);
        random_line(&mut position, plies, rng);
        position = Position::from_fen(&position.to_string()).expect("positions of games can be read");
    }
    let start = position.clone();
    let plies = rng.random_range(0..12);
    let unscored = random_line(&mut position, plies, rng);
    let plies = rng.random_range(0..120);
    let moves = random_line(&mut position, plies, rng).into_iter().map(|mv| {
        let most = [30, 300, 10_001][rng.random_range(0..3)];
        ScoredMove { mv, score: rng.random_range(-most..=most) }
    });
    let moves = moves.collect();
    let results = [GameResult::RedWins, GameResult::BlackWins, GameResult::Draw, GameResult::Unknown];
    GameRecord {
        number,
        opening: Opening { start, moves: unscored },
        moves,
        result: results[rng.random_range(0..4)],
        ending: EndingKind::NAMED[rng.random_range(0..EndingKind::NAMED.len())].0,
    }
}

pub fn random_games(seed: u64, count: usize) -> Vec<GameRecord> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let number = |index: usize| [index as u64, 1 << (index % 64), u64::MAX - index as u64][index % 3];
    (0..count).map(|index| random_game(&mut rng, number(index))).collect()
}

pub fn file_of(games: &[GameRecord]) -> Vec<u8> {
    file_with(&Settings::default().to_json(), games)
}

pub fn file_with(settings: &str, games: &[GameRecord]) -> Vec<u8> {
    let lines = games.iter().map(GameRecord::to_line);
    std::iter::once(header_line(settings)).chain(lines).collect::<String>().into_bytes()
}
