//! What a file of games holds, byte by byte.
//!
//! All numbers have their low byte first. "Number" stands for 1 to 10 bytes of seven bits each, from the low end; the
//! high bit of a byte says that another one follows. A file is a header and any number of records.
//!
//! | header | |
//! |---|---|
//! | 8 bytes | `CHUHEGAM` |
//! | 2 bytes | the version of the format, 1 |
//! | 4 bytes | how many bytes follow before the checksum, at most 65,536 |
//! | so many | the settings that the games were played with: a JSON object, the names of which are those of options |
//! | 4 bytes | CRC-32 (that of zip) of all that stands before |
//!
//! | record | |
//! |---|---|
//! | 2 bytes | C3 58 |
//! | 2 bytes | how many bytes follow before the checksum |
//! | number | which game it is |
//! | 1 byte | the result (0 unknown, 1 Red wins, 2 Black wins, 3 draw) + 4 · how it ended, see [`EndingKind`] |
//! | 1 byte | 0: it begins with the start of the game; 1: a position follows |
//! | 12 bytes | (position) the occupied points, one bit each from a0, b0, … to i9 |
//! | n ÷ 2 bytes | (position) the n men on them in that order, four bits each, the first one in the low half: 0 to 6 Red's king, advisor, elephant, horse, rook, cannon, pawn; 7 to 13 Black's; the last half byte may be left over and is 0 |
//! | 1 byte | (position) 0 if Red is to move, 1 if Black |
//! | number | (position) plies since the last capture |
//! | number | (position) the number of the move |
//! | number | m: how many moves were played before the first search |
//! | 2·m bytes | these moves: 90 · start + target each, the points counted from a0 to i9 |
//! | to the end | the moves that searches chose: 2 bytes for the move as above, and a number for its score |
//! | 4 bytes | CRC-32 of all that stands before, from the two bytes of the length on |
//!
//! A score is told by how far it is from the negated score before it (from 0 for the first), and that difference d by
//! the number 2·d, or −2·d − 1 if it is negative. Nothing can be written in two ways.

use std::hash::{DefaultHasher, Hash, Hasher};

use thiserror::Error;

use super::bytes::{Source, put_move, put_number, put_position, put_signed};
use super::{ScoredGame, ScoredMove};
use crate::notation::game::GameResult;
use crate::notation::openings::Opening;
use crate::position::{FenError, Position};
use crate::rules::Reason;
use crate::tools::matches::arbiter::Ending;
use crate::types::Move;
use crate::types::score::INFINITE;

/// What a file of games begins with.
pub const MAGIC: &[u8; 8] = b"CHUHEGAM";
pub(super) const VERSION: u16 = 1;
/// The most bytes that the settings in a header may have.
pub(super) const MOST_SETTINGS: usize = 1 << 16;
/// What every record begins with.
pub(super) const MARKER: [u8; 2] = [0xC3, 0x58];
/// The bytes of a record around its content.
pub(super) const FRAME: usize = 8;
/// The most bytes of a record.
pub(super) const MOST_RECORD: usize = FRAME + u16::MAX as usize;

/// What a file says of itself before its first game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The settings as JSON; see [`super::Settings::difference`].
    pub settings: String,
}

impl Header {
    /// Its bytes. Settings that are too long are cut off and cannot be read.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        let text = &self.settings.as_bytes()[..self.settings.len().min(MOST_SETTINGS)];
        bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        bytes.extend_from_slice(text);
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }
}

/// How a game ended, without its particulars.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
#[repr(u8)]
pub enum EndingKind {
    /// Nobody noted it.
    #[default]
    Unknown = 0,
    /// A king is mated.
    Checkmate = 1,
    /// A side cannot move.
    Stalemate = 2,
    /// A position occurred too often, whatever the verdict on that.
    Repetition = 3,
    /// Nothing was captured for too long.
    MoveLimit = 4,
    /// Nobody has enough men left to win.
    Material = 5,
    /// The scores agreed for long that a side wins.
    WinAgreed = 6,
    /// The scores agreed for long that nobody wins.
    DrawAgreed = 7,
    /// It was as long as a game may be.
    TooLong = 8,
}

impl EndingKind {
    /// All kinds with their names in texts.
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

    /// The kind of an ending.
    pub fn of(ending: &Ending) -> EndingKind {
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

    /// Its name in texts.
    pub fn name(self) -> &'static str {
        EndingKind::NAMED[self as usize].1
    }

    /// The kind of that name.
    ///
    /// ```
    /// use chuhe::tools::datagen::EndingKind;
    /// assert!(EndingKind::NAMED.iter().all(|&(kind, name)| EndingKind::from_name(name) == Some(kind) && kind.name() ==
    /// name));
    /// ```
    pub fn from_name(name: &str) -> Option<EndingKind> {
        EndingKind::NAMED.iter().find(|(_, other)| *other == name).map(|&(kind, _)| kind)
    }
}

/// A game as a file keeps it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Its number, which the random choices in it follow from.
    pub number: u64,
    /// How it began: what was played before the first search.
    pub opening: Opening,
    /// What searches chose.
    pub moves: Vec<ScoredMove>,
    /// How it ended.
    pub result: GameResult,
    /// Why it ended.
    pub ending: EndingKind,
}

/// Why the content of a record is no game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum RecordFault {
    /// It ends too early.
    #[error("it ends too early")]
    TooShort,
    /// A number that means nothing.
    #[error("a number in it means nothing")]
    Number,
    /// A start that is no position.
    #[error("invalid position: {0}")]
    Position(#[from] FenError),
    /// A move that cannot be played.
    #[error("ply {ply}: {mv} is not legal")]
    Move {
        /// Which move of the game, 1 for the first.
        ply: usize,
        /// The move.
        mv: Move,
    },
    /// A score that no search gives.
    #[error("ply {ply}: {score} is no score")]
    Score {
        /// Which move of the game, 1 for the first.
        ply: usize,
        /// The number.
        score: i64,
    },
    /// The game needs more bytes than a record may have.
    #[error("it has too many moves")]
    TooLong,
}

const RESULTS: [GameResult; 4] = [GameResult::Unknown, GameResult::RedWins, GameResult::BlackWins, GameResult::Draw];

impl GameRecord {
    /// The record with all that surrounds it in a file.
    ///
    /// # Errors
    /// [`RecordFault::TooLong`] for a game of more than some ten thousand moves.
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
        let checksum = checksum(&bytes[2..]);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        Ok(bytes)
    }

    /// The game in the content of a record, which is what stands between its length and its checksum.
    ///
    /// # Errors
    /// [`RecordFault`] when it is none.
    pub(super) fn read(content: &[u8]) -> Result<GameRecord, RecordFault> {
        let mut source = Source(content);
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
            let mv = source.a_move()?;
            play(mv)?;
            opening.moves.push(mv);
        }
        let mut moves = Vec::new();
        let mut expected = 0_i32;
        while !source.is_empty() {
            let mv = source.a_move()?;
            let ply = play(mv)?;
            let score = i64::from(expected) + i64::from(source.signed()?);
            let Some(score) = i32::try_from(score).ok().filter(|score| score.abs() <= INFINITE) else {
                return Err(RecordFault::Score { ply, score });
            };
            expected = -score;
            moves.push(ScoredMove { mv, score });
        }
        Ok(GameRecord { number, opening, moves, result: RESULTS[usize::from(outcome & 3)], ending })
    }

    /// The number of the game in a record whose content may be wrong otherwise.
    pub(super) fn read_number(content: &[u8]) -> Option<u64> {
        Source(content).number().ok()
    }

    /// The same for games of the same moves from the same start, whatever their numbers and scores, and another one for
    /// others but by a rare chance. It is good for this run of the program only.
    pub(super) fn key_of_moves(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.opening.start.key().hash(&mut hasher);
        self.all_moves().for_each(|mv| mv.bits().hash(&mut hasher));
        hasher.finish()
    }

    /// Whether the moves are those of another game, from the same start.
    pub(super) fn has_moves_of(&self, other: &GameRecord) -> bool {
        self.opening.start == other.opening.start && self.all_moves().eq(other.all_moves())
    }

    fn all_moves(&self) -> impl Iterator<Item = Move> {
        self.opening.moves.iter().copied().chain(self.moves.iter().map(|played| played.mv))
    }

    /// The scored part of the game.
    pub fn into_scored_game(self) -> ScoredGame {
        let start = self.opening.position().with_recent_history(0);
        ScoredGame { start, moves: self.moves, result: self.result }
    }

    /// The position at its end, with the whole game as its history.
    pub fn end(&self) -> Position {
        let mut position = self.opening.position();
        self.moves.iter().for_each(|played| position.make(played.mv));
        position
    }
}

/// The checksum of a record, from its length on.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}
