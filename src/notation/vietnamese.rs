//! Vietnamese notation of moves, in symbols and in words.
//!
//! ```text
//! P2-5 M8.7 X9-8 S4/5        - sideways, . forward, / back
//! Pháo 2 bình 5, Mã 8 tiến 7  in words, with or without diacritics, composed or not
//! Xt.1 Bg-6, Xe sau bình 2    the front (t), middle (g) or rear (s) one of tandem pieces
//! ```
//!
//! | piece | symbols | words | | sign | words |
//! |---|---|---|---|---|---|
//! | King | `Tg` | tướng, soái | forward | `.` | tiến, tấn |
//! | Advisor | `S` | sĩ, sỹ | back | `/` | thoái, lui |
//! | Elephant | `T` `V` | tượng, voi | sideways | `-` | bình |
//! | Horse | `M` | mã | front | `t` | trước, tiền |
//! | Rook | `X` | xe, xa | middle | `g` | giữa, trung |
//! | Cannon | `P` | pháo | rear | `s` | sau, hậu |
//! | Pawn | `B` `C` | binh, tốt, chốt | 1 … 9 | digits | một, nhất … chín, cửu |
//!
//! Without diacritics, a few words have two meanings; the legal move decides. Written are the symbols. If tandem pieces
//! stand on several files, the file follows the index (`Bt7-8`), and of four or five pawns on one file those between
//! the first and the last are `Bt2`, `Bt3` and `Bt4`: no convention is known for these.

use super::described::{Direction, MoveParts, after_marks, file_index_sign, sign, without_marks};
use super::game::GameResult;

/// Symbols of the pieces, in the order of the kinds.
const SYMBOLS: [&str; 7] = ["Tg", "S", "T", "M", "X", "P", "B"];
/// Symbols that are read, with the signs of the normal form.
const LETTERS: [(&str, char); 9] =
    [("tg", 'k'), ("s", 'a'), ("t", 'b'), ("v", 'b'), ("m", 'n'), ("x", 'r'), ("p", 'c'), ("b", 'p'), ("c", 'p')];
/// Symbols of the front, middle and rear piece.
const INDICES: [(char, char); 3] = [('t', '+'), ('g', '.'), ('s', '-')];

/// Vowels without a tone and with each of [`TONES`], in their order.
const VOWELS: [(char, &str); 12] = [
    ('a', "aàảãáạ"),
    ('a', "ăằẳẵắặ"),
    ('a', "âầẩẫấậ"),
    ('e', "eèẻẽéẹ"),
    ('e', "êềểễếệ"),
    ('i', "iìỉĩíị"),
    ('o', "oòỏõóọ"),
    ('o', "ôồổỗốộ"),
    ('o', "ơờởỡớợ"),
    ('u', "uùủũúụ"),
    ('u', "ưừửữứự"),
    ('y', "yỳỷỹýỵ"),
];
/// No tone, and the combining characters of the others.
const TONES: [char; 6] = [LEVEL, GRAVE, HOOK, '\u{303}', ACUTE, DOT];
const LEVEL: char = '\0';
const GRAVE: char = '\u{300}';
const HOOK: char = '\u{309}';
const ACUTE: char = '\u{301}';
const DOT: char = '\u{323}';
/// Combining characters of vowels, which no two words here differ in.
const OTHER_MARKS: [char; 3] = ['\u{302}', '\u{306}', '\u{31b}'];

/// The last letter of the block that ends with those of Vietnamese.
const LAST_LATIN: char = '\u{1eff}';

/// Part of a move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Piece,
    Index,
    Direction,
    Number,
}

/// Words without diacritics, each with its tone.
type Spellings = &'static [(&'static str, char)];

/// Parts of moves with their signs in the normal form, and their words without diacritics, each with its tone, which
/// distinguishes words of different parts.
const WORDS: [(Part, char, Spellings); 22] = [
    (Part::Piece, 'k', &[("tuong", ACUTE), ("soai", ACUTE)]),
    (Part::Piece, 'a', &[("si", LEVEL), ("sy", LEVEL)]),
    (Part::Piece, 'b', &[("tuong", DOT), ("voi", LEVEL)]),
    (Part::Piece, 'n', &[("ma", LEVEL)]),
    (Part::Piece, 'r', &[("xe", LEVEL), ("xa", LEVEL)]),
    (Part::Piece, 'c', &[("phao", ACUTE)]),
    (Part::Piece, 'p', &[("binh", LEVEL), ("tot", ACUTE), ("chot", ACUTE)]),
    (Part::Index, '+', &[("truoc", ACUTE), ("tien", GRAVE)]),
    (Part::Index, '.', &[("giua", LEVEL), ("trung", LEVEL)]),
    (Part::Index, '-', &[("sau", LEVEL), ("hau", DOT)]),
    (Part::Direction, '+', &[("tien", ACUTE), ("tan", ACUTE)]),
    (Part::Direction, '-', &[("thoai", ACUTE), ("lui", LEVEL)]),
    (Part::Direction, '.', &[("binh", GRAVE)]),
    (Part::Number, '1', &[("mot", DOT), ("nhat", ACUTE)]),
    (Part::Number, '2', &[("hai", LEVEL), ("nhi", DOT)]),
    (Part::Number, '3', &[("ba", LEVEL), ("tam", LEVEL)]),
    (Part::Number, '4', &[("bon", ACUTE), ("tu", ACUTE)]),
    (Part::Number, '5', &[("nam", LEVEL), ("ngu", LEVEL)]),
    (Part::Number, '6', &[("sau", ACUTE), ("luc", DOT)]),
    (Part::Number, '7', &[("bay", LEVEL), ("that", ACUTE)]),
    (Part::Number, '8', &[("tam", ACUTE), ("bat", ACUTE)]),
    (Part::Number, '9', &[("chin", ACUTE), ("cuu", HOOK)]),
];

/// Formats a move in symbols; `None` if they cannot distinguish that many tandem pieces.
pub(super) fn write_vietnamese(parts: &MoveParts) -> Option<String> {
    let mut text = SYMBOLS[parts.kind.index()].to_owned();
    let file = char::from(b'0' + parts.file);
    match parts.disambiguation {
        None => text.push(file),
        Some(disambiguation) => {
            let index = sign(file_index_sign(disambiguation)?);
            match INDICES.iter().find(|(_, sign)| *sign == index) {
                Some((letter, _)) => text.push(*letter),
                // Another digit would be a file.
                None if disambiguation.files == 1 => text.extend(['t', index]),
                None => return None,
            }
            text.extend((disambiguation.files > 1).then_some(file));
        }
    }
    text.push(match parts.displacement.direction {
        Direction::Forward => '.',
        Direction::Backward => '/',
        Direction::Sideways => '-',
    });
    text.push(char::from(b'0' + parts.displacement.number));
    Some(text)
}

/// Returns the normal forms that a text in Vietnamese notation may have, as those of [`super::normal_form::normalize`];
/// none for other texts.
pub(super) fn normal_forms(text: &str) -> Vec<String> {
    let text = without_marks(text.trim());
    move_at_the_beginning(text).filter(|found| found.length == text.len()).map_or_else(Vec::new, |found| found.forms)
}

/// Returns whether a text has the form of a move in Vietnamese notation.
pub(super) fn is_vietnamese(text: &str) -> bool {
    !normal_forms(text).is_empty()
}

/// Returns the length of a move in words at the beginning of a text, which contains blanks, with a number before it and
/// marks after it.
pub(super) fn spoken_move(text: &str) -> Option<usize> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('.');
    // Most words are whole moves or of another script, which is seen without a closer look.
    let end = rest.char_indices().take(MAX_WORD).find(|(_, c)| c.is_whitespace())?.0;
    let first = &rest[..end];
    let is_whole = first.is_ascii() && first.contains(['+', '-', '=', '.', '/']);
    if is_whole || !first.starts_with(is_latin) {
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

/// Returns whether a character may be a letter of Vietnamese.
fn is_latin(c: char) -> bool {
    c.is_alphabetic() && c <= LAST_LATIN
}

/// Move at the beginning of a text.
struct Found {
    forms: Vec<String>,
    length: usize,
    has_blanks: bool,
    /// The piece or the direction is a word, not a symbol.
    has_words: bool,
}

/// Parts of a move before its number.
#[derive(Clone, Default)]
struct Beginning {
    piece: Option<char>,
    index: Option<char>,
    file: Option<char>,
    direction: Option<char>,
}

impl Beginning {
    /// Returns the parts with one more; `None` if it cannot stand here.
    fn with(&self, part: Part, sign: char) -> Option<Beginning> {
        let mut next = self.clone();
        let is_located = self.index.is_some() || self.file.is_some();
        let place = match part {
            Part::Piece => &mut next.piece,
            Part::Index if self.file.is_none() => &mut next.index,
            Part::Number if self.piece.is_some() => &mut next.file,
            Part::Direction if self.piece.is_some() && is_located => &mut next.direction,
            _ => return None,
        };
        (self.direction.is_none() && place.replace(sign).is_none()).then_some(next)
    }

    fn normal_form(&self, number: char) -> Option<String> {
        let signs = [self.piece, self.index, self.file, self.direction, Some(number)];
        (self.piece.is_some() && self.direction.is_some()).then(|| signs.into_iter().flatten().collect())
    }
}

/// Number of bytes that decide whether a text has marks on its letters.
const MAX_PLAIN_BYTES: usize = 4096;

fn move_at_the_beginning(text: &str) -> Option<Found> {
    let mut beginnings = vec![Beginning::default()];
    let (mut rest, mut has_blanks, mut has_words) = (text, false, false);
    // Longer texts are no moves: a piece, an index, a file, a direction and a number.
    for _ in 0..5 {
        let (word, length) = first_word(rest);
        let meanings = if length == 0 {
            let symbol = rest.chars().next()?;
            rest = &rest[symbol.len_utf8()..];
            let (part, sign) = match symbol {
                '1'..='9' => (Part::Number, symbol),
                '.' => (Part::Direction, '+'),
                '/' => (Part::Direction, '-'),
                '-' | '‐'..='―' | '−' => (Part::Direction, '.'),
                _ => return None,
            };
            vec![vec![(part, sign)]]
        } else {
            // The text may be a long line, and it is tried at every word.
            let is_plain = text.as_bytes()[..text.len().min(MAX_PLAIN_BYTES)].is_ascii();
            has_words |= word.letters.len() > 2;
            let meanings = word.meanings(is_plain, rest);
            rest = &rest[length..];
            meanings
        };
        let forms: Vec<String> = meanings
            .iter()
            .filter_map(|meaning| match meaning[..] {
                [(Part::Number, number)] => Some(number),
                _ => None,
            })
            .flat_map(|number| beginnings.iter().filter_map(move |parts| parts.normal_form(number)))
            .collect();
        if !forms.is_empty() {
            let is_whole = !rest.starts_with(char::is_alphanumeric);
            return is_whole.then(|| Found { forms, length: text.len() - rest.len(), has_blanks, has_words });
        }
        let add = |beginning: &Beginning, meaning: &[(Part, char)]| {
            meaning.iter().try_fold(beginning.clone(), |parts, &(part, sign)| parts.with(part, sign))
        };
        beginnings = beginnings
            .iter()
            .flat_map(|beginning| meanings.iter().filter_map(move |meaning| add(beginning, meaning)))
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

/// Word in lower case without diacritics, and its tone.
struct Word {
    letters: String,
    tone: char,
}

/// Maximum number of characters before the first blank of a move in words: a word, with two marks a letter at most, a
/// number and a direction.
const MAX_WORD: usize = 20;
/// Maximum number of letters of a word.
const MAX_LETTERS: usize = 5;

/// Returns the letters at the beginning of a text and their length in bytes; no more than one beyond the longest word.
fn first_word(text: &str) -> (Word, usize) {
    let mut word = Word { letters: String::new(), tone: LEVEL };
    for (at, c) in text.char_indices() {
        let lower = c.to_lowercase().next().unwrap_or(c);
        let toned = |(_, toned): &&(char, &str)| toned.contains(lower);
        match lower {
            'a'..='z' => word.letters.push(lower),
            'đ' => word.letters.push('d'),
            mark if at > 0 && OTHER_MARKS.contains(&mark) => {}
            mark if at > 0 && TONES[1..].contains(&mark) => word.tone = mark,
            _ => {
                let Some((base, toned)) = VOWELS.iter().find(toned) else { return (word, at) };
                let tones = toned.chars().zip(TONES);
                word.letters.push(*base);
                word.tone = tones
                    .filter(|&(c, tone)| c == lower && tone != LEVEL)
                    .map(|(_, tone)| tone)
                    .next()
                    .unwrap_or(word.tone);
            }
        }
        if word.letters.len() > MAX_LETTERS {
            return (word, at);
        }
    }
    (word, text.len())
}

impl Word {
    /// Returns the meanings of the word, each of one part or of a piece and its index. `is_plain` is set for a text
    /// without diacritics, `text` begins with the word.
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
            let found = match (symbol(first), index(last), index(first), symbol(last)) {
                (Some(piece), Some(index), ..) | (_, _, Some(index), Some(piece)) => Some((piece, index)),
                _ => None,
            };
            if let Some((piece, index)) = found {
                return vec![vec![(Part::Piece, piece), (Part::Index, index)]];
            }
        }
        let same: Vec<(Part, char, char)> = WORDS
            .iter()
            .flat_map(|(part, sign, words)| words.iter().map(move |(word, tone)| (*word, (*part, *sign, *tone))))
            .filter_map(|(word, meaning)| (word == letters).then_some(meaning))
            .collect();
        let has_tone = |(.., tone): &&(_, _, char)| *tone == self.tone;
        let is_certain = same.len() > 1 && !(is_plain && self.tone == LEVEL) && same.iter().any(|word| has_tone(&word));
        let is_meant = |word: &&(Part, char, char)| {
            same.len() == 1 || if is_certain { has_tone(word) } else { self.tone == LEVEL }
        };
        same.iter().filter(is_meant).map(|&(part, sign, _)| vec![(part, sign)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_and_words_have_one_normal_form() {
        for (form, texts) in [
            ("c2.5", "P2-5|p2–5|PHÁO 2 BÌNH 5|pha\u{301}o 2 bi\u{300}nh 5|Pháo2-5|Pháo nhị bình ngũ!"),
            ("n8+7", "M8.7|Mã 8 tấn 7|Ma\u{303} tám tie\u{302}\u{301}n bảy|mã bát tiến thất"),
            ("r9.8", "X9-8|x9-8|xa chín bình tám|xe cửu bình 8"),
            ("a4-5", "S4/5|Sĩ 4 thoái 5|sỹ tứ lui ngũ"),
            ("p7.6", "B7-6|C7-6|Chốt 7 bình 6|binh 7 binh 6"),
            ("r+.2", "Xt-2|tX-2|Xe trước bình 2|Tiền xe bình 2"),
            ("p+7.8", "Bt7-8|Binh trước 7 bình 8|tốt trước bảy bình tám"),
            ("r6.2", "X6-2|Xe sáu bình 2"),
        ] {
            for text in texts.split('|') {
                assert_eq!(normal_forms(text), [form], "{text}");
            }
        }
        let forms = |text| {
            let mut forms = normal_forms(text);
            forms.sort();
            forms
        };
        assert_eq!(forms("tuong 5 tien 1"), ["b5+1", "k5+1"]);
        assert_eq!(forms("xe sau binh 5"), ["r-.5", "r6.5"]);
        let no_moves = "|P|P2|P2-|P2-0|P2-10|2-5|P25|Pháo 2 5|Dear|v1.2|h2e2|C2=5|H8+7|Pháo bình 5|bình 5|P2-5 M8.7|A4.5\
                        |tướng tượng 5 tiến 1|Pháo 2 bình 5x|R1.2|3/4";
        for text in no_moves.split('|') {
            assert!(normal_forms(text).is_empty(), "{text}: {:?}", normal_forms(text));
        }
    }

    #[test]
    fn moves_in_words_end_after_their_number() {
        for (text, expected) in [
            ("Pháo 2 bình 5 Mã 8 tiến 7", Some("Pháo 2 bình 5")),
            ("1.Pháo 2 bình 5!, Mã", Some("1.Pháo 2 bình 5!")),
            ("P2 bình 5+ M8.7", Some("P2 bình 5+")),
            ("P2-5 M8.7", None),
            ("1. Pháo 2 bình 5", None),
            ("Pháo 2\nbình 5", None),
            ("Pháo đầu 2 bình 5", None),
        ] {
            assert_eq!(spoken_move(text).map(|length| &text[..length]), expected, "{text}");
        }
    }
}
