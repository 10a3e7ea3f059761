//! Format of a game file, byte by byte.
//!
//! All numbers are little-endian. "Number" stands for 1 to 10 bytes of seven bits each, lowest first; the high bit of a
//! byte says that another one follows. A file is a header and any number of records.
//!
//! | header | |
//! |---|---|
//! | 8 bytes | `CHUHEGAM` |
//! | 2 bytes | format version, 1 |
//! | 4 bytes | n, number of bytes before the checksum, at most 65,536 |
//! | n bytes | settings of the games: a JSON object whose keys are names of options |
//! | 4 bytes | CRC-32 (as in zip) of all bytes before it |
//!
//! | record | |
//! |---|---|
//! | 2 bytes | C3 58 |
//! | 2 bytes | number of bytes that follow before the checksum |
//! | number | number of the game |
//! | 1 byte | result (0 unknown, 1 Red wins, 2 Black wins, 3 draw) + 4 · kind of ending, see [`EndingKind`] |
//! | 1 byte | 0: the game starts from the start position; 1: a position follows |
//! | 12 bytes | (position) occupied squares, one bit each from a0, b0, … to i9 |
//! | n ÷ 2 bytes | (position) the n pieces on them in that order, four bits each, the first in the low half: 0 to 6 for Red's king, advisor, elephant, horse, rook, cannon, pawn; 7 to 13 for Black's; an unused half byte at the end is 0 |
//! | 1 byte | (position) 0 if Red is to move, 1 if Black |
//! | number | (position) plies since the last capture |
//! | number | (position) move number |
//! | number | m, number of moves before the first search |
//! | 2·m bytes | these moves, 90 · from + to each, with squares counted from a0 to i9 |
//! | to the end | moves chosen by searches: 2 bytes for the move as above, and a number for its score |
//! | 4 bytes | CRC-32 of all bytes before it, from the length on |
//!
//! A score is stored as its difference d to the negated score before it (to 0 for the first), as the number 2·d, or
//! −2·d − 1 if d is negative. Every game has exactly one encoding.

use thiserror::Error;

use crate::commands::matches::arbiter::Ending;
use crate::notation::game::GameResult;
use crate::notation::openings::Opening;
use crate::position::{FenError, Position, Strictness, board_text};
use crate::rules::Reason;
use crate::types::score::INFINITE;
use crate::types::{Move, Piece, Side, Square, Value};
use crate::util::math::StableHash;

/// First bytes of a game file.
pub const MAGIC: &[u8; 8] = b"CHUHEGAM";
pub(super) const VERSION: u16 = 1;
/// Maximum length of the settings in a header, in bytes.
pub(super) const MAX_SETTINGS: usize = 1 << 16;
/// First bytes of every record.
pub(super) const MARKER: [u8; 2] = [0xC3, 0x58];
/// Bytes of a record around its content: marker, length and checksum.
pub(super) const FRAME_BYTES: usize = 8;
/// Maximum length of a record, in bytes.
pub(super) const MAX_RECORD: usize = FRAME_BYTES + u16::MAX as usize;

/// Returns the header of a file with these settings, which are JSON. Settings beyond the maximum length are truncated
/// and do not parse any more.
pub(super) fn header_bytes(settings: &str) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    let text = &settings.as_bytes()[..settings.len().min(MAX_SETTINGS)];
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(text);
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
#[repr(u8)]
pub enum EndingKind {
    /// Not recorded.
    #[default]
    Unknown = 0,
    Checkmate = 1,
    Stalemate = 2,
    /// Repetition, whatever the verdict.
    Repetition = 3,
    /// Natural move limit: no capture for too long.
    MoveLimit = 4,
    /// Neither side has material to win.
    Material = 5,
    /// Win adjudicated by the scores of both sides.
    WinAgreed = 6,
    /// Draw adjudicated by the scores of both sides.
    DrawAgreed = 7,
    /// Maximum length of a game reached.
    TooLong = 8,
}

impl EndingKind {
    /// All kinds with their names in text files.
    pub const NAMED: [(EndingKind, &'static str); 9] = [
        (EndingKind::Unknown, "unknown"),
        (EndingKind::Checkmate, "checkmate"),
        (EndingKind::Stalemate, "stalemate"),
        (EndingKind::Repetition, "repetition"),
        (EndingKind::MoveLimit, "move limit"),
        (EndingKind::Material, "material"),
        (EndingKind::WinAgreed, "win agreed"),
        (EndingKind::DrawAgreed, "draw agreed"),
        (EndingKind::TooLong, "too long"),
    ];

    pub fn from_ending(ending: &Ending) -> EndingKind {
        match ending {
            Ending::Rules(verdict) => match verdict.reason() {
                None => EndingKind::Unknown,
                Some(Reason::Checkmate(_)) => EndingKind::Checkmate,
                Some(Reason::Stalemate(_)) => EndingKind::Stalemate,
                Some(Reason::Repetition(_)) => EndingKind::Repetition,
                Some(Reason::MoveLimit(_)) => EndingKind::MoveLimit,
                Some(Reason::Material) => EndingKind::Material,
            },
            Ending::WinAgreed(_) => EndingKind::WinAgreed,
            Ending::DrawAgreed => EndingKind::DrawAgreed,
            Ending::TooLong(_) => EndingKind::TooLong,
        }
    }

    /// Returns the name used in text files.
    pub fn name(self) -> &'static str {
        EndingKind::NAMED[self as usize].1
    }

    pub fn from_name(name: &str) -> Option<EndingKind> {
        EndingKind::NAMED.iter().find(|(_, other)| *other == name).map(|&(kind, _)| kind)
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RecordFault {
    #[error("it ends too early")]
    TooShort,
    #[error("a number is out of range")]
    Number,
    #[error("invalid position: {0}")]
    Position(#[from] FenError),
    #[error("ply {ply}: {mv} is not legal")]
    Move { ply: usize, mv: Move },
    #[error("ply {ply}: {score} is not a score")]
    Score { ply: usize, score: i64 },
    #[error("it has too many moves")]
    TooLong,
}

/// Move with the score of the search that chose it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoredMove {
    pub mv: Move,
    /// Score in centipawns for the side that plays the move; see [`crate::types::score`] for mates.
    pub score: Value,
}

/// Game with the search score of every move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScoredGame {
    /// Position before the first scored move, without history.
    pub start: Position,
    pub moves: Vec<ScoredMove>,
    pub result: GameResult,
    pub ending: EndingKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Number of the game, which seeds its random choices.
    pub number: u64,
    /// Moves before the first search, with the position that they start from.
    pub opening: Opening,
    /// Moves chosen by searches, with their scores.
    pub moves: Vec<ScoredMove>,
    pub result: GameResult,
    pub ending: EndingKind,
}

const RESULTS: [GameResult; 4] = [GameResult::Unknown, GameResult::RedWins, GameResult::BlackWins, GameResult::Draw];

impl GameRecord {
    /// Returns the encoded record with marker, length and checksum.
    ///
    /// # Errors
    /// [`RecordFault::TooLong`] for games of more than roughly 20,000 moves.
    pub fn bytes(&self) -> Result<Vec<u8>, RecordFault> {
        let mut bytes = MARKER.to_vec();
        bytes.extend_from_slice(&[0; 2]);
        put_number(&mut bytes, self.number);
        let result = RESULTS.iter().position(|&result| result == self.result).unwrap_or(0) as u8;
        bytes.push(result | (self.ending as u8) << 2);
        if self.opening.start == Position::start() {
            bytes.push(0);
        } else {
            bytes.push(1);
            put_position(&mut bytes, &self.opening.start);
        }
        put_number(&mut bytes, self.opening.moves.len() as u64);
        self.opening.moves.iter().for_each(|&mv| put_move(&mut bytes, mv));
        let mut expected = 0;
        for played in &self.moves {
            put_move(&mut bytes, played.mv);
            put_signed(&mut bytes, played.score.wrapping_sub(expected));
            expected = played.score.wrapping_neg();
        }
        let length = u16::try_from(bytes.len() - 4).map_err(|_| RecordFault::TooLong)?;
        bytes[2..4].copy_from_slice(&length.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[2..]);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        Ok(bytes)
    }

    /// Decodes the content of a record, the bytes between its length and its checksum.
    pub(super) fn read(content: &[u8]) -> Result<GameRecord, RecordFault> {
        let mut source = ByteReader(content);
        let number = source.number()?;
        let outcome = source.byte()?;
        let ending = EndingKind::NAMED.get(usize::from(outcome >> 2)).ok_or(RecordFault::Number)?.0;
        let start = match source.byte()? {
            0 => Position::start(),
            1 => Some(source.position()?).filter(|start| *start != Position::start()).ok_or(RecordFault::Number)?,
            _ => return Err(RecordFault::Number),
        };
        let mut position = start.clone();
        let mut play = |mv: Move| {
            let ply = position.history().len() + 1;
            if !position.can_play(mv) {
                return Err(RecordFault::Move { ply, mv });
            }
            position.make(mv);
            Ok(ply)
        };
        let count = source.number()?;
        let mut opening = Opening { start, moves: Vec::new() };
        for _ in 0..count {
            let mv = source.read_move()?;
            play(mv)?;
            opening.moves.push(mv);
        }
        let mut moves = Vec::new();
        let mut expected = 0_i32;
        while !source.is_empty() {
            let mv = source.read_move()?;
            let ply = play(mv)?;
            let score = i64::from(expected) + i64::from(source.signed()?);
            let Some(score) = i32::try_from(score).ok().filter(|score| score.unsigned_abs() <= INFINITE.unsigned_abs())
            else {
                return Err(RecordFault::Score { ply, score });
            };
            expected = -score;
            moves.push(ScoredMove { mv, score });
        }
        Ok(GameRecord { number, opening, moves, result: RESULTS[usize::from(outcome & 3)], ending })
    }

    /// Iterator over all moves, also those before the first search.
    pub fn all_moves(&self) -> impl Iterator<Item = Move> {
        self.opening.moves.iter().copied().chain(self.moves.iter().map(|played| played.mv))
    }

    /// Returns the part of the game with scores.
    pub fn into_scored_game(self) -> ScoredGame {
        let start = self.opening.position().with_recent_history(0);
        ScoredGame { start, moves: self.moves, result: self.result, ending: self.ending }
    }

    /// Returns the final position with the whole game as its history.
    pub fn end(&self) -> Position {
        let mut position = self.opening.position();
        self.moves.iter().for_each(|played| position.make(played.mv));
        position
    }
}

/// Hash of a game: its start position and its moves.
pub fn game_key(start: &Position, moves: impl Iterator<Item = Move>) -> u64 {
    let of_start = StableHash::default().with(start.key());
    moves.fold(of_start, |hash, mv| hash.with(u64::from(mv.bits()))).value()
}

/// Bytes of the occupancy mask, one bit per square.
const OCCUPANCY_BYTES: usize = Square::COUNT.div_ceil(8);

/// Appends a number in base 128, seven bits per byte, lowest first; the high bit says that more bytes follow.
fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a signed number in zigzag order: 0, −1, 1, −2, … become 0, 1, 2, 3, …
fn put_signed(out: &mut Vec<u8>, number: i32) {
    put_number(out, u64::from(((number << 1) ^ (number >> 31)) as u32));
}

/// Appends a move as 90 · from + to with squares counted from a0 to i9, little-endian.
fn put_move(out: &mut Vec<u8>, mv: Move) {
    let word = mv.from().index() * Square::COUNT + mv.to().index();
    out.extend_from_slice(&(word as u16).to_le_bytes());
}

/// Appends a position without its history: the occupied squares, the pieces on them, and the counters.
fn put_position(out: &mut Vec<u8>, position: &Position) {
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
struct ByteReader<'a>(&'a [u8]);

impl ByteReader<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn byte(&mut self) -> Result<u8, RecordFault> {
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
    fn number(&mut self) -> Result<u64, RecordFault> {
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

    fn signed(&mut self) -> Result<i32, RecordFault> {
        let number = u32::try_from(self.number()?).map_err(|_| RecordFault::Number)?;
        Ok((number >> 1) as i32 ^ -((number & 1) as i32))
    }

    /// Reads a move without a test whether it is legal.
    fn read_move(&mut self) -> Result<Move, RecordFault> {
        let word = usize::from(u16::from_le_bytes(self.array()?));
        if word >= Square::COUNT * Square::COUNT {
            return Err(RecordFault::Number);
        }
        Ok(Move::new(Square::from_index(word / Square::COUNT), Square::from_index(word % Square::COUNT)))
    }

    fn position(&mut self) -> Result<Position, RecordFault> {
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
