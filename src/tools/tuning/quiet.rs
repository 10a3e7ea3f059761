//! Which positions of a game say something about weights: those where nothing hangs.
//!
//! The evaluation is asked about quiet positions only, so it is fitted to such: not in check, no capture played, and
//! captures that win nothing. What is done with the positions is not known here.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::dataset::Label;
use crate::eval::handcrafted;
use crate::notation::game::{Game, GameResult};
use crate::position::Position;
use crate::tools::datagen::ScoredGame;
use crate::types::score::{EVALUATION_LIMIT, is_decisive};
use crate::types::{Move, MoveList, Side, Value};
use crate::util::stable_hash::StableHash;

/// Which positions of a game are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// How many of a game at most, spread over it; 0 takes all.
    pub per_game: usize,
    /// How many plies must have been played before.
    pub from_ply: usize,
    /// How much captures may change the evaluation, in centipawns.
    pub margin: Value,
    /// Decides which of the quiet positions are taken.
    pub seed: u64,
}

impl Default for Choice {
    fn default() -> Choice {
        Choice { per_game: 10, from_ply: 17, margin: 50, seed: 1 }
    }
}

/// A quiet position of a game.
#[derive(Clone, Debug)]
pub struct Quiet {
    /// The position.
    pub position: Position,
    /// What is known of it.
    pub label: Label,
}

/// The quiet positions of a game that was written down. None when its result is not known.
pub fn quiet_positions(game: &Game, choice: &Choice) -> Vec<Quiet> {
    choose(&game.start, game.moves.iter().map(|played| (played.mv, None)), game.result, choice)
}

/// The quiet positions of a game that an engine played with itself, labelled with its scores too. Where the score is
/// decisive there is nothing to learn.
///
/// ```
/// use chuhe::notation::game::GameResult;
/// use chuhe::position::Position;
/// use chuhe::tools::datagen::{ScoredGame, ScoredMove};
/// use chuhe::tools::tuning::{Choice, positions_of};
/// let scored = |text: &str, score| ScoredMove { mv: text.parse().unwrap(), score };
/// let game = ScoredGame {
///     start: Position::start(),
///     moves: vec![scored("h2e2", 30), scored("h9g7", -25), scored("e2e6", 12)],
///     result: GameResult::RedWins,
/// };
/// let quiet = positions_of(&game, &Choice { per_game: 0, from_ply: 1, ..Choice::default() });
/// // Two plies are past; the last move captures.
/// assert_eq!(quiet.len(), 1);
/// assert_eq!((quiet[0].label.result, quiet[0].label.score), (1.0, Some(25)));
/// ```
pub fn positions_of(game: &ScoredGame, choice: &Choice) -> Vec<Quiet> {
    choose(&game.start, game.moves.iter().map(|played| (played.mv, Some(played.score))), game.result, choice)
}

/// A number that tells games apart: what start and which moves they have.
pub fn game_key(start: &Position, moves: impl Iterator<Item = Move>) -> u64 {
    let of_start = StableHash::default().with(start.key());
    moves.fold(of_start, |print, mv| print.with(u64::from(mv.bits()))).value()
}

fn choose(
    start: &Position,
    moves: impl Iterator<Item = (Move, Option<Value>)> + Clone,
    result: GameResult,
    choice: &Choice,
) -> Vec<Quiet> {
    let Some(points) = result.points(Side::Red) else { return Vec::new() };
    let plies_before = 2 * start.move_number().saturating_sub(1) + start.side().index();
    let mut position = start.clone();
    let mut candidates = Vec::new();
    for (ply, (mv, score)) in moves.clone().enumerate() {
        let is_calm = plies_before + ply >= choice.from_ply
            && position.piece_on(mv.to()).is_none()
            && !score.is_some_and(is_decisive)
            && !position.in_check();
        if is_calm {
            let sign = if position.side() == Side::Red { 1 } else { -1 };
            let label = Label { result: points as f32, score: score.map(|score| sign * score) };
            // A history is not needed, and would be copied with every position.
            candidates.push(Quiet { position: position.with_recent_history(0), label });
        }
        position.make(mv);
    }
    if choice.per_game == 0 || candidates.len() <= choice.per_game {
        candidates.retain(|candidate| is_quiet(&candidate.position, choice.margin));
        return candidates;
    }
    let mut random = ChaCha8Rng::seed_from_u64(choice.seed ^ game_key(start, moves.map(|(mv, _)| mv)));
    let mut chosen = Vec::new();
    for part in 0..choice.per_game {
        let bound = |part: usize| part * candidates.len() / choice.per_game;
        let range = bound(part)..bound(part + 1);
        // Any place of this part of the game, and the next quiet one behind it, around the end if need be.
        let first = random.random_range(range.clone());
        let places = (first..range.end).chain(range.start..first);
        chosen.extend(places.map(|at| &candidates[at]).find(|found| is_quiet(&found.position, choice.margin)).cloned());
    }
    chosen
}

/// Whether captures change the evaluation by no more than `margin`. The side to move is not in check.
pub fn is_quiet(position: &Position, margin: Value) -> bool {
    let value = handcrafted::evaluate(position);
    let mut position = position.clone();
    let settled = settle(&mut position, value - margin - 1, value + margin + 1, MOST_CAPTURES);
    (settled - value).abs() <= margin
}

/// How many captures in a row are looked at.
const MOST_CAPTURES: usize = 8;

/// The value when both sides may capture on, as long as an exchange loses nothing.
fn settle(position: &mut Position, mut alpha: Value, beta: Value, captures_left: usize) -> Value {
    let standing = handcrafted::evaluate(position);
    let mut best = standing;
    // A side in check has no choice but to move; what comes of that is the search's business.
    if best >= beta || captures_left == 0 || position.in_check() {
        return best;
    }
    alpha = alpha.max(best);
    let mut moves = MoveList::new();
    position.captures(&mut moves);
    for &mv in &moves {
        if !position.see_ge(mv, 0) || !position.is_legal(mv) {
            continue;
        }
        position.make(mv);
        let value = if position.has_legal_move() {
            -settle(position, -beta, -alpha, captures_left - 1)
        } else {
            EVALUATION_LIMIT
        };
        position.unmake();
        best = best.max(value);
        alpha = alpha.max(value);
        if alpha >= beta {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::game::GameMove;

    #[test]
    fn a_hanging_rook_is_not_quiet() {
        let quiet = "3ak4/9/9/9/4r4/9/9/9/4A4/R3K4 w";
        let hanging = "3ak4/9/9/9/r8/9/9/9/4A4/R3K4 w";
        assert!(is_quiet(&Position::start(), 50));
        assert!(!is_quiet(&Position::from_fen(hanging).unwrap(), 50));
        assert!(is_quiet(&Position::from_fen(quiet).unwrap(), 50));
    }

    fn game() -> Game {
        let text = "1-0\t\th2e2 h9g7 h0g2 i9h9 i0h0 h7h3 g3g4 b7e7 b0a2 b9c7 a0b0 c6c5 b2c2 c7d5 b0b4 d5e3 g2e3 e7e3 d0e1 e3e5 c2c5";
        let reader = crate::notation::format::Format::Moves.games(text.as_bytes(), Default::default());
        reader.map(Result::unwrap).next().unwrap()
    }

    #[test]
    fn positions_are_taken_behind_the_opening_and_before_quiet_moves() {
        let game = game();
        let all = Choice { per_game: 0, from_ply: 0, margin: 100_000, seed: 1 };
        let found = quiet_positions(&game, &all);
        let captures = |game: &Game| {
            let mut position = game.start.clone();
            let mut captures = 0;
            for GameMove { mv, .. } in &game.moves {
                captures += usize::from(position.piece_on(mv.to()).is_some() || position.in_check());
                position.make(*mv);
            }
            captures
        };
        assert!(captures(&game) > 1);
        assert_eq!(found.len(), game.moves.len() - captures(&game));
        let late = quiet_positions(&game, &Choice { from_ply: 12, ..all });
        assert_eq!(late.len(), found.len() - 12);
        assert!(late.iter().all(|quiet| quiet.label.result == 1.0 && quiet.position.history().is_empty()));
        let few = quiet_positions(&game, &Choice { per_game: 4, ..all });
        assert_eq!(few.len(), 4);
        let numbers: Vec<usize> = few.iter().map(|quiet| quiet.position.move_number()).collect();
        assert!(numbers.is_sorted() && numbers[3] > numbers[0] + 2, "{numbers:?}");
        let other = |seed| quiet_positions(&game, &Choice { per_game: 4, seed, ..all });
        let keys = |quiet: &[Quiet]| -> Vec<u64> { quiet.iter().map(|quiet| quiet.position.key()).collect() };
        assert_eq!(keys(&other(1)), keys(&few));
        assert!((2..10).any(|seed| keys(&other(seed)) != keys(&few)));
        assert!(quiet_positions(&Game { result: GameResult::Unknown, ..game }, &all).is_empty());
    }
}
