//! Words of games as moves: of PGN, of lists of moves, and of lines of games.
//!
//! Besides the dialects of [`crate::notation`], they may have move numbers, annotation marks, ranks counted from 1, and
//! the algebraic notation of Western programs: `Ce3`, `Hb1xc3`, and of pawns `c4`, `cd5` and `cxd5` as in XBoard.

use super::described::{MARKS, is_described, without_marks};
use super::game::{Game, GameFault, Location, MAX_PLIES};
use super::read::{closest, read_but_vietnamese};
use super::turns::{Turns, moves_of};
use super::vietnamese::is_vietnamese;
use super::{Dialect, NotationError, NotationFault, read, read_in};
use crate::position::{Position, Strictness};
use crate::types::{Move, Piece, PieceKind, Side, Square};

/// Maximum length of a move in algebraic notation, `Hb10-c10`.
const MAX_ALGEBRAIC: usize = 8;
/// Annotation marks that PGN numbers from 1.
const SIGNS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];
/// Number of legal moves that prove the side to move if the next word is none.
const MIN_MOVES: usize = 4;

/// Interpretation of the words of a game.
#[derive(Clone, Copy)]
pub struct Reading {
    first_rank: u8,
    /// `C4a5` is a cannon on rank 4 rather than a piece on c4.
    prefers_pieces: bool,
    dialect: Option<Dialect>,
    /// All words are Vietnamese, in which some words of WXF have another meaning.
    is_vietnamese: bool,
}

/// Moves of a game.
pub struct Played {
    /// Legal moves with the index of their word.
    pub moves: Vec<(usize, Move)>,
    /// Numbers that are wrong or missing, with the index of the word after them.
    pub warnings: Vec<(usize, String)>,
    /// Index of the first wrong word, and the error.
    pub fault: Option<(usize, GameFault)>,
    /// How the words were read.
    pub reading: Reading,
}

/// Parses the words of a game as moves, up to the first one that is none. `is_western` is set if the game may come from
/// a program that counts ranks from 1; `dialect` is the one that the file declares.
pub fn play(start: &Position, words: &[&str], is_western: bool, dialect: Option<Dialect>) -> Played {
    let texts = || words.iter().flat_map(|word| candidates(word));
    let algebraic: Vec<Algebraic> = texts().filter_map(|text| Algebraic::readings(text).next()).collect();
    let has_rank = |rank| algebraic.iter().any(|points| points.rank == Some(rank) || points.to_rank == rank);
    let prefers_pieces = algebraic.iter().any(|points| points.piece.is_some());
    let from_zero = Reading { first_rank: 0, prefers_pieces, dialect, is_vietnamese: false };
    let from_one = Reading { first_rank: 1, ..from_zero };
    let readings = match (has_rank(10), has_rank(0)) {
        (true, false) => vec![from_one],
        (false, false) if is_western || prefers_pieces => vec![from_zero, from_one],
        _ => vec![from_zero],
    };
    let vietnamese = Reading { is_vietnamese: true, ..from_zero };
    let vietnamese = std::iter::once_with(|| texts().any(is_vietnamese).then_some(vietnamese)).flatten();
    let mut best: Option<Played> = None;
    for reading in readings.into_iter().chain(vietnamese) {
        let played = play_on(&mut start.clone(), words, reading);
        let Some((index, _)) = &played.fault else { return played };
        // Of several faults the last one is nearest to what was meant.
        let is_later = |other: &(usize, GameFault)| *index > other.0;
        if best.as_ref().and_then(|best| best.fault.as_ref()).is_none_or(is_later) {
            best = Some(played);
        }
    }
    best.expect("there is a reading, and it has a fault")
}

/// Plays the moves of a game. Programs and authors write FENs with Red to move whoever is: where the FEN at this place
/// contradicts the first move, the side that moves first is corrected with a warning.
pub fn play_from_right_side(
    game: &mut Game,
    given: Option<Location>,
    strictness: Strictness,
    play: impl Fn(&Position) -> Played,
) -> Played {
    let played = play(&game.start);
    // After a first move that fits the side to move, a fault is no sign of a wrong side, but of a missing move.
    if played.fault.is_some()
        && played.moves.is_empty()
        && let Some(place) = given
    {
        let (wrong, side) = (game.start.side(), !game.start.side());
        let fields = [" w ", " b "];
        let fen = game.start.to_string().replacen(fields[wrong.index()], fields[side.index()], 1);
        if let Ok(other) = Position::parse_fen(&fen, strictness) {
            let other_played = play(&other.position);
            let count = other_played.moves.len();
            if other_played.fault.is_none() && count > 0 || count >= MIN_MOVES {
                let reason =
                    format!("the FEN has {wrong} to move, but the first move is {side}'s: {side} is taken to move");
                game.warnings.add_correction(place, reason);
                game.start = other.position;
                return other_played;
            }
        }
    }
    played
}

/// Parses the words of a line as moves, read like those of another line of the game. The position stays.
pub fn play_on(position: &mut Position, words: &[&str], reading: Reading) -> Played {
    let before = position.history().len();
    let mut played = Played { moves: Vec::new(), warnings: Vec::new(), fault: None, reading };
    let mut turns = Turns::new(position, words);
    for (index, word) in words.iter().enumerate() {
        let Some(last) = candidates(word).last() else { continue };
        let read = read_word(position, word, reading);
        let (text, mv) = read.as_ref().map_or((last, None), |&(text, mv)| (text, Some(mv)));
        let checked = turns.check(position.side(), text, mv);
        let plies = before + played.moves.len();
        let fault = match (read, checked) {
            (_, Err(reason)) | (Err(reason), _) => GameFault::in_word(plies + 1, &reason),
            (Ok(_), _) if plies == MAX_PLIES => GameFault::TooMuch("plies", MAX_PLIES),
            (Ok((_, mv)), Ok(warning)) => {
                played.warnings.extend(warning.map(|warning| (index, warning)));
                position.make(mv);
                played.moves.push((index, mv));
                continue;
            }
        };
        played.fault = Some((index, fault));
        break;
    }
    played.moves.iter().for_each(|_| position.unmake());
    played
}

/// Reads a word that may be a move: the part of it that is the move, and the move; or the reason why it is none.
fn read_word<'a>(position: &Position, word: &'a str, reading: Reading) -> Result<(&'a str, Move), String> {
    let mut first_fault = None;
    for text in candidates(word) {
        match read_move(position, text, reading) {
            Ok(mv) => return Ok((text, mv)),
            Err(reason) => first_fault = first_fault.or(Some(reason)),
        }
    }
    Err(first_fault.unwrap_or_default())
}

/// Returns `true` for a word without a move: a number, dots or a mark.
pub fn is_number(word: &str) -> bool {
    candidates(word).next().is_none()
}

/// Returns `true` if a word, with or without a number in front, has the form of a move in some notation.
pub fn is_like_a_move(word: &str) -> bool {
    let is_exact = |text| Algebraic::readings(text).any(|points| points.piece.is_none());
    candidates(word).any(|text| is_exact(text) || is_described(text) || is_vietnamese(text))
}

/// Returns the annotation marks of a word, such as `!?` of `h2e2!?` and of `$5`; unknown numbers keep their form.
pub fn marks(word: &str) -> String {
    if let Some(number) = word.strip_prefix('$') {
        let sign = number.parse().ok().and_then(|number: usize| SIGNS.get(number.checked_sub(1)?));
        return sign.map_or(word, |sign| sign).to_owned();
    }
    let signs = word[without_marks(word).len()..].chars().filter(|c| MARKS.contains(c));
    signs.map(|c| if ['！', '!'].contains(&c) { '!' } else { '?' }).collect()
}

/// Returns the parts of a word that may be a move: none for numbers and marks, two where a number may belong to it.
fn candidates(word: &str) -> impl Iterator<Item = &str> {
    let (whole, part) = moves_of(without_marks(word));
    whole.into_iter().chain(part)
}

fn read_move(position: &Position, text: &str, reading: Reading) -> Result<Move, String> {
    let mut algebraic = Algebraic::readings(text).peekable();
    let Some(&first) = algebraic.peek() else {
        if reading.is_vietnamese {
            return read_in(position, text, Dialect::Vietnamese).map_err(|error| error.to_string());
        }
        // The declared dialect resolves words that two dialects read differently.
        let declared = reading.dialect.and_then(|dialect| read_in(position, text, dialect).ok());
        return declared.map_or_else(|| read_but_vietnamese(position, text).map_err(|error| error.to_string()), Ok);
    };
    let mut found = algebraic.map(|points| points.find(position, reading.first_rank));
    let (first_found, other_found) = (found.next().flatten(), found.flatten().next());
    let mv = if reading.prefers_pieces { other_found.or(first_found) } else { first_found.or(other_found) };
    mv.ok_or_else(|| first.fault(position, text, reading.first_rank))
}

/// Move in coordinates (`h2e2`, `H3-E3`), or of a piece in algebraic notation (`Ce3`, `Hb1xc3`, `c4`).
#[derive(Clone, Copy)]
struct Algebraic {
    /// Piece named by its letter, or a pawn by the lack of one; `None` in coordinates.
    piece: Option<PieceKind>,
    file: Option<u8>,
    rank: Option<u8>,
    to_file: u8,
    to_rank: u8,
}

impl Algebraic {
    /// Returns the ways to read a text, coordinates first: `C4f7` can also be a cannon on rank 4.
    fn readings(text: &str) -> impl Iterator<Item = Algebraic> {
        let text = if text.is_ascii() && text.len() <= MAX_ALGEBRAIC { text } else { "" };
        let plain = Algebraic::read(text, None).and_then(|points| match (points.file, points.rank) {
            (Some(_), Some(_)) => Some(points),
            // A pawn; a move along its file names the file once. A capital letter would be that of a piece.
            (file, None) if text.starts_with(|c: char| c.is_ascii_lowercase()) => {
                Some(Algebraic { piece: Some(PieceKind::Pawn), file: file.or(Some(points.to_file)), ..points })
            }
            _ => None,
        });
        let kind = match text.chars().next() {
            Some('G') => Some(PieceKind::Advisor),
            Some('M') => Some(PieceKind::Elephant),
            Some(letter @ 'A'..='Z') => Piece::from_letter(letter).map(Piece::kind),
            _ => None,
        };
        plain.into_iter().chain(kind.and_then(|kind| Algebraic::read(&text[1..], Some(kind))))
    }

    fn read(text: &str, piece: Option<PieceKind>) -> Option<Algebraic> {
        let mut rest = text.as_bytes();
        let first = (take_file(&mut rest), take_rank(&mut rest));
        if let [b'-' | b'x', after @ ..] = rest {
            rest = after;
        }
        let second = (take_file(&mut rest), take_rank(&mut rest));
        let (from, to) = if second == (None, None) { (second, first) } else { (first, second) };
        let points = Algebraic { piece, file: from.0, rank: from.1, to_file: to.0?, to_rank: to.1? };
        rest.is_empty().then_some(points)
    }

    fn fault(&self, position: &Position, text: &str, first_rank: u8) -> String {
        if self.piece.is_none()
            && first_rank == 0
            && let Err(error) = read(position, text)
        {
            return error.to_string();
        }
        let point = |square: Square| format!("{}{}", char::from(b'a' + square.file()), square.rank() + first_rank);
        let words = |mv: Move| {
            let kind = self.piece.and_then(|_| position.piece_on(mv.from())).map(Piece::kind);
            let is_pawn = kind == Some(PieceKind::Pawn);
            let letter = kind.filter(|_| !is_pawn).map(|kind| Piece::new(Side::Red, kind).letter());
            let from = if is_pawn && mv.from().file() == mv.to().file() { String::new() } else { point(mv.from()) };
            format!("{}{from}{}", letter.map_or_else(String::new, String::from), point(mv.to()))
        };
        let candidates = closest(position, text, |mv| [(Dialect::Coordinate, words(mv))]);
        NotationError::new(position, text, NotationFault::NoSuchMove, candidates).to_string()
    }

    fn find(&self, position: &Position, first_rank: u8) -> Option<Move> {
        let rank = |number: u8| number.checked_sub(first_rank).filter(|&rank| rank < Square::RANKS);
        let to = Square::new(self.to_file, rank(self.to_rank)?);
        let from_rank = match self.rank {
            Some(number) => Some(rank(number)?),
            None => None,
        };
        if let (Some(file), Some(rank), None) = (self.file, from_rank, self.piece) {
            return Some(Move::new(Square::new(file, rank), to)).filter(|&mv| position.can_play(mv));
        }
        let is_fitting = |mv: &Move| {
            mv.to() == to
                && position.piece_on(mv.from()).map(Piece::kind) == self.piece
                && self.file.is_none_or(|file| file == mv.from().file())
                && from_rank.is_none_or(|rank| rank == mv.from().rank())
        };
        let mut fitting = position.legal_moves().into_iter().filter(is_fitting);
        fitting.next().filter(|_| fitting.next().is_none())
    }
}

fn take_file(rest: &mut &[u8]) -> Option<u8> {
    let (&first, after) = rest.split_first()?;
    let file = first.to_ascii_lowercase().checked_sub(b'a').filter(|&file| file < Square::FILES)?;
    *rest = after;
    Some(file)
}

fn take_rank(rest: &mut &[u8]) -> Option<u8> {
    let (rank, after) = match *rest {
        [b'1', b'0', after @ ..] => (10, after),
        [digit @ b'0'..=b'9', after @ ..] => (digit - b'0', after),
        _ => return None,
    };
    *rest = after;
    Some(rank)
}
