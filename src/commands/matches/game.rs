//! One game between two engines: clocks, moves, the end of the game, and its record.

use serde::{Deserialize, Serialize};

use super::arbiter::Arbiter;
use super::player::{GoRequest, PlayedMove, Player};
use super::process::{Fault, FaultKind};
use super::spec::{Clock, Conditions};
use crate::notation::game::{Game, GameResult};
use crate::notation::openings::Opening;
use crate::position::START_FEN;
use crate::types::Side;
use crate::types::score::{MATE, is_mate};
use crate::util::cancel::CancelFlag;

/// Finished game, a line of the journal and of `--json`. The fields that are not read back are for people and scripts.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct GameRecord {
    pub game: u64,
    #[serde(skip_deserializing)]
    pub red: String,
    #[serde(skip_deserializing)]
    pub black: String,
    /// `startpos` or a FEN, and moves.
    #[serde(skip_deserializing)]
    pub opening: String,
    /// Never [`GameResult::Unknown`].
    pub result: GameResult,
    /// Reason of the end, as a sentence without a full stop.
    #[serde(skip_deserializing)]
    pub reason: String,
    pub fault: Option<GameFault>,
    pub efforts: [Effort; 2],
    #[serde(skip_deserializing)]
    pub moves: Vec<PlayedMove>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<Entry>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameFault {
    pub side: Side,
    pub kind: FaultKind,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    pub file: String,
    pub text: String,
}

impl GameRecord {
    /// Returns `false` if an engine was not started: the game does not count, and is played again on resumption.
    pub fn was_played(&self) -> bool {
        self.fault.is_none_or(|fault| fault.kind != FaultKind::Start)
    }

    /// Converts the record to a game with comments: score for the side that moved, depth, and seconds used.
    pub fn to_game(&self, opening: &Opening, tags: Vec<(String, String)>) -> Game {
        let mut game = Game::from_line(opening.start.clone(), opening.moves.iter().copied());
        (game.tags, game.result) = (tags, self.result);
        game.nodes.last_mut().into_iter().for_each(|last| last.comment = "end of the opening".to_owned());
        self.moves.iter().for_each(|played| game.push(played.mv, comment(played)));
        game
    }
}

fn comment(played: &PlayedMove) -> String {
    let score = played.score.map(|score| match score {
        mate if is_mate(mate) => format!("{}M{}", if mate > 0 { '+' } else { '-' }, (MATE - mate.abs() + 1) / 2),
        score => format!("{:+.2}", f64::from(score) / 100.0),
    });
    let depth = played.depth.map(|depth| format!("/{depth}"));
    let seconds = played.milliseconds / 1e3;
    format!("{}{} {seconds:.3}s", score.unwrap_or_default(), depth.unwrap_or_default()).trim_start().to_owned()
}

/// Moves, time, depth and nodes of one side, summed over a game or several.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Effort {
    pub moves: u64,
    pub microseconds: u64,
    pub depths: u64,
    pub moves_with_depth: u64,
    pub nodes: u64,
}

impl Effort {
    fn of_move(played: &PlayedMove) -> Effort {
        Effort {
            moves: 1,
            microseconds: (1e3 * played.milliseconds).round() as u64,
            depths: played.depth.map_or(0, |depth| depth as u64),
            moves_with_depth: u64::from(played.depth.is_some()),
            nodes: played.nodes.unwrap_or(0),
        }
    }

    /// Adds another sum; all fields saturate, since engines may report any numbers.
    pub fn add(&mut self, other: &Effort) {
        self.moves = self.moves.saturating_add(other.moves);
        self.microseconds = self.microseconds.saturating_add(other.microseconds);
        self.depths = self.depths.saturating_add(other.depths);
        self.moves_with_depth = self.moves_with_depth.saturating_add(other.moves_with_depth);
        self.nodes = self.nodes.saturating_add(other.nodes);
    }

    pub fn milliseconds_a_move(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.microseconds as f64 / 1e3 / self.moves as f64)
    }

    pub fn mean_depth(&self) -> Option<f64> {
        (self.moves_with_depth > 0).then(|| self.depths as f64 / self.moves_with_depth as f64)
    }

    /// Returns the reported nodes a second, too low for an engine whose last reports before its moves have no totals.
    pub fn nodes_per_second(&self) -> Option<f64> {
        (self.nodes > 0 && self.microseconds > 0).then(|| self.nodes as f64 * 1e6 / self.microseconds as f64)
    }
}

/// Plays a game between Red and Black; `None` when interrupted. Engines that cannot go on are ended.
pub(super) fn play(
    number: u64,
    players: [&mut Player; 2],
    opening: &Opening,
    conditions: &Conditions,
    interrupt: &CancelFlag,
) -> Option<GameRecord> {
    let [red, black] = players.each_ref().map(|player| player.spec.name.clone());
    let mut record =
        GameRecord { game: number + 1, red, black, opening: opening_text(opening), ..GameRecord::default() };
    let mut arbiter = Arbiter::new(opening.position(), conditions.rules, conditions.adjudication);
    let mut clocks = players.each_ref().map(|player| Clock::new(player.control));
    for side in Side::BOTH {
        if let Err(fault) = players[side.index()].prepare(interrupt) {
            return fail(record, side, players, fault);
        }
    }
    let (mut ending, mut draw_offered) = (arbiter.ending_by_rules(), false);
    while ending.is_none() {
        let side = arbiter.position().side();
        let request = GoRequest { position: arbiter.position(), clocks: &clocks, draw_offered };
        let decision = match players[side.index()].request_move(&request, interrupt) {
            Ok(decision) => decision,
            Err(fault) => return fail(record, side, players, fault),
        };
        let Some(played) = decision.played else {
            record.reason = format!("{} resigns", players[side.index()].spec.name);
            return Some(GameRecord { result: GameResult::win_of(!side), ..record });
        };
        clocks[side.index()].charge(decision.elapsed);
        record.efforts[side.index()].add(&Effort::of_move(&played));
        record.moves.push(played);
        // The rules take precedence over a draw by agreement.
        ending = arbiter.play(played.mv, played.score);
        if ending.is_none() && draw_offered && decision.offers_draw {
            record.reason = "both engines offer a draw".to_owned();
            return Some(GameRecord { result: GameResult::Draw, ..record });
        }
        draw_offered = decision.offers_draw;
    }
    ending.map(|ending| GameRecord { result: ending.result(), reason: ending.to_string(), ..record })
}

/// Ends the game of a side that made no move; `None` when interrupted.
fn fail(record: GameRecord, side: Side, players: [&mut Player; 2], fault: Option<Fault>) -> Option<GameRecord> {
    let kind = fault.as_ref().map(|fault| fault.kind);
    // When interrupted it may still be searching, and its answer would be read by a later game.
    if matches!(kind, None | Some(FaultKind::Start | FaultKind::Crash | FaultKind::Hang)) {
        players[side.index()].stop();
    }
    let Fault { kind, text } = fault?;
    let reason = format!("{} {text}", players[side.index()].spec.name);
    Some(GameRecord { result: GameResult::win_of(!side), reason, fault: Some(GameFault { side, kind }), ..record })
}

/// Returns an opening as `startpos` or a FEN, followed by `moves` and its moves.
pub fn opening_text(opening: &Opening) -> String {
    let fen = opening.start.to_string();
    let mut words = if fen == START_FEN { "startpos".to_owned() } else { fen };
    if !opening.moves.is_empty() {
        words.push_str(" moves");
    }
    opening.moves.iter().for_each(|mv| words.push_str(&format!(" {mv}")));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_reported_numbers_saturate_and_unknown_ones_do_not_count() {
        let (mv, huge) = ("h2e2".parse().unwrap(), Some(u64::MAX));
        let played =
            |score, depth, nodes| PlayedMove { mv, score, depth, nodes, milliseconds: 1_500.0, own_milliseconds: None };
        let mut effort = Effort::default();
        for (played, text) in [
            (played(Some(MATE - 3), Some(9), huge), "+M2/9 1.500s"),
            (played(Some(-120), None, huge), "-1.20 1.500s"),
            (played(None, Some(usize::MAX), None), "/18446744073709551615 1.500s"),
            (played(None, None, None), "1.500s"),
            (PlayedMove { milliseconds: f64::MAX, ..played(None, None, None) }, ""),
        ] {
            effort.add(&Effort::of_move(&played));
            assert!(text.is_empty() || comment(&played) == text, "{text}");
        }
        assert_eq!((effort.moves, effort.nodes, effort.microseconds), (5, u64::MAX, u64::MAX));
        assert_eq!((effort.depths, effort.moves_with_depth), (u64::MAX, 2));
    }
}
