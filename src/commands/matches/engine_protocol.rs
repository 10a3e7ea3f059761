//! Replies of a searching engine, and moves as engines write them: the same words in UCCI and UCI.

use crate::types::score::MATE;
use crate::types::{Move, Square, Value};

/// Search data from `info` lines; each line may contain only some of the fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Info {
    pub depth: Option<usize>,
    /// Score for the engine, in hundredths as it reports it.
    pub score: Option<Value>,
    pub nodes: Option<u64>,
    /// Search time in milliseconds by the engine's own clock.
    pub milliseconds: Option<u64>,
}

impl Info {
    /// Takes over what a line reports about the best of several lines of play.
    pub fn read(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("info") {
            return;
        }
        let mut read = *self;
        while let Some(word) = words.next() {
            let number = words.clone().next().and_then(|word| word.parse::<u64>().ok());
            match word {
                // Free text or moves fill the rest of the line.
                "message" | "string" | "pv" => break,
                "multipv" if number.is_some_and(|number| number > 1) => return,
                "depth" => read.depth = number.and_then(|depth| usize::try_from(depth).ok()).or(read.depth),
                "nodes" => read.nodes = number.or(read.nodes),
                "time" => read.milliseconds = number.or(read.milliseconds),
                "score" => read.score = score(words.clone()).or(read.score),
                _ => {}
            }
        }
        *self = read;
    }
}

/// Parses the words after `score`: a number in UCCI, `cp N` or `mate N` in UCI. Scores beyond mate are cut, since
/// engines use different scales for mates.
fn score<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Value> {
    let (max, word) = (i64::from(MATE), words.next()?);
    let mut number = || words.next()?.parse::<i64>().ok();
    let score = match word {
        "cp" => number()?,
        "mate" => {
            let moves = number()?;
            // Mate in 0 means that the side to move is mated.
            let plies = 2 * moves.saturating_abs().min(max / 4);
            if moves > 0 { max - plies + 1 } else { plies - max }
        }
        word => word.parse().ok()?,
    };
    Value::try_from(score.clamp(-max, max)).ok()
}

/// Answer of an engine to `go`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BestMove {
    /// The move as written, empty if missing; `None` if the engine reports that it has no legal move.
    pub text: Option<String>,
    /// True if it offers or accepts a draw.
    pub offers_draw: bool,
    pub resigns: bool,
}

impl BestMove {
    pub fn read(line: &str) -> Option<BestMove> {
        let mut words = line.split_ascii_whitespace();
        let text = match words.next() {
            Some("bestmove") => words.next().unwrap_or_default(),
            Some("nobestmove") => "none",
            _ => return None,
        };
        let has_move = !["(none)", "none", "null", "0000"].contains(&text);
        let says = |word: &str| words.clone().any(|other| other == word);
        let (offers_draw, resigns) = (says("draw"), says("resign") || text == "resign");
        Some(BestMove { text: has_move.then(|| text.to_owned()), offers_draw, resigns })
    }
}

/// Returns a move as an engine writes it that counts ranks from 1 or from 0.
pub(super) fn move_text(mv: Move, one_based_ranks: bool) -> String {
    let point = |square: Square| format!("{}{}", char::from(b'a' + square.file()), square.rank() + 1);
    if one_based_ranks { point(mv.from()) + &point(mv.to()) } else { mv.to_string() }
}

pub(super) fn parse_move(text: &str, one_based_ranks: bool) -> Option<Move> {
    if !one_based_ranks {
        return text.parse().ok();
    }
    let second = 1 + text.bytes().skip(1).position(|byte| byte.is_ascii_alphabetic())?;
    let point = |text: &str| {
        let rank = (1..=10).find(|rank| text.get(1..) == Some(rank.to_string().as_str()))?;
        format!("{}{}", text.get(..1)?, rank - 1).parse::<Square>().ok()
    };
    Some(Move::new(point(text.get(..second)?)?, point(text.get(second..)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(line: &str) -> Info {
        let mut info = Info::default();
        info.read(line);
        info
    }

    #[test]
    fn info_lines_of_both_protocols_are_parsed() {
        let ucci = info("info depth 8 score -35 time 120 nodes 40000 pv h2e2 score 9");
        assert_eq!(ucci, Info { depth: Some(8), score: Some(-35), nodes: Some(40_000), milliseconds: Some(120) });
        let uci = "info depth 8 seldepth 12 multipv 1 score cp -35 nodes 40000 nps 300000 time 120 pv h2e2";
        assert_eq!(info(uci), ucci);
        let mut later = ucci;
        later.read("info depth 9 nodes 50000 score cp x");
        assert_eq!(later, Info { depth: Some(9), nodes: Some(50_000), ..ucci });
        for (line, score) in [
            ("info score mate 3", Some(MATE - 5)),
            ("info score mate -2", Some(4 - MATE)),
            ("info score mate 0", Some(-MATE)),
            ("info score 29999", Some(MATE)),
            ("info score mate -9223372036854775808", Some(-MATE / 2)),
            ("info multipv 2 depth 4 score cp 7", None),
            ("info message depth 5 score 3", None),
            ("info depth x score cp nodes", None),
            ("score 5", None),
        ] {
            assert_eq!(info(line), Info { score, ..Info::default() }, "{line}");
        }
    }

    #[test]
    fn best_moves_are_parsed() {
        for (line, text, offers_draw, resigns) in [
            ("bestmove h2e2 ponder h9g7 draw", Some("h2e2"), true, false),
            ("bestmove h2e2 resign", Some("h2e2"), false, true),
            ("bestmove resign", Some("resign"), false, true),
            ("bestmove", Some(""), false, false),
            ("nobestmove", None, false, false),
            ("bestmove (none)", None, false, false),
            ("bestmove 0000", None, false, false),
        ] {
            let expected = BestMove { text: text.map(str::to_owned), offers_draw, resigns };
            assert_eq!(BestMove::read(line), Some(expected), "{line}");
        }
        assert_eq!(["hello", "", "info bestmove"].map(BestMove::read), [None, None, None]);
    }

    #[test]
    fn moves_may_have_ranks_from_one_on() {
        for (text, mv) in [("a10a9", "a9a8"), ("h3e3", "h2e2")] {
            let found = parse_move(text, true).unwrap();
            assert_eq!((found.to_string().as_str(), move_text(found, true).as_str()), (mv, text));
        }
        for garbage in ["", "a", "a1", "a0a1", "a11a1", "k1k2", "日本", "a1日", "a999a1", "a-1a1", "a+1a2", "a01a2"]
        {
            assert_eq!(parse_move(garbage, true), None, "{garbage}");
        }
    }
}
