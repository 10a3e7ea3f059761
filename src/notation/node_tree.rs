//! Trees of binary formats: nodes in pre-order, each with flags for a continuation and for an alternative to it.

use super::game::{Game, GameError, GameFault, GameNode, Location, MAX_NODES, MAX_PLIES};
use super::piece_list::{self, Board};
use super::warnings::{WarningKind, Warnings};
use crate::position::{Position, Strictness};
use crate::types::{Move, Side, Square};

/// Node of a file.
pub(super) struct Node {
    /// Squares of the move; `None` off the board.
    pub(super) squares: [Option<Square>; 2],
    /// A continuation follows.
    pub(super) has_continuation: bool,
    /// An alternative to this move follows after its continuation.
    pub(super) has_sibling: bool,
    /// Comment after the move.
    pub(super) comment: String,
}

/// Start of a game.
pub(super) struct Start<'a> {
    pub(super) board: &'a Board,
    /// Side to move in the file, which counts without moves: many files have Red where Black moves first.
    pub(super) side: Side,
    /// Bytes of the board and of the side to move, for messages.
    pub(super) bytes: [u64; 2],
    pub(super) strictness: Strictness,
}

impl Start<'_> {
    /// Builds the position before a move from `first`.
    fn position(&self, first: Option<Square>, warnings: &mut Warnings) -> Result<Position, GameError> {
        let [board, side] = self.bytes.map(Location::Byte);
        let (start, warning) = piece_list::start(self.board, first, self.side, self.strictness)
            .map_err(|fault| GameError { location: board, fault })?;
        if let Some(warning) = warning {
            warnings.add(WarningKind::Corrected, side, warning);
        }
        Ok(start)
    }
}

/// Parent of a node in the game.
#[derive(Clone, Copy)]
enum NodeParent {
    /// After this move, or at the start.
    After(Option<usize>),
    /// After a move that is not in the game.
    LeftOut,
}

/// Adds the nodes of a file to a game without moves. The main line ends before its first wrong move, and so does a
/// variation; the others are read, as far as the file goes. `next_node` returns the byte of the next node, and the
/// node, or `None` at the end of the nodes, where no more was expected.
///
/// # Errors
/// [`GameError`] for the start position.
pub(super) fn read(
    mut game: Game,
    start: &Start<'_>,
    has_moves: bool,
    mut next_node: impl FnMut() -> (usize, Result<Option<Node>, GameError>),
) -> Result<Game, GameError> {
    let mut next = has_moves.then_some(NodeParent::After(None));
    let mut is_main_line = true;
    // Parents of the alternatives that follow.
    let mut pending: Vec<NodeParent> = Vec::new();
    let mut path: Vec<usize> = Vec::new();
    let mut position: Option<Position> = None;
    while let Some(node_parent) = next {
        let (offset, node) = next_node();
        let node = match node {
            Ok(Some(node)) => node,
            Ok(None) => break,
            Err(error) => {
                game.warnings.add_error(kind(is_main_line), &error);
                break;
            }
        };
        if game.nodes.len() == MAX_NODES && !is_main_line {
            let fault = GameFault::TooMuch { what: "moves in a game with variations", max: MAX_NODES };
            game.warnings.add(WarningKind::Limit, Location::Byte(offset as u64), fault);
        }
        let mut instead = node_parent;
        let mut here = NodeParent::LeftOut;
        if let NodeParent::After(parent) = node_parent {
            while path.last().copied() != parent {
                path.pop();
                if let Some(position) = &mut position {
                    position.unmake();
                }
            }
            if position.is_none() {
                game.start = start.position(node.squares[0], &mut game.warnings)?;
            }
            let before = position.get_or_insert_with(|| game.start.clone());
            match playable(&node, before, path.len(), game.nodes.len(), offset) {
                Ok(mv) => {
                    before.make(mv);
                    path.push(game.nodes.len());
                    here = NodeParent::After(path.last().copied());
                    game.nodes.push(GameNode { parent, mv, comment: node.comment });
                }
                Err(GameError { fault: GameFault::TooMuch { .. }, .. }) if game.nodes.len() == MAX_NODES => {}
                Err(error) => {
                    game.warnings.add_error(kind(is_main_line), &error);
                    if is_main_line && node.has_sibling {
                        // Otherwise an alternative to the wrong move would go on with the main line.
                        let reason = "alternatives to a wrong move of the main line";
                        game.warnings.add(WarningKind::LeftOut, error.location, reason);
                        instead = NodeParent::LeftOut;
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

/// Returns the kind of warning about an error.
fn kind(is_main_line: bool) -> WarningKind {
    if is_main_line { WarningKind::Cut } else { WarningKind::LeftOut }
}

/// Returns the move of a node at a byte after this number of plies, in a tree of this size.
///
/// # Errors
/// If the move is not legal or exceeds a limit.
fn playable(node: &Node, before: &Position, plies: usize, moves: usize, offset: usize) -> Result<Move, GameError> {
    let failed = |fault| Err(GameError::at_byte(offset, fault));
    let [Some(from), Some(to)] = node.squares else {
        return failed(GameFault::in_move(plies + 1, &"its squares are not on the board"));
    };
    if plies == MAX_PLIES {
        return failed(GameFault::TooMuch { what: "plies", max: MAX_PLIES });
    }
    if moves == MAX_NODES {
        return failed(GameFault::TooMuch { what: "moves in a game with variations", max: MAX_NODES });
    }
    let mv = Move::new(from, to);
    GameFault::of_move(before, plies + 1, mv).map_or(Ok(mv), failed)
}
