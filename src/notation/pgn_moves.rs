//! Move text of PGN files and of lists of moves.
//!
//! Converts words to moves. Besides the dialects of [`crate::notation`], it accepts move numbers, annotation marks,
//! ranks counted from 1, and the algebraic notation of Western programs: `Ce3`, `Hb1xc3`, and of pawns `c4`, `cd5` and
//! `cxd5` as in XBoard.

use super::described::{MARKS, is_described, without_marks};
use super::fault::GameFault;
use super::game::MAX_PLIES;
use super::read::{closest_by, read_but_vietnamese};
use super::turns::{Turns, moves_of};
use super::vietnamese::is_vietnamese;
use super::{Dialect, NotationError, NotationFault, read, read_in};
use crate::position::Position;
use crate::types::{Move, Piece, PieceKind, Side, Square};

/// Maximum length of a move in algebraic notation, `Hb10-c10`.
const MAX_ALGEBRAIC: usize = 8;
/// Annotation marks that PGN numbers from 1.
const SIGNS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

/// Number of the lowest rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ranks {
    FromZero,
    FromOne,
}

/// Interpretation of the words of a game.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    ranks: Ranks,
    /// `C4a5` is a cannon on rank 4 rather than a piece on c4.
    prefers_pieces: bool,
    /// Dialect that is tried first.
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

/// Parses the words of a game as moves, up to the first one that is none.
///
/// `is_western` is set if the game may come from a program that counts ranks from 1; `dialect` is the one that the file
/// declares.
pub fn play(start: &Position, words: &[&str], is_western: bool, dialect: Option<Dialect>) -> Played {
    let (mut has_ten, mut has_zero, mut prefers_pieces) = (false, false, false);
    for text in words.iter().flat_map(|word| candidates(word)) {
        let mut readings = Algebraic::readings(text);
        if let Some(first) = readings.next() {
            for rank in [first.rank, Some(first.to_rank)].into_iter().flatten() {
                has_ten |= rank == 10;
                has_zero |= rank == 0;
            }
            prefers_pieces |= !first.is_exact();
        }
    }
    let from_zero = Reading { ranks: Ranks::FromZero, prefers_pieces, dialect, is_vietnamese: false };
    let from_one = Reading { ranks: Ranks::FromOne, ..from_zero };
    let readings = match (has_ten, has_zero) {
        (true, false) => vec![from_one],
        (false, false) if is_western || prefers_pieces => vec![from_zero, from_one],
        _ => vec![from_zero],
    };
    let has_vietnamese = || words.iter().flat_map(|word| candidates(word)).any(is_vietnamese);
    let vietnamese = std::iter::once_with(|| has_vietnamese().then_some(Reading { is_vietnamese: true, ..from_zero }));
    let mut best: Option<Played> = None;
    for reading in readings.into_iter().chain(vietnamese.flatten()) {
        let played = play_on(&mut start.clone(), words, reading);
        let Some((index, _)) = &played.fault else { return played };
        // Of several faults the last one is nearest to what was meant.
        let is_later = |other: &(usize, GameFault)| *index > other.0;
        if best.as_ref().and_then(|best| best.fault.as_ref()).is_none_or(is_later) {
            best = Some(played);
        }
    }
    best.unwrap_or_else(|| Played { moves: Vec::new(), warnings: Vec::new(), fault: None, reading: from_zero })
}

/// Parses the words of a line as moves, read like those of another line of the game. The position stays.
pub fn play_on(position: &mut Position, words: &[&str], reading: Reading) -> Played {
    let before = position.history().len();
    let mut played = Played { moves: Vec::new(), warnings: Vec::new(), fault: None, reading };
    let mut turns = Turns::new(position, words);
    for (index, word) in words.iter().enumerate() {
        let read = read_word(position, word, reading);
        let found = read.as_ref().ok().copied().flatten();
        // Numbers, dots and other signs before the move.
        let text = found.map(|(text, _)| text).or_else(|| candidates(word).last());
        let signs = without_marks(word);
        turns.read(&signs[..signs.len() - text.map_or(0, str::len)]);
        let checked = text.map_or(Ok(None), |text| turns.check(position.side(), text, found.map(|(_, mv)| mv)));
        let plies = before + played.moves.len();
        let fault = match (read, checked) {
            (_, Err(reason)) | (Err(reason), _) => GameFault::in_word(plies + 1, &reason),
            (Ok(None), _) => continue,
            (Ok(Some(_)), _) if plies == MAX_PLIES => GameFault::TooMuch { what: "plies", max: MAX_PLIES },
            (Ok(Some((_, mv))), Ok(warning)) => {
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

/// Reads a word as a move, with the part of the word that it is; `None` for a move number, an annotation mark, or dots.
///
/// # Errors
/// The reason why it is no legal move.
fn read_word<'a>(position: &Position, word: &'a str, reading: Reading) -> Result<Option<(&'a str, Move)>, String> {
    let mut first_fault = None;
    for text in candidates(word) {
        match read_move(position, text, reading) {
            Ok(mv) => return Ok(Some((text, mv))),
            Err(reason) => {
                first_fault.get_or_insert(reason);
            }
        }
    }
    first_fault.map_or(Ok(None), Err)
}

/// Returns `true` for a word without a move: a number, dots or a mark.
pub(super) fn is_number(word: &str) -> bool {
    candidates(word).next().is_none()
}

/// Returns `true` if a word, with or without a number in front, has the form of a move in some notation.
pub(super) fn is_like_a_move(word: &str) -> bool {
    candidates(word).any(|text| {
        Algebraic::readings(text).any(|reading| reading.is_exact()) || is_described(text) || is_vietnamese(text)
    })
}

/// Returns the annotation marks of a word, such as `!?` of `h2e2!?`, which `$5` stands for as well: empty if it has
/// none. Numbers of marks that have no sign keep their form.
pub(super) fn marks(word: &str) -> String {
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
    let mut found = algebraic.map(|points| points.find(position, reading.ranks));
    let (first_found, other_found) = (found.next().flatten(), found.flatten().next());
    let mv = if reading.prefers_pieces { other_found.or(first_found) } else { first_found.or(other_found) };
    mv.ok_or_else(|| first.fault(position, text, reading.ranks))
}

/// Move in coordinates (`h2e2`, `H3-E3`), or of a piece in algebraic notation (`Ce3`, `Hb1xc3`, `c4`).
#[derive(Clone, Copy, Debug)]
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
        let text = Some(text).filter(|text| text.is_ascii() && text.len() <= MAX_ALGEBRAIC);
        let plain = text.and_then(|text| Algebraic::read(text, None));
        let plain = plain.and_then(|points| match (points.file, points.rank) {
            (Some(_), Some(_)) => Some(points),
            // A pawn; a move along its file names the file once. A capital letter would be that of a piece.
            (file, None) if text.is_some_and(|text| text.starts_with(|c: char| c.is_ascii_lowercase())) => {
                Some(Algebraic { piece: Some(PieceKind::Pawn), file: file.or(Some(points.to_file)), ..points })
            }
            _ => None,
        });
        let letter = text.and_then(|text| text.chars().next()).filter(char::is_ascii_uppercase);
        let kind = letter.and_then(|letter| match letter {
            'G' => Some(PieceKind::Advisor),
            'M' => Some(PieceKind::Elephant),
            letter => Piece::from_letter(letter).map(Piece::kind),
        });
        let named = kind.and_then(|kind| Algebraic::read(&text?[1..], Some(kind)));
        plain.into_iter().chain(named)
    }

    fn read(text: &str, piece: Option<PieceKind>) -> Option<Algebraic> {
        let mut rest = text.as_bytes();
        let first_file = take_file(&mut rest);
        let first_rank = take_rank(&mut rest);
        if let [b'-' | b'x', after @ ..] = rest {
            rest = after;
        }
        let second_file = take_file(&mut rest);
        let second_rank = take_rank(&mut rest);
        if !rest.is_empty() {
            return None;
        }
        match (second_file, second_rank) {
            (Some(to_file), Some(to_rank)) => {
                Some(Algebraic { piece, file: first_file, rank: first_rank, to_file, to_rank })
            }
            (None, None) => {
                Some(Algebraic { piece, file: None, rank: None, to_file: first_file?, to_rank: first_rank? })
            }
            _ => None,
        }
    }

    /// Returns whether the text names two points and no piece.
    fn is_exact(&self) -> bool {
        self.piece.is_none()
    }

    /// Returns the error message if not exactly one legal move matches.
    fn fault(&self, position: &Position, text: &str, ranks: Ranks) -> String {
        if self.is_exact()
            && ranks == Ranks::FromZero
            && let Err(error) = read(position, text)
        {
            return error.to_string();
        }
        let first = u8::from(ranks == Ranks::FromOne);
        let point = |square: Square| format!("{}{}", char::from(b'a' + square.file()), square.rank() + first);
        let words = |mv: Move| {
            let kind = self.piece.and_then(|_| position.piece_on(mv.from())).map(Piece::kind);
            let is_pawn = kind == Some(PieceKind::Pawn);
            let letter = kind.filter(|_| !is_pawn).map(|kind| Piece::new(Side::Red, kind).letter());
            let from = if is_pawn && mv.from().file() == mv.to().file() { String::new() } else { point(mv.from()) };
            format!("{}{from}{}", letter.map_or_else(String::new, String::from), point(mv.to()))
        };
        let candidates = closest_by(position, text, words);
        NotationError::new(position, text, NotationFault::NoSuchMove, candidates).to_string()
    }

    /// Returns the only legal move that matches.
    fn find(&self, position: &Position, ranks: Ranks) -> Option<Move> {
        let rank = |number: u8| match ranks {
            Ranks::FromZero => Some(number).filter(|&number| number < Square::RANKS),
            Ranks::FromOne => number.checked_sub(1),
        };
        let to = Square::new(self.to_file, rank(self.to_rank)?);
        let from_rank = match self.rank {
            Some(number) => Some(rank(number)?),
            None => None,
        };
        if let (Some(file), Some(rank), None) = (self.file, from_rank, self.piece) {
            return Some(Move::new(Square::new(file, rank), to)).filter(|&mv| position.can_play(mv));
        }
        let kind = self.piece?;
        let moves = position.legal_moves();
        let mut fitting = moves.iter().copied().filter(|mv| {
            mv.to() == to
                && position.piece_on(mv.from()).is_some_and(|piece| piece.kind() == kind)
                && self.file.is_none_or(|file| file == mv.from().file())
                && from_rank.is_none_or(|rank| rank == mv.from().rank())
        });
        fitting.next().filter(|_| fitting.next().is_none())
    }
}

fn take_file(rest: &mut &[u8]) -> Option<u8> {
    let (&first, after) = rest.split_first()?;
    let letter = first.to_ascii_lowercase();
    (b'a'..=b'i').contains(&letter).then(|| {
        *rest = after;
        letter - b'a'
    })
}

/// Consumes a rank, `0` to `10`.
fn take_rank(rest: &mut &[u8]) -> Option<u8> {
    if let [b'1', b'0', after @ ..] = *rest {
        *rest = after;
        return Some(10);
    }
    let (&first, after) = rest.split_first()?;
    first.is_ascii_digit().then(|| {
        *rest = after;
        first - b'0'
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &str, is_western: bool) -> Result<String, String> {
        line_from(&Position::start(), words, is_western)
    }

    fn line_from(start: &Position, words: &str, is_western: bool) -> Result<String, String> {
        let words: Vec<&str> = words.split(' ').collect();
        let Played { moves, fault, .. } = play(start, &words, is_western, None);
        match fault {
            None => Ok(moves.iter().map(|(_, mv)| mv.to_string()).collect::<Vec<_>>().join(" ")),
            Some((index, fault)) => Err(format!("{index} {fault}")),
        }
    }

    #[test]
    fn marks_of_words_are_found() {
        let signs =
            ["h2e2!", "炮二平五？！", "$4", "$10", "$0", "$x", "!!", "h2e2", "1.", "", "C5+4+!", "h2e2?+", "++"];
        assert_eq!(signs.map(marks), ["!", "?!", "??", "$10", "$0", "$x", "!!", "", "", "", "!", "?", ""]);
    }

    #[test]
    fn rank_ten_implies_ranks_from_one() {
        assert_eq!(line("h3e3 h10g8", false).as_deref(), Ok("h2e2 h9g7"));
        assert_eq!(line("h2e2 h9g7 b0c2", true).as_deref(), Ok("h2e2 h9g7 b0c2"));
        // Undetermined: ranks from 0 are tried first.
        assert_eq!(line("h2e2 b7e7", true).as_deref(), Ok("h2e2 b7e7"));
        assert_eq!(line("h3e3 b8e8", true).as_deref(), Ok("h2e2 b7e7"));
        assert!(line("h3e3 b8e8", false).is_err());
        assert!(line("Ce2", true).is_err(), "both cannons can go there");
    }

    #[test]
    fn the_form_of_moves_is_recognised() {
        for word in ["h2e2", "H2-E2!", "h10g8", "1.C2.5", "1、炮二平五", "11.2", "前兵平四", "R+-1", "9...马8进7"]
        {
            assert!(is_like_a_move(word), "{word}");
        }
        for word in ["Dear", "a1", "1.", "3/4", "h2e", "0.5", "Ce3", "1", "--", "", "rnba/9", "炮二平", "2024.5"] {
            assert!(!is_like_a_move(word), "{word}");
        }
        assert!(is_number("12") && is_number("1...") && is_number("3、") && is_number("１２．") && !is_number("12x"));
    }

    #[test]
    fn the_whole_list_tells_vietnamese_from_wxf() {
        // A cannon on file 2 behind a pawn beyond the river.
        let start = Position::from_fen("3k5/9/9/7P1/9/9/9/7C1/9/4K4 w").unwrap();
        for (words, expected) in [
            ("P2.3 K4+1", Ok("h6g6 d9d8")),
            ("P2.3 Tg4.1", Ok("h2h5 d9d8")),
            ("P2.3", Ok("h6g6")),
            ("P2.3 Tg4.1 X1-2", Err("2 'X1-2' is not a legal move here (ply 3)")),
        ] {
            let told = line_from(&start, words, true);
            assert_eq!(told.as_deref().map_err(|fault| &fault[..expected.err().map_or(0, str::len)]), expected);
        }
        // Words of both in one list are refused.
        assert!(line("P2-5 M8.7 H2+3", true).is_err() && line("C2=5 M8.7", true).is_err());
    }

    #[test]
    fn a_letter_is_a_piece_where_the_game_names_pieces() {
        // A horse on c4, and of the two cannons on file a that on rank 4, can go to a5.
        let start = Position::from_fen("4k4/9/C8/9/9/C1N6/9/9/9/3K5 w").unwrap();
        for (words, expected) in [(&["C4a5", "e9e8"][..], "c4a5"), (&["C4a5", "Ke8"], "a4a5"), (&["C7a6"], "a7a6")] {
            assert_eq!(play(&start, words, true, None).moves[0].1.to_string(), expected, "{words:?}");
        }
    }
}
