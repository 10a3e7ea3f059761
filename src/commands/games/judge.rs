//! `judge`: verdicts of the rules as text and JSON.

use std::fmt::Write as _;
use std::io::Write;

use crate::console::{CommandError, Object, side_name, write_json};
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
    let reason = verdict.reason();
    let cycle = match reason {
        Some(Reason::Repetition(cycle)) => Some(cycle),
        _ => None,
    };
    let object = Object::default()
        .with("verdict", verdict.word())
        .with("rules", rules.set.name())
        .with("natural_limit", rules.move_limit)
        .with("kind", reason.map(Reason::kind))
        .with("reason", reason.map(ToString::to_string))
        // The side that loses by repetition.
        .with("offender", cycle.and_then(|cycle| cycle.loser()).map(side_name))
        .with("fen", position.to_string())
        .with("plies", position.history().len())
        .with("counted_plies", MoveCount::new(rules.set, position).plies())
        .with("over_after_ply", earlier_decision(rules, position).map(|(plies, _)| plies))
        .with("cut", cut.map(|cut| cut.reason.as_str()))
        .with("cycle", cycle.map(|cycle| cycle.moves.iter().map(move_object).collect::<Vec<_>>()));
    write_json(out, "verdict", &object)
}

fn move_object(mv: &CycleMove) -> Object {
    let piece = |tracked: &TrackedPiece| {
        let object = Object::default().with("piece", tracked.piece.kind().name());
        object.with("square", tracked.square.to_string())
    };
    let chase =
        |chase: &Chase| Object::default().with("attacker", piece(&chase.attacker)).with("victim", piece(&chase.victim));
    Object::default()
        .with("ply", mv.ply)
        .with("side", side_name(mv.side))
        .with("move", mv.mv.to_string())
        .with("checkers", mv.checkers.iter().map(piece).collect::<Vec<_>>())
        .with("chases", mv.chases.iter().map(chase).collect::<Vec<_>>())
}
