//! The arbiter's answers as text.

use std::fmt::Write as _;

use serde::Serialize;

use crate::position::Position;
use crate::rules::{Chase, CycleMove, MoveCount, Reason, Rules, TrackedPiece, Verdict, Violation};
use crate::types::Side;

/// The verdict on a game, its reason, and for a repetition what every move of the cycle does.
pub fn text(rules: Rules, position: &Position) -> String {
    let verdict = rules.verdict(position);
    let mut text = format!("{}\n", verdict.word());
    if let Some(reason) = verdict.reason() {
        let _ = writeln!(text, "{reason}");
        if let Reason::Repetition(cycle) = reason {
            cycle.moves.iter().for_each(|mv| text.push_str(&move_line(mv)));
        }
    }
    if let Some((plies, earlier)) = earlier_decision(rules, position) {
        let reason = earlier.reason().map_or(String::new(), ToString::to_string);
        let _ = writeln!(text, "The game was already over after ply {plies}: {}, {reason}.", earlier.word());
    }
    text
}

/// The moment at which the game was over, if moves follow it.
fn earlier_decision(rules: Rules, position: &Position) -> Option<(usize, Verdict)> {
    rules.first_decision(position).filter(|(plies, _)| *plies < position.history().len())
}

fn move_line(mv: &CycleMove) -> String {
    let man = |man: &TrackedPiece| format!("{} {}", man.piece.kind().name(), man.square);
    let deeds: Vec<String> = if mv.checkers.is_empty() {
        let chase = |chase: &Chase| format!("{} threatens {}", man(&chase.attacker), man(&chase.victim));
        mv.chases.iter().map(chase).collect()
    } else {
        mv.checkers.iter().map(|checker| format!("{} checks", man(checker))).collect()
    };
    let deeds = if deeds.is_empty() { "idle".to_owned() } else { deeds.join(", ") };
    format!("  ply {:<4} {:<6} {}  {deeds}\n", mv.ply, mv.side.to_string(), mv.mv)
}

/// The same as one JSON object on one line.
///
/// # Errors
/// None in practice: everything in it can be written as JSON.
pub fn json(rules: Rules, position: &Position) -> serde_json::Result<String> {
    let verdict = rules.verdict(position);
    let cycle = match verdict.reason() {
        Some(Reason::Repetition(cycle)) => Some(cycle),
        _ => None,
    };
    let answer = Answer {
        verdict: verdict.word(),
        rules: rules.set.name(),
        natural_limit: rules.move_limit,
        kind: verdict.reason().map(kind),
        reason: verdict.reason().map(ToString::to_string),
        offender: cycle.and_then(|cycle| cycle.loser()).map(side),
        fen: position.to_string(),
        plies: position.history().len(),
        counted_plies: MoveCount::new(rules.set, position).plies(),
        over_after_ply: earlier_decision(rules, position).map(|(plies, _)| plies),
        cycle: cycle.map(|cycle| cycle.moves.iter().map(move_object).collect()),
    };
    serde_json::to_string(&answer)
}

#[derive(Serialize)]
struct Answer {
    verdict: &'static str,
    rules: &'static str,
    natural_limit: u16,
    /// What kind of reason it is, in one word.
    kind: Option<&'static str>,
    reason: Option<String>,
    /// Who loses by repetition.
    offender: Option<&'static str>,
    /// The position judged.
    fen: String,
    /// How many moves led to it.
    plies: usize,
    /// How many plies count towards the natural move limit.
    counted_plies: usize,
    /// After which ply the game was already over.
    over_after_ply: Option<usize>,
    cycle: Option<Vec<MoveObject>>,
}

#[derive(Serialize)]
struct MoveObject {
    ply: usize,
    side: &'static str,
    #[serde(rename = "move")]
    mv: String,
    checkers: Vec<ManObject>,
    chases: Vec<ChaseObject>,
}

#[derive(Serialize)]
struct ManObject {
    piece: &'static str,
    square: String,
}

#[derive(Serialize)]
struct ChaseObject {
    attacker: ManObject,
    victim: ManObject,
}

fn move_object(mv: &CycleMove) -> MoveObject {
    let man = |man: &TrackedPiece| ManObject { piece: man.piece.kind().name(), square: man.square.to_string() };
    let chase = |chase: &Chase| ChaseObject { attacker: man(&chase.attacker), victim: man(&chase.victim) };
    MoveObject {
        ply: mv.ply,
        side: side(mv.side),
        mv: mv.mv.to_string(),
        checkers: mv.checkers.iter().map(man).collect(),
        chases: mv.chases.iter().map(chase).collect(),
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Red => "red",
        Side::Black => "black",
    }
}

fn kind(reason: &Reason) -> &'static str {
    match reason {
        Reason::Checkmate(_) => "checkmate",
        Reason::Stalemate(_) => "stalemate",
        Reason::MoveLimit(_) => "natural_limit",
        Reason::Material => "material",
        Reason::Repetition(cycle) => match (cycle.most_serious(), cycle.loser()) {
            (Violation::None, _) => "repetition",
            (Violation::Chase, Some(_)) => "perpetual_chase",
            (Violation::Chase, None) => "mutual_perpetual_chase",
            (Violation::Check, Some(_)) => "perpetual_check",
            (Violation::Check, None) => "mutual_perpetual_check",
        },
    }
}
