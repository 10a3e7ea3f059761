//! Tokeniser of PGN files and lists of moves: tags, words and comments of one game after another.
//!
//! Finds the boundaries of games and comments; the words are interpreted elsewhere. A list of moves is read like PGN,
//! with the additions described in [`super::move_list`], and so is the list of moves of a file of WXF, as playing sites
//! write them:
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

use super::fault::{GameError, GameFault};
use super::game::{GameResult, MAX_COMMENTS, MAX_TEXT, tidy_comment};
use super::move_list::{self, WXF_FORMATS, begins_a_wxf_game, wxf_key};
use super::pgn_moves::is_like_a_move;
use super::text_encoding::{Records, TextLine};
use super::turns::{Sign, Signs, is_filler};
use super::vietnamese::{spoken_move, spoken_result};

/// Overhead of a tag or word in bytes, so that many tiny ones are bounded as well.
const BYTES_PER_ITEM: usize = 48;
/// Maximum number of tags of a game: each new one is compared with those before.
const MAX_TAGS: usize = 1_000;
/// Maximum number of lines after the first that the value of a tag may have.
const MAX_TAG_LINES: usize = 20;
/// Maximum length of such a line, so that long lines are not held.
const MAX_TAG_LINE_BYTES: usize = 1 << 12;
const TITLE_TAG: &str = "Title";
/// Tag of the position before the first move.
const START_TAG: &str = "FEN";
/// Formats in the first line of a WXF file, where letters of pieces may follow. The last four are those of early
/// Words of a WXF file: after the moves, around a comment, and before the moves.
const WXF_END: &str = "END";
const WXF_COMMENT: &str = "COMMENT";
const WXF_START: &str = "START";
/// Keys of WXF files with one value.
const WXF_KEYS: [(&str, &str); 5] =
    [("GAME", TITLE_TAG), ("EVENT", "Event"), ("DATE", "Date"), ("PLACE", "Site"), ("FEN", START_TAG)];
/// Keys of players, with the tags of name, team and rating: a number, wherever it stands.
const WXF_PLAYERS: [(&str, [&str; 3]); 2] =
    [("RED", ["Red", "RedTeam", "RedElo"]), ("BLACK", ["Black", "BlackTeam", "BlackElo"])];

/// Kind of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Pgn,
    /// List of moves: commas separate, `#` begins a comment, a position or move number 1 begins a game.
    List,
}

/// Tokens of a game.
#[derive(Debug, Default)]
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
    has_numbers_in_parentheses: bool,
    /// Line within which another game begins, by its number 1 alone.
    pub split_in: Option<u64>,
    /// The position is given by its name, `startpos`.
    pub has_named_start: bool,
    /// Part of a WXF file that was reached; `None` for other files.
    wxf: Option<WxfPart>,
    bytes: usize,
    comment_bytes: usize,
}

/// Part of a game in a WXF file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WxfPart {
    /// Lines of keys and values.
    Head,
    /// After the word before the bracket that opens the moves.
    Start,
    Moves,
}

#[derive(Debug)]
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

impl RawGame {
    fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.tokens.is_empty() && self.fault.is_none() && self.result.is_none()
    }

    /// Takes the result from a comment in parentheses after the moves that says nothing else.
    fn take_result(&mut self) {
        let last = self.tokens.last().filter(|last| self.result.is_none() && last.kind == TokenKind::Parenthesis);
        if let Some(last) = last
            && let Some(result) = GameResult::from_text(&last.text)
        {
            self.result = Some(result);
            self.is_result_of_first = GameResult::names_no_side(&last.text);
        }
    }

    fn has_start(&self) -> bool {
        self.tags.iter().any(|(_, name, _)| name == START_TAG)
    }

    /// Returns whether the file ended, or another game began, before the moves of a WXF file.
    pub fn lacks_moves(&self) -> bool {
        matches!(self.wxf, Some(WxfPart::Head | WxfPart::Start))
    }

    fn fail(&mut self, line: u64, fault: impl Into<GameFault>) {
        self.fail_with(GameError::in_line(line, fault));
    }

    fn fail_with(&mut self, error: GameError) {
        self.fault.get_or_insert(error);
        // The tokens are not needed any more.
        self.tokens.clear();
    }

    /// Returns whether a text is within the limits of the game.
    fn has_room_for(&mut self, line: u64, length: usize, is_comment: bool) -> bool {
        let (bytes, what, max) = match is_comment {
            true => (&mut self.comment_bytes, "bytes of comments in a game", MAX_COMMENTS),
            false => (&mut self.bytes, "bytes of text in a game", MAX_TEXT),
        };
        *bytes = bytes.saturating_add(length + BYTES_PER_ITEM);
        if *bytes > max {
            self.fail(line, GameFault::TooMuch { what, max });
        }
        self.fault.is_none()
    }

    fn add_token(&mut self, line: u64, text: &str, kind: TokenKind) {
        if self.has_room_for(line, text.len(), kind != TokenKind::Word) {
            self.tokens.push(Token { line, text: text.to_owned(), kind });
        }
    }

    /// Adds a comment or a variation.
    fn add_comment(&mut self, line: u64, text: &str, kind: TokenKind) {
        let text = tidy_comment(text);
        if !text.is_empty() {
            self.add_token(line, &text, kind);
        }
    }

    fn add_tag(&mut self, line: u64, name: &str, value: String) {
        if self.tags.len() == MAX_TAGS {
            self.fail(line, GameFault::TooMuch { what: "tags in a game", max: MAX_TAGS });
        }
        if self.has_room_for(line, name.len() + value.len(), false) {
            self.tags.push((line, name.to_owned(), value));
        }
    }
}

/// Part of a game.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Tags,
    Moves,
    /// After the result. Text up to the next game is ignored: sites put advertisements there.
    Over,
}

/// Open comment.
struct Open {
    line: u64,
    text: String,
    brackets: Brackets,
}

/// Brackets around a comment that are still open.
struct Brackets {
    /// The first one: `{`, `(` or `（`.
    opening: char,
    /// Nesting depth of brackets of its kind.
    depth: usize,
    /// Number of open braces within parentheses.
    braces: usize,
}

impl Brackets {
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

/// Iterator over the tokens of games.
pub struct RawGames<R> {
    lines: Records<R>,
    style: Style,
    /// Lines that were read ahead; the first may belong to the next game from this byte on.
    held: VecDeque<(TextLine, usize)>,
}

impl<R: BufRead> RawGames<R> {
    pub fn new(reader: R, style: Style) -> RawGames<R> {
        RawGames { lines: Records::new(reader), style, held: VecDeque::new() }
    }

    /// Joins a line with the following ones if the value of its last tag ends in one of these. Other lines stay.
    fn join_tag(&mut self, line: &mut TextLine) -> Result<(), GameError> {
        let mut ends_at = None;
        for index in 0..MAX_TAG_LINES {
            if index == self.held.len() {
                let Some(next) = self.lines.next_line()? else { break };
                self.held.push_back((next, 0));
            }
            let text = &self.held[index].0.text;
            let is_value = index > 0 || !is_name_of_tag(&line.text) || text.trim_start().starts_with('"');
            if tag(text).is_some() || text.len() > MAX_TAG_LINE_BYTES || !is_value {
                break;
            }
            let before = if index == 0 { &line.text } else { &self.held[index - 1].0.text };
            if ends_a_tag(text) || text.trim() == "]" && before.trim_end().ends_with('"') {
                ends_at = Some(index);
                break;
            }
        }
        for (next, _) in self.held.drain(..ends_at.map_or(0, |index| index + 1)) {
            if !line.text.ends_with('"') {
                line.text.push(' ');
            }
            line.text.push_str(next.text.trim());
        }
        Ok(())
    }

    /// Returns the next game; `None` at the end.
    ///
    /// # Errors
    /// Error of the reader; nothing can be read after it.
    pub fn next_game(&mut self) -> Result<Option<RawGame>, GameError> {
        let mut game = self.read_game()?;
        game.iter_mut().for_each(RawGame::take_result);
        Ok(game)
    }

    fn read_game(&mut self) -> Result<Option<RawGame>, GameError> {
        let mut game = RawGame::default();
        let mut part = Part::Tags;
        let mut open: Option<Open> = None;
        let mut was_blank = false;
        loop {
            let next = match self.held.pop_front() {
                Some(held) => Some(held),
                None => self.lines.next_line()?.map(|line| (line, 0)),
            };
            let Some((mut line, mut from)) = next else {
                if let Some(open) = open {
                    game.fail(open.line, GameFault::cut_off("a comment"));
                }
                return Ok(if game.is_empty() { None } else { Some(game) });
            };
            if self.style == Style::List
                && from == 0
                && let Cow::Owned(decoded) = move_list::decode_start(&line.text)
            {
                line.text = decoded;
            }
            if open.is_none() && has_open_tag(&line.text[from..]) {
                self.join_tag(&mut line)?;
            }
            // Byte of the line from which on it belongs to the next game.
            let next_game = 'line: {
                let text = &line.text[from..];
                if let Some(comment) = &open {
                    // An unclosed bracket must not consume the following games.
                    if begins_a_game(text) || comment.brackets.opening == '（' && tag(text).is_some() {
                        game.fail(comment.line, GameFault::malformed("this comment is not closed"));
                        break 'line Some(from);
                    }
                } else if text.trim().is_empty() {
                    was_blank = true;
                    break 'line None;
                } else if text.starts_with('%') {
                    break 'line None;
                } else if let Some((name, _, _)) = tag(text) {
                    let is_known = || game.tags.iter().any(|(_, other, _)| other.eq_ignore_ascii_case(name));
                    let is_failed = game.fault.is_some();
                    let is_next = was_blank && (is_failed || is_known()) || is_failed && begins_a_game(text);
                    if part != Part::Tags || is_next {
                        break 'line Some(from);
                    }
                    read_tags(&mut game, line.number, text);
                    line.fault().into_iter().for_each(|error| game.fail_with(error));
                    was_blank = false;
                    break 'line None;
                } else if self.style == Style::List && begins_a_wxf_game(text) {
                    // A title before it is that of the file.
                    let is_title = |(_, name, _): &(u64, String, String)| name == TITLE_TAG;
                    if !game.tokens.is_empty() || part != Part::Tags || !game.tags.iter().all(is_title) {
                        break 'line Some(from);
                    }
                    game = RawGame { wxf: Some(WxfPart::Head), first_line: line.number, ..RawGame::default() };
                    game.add_tag(line.number, "Format", WXF_FORMATS[0].to_owned());
                    break 'line None;
                } else if game.wxf == Some(WxfPart::Head) && !text.contains('{') {
                    wxf_tags(text)
                        .into_iter()
                        .for_each(|(tag, value)| game.add_tag(line.number, tag, value.to_owned()));
                    if text.trim() == WXF_START {
                        game.wxf = Some(WxfPart::Start);
                    }
                    break 'line None;
                } else if part == Part::Tags && self.style == Style::List && move_list::is_title(text) {
                    // A further title, and one after headers, says no more about this game.
                    if game.is_empty() {
                        game.add_tag(line.number, TITLE_TAG, text.trim().to_owned());
                    }
                    break 'line None;
                } else if self.style == Style::List
                    && let Some((headers, after)) = move_list::headers(text)
                    && (part != Part::Moves || !move_list::are_colours(&headers) || !after.is_empty())
                {
                    let is_known = |tag: &str| game.tags.iter().any(|(_, other, _)| other == tag);
                    if part != Part::Tags || headers.iter().any(|(tag, _)| is_known(tag)) {
                        break 'line Some(from);
                    }
                    let is_result = |value: &str| GameResult::from_text(value).is_some();
                    let useful = headers
                        .iter()
                        .filter(|(tag, value)| !value.is_empty() && (*tag != "Result" || is_result(value)));
                    useful.for_each(|(tag, value)| game.add_tag(line.number, tag, (*value).to_owned()));
                    if after.is_empty() {
                        break 'line None;
                    }
                    from = line.text.len() - after.len();
                }
                if part != Part::Over {
                    line.fault().into_iter().for_each(|error| game.fail_with(error));
                }
                read_moves(&mut game, &mut part, &mut open, self.style, &line, from)
            };
            if let Some(next) = next_game {
                self.held.push_front((line, next));
                return Ok(Some(game));
            }
        }
    }
}

/// Returns whether a line can only be the first of a game.
fn begins_a_game(text: &str) -> bool {
    let rest = ["[Event ", "[Game "].iter().find_map(|start| text.strip_prefix(start));
    rest.is_some_and(|rest| rest.trim_start().starts_with('"') && rest.trim_end().ends_with("\"]"))
}

/// Parses the first tag of a text: name, value and remaining text.
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

/// Returns `true` for a line that ends after the name of a tag.
fn is_name_of_tag(text: &str) -> bool {
    let name = text.trim().strip_prefix('[').unwrap_or_default();
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns whether the last tag of a line does not end in it.
fn has_open_tag(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, _, after)) = tag(rest) {
        rest = after;
    }
    is_name_of_tag(text) || rest.is_empty() && text.trim_start().starts_with('[') && !text.trim_end().ends_with(']')
}

/// Returns whether a line ends the value of a tag of an earlier line.
fn ends_a_tag(text: &str) -> bool {
    text.trim_end().strip_suffix(']').is_some_and(|text| text.trim_end().ends_with('"'))
}

/// Parses all tags of a line; other text after the last one is dropped.
fn read_tags(game: &mut RawGame, line: u64, text: &str) {
    let mut rest = text;
    while let Some((name, value, after)) = tag(rest) {
        // XQF numbers its lines of titles, and programs keep that name.
        let name = if name.eq_ignore_ascii_case("TitleA") { TITLE_TAG } else { name };
        game.add_tag(line, name, value.trim_start().to_owned());
        rest = after;
    }
}

/// Parses a line of moves and comments from a byte on. Returns the start of the next game if one begins in this line.
fn read_moves(
    game: &mut RawGame,
    part: &mut Part,
    open: &mut Option<Open>,
    style: Style,
    line: &TextLine,
    from: usize,
) -> Option<usize> {
    let number = line.number;
    let mut rest = &line.text[from..];
    while !rest.is_empty() {
        if let Some(comment) = open {
            let closing = rest.char_indices().find(|&(_, c)| comment.brackets.close_with(c));
            comment.text.push_str(&rest[..closing.map_or(rest.len(), |(at, _)| at)]);
            rest = &rest[closing.map_or(rest.len(), |(at, c)| at + c.len_utf8())..];
            if closing.is_some() {
                let kind = if comment.brackets.opening == '{' { TokenKind::Comment } else { TokenKind::Parenthesis };
                game.add_comment(comment.line, &comment.text, kind);
                *open = None;
            } else if comment.text.len() > MAX_COMMENTS {
                comment.text.clear();
                game.fail(comment.line, GameFault::TooMuch { what: "bytes of text in a comment", max: MAX_COMMENTS });
            } else {
                comment.text.push('\n');
            }
            continue;
        }
        rest = rest.trim_start();
        let Some(c) = rest.chars().next() else { break };
        if style == Style::List
            && let Some((fen, after)) = move_list::start_of(rest)
        {
            if *part != Part::Tags || game.has_start() {
                return Some(line.text.len() - rest.len());
            }
            game.add_tag(number, START_TAG, fen.to_owned());
            game.has_named_start = !rest[..rest.len() - after.len()].contains(['/', '%']);
            rest = after;
            continue;
        }
        let opened = match game.wxf {
            Some(WxfPart::Head) => rest.strip_prefix(WXF_START).and_then(|rest| rest.trim_start().strip_prefix('{')),
            Some(WxfPart::Start) => rest.strip_prefix('{'),
            Some(WxfPart::Moves) | None => None,
        };
        if let Some(after) = opened {
            (game.wxf, *part, rest) = (Some(WxfPart::Moves), Part::Moves, after);
            continue;
        }
        // A list that begins with a number in parentheses has all its numbers there.
        if style == Style::List
            && (game.has_numbers_in_parentheses || *part == Part::Tags)
            && let Some((text, after)) = number_in_parentheses(rest)
        {
            if *part == Part::Moves && move_list::begins_a_list(text, after) {
                return Some(line.text.len() - rest.len());
            }
            (game.has_numbers_in_parentheses, *part) = (true, Part::Moves);
            game.add_token(line.number, text, TokenKind::Word);
            rest = after;
            continue;
        }
        match c {
            // After the result it is part of the text there, which is ignored.
            '（' if *part == Part::Over => rest = &rest[c.len_utf8()..],
            '{' | '(' | '（' => {
                *open = Some(Open {
                    line: number,
                    text: String::new(),
                    brackets: Brackets { opening: c, depth: 1, braces: 0 },
                });
                rest = &rest[c.len_utf8()..];
            }
            // Unmatched closing bracket.
            '}' | ')' | '）' => rest = &rest[c.len_utf8()..],
            // Right after a move it separates; a remark has a blank before it.
            ';' if style == Style::List
                && !line.text[..line.text.len() - rest.len()].ends_with(char::is_whitespace)
                && move_list::begins_with_a_move(&rest[1..]) =>
            {
                rest = &rest[1..];
            }
            ';' | '#' if c == ';' || style == Style::List => {
                game.add_comment(number, &rest[1..], TokenKind::Comment);
                rest = "";
            }
            _ if style == Style::List && move_list::SEPARATORS.contains(&c) => rest = &rest[c.len_utf8()..],
            _ => {
                let word = first_word(rest, style);
                let begins_game = move_list::begins_a_list(word, &rest[word.len()..]);
                if *part == Part::Over {
                    // Moves numbered from 1 start a game without tags.
                    if is_first_number(word)
                        || style == Style::List && (begins_game || is_like_a_move(move_list::split_moves(word)[0]))
                    {
                        return Some(line.text.len() - rest.len());
                    }
                } else if game.wxf.is_some() && word == WXF_END {
                    *part = Part::Over;
                } else if game.wxf.is_some() && word == WXF_COMMENT {
                    // Stands around a comment in braces.
                } else if let Some(result) = GameResult::from_text(word) {
                    if style == Style::List && *part == Part::Tags && !game.tags.is_empty() && !game.has_start() {
                        // Among headers it ends no game.
                        game.add_tag(number, "Result", word.to_owned());
                    } else {
                        game.result = Some(result);
                        game.is_result_of_first = GameResult::names_no_side(word);
                        *part = Part::Over;
                    }
                } else if style == Style::List && *part == Part::Moves && begins_game && game.wxf.is_none() {
                    let is_within = !line.text[from..line.text.len() - rest.len()].trim().is_empty();
                    game.split_in = is_within.then_some(number);
                    return Some(line.text.len() - rest.len());
                } else if style == Style::List && *part == Part::Tags && move_list::is_keyword(word) {
                    // Stands between the position and its moves.
                } else if style == Style::List && is_filler(word) {
                    // Stands beside a number.
                } else {
                    *part = Part::Moves;
                    move_list::split_moves(word).iter().for_each(|mv| game.add_token(number, mv, TokenKind::Word));
                }
                rest = &rest[word.len()..];
            }
        }
    }
    // An empty line within a comment belongs to it.
    if let Some(comment) = open
        && line.text[from..].is_empty()
    {
        comment.text.push('\n');
    }
    None
}

/// Returns the first word of a text; the number of a mark, as in `h2e2$1`, is a word of its own.
pub(super) fn first_word(text: &str, style: Style) -> &str {
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

/// Splits off a number in parentheses.
fn number_in_parentheses(text: &str) -> Option<(&str, &str)> {
    let mut signs = Signs::new(text);
    let is_number = text.starts_with(['(', '（']) && matches!(signs.next(), Some(Sign::Number(..)));
    is_number.then(|| text.split_at(text.len() - signs.rest.len()))
}

/// Returns `true` for the number of a first move, alone or followed by the move.
fn is_first_number(word: &str) -> bool {
    word.strip_prefix("1.").is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the tags of a line of a WXF file before the moves; lines with other keys have none.
fn wxf_tags(line: &str) -> Vec<(&'static str, &str)> {
    let Some((key, value)) = wxf_key(line) else { return Vec::new() };
    let mut tags = Vec::new();
    if key == "RESULT" && GameResult::from_text(value).is_some() {
        tags.push(("Result", value));
    }
    let plain = WXF_KEYS.iter().find(|(name, _)| *name == key);
    tags.extend(plain.map(|&(_, tag)| (tag, value)));
    if let Some(&(_, [name, team, rating])) = WXF_PLAYERS.iter().find(|(name, _)| *name == key) {
        let is_rating = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
        let mut parts = value.split(';').map(str::trim);
        tags.push((name, parts.next().unwrap_or_default()));
        let (ratings, others): (Vec<&str>, Vec<&str>) = parts.filter(|part| !part.is_empty()).partition(is_rating);
        tags.extend(others.first().map(|&part| (team, part)));
        tags.extend(ratings.first().map(|&part| (rating, part)));
    }
    tags.retain(|(_, value)| !value.is_empty());
    tags
}
