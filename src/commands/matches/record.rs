//! Record of a finished game: moves, time used, result, and the fault of an engine if there was one.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::notation::game::{Game, GameResult, shortened};
use crate::notation::openings::Opening;
use crate::types::score::{MATE, is_mate};
use crate::types::{Move, Side, Value};

/// Played move with the search data that its engine reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayedMove {
    /// The move.
    pub mv: Move,
    /// Score for the engine that moved, in hundredths as the engine reports it.
    pub score: Option<Value>,
    /// Depth in plies.
    pub depth: Option<usize>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Time charged to the clock.
    pub elapsed: Duration,
    /// Search time that the engine reported.
    pub own_time: Option<Duration>,
    /// Time after the last report of nodes.
    pub uncounted_time: Duration,
    /// Factor by which a ply multiplied the nodes of the search, in thousandths; see [`IterationNodes::growth`].
    ///
    /// [`IterationNodes::growth`]: crate::engine::bench::IterationNodes::growth
    pub growth: Option<u32>,
}

/// Finished game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Number of the game in the match, from 0.
    pub number: u64,
    /// The opening.
    pub opening: Opening,
    /// The moves after the opening.
    pub moves: Vec<PlayedMove>,
    /// The result; never [`GameResult::Unknown`].
    pub result: GameResult,
    /// Reason of the end, as a sentence without a full stop.
    pub reason: String,
    /// Side and kind of the fault that ended the game, if one did.
    pub fault: Option<(Side, FaultKind)>,
}

/// Largest share of the time without a count of nodes in totals; more is not an inaccuracy of the clocks.
const MAX_UNCOUNTED_SHARE: f64 = 0.05;

/// Moves, time, depth and nodes of one side, summed over a game or several.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Effort {
    /// Number of moves.
    pub moves: u64,
    /// Time of all moves in microseconds.
    pub microseconds: u64,
    /// Sum of the reported depths.
    pub depths: u64,
    /// Number of moves with a reported depth.
    pub moves_with_depth: u64,
    /// Sum of the reported nodes.
    pub nodes: u64,
    /// Time in microseconds after the last report of nodes of each move, in which nodes may have gone uncounted.
    #[serde(default)]
    pub uncounted_microseconds: u64,
    /// Sum of the logarithms of the growth of the search trees, in millionths.
    #[serde(default)]
    pub growth_logarithms: i64,
    /// Number of moves with a known growth.
    #[serde(default)]
    pub moves_with_growth: u64,
}

impl Effort {
    /// Adds another sum; all fields saturate.
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

    /// Returns the mean time of a move in milliseconds.
    pub fn milliseconds_a_move(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.microseconds as f64 / self.moves as f64 / 1e3)
    }

    /// Returns the mean reported depth in plies.
    pub fn mean_depth(&self) -> Option<f64> {
        (self.moves_with_depth > 0).then(|| self.depths as f64 / self.moves_with_depth as f64)
    }

    /// Returns the geometric mean of the factors by which a ply multiplied the nodes of a search.
    pub fn mean_growth(&self) -> Option<f64> {
        let mean = self.growth_logarithms as f64 / 1e6 / self.moves_with_growth as f64;
        (self.moves_with_growth > 0).then(|| mean.exp())
    }

    /// Returns `true` if the nodes are much less than those searched, since the engine does not report totals.
    pub fn lacks_nodes(&self) -> bool {
        self.nodes > 0 && self.uncounted_microseconds as f64 > MAX_UNCOUNTED_SHARE * self.microseconds as f64
    }

    /// Returns the nodes per second; too low if the engine [`Self::lacks_nodes`].
    pub fn nodes_per_second(&self) -> Option<f64> {
        (self.microseconds > 0 && self.nodes > 0).then(|| self.nodes as f64 * 1e6 / self.microseconds as f64)
    }
}

impl GameRecord {
    /// Returns the efforts of Red and Black.
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
                uncounted_microseconds: u64::try_from(played.uncounted_time.as_micros()).unwrap_or(u64::MAX),
                growth_logarithms: played
                    .growth
                    .map_or(0, |growth| (1e6 * (f64::from(growth.max(1)) / 1e3).ln()).round() as i64),
                moves_with_growth: u64::from(played.growth.is_some()),
            });
            side = !side;
        }
        efforts
    }

    /// Converts the record to a game with a comment on each move: score for the side that moved, depth, and
    /// seconds used.
    pub fn to_game(&self, tags: Vec<(String, String)>) -> Game {
        let mut game = Game::from_line(self.opening.start.clone(), self.opening.moves.iter().copied());
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
    words.push_str(&format!(" {:.3}s", played.elapsed.as_secs_f64()));
    words.trim_start().to_owned()
}

/// Fault of an engine that loses it the game. [`fmt::Display`] continues a sentence that begins with the engine's name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The program cannot be started, or does not complete the handshake.
    CannotStart(String),
    /// The program ended; its exit status, if known.
    Crashed(Option<String>),
    /// No answer for this long, not even to `stop`.
    Silent(Duration),
    /// The answer is not a move.
    Garbage(String),
    /// It reports no legal move although there is one.
    NoMove,
    /// Illegal move, and the rule that it breaks.
    Illegal(String, String),
    /// Time overstepped, by this much.
    Overstepped(Duration),
}

/// Kind of a fault, for counting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Did not start.
    Start,
    /// Ended during the game.
    Crash,
    /// Did not answer.
    Hang,
    /// Sent an answer that is not a move.
    Garbage,
    /// Played an illegal move.
    Illegal,
    /// Lost on time.
    Time,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [FaultKind; 6] =
        [FaultKind::Start, FaultKind::Crash, FaultKind::Hang, FaultKind::Garbage, FaultKind::Illegal, FaultKind::Time];

    /// Returns the name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Start => "start",
            FaultKind::Crash => "crash",
            FaultKind::Hang => "hang",
            FaultKind::Garbage => "garbage",
            FaultKind::Illegal => "illegal",
            FaultKind::Time => "time",
        }
    }
}

impl Fault {
    /// Returns the kind of this fault.
    pub fn kind(&self) -> FaultKind {
        match self {
            Fault::CannotStart(_) => FaultKind::Start,
            Fault::Crashed(_) => FaultKind::Crash,
            Fault::Silent(_) => FaultKind::Hang,
            Fault::Garbage(_) | Fault::NoMove => FaultKind::Garbage,
            Fault::Illegal(..) => FaultKind::Illegal,
            Fault::Overstepped(_) => FaultKind::Time,
        }
    }

    /// Returns whether the program must be restarted.
    pub fn needs_restart(&self) -> bool {
        matches!(self, Fault::CannotStart(_) | Fault::Crashed(_) | Fault::Silent(_))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::CannotStart(reason) => write!(f, "cannot be started: {reason}"),
            Fault::Crashed(Some(status)) => write!(f, "crashed ({status})"),
            Fault::Crashed(None) => f.write_str("closed its output"),
            Fault::Silent(waited) => write!(f, "did not answer for {:.1} s", waited.as_secs_f64()),
            Fault::Garbage(text) => write!(f, "answered '{}', which is not a move", shortened(text)),
            Fault::NoMove => f.write_str("reports no legal move although it has one"),
            Fault::Illegal(text, reason) => write!(f, "played {}, which {reason}", shortened(text)),
            Fault::Overstepped(time) => write!(f, "overstepped the time by {:.1} ms", time.as_secs_f64() * 1e3),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_growth_is_geometric_and_unknown_moves_do_not_count() {
        let played = |growth| PlayedMove {
            mv: "h2e2".parse().unwrap(),
            score: None,
            depth: None,
            nodes: None,
            elapsed: Duration::ZERO,
            own_time: None,
            uncounted_time: Duration::ZERO,
            growth,
        };
        let record = GameRecord {
            number: 0,
            opening: Opening::default(),
            moves: [Some(1_000), None, None, None, Some(4_000)].map(played).to_vec(),
            result: GameResult::Draw,
            reason: String::new(),
            fault: None,
        };
        let [red, black] = record.efforts();
        assert!((red.mean_growth().unwrap() - 2.0).abs() < 1e-5, "{red:?}");
        assert_eq!(black.mean_growth(), None);
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

    #[test]
    fn reported_numbers_never_overflow() {
        let extreme = PlayedMove {
            mv: "h2e2".parse().unwrap(),
            score: Some(MATE - 3),
            depth: Some(usize::MAX),
            nodes: Some(u64::MAX),
            elapsed: Duration::MAX,
            own_time: None,
            uncounted_time: Duration::ZERO,
            growth: None,
        };
        let reason = String::new();
        let moves = vec![extreme, PlayedMove { score: Some(-120), depth: Some(7), ..extreme }, extreme];
        let record =
            GameRecord { number: 0, opening: Opening::default(), moves, result: GameResult::Draw, reason, fault: None };
        let [red, black] = record.efforts();
        assert_eq!((red.moves, red.nodes, red.microseconds), (2, u64::MAX, u64::MAX));
        assert_eq!((black.moves, black.depths), (1, 7));
        let brief = PlayedMove { elapsed: Duration::from_millis(1500), ..extreme };
        assert_eq!(comment(&PlayedMove { depth: Some(9), ..brief }), "+M2/9 1.500s");
        assert_eq!(comment(&PlayedMove { depth: None, score: Some(-120), ..brief }), "-1.20 1.500s");
        assert_eq!(comment(&PlayedMove { depth: None, score: None, ..brief }), "1.500s");
    }
}
