//! What an engine of a match says, as far as a match cares.

use std::time::Duration;

use crate::types::Value;
use crate::types::score::MATE;

/// A line of an engine that thinks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// What it is thinking of.
    Info(Info),
    /// It has decided.
    BestMove {
        /// The move as it wrote it; empty when it named none.
        text: String,
        /// It offers a draw, or accepts one.
        offers_draw: bool,
        /// It gives up.
        resigns: bool,
    },
    /// It sees no move to play.
    NoMove,
    /// Anything else.
    Other,
}

/// What an engine tells of its thinking; each `info` line tells a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Info {
    /// The depth in plies.
    pub depth: Option<usize>,
    /// The value in centipawns for its own side.
    pub score: Option<Value>,
    /// The nodes of the search.
    pub nodes: Option<u64>,
    /// The time of the search by its own clock.
    pub time: Option<Duration>,
}

impl Info {
    /// Adds what a later line tells.
    pub fn update(&mut self, later: Info) {
        self.depth = later.depth.or(self.depth);
        self.score = later.score.or(self.score);
        self.nodes = later.nodes.or(self.nodes);
        self.time = later.time.or(self.time);
    }
}

impl Answer {
    /// Understands a line of either protocol.
    pub fn read(line: &str) -> Answer {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("info") => Answer::Info(read_info(words)),
            Some("nobestmove") => Answer::NoMove,
            Some("bestmove") => {
                let text = words.next().unwrap_or_default().to_owned();
                if matches!(text.as_str(), "(none)" | "none" | "null" | "0000") {
                    return Answer::NoMove;
                }
                let rest: Vec<&str> = words.collect();
                let says = |word: &str| rest.contains(&word);
                Answer::BestMove { offers_draw: says("draw"), resigns: says("resign") || text == "resign", text }
            }
            _ => Answer::Other,
        }
    }
}

fn read_info<'a>(words: impl Iterator<Item = &'a str>) -> Info {
    let mut words = words.peekable();
    let mut info = Info::default();
    let mut is_of_best_line = true;
    while let Some(word) = words.next() {
        match word {
            // Free text and moves follow; nothing that counts stands behind them.
            "message" | "string" | "pv" => break,
            "depth" => info.depth = words.peek().and_then(|word| word.parse().ok()),
            "nodes" => info.nodes = words.peek().and_then(|word| word.parse().ok()),
            "time" => info.time = words.peek().and_then(|word| word.parse().ok()).map(Duration::from_millis),
            "multipv" => is_of_best_line = words.peek().is_none_or(|word| *word == "1"),
            "score" => info.score = read_score(&mut words),
            _ => {}
        }
    }
    if is_of_best_line { info } else { Info { score: None, ..info } }
}

/// The words after `score`: a number in UCCI, `cp N` or `mate N` in UCI.
fn read_score<'a>(words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) -> Option<Value> {
    let number = |word: &&str| word.parse::<i64>().ok();
    match words.peek().copied() {
        Some("cp") => {
            words.next();
            words.peek().and_then(number).map(saturated)
        }
        Some("mate") => {
            words.next();
            let moves = words.peek().and_then(number)?;
            // Whoever is to be mated in 0 moves is mated now.
            let plies = saturated(2 * moves.saturating_abs().min(i64::from(MATE) / 4));
            Some(if moves > 0 { MATE - plies + 1 } else { plies - MATE })
        }
        Some(word) => number(&word).map(saturated),
        None => None,
    }
}

/// The number as a value; engines have scales of their own for mates.
fn saturated(number: i64) -> Value {
    let most = i64::from(MATE);
    Value::try_from(number.clamp(-most, most)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(line: &str) -> Info {
        let Answer::Info(info) = Answer::read(line) else { panic!("{line}") };
        info
    }

    #[test]
    fn both_protocols_tell_of_their_thinking() {
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
        assert_eq!(info("info score mate -9223372036854775808").score, Some(-MATE / 2));
    }

    #[test]
    fn decisions_are_understood() {
        let best = |line: &str| match Answer::read(line) {
            Answer::BestMove { text, offers_draw, resigns } => (text, offers_draw, resigns),
            other => panic!("{other:?}"),
        };
        assert_eq!(best("bestmove h2e2 ponder h9g7 draw"), ("h2e2".to_owned(), true, false));
        assert_eq!(best("bestmove h2e2 resign"), ("h2e2".to_owned(), false, true));
        assert_eq!(best("bestmove"), (String::new(), false, false));
        for line in ["nobestmove", "bestmove (none)", "bestmove 0000"] {
            assert_eq!(Answer::read(line), Answer::NoMove);
        }
        assert_eq!(Answer::read("hello"), Answer::Other);
        assert_eq!(Answer::read(""), Answer::Other);
    }
}
