//! Game review: a search of every position, and the loss of every move.

use std::ops::{AddAssign, ControlFlow};

use super::{Mark, accuracy, analyze_position, winning_chance};
use crate::engine::{Engine, EngineError};
use crate::eval::{ReportedScore, WinModel};
use crate::notation::game::Game;
use crate::position::Position;
use crate::rules::{Reason, Verdict};
use crate::search::{Limits, Outcome};
use crate::types::score::{DRAW, mated_in, rule_loss_in, rule_win_in};
use crate::types::{Move, PieceKind, Side, Value};
use crate::util::cancel::CancelFlag;

#[derive(Clone, Debug, Default)]
pub struct GameReview {
    /// Analysed positions: before the first move, after it, and so on.
    pub positions: Vec<PositionReview>,
    /// Reviewed moves; one less than the positions.
    pub moves: Vec<MoveReview>,
}

#[derive(Clone, Debug)]
pub struct PositionReview {
    pub position: Position,
    /// Result of the search. The final position of a finished game is not searched; its score is the verdict.
    pub outcome: Outcome,
}

#[derive(Clone, PartialEq, Debug)]
pub struct MoveReview {
    /// Ply of the game, from 1.
    pub ply: usize,
    pub side: Side,
    pub mv: Move,
    /// Score after the move, for the side that played it.
    pub score: Value,
    /// Principal variation of the position before it.
    pub best_line: Vec<Move>,
    /// Loss of winning chance, from 0 to 1.
    pub loss: f64,
    pub mark: Option<Mark>,
    pub phase: Phase,
    pub is_forced: bool,
}

impl PositionReview {
    pub fn score_for_red(&self) -> Value {
        let score = self.outcome.score;
        if self.position.side() == Side::Red { score } else { -score }
    }

    pub fn reported_for_red(&self) -> ReportedScore {
        WinModel::of(&self.position).reported(self.score_for_red())
    }
}

/// Accuracy and marks of a player in some of the moves.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SideSummary {
    /// Number of moves without the forced ones.
    pub moves: usize,
    /// Sum of the accuracies of the moves in percent.
    accuracies: f64,
    /// Numbers of inaccuracies, mistakes and blunders.
    pub marks: [usize; 3],
    /// Number of moves that are the first choice of the search.
    pub agreed: usize,
}

/// Summaries of all moves, and of those in the opening, the middle game and the ending.
pub type PlayerSummary = [SideSummary; 4];

impl AddAssign<&SideSummary> for SideSummary {
    fn add_assign(&mut self, other: &SideSummary) {
        self.moves += other.moves;
        self.accuracies += other.accuracies;
        self.marks.iter_mut().zip(other.marks).for_each(|(count, more)| *count += more);
        self.agreed += other.agreed;
    }
}

impl SideSummary {
    /// Returns the mean accuracy of the moves in percent; `None` without moves.
    pub fn accuracy(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.accuracies / self.moves as f64)
    }
}

impl GameReview {
    /// Summarizes the moves of one side; forced moves do not count.
    pub fn side_summary(&self, side: Side) -> PlayerSummary {
        let mut summary = PlayerSummary::default();
        for mv in self.moves.iter().filter(|mv| mv.side == side && !mv.is_forced) {
            let of_move = SideSummary {
                moves: 1,
                accuracies: accuracy(mv.loss),
                marks: Mark::ALL.map(|mark| usize::from(mv.mark == Some(mark))),
                agreed: usize::from(mv.best_line.first() == Some(&mv.mv)),
            };
            summary[0] += &of_move;
            summary[1 + mv.phase as usize] += &of_move;
        }
        summary
    }
}

/// Searches every position of a game that a review does not have yet, until `on_event`, called after each move, breaks
/// or the interrupt is requested.
pub fn review(
    engine: &mut Engine,
    game: &Game,
    limits: &Limits,
    interrupt: &CancelFlag,
    mut review: GameReview,
    mut on_event: impl FnMut(&GameReview) -> ControlFlow<()>,
) -> Result<GameReview, EngineError> {
    let known = review.positions.len();
    if known == 0 {
        engine.new_game();
    }
    let mut position = game.start.clone();
    let line = game.line();
    line.iter().take(known).for_each(|mv| position.make(*mv));
    for ply in known..=line.len() {
        let verdict = engine.options().rules().verdict(&position);
        let next = line.get(ply).copied();
        // Moves after the end of the game are reviewed too.
        let outcome = match decided(&verdict, position.side()).filter(|_| next.is_none()) {
            Some(score) => Outcome { score, ..Outcome::default() },
            None => {
                let on_event = |_: &Outcome| ControlFlow::Continue(());
                let analysis = analyze_position(engine, position.clone(), limits, interrupt, on_event)?;
                // An incomplete search cannot be compared with complete ones.
                if analysis.was_cut_short {
                    break;
                }
                analysis.outcome
            }
        };
        review.positions.push(PositionReview { position: position.clone(), outcome });
        if ply > 0 {
            review.moves.push(review_move(&review.positions, ply, line[ply - 1]));
            if on_event(&review).is_break() {
                break;
            }
        }
        if let Some(mv) = next {
            position.make(mv);
        }
    }
    Ok(review)
}

/// Returns the score of a finished game for the side to move.
fn decided(verdict: &Verdict, side: Side) -> Option<Value> {
    match verdict {
        Verdict::Continue => None,
        Verdict::Draw(_) => Some(DRAW),
        Verdict::Win(winner, Reason::Repetition(_)) if *winner == side => Some(rule_win_in(0)),
        Verdict::Win(_, Reason::Repetition(_)) => Some(rule_loss_in(0)),
        // The side to move has lost.
        Verdict::Win(..) => Some(mated_in(0)),
    }
}

fn review_move(positions: &[PositionReview], ply: usize, mv: Move) -> MoveReview {
    let [before, after] = [&positions[ply - 1], &positions[ply]];
    let best = &before.outcome;
    let score = -after.outcome.score;
    let was_best = best.best() == Some(mv);
    let is_forced = before.position.legal_moves().len() == 1;
    let lost = winning_chance(best.score) - winning_chance(score);
    // The search after the move is one ply deeper and may rate it above the best move: no loss then.
    let loss = if was_best || is_forced { 0.0 } else { lost.max(0.0) };
    MoveReview {
        ply,
        side: before.position.side(),
        mv,
        score,
        best_line: best.line.clone(),
        loss,
        mark: Mark::from_loss(loss),
        phase: Phase::from_position(&before.position),
        is_forced,
    }
}

/// Phase of a game by the rooks (2 each), horses and cannons (1 each) on the board; it never goes back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// 15 or more of 16.
    Opening,
    /// 7 to 14.
    MiddleGame,
    /// 6 or less, such as a rook and a horse on both sides.
    Ending,
}

impl Phase {
    pub fn from_position(position: &Position) -> Phase {
        let counts = position.pieces().map(|(piece, _)| match piece.kind() {
            PieceKind::Rook => 2,
            PieceKind::Horse | PieceKind::Cannon => 1,
            _ => 0,
        });
        match counts.sum::<u32>() {
            15.. => Phase::Opening,
            7..=14 => Phase::MiddleGame,
            0..=6 => Phase::Ending,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::MiddleGame => "middle_game",
            Phase::Ending => "ending",
        }
    }
}
