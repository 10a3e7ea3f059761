//! Tests that ranking and unranking are inverse for any material.

use chuhe::counting::{Placement, Ranking, Signature, U256};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::walks::random_games;

/// Fifty signatures, from bare kings to all pieces.
const SIGNATURES: &str = "\
    KvK KRvK KNvKA KCvKB KPvKAA KRvKAABB KRvKN KNvKC KRvKR KCvKC KPPvKABB KPPPvKAAB KPPPPPvK KvKPPPPP \
    KPPPPPvKPPPPP KPPPPPAABBvKPPPPPAABB KRRvK KNNvKAABB KCCvKAABB KRNvKRAABB KRCvKRAABB KRPvKRBB \
    KNCvKNAA KNPvKAABB KCPvKAB KCABvKP KRRNNCCvKRRNNCC KRRNNCCPPPPPAABBvK \
    KRRNNCCPPPPPAABBvKRRNNCCPPPPPAABB KRABvKNNPPB KRNCPABvKRNCPAB KAABBvKAABB KBBPPvKBBPP KBBPPPvKAAPP \
    KRAAvKRAA KRCPPBBvKRNPPAA KNNCCvKRR KPABvKPAB KRRPvKRRP KCCPPvKNNPP KRNNCPPABBvKRRNCPPPAAB KAvKB \
    KABvKAB KNvKP KPPvKPPP KRNPPPvKRCPPP KCNPAvKRPB KRRCCvKNNPPPPP KPPPPvKNAABB KRPPPPPAABBvKNCPPPPPAABB";

fn round_trip(ranking: &Ranking, name: &str, times: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(times);
    for _ in 0..times {
        let number = U256::from_limbs(random.random()) % ranking.size();
        let placement = ranking.unrank(number).unwrap_or_else(|| panic!("{name}: {number} has no position"));
        assert_eq!(ranking.rank(&placement), Some(number), "{name}");
    }
    for number in [U256::ZERO, ranking.size() - U256::from(1)] {
        let placement = ranking.unrank(number).unwrap_or_else(|| panic!("{name}: {number} has no position"));
        assert_eq!(ranking.rank(&placement), Some(number), "{name}");
    }
    assert_eq!(ranking.unrank(ranking.size()), None);
    assert_eq!(ranking.unrank(U256::MAX), None);
}

#[test]
fn ranks_round_trip() {
    for name in SIGNATURES.split_whitespace() {
        round_trip(&Ranking::new(name.parse().unwrap()), name, 20_000);
    }
    round_trip(&Ranking::all_positions(), "everything", 20_000);
}

/// Positions of games, which do not come from a ranking.
#[test]
fn positions_of_games_have_ranks() {
    let everything = Ranking::all_positions();
    random_games(11, 50, 200, |position, _| {
        let placement = Placement::from_position(position);
        let number = everything.rank(&placement).expect("a position of a game");
        assert_eq!(everything.unrank(number), Some(placement));
        let signature = Signature::from_position(position).expect("no surplus pieces");
        let part = Ranking::new(signature);
        let number = part.rank(&placement).expect("a position of the signature");
        assert_eq!(part.unrank(number), Some(placement));
        let swapped = Ranking::new(signature.swapped());
        assert!(swapped.rank(&placement.swapped()).is_some());
    });
}
