//! Games with variations, errors and warnings about them with their place in the file, common to all formats.

use std::{fmt, io};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::opening_name::OpeningName;
use crate::position::{FenError, Position};
use crate::types::{Move, Side};

/// Maximum length of a line in plies; longer ones are cut or refused, which bounds the memory.
pub const MAX_PLIES: usize = 10_000;
/// Maximum number of moves of a game with its variations.
pub const MAX_NODES: usize = 2_500_000;
/// Maximum total length of the tags and words of a game in bytes.
pub const MAX_TEXT: usize = 4 << 20;
/// Maximum total length of the comments and variations of a game in bytes.
pub const MAX_COMMENTS: usize = 128 << 20;
const MAX_WARNINGS: usize = 20;

/// Game with variations, tags and comments: a tree whose main line is the game that was played.
///
/// ```
/// use chuhe::notation::game::{Game, GameNode};
///
/// let mut game = Game::from_line(Default::default(), ["h2e2", "h9g7"].map(|mv| mv.parse().unwrap()));
/// for (parent, mv) in [(Some(0), "b9c7"), (None, "c3c4")] {
///     game.nodes.push(GameNode { parent, mv: mv.parse().unwrap(), comment: String::new() });
/// }
/// assert!(game.is_valid());
/// assert_eq!((game.main_line().len(), game.variations()), (2, 2));
/// assert_eq!(game.children(None).collect::<Vec<_>>(), [0, 3]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Game {
    /// Tags with PGN names such as `Event` and `Red`, in the order of the file, without start, result and notation.
    pub tags: Vec<(String, String)>,
    /// Position before the first move, without history.
    pub start: Position,
    /// Comment before the first move.
    pub comment: String,
    /// Result of the game.
    pub result: GameResult,
    /// The legal moves in pre-order: each before its continuation, and that before its alternatives, so that the list
    /// begins with the main line; [`is_valid`](Game::is_valid) checks them. Methods panic if a parent does not exist.
    pub nodes: Vec<GameNode>,
    /// What is lost or read otherwise than the file has it.
    pub warnings: Warnings,
}

/// Move of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameNode {
    /// Index of the move before; `None` for a first move.
    pub parent: Option<usize>,
    /// The move.
    pub mv: Move,
    /// Comment after the move.
    pub comment: String,
}

/// Links between the moves of a game, which has less than 2³² of them.
pub(super) struct Links {
    /// First move after the start and after each move.
    first: Vec<Option<u32>>,
    next: Vec<Option<u32>>,
}

impl Links {
    pub(super) fn first(&self, parent: Option<usize>) -> Option<usize> {
        self.first[parent.map_or(0, |parent| parent + 1)].map(|index| index as usize)
    }

    pub(super) fn next(&self, index: usize) -> Option<usize> {
        self.next[index].map(|index| index as usize)
    }
}

impl Game {
    /// Returns a game without variations.
    pub fn from_line(start: Position, moves: impl IntoIterator<Item = Move>) -> Game {
        let mut game = Game { start, ..Game::default() };
        moves.into_iter().for_each(|mv| game.push(mv, String::new()));
        game
    }

    /// Adds a move to the end of a game without variations.
    pub fn push(&mut self, mv: Move, comment: String) {
        self.nodes.push(GameNode { parent: self.nodes.len().checked_sub(1), mv, comment });
    }

    /// Returns the value of a tag; the first one of several with that name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Returns the moves of the main line.
    pub fn main_line(&self) -> &[GameNode] {
        let follows = |(index, node): &(usize, &GameNode)| node.parent == index.checked_sub(1);
        &self.nodes[..self.nodes.iter().enumerate().take_while(follows).count()]
    }

    /// Returns the moves of the main line without comments.
    pub fn line(&self) -> Vec<Move> {
        self.main_line().iter().map(|node| node.mv).collect()
    }

    /// Returns the position after the main line, which is its history.
    pub fn end(&self) -> Position {
        let mut position = self.start.clone();
        self.main_line().iter().for_each(|node| position.make(node.mv));
        position
    }

    /// Returns the name of the opening: of the file if it has one, or else by the moves.
    pub fn opening(&self) -> Option<String> {
        let of_file = self.tag("Opening").filter(|name| is_known(name)).map(str::to_owned);
        of_file.or_else(|| OpeningName::new(&self.start, &self.line()).map(|name| name.text()))
    }

    /// Returns the game without its variations and the warnings about them.
    pub fn without_variations(mut self) -> Game {
        self.nodes.truncate(self.main_line().len());
        self.warnings.0.retain(|warning| matches!(warning.kind, WarningKind::Cut | WarningKind::Corrected));
        self
    }

    /// Returns the game if its main line has its end, or else the reason why it is cut.
    pub fn with_end(self) -> Result<Game, GameError> {
        match self.warnings.cut() {
            Some(cut) => Err(GameError { location: cut.location, fault: GameFault::malformed(&cut.reason) }),
            None => Ok(self),
        }
    }

    /// Ends the main line before an error in its next move. The result stays.
    pub(super) fn cut(&mut self, error: &GameError) {
        self.warnings.add_error(WarningKind::Cut, error);
    }

    pub(super) fn add_tag(&mut self, name: &str, value: &str) {
        if !value.is_empty() && self.tag(name).is_none() {
            self.tags.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Returns the indices of the moves after a move, the main line first; `None` stands for the start.
    pub fn children(&self, parent: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        let first = parent.map_or(0, |parent| parent + 1);
        (first..self.nodes.len()).filter(move |&index| self.nodes[index].parent == parent)
    }

    pub(super) fn links(&self) -> Links {
        let mut links = Links { first: vec![None; self.nodes.len() + 1], next: vec![None; self.nodes.len()] };
        for (index, node) in self.nodes.iter().enumerate().rev() {
            let first = &mut links.first[node.parent.map_or(0, |parent| parent + 1)];
            links.next[index] = first.replace(index as u32);
        }
        links
    }

    /// Returns the number of moves that begin a variation.
    pub fn variations(&self) -> usize {
        self.links().next.iter().flatten().count()
    }

    /// Returns the position after a move, or at the start, with the moves before it as history.
    pub fn position_after(&self, node: Option<usize>) -> Position {
        let path: Vec<usize> = std::iter::successors(node, |&index| self.nodes[index].parent).collect();
        let mut position = self.start.clone();
        path.iter().rev().for_each(|&index| position.make(self.nodes[index].mv));
        position
    }

    /// Sorts the moves in pre-order. Returns `false`, without a change, if a parent does not come before its child.
    #[must_use]
    pub fn sort(&mut self) -> bool {
        if self.nodes.iter().enumerate().any(|(index, node)| node.parent.is_some_and(|parent| parent >= index)) {
            return false;
        }
        let links = self.links();
        let mut sorted: Vec<GameNode> = Vec::with_capacity(self.nodes.len());
        // Moves that come next, with the new indices of their parents.
        let mut stack: Vec<(usize, Option<usize>)> = links.first(None).map(|index| (index, None)).into_iter().collect();
        while let Some((index, parent)) = stack.pop() {
            let here = sorted.len();
            stack.extend(links.next(index).map(|next| (next, parent)));
            stack.extend(links.first(Some(index)).map(|first| (first, Some(here))));
            let GameNode { mv, comment, .. } = &mut self.nodes[index];
            sorted.push(GameNode { parent, mv: *mv, comment: std::mem::take(comment) });
        }
        self.nodes = sorted;
        true
    }

    /// Calls `visit` for every move with the position before it. Returns whether all are legal, in pre-order and not
    /// too deep.
    pub fn walk(&self, mut visit: impl FnMut(&Position, &GameNode)) -> bool {
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

/// Result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash, Serialize, Deserialize)]
pub enum GameResult {
    /// Red won.
    #[serde(rename = "1-0")]
    RedWins,
    /// Black won.
    #[serde(rename = "0-1")]
    BlackWins,
    /// Drawn.
    #[serde(rename = "1/2-1/2")]
    Draw,
    /// Unknown or unfinished.
    #[default]
    #[serde(rename = "*")]
    Unknown,
}

impl GameResult {
    /// Parses a result in PGN form or in words.
    pub fn from_text(text: &str) -> Option<GameResult> {
        let common = |c| match c {
            '–' | '—' => '-',
            '紅' => '红',
            '勝' => '胜',
            '負' => '负',
            '雙' => '双',
            '後' => '后',
            c => c.to_lowercase().next().unwrap_or(c),
        };
        let text = text.trim();
        if ["*", "不明", "未知"].contains(&text) {
            return Some(GameResult::Unknown);
        }
        let plain = text.split(['(', '（']).next().unwrap_or_default().trim_end_matches(['。', '！', '!', ' ']);
        let is_text = |word: &str| plain.chars().map(common).eq(word.chars());
        RESULTS.iter().find(|(_, words)| words.split('|').any(is_text)).map(|(result, _)| *result)
    }

    /// Returns whether a result in words, 胜 or 负 alone, is that of the side that moves first, taken for Red's.
    pub(super) fn names_no_side(text: &str) -> bool {
        ["胜", "勝", "负", "負"].contains(&text.trim().trim_end_matches(['。', '！', '!', ' ']))
    }

    /// Returns the result of a game that this side won.
    pub const fn win_of(side: Side) -> GameResult {
        match side {
            Side::Red => GameResult::RedWins,
            Side::Black => GameResult::BlackWins,
        }
    }

    /// Returns the score of a side: 1 for a win, ½ for a draw, 0 for a loss; `None` if unknown.
    pub fn points(self, side: Side) -> Option<f64> {
        match self {
            GameResult::Unknown => None,
            GameResult::Draw => Some(0.5),
            win => Some(if win == GameResult::win_of(side) { 1.0 } else { 0.0 }),
        }
    }

    /// Returns the result in PGN form.
    pub const fn text(self) -> &'static str {
        match self {
            GameResult::RedWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Texts of results, in lower case and simplified characters.
const RESULTS: [(GameResult, &str); 3] = [
    (
        GameResult::RedWins,
        "1-0|1:0|胜|红胜|红先胜|红方胜|红方先胜|先胜|先手胜|后负|后手负|黑负|黑方负|red won|red wins|đỏ thắng|đen thua",
    ),
    (
        GameResult::BlackWins,
        "0-1|0:1|负|黑胜|黑方胜|红先负|红负|红方负|先负|先手负|后胜|后手胜|black won|black wins|đen thắng|đỏ thua",
    ),
    (GameResult::Draw, "1/2-1/2|1/2|½-½|0.5-0.5|和棋|和局|和|红先和|先和|先手和|平局|双方和|draw|drawn|hòa|hoà"),
];

pub(crate) fn is_known(value: &str) -> bool {
    !["", "?"].contains(&value.trim())
}

pub(super) fn tidy_comment(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let lines: Vec<&str> = text.split(['\n', '\r']).map(str::trim).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// Error in a game file, with its location.
#[derive(Debug, Error)]
#[error("{location}: {fault}")]
pub struct GameError {
    /// Location in the file.
    pub location: Location,
    /// Cause.
    pub fault: GameFault,
}

impl GameError {
    pub(crate) fn in_line(number: u64, fault: impl Into<GameFault>) -> GameError {
        GameError { location: Location::Line(number), fault: fault.into() }
    }

    pub(super) fn at_byte(offset: usize, fault: impl Into<GameFault>) -> GameError {
        GameError { location: Location::Byte(offset as u64), fault: fault.into() }
    }

    /// Returns whether the file itself cannot be read any further, not only one game.
    pub fn is_read_error(&self) -> bool {
        matches!(self.fault, GameFault::Unreadable(_))
    }
}

/// Location in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// Line number, starting with 1.
    Line(u64),
    /// Byte offset, starting with 0.
    Byte(u64),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Line(number) => write!(f, "line {number}"),
            Location::Byte(offset) => write!(f, "byte {offset}"),
        }
    }
}

/// Cause of an error in a game file.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GameFault {
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error("invalid position: {0}")]
    Position(#[from] FenError),
    /// What there is too much of, and the most that may be.
    #[error("more than {1} {0}")]
    TooMuch(&'static str, usize),
    /// What is wrong, with its place.
    #[error("{0}")]
    Other(String),
}

impl GameFault {
    pub(crate) fn malformed(reason: impl Into<String>) -> GameFault {
        GameFault::Other(reason.into())
    }

    /// Error of a move, before which its half-move is named.
    pub(super) fn in_move(ply: usize, reason: &impl fmt::Display) -> GameFault {
        GameFault::Other(without_controls(format!("ply {ply}: {reason}").chars()))
    }

    pub(super) fn in_word(ply: usize, reason: &str) -> GameFault {
        GameFault::Other(without_controls(format!("{reason} (ply {ply})").chars()))
    }

    pub(super) fn result(text: &str) -> GameFault {
        GameFault::Other(format!("'{}' is not a result (1-0, 0-1, 1/2-1/2 or *)", shortened(text)))
    }

    pub(super) fn cut_off(what: &str) -> GameFault {
        GameFault::Other(format!("the file ends within {what}"))
    }
}

/// Returns the first 40 characters of a text for a message, with control characters replaced.
#[doc(hidden)]
pub fn shortened(text: &str) -> String {
    without_controls(text.chars().take(40))
}

fn without_controls(text: impl Iterator<Item = char>) -> String {
    text.map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Kind of a warning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WarningKind {
    /// The main line ends before a move that is not legal, cannot be read or is beyond a limit.
    Cut,
    /// A variation or a comment is left out.
    LeftOut,
    /// Moves of variations are left out because of a limit.
    Limit,
    /// Nothing is lost, but something was read otherwise than the file has it, such as the side to move.
    Corrected,
}

/// Warning about a game that was not read in full or not as its file has it; as text one line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// Kind.
    pub kind: WarningKind,
    /// Location of the first cause.
    pub location: Location,
    /// Description of the first cause.
    pub reason: String,
    /// Number of causes; of [`WarningKind::Limit`], of moves that are left out.
    pub count: usize,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Warning { kind, location, reason, count } = self;
        write!(f, "{location}: {reason}")?;
        match (kind, count) {
            (WarningKind::Cut, _) => write!(f, "; the game is read up to there"),
            (WarningKind::LeftOut, 1) => write!(f, "; this variation or comment is left out"),
            (WarningKind::LeftOut, count) => write!(f, "; {count} variations and comments are left out"),
            (WarningKind::Limit, 1) => write!(f, "; 1 move is left out"),
            (WarningKind::Limit, count) => write!(f, "; {count} moves are left out"),
            (WarningKind::Corrected, 1) => Ok(()),
            (WarningKind::Corrected, count) => write!(f, "; and {} more", count - 1),
        }
    }
}

/// Warnings about a game, in order; those of one kind that lose something are one warning with their number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Warnings(Vec<Warning>);

impl Warnings {
    pub(super) fn add(&mut self, kind: WarningKind, location: Location, reason: impl fmt::Display, count: usize) {
        let is_full = self.0.len() >= MAX_WARNINGS;
        let is_joined = |warning: &&mut Warning| warning.kind == kind && (kind != WarningKind::Corrected || is_full);
        match self.0.iter_mut().rev().find(is_joined) {
            Some(warning) => warning.count += count,
            None => self.0.push(Warning { kind, location, reason: reason.to_string(), count }),
        }
    }

    /// Adds the warning that something was read otherwise than the file has it.
    pub(super) fn add_correction(&mut self, location: Location, reason: impl fmt::Display) {
        self.add(WarningKind::Corrected, location, reason, 1);
    }

    pub(super) fn add_error(&mut self, kind: WarningKind, error: &GameError) {
        self.add(kind, error.location, &error.fault, 1);
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Warning> {
        self.0.iter()
    }

    /// Returns the warning that the main line lacks its end.
    pub fn cut(&self) -> Option<&Warning> {
        self.iter().find(|warning| warning.kind == WarningKind::Cut)
    }

    /// Returns whether something of the game is lost.
    pub fn has_losses(&self) -> bool {
        self.iter().any(|warning| warning.kind != WarningKind::Corrected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: &[(Option<usize>, &str)]) -> Game {
        let node = |&(parent, text): &(_, &str)| GameNode { parent, mv: text.parse().unwrap(), comment: String::new() };
        Game { nodes: moves.iter().map(node).collect(), ..Game::default() }
    }

    #[test]
    fn moves_in_any_order_are_sorted_and_illegal_ones_found() {
        let mut mixed =
            game(&[(None, "h2e2"), (None, "c3c4"), (Some(0), "h9g7"), (Some(1), "g6g5"), (Some(0), "b9c7")]);
        assert!(!mixed.is_valid() && mixed.sort() && mixed.is_valid());
        let moves: Vec<String> = mixed.nodes.iter().map(|node| node.mv.to_string()).collect();
        assert_eq!(moves, ["h2e2", "h9g7", "b9c7", "c3c4", "g6g5"]);
        assert_eq!((mixed.variations(), mixed.line().len()), (2, 2));
        assert!(!game(&[(None, "h2e2"), (Some(0), "h2e2")]).is_valid());
        assert!(!game(&[(Some(0), "h2e2")]).sort() && !game(&[(Some(7), "h2e2")]).sort());
        let mut later = game(&[(Some(1), "h2e2"), (None, "c3c4")]);
        assert!(!later.sort() && !later.is_valid());
    }

    #[test]
    fn results_are_read_in_words() {
        for (result, texts) in [
            ("1-0", "1-0 1:0 1–0 Đỏ\u{a0}thắng 胜 红胜 红方胜！ 紅先勝 先胜 黑负 red\u{a0}wins 1-0(认输)"),
            ("0-1", "0-1 0:1 ĐEN\u{a0}THẮNG 負。 後胜 黑胜 黑方胜。 紅負 先负 後手勝 0-1（超时）"),
            ("1/2-1/2", "1/2-1/2 Hòa hoà ½-½ 和棋 先和 平局 雙方和 Draw"),
            ("*", "* 不明"),
            ("", "1 1. 2-0 1-1 后炮平四 平 b2e2 red 红 (1-0) 10 0"),
        ] {
            for text in texts.split(' ') {
                let found = GameResult::from_text(&text.replace('\u{a0}', " ")).map_or("", GameResult::text);
                assert_eq!(found, result, "{text}");
            }
        }
    }
}
