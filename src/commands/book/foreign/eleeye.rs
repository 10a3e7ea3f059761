//! ElephantEye book format (`BOOK.DAT`).
//!
//! The file consists of records of eight bytes, sorted by key; all integers are little-endian:
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

use std::sync::LazyLock;

use super::{ForeignBook, ForeignError, ForeignMove, KeyTable, MAX_MOVES, square_of};
use crate::book::Statistics;
use crate::position::Position;
use crate::types::{Move, Side};

/// Name of the format in messages.
const FORMAT: &str = "ElephantEye";
/// Size of a record in bytes.
const RECORD_SIZE: usize = 8;

/// Reads an ElephantEye book.
///
/// # Errors
/// [`ForeignError`] if the bytes are not such a book.
pub fn read_eleeye(bytes: &[u8]) -> Result<ForeignBook, ForeignError> {
    let (records, rest) = bytes.as_chunks::<RECORD_SIZE>();
    if bytes.is_empty() {
        return Err(ForeignError::Empty);
    }
    if !rest.is_empty() {
        return Err(ForeignError::Length { format: FORMAT, found: bytes.len(), record: RECORD_SIZE });
    }
    if records.len() > MAX_MOVES {
        return Err(ForeignError::TooMany(MAX_MOVES));
    }
    let mut moves: Vec<ForeignMove> = Vec::new();
    for (index, record) in records.iter().enumerate() {
        let fault = |fault| ForeignError::Record { format: FORMAT, number: index + 1, fault };
        let known = read_record(record).ok_or_else(|| fault("is not a move"))?;
        if moves.last().is_some_and(|last| last.key > known.key) {
            return Err(fault("is out of order"));
        }
        moves.push(known);
    }
    Ok(ForeignBook::new(KEY_TABLE.clone(), moves))
}

fn read_record(record: &[u8; RECORD_SIZE]) -> Option<ForeignMove> {
    let [a, b, c, d, from, to, low, high] = *record;
    let (from, to) = (square_of(from)?, square_of(to)?);
    let mv = Some(Move::new(from, to)).filter(|_| from != to)?;
    let key = u64::from(u32::from_le_bytes([a, b, c, d]));
    Some(ForeignMove { key, mv, weight: u16::from_le_bytes([low, high]), statistics: Statistics::default() })
}

/// Returns the ElephantEye key of a position in this orientation.
///
/// ```
/// use chuhe::position::Position;
/// use chuhe::commands::book::foreign::eleeye_key;
/// assert_eq!(eleeye_key(&Position::start()), 0x0526_56D5);
/// ```
pub fn eleeye_key(position: &Position) -> u32 {
    // All words fit in 32 bits.
    KEY_TABLE.keys(position)[0] as u32
}

/// Zobrist words of ElephantEye.
static KEY_TABLE: LazyLock<KeyTable> = LazyLock::new(|| {
    let mut stream = Stream::new();
    KeyTable::new(Side::Black, || {
        let triple: [u32; 3] = std::array::from_fn(|_| stream.word());
        u64::from(triple[2])
    })
});

/// RC4 key stream of an all-zero key.
struct Stream {
    state: [u8; 256],
    first: u8,
    second: u8,
}

impl Stream {
    fn new() -> Stream {
        let mut state: [u8; 256] = std::array::from_fn(|index| index as u8);
        let mut other = 0_u8;
        for index in 0..state.len() {
            other = other.wrapping_add(state[index]);
            state.swap(index, usize::from(other));
        }
        Stream { state, first: 0, second: 0 }
    }

    fn byte(&mut self) -> u8 {
        self.first = self.first.wrapping_add(1);
        self.second = self.second.wrapping_add(self.state[usize::from(self.first)]);
        self.state.swap(usize::from(self.first), usize::from(self.second));
        let sum = self.state[usize::from(self.first)].wrapping_add(self.state[usize::from(self.second)]);
        self.state[usize::from(sum)]
    }

    fn word(&mut self) -> u32 {
        u32::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first bytes of the stream are published with other test vectors of RC4.
    #[test]
    fn the_stream_matches_published_rc4_vectors() {
        let mut stream = Stream::new();
        let bytes: [u8; 8] = std::array::from_fn(|_| stream.byte());
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
            assert_eq!(eleeye_key(&Position::from_fen(&fen).unwrap()), key, "{fen}");
        }
    }
}
