//! Opening books whose moves are the last ones of lines from the start position.

use chuhe::book::{BookKey, Record, Statistics, write};
use chuhe::position::Position;

use super::data::played;

/// Record of the last move of a line with this base weight, these results, and no learned delta.
pub fn record(line: &str, base_weight: u16, [wins, draws, losses]: [u32; 3]) -> Record {
    let (before, last) = line.rsplit_once(' ').unwrap_or(("", line));
    let entry = BookKey::new(&played(Position::start(), before));
    let mv = entry.to_book(last.parse().unwrap());
    Record { base_weight, ..Record::new(entry.key, mv, Statistics { wins, draws, losses }) }
}

pub fn encoded(records: impl IntoIterator<Item = Record>) -> Vec<u8> {
    let mut records: Vec<Record> = records.into_iter().collect();
    records.sort_by_key(Record::order);
    write(&records, "a test").unwrap()
}
