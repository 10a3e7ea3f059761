//! Selection of quiet positions from games.
//!
//! The search evaluates quiet positions only, so weights are fitted to such: not in check, no capture played, and no
//! capture that wins material.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::dataset::Label;
use crate::eval::handcrafted;
use crate::lab::datagen::ScoredGame;
use crate::lab::training::game_key;
use crate::notation::game::{Game, GameResult};
use crate::position::Position;
use crate::types::score::{EVALUATION_LIMIT, is_decisive};
use crate::types::{Move, MoveList, Side, Value};

/// Selection of positions from a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Selection {
    /// Maximum number per game, spread over it; 0 takes all.
    pub per_game: usize,
    /// Minimum number of plies played before.
    pub from_ply: usize,
    /// Maximum change of the evaluation by captures, in centipawns.
    pub margin: Value,
    /// Seed of the selection.
    pub seed: u64,
}

impl Default for Selection {
    fn default() -> Selection {
        Selection { per_game: 10, from_ply: 17, margin: 50, seed: 1 }
    }
}

/// Quiet position of a game.
#[derive(Clone, Debug)]
pub struct QuietPosition {
    /// The position.
    pub position: Position,
    /// Its label.
    pub label: Label,
}

/// Returns the quiet positions of a game. None when its result is unknown.
pub fn quiet_positions(game: &Game, selection: &Selection) -> Vec<QuietPosition> {
    choose(&game.start, game.main_line().iter().map(|played| (played.mv, None)), game.result, selection)
}

/// Returns the quiet positions of a self-play game, labelled with its scores too. Positions with a decisive score are
/// left out.
///
/// ```
/// use chuhe::notation::game::GameResult;
/// use chuhe::position::Position;
/// use chuhe::lab::datagen::{EndingKind, ScoredGame, ScoredMove};
/// use chuhe::lab::tuning::{Selection, quiet_scored_positions};
/// let scored = |text: &str, score| ScoredMove { mv: text.parse().unwrap(), score };
/// let game = ScoredGame {
///     start: Position::start(),
///     moves: vec![scored("h2e2", 30), scored("h9g7", -25), scored("e2e6", 12)],
///     result: GameResult::RedWins,
///     ending: EndingKind::WinAgreed,
/// };
/// let quiet = quiet_scored_positions(&game, &Selection { per_game: 0, from_ply: 1, ..Selection::default() });
/// // Two plies are past; the last move captures.
/// assert_eq!(quiet.len(), 1);
/// assert_eq!((quiet[0].label.result, quiet[0].label.score), (1.0, Some(25)));
/// ```
pub fn quiet_scored_positions(game: &ScoredGame, selection: &Selection) -> Vec<QuietPosition> {
    choose(&game.start, game.moves.iter().map(|played| (played.mv, Some(played.score))), game.result, selection)
}

fn choose(
    start: &Position,
    moves: impl Iterator<Item = (Move, Option<Value>)> + Clone,
    result: GameResult,
    selection: &Selection,
) -> Vec<QuietPosition> {
    let Some(points) = result.points(Side::Red) else { return Vec::new() };
    let plies_before = 2 * start.move_number().saturating_sub(1) + start.side().index();
    let mut position = start.clone();
    let mut candidates = Vec::new();
    for (ply, (mv, score)) in moves.clone().enumerate() {
        let is_calm = plies_before + ply >= selection.from_ply
            && position.piece_on(mv.to()).is_none()
            && !score.is_some_and(is_decisive)
            && !position.in_check();
        if is_calm {
            let sign = if position.side() == Side::Red { 1 } else { -1 };
            let label = Label { result: points as f32, score: score.map(|score| sign * score) };
            // The history is not needed and would be copied with every position.
            candidates.push(QuietPosition { position: position.with_recent_history(0), label });
        }
        position.make(mv);
    }
    if selection.per_game == 0 || candidates.len() <= selection.per_game {
        candidates.retain(|candidate| is_quiet(&candidate.position, selection.margin));
        return candidates;
    }
    let mut random = ChaCha8Rng::seed_from_u64(selection.seed ^ game_key(start, moves.map(|(mv, _)| mv)));
    let mut chosen = Vec::new();
    for part in 0..selection.per_game {
        let bound = |part: usize| part * candidates.len() / selection.per_game;
        let range = bound(part)..bound(part + 1);
        // Start at a random candidate of this part of the game and take the next quiet one, wrapping around.
        let first = random.random_range(range.clone());
        let places = (first..range.end).chain(range.start..first);
        chosen.extend(
            places.map(|at| &candidates[at]).find(|found| is_quiet(&found.position, selection.margin)).cloned(),
        );
    }
    chosen
}

/// Returns whether captures change the evaluation by at most `margin`. The side to move is not in check.
pub fn is_quiet(position: &Position, margin: Value) -> bool {
    let value = handcrafted::evaluate(position);
    let mut position = position.clone();
    let settled = settle(&mut position, value - margin - 1, value + margin + 1, MAX_CAPTURE_DEPTH);
    (settled - value).abs() <= margin
}

/// Maximum depth of the capture search.
const MAX_CAPTURE_DEPTH: usize = 8;

/// Captures-only search that follows exchanges without loss.
fn settle(position: &mut Position, mut alpha: Value, beta: Value, captures_left: usize) -> Value {
    let static_eval = handcrafted::evaluate(position);
    let mut best = static_eval;
    // A side in check has no stand-pat score; the static evaluation has to do.
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
    fn quiet_positions_after_the_opening_are_selected() {
        let game = game();
        let all = Selection { per_game: 0, from_ply: 0, margin: 100_000, seed: 1 };
        let found = quiet_positions(&game, &all);
        let captures = |game: &Game| {
            let mut position = game.start.clone();
            let mut captures = 0;
            for mv in game.line() {
                captures += usize::from(position.piece_on(mv.to()).is_some() || position.in_check());
                position.make(mv);
            }
            captures
        };
        assert!(captures(&game) > 1);
        assert_eq!(found.len(), game.nodes.len() - captures(&game));
        let late = quiet_positions(&game, &Selection { from_ply: 12, ..all });
        assert_eq!(late.len(), found.len() - 12);
        assert!(late.iter().all(|quiet| quiet.label.result == 1.0 && quiet.position.history().is_empty()));
        let few = quiet_positions(&game, &Selection { per_game: 4, ..all });
        assert_eq!(few.len(), 4);
        let numbers: Vec<usize> = few.iter().map(|quiet| quiet.position.move_number()).collect();
        assert!(numbers.is_sorted() && numbers[3] > numbers[0] + 2, "{numbers:?}");
        let other = |seed| quiet_positions(&game, &Selection { per_game: 4, seed, ..all });
        let keys = |quiet: &[QuietPosition]| -> Vec<u64> { quiet.iter().map(|quiet| quiet.position.key()).collect() };
        assert_eq!(keys(&other(1)), keys(&few));
        assert!((2..10).any(|seed| keys(&other(seed)) != keys(&few)));
        assert!(quiet_positions(&Game { result: GameResult::Unknown, ..game }, &all).is_empty());
    }
}
