//! Books of ElephantEye.
//!
//! Such a book stores only a hash key of each position, so its moves are found by playing: [`walk`] follows the moves
//! of the book from the start of the game.
//!
//! The file (`BOOK.DAT`) consists of records of eight bytes, sorted by key; all integers are little-endian:
//!
//! | bytes | |
//! |---|---|
//! | 0–3 | key of the position |
//! | 4 | from square |
//! | 5 | to square |
//! | 6–7 | weight |
//!
//! Squares are numbered in rows of sixteen from Black's side: a9 is 0x33, i9 0x3B, a0 0xC3, i0 0xCB.
//!
//! The key of a position is the XOR of one word for each piece on its square, and of one more if Black is to move. The
//! words come from the RC4 key stream of an all-zero key. Four bytes make a word; of three successive words only the
//! last is used here, the others belong to other uses. The first triple is that of Black to move; 256 triples for each
//! piece follow: king, advisor, elephant, horse, rook, cannon and pawn of Red, then of Black.
//!
//! A position is stored once, either as it is or mirrored; a symmetric position has each move and its mirror image.
//! Since a move that lost more than it won is omitted, the replies of the loser are often missing.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::LazyLock;

use crate::book::{BookError, BookKey, Record, Statistics};
use crate::position::Position;
use crate::types::{Move, Piece, Side, Square};

const MAX_MOVES: usize = 50_000_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForeignMove {
    pub key: u32,
    /// Move on the board that has this key.
    pub mv: Move,
    /// Weight relative to the other moves of the position.
    pub weight: u16,
}

#[derive(Clone, Debug)]
pub struct ForeignBook {
    /// Sorted by key.
    pub moves: Vec<ForeignMove>,
}

impl ForeignBook {
    /// Returns whether the book has moves for the position or its mirror image.
    fn has_key_of(&self, position: &Position) -> bool {
        keys(position).into_iter().any(|key| !self.range(key).is_empty())
    }

    /// Returns the legal moves of a position with their indices. Another position may have the same key.
    fn moves_of(&self, position: &Position) -> Vec<(usize, ForeignMove)> {
        let [own, reflected] = keys(position).map(|key| self.range(key));
        let own = own.map(|number| (number, self.moves[number]));
        let reflected = reflected.map(|number| {
            let known = self.moves[number];
            (number, ForeignMove { mv: known.mv.mirrored(), ..known })
        });
        own.chain(reflected).filter(|(_, known)| position.can_play(known.mv)).collect()
    }

    fn range(&self, key: u32) -> std::ops::Range<usize> {
        let first = self.moves.partition_point(|known| known.key < key);
        let length = self.moves[first..].iter().take_while(|known| known.key == key).count();
        first..first + length
    }
}

/// Decodes a square number: rows of sixteen from Black's side, with a9 at 0x33 and i0 at 0xCB.
fn square_of(number: u8) -> Option<Square> {
    Some(Square::from_raw(number ^ 0xF0)).filter(|square| square.is_on_board())
}

/// Encodes a square number; see [`square_of`].
fn number_of(square: Square) -> u8 {
    square.raw() as u8 ^ 0xF0
}

/// Word of Black to move, and those of each piece, in the order of [`Piece::ALL`], by square number.
static WORDS: LazyLock<(u32, Vec<[u32; 256]>)> = LazyLock::new(|| {
    let mut byte = rc4_stream();
    let mut draw = || {
        let triple: [u32; 3] = std::array::from_fn(|_| u32::from_le_bytes(std::array::from_fn(|_| byte())));
        triple[2]
    };
    (draw(), Piece::ALL.iter().map(|_| std::array::from_fn(|_| draw())).collect())
});

/// Returns the keys of a position and of its mirror image.
pub fn keys(position: &Position) -> [u32; 2] {
    let (black, pieces) = &*WORDS;
    let mut keys = [if position.side() == Side::Black { *black } else { 0 }; 2];
    for (words, piece) in pieces.iter().zip(Piece::ALL) {
        for square in position.squares(piece) {
            keys[0] ^= words[usize::from(number_of(*square))];
            keys[1] ^= words[usize::from(number_of(square.mirrored()))];
        }
    }
    keys
}

pub const MAX_POSITIONS: u32 = 5_000_000;

#[derive(Clone, PartialEq, Debug)]
pub struct Walked {
    pub records: Vec<Record>,
    /// Number of moves of the foreign book that were found.
    pub found: usize,
    pub is_cut_off: bool,
}

/// Position reached by the walk, stored as the move that leads to it.
struct Step {
    /// Index of the preceding step; `None` for a first move.
    before: Option<u32>,
    mv: Move,
}

/// Finds the moves of a book by a breadth-first search of the game tree.
///
/// In each position, the walk follows the moves of the book, and every other legal move that leads to a position of the
/// book, because books may lack the moves of one side. Mirror images are one position. A move stored more than once for
/// a position keeps the largest of its weights.
///
/// With 32-bit keys, some tried positions collide with a stored key by chance: with ten thousand keys, about five of a
/// million, since each position is tried in both orientations. Such a position is accepted if a move stored for its key
/// happens to be legal.
pub fn walk(book: &ForeignBook, max_positions: u32) -> Walked {
    let start = Position::start();
    let mut seen = HashSet::from([BookKey::new(&start).key]);
    let mut steps: Vec<Step> = Vec::new();
    let mut open: VecDeque<Option<u32>> = VecDeque::from([None]);
    let mut found = vec![false; book.moves.len()];
    let (mut records, mut is_cut_off) = (Vec::new(), false);
    while let Some(step) = open.pop_front() {
        let mut position = reached(&start, &steps, step);
        let known = book.moves_of(&position);
        known.iter().for_each(|(number, _)| found[*number] = true);
        records.extend(records_of(&position, &known));
        for mv in position.legal_moves() {
            let is_known = known.iter().any(|(_, known)| known.mv == mv);
            position.make(mv);
            let key = BookKey::new(&position).key;
            if (is_known || book.has_key_of(&position)) && !seen.contains(&key) {
                // The start position has no step.
                let number = steps.len() as u32;
                if number + 1 < max_positions {
                    seen.insert(key);
                    open.push_back(Some(number));
                    steps.push(Step { before: step, mv });
                } else {
                    is_cut_off = true;
                }
            }
            position.unmake();
        }
    }
    records.sort_unstable_by_key(Record::order);
    Walked { records, found: found.into_iter().filter(|found| *found).count(), is_cut_off }
}

fn reached(start: &Position, steps: &[Step], step: Option<u32>) -> Position {
    let numbers: Vec<u32> = std::iter::successors(step, |&number| steps[number as usize].before).collect();
    let mut position = start.clone();
    numbers.iter().rev().for_each(|&number| position.make(steps[number as usize].mv));
    position
}

fn records_of(position: &Position, known: &[(usize, ForeignMove)]) -> Vec<Record> {
    let book_key = BookKey::new(position);
    let mut moves: BTreeMap<(usize, usize), Record> = BTreeMap::new();
    for (_, known) in known {
        let mv = book_key.to_book(known.mv);
        let new = Record::new(book_key.key, mv, Statistics::default());
        let record = moves.entry((mv.from().index(), mv.to().index())).or_insert(new);
        record.base_weight = record.base_weight.max(known.weight);
    }
    moves.into_values().collect()
}

const RECORD_SIZE: usize = 8;

pub fn read_eleeye(bytes: &[u8]) -> Result<ForeignBook, BookError> {
    let refused = |fault: String| Err(BookError::Invalid(format!("this is not a book of ElephantEye: {fault}")));
    let (records, rest) = bytes.as_chunks::<RECORD_SIZE>();
    if bytes.is_empty() {
        return refused("the file is empty".to_owned());
    }
    if !rest.is_empty() {
        return refused(format!("its length of {} bytes is not a multiple of {RECORD_SIZE}", bytes.len()));
    }
    if records.len() > MAX_MOVES {
        return refused(format!("it has more than {MAX_MOVES} moves"));
    }
    let mut moves: Vec<ForeignMove> = Vec::new();
    for (number, &[a, b, c, d, from, to, low, high]) in (1..).zip(records) {
        let mv = square_of(from).zip(square_of(to)).filter(|(from, to)| from != to);
        let Some((from, to)) = mv else { return refused(format!("record {number} is not a move")) };
        let key = u32::from_le_bytes([a, b, c, d]);
        if moves.last().is_some_and(|last| last.key > key) {
            return refused(format!("record {number} is out of order"));
        }
        moves.push(ForeignMove { key, mv: Move::new(from, to), weight: u16::from_le_bytes([low, high]) });
    }
    Ok(ForeignBook { moves })
}

/// Returns the bytes of the RC4 key stream of an all-zero key.
fn rc4_stream() -> impl FnMut() -> u8 {
    let mut state: [u8; 256] = std::array::from_fn(|index| index as u8);
    let mut other = 0_u8;
    for index in 0..state.len() {
        other = other.wrapping_add(state[index]);
        state.swap(index, usize::from(other));
    }
    let (mut first, mut second) = (0_u8, 0_u8);
    move || {
        first = first.wrapping_add(1);
        second = second.wrapping_add(state[usize::from(first)]);
        state.swap(usize::from(first), usize::from(second));
        state[usize::from(state[usize::from(first)].wrapping_add(state[usize::from(second)]))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first bytes of the stream are published with other test vectors of RC4.
    #[test]
    fn the_stream_matches_published_rc4_vectors() {
        let mut byte = rc4_stream();
        let bytes: [u8; 8] = std::array::from_fn(|_| byte());
        assert_eq!(bytes, [0xDE, 0x18, 0x89, 0x41, 0xA3, 0x37, 0x5D, 0x3A]);
    }

    /// Computed by another program from the description above; the first and the third are keys of the book that comes
    /// with ElephantEye, with the moves that belong there.
    #[test]
    fn keys_match_the_description() {
        let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
        let cannon = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P";
        for (fen, key) in [
            (format!("{start} w"), 0x0526_56D5),
            (format!("{start} b"), 0x6238_505F),
            (format!("{cannon}/4C2C1/9/RNBAKABNR b"), 0x5396_644F),
            (format!("{cannon}/1C2C4/9/RNBAKABNR b"), 0xEB50_5D7D),
            ("4k4/9/9/9/9/9/9/9/9/3K5 w".to_owned(), 0x0439_0572),
        ] {
            assert_eq!(keys(&Position::from_fen(&fen).unwrap())[0], key, "{fen}");
        }
    }
}
