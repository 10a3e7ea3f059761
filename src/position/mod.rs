//! Position: board, move generation, legality, attacks, static exchange evaluation, FEN and perft.
//!
//! The board is a 16×16 mailbox; piece lists, the squares of each side on every rank and file (see
//! [`crate::tables::lines`]) and Zobrist keys are updated with it. A position keeps the moves that led to it; what they
//! mean (repetition, limits) is up to [`crate::rules`].

mod attack;
mod checks;
mod fen;
mod generate;
mod legal;
mod make;
mod see;

use crate::tables::{lines, zobrist};
use crate::types::{Move, Piece, PieceKind, Side, Square, SquareSet};

pub use checks::CheckSquares;
pub use fen::{FenError, ParsedFen, Strictness, board_text};
pub(crate) use fen::{decode_address, side_from_word};
pub use generate::{perft, perft_by_making, perft_divided};
pub use legal::CheckInfo;
pub use make::{PieceObserver, PlayError};
pub use see::exchange_value;

/// Capacity of a piece list: the maximum number of equal pieces.
const LIST_SIZE: usize = 16;

/// FEN of the start position.
pub const START_FEN: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// Position with the moves that led to it.
#[derive(Clone, Debug)]
pub struct Position {
    board: [Option<Piece>; 256],
    /// Index of the piece on an occupied square in its piece list.
    slots: [u8; 256],
    lists: [[Square; LIST_SIZE]; Piece::TABLE_SIZE],
    counts: [u8; Piece::TABLE_SIZE],
    occupancies: [Occupancy; 2],
    /// The same as sets: line tables need ranks and files, attacks of groups of pieces need sets.
    occupied: [SquareSet; 2],
    key: u64,
    /// One key for each piece; any grouping of them is an XOR.
    piece_keys: [u64; Piece::TABLE_SIZE],
    side: Side,
    /// Length of the history right after the last capture; negative when that was before its start.
    last_capture_ply: i32,
    /// Length of the history right after the last null move, 0 without one.
    last_null_ply: i32,
    /// Twice the move number at the start of the history, plus one if Black was to move there.
    first_half_move: u32,
    history: Vec<Played>,
}

/// Set of squares by ranks and files, such as those of the pieces of one side. Off the board all words are 0.
#[derive(Clone, Copy, Debug)]
struct Occupancy {
    /// One word for each mailbox row, bit 0 for file a.
    ranks: [u16; 16],
    /// One word for each mailbox column, bit 0 for rank 0.
    files: [u16; 16],
}

impl Occupancy {
    const EMPTY: Occupancy = Occupancy { ranks: [0; 16], files: [0; 16] };

    /// Adds a square that is not in the set, or removes one that is.
    #[inline(always)]
    fn toggle(&mut self, square: Square) {
        let (on_rank, on_file) = lines::occupancy_bits(square);
        self.ranks[square.row()] ^= on_rank;
        self.files[square.column()] ^= on_file;
    }
}

/// Move of the history, with the data to unmake it.
#[derive(Clone, Copy, Debug)]
pub struct Played {
    /// Key of the position before the move.
    pub key: u64,
    /// The move; [`Move::NONE`] for a null move.
    pub mv: Move,
    /// Captured piece.
    pub captured: Option<Piece>,
    captured_slot: u8,
    /// `last_capture_ply` before a capture, `last_null_ply` before a null move; not used by other moves.
    previous_ply: i32,
}

impl Position {
    /// Returns the start position.
    pub fn start() -> Position {
        match Position::from_fen(START_FEN) {
            Ok(position) => position,
            Err(error) => unreachable!("the start position is valid: {error}"),
        }
    }

    /// Returns an empty board with Red to move, which is not a valid position yet.
    fn empty() -> Position {
        Position {
            board: [None; 256],
            slots: [0; 256],
            lists: [[Square::from_raw(0); LIST_SIZE]; Piece::TABLE_SIZE],
            counts: [0; Piece::TABLE_SIZE],
            occupancies: [Occupancy::EMPTY; 2],
            occupied: [SquareSet::EMPTY; 2],
            key: 0,
            piece_keys: [0; Piece::TABLE_SIZE],
            side: Side::Red,
            last_capture_ply: 0,
            last_null_ply: 0,
            first_half_move: 2,
            history: Vec::new(),
        }
    }

    /// Returns the side to move.
    #[inline(always)]
    pub fn side(&self) -> Side {
        self.side
    }

    /// Returns the piece on `square`.
    #[inline(always)]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board[square.raw()]
    }

    /// Returns the squares of this piece, in no particular order.
    #[inline(always)]
    pub fn squares(&self, piece: Piece) -> &[Square] {
        &self.lists[piece.index()][..self.count(piece)]
    }

    /// Returns the number of these pieces.
    #[inline(always)]
    pub fn count(&self, piece: Piece) -> usize {
        // The bound always holds; stating it removes a panic path.
        (self.counts[piece.index()] as usize).min(LIST_SIZE)
    }

    /// Returns the square of the king of `side`.
    #[inline(always)]
    pub fn king(&self, side: Side) -> Square {
        self.lists[Piece::new(side, PieceKind::King).index()][0]
    }

    /// Iterates over all pieces and their squares.
    pub fn pieces(&self) -> impl Iterator<Item = (Piece, Square)> + '_ {
        Piece::ALL.into_iter().flat_map(|piece| self.squares(piece).iter().map(move |&square| (piece, square)))
    }

    /// Returns the squares of all pieces of `side`.
    #[inline(always)]
    pub fn occupied_by(&self, side: Side) -> SquareSet {
        self.occupied[side.index()]
    }

    /// Returns the occupancy of the rank of `square`, bit 0 for file a.
    #[inline(always)]
    pub fn rank_occupancy(&self, square: Square) -> u16 {
        let [red, black] = &self.occupancies;
        red.ranks[square.row()] | black.ranks[square.row()]
    }

    #[inline(always)]
    fn rank_occupancies(&self) -> [u16; 16] {
        let [red, black] = &self.occupancies;
        std::array::from_fn(|row| red.ranks[row] | black.ranks[row])
    }

    #[inline(always)]
    fn file_occupancies(&self) -> [u16; 16] {
        let [red, black] = &self.occupancies;
        std::array::from_fn(|column| red.files[column] | black.files[column])
    }

    /// Returns the occupancy of the file of `square`, bit 0 for rank 0.
    #[inline(always)]
    pub fn file_occupancy(&self, square: Square) -> u16 {
        let [red, black] = &self.occupancies;
        red.files[square.column()] | black.files[square.column()]
    }

    /// Returns the Zobrist key, side to move included.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Returns the key of all pawns.
    pub fn pawn_key(&self) -> u64 {
        self.keys_of(Side::Red, &[PieceKind::Pawn]) ^ self.keys_of(Side::Black, &[PieceKind::Pawn])
    }

    /// Returns the key of all advisors and elephants.
    pub fn minor_key(&self) -> u64 {
        const MINOR: [PieceKind; 2] = [PieceKind::Advisor, PieceKind::Elephant];
        self.keys_of(Side::Red, &MINOR) ^ self.keys_of(Side::Black, &MINOR)
    }

    /// Returns the key of the pieces of one side without its pawns.
    pub fn non_pawn_key(&self, side: Side) -> u64 {
        self.keys_of(side, &PieceKind::ALL[..PieceKind::Pawn.index()])
    }

    fn keys_of(&self, side: Side, kinds: &[PieceKind]) -> u64 {
        kinds.iter().fold(0, |key, &kind| key ^ self.piece_keys[Piece::new(side, kind).index()])
    }

    /// Returns the plies since the last capture, null moves included.
    #[inline(always)]
    pub fn plies_since_capture(&self) -> usize {
        (self.history.len() as i32 - self.last_capture_ply) as usize
    }

    /// Returns the plies since the last capture or null move: no older position can recur.
    #[inline(always)]
    pub fn reversible_plies(&self) -> usize {
        let boundary = self.last_capture_ply.max(self.last_null_ply).max(0);
        self.history.len() - boundary as usize
    }

    /// Returns the moves that led to this position, oldest first.
    pub fn history(&self) -> &[Played] {
        &self.history
    }

    /// Returns the number of the next full move, as in a FEN: it grows after Black's moves.
    pub fn move_number(&self) -> usize {
        (self.first_half_move as usize + self.history.len()) / 2
    }

    /// Tells whether the side has a rook, horse or cannon.
    #[inline(always)]
    pub fn has_major(&self, side: Side) -> bool {
        self.major_count(side) > 0
    }

    /// Returns the number of rooks, horses and cannons of the side.
    #[inline(always)]
    pub fn major_count(&self, side: Side) -> usize {
        self.count(Piece::new(side, PieceKind::Rook))
            + self.count(Piece::new(side, PieceKind::Horse))
            + self.count(Piece::new(side, PieceKind::Cannon))
    }

    /// Returns the number of rooks, horses, cannons and pawns of both sides.
    #[inline(always)]
    pub fn attacker_count(&self) -> usize {
        let of_side = |side| self.major_count(side) + self.count(Piece::new(side, PieceKind::Pawn));
        of_side(Side::Red) + of_side(Side::Black)
    }

    /// Returns the position mirrored left to right, without history.
    pub fn mirrored(&self) -> Position {
        self.transformed(|piece| piece, Square::mirrored, self.side)
    }

    /// Returns the position with colours and ranks exchanged, without history.
    pub fn colour_flipped(&self) -> Position {
        self.transformed(|piece| Piece::new(!piece.side(), piece.kind()), Square::flipped, !self.side)
    }

    /// Returns the position with at most the last `plies` moves of its history.
    pub fn with_recent_history(&self, plies: usize) -> Position {
        let dropped = self.history.len().saturating_sub(plies);
        Position {
            history: self.history[dropped..].to_vec(),
            last_capture_ply: self.last_capture_ply - dropped as i32,
            last_null_ply: self.last_null_ply - dropped as i32,
            first_half_move: self.first_half_move + dropped as u32,
            ..*self
        }
    }

    fn transformed(
        &self,
        map_piece: impl Fn(Piece) -> Piece,
        map_square: impl Fn(Square) -> Square,
        side: Side,
    ) -> Position {
        let mut position = Position::empty();
        for (piece, square) in self.pieces() {
            position.put(map_piece(piece), map_square(square));
        }
        position.set_counters(side, self.plies_since_capture(), self.move_number());
        position
    }

    fn set_counters(&mut self, side: Side, plies_since_capture: usize, move_number: usize) {
        if self.side != side {
            self.switch_side();
        }
        self.last_capture_ply = -(plies_since_capture as i32);
        self.first_half_move = 2 * move_number as u32 + side.index() as u32;
    }

    #[inline(always)]
    fn switch_side(&mut self) {
        self.side = !self.side;
        self.key ^= zobrist::black_to_move();
    }

    /// Puts a piece on an empty square. Its list must have room.
    fn put(&mut self, piece: Piece, square: Square) {
        let slot = self.counts[piece.index()];
        self.counts[piece.index()] += 1;
        self.lists[piece.index()][slot as usize] = square;
        self.slots[square.raw()] = slot;
        self.board[square.raw()] = Some(piece);
        self.toggle_occupied(piece.side(), square);
        self.toggle_key(piece, zobrist::piece(piece, square));
    }

    #[inline(always)]
    fn toggle_occupied(&mut self, side: Side, square: Square) {
        self.occupancies[side.index()].toggle(square);
        self.occupied[side.index()] ^= SquareSet::from_square(square);
    }

    #[inline(always)]
    fn toggle_key(&mut self, piece: Piece, word: u64) {
        self.key ^= word;
        self.piece_keys[piece.index()] ^= word;
    }
}

impl PartialEq for Position {
    /// Compares pieces, side to move and counters; neither history nor list order matter.
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
