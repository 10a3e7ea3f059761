//! Speed of the evaluations on the bench positions.

use std::hint::black_box;

use chuhe::engine::bench::POSITIONS;
use chuhe::eval::handcrafted;
use chuhe::eval::network::{AccumulatorStack, Network};
use chuhe::position::{PieceObserver, Position};
use chuhe::types::Move;
use chuhe::util::simd::Isa;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn positions() -> Vec<Position> {
    POSITIONS.iter().map(|fen| Position::from_fen(fen).expect("bench positions are valid")).collect()
}

fn handcrafted_evaluation(criterion: &mut Criterion) {
    let positions = positions();
    let mut group = criterion.benchmark_group("hand-made evaluation");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("from scratch", |bencher| {
        bencher.iter(|| positions.iter().map(handcrafted::evaluate).sum::<i32>());
    });
    group.finish();
}

fn network_evaluation(criterion: &mut Criterion) {
    let network = Network::embedded();
    let positions = positions();
    // Positions after a quiet move, with the accumulator before it ready: most nodes of a search.
    let with_moves: Vec<(Position, Move)> = positions
        .iter()
        .filter_map(|position| {
            let quiet = |mv: &Move| position.piece_on(mv.to()).is_none();
            position.legal_moves().into_iter().find(quiet).map(|mv| (position.clone(), mv))
        })
        .collect();
    let mut group = criterion.benchmark_group("network evaluation");
    for isa in Isa::available() {
        let name = format!("{:?}", isa.instruction_set());
        group.throughput(Throughput::Elements(with_moves.len() as u64));
        let mut stacks: Vec<(Position, AccumulatorStack)> = with_moves
            .iter()
            .map(|(position, mv)| {
                let mut accumulators = AccumulatorStack::with_isa(network.clone(), isa);
                accumulators.evaluate(position);
                let mut after = position.clone();
                after.make_observed(*mv, &mut accumulators);
                (after, accumulators)
            })
            .collect();
        group.bench_function(BenchmarkId::new("after a quiet move", &name), |bencher| {
            bencher.iter(|| {
                for ((before, mv), (after, accumulators)) in with_moves.iter().zip(&mut stacks) {
                    // The move is recorded again, so that the accumulator after it must be computed.
                    accumulators.reverted();
                    accumulators.begin();
                    let piece = before.piece_on(mv.from()).expect("a move moves a piece");
                    accumulators.moved(piece, mv.from(), mv.to());
                    black_box(accumulators.evaluate(after));
                }
            });
        });
        group.throughput(Throughput::Elements(positions.len() as u64));
        let mut stack = AccumulatorStack::with_isa(network.clone(), isa);
        group.bench_function(BenchmarkId::new("first position of a search", &name), |bencher| {
            bencher.iter(|| {
                for position in &positions {
                    stack.reset();
                    black_box(stack.evaluate(position));
                }
            });
        });
        group.bench_function(BenchmarkId::new("from scratch", &name), |bencher| {
            bencher.iter(|| positions.iter().map(|position| network.evaluate_with_isa(isa, position)).sum::<i32>());
        });
    }
    group.finish();
}

criterion_group!(benches, handcrafted_evaluation, network_evaluation);
criterion_main!(benches);
