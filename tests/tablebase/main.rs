//! Tests that tablebases agree with the rules, that damaged files are rejected, and that an engine plays by them.

mod brute_force;
#[path = "../common/mod.rs"]
mod common;
mod files;
mod perpetual;
mod playing;
mod solving;

use chuhe::counting::Signature;
use chuhe::tablebase::{Endings, Metric, needed_for};

fn solved(endings: &[&str], metric: Metric) -> Endings {
    let endings: Vec<Signature> = endings.iter().map(|ending| ending.parse().unwrap()).collect();
    let mut tables = Endings::default();
    for ending in needed_for(&endings).unwrap() {
        tables.solve(ending, metric, 2, |_| ()).unwrap();
    }
    tables
}
