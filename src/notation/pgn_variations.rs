//! Variations of PGN files: text in parentheses after the move that it replaces.
//!
//! The text is read once, whatever the depth: the brackets are matched first, so that each level skips those within it.

use std::iter::Peekable;
use std::ops::Range;

use super::game::{Game, GameFault, GameNode, Location, MAX_NODES, MAX_PLIES, tidy_comment};
use super::move_list;
use super::pgn_moves::{self, Played, Reading};
use super::pgn_text::{Style, Token, TokenKind, first_word};
use super::warnings::WarningKind;
use crate::position::Position;
use crate::types::Move;

/// Maximum number of levels of variations within variations, as many as a line has plies; deeper ones are comments.
const MAX_LEVELS: usize = MAX_PLIES;
/// Longer comments are not mere marks, so that many marks of one move take bounded time.
const MAX_MARK_BYTES: usize = 32;
/// Index of a move that is left out because of [`MAX_NODES`].
const NOWHERE: usize = usize::MAX;

/// Joins moves, comments and variations of a game.
pub(super) fn join(game: Game, moves: Vec<(usize, Move)>, tokens: Vec<Token>, style: Style, reading: Reading) -> Game {
    let position = game.start.clone();
    let room = MAX_NODES.saturating_sub(moves.len());
    let mut builder = Builder { game, position, path: Vec::new(), room, style, reading };
    let mut main = Line::new(moves);
    for token in &tokens {
        match (token.kind, main.last) {
            (TokenKind::Word, _) => builder.word(&mut main, &token.text, None),
            (TokenKind::Parenthesis, Some(_)) => builder.parenthesis(&token.text, token.line),
            _ => builder.comment(&mut main, &token.text),
        }
    }
    drop(tokens);
    let mut game = builder.game;
    let is_sorted = game.sort();
    debug_assert!(is_sorted, "moves are added after their parents");
    game
}

/// Line of moves that is being read: the main line or a variation.
struct Line {
    /// Moves with the index of their word.
    moves: Peekable<std::vec::IntoIter<(usize, Move)>>,
    /// Number of words before.
    word: usize,
    /// Index of the last move.
    last: Option<usize>,
    /// Comments before the first move of a variation, which belong to that move.
    waiting: String,
}

impl Line {
    fn new(moves: Vec<(usize, Move)>) -> Line {
        Line { moves: moves.into_iter().peekable(), word: 0, last: None, waiting: String::new() }
    }
}

/// Variation that is being read.
struct Variation {
    line: Line,
    parts: std::vec::IntoIter<Part>,
    /// Number of plies before its first move.
    plies: usize,
    /// The move that it replaces, with its index.
    replaced: (usize, Move),
}

/// Part of the text of a parenthesis.
struct Part {
    kind: TokenKind,
    from: u32,
    to: u32,
}

struct Builder {
    game: Game,
    /// Position after the last move.
    position: Position,
    /// The moves up to there with their indices.
    path: Vec<(usize, Move)>,
    /// Number of moves of variations that still have room.
    room: usize,
    style: Style,
    reading: Reading,
}

impl Builder {
    /// Adds the move of a word if it has one, and its marks. Within a variation, `limited` is the line for messages.
    fn word(&mut self, line: &mut Line, text: &str, limited: Option<u64>) {
        if let Some((_, mv)) = line.moves.next_if(|(index, _)| *index == line.word) {
            let parent = self.path.last().map(|&(parent, _)| parent);
            let index = match limited {
                Some(number) if self.room == 0 => {
                    let fault = GameFault::TooMuch { what: "moves in a game with variations", max: MAX_NODES };
                    self.game.warnings.add(WarningKind::Limit, Location::Line(number), fault);
                    NOWHERE
                }
                limited => {
                    self.room -= usize::from(limited.is_some());
                    let comment = std::mem::take(&mut line.waiting);
                    self.game.nodes.push(GameNode { parent, mv, comment });
                    self.game.nodes.len() - 1
                }
            };
            line.last = Some(index);
            self.position.make(mv);
            self.path.push((index, mv));
        }
        if let Some(comment) = line.last.and_then(|last| self.comment_of(last)) {
            add_marks(comment, text);
        }
        line.word += 1;
    }

    /// Adds a comment to the last move of a line.
    fn comment(&mut self, line: &mut Line, text: &str) {
        match line.last {
            Some(last) => self.remark(last, text),
            None if self.game.nodes.is_empty() => add_comment(&mut self.game.comment, text),
            None => add_comment(&mut line.waiting, text),
        }
    }

    fn remark(&mut self, index: usize, text: &str) {
        if let Some(comment) = self.comment_of(index) {
            add_comment(comment, text);
        }
    }

    fn comment_of(&mut self, index: usize) -> Option<&mut String> {
        self.game.nodes.get_mut(index).map(|node| &mut node.comment)
    }

    /// Adds the text of a parenthesis after the last move, with those in it.
    fn parenthesis(&mut self, text: &str, number: u64) {
        let brackets = matching_brackets(text);
        let mut open: Vec<Variation> = Vec::new();
        let first = self.variation(text, 0..text.len(), &brackets, number, 0);
        open.extend(first);
        while let Some(variation) = open.last_mut() {
            let Some(Part { kind, from, to }) = variation.parts.next() else {
                while self.path.len() > variation.plies {
                    self.path.pop();
                    self.position.unmake();
                }
                self.path.push(variation.replaced);
                self.position.make(variation.replaced.1);
                open.pop();
                continue;
            };
            let range = from as usize..to as usize;
            match (kind, variation.line.last) {
                (TokenKind::Word, _) => self.word(&mut variation.line, &text[range], Some(number)),
                (TokenKind::Parenthesis, Some(_)) => {
                    let level = open.len();
                    let inner = self.variation(text, range, &brackets, number, level);
                    open.extend(inner);
                }
                _ => self.comment(&mut variation.line, &tidy_comment(&text[range])),
            }
        }
    }

    /// Begins a variation that replaces the last move if all words of this part of a text are legal moves there;
    /// otherwise it is a comment of that move.
    fn variation(
        &mut self,
        text: &str,
        range: Range<usize>,
        brackets: &[(u32, u32)],
        number: u64,
        level: usize,
    ) -> Option<Variation> {
        let parts = parts_of(text, range.clone(), self.style, brackets);
        let words: Vec<&str> = parts
            .iter()
            .filter(|part| part.kind == TokenKind::Word)
            .map(|part| &text[part.from as usize..part.to as usize])
            .collect();
        let replaced = self.path.pop()?;
        self.position.unmake();
        let Played { moves, fault, .. } = pgn_moves::play_on(&mut self.position, &words, self.reading);
        let fault = match fault {
            Some((_, fault)) => Some(fault),
            None if level == MAX_LEVELS => Some(GameFault::TooMuch { what: "levels of variations", max: MAX_LEVELS }),
            None => None,
        };
        if fault.is_none() && !moves.is_empty() {
            let line = Line::new(moves);
            return Some(Variation { line, parts: parts.into_iter(), plies: self.path.len(), replaced });
        }
        self.position.make(replaced.1);
        self.path.push(replaced);
        if let Some(fault @ GameFault::TooMuch { .. }) = fault.filter(|_| !moves.is_empty()) {
            self.game.warnings.add(WarningKind::LeftOut, Location::Line(number), fault);
        }
        self.remark(replaced.0, &tidy_comment(&text[range]));
        None
    }
}

/// Adds a comment to those before it, in the same line after mere marks.
pub(super) fn add_comment(comment: &mut String, text: &str) {
    if text.is_empty() {
        return;
    }
    if !comment.is_empty() {
        let is_mark = |word: &str| pgn_moves::marks(word) == word;
        let are_marks = comment.len() <= MAX_MARK_BYTES && comment.split(' ').all(is_mark);
        comment.push(if are_marks { ' ' } else { '\n' });
    }
    comment.push_str(text);
}

/// Adds the marks of a word of the moves to the comment of its move, since no other format has a place for them.
pub(super) fn add_marks(comment: &mut String, word: &str) {
    add_comment(comment, &pgn_moves::marks(word));
}

/// Returns the byte of each opening bracket, in order, with that of its closing one, or with the end of the text around
/// it. Within braces there are no other brackets.
fn matching_brackets(text: &str) -> Vec<(u32, u32)> {
    let end = text.len() as u32;
    let mut found: Vec<(u32, u32)> = Vec::new();
    // Parentheses that are open, with their places in the list, and how many are of each kind.
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut counts = [0_usize; 2];
    let kind = |c: char| usize::from(matches!(c, '（' | '）'));
    let (mut braces, mut brace) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' => {
                if braces == 0 {
                    brace = found.len();
                    found.push((at as u32, end));
                }
                braces += 1;
            }
            '}' if braces > 0 => {
                braces -= 1;
                if braces == 0 {
                    found[brace].1 = at as u32;
                }
            }
            _ if braces > 0 => {}
            '(' | '（' => {
                open.push((found.len(), c));
                counts[kind(c)] += 1;
                found.push((at as u32, end));
            }
            ')' | '）' if counts[kind(c)] > 0 => {
                // Those of the other kind that it crosses end here, too.
                while let Some((index, opening)) = open.pop() {
                    counts[kind(opening)] -= 1;
                    found[index].1 = at as u32;
                    if kind(opening) == kind(c) {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Splits a part of a text into words, comments and inner parentheses, as the text outside is split.
fn parts_of(text: &str, range: Range<usize>, style: Style, brackets: &[(u32, u32)]) -> Vec<Part> {
    let is_list = style == Style::List;
    let mut parts = Vec::new();
    let mut add = |kind, from: usize, to: usize| {
        if !text[from..to].trim().is_empty() {
            parts.push(Part { kind, from: from as u32, to: to as u32 });
        }
    };
    let mut at = range.start;
    while at < range.end {
        let rest = &text[at..range.end];
        let Some(first) = rest.chars().next() else { break };
        let after_first = at + first.len_utf8();
        at = match first {
            c if c.is_whitespace() => after_first,
            ';' if is_list
                && !text[..at].ends_with(char::is_whitespace)
                && move_list::begins_with_a_move(&rest[1..]) =>
            {
                after_first
            }
            ';' | '#' if first == ';' || is_list => {
                let end = at + rest.find('\n').unwrap_or(rest.len());
                add(TokenKind::Comment, after_first, end);
                end
            }
            c if is_list && move_list::SEPARATORS.contains(&c) => after_first,
            '{' | '(' | '（' => {
                let found = brackets.binary_search_by_key(&(at as u32), |&(opening, _)| opening);
                let end = found.map_or(range.end, |index| brackets[index].1 as usize).min(range.end);
                let kind = if first == '{' { TokenKind::Comment } else { TokenKind::Parenthesis };
                add(kind, after_first, end.max(after_first));
                text[end..].chars().next().map_or(end, |closing| end + closing.len_utf8())
            }
            _ => {
                let word = first_word(rest, style);
                for part in move_list::split_moves(word) {
                    let from = part.as_ptr() as usize - text.as_ptr() as usize;
                    add(TokenKind::Word, from, from + part.len());
                }
                // A closing bracket without an opening one is skipped.
                (at + word.len()).max(after_first)
            }
        };
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_matched() {
        let parts = |text: &str, style| {
            let parts = parts_of(text, 0..text.len(), style, &matching_brackets(text));
            let part = |part: Part| (part.kind, tidy_comment(&text[part.from as usize..part.to as usize]));
            parts.into_iter().map(part).collect::<Vec<_>>()
        };
        let expected = [
            (TokenKind::Word, "1."),
            (TokenKind::Word, "h2e2"),
            (TokenKind::Comment, "a (b"),
            (TokenKind::Parenthesis, "1. c3c4 {d)} (x)"),
            (TokenKind::Word, "y"),
            (TokenKind::Word, "z"),
        ];
        let found = parts("1. h2e2 {a (b} (1. c3c4 {d)} (x)) y) z", Style::Pgn);
        assert_eq!(found, expected.map(|(kind, text)| (kind, text.to_owned())));
        assert_eq!(parts("(open {x", Style::Pgn), [(TokenKind::Parenthesis, "open {x".to_owned())]);
        let expected = [(TokenKind::Word, "h2e2"), (TokenKind::Parenthesis, "好（妙)(1）{）}")];
        let found = parts("h2e2（好（妙)(1）{）}）（", Style::List);
        assert_eq!(found, expected.map(|(kind, text)| (kind, text.to_owned())));
    }
}
