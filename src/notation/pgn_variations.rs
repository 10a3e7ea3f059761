//! Variations of PGN files: text in parentheses after the move that it replaces.

use std::collections::HashMap;

use super::game::{Game, GameFault, Location, MAX_PLIES, tidy_comment};
use super::pgn_moves::{self, Played, Reading};
use super::pgn_text::{Brackets, Style, Token, TokenKind, first_word};
use super::tree::{GameTree, MAX_NODES, TreeNode};
use super::warnings::WarningKind;
use super::{Dialect, move_list, write};
use crate::types::{Move, Side};

/// Maximum number of variations of a game; further parentheses are comments, and counted as left out. Each costs a
/// replay of the moves before it.
const MAX_VARIATIONS: usize = 5_000;
/// Maximum number of levels of variations within variations; deeper ones are comments, and counted as left out. Each
/// level scans the text again.
const MAX_LEVELS: usize = 50;

/// Longer comments are not mere marks, so that many marks of one move take bounded time.
const MAX_MARK_BYTES: usize = 32;

/// Parenthesis that may be a variation.
struct Candidate {
    text: String,
    /// Line of the file, for messages; within a variation that of the outermost parenthesis.
    line: u64,
    /// Number of parentheses around it.
    level: usize,
    /// Move before the one that the variation replaces.
    parent: Option<usize>,
    /// Move that gets the text as a comment if it is not a variation.
    after: usize,
    /// Length of the comments of this move that come before.
    at: usize,
}

/// Joins moves, comments and variations of a game.
pub(super) fn tree(game: Game, moves: &[(usize, Move)], tokens: &[Token], style: Style, reading: Reading) -> GameTree {
    let mut tree = GameTree::from(game);
    let mut candidates = Vec::new();
    let parts = tokens.iter().map(|token| (token.kind, token.text.as_str(), token.line));
    add_line(&mut tree, None, 0, moves, parts, &mut candidates);
    // Texts for the comments of moves.
    let mut remarks: HashMap<usize, Vec<(usize, String)>> = HashMap::new();
    // Variations of variations are found on the way. The order does not matter for moves with different parents, and
    // those with the same parent stay in the order of the file.
    let mut next = 0;
    while next < candidates.len() {
        let Candidate { text, line, level, parent, after, at } = &mut candidates[next];
        let (text, line, level, parent, after, at) = (std::mem::take(text), *line, *level, *parent, *after, *at);
        let exceeded = match (next < MAX_VARIATIONS, level < MAX_LEVELS) {
            (false, _) => Some(("variations of a game", MAX_VARIATIONS)),
            (_, false) => Some(("levels of variations", MAX_LEVELS)),
            _ => None,
        };
        next += 1;
        let parts = if exceeded.is_none() { parts_of(&text, style) } else { Vec::new() };
        // A remark is a comment anyway.
        let exceeded = exceeded.filter(|_| begins_with_a_move(&text, style));
        let words: Vec<&str> = words(&parts);
        let mut played = if words.is_empty() {
            Vec::new()
        } else {
            let position = tree.position_after(parent);
            let Played { moves: mut played, fault, .. } = pgn_moves::play_as(&position, &words, reading);
            if fault.is_some() {
                played.clear();
            }
            // A line that is too long is a comment.
            if position.history().len() + played.len() > MAX_PLIES {
                played.clear();
            }
            played
        };
        let is_full = tree.nodes.len() + played.len() > MAX_NODES;
        if let Some((what, max)) = exceeded.or(is_full.then_some(("moves in a game with variations", MAX_NODES))) {
            tree.warnings.add(WarningKind::LeftOut, Location::Line(line), GameFault::TooMuch { what, max });
            played.clear();
        }
        if played.is_empty() {
            remarks.entry(after).or_default().push((at, text));
            continue;
        }
        let parts = parts.iter().map(|(kind, text)| (*kind, text.as_str(), line));
        add_line(&mut tree, parent, level + 1, &played, parts, &mut candidates);
    }
    for (node, texts) in remarks {
        insert_comments(&mut tree.nodes[node].comment, &texts);
    }
    let is_sorted = tree.sort();
    debug_assert!(is_sorted, "moves are added after their parents");
    tree
}

/// Adds a comment to those before it, in the same line after mere marks.
pub(super) fn add_comment(comment: &mut String, text: &str) {
    if !comment.is_empty() {
        let is_mark = |word: &str| pgn_moves::marks(word) == word;
        let are_marks = comment.len() <= MAX_MARK_BYTES && comment.split(' ').all(is_mark);
        comment.push(if are_marks { ' ' } else { '\n' });
    }
    comment.push_str(text);
}

/// Adds the marks of a word of the moves to the comment of its move, since no other format has a place for them.
pub(super) fn add_marks(comment: &mut String, word: &str) {
    let marks = pgn_moves::marks(word);
    if !marks.is_empty() {
        add_comment(comment, &marks);
    }
}

/// Inserts texts into the comments of a move, each with the byte where it belongs, in order.
fn insert_comments(comment: &mut String, texts: &[(usize, String)]) {
    let old = std::mem::take(comment);
    let mut done = 0;
    for (at, text) in texts.iter().map(|(at, text)| (*at, text.as_str())).chain([(old.len(), "")]) {
        let between = &old[done..at];
        for part in [between.strip_prefix(['\n', ' ']).unwrap_or(between), text] {
            if !part.is_empty() {
                add_comment(comment, part);
            }
        }
        done = at;
    }
}

fn words(parts: &[(TokenKind, String)]) -> Vec<&str> {
    parts.iter().filter(|(kind, _)| *kind == TokenKind::Word).map(|(_, text)| text.as_str()).collect()
}

/// Adds a line of moves with its comments, and collects its parentheses.
fn add_line<'a>(
    tree: &mut GameTree,
    mut parent: Option<usize>,
    level: usize,
    moves: &[(usize, Move)],
    parts: impl Iterator<Item = (TokenKind, &'a str, u64)>,
    candidates: &mut Vec<Candidate>,
) {
    let mut moves = moves.iter().peekable();
    let mut word = 0;
    // The last move; a comment before the first move of a variation waits for that move.
    let mut last: Option<usize> = None;
    let mut waiting = String::new();
    for (kind, text, line) in parts {
        match (kind, last) {
            (TokenKind::Word, _) => {
                if let Some(&(_, mv)) = moves.next_if(|(index, _)| *index == word) {
                    parent = last.or(parent);
                    last = Some(tree.nodes.len());
                    tree.nodes.push(TreeNode { parent, mv, comment: std::mem::take(&mut waiting) });
                }
                if let Some(played) = last {
                    add_marks(&mut tree.nodes[played].comment, text);
                }
                word += 1;
            }
            (TokenKind::Parenthesis, Some(after)) => {
                let at = tree.nodes[after].comment.len();
                candidates.push(Candidate { text: text.to_owned(), line, level, parent, after, at });
            }
            (_, Some(played)) => add_comment(&mut tree.nodes[played].comment, text),
            (_, None) if parent.is_none() && tree.nodes.is_empty() => add_comment(&mut tree.comment, text),
            (_, None) => add_comment(&mut waiting, text),
        }
    }
}

/// Returns whether the first word but a number is like a move.
fn begins_with_a_move(text: &str, style: Style) -> bool {
    let mut rest = text.trim_start();
    loop {
        let word = first_word(rest, style);
        if word.is_empty() || !pgn_moves::is_number(word) {
            return pgn_moves::is_like_a_move(move_list::split_moves(word)[0]);
        }
        rest = rest[word.len()..].trim_start();
    }
}

/// Splits the text of a parenthesis into words, comments and inner parentheses, as the text outside is split.
fn parts_of(text: &str, style: Style) -> Vec<(TokenKind, String)> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_list = style == Style::List;
        let (kind, length, inner) = match first {
            ';' | '#' if first == ';' || is_list => {
                let end = rest.find('\n').unwrap_or(rest.len());
                (TokenKind::Comment, end, tidy_comment(&rest[1..end]))
            }
            _ if is_list && move_list::SEPARATORS.contains(&first) => {
                rest = rest[first.len_utf8()..].trim_start();
                continue;
            }
            '{' | '(' | '（' => {
                let (kind, inner, end) = bracketed(rest, first);
                (kind, end, tidy_comment(inner))
            }
            _ => {
                let word = first_word(rest, style);
                let moves = move_list::split_moves(word).into_iter().filter(|mv| !mv.is_empty());
                parts.extend(moves.map(|mv| (TokenKind::Word, mv.to_owned())));
                // A closing bracket without an opening one is skipped.
                rest = rest[word.len().max(first.len_utf8())..].trim_start();
                continue;
            }
        };
        if !inner.is_empty() {
            parts.push((kind, inner));
        }
        rest = rest[length..].trim_start();
    }
    parts
}

/// Returns the kind of the text in the bracket at the beginning, the text, and the byte after the closing bracket.
fn bracketed(text: &str, opening: char) -> (TokenKind, &str, usize) {
    let mut brackets = Brackets::new(opening);
    let closing = text.char_indices().skip(1).find(|&(_, c)| brackets.close_with(c));
    let (inner, end) = closing.map_or((text.len(), text.len()), |(at, c)| (at, at + c.len_utf8()));
    (brackets.kind(), &text[opening.len_utf8()..inner], end)
}

/// Part of the written moves.
pub(super) enum Item<'a> {
    /// Move, number or bracket.
    Word(String),
    /// Comment.
    Comment(&'a str),
}

/// Step of the writer.
enum Step {
    /// The line from a move on; alternatives to this move are not written with it.
    Variation(usize),
    /// The main line among the moves after a move or the start, with its alternatives.
    Continue(Option<usize>),
    Open,
    Close,
}

/// Returns the moves of a tree with numbers, comments and variations, in the order of the file.
pub(super) fn items(tree: &GameTree, dialect: Dialect) -> Vec<Item<'_>> {
    let lists = tree.child_lists();
    let mut names = Vec::with_capacity(tree.nodes.len());
    tree.walk(|position, node| {
        names.push((position.move_number(), position.side(), write(position, node.mv, dialect)));
    });
    let mut items = Vec::new();
    let mut needs_number = true;
    let mut stack = vec![Step::Continue(None)];
    // Brackets belong to the words beside them.
    let mut opening = "";
    while let Some(step) = stack.pop() {
        let (index, alternatives): (usize, &[usize]) = match step {
            Step::Open => {
                opening = "(";
                needs_number = true;
                continue;
            }
            Step::Close => {
                match items.last_mut() {
                    Some(Item::Word(word)) => word.push(')'),
                    _ => items.push(Item::Word(")".to_owned())),
                }
                needs_number = true;
                continue;
            }
            Step::Variation(index) => (index, &[]),
            Step::Continue(parent) => match lists[parent.map_or(0, |parent| parent + 1)].split_first() {
                Some((&first, others)) => (first, others),
                None => continue,
            },
        };
        // A tree with an illegal move is written as far as it is legal.
        let Some((number, side, name)) = names.get(index) else { continue };
        if *side == Side::Red {
            items.push(Item::Word(format!("{opening}{number}.")));
        } else if needs_number {
            items.push(Item::Word(format!("{opening}{number}...")));
        }
        opening = "";
        items.push(Item::Word(name.clone()));
        let comment = &tree.nodes[index].comment;
        needs_number = !tidy_comment(comment).is_empty();
        if needs_number {
            items.push(Item::Comment(comment));
        }
        stack.push(Step::Continue(Some(index)));
        for &other in alternatives.iter().rev() {
            stack.extend([Step::Close, Step::Variation(other), Step::Open]);
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_matched() {
        let parts = parts_of("1. h2e2 {a (b} (1. c3c4 {d)} (x)) y) z", Style::Pgn);
        let texts: Vec<(TokenKind, &str)> = parts.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
        assert_eq!(
            texts,
            [
                (TokenKind::Word, "1."),
                (TokenKind::Word, "h2e2"),
                (TokenKind::Comment, "a (b"),
                (TokenKind::Parenthesis, "1. c3c4 {d)} (x)"),
                (TokenKind::Word, "y"),
                (TokenKind::Word, "z"),
            ]
        );
        assert_eq!(parts_of("(open {x", Style::Pgn), [(TokenKind::Parenthesis, "open {x".to_owned())]);
        let wide = "h2e2（好（妙)(1）{）}）（";
        let expected = [(TokenKind::Word, "h2e2"), (TokenKind::Parenthesis, "好（妙)(1）{）}")];
        assert_eq!(parts_of(wide, Style::List), expected.map(|(kind, text)| (kind, text.to_owned())));
    }
}
