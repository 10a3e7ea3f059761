//! End of a game between engines: by the rules, or by adjudication from the scores that the engines report.
//!
//! Clocks and faults are handled elsewhere.

use std::fmt;

use crate::notation::game::GameResult;
use crate::position::Position;
use crate::rules::{Rules, Verdict};
use crate::types::{Move, Side, Value};

/// Adjudication rule: consecutive plies in which all scores agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Agreement {
    /// Bound of the reported scores: a game is won at or beyond it, or drawn within it.
    pub score: Value,
    /// Number of consecutive plies; at least 1. Two or more involve both engines.
    pub plies: u32,
    /// Ply of the game from which scores count.
    pub from_ply: usize,
}

impl Agreement {
    pub const WIN: Agreement = Agreement { score: 400, plies: 8, from_ply: 0 };
    pub const DRAW: Agreement = Agreement { score: 4, plies: 20, from_ply: 120 };
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "score={},plies={},from={}", self.score, self.plies, self.from_ply)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Adjudication {
    /// Wins: both engines report this lead for one side.
    pub win: Option<Agreement>,
    /// Draws: both engines report scores this close to 0.
    pub draw: Option<Agreement>,
    /// Games longer than this many plies are drawn.
    pub max_plies: Option<usize>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// By the rules. Never [`Verdict::Continue`].
    Rules(Verdict),
    WinAgreed(Side),
    DrawAgreed,
    TooLong(usize),
}

impl Ending {
    pub fn result(&self) -> GameResult {
        match self {
            Ending::Rules(verdict) => verdict.winner().map_or(GameResult::Draw, GameResult::win_of),
            Ending::WinAgreed(side) => GameResult::win_of(*side),
            Ending::DrawAgreed | Ending::TooLong(_) => GameResult::Draw,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Rules(verdict) => match verdict.reason() {
                Some(reason) => reason.fmt(f),
                None => f.write_str("the game is not over"),
            },
            Ending::WinAgreed(side) => write!(f, "both engines see {side} win"),
            Ending::DrawAgreed => f.write_str("both engines see a draw"),
            Ending::TooLong(plies) => write!(f, "the game is drawn after {plies} plies"),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Arbiter {
    position: Position,
    rules: Rules,
    adjudication: Adjudication,
    /// Consecutive plies with a winning score for each side.
    plies_winning: [u32; 2],
    plies_even: u32,
}

impl Arbiter {
    /// Starts a game; the history of `start` counts for repetition and limits.
    pub fn new(start: Position, rules: Rules, adjudication: Adjudication) -> Arbiter {
        Arbiter { position: start, rules, adjudication, plies_winning: [0; 2], plies_even: 0 }
    }

    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the end by the rules if the game is over in the current position.
    pub fn ending_by_rules(&self) -> Option<Ending> {
        let verdict = self.rules.verdict(&self.position);
        (verdict != Verdict::Continue).then_some(Ending::Rules(verdict))
    }

    /// Plays a legal move with the score of its engine; without one the counts of agreement begin again. Returns the
    /// end of the game if it is over.
    pub fn play(&mut self, mv: Move, score: Option<Value>) -> Option<Ending> {
        self.count_agreement(score);
        self.position.make(mv);
        self.ending_by_rules().or_else(|| self.ending_by_agreement())
    }

    fn count_agreement(&mut self, score: Option<Value>) {
        let (side, plies) = (self.position.side(), self.position.history().len());
        let follow = |count: u32, agreement: Option<Agreement>, agrees: &dyn Fn(Value, Value) -> bool| {
            let counts = agreement.filter(|agreement| plies >= agreement.from_ply).zip(score);
            if counts.is_some_and(|(agreement, score)| agrees(score, agreement.score)) { count + 1 } else { 0 }
        };
        for winner in Side::BOTH {
            let sign = if winner == side { 1 } else { -1 };
            let count = &mut self.plies_winning[winner.index()];
            *count = follow(*count, self.adjudication.win, &|score, bound| sign * score >= bound);
        }
        self.plies_even = follow(self.plies_even, self.adjudication.draw, &|score, bound| score.abs() <= bound);
    }

    fn ending_by_agreement(&self) -> Option<Ending> {
        let Adjudication { win, draw, max_plies } = self.adjudication;
        let lasts = |count: u32, agreement: Option<Agreement>| {
            agreement.is_some_and(|agreement| count >= agreement.plies.max(1))
        };
        if let Some(winner) = Side::BOTH.into_iter().find(|winner| lasts(self.plies_winning[winner.index()], win)) {
            return Some(Ending::WinAgreed(winner));
        }
        if lasts(self.plies_even, draw) {
            return Some(Ending::DrawAgreed);
        }
        let plies = self.position.history().len();
        max_plies.is_some_and(|max| plies >= max).then_some(Ending::TooLong(plies))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(adjudication: Adjudication, scores: &[Option<Value>]) -> (usize, Option<Ending>) {
        // Moves without repetition, so that only scores end the game.
        let moves = ["b0c2", "b9c7", "h0g2", "h9g7", "a0b0", "a9b9", "i0h0", "i9h9", "g3g4", "c6c5"];
        let mut arbiter = Arbiter::new(Position::start(), Rules::default(), adjudication);
        for (ply, (text, score)) in moves.into_iter().zip(scores).enumerate() {
            let mv = text.parse().unwrap();
            assert!(arbiter.position().can_play(mv));
            if let Some(ending) = arbiter.play(mv, *score) {
                return (ply + 1, Some(ending));
            }
        }
        (scores.len(), None)
    }

    fn agreement(score: Value, plies: u32, from_ply: usize) -> Option<Agreement> {
        Some(Agreement { score, plies, from_ply })
    }

    #[test]
    fn agreement_needs_both_engines_without_a_break() {
        let rule = Adjudication { win: agreement(300, 4, 0), ..Adjudication::default() };
        let red = [300, -300, 900, -900].map(Some);
        assert_eq!(play(rule, &red), (4, Some(Ending::WinAgreed(Side::Red))));
        let black = [-300, 300, -900, 900].map(Some);
        assert_eq!(play(rule, &black), (4, Some(Ending::WinAgreed(Side::Black))));
        // Each engine claims the win for itself: no agreement.
        assert_eq!(play(rule, &[900; 8].map(Some)).1, None);
        assert_eq!(play(rule, &[300, -299, 300, -300, 300].map(Some)).1, None);
        // The scores of a draw count from a ply on.
        let rule_of_draw = Adjudication { draw: agreement(10, 3, 4), ..Adjudication::default() };
        assert_eq!(play(rule_of_draw, &[0, 10, -10, 5, 0, 0, -10, 1].map(Some)), (7, Some(Ending::DrawAgreed)));
        assert_eq!(play(rule_of_draw, &[0, 0, 0, 0, 0, 11, 0, 0].map(Some)).1, None);
        let silent = [Some(900), Some(-900), None, Some(-900), Some(900), Some(-900)];
        assert_eq!(play(rule, &silent).1, None);
    }
}
