//! Game files in Xiangqi PGN, and lists of moves, which are read in the same way; see [`super::move_list`].
//!
//! Moves are read in every dialect, that of the `Format` tag first. Text in parentheses is a variation if all its words
//! are legal moves there, and a comment otherwise; it is read once, whatever the depth: the brackets are matched first,
//! so that each level skips those within it. Marks of moves, such as `!` and `$4`, become the first words of their
//! comments.
//!
//! A line of a game has result, start position and moves, separated by tabs:
//!
//! ```text
//! 1-0<TAB>FEN<TAB>h2e2 h9g7 …
//! ```
//!
//! The FEN may be empty or its column may be missing: then the game begins with the start position. Further columns are
//! ignored, and so are empty lines and those that begin with `#`.

use std::io::{self, BufRead, Write};
use std::vec::IntoIter;

use super::game::{
    Game, GameError, GameFault, GameNode, GameResult, Location, MAX_NODES, MAX_PLIES, WarningKind, is_known,
    tidy_comment,
};
use super::nodes::too_many_moves;
use super::pgn_moves::{self, Played, Reading, play_from_right_side};
use super::pgn_text::{Lexeme, RawGame, RawGames, Style, Token, TokenKind, lexeme};
use super::text_encoding::TextLines;
use super::{Dialect, move_list, write, write_line};
use crate::position::{Position, START_FEN, Strictness};
use crate::types::{Move, Side};

const WIDTH: usize = 79;
/// Maximum number of levels of variations within variations, as many as a line has plies; deeper ones are comments.
const MAX_LEVELS: usize = MAX_PLIES;
/// Longer comments are not mere marks, so that many marks of one move take bounded time.
const MAX_MARK_BYTES: usize = 32;
/// Index of a move that is left out because of [`MAX_NODES`].
const NOWHERE: usize = usize::MAX;
const OWN_TAGS: [&str; 5] = ["Game", "Result", "FEN", "SetUp", "Format"];

pub(super) fn games<R: BufRead>(
    reader: R,
    style: Style,
    strictness: Strictness,
) -> impl Iterator<Item = Result<Game, GameError>> {
    let mut games = RawGames::new(reader, style);
    std::iter::from_fn(move || {
        let raw = games.next_game().transpose()?;
        Some(raw.and_then(|raw| parse(raw, style, strictness)))
    })
}

pub(super) fn games_of_lines(
    reader: impl BufRead,
    strictness: Strictness,
) -> impl Iterator<Item = Result<Game, GameError>> {
    TextLines::new(reader).map(move |line| {
        let (number, line) = line?;
        let mut columns = line.split('\t').map(str::trim);
        let (result, mut fen) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
        let mut moves = columns.next().unwrap_or_default();
        // Without a FEN, the moves may be in its column.
        let begins_with_a_move =
            |text: &str| text.split_ascii_whitespace().next().is_some_and(|word| word.parse::<Move>().is_ok());
        if !fen.contains('/') && !begins_with_a_move(moves) {
            (fen, moves) = ("", if fen.is_empty() { moves } else { fen });
        }
        if !result.is_empty() && GameResult::from_text(result).is_none() {
            return Err(GameError::in_line(number, GameFault::result(result)));
        }
        let mut raw = RawGame::default();
        let tags = [("Result", result), ("FEN", fen)].into_iter().filter(|(_, value)| !value.is_empty());
        raw.tags.extend(tags.map(|(name, value)| (number, name.to_owned(), value.to_owned())));
        let word = |word: &str| Token { line: number, text: word.to_owned(), kind: TokenKind::Word };
        raw.tokens.extend(moves.split_ascii_whitespace().map(word));
        parse(raw, Style::Pgn, strictness)
    })
}

pub(super) fn write_as_line(out: &mut impl Write, game: &Game, dialect: Dialect) -> io::Result<()> {
    let fen = if game.start == Position::start() { String::new() } else { game.start.to_string() };
    writeln!(out, "{}\t{fen}\t{}", game.result, write_line(&game.start, &game.line(), dialect).join(" "))
}

fn is_own_tag(name: &str) -> bool {
    OWN_TAGS.iter().any(|own| own.eq_ignore_ascii_case(name))
}

fn parse(mut raw: RawGame, style: Style, strictness: Strictness) -> Result<Game, GameError> {
    if let Some(error) = raw.fault {
        return Err(error);
    }
    if raw.lacks_moves() {
        return Err(GameError::in_line(raw.first_line, GameFault::malformed("a WXF file without START{ and moves")));
    }
    let find = |name: &str| raw.tags.iter().find(|(_, other, _)| other.eq_ignore_ascii_case(name));
    let mut game = Game::default();
    // A FEN tag counts with or without SetUp.
    if let Some((line, _, fen)) = find("FEN").filter(|(_, _, fen)| !fen.trim().is_empty()) {
        let parsed = Position::parse_fen(fen, strictness);
        game.start = parsed.map_err(|error| GameError::in_line(*line, error))?.position;
    }
    // The result after the moves takes precedence over the tag unless it is a star.
    game.result = match (raw.result, find("Result")) {
        (Some(result), _) if result != GameResult::Unknown => result,
        (_, Some((line, _, text))) if is_known(text) => {
            let result = GameResult::from_text(text);
            result.ok_or_else(|| GameError::in_line(*line, GameFault::result(text)))?
        }
        _ => GameResult::Unknown,
    };
    let of_first = raw.is_result_of_first || find("Result").is_some_and(|(_, _, text)| GameResult::names_no_side(text));
    if of_first && game.start.side() == Side::Black {
        // Some authors mean the side that moves first, others Red.
        game.result = GameResult::Unknown;
    }
    // Western programs name the variant; the origin of a list is unknown.
    let is_western = style == Style::List || find("Variant").is_some();
    let words: Vec<&Token> = raw.tokens.iter().filter(|token| token.kind == TokenKind::Word).collect();
    let texts: Vec<&str> = words.iter().map(|token| token.text.as_str()).collect();
    let is_named = |dialect: &Dialect| {
        find("Format").is_some_and(|(_, _, name)| Dialect::NAMES[*dialect as usize].1.eq_ignore_ascii_case(name.trim()))
    };
    let dialect = Dialect::ALL.into_iter().find(is_named);
    let play = |start: &Position| pgn_moves::play(start, &texts, is_western, dialect);
    let given = find("FEN").filter(|_| !raw.has_named_start).map(|(line, ..)| Location::Line(*line));
    let Played { moves, warnings, fault, reading } = play_from_right_side(&mut game, given, strictness, play);
    for (index, warning) in warnings {
        game.warnings.add_correction(Location::Line(words[index].line), warning);
    }
    if let Some(line) = raw.split_in {
        game.warnings.add_correction(Location::Line(line), "number 1 begins another game within the line");
    }
    if let Some((index, fault)) = fault {
        let error = GameError::in_line(words[index].line, fault);
        // Without any legal move from the usual start, the notation is not understood.
        if moves.is_empty() && find("FEN").is_none() {
            return Err(error);
        }
        game.cut(&error);
        let end = raw.tokens.iter().position(|token| std::ptr::eq(token, words[index]));
        raw.tokens.truncate(end.unwrap_or(raw.tokens.len()));
    }
    let tags = raw.tags.into_iter().filter(|(_, name, _)| !is_own_tag(name));
    game.tags = tags.map(|(_, name, value)| (name, value)).collect();
    Ok(join(game, moves, &raw.tokens, style, reading))
}

fn join(game: Game, moves: Vec<(usize, Move)>, tokens: &[Token], style: Style, reading: Reading) -> Game {
    let (position, room) = (game.start.clone(), MAX_NODES.saturating_sub(moves.len()));
    let mut builder =
        Builder { game, position, path: Vec::new(), room, style, reading, outer: "", brackets: Vec::new() };
    let parts =
        tokens.iter().map(|&Token { kind, ref text, line }| Part { kind, text, at: 0, line, mv: None }).collect();
    // The main line, and the variations that are open.
    let mut open = vec![Line::new(parts, moves, None)];
    while let Some(line) = open.last_mut() {
        let Some(part) = line.parts.next() else {
            builder.close(line);
            open.pop();
            continue;
        };
        match (part.kind, line.last) {
            (TokenKind::Word, _) => builder.word(line, &part),
            (TokenKind::Parenthesis, Some(_)) => {
                if open.len() == 1 {
                    (builder.outer, builder.brackets) = (part.text, matching_brackets(part.text));
                }
                let variation = builder.variation(&part, open.len() - 1);
                open.extend(variation);
            }
            _ => builder.comment(line, &tidy_comment(part.text)),
        }
    }
    let mut game = builder.game;
    let is_sorted = game.sort();
    debug_assert!(is_sorted, "moves are added after their parents");
    game
}

struct Part<'a> {
    kind: TokenKind,
    text: &'a str,
    /// Its place in the outermost parenthesis around it.
    at: usize,
    line: u64,
    mv: Option<Move>,
}

struct Line<'a> {
    parts: IntoIter<Part<'a>>,
    last: Option<usize>,
    /// Comments before the first move of a variation, which belong to that move.
    waiting: String,
    /// The move that a variation replaces, with its index, and the number of plies before it.
    replaced: Option<((usize, Move), usize)>,
}

impl<'a> Line<'a> {
    /// `moves` have the indices of their words.
    fn new(mut parts: Vec<Part<'a>>, moves: Vec<(usize, Move)>, replaced: Option<((usize, Move), usize)>) -> Line<'a> {
        let mut words: Vec<_> = parts.iter_mut().filter(|part| part.kind == TokenKind::Word).collect();
        moves.into_iter().for_each(|(index, mv)| words[index].mv = Some(mv));
        Line { parts: parts.into_iter(), last: None, waiting: String::new(), replaced }
    }
}

struct Builder<'a> {
    game: Game,
    position: Position,
    /// The moves up to there with their indices.
    path: Vec<(usize, Move)>,
    /// Number of moves of variations that still have room.
    room: usize,
    style: Style,
    reading: Reading,
    /// Text of the outermost parenthesis, and the brackets in it.
    outer: &'a str,
    brackets: Vec<(u32, u32)>,
}

impl<'a> Builder<'a> {
    /// Adds the move of a word if it has one, and its marks.
    fn word(&mut self, line: &mut Line, part: &Part) {
        if let Some(mv) = part.mv {
            let is_variation = line.replaced.is_some();
            let index = if is_variation && self.room == 0 {
                self.game.warnings.add(WarningKind::Limit, Location::Line(part.line), too_many_moves(), 1);
                NOWHERE
            } else {
                self.room -= usize::from(is_variation);
                let (parent, comment) = (self.path.last().map(|last| last.0), std::mem::take(&mut line.waiting));
                self.game.nodes.push(GameNode { parent, mv, comment });
                self.game.nodes.len() - 1
            };
            line.last = Some(index);
            self.position.make(mv);
            self.path.push((index, mv));
        }
        // No other format has a place for the marks.
        line.last.into_iter().for_each(|last| self.remark(last, &pgn_moves::marks(part.text)));
    }

    fn comment(&mut self, line: &mut Line, text: &str) {
        match line.last {
            Some(last) => self.remark(last, text),
            None if self.game.nodes.is_empty() => add_comment(&mut self.game.comment, text),
            None => add_comment(&mut line.waiting, text),
        }
    }

    fn remark(&mut self, index: usize, text: &str) {
        if let Some(node) = self.game.nodes.get_mut(index) {
            add_comment(&mut node.comment, text);
        }
    }

    /// Begins a variation in place of the last move if all words of a parenthesis are legal moves, else a comment.
    fn variation(&mut self, part: &Part<'a>, level: usize) -> Option<Line<'a>> {
        let parts = self.parts_of(part);
        let words: Vec<&str> = parts.iter().filter(|part| part.kind == TokenKind::Word).map(|part| part.text).collect();
        let replaced = self.path.pop()?;
        self.position.unmake();
        let Played { moves, fault, .. } = pgn_moves::play_on(&mut self.position, &words, self.reading);
        let fault = match fault {
            Some((_, fault)) => Some(fault),
            None if level == MAX_LEVELS => Some(GameFault::TooMuch("levels of variations", MAX_LEVELS)),
            None => None,
        };
        if fault.is_none() && !moves.is_empty() {
            return Some(Line::new(parts, moves, Some((replaced, self.path.len()))));
        }
        self.position.make(replaced.1);
        self.path.push(replaced);
        if let Some(fault @ GameFault::TooMuch(..)) = fault.filter(|_| !moves.is_empty()) {
            self.game.warnings.add(WarningKind::LeftOut, Location::Line(part.line), fault, 1);
        }
        self.remark(replaced.0, &tidy_comment(part.text));
        None
    }

    fn close(&mut self, line: &Line) {
        let Some((replaced, plies)) = line.replaced else { return };
        self.path.drain(plies..).for_each(|_| self.position.unmake());
        self.path.push(replaced);
        self.position.make(replaced.1);
    }

    /// Splits a parenthesis into words, comments and inner parentheses, as the text outside is split.
    fn parts_of(&self, whole: &Part<'a>) -> Vec<Part<'a>> {
        let (mut at, end) = (whole.at, whole.at + whole.text.len());
        let text = &self.outer[..end];
        let mut parts = Vec::new();
        let mut add = |kind, at, text: &'a str| {
            if !text.trim().is_empty() {
                parts.push(Part { kind, text, at, line: whole.line, mv: None });
            }
        };
        while at < end {
            match lexeme(text, at, self.style) {
                Lexeme::Nothing(length) => at += length,
                Lexeme::Remark => {
                    let from = at + 1;
                    at = text[at..].find('\n').map_or(end, |length| at + length);
                    add(TokenKind::Comment, from, &text[from..at]);
                }
                Lexeme::Opening(bracket) => {
                    let from = at + bracket.len_utf8();
                    let found = self.brackets.binary_search_by_key(&(at as u32), |&(opening, _)| opening);
                    let close = found.map_or(end, |index| self.brackets[index].1 as usize).clamp(from, end);
                    let kind = if bracket == '{' { TokenKind::Comment } else { TokenKind::Parenthesis };
                    add(kind, from, &text[from..close]);
                    at = close + text[close..].chars().next().map_or(0, char::len_utf8);
                }
                Lexeme::Word(word) => {
                    move_list::split_moves(word).into_iter().for_each(|part| add(TokenKind::Word, at, part));
                    at += word.len();
                }
            }
        }
        parts
    }
}

/// Adds a comment to those before it, in the same line after mere marks.
fn add_comment(comment: &mut String, text: &str) {
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

/// Returns the byte of each opening bracket with that of its closing one, or with the end of the text around it.
fn matching_brackets(text: &str) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    // Brackets that are open, with their places in the list, and how many are of each kind.
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut counts = [0_usize; 3];
    let kind = |c: char| usize::from(matches!(c, '（' | '）')) + 2 * usize::from(matches!(c, '{' | '}'));
    for (at, c) in text.char_indices() {
        // Within braces there are no other brackets.
        let is_in_braces = counts[2] > 0;
        match c {
            '{' | '(' | '（' if c == '{' || !is_in_braces => {
                open.push((found.len(), c));
                counts[kind(c)] += 1;
                found.push((at as u32, text.len() as u32));
            }
            '}' | ')' | '）' if (c == '}' || !is_in_braces) && counts[kind(c)] > 0 => {
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

/// Writes a valid game with its variations in parentheses, followed by an empty line. In comments, braces become `｛`
/// and `｝`, because programs differ in how they read nested braces.
pub(super) fn write_game(out: &mut impl Write, game: &Game, dialect: Dialect) -> io::Result<()> {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| text.push_str(&format!("[{name} \"{}\"]\n", escaped(value)));
    tag("Game", "Chinese Chess");
    for (name, value) in &game.tags {
        if is_tag_name(name) && !is_own_tag(name) {
            tag(name, value);
        }
    }
    tag("Result", game.result.text());
    let fen = game.start.to_string();
    if fen != START_FEN {
        tag("SetUp", "1");
        tag("FEN", &fen);
    }
    tag("Format", Dialect::NAMES[dialect as usize].1);
    text.push('\n');

    let mut lines = Lines { text, width: 0, word: String::new() };
    lines.comment(&game.comment);
    write_moves(&mut lines, game, dialect);
    lines.word(game.result.text().to_owned());
    lines.end_word();
    writeln!(out, "{}\n", lines.text)
}

enum Step {
    /// Writes this move, the alternatives to it, and those after it up to the end of its line.
    Line(usize),
    Make(Move),
    /// Writes this alternative in brackets, and those after it.
    Alternative(usize),
    /// Ends an alternative that began after this number of plies.
    Close(usize),
}

fn write_moves(lines: &mut Lines, game: &Game, dialect: Dialect) {
    let links = game.links();
    let mut position = game.start.clone();
    let mut needs_number = true;
    let mut steps: Vec<Step> = links.first(None).map(Step::Line).into_iter().collect();
    while let Some(step) = steps.pop() {
        let (index, opening) = match step {
            Step::Line(index) => (index, ""),
            Step::Alternative(index) => (index, "("),
            Step::Make(mv) => {
                position.make(mv);
                continue;
            }
            Step::Close(plies) => {
                while position.history().len() > plies {
                    position.unmake();
                }
                lines.close();
                needs_number = true;
                continue;
            }
        };
        let node = &game.nodes[index];
        let number = position.move_number();
        if position.side() == Side::Red {
            lines.word(format!("{opening}{number}."));
        } else if needs_number || !opening.is_empty() {
            lines.word(format!("{opening}{number}..."));
        }
        lines.word(write(&position, node.mv, dialect));
        needs_number = lines.comment(&node.comment);
        let (next, alternative) = (links.first(Some(index)).map(Step::Line), links.next(index).map(Step::Alternative));
        if opening.is_empty() {
            // The last one comes first.
            steps.extend(next.into_iter().chain([Step::Make(node.mv)]).chain(alternative));
        } else {
            steps.extend(alternative.into_iter().chain([Step::Close(position.history().len())]).chain(next));
            position.make(node.mv);
        }
    }
}

fn is_tag_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn escaped(value: &str) -> String {
    let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    value.replace('\\', "\\\\").replace('"', "\\\"")
}

struct Lines {
    text: String,
    width: usize,
    /// Word that is not in the text yet, since a bracket may close after it.
    word: String,
}

impl Lines {
    fn word(&mut self, word: String) {
        self.end_word();
        self.word = word;
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let width = columns(&self.word);
        if self.width > 0 {
            let is_full = self.width + 1 + width > WIDTH;
            self.text.push(if is_full { '\n' } else { ' ' });
            self.width = if is_full { 0 } else { self.width + 1 };
        }
        self.text.push_str(&self.word);
        self.width += width;
        self.word.clear();
    }

    /// Closes a bracket, after a word without a blank.
    fn close(&mut self) {
        if self.word.is_empty() {
            return self.word(")".to_owned());
        }
        self.word.push(')');
    }

    /// Writes a comment; returns whether there is one. It keeps its line breaks so that it round-trips.
    fn comment(&mut self, comment: &str) -> bool {
        let comment = tidy_comment(comment);
        if comment.is_empty() {
            return false;
        }
        let mut safe = String::with_capacity(comment.len() + 2);
        for (index, line) in comment.lines().enumerate() {
            // A line that begins with a bracket could be read as a tag; leading spaces are trimmed when reading.
            safe.push_str(if index == 0 { "{" } else { "\n " });
            safe.extend(line.chars().map(|c| match c {
                '{' => '｛',
                '}' => '｝',
                c if c.is_control() => ' ',
                c => c,
            }));
        }
        safe.push('}');
        let last_line = safe.rsplit('\n').next().unwrap_or_default().to_owned();
        let has_lines = last_line.len() < safe.len();
        self.word(safe);
        self.end_word();
        if has_lines {
            self.width = columns(&last_line);
        }
        true
    }
}

fn columns(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}
