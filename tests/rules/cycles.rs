//! Random repetitions: sparse boards, and cycles of legal moves that lead back to the first position. Blindly drawn
//! cycles are nearly all draws, so most are searched for with a demand on one side or on both, such as that every move
//! of Red newly threatens some piece, as the model sees it.

use std::collections::BTreeSet;

use chuhe::counting::Placement;
use chuhe::position::Position;
use chuhe::types::{Move, Side};
use rand::seq::{IndexedRandom, IteratorRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::data::{lines, moves};
use crate::common::sparse::{MAJORS, OTHERS, add, random_position, random_side};
use crate::model::{Board, Point, Step};

const MOST_TRIES: usize = 120;
const MOST_BOARDS: usize = 10;
const VARIATIONS: usize = 4;

/// Cycles whose verdict hangs on something that hardly ever happens by chance.
const RARE: &str = include_str!("../data/rare_cycles.tsv");

pub struct Cycle {
    pub fen: String,
    pub lap: Vec<Move>,
}

fn step(mv: Move) -> Step {
    Step { from: Point::of(mv.from()), to: Point::of(mv.to()) }
}

impl Cycle {
    pub fn position(&self) -> Position {
        Position::from_fen(&self.fen).unwrap_or_else(|error| panic!("{}: {error}", self.fen))
    }

    pub fn after_laps(&self, laps: usize) -> Position {
        let mut position = self.position();
        (0..laps).flat_map(|_| &self.lap).for_each(|&mv| position.make(mv));
        position
    }

    /// The moves of two cycles: all that happens between the first and the third occurrence.
    pub fn window(&self) -> Vec<Step> {
        self.lap.iter().chain(&self.lap).map(|&mv| step(mv)).collect()
    }

    pub fn rotated(&self) -> Cycle {
        let mut position = self.position();
        position.make(self.lap[0]);
        let mut lap = self.lap.clone();
        lap.rotate_left(1);
        Cycle { fen: position.to_string(), lap }
    }

    pub fn mirrored(&self) -> Cycle {
        let lap = self.lap.iter().map(|mv| mv.mirrored()).collect();
        Cycle { fen: self.position().mirrored().to_string(), lap }
    }

    pub fn colour_flipped(&self) -> Cycle {
        let lap = self.lap.iter().map(|mv| mv.flipped()).collect();
        Cycle { fen: self.position().colour_flipped().to_string(), lap }
    }

    /// The same moves on a board with one piece more or one less, if they can still be played there.
    fn varied(&self, random: &mut ChaCha8Rng) -> Option<Cycle> {
        let side = self.position().side();
        let mut placement = Placement::from_position(&self.position());
        match random.random_range(0..4) {
            0 | 1 => add(&mut placement, random_side(random), *MAJORS.choose(random)?, random),
            2 => add(&mut placement, random_side(random), *OTHERS.choose(random)?, random),
            _ => {
                let (_, square) = placement.pieces().choose(random)?;
                placement.put(square, None);
            }
        }
        let mut position = placement.position(side).ok()?;
        let fen = position.to_string();
        for &mv in &self.lap {
            if position.piece_on(mv.to()).is_some() || !position.can_play(mv) {
                return None;
            }
            position.make(mv);
        }
        Some(Cycle { fen, lap: self.lap.clone() })
    }
}

pub fn cycles(seed: u64, wanted: usize) -> Vec<Cycle> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut cycles = Vec::new();
    while cycles.len() < wanted {
        let found = if random.random_range(0..12) == 0 { rare(&mut random) } else { sought(&mut random) };
        let Some(cycle) = found else { continue };
        // The offender may be the side to move or the other one.
        let cycle = if random.random() { cycle.rotated() } else { cycle };
        // One piece more or less is often what a verdict hangs on.
        let variations: Vec<Cycle> = (0..VARIATIONS).filter_map(|_| cycle.varied(&mut random)).collect();
        cycles.push(cycle);
        cycles.extend(variations);
    }
    cycles.truncate(wanted);
    cycles
}

fn rare(random: &mut ChaCha8Rng) -> Option<Cycle> {
    let (fen, lap) = lines(RARE).collect::<Vec<_>>().choose(random)?.split_once('\t')?;
    Some(Cycle { fen: fen.to_owned(), lap: moves(lap) })
}

fn sought(random: &mut ChaCha8Rng) -> Option<Cycle> {
    // There and back, or a triangle, which only rooks and cannons find.
    let moves = if random.random_range(0..3) == 0 { 3 } else { 2 };
    let demands = match random.random_range(0..20) {
        0..4 => [Demand::Nothing, Demand::Nothing],
        4..7 => [Demand::Check, Demand::Nothing],
        7..11 => [Demand::Chase, Demand::Nothing],
        11..17 => [Demand::Aim, Demand::Nothing],
        17 => [Demand::Check, Demand::Chase],
        18 => [Demand::Aim, Demand::Aim],
        _ => [Demand::Chase, Demand::Chase],
    };
    (0..MOST_BOARDS).find_map(|_| {
        let position = random_position(random);
        let (fen, board) = (position.to_string(), Board::read(&position.to_string()));
        let (chased, lap) = ([None, None], Vec::new());
        let mut search = LapSearch { position, board, moves, demands, chased, lap, tries: 0, random };
        search.extend().then_some(Cycle { fen, lap: search.lap })
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Demand {
    Nothing,
    Check,
    /// Threaten one piece again, always the same piece, without a check.
    Chase,
    /// The same with captures of any kind, threats or not: nearly a chase.
    Aim,
}

/// A search for a cycle by random trial and retreat, in which each side moves one piece.
struct LapSearch<'a> {
    position: Position,
    board: Board,
    moves: usize,
    /// Demands on the side that begins and on the other.
    demands: [Demand; 2],
    /// Whom each side has chased with all of its moves so far; nothing is known before its first.
    chased: [Option<BTreeSet<u8>>; 2],
    lap: Vec<Move>,
    tries: usize,
    random: &'a mut ChaCha8Rng,
}

impl LapSearch<'_> {
    fn extend(&mut self) -> bool {
        let turn = self.lap.len() % 2;
        if self.lap.len() == 2 * self.moves {
            return true;
        }
        let (board, chased) = (self.board, self.chased[turn].clone());
        let old_victims = self.victims(self.position.side(), self.demands[turn]);
        for mv in self.candidates() {
            self.tries += 1;
            if self.tries > MOST_TRIES {
                return false;
            }
            self.position.make(mv);
            self.board = board.after(step(mv));
            self.lap.push(mv);
            if self.is_demand_met(&old_victims) && self.extend() {
                return true;
            }
            self.lap.pop();
            self.board = board;
            self.position.unmake();
            self.chased[turn].clone_from(&chased);
        }
        false
    }

    fn victims(&self, side: Side, demand: Demand) -> BTreeSet<u8> {
        match demand {
            Demand::Nothing | Demand::Check => BTreeSet::new(),
            Demand::Chase => self.board.victims(&self.board.threats(side)),
            Demand::Aim => self.board.victims(&self.board.aims(side)),
        }
    }

    /// Tells whether the move just made does what it must. Remembers whom it chases.
    fn is_demand_met(&mut self, old_victims: &BTreeSet<u8>) -> bool {
        let turn = (self.lap.len() - 1) % 2;
        let demand = self.demands[turn];
        match demand {
            Demand::Nothing => true,
            Demand::Check => self.position.in_check(),
            Demand::Chase | Demand::Aim => {
                let mut victims = &self.victims(!self.position.side(), demand) - old_victims;
                if let Some(chased) = &self.chased[turn] {
                    victims = &victims & chased;
                }
                let is_met = !victims.is_empty() && !self.position.in_check();
                self.chased[turn] = Some(victims);
                is_met
            }
        }
    }

    /// The quiet moves of a side's piece, of which the last goes home, in random order but often with those of chased
    /// pieces first.
    fn candidates(&mut self) -> Vec<Move> {
        let turn = self.lap.len() % 2;
        let own_moves: Vec<Move> = self.lap.iter().copied().skip(turn).step_by(2).collect();
        let is_last = own_moves.len() + 1 == self.moves;
        let fits = |mv: Move| match (own_moves.first(), own_moves.last()) {
            (Some(first), Some(last)) => mv.from() == last.to() && (mv.to() == first.from()) == is_last,
            _ => true,
        };
        let mut moves: Vec<Move> = self.position.legal_moves().to_vec();
        moves.retain(|&mv| self.position.piece_on(mv.to()).is_none() && fits(mv));
        // The cycle does not depend on the order of generation.
        moves.sort_unstable_by_key(|mv| mv.bits());
        moves.shuffle(self.random);
        if self.random.random_range(0..4) > 0
            && let Some(chased) = &self.chased[1 - turn]
        {
            moves.sort_by_key(|mv| !chased.contains(&self.board.number_on(Point::of(mv.from()))));
        }
        moves
    }
}
