//! Speed of move generation: perft of the start position, with and without making the last ply.

use chuhe::position::{Position, perft, perft_by_making};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn generation(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft");
    group.sample_size(10);
    // Nodes of perft(5); criterion prints them per second.
    group.throughput(Throughput::Elements(133_312_995));
    group.bench_function("start depth 5, last ply counted", |bencher| {
        bencher.iter(|| perft(&mut Position::start(), 5));
    });
    group.bench_function("start depth 5, last ply made", |bencher| {
        bencher.iter(|| perft_by_making(&mut Position::start(), 5));
    });
    group.finish();
}

criterion_group!(benches, generation);
criterion_main!(benches);
