//! The order in which a node tries its moves.
//!
//! Moves are generated as late as possible, and the exchange on a square is only worked out for the move about to be
//! handed out. Every pseudo-legal move comes exactly once; legality is the caller's to test.

use arrayvec::ArrayVec;

use super::history::{Continuation, History};
use crate::position::{Position, exchange_value};
use crate::types::{MAX_MOVES, Move, MoveList, Value};

/// Quiet moves that refuted sisters of a node or the move before it.
#[derive(Clone, Copy, Debug)]
pub struct Refutations {
    /// The last two quiet moves that caused a cut-off at this ply.
    pub killers: [Move; 2],
    /// The quiet move that last refuted the opponent's move.
    pub counter: Move,
}

impl Refutations {
    /// None known.
    pub const NONE: Refutations = Refutations { killers: [Move::NONE; 2], counter: Move::NONE };
}

/// Which moves are wanted of a position that is not in check; all evasions are otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PickerMode {
    /// Every move.
    Everything,
    /// The captures that lose no material, and the table's capture in any case.
    Captures,
    /// Those captures, and then the quiet moves that give check.
    CapturesAndChecks,
}

/// What kind of move was handed out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// The move of the transposition table.
    Table,
    /// Captures that do not lose material.
    GoodCaptures,
    /// The first killer.
    Killer,
    /// The second killer.
    SecondKiller,
    /// The counter move.
    Counter,
    /// The other quiet moves, by history.
    Quiets,
    /// Captures that lose material.
    BadCaptures,
    /// Replies to a check.
    Evasions,
    /// Nothing is left.
    Done,
}

#[derive(Clone, Copy)]
struct Scored {
    mv: Move,
    score: i32,
}

/// Hands out the pseudo-legal moves of one position, most promising first.
pub struct Picker {
    stage: Stage,
    /// Where generation begins: with the captures, or with the evasions.
    generation: Stage,
    generated: bool,
    scope: PickerMode,
    only_checks: bool,
    table_move: Move,
    refutations: Refutations,
    before: [Continuation; 2],
    moves: ArrayVec<Scored, MAX_MOVES>,
    next: usize,
    bad_captures: ArrayVec<Move, MAX_MOVES>,
    next_bad: usize,
}

impl Picker {
    #[inline(always)]
    fn start(
        position: &Position,
        table_move: Move,
        in_check: bool,
        scope: PickerMode,
        refutations: Refutations,
        before: [Continuation; 2],
    ) -> Picker {
        let is_wanted = position.is_pseudo_legal(table_move)
            && (scope == PickerMode::Everything || in_check || position.piece_on(table_move.to()).is_some());
        let generation = if in_check { Stage::Evasions } else { Stage::GoodCaptures };
        Picker {
            stage: if is_wanted { Stage::Table } else { generation },
            generation,
            generated: false,
            scope,
            only_checks: scope == PickerMode::CapturesAndChecks,
            table_move: if is_wanted { table_move } else { Move::NONE },
            refutations,
            before,
            moves: ArrayVec::new(),
            next: 0,
            bad_captures: ArrayVec::new(),
            next_bad: 0,
        }
    }

    /// All moves of a position: every stage, or the evasions alone when it is in check.
    #[inline(always)]
    pub fn all(
        position: &Position,
        in_check: bool,
        table_move: Move,
        refutations: Refutations,
        before: [Continuation; 2],
    ) -> Picker {
        Picker::start(position, table_move, in_check, PickerMode::Everything, refutations, before)
    }

    /// The moves of a scope, or every evasion when in check, without refutations.
    #[inline(always)]
    pub fn tactical(
        position: &Position,
        in_check: bool,
        scope: PickerMode,
        table_move: Move,
        before: [Continuation; 2],
    ) -> Picker {
        Picker::start(position, table_move, in_check, scope, Refutations::NONE, before)
    }

    /// From now on only those quiet moves are wanted that give check, in any order. Evasions keep coming.
    pub fn leave_only_checks(&mut self) {
        self.only_checks = true;
    }

    /// The next move and its kind, or `None` when all were handed out. `position` is that of the picker's start.
    pub fn next(&mut self, position: &Position, history: &History) -> Option<(Move, Stage)> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = self.generation;
                    return Some((self.table_move, Stage::Table));
                }
                Stage::GoodCaptures => {
                    if !self.generated {
                        self.generate(position, history, Position::captures);
                    }
                    while let Some(Scored { mv, .. }) = self.pick_best() {
                        if position.see_ge(mv, 0) {
                            return Some((mv, Stage::GoodCaptures));
                        }
                        self.bad_captures.push(mv);
                    }
                    self.stage = match self.scope {
                        PickerMode::Everything => Stage::Killer,
                        PickerMode::Captures => Stage::Done,
                        PickerMode::CapturesAndChecks => Stage::Quiets,
                    };
                    self.generated = false;
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
                    if !self.generated {
                        self.generate(position, history, Position::quiets);
                    }
                    while let Some(Scored { mv, .. }) =
                        if self.only_checks { self.pick_any() } else { self.pick_best() }
                    {
                        let was_handed_out = self.refutations.killers.contains(&mv) || mv == self.refutations.counter;
                        if !was_handed_out && (!self.only_checks || position.gives_check(mv)) {
                            return Some((mv, Stage::Quiets));
                        }
                    }
                    self.stage = if self.scope == PickerMode::Everything { Stage::BadCaptures } else { Stage::Done };
                }
                Stage::BadCaptures => {
                    let mv = self.bad_captures.get(self.next_bad).copied();
                    self.next_bad += 1;
                    if mv.is_none() {
                        self.stage = Stage::Done;
                    }
                    return mv.map(|mv| (mv, Stage::BadCaptures));
                }
                Stage::Evasions => {
                    if !self.generated {
                        self.generate(position, history, Position::evasions);
                    }
                    let next = self.pick_best();
                    if next.is_none() {
                        self.stage = Stage::Done;
                    }
                    return next.map(|scored| (scored.mv, Stage::Evasions));
                }
                Stage::Done => return None,
            }
        }
    }

    /// A killer or counter move if it is a quiet move of this position and was not handed out yet.
    fn refutation(&self, position: &Position, mv: Move) -> Option<Move> {
        let fits = mv != self.table_move && position.is_pseudo_legal(mv) && position.piece_on(mv.to()).is_none();
        fits.then_some(mv)
    }

    fn generate(&mut self, position: &Position, history: &History, append: fn(&Position, &mut MoveList)) {
        let mut list = MoveList::new();
        append(position, &mut list);
        self.moves.clear();
        self.next = 0;
        self.generated = true;
        // Checks are handed out in any order.
        let is_ordered = self.stage != Stage::Quiets || !self.only_checks;
        for &mv in &list {
            if mv != self.table_move {
                let score = if is_ordered { score_of(position, history, mv, self.before) } else { 0 };
                self.moves.push(Scored { mv, score });
            }
        }
    }

    /// The next of the moves not yet handed out.
    fn pick_any(&mut self) -> Option<Scored> {
        let scored = self.moves.get(self.next).copied();
        self.next += 1;
        scored
    }

    /// The best of the moves not yet handed out, by selection: most nodes look at few of them.
    fn pick_best(&mut self) -> Option<Scored> {
        let rest = self.moves.get_mut(self.next..)?;
        let (mut best, mut best_score) = (0, rest.first()?.score);
        for (place, scored) in rest.iter().enumerate().skip(1) {
            if scored.score > best_score {
                (best, best_score) = (place, scored.score);
            }
        }
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0])
    }
}

/// Captures rank above quiet moves, dear victims above cheap ones; within that, history decides.
#[inline]
fn score_of(position: &Position, history: &History, mv: Move, before: [Continuation; 2]) -> i32 {
    const CAPTURE: i32 = 1 << 20;
    /// How many points of history one centipawn of the victim outweighs.
    const VICTIM: Value = 4;
    let Some(piece) = position.piece_on(mv.from()) else { return 0 };
    match position.piece_on(mv.to()) {
        Some(victim) => {
            let kind = victim.kind();
            CAPTURE + VICTIM * exchange_value(kind) + history.capture(piece, mv.to(), kind) / 16
        }
        None => history.quiet(position.side(), piece, mv, before),
    }
}
