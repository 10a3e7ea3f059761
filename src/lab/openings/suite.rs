//! Openings of a suite: criteria, rejection of those that are too similar to others, the test by a search, the check of
//! a suite and the choice of a new one from games and random moves.

use std::collections::HashMap;

use super::random_moves;
use crate::console::{Progress, clock};
use crate::engine::{Engine, EngineError};
use crate::notation::game::Game;
use crate::notation::openings::Opening;
use crate::position::Position;
use crate::rules::{Rules, Verdict};
use crate::search::{Limits, Outcome};
use crate::types::{Move, Value};
use crate::util::cancel::CancelFlag;
use crate::util::math::StableRandom;
use crate::util::parallel::map_ordered;

/// Minimum number of games that reached an opening from games.
pub const MIN_GAMES: usize = 2;
/// Plies after which openings with the same position are a family.
pub const FAMILY_PLIES: usize = 4;
/// Transposition table of each search in megabytes.
const HASH_MEGABYTES: usize = 16;
/// The first search uses the nodes divided by this number.
const PREFILTER_DIVISOR: u64 = 20;
/// Minimum nodes of the first search.
const MIN_PREFILTER_NODES: u64 = 2_000;
/// The first search rejects openings beyond the bound times this factor.
const PREFILTER_TOLERANCE: Value = 3;
/// Number of candidates that are searched before the next ones are compared with the chosen ones. It affects the
/// choice, so it does not depend on the number of threads.
const BATCH: usize = 32;
/// Maximum number of random lines tried for each requested opening.
const MAX_TRIES: u64 = 2_000;
/// First random sequence of random lines; lower numbers are for other choices.
const FIRST_RANDOM_SEQUENCE: u64 = 1 << 32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Criteria {
    /// Minimum and maximum plies from the start of the game.
    pub plies: [usize; 2],
    /// Maximum lead of either side in centipawns.
    pub balance: Value,
    /// Nodes of the search that determines the lead.
    pub nodes: u64,
    /// Maximum number of openings with the same or the mirrored position after [`FAMILY_PLIES`] plies.
    pub max_family: usize,
}

/// Returns a key that a position shares with its mirror image only (up to hash collisions).
fn symmetric_key(position: &Position) -> u64 {
    position.key().min(position.mirrored().key())
}

struct Line {
    /// `None` for a line that is shorter than a family.
    family: Option<u64>,
    /// Positions before the end, from the minimum plies on.
    passed: Vec<u64>,
    end: u64,
}

impl Line {
    fn new(moves: &[Move], criteria: &Criteria) -> Line {
        let mut position = Position::start();
        let mut keys = vec![symmetric_key(&position)];
        for &mv in moves {
            position.make(mv);
            keys.push(symmetric_key(&position));
        }
        let family = keys.get(FAMILY_PLIES).copied();
        let end = keys.pop().unwrap_or_default();
        Line { family, passed: keys.split_off(criteria.plies[0].min(keys.len())), end }
    }
}

/// Keys of the openings of a suite, with the numbers of the openings.
#[derive(Clone, Debug, Default)]
struct Deduplicator {
    ends: HashMap<u64, u64>,
    passed: HashMap<u64, u64>,
    families: HashMap<u64, usize>,
}

impl Deduplicator {
    /// Checks that a line of legal moves from the start of the game differs enough from all others. These are named by
    /// their lines in a file, or by their indices among the chosen ones, from 1.
    fn check(&self, moves: &[Move], criteria: &Criteria) -> Result<(), String> {
        let line = Line::new(moves, criteria);
        if let Some(number) = self.ends.get(&line.end) {
            return Err(format!("it ends in the position of line {number}, directly or mirrored"));
        }
        let relative = self.passed.get(&line.end).or_else(|| line.passed.iter().find_map(|key| self.ends.get(key)));
        if let Some(number) = relative {
            return Err(format!("it continues line {number}, or line {number} continues it, directly or mirrored"));
        }
        let in_family = line.family.and_then(|family| self.families.get(&family));
        if in_family.is_some_and(|&count| count >= criteria.max_family) {
            let most = criteria.max_family;
            return Err(format!("more than {most} begin with the same {FAMILY_PLIES} plies, directly or mirrored"));
        }
        Ok(())
    }

    fn add(&mut self, moves: &[Move], criteria: &Criteria, number: u64) {
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

/// Tests openings by searches.
pub struct Tester<'a> {
    pub criteria: Criteria,
    /// Searches in parallel. The results do not depend on it.
    pub threads: usize,
    pub cancel: &'a CancelFlag,
}

impl Tester<'_> {
    /// Searches the positions after these lines of legal moves from the start of the game. Returns the results in their
    /// order; each depends on its line alone.
    fn search_all(&self, lines: &[&[Move]]) -> Result<Vec<Result<(), String>>, EngineError> {
        let criteria = self.criteria;
        let work = |engine: &mut Result<Engine, EngineError>, line: &&[Move]| {
            let engine = engine.as_mut().map_err(|error| error.clone())?;
            search_opening(engine, line, &criteria)
        };
        let results = map_ordered(lines.iter(), self.threads, || Engine::with_hash(HASH_MEGABYTES), work);
        results.into_iter().collect()
    }
}

fn search_opening(engine: &mut Engine, line: &[Move], criteria: &Criteria) -> Result<Result<(), String>, EngineError> {
    let mut position = Position::start();
    line.iter().for_each(|&mv| position.make(mv));
    if Rules::default().verdict(&position) != Verdict::Continue {
        return Ok(Err("the game is over".to_owned()));
    }
    if position.in_check() {
        return Ok(Err("the side to move is in check".to_owned()));
    }
    let mut search = |nodes: u64| -> Result<Outcome, EngineError> {
        engine.new_game();
        engine.set_position(position.clone());
        engine.search(&Limits::nodes(nodes.max(1)), &mut ())
    };
    let balance = criteria.balance;
    let unbalanced = |score: Value| Err(format!("the side to move is at {score:+} centipawns, beyond ±{balance}"));
    let few = (criteria.nodes / PREFILTER_DIVISOR).max(MIN_PREFILTER_NODES);
    if few < criteria.nodes {
        let score = search(few)?.score;
        if score.abs() > balance.saturating_mul(PREFILTER_TOLERANCE) {
            return Ok(unbalanced(score));
        }
    }
    let outcome = search(criteria.nodes)?;
    let (score, best) = (outcome.score, outcome.best().unwrap_or(Move::NONE));
    Ok(if score.abs() > balance {
        unbalanced(score)
    } else if position.piece_on(best.to()).is_some() {
        Err(format!("it is not quiet: the best move is the capture {best}"))
    } else {
        Ok(())
    })
}

/// Returns the openings, with their numbers, that [`choose`] would reject, and the reasons, in the order of the
/// numbers. Of two similar openings the later one is rejected.
pub fn check(suite: &[(u64, Opening)], tester: &Tester) -> Result<Vec<(u64, String)>, EngineError> {
    let criteria = tester.criteria;
    let [min, max] = criteria.plies;
    let mut chosen = Deduplicator::default();
    let (mut faults, mut passed) = (Vec::new(), Vec::new());
    for (number, opening) in suite {
        let plies = opening.moves.len();
        let found = if opening.start != Position::start() {
            Err("it does not begin with the start of the game".to_owned())
        } else if !(min..=max).contains(&plies) {
            Err(format!("it has {plies} plies, not {min} to {max}"))
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
    let (mut valid, mut searched, mut progress) = (0, 0, Progress::bar(passed.len() as u64));
    for batch in passed.chunks(BATCH) {
        if tester.cancel.is_cancelled() {
            break;
        }
        let lines: Vec<&[Move]> = batch.iter().map(|&(_, line)| line).collect();
        let results = tester.search_all(&lines)?;
        searched += batch.len() as u64;
        valid += results.iter().filter(|result| result.is_ok()).count() as u64;
        faults.extend(batch.iter().zip(results).filter_map(|((number, _), result)| Some((*number, result.err()?))));
        progress.update(searched, || format!("{valid} valid"));
    }
    progress.finish();
    faults.sort_by_key(|(number, _)| *number);
    Ok(faults)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChooseSettings {
    pub from_games: usize,
    pub random: usize,
    pub seed: u64,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choice {
    /// All lines, in an order determined by the seed.
    pub lines: Vec<Vec<Move>>,
    pub from_games: usize,
    pub random: usize,
}

/// Chooses openings until the requested numbers are reached or no candidates are left. `None` when cancelled.
pub fn choose(sources: &Sources, settings: ChooseSettings, tester: &Tester) -> Result<Option<Choice>, EngineError> {
    let criteria = tester.criteria;
    let mut chosen = Deduplicator::default();
    let (mut lines, mut searched) = (Vec::new(), 0);
    let mut progress = Progress::bar((settings.from_games + settings.random) as u64);
    // Takes up to `max` of the candidates and returns the number taken.
    let mut take = |candidates: &mut dyn Iterator<Item = Vec<Move>>, max: usize| -> Result<usize, EngineError> {
        let mut taken = 0;
        while taken < max && !tester.cancel.is_cancelled() {
            let differ = |line: &Vec<Move>| chosen.check(line, &criteria).is_ok();
            let batch: Vec<Vec<Move>> = (&mut *candidates).filter(differ).take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            let results = tester.search_all(&batch.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
            searched += batch.len() as u64;
            for (line, result) in batch.into_iter().zip(results) {
                // Two lines of a batch may be similar.
                if taken < max && result.is_ok() && chosen.check(&line, &criteria).is_ok() {
                    taken += 1;
                    chosen.add(&line, &criteria, lines.len() as u64 + 1);
                    lines.push(line);
                }
            }
            let left = clock(progress.time_left(lines.len() as u64));
            progress.update(lines.len() as u64, || format!("{searched} searched, {left} left"));
        }
        Ok(taken)
    };
    let seed = settings.seed;
    let from_games = take(&mut sources.lines(seed).into_iter(), settings.from_games)?;
    let tries = 0..MAX_TRIES.saturating_mul(settings.random as u64);
    let random = take(&mut tries.filter_map(|number| random_line(&criteria, seed, number)), settings.random)?;
    progress.finish();
    if tester.cancel.is_cancelled() {
        return Ok(None);
    }
    // Any number of first lines is then a fair sample.
    StableRandom::new(seed, 1).shuffle(&mut lines);
    Ok(Some(Choice { lines, from_games, random }))
}

/// Positions that games reached, with the number of games.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Number of games and moves of the first one, by the symmetric key of the position.
    lines: HashMap<u64, (usize, Vec<Move>)>,
    pub games: usize,
}

impl Sources {
    /// Adds the positions of a game within the plies of an opening. Games from other positions are ignored.
    pub fn add(&mut self, game: &Game, criteria: &Criteria) {
        let mut position = Position::start();
        if game.start != position {
            return;
        }
        self.games += 1;
        let ([min, max], line) = (criteria.plies, game.line());
        for (plies, &mv) in (1..=max).zip(&line) {
            position.make(mv);
            if plies >= min {
                self.lines.entry(symmetric_key(&position)).or_insert_with(|| (0, line[..plies].to_vec())).0 += 1;
            }
        }
    }

    /// Returns the lines to positions that at least [`MIN_GAMES`] games reached, in an order determined by the seed.
    fn lines(&self, seed: u64) -> Vec<Vec<Move>> {
        let reached = self.lines.values().filter(|(games, _)| *games >= MIN_GAMES);
        let mut lines: Vec<Vec<Move>> = reached.map(|(_, moves)| moves.clone()).collect();
        lines.sort_by(|first, second| first.iter().map(|mv| mv.bits()).cmp(second.iter().map(|mv| mv.bits())));
        StableRandom::new(seed, 0).shuffle(&mut lines);
        lines
    }
}

/// Returns the random line of this seed and number, uniform in length and moves. `None` when the game ends before.
fn random_line(criteria: &Criteria, seed: u64, number: u64) -> Option<Vec<Move>> {
    let mut random = StableRandom::new(seed, FIRST_RANDOM_SEQUENCE.saturating_add(number));
    let [min, max] = criteria.plies;
    let plies = min + random.below(max - min + 1);
    random_moves(&mut Position::start(), plies, &mut random)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRITERIA: Criteria = Criteria { plies: [4, 8], balance: 60, nodes: 1, max_family: 2 };

    fn line(text: &str) -> Vec<Move> {
        text.split(' ').map(|word| word.parse().unwrap()).collect()
    }

    fn mirrored(moves: &[Move]) -> Vec<Move> {
        moves.iter().map(|mv| mv.mirrored()).collect()
    }

    #[test]
    fn quiet_and_balanced_openings_pass_and_others_are_rejected() {
        let criteria = Criteria { plies: [1, 9], balance: 150, nodes: 8_000, max_family: 1 };
        let tester = Tester { criteria, threads: 2, cancel: &CancelFlag::default() };
        // Both cannons were exchanged for a horse; in the next line one exchange is incomplete.
        let lines = ["h2e2 h9g7 h0g2 i9h9", "h2h9 i9h9 b2b9 a9b9", "h2h9", "h2e2 g9e7 e2e6"].map(line);
        let twice: Vec<&[Move]> = lines.iter().chain(&lines).map(Vec::as_slice).collect();
        let results = tester.search_all(&twice).unwrap();
        assert_eq!(results[..4], results[4..], "a result does not depend on the engine");
        assert_eq!(results[0], Ok(()));
        assert!(results[1].as_ref().is_err_and(|fault| fault.starts_with("the side to move is at ")));
        assert!(results[2].is_err());
        assert_eq!(results[3], Err("the side to move is in check".to_owned()));
    }

    #[test]
    fn a_line_its_mirror_image_and_another_order_are_the_same() {
        let mut chosen = Deduplicator::default();
        let moves = line("h2e2 h9g7 h0g2 i9h9");
        assert_eq!(chosen.check(&moves, &CRITERIA), Ok(()));
        chosen.add(&moves, &CRITERIA, 7);
        for same in [moves.clone(), mirrored(&moves), line("h0g2 h9g7 h2e2 i9h9")] {
            assert!(chosen.check(&same, &CRITERIA).unwrap_err().starts_with("it ends in the position of line 7"));
        }
        assert_eq!(chosen.check(&line("h2e2 h9g7 h0g2 b9c7"), &CRITERIA), Ok(()));
    }

    #[test]
    fn no_line_continues_another() {
        let long = line("h2e2 h9g7 h0g2 i9h9 i0h0 b9c7");
        let short = &long[..4];
        for (first, second) in [(&long[..], short), (short, &long[..])] {
            let mut chosen = Deduplicator::default();
            chosen.add(first, &CRITERIA, 1);
            let fault = chosen.check(&mirrored(second), &CRITERIA).unwrap_err();
            assert!(fault.starts_with("it continues line 1"), "{fault}");
        }
    }

    #[test]
    fn families_are_limited() {
        let mut chosen = Deduplicator::default();
        let family = "h2e2 h9g7 h0g2 i9h9";
        for (number, rest) in (1..).zip(["i0h0 b9c7", "b0c2 b9c7"]) {
            let moves = line(&format!("{family} {rest}"));
            assert_eq!(chosen.check(&moves, &CRITERIA), Ok(()));
            chosen.add(&moves, &CRITERIA, number);
        }
        let third = line(&format!("{family} a3a4 b9c7"));
        assert!(chosen.check(&mirrored(&third), &CRITERIA).unwrap_err().starts_with("more than 2 begin with the same"));
    }
}
