//! Signs beside moves: numbers of rounds in every form, dots in the place of a move, and names of sides.

use super::normal_form::{is_described, is_digit, without_marks};
use crate::types::Side;

/// Characters after numbers, and of dots in the place of a move.
const DOTS: [char; 9] = ['.', '…', '⋯', '、', '．', '。', '·', ':', '：'];
/// Characters of lines in the place of a move.
const DASHES: [char; 6] = ['-', '—', '–', '－', '_', '＿'];
/// Names of the sides, with or without a colon.
const COLOURS: [(&str, Side); 20] = [
    ("红方", Side::Red),
    ("紅方", Side::Red),
    ("红棋", Side::Red),
    ("紅棋", Side::Red),
    ("红", Side::Red),
    ("紅", Side::Red),
    ("黑方", Side::Black),
    ("黑棋", Side::Black),
    ("黑", Side::Black),
    ("先手", Side::Red),
    ("先", Side::Red),
    ("后手", Side::Black),
    ("後手", Side::Black),
    ("Red", Side::Red),
    ("White", Side::Red),
    ("Black", Side::Black),
    ("Đỏ", Side::Red),
    ("đỏ", Side::Red),
    ("Đen", Side::Black),
    ("đen", Side::Black),
];
/// Names only where a colon follows: the beginnings of a move, or of a title.
const BEFORE_COLON: [(&str, Side); 5] =
    [("后", Side::Black), ("後", Side::Black), ("红先", Side::Red), ("紅先", Side::Red), ("黑先", Side::Black)];
/// Words after the number in 第一回合.
const ROUNDS: [&str; 4] = ["回合", "步", "着", "招"];
/// First numbers in brackets, in circles and so on, with their values.
const ENCLOSED: [(char, char, u32); 8] = [
    ('①', '⑳', 1),
    ('⑴', '⒇', 1),
    ('⒈', '⒛', 1),
    ('❶', '❿', 1),
    ('㉑', '㉟', 21),
    ('㊱', '㊿', 36),
    ('㈠', '㈩', 1),
    ('➀', '➉', 1),
];
/// Maximum length of a Chinese number; more characters do not belong to it.
const MAX_NUMERALS: usize = 6;

/// Part of a word that is no move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// Number of a round, and what stands after it.
    Number(u32, Stop),
    /// Dots in the place of a move.
    Dots,
    /// Line in the place of a move.
    Gap,
    /// Name of a side.
    Colour(Side),
    /// Sign without a meaning.
    Nothing,
}

/// Signs after a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    None,
    Plain,
    Dots,
}

/// Iterator over the signs at the beginning of a word.
#[derive(Clone, Debug)]
pub struct Signs<'a> {
    /// The rest of the word.
    pub rest: &'a str,
    has_number: bool,
}

impl<'a> Signs<'a> {
    /// Signs of a word or of a text.
    pub fn new(word: &'a str) -> Signs<'a> {
        Signs { rest: word, has_number: false }
    }
}

impl Iterator for Signs<'_> {
    type Item = Sign;

    fn next(&mut self) -> Option<Sign> {
        let (sign, rest) = None
            .or_else(|| if self.has_number { None } else { number(self.rest) })
            .or_else(|| colour(self.rest))
            .or_else(|| dots(self.rest))
            .or_else(|| filler(self.rest))?;
        self.has_number |= matches!(sign, Sign::Number(..));
        self.rest = rest;
        Some(sign)
    }
}

/// Splits off the number of a round.
fn number(text: &str) -> Option<(Sign, &str)> {
    let first = text.chars().next()?;
    let (value, after, is_stopped) = if is_digit(first) {
        let (value, after) = digits(text)?;
        (value, after, false)
    } else if let Some(after) = text.strip_prefix(['(', '（']) {
        let (value, after) = digits(after)?;
        (value, after.strip_prefix([')', '）'])?, true)
    } else if let Some((from, _, value)) = ENCLOSED.iter().find(|(from, to, _)| (from..=to).contains(&&first)) {
        (value + (first as u32 - *from as u32), &text[first.len_utf8()..], true)
    } else if let Some(after) = text.strip_prefix('第') {
        let (value, after) = digits(after).or_else(|| numeral(after))?;
        (value, ROUNDS.iter().find_map(|round| after.strip_prefix(round))?, true)
    } else {
        let (value, after) = numeral(text)?;
        if !after.is_empty() && !after.starts_with(DOTS) {
            return None;
        }
        (value, after, false)
    };
    let rest = after.trim_start_matches(DOTS);
    let stop = match stop(&after[..after.len() - rest.len()]) {
        Stop::None if is_stopped => Stop::Plain,
        stop => stop,
    };
    Some((Sign::Number(value, stop), rest))
}

/// Splits off digits.
fn digits(text: &str) -> Option<(u32, &str)> {
    let rest = text.trim_start_matches(is_digit);
    let digits = &text[..text.len() - rest.len()];
    let value = |c: char| c.to_digit(10).unwrap_or_else(|| c as u32 - '０' as u32);
    let add = |sum: u32, c: char| sum.saturating_mul(10).saturating_add(value(c));
    (!digits.is_empty()).then(|| (digits.chars().fold(0, add), rest))
}

/// Splits off a Chinese number below a thousand.
fn numeral(text: &str) -> Option<(u32, &str)> {
    const NUMERALS: &str = "〇一二三四五六七八九";
    let (mut sum, mut digit, mut length) = (0, None, 0);
    for c in text.chars().take(MAX_NUMERALS) {
        let unit = match c {
            '零' => 0,
            '十' => 10,
            '百' => 100,
            _ => match NUMERALS.chars().position(|other| other == c) {
                // Digits in a row, as in 一二.
                Some(value) => {
                    digit = Some(digit.unwrap_or(0) * 10 + value as u32);
                    length += c.len_utf8();
                    continue;
                }
                None => break,
            },
        };
        sum += unit * digit.take().unwrap_or(1);
        length += c.len_utf8();
    }
    (length > 0).then(|| (sum + digit.unwrap_or(0), &text[length..]))
}

fn stop(signs: &str) -> Stop {
    let is_long = signs.contains(['…', '⋯']) || signs.matches(['.', '．', '。', '·']).count() >= 3;
    match signs {
        "" => Stop::None,
        _ if is_long => Stop::Dots,
        _ => Stop::Plain,
    }
}

/// Splits off the name of a side.
fn colour(text: &str) -> Option<(Sign, &str)> {
    const FIRST: [char; 14] = ['红', '紅', '黑', '先', '后', '後', 'r', 'R', 'w', 'W', 'b', 'B', 'Đ', 'đ'];
    if !text.starts_with(FIRST) {
        return None;
    }
    let after = |name: &str| {
        let (start, rest) = text.split_at_checked(name.len())?;
        start.eq_ignore_ascii_case(name).then_some(rest)
    };
    let find = |names: &[(&str, Side)]| names.iter().find_map(|&(name, side)| Some((side, after(name)?)));
    let (side, rest) =
        find(&BEFORE_COLON).filter(|(_, rest)| rest.starts_with([':', '：'])).or_else(|| find(&COLOURS))?;
    let (is_named, rest) = match rest.strip_prefix([':', '：']) {
        Some(rest) => (true, rest),
        None => (rest.is_empty(), rest),
    };
    let begins_a_move = || text.starts_with(['红', '紅', '黑']) && is_described(without_marks(rest));
    (is_named || begins_a_move()).then_some((Sign::Colour(side), rest))
}

/// Splits off dots or a line.
fn dots(text: &str) -> Option<(Sign, &str)> {
    let rest = text.trim_start_matches(DOTS);
    if rest.len() < text.len() {
        let is_long = stop(&text[..text.len() - rest.len()]) == Stop::Dots;
        return Some((if is_long { Sign::Dots } else { Sign::Nothing }, rest));
    }
    let rest = text.trim_start_matches(DASHES);
    let is_long = text[..text.len() - rest.len()].chars().nth(1).is_some();
    // WXF has moves that begin with two signs.
    (is_long && (rest.is_empty() || !rest.is_ascii())).then_some((Sign::Gap, rest))
}

/// Splits off a part of a number that is written as several words.
fn filler(text: &str) -> Option<(Sign, &str)> {
    if let Some(rest) = text.strip_prefix("回合") {
        return Some((Sign::Nothing, rest));
    }
    let is_filler = text == "第" || text.eq_ignore_ascii_case("round") || text.eq_ignore_ascii_case("move");
    is_filler.then_some((Sign::Nothing, ""))
}

/// Returns `true` for a word without a meaning, such as 第 before a number.
pub fn is_filler(word: &str) -> bool {
    filler(word).is_some_and(|(_, rest)| rest.is_empty())
}

/// Returns `true` for a word that can only be the number of a round: with digits, a sign around it or 回合.
pub fn is_round(word: &str) -> bool {
    let mut signs = Signs::new(word);
    let is_number = matches!(signs.next(), Some(Sign::Number(..)));
    is_number && signs.rest.is_empty() && (!word.starts_with('第') || word.contains("回合")) && numeral(word).is_none()
}

/// Texts of a word that may be its move, in the order in which they are tried: the word itself where a number may
/// belong to it, and the part after the signs.
pub fn moves_of(word: &str) -> (Option<&str>, Option<&str>) {
    let mut signs = Signs::new(word);
    let mut numbered = None;
    let mut last = None;
    loop {
        let before = signs.rest;
        let Some(sign) = signs.next() else { break };
        if matches!(sign, Sign::Number(..)) {
            numbered = Some(before);
        }
        last = Some(sign);
    }
    let rest = signs.rest;
    match (numbered, last) {
        _ if rest.is_empty() || word.starts_with('$') => (None, None),
        // A WXF pawn move may begin with a digit, and a move number may lack its dot.
        (Some(before), Some(Sign::Number(_, Stop::None))) => (Some(before), (!rest.is_ascii()).then_some(rest)),
        (Some(before), _) if rest.starts_with(is_digit) => (Some(before), Some(rest)),
        _ => (None, Some(rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_into_signs_and_moves() {
        use Sign::{Colour, Dots, Gap, Nothing, Number};
        let plain = |value| Number(value, Stop::Plain);
        for (word, signs, rest) in [
            ("12.", &[plain(12)][..], ""),
            ("１２、炮二平五", &[plain(12)], "炮二平五"),
            ("7", &[Number(7, Stop::None)], ""),
            ("1...h9g7", &[Number(1, Stop::Dots)], "h9g7"),
            ("1.……", &[Number(1, Stop::Dots)], ""),
            ("第十二回合：红：", &[plain(12), Colour(Side::Red)], ""),
            ("第105回合", &[plain(105)], ""),
            ("一百零五、", &[plain(105)], ""),
            ("二十.", &[plain(20)], ""),
            ("㉑", &[plain(21)], ""),
            ("⒛马8进7", &[plain(20)], "马8进7"),
            ("（3）", &[plain(3)], ""),
            ("黑：马8进7", &[Colour(Side::Black)], "马8进7"),
            ("红炮二平五", &[Colour(Side::Red)], "炮二平五"),
            ("后：车9平8", &[Colour(Side::Black)], "车9平8"),
            ("后车退1", &[], "后车退1"),
            ("红军", &[], "红军"),
            ("black:", &[Colour(Side::Black)], ""),
            ("…", &[Dots], ""),
            (".", &[Nothing], ""),
            ("----", &[Gap], ""),
            ("--.4", &[], "--.4"),
            ("一兵平六", &[], "一兵平六"),
            ("99999999999.", &[plain(u32::MAX)], ""),
            ("", &[], ""),
        ] {
            let mut found = Signs::new(word);
            assert_eq!(found.by_ref().collect::<Vec<_>>(), signs, "{word}");
            assert_eq!(found.rest, rest, "{word}");
        }
        // A number that is too long is none, and does not overflow.
        assert_eq!(Signs::new(&"九".repeat(40)).next(), None);
    }

    #[test]
    fn a_digit_may_belong_to_the_move() {
        for (word, texts) in [
            ("11.2", (Some("11.2"), Some("2"))),
            ("33+1", (Some("33+1"), None)),
            ("3.11.2", (Some("3.11.2"), Some("11.2"))),
            ("3炮二平五", (Some("3炮二平五"), Some("炮二平五"))),
            ("3.炮二平五", (None, Some("炮二平五"))),
            ("$4", (None, None)),
            ("①", (None, None)),
        ] {
            assert_eq!(moves_of(word), texts, "{word}");
        }
    }
}
