//! Readers of protocol lines.

use chuhe::position::Position;
use chuhe::types::Move;

pub use crate::common::data::position;

pub fn begins_with(line: &str, start: &str) -> bool {
    line.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Returns whether the line ends a search, or answers a `stop` without one.
pub fn is_answer(line: &str) -> bool {
    begins_with(line, "bestmove") || begins_with(line, "nobestmove")
}

/// Returns whether the line begins like a line of the protocol and is printable.
pub fn is_of_the_protocol(line: &str) -> bool {
    const WORDS: [&str; 10] =
        ["id", "option", "ucciok", "uciok", "readyok", "info", "bestmove", "nobestmove", "pophash", "bye"];
    WORDS.iter().any(|word| begins_with(line, word)) && line.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

pub fn messages(lines: &[String]) -> Vec<&str> {
    lines.iter().filter_map(|line| line.strip_prefix("info message ")).collect()
}

/// Returns the answers to `go` and `stop` among these lines.
pub fn answers(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).filter(|line| is_answer(line)).collect()
}

pub fn best_move(answer: &str) -> &str {
    let rest = answer.strip_prefix("bestmove ").unwrap_or_else(|| panic!("a move was expected, not '{answer}'"));
    rest.split(' ').next().expect("split yields at least one part")
}

pub fn is_legal(position: &Position, text: &str) -> bool {
    text.parse().is_ok_and(|mv: Move| position.is_pseudo_legal(mv) && position.is_legal(mv))
}

#[derive(Debug)]
pub struct Iteration {
    pub depth: u64,
    pub score: i64,
    pub time: u64,
    pub nodes: u64,
    pub nodes_per_second: u64,
    pub line: Vec<String>,
}

impl Iteration {
    /// Reads a line; fails if a key is missing, unknown, doubled, without its number, or not before `pv`.
    pub fn read(line: &str) -> Iteration {
        let (numbers, moves) = line.split_once(" pv ").unwrap_or_else(|| panic!("no line of moves in '{line}'"));
        let words: Vec<&str> = numbers.strip_prefix("info ").expect("it is an info line").split(' ').collect();
        assert!(words.len() == 10, "five keys with a number each before pv in '{line}'");
        let number = |key: &str| -> i64 {
            let pair = words.as_chunks::<2>().0.iter().find(|pair| pair[0] == key);
            let text = pair.unwrap_or_else(|| panic!("no {key} in '{line}'"))[1];
            text.parse().unwrap_or_else(|_| panic!("{key} is no whole number in '{line}'"))
        };
        let natural = |key: &str| u64::try_from(number(key)).unwrap_or_else(|_| panic!("{key} below 0 in '{line}'"));
        Iteration {
            depth: natural("depth"),
            score: number("score"),
            time: natural("time"),
            nodes: natural("nodes"),
            nodes_per_second: natural("nps"),
            line: moves.split(' ').map(str::to_owned).collect(),
        }
    }

    pub fn all(lines: &[String]) -> Vec<Iteration> {
        lines.iter().filter(|line| begins_with(line, "info depth")).map(|line| Iteration::read(line)).collect()
    }
}
