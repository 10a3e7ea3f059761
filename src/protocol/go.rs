//! The words after `go`.

use std::time::Duration;

use super::words::quotable;
use crate::engine::saturating_number;
use crate::search::{Clock, Limits, MAX_DEPTH};
use crate::types::Side;

/// What a `go` without any limit is given.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(1);

/// A `go` command as understood.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Go {
    /// What bounds the search.
    pub limits: Limits,
    /// The opponent offers a draw.
    pub draw_offered: bool,
    /// Only the static evaluation is wanted.
    pub evaluation_only: bool,
    /// Not a search but a count of lines of this length is wanted.
    pub perft_depth: Option<usize>,
    /// The root moves to choose from, as they were written.
    pub wanted_moves: Vec<String>,
    /// What could not be understood.
    pub complaints: Vec<String>,
}

/// Reads the words after `go`, in any order, from UCCI and from UCI alike. `side` is to move; times are in `unit`s.
///
/// Numbers out of range saturate; a limit that cannot be read counts as none, with a complaint.
pub(super) fn parse<'a>(words: impl Iterator<Item = &'a str>, side: Side, unit: Duration) -> Go {
    let mut words = words.peekable();
    let mut go = Go::default();
    let mut depth = None;
    let (mut remaining, mut increment, mut moves_to_go) = (None, None, None);
    let mut is_game_clock = false;
    while let Some(word) = words.next() {
        let word = word.to_ascii_lowercase();
        match word.as_str() {
            "draw" => go.draw_offered = true,
            "ponder" => go.limits.ponder = true,
            "infinite" => go.limits.infinite = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| names_points(word)) {
                    go.wanted_moves.push(mv.to_owned());
                }
            }
            _ => {
                let is_known = matches!(
                    word.as_str(),
                    "depth"
                        | "nodes"
                        | "mate"
                        | "perft"
                        | "time"
                        | "movetime"
                        | "increment"
                        | "movestogo"
                        | "opptime"
                        | "oppincrement"
                        | "oppmovestogo"
                        | "wtime"
                        | "btime"
                        | "winc"
                        | "binc"
                );
                if !is_known {
                    go.complaints.push(format!("go: '{}' is not understood", quotable(&word)));
                    continue;
                }
                let number = words.peek().and_then(|text| saturating_number(text));
                let Some(number) = number else {
                    let found =
                        words.next_if(|text| !text.bytes().all(|byte| byte.is_ascii_alphabetic()) || text.len() < 4);
                    let found = found.map_or_else(|| "nothing".to_owned(), |text| format!("'{}'", quotable(text)));
                    go.complaints.push(format!("go: {word} takes a number, not {found}; it is ignored"));
                    continue;
                };
                words.next();
                let number = number.max(0) as u64;
                is_game_clock |= !matches!(word.as_str(), "time" | "depth" | "nodes" | "mate" | "perft" | "movetime");
                match (word.as_str(), side) {
                    ("depth", _) => depth = Some(number),
                    ("nodes", _) => go.limits.nodes = Some(number),
                    ("mate", _) => go.limits.mate = Some(usize::try_from(number).unwrap_or(usize::MAX)),
                    ("perft", _) => go.perft_depth = Some(usize::try_from(number).unwrap_or(usize::MAX)),
                    ("movetime", _) => go.limits.move_time = Some(times(unit, number)),
                    ("time", _) | ("wtime", Side::Red) | ("btime", Side::Black) => {
                        remaining = Some(times(unit, number));
                    }
                    ("increment", _) | ("winc", Side::Red) | ("binc", Side::Black) => {
                        increment = Some(times(unit, number));
                    }
                    ("movestogo", _) => moves_to_go = Some(u32::try_from(number).unwrap_or(u32::MAX)),
                    // The opponent's clock does not matter.
                    _ => {}
                }
            }
        }
    }
    match depth {
        Some(0) => go.evaluation_only = true,
        Some(depth) => go.limits.depth = Some(usize::try_from(depth).map_or(MAX_DEPTH, |depth| depth.min(MAX_DEPTH))),
        None => {}
    }
    if let Some(remaining) = remaining {
        // A bare time, without any other word of a game clock, is what this one move may take.
        let moves_to_go = if is_game_clock { moves_to_go } else { Some(1) };
        let increment = increment.unwrap_or(Duration::ZERO);
        go.limits.clock = Some(Clock { remaining, increment, moves_to_go });
    }
    let has_limit = go.limits.depth.is_some() || go.limits.nodes.is_some() || go.limits.mate.is_some();
    // Whichever limit is reached first ends the search.
    go.limits.infinite &= !has_limit && !go.limits.is_timed();
    if !has_limit && !go.limits.infinite && !go.limits.is_timed() {
        go.limits.move_time = Some(DEFAULT_MOVE_TIME);
    }
    go
}

/// Whether a word looks like a move: a file, digits, a file, digits.
fn names_points(word: &str) -> bool {
    let word = word.as_bytes();
    (4..=6).contains(&word.len()) && word[0].is_ascii_alphabetic() && word[1].is_ascii_digit()
}

/// `unit` × `number`, at most some millennia.
fn times(unit: Duration, number: u64) -> Duration {
    /// More than any game lasts, and far from the end of a duration's range.
    const LONGEST: Duration = Duration::from_secs(1 << 36);
    Duration::from_millis(number.saturating_mul(unit.as_millis() as u64)).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn go(text: &str) -> Go {
        parse(text.split_whitespace(), Side::Red, MS)
    }

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Option<Clock> {
        Some(Clock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            moves_to_go,
        })
    }

    #[test]
    fn the_modes_of_the_protocol_are_read_in_any_order() {
        assert_eq!(go("depth 6").limits, Limits::depth(6));
        assert_eq!(go("nodes 20000").limits, Limits::nodes(20_000));
        assert_eq!(go("time 6000 increment 100 opptime 5 oppincrement 6").limits.clock, clock(6000, 100, None));
        assert_eq!(go("opptime 5 movestogo 9 time 6000").limits.clock, clock(6000, 0, Some(9)));
        assert_eq!(go("increment 100 time 6000 draw").limits.clock, clock(6000, 100, None));
        assert!(go("draw time 1 increment 2").draw_offered);
        assert!(go("ponder time 1 increment 2").limits.ponder);
        assert!(go("infinite").limits.infinite);
        assert_eq!(go("mate 3").limits.mate, Some(3));
        assert_eq!(go("perft 3").perft_depth, Some(3));
        let chosen = go("searchmoves h2e2 h10g8 depth 3");
        assert_eq!((chosen.wanted_moves, chosen.limits.depth), (vec!["h2e2".to_owned(), "h10g8".to_owned()], Some(3)));
        assert!(go("depth 0").evaluation_only);
        assert_eq!(go("wtime 800 btime 900 movestogo 1").limits.clock, clock(800, 0, Some(1)));
        let combined = go("depth 8 nodes 200000 movetime 1000").limits;
        assert_eq!((combined.depth, combined.nodes, combined.move_time), (Some(8), Some(200_000), Some(MS * 1000)));
    }

    #[test]
    fn a_bare_time_is_for_this_move() {
        assert_eq!(go("time 800").limits.clock, clock(800, 0, Some(1)));
        assert_eq!(go("time 800 depth 9").limits.clock, clock(800, 0, Some(1)));
        for game in ["time 800 increment 0", "time 800 opptime 900", "wtime 800 btime 900"] {
            assert_eq!(go(game).limits.clock, clock(800, 0, None), "{game}");
        }
    }

    #[test]
    fn without_a_limit_there_is_a_second() {
        for text in ["", "draw", "ponder", "depth", "depth abc", "time", "time x"] {
            assert_eq!(go(text).limits.move_time, Some(MS * 1000), "{text}");
        }
        assert_eq!(go("depth abc").complaints.len(), 1);
        assert_eq!(go("depth infinite").complaints.len(), 1);
        assert!(go("depth infinite").limits.infinite);
        assert!(!go("movetime 200 infinite").limits.infinite);
    }

    #[test]
    fn numbers_saturate() {
        assert_eq!(go("depth 99999999999999999999").limits.depth, Some(MAX_DEPTH));
        assert!(go("depth -3").evaluation_only);
        assert_eq!(go("time -5 increment -5").limits.clock, clock(0, 0, None));
        assert!(go("time 99999999999999999999").limits.clock.unwrap().remaining > Duration::from_secs(1_000_000));
        assert_eq!(go("nodes 0").limits.nodes, Some(0));
    }

    #[test]
    fn seconds_are_obeyed() {
        let go = parse("time 6 increment 1".split_whitespace(), Side::Black, Duration::from_secs(1));
        assert_eq!(go.limits.clock, clock(6000, 1000, None));
    }
}
