//! Vietnamese notation of moves, in symbols and in words.
//!
//! ```text
//! P2-5 M8.7 X9-8 S4/5        - sideways, . forward, / back
//! Pháo 2 bình 5, Mã 8 tiến 7  in words, with or without diacritics, composed or not
//! Xt.1 Bg-6, Xe sau bình 2    the front (t), middle (g) or rear (s) one of tandem pieces
//! ```
//!
//! Without diacritics, a few words have two meanings; the legal move decides. Written are the symbols. If tandem pieces
//! stand on several files, the file follows the index (`Bt7-8`), and of four or five pawns on one file those between
//! the first and the last are `Bt2`, `Bt3` and `Bt4`: no convention is known for these.

use std::sync::LazyLock;

use super::described::{after_marks, without_marks};
use super::game::GameResult;

/// Symbols that are read, with the signs of the normal form.
const LETTERS: [(&str, char); 9] =
    [("tg", 'k'), ("s", 'a'), ("t", 'b'), ("v", 'b'), ("m", 'n'), ("x", 'r'), ("p", 'c'), ("b", 'p'), ("c", 'p')];
const INDICES: [(char, char); 3] = [('t', '+'), ('g', '.'), ('s', '-')];

/// Vowels without a tone and with each of the five tones, in the order of [`TONES`].
const VOWELS: [(char, &str); 6] = [
    ('a', "aàảãáạăằẳẵắặâầẩẫấậ"),
    ('e', "eèẻẽéẹêềểễếệ"),
    ('i', "iìỉĩíị"),
    ('o', "oòỏõóọôồổỗốộơờởỡớợ"),
    ('u', "uùủũúụưừửữứự"),
    ('y', "yỳỷỹýỵ"),
];
/// Combining characters of the tones, which are numbered from 1.
const TONES: [char; 5] = ['\u{300}', '\u{309}', '\u{303}', '\u{301}', '\u{323}'];
/// Combining characters of vowels, which no two words here differ in.
const OTHER_MARKS: [char; 3] = ['\u{302}', '\u{306}', '\u{31b}'];
/// The last letter of the block that ends with those of Vietnamese.
const LAST_LATIN: char = '\u{1eff}';
const MAX_LETTERS: usize = 5;
/// Maximum characters before the first blank of a move in words: a word, with two marks a letter, and two more signs.
const MAX_WORD: usize = 20;
/// Number of bytes that decide whether a text has marks on its letters.
const MAX_PLAIN_BYTES: usize = 4096;

/// Part of a move. The number of a file is also one of four parts before the last number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Piece,
    Index,
    Number,
    Direction,
}

const WORDS: [(Part, char, &str); 22] = [
    (Part::Piece, 'k', "tướng soái"),
    (Part::Piece, 'a', "sĩ sỹ"),
    (Part::Piece, 'b', "tượng voi"),
    (Part::Piece, 'n', "mã"),
    (Part::Piece, 'r', "xe xa"),
    (Part::Piece, 'c', "pháo"),
    (Part::Piece, 'p', "binh tốt chốt"),
    (Part::Index, '+', "trước tiền"),
    (Part::Index, '.', "giữa trung"),
    (Part::Index, '-', "sau hậu"),
    (Part::Direction, '+', "tiến tấn"),
    (Part::Direction, '-', "thoái lui"),
    (Part::Direction, '.', "bình"),
    (Part::Number, '1', "một nhất"),
    (Part::Number, '2', "hai nhị"),
    (Part::Number, '3', "ba tam"),
    (Part::Number, '4', "bốn tứ"),
    (Part::Number, '5', "năm ngũ"),
    (Part::Number, '6', "sáu lục"),
    (Part::Number, '7', "bảy thất"),
    (Part::Number, '8', "tám bát"),
    (Part::Number, '9', "chín cửu"),
];

/// The same, one entry a word. The tone distinguishes words of different parts with the same letters.
static MEANINGS: LazyLock<Vec<(Word, Part, char)>> = LazyLock::new(|| {
    let meanings = |&(part, sign, words): &(Part, char, &'static str)| {
        words.split(' ').map(move |word| (first_word(word).0, part, sign))
    };
    WORDS.iter().flat_map(meanings).collect()
});

/// Returns the normal forms, as of [`super::described::normalize`], that a text in Vietnamese notation may have.
pub(super) fn normal_forms(text: &str) -> Vec<String> {
    let text = without_marks(text.trim());
    move_at_the_beginning(text).filter(|found| found.length == text.len()).map_or_else(Vec::new, |found| found.forms)
}

pub(super) fn is_vietnamese(text: &str) -> bool {
    !normal_forms(text).is_empty()
}

/// Returns the length of a move in words, with its number and marks, at the beginning of a text.
pub(super) fn spoken_move(text: &str) -> Option<usize> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('.');
    // Most words are whole moves or of another script, which is seen without a closer look.
    let end = rest.char_indices().take(MAX_WORD).find(|(_, c)| c.is_whitespace())?.0;
    let first = &rest[..end];
    let is_whole = first.is_ascii() && first.contains(['+', '-', '=', '.', '/']);
    if is_whole || !first.starts_with(|c: char| c.is_alphabetic() && c <= LAST_LATIN) {
        return None;
    }
    let found = move_at_the_beginning(rest).filter(|found| found.has_blanks && found.has_words)?;
    Some(text.len() - after_marks(&rest[found.length..]).len())
}

/// Returns the length of a result in words at the beginning of a text, such as đỏ thắng, which contains a blank.
pub(super) fn spoken_result(text: &str) -> Option<usize> {
    let rest = text.strip_prefix(['Đ', 'đ'])?;
    let ends = rest.char_indices().filter(|(_, c)| !c.is_alphabetic()).map(|(at, _)| at).chain([rest.len()]);
    let end = text.len() - rest.len() + ends.take(2).nth(1)?;
    GameResult::from_text(&text[..end]).map(|_| end)
}

struct Found {
    forms: Vec<String>,
    length: usize,
    has_blanks: bool,
    has_words: bool,
}

fn move_at_the_beginning(text: &str) -> Option<Found> {
    let is_plain = text.as_bytes()[..text.len().min(MAX_PLAIN_BYTES)].is_ascii();
    // Signs of the parts before the last number in every way to read them, by the order of the parts.
    let mut beginnings: Vec<[Option<char>; 4]> = vec![[None; 4]];
    let (mut rest, mut has_blanks, mut has_words) = (text, false, false);
    // Longer texts are no moves: a piece, an index, a file, a direction and a number.
    for _ in 0..5 {
        let (word, length) = first_word(rest);
        let meanings = if length > 0 {
            has_words |= word.letters.len() > 2;
            word.meanings(is_plain, rest)
        } else {
            vec![vec![match rest.chars().next()? {
                number @ '1'..='9' => (Part::Number, number),
                '.' => (Part::Direction, '+'),
                '/' => (Part::Direction, '-'),
                '-' | '‐'..='―' | '−' => (Part::Direction, '.'),
                _ => return None,
            }]]
        };
        rest = &rest[if length > 0 { length } else { rest.chars().next()?.len_utf8() }..];
        let numbers = meanings.iter().filter_map(|meaning| match meaning[..] {
            [(Part::Number, number)] => Some(number),
            _ => None,
        });
        let is_complete = |parts: &&[Option<char>; 4]| parts[Part::Direction as usize].is_some();
        let with_number = |number| {
            let form = move |parts: &[Option<char>; 4]| parts.iter().flatten().copied().chain([number]).collect();
            beginnings.iter().filter(is_complete).map(form)
        };
        let forms: Vec<String> = numbers.flat_map(with_number).collect();
        if !forms.is_empty() {
            let is_whole = !rest.starts_with(char::is_alphanumeric);
            return is_whole.then(|| Found { forms, length: text.len() - rest.len(), has_blanks, has_words });
        }
        let add = |parts: &[Option<char>; 4], meaning: &[(Part, char)]| meaning.iter().try_fold(*parts, with_part);
        beginnings = beginnings
            .iter()
            .flat_map(|parts| meanings.iter().filter_map(move |meaning| add(parts, meaning)))
            .collect();
        if beginnings.is_empty() {
            return None;
        }
        let after = rest.trim_start_matches(|c: char| c.is_whitespace() && c != '\n');
        has_blanks |= after.len() < rest.len();
        rest = after;
    }
    None
}

fn with_part(mut parts: [Option<char>; 4], &(part, sign): &(Part, char)) -> Option<[Option<char>; 4]> {
    let [piece, index, file, direction] = parts.map(|sign| sign.is_some());
    let is_possible = match part {
        Part::Piece => true,
        Part::Index => !file,
        Part::Number => piece,
        Part::Direction => piece && (index || file),
    };
    (is_possible && !direction && parts[part as usize].replace(sign).is_none()).then_some(parts)
}

/// Word in lower case without diacritics, and its tone, 0 for none.
struct Word {
    letters: String,
    tone: usize,
}

/// Returns the letters at the beginning of a text and their length in bytes; no more than one beyond the longest word.
fn first_word(text: &str) -> (Word, usize) {
    let mut word = Word { letters: String::new(), tone: 0 };
    for (at, c) in text.char_indices() {
        let lower = c.to_lowercase().next().unwrap_or(c);
        let tone = TONES.iter().position(|&tone| tone == lower);
        let vowel = || VOWELS.iter().find_map(|(base, all)| Some((*base, all.chars().position(|c| c == lower)? % 6)));
        match (lower, tone) {
            ('a'..='z', _) => word.letters.push(lower),
            ('đ', _) => word.letters.push('d'),
            (_, Some(tone)) if at > 0 => word.tone = tone + 1,
            _ if at > 0 && OTHER_MARKS.contains(&lower) => {}
            _ => {
                let Some((base, tone)) = vowel() else { return (word, at) };
                word.letters.push(base);
                word.tone = if tone > 0 { tone } else { word.tone };
            }
        }
        if word.letters.len() > MAX_LETTERS {
            return (word, at);
        }
    }
    (word, text.len())
}

impl Word {
    /// Returns the meanings of the word at the beginning of `text`, each of one part or of a piece and its index.
    fn meanings(&self, is_plain: bool, text: &str) -> Vec<Vec<(Part, char)>> {
        let letters = self.letters.as_str();
        let symbol = |letters: &str| LETTERS.iter().find(|(symbol, _)| *symbol == letters).map(|(_, sign)| *sign);
        // A small v begins the number of a version.
        if let Some(piece) = symbol(letters).filter(|_| !text.starts_with('v')) {
            return vec![vec![(Part::Piece, piece)]];
        }
        if let Some((first, last)) = letters.split_at_checked(1).filter(|_| letters.len() <= 2) {
            let index =
                |text: &str| INDICES.iter().find(|(letter, _)| text.starts_with(*letter)).map(|(_, sign)| *sign);
            let both = |piece: &str, mark: &str| Some((symbol(piece)?, index(mark)?));
            if let Some((piece, index)) = both(first, last).or_else(|| both(last, first)) {
                return vec![vec![(Part::Piece, piece), (Part::Index, index)]];
            }
        }
        let same: Vec<_> = MEANINGS.iter().filter(|(word, ..)| word.letters == letters).collect();
        let has_tone = |word: &Word| word.tone == self.tone;
        let is_certain = !(is_plain && self.tone == 0) && same.iter().any(|(word, ..)| has_tone(word));
        let is_meant = |word: &Word| same.len() == 1 || if is_certain { has_tone(word) } else { self.tone == 0 };
        same.iter().filter(|(word, ..)| is_meant(word)).map(|&&(_, part, sign)| vec![(part, sign)]).collect()
    }
}
