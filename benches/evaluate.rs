//! Speed of the evaluation on the bench positions.

use chuhe::engine::bench::POSITIONS;
use chuhe::eval::{self, Placement};
use chuhe::position::Position;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn evaluation(criterion: &mut Criterion) {
    let positions: Vec<(Position, Placement)> = POSITIONS
        .iter()
        .map(|fen| Position::from_fen(fen).expect("bench positions are valid"))
        .map(|position| (position.clone(), Placement::of(&position)))
        .collect();
    let mut group = criterion.benchmark_group("evaluation");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("with placement kept", |bencher| {
        bencher.iter(|| {
            positions.iter().map(|(position, placement)| eval::evaluate_with(position, *placement)).sum::<i32>()
        });
    });
    group.bench_function("all anew", |bencher| {
        bencher.iter(|| positions.iter().map(|(position, _)| eval::evaluate(position)).sum::<i32>());
    });
    group.finish();
}

criterion_group!(benches, evaluation);
criterion_main!(benches);
