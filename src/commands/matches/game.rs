//! One game between two engines: clocks, moves, the end of the game, and its record.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::arbiter::Arbiter;
use super::engine_protocol::GoRequest;
use super::player::{Conditions, Decision, Fault, FaultKind, PlayedMove, Player, PlayerError};
use super::spec::{Clock, TimeControl};
use crate::notation::game::{Game, GameResult};
use crate::notation::openings::Opening;
use crate::position::START_FEN;
use crate::types::score::{MATE, is_mate};
use crate::types::{Move, Side};
use crate::util::cancel::CancelFlag;

/// Finished game, a line of the journal and of `--json`. The fields that are not read back are for people and scripts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Number of the game, from 1.
    pub game: u64,
    #[serde(skip_deserializing)]
    pub red: String,
    #[serde(skip_deserializing)]
    pub black: String,
    /// `startpos` or a FEN, and moves.
    #[serde(skip_deserializing)]
    pub opening: String,
    /// Never [`GameResult::Unknown`].
    #[serde(with = "ResultText")]
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

#[derive(Serialize, Deserialize)]
#[serde(remote = "GameResult")]
enum ResultText {
    #[serde(rename = "1-0")]
    RedWins,
    #[serde(rename = "0-1")]
    BlackWins,
    #[serde(rename = "1/2-1/2")]
    Draw,
    #[serde(rename = "*")]
    Unknown,
}

/// Side and kind of the fault that ended a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameFault {
    #[serde(with = "SideName")]
    pub side: Side,
    pub kind: FaultKind,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Side", rename_all = "snake_case")]
enum SideName {
    Red,
    Black,
}

impl GameRecord {
    /// Returns `false` if an engine was not started for the game. Such a game says nothing about strength: it does not
    /// count, and is played again when the match is resumed.
    pub fn was_played(&self) -> bool {
        self.fault.is_none_or(|fault| fault.kind != FaultKind::Start)
    }

    /// Converts the record to a game with a comment on each move: score for the side that moved, depth, and
    /// seconds used.
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
    let mut words = score.unwrap_or_default();
    if let Some(depth) = played.depth {
        words.push_str(&format!("/{depth}"));
    }
    words.push_str(&format!(" {:.3}s", played.milliseconds / 1e3));
    words.trim_start().to_owned()
}

/// Largest share of the time without a count of nodes in totals; more is not an inaccuracy of the clocks.
const MAX_UNCOUNTED_SHARE: f64 = 0.05;

/// Moves, time, depth and nodes of one side, summed over a game or several.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Effort {
    pub moves: u64,
    pub microseconds: u64,
    pub depths: u64,
    pub moves_with_depth: u64,
    pub nodes: u64,
    /// Time after the last report of nodes of each move, in which nodes may have gone uncounted.
    pub uncounted_microseconds: u64,
    /// Sum of the logarithms of the growth of the search trees, in millionths.
    pub growth_logarithms: i64,
    pub moves_with_growth: u64,
}

impl Effort {
    fn of_move(played: &PlayedMove, elapsed: Duration, uncounted: Duration) -> Effort {
        let microseconds = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        Effort {
            moves: 1,
            microseconds: microseconds(elapsed),
            depths: played.depth.map_or(0, |depth| depth as u64),
            moves_with_depth: u64::from(played.depth.is_some()),
            nodes: played.nodes.unwrap_or(0),
            uncounted_microseconds: microseconds(uncounted),
            growth_logarithms: played.growth.map_or(0, |growth| (1e6 * growth.max(1e-3).ln()).round() as i64),
            moves_with_growth: u64::from(played.growth.is_some()),
        }
    }

    /// Adds another sum; all fields saturate, since engines may report any numbers.
    pub fn add(&mut self, other: &Effort) {
        self.moves = self.moves.saturating_add(other.moves);
        self.microseconds = self.microseconds.saturating_add(other.microseconds);
        self.depths = self.depths.saturating_add(other.depths);
        self.moves_with_depth = self.moves_with_depth.saturating_add(other.moves_with_depth);
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.uncounted_microseconds = self.uncounted_microseconds.saturating_add(other.uncounted_microseconds);
        self.growth_logarithms = self.growth_logarithms.saturating_add(other.growth_logarithms);
        self.moves_with_growth = self.moves_with_growth.saturating_add(other.moves_with_growth);
    }

    pub fn milliseconds_a_move(&self) -> Option<f64> {
        mean(self.microseconds as f64 / 1e3, self.moves)
    }

    pub fn mean_depth(&self) -> Option<f64> {
        mean(self.depths as f64, self.moves_with_depth)
    }

    /// Returns the geometric mean of the factors by which a ply multiplied the nodes of a search.
    pub fn mean_growth(&self) -> Option<f64> {
        mean(self.growth_logarithms as f64 / 1e6, self.moves_with_growth).map(f64::exp)
    }

    /// Returns `true` if the nodes are much less than those searched, since the engine does not report totals.
    pub fn lacks_nodes(&self) -> bool {
        self.nodes > 0 && self.uncounted_microseconds as f64 > MAX_UNCOUNTED_SHARE * self.microseconds as f64
    }

    /// Returns the nodes per second; too low if the engine [`Self::lacks_nodes`].
    pub fn nodes_per_second(&self) -> Option<f64> {
        mean(self.nodes as f64 * 1e6, self.microseconds).filter(|_| self.nodes > 0)
    }
}

fn mean(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum / count as f64)
}

/// End of a game.
struct End {
    result: GameResult,
    reason: String,
    fault: Option<GameFault>,
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
        names,
        clocks: controls.map(Clock::new),
        arbiter: Arbiter::new(opening.position(), conditions.rules, conditions.adjudication),
        line: opening.moves.clone(),
        moves: Vec::new(),
        efforts: [Effort::default(); 2],
        opening,
        margin: conditions.margin,
        draw_offered: false,
    };
    let End { result, reason, fault } = game.play(interrupt)?;
    let [red, black] = names.map(str::to_owned);
    let (opening, moves, efforts) = (opening_text(opening), game.moves, game.efforts);
    Some(GameRecord { game: number + 1, red, black, opening, result, reason, fault, efforts, moves, entry: None })
}

struct GameInPlay<'a> {
    players: [&'a mut Player; 2],
    names: [&'a str; 2],
    clocks: [Clock; 2],
    arbiter: Arbiter,
    line: Vec<Move>,
    moves: Vec<PlayedMove>,
    efforts: [Effort; 2],
    opening: &'a Opening,
    margin: Duration,
    /// True if the last move came with a draw offer.
    draw_offered: bool,
}

impl GameInPlay<'_> {
    fn play(&mut self, interrupt: &CancelFlag) -> Option<End> {
        for side in Side::BOTH {
            if let Err(error) = self.players[side.index()].prepare(interrupt) {
                return self.failed(side, error);
            }
        }
        let mut end = self.arbiter.ending_by_rules().map(End::from);
        while end.is_none() {
            let side = self.arbiter.position().side();
            let request = GoRequest {
                start: &self.opening.start,
                moves: &self.line,
                position: self.arbiter.position(),
                clocks: &self.clocks,
                draw_offered: self.draw_offered,
            };
            end = match self.players[side.index()].request_move(&request, interrupt) {
                Ok(decision) => self.accept(side, &decision),
                Err(error) => return self.failed(side, error),
            };
        }
        end
    }

    /// Returns the end of the game after an engine made no move; `None` when interrupted.
    fn failed(&mut self, side: Side, error: PlayerError) -> Option<End> {
        let PlayerError::Fault(fault) = error else {
            // It may still be searching, and its answer would be read by a later game.
            self.players[side.index()].stop();
            return None;
        };
        if matches!(fault.kind, FaultKind::Start | FaultKind::Crash | FaultKind::Hang) {
            self.players[side.index()].stop();
        }
        Some(self.lost(side, &fault.text, Some(fault.kind)))
    }

    fn lost(&self, side: Side, words: &str, fault: Option<FaultKind>) -> End {
        let reason = format!("{} {words}", self.names[side.index()]);
        End { result: GameResult::win_of(!side), reason, fault: fault.map(|kind| GameFault { side, kind }) }
    }

    /// Records a decision. Returns the end of the game if this ends it.
    fn accept(&mut self, side: Side, decision: &Decision) -> Option<End> {
        if let Err(time) = self.clocks[side.index()].charge(decision.elapsed, self.margin) {
            let fault = Fault::overstepped(time);
            return Some(self.lost(side, &fault.text, Some(fault.kind)));
        }
        let Some(played) = decision.played else { return Some(self.lost(side, "resigns", None)) };
        self.efforts[side.index()].add(&Effort::of_move(&played, decision.elapsed, decision.uncounted));
        self.moves.push(played);
        self.line.push(played.mv);
        // The rules take precedence over a draw by agreement.
        let ending = self.arbiter.play(played.mv, played.score).map(End::from);
        let was_offered = std::mem::replace(&mut self.draw_offered, decision.offers_draw);
        ending.or_else(|| {
            let reason = "both engines offer a draw".to_owned();
            (was_offered && decision.offers_draw).then_some(End { result: GameResult::Draw, reason, fault: None })
        })
    }
}

impl From<super::arbiter::Ending> for End {
    fn from(ending: super::arbiter::Ending) -> End {
        End { result: ending.result(), reason: ending.to_string(), fault: None }
    }
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

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    pub file: String,
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_reported_numbers_saturate_and_unknown_ones_do_not_count() {
        let played = PlayedMove {
            mv: "h2e2".parse().unwrap(),
            score: Some(MATE - 3),
            depth: Some(usize::MAX),
            nodes: Some(u64::MAX),
            milliseconds: 1_500.0,
            own_milliseconds: None,
            growth: Some(1.0),
        };
        let mut effort = Effort::of_move(&played, Duration::MAX, Duration::ZERO);
        let other = PlayedMove { score: Some(-120), growth: Some(4.0), ..played };
        effort.add(&Effort::of_move(&other, Duration::MAX, Duration::ZERO));
        let silent = PlayedMove { score: None, depth: None, nodes: None, growth: None, ..played };
        effort.add(&Effort::of_move(&silent, Duration::ZERO, Duration::ZERO));
        assert_eq!((effort.moves, effort.nodes, effort.microseconds), (3, u64::MAX, u64::MAX));
        assert_eq!((effort.depths, effort.moves_with_depth), (u64::MAX, 2));
        assert!((effort.mean_growth().unwrap() - 2.0).abs() < 1e-5, "the mean is geometric: {effort:?}");
        let brief = PlayedMove { depth: Some(9), ..played };
        assert_eq!([brief, other, silent].map(|played| comment(&played))[0], "+M2/9 1.500s");
        assert_eq!(comment(&PlayedMove { depth: None, ..other }), "-1.20 1.500s");
        assert_eq!(comment(&silent), "1.500s");
    }

    #[test]
    fn nodes_are_lacking_only_where_much_time_is_uncounted() {
        let effort = |nodes, uncounted_microseconds| Effort {
            nodes,
            microseconds: 1_000,
            uncounted_microseconds,
            ..Effort::default()
        };
        let lacks = [(9, 50), (9, 51), (9, 1_000), (0, 1_000)].map(|(nodes, time)| effort(nodes, time).lacks_nodes());
        assert_eq!(lacks, [false, true, true, false]);
    }
}
