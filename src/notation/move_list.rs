//! Text of lists of moves as people write them: detection, words and positions. [`super::pgn`] reads the games.
//!
//! ```text
//! h2e2 h9g7, h0g2                 any notation; separated by blanks, commas or line ends
//! 1. C2.5 H8+7 2. H2+3 R9.8 1-0   optional move numbers (1. 1、 1...) and result
//! 1、炮二平五 马8进7 红胜          UTF-8 or GBK, as in every format
//! １．炮二平五马8进7               full-width numbers; Chinese moves without separators
//! 第一回合：炮二平五 马8进7       also ① (1) 一、 1：
//! 红：炮二平五，黑：马8进7         the side before a move
//! 红方：胡荣华  黑方：柳大华       headers, also in English: become the tags of a game
//! startpos moves h2e2 h9g7        a position before the moves, with or without "position"
//! position fen FEN moves h9g7
//! FEN
//! h9g7                            # a comment; so is text after ; that is no move
//! ```
//!
//! The first line of Chinese words that has nothing of these is the title of its game.
//!
//! A position, move number 1, a header after moves and any text after a result begin a new game; an empty line alone
//! does not. The value of a header ends where a header, a move or a position follows. Ranks are counted from 0, or from
//! 1 if there is a rank 10 or only that count makes the moves legal. Whose turn it is by numbers, dots and names of
//! sides must agree with the moves; see [`super::turns`]. Comments and annotation marks are those of PGN.

use std::borrow::Cow;

use super::described::{NUMERALS, after_marks, is_digit, sign};
use super::game::GameResult;
use super::openings::split_fen;
use super::pgn_moves::{is_like_a_move, is_number};
use super::text_encoding::TextLines;
use super::turns::{Sign, Signs, Stop, is_round};
use super::vietnamese::{spoken_move, spoken_result};
use crate::position::{START_FEN, decode_address};

pub(super) const SEPARATORS: [char; 5] = [',', '，', '、', '；', '。'];
/// Longer words are neither keywords nor boards, so each word takes bounded time.
const MAX_WORD_BYTES: usize = 160;
/// A word with at least this many slashes is a board, not a result.
const MIN_SLASHES: usize = 3;
const DIRECTIONS: [char; 6] = ['进', '進', '退', '平', '上', '下'];
/// Longer lines are no titles and drawings, so that a line of many games takes bounded time for each.
const MAX_TITLE_BYTES: usize = 300;
const MAX_MOVE: usize = 6;
/// Words of signs before a move after a semicolon.
const MAX_SIGNS: usize = 4;
/// Slashes of a complete board, which an address in the value of a header lacks.
const BOARD_SLASHES: usize = 9;

const HEADERS: [(&str, &[&str]); 9] = [
    ("Title", &["Title", "标题", "標題", "棋谱标题", "棋譜標題"]),
    ("Red", &["Red", "红方姓名", "红方", "紅方", "红", "紅", "Đỏ"]),
    ("Black", &["Black", "黑方姓名", "黑方", "黑", "Đen"]),
    ("Event", &["Event", "赛事名称", "赛事", "賽事", "比赛", "比賽", "Giải"]),
    ("Site", &["Site", "地点", "地點"]),
    ("Date", &["Date", "日期"]),
    ("Round", &["Round", "轮次", "輪次"]),
    ("Opening", &["Opening", "开局", "開局", "布局"]),
    ("Result", &["Result", "结果", "結果"]),
];

/// Returns the tags of a line of headers such as `Red: name`, and the moves or the position after them.
pub(super) fn headers(line: &str) -> Option<(Vec<(&'static str, &str)>, &str)> {
    let mut found = Vec::new();
    let (mut tag, mut value) = header(line.trim_start())?;
    if ["Red", "Black"].contains(&tag) && begins_with_a_turn(value) {
        return None;
    }
    loop {
        let starts = value.char_indices().filter(|&(_, c)| is_between(c)).map(|(at, c)| at + c.len_utf8());
        // An opening may have the name of its first move.
        let first = (tag != "Opening").then_some(0);
        let next = first.into_iter().chain(starts).find_map(|at| {
            let next = header(&value[at..]).filter(|_| !is_like_a_move(word(&value[at..], char::is_whitespace)));
            (next.is_some() || begins_moves(&value[at..], at == 0)).then_some((at, next))
        });
        let Some((end, next)) = next else {
            found.push((tag, value.trim()));
            return Some((found, ""));
        };
        found.push((tag, value[..end].trim_matches(is_between)));
        match next {
            Some(header) => (tag, value) = header,
            None => return Some((found, &value[end..])),
        }
    }
}

/// Returns whether the value of a header ends here, because moves or a position begin: not by a number without a dot.
fn begins_moves(text: &str, is_first: bool) -> bool {
    let is_end = |c: char| c.is_whitespace() || c == ';';
    // A date or a round such as 12-3 has the form of a move of a pawn.
    let is_move = |word: &str| word.contains(char::is_alphabetic) && is_move_word(word);
    let next = word(text, is_end);
    let is_position = next.eq_ignore_ascii_case("startpos") || slashes(next) == BOARD_SLASHES;
    let is_value = is_first && next.chars().all(is_digit);
    let is_move_number = || !is_value && is_round(next);
    let follows_move = || is_move(word(text[next.len()..].trim_start_matches(is_between), is_end));
    is_position || is_move(next) || is_move_number() && follows_move()
}

/// Returns whether a move or dots follow the name of a side, which then is no header.
fn begins_with_a_turn(value: &str) -> bool {
    let word = word(value, |c| c.is_whitespace() || c == ';');
    is_move_word(word) || Signs::new(word).next() == Some(Sign::Dots)
}

/// Returns whether headers only name sides whose moves may follow in other lines.
pub(super) fn are_colours(headers: &[(&str, &str)]) -> bool {
    headers.iter().all(|(tag, value)| ["Red", "Black"].contains(tag) && value.is_empty())
}

fn is_between(c: char) -> bool {
    c.is_whitespace() || SEPARATORS.contains(&c)
}

/// Splits a text that begins with a header into the name of its tag and the rest.
fn header(text: &str) -> Option<(&'static str, &str)> {
    let value = |name: &&str| {
        let (start, rest) = text.split_at_checked(name.len())?;
        let rest = start.eq_ignore_ascii_case(name).then_some(rest)?;
        Some(rest.trim_start().strip_prefix([':', '：'])?.trim_start())
    };
    HEADERS.iter().find_map(|&(tag, names)| Some((tag, names.iter().find_map(value)?)))
}

/// Splits moves in Chinese or in coordinates without separators between them; any other word stays whole.
pub(super) fn split_moves(word: &str) -> Vec<&str> {
    if let Some(moves) = split_coordinates(word) {
        return moves;
    }
    if word.is_ascii() || word.matches(DIRECTIONS).nth(1).is_none() {
        return vec![word];
    }
    let (mut moves, mut start) = (Vec::new(), 0);
    let mut characters = word.char_indices();
    while let Some((_, c)) = characters.next() {
        if !DIRECTIONS.contains(&c) {
            continue;
        }
        let Some((at, number)) = characters.next() else { return vec![word] };
        let after = &word[at + number.len_utf8()..];
        let end = word.len() - after_marks(after).len();
        if !is_like_a_move(&word[start..end]) {
            return vec![word];
        }
        moves.push(&word[start..end]);
        start = end;
    }
    if start == word.len() && !moves.is_empty() { moves } else { vec![word] }
}

/// Splits moves in coordinates without separators (`h2e2h9g7`, `1.h3e3h10g82.h1g3`); `None` for any other text.
fn split_coordinates(text: &str) -> Option<Vec<&str>> {
    let (mut moves, mut rest) = (Vec::new(), text);
    loop {
        let mut signs = Signs::new(rest);
        let last = signs.by_ref().last();
        if rest.is_empty() || signs.rest.is_empty() && matches!(last, Some(Sign::Number(..))) {
            break;
        }
        // A number without a dot could be a part of the rank before it.
        let from = if matches!(last, Some(Sign::Number(_, Stop::None))) { rest } else { signs.rest };
        let dash = after_point(from)?;
        let to = dash.strip_prefix('-').unwrap_or(dash);
        let after = after_marks(after_point(to)?);
        moves.push(&rest[..rest.len() - after.len()]);
        rest = after;
    }
    let is_split = moves.len() > 1;
    // The number of a move whose dot was taken for a separator.
    moves.extend(Some(rest).filter(|rest| !rest.is_empty()));
    is_split.then_some(moves)
}

/// Returns whether a word is a move, or several joined.
pub(super) fn is_move_word(word: &str) -> bool {
    is_like_a_move(split_moves(word)[0])
}

fn after_point(text: &str) -> Option<&str> {
    let after = text.strip_prefix(|c: char| matches!(c.to_ascii_lowercase(), 'a'..='i'))?;
    after.strip_prefix("10").or_else(|| after.strip_prefix(|c: char| c.is_ascii_digit()))
}

/// Returns `true` for a line that can only be one of a list: it begins with a move number or a header.
pub(super) fn begins_with_number_or_header(line: &str) -> bool {
    let line = line.trim_start();
    let word = word(line, char::is_whitespace);
    !word.is_empty() && (is_number(word) || begins_a_list(word, &line[word.len()..])) || headers(line).is_some()
}

/// Returns `true` for a line of Chinese text that has nothing of a list: no move, even a wrong one, header or result.
pub(super) fn is_title(line: &str) -> bool {
    let line = line.trim();
    if line.len() > MAX_TITLE_BYTES {
        return false;
    }
    let is_text = |c: char| c.is_alphabetic() && !c.is_ascii();
    let is_move_number =
        |word: &str| is_round(word) || is_number(word) && !word.is_empty() && !word.starts_with(char::is_alphabetic);
    let is_cut_move = |word: &str| word.contains(DIRECTIONS) && word.chars().count() <= MAX_MOVE;
    let is_move = |word: &str| is_move_word(word) || is_cut_move(word) || word.eq_ignore_ascii_case("moves");
    let has_direction = || {
        let after = |(at, c): (usize, &str)| line[at + c.len()..].chars().next();
        line.match_indices(DIRECTIONS).filter_map(after).any(|c| is_digit(c) || NUMERALS.contains(&c))
    };
    // XQWizard writes the result after a player, and the code of an opening.
    if line.split_once('(').is_some_and(|(before, rest)| {
        let mark = rest.split(')').next().unwrap_or_default();
        let is_code = matches!(mark.as_bytes(), [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9']);
        let is_mark = is_code || mark == "对" || GameResult::from_text(mark).is_some();
        is_mark && !before.is_empty() && !before.split(is_between).any(is_move_word)
    }) {
        return true;
    }
    line.contains(is_text)
        && !line.contains(['{', '}', '(', ')', '（', '）', '#', ';', '$'])
        && !is_move_number(line.split(is_between).next().unwrap_or_default())
        && !line.split(is_between).any(is_move)
        && !has_direction()
        && spoken_move(line).is_none()
        && headers(line).is_none()
        && start_of(line).is_none()
        && GameResult::from_text(line).is_none()
}

/// Returns `true` for a line of a drawn board.
pub(super) fn is_drawn(line: &str) -> bool {
    let is_piece = |c: char| !c.is_ascii() && sign(c).is_ascii_lowercase();
    line.len() <= MAX_TITLE_BYTES
        && line.contains(|c| matches!(c, '─'..='╿'))
        && line.chars().all(|c| is_piece(c) || !c.is_alphanumeric() && !"{;#".contains(c))
}

/// Returns `true` for the number of the first move of a list, but not of Black's reply (`1...`).
pub(super) fn begins_a_list(word: &str, rest: &str) -> bool {
    let mut signs = Signs::new(word);
    let is_first = signs.next() == Some(Sign::Number(1, Stop::Plain));
    let next = if signs.rest.is_empty() { rest.trim_start() } else { signs.rest };
    // Numbers in circles at the end of a line refer to notes.
    let is_note = next.is_empty() && !word.starts_with(|c: char| is_digit(c) || c.is_alphabetic());
    is_first && !is_note && !signs.rest.starts_with(is_digit) && Signs::new(next).next() != Some(Sign::Dots)
}

/// Returns a text without the words `position` and `fen` at its beginning, as lines of UCCI and UCI have them.
pub fn after_position_words(text: &str) -> &str {
    let text = after_word(text, "position").unwrap_or(text);
    after_word(text, "fen").unwrap_or(text)
}

/// Splits a text that begins with a position (`startpos` or FEN) into this, as a FEN, and the rest.
pub(super) fn start_of(text: &str) -> Option<(&str, &str)> {
    let text = after_position_words(text);
    if let Some(rest) = after_word(text, "startpos") {
        return Some((START_FEN, rest));
    }
    let (board, _) = split_word(text);
    (slashes(board) >= MIN_SLASHES).then(|| split_fen(text))
}

fn slashes(word: &str) -> usize {
    decode_address(word).matches('/').count()
}

/// Returns a line whose position, at its beginning, is from an address, with blanks in it; moves may follow there.
pub(super) fn decode_start(line: &str) -> Cow<'_, str> {
    let text = after_position_words(line);
    let (address, rest) = split_word(text);
    let before = &line[..line.len() - text.len()];
    match decode_address(address) {
        Cow::Owned(words) if words.matches('/').count() >= BOARD_SLASHES => Cow::Owned([before, &words, rest].concat()),
        _ => Cow::Borrowed(line),
    }
}

/// Returns `true` for a text with one position and nothing else but empty lines and remarks.
pub(super) fn is_lone_position(text: &[u8]) -> bool {
    let mut lines = TextLines::new(text);
    let Some(Ok((_, line))) = lines.next() else { return false };
    let line = decode_start(line.trim());
    let (fen, rest) = split_fen(after_position_words(&line));
    slashes(fen) == BOARD_SLASHES && rest.is_empty() && lines.next().is_none()
}

pub(super) fn begins_with_a_move(text: &str) -> bool {
    let mut rest = text;
    for _ in 0..MAX_SIGNS {
        rest = rest.trim_start_matches([' ', '\t', '\u{3000}']);
        let word = word(rest, ends_a_word);
        if is_move_word(word) {
            return true;
        }
        let mut signs = Signs::new(word);
        if signs.by_ref().count() == 0 || !signs.rest.is_empty() {
            return false;
        }
        rest = &rest[word.len()..];
    }
    false
}

pub(super) fn ends_a_word(c: char) -> bool {
    c.is_whitespace() || "{}()（）;".contains(c)
}

/// Returns the first word of a text, or the words of a move or result in Vietnamese.
pub(super) fn word(text: &str, is_end: impl Fn(char) -> bool) -> &str {
    if let Some(length) = spoken_move(text).or_else(|| spoken_result(text)) {
        return &text[..length];
    }
    let mut is_number = true;
    let end = text.char_indices().find(|&(_, c)| {
        // A full stop after a number belongs to it.
        let separates = SEPARATORS.contains(&c) && !(is_number && ['、', '。'].contains(&c));
        is_number &= is_digit(c);
        separates || is_end(c)
    });
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

fn split_word(text: &str) -> (&str, &str) {
    let mut characters = text.char_indices().take_while(|&(at, _)| at <= MAX_WORD_BYTES);
    let end = characters.find(|(_, c)| c.is_whitespace()).map(|(at, _)| at);
    let is_short = text.len() <= MAX_WORD_BYTES;
    text.split_at(end.unwrap_or(if is_short { text.len() } else { 0 }))
}

fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (first, rest) = split_word(text);
    first.eq_ignore_ascii_case(word).then(|| rest.trim_start())
}
