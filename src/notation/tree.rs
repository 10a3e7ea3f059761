//! Game trees: games with variations.

use super::game::{Game, GameMove, GameResult, MAX_PLIES};
use super::warnings::Warnings;
use crate::position::Position;
use crate::types::Move;

/// Maximum number of moves of a tree, which bounds the memory.
pub const MAX_NODES: usize = 2_500_000;

/// Game with variations, tags and comments.
///
/// The moves are in pre-order: each before its continuation, and that before its alternatives. Of several moves after
/// the same one, the first is the main line.
///
/// ```
/// use chuhe::notation::tree::{GameTree, TreeNode};
///
/// let node = |parent, text: &str| TreeNode { parent, mv: text.parse().unwrap(), comment: String::new() };
/// let nodes = vec![node(None, "h2e2"), node(Some(0), "h9g7"), node(Some(0), "b9c7"), node(None, "c3c4")];
/// let tree = GameTree { nodes, ..GameTree::default() };
/// assert!(tree.is_valid());
/// assert_eq!(tree.main_line(), [0, 1]);
/// assert_eq!(tree.children(None).collect::<Vec<_>>(), [0, 3]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameTree {
    /// Tags as in [`Game::tags`].
    pub tags: Vec<(String, String)>,
    /// Position before the first move, without history.
    pub start: Position,
    /// Comment before the first move.
    pub comment: String,
    /// Result of the game.
    pub result: GameResult,
    /// The moves, which [`is_valid`](GameTree::is_valid) checks. The methods that say so panic if a parent does not
    /// exist.
    pub nodes: Vec<TreeNode>,
    /// What is lost or read otherwise than the file has it.
    pub warnings: Warnings,
}

/// Index of no move.
const NONE: u32 = u32::MAX;

/// Links between the moves of a tree, which has less than 2³² of them.
pub(super) struct Links {
    /// First move after the start and after each move.
    first: Vec<u32>,
    /// Next alternative to each move.
    next: Vec<u32>,
}

impl Links {
    /// Returns the first move after a move, or at the start.
    pub(super) fn first(&self, parent: Option<usize>) -> Option<usize> {
        link(self.first[parent.map_or(0, |parent| parent + 1)])
    }

    /// Returns the next alternative to a move.
    pub(super) fn next(&self, index: usize) -> Option<usize> {
        link(self.next[index])
    }
}

fn link(index: u32) -> Option<usize> {
    (index != NONE).then_some(index as usize)
}

/// Move of a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeNode {
    /// Index of the move before; `None` for a first move.
    pub parent: Option<usize>,
    /// The move.
    pub mv: Move,
    /// Comment after the move.
    pub comment: String,
}

impl GameTree {
    /// Returns the indices of the moves after a move, the main line first; `None` stands for the start.
    pub fn children(&self, parent: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        let first = parent.map_or(0, |parent| parent + 1);
        (first..self.nodes.len()).filter(move |&index| self.nodes[index].parent == parent)
    }

    /// Returns the links from each move to those after it and beside it.
    pub(super) fn links(&self) -> Links {
        let mut links = Links { first: vec![NONE; self.nodes.len() + 1], next: vec![NONE; self.nodes.len()] };
        for (index, node) in self.nodes.iter().enumerate().rev() {
            let first = &mut links.first[node.parent.map_or(0, |parent| parent + 1)];
            links.next[index] = std::mem::replace(first, index as u32);
        }
        links
    }

    /// Returns the indices of the main line.
    ///
    /// # Panics
    /// If a parent does not exist.
    pub fn main_line(&self) -> Vec<usize> {
        let links = self.links();
        std::iter::successors(links.first(None), |&index| links.first(Some(index))).collect()
    }

    /// Returns the number of moves that begin a variation.
    ///
    /// # Panics
    /// If a parent does not exist.
    pub fn variations(&self) -> usize {
        self.links().next.iter().filter(|&&next| next != NONE).count()
    }

    /// Returns the position after a move, or at the start, with the moves before it as history.
    ///
    /// # Panics
    /// If the move or a parent does not exist, or a move is not legal.
    pub fn position_after(&self, node: Option<usize>) -> Position {
        let mut path = Vec::new();
        let mut at = node;
        while let Some(index) = at {
            path.push(self.nodes[index].mv);
            at = self.nodes[index].parent;
        }
        let mut position = self.start.clone();
        path.iter().rev().for_each(|&mv| position.make(mv));
        position
    }

    /// Returns the main line as a game.
    ///
    /// # Panics
    /// If a parent does not exist.
    pub fn to_game(&self) -> Game {
        let played = |index: usize| GameMove { mv: self.nodes[index].mv, comment: self.nodes[index].comment.clone() };
        Game {
            tags: self.tags.clone(),
            start: self.start.clone(),
            comment: self.comment.clone(),
            moves: self.main_line().into_iter().map(played).collect(),
            result: self.result,
            skipped_variations: self.variations(),
            warnings: self.warnings.clone(),
        }
    }

    /// Sorts the moves in pre-order. Returns `false`, without a change, if a parent does not come before its child.
    #[must_use]
    pub fn sort(&mut self) -> bool {
        if self.nodes.iter().enumerate().any(|(index, node)| node.parent.is_some_and(|parent| parent >= index)) {
            return false;
        }
        let links = self.links();
        let mut sorted: Vec<TreeNode> = Vec::with_capacity(self.nodes.len());
        // Moves that come next, with the new indices of their parents.
        let mut stack: Vec<(usize, Option<usize>)> = links.first(None).map(|index| (index, None)).into_iter().collect();
        while let Some((index, parent)) = stack.pop() {
            let here = sorted.len();
            stack.extend(links.next(index).map(|next| (next, parent)));
            stack.extend(links.first(Some(index)).map(|first| (first, Some(here))));
            let TreeNode { mv, comment, .. } = &mut self.nodes[index];
            sorted.push(TreeNode { parent, mv: *mv, comment: std::mem::take(comment) });
        }
        self.nodes = sorted;
        true
    }

    /// Calls `visit` for every move with the position before it, as far as the moves are legal and in pre-order.
    /// Returns whether all are, and no line is longer than [`MAX_PLIES`].
    pub fn walk(&self, mut visit: impl FnMut(&Position, &TreeNode)) -> bool {
        let mut position = self.start.clone();
        let mut path: Vec<usize> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            while path.last().copied() != node.parent {
                if path.pop().is_none() {
                    return false;
                }
                position.unmake();
            }
            if path.len() == MAX_PLIES || !position.can_play(node.mv) {
                return false;
            }
            visit(&position, node);
            position.make(node.mv);
            path.push(index);
        }
        true
    }

    /// Returns whether all moves are legal and in pre-order.
    pub fn is_valid(&self) -> bool {
        self.walk(|_, _| ())
    }
}

impl From<Game> for GameTree {
    fn from(game: Game) -> GameTree {
        let node = |(index, played): (usize, GameMove)| TreeNode {
            parent: usize::checked_sub(index, 1),
            mv: played.mv,
            comment: played.comment,
        };
        GameTree {
            tags: game.tags,
            start: game.start,
            comment: game.comment,
            result: game.result,
            nodes: game.moves.into_iter().enumerate().map(node).collect(),
            warnings: game.warnings,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(moves: &[(Option<usize>, &str)]) -> GameTree {
        let node = |&(parent, text): &(Option<usize>, &str)| TreeNode {
            parent,
            mv: text.parse().unwrap(),
            comment: String::new(),
        };
        GameTree { nodes: moves.iter().map(node).collect(), ..GameTree::default() }
    }

    #[test]
    fn moves_in_any_order_are_sorted() {
        let mut mixed =
            tree(&[(None, "h2e2"), (None, "c3c4"), (Some(0), "h9g7"), (Some(1), "g6g5"), (Some(0), "b9c7")]);
        assert!(!mixed.is_valid() && mixed.sort() && mixed.is_valid());
        let moves: Vec<String> = mixed.nodes.iter().map(|node| node.mv.to_string()).collect();
        assert_eq!(moves, ["h2e2", "h9g7", "b9c7", "c3c4", "g6g5"]);
        assert_eq!(mixed.variations(), 2);
        assert_eq!(mixed.to_game().line().len(), 2);
    }

    #[test]
    fn illegal_moves_and_wrong_parents_are_found() {
        assert!(!tree(&[(None, "h2e2"), (Some(0), "h2e2")]).is_valid());
        assert!(!tree(&[(Some(0), "h2e2")]).sort() && !tree(&[(Some(7), "h2e2")]).sort());
        let mut later = tree(&[(Some(1), "h2e2"), (None, "c3c4")]);
        assert!(!later.sort() && !later.is_valid());
    }
}
