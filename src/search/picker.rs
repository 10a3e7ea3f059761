//! Staged move picker.
//!
//! Moves are generated as late as possible, and the static exchange value is computed only for the capture that is
//! picked next and for quiet checks, which are ranked by it. Every pseudo-legal move of the mode is returned exactly
//! once, unless quiet moves are skipped; the caller tests legality.

use arrayvec::ArrayVec;

use super::history::{History, HistoryKeys};
use super::margins::good_capture_threshold;
use super::params::{ORDER_CAPTURE, ORDER_CHECK_MARGIN, ORDER_VICTIM, Params};
use super::ranked_moves::RankedMoves;
use crate::position::{CheckSquares, Position, exchange_value};
use crate::types::{MAX_MOVES, Move, MoveList, Piece, PieceKind, SquareSet};

/// Quiet moves that refuted a sibling of the node or the previous move.
#[derive(Clone, Copy, Debug)]
pub struct Refutations {
    /// The last two quiet moves that caused a cut-off at this ply.
    pub killers: [Move; 2],
    /// The quiet move that last refuted the opponent's move.
    pub counter: Move,
}

impl Refutations {
    /// No refutations.
    pub const NONE: Refutations = Refutations { killers: [Move::NONE; 2], counter: Move::NONE };
}

/// Moves to pick if the position is not in check. In check all evasions are picked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PickerMode {
    /// Every move.
    All,
    /// Captures that lose no material, and the table move if it is a capture.
    Captures,
    /// Those captures, then quiet moves that give check.
    CapturesAndChecks,
}

/// Stage that a move was picked in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// The move of the transposition table.
    Table,
    /// Captures whose exchange is good enough for their rank: that of a valuable victim may lose some, one with a bad
    /// history must win some. Without other quiet moves to follow, those that lose nothing.
    GoodCaptures,
    /// The first killer.
    Killer,
    /// The second killer.
    SecondKiller,
    /// The counter move.
    Counter,
    /// The other quiet moves, by history.
    Quiets,
    /// The other captures.
    BadCaptures,
    /// Quiet moves with a bad history.
    BadQuiets,
    /// Check evasions.
    Evasions,
    /// No moves are left.
    Done,
}

/// Picks the pseudo-legal moves of one position, the most promising first.
pub struct Picker {
    stage: Stage,
    /// The first stage that generates moves: captures or evasions.
    first_generation: Stage,
    is_generated: bool,
    mode: PickerMode,
    skips_quiets: bool,
    ignores_exchanges: bool,
    check_squares: CheckSquares,
    table_move: Move,
    refutations: Refutations,
    keys: HistoryKeys,
    moves: RankedMoves,
    bad_captures: ArrayVec<Move, MAX_MOVES>,
    next_bad: usize,
}

impl Picker {
    #[inline(always)]
    fn start(
        position: &Position,
        check_squares: CheckSquares,
        table_move: Move,
        in_check: bool,
        mode: PickerMode,
        refutations: Refutations,
        keys: HistoryKeys,
    ) -> Picker {
        let is_picked = position.is_pseudo_legal(table_move)
            && (mode == PickerMode::All || in_check || position.piece_on(table_move.to()).is_some());
        let first_generation = if in_check { Stage::Evasions } else { Stage::GoodCaptures };
        Picker {
            stage: if is_picked { Stage::Table } else { first_generation },
            first_generation,
            is_generated: false,
            mode,
            skips_quiets: false,
            ignores_exchanges: false,
            check_squares,
            table_move: if is_picked { table_move } else { Move::NONE },
            refutations,
            keys,
            moves: RankedMoves::new(),
            bad_captures: ArrayVec::new(),
            next_bad: 0,
        }
    }

    /// A picker of all moves: every stage, or only evasions in check. `check_squares` are those of `position`.
    #[inline(always)]
    pub fn all(
        position: &Position,
        check_squares: CheckSquares,
        in_check: bool,
        table_move: Move,
        refutations: Refutations,
        keys: HistoryKeys,
    ) -> Picker {
        Picker::start(position, check_squares, table_move, in_check, PickerMode::All, refutations, keys)
    }

    /// A picker of the moves of a mode, or all evasions in check, without refutations. `check_squares` are those of
    /// `position`.
    #[inline(always)]
    pub fn tactical(
        position: &Position,
        check_squares: CheckSquares,
        in_check: bool,
        mode: PickerMode,
        table_move: Move,
        keys: HistoryKeys,
    ) -> Picker {
        Picker::start(position, check_squares, table_move, in_check, mode, Refutations::NONE, keys)
    }

    /// Skips the remaining quiet moves. Does not apply to evasions.
    pub fn skip_quiets(&mut self) {
        self.skips_quiets = true;
    }

    /// Treats all captures as if they lost no material.
    pub fn ignore_exchanges(&mut self) {
        self.ignores_exchanges = true;
    }

    /// Returns the next move and its stage, or `None` after the last one. `position` is the one that the picker was
    /// made for.
    pub fn next(&mut self, position: &Position, history: &History) -> Option<(Move, Stage)> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = self.first_generation;
                    return Some((self.table_move, Stage::Table));
                }
                Stage::GoodCaptures => {
                    if !self.is_generated {
                        self.generate_captures(position, history);
                    }
                    while let Some((mv, score)) = self.moves.pick_best(i32::MIN) {
                        let threshold = match self.mode {
                            PickerMode::All => good_capture_threshold(history.params(), score - ORDER_CAPTURE),
                            PickerMode::Captures | PickerMode::CapturesAndChecks => 0,
                        };
                        if self.ignores_exchanges || position.see_ge(mv, threshold) {
                            return Some((mv, Stage::GoodCaptures));
                        }
                        self.bad_captures.push(mv);
                    }
                    self.stage = match self.mode {
                        PickerMode::All => Stage::Killer,
                        PickerMode::Captures => Stage::Done,
                        PickerMode::CapturesAndChecks => Stage::Quiets,
                    };
                    self.is_generated = false;
                }
                Stage::Killer => {
                    self.stage = Stage::SecondKiller;
                    if let Some(mv) = self.refutation(position, self.refutations.killers[0]) {
                        return Some((mv, Stage::Killer));
                    }
                }
                Stage::SecondKiller => {
                    self.stage = Stage::Counter;
                    if let Some(mv) = self.refutation(position, self.refutations.killers[1]) {
                        return Some((mv, Stage::SecondKiller));
                    }
                }
                Stage::Counter => {
                    self.stage = Stage::Quiets;
                    let counter = self.refutations.counter;
                    if !self.refutations.killers.contains(&counter)
                        && let Some(mv) = self.refutation(position, counter)
                    {
                        return Some((mv, Stage::Counter));
                    }
                }
                Stage::Quiets => {
                    let next = if self.skips_quiets {
                        None
                    } else if self.mode == PickerMode::CapturesAndChecks {
                        if !self.is_generated {
                            self.generate_checks(position);
                        }
                        // There are no killer and counter moves here that could have been picked before.
                        self.moves.pick_first()
                    } else {
                        if !self.is_generated {
                            self.generate_quiets(position, history);
                        }
                        self.next_quiet(-history.params().order_bad_quiet)
                    };
                    if let Some(mv) = next {
                        return Some((mv, Stage::Quiets));
                    }
                    self.stage = if self.mode == PickerMode::All { Stage::BadCaptures } else { Stage::Done };
                }
                Stage::BadCaptures => {
                    let mv = self.bad_captures.get(self.next_bad).copied();
                    self.next_bad += 1;
                    if mv.is_some() {
                        return mv.map(|mv| (mv, Stage::BadCaptures));
                    }
                    self.stage = Stage::BadQuiets;
                }
                Stage::BadQuiets => {
                    let next = if self.skips_quiets { None } else { self.next_quiet(i32::MIN) };
                    if next.is_none() {
                        self.stage = Stage::Done;
                    }
                    return next.map(|mv| (mv, Stage::BadQuiets));
                }
                Stage::Evasions => {
                    if !self.is_generated {
                        self.generate_evasions(position, history);
                    }
                    let next = self.moves.pick_best(i32::MIN);
                    if next.is_none() {
                        self.stage = Stage::Done;
                    }
                    return next.map(|(mv, _)| (mv, Stage::Evasions));
                }
                Stage::Done => return None,
            }
        }
    }

    /// Returns a killer or counter move if it is a quiet move of this position and not the table move.
    fn refutation(&self, position: &Position, mv: Move) -> Option<Move> {
        let fits = mv != self.table_move && position.is_pseudo_legal(mv) && position.piece_on(mv.to()).is_none();
        fits.then_some(mv)
    }

    /// Generates the captures, ranked by victim and history.
    #[inline(never)]
    fn generate_captures(&mut self, position: &Position, history: &History) {
        self.is_generated = true;
        self.moves.set(
            |list| position.captures(list),
            self.table_move,
            |moves, ranks| ranks.extend(moves.iter().map(|&mv| rank_of_capture(position, history, mv).unwrap_or(0))),
        );
    }

    /// Generates the evasions: captures ranked as by [`Picker::generate_captures`], then quiet moves by history.
    #[inline(never)]
    fn generate_evasions(&mut self, position: &Position, history: &History) {
        self.is_generated = true;
        let node = history.node(position.side(), &self.keys);
        let rank_of = |mv: Move| {
            rank_of_capture(position, history, mv)
                .unwrap_or_else(|| position.piece_on(mv.from()).map_or(0, |piece| node.order(piece, mv)))
        };
        self.moves.set(
            |list| position.evasions(list),
            self.table_move,
            |moves, ranks| ranks.extend(moves.iter().map(|&mv| rank_of(mv))),
        );
    }

    /// Generates the quiet moves, ranked by history, threats and checks.
    #[inline(never)]
    fn generate_quiets(&mut self, position: &Position, history: &History) {
        self.is_generated = true;
        let params = history.params();
        let node = history.node(position.side(), &self.keys);
        // The counters arrive in the caches while moves are generated.
        node.prefetch(position.side());
        let threats = Threats::new(position);
        let order = |mv: Move| position.piece_on(mv.from()).map_or(0, |piece| node.order_at_any_ply(piece, mv));
        // One loop for each part of the ranks: in one for all the addresses of the tables would not fit the registers.
        self.moves.set(
            |list| position.quiets(list),
            self.table_move,
            |moves, ranks| {
                ranks.extend(moves.iter().map(|&mv| params.order_threat * threats.relief(position, mv)));
                ranks.iter_mut().zip(moves).for_each(|(rank, &mv)| *rank += order(mv));
                if node.is_near_root() {
                    ranks.iter_mut().zip(moves).for_each(|(rank, &mv)| *rank += node.order_near_root(mv));
                }
            },
        );
        if params.order_check > 0 {
            self.prefer_checks(position, params);
        }
    }

    /// Adds points to the quiet moves that give check and lose little. They are generated again, since that takes less
    /// than asking every move.
    fn prefer_checks(&mut self, position: &Position, params: &Params) {
        let mut checks = MoveList::new();
        position.quiet_checks(&self.check_squares, &mut checks);
        for &check in checks.iter().filter(|&&check| position.see_ge(check, -ORDER_CHECK_MARGIN)) {
            self.moves.add(check, params.order_check);
        }
    }

    /// Generates the quiet moves that give check, in any order.
    #[inline(never)]
    fn generate_checks(&mut self, position: &Position) {
        self.is_generated = true;
        self.moves.set(
            |list| position.quiet_checks(&self.check_squares, list),
            self.table_move,
            |moves, ranks| ranks.extend(moves.iter().map(|_| 0)),
        );
    }

    /// Tells whether a quiet move was picked as a killer or counter move.
    #[inline(always)]
    fn was_picked(&self, mv: Move) -> bool {
        self.refutations.killers.contains(&mv) || mv == self.refutations.counter
    }

    /// Takes the best of the remaining quiet moves if its rank is at least `least`.
    #[inline(always)]
    fn next_quiet(&mut self, least: i32) -> Option<Move> {
        loop {
            let (mv, _) = self.moves.pick_best(least)?;
            if !self.was_picked(mv) {
                return Some(mv);
            }
        }
    }
}

/// Returns the rank of a capture, by victim and history, above that of any quiet move; `None` for quiet moves.
#[inline(always)]
fn rank_of_capture(position: &Position, history: &History, mv: Move) -> Option<i32> {
    let piece = position.piece_on(mv.from())?;
    let kind = position.piece_on(mv.to())?.kind();
    Some(ORDER_CAPTURE + ORDER_VICTIM * exchange_value(kind) + history.capture(piece, mv.to(), kind))
}

/// Squares on which a piece of the side to move would be attacked by a less valuable one, by its kind.
struct Threats([SquareSet; PieceKind::COUNT]);

impl Threats {
    #[inline]
    fn new(position: &Position) -> Threats {
        let attacked_by = |kind| position.attacked_by(!position.side(), kind);
        let by_pawns = attacked_by(PieceKind::Pawn);
        let by_pawns_and_defenders = by_pawns | attacked_by(PieceKind::Advisor) | attacked_by(PieceKind::Elephant);
        let has_rook = position.count(Piece::new(position.side(), PieceKind::Rook)) > 0;
        let by_less_than_rooks = if has_rook {
            by_pawns_and_defenders | attacked_by(PieceKind::Horse) | attacked_by(PieceKind::Cannon)
        } else {
            SquareSet::EMPTY
        };
        Threats(PieceKind::ALL.map(|kind| match kind {
            PieceKind::Advisor | PieceKind::Elephant => by_pawns,
            PieceKind::Horse | PieceKind::Cannon => by_pawns_and_defenders,
            PieceKind::Rook => by_less_than_rooks,
            PieceKind::King | PieceKind::Pawn => SquareSet::EMPTY,
        }))
    }

    /// Returns the value of the moving piece in centipawns if it leaves such an attack, the negated value if it enters
    /// one, and 0 otherwise.
    #[inline(always)]
    fn relief(&self, position: &Position, mv: Move) -> i32 {
        let Some(kind) = position.piece_on(mv.from()).map(Piece::kind) else { return 0 };
        let attacked = self.0[kind.index()];
        (i32::from(attacked.contains(mv.from())) - i32::from(attacked.contains(mv.to()))) * exchange_value(kind)
    }
}
