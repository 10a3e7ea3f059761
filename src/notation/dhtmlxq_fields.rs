//! Fields of DhtmlXQ games: marks with names and values, and lists of squares in them.

use super::game::{GameFault, MAX_PLIES, shortened};
use crate::types::{Move, Square};

/// Begins the mark of a field.
pub(super) const MARK: &str = "[DhtmlXQ_";
const CLOSING_MARK: &str = "[/DhtmlXQ";

/// Field of a game with its name, value and line number.
pub(super) struct Field<'a> {
    pub(super) name: &'a str,
    pub(super) value: &'a str,
    pub(super) line: u64,
}

/// Returns the fields of a block of text.
pub(super) fn fields(first_line: u64, block: &str) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    let (mut rest, mut line) = (block, first_line);
    while let Some(at) = rest.find(MARK) {
        line += line_ends(&rest[..at]);
        rest = &rest[at + MARK.len()..];
        let Some((name, value)) = rest.split_once(']') else { break };
        let mut marks = value.match_indices('[').map(|(at, _)| at);
        let ends = |at: &usize| [MARK, CLOSING_MARK].iter().any(|mark| value[*at..].starts_with(mark));
        let end = marks.find(ends).unwrap_or(value.len());
        fields.push(Field { name, value: &value[..end], line });
        line += line_ends(&rest[..name.len() + 1 + end]);
        rest = &value[end..];
    }
    fields
}

fn line_ends(text: &str) -> u64 {
    text.bytes().filter(|&byte| byte == b'\n').count() as u64
}

/// Splits a string of digits into pairs.
pub(super) fn pairs(text: &str) -> Result<Vec<String>, GameFault> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if let Some(odd) = digits.chars().find(|c| !c.is_ascii_digit()) {
        return Err(GameFault::Malformed(format!("unexpected '{}' among the digits", shortened(&odd.to_string()))));
    }
    if !digits.len().is_multiple_of(2) {
        return Err(GameFault::Malformed("the number of digits is odd".to_owned()));
    }
    Ok((0..digits.len()).step_by(2).map(|i| digits[i..i + 2].to_owned()).collect())
}

/// Returns the square of two digits; `None` off the board.
pub(super) fn square(pair: &str) -> Option<Square> {
    let (column, row) = (pair.as_bytes()[0] - b'0', pair.as_bytes()[1] - b'0');
    (column < Square::FILES).then(|| Square::new(column, Square::RANKS - 1 - row))
}

/// Reads moves as pairs of squares. Returns them up to the first error, and the error.
pub(super) fn move_list(text: &str) -> (Vec<Move>, Option<GameFault>) {
    let mut moves = Vec::new();
    let mut digits = text.chars().filter(|c| !c.is_whitespace()).peekable();
    while digits.peek().is_some() {
        let word: String = digits.by_ref().take(4).collect();
        let fault = |reason| GameFault::in_move(moves.len() + 1, &reason);
        if moves.len() == MAX_PLIES {
            return (moves, Some(GameFault::TooMuch { what: "plies", max: MAX_PLIES }));
        }
        if let Some(odd) = word.chars().find(|c| !c.is_ascii_digit()) {
            let fault = fault(format!("unexpected '{odd}' among the digits"));
            return (moves, Some(fault));
        }
        if word.len() < 4 {
            let fault = fault(format!("'{word}' are not the four digits of a move"));
            return (moves, Some(fault));
        }
        let (Some(from), Some(to)) = (square(&word[..2]), square(&word[2..])) else {
            let fault = fault(format!("'{word}' are not squares of the board"));
            return (moves, Some(fault));
        };
        moves.push(Move::new(from, to));
    }
    (moves, None)
}
