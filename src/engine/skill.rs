//! Skill levels below full strength: a shallow search and a random choice among moves that are nearly as good as the
//! best.
//!
//! The move played is worse than the best move by less than the margin of the level, as far as its search sees. Mates
//! in one and hanging rooks, horses and cannons are seen at every level, since quiescence resolves captures and checks.
//! A decided game (a mate, or a repetition that wins or loses) is played without chance.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::search::{Bound, Limits, Outcome, PvReport, Reporter};
use crate::types::score::is_decisive;
use crate::types::{Move, Value};

/// Skill level of full strength.
pub const FULL_SKILL: u8 = 20;

/// Node limit of the lowest level.
const MIN_NODES: u64 = 400;

/// Limits of a skill level below full strength.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SkillLimit {
    /// Depth of the search.
    depth: usize,
    /// Node limit, two fifths more than that of the level below. The first iteration is finished even so.
    nodes: u64,
    /// Number of candidate moves.
    multi_pv: usize,
    /// The move played is worse than the best one by less than this, in centipawns.
    margin: Value,
    /// Seed of the choices.
    seed: u64,
}

impl SkillLimit {
    /// The limits of a level, 1 or more; `None` at full strength.
    pub(super) fn new(level: u8, seed: u64) -> Option<SkillLimit> {
        let level = level.max(1);
        let below_full = FULL_SKILL.checked_sub(level).filter(|below| *below > 0)?;
        Some(SkillLimit {
            depth: usize::from(level),
            nodes: (1..level).fold(MIN_NODES, |nodes, _| nodes * 7 / 5),
            multi_pv: 3 + usize::from(below_full) / 2,
            margin: 10 * Value::from(below_full),
            seed,
        })
    }

    /// Narrows the limits of a search to those of the level.
    pub(super) fn narrow(&self, limits: &mut Limits) {
        limits.depth = Some(limits.depth.map_or(self.depth, |depth| depth.min(self.depth)));
        limits.nodes = Some(limits.nodes.map_or(self.nodes, |nodes| nodes.min(self.nodes)));
        limits.multi_pv = limits.multi_pv.max(self.multi_pv);
    }

    /// Returns the outcome of a search with the move that the level plays in the position of this key.
    ///
    /// Every candidate, the best first, gets a random bonus below the margin; the best sum is picked.
    pub(super) fn pick(&self, candidates: Vec<Candidate>, outcome: Outcome, key: u64) -> Outcome {
        if is_decisive(outcome.score) || candidates.first().is_none_or(|best| is_decisive(best.score)) {
            return outcome;
        }
        let mut random = random_source(self.seed, key);
        let mut bonus = || (random.next_u64() % self.margin.max(1) as u64) as Value;
        let mut picked: Option<(Value, Candidate)> = None;
        for candidate in candidates {
            let sum = candidate.score + bonus();
            if picked.as_ref().is_none_or(|(best, _)| sum > *best) {
                picked = Some((sum, candidate));
            }
        }
        match picked {
            Some((_, Candidate { score, line })) => Outcome { score, line, ..outcome },
            None => outcome,
        }
    }
}

/// Random numbers that depend on the seed and the position alone.
fn random_source(seed: u64, key: u64) -> ChaCha8Rng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&key.to_le_bytes());
    ChaCha8Rng::from_seed(bytes)
}

/// Move that may be picked, with its principal variation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Candidate {
    score: Value,
    line: Vec<Move>,
}

/// Reporter that collects the principal variations of the last finished iteration and passes on the first ones.
pub(super) struct CandidateCollector<'a> {
    reporter: &'a mut dyn Reporter,
    shown: usize,
    candidates: Vec<Candidate>,
}

impl<'a> CandidateCollector<'a> {
    /// Passes the first `shown` principal variations on to `reporter`.
    pub(super) fn new(reporter: &'a mut dyn Reporter, shown: usize) -> CandidateCollector<'a> {
        CandidateCollector { reporter, shown: shown.max(1), candidates: Vec::new() }
    }

    /// The principal variations of the last finished iteration, the best first.
    pub(super) fn into_candidates(self) -> Vec<Candidate> {
        self.candidates
    }
}

impl Reporter for CandidateCollector<'_> {
    fn report(&mut self, report: &PvReport) {
        if report.bound == Bound::Exact {
            if report.pv_index == 1 {
                self.candidates.clear();
            }
            self.candidates.push(Candidate { score: report.score, line: report.line.to_vec() });
        }
        if report.pv_index <= self.shown {
            self.reporter.report(report);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(scores: &[Value]) -> Vec<Candidate> {
        let moves = ["h2e2", "b2e2", "h0g2", "b0c2", "c3c4", "g3g4"];
        scores.iter().zip(moves).map(|(&score, mv)| Candidate { score, line: vec![mv.parse().unwrap()] }).collect()
    }

    fn picked(level: u8, scores: &[Value], key: u64) -> Value {
        let limit = SkillLimit::new(level, 7).unwrap();
        limit.pick(candidates(scores), Outcome::default(), key).score
    }

    #[test]
    fn full_strength_has_no_limit_and_each_level_below_a_narrower_one() {
        assert_eq!(SkillLimit::new(FULL_SKILL, 0), None);
        let all: Vec<SkillLimit> = (1..FULL_SKILL).map(|level| SkillLimit::new(level, 0).unwrap()).collect();
        for pair in all.windows(2) {
            assert!(pair[0].depth < pair[1].depth && pair[0].nodes < pair[1].nodes);
            assert!(pair[0].multi_pv >= pair[1].multi_pv && pair[0].margin > pair[1].margin);
        }
        assert_eq!((all[0].margin, all[18].margin), (190, 10));
    }

    #[test]
    fn moves_lose_less_than_the_margin_and_better_ones_are_picked_more_often() {
        for level in [1, 10, 19] {
            let margin = SkillLimit::new(level, 0).unwrap().margin;
            let scores = [50, 50 - margin / 4, 50 - margin / 2, 50 - margin, -600];
            let mut counts = [0; 5];
            for key in 0..4_000 {
                let score = picked(level, &scores, key);
                counts[scores.iter().position(|other| *other == score).unwrap()] += 1;
            }
            assert!(counts[0] > counts[1] && counts[1] > counts[2] && counts[2] > 0, "{counts:?}");
            assert_eq!(counts[3..], [0, 0], "level {level}");
        }
    }

    #[test]
    fn mates_are_not_left_to_chance() {
        for key in 0..500 {
            assert_eq!(picked(1, &[9_999, 9_997, 300], key), 0, "the outcome of the search stands");
            assert_eq!(picked(1, &[-9_990, -9_992], key), 0);
        }
        // A mate that an unfinished iteration found.
        let mate = Outcome { score: 9_999, ..Outcome::default() };
        assert_eq!(SkillLimit::new(1, 7).unwrap().pick(candidates(&[50, 40]), mate.clone(), 1), mate);
    }

    #[test]
    fn the_choice_follows_from_seed_and_position() {
        let scores = [40, 39, 38, 37, 36];
        let game = |seed: u64| -> Vec<Value> {
            let limit = SkillLimit::new(3, seed).unwrap();
            (0..40).map(|key| limit.pick(candidates(&scores), Outcome::default(), key).score).collect()
        };
        assert_eq!(game(1), game(1));
        assert_ne!(game(1), game(2));
    }

    #[test]
    fn limits_are_only_ever_narrowed() {
        let limit = SkillLimit::new(5, 0).unwrap();
        let mut limits = Limits { multi_pv: 40, ..Limits::depth(2) };
        limit.narrow(&mut limits);
        assert_eq!((limits.depth, limits.nodes, limits.multi_pv), (Some(2), Some(limit.nodes), 40));
        let mut limits = Limits::nodes(10);
        limit.narrow(&mut limits);
        assert_eq!((limits.depth, limits.nodes, limits.multi_pv), (Some(5), Some(10), limit.multi_pv));
    }
}
