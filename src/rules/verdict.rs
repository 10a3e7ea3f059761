//! The verdict on a game, with its reason.

use std::fmt;

use super::recurrence::occurrences;
use super::{Cycle, MoveCount, Rules};
use crate::position::Position;
use crate::types::{Move, Side};

/// What an arbiter says of a position and the moves that led to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The game goes on.
    Continue,
    /// Nobody wins.
    Draw(Reason),
    /// This side wins.
    Win(Side, Reason),
}

/// Why a game is over. [`fmt::Display`] puts it into one English sentence without a full stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The king of this side is in check, and no move helps.
    Checkmate(Side),
    /// This side has no legal move; in Xiangqi that loses too.
    Stalemate(Side),
    /// The position has occurred often enough to judge the cycle between.
    Repetition(Cycle),
    /// Nothing was captured for this many counted plies.
    MoveLimit(usize),
    /// Too few men are left to win.
    Material,
}

impl Verdict {
    /// Why; `None` while the game goes on.
    pub fn reason(&self) -> Option<&Reason> {
        match self {
            Verdict::Continue => None,
            Verdict::Draw(reason) | Verdict::Win(_, reason) => Some(reason),
        }
    }

    /// Who wins, if anybody.
    pub fn winner(&self) -> Option<Side> {
        match self {
            Verdict::Win(side, _) => Some(*side),
            Verdict::Continue | Verdict::Draw(_) => None,
        }
    }

    /// The words that [`Verdict::word`] may give.
    pub const WORDS: [&'static str; 4] = ["none", "draw", "red_wins", "black_wins"];

    /// The verdict in one word.
    pub fn word(&self) -> &'static str {
        let [none, draw, red_wins, black_wins] = Verdict::WORDS;
        match self {
            Verdict::Continue => none,
            Verdict::Draw(_) => draw,
            Verdict::Win(Side::Red, _) => red_wins,
            Verdict::Win(Side::Black, _) => black_wins,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Checkmate(side) => write!(f, "{side} is checkmated"),
            Reason::Stalemate(side) => write!(f, "{side} has no legal move"),
            Reason::Repetition(cycle) => cycle.fmt(f),
            Reason::MoveLimit(plies) => {
                write!(f, "the natural move limit is reached: no capture for {plies} counted plies")
            }
            Reason::Material => f.write_str("neither side has enough men left to win"),
        }
    }
}

impl Rules {
    /// The verdict on the game that the history of this position is.
    ///
    /// A mate comes first, then repetition, the natural move limit and dead draws; where
    /// [limits come first](super::RuleSet::limits_come_first), the latter two come before repetition and stalemate.
    ///
    /// ```
    /// use chuhe::position::Position;
    /// use chuhe::rules::{Rules, Verdict};
    /// use chuhe::types::Side;
    ///
    /// let mut position = Position::from_fen("3k5/R8/9/9/9/9/9/4K4/9/9 w")?;
    /// for mv in "a8a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9".split(' ') {
    ///     assert_eq!(Rules::default().verdict(&position), Verdict::Continue);
    ///     position.make(mv.parse()?);
    /// }
    /// let verdict = Rules::default().verdict(&position);
    /// assert_eq!(verdict.winner(), Some(Side::Black));
    /// let reason = verdict.reason().map(|reason| reason.to_string());
    /// assert_eq!(reason.as_deref(), Some("Red's rook checks the king on d9 and d8 with every move of the cycle (plies 1–8)"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn verdict(&self, position: &Position) -> Verdict {
        let side = position.side();
        let lost = (!position.has_legal_move()).then(|| position.in_check());
        if lost == Some(true) {
            return Verdict::Win(!side, Reason::Checkmate(side));
        }
        let stalemate = || lost.map(|_| Verdict::Win(!side, Reason::Stalemate(side)));
        let repetition = || self.repetition(position);
        let exhaustion = || self.exhaustion(position);
        let verdict = if self.set.limits_come_first() {
            exhaustion().or_else(repetition).or_else(stalemate)
        } else {
            stalemate().or_else(repetition).or_else(exhaustion)
        };
        verdict.unwrap_or(Verdict::Continue)
    }

    /// The first moment at which the game was over: the number of plies played by then, and the verdict.
    pub fn first_decision(&self, position: &Position) -> Option<(usize, Verdict)> {
        let moves: Vec<Move> = position.history().iter().map(|played| played.mv).collect();
        let mut replayed = position.clone();
        moves.iter().for_each(|_| replayed.unmake());
        // One verdict before each move and one at the end.
        for plies in 0..=moves.len() {
            match self.verdict(&replayed) {
                Verdict::Continue => {}
                verdict => return Some((plies, verdict)),
            }
            moves.get(plies).into_iter().for_each(|&mv| replayed.make(mv));
        }
        None
    }

    fn repetition(&self, position: &Position) -> Option<Verdict> {
        let cycle = Cycle::new(self.set, position, self.complete(position)?, occurrences(position));
        Some(match cycle.loser() {
            None => Verdict::Draw(Reason::Repetition(cycle)),
            Some(loser) => Verdict::Win(!loser, Reason::Repetition(cycle)),
        })
    }

    fn exhaustion(&self, position: &Position) -> Option<Verdict> {
        let count = MoveCount::new(self.set, position);
        if count.plies() >= usize::from(self.move_limit) {
            return Some(Verdict::Draw(Reason::MoveLimit(count.plies())));
        }
        self.is_dead_after_all(position).then_some(Verdict::Draw(Reason::Material))
    }
}
