//! Verdict on a game, with its reason.

use std::fmt;

use super::recurrence::occurrences;
use super::{Cycle, MoveCount, Rules, Violation};
use crate::position::Position;
use crate::types::{Move, Side};

/// Result of a game so far.
#[allow(missing_docs, reason = "the names say it")]
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Continue,
    Draw(Reason),
    Win(Side, Reason),
}

/// Reason for the end of a game. [`fmt::Display`] writes one English sentence without a full stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// This side is checkmated.
    Checkmate(Side),
    /// This side has no legal move; in Xiangqi that loses too.
    Stalemate(Side),
    /// The position has occurred often enough to judge the cycle.
    Repetition(Cycle),
    /// No capture for this many counted plies.
    MoveLimit(usize),
    /// Too little material to win.
    Material,
}

impl Verdict {
    /// Returns the reason; `None` while the game goes on.
    pub fn reason(&self) -> Option<&Reason> {
        match self {
            Verdict::Continue => None,
            Verdict::Draw(reason) | Verdict::Win(_, reason) => Some(reason),
        }
    }

    /// Returns the winner, if any.
    pub fn winner(&self) -> Option<Side> {
        match self {
            Verdict::Win(side, _) => Some(*side),
            Verdict::Continue | Verdict::Draw(_) => None,
        }
    }

    /// The words of [`Verdict::word`].
    pub const WORDS: [&'static str; 4] = ["none", "draw", "red_wins", "black_wins"];

    /// Returns the verdict in one word.
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

impl Reason {
    /// Returns the kind in one word, such as `perpetual_chase`.
    pub fn kind(&self) -> &'static str {
        match self {
            Reason::Checkmate(_) => "checkmate",
            Reason::Stalemate(_) => "stalemate",
            Reason::MoveLimit(_) => "natural_limit",
            Reason::Material => "material",
            Reason::Repetition(cycle) => match (cycle.most_serious(), cycle.loser()) {
                (Violation::None, _) => "repetition",
                (Violation::Chase, Some(_)) => "perpetual_chase",
                (Violation::Chase, None) => "mutual_perpetual_chase",
                (Violation::Check, Some(_)) => "perpetual_check",
                (Violation::Check, None) => "mutual_perpetual_check",
            },
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
            Reason::Material => f.write_str("neither side has enough pieces left to win"),
        }
    }
}

impl Rules {
    /// Returns the verdict on the game that led to this position.
    ///
    /// Checkmate comes first, then stalemate, repetition, the natural move limit and dead draws; where
    /// [limits come first](super::RuleSet::limits_come_first), the last two come before repetition and stalemate.
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
    /// let expected = "Red's rook checks the king on d9 and d8 with every move of the cycle (plies 1-8)";
    /// assert_eq!(reason.as_deref(), Some(expected));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn verdict(&self, position: &Position) -> Verdict {
        let side = position.side();
        let no_move = (!position.has_legal_move()).then(|| position.in_check());
        if no_move == Some(true) {
            return Verdict::Win(!side, Reason::Checkmate(side));
        }
        let stalemate = || no_move.map(|_| Verdict::Win(!side, Reason::Stalemate(side)));
        let repetition = || self.repetition(position);
        let limit_draw = || self.limit_draw(position);
        let verdict = if self.set.limits_come_first() {
            limit_draw().or_else(repetition).or_else(stalemate)
        } else {
            stalemate().or_else(repetition).or_else(limit_draw)
        };
        verdict.unwrap_or(Verdict::Continue)
    }

    /// Returns the first verdict in the course of the game, with the number of plies played by then.
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
        let cycle = Cycle::new(self.set, position, self.complete_cycle(position)?, occurrences(position));
        Some(match cycle.loser() {
            None => Verdict::Draw(Reason::Repetition(cycle)),
            Some(loser) => Verdict::Win(!loser, Reason::Repetition(cycle)),
        })
    }

    fn limit_draw(&self, position: &Position) -> Option<Verdict> {
        let count = MoveCount::new(self.set, position);
        if count.plies() >= usize::from(self.move_limit) {
            return Some(Verdict::Draw(Reason::MoveLimit(count.plies())));
        }
        self.is_dead_unless_mate(position).then_some(Verdict::Draw(Reason::Material))
    }
}
