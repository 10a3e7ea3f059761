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

use crate::common::data::moves;
use crate::common::sparse::{MAJORS, OTHERS, add, random_position, random_side};
use crate::model::{Board, Point, Step};

const MOST_TRIES: usize = 120;
const MOST_BOARDS: usize = 10;
const VARIATIONS: usize = 4;

/// Cycles, and positions they are played from, whose verdict hangs on something that hardly ever happens by chance.
const RARE: [(&str, &str); 52] = [
    // Both sides check all the time.
    ("3kra1P1/4c4/2c3C2/9/9/1r2N3P/6R2/3CK4/9/5A3 w", "e4d6 e8d8 d6e4 d8e8"),
    ("9/9/2n1kr2P/2p2c3/2P4r1/4R4/9/2pA1K3/9/1p2C4 b", "f6e6 e4f4 e6f6 f4e4"),
    ("3Pc4/3ka4/9/2r1C2P1/3R5/9/1r7/9/3NK1p2/1p2N4 b", "e8d7 e6d6 d7e8 d6e6"),
    ("2Ck1c3/9/5a3/5c3/9/2n2R3/9/9/N2CAK3/9 w", "f4d4 f6d6 d4f4 d6f6"),
    ("5k2N/1R7/b7c/4r4/4c4/6B2/4N4/9/7n1/4KC3 w", "e3f1 e5f5 f1e3 f5e5"),
    ("3r5/3c1k3/3n5/9/9/9/3C5/9/3KC4/4pR3 b", "d7f6 d3f3 f6d7 f3d3"),
    ("9/3r5/4k4/2rc5/2b6/4N4/9/1n2C4/9/3K5 b", "d6e6 e4d2 e6d6 d2e4"),
    ("9/7c1/4kr2b/5c3/4N4/R8/9/4C3B/9/1n3K3 b", "f6e6 e5f3 e6f6 f3e5"),
    ("3a1n3/3rP4/4kC3/4c4/9/8R/9/7pn/4A4/3KCA3 w", "e1d2 e6d6 d2e1 d6e6"),
    ("2b1k4/9/9/9/9/5p3/9/B2K3c1/4n4/2B1CA3 b", "e1g2 c0e2 g2e1 e2c0"),
    // Both sides chase all the time.
    ("2c1Ra2c/5k3/9/6C2/CPb2n3/9/3r5/3AK4/9/2N6 w", "g6g9 f9e8 g9g6 e8f9"),
    ("2P1k4/4C4/9/3c2r2/5P3/4r4/9/9/4A4/3K5 w", "f5e5 d6e6 e5f5 e6d6"),
    ("c2P5/5k3/9/2C6/2r1p4/2r3B2/8C/R8/n3K4/9 b", "c5a5 i3a3 a5c5 a3i3"),
    ("4k3c/c8/8b/5r3/9/2N6/R7N/p8/9/3K2B2 b", "f6a6 c4a5 a6f6 a5c4"),
    ("9/9/1n3k3/4n4/4R1b2/1C3p3/6r2/5A1p1/4cK3/9 b", "g3e3 b4e4 e3g3 e4b4"),
    ("3akC3/4nr3/2c6/4p4/9/5R3/5C3/8B/5K3/2R6 b", "e8f6 f4i4 f6e8 i4f4"),
    ("3k4c/9/9/3C4n/9/2B1r1B1C/9/3A5/3K5/9 b", "i6h4 g4i2 h4i6 i2g4"),
    ("9/N2k4r/br2P4/6p2/1Pb6/4R1n2/9/9/4A4/4K4 b", "g4f6 e4f4 f6d5 f4f5 d5e3 f5e5 e3g4 e5e4"),
    ("5c2r/4an2R/4k4/9/3n4P/1R5C1/9/9/4C4/2p1K4 w", "b4b5 d5c3 b5c5 c3a4 c5c4 a4b6 c4b4 b6d5"),
    ("9/c2k4P/6N2/2P6/6r2/9/9/9/4K4/8n w", "g7i6 g5g6 i6h4 g6h6 h4f5 h6h5 f5g7 h5g5"),
    // A pawn at home is attacked.
    ("R4NP2/9/b4k2c/9/4p4/9/9/9/2nK5/4C4 w", "d1e1 c1e2 e1d1 e2c1"),
    ("5k3/P3n4/8b/9/4CN2p/9/3p5/9/9/3K5 b", "i7g5 f5e7 g5i7 e7f5"),
    ("5Cb2/9/4k4/4p3R/9/2c1n1P2/9/4K4/2rr5/3N4N w", "f9f4 e4d2 f4f9 d2e4 f9f4 e4d2 f4f9 d2e4"),
    ("4k4/5C3/9/4rC1n1/7N1/1c4P1P/9/3A5/1N7/5K3 b", "e6e4 f6f4 e4e6 f4f6"),
    // An advisor or an elephant attacks a protected piece.
    ("2b1k4/4a2P1/3R1C3/9/5c3/p8/5c3/9/9/4K4 b", "c9e7 d7a7 e7c9 a7d7"),
    ("5kb2/9/4b4/5n3/5P1R1/7C1/4P4/9/9/3Kc4 w", "h5g5 f6d5 g5h5 d5f6"),
    ("9/4k4/1N7/1P7/3R5/2P3r2/9/6p2/3RAc1C1/3K5 w", "e1d2 f1f2 d2e1 f2f1"),
    ("4c4/3k5/5n3/3C5/9/9/2C6/r2A1n3/9/3K5 w", "d2e1 f2d1 e1d2 d1f2"),
    ("9/1c7/4k4/5n3/9/4rp3/3C5/4BR3/9/3K5 w", "d3f3 f6g4 f3d3 g4f6"),
    // A horse attacks a horse that cannot take back, its leg being blocked.
    ("2R6/4kn3/3N4r/9/6b2/5NB1n/4P4/5c3/9/3A1K3 w", "f4e6 f8g6 e6f4 g6f8"),
    ("9/n4k3/4N4/6r2/9/4P4/9/4c1N2/5n3/3R1K3 w", "g2e3 g6f6 e3g2 f6g6"),
    ("2b1k4/1c7/9/4C4/7N1/5nP2/9/5p1r1/4A4/2B1K1p2 b", "f4g6 h5f6 g6f4 f6h5"),
    ("5k3/9/9/9/4n4/9/4N4/3N5/4R4/4K4 w", "e3d5 e5g4 e1g1 g4e5 g1e1 e5f3 d5e3 f3e5"),
    ("4k4/7Rr/5a3/9/3P3R1/3C4p/9/9/2cNA4/1n1cK1B2 w", "d1c3 d0c0 c3d1 c0d0"),
    // A pinned piece is attacked by one of his kind.
    ("3kr4/1r2R4/9/9/9/9/2p4n1/9/9/1p2K4 w", "e8e5 b8b5 e5e1 b5b1 e1e8 b1b8"),
    ("9/5k3/2Pn5/9/5r3/9/2P5p/6c2/R4r3/3K1C3 b", "f1f2 a1a2 f2f1 a2a1"),
    ("2b2c3/5k3/1R2r4/9/9/9/4c4/1r3C3/2n2K3/1p7 w", "f2f5 b2b5 f5f2 b5b2"),
    ("9/3k5/7r1/9/5Cc2/3CP4/9/9/3KN4/2R2A3 b", "g5g4 d4d5 g4g5 d5d4"),
    ("8n/4kc3/4rR3/2p6/9/9/9/5A3/9/n4K3 w", "f7f4 e7e4 f4f6 e4e6 f6f7 e6e7"),
    // The attacker is pinned, or its own king lies open after the capture.
    ("9/3k1r3/2C1r4/9/5P1N1/9/9/5C3/9/1n3K1R1 b", "e7f7 f5g5 f7e7 g5f5"),
    ("1P2rk3/7C1/9/9/3r5/4C1B2/p8/4K1p2/3n5/9 w", "h8e8 d5e5 e8h8 e5d5"),
    ("3k5/P8/5r3/9/3N1r3/9/2p2C1p1/5K2p/6n2/9 b", "f7d7 d5f6 d7f7 f6d5"),
    ("5k2P/9/9/1N3r3/9/2r6/5R3/9/9/4K4 b", "c4f4 b6c8 f4c4 c8b6 c4c6 b6a4 c6c4 a4b6"),
    ("9/4k4/9/N8/2b1rC3/p5B2/2c6/5n3/5K3/4R2r1 w", "f5f6 e5e6 f6f5 e6e5"),
    ("3a5/4k4/4nC2C/2R6/9/2n6/9/6p2/4K4/8R b", "c4e3 c6d6 e3c4 d6c6"),
    ("C3k4/n2R5/9/5c3/4N4/9/9/4K4/9/9 w", "d8d6 f6f7 d6d7 f7f8 d7d8 f8f6"),
    ("9/3k5/1n6c/9/6bP1/8P/r1PC5/9/9/3Kc4 b", "a3a7 d3d7 a7a3 d7d3"),
    ("3k5/5CP2/c8/3N5/4n4/9/R8/9/N2K5/9 b", "a7i7 a3i3 i7b7 i3d3 b7a7 d3a3"),
    ("2bk5/9/3r5/9/9/3c5/9/3K5/4A2rR/9 b", "d7e7 e1d0 e7d7 d0e1"),
    ("2P1k4/4C4/9/3c2r2/4P4/4r4/9/4C4/4A4/3K5 b", "d6e6 e5f5 e6d6 f5e5"),
    ("2P1k4/4C4/9/3c2r2/5P3/4r4/9/4C4/4A4/3K5 w", "f5e5 d6e6 e5f5 e6d6"),
    // With every move Red chases a cannon, but the cannons have changed places when the board is the same again.
    ("5k3/5n3/R8/9/4c2c1/9/5R3/9/9/3K5 w", "a7a5 e5e7 f3e3 h5e5 a5a7 e7h7 e3f3 h7h5"),
];

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
    let &(fen, lap) = RARE.choose(random)?;
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
