//! Shared by XQF, CBR and DhtmlXQ: results as numbers, start positions as pieces on squares, and trees of moves as
//! nodes in pre-order, each with flags for a continuation and for an alternative to it.

use std::io::{self, BufRead, Read};

use super::game::{
    Game, GameError, GameFault, GameNode, GameResult, Location, MAX_NODES, MAX_PLIES, WarningKind, Warnings,
};
use crate::position::{Position, Strictness};
use crate::types::{Move, Piece, Side, Square};

const MAX_BYTES: usize = 1 << 30;

pub(super) fn read_file(reader: impl BufRead) -> Result<Vec<u8>, GameError> {
    let mut bytes = Vec::new();
    let read = reader.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| GameError::at_byte(bytes.len(), error))?;
    let fault = GameFault::TooMuch("bytes in a binary file", MAX_BYTES);
    if bytes.len() > MAX_BYTES { Err(GameError::at_byte(MAX_BYTES, fault)) } else { Ok(bytes) }
}

pub(super) const RESULTS: [GameResult; 4] =
    [GameResult::Unknown, GameResult::RedWins, GameResult::BlackWins, GameResult::Draw];

/// Pieces in the order of XQF and DhtmlXQ: Red's half; Black's half is the same in lower case.
const ORDER: [char; 16] = ['R', 'N', 'B', 'A', 'K', 'A', 'B', 'N', 'R', 'C', 'C', 'P', 'P', 'P', 'P', 'P'];

pub(super) type PieceList = [Option<Square>; 32];
pub(super) type Board = [Option<Piece>; Square::COUNT];

/// Returns the pieces of a position, which must not have more of a kind than a game starts with.
pub(super) fn pieces_of(position: &Position) -> io::Result<PieceList> {
    let mut pieces = [None; 32];
    for (piece, square) in position.pieces() {
        let half = 16 * piece.side().index();
        let letter = Piece::new(Side::Red, piece.kind()).letter();
        let slot = (0..16).find(|&slot| ORDER[slot] == letter && pieces[half + slot].is_none());
        let surplus = "files of this format hold no more pieces of a kind than a game starts with";
        let slot = slot.ok_or_else(|| io::Error::other(surplus))?;
        pieces[half + slot] = Some(square);
    }
    Ok(pieces)
}

/// Returns the board with these pieces, no two of which may share a square.
pub(super) fn board(pieces: &PieceList) -> Result<Board, GameFault> {
    let mut board = [None; Square::COUNT];
    for (index, square) in pieces.iter().enumerate() {
        let Some(square) = square else { continue };
        let letter = if index < 16 { ORDER[index] } else { ORDER[index - 16].to_ascii_lowercase() };
        if std::mem::replace(&mut board[square.index()], Piece::from_letter(letter)).is_some() {
            return Err(GameFault::malformed(format!("two pieces on {square}")));
        }
    }
    Ok(board)
}

pub(super) struct Start {
    pub(super) board: Board,
    /// Side to move in the file, which counts without moves: many files have Red where Black moves first.
    pub(super) side: Side,
    /// Places of the board and of the side to move, for messages.
    pub(super) places: [Location; 2],
    pub(super) strictness: Strictness,
}

impl Start {
    /// Builds the position before a move from `first`. The side to move is that of the piece there, or else that of the
    /// file; where the position is invalid with it, the other one, with a warning.
    pub(super) fn position(&self, first: Option<Square>, warnings: &mut Warnings) -> Result<Position, GameError> {
        let piece_on = |square: Square| self.board[square.index()];
        let position = |side| Position::from_board(piece_on, side, self.strictness);
        let side = first.and_then(piece_on).map_or(self.side, Piece::side);
        position(side).or_else(|error| {
            let fault = GameFault::from(error);
            let other = position(!side).map_err(|_| GameError { location: self.places[0], fault })?;
            let other_side = !side;
            let warning = format!("{side} cannot be to move in this position; it is read with {other_side} to move");
            warnings.add_correction(self.places[1], warning);
            Ok(other)
        })
    }
}

pub(super) struct Node {
    /// Squares of the move; `None` off the board.
    pub(super) squares: [Option<Square>; 2],
    pub(super) has_continuation: bool,
    /// An alternative to this move follows after its continuation.
    pub(super) has_sibling: bool,
    pub(super) comment: String,
}

/// Adds the nodes of a file to a game without moves. The main line ends before its first wrong move, and so does a
/// variation. `next_node` returns the byte of the next node, and the node, or `None` at the end. Fails on the start
/// position only.
pub(super) fn read(
    mut game: Game,
    start: &Start,
    has_moves: bool,
    mut next_node: impl FnMut() -> (usize, Result<Option<Node>, GameError>),
) -> Result<Game, GameError> {
    // Parents of the next node and of later alternatives; `Some(None)` is the start, `None` a move not in the game.
    let mut next = has_moves.then_some(Some(None));
    let mut pending: Vec<Option<Option<usize>>> = Vec::new();
    let mut is_main_line = true;
    let mut path: Vec<usize> = Vec::new();
    let mut position: Option<Position> = None;
    while let Some(parent) = next {
        let (offset, node) = next_node();
        let kind = if is_main_line { WarningKind::Cut } else { WarningKind::LeftOut };
        let node = match node {
            Ok(Some(node)) => node,
            Ok(None) => break,
            Err(error) => {
                game.warnings.add_error(kind, &error);
                break;
            }
        };
        if game.nodes.len() == MAX_NODES && !is_main_line {
            game.warnings.add(WarningKind::Limit, Location::Byte(offset as u64), too_many_moves(), 1);
        }
        let (mut instead, mut here) = (parent, None);
        if let Some(parent) = parent {
            while path.last().copied() != parent {
                path.pop();
                position.iter_mut().for_each(Position::unmake);
            }
            if position.is_none() {
                game.start = start.position(node.squares[0], &mut game.warnings)?;
            }
            let before = position.get_or_insert_with(|| game.start.clone());
            match playable(node.squares, before, path.len(), game.nodes.len()) {
                Ok(mv) => {
                    before.make(mv);
                    path.push(game.nodes.len());
                    here = Some(path.last().copied());
                    game.nodes.push(GameNode { parent, mv, comment: node.comment });
                }
                Err(GameFault::TooMuch(..)) if game.nodes.len() == MAX_NODES => {}
                Err(fault) => {
                    let error = GameError::at_byte(offset, fault);
                    game.warnings.add_error(kind, &error);
                    if is_main_line && node.has_sibling {
                        // Otherwise an alternative to the wrong move would go on with the main line.
                        let reason = "alternatives to a wrong move of the main line";
                        game.warnings.add(WarningKind::LeftOut, error.location, reason, 1);
                        instead = None;
                    }
                    is_main_line = false;
                }
            }
        }
        if node.has_sibling {
            pending.push(instead);
        }
        if node.has_continuation {
            next = Some(here);
        } else {
            next = pending.pop();
            is_main_line = false;
        }
    }
    if position.is_none() {
        game.start = start.position(None, &mut game.warnings)?;
    }
    Ok(game)
}

pub(super) fn too_many_moves() -> GameFault {
    GameFault::TooMuch("moves in a game with variations", MAX_NODES)
}

pub(super) fn playable(
    squares: [Option<Square>; 2],
    before: &Position,
    plies: usize,
    moves: usize,
) -> Result<Move, GameFault> {
    let [Some(from), Some(to)] = squares else {
        return Err(GameFault::in_move(plies + 1, &"its squares are not on the board"));
    };
    if plies == MAX_PLIES {
        return Err(GameFault::TooMuch("plies", MAX_PLIES));
    }
    if moves == MAX_NODES {
        return Err(too_many_moves());
    }
    let mv = Move::new(from, to);
    match before.fault_of(mv) {
        Some(fault) => Err(GameFault::in_move(plies + 1, &format!("'{mv}' {fault}"))),
        None => Ok(mv),
    }
}
