//! Tokeniser of PGN files and lists of moves: tags, words and comments of one game after another.
//!
//! A list of moves is read like PGN, with the additions described in [`super::move_list`], and so is that of a file of
//! WXF, as playing sites write them:
//!
//! ```text
//! FORMAT  WXF
//! RED     name;team;;rating
//! RESULT  1-0
//! FEN     FEN
//! START{
//!   1. C2.5 h8+7  2. H2+3 r9.8
//! }END
//! ```

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::BufRead;

use super::game::{GameError, GameFault, GameResult, MAX_COMMENTS, MAX_TEXT, tidy_comment};
use super::move_list;
use super::pgn_moves::{is_like_a_move, is_number};
use super::text_encoding::{TextLine, TextLines};
use super::turns::{Sign, Signs, is_filler};
use super::vietnamese::{spoken_move, spoken_result};
use crate::position::{Position, Strictness};

/// Overhead of a tag or word in bytes, so that many tiny ones are bounded too.
const BYTES_PER_ITEM: usize = 48;
/// Maximum number of tags of a game: each new one is compared with those before.
const MAX_TAGS: usize = 1_000;
/// Maximum number of lines after the first that the value of a tag may have.
const MAX_TAG_LINES: usize = 20;
/// Maximum length of such a line, since lines are held.
const MAX_TAG_LINE_BYTES: usize = 1 << 12;
/// One of this many first words of a list must have the form of a move.
const WORDS_TO_DETECT: usize = 3;
const TITLE_TAG: &str = "Title";
const START_TAG: &str = "FEN";
/// Formats in the first line of a WXF file, where letters of pieces may follow. The last four are of early drafts.
const WXF_FORMATS: [&str; 5] = ["WXF", "AXF", "ICCS", "LALG", "SALG"];
/// Words of a WXF file: before the moves, after them, and around a comment.
const WXF_START: &str = "START";
const WXF_WORDS: [&str; 2] = ["END", "COMMENT"];
/// Keys of WXF files with their tags; players have several: name, team, and rating, a number wherever it stands.
const WXF_KEYS: [(&str, &[&str]); 8] = [
    ("GAME", &[TITLE_TAG]),
    ("EVENT", &["Event"]),
    ("DATE", &["Date"]),
    ("PLACE", &["Site"]),
    ("FEN", &[START_TAG]),
    ("RESULT", &["Result"]),
    ("RED", &["Red", "RedTeam", "RedElo"]),
    ("BLACK", &["Black", "BlackTeam", "BlackElo"]),
];

/// Kind of text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Pgn,
    /// List of moves: commas separate, `#` begins a comment, a position or move number 1 begins a game.
    List,
}

/// Tokens of a game.
#[derive(Default)]
pub struct RawGame {
    /// Line, name and value of each tag.
    pub tags: Vec<(u64, String, String)>,
    /// Words and comments in order, without the result.
    pub tokens: Vec<Token>,
    /// Result after the moves.
    pub result: Option<GameResult>,
    /// The result is that of the side that moves first.
    pub is_result_of_first: bool,
    /// First line of a WXF file.
    pub first_line: u64,
    /// First error in its text.
    pub fault: Option<GameError>,
    /// Line within which another game begins, by its number 1 alone.
    pub split_in: Option<u64>,
    /// The position is given by its name, `startpos`.
    pub has_named_start: bool,
    has_keyword: bool,
    has_numbers_in_parentheses: bool,
    /// An empty line was read after the last tag.
    was_blank: bool,
    part: Part,
    open: Option<OpenComment>,
    /// Part of a WXF file that was reached; `None` for other files.
    wxf: Option<WxfPart>,
    bytes: usize,
    comment_bytes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Part {
    #[default]
    Tags,
    Moves,
    /// After the result. Text up to the next game is ignored: sites put advertisements there.
    Over,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WxfPart {
    Head,
    /// After the word before the bracket that opens the moves.
    Start,
    Moves,
}

pub struct Token {
    pub line: u64,
    pub text: String,
    pub kind: TokenKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    Word,
    /// Comment in braces or to the end of a line.
    Comment,
    /// Text in parentheses: a comment or a variation.
    Parenthesis,
}

struct OpenComment {
    line: u64,
    text: String,
    /// The first bracket: `{`, `(` or `（`.
    opening: char,
    depth: usize,
    braces: usize,
}

impl OpenComment {
    /// Counts the next character. Returns whether it closes the first bracket.
    fn close_with(&mut self, c: char) -> bool {
        match (self.opening, c) {
            ('(' | '（', '{') => self.braces += 1,
            ('(' | '（', '}') => self.braces = self.braces.saturating_sub(1),
            // A parenthesis within braces is text, also in braces within parentheses.
            ('(' | '（', _) if self.braces > 0 => {}
            // A full-width bracket is often closed by another one.
            ('{', '{') | ('(' | '（', '(') | ('（', '（') => self.depth += 1,
            ('{', '}') | ('(' | '（', ')') | ('（', '）') => self.depth -= 1,
            _ => {}
        }
        self.depth == 0
    }
}

impl RawGame {
    fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.tokens.is_empty() && self.fault.is_none() && self.result.is_none()
    }

    fn has_tag(&self, name: &str) -> bool {
        self.tags.iter().any(|(_, other, _)| other.eq_ignore_ascii_case(name))
    }

    /// Returns whether the file ended, or another game began, before the moves of a WXF file.
    pub fn lacks_moves(&self) -> bool {
        matches!(self.wxf, Some(WxfPart::Head | WxfPart::Start))
    }

    fn fail(&mut self, error: GameError) {
        self.fault.get_or_insert(error);
        // The tokens are not needed any more.
        self.tokens.clear();
    }

    fn fail_by(&mut self, line: u64, what: &'static str, max: usize) {
        self.fail(GameError::in_line(line, GameFault::TooMuch(what, max)));
    }

    fn has_room_for(&mut self, line: u64, length: usize, is_comment: bool) -> bool {
        let (bytes, what, max) = match is_comment {
            true => (&mut self.comment_bytes, "bytes of comments in a game", MAX_COMMENTS),
            false => (&mut self.bytes, "bytes of text in a game", MAX_TEXT),
        };
        *bytes = bytes.saturating_add(length + BYTES_PER_ITEM);
        if *bytes > max {
            self.fail_by(line, what, max);
        }
        self.fault.is_none()
    }

    fn add_token(&mut self, line: u64, text: &str, kind: TokenKind) {
        if self.has_room_for(line, text.len(), kind != TokenKind::Word) {
            self.tokens.push(Token { line, text: text.to_owned(), kind });
        }
    }

    fn add_comment(&mut self, line: u64, text: &str, kind: TokenKind) {
        let text = tidy_comment(text);
        if !text.is_empty() {
            self.add_token(line, &text, kind);
        }
    }

    fn add_tag(&mut self, line: u64, name: &str, value: &str) {
        if self.tags.len() == MAX_TAGS {
            self.fail_by(line, "tags in a game", MAX_TAGS);
        }
        if self.has_room_for(line, name.len() + value.len(), false) {
            self.tags.push((line, name.to_owned(), value.to_owned()));
        }
    }

    fn set_result(&mut self, result: GameResult, text: &str) {
        self.result = Some(result);
        self.is_result_of_first = GameResult::names_no_side(text);
    }

    /// Takes the result from a comment in parentheses after the moves that says nothing else.
    fn take_result(&mut self) {
        let last = self.tokens.last().filter(|last| self.result.is_none() && last.kind == TokenKind::Parenthesis);
        if let Some(text) = last.map(|last| last.text.clone())
            && let Some(result) = GameResult::from_text(&text)
        {
            self.set_result(result, &text);
        }
    }

    /// Reads a line from a byte on. Returns the start of the next game if one begins in it.
    fn read_line(&mut self, line: &TextLine, mut from: usize, style: Style) -> Option<usize> {
        let (number, text, is_list) = (line.number, &line.text[from..], style == Style::List);
        if let Some(comment) = &self.open {
            // An unclosed bracket must not consume the following games.
            if begins_a_game(text) || comment.opening == '（' && tag(text).is_some() {
                self.fail(GameError::in_line(comment.line, GameFault::malformed("this comment is not closed")));
                return Some(from);
            }
        } else if text.trim().is_empty() {
            self.was_blank = true;
            return None;
        } else if text.starts_with('%') {
            return None;
        } else if let Some((name, ..)) = tag(text) {
            let is_failed = self.fault.is_some();
            let is_next = self.was_blank && (is_failed || self.has_tag(name)) || is_failed && begins_a_game(text);
            if self.part != Part::Tags || is_next {
                return Some(from);
            }
            self.read_tags(number, text);
            line.fault().into_iter().for_each(|error| self.fail(error));
            self.was_blank = false;
            return None;
        } else if is_list && begins_a_wxf_game(text) {
            // A title before it is that of the file.
            if !self.tokens.is_empty() || self.part != Part::Tags || self.tags.iter().any(|tag| tag.1 != TITLE_TAG) {
                return Some(from);
            }
            *self = RawGame { wxf: Some(WxfPart::Head), first_line: number, ..RawGame::default() };
            self.add_tag(number, "Format", WXF_FORMATS[0]);
            return None;
        } else if self.wxf == Some(WxfPart::Head) && !text.contains('{') {
            wxf_tags(text).into_iter().for_each(|(tag, value)| self.add_tag(number, tag, value));
            if text.trim() == WXF_START {
                self.wxf = Some(WxfPart::Start);
            }
            return None;
        } else if is_list && self.part == Part::Tags && move_list::is_drawn(text) {
            return None;
        } else if is_list && self.part == Part::Tags && move_list::is_title(text) {
            // A further title, and one after headers, says no more about this game.
            if self.is_empty() {
                self.add_tag(number, TITLE_TAG, text.trim());
            }
            return None;
        } else if is_list
            && let Some((headers, after)) = move_list::headers(text)
            && (self.part != Part::Moves || !move_list::are_colours(&headers) || !after.is_empty())
        {
            if self.part != Part::Tags || headers.iter().any(|(tag, _)| self.has_tag(tag)) {
                return Some(from);
            }
            for (tag, value) in headers {
                if !value.is_empty() && (tag != "Result" || GameResult::from_text(value).is_some()) {
                    self.add_tag(number, tag, value);
                }
            }
            if after.is_empty() {
                return None;
            }
            from = line.text.len() - after.len();
        }
        if self.part != Part::Over {
            line.fault().into_iter().for_each(|error| self.fail(error));
        }
        self.read_moves(number, &line.text, from, style)
    }

    fn read_tags(&mut self, line: u64, text: &str) {
        let mut rest = text;
        while let Some((name, value, after)) = tag(rest) {
            // XQF numbers its lines of titles, and programs keep that name.
            let name = if name.eq_ignore_ascii_case("TitleA") { TITLE_TAG } else { name };
            self.add_tag(line, name, value.trim_start());
            rest = after;
        }
    }

    /// Parses a line of moves and comments from a byte on. Returns the start of the next game if one begins in it.
    fn read_moves(&mut self, number: u64, text: &str, from: usize, style: Style) -> Option<usize> {
        let is_list = style == Style::List;
        let mut at = from;
        loop {
            let rest = &text[at..];
            if let Some(comment) = &mut self.open {
                let Some((end, c)) = rest.char_indices().find(|&(_, c)| comment.close_with(c)) else {
                    comment.text.push_str(rest);
                    comment.text.push('\n');
                    if comment.text.len() > MAX_COMMENTS + 1 {
                        comment.text.clear();
                        let line = comment.line;
                        self.fail_by(line, "bytes of text in a comment", MAX_COMMENTS);
                    }
                    return None;
                };
                comment.text.push_str(&rest[..end]);
                at += end + c.len_utf8();
                let kind = if comment.opening == '{' { TokenKind::Comment } else { TokenKind::Parenthesis };
                let comment = self.open.take()?;
                self.add_comment(comment.line, &comment.text, kind);
                continue;
            }
            let rest = rest.trim_start();
            at = text.len() - rest.len();
            if rest.is_empty() {
                return None;
            }
            if is_list && let Some((fen, after)) = move_list::start_of(rest) {
                if self.part != Part::Tags || self.has_tag(START_TAG) {
                    return Some(at);
                }
                self.add_tag(number, START_TAG, fen);
                self.has_named_start = !rest[..rest.len() - after.len()].contains(['/', '%']);
                at = text.len() - after.len();
                continue;
            }
            let opened = match self.wxf {
                Some(WxfPart::Head) => {
                    rest.strip_prefix(WXF_START).and_then(|rest| rest.trim_start().strip_prefix('{'))
                }
                Some(WxfPart::Start) => rest.strip_prefix('{'),
                Some(WxfPart::Moves) | None => None,
            };
            if let Some(after) = opened {
                (self.wxf, self.part, at) = (Some(WxfPart::Moves), Part::Moves, text.len() - after.len());
                continue;
            }
            // A list that begins with a number in parentheses has all its numbers there.
            if is_list
                && (self.has_numbers_in_parentheses || self.part == Part::Tags)
                && let Some((word, after)) = number_in_parentheses(rest)
            {
                if self.part == Part::Moves && move_list::begins_a_list(word, after) {
                    return Some(at);
                }
                (self.has_numbers_in_parentheses, self.part) = (true, Part::Moves);
                self.add_token(number, word, TokenKind::Word);
                at += word.len();
                continue;
            }
            match lexeme(text, at, style) {
                // After the result it is part of the text there, which is ignored.
                Lexeme::Opening('（') if self.part == Part::Over => at += '（'.len_utf8(),
                Lexeme::Nothing(length) => at += length,
                Lexeme::Opening(opening) => {
                    let text = String::new();
                    self.open = Some(OpenComment { line: number, text, opening, depth: 1, braces: 0 });
                    at += opening.len_utf8();
                }
                Lexeme::Remark => {
                    self.add_comment(number, &rest[1..], TokenKind::Comment);
                    return None;
                }
                Lexeme::Word(word) => {
                    if self.add_word(number, word, &rest[word.len()..], is_list) {
                        let is_within = !text[from..at].trim().is_empty();
                        self.split_in = (self.part == Part::Moves && is_within).then_some(number);
                        return Some(at);
                    }
                    at += word.len();
                }
            }
        }
    }

    /// Adds a word: a move, a number, a result, or one that says nothing. Returns whether it begins another game.
    fn add_word(&mut self, line: u64, word: &str, rest: &str, is_list: bool) -> bool {
        let begins_game = is_list && move_list::begins_a_list(word, rest);
        if self.part == Part::Over {
            // Moves numbered from 1 start a game without tags.
            let is_move = || is_list && move_list::is_move_word(word);
            return begins_game || is_first_number(word) || is_move();
        }
        let is_wxf = self.wxf.is_some();
        if is_wxf && WXF_WORDS.contains(&word) {
            if word == WXF_WORDS[0] {
                self.part = Part::Over;
            }
        } else if let Some(result) = GameResult::from_text(word) {
            let has_start = self.has_tag(START_TAG);
            if is_list && self.part == Part::Tags && !self.tags.is_empty() && !has_start {
                // Among headers it ends no game.
                self.add_tag(line, "Result", word);
            } else {
                self.set_result(result, word);
                self.part = Part::Over;
            }
        } else if self.part == Part::Moves && begins_game && !is_wxf {
            return true;
        } else if is_list && self.part == Part::Tags && word.eq_ignore_ascii_case("moves") {
            self.has_keyword = true;
        } else if !(is_list && is_filler(word)) {
            self.part = Part::Moves;
            move_list::split_moves(word).iter().for_each(|mv| self.add_token(line, mv, TokenKind::Word));
        }
        false
    }
}

/// Iterator over the tokens of games.
pub struct RawGames<R> {
    lines: TextLines<R>,
    style: Style,
    /// Lines that were read ahead; the first may belong to the next game from this byte on.
    held: VecDeque<(TextLine, usize)>,
}

impl<R: BufRead> RawGames<R> {
    pub fn new(reader: R, style: Style) -> RawGames<R> {
        RawGames { lines: TextLines::new(reader), style, held: VecDeque::new() }
    }

    /// Joins a line with the following ones if the value of its last tag ends in one of these. Other lines stay.
    fn join_tag(&mut self, line: &mut TextLine) -> Result<(), GameError> {
        let mut joined = line.text.clone();
        for index in 0..MAX_TAG_LINES {
            if index == self.held.len() {
                let Some(next) = self.lines.next_line()? else { break };
                self.held.push_back((next, 0));
            }
            let next = self.held[index].0.text.trim();
            let is_value = index > 0 || !is_name_of_tag(&line.text) || next.starts_with('"');
            if tag(next).is_some() || next.len() > MAX_TAG_LINE_BYTES || !is_value {
                break;
            }
            joined.push_str(if joined.ends_with('"') { "" } else { " " });
            joined.push_str(next);
            if ends_a_tag(&joined) {
                line.text = joined;
                self.held.drain(..=index);
                break;
            }
        }
        Ok(())
    }

    /// Returns the next game; `None` at the end. After an error, nothing can be read.
    pub fn next_game(&mut self) -> Result<Option<RawGame>, GameError> {
        let mut game = RawGame::default();
        loop {
            let next = match self.held.pop_front() {
                Some(held) => Some(held),
                None => self.lines.next_line()?.map(|line| (line, 0)),
            };
            let Some((mut line, from)) = next else {
                if let Some(open) = &game.open {
                    let error = GameError::in_line(open.line, GameFault::cut_off("a comment"));
                    game.fault.get_or_insert(error);
                }
                game.take_result();
                return Ok(if game.is_empty() { None } else { Some(game) });
            };
            if self.style == Style::List && from == 0 {
                if let Cow::Owned(decoded) = move_list::decode_start(&line.text) {
                    line.text = decoded;
                }
                // XQWizard remarks the position of a game.
                if (game.part == Part::Over || game.part == Part::Tags && !game.is_empty() && !game.has_tag(START_TAG))
                    && let Some(fen) = line.text.strip_prefix('#').map(str::trim)
                    && Position::parse_fen(fen, Strictness::Lax).is_ok()
                {
                    line.text = fen.to_owned();
                }
            }
            if game.open.is_none() && has_open_tag(&line.text[from..]) {
                self.join_tag(&mut line)?;
            }
            if let Some(next) = game.read_line(&line, from, self.style) {
                self.held.push_front((line, next));
                game.take_result();
                return Ok(Some(game));
            }
        }
    }
}

/// Returns `true` if the first bytes of a file begin a list of moves; see [`super::format::Format::detect`].
pub fn begins_a_list(head: &[u8]) -> bool {
    // A truncated UTF-8 character at the end would make the text look like GBK.
    let whole = match std::str::from_utf8(head) {
        Err(error) if error.error_len().is_none() => &head[..error.valid_up_to()],
        _ => head,
    };
    let mut games = RawGames::new(whole, Style::List);
    let mut others = 0;
    loop {
        let begins_in_line = games.held.front().is_some_and(|(line, at)| !line.text[..*at].trim().is_empty());
        let Ok(Some(game)) = games.next_game() else { return false };
        let has_board = game.has_tag(START_TAG);
        // A position after other words of its line belongs to a table.
        if has_board && begins_in_line {
            return false;
        }
        if game.wxf.is_some() || game.has_named_start || has_board && game.has_keyword {
            return true;
        }
        let words = game.tokens.iter().filter(|token| token.kind == TokenKind::Word && !is_number(&token.text));
        for word in words {
            if is_like_a_move(&word.text) {
                return true;
            }
            others += 1;
            if others == WORDS_TO_DETECT || has_board {
                return false;
            }
        }
        if has_board {
            return false;
        }
    }
}

/// Beginning of a text of moves.
pub enum Lexeme<'a> {
    /// This number of bytes without a meaning: blanks, separators, and a bracket that closes nothing.
    Nothing(usize),
    /// The sign before a comment to the end of the line.
    Remark,
    /// Bracket before a comment or a variation.
    Opening(char),
    Word(&'a str),
}

/// Returns what stands at this byte of a text, which is not at its end.
pub fn lexeme(text: &str, at: usize, style: Style) -> Lexeme<'_> {
    let (rest, is_list) = (&text[at..], style == Style::List);
    // Right after a move it separates; a remark has a blank before it.
    let separates = || !text[..at].ends_with(char::is_whitespace) && move_list::begins_with_a_move(&rest[1..]);
    match rest.chars().next().unwrap_or(' ') {
        ';' if is_list && separates() => Lexeme::Nothing(1),
        ';' => Lexeme::Remark,
        '#' if is_list => Lexeme::Remark,
        c @ ('{' | '(' | '（') => Lexeme::Opening(c),
        c if c.is_whitespace() || "})）".contains(c) || is_list && move_list::SEPARATORS.contains(&c) => {
            Lexeme::Nothing(c.len_utf8())
        }
        _ => Lexeme::Word(first_word(rest, style)),
    }
}

/// Returns the first word of a text; the number of a mark, as in `h2e2$1`, is a word of its own.
fn first_word(text: &str, style: Style) -> &str {
    let word = match style {
        Style::Pgn => {
            let end = spoken_move(text).or_else(|| spoken_result(text)).or_else(|| text.find(move_list::ends_a_word));
            &text[..end.unwrap_or(text.len())]
        }
        Style::List => move_list::word(text, move_list::ends_a_word),
    };
    let mark = word.char_indices().skip(1).find(|&(_, c)| c == '$');
    &word[..mark.map_or(word.len(), |(at, _)| at)]
}

fn begins_a_game(text: &str) -> bool {
    let rest = ["[Event ", "[Game "].iter().find_map(|start| text.strip_prefix(start));
    rest.is_some_and(|rest| rest.trim_start().starts_with('"') && rest.trim_end().ends_with("\"]"))
}

fn tag(text: &str) -> Option<(&str, String, &str)> {
    let inner = text.trim_start().strip_prefix('[')?.trim_start();
    let name_end = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))?;
    let (name, rest) = inner.split_at(name_end);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let Some(quoted) = rest.trim_start().strip_prefix('"') else {
        // Some programs omit the quotes.
        let (value, rest) = rest.split_once(']')?;
        return rest.trim().is_empty().then(|| (name, value.trim().to_owned(), rest));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' if quoted[at + 1..].starts_with(['\\', '"']) => {
                value.extend(characters.next().map(|(_, escaped)| escaped));
            }
            '"' => {
                // A quote that does not end the tag belongs to the value: some sites do not escape quotes.
                if let Some(rest) = quoted[at + 1..].trim_start().strip_prefix(']') {
                    return Some((name, value, rest));
                }
                value.push(c);
            }
            _ => value.push(c),
        }
    }
    Some((name, value.trim_end_matches(']').to_owned(), ""))
}

fn is_name_of_tag(text: &str) -> bool {
    let name = text.trim().strip_prefix('[').unwrap_or_default();
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn has_open_tag(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, _, after)) = tag(rest) {
        rest = after;
    }
    is_name_of_tag(text) || rest.is_empty() && text.trim_start().starts_with('[') && !text.trim_end().ends_with(']')
}

fn ends_a_tag(text: &str) -> bool {
    text.trim_end().strip_suffix(']').is_some_and(|text| text.trim_end().ends_with('"'))
}

fn number_in_parentheses(text: &str) -> Option<(&str, &str)> {
    let mut signs = Signs::new(text);
    let is_number = text.starts_with(['(', '（']) && matches!(signs.next(), Some(Sign::Number(..)));
    is_number.then(|| text.split_at(text.len() - signs.rest.len()))
}

/// Returns `true` for the number of a first move, alone or followed by the move.
fn is_first_number(word: &str) -> bool {
    word.strip_prefix("1.").is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn begins_a_wxf_game(line: &str) -> bool {
    let format = wxf_key(line).filter(|(key, _)| *key == "FORMAT");
    format.is_some_and(|(_, value)| value.split([',', ' ']).next().is_some_and(|first| WXF_FORMATS.contains(&first)))
}

fn wxf_key(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (key, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (!key.is_empty() && key.bytes().all(|byte| byte.is_ascii_uppercase())).then_some((key, value.trim()))
}

/// Returns the tags of a line of a WXF file before the moves; lines with other keys have none.
fn wxf_tags(line: &str) -> Vec<(&'static str, &str)> {
    let found = wxf_key(line).and_then(|(key, value)| Some((value, WXF_KEYS.iter().find(|(name, _)| *name == key)?.1)));
    let Some((value, names)) = found else { return Vec::new() };
    let mut tags = vec![(names[0], value)];
    if let [name, team, rating] = *names {
        let is_rating = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
        let mut parts = value.split(';').map(str::trim);
        tags = vec![(name, parts.next().unwrap_or_default())];
        let (ratings, others): (Vec<&str>, Vec<&str>) = parts.filter(|part| !part.is_empty()).partition(is_rating);
        tags.extend(others.first().map(|&part| (team, part)));
        tags.extend(ratings.first().map(|&part| (rating, part)));
    }
    tags.retain(|(name, value)| !value.is_empty() && (*name != "Result" || GameResult::from_text(value).is_some()));
    tags
}
