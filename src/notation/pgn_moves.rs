//! Move text of PGN files and of lists of moves.
//!
//! Converts words to moves. Besides the dialects of [`crate::notation`], it accepts move numbers, annotation marks,
//! ranks counted from 1, and the short algebraic style of Western programs such as `Ce3` and `Hb1xc3`.

use super::error::closest_by;
use super::game::{GameFault, MAX_PLIES};
use super::normal_form::is_described;
use super::{Dialect, NotationError, NotationFault, read, read_in};
use crate::position::Position;
use crate::types::{Move, Piece, Side, Square};

/// Characters of annotation marks.
pub(super) const MARKS: [char; 4] = ['!', '?', '！', '？'];
/// Annotation marks that PGN numbers from 1.
const SIGNS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

/// Number of the lowest rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ranks {
    FromZero,
    FromOne,
}

/// Parses the words of a game as moves.
///
/// `is_western` is set if the game may come from a program that counts ranks from 1; `dialect` is the one that the file
/// declares.
///
/// # Errors
/// Index of the wrong word, and the error.
pub fn play(
    start: &Position,
    words: &[&str],
    is_western: bool,
    dialect: Option<Dialect>,
) -> Result<Vec<(usize, Move)>, (usize, GameFault)> {
    let numbers = words.iter().flat_map(|word| candidates(word)).flat_map(ranks_in);
    let (mut has_ten, mut has_zero) = (false, false);
    for rank in numbers {
        has_ten |= rank == 10;
        has_zero |= rank == 0;
    }
    if has_ten && !has_zero {
        return play_with(start, words, Ranks::FromOne, dialect);
    }
    let played = play_with(start, words, Ranks::FromZero, dialect);
    match played {
        // Of two faults the later one is nearer to what was meant.
        Err((index, fault)) if is_western && !has_zero => play_with(start, words, Ranks::FromOne, dialect)
            .map_err(|other| if other.0 > index { other } else { (index, fault) }),
        played => played,
    }
}

fn play_with(
    start: &Position,
    words: &[&str],
    ranks: Ranks,
    dialect: Option<Dialect>,
) -> Result<Vec<(usize, Move)>, (usize, GameFault)> {
    let mut position = start.clone();
    let mut moves = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let mut first_fault = None;
        let mut found = None;
        for text in candidates(word) {
            match read_move(&position, text, ranks, dialect) {
                Ok(mv) => {
                    found = Some(mv);
                    break;
                }
                Err(reason) => {
                    first_fault.get_or_insert(reason);
                }
            }
        }
        match (found, first_fault) {
            (Some(_), _) if moves.len() == MAX_PLIES => {
                return Err((index, GameFault::TooMuch { what: "plies", max: MAX_PLIES }));
            }
            (Some(mv), _) => {
                position.make(mv);
                moves.push((index, mv));
            }
            (None, Some(reason)) => return Err((index, GameFault::in_word(moves.len() + 1, &reason))),
            // Move number, annotation mark, or dots.
            (None, None) => {}
        }
    }
    Ok(moves)
}

/// Returns `true` for a word without a move: a number, dots or a mark.
pub(super) fn is_number(word: &str) -> bool {
    candidates(word).next().is_none()
}

/// Returns `true` if a word, with or without a number in front, has the form of a move in some notation.
pub(super) fn is_like_a_move(word: &str) -> bool {
    let is_exact =
        |points: PartialCoordinates| points.piece.is_none() && points.file.is_some() && points.rank.is_some();
    candidates(word).any(|text| PartialCoordinates::read(text).is_some_and(is_exact) || is_described(text))
}

/// Returns the annotation marks of a word, such as `!?` of `h2e2!?`, which `$5` stands for as well: empty if it has
/// none. Numbers of marks that have no sign keep their form.
pub(super) fn marks(word: &str) -> String {
    if let Some(number) = word.strip_prefix('$') {
        let sign = number.parse().ok().and_then(|number: usize| SIGNS.get(number.checked_sub(1)?));
        return sign.map_or(word, |sign| sign).to_owned();
    }
    let marks = &word[word.trim_end_matches(MARKS).len()..];
    marks.replace('！', "!").replace('？', "?")
}

/// Returns `true` for an ASCII or full-width digit.
pub(super) fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || ('０'..='９').contains(&c)
}

/// Returns the parts of a word that may be a move: none for numbers and marks, two where a number may belong to it.
fn candidates(word: &str) -> impl Iterator<Item = &str> {
    const DOTS: [char; 6] = ['.', '…', '、', '．', '。', ':'];
    let word = word.trim_end_matches(MARKS);
    let rest = word.trim_start_matches(is_digit);
    let after_dots = rest.trim_start_matches(DOTS);
    let (whole, part) = if word.starts_with('$') || after_dots.is_empty() {
        (None, None)
    } else if rest.len() == word.len() {
        (None, Some(after_dots))
    } else if after_dots.len() == rest.len() {
        // A WXF pawn move may begin with a digit, and a move number may lack its dot.
        (Some(word), (!rest.is_ascii()).then_some(rest))
    } else if after_dots.starts_with(is_digit) {
        (Some(word), Some(after_dots))
    } else {
        (None, Some(after_dots))
    };
    whole.into_iter().chain(part)
}

fn read_move(position: &Position, text: &str, ranks: Ranks, dialect: Option<Dialect>) -> Result<Move, String> {
    // The declared dialect resolves words that two dialects read differently.
    if let Some(mv) = dialect.and_then(|dialect| read_in(position, text, dialect).ok()) {
        return Ok(mv);
    }
    match PartialCoordinates::read(text) {
        Some(points) => points.find(position, ranks).ok_or_else(|| points.fault(position, text, ranks)),
        None => read(position, text).map_err(|error| error.to_string()),
    }
}

/// Returns the ranks in a word, as written.
fn ranks_in(text: &str) -> impl Iterator<Item = u8> {
    let coordinates = PartialCoordinates::read(text);
    coordinates.into_iter().flat_map(|coordinates| [coordinates.rank, Some(coordinates.to_rank)]).flatten()
}

/// Move in coordinates, possibly incomplete: `h2e2`, `H3-E3`, `Ce3`, `Hb1xc3+`.
struct PartialCoordinates {
    piece: Option<char>,
    file: Option<u8>,
    rank: Option<u8>,
    to_file: u8,
    to_rank: u8,
}

impl PartialCoordinates {
    fn read(text: &str) -> Option<PartialCoordinates> {
        if !text.is_ascii() || text.len() > 9 {
            return None;
        }
        let is_exact = |move_text: &PartialCoordinates| move_text.file.is_some() && move_text.rank.is_some();
        PartialCoordinates::read_from(text, None).filter(is_exact).or_else(|| {
            let letter = text.chars().next().filter(char::is_ascii_uppercase)?;
            Piece::from_letter(letter)?;
            PartialCoordinates::read_from(&text[1..], Some(letter))
        })
    }

    fn read_from(text: &str, piece: Option<char>) -> Option<PartialCoordinates> {
        let mut rest = text.trim_end_matches(['+', '#']).as_bytes();
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
                Some(PartialCoordinates { piece, file: first_file, rank: first_rank, to_file, to_rank })
            }
            (None, None) => {
                Some(PartialCoordinates { piece, file: None, rank: None, to_file: first_file?, to_rank: first_rank? })
            }
            _ => None,
        }
    }

    /// Returns the error message if not exactly one legal move matches.
    fn fault(&self, position: &Position, text: &str, ranks: Ranks) -> String {
        if self.piece.is_none()
            && ranks == Ranks::FromZero
            && let Err(error) = read(position, text)
        {
            return error.to_string();
        }
        let first = u8::from(ranks == Ranks::FromOne);
        let point = |square: Square| format!("{}{}", char::from(b'a' + square.file()), square.rank() + first);
        let letter = |mv: Move| self.piece.and_then(|_| position.piece_on(mv.from())).map(|piece| piece.kind());
        let words = |mv: Move| {
            let letter = letter(mv).map(|kind| Piece::new(Side::Red, kind).letter());
            format!("{}{}{}", letter.map_or_else(String::new, String::from), point(mv.from()), point(mv.to()))
        };
        let candidates = closest_by(position, text, &words);
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
        let kind = self.piece.and_then(Piece::from_letter)?.kind();
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
        let words: Vec<&str> = words.split(' ').collect();
        match play(&Position::start(), &words, is_western, None) {
            Ok(moves) => Ok(moves.iter().map(|(_, mv)| mv.to_string()).collect::<Vec<_>>().join(" ")),
            Err((index, fault)) => Err(format!("{index} {fault}")),
        }
    }

    #[test]
    fn numbers_marks_and_dots_are_ignored() {
        for words in
            ["h2e2 h9g7", "1. h2e2 h9g7", "1.h2e2 1...h9g7", "1. h2e2! $1 1... h9g7!? 2.", "1、H2-E2？ … h9-g7"]
        {
            assert_eq!(line(words, false).as_deref(), Ok("h2e2 h9g7"), "{words}");
        }
        assert!(line("1. h2e2 h9g7 x", false).unwrap_err().starts_with("3 'x'"));
    }

    #[test]
    fn marks_of_words_are_found() {
        let signs = ["h2e2!", "炮二平五？！", "$4", "$10", "$0", "$x", "!!", "h2e2", "1.", ""];
        assert_eq!(signs.map(marks), ["!", "?!", "??", "$10", "$0", "$x", "!!", "", "", ""]);
    }

    #[test]
    fn rank_ten_implies_ranks_from_one() {
        assert_eq!(line("h3e3 h10g8", false).as_deref(), Ok("h2e2 h9g7"));
        assert_eq!(line("h2e2 h9g7 b0c2", true).as_deref(), Ok("h2e2 h9g7 b0c2"));
        // Undetermined: ranks from 0 are tried first.
        assert_eq!(line("h2e2 b7e7", true).as_deref(), Ok("h2e2 b7e7"));
        assert_eq!(line("h3e3 b8e8", true).as_deref(), Ok("h2e2 b7e7"));
        assert!(line("h3e3 b8e8", false).is_err());
    }

    #[test]
    fn errors_count_ranks_as_the_game_does() {
        let fault = |words| line(words, true).unwrap_err();
        assert_eq!(fault("h2e9"), "0 'h2e9' is not a legal move here; closest legal move: h2e2 (ply 1)");
        let from_one = "1 'h10g9' is not a legal move here; closest legal move: h10g8 (h9g7) (ply 2)";
        assert_eq!(fault("h3e3 h10g9"), from_one);
        assert_eq!(fault("h3e3 h8e9"), "1 'h8e9' is not a legal move here; closest legal move: h8e8 (h7e7) (ply 2)");
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
    fn short_style_must_be_unambiguous() {
        assert_eq!(line("Che3 Hg8", true).as_deref(), Ok("h2e2 h9g7"));
        assert_eq!(line("Ch3-e3 Hh10g8 Nc3", true).as_deref(), Ok("h2e2 h9g7 b0c2"));
        assert!(line("Ce2", true).is_err(), "both cannons can go there");
    }
}
