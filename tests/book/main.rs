//! Opening books: contents, lookup, learning and rejection of invalid files.

mod building;
mod files;
mod foreign;
mod learning;
mod naive;
mod reading;

use chuhe::book::{BookKey, Record, Statistics, write};
use chuhe::position::Position;
use chuhe::types::Move;

fn moves(line: &str) -> Vec<Move> {
    line.split_whitespace().map(|mv| mv.parse().unwrap()).collect()
}

fn after(line: &str) -> Position {
    let mut position = Position::start();
    position.play(line.split_whitespace()).unwrap();
    position
}

/// Record of the last move of a line with this base weight, these results, and no learned delta.
fn record(line: &str, base_weight: u16, [wins, draws, losses]: [u32; 3]) -> Record {
    let (before, last) = line.rsplit_once(' ').unwrap_or(("", line));
    let entry = BookKey::new(&after(before));
    let mv = entry.to_book(last.parse().unwrap());
    Record { base_weight, ..Record::new(entry.key, mv, Statistics { wins, draws, losses }) }
}

fn encoded(records: impl IntoIterator<Item = Record>) -> Vec<u8> {
    let mut records: Vec<Record> = records.into_iter().collect();
    records.sort_by_key(Record::order);
    write(&records, "a test").unwrap()
}
