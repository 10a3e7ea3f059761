//! Random games from the start of the game, and random boards, the same for the same seed.

use chuhe::position::{PieceObserver, Position, Strictness};
use chuhe::types::{Move, Side};
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::naive::{Board, Point, can_stand};

/// Shows every position of random games to `visit`; one move in three is a capture where there is one.
pub fn random_games(seed: u64, games: usize, plies: usize, mut visit: impl FnMut(&Position, &mut ChaCha8Rng)) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..games {
        let mut position = Position::start();
        for _ in 0..plies {
            visit(&position, &mut random);
            let moves = position.legal_moves();
            let captures: Vec<_> = moves.iter().filter(|mv| position.piece_on(mv.to()).is_some()).collect();
            let wants_capture = random.random_range(0..3) == 0;
            let chosen = match captures.choose(&mut random) {
                Some(&&capture) if wants_capture => Some(capture),
                _ => moves.choose(&mut random).copied(),
            };
            let Some(mv) = chosen else { break };
            position.make(mv);
        }
    }
}

/// Makes random moves, fewer if the game ends, and returns them.
pub fn random_line(position: &mut Position, plies: usize, random: &mut ChaCha8Rng) -> Vec<Move> {
    let next = |_| {
        let mv = *position.legal_moves().choose(random)?;
        position.make(mv);
        Some(mv)
    };
    (0..plies).map_while(next).collect()
}

/// Makes random moves from the start, one in four of them taken back and some null moves if `with_null`, all seen by
/// `observer`, and shows position and observer to `visit` after each step.
pub fn to_and_fro<O: PieceObserver>(
    random: &mut ChaCha8Rng,
    steps: usize,
    with_null: bool,
    observer: &mut O,
    mut visit: impl FnMut(&Position, &mut O),
) {
    let mut position = Position::start();
    let mut made = 0;
    for _ in 0..steps {
        let moves = position.legal_moves();
        if made > 0 && (moves.is_empty() || random.random_range(0..4) == 0) {
            position.unmake_observed(observer);
            made -= 1;
        } else if let Some(&mv) = moves.choose(random) {
            if with_null && !position.in_check() && random.random_range(0..20) == 0 {
                position.make_null(observer);
            } else {
                position.make_observed(mv, observer);
            }
            made += 1;
        }
        visit(&position, observer);
    }
}

/// Returns valid positions of random boards, on which `draw` puts the pieces of each side.
pub fn random_boards(
    seed: u64,
    count: usize,
    strictness: Strictness,
    draw: impl Fn(&mut Board, Side, &mut ChaCha8Rng),
) -> Vec<Position> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut board = Board::empty();
        Side::BOTH.into_iter().for_each(|side| draw(&mut board, side, &mut random));
        let side = if random.random() { 'w' } else { 'b' };
        let parsed = Position::parse_fen(&format!("{} {side}", board.text()), strictness);
        positions.extend(parsed.map(|parsed| parsed.position));
    }
    positions
}

/// Puts a piece on a random point of these files where it may stand, unless another one is there or there are 16 of it.
pub fn put_randomly(board: &mut Board, side: Side, letter: char, files: &[i8], random: &mut ChaCha8Rng) {
    let man = if side == Side::Red { letter } else { letter.to_ascii_lowercase() };
    let points = Point::all().filter(|&point| files.contains(&point.file) && can_stand(man, point));
    let free = points.choose(random).filter(|&point| board.man_on(point).is_none() && board.count(man) < 16);
    free.into_iter().for_each(|point| board.put(point, Some(man)));
}
