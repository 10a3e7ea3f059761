//! Tests that sampling is uniform and that estimates are correct.

use chuhe::counting::{Estimate, Ranking, Sampler, U256};
use chuhe::types::Side;

use crate::common::placements::{can_capture_king, letters, placement, placements};

fn chi_square(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum()
}

#[test]
fn every_position_is_equally_likely() {
    // With n cells χ² has a mean of n − 1 and a variance of 2(n − 1); four standard deviations are allowed.
    for (signature, seed) in [("KvK", 1), ("KAvKB", 2), ("KRvK", 3), ("KPvKA", 4)] {
        let ranking = Ranking::new(signature.parse().unwrap());
        let cells: usize = ranking.size().to();
        let mut counts = vec![0; cells];
        let mut sampler = Sampler::new(seed);
        for _ in 0..cells * 20 {
            let number: usize = ranking.rank(&sampler.placement(&ranking)).unwrap().to();
            counts[number] += 1;
        }
        let freedom = cells as f64 - 1.0;
        let deviation = (chi_square(&counts) - freedom) / (2.0 * freedom).sqrt();
        assert!(deviation.abs() < 4.0, "{signature}: {deviation} standard deviations");
    }
}

#[test]
fn random_numbers_below_a_bound_are_uniform() {
    let mut sampler = Sampler::new(9);
    for bound in [U256::from(3), U256::from(1_u64 << 32), U256::from(3) << 130, U256::MAX] {
        let mut thirds = [0; 3];
        for _ in 0..3_000 {
            let number = sampler.below(bound);
            assert!(number < bound);
            let third = if number < bound / U256::from(3) {
                0
            } else {
                1 + usize::from(number >= bound / U256::from(3) * U256::from(2))
            };
            thirds[third] += 1;
        }
        assert!(chi_square(&thirds) < 20.0, "{bound}: {thirds:?}");
    }
    assert_eq!(sampler.below(U256::from(1)), U256::ZERO);
    let reds = (0..10_000).filter(|_| sampler.side() == Side::Red).count();
    assert!(reds.abs_diff(5_000) < 250, "{reds}");
}

/// Exact share of legal positions, by trying all squares with independently written rules.
fn listed_share(signature: &str) -> f64 {
    let (mut legal, mut all) = (0_u64, 0_u64);
    for pieces in placements(&letters(signature)) {
        for side in Side::BOTH {
            let is_legal = !can_capture_king(&pieces, side);
            assert_eq!(placement(&pieces).position(side).is_ok(), is_legal, "{pieces:?} {side}");
            legal += u64::from(is_legal);
            all += 1;
        }
    }
    legal as f64 / all as f64
}

fn estimate(ranking: &Ranking, seed: u64, draws: usize) -> Estimate {
    let mut sampler = Sampler::new(seed);
    let mut estimate = Estimate::default();
    for _ in 0..draws {
        let (placement, side) = (sampler.placement(ranking), sampler.side());
        estimate.add(placement.position(side).is_ok());
    }
    estimate
}

#[test]
fn the_share_of_legal_positions_agrees_with_a_listing() {
    assert_eq!(listed_share("KvK"), 54.0 / 81.0, "the kings share a file in 27 of 81 placements");
    for (signature, seed) in [("KvK", 1), ("KRvK", 2), ("KNvKA", 3), ("KCvKA", 4), ("KPvKB", 5)] {
        let share = listed_share(signature);
        let estimate = estimate(&Ranking::new(signature.parse().unwrap()), seed, 20_000);
        let deviation = (share * (1.0 - share) / estimate.drawn as f64).sqrt();
        let found = estimate.share();
        assert!((found - share).abs() < 4.0 * deviation, "{signature}: {found} and not {share}");
    }
}

#[test]
fn intervals_contain_the_truth_nineteen_times_of_twenty() {
    let share = listed_share("KRvK");
    let ranking = Ranking::new("KRvK".parse().unwrap());
    let holds = |seed: &u64| {
        let [low, high] = estimate(&ranking, *seed, 500).interval();
        low < share && share < high
    };
    let held = (0..400).filter(holds).count();
    // 380 are expected; four standard deviations are 17.
    assert!(held.abs_diff(380) <= 17, "{held} of 400");
}
