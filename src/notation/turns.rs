//! Signs beside moves: numbers of rounds in every form, dots in the place of a move, and names of sides. Whose turn it
//! is by them, and by how the moves are spelled.
//!
//! ```text
//! 1. 炮二平五 …… 2. 马二进三          Black's move 1 is missing
//! 1... h9g7                          Black's move 1
//! 第一回合：红：炮二平五，黑：马8进7   words instead of numbers
//! ```
//!
//! Moves by piece, file, direction and number are often legal for either side, so that a list without one of its
//! half-moves could be read as another game: there, a contradiction is an error. A move in coordinates proves its side,
//! so that a contradiction is only reported. Numbers may begin anywhere and count the rounds of either side; in a list
//! that numbers each half-move, the sides must be proved in another way. The spelling counts where two moves in a row
//! contradict it, since many authors write both sides alike.

use super::described::{NUMERALS, is_described, is_digit, without_marks};
use crate::position::Position;
use crate::types::{Move, Side, Square};

/// Characters after numbers, and of dots in the place of a move.
const DOTS: [char; 9] = ['.', '…', '⋯', '、', '．', '。', '·', ':', '：'];
const DASHES: [char; 6] = ['-', '—', '–', '－', '_', '＿'];
const COLONS: [char; 2] = [':', '：'];
/// Names of the sides, longer ones before their beginnings. Those with a colon begin a move or a title without it.
const COLOURS: [(Side, &[&str]); 2] = [
    (
        Side::Red,
        &["红先：", "紅先：", "红方", "紅方", "红棋", "紅棋", "红", "紅", "先手", "先", "Red", "White", "Đỏ", "đỏ"],
    ),
    (Side::Black, &["黑先：", "后：", "後：", "黑方", "黑棋", "黑", "后手", "後手", "Black", "Đen", "đen"]),
];
const ROUNDS: [&str; 4] = ["回合", "步", "着", "招"];
/// First and last numbers in brackets, in circles and so on, with the value of the first.
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
const SHOWN_TEXT: usize = 40;
/// Number of numbers from which on a list may number each half-move without proof of the sides.
const MIN_PLY_NUMBERS: usize = 4;
/// Characters of pieces of Red and of Black. Many authors write 士 for both.
const PIECES: [[&str; 2]; 3] = [["帅帥", "将將"], ["相", "象"], ["兵", "卒"]];

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
pub struct Signs<'a> {
    /// The rest of the word.
    pub rest: &'a str,
    has_number: bool,
}

impl<'a> Signs<'a> {
    pub fn new(word: &'a str) -> Signs<'a> {
        Signs { rest: word, has_number: false }
    }
}

impl Iterator for Signs<'_> {
    type Item = Sign;

    fn next(&mut self) -> Option<Sign> {
        let number = number(self.rest).filter(|_| !self.has_number);
        let (sign, rest) =
            number.or_else(|| colour(self.rest)).or_else(|| dots(self.rest)).or_else(|| filler(self.rest))?;
        self.has_number |= matches!(sign, Sign::Number(..));
        self.rest = rest;
        Some(sign)
    }
}

fn number(text: &str) -> Option<(Sign, &str)> {
    let first = text.chars().next()?;
    let enclosed = ENCLOSED.iter().find(|(from, to, _)| (*from..=*to).contains(&first));
    let (value, after, is_stopped) = if let Some((from, _, value)) = enclosed {
        (value + (first as u32 - *from as u32), &text[first.len_utf8()..], true)
    } else if let Some(after) = text.strip_prefix(['(', '（']) {
        let (value, after) = digits(after)?;
        (value, after.strip_prefix([')', '）'])?, true)
    } else if let Some(after) = text.strip_prefix('第') {
        let (value, after) = digits(after).or_else(|| numeral(after))?;
        (value, ROUNDS.iter().find_map(|round| after.strip_prefix(round))?, true)
    } else {
        let is_whole = |(_, after): &(u32, &str)| after.is_empty() || after.starts_with(DOTS);
        let (value, after) = digits(text).or_else(|| numeral(text).filter(is_whole))?;
        (value, after, false)
    };
    let rest = after.trim_start_matches(DOTS);
    let stop = match stop(&after[..after.len() - rest.len()]) {
        Stop::None if is_stopped => Stop::Plain,
        stop => stop,
    };
    Some((Sign::Number(value, stop), rest))
}

fn digits(text: &str) -> Option<(u32, &str)> {
    let rest = text.trim_start_matches(is_digit);
    let digits = &text[..text.len() - rest.len()];
    let value = |c: char| c.to_digit(10).unwrap_or_else(|| c as u32 - '０' as u32);
    let add = |sum: u32, c: char| sum.saturating_mul(10).saturating_add(value(c));
    (!digits.is_empty()).then(|| (digits.chars().fold(0, add), rest))
}

/// Splits off a Chinese number below a thousand, also of digits in a row, as in 一二.
fn numeral(text: &str) -> Option<(u32, &str)> {
    let (mut sum, mut digit, mut length) = (0, None, 0);
    for c in text.chars().take(MAX_NUMERALS) {
        if let Some(value) = "〇一二三四五六七八九".chars().position(|other| other == c) {
            digit = Some(digit.unwrap_or(0) * 10 + value as u32);
        } else {
            let unit = match c {
                '零' => 0,
                '十' => 10,
                '百' => 100,
                _ => break,
            };
            sum += unit * digit.take().unwrap_or(1);
        }
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

fn colour(text: &str) -> Option<(Sign, &str)> {
    let after = |name: &&str| {
        let plain = name.trim_end_matches('：');
        let (start, rest) = text.split_at_checked(plain.len())?;
        let is_named = plain.len() == name.len() || rest.starts_with(COLONS);
        (is_named && start.eq_ignore_ascii_case(plain)).then_some(rest)
    };
    let (side, rest) = COLOURS.iter().find_map(|(side, names)| Some((*side, names.iter().find_map(after)?)))?;
    let after_colon = rest.strip_prefix(COLONS);
    let begins_a_move = || text.starts_with(['红', '紅', '黑']) && is_described(without_marks(rest));
    let is_colour = after_colon.is_some() || rest.is_empty() || begins_a_move();
    is_colour.then_some((Sign::Colour(side), after_colon.unwrap_or(rest)))
}

fn dots(text: &str) -> Option<(Sign, &str)> {
    let rest = text.trim_start_matches(DOTS);
    if rest.len() < text.len() {
        let is_long = stop(&text[..text.len() - rest.len()]) == Stop::Dots;
        return Some((if is_long { Sign::Dots } else { Sign::Nothing }, rest));
    }
    let rest = text.trim_start_matches(DASHES);
    let is_long = text[..text.len() - rest.len()].chars().count() > 1;
    // WXF has moves that begin with two signs.
    (is_long && (rest.is_empty() || !rest.is_ascii())).then_some((Sign::Gap, rest))
}

fn filler(text: &str) -> Option<(Sign, &str)> {
    let is_word = || text == "第" || text.eq_ignore_ascii_case("round") || text.eq_ignore_ascii_case("move");
    let rest = text.strip_prefix("回合").or_else(|| is_word().then_some(""))?;
    Some((Sign::Nothing, rest))
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

/// Texts of a word that may be its move, in this order: the word itself where a number may be its part, and the rest.
pub fn moves_of(word: &str) -> (Option<&str>, Option<&str>) {
    let mut signs = Signs::new(word);
    let (mut numbered, mut last, mut before) = (None, None, word);
    while let Some(sign) = signs.next() {
        if matches!(sign, Sign::Number(..)) {
            numbered = Some(before);
        }
        (last, before) = (Some(sign), signs.rest);
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

#[derive(Clone, Copy, Default)]
struct Claim {
    /// Number, and whether dots follow it.
    number: Option<(u32, bool)>,
    has_dots: bool,
    has_gap: bool,
    colour: Option<Side>,
}

impl Claim {
    fn add(&mut self, sign: Sign) {
        match sign {
            Sign::Number(value, stop) => {
                let colour = self.colour.filter(|_| !self.has_dots && !self.has_gap);
                *self = Claim { number: Some((value, stop == Stop::Dots)), colour, ..Claim::default() };
            }
            Sign::Colour(side) => (self.colour, self.has_dots, self.has_gap) = (Some(side), false, false),
            Sign::Dots => {
                self.has_dots = true;
                self.number = self.number.map(|(value, _)| (value, true));
            }
            Sign::Gap => self.has_gap = true,
            Sign::Nothing => {}
        }
    }
}

/// Number of a list: its value, whether dots follow it, and the numbers of half-moves before it and up to the next one.
struct Group {
    value: u32,
    has_dots: bool,
    at: usize,
    moves: usize,
}

/// Checks of the words of one line against the side to move.
pub struct Turns {
    claims: Vec<Claim>,
    /// Side whose moves have the numbers without dots.
    leader: Side,
    round: Option<u32>,
    plies: usize,
    /// The last number stood before the second move of its round, so that the next round must have one.
    needs_number: bool,
    starts_at_one: bool,
    has_numbers: bool,
    has_colours: bool,
    /// Number of half-moves of a list in which each has its number.
    ply_numbers: Option<usize>,
    dots_are_stops: bool,
    distinguishes: bool,
    /// First half-move whose spelling contradicts the order.
    misspelled: Option<usize>,
    /// Half-moves whose spelling alone contradicts the order, while that of most others agrees with it.
    slips: Vec<usize>,
}

impl Turns {
    /// Prepares the checks of a line from a position.
    pub fn new(start: &Position, words: &[&str]) -> Turns {
        let first = start.side();
        let (mut claims, mut claim) = (Vec::new(), Claim::default());
        let (mut groups, mut described): (Vec<Group>, Vec<Described>) = (Vec::new(), Vec::new());
        // Numbers without a stop count if they begin before the first move.
        let (mut counts_plain, mut has_colours, mut has_places) = (false, false, false);
        for word in words {
            let word = without_marks(word);
            let (whole, part) = moves_of(word);
            let is_whole = whole.is_some_and(is_described);
            // The signs of a pawn move such as 11.2 are none.
            for sign in Signs::new(word).take_while(|_| !is_whole) {
                has_places |= matches!(sign, Sign::Dots | Sign::Gap | Sign::Number(_, Stop::Dots));
                has_colours |= matches!(sign, Sign::Colour(_));
                let at = claims.len();
                match sign {
                    Sign::Number(value, stop) => {
                        counts_plain |= stop == Stop::None && at == 0;
                        if stop == Stop::None && !counts_plain {
                            continue;
                        }
                        groups.push(Group { value, has_dots: stop == Stop::Dots, at, moves: 0 });
                    }
                    Sign::Dots => groups.last_mut().into_iter().for_each(|group| group.has_dots |= group.moves == 0),
                    _ => {}
                }
                claim.add(sign);
            }
            let Some(text) = whole.filter(|_| is_whole).or(part).or(whole) else { continue };
            let side = if claims.len() % 2 == 0 { first } else { !first };
            described.extend(described_signs(text).map(|signs| (claims.len(), side, signs)));
            claims.push(std::mem::take(&mut claim));
            groups.last_mut().into_iter().for_each(|group| group.moves += 1);
        }
        let (head, last) = groups.split_at(groups.len().saturating_sub(1));
        let all_have = |count: usize| {
            !head.is_empty()
                && groups[0].at == 0
                && head.iter().all(|group| group.moves == count)
                && last.iter().all(|group| group.moves <= count)
        };
        let rises = groups.windows(2).all(|pair| pair[1].value == pair[0].value.saturating_add(1));
        let counts_plies = all_have(1) && rises && !has_places;
        let begins_with_black = groups.first().is_some_and(|group| {
            !group.has_dots && group.at % 2 == 0 && !(group.at == 0 && group.moves == 1 && groups.len() > 1)
        });
        let spellings = spellings(&described);
        Turns {
            leader: if first == Side::Black && begins_with_black { Side::Black } else { Side::Red },
            round: None,
            plies: 0,
            needs_number: false,
            starts_at_one: *start == Position::start(),
            has_numbers: !groups.is_empty(),
            has_colours,
            ply_numbers: counts_plies.then_some(groups.len()),
            dots_are_stops: all_have(2) && groups.iter().all(|group| group.has_dots),
            distinguishes: spellings
                .iter()
                .any(|spelling| spelling.contradicting.is_empty() && spelling.has_both_sides()),
            misspelled: spellings.iter().filter_map(|spelling| spelling.contradiction(claims.len())).min(),
            slips: spellings
                .into_iter()
                .filter(Spelling::is_clear)
                .flat_map(|spelling| spelling.contradicting)
                .collect(),
            claims,
        }
    }

    /// Compares the signs before the next word with the side to move: returns a warning; a contradiction is an error.
    pub fn check(&mut self, side: Side, text: &str, mv: Option<Move>) -> Result<Option<String>, String> {
        let is_exact = mv.is_some_and(|mv| names_both_points(text, mv));
        let text: String = text.chars().take(SHOWN_TEXT).collect();
        let spelled = format!("'{text}' is written like a move of {}, but it is {side}'s turn", !side);
        let result = match self.compare_signs(side, &text, is_exact) {
            Ok(_) if self.misspelled == Some(self.plies) => Err(spelled + ": a move is missing or out of order"),
            Ok(None) if self.slips.contains(&self.plies) => Ok(Some(spelled)),
            result => result,
        };
        self.plies += 1;
        result.or_else(|reason| if is_exact { Ok(Some(reason)) } else { Err(reason) })
    }

    fn compare_signs(&mut self, side: Side, text: &str, is_exact: bool) -> Result<Option<String>, String> {
        let claim = self.claims.get(self.plies).copied().unwrap_or_default();
        let (round, is_leader) = (self.round, side == self.leader);
        if let Some(colour) = claim.colour.filter(|&colour| colour != side) {
            return Err(format!("'{text}' is named as {colour}'s, but {side}'s move before it is missing"));
        }
        if claim.has_gap {
            return Err(format!("{side}'s move before '{text}' is missing"));
        }
        let is_proved = is_exact || self.distinguishes;
        let Some((value, has_dots)) = claim.number else {
            if is_leader {
                self.round = round.map(|round| round.saturating_add(1));
            }
            return match () {
                () if claim.has_dots && is_leader => Err(format!("moves are left out before '{text}'")),
                () if claim.has_dots && !(is_proved || self.has_colours || self.has_numbers) => {
                    Err(format!("it is open whether a move of {side}'s is left out before '{text}'; number the moves"))
                }
                () if is_leader && std::mem::take(&mut self.needs_number) => {
                    Err(format!("'{text}' has no number: a move is missing, or the number before is wrong"))
                }
                () => Ok(None),
            };
        };
        if self.ply_numbers.is_some_and(|count| is_proved || count >= MIN_PLY_NUMBERS) {
            let warning = || format!("number {value} is taken as that of {side}'s move");
            return Ok((self.plies == 1 && !is_proved).then(warning));
        }
        let has_dots = has_dots && !self.dots_are_stops;
        if is_leader && has_dots {
            return Err(format!("'{text}' is {}'s move {value}, but {side}'s is missing", !side));
        }
        if is_leader || has_dots || round.is_none() && self.plies == 0 {
            self.needs_number = false;
        } else if round == Some(value) {
            // The number of the round stands before both of its moves.
            self.needs_number = true;
        } else {
            let missing = round.map_or_else(String::new, |round| format!(" {round}"));
            return Err(format!("'{text}' is {}'s move {value}, but {side}'s move{missing} is missing", !side));
        }
        self.round = Some(value);
        let first = self.starts_at_one.then_some(self.plies as u32 / 2 + 1);
        let expected = round.map(|round| round.saturating_add(u32::from(is_leader))).or(first);
        let is_first_zero = value == 0 && self.plies == 0;
        Ok(expected.filter(|&expected| expected != value && !is_first_zero).map(|expected| {
            format!("the number before '{text}' is {value} instead of {expected}: moves are missing or counted wrongly")
        }))
    }
}

/// Returns whether a text names the points of a move, with ranks from 0 or from 1, which proves the side.
fn names_both_points(text: &str, mv: Move) -> bool {
    let plain: String = text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let point = |square: Square, first: u8| format!("{}{}", char::from(b'a' + square.file()), square.rank() + first);
    (0..2).any(|first| plain.ends_with(&(point(mv.from(), first) + &point(mv.to(), first))))
}

/// Index of a half-move, its side by the order, and its four signs.
type Described = (usize, Side, [char; 4]);

#[derive(Default)]
struct Spelling {
    /// Number of half-moves that agree with the order, of Red and of Black.
    agreeing: [usize; 2],
    contradicting: Vec<usize>,
    /// First of two half-moves in a row that contradict the order.
    first_pair: Option<usize>,
}

fn spellings(described: &[Described]) -> [Spelling; 3] {
    let digits = Spelling::new(described, side_by_digits);
    let uses = |side: Side, kinds: &str| {
        let mut signs = described.iter().filter(|(_, other, _)| *other == side).flat_map(|(.., signs)| signs);
        signs.any(|sign| kinds.contains(*sign))
    };
    let users = |kinds: &str| Side::BOTH.into_iter().filter(|&side| uses(side, kinds)).count();
    let has_both = |pair: &[&str; 2]| pair.iter().all(|kinds| users(kinds) > 0);
    let is_shared = |pair: &[&str; 2]| !has_both(pair) && pair.iter().any(|kinds| users(kinds) == 2);
    // Some authors write the pieces of both sides alike.
    let tells_pieces = !digits.is_clear() && PIECES.iter().any(has_both);
    let pairs: Vec<_> = PIECES.iter().filter(|pair| tells_pieces && !is_shared(pair)).collect();
    let by_pieces = |signs: [char; 4]| {
        let mut kinds = pairs.iter().flat_map(|pair| pair.iter().zip(Side::BOTH));
        kinds.find(|(kinds, _)| signs.iter().any(|sign| kinds.contains(*sign))).map(|(_, side)| side)
    };
    let pieces = Spelling::new(described, by_pieces);
    [digits, Spelling::new(described, side_by_letter), pieces]
}

impl Spelling {
    fn new(described: &[Described], side_by: impl Fn([char; 4]) -> Option<Side>) -> Spelling {
        let Spelling { mut agreeing, mut contradicting, mut first_pair } = Spelling::default();
        for &(ply, side, signs) in described {
            match side_by(signs) {
                Some(spelled) if spelled == side => agreeing[side.index()] += 1,
                Some(_) => {
                    // Where one side is written like the other all the time, a slip of the other makes no pair.
                    let is_rare = 4 * contradicting.len().saturating_sub(1) <= agreeing.iter().sum();
                    let last = contradicting.last().copied();
                    first_pair = first_pair.or(last.filter(|last| last + 1 == ply && is_rare));
                    contradicting.push(ply);
                }
                None => {}
            }
        }
        Spelling { agreeing, contradicting, first_pair }
    }

    fn has_both_sides(&self) -> bool {
        self.agreeing.iter().all(|&count| count > 0)
    }

    /// Returns whether the spelling differs between the sides but for a few half-moves.
    fn is_clear(&self) -> bool {
        self.has_both_sides() && 3 * self.contradicting.len() <= self.agreeing.iter().sum()
    }

    /// Returns the first half-move of a list of this length that contradicts the order.
    fn contradiction(&self, plies: usize) -> Option<usize> {
        // A single one may be a slip, unless it comes last.
        let is_last = self.contradicting == [plies.wrapping_sub(1)] && self.has_both_sides();
        self.first_pair.or(is_last.then(|| plies - 1))
    }
}

/// Returns the side by the digits of a Chinese move: 一 to 九 are Red's, Arabic ones Black's.
fn side_by_digits(signs: [char; 4]) -> Option<Side> {
    let side = |c: char| if NUMERALS.contains(&c) { Some(Side::Red) } else { is_digit(c).then_some(Side::Black) };
    let number = side(signs[3]).filter(|_| !signs[2].is_ascii())?;
    // The index of a tandem piece comes first and is Chinese for both sides.
    side(signs[1]).is_none_or(|file| file == number).then_some(number)
}

fn side_by_letter([first, ..]: [char; 4]) -> Option<Side> {
    first.is_ascii_alphabetic().then(|| if first.is_ascii_uppercase() { Side::Red } else { Side::Black })
}

fn described_signs(text: &str) -> Option<[char; 4]> {
    let signs: Vec<char> = text.chars().take(5).collect();
    signs.try_into().ok().filter(|_| is_described(text))
}
