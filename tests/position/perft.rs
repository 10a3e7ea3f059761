//! The move tree has as many leaves as two other engines and the naive generator count.

use chuhe::position::{Position, perft, perft_by_making, perft_divided};

use crate::common::data::{after, perft_lines};
use crate::common::naive::Board;

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
fn other_ways_to_count_agree() {
    for line in perft_lines() {
        let mut position = line.position();
        let mut expected_moves: Vec<String> = position.legal_moves().iter().map(ToString::to_string).collect();
        expected_moves.sort();
        for (depth, &count) in (1..=3).zip(&line.counts) {
            let place = format!("{} depth {depth}", line.fen);
            assert_eq!(perft_by_making(&mut position, depth), count, "{place}");
            // The witness of the other modules is itself held against the file.
            assert_eq!(Board::read(line.fen).perft(position.side(), depth), count, "{place}");
            assert_eq!(perft(&mut position.mirrored(), depth), count, "{place} mirrored");
            assert_eq!(perft(&mut position.colour_flipped(), depth), count, "{place} flipped");
            let divided = perft_divided(&mut position, depth);
            let below = |mv| perft_by_making(&mut after(position.clone(), [mv]), depth - 1);
            assert!(divided.iter().all(|&(mv, count)| count == below(mv)), "{place}");
            let (moves, below): (Vec<String>, Vec<u64>) =
                divided.iter().map(|(mv, below)| (mv.to_string(), below)).unzip();
            assert_eq!((moves, below.iter().sum()), (expected_moves.clone(), count), "{place}");
        }
        assert_eq!(position, line.position(), "all moves are taken back");
    }
    assert_eq!([perft, perft_by_making].map(|count| count(&mut Position::start(), 0)), [1, 1]);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "too slow without full optimisation")]
fn the_start_position_has_133_312_995_lines_of_five_moves() {
    assert_eq!(perft(&mut Position::start(), 5), 133_312_995);
}
