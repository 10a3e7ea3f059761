//! Compact encoding of numbers, moves and positions. The decoder checks everything.

use thiserror::Error;

use crate::position::{FenError, Position, Strictness, board_text};
use crate::types::{Move, Piece, Side, Square};

/// Error in the content of a record.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum RecordFault {
    /// The content ends too early.
    #[error("it ends too early")]
    TooShort,
    /// A number or code is out of range.
    #[error("a number is out of range")]
    Number,
    /// The start position is invalid.
    #[error("invalid position: {0}")]
    Position(#[from] FenError),
    /// A move is illegal.
    #[error("ply {ply}: {mv} is not legal")]
    Move {
        /// Ply of the game, from 1.
        ply: usize,
        /// The move.
        mv: Move,
    },
    /// A score is out of range.
    #[error("ply {ply}: {score} is not a score")]
    Score {
        /// Ply of the game, from 1.
        ply: usize,
        /// The value read.
        score: i64,
    },
    /// The game does not fit into a record.
    #[error("it has too many moves")]
    TooLong,
}

/// Bytes of the occupancy mask, one bit per square.
const OCCUPANCY_BYTES: usize = Square::COUNT.div_ceil(8);

/// Appends a number in base 128, seven bits per byte, lowest first; the high bit says that more bytes follow.
pub(super) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a signed number in zigzag order: 0, −1, 1, −2, … become 0, 1, 2, 3, …
pub(super) fn put_signed(out: &mut Vec<u8>, number: i32) {
    put_number(out, u64::from(((number << 1) ^ (number >> 31)) as u32));
}

/// Appends a move as 90 · from + to with squares counted from a0 to i9, little-endian.
pub(super) fn put_move(out: &mut Vec<u8>, mv: Move) {
    let word = mv.from().index() * Square::COUNT + mv.to().index();
    out.extend_from_slice(&(word as u16).to_le_bytes());
}

/// Appends a position without its history: the occupied squares, the pieces on them, and the counters.
pub(super) fn put_position(out: &mut Vec<u8>, position: &Position) {
    let pieces: Vec<(Square, Piece)> =
        Square::all().filter_map(|square| Some((square, position.piece_on(square)?))).collect();
    let mut occupied = [0; OCCUPANCY_BYTES];
    pieces.iter().for_each(|(square, _)| occupied[square.index() / 8] |= 1 << (square.index() % 8));
    out.extend_from_slice(&occupied);
    let code = |man: Option<&(Square, Piece)>| man.map_or(0, |&(_, piece)| piece_code(piece));
    out.extend(pieces.chunks(2).map(|pair| code(pair.first()) | code(pair.get(1)) << 4));
    out.push(position.side().index() as u8);
    put_number(out, position.plies_since_capture() as u64);
    put_number(out, position.move_number() as u64);
}

fn piece_code(piece: Piece) -> u8 {
    Piece::ALL.iter().position(|&other| other == piece).unwrap_or(0) as u8
}

/// Decoder that consumes a byte slice from the front.
#[derive(Clone, Debug)]
pub(super) struct ByteReader<'a>(pub &'a [u8]);

impl ByteReader<'_> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> Result<u8, RecordFault> {
        let (&first, rest) = self.0.split_first().ok_or(RecordFault::TooShort)?;
        self.0 = rest;
        Ok(first)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], RecordFault> {
        let (first, rest) = self.0.split_first_chunk().ok_or(RecordFault::TooShort)?;
        self.0 = rest;
        Ok(*first)
    }

    /// Reads a number in the only form that [`put_number`] writes.
    pub fn number(&mut self) -> Result<u64, RecordFault> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7F);
            if part << shift >> shift != part || (byte == 0 && shift > 0) {
                return Err(RecordFault::Number);
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(RecordFault::Number)
    }

    pub fn signed(&mut self) -> Result<i32, RecordFault> {
        let number = u32::try_from(self.number()?).map_err(|_| RecordFault::Number)?;
        Ok((number >> 1) as i32 ^ -((number & 1) as i32))
    }

    /// Reads a move without a test whether it is legal.
    pub fn read_move(&mut self) -> Result<Move, RecordFault> {
        let word = usize::from(u16::from_le_bytes(self.array()?));
        if word >= Square::COUNT * Square::COUNT {
            return Err(RecordFault::Number);
        }
        Ok(Move::new(Square::from_index(word / Square::COUNT), Square::from_index(word % Square::COUNT)))
    }

    pub fn position(&mut self) -> Result<Position, RecordFault> {
        let occupied: [u8; OCCUPANCY_BYTES] = self.array()?;
        let mut board = [None; Square::COUNT];
        let mut pair = None;
        for index in 0..OCCUPANCY_BYTES * 8 {
            if occupied[index / 8] >> (index % 8) & 1 == 0 {
                continue;
            }
            let square = board.get_mut(index).ok_or(RecordFault::Number)?;
            let code = match pair.take() {
                Some(second) => second,
                None => {
                    let byte = self.byte()?;
                    pair = Some(byte >> 4);
                    byte & 15
                }
            };
            *square = Some(*Piece::ALL.get(usize::from(code)).ok_or(RecordFault::Number)?);
        }
        if pair.is_some_and(|unused| unused != 0) {
            return Err(RecordFault::Number);
        }
        let side = match self.byte()? {
            0 => Side::Red,
            1 => Side::Black,
            _ => return Err(RecordFault::Number),
        };
        let (plies_since_capture, move_number) = (self.number()?, self.number()?);
        // Only a FEN sets the plies since the last capture, and the FEN parser validates the whole position.
        let pieces = board_text(|square| board[square.index()]);
        let fen =
            format!("{pieces} {} - - {plies_since_capture} {move_number}", if side == Side::Red { 'w' } else { 'b' });
        let parsed = Position::parse_fen(&fen, Strictness::Lax)?;
        let is_exact = parsed.warnings.is_empty() && parsed.position.move_number() as u64 == move_number;
        if is_exact { Ok(parsed.position) } else { Err(RecordFault::Number) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip_in_one_encoding_only() {
        for number in (0..64).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit, u64::MAX >> bit]) {
            let mut bytes = Vec::new();
            put_number(&mut bytes, number);
            let mut source = ByteReader(&bytes);
            assert_eq!((source.number(), source.is_empty()), (Ok(number), true));
        }
        for number in [0, 1, -1, 63, -64, 64, 20_001, -20_001, i32::MAX, i32::MIN] {
            let mut bytes = Vec::new();
            put_signed(&mut bytes, number);
            assert_eq!(ByteReader(&bytes).signed(), Ok(number));
            assert!(number.unsigned_abs() > 64 || number == 64 || bytes.len() == 1);
        }
        for bytes in
            [&[][..], &[0x80], &[0x80, 0], &[0xFF; 9], &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2]]
        {
            assert!(ByteReader(bytes).number().is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn positions_round_trip() {
        let fens = [
            crate::position::START_FEN,
            "3ak4/9/9/9/9/9/9/9/4A4/4K3R b - - 17 41",
            "3a5/4c4/4k4/9/9/9/4p4/8B/4A4/3A1KB2 b - - 119 100000",
        ];
        for fen in fens {
            let position = Position::from_fen(fen).unwrap();
            let mut bytes = Vec::new();
            put_position(&mut bytes, &position);
            assert!(bytes.len() <= 12 + 16 + 1 + 1 + 3);
            let mut source = ByteReader(&bytes);
            assert_eq!((source.position(), source.is_empty()), (Ok(position), true));
            for length in 0..bytes.len() {
                assert!(ByteReader(&bytes[..length]).position().is_err());
            }
        }
    }
}
