//! Words of games as moves: of PGN, of lists of moves, and of lines of games.
//!
//! Besides the dialects of [`crate::notation`], they may have move numbers, annotation marks, ranks counted from 1, and
//! the algebraic notation of Western programs: `Ce3`, `Hb1xc3`, and of pawns `c4`, `cd5` and `cxd5` as in XBoard.
//!
//! A line of a game has result, start position and moves, separated by tabs:
//!
//! ```text
//! 1-0<TAB>FEN<TAB>h2e2 h9g7 …
//! ```
//!
//! The FEN may be empty or its column may be missing: then the game begins with the start position. Further columns are
//! ignored, and so are empty lines and those that begin with `#`.

use std::io::{self, BufRead, Write};

use super::described::{MARKS, is_described, without_marks};
use super::fault::{GameError, GameFault, Location};
use super::game::{Game, GameResult, MAX_PLIES};
use super::read::{Form, closest, lower, read_but_vietnamese};
use super::text_encoding::Records;
use super::turns::{Turns, moves_of};
use super::vietnamese::is_vietnamese;
use super::{Dialect, NotationError, NotationFault, read, read_in, write_line};
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
    /// Number of the lowest rank, 0 or 1.
    first_rank: u8,
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
            (Ok(_), _) if plies == MAX_PLIES => GameFault::TooMuch { what: "plies", max: MAX_PLIES },
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

/// Reads a word that may be a move: the part of it that is the move, and the move.
///
/// # Errors
/// The reason why it is no legal move.
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

/// Returns the annotation marks of a word, such as `!?` of `h2e2!?`, which `$5` stands for as well: empty if it has
/// none. Numbers of marks that have no sign keep their form.
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

    /// Returns the error message if not exactly one legal move matches.
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
        let candidates = closest(position, text, |mv| [(lower as Form, words(mv))]);
        NotationError::new(position, text, NotationFault::NoSuchMove, candidates).to_string()
    }

    /// Returns the only legal move that matches.
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

/// Consumes a rank, `0` to `10`.
fn take_rank(rest: &mut &[u8]) -> Option<u8> {
    let (rank, after) = match *rest {
        [b'1', b'0', after @ ..] => (10, after),
        [digit @ b'0'..=b'9', after @ ..] => (digit - b'0', after),
        _ => return None,
    };
    *rest = after;
    Some(rank)
}

/// Iterates over the games of a file with one in each line.
pub fn games_of_lines(reader: impl BufRead, strictness: Strictness) -> impl Iterator<Item = Result<Game, GameError>> {
    Records::new(reader).parsed(move |number, line| read_game(number, line, strictness))
}

fn read_game(number: u64, line: &str, strictness: Strictness) -> Result<Game, GameFault> {
    let mut columns = line.split('\t').map(str::trim);
    let first = columns.next().unwrap_or_default();
    let result = if first.is_empty() { Some(GameResult::Unknown) } else { GameResult::from_text(first) };
    let result = result.ok_or_else(|| GameFault::result(first))?;
    let (mut fen, mut moves) = (columns.next().unwrap_or_default(), columns.next());
    // Without a FEN, the moves may be in its column.
    let begins_with_a_move =
        |text: &str| text.split_ascii_whitespace().next().is_some_and(|word| word.parse::<Move>().is_ok());
    if !fen.is_empty() && !fen.contains('/') && !moves.is_some_and(begins_with_a_move) {
        (fen, moves) = ("", Some(fen));
    }
    let place = Location::Line(number);
    let given = (!fen.is_empty()).then_some(place);
    let start = if fen.is_empty() { Position::start() } else { Position::parse_fen(fen, strictness)?.position };
    let mut game = Game { start, result, ..Game::default() };
    let words: Vec<&str> = moves.unwrap_or_default().split_ascii_whitespace().collect();
    let played = play_from_right_side(&mut game, given, strictness, |start| play(start, &words, false, None));
    played.warnings.into_iter().for_each(|(_, warning)| game.warnings.add_correction(place, warning));
    played.moves.into_iter().for_each(|(_, mv)| game.push(mv, String::new()));
    if let Some((_, fault)) = played.fault {
        // Without any legal move from the usual start, the notation is not understood.
        if game.nodes.is_empty() && given.is_none() {
            return Err(fault);
        }
        game.cut(&GameError::in_line(number, fault));
    }
    Ok(game)
}

/// Writes a game as one line, without tags, comments and variations.
pub fn write_as_line(out: &mut impl Write, game: &Game, dialect: Dialect) -> io::Result<()> {
    let fen = if game.start == Position::start() { String::new() } else { game.start.to_string() };
    writeln!(out, "{}\t{fen}\t{}", game.result, write_line(&game.start, &game.line(), dialect).join(" "))
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
