//! State of a game for a page: board, legal moves, notations, and the verdict in English and Chinese words.

use serde::Serialize;
use serde_json::{Value, json};

use super::Sources;
use super::request::{Content, Line, ReadMove, RequestFault, SetUp, fault};
use crate::book::{BookMove, Statistics};
use crate::console::output::side_name;
use crate::notation::game::MAX_PLIES;
use crate::notation::opening_name::OpeningName;
use crate::notation::{self, Dialect};
use crate::position::{Position, Strictness};
use crate::rules::{Chase, Cycle, CycleMove, MoveCount, Reason, RuleSet, Rules, TrackedPiece, Verdict, Violation};
use crate::tablebase::{TablebaseValue, draws_are_exact};
use crate::types::{Move, Side, Square};

/// Move in all notations that the page shows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MoveObject {
    #[serde(rename = "move")]
    pub mv: String,
    pub chinese: String,
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
pub(super) fn rules(line: &Line) -> Result<Rules, RequestFault> {
    let Some(name) = &line.rules else { return Ok(Rules::default()) };
    RuleSet::from_name(name).map_or_else(|| fault("there are no rules of this name"), |set| Ok(Rules::new(set)))
}

/// Returns the position of a FEN, or the start position.
pub(super) fn position(fen: Option<&str>, strictness: Strictness) -> Result<Position, RequestFault> {
    let Some(fen) = fen else { return Ok(Position::start()) };
    let parsed = Position::parse_fen(fen, strictness);
    parsed.map(|parsed| parsed.position).or_else(|error| fault(format!("invalid position: {error}")))
}

/// Plays the moves of a line.
pub fn play(line: &Line, strictness: Strictness) -> Result<Position, RequestFault> {
    if line.moves.len() > MAX_PLIES {
        return fault(format!("a game has at most {MAX_PLIES} plies"));
    }
    let mut position = position(line.start.as_deref(), strictness)?;
    let played = position.play(line.moves.iter().map(String::as_str));
    played.map_or_else(|error| fault(format!("invalid move: {error}")), |()| Ok(position))
}

/// Returns the state after the last move of a line.
pub fn describe(line: &Line, strictness: Strictness) -> Content {
    let (rules, end) = (rules(line)?, play(line, strictness)?);
    let verdict = rules.verdict(&end);
    let is_over = verdict.reason().is_some();
    let legal = if is_over { Vec::new() } else { end.legal_moves().iter().map(Move::to_string).collect() };
    let ranks = (0..Square::RANKS).rev();
    let squares = ranks.flat_map(|rank| (0..Square::FILES).map(move |file| Square::new(file, rank)));
    let letters = squares.map(|square| end.piece_on(square).map_or('.', |piece| piece.letter()));
    let opening = OpeningName::from_history(&end);
    Ok(json!({
        "fen": end.to_string(),
        "board": letters.collect::<String>(),
        "side": side_name(end.side()),
        "legal": legal,
        "check": end.in_check().then(|| end.king(end.side()).to_string()),
        "moves": names(&start_of(&end), end.history().iter().map(|played| played.mv)),
        "opening": opening.map(|name| json!({ "en": name.english, "zh": name.chinese })),
        "verdict": verdict_object(&verdict),
        "counted_plies": MoveCount::new(rules.set, &end).plies(),
        "move_limit": rules.move_limit,
    }))
}

/// Returns the position before the first move of the history.
pub(super) fn start_of(end: &Position) -> Position {
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

/// Returns the move that a text means.
pub(super) fn read_move(request: &ReadMove, strictness: Strictness) -> Content {
    let position = play(&request.line, strictness)?;
    let mv = notation::read(&position, request.text.trim())?;
    Ok(json!(MoveObject::new(&position, mv)))
}

/// Returns the FEN of a board.
pub fn set_up(request: &SetUp, strictness: Strictness) -> Content {
    let letters: Vec<char> = request.board.chars().collect();
    if letters.len() != Square::COUNT {
        return fault(format!("a board has {} squares", Square::COUNT));
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
    Ok(json!({ "fen": position(Some(&fen), strictness)?.to_string() }))
}

/// Returns the book moves after a line.
pub(super) fn book(line: &Line, sources: &Sources) -> Content {
    let position = play(line, sources.strictness)?;
    let found = sources.books.iter().map(|book| book.moves(&position)).find(|moves| !moves.is_empty());
    let moves = found.unwrap_or_default();
    let total: u32 = moves.iter().map(|known| known.effective_weight()).sum();
    let object = |known: &BookMove| {
        let Statistics { wins, draws, losses } = known.record.statistics;
        let share = f64::from(known.effective_weight()) / f64::from(total.max(1));
        let object = json!({ "games": known.games(), "wins": wins, "draws": draws, "losses": losses, "share": share });
        with_move(&position, known.mv, object)
    };
    Ok(moves.iter().map(object).collect())
}

/// Adds the keys of a legal move in all notations to an object.
fn with_move(position: &Position, mv: Move, mut object: Value) -> Value {
    let MoveObject { mv, chinese, wxf } = MoveObject::new(position, mv);
    (object["move"], object["chinese"], object["wxf"]) = (mv.into(), chinese.into(), wxf.into());
    object
}

/// Returns the values of the endgame tables after a line; null if there is no table.
pub(super) fn tablebase(line: &Line, sources: &Sources) -> Content {
    let position = play(line, sources.strictness)?;
    let tables = &sources.tablebases;
    if !tables.may_contain(&position) {
        return Ok(Value::Null);
    }
    let Ok(probe) = tables.probe(&position) else { return Ok(Value::Null) };
    let is_exact = draws_are_exact(&position);
    let object =
        |value: TablebaseValue| json!({ "outcome": value.outcome().to_string(), "plies": value.distance(is_exact) });
    let moves = tables.moves(&position).unwrap_or_default().into_iter();
    let mut found = object(probe.value);
    found["is_exact"] = probe.is_exact.into();
    found["by_checks"] = probe.by_checks.into();
    found["moves"] = moves.map(|(mv, value)| with_move(&position, mv, object(value))).collect();
    Ok(found)
}

/// Describes a verdict: its word, and the kind and the words of its reason, for a repetition with its plies.
fn verdict_object(verdict: &Verdict) -> Value {
    let mut object = json!({ "word": verdict.word() });
    if let Some(reason) = verdict.reason() {
        object["kind"] = reason.kind().into();
        object["reason"] = json!({ "en": reason.to_string(), "zh": chinese(reason) });
        if let Reason::Repetition(cycle) = reason {
            object["cycle"] = cycle.moves.iter().map(cycle_ply).collect();
        }
    }
    object
}

fn chinese_side(side: Side) -> &'static str {
    match side {
        Side::Red => "红方",
        Side::Black => "黑方",
    }
}

fn chinese(reason: &Reason) -> String {
    match reason {
        Reason::Checkmate(side) => format!("{}被将死", chinese_side(*side)),
        Reason::Stalemate(side) => format!("{}困毙，无着可走", chinese_side(*side)),
        Reason::MoveLimit(plies) => format!("自然限着：连续 {plies} 步（计数着法）未吃子"),
        Reason::Material => "双方子力均不足以取胜".to_owned(),
        Reason::Repetition(cycle) => repetition(cycle),
    }
}

fn repetition(cycle: &Cycle) -> String {
    let (first, last) = cycle.plies();
    let named = |side: Side| match cycle.violations[side.index()] {
        Violation::None => format!("{}未违例", chinese_side(side)),
        Violation::Chase => format!("{}长捉", chinese_side(side)),
        Violation::Check => format!("{}长将", chinese_side(side)),
    };
    let plies = format!("第 {first}–{last} 步循环");
    match cycle.loser() {
        Some(loser) => format!("{}（{plies}），判负", named(loser)),
        None if cycle.most_serious() == Violation::None => {
            format!("局面出现 {} 次，双方均未违例（{plies}），判和", cycle.occurrences)
        }
        None => format!("{}，{}（{plies}），判和", named(Side::Red), named(Side::Black)),
    }
}

/// Describes a ply of a repetition with what it threatens.
fn cycle_ply(mv: &CycleMove) -> Value {
    let en = |tracked: &TrackedPiece| format!("{} {}", tracked.piece.kind().name(), tracked.square);
    let zh = |tracked: &TrackedPiece| format!("{}（{}）", tracked.piece.glyph(), tracked.square);
    let checks = mv.checkers.iter().map(|piece| (format!("{} checks", en(piece)), format!("{}将军", zh(piece))));
    let chases = mv.chases.iter().map(|Chase { attacker, victim }| {
        (format!("{} threatens {}", en(attacker), en(victim)), format!("{}捉{}", zh(attacker), zh(victim)))
    });
    let (english, chinese): (Vec<String>, Vec<String>) = checks.chain(chases).unzip();
    let (en, zh) =
        if english.is_empty() { ("idle".into(), "闲着".into()) } else { (english.join(", "), chinese.join("，")) };
    json!({ "ply": mv.ply, "move": mv.mv.to_string(), "en": en, "zh": zh })
}
