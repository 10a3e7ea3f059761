//! Speed of single operations on the bench positions: make and unmake, legality, checks, exchanges.

use chuhe::engine::bench::POSITIONS;
use chuhe::position::{CheckInfo, Position};
use chuhe::types::{Move, MoveList};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// The bench positions with their pseudo-legal moves.
fn workload() -> Vec<(Position, Vec<Move>)> {
    let read = |fen: &&str| {
        let position = Position::from_fen(fen).expect("bench positions are valid");
        let mut list = MoveList::new();
        position.pseudo_legal_moves(&mut list);
        (position, list.to_vec())
    };
    POSITIONS.iter().map(read).collect()
}

fn operations(criterion: &mut Criterion) {
    let mut work = workload();
    let moves = work.iter().map(|(_, moves)| moves.len() as u64).sum();
    let mut group = criterion.benchmark_group("per pseudo-legal move");
    group.throughput(Throughput::Elements(moves));
    group.bench_function("make and unmake", |bencher| {
        bencher.iter(|| {
            for (position, moves) in &mut work {
                for &mv in moves.iter() {
                    position.make(mv);
                    position.unmake();
                }
            }
        });
    });
    let mut measure = |name: &str, predicate: fn(&Position, Move) -> bool| {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let count = |(position, moves): &(Position, Vec<Move>)| {
                    moves.iter().filter(|&&mv| predicate(position, mv)).count()
                };
                work.iter().map(count).sum::<usize>()
            });
        });
    };
    measure("is_legal", Position::is_legal);
    measure("gives_check", Position::gives_check);
    measure("is_pseudo_legal", Position::is_pseudo_legal);
    measure("see_ge", |position, mv| position.see_ge(mv, 0));
    measure("check info", |position, mv| CheckInfo::new(position).needs_test(mv));
    group.finish();
}

criterion_group!(benches, operations);
criterion_main!(benches);
