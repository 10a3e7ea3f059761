//! The review of a game: every position searched, every move judged.

use std::ops::ControlFlow;

use super::wdl::{Mark, accuracy, winning_chance};
use super::{Analysis, Phase, examine};
use crate::engine::{Engine, EngineError};
use crate::notation::game::Game;
use crate::position::Position;
use crate::rules::{Reason, Verdict};
use crate::search::{Limits, Outcome};
use crate::types::score::{DRAW, mated_in, rule_loss_in, rule_win_in};
use crate::types::{Move, Side, Value};
use crate::util::cancel::Interrupt;

/// What was found about a game.
#[derive(Clone, Debug, Default)]
pub struct GameReview {
    /// The positions searched: before the first move, after it, and so on.
    pub positions: Vec<PositionReview>,
    /// The moves judged; one less than the positions.
    pub moves: Vec<MoveReview>,
}

/// A position of the game.
#[derive(Clone, Debug)]
pub struct PositionReview {
    /// The position, with the game up to it.
    pub position: Position,
    /// What the search found. At the end of a decided game nothing is searched, and the score is the verdict.
    pub analysis: Analysis,
}

/// A move of the game.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveReview {
    /// 1 for the first.
    pub ply: usize,
    /// Who played it.
    pub side: Side,
    /// The move.
    pub mv: Move,
    /// The value after it, for the side that played it.
    pub score: Value,
    /// The best line instead of it, from the position before it.
    pub best_line: Vec<Move>,
    /// How much winning chance it threw away, from 0 to 1.
    pub loss: f64,
    /// How grave that is.
    pub mark: Option<Mark>,
    /// The part of the game it was played in.
    pub phase: Phase,
    /// Whether there was no other legal move.
    pub is_forced: bool,
}

impl MoveReview {
    /// The value after the move, for Red.
    pub fn score_for_red(&self) -> Value {
        for_red(self.score, self.side)
    }
}

impl PositionReview {
    /// The value of the position, for Red.
    pub fn score_for_red(&self) -> Value {
        for_red(self.analysis.outcome.score, self.position.side())
    }
}

fn for_red(score: Value, side: Side) -> Value {
    if side == Side::Red { score } else { -score }
}

/// How well a side played.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tally {
    /// How many moves were judged; moves without an alternative are not.
    pub moves: usize,
    /// The mean accuracy of the moves in percent; `None` without moves.
    pub accuracy: Option<f64>,
    /// How many inaccuracies, mistakes and blunders.
    pub marks: [usize; 3],
}

impl GameReview {
    /// How well a side played, in one part of the game or in all of it.
    pub fn tally(&self, side: Side, phase: Option<Phase>) -> Tally {
        let is_counted =
            |mv: &&MoveReview| mv.side == side && !mv.is_forced && phase.is_none_or(|phase| phase == mv.phase);
        let moves: Vec<&MoveReview> = self.moves.iter().filter(is_counted).collect();
        let sum: f64 = moves.iter().map(|mv| accuracy(mv.loss)).sum();
        Tally {
            moves: moves.len(),
            accuracy: (!moves.is_empty()).then(|| sum / moves.len() as f64),
            marks: Mark::ALL.map(|mark| moves.iter().filter(|mv| mv.mark == Some(mark)).count()),
        }
    }
}

/// Searches every position of a game within limits, from the first to the last, and tells `listen` of each move as
/// soon as it can be judged. When `listen` breaks off or the interrupt is requested, what is known is handed back.
///
/// # Errors
/// Those of the engine.
pub fn review(
    engine: &mut Engine,
    game: &Game,
    limits: &Limits,
    interrupt: &Interrupt,
    mut listen: impl FnMut(&GameReview) -> ControlFlow<()>,
) -> Result<GameReview, EngineError> {
    engine.new_game();
    let mut review = GameReview::default();
    let mut position = game.start.clone();
    for ply in 0..=game.moves.len() {
        let verdict = engine.options().rules().verdict(&position);
        let next = game.moves.get(ply).map(|played| played.mv);
        // A game that goes on after its end is searched on.
        let analysis = match decided(&verdict, position.side()).filter(|_| next.is_none()) {
            Some(score) => Analysis { outcome: Outcome { score, ..Outcome::default() }, ..Analysis::default() },
            None => examine(engine, position.clone(), limits, interrupt, |_| ControlFlow::Continue(()))?,
        };
        // Half a search would be compared with whole ones.
        if analysis.was_cut_short {
            break;
        }
        review.positions.push(PositionReview { position: position.clone(), analysis });
        if ply > 0 {
            review.moves.push(judge(&review.positions, ply, game.moves[ply - 1].mv));
            if listen(&review).is_break() {
                break;
            }
        }
        if let Some(mv) = next {
            position.make(mv);
        }
    }
    Ok(review)
}

/// The value of a game that is over, for the side to move.
fn decided(verdict: &Verdict, side: Side) -> Option<Value> {
    match verdict {
        Verdict::Continue => None,
        Verdict::Draw(_) => Some(DRAW),
        Verdict::Win(winner, Reason::Repetition(_)) if *winner == side => Some(rule_win_in(0)),
        Verdict::Win(_, Reason::Repetition(_)) => Some(rule_loss_in(0)),
        // Whoever is to move has lost.
        Verdict::Win(..) => Some(mated_in(0)),
    }
}

fn judge(positions: &[PositionReview], ply: usize, mv: Move) -> MoveReview {
    let [before, after] = [&positions[ply - 1], &positions[ply]];
    let best = &before.analysis.outcome;
    let score = -after.analysis.outcome.score;
    let was_best = best.best() == Some(mv);
    let is_forced = before.position.legal_moves().len() == 1;
    let lost = winning_chance(best.score) - winning_chance(score);
    // The deeper look at the move may find more than was seen in its favour, and less in that of the best.
    let loss = if was_best || is_forced { 0.0 } else { lost.max(0.0) };
    MoveReview {
        ply,
        side: before.position.side(),
        mv,
        score,
        best_line: best.line.clone(),
        loss,
        mark: Mark::of(loss),
        phase: Phase::of(&before.position),
        is_forced,
    }
}
