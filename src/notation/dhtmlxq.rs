//! DhtmlXQ, the format of boards on web pages.
//!
//! ```text
//! [DhtmlXQ]
//! [DhtmlXQ_title]…[/DhtmlXQ_title]
//! [DhtmlXQ_binit]0919293949596979891777062646668600102030405060708012720323436383[/DhtmlXQ_binit]
//! [DhtmlXQ_movelist]77477062…[/DhtmlXQ_movelist]
//! [DhtmlXQ_comment2]…[/DhtmlXQ_comment2]
//! [DhtmlXQ_move_0_2_1]7242…[/DhtmlXQ_move_0_2_1]
//! [/DhtmlXQ]
//! ```
//!
//! Squares are two digits, column and row from the upper left. A page may contain several games surrounded by any text.
//! A variation `move_PARENT_PLY_NUMBER` replaces the move of this ply of the game in the line `PARENT`, where 0 is the
//! main line; `commentNUMBER_PLY` is the comment of a move in it, and `commentPLY` one of the main line.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

use super::game::{
    Game, GameError, GameFault, GameNode, GameResult, Location, MAX_COMMENTS, MAX_PLIES, WarningKind, shortened,
    tidy_comment,
};
use super::nodes::{self, Board, Start};
use super::text_encoding::{TextLine, TextLines};
use crate::position::{Position, START_FEN, Strictness};
use crate::types::{Side, Square};

/// Begins the marks of games, such as `[DhtmlXQ]` and `[DhtmlXQiFrame]`, and of fields.
const ANY: &str = "[DhtmlXQ";
const ANY_END: &str = "[/DhtmlXQ";
const MARK: &str = "[DhtmlXQ_";
const OFF_THE_BOARD: &str = "99";
/// Maximum number of moves that are replayed to find the positions before variations, which bounds the time.
const MAX_REPLAYED: usize = 200_000_000;

/// Tags with the names of their fields: the one that is written, and another that counts more when it is read.
pub(super) const FIELDS: [(&str, &str, Option<&str>); 13] = [
    ("Event", "event", None),
    ("Title", "title", None),
    ("Site", "place", None),
    ("Date", "date", None),
    ("Round", "round", None),
    ("RedTeam", "redteam", None),
    ("Red", "red", Some("redname")),
    ("BlackTeam", "blackteam", None),
    ("Black", "black", Some("blackname")),
    ("Opening", "open", None),
    ("TimeControl", "timerule", None),
    ("Annotator", "remark", None),
    ("Author", "author", None),
];

pub(super) fn games(reader: impl BufRead, strictness: Strictness) -> impl Iterator<Item = Result<Game, GameError>> {
    let mut blocks = Blocks { lines: TextLines::new(reader), held: None };
    std::iter::from_fn(move || {
        loop {
            match blocks.next_block().transpose()? {
                // A block without any field is not a game.
                Ok((_, block)) if !block.contains(MARK) => {}
                block => return Some(block.and_then(|(number, block)| parse(number, &block, strictness))),
            }
        }
    })
}

struct Blocks<R> {
    lines: TextLines<R>,
    /// Line that has been consumed up to this byte.
    held: Option<(TextLine, usize)>,
}

impl<R: BufRead> Blocks<R> {
    /// Returns the number of the first line of the next game, and its text from the first mark to its end.
    fn next_block(&mut self) -> Result<Option<(u64, String)>, GameError> {
        let mut block: Option<(u64, String)> = None;
        loop {
            let next = match self.held.take() {
                Some(held) => Some(held),
                None => self.lines.next_line()?.map(|line| (line, 0)),
            };
            let Some((line, from)) = next else { return Ok(block) };
            if let Some(error) = line.fault() {
                // The boundary between two games may be in the truncated part.
                return Err(error);
            }
            let begin = if block.is_some() { Some(0) } else { line.text[from..].find(ANY) };
            let Some(begin) = begin.map(|at| from + at) else { continue };
            let text = &line.text[begin..];
            // A game without an end mark ends where the next one begins.
            let own = if block.is_none() && is_mark_of_game(text, ANY) { ANY.len() } else { 0 };
            let cut = text[own..].match_indices('[').map(|(at, _)| own + at).find_map(|at| match &text[at..] {
                rest if is_mark_of_game(rest, ANY_END) => Some(at + ANY_END.len()),
                rest => is_mark_of_game(rest, ANY).then_some(at),
            });
            let (_, collected) = block.get_or_insert_with(|| (line.number, String::new()));
            collected.push_str(&text[..cut.unwrap_or(text.len())]);
            collected.push('\n');
            if collected.len() > MAX_COMMENTS {
                let fault = GameFault::TooMuch("bytes of text in a game", MAX_COMMENTS);
                return Err(GameError::in_line(line.number, fault));
            }
            if let Some(cut) = cut {
                self.held = Some((line, begin + cut));
                return Ok(block);
            }
        }
    }
}

/// Returns whether a text begins with a mark of a game that begins like this; those of fields go on with `_`.
fn is_mark_of_game(text: &str, start: &str) -> bool {
    text.strip_prefix(start).is_some_and(|rest| !rest.starts_with('_'))
}

struct Field<'a> {
    name: &'a str,
    value: &'a str,
    line: u64,
}

fn fields(first_line: u64, block: &str) -> Vec<Field<'_>> {
    let line_ends = |text: &str| text.bytes().filter(|&byte| byte == b'\n').count() as u64;
    let mut fields = Vec::new();
    let (mut rest, mut line) = (block, first_line);
    while let Some(at) = rest.find(MARK) {
        line += line_ends(&rest[..at]);
        rest = &rest[at + MARK.len()..];
        let Some((name, value)) = rest.split_once(']') else { break };
        let mut marks = value.match_indices('[').map(|(at, _)| at);
        let ends = |at: &usize| [MARK, ANY_END].iter().any(|mark| value[*at..].starts_with(mark));
        let end = marks.find(ends).unwrap_or(value.len());
        fields.push(Field { name, value: &value[..end], line });
        line += line_ends(&rest[..name.len() + 1 + end]);
        rest = &value[end..];
    }
    fields
}

fn parse(first_line: u64, block: &str, strictness: Strictness) -> Result<Game, GameError> {
    let fields = fields(first_line, block);
    let field = |name: &str| fields.iter().find(|field| field.name.eq_ignore_ascii_case(name));
    let mut game = Game::default();
    for (tag, written, other) in FIELDS {
        for name in other.into_iter().chain([written]) {
            let value = field(name).map_or("", |field| field.value);
            game.add_tag(tag, &value.replace("||", " ").trim().replace('\n', " "));
        }
    }
    // Many forms of the result exist; unknown ones are kept as a tag.
    let result = field("result").map_or("", |field| field.value).trim();
    match GameResult::from_text(result) {
        Some(result) => game.result = result,
        None => game.add_tag("ResultText", result),
    }
    let list = field("movelist");
    let moves = moves_of(list.map_or("", |field| field.value));
    let given = |name| field(name).filter(|field| !field.value.trim().is_empty());
    let board = |field: &Field<'_>| board(field.value).map_err(|fault| GameError::in_line(field.line, fault));
    let start = given("binit").map(|field| Ok((field.line, board(field)?))).transpose()?;
    if let Some(field) = given("fen") {
        let parsed = Position::parse_fen(field.value, strictness);
        game.start = parsed.map_err(|error| GameError::in_line(field.line, error))?.position;
    } else if let Some((line, board)) = start {
        let start = Start { board, side: Side::Red, places: [Location::Line(line); 2], strictness };
        let first = moves.clone().next().and_then(|squares| squares.ok()?[0]);
        game.start = start.position(first, &mut game.warnings)?;
    }
    let mut position = game.start.clone();
    if let Err((fault, _)) = add_moves(&mut game, &mut position, None, moves) {
        game.cut(&GameError::in_line(list.map_or(first_line, |field| field.line), fault));
    }
    add_variations(&mut game, &fields);
    Ok(game)
}

fn board(text: &str) -> Result<Board, GameFault> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if let Some(odd) = digits.chars().find(|c| !c.is_ascii_digit()) {
        return Err(GameFault::malformed(format!("unexpected '{}' among the digits", shortened(&odd.to_string()))));
    }
    if digits.len() != 64 {
        let reason = match digits.len() % 2 {
            0 => format!("{} pieces instead of 32", digits.len() / 2),
            _ => "the number of digits is odd".to_owned(),
        };
        return Err(GameFault::malformed(reason));
    }
    let pairs: [&str; 32] = std::array::from_fn(|index| &digits[2 * index..2 * index + 2]);
    if let Some(wrong) = pairs.iter().find(|pair| square(pair).is_none() && **pair != OFF_THE_BOARD) {
        return Err(GameFault::malformed(format!("'{wrong}' is not a square of the board")));
    }
    nodes::board(&pairs.map(square))
}

fn square(pair: &str) -> Option<Square> {
    let (column, row) = (pair.as_bytes()[0] - b'0', pair.as_bytes()[1] - b'0');
    (column < Square::FILES).then(|| Square::new(column, Square::RANKS - 1 - row))
}

fn pair(square: Square) -> String {
    format!("{}{}", square.file(), Square::RANKS - 1 - square.rank())
}

/// Returns the moves of a list, as pairs of squares or the reason why they are none.
fn moves_of(list: &str) -> impl Iterator<Item = Result<[Option<Square>; 2], String>> + Clone {
    let mut digits = list.chars().filter(|c| !c.is_whitespace());
    std::iter::repeat_with(move || digits.by_ref().take(4).collect::<String>()).map_while(|word| {
        let odd = word.chars().find(|c| !c.is_ascii_digit());
        match (odd, word.len()) {
            (Some(odd), _) => Some(Err(format!("unexpected '{odd}' among the digits"))),
            (None, 0) => None,
            (None, 4) => match [square(&word[..2]), square(&word[2..])] {
                squares @ [Some(_), Some(_)] => Some(Ok(squares)),
                _ => Some(Err(format!("'{word}' are not squares of the board"))),
            },
            (None, _) => Some(Err(format!("'{word}' are not the four digits of a move"))),
        }
    })
}

/// Adds moves after `parent`, where the position is. An error is the reason why one is illegal, with the number added.
fn add_moves(
    game: &mut Game,
    position: &mut Position,
    mut parent: Option<usize>,
    moves: impl Iterator<Item = Result<[Option<Square>; 2], String>>,
) -> Result<(), (GameFault, usize)> {
    let begin = game.nodes.len();
    for squares in moves {
        let (plies, count) = (position.history().len(), game.nodes.len());
        let mv = match squares {
            Ok(squares) => nodes::playable(squares, position, plies, count),
            Err(reason) => Err(GameFault::in_move(plies + 1, &reason)),
        };
        let mv = mv.map_err(|fault| (fault, count - begin))?;
        position.make(mv);
        game.nodes.push(GameNode { parent, mv, comment: String::new() });
        parent = Some(count);
    }
    Ok(())
}

struct Line {
    parent: Option<usize>,
    /// Ply of its first move, from 1.
    ply: usize,
    nodes: std::ops::Range<usize>,
}

impl Line {
    fn node_at(&self, ply: usize) -> Option<usize> {
        self.nodes.clone().nth(ply.checked_sub(self.ply)?)
    }
}

fn add_variations(game: &mut Game, fields: &[Field<'_>]) {
    let numbers = |field: &Field<'_>| -> Option<[usize; 3]> {
        let numbers: Result<Vec<usize>, _> = field.name.strip_prefix("move_")?.split('_').map(str::parse).collect();
        numbers.ok()?.try_into().ok()
    };
    let mut variations: Vec<_> = fields.iter().filter_map(|field| Some((numbers(field)?, field))).collect();
    variations.sort_by_key(|([_, _, number], _)| *number);
    // Lines by their numbers.
    let mut lines = HashMap::from([(0, Line { parent: None, ply: 1, nodes: 0..game.nodes.len() })]);
    let mut replayed = 0;
    for (numbers, field) in variations {
        let place = Location::Line(field.line);
        match add_variation(game, &mut lines, numbers, field.value, &mut replayed) {
            Ok(()) => {}
            Err((fault @ GameFault::TooMuch(..), lost)) => game.warnings.add(WarningKind::Limit, place, fault, lost),
            Err((fault, _)) => game.warnings.add(WarningKind::LeftOut, place, fault, 1),
        }
    }
    for field in fields {
        let Some(numbers) = field.name.strip_prefix("comment") else { continue };
        let (number, ply) = numbers.split_once('_').unwrap_or(("0", numbers));
        let (Ok(number), Ok(ply)) = (number.parse::<usize>(), ply.parse::<usize>()) else { continue };
        let comment = tidy_comment(&field.value.replace("||", "\n"));
        match lines.get(&number).and_then(|line| line.node_at(ply)) {
            _ if comment.is_empty() => {}
            // Before the first move.
            _ if (number, ply) == (0, 0) => game.comment = comment,
            Some(node) => game.nodes[node].comment = comment,
            None if ply == 0 => {}
            None => {
                let reason = format!("there is no move for the comment '{}'", shortened(&comment));
                game.warnings.add(WarningKind::LeftOut, Location::Line(field.line), reason, 1);
            }
        }
    }
    let is_sorted = game.sort();
    debug_assert!(is_sorted, "moves are added after their parents");
}

/// Adds a variation as far as its moves are legal. It is an error, with the number of moves that are left out, if a
/// move is not legal or exceeds a limit, or if the variation leaves no known line.
fn add_variation(
    game: &mut Game,
    lines: &mut HashMap<usize, Line>,
    [parent, ply, number]: [usize; 3],
    moves: &str,
    replayed: &mut usize,
) -> Result<(), (GameFault, usize)> {
    let unknown = || {
        let reason = format!("variation {number} replaces ply {ply} of line {parent}, which is missing");
        (GameFault::malformed(reason), 0)
    };
    let (mut parent, mut line) = (parent, lines.get(&parent).ok_or_else(unknown)?);
    let moves = moves_of(moves);
    let count = moves.clone().take_while(Result::is_ok).count();
    // Climbing to the line that has the move before takes time, too.
    *replayed += ply.min(MAX_PLIES);
    if *replayed > MAX_REPLAYED {
        return Err((GameFault::TooMuch("moves to replay for variations", MAX_REPLAYED), count));
    }
    let before = match ply.checked_sub(1).ok_or_else(unknown)? {
        0 => None,
        before => {
            while before < line.ply {
                parent = line.parent.ok_or_else(unknown)?;
                line = &lines[&parent];
            }
            Some(line.node_at(before).ok_or_else(unknown)?)
        }
    };
    // It would go on with a main line that lacks its end.
    if game.warnings.cut().is_some() && before == lines[&0].nodes.clone().last() {
        return Err(unknown());
    }
    let mut position = game.position_after(before);
    let begin = game.nodes.len();
    let added = add_moves(game, &mut position, before, moves);
    lines.entry(number).or_insert(Line { parent: Some(parent), ply, nodes: begin..game.nodes.len() });
    added.map_err(|(fault, added)| (fault, count - added))
}

/// Writes a game with its variations. Fails also on a position with more pieces of a kind than a game starts with.
pub(super) fn write_game(out: &mut impl Write, game: &Game) -> io::Result<()> {
    let mut text = "[DhtmlXQ]\n".to_owned();
    let mut field = |name: &str, value: &str| {
        let value = safe(value);
        text.push_str(&format!("[DhtmlXQ_{name}]{value}[/DhtmlXQ_{name}]\n"));
    };
    for (tag, name, _) in FIELDS {
        if let Some((_, value)) = game.tags.iter().find(|(other, value)| other == tag && !value.is_empty()) {
            field(name, value);
        }
    }
    field("result", game.result.text());
    let pieces = nodes::pieces_of(&game.start)?.map(|square| square.map_or(OFF_THE_BOARD.to_owned(), pair));
    field("binit", &pieces.concat());
    let fen = game.start.to_string();
    // The squares alone do not say whose move it is, nor its number.
    if fen != START_FEN {
        field("fen", &fen);
    }
    if !game.comment.is_empty() {
        field("comment0", &game.comment);
    }
    let links = game.links();
    if links.first(None).is_none() {
        field("movelist", "");
    }
    // Lines that are to be written: the number of the line that each leaves, and the ply and index of its first move.
    let mut lines: Vec<(usize, usize, usize)> = links.first(None).map(|first| (0, 1, first)).into_iter().collect();
    let mut number = 0;
    while let Some(&(parent, first_ply, first)) = lines.get(number) {
        let (mut moves, mut comments) = (String::new(), Vec::new());
        let nodes = std::iter::successors(Some(first), |&index| links.first(Some(index)));
        for (ply, index) in (first_ply..).zip(nodes) {
            let GameNode { mv, comment, .. } = &game.nodes[index];
            // Alternatives to the first move of a variation belong to the line that it leaves.
            if index != first || number == 0 {
                let alternatives = std::iter::successors(links.next(index), |&other| links.next(other));
                lines.extend(alternatives.map(|first| (number, ply, first)));
            }
            moves += &(pair(mv.from()) + &pair(mv.to()));
            if !comment.is_empty() {
                let line = if number == 0 { String::new() } else { format!("{number}_") };
                comments.push((format!("comment{line}{ply}"), comment));
            }
        }
        let name = if number == 0 { "movelist".to_owned() } else { format!("move_{parent}_{first_ply}_{number}") };
        field(&name, &moves);
        comments.iter().for_each(|(name, comment)| field(name, comment));
        number += 1;
    }
    text.push_str("[/DhtmlXQ]\n");
    out.write_all(text.as_bytes())
}

fn safe(value: &str) -> String {
    let value = value.replace("\r\n", "\n").replace('\n', "||").replace("[DhtmlXQ", "［DhtmlXQ");
    let value = value.replace("[/DhtmlXQ", "［/DhtmlXQ");
    value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
