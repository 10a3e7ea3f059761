//! Training speed in positions per second on random games, with one thread and with all.

use chuhe::lab::openings::random_moves;
use chuhe::lab::training::{AdamStep, Model, ParamState, Sample, Target, Trainer};
use chuhe::position::Position;
use chuhe::util::math::StableRandom;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// As many as a batch usually has.
const BATCH: usize = 16_384;

/// Positions of random games, shuffled.
fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for number in 0.. {
        let (mut position, mut random) = (Position::start(), StableRandom::new(1, number));
        while samples.len() < BATCH && random_moves(&mut position, 1, &mut random).is_some() {
            samples.extend(Sample::new(&position, random.below(400) as i32 - 200, 0.5));
            if position.history().len() == 150 {
                break;
            }
        }
        if samples.len() == BATCH {
            break;
        }
    }
    StableRandom::new(2, 0).shuffle(&mut samples);
    samples
}

fn training(criterion: &mut Criterion) {
    let samples = samples();
    let mut group = criterion.benchmark_group("training");
    group.throughput(Throughput::Elements(BATCH as u64)).sample_size(20);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for threads in if cores == 1 { vec![1] } else { vec![1, cores] } {
        group.bench_function(BenchmarkId::new("threads", threads), |bencher| {
            let parts = Model::random(1).parts.into_iter().map(ParamState::new).collect();
            let mut trainer = Trainer::new(threads, Target { lambda: 0.7, scale: 300.0 }, parts);
            let mut number = 0;
            bencher.iter(|| {
                number += 1;
                trainer.step(&samples, number, AdamStep::new(number, BATCH, 1e-3, 0.01))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, training);
criterion_main!(benches);
