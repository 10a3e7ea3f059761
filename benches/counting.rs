//! Speed of counting, ranking and unranking positions.

use chuhe::counting::{Placement, Ranking, U256};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn counting(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("counting");
    group.bench_function("count everything", |bencher| bencher.iter(|| Ranking::all_positions().size()));
    let rankings = [
        ("everything", Ranking::all_positions()),
        ("KRvKAABB", Ranking::new("KRvKAABB".parse().expect("it is a signature"))),
    ];
    for (name, ranking) in rankings {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut draw = || U256::from_limbs(random.random()) % ranking.size();
        let numbers: Vec<U256> = (0..1_000).map(|_| draw()).collect();
        let placements: Vec<Placement> = numbers.iter().filter_map(|&number| ranking.unrank(number)).collect();
        group.throughput(Throughput::Elements(numbers.len() as u64));
        group.bench_function(format!("{name}, rank"), |bencher| {
            bencher.iter(|| placements.iter().filter(|placement| ranking.rank(placement).is_some()).count());
        });
        group.bench_function(format!("{name}, unrank"), |bencher| {
            bencher.iter(|| numbers.iter().filter(|&&number| ranking.unrank(number).is_some()).count());
        });
    }
    group.finish();
}

criterion_group!(benches, counting);
criterion_main!(benches);
