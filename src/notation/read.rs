//! What a written move means: the legal move that is written so.
//!
//! Nothing is parsed. The text is put into a normal form, so are the words for every legal move, and the two are
//! compared, dialect after dialect. A text can so never be taken for a move that is not there.

use super::error::{Candidate, NotationError, NotationFault};
use super::move_parts::{Course, MoveParts, Way};
use super::{Dialect, chinese, coordinate, write, wxf};
use crate::position::Position;
use crate::types::{Move, MoveList, Piece, Side};

/// No move has more signs; ICCS has as many.
const MOST_SIGNS: usize = 5;

/// The ways a text may be meant; where they contradict each other, the first wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Interpretation {
    /// Just as this dialect has it.
    Of(Dialect),
    /// As it would be if the other men of the crowd were not there: with the file alone, or with the place on the file
    /// alone where several files are crowded. Who writes so trusts that no other man can make the move.
    Careless,
}

const CHINESE_MANNERS: [Interpretation; 3] =
    [Interpretation::Of(Dialect::Chinese), Interpretation::Of(Dialect::ChineseCxa), Interpretation::Careless];
const LATIN_MANNERS: [Interpretation; 4] = [
    Interpretation::Of(Dialect::Wxf),
    Interpretation::Of(Dialect::WxfOfficial),
    Interpretation::Of(Dialect::WxfFairy),
    Interpretation::Careless,
];

/// The legal move of `position` that is written so in some dialect.
///
/// Simplified, traditional and variant characters, half-width, full-width and Chinese digits for either side, 上 and 下
/// for 进 and 退, `=` for `.`, `H` and `E` for `N` and `B`, lower case, a place before the letter or behind it (`+C-2`,
/// `C+-2`), spaces, and a dash between coordinates or none are all understood. The file of one of several men on it
/// (`R7-2`) will do where only one of them can make the move.
///
/// # Errors
/// [`NotationError`] where there is no such legal move, or more than one; it names the candidates.
///
/// ```
/// use chuhe::notation::read;
/// use chuhe::position::Position;
///
/// let position = Position::start();
/// for text in ["h2e2", "H2-E2", "炮二平五", "砲2平5", "C2.5", "c2=5"] {
///     assert_eq!(read(&position, text).unwrap().to_string(), "h2e2");
/// }
/// let error = read(&position, "车一平五").unwrap_err();
/// assert_eq!(error.to_string(), "'车一平五' is no legal move of Red; near it are 车一进一 (i0i1) and 车一进二 (i0i2)");
/// ```
pub fn read(position: &Position, text: &str) -> Result<Move, NotationError> {
    let manners: &[Interpretation] = if has_han(text) { &CHINESE_MANNERS } else { &LATIN_MANNERS };
    read_by(position, text, manners)
}

/// The legal move of `position` that is written so in one dialect, or by its coordinates; [`read`] tells how tolerant
/// the reading is. What only another dialect has for a move is not understood.
///
/// # Errors
/// [`NotationError`] where there is no such legal move; it names the candidates.
///
/// ```
/// use chuhe::notation::{Dialect, read_in};
/// use chuhe::position::Position;
///
/// let position = Position::from_fen("3k5/9/6P2/2P3P2/2P3P2/9/9/9/9/4K4 w").unwrap();
/// let mv = |dialect| read_in(&position, "33.2", dialect).unwrap().to_string();
/// assert_eq!(mv(Dialect::WxfOfficial), "g6h6");
/// assert_eq!(mv(Dialect::WxfFairy), "g5h5");
/// ```
pub fn read_in(position: &Position, text: &str, dialect: Dialect) -> Result<Move, NotationError> {
    match dialect {
        Dialect::Coordinate | Dialect::Iccs => read_by(position, text, &[]),
        // Chinese and Latin words have one normal form, but a text is in one script only.
        Dialect::Chinese | Dialect::ChineseCxa if !has_han(text) => read_by(position, text, &[]),
        _ if has_han(text) && !matches!(dialect, Dialect::Chinese | Dialect::ChineseCxa) => {
            read_by(position, text, &[])
        }
        _ => read_by(position, text, &[Interpretation::Of(dialect)]),
    }
}

fn read_by(position: &Position, text: &str, manners: &[Interpretation]) -> Result<Move, NotationError> {
    let plain = plain(text);
    let legal = position.legal_moves();
    if let Some(mv) = coordinate::read(&plain) {
        if legal.contains(&mv) {
            return Ok(mv);
        }
        return Err(unplayable(position, text, &legal, |other| other == mv, |other| nearness_of_points(mv, other)));
    }
    let wanted = normal(&plain);
    for &manner in manners {
        let mut meant: Vec<Move> =
            legal.iter().copied().filter(|&mv| is_meant(position, mv, &wanted, manner)).collect();
        match meant[..] {
            [] => {}
            [mv] => return Ok(mv),
            _ => {
                meant.sort_by_key(|mv| (mv.from(), mv.to()));
                let candidates = candidates(position, text, meant);
                return Err(NotationError::new(text, position.side(), NotationFault::Ambiguous, candidates));
            }
        }
    }
    let is_it = |mv| manners.iter().any(|&manner| is_meant(position, mv, &wanted, manner));
    Err(unplayable(position, text, &legal, is_it, |mv| nearness_of_words(position, mv, &wanted, manners)))
}

/// Whether the text, in its normal form, stands for the move in this manner.
fn is_meant(position: &Position, mv: Move, wanted: &str, manner: Interpretation) -> bool {
    // Every description ends with way and number, so that most moves are out before they are put into words.
    Course::of(position.side(), mv).is_some_and(|course| wanted.as_bytes().ends_with(&course_signs(course)))
        && MoveParts::of(position, mv).is_some_and(|signs| spellings(&signs, manner).iter().any(|text| text == wanted))
}

/// The last two signs of a normal form, which are ASCII.
fn course_signs(course: Course) -> [u8; 2] {
    let way = match course.way {
        Way::Forward => b'+',
        Way::Backward => b'-',
        Way::Sideways => b'.',
    };
    [way, b'0' + course.number]
}

/// The normal forms of a move in this manner.
fn spellings(signs: &MoveParts, manner: Interpretation) -> Vec<String> {
    match manner {
        Interpretation::Of(dialect @ (Dialect::Chinese | Dialect::ChineseCxa)) => {
            let Some(words) = chinese::write(signs, dialect) else { return Vec::new() };
            let words = normal(&plain(&words));
            // Old books leave the man out where place and file are there: 前九平八.
            let nameless = words.strip_prefix('p').filter(|rest| rest.chars().count() > 3).map(str::to_owned);
            std::iter::once(words).chain(nameless.filter(|_| dialect == Dialect::ChineseCxa)).collect()
        }
        Interpretation::Of(dialect) => wxf::write(signs, dialect).map(|words| normal(&words)).into_iter().collect(),
        Interpretation::Careless => {
            let Some(crowd) = signs.crowd else { return Vec::new() };
            let [way, number] = course_signs(signs.course).map(char::from);
            let man = Piece::new(Side::Black, signs.kind).letter();
            let place = chinese::place_on_file(crowd).map(sign);
            let by_place = place.filter(|place| crowd.files > 1 && !place.is_ascii_digit());
            by_place
                .map(String::from)
                .into_iter()
                .chain([signs.file.to_string()])
                .map(|which| format!("{man}{which}{way}{number}"))
                .collect()
        }
    }
}

/// The fault of a text that no legal move has: the king forbids it, or there is nothing like it.
fn unplayable(
    position: &Position,
    text: &str,
    legal: &[Move],
    is_it: impl Fn(Move) -> bool,
    nearness: impl Fn(Move) -> usize,
) -> NotationError {
    let side = position.side();
    let mut pseudo_legal = MoveList::new();
    position.pseudo_legal_moves(&mut pseudo_legal);
    if let Some(mv) = pseudo_legal.into_iter().find(|&mv| is_it(mv)) {
        return NotationError::new(text, side, NotationFault::ExposesKing(mv), Vec::new());
    }
    let mut near: Vec<(usize, Move)> =
        legal.iter().map(|&mv| (nearness(mv), mv)).filter(|(how, _)| *how < FAR).collect();
    near.sort_by_key(|(how, mv)| (*how, mv.from(), mv.to()));
    let near = near.into_iter().map(|(_, mv)| mv).collect();
    NotationError::new(text, side, NotationFault::NoSuchMove, candidates(position, text, near))
}

/// The moves with their words in the script of the text.
fn candidates(position: &Position, text: &str, moves: Vec<Move>) -> Vec<Candidate> {
    let dialect = match () {
        _ if has_han(text) => Dialect::Chinese,
        _ if coordinate::read(&plain(text)).is_some() => Dialect::Coordinate,
        _ => Dialect::Wxf,
    };
    moves.into_iter().map(|mv| Candidate { mv, words: write(position, mv, dialect) }).collect()
}

/// What is not near at all.
const FAR: usize = 2;

/// 0 for the same man, 1 for the same target.
fn nearness_of_points(wanted: Move, mv: Move) -> usize {
    match () {
        _ if mv.from() == wanted.from() => 0,
        _ if mv.to() == wanted.to() => 1,
        _ => FAR,
    }
}

/// 0 for a slip of one sign, 1 for another move of the same man.
fn nearness_of_words(position: &Position, mv: Move, wanted: &str, manners: &[Interpretation]) -> usize {
    let Some(signs) = MoveParts::of(position, mv) else { return FAR };
    let man = |text: &str| text.chars().take(2).collect::<String>();
    let mut nearness = FAR;
    for spelling in manners.iter().flat_map(|&manner| spellings(&signs, manner)) {
        if is_one_slip_away(&spelling, wanted) {
            return 0;
        }
        if wanted.len() > 2 && man(&spelling) == man(wanted) {
            nearness = 1;
        }
    }
    nearness
}

/// Whether one sign changed, added or left out makes one text the other.
fn is_one_slip_away(one: &str, other: &str) -> bool {
    let (mut one, mut other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    while !one.is_empty() && one.first() == other.first() {
        one.remove(0);
        other.remove(0);
    }
    while !one.is_empty() && one.last() == other.last() {
        one.pop();
        other.pop();
    }
    one.len() <= 1 && other.len() <= 1
}

fn has_han(text: &str) -> bool {
    plain(text).chars().any(|c| sign(c) != c && !c.is_ascii())
}

/// The first signs of the text, without spaces, in half width and with plain dashes.
fn plain(text: &str) -> String {
    let narrow = |c: char| match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(c as u32 - 0xFEE0).unwrap_or(c),
        '‐'..='―' | '−' => '-',
        _ => c,
    };
    text.chars().filter(|c| !c.is_whitespace()).map(narrow).take(MOST_SIGNS + 1).collect()
}

/// What a character of either script stands for; every other stands for itself.
fn sign(c: char) -> char {
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

/// The form in which texts are compared: one alphabet, the man before its place, one letter for horse and elephant.
fn normal(plain: &str) -> String {
    let mut signs: Vec<char> = plain.chars().map(sign).collect();
    if matches!(signs[..], ['+' | '-' | '.', man, ..] if man.is_ascii_lowercase()) {
        signs.swap(0, 1);
    }
    // An e or h anywhere else counts places.
    match signs.first_mut() {
        Some(man) if *man == 'h' => *man = 'n',
        Some(man) if *man == 'e' => *man = 'b',
        _ => {}
    }
    signs.into_iter().collect()
}
