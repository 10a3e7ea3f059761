//! Notations that describe a move by piece, file, direction and number: Chinese, WXF and Vietnamese. All are written
//! from one row of signs, also the normal form of what is read: the letter of the piece in FEN, digits, and `+`, `.`
//! and `-` for front, middle and rear, and for forward, sideways and back.

use std::cmp::{Ordering, Reverse};

use super::Dialect;
use crate::position::Position;
use crate::types::{Move, Piece, PieceKind, Side, Square};

/// Place of a piece among tandem pieces, which share their file with another of their kind.
struct Tandem {
    /// Index on its file, 0 for the front piece, and number of pieces there.
    on_file: (usize, usize),
    /// Index among the tandem pieces of all files, from the mover's right and on each from the front, and their number.
    on_board: (usize, usize),
    files: usize,
}

pub(super) struct MoveParts {
    side: Side,
    kind: PieceKind,
    /// Source file, 1 to 9 from the mover's right.
    file: char,
    /// Set if the file does not identify the piece.
    tandem: Option<Tandem>,
    displacement: [char; 2],
}

impl MoveParts {
    /// Returns the parts of a move; `None` if no piece of the side to move is on its from square.
    pub fn new(position: &Position, mv: Move) -> Option<MoveParts> {
        let side = position.side();
        let displacement = displacement(side, mv)?;
        let piece = position.piece_on(mv.from()).filter(|piece| piece.side() == side)?;
        let (file, tandem) = (digit(file_number(side, mv.from())), Tandem::of(position, piece, mv.from()));
        Some(MoveParts { side, kind: piece.kind(), file, tandem, displacement })
    }

    fn letter(&self) -> char {
        Piece::new(Side::Black, self.kind).letter()
    }

    /// Returns the signs of the move as they are written; `None` where the dialect has none for so many tandem pieces.
    pub fn signs(&self, dialect: Dialect) -> Option<String> {
        let (piece, file) = (self.letter(), self.file);
        let designator = match &self.tandem {
            None => format!("{piece}{file}"),
            Some(tandem) => tandem.designator(dialect, piece, file)?,
        };
        Some(designator + &String::from_iter(self.displacement))
    }

    /// Returns the normal forms of the move as if there were no other tandem pieces: with the file alone, and with the
    /// index on the file where there are tandem pieces on several files.
    pub fn abbreviations(&self) -> impl Iterator<Item = String> {
        let by_index = self.tandem.iter().filter(|tandem| tandem.files > 1).map(|tandem| place(tandem.on_file));
        let which = by_index.filter(|place| !place.is_ascii_digit()).chain(self.tandem.iter().map(|_| self.file));
        let [direction, number] = self.displacement;
        which.map(move |which| format!("{}{which}{direction}{number}", self.letter()))
    }
}

/// Returns direction and number of a move by `side`; `None` if it is not between two squares of the board.
pub(super) fn displacement(side: Side, mv: Move) -> Option<[char; 2]> {
    let (from, to) = (mv.from(), mv.to());
    if !from.is_on_board() || !to.is_on_board() || from == to {
        return None;
    }
    let (start, end) = (progress(side, from), progress(side, to));
    let direction = match start.cmp(&end) {
        Ordering::Less => '+',
        Ordering::Greater => '-',
        Ordering::Equal => '.',
    };
    let number = if from.file() == to.file() { start.abs_diff(end) } else { file_number(side, to) };
    Some([direction, digit(number)])
}

fn file_number(side: Side, square: Square) -> u8 {
    match side {
        Side::Red => Square::FILES - square.file(),
        Side::Black => square.file() + 1,
    }
}

fn progress(side: Side, square: Square) -> u8 {
    match side {
        Side::Red => square.rank(),
        Side::Black => Square::RANKS - 1 - square.rank(),
    }
}

/// Returns the digit of 1 to 9; no file has ten tandem pieces.
fn digit(number: u8) -> char {
    char::from(b'0' + number.min(9))
}

/// Returns the sign of an index among this number of pieces; first, last, and the middle one of three are no digits.
fn place((index, count): (usize, usize)) -> char {
    match (index, count) {
        (0, _) => '+',
        _ if index + 1 == count => '-',
        (1, 3) => '.',
        _ => digit(index as u8 + 1),
    }
}

impl Tandem {
    fn of(position: &Position, piece: Piece, from: Square) -> Option<Tandem> {
        if matches!(piece.kind(), PieceKind::King | PieceKind::Advisor | PieceKind::Elephant) {
            // Two advisors or elephants on one file cannot move in the same direction.
            return None;
        }
        let pieces = position.squares(piece);
        let pieces_on = |file: u8| pieces.iter().filter(|square| square.file() == file).count();
        let count = pieces_on(from.file());
        if count < 2 {
            return None;
        }
        let order = |square: Square| (file_number(piece.side(), square), Reverse(progress(piece.side(), square)));
        let tandem = || pieces.iter().filter(|square| pieces_on(square.file()) >= 2);
        let before = || tandem().filter(|square| order(**square) < order(from));
        Some(Tandem {
            on_file: (before().filter(|square| square.file() == from.file()).count(), count),
            on_board: (before().count(), tandem().count()),
            files: (0..Square::FILES).filter(|&file| pieces_on(file) >= 2).count(),
        })
    }

    /// Returns the signs that name the piece; see the table of the dialects.
    fn designator(&self, dialect: Dialect, piece: char, file: char) -> Option<String> {
        let Tandem { on_file, on_board, files } = *self;
        let (index, (_, pieces)) = (place(on_file), on_board);
        let file_too = if files > 1 { file.to_string() } else { String::new() };
        Some(match dialect {
            Dialect::Chinese if pieces <= 3 => format!("{}{piece}", place(on_board)),
            Dialect::Chinese if pieces <= 9 => format!("{}{piece}", digit(on_board.0 as u8 + 1)),
            Dialect::ChineseCxa => format!("{index}{piece}{file_too}"),
            Dialect::Vietnamese if !index.is_ascii_digit() => format!("{piece}{index}{file_too}"),
            // Another digit would be a file.
            Dialect::Vietnamese if files == 1 => format!("{piece}+{index}"),
            Dialect::Wxf if pieces <= 3 => format!("{piece}{}", place(on_board)),
            Dialect::Wxf if pieces <= 9 => format!("{piece}{}", char::from(b'a' + on_board.0 as u8)),
            Dialect::WxfOfficial | Dialect::WxfFairy if pieces == 2 => format!("{piece}{}", place(on_board)),
            // These two may drop the letter, which is unambiguous for pawns only.
            Dialect::WxfFairy if piece == 'p' => format!("{}{file}", digit(on_file.0 as u8 + 1)),
            Dialect::WxfOfficial if piece == 'p' => {
                let names = match (files, on_file.1) {
                    (1, 3) => "p+ p_ p-",
                    (1, 4) => "++ p+ p- --",
                    (1, 5) => "++ p+ p_ p- --",
                    (2.., 2) => "_+ _-",
                    (2.., 3) => "_+ __ _-",
                    _ => "",
                };
                names.split_whitespace().nth(on_file.0)?.replace('_', &file.to_string())
            }
            _ => return None,
        })
    }
}

const DIGITS: [[char; 9]; 2] =
    [['一', '二', '三', '四', '五', '六', '七', '八', '九'], ['１', '２', '３', '４', '５', '６', '７', '８', '９']];
pub(super) const NUMERALS: [char; 9] = DIGITS[0];
/// Piece characters of both sides, and letters of the pieces, in the order of the kinds.
const PIECES: [[char; 7]; 2] = [['帅', '仕', '相', '马', '车', '炮', '兵'], ['将', '士', '象', '马', '车', '炮', '卒']];
const FEN_LETTERS: [&str; 7] = ["K", "A", "B", "N", "R", "C", "P"];
const ENGLISH_LETTERS: [&str; 7] = ["K", "A", "E", "H", "R", "C", "P"];
const VIETNAMESE_LETTERS: [&str; 7] = ["Tg", "S", "T", "M", "X", "P", "B"];

/// Formats a move; `None` if the dialect cannot distinguish that many tandem pieces.
pub(super) fn write_described(parts: &MoveParts, dialect: Dialect) -> Option<String> {
    let signs = parts.signs(dialect)?;
    let (side, kind, direction_at) = (parts.side.index(), parts.kind.index(), signs.len() - 2);
    let letters = match dialect {
        Dialect::Wxf => FEN_LETTERS,
        Dialect::Vietnamese => VIETNAMESE_LETTERS,
        _ => ENGLISH_LETTERS,
    };
    let mut text = String::with_capacity(15);
    for (at, sign) in signs.chars().enumerate() {
        let is_direction = usize::from(at == direction_at);
        match (dialect, sign, "+-.".find(sign)) {
            (Dialect::Chinese | Dialect::ChineseCxa, '1'..='9', _) => {
                text.push(DIGITS[if at == 0 { 0 } else { side }][sign as usize - '1' as usize]);
            }
            (Dialect::Chinese | Dialect::ChineseCxa, _, Some(which)) => {
                text.push([['前', '后', '中'], ['进', '退', '平']][is_direction][which]);
            }
            (Dialect::Chinese | Dialect::ChineseCxa, ..) => text.push(PIECES[side][kind]),
            (Dialect::Vietnamese, _, Some(which)) => text.push([['t', 's', 'g'], ['.', '/', '-']][is_direction][which]),
            (Dialect::WxfFairy, '.', _) => text.push('='),
            // Another letter is an index.
            (_, 'a'..='z', _) if at == 0 => text.push_str(letters[kind]),
            _ => text.push(sign),
        }
    }
    Some(text)
}

const MAX_SIGNS: usize = 5;
pub(super) const MARKS: [char; 4] = ['!', '?', '！', '？'];
const CHECKS: [char; 4] = ['+', '#', '＋', '＃'];

/// Returns a word without the marks and the signs of check and mate after its move, which ends with a number.
pub(super) fn without_marks(word: &str) -> &str {
    let is_number = |c: char| matches!(sign(c), '0'..='9' | '０'..='９');
    let plain = word.trim_end_matches(is_mark);
    if plain.is_empty() || plain.ends_with(is_number) { plain } else { word.trim_end_matches(MARKS) }
}

pub(super) fn after_marks(text: &str) -> &str {
    text.trim_start_matches(is_mark)
}

fn is_mark(c: char) -> bool {
    MARKS.contains(&c) || CHECKS.contains(&c)
}

pub(super) fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || ('０'..='９').contains(&c)
}

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
        _ => NUMERALS.iter().position(|&numeral| numeral == c).map_or(c.to_ascii_lowercase(), |at| digit(at as u8 + 1)),
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
