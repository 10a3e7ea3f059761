//! Game files in Xiangqi PGN.
//!
//! Moves are read in every dialect, that of the `Format` tag first, in UTF-8 or GBK. Text in parentheses is a
//! variation if all its words are legal moves there, and a comment otherwise. Marks of moves, such as `!` and `$4`, become the first words of their comments.
//! Games are written in UTF-8.

use std::io::{self, BufRead, Write};

use super::game::{Game, GameError, GameFault, GameResult, Location, is_known, shortened, tidy_comment};
use super::pgn_moves::{self, Played, Reading};
use super::pgn_text::{RawGame, RawGames, Style, Token, TokenKind};
use super::pgn_variations;
use super::warnings::WarningKind;
use super::{Dialect, write};
use crate::position::{Position, START_FEN, Strictness};
use crate::types::{Move, Side};

/// Maximum width of lines of moves.
const WIDTH: usize = 79;
/// Number of legal moves that prove the side to move if the next word is none.
const MIN_MOVES: usize = 4;
/// Length of text after which it is written to the output.
const MAX_BUFFERED: usize = 1 << 16;
/// Tags that correspond to fields of [`Game`].
const OWN_TAGS: [&str; 5] = ["Game", "Result", "FEN", "SetUp", "Format"];

/// Iterator over the games of a file; see [`super::move_list`] for the form of lists.
pub struct PgnReader<R> {
    games: RawGames<R>,
    style: Style,
    strictness: Strictness,
}

impl<R: BufRead> PgnReader<R> {
    /// Creates a reader of PGN or of a list of moves.
    pub fn new(reader: R, style: Style, strictness: Strictness) -> PgnReader<R> {
        PgnReader { games: RawGames::new(reader, style), style, strictness }
    }
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = Result<Game, GameError>;

    fn next(&mut self) -> Option<Result<Game, GameError>> {
        let raw = self.games.next_game().transpose()?;
        Some(raw.and_then(|raw| parse(raw, self.style, self.strictness)).map(|parsed| {
            let Parsed { game, moves, tokens, reading } = parsed;
            pgn_variations::join(game, moves, tokens, self.style, reading)
        }))
    }
}

/// Game whose moves are found but not yet joined with the comments.
struct Parsed {
    /// The game without moves and comments.
    game: Game,
    /// Moves with the index of their word.
    moves: Vec<(usize, Move)>,
    tokens: Vec<Token>,
    reading: Reading,
}

/// Parses the tokens of a game.
///
/// # Errors
/// The first error in it.
fn parse(mut raw: RawGame, style: Style, strictness: Strictness) -> Result<Parsed, GameError> {
    if let Some(error) = raw.fault {
        return Err(error);
    }
    if raw.lacks_moves() {
        let fault = GameFault::Malformed("a WXF file without START{ and moves".to_owned());
        return Err(GameError::in_line(raw.first_line, fault));
    }
    let find = |name: &str| raw.tags.iter().find(|(_, other, _)| other.eq_ignore_ascii_case(name));
    let mut game = Game::default();
    // A FEN tag counts with or without SetUp.
    if let Some((line, _, fen)) = find("FEN").filter(|(_, _, fen)| !fen.trim().is_empty()) {
        let parsed = Position::parse_fen(fen, strictness);
        game.start = parsed.map_err(|error| GameError::in_line(*line, error))?.position;
    }
    // The result after the moves takes precedence over the tag unless it is a star.
    game.result = match (raw.result, find("Result")) {
        (Some(result), _) if result != GameResult::Unknown => result,
        (_, Some((line, _, text))) if is_known(text) => {
            let result = GameResult::from_text(text);
            result.ok_or_else(|| GameError::in_line(*line, GameFault::Result(shortened(text))))?
        }
        _ => GameResult::Unknown,
    };
    let of_first = raw.is_result_of_first || find("Result").is_some_and(|(_, _, text)| GameResult::names_no_side(text));
    if of_first && game.start.side() == Side::Black {
        // Some authors mean the side that moves first, others Red.
        game.result = GameResult::Unknown;
    }
    // Western programs name the variant; the origin of a list is unknown.
    let is_western = style == Style::List || find("Variant").is_some();
    let words: Vec<&Token> = raw.tokens.iter().filter(|token| token.kind == TokenKind::Word).collect();
    let texts: Vec<&str> = words.iter().map(|token| token.text.as_str()).collect();
    let dialect = find("Format").and_then(|(_, _, name)| declared_dialect(name));
    let play = |start: &Position| pgn_moves::play(start, &texts, is_western, dialect);
    let given = find("FEN").filter(|_| !raw.has_named_start).map(|(line, ..)| Location::Line(*line));
    let Played { moves, warnings, fault, reading } = play_from_right_side(&mut game, given, strictness, play);
    for (index, warning) in warnings {
        game.warnings.add(WarningKind::Corrected, Location::Line(words[index].line), warning);
    }
    if let Some(line) = raw.split_in {
        game.warnings.add(WarningKind::Corrected, Location::Line(line), "number 1 begins another game within the line");
    }
    if let Some((index, fault)) = fault {
        let error = GameError::in_line(words[index].line, fault);
        // Without any legal move from the usual start, the notation is not understood.
        if moves.is_empty() && find("FEN").is_none() {
            return Err(error);
        }
        game.cut(&error);
        let end = raw.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word).nth(index);
        let end = end.map_or(raw.tokens.len(), |(end, _)| end);
        raw.tokens.truncate(end);
    }
    let is_own = |name: &str| OWN_TAGS.iter().any(|own| own.eq_ignore_ascii_case(name));
    game.tags =
        raw.tags.into_iter().filter(|(_, name, _)| !is_own(name)).map(|(_, name, value)| (name, value)).collect();
    Ok(Parsed { game, moves, tokens: raw.tokens, reading })
}

/// Plays the moves of a game. Programs and authors write FENs with Red to move whoever is: where the FEN at this place
/// contradicts the first move, the side that moves first is corrected with a warning.
pub(super) fn play_from_right_side(
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
        && let Some((other, reason)) = with_other_side(&game.start, strictness)
    {
        let other_played = play(&other);
        let count = other_played.moves.len();
        if other_played.fault.is_none() && count > 0 || count >= MIN_MOVES {
            game.warnings.add(WarningKind::Corrected, place, reason);
            game.start = other;
            return other_played;
        }
    }
    played
}

/// Returns the position with the other side to move, if it is valid, and the warning about it.
fn with_other_side(position: &Position, strictness: Strictness) -> Option<(Position, String)> {
    let fields = [" w ", " b "];
    let side = position.side().index();
    let fen = position.to_string().replacen(fields[side], fields[1 - side], 1);
    let other = Position::parse_fen(&fen, strictness).ok()?.position;
    let (wrong, side) = (position.side(), other.side());
    let reason = format!("the FEN has {wrong} to move, but the first move is {side}'s: {side} is taken to move");
    Some((other, reason))
}

/// Writes a game with its variations in parentheses, followed by an empty line.
///
/// In comments, braces become `｛` and `｝`, because programs differ in how they read nested braces.
///
/// # Errors
/// Errors of `out`.
pub fn write_game(out: &mut impl Write, game: &Game, dialect: Dialect) -> io::Result<()> {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| text.push_str(&format!("[{name} \"{}\"]\n", escaped(value)));
    tag("Game", "Chinese Chess");
    for (name, value) in &game.tags {
        if is_tag_name(name) && !OWN_TAGS.iter().any(|own| own.eq_ignore_ascii_case(name)) {
            tag(name, value);
        }
    }
    tag("Result", game.result.text());
    let fen = game.start.to_string();
    if fen != START_FEN {
        tag("SetUp", "1");
        tag("FEN", &fen);
    }
    tag("Format", format_name(dialect));
    text.push('\n');

    let mut lines = Lines { out, text, width: 0, word: String::new() };
    lines.comment(&game.comment)?;
    write_moves(&mut lines, game, dialect)?;
    lines.word(game.result.text().to_owned())?;
    lines.end_word();
    lines.text.push_str("\n\n");
    lines.flush()
}

/// Step of the writer of moves.
enum Step {
    /// The moves after a move that was written, or at the start.
    Continue(Option<usize>),
    /// This alternative and those after it, from the position after this number of plies.
    Alternatives(usize, usize),
    /// The end of an alternative, and those after it.
    Close(Option<usize>, usize),
}

/// Writes the moves of a tree with numbers, comments and variations. Of a line with an illegal move, those before it
/// are written.
fn write_moves(lines: &mut Lines<'_, impl Write>, game: &Game, dialect: Dialect) -> io::Result<()> {
    let children = game.links();
    let mut position = game.start.clone();
    let mut needs_number = true;
    let mut steps = vec![Step::Continue(None)];
    while let Some(step) = steps.pop() {
        let (index, opening) = match step {
            Step::Continue(parent) => {
                if let Some(parent) = parent {
                    position.make(game.nodes[parent].mv);
                }
                let Some(first) = children.first(parent) else { continue };
                if !position.can_play(game.nodes[first].mv) {
                    continue;
                }
                steps.push(Step::Continue(Some(first)));
                let alternatives = |next| Step::Alternatives(next, position.history().len());
                steps.extend(children.next(first).map(alternatives));
                (first, "")
            }
            Step::Alternatives(index, plies) => {
                if !position.can_play(game.nodes[index].mv) {
                    continue;
                }
                steps.extend([Step::Close(children.next(index), plies), Step::Continue(Some(index))]);
                needs_number = true;
                (index, "(")
            }
            Step::Close(next, plies) => {
                while position.history().len() > plies {
                    position.unmake();
                }
                lines.close()?;
                needs_number = true;
                steps.extend(next.map(|next| Step::Alternatives(next, plies)));
                continue;
            }
        };
        let node = &game.nodes[index];
        let number = position.move_number();
        if position.side() == Side::Red {
            lines.word(format!("{opening}{number}."))?;
        } else if needs_number {
            lines.word(format!("{opening}{number}..."))?;
        }
        lines.word(write(&position, node.mv, dialect))?;
        needs_number = lines.comment(&node.comment)?;
    }
    Ok(())
}

/// Returns the name of a dialect in the `Format` tag.
fn format_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Coordinate => "Coordinate",
        Dialect::Iccs => "ICCS",
        Dialect::Chinese | Dialect::ChineseCxa => "Chinese",
        Dialect::Wxf => "WXF",
        // These two contradict each other in a few positions, so the reader needs the name.
        Dialect::WxfOfficial => "WXF-Official",
        Dialect::WxfFairy => "WXF-Fairy",
        Dialect::Vietnamese => "Vietnamese",
    }
}

/// Returns the dialect of a `Format` tag.
fn declared_dialect(name: &str) -> Option<Dialect> {
    const DECLARED: [Dialect; 5] =
        [Dialect::Chinese, Dialect::Wxf, Dialect::WxfOfficial, Dialect::WxfFairy, Dialect::Vietnamese];
    DECLARED.into_iter().find(|&dialect| format_name(dialect).eq_ignore_ascii_case(name.trim()))
}

fn is_tag_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Escapes the value of a tag.
fn escaped(value: &str) -> String {
    let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    value.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Writer of moves and comments that wraps lines.
struct Lines<'a, W> {
    out: &'a mut W,
    text: String,
    width: usize,
    /// Word that is not in the text yet, since a bracket may close after it.
    word: String,
}

impl<W: Write> Lines<'_, W> {
    fn word(&mut self, word: String) -> io::Result<()> {
        self.end_word();
        self.word = word;
        if self.text.len() > MAX_BUFFERED { self.flush() } else { Ok(()) }
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let width = columns(&self.word);
        if self.width > 0 {
            let is_full = self.width + 1 + width > WIDTH;
            self.text.push(if is_full { '\n' } else { ' ' });
            self.width = if is_full { 0 } else { self.width + 1 };
        }
        self.text.push_str(&self.word);
        self.width += width;
        self.word.clear();
    }

    /// Closes a bracket, after a word without a blank.
    fn close(&mut self) -> io::Result<()> {
        if self.word.is_empty() {
            return self.word(")".to_owned());
        }
        self.word.push(')');
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }

    /// Writes a comment; returns whether there is one. It keeps its line breaks so that it round-trips.
    fn comment(&mut self, comment: &str) -> io::Result<bool> {
        let comment = tidy_comment(comment);
        if comment.is_empty() {
            return Ok(false);
        }
        let mut safe = String::with_capacity(comment.len() + 2);
        for (index, line) in comment.lines().enumerate() {
            // A line that begins with a bracket could be read as a tag; leading spaces are trimmed when reading.
            safe.push_str(if index == 0 { "{" } else { "\n " });
            safe.extend(line.chars().map(|c| match c {
                '{' => '｛',
                '}' => '｝',
                c if c.is_control() => ' ',
                c => c,
            }));
        }
        safe.push('}');
        let last_line = safe.rsplit('\n').next().unwrap_or_default().to_owned();
        let has_lines = last_line.len() < safe.len();
        self.word(safe)?;
        self.end_word();
        if has_lines {
            self.width = columns(&last_line);
        }
        Ok(true)
    }
}

/// Width of a text in terminal columns.
fn columns(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}
