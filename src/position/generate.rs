//! Generation of pseudo-legal moves by stages, of legal moves, and perft, which counts the leaves of the move tree.

use super::{CheckInfo, Occupancy, Position};
use crate::tables::lines::{Line, bits};
use crate::tables::{geometry, lines};
use crate::types::{Move, MoveList, Piece, PieceKind, Square, SquareSet};

impl Position {
    /// Appends all pseudo-legal captures.
    pub fn captures(&self, list: &mut MoveList) {
        self.generate::<true, false>(list);
        self.king_moves::<true, false>(list);
    }

    /// Appends all pseudo-legal moves that are not captures.
    pub fn quiets(&self, list: &mut MoveList) {
        self.generate::<false, true>(list);
        self.king_moves::<false, true>(list);
    }

    /// Appends all pseudo-legal moves.
    pub fn pseudo_legal_moves(&self, list: &mut MoveList) {
        self.generate::<true, true>(list);
        self.king_moves::<true, true>(list);
    }

    /// Appends the pseudo-legal evasions of a check: every move of the king, and every move that captures a checking
    /// piece, blocks it or removes its screen. They include every legal move; in a double check most are illegal.
    pub fn evasions(&self, list: &mut MoveList) {
        let Some(evasions) = self.check_evasions() else { return };
        self.generate_to::<true, true>(&evasions, list);
        self.king_moves::<true, true>(list);
    }

    /// Returns all legal moves.
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

    /// Appends all legal moves, testing only those that need it ([`CheckInfo::needs_test`]). It speeds up perft.
    #[inline]
    pub(super) fn append_legal_moves(&self, list: &mut MoveList) {
        let check_info = CheckInfo::new(self);
        if check_info.in_check() {
            self.evasions(list);
            list.retain(|mv| self.is_legal(*mv));
            return;
        }
        self.generate::<true, true>(list);
        if !check_info.only_king_moves() {
            list.retain(|mv| check_info.is_legal(self, *mv));
        }
        let king = self.king(self.side);
        for to in geometry::king(king).iter() {
            let mv = Move::new(king, to);
            if self.is_not_own(to) && self.is_legal(mv) {
                list.push(mv);
            }
        }
    }

    /// Tells whether the side to move has a legal move. Without one it has lost, in check or not.
    pub fn has_legal_move(&self) -> bool {
        CheckInfo::new(self).has_legal_move(self)
    }

    #[inline(always)]
    pub(super) fn is_not_own(&self, square: Square) -> bool {
        self.board[square.raw()].is_none_or(|piece| piece.side() != self.side)
    }

    #[inline(always)]
    fn is_target<const CAPTURES: bool, const QUIETS: bool>(&self, square: Square) -> bool {
        match self.board[square.raw()] {
            None => QUIETS,
            Some(piece) => CAPTURES && piece.side() != self.side,
        }
    }

    /// Tells whether an enemy piece stands `rows` ranks (0 to 2) above or below `from`, on one of five files: bit 2 of
    /// `files` is the file of `from`, bit 0 the second one to its left.
    #[inline(always)]
    fn has_enemy(&self, from: Square, rows: usize, files: u32) -> bool {
        let ranks = &self.occupancies[(!self.side).index()].ranks;
        let enemies = ranks[(from.row() + rows) % 16] | ranks[(from.row() + 16 - rows) % 16];
        (u32::from(enemies) << 2) & (files << (from.file() & 15)) != 0
    }

    #[inline(always)]
    fn has_enemy_beside(&self, from: Square) -> bool {
        self.has_enemy(from, 1, 0b00100) || self.has_enemy(from, 0, 0b01010)
    }

    fn king_moves<const CAPTURES: bool, const QUIETS: bool>(&self, list: &mut MoveList) {
        let from = self.king(self.side);
        if !QUIETS && !self.has_enemy_beside(from) {
            return;
        }
        for to in geometry::king(from).iter() {
            if self.is_target::<CAPTURES, QUIETS>(to) {
                list.push(Move::new(from, to));
            }
        }
    }

    #[inline(always)]
    fn generate<const CAPTURES: bool, const QUIETS: bool>(&self, list: &mut MoveList) {
        self.generate_to::<CAPTURES, QUIETS>(&(), list);
    }

    #[inline(always)]
    fn generate_to<const CAPTURES: bool, const QUIETS: bool>(&self, targets: &impl Targets, list: &mut MoveList) {
        let us = self.side;
        let is_target = |from, square| targets.contains(from, square) && self.is_target::<CAPTURES, QUIETS>(square);
        let squares = |kind| self.squares(Piece::new(us, kind)).iter().copied();
        for from in squares(PieceKind::Rook) {
            self.slide::<CAPTURES, QUIETS>(from, |line| line.rook, targets, list);
        }
        for from in squares(PieceKind::Cannon) {
            self.slide::<CAPTURES, QUIETS>(from, |line| line.cannon, targets, list);
        }
        // Most of these pieces have nothing to capture: one test of the enemies around saves that of each step.
        for from in squares(PieceKind::Horse) {
            if !QUIETS && !self.has_enemy(from, 2, 0b01010) && !self.has_enemy(from, 1, 0b10001) {
                continue;
            }
            for step in geometry::horse(from).iter() {
                if self.board[step.over.raw()].is_none() && is_target(from, step.square) {
                    list.push(Move::new(from, step.square));
                }
            }
        }
        for from in squares(PieceKind::Pawn) {
            if !QUIETS && !self.has_enemy_beside(from) {
                continue;
            }
            for to in geometry::pawn(us, from).iter() {
                if is_target(from, to) {
                    list.push(Move::new(from, to));
                }
            }
        }
        for from in squares(PieceKind::Elephant) {
            if !QUIETS && !self.has_enemy(from, 2, 0b10001) {
                continue;
            }
            for step in geometry::elephant(from).iter() {
                if self.board[step.over.raw()].is_none() && is_target(from, step.square) {
                    list.push(Move::new(from, step.square));
                }
            }
        }
        for from in squares(PieceKind::Advisor) {
            if !QUIETS && !self.has_enemy(from, 1, 0b01010) {
                continue;
            }
            for to in geometry::advisor(from).iter() {
                if is_target(from, to) {
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
        targets: &impl Targets,
        list: &mut MoveList,
    ) {
        let along_rank = lines::along_rank(from.file(), self.rank_occupancy(from));
        let along_file = lines::along_file(from.rank(), self.file_occupancy(from));
        let (rank_targets, file_targets) = (targets.on_rank(from), targets.on_file(from));
        if CAPTURES {
            let enemies = &self.occupancies[(!self.side).index()];
            for file in bits(captures(along_rank) & enemies.ranks[from.row()] & rank_targets) {
                list.push(Move::new(from, from.with_file(file)));
            }
            for rank in bits(captures(along_file) & enemies.files[from.column()] & file_targets) {
                list.push(Move::new(from, from.with_rank(rank)));
            }
        }
        if QUIETS {
            for file in bits(along_rank.quiet & rank_targets) {
                list.push(Move::new(from, from.with_file(file)));
            }
            for rank in bits(along_file.quiet & file_targets) {
                list.push(Move::new(from, from.with_rank(rank)));
            }
        }
    }
}

/// Squares that moves are generated to; all of them unless it says otherwise.
trait Targets {
    /// Returns the allowed squares on the rank of a piece, bit 0 for file a.
    #[inline(always)]
    fn on_rank(&self, _: Square) -> u16 {
        u16::MAX
    }

    #[inline(always)]
    fn on_file(&self, _: Square) -> u16 {
        u16::MAX
    }

    /// Tells whether a piece may move from the first square to the second.
    #[inline(always)]
    fn contains(&self, _: Square, _: Square) -> bool {
        true
    }
}

impl Targets for () {}

struct EvasionSquares {
    /// Target squares that end the check: of captures and blocks.
    targets: Occupancy,
    /// Squares of own pieces whose moves end the check, wherever they go: the screen of a cannon.
    screens: SquareSet,
}

impl EvasionSquares {
    fn capture_of(checker: Square) -> EvasionSquares {
        let mut evasions = EvasionSquares { targets: Occupancy::EMPTY, screens: SquareSet::EMPTY };
        evasions.targets.toggle(checker);
        evasions
    }
}

impl Targets for EvasionSquares {
    #[inline(always)]
    fn on_rank(&self, from: Square) -> u16 {
        if self.screens.contains(from) { u16::MAX } else { self.targets.ranks[from.row()] }
    }

    #[inline(always)]
    fn on_file(&self, from: Square) -> u16 {
        if self.screens.contains(from) { u16::MAX } else { self.targets.files[from.column()] }
    }

    #[inline(always)]
    fn contains(&self, from: Square, to: Square) -> bool {
        (self.targets.ranks[to.row()] >> (to.file() & 15)) & 1 != 0 || self.screens.contains(from)
    }
}

impl Position {
    fn check_evasions(&self) -> Option<EvasionSquares> {
        let us = self.side;
        let king = self.king(us);
        let squares = |kind| self.squares(Piece::new(!us, kind)).iter().copied();
        for horse in squares(PieceKind::Horse) {
            if let Some(leg) = geometry::horse_leg(horse, king)
                && self.board[leg.raw()].is_none()
            {
                let mut evasions = EvasionSquares::capture_of(horse);
                evasions.targets.toggle(leg);
                return Some(evasions);
            }
        }
        let pawn = Piece::new(!us, PieceKind::Pawn);
        for square in geometry::pawns_attacking(!us, king).iter() {
            if self.board[square.raw()] == Some(pawn) {
                return Some(EvasionSquares::capture_of(square));
            }
        }
        let sliders = squares(PieceKind::Rook)
            .map(|square| (square, 0))
            .chain(squares(PieceKind::Cannon).map(|square| (square, 1)));
        for (slider, screens) in sliders {
            let line = Line::new(king, slider, self.rank_occupancy(king), self.file_occupancy(king));
            if let Some(line) = line.filter(|line| line.screens() == screens) {
                let mut evasions = EvasionSquares::capture_of(slider);
                line.empty().for_each(|square| evasions.targets.toggle(square));
                for screen in line.occupied() {
                    if self.board[screen.raw()].is_some_and(|piece| piece.side() == us) {
                        evasions.screens.insert(screen);
                    }
                }
                return Some(evasions);
            }
        }
        None
    }
}

/// Returns the number of lines of `depth` legal moves. The moves of the last ply are counted, not made.
pub fn perft(position: &mut Position, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut list = MoveList::new();
    position.append_legal_moves(&mut list);
    if depth == 1 {
        return list.len() as u64;
    }
    sum_over(position, &list, |position| perft(position, depth - 1))
}

/// Returns the same number, with the moves of the last ply made and unmade too.
pub fn perft_by_making(position: &mut Position, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = position.legal_moves();
    sum_over(position, &moves, |position| perft_by_making(position, depth - 1))
}

/// Returns the count below each legal move, in alphabetical order, for a `depth` of at least 1.
pub fn perft_divided(position: &mut Position, depth: usize) -> Vec<(Move, u64)> {
    let mut moves = position.legal_moves();
    moves.sort_by_key(Move::to_string);
    let below = |mv| (mv, sum_over(position, &[mv], |position| perft(position, depth.saturating_sub(1))));
    moves.into_iter().map(below).collect()
}

#[inline(always)]
fn sum_over(position: &mut Position, moves: &[Move], count: impl Fn(&mut Position) -> u64) -> u64 {
    let mut total = 0;
    for &mv in moves {
        position.make(mv);
        total += count(position);
        position.unmake();
    }
    total
}
