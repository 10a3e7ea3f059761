//! Depth-first proof-number search (df-pn) for a mate within a number of plies.
//!
//! A node is a position with the plies left, so the graph of the search has no cycles and its results depend on no
//! path. A position that is on the line already, with more plies left, is tried last.

use super::MAX_MATE_MOVES;
use super::draws::Draws;
use super::table::{Bounds, FOREVER, GREATEST, INFINITE, ProofTable};
use crate::position::{CheckSquares, Position};
use crate::tables::zobrist;
use crate::types::{Move, MoveList, Side};

/// Moves that the attacker may choose from: each proves a mate; only [`Attack::All`] refutes one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Attack {
    Checks,
    Threats,
    All,
}

impl Attack {
    /// All attacks, from the fewest moves to the most.
    pub const EACH: [Attack; 3] = [Attack::Checks, Attack::Threats, Attack::All];

    /// Returns the change of keys by which the entries of different attacks are kept apart.
    const fn salt(self) -> u64 {
        match self {
            Attack::Checks => 0x9e37_79b9_7f4a_7c15,
            Attack::Threats => 0x3c6e_f372_fe94_f82b,
            Attack::All => 0,
        }
    }
}

const BLACK_ATTACKS: u64 = 0xd1b5_4a32_d192_ed03;

/// Proof number of a position that is on the line already.
const REPEATED_PROOF: u32 = 1 << 20;

/// First proof number after a move that may threaten mate, which is not made before it is searched.
const QUIET_PROOF: u32 = 10;

const WINNERS: usize = 2;

/// Nodes to prove again what the table has lost.
const REPAIR_NODES: u64 = 1_000_000;

const NODES_PER_STOP_TEST: u64 = 1 << 10;

pub(super) struct Stopped;

pub(super) struct Search<'a> {
    /// With the moves of the current line made on it.
    pub position: &'a mut Position,
    pub table: &'a mut ProofTable,
    pub draws: &'a Draws,
    pub nodes: u64,
    pub max_nodes: u64,
    /// The nodes to prove again what the table has lost, for each move of a line.
    pub repair_nodes: u64,
    pub is_stopped: &'a dyn Fn() -> bool,
    children: Vec<(Move, Bounds)>,
    start: usize,
    /// Change of keys that keeps the attacks of both sides apart, since each is the defender in those of the other.
    attacker_salt: u64,
    /// The last moves of the attacker that mated, by the plies made: they often mate after other defences too.
    winners: [[Move; WINNERS]; 2 * MAX_MATE_MOVES],
}

/// Limits of the proof and the disproof number: a search ends when a number reaches its limit.
type MaxNumbers = [u32; 2];

impl<'a> Search<'a> {
    pub fn new(
        position: &'a mut Position,
        table: &'a mut ProofTable,
        draws: &'a Draws,
        is_stopped: &'a dyn Fn() -> bool,
    ) -> Search<'a> {
        Search {
            start: position.history().len(),
            attacker_salt: if position.side() == Side::Red { 0 } else { BLACK_ATTACKS },
            position,
            table,
            draws,
            nodes: 0,
            max_nodes: 0,
            repair_nodes: REPAIR_NODES,
            is_stopped,
            children: Vec::new(),
            winners: [[Move::NONE; WINNERS]; 2 * MAX_MATE_MOVES],
        }
    }

    /// Decides the current position, with the attacker to move, for `left` plies by `allowed` moves, or all if empty.
    pub fn decide(&mut self, left: u8, attack: Attack, allowed: &[Move]) -> Result<Bounds, Stopped> {
        let plies = self.position.history().len();
        let found = if allowed.is_empty() {
            self.search(left, attack, [INFINITE; 2], true)
        } else {
            // Not stored: other lines may lead here, where every move is allowed.
            self.attack_children(0, left, attack, [INFINITE; 2], allowed)
        };
        self.children.clear();
        while self.position.history().len() > plies {
            self.position.unmake();
        }
        found
    }

    /// Returns `true` if the table holds that the current position has no mate within `left` plies.
    pub fn is_refuted(&self, left: u8, attack: Attack) -> bool {
        self.table.probe(self.key() ^ attack.salt(), left).is_some_and(|bounds| bounds.is_safe())
    }

    /// Returns the smallest proved distance of a mate after a move, up to `left` plies.
    pub fn proved_after(&self, mv: Move, left: u8) -> Option<u8> {
        self.proved_after_by(&Attack::EACH, mv, left)
    }

    /// Returns the smallest proved distance of a mate by these attacks after a move, up to `left` plies.
    pub fn proved_after_by(&self, attacks: &[Attack], mv: Move, left: u8) -> Option<u8> {
        let key = self.child_key(mv);
        let probe = |attack: &Attack| self.table.probe(key ^ attack.salt(), left).filter(|bounds| bounds.is_won());
        attacks.iter().filter_map(probe).map(|bounds| bounds.plies).min()
    }

    /// Searches the current position, with the attacker or the defender to move, and stores its bounds.
    fn search(&mut self, left: u8, attack: Attack, max: MaxNumbers, attacks: bool) -> Result<Bounds, Stopped> {
        let (base, nodes) = (self.children.len(), self.nodes);
        let bounds = if attacks {
            self.attack_children(base, left, attack, max, &[])?
        } else {
            self.defend_children(base, left, attack, max)?
        };
        self.children.truncate(base);
        self.table.store(self.key() ^ attack.salt(), bounds, self.nodes - nodes);
        Ok(bounds)
    }

    fn attack_children(
        &mut self,
        base: usize,
        left: u8,
        attack: Attack,
        max: MaxNumbers,
        allowed: &[Move],
    ) -> Result<Bounds, Stopped> {
        let mut legal = self.position.legal_moves();
        if !allowed.is_empty() {
            legal.retain(|mv| allowed.contains(mv));
        }
        if self.draws.is_draw(self.position, !legal.is_empty()) {
            return Ok(Bounds::safe(FOREVER));
        }
        let check_squares = CheckSquares::new(self.position);
        let (checks, mut quiets): (MoveList, MoveList) =
            legal.iter().copied().partition(|&mv| check_squares.gives_check(self.position, mv));
        // There is no time to carry out a threat.
        let is_late = attack == Attack::Threats && left < 3;
        if is_late || attack == Attack::Checks {
            quiets.clear();
        }
        let mut safe = if is_late { 0 } else { FOREVER };
        for (moves, is_check) in [(&checks, true), (&quiets, false)] {
            for &mv in moves {
                let bounds = self.after_attack(mv, left - 1, attack, is_check)?;
                if bounds.is_won() {
                    return Ok(Bounds::won(bounds.plies + 1));
                }
                if bounds.is_safe() {
                    safe = safe.min(bounds.plies);
                } else {
                    self.children.push((mv, bounds));
                }
            }
        }
        self.search_children(base, left, attack, max, true, safe)
    }

    fn defend_children(&mut self, base: usize, left: u8, attack: Attack, max: MaxNumbers) -> Result<Bounds, Stopped> {
        let legal = self.position.legal_moves();
        if let Some(bounds) = self.end(!legal.is_empty(), left) {
            return Ok(bounds);
        }
        let is_check = self.position.in_check();
        if attack == Attack::Threats && !is_check {
            // A move that threatens nothing is not searched further.
            let pass = self.pass(left - 1, max)?;
            if pass.is_safe() {
                return Ok(Bounds::safe(one_more(pass.plies)));
            }
            if !pass.is_won() {
                return Ok(Bounds::open(pass.proof.saturating_add(QUIET_PROOF), pass.disproof));
            }
        }
        let mut longest = 0;
        for &mv in &legal {
            let bounds = self.after_defence(mv, left - 1, attack, is_check)?;
            if bounds.is_safe() {
                return Ok(Bounds::safe(one_more(bounds.plies)));
            }
            if bounds.is_won() {
                longest = longest.max(bounds.plies);
            } else {
                self.children.push((mv, bounds));
            }
        }
        self.search_children(base, left, attack, max, false, longest)
    }

    /// Follows the best of the undecided children until the node is decided or a number reaches its limit. `distance`
    /// is the least one within which a child is safe from the attacker, or the greatest of a mate after a defence.
    fn search_children(
        &mut self,
        base: usize,
        left: u8,
        attack: Attack,
        max: MaxNumbers,
        attacks: bool,
        mut distance: u8,
    ) -> Result<Bounds, Stopped> {
        // The attacker minimises the first number, the defender the second; the other one is summed up.
        let order = |[proof, disproof]: [u32; 2]| if attacks { [proof, disproof] } else { [disproof, proof] };
        let [max_least, max_sum] = order(max);
        loop {
            let numbers = |bounds: &Bounds| order([bounds.proof, bounds.disproof]);
            let Some(choice) = Choice::new(&self.children[base..], numbers) else {
                return Ok(if attacks { Bounds::safe(one_more(distance)) } else { Bounds::won(distance + 1) });
            };
            if choice.least >= max_least || choice.sum >= max_sum {
                let [proof, disproof] = order([choice.least, choice.sum]);
                return Ok(Bounds::open(proof, disproof));
            }
            let (mv, _) = self.children[base + choice.index];
            self.make(mv)?;
            let max = order([choice.limit_of_least(max_least), choice.limit_of_sum(max_sum)]);
            let mut found = self.search(left - 1, attack, max, !attacks)?;
            self.position.unmake();
            match (found.is_won(), found.is_safe()) {
                (true, _) if attacks => {
                    self.remember_winner(mv);
                    return Ok(Bounds::won(found.plies + 1));
                }
                (_, true) if !attacks => return Ok(Bounds::safe(one_more(found.plies))),
                (false, false) => {
                    self.postpone_repetition(mv, &mut found);
                    self.children[base + choice.index].1 = found;
                }
                _ => {
                    distance = if attacks { distance.min(found.plies) } else { distance.max(found.plies) };
                    self.children.swap_remove(base + choice.index);
                }
            }
        }
    }

    fn winners(&mut self) -> &mut [Move; WINNERS] {
        &mut self.winners[self.position.history().len() - self.start]
    }

    fn remember_winner(&mut self, mv: Move) {
        let winners = self.winners();
        if winners[0] != mv {
            winners.rotate_right(1);
            winners[0] = mv;
        }
    }

    /// Searches for a mate by checks after a null move of the defender, who is not in check.
    fn pass(&mut self, left: u8, max: MaxNumbers) -> Result<Bounds, Stopped> {
        let salt =
            self.attacker_salt ^ self.draws.salt(self.position.plies_since_capture() + 1) ^ Attack::Checks.salt();
        let known = self.table.probe(self.position.key() ^ zobrist::black_to_move() ^ salt, left);
        if let Some(bounds) = known
            && (bounds.is_decided() || bounds.proof >= max[0] || bounds.disproof >= max[1])
        {
            return Ok(bounds);
        }
        self.position.make_null(&mut ());
        let found = self.search(left, Attack::Checks, max, true)?;
        self.position.unmake();
        Ok(found)
    }

    fn after_attack(&mut self, mv: Move, left: u8, attack: Attack, is_check: bool) -> Result<Bounds, Stopped> {
        let key = self.child_key(mv);
        let is_winner = self.winners().contains(&mv);
        let mut bounds = match self.probe(key, left, attack, is_check) {
            Some(bounds) => bounds,
            None if !is_check && left > 0 && attack == Attack::Threats => {
                Bounds::open(if is_winner { 1 } else { QUIET_PROOF }, 1)
            }
            None => {
                self.make(mv)?;
                // The fewer replies, the closer the mate: that leads endings by zugzwang too.
                let replies = self.position.legal_moves().len();
                let proof = if is_winner { 1 } else { replies as u32 };
                let bounds = self.end(replies > 0, left).unwrap_or_else(|| Bounds::open(proof, 1));
                self.position.unmake();
                if left > 0 {
                    self.table.store(key ^ attack.salt(), bounds, 1);
                }
                bounds
            }
        };
        self.postpone_repetition(mv, &mut bounds);
        Ok(bounds)
    }

    /// Returns the first bounds of the position after a move of the defender, who was in check or not.
    fn after_defence(&mut self, mv: Move, left: u8, attack: Attack, was_check: bool) -> Result<Bounds, Stopped> {
        if self.draws.excludes(self.position.key_after(mv)) {
            return Ok(Bounds::safe(FOREVER));
        }
        let key = self.child_key(mv);
        let mut bounds = match self.probe(key, left, attack, was_check) {
            Some(bounds) => bounds,
            None if attack == Attack::Checks => {
                self.make(mv)?;
                let legal = self.position.legal_moves();
                let check_squares = CheckSquares::new(self.position);
                let checks = legal.iter().filter(|&&mv| check_squares.gives_check(self.position, mv)).count();
                self.position.unmake();
                let bounds = if checks == 0 { Bounds::safe(FOREVER) } else { Bounds::open(1, checks as u32) };
                self.table.store(key ^ attack.salt(), bounds, 1);
                bounds
            }
            None => Bounds::open(1, 1),
        };
        self.postpone_repetition(mv, &mut bounds);
        Ok(bounds)
    }

    /// Returns the bounds of the current position, with the defender to move, if it needs no search.
    fn end(&self, has_move: bool, left: u8) -> Option<Bounds> {
        if self.draws.is_draw(self.position, has_move) || self.draws.excludes(self.position.key()) {
            Some(Bounds::safe(FOREVER))
        } else if !has_move {
            Some(Bounds::won(0))
        } else {
            (left == 0).then_some(Bounds::safe(0))
        }
    }

    fn probe(&self, key: u64, left: u8, attack: Attack, by_checks: bool) -> Option<Bounds> {
        let found = self.table.probe(key ^ attack.salt(), left);
        if by_checks && attack != Attack::Checks && found.is_none_or(|bounds| !bounds.is_decided()) {
            let won = self.table.probe(key ^ Attack::Checks.salt(), left).filter(|bounds| bounds.is_won());
            return won.or(found);
        }
        found
    }

    fn postpone_repetition(&self, mv: Move, bounds: &mut Bounds) {
        if !bounds.is_decided() && self.is_on_line(self.position.key_after(mv)) {
            bounds.proof = bounds.proof.max(REPEATED_PROOF);
        }
    }

    /// Tells whether the position after the next move has occurred since the last capture or null move.
    fn is_on_line(&self, key: u64) -> bool {
        let history = self.position.history();
        let reversible = self.position.reversible_plies().min(history.len());
        // The shortest cycle has four plies: both sides move and return.
        history[history.len() - reversible..].iter().rev().skip(2).step_by(2).any(|played| played.key == key)
    }

    fn make(&mut self, mv: Move) -> Result<(), Stopped> {
        if self.nodes >= self.max_nodes || (self.nodes.is_multiple_of(NODES_PER_STOP_TEST) && (self.is_stopped)()) {
            return Err(Stopped);
        }
        self.nodes += 1;
        self.position.make(mv);
        Ok(())
    }

    fn key(&self) -> u64 {
        self.position.key() ^ self.attacker_salt ^ self.draws.salt(self.position.plies_since_capture())
    }

    fn child_key(&self, mv: Move) -> u64 {
        let is_capture = self.position.piece_on(mv.to()).is_some();
        let plies = if is_capture { 0 } else { self.position.plies_since_capture() + 1 };
        self.position.key_after(mv) ^ self.attacker_salt ^ self.draws.salt(plies)
    }
}

const fn one_more(plies: u8) -> u8 {
    if plies >= FOREVER { FOREVER } else { plies + 1 }
}

/// Choice of the next child: the one with the least number of its kind.
struct Choice {
    index: usize,
    least: u32,
    /// The next greater or equal number of another child.
    second: u32,
    /// Number of the other kind: the greatest, and one for each other child, as a sum counts transpositions twice.
    sum: u32,
    others: u32,
}

impl Choice {
    /// Chooses among undecided children; `numbers` returns the number to minimise and the one to sum up.
    #[inline]
    fn new(children: &[(Move, Bounds)], numbers: impl Fn(&Bounds) -> [u32; 2]) -> Option<Choice> {
        let (mut index, mut least, mut second, mut greatest) = (0, INFINITE, INFINITE, 0);
        for (at, (_, bounds)) in children.iter().enumerate() {
            let [minimised, summed] = numbers(bounds);
            greatest = greatest.max(summed);
            if minimised < least {
                (index, least, second) = (at, minimised, least);
            } else {
                second = second.min(minimised);
            }
        }
        let others = children.len().checked_sub(1)? as u32;
        Some(Choice { index, least, second, sum: (greatest + others).min(GREATEST), others })
    }

    /// Returns the limit up to which the child stays the best choice, with some allowance against changing to and fro.
    fn limit_of_least(&self, limit: u32) -> u32 {
        limit.min(self.second.saturating_add(1 + self.second / 4))
    }

    fn limit_of_sum(&self, limit: u32) -> u32 {
        if limit >= INFINITE { INFINITE } else { limit - self.others }
    }
}
