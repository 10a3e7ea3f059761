//! Notations that describe a move by piece, file, direction and number: Chinese, and WXF in three dialects; and the normal
//! form of their texts, with one alphabet and one order of signs for all notations and scripts.

use std::cmp::Reverse;

use super::Dialect;
use crate::position::Position;
use crate::types::{Move, Piece, PieceKind, Side, Square};

/// Direction of a move from the mover's perspective: 进, 退 or 平.
#[derive(Clone, Copy)]
pub(super) enum Direction {
    Forward,
    Backward,
    Sideways,
}

/// Last two signs of a description: direction and number.
#[derive(Clone, Copy)]
pub(super) struct Displacement {
    pub direction: Direction,
    /// 1 to 9: the target file, or the distance along the file.
    pub number: u8,
}

impl Displacement {
    /// Returns the displacement of a move by `side`; `None` if it is not a move between two squares of the board.
    pub fn new(side: Side, mv: Move) -> Option<Displacement> {
        let (from, to) = (mv.from(), mv.to());
        if !from.is_on_board() || !to.is_on_board() || from == to {
            return None;
        }
        let (start, end) = (progress(side, from), progress(side, to));
        let direction = match start.cmp(&end) {
            std::cmp::Ordering::Less => Direction::Forward,
            std::cmp::Ordering::Greater => Direction::Backward,
            std::cmp::Ordering::Equal => Direction::Sideways,
        };
        let number = if from.file() == to.file() { start.abs_diff(end) } else { file_number(side, to) };
        Some(Displacement { direction, number })
    }
}

/// Position of a piece among tandem pieces, which share their file with another of their kind.
#[derive(Clone, Copy)]
pub(super) struct Disambiguation {
    /// Index on its file, 0 for the front piece.
    pub index_on_file: usize,
    /// Number of pieces of the kind on its file, at least 2.
    pub pieces_on_file: usize,
    /// Index among the tandem pieces of all files: files from the mover's right, on each the front piece first.
    pub index: usize,
    /// Number of tandem pieces on all files.
    pub pieces: usize,
    /// Number of files with tandem pieces.
    pub files: usize,
}

/// Parts of a move description.
#[derive(Clone, Copy)]
pub(super) struct MoveParts {
    pub side: Side,
    pub kind: PieceKind,
    /// Source file, 1 to 9 from the mover's right.
    pub file: u8,
    /// Set if the file does not identify the piece.
    pub disambiguation: Option<Disambiguation>,
    pub displacement: Displacement,
}

impl MoveParts {
    /// Returns the parts of a move; `None` if no piece of the side to move is on its from square.
    pub fn new(position: &Position, mv: Move) -> Option<MoveParts> {
        let side = position.side();
        let displacement = Displacement::new(side, mv)?;
        let from = mv.from();
        let piece = position.piece_on(from).filter(|piece| piece.side() == side)?;
        let kind = piece.kind();
        Some(MoveParts {
            side,
            kind,
            file: file_number(side, from),
            disambiguation: disambiguation(position, piece, from),
            displacement,
        })
    }
}

/// Returns the file counted from the right of `side`, 1 to 9.
fn file_number(side: Side, square: Square) -> u8 {
    match side {
        Side::Red => Square::FILES - square.file(),
        Side::Black => square.file() + 1,
    }
}

/// Returns the distance from the back rank of `side`, 0 to 9.
fn progress(side: Side, square: Square) -> u8 {
    match side {
        Side::Red => square.rank(),
        Side::Black => Square::RANKS - 1 - square.rank(),
    }
}

fn disambiguation(position: &Position, piece: Piece, from: Square) -> Option<Disambiguation> {
    if matches!(piece.kind(), PieceKind::King | PieceKind::Advisor | PieceKind::Elephant) {
        // Two advisors or elephants on one file cannot move in the same direction.
        return None;
    }
    let pieces = position.squares(piece);
    let pieces_on = |file: u8| pieces.iter().filter(|square| square.file() == file).count();
    let pieces_on_file = pieces_on(from.file());
    if pieces_on_file < 2 {
        return None;
    }
    let order = |square: Square| (file_number(piece.side(), square), Reverse(progress(piece.side(), square)));
    let tandem = || pieces.iter().filter(|square| pieces_on(square.file()) >= 2);
    let before = || tandem().filter(|square| order(**square) < order(from));
    Some(Disambiguation {
        index_on_file: before().filter(|square| square.file() == from.file()).count(),
        pieces_on_file,
        index: before().count(),
        pieces: tandem().count(),
        files: (0..Square::FILES).filter(|&file| pieces_on(file) >= 2).count(),
    })
}

/// Digits of Red (Chinese numerals) and of Black (full-width digits).
const DIGITS: [[char; 9]; 2] =
    [['一', '二', '三', '四', '五', '六', '七', '八', '九'], ['１', '２', '３', '４', '５', '６', '７', '８', '９']];
/// Numerals of indices within a file, for both sides.
pub(super) const NUMERALS: [char; 9] = DIGITS[0];
/// Piece characters of both sides, in the order of the kinds.
const PIECES: [[char; 7]; 2] = [['帅', '仕', '相', '马', '车', '炮', '兵'], ['将', '士', '象', '马', '车', '炮', '卒']];

/// Formats a move in [`Dialect::ChineseCxa`] or [`Dialect::Chinese`]; `None` if the dialect cannot distinguish that
/// many tandem pieces.
pub(super) fn write_chinese(parts: &MoveParts, dialect: Dialect) -> Option<String> {
    let digit = |number: u8| DIGITS[parts.side.index()][usize::from(number - 1)];
    let piece = PIECES[parts.side.index()][parts.kind.index()];
    let mut text = String::with_capacity(15);
    match parts.disambiguation {
        None => text.extend([piece, digit(parts.file)]),
        Some(disambiguation) if dialect == Dialect::ChineseCxa => {
            text.extend([file_index_sign(disambiguation)?, piece]);
            if disambiguation.files > 1 {
                text.push(digit(parts.file));
            }
        }
        Some(disambiguation) => text.extend([chinese_index_sign(disambiguation)?, piece]),
    }
    text.extend([['进', '退', '平'][parts.displacement.direction as usize], digit(parts.displacement.number)]);
    Some(text)
}

/// Index among all tandem pieces.
fn chinese_index_sign(disambiguation: Disambiguation) -> Option<char> {
    let signs: &[char] = match disambiguation.pieces {
        2 => &['前', '后'],
        3 => &['前', '中', '后'],
        count if count <= NUMERALS.len() => &NUMERALS,
        _ => &[],
    };
    signs.get(disambiguation.index).copied()
}

/// Index on the file; the first and the last have their own characters.
pub(super) fn file_index_sign(disambiguation: Disambiguation) -> Option<char> {
    match (disambiguation.index_on_file, disambiguation.pieces_on_file) {
        (0, _) => Some('前'),
        (index, count) if index + 1 == count => Some('后'),
        (1, 3) => Some('中'),
        (index, _) => NUMERALS.get(index).copied(),
    }
}

/// Piece letters of FEN, in the order of the kinds.
const LETTERS: [char; 7] = ['K', 'A', 'B', 'N', 'R', 'C', 'P'];
/// Piece letters of the English names.
const ENGLISH_LETTERS: [char; 7] = ['K', 'A', 'E', 'H', 'R', 'C', 'P'];

/// Formats a move in a Latin dialect; `None` if the dialect cannot distinguish that many tandem pieces.
pub(super) fn write_wxf(parts: &MoveParts, dialect: Dialect) -> Option<String> {
    let letters = if dialect == Dialect::Wxf { LETTERS } else { ENGLISH_LETTERS };
    let letter = letters[parts.kind.index()];
    let file = digit(parts.file);
    let piece = match parts.disambiguation {
        None => [letter, file],
        Some(disambiguation) if disambiguation.pieces == 2 => [letter, ['+', '-'][disambiguation.index]],
        Some(disambiguation) => match dialect {
            Dialect::Wxf if disambiguation.pieces == 3 => [letter, ['+', '.', '-'][disambiguation.index]],
            Dialect::Wxf if disambiguation.pieces > 9 => return None,
            Dialect::Wxf => [letter, char::from(b'a' + disambiguation.index as u8)],
            // These two may drop the letter, which is unambiguous for pawns only.
            _ if parts.kind != PieceKind::Pawn => return None,
            Dialect::WxfOfficial => official_pawn(disambiguation, file)?,
            _ => [digit(disambiguation.index_on_file as u8 + 1), file],
        },
    };
    let sideways = if dialect == Dialect::WxfFairy { '=' } else { '.' };
    let direction = ['+', '-', sideways][parts.displacement.direction as usize];
    Some(piece.into_iter().chain([direction, digit(parts.displacement.number)]).collect())
}

/// Returns the digit of 1 to 9; no file has ten tandem pieces.
fn digit(number: u8) -> char {
    char::from(b'0' + number.min(9))
}

/// First two signs of a pawn among three and more tandem pawns.
fn official_pawn(disambiguation: Disambiguation, file: char) -> Option<[char; 2]> {
    let names: &[[char; 2]] = match (disambiguation.files, disambiguation.pieces_on_file) {
        (1, 3) => &[['P', '+'], ['P', file], ['P', '-']],
        (1, 4) => &[['+', '+'], ['P', '+'], ['P', '-'], ['-', '-']],
        (1, 5) => &[['+', '+'], ['P', '+'], ['P', file], ['P', '-'], ['-', '-']],
        (1, _) => &[],
        (_, 2) => &[[file, '+'], [file, '-']],
        (_, 3) => &[[file, '+'], [file, file], [file, '-']],
        _ => &[],
    };
    names.get(disambiguation.index_on_file).copied()
}

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
        _ => NUMERALS
            .iter()
            .zip('1'..='9')
            .find(|(numeral, _)| **numeral == c)
            .map_or(c.to_ascii_lowercase(), |pair| pair.1),
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
