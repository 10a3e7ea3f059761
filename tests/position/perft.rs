//! The move tree has as many leaves as two other engines and the naive generator count.

use chuhe::position::{Position, perft, perft_by_making, perft_divided};

use crate::common::data::perft_lines;
use crate::naive::Board;

#[test]
fn every_count_of_the_file_is_reproduced() {
    let lines = perft_lines();
    assert_eq!(lines.len(), 55);
    for line in lines {
        let mut position = line.position();
        for (depth, &count) in (1..).zip(&line.counts) {
            assert_eq!(perft(&mut position, depth), count, "{} depth {depth}", line.fen);
        }
        assert_eq!(position, line.position(), "all moves are taken back");
    }
}

#[test]
fn making_the_last_moves_counts_the_same() {
    for line in perft_lines() {
        let mut position = line.position();
        for (depth, &count) in (1..=3).zip(&line.counts) {
            assert_eq!(perft_by_making(&mut position, depth), count, "{} depth {depth}", line.fen);
        }
        assert_eq!(position, line.position(), "all moves are taken back");
    }
}

#[test]
fn the_counts_below_each_move_add_up() {
    for line in perft_lines() {
        let mut position = line.position();
        let mut expected_moves: Vec<String> = position.legal_moves().iter().map(ToString::to_string).collect();
        expected_moves.sort();
        for (depth, &count) in (1..=3).zip(&line.counts) {
            let divided = perft_divided(&mut position, depth, perft);
            assert_eq!(divided, perft_divided(&mut position, depth, perft_by_making), "{} depth {depth}", line.fen);
            let moves: Vec<String> = divided.iter().map(|(mv, _)| mv.to_string()).collect();
            assert_eq!(moves, expected_moves, "{}", line.fen);
            assert_eq!(divided.iter().map(|(_, below)| below).sum::<u64>(), count, "{} depth {depth}", line.fen);
        }
    }
}

/// The witness of the other modules is itself held against the file.
#[test]
fn the_naive_generator_counts_the_same() {
    for line in perft_lines() {
        for (depth, &count) in (1..=3).zip(&line.counts) {
            assert_eq!(Board::read(line.fen).perft(line.position().side(), depth), count, "{} depth {depth}", line.fen);
        }
    }
}

#[test]
fn reflected_positions_have_the_same_counts() {
    for line in perft_lines() {
        for (depth, &count) in (1..=3).zip(&line.counts) {
            let position = line.position();
            assert_eq!(perft(&mut position.mirrored(), depth), count, "{} mirrored", line.fen);
            assert_eq!(perft(&mut position.colour_flipped(), depth), count, "{} flipped", line.fen);
        }
    }
}

#[test]
fn there_is_one_line_of_no_moves() {
    assert_eq!(perft(&mut Position::start(), 0), 1);
    assert_eq!(perft_by_making(&mut Position::start(), 0), 1);
}

/// The count that every published table gives for depth 5.
#[test]
#[cfg_attr(debug_assertions, ignore = "too slow without full optimisation")]
fn the_start_position_has_133_312_995_lines_of_five_moves() {
    assert_eq!(perft(&mut Position::start(), 5), 133_312_995);
}
