//! Binary format of a book file (header, provenance, records), and books as text.
//!
//! | bytes | |
//! |---|---|
//! | 0–7 | magic `89 43 48 42 0D 0A 1A 0A`, which also detects a transfer in text mode |
//! | 8–9 | format version: 2 if a move has a preference, else 1 |
//! | 10–11 | record size in bytes, 24 |
//! | 12–15 | number of records |
//! | 16–19 | length of the provenance in bytes |
//! | 20–23 | CRC-32 (as in zip and PNG) of provenance and records |
//! | 24–27 | CRC-32 of bytes 0–23 |
//! | 28– | provenance: what the book was made from, UTF-8 |
//! | then | records ([`super::Record`]), strictly increasing by (key, from, to) |
//!
//! Nothing follows the records. All integers are little-endian.
//!
//! The text, for reading, comparing and editing, has the same content:
//!
//! ```text
//! chuhe book 1
//! origin "Master games\nlicence CC BY 4.0"
//! e5b53780b6be8172 b0c2 312 290 199 weight 1034 delta -12 verified
//! ```
//!
//! The origin (provenance) is a JSON string. One line for each move follows: key of the position, move on the board
//! that has this key, wins, draws and losses of the side to move, and named fields: `weight` (base weight), `delta`
//! (learned delta, omitted if 0), `verified`, and `prefer` with a preference ([`Preference`]). The lines may have any
//! order. Empty lines and lines that begin with `#` are ignored.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;

use super::record::{MAX_GAMES, RECORD_SIZE, Record, VERIFIED};
use super::{Book, BookError, Preference, Statistics};
use crate::types::Move;

/// Latest version of the book format. Books without preferences are written in version 1, which older programs read.
pub const VERSION: u16 = 2;
const PLAIN_VERSION: u16 = 1;
const MAX_PROVENANCE: usize = 1 << 16;

/// Maximum number of moves of a book, which take 960 MB.
pub const MAX_MOVES: usize = 40_000_000;

const MAGIC: [u8; 8] = *b"\x89CHB\r\n\x1A\n";
const HEAD_SIZE: usize = 28;

fn wrong_length(expected: u64, found: u64) -> BookError {
    BookError::new(format_args!("this book has {found} bytes but should have {expected}: it was truncated or extended"))
}

fn wrong_provenance() -> BookError {
    let fault = "the provenance (origin) of this book is not UTF-8 text of at most";
    BookError::new(format_args!("{fault} {MAX_PROVENANCE} bytes"))
}

fn wrong_checksum(part: &str) -> BookError {
    BookError::new(format_args!("this book is damaged: checksum mismatch in its {part}"))
}

/// Reads the bytes of a book: those that its head announces and, of a longer file, one more.
pub(super) fn read(file: &File) -> Result<Vec<u8>, BookError> {
    let mut bytes = Vec::new();
    file.take(HEAD_SIZE as u64).read_to_end(&mut bytes)?;
    let head = Head::read(&bytes)?;
    if head.records as usize > MAX_MOVES {
        return Err(BookError::new(format_args!("this book has {} moves, more than {MAX_MOVES}", head.records)));
    }
    if head.provenance as usize > MAX_PROVENANCE {
        return Err(wrong_provenance());
    }
    let expected = head.length();
    file.take(expected - HEAD_SIZE as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > expected {
        return Err(wrong_length(expected, file.metadata()?.len()));
    }
    Ok(bytes)
}

/// Validates a whole book. Returns the version of its format and the offset of its first record.
pub(super) fn check(bytes: &[u8]) -> Result<(u16, usize), BookError> {
    let head = Head::read(bytes)?;
    let expected = head.length();
    if expected != bytes.len() as u64 {
        return Err(wrong_length(expected, bytes.len() as u64));
    }
    // The length check bounds all of these, so nothing overflows below.
    let records_at = HEAD_SIZE + head.provenance as usize;
    let provenance = &bytes[HEAD_SIZE..records_at];
    let (records, _) = bytes[records_at..].as_chunks::<RECORD_SIZE>();
    // Report a checksum mismatch before errors that the damage caused.
    if crc32fast::hash(&bytes[HEAD_SIZE..]) != head.checksum {
        return Err(wrong_checksum("content"));
    }
    let max_flags = if head.version == PLAIN_VERSION { VERIFIED } else { u8::MAX };
    let mut last = None;
    for (number, bytes) in (1..).zip(records) {
        let record = Record::from_bytes(bytes).filter(|_| bytes[14] <= max_flags);
        let fault = match record.map(|record| record.order()) {
            None => "not a move",
            order if order <= last => "out of order",
            order => {
                last = order;
                continue;
            }
        };
        return Err(BookError::new(format_args!("record {number} of this book is {fault}")));
    }
    if head.version != PLAIN_VERSION && records.iter().all(|record| record[14] <= VERIFIED) {
        let fault = "this book has format 2 but no preferences, which are its only difference from format 1";
        return Err(BookError::new(fault));
    }
    if provenance.len() > MAX_PROVENANCE || std::str::from_utf8(provenance).is_err() {
        return Err(wrong_provenance());
    }
    Ok((head.version, records_at))
}

pub(super) fn provenance(bytes: &[u8], records_at: usize) -> &str {
    std::str::from_utf8(&bytes[HEAD_SIZE..records_at]).unwrap_or_default()
}

struct Head {
    version: u16,
    records: u32,
    provenance: u32,
    checksum: u32,
}

impl Head {
    fn length(&self) -> u64 {
        HEAD_SIZE as u64 + u64::from(self.provenance) + u64::from(self.records) * RECORD_SIZE as u64
    }

    fn read(bytes: &[u8]) -> Result<Head, BookError> {
        if bytes.is_empty() {
            return Err(BookError::new("the file is empty"));
        }
        let magic = &bytes[..bytes.len().min(MAGIC.len())];
        if !MAGIC.starts_with(magic) {
            // A transfer in text mode converts line ends.
            return Err(BookError::new(match bytes.starts_with(&MAGIC[..4]) {
                true => "this book was damaged by a transfer as text; transfer it in binary mode",
                false => {
                    "this is not a Chuhe book; convert other formats with 'chuhe book import' or 'chuhe book build'"
                }
            }));
        }
        let Some(head) = bytes.first_chunk::<HEAD_SIZE>() else {
            return Err(wrong_length(HEAD_SIZE as u64, bytes.len() as u64));
        };
        let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if crc32fast::hash(&head[..24]) != number(24) {
            return Err(wrong_checksum("head"));
        }
        let version = u16::from_le_bytes([head[8], head[9]]);
        if !(PLAIN_VERSION..=VERSION).contains(&version)
            || usize::from(u16::from_le_bytes([head[10], head[11]])) != RECORD_SIZE
        {
            return Err(BookError::new(format_args!(
                "this book has format {version}, but this program reads formats up to {VERSION}; rebuild it or use a \
                 newer Chuhe"
            )));
        }
        Ok(Head { version, records: number(12), provenance: number(16), checksum: number(20) })
    }
}

/// Encodes a book. The records must be sorted by [`Record::order`]. Equal input gives equal bytes.
pub fn write(records: &[Record], provenance: &str) -> Result<Vec<u8>, BookError> {
    let refused = |reason: String| Err(BookError::Invalid(reason));
    if provenance.len() > MAX_PROVENANCE {
        let length = provenance.len();
        return refused(format!("the provenance (origin) has {length} bytes, more than {MAX_PROVENANCE}"));
    }
    if records.len() > MAX_MOVES {
        return refused(format!("{} moves are more than a book can hold, {MAX_MOVES}", records.len()));
    }
    let is_move = |mv: Move| mv.from().is_on_board() && mv.to().is_on_board() && mv.from() != mv.to();
    if let Some(index) = records.iter().position(|record| !is_move(record.mv)) {
        return refused(format!("move {} is not a move", index + 1));
    }
    if let Some(index) = records.windows(2).position(|pair| pair[0].order() >= pair[1].order()) {
        return refused(format!("move {} is out of order or a duplicate", index + 2));
    }
    let mut bytes = Vec::with_capacity(HEAD_SIZE + provenance.len() + records.len() * RECORD_SIZE);
    bytes.extend_from_slice(&[0; HEAD_SIZE]);
    bytes.extend_from_slice(provenance.as_bytes());
    records.iter().for_each(|record| bytes.extend_from_slice(&record.to_bytes()));
    let has_preference = records.iter().any(|record| record.preference != Preference::NONE);
    let version = if has_preference { VERSION } else { PLAIN_VERSION };
    let content = crc32fast::hash(&bytes[HEAD_SIZE..]);
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..10].copy_from_slice(&version.to_le_bytes());
    bytes[10..12].copy_from_slice(&(RECORD_SIZE as u16).to_le_bytes());
    for (offset, number) in [(12, records.len() as u32), (16, provenance.len() as u32), (20, content)] {
        bytes[offset..offset + 4].copy_from_slice(&number.to_le_bytes());
    }
    let head = crc32fast::hash(&bytes[..24]);
    bytes[24..28].copy_from_slice(&head.to_le_bytes());
    Ok(bytes)
}

const TITLE: &str = "chuhe book 1";

/// Exports a book as text.
pub fn export(book: &Book) -> String {
    let mut text = format!("{TITLE}\norigin {}\n", serde_json::Value::from(book.provenance()));
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

/// Parses the text of a book and returns the encoded book; the inverse of [`export`].
pub fn import(text: &str) -> Result<Vec<u8>, BookError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines =
        (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let fault = |line: usize, fault: &str| BookError::new(format_args!("line {line}: {fault}"));
    let (line, title) = lines.next().unwrap_or((1, ""));
    if title != TITLE {
        return Err(fault(line, &format!("a book as text must begin with '{TITLE}'")));
    }
    let (line, origin) = lines.next().unwrap_or((2, ""));
    let origin = origin.strip_prefix("origin ").and_then(|string| serde_json::from_str::<String>(string).ok());
    let origin = origin.ok_or_else(|| fault(line, "the second line must be 'origin' and a JSON string"))?;
    let mut records = Vec::new();
    for (line, text) in lines {
        records.push((read_record(text).map_err(|found| fault(line, &found))?, line));
    }
    records.sort_unstable_by_key(|(record, line)| (record.order(), *line));
    if let Some(pair) = records.windows(2).find(|pair| pair[0].0.order() == pair[1].0.order()) {
        let first = pair[0].1;
        return Err(fault(pair[1].1, &format!("duplicate of line {first}: same position and move")));
    }
    let records: Vec<Record> = records.into_iter().map(|(record, _)| record).collect();
    write(&records, &origin).map_err(|error| fault(line, &error.to_string()))
}

fn read_record(line: &str) -> Result<Record, String> {
    let words = &mut line.split_ascii_whitespace();
    let key = field(words, "key of 16 hexadecimal digits", |word| {
        let is_key = word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        u64::from_str_radix(word, 16).ok().filter(|_| is_key)
    })?;
    let mv = field(words, "move", |word| word.parse::<Move>().ok().filter(|mv| mv.from() != mv.to()))?;
    let mut count =
        || field(words, "number of games", |word| word.parse().ok().filter(|&count: &u32| count <= MAX_GAMES));
    let statistics = Statistics { wins: count()?, draws: count()?, losses: count()? };
    field(words, "keyword, expected 'weight'", |word| (word == "weight").then_some(()))?;
    let base_weight = field(words, "weight from 0 to 65535", |word| word.parse().ok())?;
    let mut record = Record { base_weight, ..Record::new(key, mv, statistics) };
    while let Some(name) = words.next() {
        match name {
            "delta" => record.learned_delta = field(words, "delta from -32768 to 32767", |word| word.parse().ok())?,
            "verified" => record.is_verified = true,
            "prefer" => record.preference = field(words, "preference", |word| word.parse().ok())?,
            word => return Err(wrong("keyword, expected 'delta', 'verified' or 'prefer'", word)),
        }
    }
    Ok(record)
}

fn field<'a, T>(
    words: &mut impl Iterator<Item = &'a str>,
    what: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, String> {
    let word = words.next().ok_or_else(|| format!("missing {what}"))?;
    parse(word).ok_or_else(|| wrong(what, word))
}

/// Error for an unexpected word, with control characters replaced for the terminal.
fn wrong(expected: &str, word: &str) -> String {
    let plain = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    format!("'{}' is not a valid {expected}", word.chars().take(40).map(plain).collect::<String>())
}
