//! Opening books: contents, lookup, learning and rejection of invalid files.

mod building;
#[path = "../common/mod.rs"]
mod common;
mod files;
mod foreign;
mod learning;
mod naive;
mod reading;

use chuhe::position::Position;

fn after(line: &str) -> Position {
    common::data::played(Position::start(), line)
}
