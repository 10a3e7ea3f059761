//! UCCI and UCI from the side of the arbiter: commands to an engine, and its replies.

use std::time::Duration;

use super::spec::{Clock, TimeControl};
use crate::position::{Position, START_FEN};
use crate::protocol::Protocol;
use crate::types::score::MATE;
use crate::types::{Move, Side, Square, Value};

/// Input of a `go` command.
pub(super) struct GoRequest<'a> {
    /// The position before the first move of the game.
    pub start: &'a Position,
    pub moves: &'a [Move],
    pub position: &'a Position,
    pub clocks: &'a [Clock; 2],
    pub draw_offered: bool,
}

/// Dialect of one engine: its protocol and how it writes ranks and times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EngineProtocol {
    pub protocol: Protocol,
    /// True if the engine counts ranks from 1.
    pub one_based_ranks: bool,
    /// True if times are in whole seconds instead of milliseconds.
    pub uses_seconds: bool,
}

impl EngineProtocol {
    /// Returns the `position` and `go` commands that request a move.
    pub fn commands(&self, request: &GoRequest) -> [String; 2] {
        [self.position_command(request), self.go_command(request)]
    }

    pub fn parse_move(&self, text: &str) -> Option<Move> {
        if self.one_based_ranks { parse_one_based(text) } else { text.parse().ok() }
    }

    fn position_command(&self, request: &GoRequest) -> String {
        let fen = request.start.to_string();
        let mut command = if fen == START_FEN { "position startpos".to_owned() } else { format!("position fen {fen}") };
        if !request.moves.is_empty() {
            command.push_str(" moves");
        }
        for &mv in request.moves {
            command.push(' ');
            if self.one_based_ranks {
                let point = |square: Square| format!("{}{}", char::from(b'a' + square.file()), square.rank() + 1);
                command.push_str(&point(mv.from()));
                command.push_str(&point(mv.to()));
            } else {
                command.push_str(&mv.to_string());
            }
        }
        command
    }

    fn go_command(&self, request: &GoRequest) -> String {
        let side = request.position.side();
        let (own, other) = (&request.clocks[side.index()], &request.clocks[(!side).index()]);
        let time = |time: Duration| if self.uses_seconds { u128::from(time.as_secs()) } else { time.as_millis() };
        let left = |clock: &Clock| time(clock.remaining().unwrap_or_default());
        let is_ucci = self.protocol == Protocol::Ucci;
        let offer = if request.draw_offered && is_ucci { "draw " } else { "" };
        let limit = match own.control() {
            TimeControl::Nodes(nodes) => format!("nodes {nodes}"),
            TimeControl::Depth(depth) => format!("depth {depth}"),
            // UCCI has no other way to give the time of one move.
            TimeControl::MoveTime(_) if is_ucci => format!("time {} movestogo 1", left(own)),
            TimeControl::MoveTime(limit) => format!("movetime {}", time(limit)),
            TimeControl::Clock { .. } if is_ucci => {
                let rest = |prefix: &str, clock: &Clock| match clock.moves_to_go() {
                    Some(moves) => format!("{prefix}movestogo {moves}"),
                    None => format!("{prefix}increment {}", time(clock.increment())),
                };
                let opponent = match other.remaining() {
                    Some(_) => format!(" opptime {} {}", left(other), rest("opp", other)),
                    None => String::new(),
                };
                format!("time {} {}{opponent}", left(own), rest("", own))
            }
            TimeControl::Clock { .. } => {
                let (white, black) = if side == Side::Red { (own, other) } else { (other, own) };
                let increments = (time(white.increment()), time(black.increment()));
                let mut words = format!("wtime {} btime {}", left(white), left(black));
                words.push_str(&format!(" winc {} binc {}", increments.0, increments.1));
                own.moves_to_go().into_iter().for_each(|moves| words.push_str(&format!(" movestogo {moves}")));
                words
            }
        };
        format!("go {offer}{limit}")
    }
}

/// Parses a move with ranks from 1 to 10.
fn parse_one_based(text: &str) -> Option<Move> {
    let bytes = text.as_bytes();
    let second = 1 + bytes.iter().skip(1).position(|byte| byte.is_ascii_alphabetic())?;
    let point = |text: &str| {
        let rank = (1..=10).find(|rank| text.get(1..) == Some(rank.to_string().as_str()))?;
        format!("{}{}", text.get(..1)?, rank - 1).parse::<Square>().ok()
    };
    Some(Move::new(point(text.get(..second)?)?, point(text.get(second..)?)?))
}

/// Output line of a searching engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Reply {
    Info(Info),
    BestMove {
        /// The move as written; empty if missing.
        text: String,
        /// True if it offers or accepts a draw.
        offers_draw: bool,
        resigns: bool,
    },
    /// The engine reports that it has no legal move.
    NoMove,
    Other,
}

/// Search data from `info` lines; each line may contain only some of the fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Info {
    pub depth: Option<usize>,
    /// Score for the engine, in hundredths as it reports it.
    pub score: Option<Value>,
    pub nodes: Option<u64>,
    /// Search time by the engine's own clock.
    pub time: Option<Duration>,
    /// The line reports a finished iteration: its score is not a bound, and it is the best line of several.
    pub is_exact: bool,
}

impl Info {
    pub fn update(&mut self, later: Info) {
        self.depth = later.depth.or(self.depth);
        self.score = later.score.or(self.score);
        self.nodes = later.nodes.or(self.nodes);
        self.time = later.time.or(self.time);
        self.is_exact = later.is_exact;
    }
}

impl Reply {
    /// Parses a line of either protocol.
    pub fn parse(line: &str) -> Reply {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("info") => Reply::Info(parse_info(words)),
            Some("nobestmove") => Reply::NoMove,
            Some("bestmove") => {
                let text = words.next().unwrap_or_default().to_owned();
                if matches!(text.as_str(), "(none)" | "none" | "null" | "0000") {
                    return Reply::NoMove;
                }
                let rest: Vec<&str> = words.collect();
                let says = |word: &str| rest.contains(&word);
                Reply::BestMove { offers_draw: says("draw"), resigns: says("resign") || text == "resign", text }
            }
            _ => Reply::Other,
        }
    }
}

fn parse_info<'a>(words: impl Iterator<Item = &'a str>) -> Info {
    let mut words = words.peekable();
    let mut info = Info::default();
    let (mut is_of_best_line, mut is_bound) = (true, false);
    while let Some(word) = words.next() {
        match word {
            // Free text or moves fill the rest of the line.
            "message" | "string" | "pv" => break,
            "depth" => info.depth = words.peek().and_then(|word| word.parse().ok()),
            "nodes" => info.nodes = words.peek().and_then(|word| word.parse().ok()),
            "time" => info.time = words.peek().and_then(|word| word.parse().ok()).map(Duration::from_millis),
            "multipv" => is_of_best_line = words.peek().is_none_or(|word| *word == "1"),
            "score" => info.score = parse_score(&mut words),
            "lowerbound" | "upperbound" => is_bound = true,
            _ => {}
        }
    }
    info.is_exact = is_of_best_line && !is_bound && info.score.is_some();
    if is_of_best_line { info } else { Info { score: None, ..info } }
}

/// Parses the words after `score`: a number in UCCI, `cp N` or `mate N` in UCI.
fn parse_score<'a>(words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) -> Option<Value> {
    let number = |word: &&str| word.parse::<i64>().ok();
    match words.peek().copied() {
        Some("cp") => {
            words.next();
            words.peek().and_then(number).map(clamped)
        }
        Some("mate") => {
            words.next();
            let moves = words.peek().and_then(number)?;
            // Mate in 0 means that the side to move is mated.
            let plies = clamped(2 * moves.saturating_abs().min(i64::from(MATE) / 4));
            Some(if moves > 0 { MATE - plies + 1 } else { plies - MATE })
        }
        Some(word) => number(&word).map(clamped),
        None => None,
    }
}

/// Clamps a score to the mate bounds; engines use different scales for mates.
fn clamped(number: i64) -> Value {
    let max = i64::from(MATE);
    Value::try_from(number.clamp(-max, max)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(line: &str) -> Info {
        let Reply::Info(info) = Reply::parse(line) else { panic!("{line}") };
        info
    }

    #[test]
    fn info_lines_of_both_protocols_are_parsed() {
        let ucci = info("info depth 8 score -35 time 120 nodes 40000 pv h2e2 score 9");
        let uci = info("info depth 8 seldepth 12 multipv 1 score cp -35 nodes 40000 nps 300000 time 120 pv h2e2");
        assert_eq!(ucci, uci);
        assert_eq!((uci.score, uci.time), (Some(-35), Some(Duration::from_millis(120))));
        assert_eq!(info("info score mate 3").score, Some(MATE - 5));
        assert_eq!(info("info score mate -2").score, Some(4 - MATE));
        assert_eq!(info("info score mate 0").score, Some(-MATE));
        assert_eq!(info("info score 29999").score, Some(MATE));
        assert_eq!(info("info multipv 2 depth 4 score cp 7").score, None);
        assert_eq!(info("info message depth 5 score 3"), Info::default());
        assert_eq!(info("info depth x score cp nodes"), Info::default());
        assert!(ucci.is_exact && !info("info depth 8 nodes 40000").is_exact);
        for inexact in ["info depth 8 score cp 20 lowerbound nodes 9", "info multipv 2 depth 8 score cp 20 nodes 9"] {
            assert!(!info(inexact).is_exact, "{inexact}");
        }
        assert_eq!(info("info score mate -9223372036854775808").score, Some(-MATE / 2));
    }

    #[test]
    fn best_moves_are_parsed() {
        let best = |line: &str| match Reply::parse(line) {
            Reply::BestMove { text, offers_draw, resigns } => (text, offers_draw, resigns),
            other => panic!("{other:?}"),
        };
        assert_eq!(best("bestmove h2e2 ponder h9g7 draw"), ("h2e2".to_owned(), true, false));
        assert_eq!(best("bestmove h2e2 resign"), ("h2e2".to_owned(), false, true));
        assert_eq!(best("bestmove"), (String::new(), false, false));
        for line in ["nobestmove", "bestmove (none)", "bestmove 0000"] {
            assert_eq!(Reply::parse(line), Reply::NoMove);
        }
        assert_eq!(Reply::parse("hello"), Reply::Other);
        assert_eq!(Reply::parse(""), Reply::Other);
    }
}
