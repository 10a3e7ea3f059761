//! Finding the positions of a book whose keys do not tell them.

use std::collections::{BTreeMap, HashSet, VecDeque};

use super::{ForeignBook, ForeignMove};
use crate::book::{Entry, MOST_GAMES, Record, Statistics, weigh};
use crate::position::Position;
use crate::types::Move;

/// How far a walk may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Moves up to this ply of a game are looked for.
    pub plies: usize,
    /// No more positions are looked into.
    pub positions: u32,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { plies: 400, positions: 5_000_000 }
    }
}

/// What a walk found.
#[derive(Clone, PartialEq, Debug)]
pub struct Walked {
    /// The moves, sorted as in a book.
    pub records: Vec<Record>,
    /// How many moves of the other book were found.
    pub found: usize,
    /// There were more positions than the walk was to look into.
    pub is_cut_off: bool,
}

/// A position that the walk comes to, as the move that leads there.
struct Step {
    /// The number of the step before; none for a first move.
    before: Option<u32>,
    mv: Move,
    plies: u32,
}

/// Looks for the moves of a book in the game tree, those of shorter lines first.
///
/// In each position that it comes to it follows the moves of the book, and every other legal move that leads to a
/// position of the book: books may lack the moves of one side. Positions that are reflections of each other are one. A
/// move that the book has more than once there keeps the largest of its weights and counts of games. Weights are those
/// of the book; where all moves of a position have games they are told from those ([`weigh`]).
///
/// Where keys have 32 bits, some of the many positions that are tried have the key of another one by chance: of a
/// million, with ten thousand keys and each position tried both ways, about five. They are taken for known if a move
/// that stands there happens to be legal.
pub fn walk(book: &ForeignBook, bounds: Bounds) -> Walked {
    let start = Position::start();
    let mut seen = HashSet::from([Entry::of(&start).key]);
    let mut steps: Vec<Step> = Vec::new();
    let mut open: VecDeque<Option<u32>> = VecDeque::from([None]);
    let mut found = vec![false; book.len()];
    let (mut records, mut is_cut_off) = (Vec::new(), false);
    while let Some(step) = open.pop_front() {
        let plies = step.map_or(0, |step| steps[step as usize].plies);
        if plies as usize >= bounds.plies {
            continue;
        }
        let mut position = reached(&start, &steps, step);
        let known = book.moves_of(&position);
        known.iter().for_each(|(number, _)| found[*number] = true);
        records.extend(records_of(&position, known.iter().map(|(_, known)| known)));
        for mv in position.legal_moves() {
            let is_known = known.iter().any(|(_, known)| known.mv == mv);
            position.make(mv);
            let key = Entry::of(&position).key;
            if (is_known || book.has_key_of(&position)) && !seen.contains(&key) {
                // The start of the game is no step.
                let number = steps.len() as u32;
                if number + 1 < bounds.positions {
                    seen.insert(key);
                    open.push_back(Some(number));
                    steps.push(Step { before: step, mv, plies: plies + 1 });
                } else {
                    is_cut_off = true;
                }
            }
            position.unmake();
        }
    }
    records.sort_unstable_by_key(Record::order);
    Walked { records, found: found.into_iter().filter(|found| *found).count(), is_cut_off }
}

/// The position that a step leads to.
fn reached(start: &Position, steps: &[Step], step: Option<u32>) -> Position {
    let numbers: Vec<u32> = std::iter::successors(step, |&number| steps[number as usize].before).collect();
    let mut position = start.clone();
    numbers.iter().rev().for_each(|&number| position.make(steps[number as usize].mv));
    position
}

/// The moves of a position as a book of Chuhe holds them.
fn records_of<'a>(position: &Position, known: impl Iterator<Item = &'a ForeignMove>) -> Vec<Record> {
    let entry = Entry::of(position);
    let mut moves: BTreeMap<(usize, usize), Record> = BTreeMap::new();
    for known in known {
        let mv = entry.to_book(known.mv);
        let record = moves.entry((mv.from().index(), mv.to().index())).or_insert(Record {
            key: entry.key,
            mv,
            statistics: Statistics::default(),
            weight: 0,
            delta: 0,
            is_verified: false,
        });
        let larger = |one: u32, other: u32| one.max(other).min(MOST_GAMES);
        record.weight = record.weight.max(known.weight);
        record.statistics = Statistics {
            wins: larger(record.statistics.wins, known.statistics.wins),
            draws: larger(record.statistics.draws, known.statistics.draws),
            losses: larger(record.statistics.losses, known.statistics.losses),
        };
    }
    let mut records: Vec<Record> = moves.into_values().collect();
    if records.iter().all(|record| record.statistics.games() > 0) {
        weigh(&mut records);
    }
    records
}
