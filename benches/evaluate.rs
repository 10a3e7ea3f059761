//! Speed of the evaluations on the bench positions.

use std::hint::black_box;

use chuhe::engine::bench::POSITIONS;
use chuhe::eval::network::{AccumulatorStack, Network};
use chuhe::eval::{self, PsqtScore};
use chuhe::position::{PieceObserver, Position};
use chuhe::types::Move;
use chuhe::util::simd::Isa;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn positions() -> Vec<Position> {
    POSITIONS.iter().map(|fen| Position::from_fen(fen).expect("bench positions are valid")).collect()
}

fn by_hand(criterion: &mut Criterion) {
    let positions: Vec<(Position, PsqtScore)> =
        positions().into_iter().map(|position| (position.clone(), PsqtScore::new(&position))).collect();
    let mut group = criterion.benchmark_group("evaluation by hand");
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

fn by_network(criterion: &mut Criterion) {
    let network = Network::embedded();
    let positions = positions();
    // A position after a quiet move, whose sums before it are known: what most nodes of a search are.
    let with_moves: Vec<(Position, Move)> = positions
        .iter()
        .filter_map(|position| {
            let quiet = |mv: &Move| position.piece_on(mv.to()).is_none();
            position.legal_moves().into_iter().find(quiet).map(|mv| (position.clone(), mv))
        })
        .collect();
    let mut group = criterion.benchmark_group("evaluation by network");
    for path in Isa::available() {
        let name = format!("{:?}", path.instruction_set());
        group.throughput(Throughput::Elements(with_moves.len() as u64));
        let mut followed: Vec<(Position, AccumulatorStack)> = with_moves
            .iter()
            .map(|(position, mv)| {
                let mut accumulators = AccumulatorStack::with_isa(network.clone(), path, position);
                accumulators.evaluate(position);
                let mut after = position.clone();
                after.make_observed(*mv, &mut accumulators);
                (after, accumulators)
            })
            .collect();
        group.bench_function(BenchmarkId::new("after a quiet move", &name), |bencher| {
            bencher.iter(|| {
                for ((before, mv), (after, accumulators)) in with_moves.iter().zip(&mut followed) {
                    // The move is noted anew, so that nothing is known of the position after it.
                    accumulators.reverted();
                    accumulators.begin();
                    let piece = before.piece_on(mv.from()).expect("a move moves a man");
                    accumulators.moved(piece, mv.from(), mv.to());
                    black_box(accumulators.evaluate(after));
                }
            });
        });
        group.throughput(Throughput::Elements(positions.len() as u64));
        let mut followed = AccumulatorStack::with_isa(network.clone(), path, &positions[0]);
        group.bench_function(BenchmarkId::new("first position of a search", &name), |bencher| {
            bencher.iter(|| {
                for position in &positions {
                    followed.reset(position);
                    black_box(followed.evaluate(position));
                }
            });
        });
        group.bench_function(BenchmarkId::new("all anew", &name), |bencher| {
            bencher.iter(|| positions.iter().map(|position| network.evaluate_with_isa(path, position)).sum::<i32>());
        });
    }
    group.finish();
}

criterion_group!(benches, by_hand, by_network);
criterion_main!(benches);
