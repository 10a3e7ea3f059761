//! Book learning from the engine's own games. Their results are inferred from the scores of the engine's own moves.

use super::book::{self, BookSet};
use super::game::{GameContinuity, moves_between};
use super::{Engine, EngineError};
use crate::position::Position;
use crate::types::score::is_decisive;
use crate::types::{Move, Side, Value};
use crate::util::math::logistic;

/// Largest number of plies in a position that counts as the beginning of a game.
const MAX_OPENING_PLIES: usize = 3;
/// Smallest number of own moves with a score from which a result is inferred.
const MIN_SCORES: usize = 5;
/// Number of scores after the last book move that show how good the book was.
const EARLY_SCORES: usize = 3;
/// Scale of scores in centipawns: a side that is ahead by this amount scores 73 %, as in `chuhe analyze`.
const SCALE: f64 = 250.0;
/// Share of the last score in the inferred result; the early scores have the rest.
const LAST_SCORE_SHARE: f64 = 2.0 / 3.0;

/// Source of a move that the engine plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveSource {
    /// Opening book.
    Book,
    /// Search, with this score for the side to move.
    Search(Value),
}

/// Report on what a book learned from a game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LearnedGame {
    /// Number of book moves whose weight or statistics changed.
    pub moves: usize,
    /// Number of moves added to the book.
    pub added: usize,
    /// Inferred result for Red, from 0 to 1.
    pub points: f64,
}

impl Engine {
    /// Records that the engine plays a move in the current position, for book learning. Does nothing unless a book
    /// learns and a single line is searched. If the move starts another game, the book learns from the last one.
    pub fn record_move(&mut self, source: MoveSource) -> Result<Option<LearnedGame>, EngineError> {
        if !self.learns() || self.options.multi_pv != 1 {
            return Ok(None);
        }
        let finished = self.game.record(&self.position, source);
        self.learn(finished)
    }

    /// Ends the game: the book learns from it, and draw offers and resignation start again.
    pub fn finish_game(&mut self) -> Result<Option<LearnedGame>, EngineError> {
        self.offers = GameContinuity::default();
        let finished = std::mem::take(&mut self.game).finish();
        self.learn(finished)
    }

    fn learns(&self) -> bool {
        self.options.uses_book && self.options.book_learns
    }

    fn learn(&mut self, finished: Option<FinishedGame>) -> Result<Option<LearnedGame>, EngineError> {
        let Some(FinishedGame { start, moves, points }) = finished.filter(|_| self.learns()) else { return Ok(None) };
        // Some systems do not replace a file that is open.
        self.books = BookSet::Embedded;
        let learned = book::learn(&self.options, &start, &moves, points)
            .map_err(|fault| EngineError::Files(format!("{fault}; the game goes on without it")));
        let opened = self.open_books();
        let (moves, added) = learned?;
        opened?;
        Ok((moves + added > 0).then_some(LearnedGame { moves, added, points }))
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct GameTracker {
    start: Position,
    moves: Vec<Move>,
    side: Option<Side>,
    /// The last turns, each with the moves of the game up to it; none for a position of another game.
    turns: GameContinuity<Option<Vec<Move>>>,
    has_book_move: bool,
    scores: Vec<(u64, Value)>,
}

#[derive(Clone, PartialEq, Debug)]
struct FinishedGame {
    start: Position,
    moves: Vec<Move>,
    /// Inferred result for Red, from 0 to 1.
    points: f64,
}

impl GameTracker {
    /// Records a move in this position. Returns the last game if the position starts another one. The first moves
    /// identify a game; moves that are taken back belong to it. Clients leave out the history before a capture: then a
    /// position belongs to the game if one move of each side leads to it from one of the last turns, and these are
    /// moves of the game.
    fn record(&mut self, position: &Position, source: MoveSource) -> Option<FinishedGame> {
        let mut start = position.clone();
        while !start.history().is_empty() {
            start.unmake();
        }
        let moves: Vec<Move> = position.history().iter().map(|played| played.mv).collect();
        let is_same_side = self.side.is_none_or(|side| side == position.side());
        // Red's first turn comes before all moves.
        let has_same_first_move = self.moves.first().is_none_or(|first| moves.first() == Some(first));
        let has_same_beginning = start == self.start && has_same_first_move && is_same_side;
        let is_beginning = start.key() == Position::start().key() && moves.len() <= MAX_OPENING_PLIES;
        let is_new_game = self.side.is_none()
            || is_beginning && (!has_same_beginning || self.moves.len() > 2 * MAX_OPENING_PLIES + moves.len());
        let mut last_game = None;
        if is_new_game {
            last_game = std::mem::take(self).finish();
            self.start = start;
            self.side = Some(position.side());
        }
        let has_history = is_new_game || has_same_beginning;
        // A position of another game must not become the last turn.
        let mut turns = self.turns.clone();
        let line = turns.value_of(position, |earlier| {
            let (earlier, line) = earlier?;
            Some([line.as_ref()?.as_slice(), &moves_between(earlier, position)?].concat())
        });
        if has_history {
            *line = Some(moves);
        }
        let Some(line) = line.clone() else { return last_game };
        self.turns = turns;
        self.moves = line;
        // The same turn again, or one to which moves were taken back.
        if let Some(index) = self.scores.iter().position(|(key, _)| *key == position.key()) {
            self.scores.truncate(index);
        }
        match source {
            MoveSource::Book => self.has_book_move = true,
            MoveSource::Search(score) => self.scores.push((position.key(), score)),
        }
        last_game
    }

    /// Ends the game and infers its result. Returns `None` for a game without book moves or with too few scores.
    fn finish(self) -> Option<FinishedGame> {
        let side = self.side.filter(|_| self.has_book_move && self.scores.len() >= MIN_SCORES)?;
        let winning_chance = |score: Value| {
            // Mates and results by the rules are certain.
            if is_decisive(score) { f64::from(u8::from(score > 0)) } else { logistic(f64::from(score) / SCALE) }
        };
        let early: f64 = self.scores[..EARLY_SCORES].iter().map(|(_, score)| winning_chance(*score)).sum();
        let early = early / EARLY_SCORES as f64;
        let last = winning_chance(self.scores.last()?.1);
        let own_points = LAST_SCORE_SHARE * last + (1.0 - LAST_SCORE_SHARE) * early;
        let points = if side == Side::Red { own_points } else { 1.0 - own_points };
        Some(FinishedGame { start: self.start, moves: self.moves, points })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::score::mate_in;

    fn after(moves: &str) -> Position {
        let mut position = Position::start();
        position.play(moves.split_whitespace()).unwrap();
        position
    }

    const GAME: [&str; 8] =
        ["h2e2", "h9g7 h0g2", "i9h9 i0h0", "b9c7 g3g4", "g6g5 b0c2", "c9e7 c3c4", "d9e8 c2d4", "h7i7 a0b0"];

    /// Black's turn of this number in the game, 0 for the first.
    fn turn(number: usize) -> Position {
        after(&GAME[..=number].join(" "))
    }

    /// The record of a game in which Black played a book move and then had these scores.
    fn game(scores: &[Value]) -> GameTracker {
        let mut game = GameTracker::default();
        assert_eq!(game.record(&turn(0), MoveSource::Book), None);
        for (number, &score) in (1..).zip(scores) {
            assert_eq!(game.record(&turn(number), MoveSource::Search(score)), None);
        }
        game
    }

    #[test]
    fn the_result_follows_from_the_first_scores_and_the_last() {
        let points = |scores: &[Value]| game(scores).finish().unwrap().points;
        assert_eq!(points(&[0; 6]), 0.5);
        let won = points(&[0, 0, 0, 300, mate_in(3)]);
        assert!((won - (1.0 - 2.0 / 3.0 - 0.5 / 3.0)).abs() < 1e-9, "Black won: {won}");
        assert!(points(&[-50, -80, -60, -400, -900]) > 0.75);
        assert!(points(&[250, 250, 250, 250, 250]) < 0.28);
        let finished = game(&[0; 5]).finish().unwrap();
        assert_eq!((finished.start, finished.moves.len()), (Position::start(), 11));
    }

    #[test]
    fn a_game_of_either_side_with_any_book_move_is_recorded_whole() {
        let plies = "h2e2 h9g7 e2e6 g7e6 b0c2 b9c7 a0b0 a9b9 h0g2 i9i8 i0i1 i8f8 i1d1 f8f7 d1d2 f7f6";
        let plies: Vec<Move> = plies.split(' ').map(|mv| mv.parse().unwrap()).collect();
        for (side, own) in [(Side::Red, 0), (Side::Black, 1)] {
            for (book_moves, omits_history) in (0..=2).flat_map(|number| [(number, false), (number, true)]) {
                let mut game = GameTracker::default();
                let mut position = Position::start();
                for (ply, &mv) in plies.iter().enumerate() {
                    let source = if ply / 2 < book_moves { MoveSource::Book } else { MoveSource::Search(0) };
                    if ply % 2 == own {
                        assert_eq!(game.record(&position, source), None);
                    }
                    position.make(mv);
                    if omits_history && position.plies_since_capture() == 0 {
                        position = position.with_recent_history(0);
                    }
                }
                let moves = plies[..plies.len() - 2 + own].to_vec();
                let expected = FinishedGame { start: Position::start(), moves, points: 0.5 };
                assert_eq!(game.finish(), (book_moves > 0).then_some(expected), "{side:?}, {book_moves} book moves");
            }
        }
    }

    #[test]
    fn an_analysis_during_the_game_is_ignored() {
        let mut game = game(&[0; 5]);
        for fen in ["4k4/9/9/9/9/9/9/9/4A4/3K1A3 w - - 0 30", "4k4/4a4/9/9/9/9/9/9/4A4/3K1A3 b - - 0 1"] {
            let foreign = Position::from_fen(fen).unwrap();
            assert_eq!(game.record(&foreign, MoveSource::Search(5_000)), None);
        }
        // Without a history, as after a capture.
        let later = Position::from_fen(&turn(6).to_string()).unwrap();
        assert_eq!(game.record(&later, MoveSource::Search(-900)), None);
        let finished = game.finish().unwrap();
        assert_eq!(finished.moves.len(), 13, "the moves of the last turn are found");
        assert!(finished.points > 0.8, "Black lost: {}", finished.points);
    }
}
