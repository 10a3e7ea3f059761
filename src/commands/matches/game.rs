//! One game between two engines: clocks, moves and the end of the game.

use std::time::Duration;

use super::engine_protocol::GoRequest;
use super::player::{Decision, Player, PlayerError};
use super::record::{Fault, FaultKind};
use super::record::{GameRecord, PlayedMove};
use super::time_control::{Clock, TimeControl};
use crate::commands::matches::arbiter::{Adjudication, Arbiter, Ending};
use crate::notation::game::GameResult;
use crate::notation::openings::Opening;
use crate::rules::Rules;
use crate::types::{Move, Side};
use crate::util::cancel::CancelFlag;

/// Rules, adjudication and time margin of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conditions {
    /// The rules that judge the game.
    pub rules: Rules,
    /// Conditions that end a game early.
    pub adjudication: Adjudication,
    /// Time by which a clock may be overstepped.
    pub margin: Duration,
}

/// End of a game.
enum End {
    Judged(Ending),
    Resigned(Side),
    /// Both sides offered a draw.
    DrawAccepted,
    Failed(Side, Fault),
}

/// Plays a game. `players`, `names` and `controls` are those of Red and Black, in this order. Returns `None` when
/// interrupted.
///
/// Engines that can go on keep running, the others are ended.
pub(super) fn play(
    number: u64,
    players: [&mut Player; 2],
    names: [&str; 2],
    controls: [TimeControl; 2],
    opening: &Opening,
    conditions: &Conditions,
    interrupt: &CancelFlag,
) -> Option<GameRecord> {
    let mut game = GameInPlay {
        players,
        clocks: controls.map(Clock::new),
        arbiter: Arbiter::new(opening.position(), conditions.rules, conditions.adjudication),
        line: opening.moves.clone(),
        moves: Vec::new(),
        opening,
        margin: conditions.margin,
        draw_offered: false,
    };
    let end = game.play(interrupt)?;
    if let End::Failed(side, fault) = &end
        && fault.needs_restart()
    {
        game.players[side.index()].stop();
    }
    let name = |side: Side| names[side.index()];
    let (result, reason, fault): (GameResult, String, Option<(Side, FaultKind)>) = match end {
        End::Judged(ending) => (ending.result(), ending.to_string(), None),
        End::Resigned(side) => (GameResult::win_of(!side), format!("{} resigns", name(side)), None),
        End::DrawAccepted => (GameResult::Draw, "both engines offer a draw".to_owned(), None),
        End::Failed(side, fault) => {
            (GameResult::win_of(!side), format!("{} {fault}", name(side)), Some((side, fault.kind())))
        }
    };
    Some(GameRecord { number, opening: opening.clone(), moves: game.moves, result, reason, fault })
}

struct GameInPlay<'a> {
    players: [&'a mut Player; 2],
    clocks: [Clock; 2],
    arbiter: Arbiter,
    /// All moves since the start of the opening.
    line: Vec<Move>,
    moves: Vec<PlayedMove>,
    opening: &'a Opening,
    margin: Duration,
    /// True if the last move came with a draw offer.
    draw_offered: bool,
}

impl GameInPlay<'_> {
    fn play(&mut self, interrupt: &CancelFlag) -> Option<End> {
        for side in Side::BOTH {
            match self.players[side.index()].prepare(interrupt) {
                Ok(()) => {}
                Err(PlayerError::Interrupted) => return None,
                Err(PlayerError::Fault(fault)) => return Some(End::Failed(side, fault)),
            }
        }
        if let Some(ending) = self.arbiter.ending_by_rules() {
            return Some(End::Judged(ending));
        }
        loop {
            let side = self.arbiter.position().side();
            let request = GoRequest {
                start: &self.opening.start,
                moves: &self.line,
                position: self.arbiter.position(),
                clocks: &self.clocks,
                draw_offered: self.draw_offered,
            };
            let decision = match self.players[side.index()].request_move(&request, interrupt) {
                Ok(decision) => decision,
                Err(PlayerError::Interrupted) => {
                    // It is still searching, and its answer would be read by a later game.
                    self.players[side.index()].stop();
                    return None;
                }
                Err(PlayerError::Fault(fault)) => return Some(End::Failed(side, fault)),
            };
            if let Some(end) = self.accept(side, &decision) {
                return Some(end);
            }
        }
    }

    /// Records a decision. Returns the end of the game if this ends it.
    fn accept(&mut self, side: Side, decision: &Decision) -> Option<End> {
        if let Err(time) = self.clocks[side.index()].charge(decision.elapsed, self.margin) {
            return Some(End::Failed(side, Fault::Overstepped(time)));
        }
        let Some(mv) = decision.mv else { return Some(End::Resigned(side)) };
        let info = decision.info;
        self.moves.push(PlayedMove {
            mv,
            score: info.score,
            depth: info.depth,
            nodes: info.nodes,
            elapsed: decision.elapsed,
            own_time: info.time,
            uncounted_time: decision.uncounted_time,
            growth: decision.growth.map(|growth| (1_000.0 * growth).round() as u32),
        });
        self.line.push(mv);
        // The rules take precedence over a draw by agreement.
        let ending = self.arbiter.play(mv, info.score).map(End::Judged);
        let was_offered = std::mem::replace(&mut self.draw_offered, decision.offers_draw);
        ending.or_else(|| (was_offered && decision.offers_draw).then_some(End::DrawAccepted))
    }
}
