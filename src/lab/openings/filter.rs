//! Checks of openings: rejection of those that are too similar to others of the suite, the filter by search, and the
//! check of a suite.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use super::{Criteria, FAMILY_PLIES, Fault, OpeningNumber};
use crate::engine::{Engine, EngineError};
use crate::notation::openings::Opening;
use crate::position::Position;
use crate::rules::{Rules, Verdict};
use crate::search::Limits;
use crate::types::{Move, Value};
use crate::util::cancel::CancelFlag;

/// The first search uses the nodes divided by this number.
const PREFILTER_DIVISOR: u64 = 20;
/// Minimum nodes of the first search.
const MIN_PREFILTER_NODES: u64 = 2_000;
/// The first search rejects openings beyond the bound times this factor.
const PREFILTER_TOLERANCE: Value = 3;

/// Result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchScore {
    /// Score in centipawns for the side to move.
    pub score: Value,
    /// Best move.
    pub best: Move,
}

/// Progress of choosing or checking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Openings chosen, or found to be valid.
    pub chosen: usize,
    /// Lines searched.
    pub searched: usize,
}

/// Engines that search openings. A result depends on the opening alone, not on earlier ones.
pub struct SuiteFilter {
    engines: Vec<Engine>,
    criteria: Criteria,
}

impl SuiteFilter {
    /// Creates the engines, at least 1, each with one thread and a transposition table of `megabytes`.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn new(engines: usize, megabytes: usize, criteria: Criteria) -> Result<SuiteFilter, EngineError> {
        let engines = (0..engines.max(1)).map(|_| Engine::with_hash(megabytes)).collect::<Result<_, _>>()?;
        Ok(SuiteFilter { engines, criteria })
    }

    /// Returns the criteria.
    pub fn criteria(&self) -> &Criteria {
        &self.criteria
    }

    /// Searches the positions after these lines of legal moves from the start of the game. Returns, in the order of the
    /// lines, the result of the search or the reason to reject the opening.
    ///
    /// # Errors
    /// Errors of the engines.
    pub fn search_all(&mut self, lines: &[&[Move]]) -> Result<Vec<Result<SearchScore, Fault>>, EngineError> {
        let (next, criteria) = (AtomicUsize::new(0), &self.criteria);
        let work = |engine: &mut Engine| {
            let mut results = Vec::new();
            loop {
                let index = next.fetch_add(1, Relaxed);
                let Some(line) = lines.get(index) else { return Ok::<_, EngineError>(results) };
                results.push((index, search_opening(engine, line, criteria)?));
            }
        };
        let mut results = std::thread::scope(|scope| {
            let threads: Vec<_> = self.engines.iter_mut().map(|engine| scope.spawn(|| work(engine))).collect();
            let mut results = Vec::new();
            for thread in threads {
                results.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok::<_, EngineError>(results)
        })?;
        results.sort_by_key(|&(index, _)| index);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }
}

fn search_opening(
    engine: &mut Engine,
    line: &[Move],
    criteria: &Criteria,
) -> Result<Result<SearchScore, Fault>, EngineError> {
    let mut position = Position::start();
    line.iter().for_each(|&mv| position.make(mv));
    if Rules::default().verdict(&position) != Verdict::Continue {
        return Ok(Err(Fault::Over));
    }
    if position.in_check() {
        return Ok(Err(Fault::Check));
    }
    let few = (criteria.nodes / PREFILTER_DIVISOR).max(MIN_PREFILTER_NODES);
    if few < criteria.nodes {
        let score = search(engine, &position, few)?.score;
        if score.abs() > criteria.balance.saturating_mul(PREFILTER_TOLERANCE) {
            return Ok(Err(Fault::Unbalanced { score, balance: criteria.balance }));
        }
    }
    let found = search(engine, &position, criteria.nodes)?;
    let is_quiet = position.piece_on(found.best.to()).is_none();
    let quiet = if is_quiet { Ok(found) } else { Err(Fault::Capture(found.best)) };
    Ok(check_balance(found, criteria.balance).and(quiet))
}

fn check_balance(found: SearchScore, balance: Value) -> Result<(), Fault> {
    if found.score.abs() <= balance { Ok(()) } else { Err(Fault::Unbalanced { score: found.score, balance }) }
}

fn search(engine: &mut Engine, position: &Position, nodes: u64) -> Result<SearchScore, EngineError> {
    engine.new_game();
    engine.set_position(position.clone());
    let outcome = engine.search(&Limits::nodes(nodes.max(1)), &mut ())?;
    Ok(SearchScore { score: outcome.score, best: outcome.best().unwrap_or(Move::NONE) })
}

/// Number of openings between two progress reports.
const BATCH: usize = 32;

/// Returns the openings that `choose` would reject, with the reason, in the order of their numbers. Of two
/// similar openings the later one is rejected.
///
/// # Errors
/// Errors of the engines.
pub fn check(
    suite: &[(OpeningNumber, Opening)],
    filter: &mut SuiteFilter,
    interrupt: &CancelFlag,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<Vec<(OpeningNumber, Fault)>, EngineError> {
    let criteria = *filter.criteria();
    let mut chosen = Deduplicator::default();
    let (mut faults, mut passed) = (Vec::new(), Vec::new());
    for (number, opening) in suite {
        let plies = opening.moves.len();
        let found = if opening.start != Position::start() {
            Err(Fault::OtherStart)
        } else if !(criteria.min_plies..=criteria.max_plies).contains(&plies) {
            Err(Fault::Length { plies, min: criteria.min_plies, max: criteria.max_plies })
        } else {
            chosen.check(&opening.moves, &criteria)
        };
        match found {
            Ok(()) => {
                chosen.add(&opening.moves, &criteria, *number);
                passed.push((*number, opening.moves.as_slice()));
            }
            Err(fault) => faults.push((*number, fault)),
        }
    }
    let mut progress = Progress { chosen: 0, searched: 0 };
    for batch in passed.chunks(BATCH) {
        if interrupt.is_cancelled() {
            break;
        }
        let lines: Vec<&[Move]> = batch.iter().map(|&(_, line)| line).collect();
        let results = filter.search_all(&lines)?;
        progress.searched += batch.len();
        progress.chosen += results.iter().filter(|result| result.is_ok()).count();
        faults.extend(batch.iter().zip(results).filter_map(|((number, _), result)| Some((*number, result.err()?))));
        on_progress(progress);
    }
    faults.sort_by_key(|(number, _)| number.0);
    Ok(faults)
}

/// Returns a key that a position shares with its mirror image only (up to hash collisions).
pub fn symmetric_key(position: &Position) -> u64 {
    position.key().min(position.mirrored().key())
}

/// Keys of the openings of a suite.
#[derive(Clone, Debug, Default)]
pub struct Deduplicator {
    ends: HashMap<u64, OpeningNumber>,
    /// Positions before the end, from the minimum plies on.
    passed: HashMap<u64, OpeningNumber>,
    families: HashMap<u64, usize>,
}

/// Keys of a line.
struct Line {
    /// `None` for a line that is shorter than a family.
    family: Option<u64>,
    passed: Vec<u64>,
    end: u64,
}

impl Line {
    fn new(moves: &[Move], criteria: &Criteria) -> Line {
        let mut position = Position::start();
        let mut line = Line { family: None, passed: Vec::new(), end: symmetric_key(&position) };
        for (index, &mv) in moves.iter().enumerate() {
            position.make(mv);
            let plies = index + 1;
            if plies == FAMILY_PLIES {
                line.family = Some(symmetric_key(&position));
            }
            if plies == moves.len() {
                line.end = symmetric_key(&position);
            } else if plies >= criteria.min_plies {
                line.passed.push(symmetric_key(&position));
            }
        }
        line
    }
}

impl Deduplicator {
    /// Checks that a line of legal moves from the start of the game differs enough from all others.
    ///
    /// # Errors
    /// [`Fault::Duplicate`], [`Fault::SameLine`] or [`Fault::Family`].
    pub fn check(&self, moves: &[Move], criteria: &Criteria) -> Result<(), Fault> {
        let line = Line::new(moves, criteria);
        if let Some(&number) = self.ends.get(&line.end) {
            return Err(Fault::Duplicate(number));
        }
        let relative = self.passed.get(&line.end).or_else(|| line.passed.iter().find_map(|key| self.ends.get(key)));
        if let Some(&number) = relative {
            return Err(Fault::SameLine(number));
        }
        let in_family = line.family.and_then(|family| self.families.get(&family));
        if in_family.is_some_and(|&count| count >= criteria.max_family) {
            return Err(Fault::Family { max: criteria.max_family });
        }
        Ok(())
    }

    /// Adds a line.
    pub fn add(&mut self, moves: &[Move], criteria: &Criteria, number: OpeningNumber) {
        let line = Line::new(moves, criteria);
        self.ends.entry(line.end).or_insert(number);
        for key in line.passed {
            self.passed.entry(key).or_insert(number);
        }
        if let Some(family) = line.family {
            *self.families.entry(family).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result_of(line: &str) -> Result<SearchScore, Fault> {
        let criteria = Criteria { min_plies: 1, max_plies: 9, balance: 150, nodes: 8_000, max_family: 1 };
        let moves: Vec<Move> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        let mut filter = SuiteFilter::new(2, 1, criteria).unwrap();
        let results = filter.search_all(&[&moves, &moves]).unwrap();
        assert_eq!(results[0], results[1], "a result does not depend on the engine");
        results[0].clone()
    }

    #[test]
    fn quiet_and_balanced_openings_pass_and_others_are_rejected() {
        let found = result_of("h2e2 h9g7 h0g2 i9h9").unwrap();
        assert!(found.score.abs() <= 150);
        // Both cannons were exchanged for a horse; in the next line one exchange is incomplete.
        assert!(matches!(result_of("h2h9 i9h9 b2b9 a9b9"), Err(Fault::Unbalanced { .. })));
        assert!(matches!(result_of("h2h9"), Err(Fault::Unbalanced { .. } | Fault::Capture(_))));
        assert_eq!(result_of("h2e2 g9e7 e2e6"), Err(Fault::Check));
    }

    fn line(text: &str) -> Vec<Move> {
        text.split(' ').map(|word| word.parse().unwrap()).collect()
    }

    fn mirrored(moves: &[Move]) -> Vec<Move> {
        moves.iter().map(|mv| mv.mirrored()).collect()
    }

    const CRITERIA: Criteria = Criteria { min_plies: 4, max_plies: 8, balance: 60, nodes: 1, max_family: 2 };

    #[test]
    fn a_line_its_mirror_image_and_another_order_are_the_same() {
        let mut chosen = Deduplicator::default();
        let moves = line("h2e2 h9g7 h0g2 i9h9");
        assert_eq!(chosen.check(&moves, &CRITERIA), Ok(()));
        chosen.add(&moves, &CRITERIA, OpeningNumber(7));
        let duplicate = Err(Fault::Duplicate(OpeningNumber(7)));
        assert_eq!(chosen.check(&moves, &CRITERIA), duplicate);
        assert_eq!(chosen.check(&mirrored(&moves), &CRITERIA), duplicate);
        assert_eq!(chosen.check(&line("h0g2 h9g7 h2e2 i9h9"), &CRITERIA), duplicate);
        assert_eq!(chosen.check(&line("h2e2 h9g7 h0g2 b9c7"), &CRITERIA), Ok(()));
    }

    #[test]
    fn no_line_continues_another() {
        let long = line("h2e2 h9g7 h0g2 i9h9 i0h0 b9c7");
        let short = &long[..4];
        for (first, second) in [(&long[..], short), (short, &long[..])] {
            let mut chosen = Deduplicator::default();
            chosen.add(first, &CRITERIA, OpeningNumber(1));
            assert_eq!(chosen.check(&mirrored(second), &CRITERIA), Err(Fault::SameLine(OpeningNumber(1))));
        }
    }

    #[test]
    fn families_are_limited() {
        let mut chosen = Deduplicator::default();
        let family = "h2e2 h9g7 h0g2 i9h9";
        for (number, rest) in ["i0h0 b9c7", "b0c2 b9c7"].into_iter().enumerate() {
            let moves = line(&format!("{family} {rest}"));
            assert_eq!(chosen.check(&moves, &CRITERIA), Ok(()));
            chosen.add(&moves, &CRITERIA, OpeningNumber(number as u64));
        }
        let third = line(&format!("{family} a3a4 b9c7"));
        assert_eq!(chosen.check(&mirrored(&third), &CRITERIA), Err(Fault::Family { max: 2 }));
    }
}
