//! A finished game of a match: what was played, how long it took, and why it ended.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::fault::FaultKind;
use crate::notation::game::{Game, GameMove, GameResult};
use crate::notation::openings::Opening;
use crate::types::score::{MATE, is_mate};
use crate::types::{Move, Side, Value};

/// A move with what its engine told of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayedMove {
    /// The move.
    pub mv: Move,
    /// The value that the engine saw, in centipawns for its own side.
    pub score: Option<Value>,
    /// How deep it looked, in plies.
    pub depth: Option<usize>,
    /// How many nodes it looked at.
    pub nodes: Option<u64>,
    /// What its clock was charged.
    pub elapsed: Duration,
    /// What it says that it used.
    pub own_time: Option<Duration>,
}

/// A finished game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Which game of the match it is, 0 for the first.
    pub number: u64,
    /// How it began.
    pub opening: Opening,
    /// What the engines played after that.
    pub moves: Vec<PlayedMove>,
    /// The result; never [`GameResult::Unknown`].
    pub result: GameResult,
    /// Why it ended, as a sentence without a full stop.
    pub reason: String,
    /// Who failed, and how, when it did not end by the rules or by agreement.
    pub fault: Option<(Side, FaultKind)>,
}

/// What each side used in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Effort {
    /// How many moves it played.
    pub moves: u64,
    /// How long they took, in microseconds.
    pub microseconds: u64,
    /// The depths that it told of, added up.
    pub depths: u64,
    /// For how many moves it told of a depth.
    pub moves_with_depth: u64,
    /// The nodes that it told of.
    pub nodes: u64,
}

impl Effort {
    /// Adds what was used elsewhere.
    pub fn add(&mut self, other: &Effort) {
        self.moves = self.moves.saturating_add(other.moves);
        self.microseconds = self.microseconds.saturating_add(other.microseconds);
        self.depths = self.depths.saturating_add(other.depths);
        self.moves_with_depth = self.moves_with_depth.saturating_add(other.moves_with_depth);
        self.nodes = self.nodes.saturating_add(other.nodes);
    }

    /// The mean time of a move in milliseconds.
    pub fn milliseconds_a_move(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.microseconds as f64 / self.moves as f64 / 1e3)
    }

    /// The mean depth.
    pub fn mean_depth(&self) -> Option<f64> {
        (self.moves_with_depth > 0).then(|| self.depths as f64 / self.moves_with_depth as f64)
    }

    /// The nodes for each second.
    pub fn nodes_per_second(&self) -> Option<f64> {
        (self.microseconds > 0 && self.nodes > 0).then(|| self.nodes as f64 * 1e6 / self.microseconds as f64)
    }
}

impl GameRecord {
    /// What Red and Black used.
    pub fn efforts(&self) -> [Effort; 2] {
        let mut efforts = [Effort::default(); 2];
        let mut side = self.opening.position().side();
        for played in &self.moves {
            efforts[side.index()].add(&Effort {
                moves: 1,
                microseconds: u64::try_from(played.elapsed.as_micros()).unwrap_or(u64::MAX),
                depths: played.depth.map_or(0, |depth| u64::try_from(depth).unwrap_or(0)),
                moves_with_depth: u64::from(played.depth.is_some()),
                nodes: played.nodes.unwrap_or(0),
            });
            side = !side;
        }
        efforts
    }

    /// The game for a file, with remarks on each move: the score in pawns for the side that moved, the depth and the
    /// seconds used.
    pub fn to_game(&self, tags: Vec<(String, String)>) -> Game {
        let given = self.opening.moves.iter().map(|&mv| GameMove { mv, comment: String::new() });
        let mut given: Vec<GameMove> = given.collect();
        given.last_mut().into_iter().for_each(|last| last.comment = "end of the opening".to_owned());
        let played = self.moves.iter().map(|played| GameMove { mv: played.mv, comment: remark(played) });
        Game {
            tags,
            start: self.opening.start.clone(),
            comment: String::new(),
            moves: given.into_iter().chain(played).collect(),
            result: self.result,
            left_out_lines: 0,
        }
    }
}

fn remark(played: &PlayedMove) -> String {
    let score = played.score.map(|score| match score {
        mate if is_mate(mate) => format!("{}M{}", if mate > 0 { '+' } else { '-' }, (MATE - mate.abs() + 1) / 2),
        score => format!("{:+.2}", f64::from(score) / 100.0),
    });
    let mut words = score.unwrap_or_default();
    if let Some(depth) = played.depth {
        words.push_str(&format!("/{depth}"));
    }
    words.push_str(&format!(" {:.3}s", played.elapsed.as_secs_f64()));
    words.trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_engines_claim_never_overflows() {
        let boast = PlayedMove {
            mv: "h2e2".parse().unwrap(),
            score: Some(MATE - 3),
            depth: Some(usize::MAX),
            nodes: Some(u64::MAX),
            elapsed: Duration::MAX,
            own_time: None,
        };
        let reason = String::new();
        let moves = vec![boast, PlayedMove { score: Some(-120), depth: Some(7), ..boast }, boast];
        let record =
            GameRecord { number: 0, opening: Opening::default(), moves, result: GameResult::Draw, reason, fault: None };
        let [red, black] = record.efforts();
        assert_eq!((red.moves, red.nodes, red.microseconds), (2, u64::MAX, u64::MAX));
        assert_eq!((black.moves, black.depths), (1, 7));
        let brief = PlayedMove { elapsed: Duration::from_millis(1500), ..boast };
        assert_eq!(remark(&PlayedMove { depth: Some(9), ..brief }), "+M2/9 1.500s");
        assert_eq!(remark(&PlayedMove { depth: None, score: Some(-120), ..brief }), "-1.20 1.500s");
        assert_eq!(remark(&PlayedMove { depth: None, score: None, ..brief }), "1.500s");
    }
}
