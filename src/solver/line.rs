//! Line of a proved mate, read from the proof table.

use super::search::{Attack, Search};
use crate::types::Move;

/// Nodes of each attempt to find a faster mate after a defence.
const TIGHTENING_NODES: u64 = 2_000;

const TIGHTENINGS: usize = 8;

impl Search<'_> {
    /// Returns the line of a mate within `left` plies that `attack` has proved, up to the last move: the fastest attack
    /// against the longest defence, as far as distances are known. `None` if a part of the proof was replaced in the
    /// table and could not be found again.
    pub fn line(&mut self, left: u8, attack: Attack, allowed: &[Move]) -> Option<Vec<Move>> {
        let plies = self.position.history().len();
        let found = self.append_line(left, attack, allowed);
        let line = self.position.history()[plies..].iter().map(|played| played.mv).collect();
        while self.position.history().len() > plies {
            self.position.unmake();
        }
        found.map(|()| line)
    }

    /// Returns the plies within which the mate of a line found by [`Search::line`] is proved, at most `left`: finding
    /// the line may have proved faster mates after its first move, or after every reply to it. Of a mate by checks only
    /// other mates by checks count.
    pub fn line_distance(&mut self, line: &[Move], left: u8, attack: Attack) -> u8 {
        let [first, _, ..] = *line else { return 1 };
        let attacks = if attack == Attack::Checks { &[Attack::Checks][..] } else { &Attack::EACH };
        let after_first = self.proved_after_by(attacks, first, left - 1).unwrap_or(left - 1);
        let after_replies = self.with_move(first, |search| {
            let replies = search.position.legal_moves();
            let mut distances = replies.iter().map(|&mv| search.proved_after_by(attacks, mv, left - 2));
            distances.try_fold(0, |longest: u8, distance| Some(longest.max(distance?)))
        });
        let after_first = after_replies.map_or(after_first, |distance| after_first.min(distance + 1));
        (after_first + 1).max(line.len() as u8)
    }

    /// Returns whether a mate within `left` plies, whose line [`Search::line`] found, is one by checks whatever the
    /// defence: the line follows the fastest known moves, and those may be quiet.
    pub fn is_by_checks(&mut self, line: &[Move], left: u8) -> bool {
        let mut position = self.position.clone();
        for (index, &mv) in line.iter().enumerate() {
            if index.is_multiple_of(2) && !position.gives_check(mv) {
                return false;
            }
            position.make(mv);
        }
        line.len() == 1 || self.prove_again(left, Attack::Checks, &line[..1]).is_some()
    }

    fn append_line(&mut self, mut left: u8, attack: Attack, mut allowed: &[Move]) -> Option<()> {
        loop {
            let (mv, distance) = match self.fastest(left - 1, allowed) {
                Some(found) => found,
                None => self.prove_again(left, attack, allowed).and_then(|_| self.fastest(left - 1, allowed))?,
            };
            self.position.make(mv);
            if !self.position.has_legal_move() {
                return Some(());
            }
            let (mv, distance) = self.longest(distance, attack)?;
            self.position.make(mv);
            (left, allowed) = (distance, &[]);
        }
    }

    /// Returns the move of the attacker after which the mate takes the fewest plies, at most `left`.
    pub fn fastest(&mut self, left: u8, allowed: &[Move]) -> Option<(Move, u8)> {
        let mut legal = self.position.legal_moves();
        legal.retain(|mv| allowed.is_empty() || allowed.contains(mv));
        for &mv in &legal {
            self.position.make(mv);
            let is_mate = !self.position.has_legal_move() && !self.draws.is_draw(self.position, false);
            self.position.unmake();
            if is_mate {
                return Some((mv, 0));
            }
        }
        let known = legal.iter().filter_map(|&mv| Some((mv, self.proved_after(mv, left)?)));
        known.min_by_key(|&(_, distance)| distance)
    }

    /// Returns the move of the defender after which the mate takes the most plies, at most `left` with the move.
    fn longest(&mut self, left: u8, attack: Attack) -> Option<(Move, u8)> {
        let mut distances = Vec::new();
        for mv in self.position.legal_moves() {
            let distance = match self.proved_after(mv, left - 1) {
                Some(distance) => distance,
                None => self.with_move(mv, |search| search.prove_again(left - 1, attack, &[]))?,
            };
            distances.push((mv, distance));
        }
        // Distances are upper bounds: the longest may be due to a slow mate.
        for _ in 0..TIGHTENINGS {
            let longest = distances.iter_mut().max_by_key(|(_, distance)| *distance)?;
            if longest.1 < 3 || (self.is_stopped)() {
                break;
            }
            let (mv, faster) = (longest.0, longest.1 - 2);
            let limit = self.max_nodes.min(self.nodes + TIGHTENING_NODES);
            match self.with_move(mv, |search| search.prove_within(limit, faster, attack, &[])) {
                Some(distance) => longest.1 = distance,
                None => break,
            }
        }
        distances.into_iter().max_by_key(|&(_, distance)| distance)
    }

    fn prove_again(&mut self, left: u8, attack: Attack, allowed: &[Move]) -> Option<u8> {
        self.prove_within(self.nodes + self.repair_nodes, left, attack, allowed)
    }

    /// Returns the distance of a mate that is proved before this many nodes in all are made.
    fn prove_within(&mut self, max_nodes: u64, left: u8, attack: Attack, allowed: &[Move]) -> Option<u8> {
        let limit = std::mem::replace(&mut self.max_nodes, max_nodes);
        let found = self.decide(left, attack, allowed).ok();
        self.max_nodes = limit;
        found.filter(|bounds| bounds.is_won()).map(|bounds| bounds.plies)
    }

    fn with_move<T>(&mut self, mv: Move, action: impl FnOnce(&mut Self) -> T) -> T {
        self.position.make(mv);
        let result = action(self);
        self.position.unmake();
        result
    }
}
