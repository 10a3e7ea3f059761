//! Pseudo-legal moves by stages, and legal moves.

use super::{CheckInfo, Position};
use crate::tables::lines::{Line, bits};
use crate::tables::{geometry, lines};
use crate::types::{Move, MoveList, Piece, PieceKind, Square, SquareSet};

impl Position {
    /// Appends all pseudo-legal captures.
    pub fn captures(&self, list: &mut MoveList) {
        self.generate::<true, false>(list);
        self.king_moves::<true, false>(list);
    }

    /// Appends all pseudo-legal moves that capture nothing.
    pub fn quiets(&self, list: &mut MoveList) {
        self.generate::<false, true>(list);
        self.king_moves::<false, true>(list);
    }

    /// Appends all pseudo-legal moves.
    pub fn pseudo_legal_moves(&self, list: &mut MoveList) {
        self.generate::<true, true>(list);
        self.king_moves::<true, true>(list);
    }

    /// Appends the pseudo-legal moves that can answer a check: every move of the king, and every move that captures,
    /// blocks or unscreens one checking man. Every legal move is among them; in a double check most of them are not
    /// legal.
    ///
    /// Appends nothing when the side to move is not in check.
    pub fn evasions(&self, list: &mut MoveList) {
        let Some(answers) = self.answers_to_check() else { return };
        let start = list.len();
        self.generate::<true, true>(list);
        let mut kept = start;
        for i in start..list.len() {
            let mv = list[i];
            if answers.landings.contains(mv.to()) || answers.leavers.contains(mv.from()) {
                list[kept] = mv;
                kept += 1;
            }
        }
        list.truncate(kept);
        self.king_moves::<true, true>(list);
    }

    /// All legal moves.
    ///
    /// ```
    /// use chuhe::position::Position;
    /// assert_eq!(Position::start().legal_moves().len(), 44);
    /// ```
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.append_legal_moves(&mut list);
        list
    }

    /// Appends all legal moves, testing only those that [`CheckInfo`] names.
    #[inline]
    pub(super) fn append_legal_moves(&self, list: &mut MoveList) {
        let suspects = CheckInfo::new(self);
        if suspects.in_check() {
            self.evasions(list);
            list.retain(|mv| self.is_legal(*mv));
            return;
        }
        self.generate::<true, true>(list);
        if !suspects.only_king_moves() {
            list.retain(|mv| suspects.is_legal(self, *mv));
        }
        let king = self.king(self.side);
        for to in geometry::king(king).iter() {
            let mv = Move::new(king, to);
            if self.is_open_to_us(to) && self.is_legal(mv) {
                list.push(mv);
            }
        }
    }

    /// Whether the side to move has any legal move. Without one it has lost, in check or not.
    pub fn has_legal_move(&self) -> bool {
        let suspects = CheckInfo::new(self);
        // Nearly always a rook or cannon with room settles it.
        let has_room = |kind| {
            self.squares(Piece::new(self.side, kind)).iter().any(|&from| {
                let on_rank = lines::along_rank(from.file(), self.rank_occupancy(from)).quiet;
                let on_file = lines::along_file(from.rank(), self.file_occupancy(from)).quiet;
                on_rank | on_file != 0
            })
        };
        if suspects.only_king_moves() && (has_room(PieceKind::Rook) || has_room(PieceKind::Cannon)) {
            return true;
        }
        let mut list = MoveList::new();
        if suspects.in_check() {
            self.evasions(&mut list);
        } else {
            self.pseudo_legal_moves(&mut list);
        }
        list.iter().any(|&mv| suspects.is_legal(self, mv))
    }

    #[inline(always)]
    fn is_open_to_us(&self, square: Square) -> bool {
        self.board[square.raw()].is_none_or(|piece| piece.side() != self.side)
    }

    /// Whether a step to `square` is wanted by a generation of captures, of quiet moves or of both.
    #[inline(always)]
    fn is_wanted<const CAPTURES: bool, const QUIETS: bool>(&self, square: Square) -> bool {
        match self.board[square.raw()] {
            None => QUIETS,
            Some(piece) => CAPTURES && piece.side() != self.side,
        }
    }

    fn king_moves<const CAPTURES: bool, const QUIETS: bool>(&self, list: &mut MoveList) {
        let from = self.king(self.side);
        for to in geometry::king(from).iter() {
            if self.is_wanted::<CAPTURES, QUIETS>(to) {
                list.push(Move::new(from, to));
            }
        }
    }

    /// Moves of all men but the king.
    #[inline(always)]
    fn generate<const CAPTURES: bool, const QUIETS: bool>(&self, list: &mut MoveList) {
        let us = self.side;
        let wanted = |square| self.is_wanted::<CAPTURES, QUIETS>(square);
        let squares = |kind| self.squares(Piece::new(us, kind)).iter().copied();
        for from in squares(PieceKind::Rook) {
            self.slide::<CAPTURES, QUIETS>(from, |targets| targets.rook, list);
        }
        for from in squares(PieceKind::Cannon) {
            self.slide::<CAPTURES, QUIETS>(from, |targets| targets.cannon, list);
        }
        for from in squares(PieceKind::Horse) {
            for hop in geometry::horse(from).iter() {
                if self.board[hop.over.raw()].is_none() && wanted(hop.square) {
                    list.push(Move::new(from, hop.square));
                }
            }
        }
        for from in squares(PieceKind::Pawn) {
            for to in geometry::pawn(us, from).iter() {
                if wanted(to) {
                    list.push(Move::new(from, to));
                }
            }
        }
        for from in squares(PieceKind::Elephant) {
            for hop in geometry::elephant(from).iter() {
                if self.board[hop.over.raw()].is_none() && wanted(hop.square) {
                    list.push(Move::new(from, hop.square));
                }
            }
        }
        for from in squares(PieceKind::Advisor) {
            for to in geometry::advisor(from).iter() {
                if wanted(to) {
                    list.push(Move::new(from, to));
                }
            }
        }
    }

    #[inline(always)]
    fn slide<const CAPTURES: bool, const QUIETS: bool>(
        &self,
        from: Square,
        captures: impl Fn(lines::LineTargets) -> u16,
        list: &mut MoveList,
    ) {
        let along_rank = lines::along_rank(from.file(), self.rank_occupancy(from));
        let along_file = lines::along_file(from.rank(), self.file_occupancy(from));
        if CAPTURES {
            let on_rank = bits(captures(along_rank)).map(|file| from.with_file(file));
            let on_file = bits(captures(along_file)).map(|rank| from.with_rank(rank));
            for to in on_rank {
                if self.is_wanted::<true, false>(to) {
                    list.push(Move::new(from, to));
                }
            }
            for to in on_file {
                if self.is_wanted::<true, false>(to) {
                    list.push(Move::new(from, to));
                }
            }
        }
        if QUIETS {
            for file in bits(along_rank.quiet) {
                list.push(Move::new(from, from.with_file(file)));
            }
            for rank in bits(along_file.quiet) {
                list.push(Move::new(from, from.with_rank(rank)));
            }
        }
    }
}

/// What can answer one checking man, the king's own moves aside.
struct Answers {
    /// Squares whose occupation ends the check: the checker's own, and those that block it.
    landings: SquareSet,
    /// Own men whose leaving ends the check: the screen of a cannon.
    leavers: SquareSet,
}

impl Position {
    /// The answers to the first checking man found, or `None` when there is none.
    fn answers_to_check(&self) -> Option<Answers> {
        let us = self.side;
        let king = self.king(us);
        let squares = |kind| self.squares(Piece::new(!us, kind)).iter().copied();
        let capture_of =
            |checker: Square| Answers { landings: SquareSet::from_iter([checker]), leavers: SquareSet::EMPTY };
        for horse in squares(PieceKind::Horse) {
            if let Some(leg) = geometry::horse_leg(horse, king)
                && self.board[leg.raw()].is_none()
            {
                let mut answers = capture_of(horse);
                answers.landings.insert(leg);
                return Some(answers);
            }
        }
        let pawn = Piece::new(!us, PieceKind::Pawn);
        for square in geometry::pawns_attacking(!us, king).iter() {
            if self.board[square.raw()] == Some(pawn) {
                return Some(capture_of(square));
            }
        }
        let sliders = squares(PieceKind::Rook)
            .map(|square| (square, 0))
            .chain(squares(PieceKind::Cannon).map(|square| (square, 1)));
        for (slider, screens) in sliders {
            let sight = Line::new(king, slider, self.rank_occupancy(king), self.file_occupancy(king));
            if let Some(sight) = sight.filter(|sight| sight.screens() == screens) {
                let mut answers = capture_of(slider);
                sight.empty().for_each(|square| answers.landings.insert(square));
                for screen in sight.occupied() {
                    if self.board[screen.raw()].is_some_and(|piece| piece.side() == us) {
                        answers.leavers.insert(screen);
                    }
                }
                return Some(answers);
            }
        }
        None
    }
}
