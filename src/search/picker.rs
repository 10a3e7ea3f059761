//! Staged move picker.
//!
//! Moves are generated as late as possible, and exchanges computed only for the capture that is picked next and for
//! quiet checks. Every pseudo-legal move of the mode is returned exactly once, unless quiet moves are skipped; the
//! caller tests legality.

use arrayvec::ArrayVec;

use super::history::{History, HistoryKeys};
use super::params::{ORDER_CAPTURE, ORDER_CHECK_MARGIN, ORDER_VICTIM};
use crate::position::{CheckSquares, Position, exchange_value};
use crate::types::{MAX_MOVES, Move, MoveList, Piece, PieceKind, SquareSet};

/// Moves to pick if the position is not in check. In check all evasions are picked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PickerMode {
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
    /// Quiet moves, by history.
    Quiets,
    BadCaptures,
    /// Quiet moves with a bad history.
    BadQuiets,
    Evasions,
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
    check_squares: CheckSquares,
    table_move: Move,
    keys: HistoryKeys,
    moves: RankedMoves,
    bad_captures: ArrayVec<Move, MAX_MOVES>,
    next_bad: usize,
}

impl Picker {
    /// `check_squares` are those of `position`.
    #[inline(always)]
    pub fn new(
        position: &Position,
        check_squares: CheckSquares,
        in_check: bool,
        mode: PickerMode,
        table_move: Move,
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
            check_squares,
            table_move: if is_picked { table_move } else { Move::NONE },
            keys,
            moves: RankedMoves::new(),
            bad_captures: ArrayVec::new(),
            next_bad: 0,
        }
    }

    /// Skips the remaining quiet moves. Does not apply to evasions.
    pub fn skip_quiets(&mut self) {
        self.skips_quiets = true;
    }

    /// Returns the next move of the same position and its stage, or `None` after the last one.
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
                    let is_all = self.mode == PickerMode::All;
                    let ignores_exchanges = is_all && history.params().use_exchange_order() == 0;
                    while let Some((mv, rank)) = self.moves.pick_best(i32::MIN) {
                        let points = rank - ORDER_CAPTURE;
                        let threshold = if is_all { -points / history.params().order_exchange_divisor } else { 0 };
                        if ignores_exchanges || position.see_ge(mv, threshold) {
                            return Some((mv, Stage::GoodCaptures));
                        }
                        self.bad_captures.push(mv);
                    }
                    self.stage = if self.mode == PickerMode::Captures { Stage::Done } else { Stage::Quiets };
                    self.is_generated = false;
                }
                Stage::Quiets => {
                    let next = if self.skips_quiets {
                        None
                    } else if self.mode == PickerMode::CapturesAndChecks {
                        if !self.is_generated {
                            self.generate_checks(position);
                        }
                        self.moves.pick_first()
                    } else {
                        if !self.is_generated {
                            self.generate_quiets(position, history);
                        }
                        self.moves.pick_best(-history.params().order_bad_quiet).map(|(mv, _)| mv)
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
                    let next = if self.skips_quiets { None } else { self.moves.pick_best(i32::MIN) };
                    return next.map(|(mv, _)| (mv, Stage::BadQuiets));
                }
                Stage::Evasions => {
                    if !self.is_generated {
                        self.generate_evasions(position, history);
                    }
                    return self.moves.pick_best(i32::MIN).map(|(mv, _)| (mv, Stage::Evasions));
                }
                Stage::Done => return None,
            }
        }
    }

    /// Generates the captures, ranked by victim and history.
    #[inline(never)]
    fn generate_captures(&mut self, position: &Position, history: &History) {
        self.is_generated = true;
        self.moves.set(
            self.table_move,
            |list| position.captures(list),
            |moves, ranks| {
                ranks.extend(moves.iter().map(|&mv| rank_of_capture(position, history, mv).unwrap_or(0)));
            },
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
            self.table_move,
            |list| position.evasions(list),
            |moves, ranks| {
                ranks.extend(moves.iter().map(|&mv| rank_of(mv)));
            },
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
            self.table_move,
            |list| position.quiets(list),
            |moves, ranks| {
                ranks.extend(moves.iter().map(|&mv| params.order_threat * threats.relief(position, mv)));
                ranks.iter_mut().zip(moves).for_each(|(rank, &mv)| *rank += order(mv));
                if node.is_near_root() {
                    ranks.iter_mut().zip(moves).for_each(|(rank, &mv)| *rank += node.order_near_root(mv));
                }
            },
        );
        // Quiet checks that lose little come first, generated again: that takes less than asking every move.
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
            self.table_move,
            |list| position.quiet_checks(&self.check_squares, list),
            |moves, ranks| {
                ranks.extend(moves.iter().map(|_| 0));
            },
        );
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

    /// Returns the centipawns of the moving piece if it leaves such an attack, negated if it enters one, else 0.
    #[inline(always)]
    fn relief(&self, position: &Position, mv: Move) -> i32 {
        let Some(kind) = position.piece_on(mv.from()).map(Piece::kind) else { return 0 };
        let attacked = self.0[kind.index()];
        (i32::from(attacked.contains(mv.from())) - i32::from(attacked.contains(mv.to()))) * exchange_value(kind)
    }
}

/// Low bits of a key, which hold the complement of an index.
const INDEX_BITS: u32 = MAX_MOVES.ilog2();
const INDEX_MASK: i32 = MAX_MOVES as i32 - 1;
const _: () = assert!(MAX_MOVES == 1 << INDEX_BITS);

/// Ranks beyond ± this number count as this number.
const MAX_RANK: i32 = i32::MAX >> INDEX_BITS;

/// Keys that are compared at once. Compilers make vectors of such arrays, while a search for the best rank and its
/// index compares one after the other.
const LANES: usize = 8;

/// Rank or key of each move of a list, with room for [`LANES`] further keys.
type Ranks = ArrayVec<i32, { MAX_MOVES + LANES }>;

/// List of up to [`MAX_MOVES`] moves, from which the best ones are picked by selection: most nodes search only a few.
struct RankedMoves {
    /// In place of each picked move any, then the remaining ones.
    moves: MoveList,
    /// Rank of each move above the complement of its index, so that the first of the best moves has the greatest key;
    /// then [`LANES`] keys that are less than any other.
    keys: Ranks,
    /// Number of picked moves.
    picked: usize,
}

#[inline(always)]
fn key(rank: i32, index: usize) -> i32 {
    with_index(rank.clamp(-MAX_RANK, MAX_RANK) << INDEX_BITS, index)
}

/// Returns the key of the same rank with another index.
#[inline(always)]
fn with_index(key: i32, index: usize) -> i32 {
    key & !INDEX_MASK | !(index as i32) & INDEX_MASK
}

#[inline(always)]
fn rank(key: i32) -> i32 {
    key >> INDEX_BITS
}

impl RankedMoves {
    #[inline(always)]
    fn new() -> RankedMoves {
        RankedMoves { moves: ArrayVec::new(), keys: ArrayVec::new(), picked: 0 }
    }

    /// Replaces all moves by those that `append` appends, except `left_out`, with ranks by `append_ranks`.
    #[inline(always)]
    fn set(
        &mut self,
        left_out: Move,
        append: impl FnOnce(&mut MoveList),
        append_ranks: impl FnOnce(&[Move], &mut Ranks),
    ) {
        self.moves.clear();
        self.keys.clear();
        self.picked = 0;
        append(&mut self.moves);
        if !left_out.is_none()
            && let Some(index) = self.moves.iter().position(|&mv| mv == left_out)
        {
            self.moves.remove(index);
        }
        append_ranks(&self.moves, &mut self.keys);
        debug_assert_eq!(self.keys.len(), self.moves.len());
        for (index, entry) in self.keys.iter_mut().enumerate() {
            *entry = key(*entry, index);
        }
        self.keys.extend([i32::MIN; LANES]);
    }

    /// Adds points to the rank of a move, if it is among the remaining ones.
    #[inline(always)]
    fn add(&mut self, mv: Move, points: i32) {
        if let Some(index) = self.moves[self.picked..].iter().position(|&other| other == mv) {
            let index = self.picked + index;
            self.keys[index] = key(rank(self.keys[index]).saturating_add(points), index);
        }
    }

    /// Picks the first of the best of the remaining moves, if its rank is at least `least`, and returns it with its
    /// rank. The first of the remaining moves takes its place.
    #[inline(always)]
    fn pick_best(&mut self, least: i32) -> Option<(Move, i32)> {
        let rest = self.keys.get(self.picked..)?.as_chunks::<LANES>().0;
        // Before the first list there is no chunk, and after the last move one of additional keys only.
        let mut best = *rest.first()?;
        for chunk in &rest[1..] {
            for (best, &key) in best.iter_mut().zip(chunk) {
                *best = (*best).max(key);
            }
        }
        let best = best.into_iter().fold(i32::MIN, i32::max);
        if best == i32::MIN || rank(best) < least {
            return None;
        }
        let index = (!best & INDEX_MASK) as usize;
        let mv = self.moves[index];
        self.moves[index] = self.moves[self.picked];
        self.keys[index] = with_index(self.keys[self.picked], index);
        self.picked += 1;
        Some((mv, rank(best)))
    }

    /// Picks the first of the remaining moves, whatever its rank.
    #[inline(always)]
    fn pick_first(&mut self) -> Option<Move> {
        let mv = *self.moves.get(self.picked)?;
        self.picked += 1;
        Some(mv)
    }
}

#[cfg(test)]
mod tests {
    use rand::seq::{IndexedRandom, SliceRandom};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Picks from a plain list: the first of the best is exchanged with the first of the rest.
    fn pick_from(list: &mut Vec<(Move, i32)>, least: i32) -> Option<(Move, i32)> {
        let best = list.iter().map(|&(_, rank)| rank).max().filter(|&rank| rank >= least)?;
        let index = list.iter().position(|&(_, rank)| rank == best)?;
        list.swap(0, index);
        Some(list.remove(0))
    }

    #[test]
    fn moves_are_picked_as_from_a_plain_list() {
        let mut random = ChaCha8Rng::seed_from_u64(11);
        let mut ranked = RankedMoves::new();
        assert_eq!((ranked.pick_best(i32::MIN), ranked.pick_first()), (None, None));
        for length in (0..60).chain([MAX_MOVES - 1, MAX_MOVES]).flat_map(|length| [length; 8]) {
            let spread = *[1, 5, 40_000, MAX_RANK].choose(&mut random).unwrap();
            let mut bits: Vec<u16> = (1..=length as u16).collect();
            bits.shuffle(&mut random);
            let with_rank = |bits| (Move::from_bits(bits), random.random_range(-spread..=spread));
            let mut list: Vec<(Move, i32)> = bits.into_iter().map(with_rank).collect();
            let (moves, ranks): (Vec<Move>, Vec<i32>) = list.iter().copied().unzip();
            let left_out = match list.choose(&mut random) {
                Some(&(mv, _)) if random.random() => mv,
                _ => Move::from_bits(u16::MAX),
            };
            list.retain(|&(mv, _)| mv != left_out);
            let rank_of = |mv: &Move| ranks[moves.iter().position(|other| other == mv).unwrap()];
            ranked.set(
                left_out,
                |list| list.extend(moves.iter().copied()),
                |moves, list| {
                    list.extend(moves.iter().map(rank_of));
                },
            );
            for entry in list.iter_mut().filter(|_| random.random_ratio(1, 4)) {
                entry.1 = (entry.1 + 1_000).min(MAX_RANK);
                ranked.add(entry.0, 1_000);
            }
            ranked.add(Move::from_bits(u16::MAX), 1_000);
            while !list.is_empty() {
                if random.random_ratio(1, 8) {
                    assert_eq!(ranked.pick_first(), Some(list.remove(0).0));
                } else {
                    let least = random.random_range(-spread..=spread);
                    assert_eq!(ranked.pick_best(least), pick_from(&mut list, least));
                    assert_eq!(ranked.pick_best(i32::MIN), pick_from(&mut list, i32::MIN));
                }
            }
            assert_eq!((ranked.pick_best(i32::MIN), ranked.pick_first()), (None, None));
        }
    }
}
