//! Speed of the search (nodes per second of the bench), and how long a search takes to stop: the distribution over
//! 1,000 orders to stop, from the order to the result.

use std::ops::ControlFlow;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use chuhe::engine::{Engine, bench};
use chuhe::position::Position;
use chuhe::search::Limits;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn nodes(criterion: &mut Criterion) {
    const DEPTH: usize = 9;
    let nodes = || {
        let mut engine = bench::engine().expect("memory for the bench");
        bench::bench(&mut engine, DEPTH, &mut (), |_, _| ControlFlow::Continue(())).expect("a thread").nodes
    };
    let mut group = criterion.benchmark_group("search");
    group.sample_size(10);
    group.throughput(Throughput::Elements(nodes()));
    group.bench_function("bench 9", |bencher| bencher.iter(nodes));
    group.finish();
}

/// Starts a search without end, lets it run for some milliseconds, and measures from the order to stop to the result.
fn stop_latency(_: &mut Criterion) {
    const STOPS: usize = 1_000;
    let mut engine = Engine::new().expect("memory for the engine");
    let mut latencies: Vec<Duration> = (0..STOPS)
        .map(|number| {
            let fen = bench::POSITIONS[number % bench::POSITIONS.len()];
            engine.set_position(Position::from_fen(fen).expect("bench positions are valid"));
            let (sender, receiver) = channel();
            let report = move |outcome| sender.send((outcome, Instant::now())).expect("the bench waits");
            engine.start(&Limits { infinite: true, ..Limits::default() }, (), report).expect("the engine is idle");
            std::thread::sleep(Duration::from_millis(5 + number as u64 % 11));
            let ordered = Instant::now();
            engine.stop();
            let (_, finished) = receiver.recv().expect("a result comes");
            engine.wait();
            finished.saturating_duration_since(ordered)
        })
        .collect();
    latencies.sort_unstable();
    println!("stop latency over {STOPS} stops");
    for (name, place) in
        [("median", STOPS / 2), ("90 %", STOPS * 9 / 10), ("99 %", STOPS * 99 / 100), ("worst", STOPS - 1)]
    {
        println!("  {name:<7}{:>9.3} ms", latencies[place].as_secs_f64() * 1e3);
    }
}

criterion_group!(benches, nodes, stop_latency);
criterion_main!(benches);
