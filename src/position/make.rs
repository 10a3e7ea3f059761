//! Moves on the board: making and unmaking, their observers, and playing moves given as text.

use thiserror::Error;

use super::{LIST_SIZE, Played, Position};
use crate::tables::zobrist;
use crate::types::{Move, Piece, Square};

impl Position {
    /// Makes a pseudo-legal move. Any other one panics or leaves a corrupt position: test untrusted moves with
    /// [`Position::is_pseudo_legal`] first.
    #[inline]
    pub fn make(&mut self, mv: Move) {
        self.make_observed(mv, &mut ());
    }

    /// Unmakes the last move or null move. Panics when no move was made.
    #[inline]
    pub fn unmake(&mut self) {
        self.unmake_observed(&mut ());
    }

    /// Makes a pseudo-legal move and notifies `observer` of the changes. Panics like [`Position::make`].
    #[inline]
    pub fn make_observed<O: PieceObserver>(&mut self, mv: Move, observer: &mut O) {
        let (from, to) = (mv.from(), mv.to());
        let piece = self.board[from.raw()].expect("a move starts from an occupied square");
        let captured = self.board[to.raw()];
        let captured_slot = self.slots[to.raw()];
        let previous_ply = self.last_capture_ply;
        self.history.push(Played { key: self.key, mv, captured, captured_slot, previous_ply });
        observer.begin();
        if let Some(victim) = captured {
            self.remove_captured(victim, to, captured_slot);
            observer.removed(victim, to);
            self.last_capture_ply = self.history.len() as i32;
        }
        self.toggle_occupied(self.side, from);
        self.toggle_occupied(self.side, to);
        self.relocate(piece, from, to);
        self.toggle_key(piece, zobrist::piece(piece, from) ^ zobrist::piece(piece, to));
        observer.moved(piece, from, to);
        self.switch_side();
    }

    /// Unmakes the last move or null move and notifies `observer`. Panics like [`Position::unmake`].
    #[inline]
    pub fn unmake_observed<O: PieceObserver>(&mut self, observer: &mut O) {
        let played = self.history.pop().expect("a move was made before it is unmade");
        self.side = !self.side;
        self.key = played.key;
        observer.reverted();
        if played.mv.is_none() {
            self.last_null_ply = played.previous_ply;
            return;
        }
        let (from, to) = (played.mv.from(), played.mv.to());
        let piece = self.board[to.raw()].expect("the piece that moved is on its target square");
        self.relocate(piece, to, from);
        self.piece_keys[piece.index()] ^= zobrist::piece(piece, from) ^ zobrist::piece(piece, to);
        self.toggle_occupied(self.side, from);
        self.toggle_occupied(self.side, to);
        if let Some(victim) = played.captured {
            self.restore_captured(victim, to, played.captured_slot);
            self.last_capture_ply = played.previous_ply;
        }
    }

    /// Makes a null move. The side to move must not be in check.
    pub fn make_null<O: PieceObserver>(&mut self, observer: &mut O) {
        let previous_ply = self.last_null_ply;
        self.history.push(Played { key: self.key, mv: Move::NONE, captured: None, captured_slot: 0, previous_ply });
        observer.begin();
        self.last_null_ply = self.history.len() as i32;
        self.switch_side();
    }

    /// Returns the key after a pseudo-legal move, without making it. Any other move gives some key.
    #[inline]
    pub fn key_after(&self, mv: Move) -> u64 {
        let (from, to) = (mv.from(), mv.to());
        let mut key = self.key ^ zobrist::black_to_move();
        if let Some(piece) = self.board[from.raw()] {
            key ^= zobrist::piece(piece, from) ^ zobrist::piece(piece, to);
        }
        if let Some(victim) = self.board[to.raw()] {
            key ^= zobrist::piece(victim, to);
        }
        key
    }

    #[inline(always)]
    fn relocate(&mut self, piece: Piece, from: Square, to: Square) {
        let slot = self.slots[from.raw()];
        self.board[from.raw()] = None;
        self.board[to.raw()] = Some(piece);
        self.slots[to.raw()] = slot;
        self.lists[piece.index()][slot as usize % LIST_SIZE] = to;
    }

    /// Removes a captured piece from lists, keys and squares of its side; the last piece of the list takes its slot.
    #[inline(always)]
    fn remove_captured(&mut self, victim: Piece, square: Square, slot: u8) {
        let list = &mut self.lists[victim.index()];
        let last = self.counts[victim.index()] - 1;
        let filler = list[last as usize % LIST_SIZE];
        list[slot as usize % LIST_SIZE] = filler;
        self.slots[filler.raw()] = slot;
        self.counts[victim.index()] = last;
        self.toggle_occupied(victim.side(), square);
        self.toggle_key(victim, zobrist::piece(victim, square));
    }

    /// Undoes [`Position::remove_captured`] and restores the order of the list too.
    #[inline(always)]
    fn restore_captured(&mut self, victim: Piece, square: Square, slot: u8) {
        let list = &mut self.lists[victim.index()];
        let last = self.counts[victim.index()];
        let filler = list[slot as usize % LIST_SIZE];
        list[last as usize % LIST_SIZE] = filler;
        self.slots[filler.raw()] = last;
        list[slot as usize % LIST_SIZE] = square;
        self.slots[square.raw()] = slot;
        self.board[square.raw()] = Some(victim);
        self.counts[victim.index()] = last + 1;
        self.toggle_occupied(victim.side(), square);
        self.piece_keys[victim.index()] ^= zobrist::piece(victim, square);
    }
}

/// Receiver of every change that a move makes, to update sums incrementally: `begin`, then at most one `removed` and
/// one `moved`. Unmaking it is reported by `reverted` alone. The unit type observes nothing at no cost.
pub trait PieceObserver {
    /// A move or null move begins.
    fn begin(&mut self);
    /// A piece was captured.
    fn removed(&mut self, piece: Piece, square: Square);
    /// A piece moved from one square to another.
    fn moved(&mut self, piece: Piece, from: Square, to: Square);
    /// The last move was unmade.
    fn reverted(&mut self);
}

impl PieceObserver for () {
    #[inline(always)]
    fn begin(&mut self) {}
    #[inline(always)]
    fn removed(&mut self, _: Piece, _: Square) {}
    #[inline(always)]
    fn moved(&mut self, _: Piece, _: Square, _: Square) {}
    #[inline(always)]
    fn reverted(&mut self) {}
}

/// Error of a list of moves.
#[allow(missing_docs, reason = "the names say it")]
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("ply {ply}, '{text}', {fault}")]
pub struct PlayError {
    /// Number of the move in the list, 1 for the first.
    pub ply: usize,
    /// Its first 40 characters.
    pub text: String,
    pub fault: String,
}

impl Position {
    /// Plays moves given as text, each of which must be legal. After an error the moves before it stay played.
    ///
    /// ```
    /// use chuhe::position::Position;
    /// let mut position = Position::start();
    /// assert!(position.play(["h2e2", "h9g7"]).is_ok());
    /// let error = position.play(["h0g2", "a9a5"]).unwrap_err();
    /// assert_eq!(error.to_string(), "ply 2, 'a9a5', is not legal: the piece cannot move there");
    /// ```
    pub fn play<'a>(&mut self, moves: impl IntoIterator<Item = &'a str>) -> Result<(), PlayError> {
        for (text, ply) in moves.into_iter().zip(1..) {
            let fault = match text.parse() {
                Ok(mv) => match self.fault_of(mv) {
                    None => {
                        self.make(mv);
                        continue;
                    }
                    Some(fault) => fault,
                },
                Err(_) => "is not a move".to_owned(),
            };
            return Err(PlayError { ply, text: text.chars().take(40).collect(), fault });
        }
        Ok(())
    }

    /// Returns why a move is not legal.
    pub fn fault_of(&self, mv: Move) -> Option<String> {
        let fault = if self.piece_on(mv.from()).is_none_or(|piece| piece.side() != self.side) {
            format!("{} has no piece there", self.side)
        } else if !self.is_pseudo_legal(mv) {
            "the piece cannot move there".to_owned()
        } else if !self.is_legal(mv) {
            "it leaves the king attacked or facing the other".to_owned()
        } else {
            return None;
        };
        Some(format!("is not legal: {fault}"))
    }
}
