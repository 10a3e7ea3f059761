//! `judge`: verdicts of the rules as text and JSON.

use std::fmt::Write as _;
use std::io::Write;

use serde::Serialize;

use crate::console::error::CommandError;
use crate::console::output::{side_name, write_json};

use crate::notation::game::Warning;
use crate::position::Position;
use crate::rules::{Chase, CycleMove, MoveCount, Reason, Rules, TrackedPiece, Verdict};

/// Formats the verdict on a game, of which the end may be cut, its reason, and for a repetition the checks and chases
/// of every move of the cycle.
pub fn text(rules: Rules, position: &Position, cut: Option<&Warning>) -> String {
    let verdict = rules.verdict(position);
    let mut text = format!("{}\n", verdict.word());
    if let Some(reason) = verdict.reason() {
        let _ = writeln!(text, "{reason}");
        if let Reason::Repetition(cycle) = reason {
            cycle.moves.iter().for_each(|mv| text.push_str(&move_line(mv)));
        }
    }
    if let Some(cut) = cut {
        let plies = position.history().len();
        let _ = writeln!(text, "The game goes on after ply {plies}, but cannot be read: {}.", cut.reason);
    }
    if let Some((plies, earlier)) = earlier_decision(rules, position) {
        let reason = earlier.reason().map_or(String::new(), ToString::to_string);
        let _ = writeln!(text, "The game was already over after ply {plies}: {}, {reason}.", earlier.word());
    }
    text
}

/// Returns the ply after which the game was over, if moves follow.
fn earlier_decision(rules: Rules, position: &Position) -> Option<(usize, Verdict)> {
    rules.first_decision(position).filter(|(plies, _)| *plies < position.history().len())
}

fn move_line(mv: &CycleMove) -> String {
    let piece = |tracked: &TrackedPiece| format!("{} {}", tracked.piece.kind().name(), tracked.square);
    let violations: Vec<String> = if mv.checkers.is_empty() {
        let chase = |chase: &Chase| format!("{} threatens {}", piece(&chase.attacker), piece(&chase.victim));
        mv.chases.iter().map(chase).collect()
    } else {
        mv.checkers.iter().map(|checker| format!("{} checks", piece(checker))).collect()
    };
    let violations = if violations.is_empty() { "idle".to_owned() } else { violations.join(", ") };
    format!("  ply {:<4} {:<6} {}  {violations}\n", mv.ply, mv.side.to_string(), mv.mv)
}

/// Writes the verdict as one line of JSON.
///
/// # Errors
/// Errors of the output.
pub fn write_object(
    rules: Rules,
    position: &Position,
    cut: Option<&Warning>,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let verdict = rules.verdict(position);
    let cycle = match verdict.reason() {
        Some(Reason::Repetition(cycle)) => Some(cycle),
        _ => None,
    };
    let output = JudgeOutput {
        verdict: verdict.word(),
        rules: rules.set.name(),
        natural_limit: rules.move_limit,
        kind: verdict.reason().map(Reason::kind),
        reason: verdict.reason().map(ToString::to_string),
        offender: cycle.and_then(|cycle| cycle.loser()).map(side_name),
        fen: position.to_string(),
        plies: position.history().len(),
        counted_plies: MoveCount::new(rules.set, position).plies(),
        over_after_ply: earlier_decision(rules, position).map(|(plies, _)| plies),
        cut: cut.map(|cut| cut.reason.as_str()),
        cycle: cycle.map(|cycle| cycle.moves.iter().map(move_object).collect()),
    };
    write_json(out, "verdict", &output)
}

#[derive(Serialize)]
struct JudgeOutput<'a> {
    verdict: &'static str,
    rules: &'static str,
    natural_limit: u16,
    /// Kind of the reason, in one word.
    kind: Option<&'static str>,
    reason: Option<String>,
    /// Side that loses by repetition.
    offender: Option<&'static str>,
    /// Final position.
    fen: String,
    /// Number of plies played.
    plies: usize,
    /// Plies that count towards the natural move limit.
    counted_plies: usize,
    /// Ply after which the game was already over.
    over_after_ply: Option<usize>,
    /// Reason why the rest of the game could not be read.
    cut: Option<&'a str>,
    cycle: Option<Vec<MoveObject>>,
}

#[derive(Serialize)]
struct MoveObject {
    ply: usize,
    side: &'static str,
    #[serde(rename = "move")]
    mv: String,
    checkers: Vec<PieceObject>,
    chases: Vec<ChaseObject>,
}

#[derive(Serialize)]
struct PieceObject {
    piece: &'static str,
    square: String,
}

#[derive(Serialize)]
struct ChaseObject {
    attacker: PieceObject,
    victim: PieceObject,
}

fn move_object(mv: &CycleMove) -> MoveObject {
    let piece =
        |tracked: &TrackedPiece| PieceObject { piece: tracked.piece.kind().name(), square: tracked.square.to_string() };
    let chase = |chase: &Chase| ChaseObject { attacker: piece(&chase.attacker), victim: piece(&chase.victim) };
    MoveObject {
        ply: mv.ply,
        side: side_name(mv.side),
        mv: mv.mv.to_string(),
        checkers: mv.checkers.iter().map(piece).collect(),
        chases: mv.chases.iter().map(chase).collect(),
    }
}
