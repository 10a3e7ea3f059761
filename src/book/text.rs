//! Lossless text format of a book, for reading, comparing and editing.
//!
//! ```text
//! chuhe book 1
//! origin "Master games\nlicence CC BY 4.0"
//! e5b53780b6be8172 b0c2 312 290 199 weight 1034 delta -12 verified
//! ```
//!
//! The origin (provenance) is a JSON string. One line for each move follows: key of the position, move on the board
//! that has this key, wins, draws and losses of the side to move, and named fields: `weight` (base weight), `delta`
//! (learned delta, omitted if 0), `verified`, and `prefer` with a preference ([`super::Preference`]). The lines may
//! have any order. Empty lines and lines that begin with `#` are ignored.

use std::fmt::Write as _;

use thiserror::Error;

use super::record::{MAX_GAMES, Record};
use super::{Book, Preference, Statistics, WriteError, write};
use crate::types::Move;

const TITLE: &str = "chuhe book 1";

/// Error in the text of a book, with its line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {fault}")]
pub struct TextError {
    /// Line number, starting with 1.
    pub line: usize,
    /// Cause.
    pub fault: TextFault,
}

/// Error in a line of a book as text.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum TextFault {
    /// The first line is not the title.
    #[error("a book as text must begin with '{TITLE}'")]
    Title,
    /// The second line is not the origin.
    #[error("the second line must be 'origin' and a JSON string")]
    Origin,
    /// Unexpected word.
    #[error("'{found}' is not a valid {expected}")]
    Word {
        /// Kind of the expected word.
        expected: &'static str,
        /// The word found.
        found: String,
    },
    /// The line is too short; names the missing field.
    #[error("missing {0}")]
    Missing(&'static str),
    /// Duplicate move; holds the number of the earlier line.
    #[error("duplicate of line {0}: same position and move")]
    Twice(usize),
    /// A book cannot hold the records.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Exports a book as text.
pub fn export(book: &Book) -> String {
    let mut text = format!("{TITLE}\norigin {}\n", json_string(book.provenance()));
    for record in book.records() {
        let Statistics { wins, draws, losses } = record.statistics;
        // Writing to a string does not fail.
        let _ = write!(text, "{:016x} {} {wins} {draws} {losses} weight {}", record.key, record.mv, record.base_weight);
        if record.learned_delta != 0 {
            let _ = write!(text, " delta {}", record.learned_delta);
        }
        if record.is_verified {
            text.push_str(" verified");
        }
        if record.preference != Preference::NONE {
            let _ = write!(text, " prefer {}", record.preference);
        }
        text.push('\n');
    }
    text
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Parses the text of a book and returns the encoded book; the inverse of [`export`].
///
/// # Errors
/// [`TextError`] for the first invalid line.
pub fn import(text: &str) -> Result<Vec<u8>, TextError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines =
        (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let fault = |line, fault| TextError { line, fault };
    match lines.next() {
        Some((_, TITLE)) => {}
        first => return Err(fault(first.map_or(1, |(line, _)| line), TextFault::Title)),
    }
    let (line, origin) = lines.next().ok_or_else(|| fault(2, TextFault::Origin))?;
    let origin: String = origin
        .strip_prefix("origin ")
        .and_then(|string| serde_json::from_str(string).ok())
        .ok_or_else(|| fault(line, TextFault::Origin))?;
    let mut records = Vec::new();
    for (line, text) in lines {
        records.push((read_record(text).map_err(|found| fault(line, found))?, line));
    }
    records.sort_unstable_by_key(|(record, line)| (record.order(), *line));
    if let Some(pair) = records.windows(2).find(|pair| pair[0].0.order() == pair[1].0.order()) {
        return Err(fault(pair[1].1, TextFault::Twice(pair[0].1)));
    }
    let records: Vec<Record> = records.into_iter().map(|(record, _)| record).collect();
    write(&records, &origin).map_err(|error| fault(line, error.into()))
}

fn read_record(line: &str) -> Result<Record, TextFault> {
    let mut words = line.split_ascii_whitespace();
    let mut next = |what| words.next().ok_or(TextFault::Missing(what));
    let word = next("key")?;
    let key = Some(word).filter(|word| word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let key = key
        .and_then(|word| u64::from_str_radix(word, 16).ok())
        .ok_or_else(|| wrong("key of 16 hexadecimal digits", word))?;
    let word = next("move")?;
    let mv: Move = word.parse().map_err(|_| wrong("move", word))?;
    if mv.from() == mv.to() {
        return Err(wrong("move", word));
    }
    let mut count = |what| {
        let word = next(what)?;
        word.parse().ok().filter(|&count| count <= MAX_GAMES).ok_or_else(|| wrong("number of games", word))
    };
    let statistics = Statistics {
        wins: count("number of wins")?,
        draws: count("number of draws")?,
        losses: count("number of losses")?,
    };
    match next("weight")? {
        "weight" => {}
        word => return Err(wrong("keyword, expected 'weight'", word)),
    }
    let word = next("weight")?;
    let base_weight = word.parse().map_err(|_| wrong("weight from 0 to 65535", word))?;
    let mut record = Record { base_weight, ..Record::new(key, mv, statistics) };
    while let Some(name) = words.next() {
        match name {
            "delta" => {
                let word = words.next().ok_or(TextFault::Missing("delta"))?;
                record.learned_delta = word.parse().map_err(|_| wrong("delta from -32768 to 32767", word))?;
            }
            "verified" => record.is_verified = true,
            "prefer" => {
                let word = words.next().ok_or(TextFault::Missing("preference"))?;
                record.preference = word.parse().map_err(|_| wrong("preference", word))?;
            }
            word => return Err(wrong("keyword, expected 'delta', 'verified' or 'prefer'", word)),
        }
    }
    Ok(record)
}

/// Error for an unexpected word, with control characters replaced for the terminal.
fn wrong(expected: &'static str, word: &str) -> TextFault {
    let found = word.chars().take(40).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect();
    TextFault::Word { expected, found }
}
