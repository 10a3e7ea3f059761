//! Playing below one's strength, for people to play against: a shallow look at the board, and a choice by chance among
//! the moves that look nearly as good as the best one.
//!
//! What is chosen is never worse than the best move by the bound of the level or more, as far as the search of that
//! level sees; mates in one and rooks, horses and cannons left hanging are seen at every level, since captures and
//! replies to checks are played out after the last ply. A decided game (a mate or a repetition that wins or loses) is
//! played without chance.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::search::{Bound, Iteration, Limits, Outcome, Reporter};
use crate::types::score::is_decisive;
use crate::types::{Move, Value};

/// The level of full strength.
pub const FULL_SKILL: u8 = 20;

/// The nodes that a search of the lowest level may take.
const LEAST_NODES: u64 = 400;

/// What a level below full strength may do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SkillLimit {
    /// How many plies it looks ahead.
    depth: usize,
    /// How many nodes it may take, two fifths more than the level below; a first iteration is finished all the same.
    nodes: u64,
    /// How many moves it chooses from.
    lines: usize,
    /// By less than so many centipawns the chosen move is worse than the best one.
    bound: Value,
    /// What the choices follow from.
    seed: u64,
}

impl SkillLimit {
    /// That of a level from 1 on; none at full strength.
    pub(super) fn of(level: u8, seed: u64) -> Option<SkillLimit> {
        let level = level.max(1);
        let missing = FULL_SKILL.checked_sub(level).filter(|missing| *missing > 0)?;
        Some(SkillLimit {
            depth: usize::from(level),
            nodes: (1..level).fold(LEAST_NODES, |nodes, _| nodes * 7 / 5),
            lines: 3 + usize::from(missing) / 2,
            bound: 10 * Value::from(missing),
            seed,
        })
    }

    /// Narrows the limits of a search to what the level may do.
    pub(super) fn narrow(&self, limits: &mut Limits) {
        limits.depth = Some(limits.depth.map_or(self.depth, |depth| depth.min(self.depth)));
        limits.nodes = Some(limits.nodes.map_or(self.nodes, |nodes| nodes.min(self.nodes)));
        limits.multi_pv = limits.multi_pv.max(self.lines);
    }

    /// The outcome of a search with the move that the level plays in the position of this key.
    ///
    /// Every candidate, the best first, draws a bonus below the bound; the best sum wins.
    pub(super) fn choose(&self, candidates: Vec<Candidate>, outcome: Outcome, key: u64) -> Outcome {
        if is_decisive(outcome.score) || candidates.first().is_none_or(|best| is_decisive(best.score)) {
            return outcome;
        }
        let mut chance = chance_of(self.seed, key);
        let mut draw = || (chance.next_u64() % self.bound.max(1) as u64) as Value;
        let mut chosen: Option<(Value, Candidate)> = None;
        for candidate in candidates {
            let sum = candidate.score + draw();
            if chosen.as_ref().is_none_or(|(most, _)| sum > *most) {
                chosen = Some((sum, candidate));
            }
        }
        match chosen {
            Some((_, Candidate { score, line })) => Outcome { score, line, ..outcome },
            None => outcome,
        }
    }
}

/// A sequence that follows from the seed and the position alone.
fn chance_of(seed: u64, key: u64) -> ChaCha8Rng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&key.to_le_bytes());
    ChaCha8Rng::from_seed(bytes)
}

/// A move that may be chosen, with what follows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Candidate {
    score: Value,
    line: Vec<Move>,
}

/// Keeps the lines of the last finished iteration, and passes on as many as are wanted.
pub(super) struct Candidates<'a> {
    reporter: &'a mut dyn Reporter,
    shown: usize,
    found: Vec<Candidate>,
}

impl<'a> Candidates<'a> {
    /// Passes so many lines on to `reporter`.
    pub(super) fn new(reporter: &'a mut dyn Reporter, shown: usize) -> Candidates<'a> {
        Candidates { reporter, shown: shown.max(1), found: Vec::new() }
    }

    /// The lines of the last finished iteration, the best first.
    pub(super) fn into_found(self) -> Vec<Candidate> {
        self.found
    }
}

impl Reporter for Candidates<'_> {
    fn iteration(&mut self, iteration: &Iteration) {
        if iteration.bound == Bound::Exact {
            if iteration.pv_index == 1 {
                self.found.clear();
            }
            self.found.push(Candidate { score: iteration.score, line: iteration.line.to_vec() });
        }
        if iteration.pv_index <= self.shown {
            self.reporter.iteration(iteration);
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

    fn chosen(level: u8, scores: &[Value], key: u64) -> Value {
        let handicap = SkillLimit::of(level, 7).unwrap();
        handicap.choose(candidates(scores), Outcome::default(), key).score
    }

    #[test]
    fn full_strength_has_no_handicap_and_each_level_below_a_greater_one() {
        assert_eq!(SkillLimit::of(FULL_SKILL, 0), None);
        let all: Vec<SkillLimit> = (1..FULL_SKILL).map(|level| SkillLimit::of(level, 0).unwrap()).collect();
        for pair in all.windows(2) {
            assert!(pair[0].depth < pair[1].depth && pair[0].nodes < pair[1].nodes);
            assert!(pair[0].lines >= pair[1].lines && pair[0].bound > pair[1].bound);
        }
        assert_eq!((all[0].bound, all[18].bound), (190, 10));
    }

    #[test]
    fn what_is_chosen_loses_less_than_the_bound_and_the_near_is_chosen_more_often() {
        for level in [1, 10, 19] {
            let bound = SkillLimit::of(level, 0).unwrap().bound;
            let scores = [50, 50 - bound / 4, 50 - bound / 2, 50 - bound, -600];
            let mut counts = [0; 5];
            for key in 0..4_000 {
                let score = chosen(level, &scores, key);
                counts[scores.iter().position(|other| *other == score).unwrap()] += 1;
            }
            assert!(counts[0] > counts[1] && counts[1] > counts[2] && counts[2] > 0, "{counts:?}");
            assert_eq!(counts[3..], [0, 0], "level {level}");
        }
    }

    #[test]
    fn mates_are_not_left_to_chance() {
        for key in 0..500 {
            assert_eq!(chosen(1, &[9_999, 9_997, 300], key), 0, "the outcome of the search stands");
            assert_eq!(chosen(1, &[-9_990, -9_992], key), 0);
        }
        // A mate that an iteration found which was not finished.
        let mate = Outcome { score: 9_999, ..Outcome::default() };
        assert_eq!(SkillLimit::of(1, 7).unwrap().choose(candidates(&[50, 40]), mate.clone(), 1), mate);
    }

    #[test]
    fn the_choice_follows_from_seed_and_position() {
        let scores = [40, 39, 38, 37, 36];
        let game = |seed: u64| -> Vec<Value> {
            let handicap = SkillLimit::of(3, seed).unwrap();
            (0..40).map(|key| handicap.choose(candidates(&scores), Outcome::default(), key).score).collect()
        };
        assert_eq!(game(1), game(1));
        assert_ne!(game(1), game(2));
    }

    #[test]
    fn limits_are_only_ever_narrowed() {
        let handicap = SkillLimit::of(5, 0).unwrap();
        let mut limits = Limits { multi_pv: 40, ..Limits::depth(2) };
        handicap.narrow(&mut limits);
        assert_eq!((limits.depth, limits.nodes, limits.multi_pv), (Some(2), Some(handicap.nodes), 40));
        let mut limits = Limits::nodes(10);
        handicap.narrow(&mut limits);
        assert_eq!((limits.depth, limits.nodes, limits.multi_pv), (Some(5), Some(10), handicap.lines));
    }
}
