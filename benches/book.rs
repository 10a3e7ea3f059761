//! Time to open a book of a million moves and to look up a position.

use chuhe::book::{Book, BookKey, Record, Statistics, write};
use chuhe::lab::openings::random_moves;
use chuhe::position::Position;
use chuhe::util::math::StableRandom;
use criterion::{Criterion, criterion_group, criterion_main};

const MOVES: u64 = 1_000_000;

/// Keys distributed as in books: the smaller of two random numbers.
fn key(number: u64) -> u64 {
    let mixed = |number: u64| {
        let z = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    mixed(2 * number + 1).min(mixed(2 * number + 2))
}

/// A book with two moves for each position; some of the positions are reachable.
fn large_book(boards: &[Position]) -> Vec<u8> {
    let mut records = Vec::new();
    for key in boards.iter().map(|position| BookKey::new(position).key).chain((0..).map(key)) {
        for mv in ["b2e2", "b0c2"] {
            let (mv, statistics) = (mv.parse().expect("a move"), Statistics { wins: 1, draws: 1, losses: 1 });
            records.push(Record { base_weight: 1, ..Record::new(key, mv, statistics) });
        }
        if records.len() as u64 >= MOVES {
            break;
        }
    }
    records.sort_by_key(Record::order);
    records.dedup_by_key(|record| record.order());
    write(&records, "benchmark data").expect("sorted records")
}

fn books(criterion: &mut Criterion) {
    let boards: Vec<Position> = (0..1_000)
        .filter_map(|number| {
            let mut position = Position::start();
            random_moves(&mut position, 8, &mut StableRandom::new(1, number)).map(|_| position)
        })
        .collect();
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), large_book(&boards)).expect("the file can be written");
    let mut group = criterion.benchmark_group("a book of a million moves");
    group.sample_size(30);
    group.bench_function("opening", |bencher| {
        bencher.iter(|| Book::open(file.path()).expect("a book").len());
    });
    let book = Book::open(file.path()).expect("a book");
    let keys: Vec<u64> = (0..10_000).map(|number| key(number * 37)).collect();
    let mut next = 0;
    group.bench_function("key lookup", |bencher| {
        bencher.iter(|| {
            next = (next + 1) % keys.len();
            book.records_of(keys[next]).count()
        });
    });
    group.bench_function("position lookup", |bencher| {
        bencher.iter(|| {
            next = (next + 1) % boards.len();
            book.moves(&boards[next]).len()
        });
    });
    group.finish();
}

criterion_group!(benches, books);
criterion_main!(benches);
