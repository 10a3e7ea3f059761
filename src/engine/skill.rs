//! Skill levels below full strength: a shallow search and a random choice among moves nearly as good as the best.
//!
//! The move played is worse than the best move by less than the margin of the level, as far as its search sees. From
//! level 1 on mates in one and hanging rooks, horses and cannons are seen, and a decided game (a mate, or a
//! repetition that wins or loses) is played without chance.
//!
//! The three levels below are beginners. They look one ply deep, do not think of some moves at all, and overlook
//! replies as people do: a recapture seldom, a capture elsewhere on the board more often, one from far away most often.
//! A move whose reply is overlooked counts as what it takes.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::position::Position;
use crate::search::{Bound, Limits, Outcome, Reporter};
use crate::types::score::{INFINITE, is_decisive};
use crate::types::{Move, PieceKind, Value};

/// Skill level of full strength.
pub const FULL_SKILL: i8 = 20;

/// Lowest level; those below 1 are beginners.
pub const MIN_SKILL: i8 = -2;

/// Number of candidates of beginners. Few positions have more moves.
const ALL_MOVES: usize = 100;
/// Node limit of level 1.
const MIN_NODES: f64 = 400.0;
/// Each level has this many times the nodes of the one below.
const NODES_FACTOR: f64 = 1.4;

/// Ratings of levels in Elo points, measured in games of neighbours (`docs/strength.md`). That of level 1 is chosen.
const RATINGS: [(f64, f64); 8] = [
    (1.0, 1000.0),
    (3.0, 1030.0),
    (5.0, 1100.0),
    (7.0, 1280.0),
    (9.0, 1610.0),
    (11.0, 2030.0),
    (13.0, 2300.0),
    (15.0, 2580.0),
];
/// Rating of the lowest level.
pub(super) const MIN_RATING: u16 = RATINGS[0].1 as u16;
/// Rating of the highest level that was measured, not yet full strength.
pub(super) const MAX_RATING: u16 = RATINGS[RATINGS.len() - 1].1 as u16;

/// Returns the level of a rating, also one between two levels; a rating out of range counts as the nearest one.
pub(super) fn level_of_rating(rating: u16) -> f64 {
    let rating = f64::from(rating.clamp(MIN_RATING, MAX_RATING));
    let above = RATINGS.partition_point(|(_, known)| *known < rating).max(1);
    let ((low, low_rating), (high, high_rating)) = (RATINGS[above - 1], RATINGS[above]);
    low + (high - low) * (rating - low_rating) / (high_rating - low_rating)
}

/// Limits of a skill level below full strength.
#[derive(Clone, Debug)]
pub(super) struct SkillLimit {
    /// Depth of the search.
    depth: usize,
    /// Node limit, two fifths more than that of the level below. The first iteration is finished even so.
    nodes: u64,
    /// Number of candidate moves.
    multi_pv: usize,
    /// The move played is worse than the best one by less than this, in centipawns.
    margin: Value,
    /// Chance that a beginner overlooks a capture elsewhere on the board; 0 for others.
    oversight: f64,
    /// Chance that a beginner does not think of a move.
    blindness: f64,
    /// Seed of the choices.
    seed: u64,
}

impl SkillLimit {
    /// The limits of a level, or of one between two levels; `None` at full strength.
    pub(super) fn new(level: f64, seed: u64) -> Option<SkillLimit> {
        let below_full = f64::from(FULL_SKILL) - level;
        let below_first = (1.0 - level).max(0.0);
        (below_full > 0.0).then(|| SkillLimit {
            depth: level.round().max(1.0) as usize,
            nodes: (MIN_NODES * NODES_FACTOR.powf(level.max(1.0) - 1.0)) as u64,
            multi_pv: if below_first > 0.0 { ALL_MOVES } else { 3 + (below_full / 2.0) as usize },
            margin: (10.0 * below_full).round() as Value,
            oversight: (0.3 * below_first).min(0.9),
            blindness: (0.25 * below_first - 0.1).clamp(0.0, 0.65),
            seed,
        })
    }

    /// Narrows the limits of a search to those of the level.
    pub(super) fn narrow(&self, limits: &mut Limits) {
        limits.depth = Some(limits.depth.map_or(self.depth, |depth| depth.min(self.depth)));
        limits.nodes = Some(limits.nodes.map_or(self.nodes, |nodes| nodes.min(self.nodes)));
        limits.multi_pv = limits.multi_pv.max(self.multi_pv);
    }

    /// Returns the outcome of a search with the move that the level plays: every candidate gets a random bonus below
    /// the margin, and the best sum is picked.
    pub(super) fn pick(&self, candidates: Vec<Candidate>, outcome: Outcome, position: &Position) -> Outcome {
        // Random numbers that depend on the seed and the position alone.
        let mut random = ChaCha8Rng::seed_from_u64(self.seed ^ position.key());
        let mut seen: Vec<Value> = candidates.iter().map(|candidate| candidate.score).collect();
        if self.oversight > 0.0 {
            self.overlook(&candidates, &mut seen, position, &mut random);
        } else if is_decisive(outcome.score) || candidates.first().is_none_or(|best| is_decisive(best.score)) {
            return outcome;
        }
        let mut bonus = || random.random_range(0..self.margin.max(1));
        match candidates.into_iter().zip(seen).max_by_key(|(_, score)| score + bonus()) {
            Some((Candidate { score, line }, _)) => Outcome { score, line, bound: Bound::Exact, ..outcome },
            None => outcome,
        }
    }

    /// Changes the scores of moves to those that they have for somebody who overlooks some replies.
    fn overlook(&self, candidates: &[Candidate], seen: &mut [Value], position: &Position, random: &mut ChaCha8Rng) {
        let mut scores = seen.to_vec();
        scores.sort_unstable();
        // The usual outlook: most moves change little.
        let usual = scores.get(scores.len() / 2).copied().unwrap_or_default();
        for (candidate, score) in candidates.iter().zip(seen) {
            if random.random_bool(self.blindness) {
                *score = -INFINITE;
                continue;
            }
            let Some(&mv) = candidate.line.first() else { continue };
            let taken = position.piece_on(mv.to()).map_or(0, |piece| worth(piece.kind()));
            let chance = match candidate.line.get(1) {
                Some(reply) if reply.to() == mv.to() => 0.6,
                Some(reply) if distance(*reply) > 3 => 1.5,
                Some(_) => 1.0,
                // A mate: people look for checks.
                None => 0.5,
            };
            if random.random_bool((self.oversight * chance).min(1.0)) {
                *score = usual + taken;
            }
        }
    }
}

/// Rough worth of a piece in centipawns, as beginners count.
fn worth(kind: PieceKind) -> Value {
    match kind {
        PieceKind::Rook => 900,
        PieceKind::Horse | PieceKind::Cannon => 450,
        PieceKind::Advisor | PieceKind::Elephant => 200,
        PieceKind::Pawn => 100,
        PieceKind::King => 0,
    }
}

/// Number of steps along files and ranks of a move.
fn distance(mv: Move) -> u8 {
    mv.from().file().abs_diff(mv.to().file()) + mv.from().rank().abs_diff(mv.to().rank())
}

/// Move that may be picked, with its principal variation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Candidate {
    score: Value,
    line: Vec<Move>,
}

/// Reporter that collects the principal variations of the last iterations and passes on the first ones. It wants
/// reports whether `reporter` does or not: the candidates come from them.
pub(super) struct CandidateCollector<'a> {
    reporter: &'a mut dyn Reporter,
    shown: usize,
    /// Those of the iteration that was reported last, which may be unfinished.
    latest: Vec<Candidate>,
    /// Those of the iterations before it.
    earlier: Vec<Candidate>,
}

impl<'a> CandidateCollector<'a> {
    /// Passes the first `shown` principal variations on to `reporter`.
    pub(super) fn new(reporter: &'a mut dyn Reporter, shown: usize) -> CandidateCollector<'a> {
        CandidateCollector { reporter, shown: shown.max(1), latest: Vec::new(), earlier: Vec::new() }
    }

    /// The principal variations of the last iteration, the best first. If it is unfinished, other moves have earlier
    /// ones, with scores at most that of its last finished line.
    pub(super) fn into_candidates(mut self) -> Vec<Candidate> {
        self.join();
        self.earlier
    }

    /// Puts the latest variations before the earlier ones of other moves, as many in all as the longer list has.
    fn join(&mut self) {
        let wanted = self.earlier.len().max(self.latest.len());
        let mut joined = std::mem::take(&mut self.latest);
        let is_new = |old: &Candidate| joined.iter().all(|new| new.line.first() != old.line.first());
        // The other moves are worse than the finished lines at the new depth, whatever they were before.
        let max_score = joined.last().map_or(Value::MAX, |worst| worst.score);
        let limited = |old: Candidate| Candidate { score: old.score.min(max_score), ..old };
        let others: Vec<Candidate> = self.earlier.drain(..).filter(is_new).map(limited).collect();
        joined.extend(others);
        joined.truncate(wanted);
        self.earlier = joined;
    }
}

impl Reporter for CandidateCollector<'_> {
    fn report(&mut self, report: &Outcome) {
        if report.bound == Bound::Exact {
            if report.pv_index == 1 {
                self.join();
            }
            self.latest.push(Candidate { score: report.score, line: report.line.to_vec() });
        }
        // The best move of an unfinished iteration is not the one that is played.
        if report.pv_index <= self.shown && report.bound != Bound::Lower {
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

    fn picked(level: f64, scores: &[Value], key: u64) -> Value {
        let limit = SkillLimit::new(level, 7 + key).unwrap();
        limit.pick(candidates(scores), Outcome::default(), &Position::start()).score
    }

    #[test]
    fn ratings_rise_with_the_levels_and_lead_back_to_them() {
        for (level, rating) in RATINGS {
            assert_eq!(level_of_rating(rating as u16), level);
        }
        let levels: Vec<f64> = (MIN_RATING..=MAX_RATING).map(level_of_rating).collect();
        assert!(levels.is_sorted_by(|low, high| low < high));
        assert_eq!((level_of_rating(0), level_of_rating(u16::MAX)), (1.0, 15.0));
        let limits: Vec<SkillLimit> = levels.iter().map(|level| SkillLimit::new(*level, 0).unwrap()).collect();
        assert!(limits.is_sorted_by(|low, high| low.nodes <= high.nodes && low.margin >= high.margin));
    }

    #[test]
    fn moves_lose_less_than_the_margin_and_better_ones_are_picked_more_often() {
        for level in [1.0, 10.0, 19.0] {
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
    fn beginners_overlook_captures_and_mates_the_weaker_the_more() {
        // The second move loses a rook to a capture elsewhere.
        let [best, bad] = [("h2e2", 0), ("h0g2", -900)];
        let often = |level: f64| {
            let misses = (0..2000).filter(|seed| {
                let lines = [(best, "h9g7"), (bad, "b9c7")].map(|((mv, score), reply)| Candidate {
                    score,
                    line: [mv, reply].map(|text| text.parse().unwrap()).to_vec(),
                });
                let limit = SkillLimit::new(level, *seed).unwrap();
                limit.pick(lines.to_vec(), Outcome::default(), &Position::start()).best()
                    == Some(bad.0.parse().unwrap())
            });
            misses.count()
        };
        let counts = [1.0, 0.0, -1.0, -2.0].map(often);
        assert!(counts[0] == 0 && counts.is_sorted_by(|a, b| a < b), "{counts:?}");
    }

    #[test]
    fn mates_are_not_left_to_chance() {
        for key in 0..500 {
            assert_eq!(picked(1.0, &[9_999, 9_997, 300], key), 0, "the outcome of the search stands");
            assert_eq!(picked(1.0, &[-9_990, -9_992], key), 0);
        }
        // A mate that an unfinished iteration found.
        let mate = Outcome { score: 9_999, ..Outcome::default() };
        let limit = SkillLimit::new(1.0, 7).unwrap();
        assert_eq!(limit.pick(candidates(&[50, 40]), mate.clone(), &Position::start()), mate);
    }

    #[test]
    fn an_unfinished_iteration_leaves_the_candidates_of_the_one_before() {
        let mut ignored = ();
        let mut collector = CandidateCollector::new(&mut ignored, 1);
        let mut report = |iterations: &[&[(&str, Value)]]| {
            for lines in iterations {
                for (index, (mv, score)) in lines.iter().enumerate() {
                    let (pv_index, score, line) = (index + 1, *score, vec![mv.parse().unwrap()]);
                    collector.report(&Outcome { pv_index, score, bound: Bound::Exact, line, ..Outcome::default() });
                }
            }
        };
        report(&[&[("h2e2", 30), ("b2e2", 20), ("h0g2", 10)], &[("h2e2", 35), ("b0c2", 25), ("h0g2", 15)]]);
        report(&[&[("h0g2", 30)]]);
        let candidates = collector.into_candidates();
        let found: Vec<(String, Value)> =
            candidates.iter().map(|candidate| (candidate.line[0].to_string(), candidate.score)).collect();
        // At the new depth the others are worth no more than the finished line.
        let expected = [("h0g2", 30), ("h2e2", 30), ("b0c2", 25)].map(|(mv, score)| (mv.to_owned(), score));
        assert_eq!(found, expected);
    }
}
