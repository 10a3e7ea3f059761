//! State of a game for a page: board, legal moves, notations and verdict.

use serde::Serialize;

use super::answer::RequestFault;
use super::explain::{VerdictObject, Words};
use super::request::{Line, ReadMove, SetUp};
use super::share::EngineShare;
use crate::console::output::side_name;
use crate::notation::game::MAX_PLIES;
use crate::notation::opening_name::OpeningName;
use crate::notation::{self, Dialect};
use crate::position::{Position, Strictness};
use crate::rules::{MoveCount, RuleSet, Rules};
use crate::tablebase::{Outcome, TablebaseValue};
use crate::types::{Move, Square};

/// State of a game after its last move.
#[derive(Clone, Debug, Serialize)]
pub struct PositionObject {
    /// FEN of the position.
    fen: String,
    /// 90 letters from a9 to i0, a dot for an empty square.
    board: String,
    /// Side to move, `red` or `black`.
    side: &'static str,
    /// Legal moves; none when the game is over.
    legal: Vec<String>,
    /// Square of the king that is in check.
    check: Option<String>,
    /// Moves of the line.
    moves: Vec<MoveObject>,
    /// Name of the opening, by the moves from the start of the game.
    opening: Option<Words>,
    /// Verdict on the game.
    verdict: VerdictObject,
    /// Plies that count towards the natural move limit.
    counted_plies: usize,
    /// The limit.
    move_limit: u16,
}

/// Move in all notations that the page shows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MoveObject {
    /// Coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// Chinese.
    pub chinese: String,
    /// Latin letters.
    pub wxf: String,
}

impl MoveObject {
    /// Formats a legal move of a position.
    pub fn new(position: &Position, mv: Move) -> MoveObject {
        MoveObject {
            mv: mv.to_string(),
            chinese: notation::write(position, mv, Dialect::Chinese),
            wxf: notation::write(position, mv, Dialect::Wxf),
        }
    }
}

/// Returns the rules of a line.
///
/// # Errors
/// For an unknown name.
pub(super) fn rules(line: &Line) -> Result<Rules, RequestFault> {
    let Some(name) = &line.rules else { return Ok(Rules::default()) };
    let set = RuleSet::from_name(name);
    set.map(Rules::new).ok_or_else(|| RequestFault::other("there are no rules of this name"))
}

/// Plays the moves of a line.
///
/// # Errors
/// If the position or a move is invalid.
pub(super) fn play(line: &Line, strictness: Strictness) -> Result<Position, RequestFault> {
    if line.moves.len() > MAX_PLIES {
        return Err(RequestFault::other(format!("a game has at most {MAX_PLIES} plies")));
    }
    let mut position = match &line.start {
        Some(fen) => Position::parse_fen(fen, strictness)?.position,
        None => Position::start(),
    };
    position.play(line.moves.iter().map(String::as_str))?;
    Ok(position)
}

/// Returns the state after the last move of a line.
///
/// # Errors
/// If the position or a move is invalid.
pub fn describe(line: &Line, strictness: Strictness) -> Result<PositionObject, RequestFault> {
    let (rules, end) = (rules(line)?, play(line, strictness)?);
    let verdict = rules.verdict(&end);
    let is_over = verdict.reason().is_some();
    Ok(PositionObject {
        fen: end.to_string(),
        board: board_letters(&end),
        side: side_name(end.side()),
        legal: if is_over { Vec::new() } else { end.legal_moves().iter().map(Move::to_string).collect() },
        check: end.in_check().then(|| end.king(end.side()).to_string()),
        moves: names(&start_of(&end), end.history().iter().map(|played| played.mv)),
        opening: OpeningName::from_history(&end).map(|name| Words { en: name.english, zh: name.chinese }),
        verdict: VerdictObject::new(&verdict),
        counted_plies: MoveCount::new(rules.set, &end).plies(),
        move_limit: rules.move_limit,
    })
}

/// Returns the position before the first move of the history.
fn start_of(end: &Position) -> Position {
    let mut start = end.clone();
    (0..end.history().len()).for_each(|_| start.unmake());
    start
}

/// Formats the legal moves of a line.
pub(super) fn names(start: &Position, moves: impl IntoIterator<Item = Move>) -> Vec<MoveObject> {
    let mut position = start.clone();
    let mut names = Vec::new();
    for mv in moves {
        if !position.can_play(mv) {
            break;
        }
        names.push(MoveObject::new(&position, mv));
        position.make(mv);
    }
    names
}

fn board_letters(position: &Position) -> String {
    let rank = |rank: u8| (0..Square::FILES).map(move |file| Square::new(file, rank));
    let squares = (0..Square::RANKS).rev().flat_map(rank);
    squares.map(|square| position.piece_on(square).map_or('.', |piece| piece.letter())).collect()
}

/// Returns the move that a text means.
///
/// # Errors
/// If the line or the text is invalid.
pub fn read_move(request: &ReadMove, strictness: Strictness) -> Result<MoveObject, RequestFault> {
    let position = play(&request.line, strictness)?;
    let mv = notation::read(&position, request.text.trim())?;
    Ok(MoveObject::new(&position, mv))
}

/// FEN of a board that was set up by hand.
#[derive(Clone, Debug, Serialize)]
pub struct FenObject {
    fen: String,
}

/// Returns the FEN of a board.
///
/// # Errors
/// If the board is not a valid position.
pub fn set_up(request: &SetUp, strictness: Strictness) -> Result<FenObject, RequestFault> {
    let letters: Vec<char> = request.board.chars().collect();
    if letters.len() != Square::COUNT {
        return Err(RequestFault::other(format!("a board has {} squares", Square::COUNT)));
    }
    let mut fen = String::new();
    for rank in letters.chunks(usize::from(Square::FILES)) {
        if !fen.is_empty() {
            fen.push('/');
        }
        for group in rank.chunk_by(|a, b| *a == '.' && *b == '.') {
            match group {
                ['.', ..] => fen.push_str(&group.len().to_string()),
                letters => fen.extend(letters),
            }
        }
    }
    fen.push_str(if request.side == "black" { " b" } else { " w" });
    Ok(FenObject { fen: Position::parse_fen(&fen, strictness)?.position.to_string() })
}

/// Book move with its statistics.
#[derive(Clone, Debug, Serialize)]
pub struct BookObject {
    #[serde(flatten)]
    name: MoveObject,
    games: u64,
    wins: u32,
    draws: u32,
    losses: u32,
    /// Share of the weight, 0 to 1.
    share: f64,
}

/// Returns the book moves after a line.
///
/// # Errors
/// If the line is invalid.
pub(super) fn book(line: &Line, share: &EngineShare) -> Result<Vec<BookObject>, RequestFault> {
    let position = play(line, share.strictness)?;
    let moves = share.book_moves(&position);
    let total: u32 = moves.iter().map(|known| known.effective_weight()).sum();
    let object = |known: &crate::book::BookMove| BookObject {
        name: MoveObject::new(&position, known.mv),
        games: known.games(),
        wins: known.statistics.wins,
        draws: known.statistics.draws,
        losses: known.statistics.losses,
        share: f64::from(known.effective_weight()) / f64::from(total.max(1)),
    };
    Ok(moves.iter().map(object).collect())
}

/// Value of an endgame table.
#[derive(Clone, Debug, Serialize)]
pub struct TableObject {
    /// `win`, `draw` or `loss` for the side to move.
    outcome: String,
    /// Plies to the next winning capture or to mate.
    plies: Option<u8>,
}

/// Values of a position and its moves.
#[derive(Clone, Debug, Serialize)]
pub struct TablesObject {
    #[serde(flatten)]
    value: TableObject,
    /// The outcome agrees with the rules of repetition.
    is_exact: bool,
    moves: Vec<TableMove>,
}

#[derive(Clone, Debug, Serialize)]
struct TableMove {
    #[serde(flatten)]
    name: MoveObject,
    #[serde(flatten)]
    value: TableObject,
}

/// Returns the values of the endgame tables after a line; `None` if there is no table.
///
/// # Errors
/// If the line is invalid.
pub(super) fn tablebase(line: &Line, share: &EngineShare) -> Result<Option<TablesObject>, RequestFault> {
    let position = play(line, share.strictness)?;
    let tables = share.tablebases();
    if !tables.may_contain(&position) {
        return Ok(None);
    }
    let Ok(probe) = tables.probe(&position) else { return Ok(None) };
    let object = |value: TablebaseValue| {
        let word = match value.outcome() {
            Outcome::Win => "win",
            Outcome::Draw => "draw",
            Outcome::Loss => "loss",
        };
        TableObject { outcome: word.to_owned(), plies: value.plies() }
    };
    let moves = tables.moves(&position).unwrap_or_default();
    let moves =
        moves.into_iter().map(|(mv, value)| TableMove { name: MoveObject::new(&position, mv), value: object(value) });
    Ok(Some(TablesObject { value: object(probe.value), is_exact: probe.is_exact, moves: moves.collect() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(moves: &str) -> Line {
        Line { moves: moves.split_whitespace().map(str::to_owned).collect(), ..Line::default() }
    }

    #[test]
    fn a_position_is_described() {
        let state = describe(&line("h2e2 d9e8 e2e6"), Strictness::Strict).unwrap();
        assert_eq!((state.side, state.board.len()), ("black", 90));
        assert_eq!(state.check.as_deref(), Some("e9"));
        assert!(state.legal.iter().any(|mv| mv == "e8d9") && !state.legal.iter().any(|mv| mv == "a9a8"));
        let names: Vec<&str> = state.moves.iter().map(|name| name.chinese.as_str()).collect();
        assert_eq!(names, ["炮二平五", "士４进５", "炮五进四"]);
        let opening =
            |moves| describe(&line(moves), Strictness::Strict).unwrap().opening.map(|name| (name.en, name.zh));
        let name = ("Central Cannon v Screen Horses".to_owned(), "中炮对屏风马".to_owned());
        assert_eq!((opening(""), opening("h2e2 h9g7 h0g2 b9c7")), (None, Some(name)));
        assert!(describe(&line("h2e2 h2e2"), Strictness::Strict).is_err());
    }

    #[test]
    fn a_board_set_up_by_hand_becomes_a_fen() {
        let state = describe(&line("h2e2"), Strictness::Strict).unwrap();
        let set_up =
            |board: &str| set_up(&SetUp { board: board.to_owned(), side: "black".to_owned() }, Strictness::Strict);
        let fen = set_up(&state.board).unwrap().fen;
        assert_eq!(fen.split(' ').take(2).collect::<Vec<_>>(), state.fen.split(' ').take(2).collect::<Vec<_>>());
        assert!(set_up(&".".repeat(90)).is_err() && set_up("k").is_err());
    }
}
