//! Naive witness for the book tests: random games, and statistics counted without keys, sorting or orientation.

use std::collections::{HashMap, HashSet};

use chuhe::book::Statistics;
use chuhe::notation::game::{Game, GameResult};
use chuhe::position::Position;
use chuhe::types::Move;
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

/// Board and move, or their mirror images, as text.
pub type Name = (String, String);

pub fn name_of(position: &Position, mv: Move) -> Name {
    let text =
        |position: &Position, mv: Move| (position.to_string().split(" - ").next().unwrap().to_owned(), mv.to_string());
    text(position, mv).min(text(&position.mirrored(), mv.mirrored()))
}

/// Results of the moves that count, each game once, for the side that moves. A move counts by its ply, by whether it is
/// known from a game before, and by whether its side lost.
pub fn results_of(games: &[Game], counts: impl Fn(usize, bool, bool) -> bool) -> HashMap<Name, Statistics> {
    let mut all = HashMap::<Name, Statistics>::new();
    for game in games.iter().filter(|game| game.result != GameResult::Unknown) {
        let (mut position, mut seen) = (game.start.clone(), HashSet::new());
        for (ply, mv) in game.line().into_iter().enumerate() {
            let (name, side) = (name_of(&position, mv), position.side());
            position.make(mv);
            let has_lost = game.result == GameResult::win_of(side.opponent());
            if counts(ply, all.contains_key(&name), has_lost) && seen.insert(name.clone()) {
                let results = all.entry(name).or_default();
                match game.result {
                    GameResult::Draw => results.draws += 1,
                    _ if has_lost => results.losses += 1,
                    _ => results.wins += 1,
                }
            }
        }
    }
    all
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
