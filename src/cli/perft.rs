//! The `perft` command.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use crate::console::check::{check_file, check_perft_line};
use crate::console::error::CommandError;
use crate::position::{Position, Strictness, perft, perft_by_making, perft_divided};

fn counter(no_bulk: bool) -> fn(&mut Position, usize) -> u64 {
    if no_bulk { perft_by_making } else { perft }
}

pub(super) fn count_perft(
    mut position: Position,
    depth: usize,
    divide: bool,
    no_bulk: bool,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let count = counter(no_bulk);
    let start = Instant::now();
    let total = if divide && depth > 0 {
        let parts = perft_divided(&mut position, depth, count);
        for (mv, nodes) in &parts {
            writeln!(out, "{mv} {nodes}")?;
        }
        parts.iter().map(|(_, nodes)| nodes).sum()
    } else {
        count(&mut position, depth)
    };
    let elapsed = start.elapsed().as_secs_f64();
    writeln!(out, "perft({depth}) {total}")?;
    writeln!(out, "{elapsed:.3} s, {:.1} million nodes/s", total as f64 / elapsed.max(1e-9) / 1e6)?;
    Ok(())
}

pub(super) fn check_perft_file(
    path: &Path,
    strictness: Strictness,
    no_bulk: bool,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let count = counter(no_bulk);
    check_file(path, "positions", out, |line| check_perft_line(line, strictness, count))
}
