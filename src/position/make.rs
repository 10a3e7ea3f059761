//! Making and taking back moves.

use super::{LIST_SIZE, PieceObserver, Played, Position};
use crate::tables::zobrist;
use crate::types::{Move, Piece, Square};

impl Position {
    /// Plays a pseudo-legal move.
    ///
    /// # Panics
    /// When no man stands on the move's start. A move that is not pseudo-legal otherwise leaves a senseless position;
    /// test foreign moves with [`Position::is_pseudo_legal`] first.
    ///
    /// ```
    /// use chuhe::position::Position;
    /// let mut position = Position::start();
    /// position.make("h2e2".parse().unwrap());
    /// position.unmake();
    /// assert_eq!(position, Position::start());
    /// ```
    #[inline]
    pub fn make(&mut self, mv: Move) {
        self.make_observed(mv, &mut ());
    }

    /// Takes back the last move or null move.
    ///
    /// # Panics
    /// When no move was made.
    #[inline]
    pub fn unmake(&mut self) {
        self.unmake_observed(&mut ());
    }

    /// Plays a pseudo-legal move and tells `observer` what changes. Panics like [`Position::make`].
    #[inline]
    pub fn make_observed<O: PieceObserver>(&mut self, mv: Move, observer: &mut O) {
        let (from, to) = (mv.from(), mv.to());
        let piece = self.board[from.raw()].expect("a move starts from an occupied square");
        let captured = self.board[to.raw()];
        let captured_place = self.places[to.raw()];
        let earlier_boundary = self.capture_at;
        self.history.push(Played { key: self.key, mv, captured, captured_place, earlier_boundary });
        observer.begin();
        if let Some(victim) = captured {
            self.take_off(victim, to, captured_place);
            observer.removed(victim, to);
            self.capture_at = self.history.len() as i32;
        } else {
            self.toggle_occupied(to);
        }
        self.toggle_occupied(from);
        self.relocate(piece, from, to);
        self.toggle_key(piece, zobrist::piece(piece, from) ^ zobrist::piece(piece, to));
        observer.moved(piece, from, to);
        self.switch_side();
    }

    /// Takes back the last move or null move and tells `observer`. Panics like [`Position::unmake`].
    #[inline]
    pub fn unmake_observed<O: PieceObserver>(&mut self, observer: &mut O) {
        let played = self.history.pop().expect("a move was made before it is taken back");
        self.side = !self.side;
        self.key = played.key;
        observer.reverted();
        if played.mv.is_none() {
            self.null_at = played.earlier_boundary;
            return;
        }
        let (from, to) = (played.mv.from(), played.mv.to());
        let piece = self.board[to.raw()].expect("the man that moved stands on its target");
        self.relocate(piece, to, from);
        self.piece_keys[piece.index()] ^= zobrist::piece(piece, from) ^ zobrist::piece(piece, to);
        self.toggle_occupied(from);
        match played.captured {
            Some(victim) => {
                self.put_back(victim, to, played.captured_place);
                self.capture_at = played.earlier_boundary;
            }
            None => self.toggle_occupied(to),
        }
    }

    /// Passes the turn. Only the search does this; the side to move must not be in check.
    pub fn make_null<O: PieceObserver>(&mut self, observer: &mut O) {
        self.history.push(Played {
            key: self.key,
            mv: Move::NONE,
            captured: None,
            captured_place: 0,
            earlier_boundary: self.null_at,
        });
        observer.begin();
        self.null_at = self.history.len() as i32;
        self.switch_side();
    }

    /// The key after a pseudo-legal move, without making it.
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
        let place = self.places[from.raw()];
        self.board[from.raw()] = None;
        self.board[to.raw()] = Some(piece);
        self.places[to.raw()] = place;
        self.lists[piece.index()][place as usize % LIST_SIZE] = to;
    }

    /// Removes a captured man from its list and keys: the last of the list takes its place. The capturer keeps the
    /// square occupied.
    #[inline(always)]
    fn take_off(&mut self, victim: Piece, square: Square, place: u8) {
        let list = &mut self.lists[victim.index()];
        let last = self.counts[victim.index()] - 1;
        let filler = list[last as usize % LIST_SIZE];
        list[place as usize % LIST_SIZE] = filler;
        self.places[filler.raw()] = place;
        self.counts[victim.index()] = last;
        self.toggle_key(victim, zobrist::piece(victim, square));
    }

    /// Undoes [`Position::take_off`] exactly, so that the order of the list returns too.
    #[inline(always)]
    fn put_back(&mut self, victim: Piece, square: Square, place: u8) {
        let list = &mut self.lists[victim.index()];
        let last = self.counts[victim.index()];
        let filler = list[place as usize % LIST_SIZE];
        list[last as usize % LIST_SIZE] = filler;
        self.places[filler.raw()] = last;
        list[place as usize % LIST_SIZE] = square;
        self.places[square.raw()] = place;
        self.board[square.raw()] = Some(victim);
        self.counts[victim.index()] = last + 1;
        self.piece_keys[victim.index()] ^= zobrist::piece(victim, square);
    }
}
