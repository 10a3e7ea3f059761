//! Game files in Xiangqi PGN, and lists of moves, which are read in the same way; see [`super::move_list`].
//!
//! Moves are read in every dialect, that of the `Format` tag first, in UTF-8 or GBK. Text in parentheses is a
//! variation if all its words are legal moves there, and a comment otherwise; it is read once, whatever the depth: the
//! brackets are matched first, so that each level skips those within it. Marks of moves, such as `!` and `$4`, become
//! the first words of their comments. Games are written in UTF-8.

use std::io::{self, BufRead, Write};
use std::iter::Peekable;
use std::ops::Range;

use super::fault::{GameError, GameFault, Location, WarningKind};
use super::game::{Game, GameNode, GameResult, MAX_NODES, MAX_PLIES, is_known, tidy_comment};
use super::nodes::too_many_moves;
use super::pgn_moves::{self, Played, Reading};
use super::pgn_text::{RawGame, RawGames, Style, Token, TokenKind, first_word};
use super::{Dialect, move_list, write};
use crate::position::{Position, START_FEN, Strictness};
use crate::types::{Move, Side};

/// Maximum width of lines of moves.
const WIDTH: usize = 79;
/// Number of legal moves that prove the side to move if the next word is none.
const MIN_MOVES: usize = 4;
/// Length of text after which it is written to the output.
const MAX_BUFFERED: usize = 1 << 16;
/// Maximum number of levels of variations within variations, as many as a line has plies; deeper ones are comments.
const MAX_LEVELS: usize = MAX_PLIES;
/// Longer comments are not mere marks, so that many marks of one move take bounded time.
const MAX_MARK_BYTES: usize = 32;
/// Index of a move that is left out because of [`MAX_NODES`].
const NOWHERE: usize = usize::MAX;
/// Tags that correspond to fields of [`Game`].
const OWN_TAGS: [&str; 5] = ["Game", "Result", "FEN", "SetUp", "Format"];

/// Iterates over the games of a file.
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

fn is_own_tag(name: &str) -> bool {
    OWN_TAGS.iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// Parses the tokens of a game.
///
/// # Errors
/// The first error in it.
fn parse(mut raw: RawGame, style: Style, strictness: Strictness) -> Result<Game, GameError> {
    if let Some(error) = raw.fault {
        return Err(error);
    }
    if raw.lacks_moves() {
        let fault = GameFault::malformed("a WXF file without START{ and moves");
        return Err(GameError::in_line(raw.first_line, fault));
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
    let dialect = find("Format").and_then(|(_, _, name)| declared_dialect(name));
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
        let words = raw.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word);
        let end = words.map(|(end, _)| end).nth(index).unwrap_or(raw.tokens.len());
        raw.tokens.truncate(end);
    }
    game.tags =
        raw.tags.into_iter().filter(|(_, name, _)| !is_own_tag(name)).map(|(_, name, value)| (name, value)).collect();
    Ok(join(game, moves, raw.tokens, style, reading))
}

/// Plays the moves of a game. Programs and authors write FENs with Red to move whoever is: where the FEN at this place
/// contradicts the first move, the side that moves first is corrected with a warning.
pub(super) fn play_from_right_side(
    game: &mut Game,
    given: Option<Location>,
    strictness: Strictness,
    play: impl Fn(&Position) -> Played,
) -> Played {
    let played = play(&game.start);
    // After a first move that fits the side to move, a fault is no sign of a wrong side, but of a missing move.
    if played.fault.is_some()
        && played.moves.is_empty()
        && let Some(place) = given
        && let Some((other, reason)) = with_other_side(&game.start, strictness)
    {
        let other_played = play(&other);
        let count = other_played.moves.len();
        if other_played.fault.is_none() && count > 0 || count >= MIN_MOVES {
            game.warnings.add_correction(place, reason);
            game.start = other;
            return other_played;
        }
    }
    played
}

/// Returns the position with the other side to move, if it is valid, and the warning about it.
fn with_other_side(position: &Position, strictness: Strictness) -> Option<(Position, String)> {
    let fields = [" w ", " b "];
    let side = position.side().index();
    let fen = position.to_string().replacen(fields[side], fields[1 - side], 1);
    let other = Position::parse_fen(&fen, strictness).ok()?.position;
    let (wrong, side) = (position.side(), other.side());
    let reason = format!("the FEN has {wrong} to move, but the first move is {side}'s: {side} is taken to move");
    Some((other, reason))
}

/// Joins moves, comments and variations of a game.
fn join(game: Game, moves: Vec<(usize, Move)>, tokens: Vec<Token>, style: Style, reading: Reading) -> Game {
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
                    self.game.warnings.add(WarningKind::Limit, Location::Line(number), too_many_moves(), 1);
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
        // No other format has a place for the marks.
        line.last.into_iter().for_each(|last| self.remark(last, &pgn_moves::marks(text)));
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
        if let Some(node) = self.game.nodes.get_mut(index) {
            add_comment(&mut node.comment, text);
        }
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
            self.game.warnings.add(WarningKind::LeftOut, Location::Line(number), fault, 1);
        }
        self.remark(replaced.0, &tidy_comment(&text[range]));
        None
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

/// Writes a game with its variations in parentheses, followed by an empty line.
///
/// In comments, braces become `｛` and `｝`, because programs differ in how they read nested braces.
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
    tag("Format", format_name(dialect));
    text.push('\n');

    let mut lines = Lines { out, text, width: 0, word: String::new() };
    lines.comment(&game.comment)?;
    write_moves(&mut lines, game, dialect)?;
    lines.word(game.result.text().to_owned())?;
    lines.end_word();
    lines.text.push_str("\n\n");
    lines.flush()
}

/// Step of the writer of moves.
enum Step {
    /// The moves after a move that was written, or at the start.
    Continue(Option<usize>),
    /// This alternative and those after it, from the position after this number of plies.
    Alternatives(usize, usize),
    /// The end of an alternative, and those after it.
    Close(Option<usize>, usize),
}

/// Writes the moves of a tree with numbers, comments and variations. Of a line with an illegal move, those before it
/// are written.
fn write_moves(lines: &mut Lines<'_, impl Write>, game: &Game, dialect: Dialect) -> io::Result<()> {
    let children = game.links();
    let mut position = game.start.clone();
    let mut needs_number = true;
    let mut steps = vec![Step::Continue(None)];
    while let Some(step) = steps.pop() {
        let (index, opening) = match step {
            Step::Continue(parent) => {
                if let Some(parent) = parent {
                    position.make(game.nodes[parent].mv);
                }
                let Some(first) = children.first(parent) else { continue };
                if !position.can_play(game.nodes[first].mv) {
                    continue;
                }
                steps.push(Step::Continue(Some(first)));
                let alternatives = |next| Step::Alternatives(next, position.history().len());
                steps.extend(children.next(first).map(alternatives));
                (first, "")
            }
            Step::Alternatives(index, plies) => {
                if !position.can_play(game.nodes[index].mv) {
                    continue;
                }
                steps.extend([Step::Close(children.next(index), plies), Step::Continue(Some(index))]);
                needs_number = true;
                (index, "(")
            }
            Step::Close(next, plies) => {
                while position.history().len() > plies {
                    position.unmake();
                }
                lines.close()?;
                needs_number = true;
                steps.extend(next.map(|next| Step::Alternatives(next, plies)));
                continue;
            }
        };
        let node = &game.nodes[index];
        let number = position.move_number();
        if position.side() == Side::Red {
            lines.word(format!("{opening}{number}."))?;
        } else if needs_number {
            lines.word(format!("{opening}{number}..."))?;
        }
        lines.word(write(&position, node.mv, dialect))?;
        needs_number = lines.comment(&node.comment)?;
    }
    Ok(())
}

/// Returns the name of a dialect in the `Format` tag.
fn format_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Coordinate => "Coordinate",
        Dialect::Iccs => "ICCS",
        Dialect::Chinese | Dialect::ChineseCxa => "Chinese",
        Dialect::Wxf => "WXF",
        // These two contradict each other in a few positions, so the reader needs the name.
        Dialect::WxfOfficial => "WXF-Official",
        Dialect::WxfFairy => "WXF-Fairy",
        Dialect::Vietnamese => "Vietnamese",
    }
}

/// Returns the dialect of a `Format` tag.
fn declared_dialect(name: &str) -> Option<Dialect> {
    const DECLARED: [Dialect; 5] =
        [Dialect::Chinese, Dialect::Wxf, Dialect::WxfOfficial, Dialect::WxfFairy, Dialect::Vietnamese];
    DECLARED.into_iter().find(|&dialect| format_name(dialect).eq_ignore_ascii_case(name.trim()))
}

fn is_tag_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Escapes the value of a tag.
fn escaped(value: &str) -> String {
    let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    value.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Writer of moves and comments that wraps lines.
struct Lines<'a, W> {
    out: &'a mut W,
    text: String,
    width: usize,
    /// Word that is not in the text yet, since a bracket may close after it.
    word: String,
}

impl<W: Write> Lines<'_, W> {
    fn word(&mut self, word: String) -> io::Result<()> {
        self.end_word();
        self.word = word;
        if self.text.len() > MAX_BUFFERED { self.flush() } else { Ok(()) }
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
    fn close(&mut self) -> io::Result<()> {
        if self.word.is_empty() {
            return self.word(")".to_owned());
        }
        self.word.push(')');
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }

    /// Writes a comment; returns whether there is one. It keeps its line breaks so that it round-trips.
    fn comment(&mut self, comment: &str) -> io::Result<bool> {
        let comment = tidy_comment(comment);
        if comment.is_empty() {
            return Ok(false);
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
        self.word(safe)?;
        self.end_word();
        if has_lines {
            self.width = columns(&last_line);
        }
        Ok(true)
    }
}

/// Width of a text in terminal columns.
fn columns(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
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
