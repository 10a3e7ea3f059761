//! Naive witness for the book tests: random games, and statistics counted without keys, sorting or orientation.

use chuhe::book::Statistics;
use chuhe::notation::game::{Game, GameResult};
use chuhe::position::Position;
use chuhe::types::{Move, Side};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Random games whose first moves come from a small set; some are mirrored, some have no result.
pub fn random_games(seed: u64, count: usize) -> Vec<Game> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| random_game(&mut rng)).collect()
}

fn random_game(rng: &mut ChaCha8Rng) -> Game {
    let mut position = Position::start();
    let is_mirrored = rng.random_bool(0.5);
    let mut moves = Vec::new();
    for ply in 0..rng.random_range(1..24) {
        let mut legal = position.legal_moves().to_vec();
        if legal.is_empty() {
            break;
        }
        legal.sort_by_key(|mv| mv.bits());
        // Few first moves, and now and then a piece moves back.
        let back = moves.len().checked_sub(2).map(|index| Move::new(Move::to(moves[index]), Move::from(moves[index])));
        let few = legal.len().min(3 + ply);
        let mv = match back.filter(|mv| legal.contains(mv) && rng.random_bool(0.2)) {
            Some(back) => back,
            None => legal[rng.random_range(0..few) * 7 % legal.len()],
        };
        position.make(mv);
        moves.push(mv);
    }
    let results = [GameResult::RedWins, GameResult::BlackWins, GameResult::Draw, GameResult::Unknown];
    let moves = moves.into_iter().map(|mv| if is_mirrored { mv.mirrored() } else { mv });
    Game { result: results[rng.random_range(0..4)], ..Game::from_line(Position::start(), moves) }
}

/// Played move: board and side to move, move, result for the mover, and index of the game.
pub struct Played {
    board: String,
    mv: Move,
    points: f64,
    game: usize,
}

fn board_of(position: &Position) -> String {
    position.to_string().split(' ').take(2).collect::<Vec<_>>().join(" ")
}

pub fn played_in(games: &[Game], max_plies: usize) -> Vec<Played> {
    let mut all = Vec::new();
    for (number, game) in games.iter().enumerate() {
        let mut position = game.start.clone();
        for played in game.main_line().iter().take(max_plies) {
            let side = position.side();
            let points = match game.result {
                GameResult::Unknown => break,
                GameResult::Draw => 0.5,
                GameResult::RedWins => f64::from(side == Side::Red),
                GameResult::BlackWins => f64::from(side == Side::Black),
            };
            all.push(Played { board: board_of(&position), mv: played.mv, points, game: number });
            position.make(played.mv);
        }
    }
    all
}

/// Results of the games that played this move here, or its mirror image in the mirrored position, each counted once.
pub fn count(all: &[Played], position: &Position, mv: Move) -> Statistics {
    let boards = [(board_of(position), mv), (board_of(&position.mirrored()), mv.mirrored())];
    let mut statistics = Statistics::default();
    let mut last = None;
    for played in all {
        let is_it = boards.iter().any(|(board, mv)| *board == played.board && *mv == played.mv);
        if is_it && last != Some(played.game) {
            last = Some(played.game);
            match played.points {
                1.0 => statistics.wins += 1,
                0.0 => statistics.losses += 1,
                _ => statistics.draws += 1,
            }
        }
    }
    statistics
}

pub fn positions(games: &[Game]) -> Vec<Position> {
    let mut all = Vec::new();
    for game in games {
        let mut position = game.start.clone();
        all.push(position.clone());
        for played in game.main_line() {
            position.make(played.mv);
            all.push(position.clone());
        }
    }
    all
}
