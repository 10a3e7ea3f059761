//! One position: the board and what can be done on it.
//!
//! Answers where the men stand, which moves there are, whether they are legal, what they attack and what an exchange
//! yields. It keeps the moves that led here, but what a *history* means (repetition, limits) is not its business, nor
//! is what a position is worth.
//!
//! The board is a 16×16 mailbox. Beside it stand, always consistent with it, a list of squares per piece, the occupancy
//! word of every rank and file (see [`crate::tables::lines`]) and Zobrist keys.

mod attack;
mod fen;
mod generate;
mod legal;
mod make;
mod observer;
mod perft;
mod play;
mod see;
mod validate;

use crate::tables::{lines, zobrist};
use crate::types::{Move, Piece, PieceKind, Side, Square};

pub use fen::{FenError, FenWarning, ParsedFen, board_text};
pub use legal::CheckInfo;
pub use observer::PieceObserver;
pub use perft::{perft, perft_by_making, perft_divided};
pub use play::{MoveFault, PlayError};
pub use see::exchange_value;
pub use validate::{Strictness, ValidityError};

/// How many men of one kind a side may have: the size of a piece list.
const LIST_SIZE: usize = 16;

/// The position a game starts from.
pub const START_FEN: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// A position, and the moves that led to it.
#[derive(Clone, Debug)]
pub struct Position {
    board: [Option<Piece>; 256],
    /// For an occupied square, the place of its man in that piece's list.
    places: [u8; 256],
    lists: [[Square; LIST_SIZE]; Piece::TABLE_SIZE],
    counts: [u8; Piece::TABLE_SIZE],
    rank_occupancies: [u16; 16],
    file_occupancies: [u16; 16],
    key: u64,
    /// One key for each piece; any grouping of them is an XOR.
    piece_keys: [u64; Piece::TABLE_SIZE],
    side: Side,
    /// The length of the history right after the last capture; negative when that lies before its start.
    capture_at: i32,
    /// The length of the history right after the last null move, 0 without one.
    null_at: i32,
    /// Twice the move number of the start of the history, plus one if Black was to move there.
    first_half_move: u32,
    history: Vec<Played>,
}

/// A move that was played, with what is needed to take it back.
#[derive(Clone, Copy, Debug)]
pub struct Played {
    /// The key of the position before the move.
    pub key: u64,
    /// The move; [`Move::NONE`] for a null move.
    pub mv: Move,
    /// What it captured.
    pub captured: Option<Piece>,
    captured_place: u8,
    /// `capture_at` before a capture, `null_at` before a null move; not used by other moves.
    earlier_boundary: i32,
}

impl Position {
    /// The position a game starts from.
    pub fn start() -> Position {
        match Position::from_fen(START_FEN) {
            Ok(position) => position,
            Err(error) => unreachable!("the start position is valid: {error}"),
        }
    }

    /// A board without men, Red to move. It is no valid position yet.
    fn empty() -> Position {
        Position {
            board: [None; 256],
            places: [0; 256],
            lists: [[Square::from_raw(0); LIST_SIZE]; Piece::TABLE_SIZE],
            counts: [0; Piece::TABLE_SIZE],
            rank_occupancies: [0; 16],
            file_occupancies: [0; 16],
            key: 0,
            piece_keys: [0; Piece::TABLE_SIZE],
            side: Side::Red,
            capture_at: 0,
            null_at: 0,
            first_half_move: 2,
            history: Vec::new(),
        }
    }

    /// The side to move.
    #[inline(always)]
    pub fn side(&self) -> Side {
        self.side
    }

    /// The man on `square`.
    #[inline(always)]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board[square.raw()]
    }

    /// Where the men of this piece stand, in no particular order.
    #[inline(always)]
    pub fn squares(&self, piece: Piece) -> &[Square] {
        &self.lists[piece.index()][..self.count(piece)]
    }

    /// How many men of this piece are on the board.
    #[inline(always)]
    pub fn count(&self, piece: Piece) -> usize {
        // The bound is always met; naming it spares a panic path.
        (self.counts[piece.index()] as usize).min(LIST_SIZE)
    }

    /// Where the king of `side` stands.
    #[inline(always)]
    pub fn king(&self, side: Side) -> Square {
        self.lists[Piece::new(side, PieceKind::King).index()][0]
    }

    /// All men and where they stand.
    pub fn pieces(&self) -> impl Iterator<Item = (Piece, Square)> + '_ {
        Piece::ALL.into_iter().flat_map(|piece| self.squares(piece).iter().map(move |&square| (piece, square)))
    }

    /// The occupancy of the rank that `square` lies on, bit 0 for file a.
    #[inline(always)]
    pub fn rank_occupancy(&self, square: Square) -> u16 {
        self.rank_occupancies[square.row()]
    }

    /// The occupancy of the file that `square` lies on, bit 0 for rank 0.
    #[inline(always)]
    pub fn file_occupancy(&self, square: Square) -> u16 {
        self.file_occupancies[square.column()]
    }

    /// The key of the whole position, side to move included.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The key of all pawns.
    pub fn pawn_key(&self) -> u64 {
        self.keys_of(Side::Red, &[PieceKind::Pawn]) ^ self.keys_of(Side::Black, &[PieceKind::Pawn])
    }

    /// The key of all advisors and elephants.
    pub fn minor_key(&self) -> u64 {
        const MINOR: [PieceKind; 2] = [PieceKind::Advisor, PieceKind::Elephant];
        self.keys_of(Side::Red, &MINOR) ^ self.keys_of(Side::Black, &MINOR)
    }

    /// The key of the men of one side without its pawns.
    pub fn non_pawn_key(&self, side: Side) -> u64 {
        self.keys_of(side, &PieceKind::ALL[..PieceKind::Pawn.index()])
    }

    fn keys_of(&self, side: Side, kinds: &[PieceKind]) -> u64 {
        kinds.iter().fold(0, |key, &kind| key ^ self.piece_keys[Piece::new(side, kind).index()])
    }

    /// Plies since the last capture, null moves included.
    #[inline(always)]
    pub fn plies_since_capture(&self) -> usize {
        (self.history.len() as i32 - self.capture_at) as usize
    }

    /// Plies that can be taken back without crossing a capture or a null move: no older position can recur.
    #[inline(always)]
    pub fn reversible_plies(&self) -> usize {
        let boundary = self.capture_at.max(self.null_at).max(0);
        self.history.len() - boundary as usize
    }

    /// The moves made on this position, oldest first.
    pub fn history(&self) -> &[Played] {
        &self.history
    }

    /// The number of the move about to be played, as a FEN counts them: it grows after Black's moves.
    pub fn move_number(&self) -> usize {
        (self.first_half_move as usize + self.history.len()) / 2
    }

    /// Whether the side has a rook, horse or cannon.
    #[inline(always)]
    pub fn has_major(&self, side: Side) -> bool {
        self.major_count(side) > 0
    }

    /// How many rooks, horses and cannons the side has.
    #[inline(always)]
    pub fn major_count(&self, side: Side) -> usize {
        self.count(Piece::new(side, PieceKind::Rook))
            + self.count(Piece::new(side, PieceKind::Horse))
            + self.count(Piece::new(side, PieceKind::Cannon))
    }

    /// How many rooks, horses, cannons and pawns both sides have together.
    #[inline(always)]
    pub fn attacker_count(&self) -> usize {
        let of_side = |side| self.major_count(side) + self.count(Piece::new(side, PieceKind::Pawn));
        of_side(Side::Red) + of_side(Side::Black)
    }

    /// The same position with the board reflected left to right. The history is dropped.
    pub fn mirrored(&self) -> Position {
        self.transformed(|piece| piece, Square::mirrored, self.side)
    }

    /// The same position with colours and ends of the board exchanged. The history is dropped.
    pub fn colour_flipped(&self) -> Position {
        self.transformed(|piece| Piece::new(!piece.side(), piece.kind()), Square::flipped, !self.side)
    }

    /// The same position with no more than its last `plies` moves to take back.
    pub fn with_recent_history(&self, plies: usize) -> Position {
        let dropped = self.history.len().saturating_sub(plies);
        Position {
            history: self.history[dropped..].to_vec(),
            capture_at: self.capture_at - dropped as i32,
            null_at: self.null_at - dropped as i32,
            first_half_move: self.first_half_move + dropped as u32,
            ..*self
        }
    }

    fn transformed(&self, man: impl Fn(Piece) -> Piece, place: impl Fn(Square) -> Square, side: Side) -> Position {
        let mut position = Position::empty();
        for (piece, square) in self.pieces() {
            position.put(man(piece), place(square));
        }
        position.set_counters(side, self.plies_since_capture(), self.move_number());
        position
    }

    /// Sets what a FEN says beside the board. There must be no history yet.
    fn set_counters(&mut self, side: Side, plies_since_capture: usize, move_number: usize) {
        if self.side != side {
            self.switch_side();
        }
        self.capture_at = -(plies_since_capture as i32);
        self.first_half_move = 2 * move_number as u32 + side.index() as u32;
    }

    #[inline(always)]
    fn switch_side(&mut self) {
        self.side = !self.side;
        self.key ^= zobrist::black_to_move();
    }

    /// Puts a man on an empty square. The caller has checked that its list has room.
    fn put(&mut self, piece: Piece, square: Square) {
        let place = self.counts[piece.index()];
        self.counts[piece.index()] += 1;
        self.lists[piece.index()][place as usize] = square;
        self.places[square.raw()] = place;
        self.board[square.raw()] = Some(piece);
        self.toggle_occupied(square);
        self.toggle_key(piece, zobrist::piece(piece, square));
    }

    #[inline(always)]
    fn toggle_occupied(&mut self, square: Square) {
        let (on_rank, on_file) = lines::occupancy_bits(square);
        self.rank_occupancies[square.row()] ^= on_rank;
        self.file_occupancies[square.column()] ^= on_file;
    }

    #[inline(always)]
    fn toggle_key(&mut self, piece: Piece, word: u64) {
        self.key ^= word;
        self.piece_keys[piece.index()] ^= word;
    }
}

impl PartialEq for Position {
    /// Same men on the same squares, same side to move, same counters; neither history nor list order matter.
    fn eq(&self, other: &Position) -> bool {
        self.board == other.board
            && self.side == other.side
            && self.plies_since_capture() == other.plies_since_capture()
            && self.move_number() == other.move_number()
    }
}

impl Eq for Position {}

impl Default for Position {
    fn default() -> Position {
        Position::start()
    }
}
