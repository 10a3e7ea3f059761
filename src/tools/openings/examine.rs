//! What a search thinks of a start.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::{Criteria, Fault};
use crate::engine::{Engine, EngineError};
use crate::position::Position;
use crate::rules::{Rules, Verdict};
use crate::search::Limits;
use crate::types::{Move, Value};

/// The first look at a start takes this part of the nodes.
const GLANCE: u64 = 20;
/// With fewer nodes a look says nothing.
const LEAST_NODES: u64 = 2_000;
/// The first look turns away those that are this many times too uneven.
const TOLERANCE: Value = 3;

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opinion {
    /// The value in centipawns for the side to move.
    pub score: Value,
    /// The best move.
    pub best: Move,
}

/// Engines that judge starts. A judgement depends on the start alone, not on those before it.
pub struct SuiteFilter {
    engines: Vec<Engine>,
    criteria: Criteria,
}

impl SuiteFilter {
    /// So many engines, at least 1, each with one thread and a table of so many megabytes.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub fn new(engines: usize, megabytes: usize, criteria: Criteria) -> Result<SuiteFilter, EngineError> {
        let engines = (0..engines.max(1)).map(|_| Engine::with_hash(megabytes)).collect::<Result<_, _>>()?;
        Ok(SuiteFilter { engines, criteria })
    }

    /// What starts have to be like.
    pub fn criteria(&self) -> &Criteria {
        &self.criteria
    }

    /// Judges the positions that these lines of legal moves lead to from the start of the game, in the order of the
    /// lines: what the search says, or why the start is no good.
    ///
    /// # Errors
    /// Those of the engines.
    pub fn examine(&mut self, lines: &[&[Move]]) -> Result<Vec<Result<Opinion, Fault>>, EngineError> {
        let (next, criteria) = (AtomicUsize::new(0), &self.criteria);
        let work = |engine: &mut Engine| {
            let mut judged = Vec::new();
            loop {
                let index = next.fetch_add(1, Relaxed);
                let Some(line) = lines.get(index) else { return Ok::<_, EngineError>(judged) };
                judged.push((index, judge(engine, line, criteria)?));
            }
        };
        let mut judged = std::thread::scope(|scope| {
            let threads: Vec<_> = self.engines.iter_mut().map(|engine| scope.spawn(|| work(engine))).collect();
            let mut judged = Vec::new();
            for thread in threads {
                judged.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok::<_, EngineError>(judged)
        })?;
        judged.sort_by_key(|&(index, _)| index);
        Ok(judged.into_iter().map(|(_, judgement)| judgement).collect())
    }
}

fn judge(engine: &mut Engine, line: &[Move], criteria: &Criteria) -> Result<Result<Opinion, Fault>, EngineError> {
    let mut position = Position::start();
    line.iter().for_each(|&mv| position.make(mv));
    if Rules::default().verdict(&position) != Verdict::Continue {
        return Ok(Err(Fault::Over));
    }
    if position.in_check() {
        return Ok(Err(Fault::Check));
    }
    let few = (criteria.nodes / GLANCE).max(LEAST_NODES);
    if few < criteria.nodes {
        let score = look(engine, &position, few)?.score;
        if score.abs() > criteria.balance.saturating_mul(TOLERANCE) {
            return Ok(Err(Fault::Unbalanced { score, balance: criteria.balance }));
        }
    }
    let opinion = look(engine, &position, criteria.nodes)?;
    let is_quiet = position.piece_on(opinion.best.to()).is_none();
    let quiet = if is_quiet { Ok(opinion) } else { Err(Fault::Capture(opinion.best)) };
    Ok(even(opinion, criteria.balance).and(quiet))
}

fn even(opinion: Opinion, balance: Value) -> Result<(), Fault> {
    if opinion.score.abs() <= balance { Ok(()) } else { Err(Fault::Unbalanced { score: opinion.score, balance }) }
}

fn look(engine: &mut Engine, position: &Position, nodes: u64) -> Result<Opinion, EngineError> {
    engine.new_game();
    engine.set_position(position.clone());
    let outcome = engine.search(&Limits::nodes(nodes.max(1)), &mut ())?;
    Ok(Opinion { score: outcome.score, best: outcome.best().unwrap_or(Move::NONE) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judgement(line: &str) -> Result<Opinion, Fault> {
        let criteria = Criteria { least_plies: 1, most_plies: 9, balance: 150, nodes: 8_000, most_of_family: 1 };
        let moves: Vec<Move> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        let mut examiner = SuiteFilter::new(2, 1, criteria).unwrap();
        let judged = examiner.examine(&[&moves, &moves]).unwrap();
        assert_eq!(judged[0], judged[1], "a judgement does not depend on the engine");
        judged[0].clone()
    }

    #[test]
    fn quiet_and_even_starts_pass_and_others_are_named() {
        let opinion = judgement("h2e2 h9g7 h0g2 i9h9").unwrap();
        assert!(opinion.score.abs() <= 150);
        // Both cannons took a horse and were taken; in the next line one was not yet.
        assert!(matches!(judgement("h2h9 i9h9 b2b9 a9b9"), Err(Fault::Unbalanced { .. })));
        assert!(matches!(judgement("h2h9"), Err(Fault::Unbalanced { .. } | Fault::Capture(_))));
        assert_eq!(judgement("h2e2 g9e7 e2e6"), Err(Fault::Check));
    }
}
