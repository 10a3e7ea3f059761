//! Reader of the DhtmlXQ format of web pages.
//!
//! ```text
//! [DhtmlXQ]
//! [DhtmlXQ_title]…[/DhtmlXQ_title]
//! [DhtmlXQ_binit]0919293949596979891777062646668600102030405060708012720323436383[/DhtmlXQ_binit]
//! [DhtmlXQ_movelist]77477062…[/DhtmlXQ_movelist]
//! [/DhtmlXQ]
//! ```
//!
//! Squares are two digits, column and row from the upper left. A page may contain several games surrounded by any text.

use std::io::BufRead;

use super::dhtmlxq_fields::{Field, MARK, fields, move_list, pairs, square};
use super::dhtmlxq_variations;
use super::game::{Game, GameError, GameFault, GameResult, Location, MAX_COMMENTS, tidy_comment};
use super::piece_list::{self, PieceList};
use super::text_encoding::{MAX_LINE_BYTES, TextLine, TextLines};
use super::warnings::WarningKind;
use crate::position::{Position, Strictness};
use crate::types::Side;

/// Begins the marks of games, such as `[DhtmlXQ]` and `[DhtmlXQiFrame]`, and of fields.
const ANY: &str = "[DhtmlXQ";
const ANY_END: &str = "[/DhtmlXQ";
const OFF_THE_BOARD: &str = "99";

/// Tags with the names of their fields: the one that is written, and another that counts more when it is read.
pub(super) const FIELDS: [(&str, &str, Option<&str>); 13] = [
    ("Event", "event", None),
    ("Title", "title", None),
    ("Site", "place", None),
    ("Date", "date", None),
    ("Round", "round", None),
    ("RedTeam", "redteam", None),
    ("Red", "red", Some("redname")),
    ("BlackTeam", "blackteam", None),
    ("Black", "black", Some("blackname")),
    ("Opening", "open", None),
    ("TimeControl", "timerule", None),
    ("Annotator", "remark", None),
    ("Author", "author", None),
];

/// Iterator over the games of a page.
#[derive(Debug)]
pub struct DhtmlXqReader<R> {
    /// `None` after a read error.
    lines: Option<TextLines<R>>,
    strictness: Strictness,
    /// Line that has been consumed up to this byte.
    held: Option<(TextLine, usize)>,
}

impl<R: BufRead> DhtmlXqReader<R> {
    /// Creates a reader.
    pub fn new(reader: R, strictness: Strictness) -> DhtmlXqReader<R> {
        DhtmlXqReader { lines: Some(TextLines::new(reader)), strictness, held: None }
    }

    /// Returns the next line and the byte to continue from.
    fn next_line(&mut self) -> Result<Option<(TextLine, usize)>, GameError> {
        if let Some(held) = self.held.take() {
            return Ok(Some(held));
        }
        let Some(lines) = self.lines.as_mut() else { return Ok(None) };
        match lines.next_line() {
            Ok(Some(line)) if line.is_cut => {
                // The boundary between two games may be in the truncated part.
                let fault = GameFault::TooMuch { what: "bytes in a line", max: MAX_LINE_BYTES };
                Err(GameError::in_line(line.number, fault))
            }
            Ok(line) => Ok(line.map(|line| (line, 0))),
            Err(error) => {
                let number = lines.number() + 1;
                self.lines = None;
                Err(GameError::in_line(number, error))
            }
        }
    }

    /// Returns the number of the first line of the next game, and its text from the first mark to its end.
    fn next_block(&mut self) -> Result<Option<(u64, String)>, GameError> {
        let mut block: Option<(u64, String)> = None;
        while let Some((line, from)) = self.next_line()? {
            let begin = if block.is_some() { Some(from) } else { line.text[from..].find(ANY).map(|at| from + at) };
            let Some(begin) = begin else { continue };
            let text = &line.text[begin..];
            // A game without an end mark ends where the next one begins.
            let own = if block.is_none() && is_mark_of_game(text, ANY) { ANY.len() } else { 0 };
            let cut = text.match_indices('[').map(|(at, _)| at).filter(|&at| at >= own).find_map(|at| {
                let mark = &text[at..];
                let is_end = is_mark_of_game(mark, ANY_END).then_some(at + ANY_END.len());
                is_end.or_else(|| is_mark_of_game(mark, ANY).then_some(at))
            });
            let (_, collected) = block.get_or_insert_with(|| (line.number, String::new()));
            let piece = &text[..cut.unwrap_or(text.len())];
            if collected.len() + piece.len() > MAX_COMMENTS {
                let fault = GameFault::TooMuch { what: "bytes of text in a game", max: MAX_COMMENTS };
                return Err(GameError::in_line(line.number, fault));
            }
            collected.push_str(piece);
            collected.push('\n');
            if let Some(cut) = cut {
                self.held = Some((line, begin + cut));
                break;
            }
        }
        Ok(block)
    }
}

impl<R: BufRead> DhtmlXqReader<R> {
    /// Returns the next block that contains a game.
    fn next_game_block(&mut self) -> Option<Result<(u64, String), GameError>> {
        loop {
            match self.next_block() {
                Err(error) => return Some(Err(error)),
                Ok(None) => return None,
                // A block without any field is not a game.
                Ok(Some((_, block))) if !block.contains(MARK) => {}
                Ok(Some(found)) => return Some(Ok(found)),
            }
        }
    }
}

impl<R: BufRead> Iterator for DhtmlXqReader<R> {
    type Item = Result<Game, GameError>;

    fn next(&mut self) -> Option<Result<Game, GameError>> {
        let block = self.next_game_block()?;
        Some(block.and_then(|(number, block)| parse(number, &block, self.strictness)))
    }
}

/// Returns whether a text begins with a mark of a game that begins like this; those of fields go on with `_`.
fn is_mark_of_game(text: &str, start: &str) -> bool {
    text.strip_prefix(start).is_some_and(|rest| !rest.starts_with('_'))
}

fn parse(first_line: u64, block: &str, strictness: Strictness) -> Result<Game, GameError> {
    let fields = fields(first_line, block);
    let field = |name: &str| fields.iter().find(|field| field.name.eq_ignore_ascii_case(name));
    let in_field = |field: &Field<'_>, fault: GameFault| GameError::in_line(field.line, fault);

    let mut game = Game::default();
    for (tag, written, other) in FIELDS {
        for name in other.into_iter().chain([written]) {
            let value = field(name).map_or("", |field| field.value);
            game.add_tag(tag, &value.replace("||", " ").trim().replace('\n', " "));
        }
    }
    // Many forms of the result exist; unknown ones are kept as a tag.
    let result = field("result").map_or("", |field| field.value).trim();
    match GameResult::from_text(result) {
        Some(result) => game.result = result,
        None => game.add_tag("ResultText", result),
    }

    let list = field("movelist");
    let (moves, mut fault) = list.map_or_else(Default::default, |field| move_list(field.value));
    let pieces = match field("binit").filter(|field| !field.value.trim().is_empty()) {
        Some(field) => {
            let board = pieces(field.value).and_then(|pieces| piece_list::board(&pieces));
            Some((field, board.map_err(|fault| in_field(field, fault))?))
        }
        None => None,
    };
    let fen = field("fen").filter(|field| !field.value.trim().is_empty());
    game.start = match (fen, pieces) {
        (Some(field), _) => {
            let parsed = Position::parse_fen(field.value, strictness);
            parsed.map_err(|error| in_field(field, error.into()))?.position
        }
        (None, Some((field, pieces))) => {
            let first = moves.first().map(|mv| mv.from());
            let (start, warning) =
                piece_list::start(&pieces, first, Side::Red, strictness).map_err(|fault| in_field(field, fault))?;
            if let Some(warning) = warning {
                game.warnings.add(WarningKind::Corrected, Location::Line(field.line), warning);
            }
            start
        }
        (None, None) => Position::start(),
    };
    let mut position = game.start.clone();
    for (index, mv) in moves.into_iter().enumerate() {
        if let Some(illegal) = GameFault::of_move(&position, index + 1, mv) {
            fault = Some(illegal);
            break;
        }
        position.make(mv);
        game.push(mv, String::new());
    }
    if let Some(fault) = fault {
        game.cut(&GameError::in_line(list.map_or(first_line, |field| field.line), fault));
    }
    for field in &fields {
        let Some(ply) = field.name.strip_prefix("comment").and_then(|ply| ply.parse::<usize>().ok()) else { continue };
        let comment = tidy_comment(&field.value.replace("||", "\n"));
        match ply.checked_sub(1) {
            None => game.comment = comment,
            Some(index) => {
                if let Some(played) = game.nodes.get_mut(index) {
                    played.comment = comment;
                }
            }
        }
    }
    dhtmlxq_variations::add(&mut game, &fields);
    Ok(game)
}

fn pieces(text: &str) -> Result<PieceList, GameFault> {
    let pairs = pairs(text)?;
    if pairs.len() != 32 {
        return Err(GameFault::Malformed(format!("{} pieces instead of 32", pairs.len())));
    }
    let mut pieces = [None; 32];
    for (slot, pair) in pieces.iter_mut().zip(&pairs) {
        *slot = square(pair);
        if slot.is_none() && pair != OFF_THE_BOARD {
            return Err(GameFault::Malformed(format!("'{pair}' is not a square of the board")));
        }
    }
    Ok(pieces)
}
