//! Normal form of move texts: one alphabet and one order of signs for all notations and scripts.

/// Maximum length of a move in signs, that of ICCS.
const MAX_SIGNS: usize = 5;

/// Characters of annotation marks.
pub(super) const MARKS: [char; 4] = ['!', '?', '！', '？'];
/// Signs of check and mate after a move.
const CHECKS: [char; 4] = ['+', '#', '＋', '＃'];

/// Returns a word without the marks and the signs of check and mate after its move, which ends with a number.
pub(super) fn without_marks(word: &str) -> &str {
    let is_number = |c: char| matches!(sign(c), '0'..='9' | '０'..='９');
    let plain = word.trim_end_matches(is_mark);
    if plain.is_empty() || plain.ends_with(is_number) { plain } else { word.trim_end_matches(MARKS) }
}

/// Returns the text after the marks at its beginning.
pub(super) fn after_marks(text: &str) -> &str {
    text.trim_start_matches(is_mark)
}

fn is_mark(c: char) -> bool {
    MARKS.contains(&c) || CHECKS.contains(&c)
}

/// Returns `true` for an ASCII or full-width digit.
pub(super) fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || ('０'..='９').contains(&c)
}

/// Returns `true` if the text contains Chinese signs of moves.
pub(super) fn has_han(text: &str) -> bool {
    simplified(text).chars().any(|c| sign(c) != c && !c.is_ascii())
}

/// Returns the first signs of the text without spaces, in half width and with plain dashes.
pub(super) fn simplified(text: &str) -> String {
    let narrow = |c: char| match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(c as u32 - 0xFEE0).unwrap_or(c),
        '‐'..='―' | '−' => '-',
        _ => c,
    };
    text.chars().filter(|c| !c.is_whitespace()).map(narrow).take(MAX_SIGNS + 1).collect()
}

/// Maps a character of either script to its sign; others are only lower-cased.
pub(super) fn sign(c: char) -> char {
    match c {
        '帅' | '帥' | '将' | '將' => 'k',
        '仕' | '士' => 'a',
        '相' | '象' => 'b',
        '马' | '馬' | '傌' => 'n',
        '车' | '車' | '俥' => 'r',
        '炮' | '砲' | '包' => 'c',
        '兵' | '卒' => 'p',
        '进' | '進' | '上' | '前' => '+',
        '退' | '下' | '后' | '後' => '-',
        '平' | '中' | '=' => '.',
        '一' => '1',
        '二' => '2',
        '三' => '3',
        '四' => '4',
        '五' => '5',
        '六' => '6',
        '七' => '7',
        '八' => '8',
        '九' => '9',
        _ => c.to_ascii_lowercase(),
    }
}

/// Returns `true` if a text has the form of a move described by piece, file, direction and number, in any position.
pub(super) fn is_described(text: &str) -> bool {
    let signs: Vec<char> = normalize(&simplified(text)).chars().collect();
    let [beginning @ .., direction, number] = &signs[..] else { return false };
    let is_designator = |sign: &char| matches!(sign, 'a'..='e' | 'k' | 'n' | 'p' | 'r' | '1'..='9' | '+' | '-' | '.');
    // Only Chinese has both an index and a file.
    (beginning.len() == 2 || beginning.len() == 3 && has_han(text))
        && beginning.iter().all(is_designator)
        && matches!(direction, '+' | '-' | '.')
        && matches!(number, '1'..='9')
}

/// Normalises a text for comparison: one alphabet, the piece before its index, one letter for each kind. In early
/// drafts of WXF, advisors are guards and elephants ministers.
pub(super) fn normalize(text: &str) -> String {
    let mut signs: Vec<char> = text.chars().map(sign).collect();
    if matches!(signs[..], ['+' | '-' | '.', piece, ..] if piece.is_ascii_lowercase()) {
        signs.swap(0, 1);
    }
    // An e or h anywhere else is an index.
    if let Some(piece) = signs.first_mut() {
        *piece = match *piece {
            'h' => 'n',
            'e' | 'm' => 'b',
            'g' => 'a',
            other => other,
        };
    }
    signs.into_iter().collect()
}
