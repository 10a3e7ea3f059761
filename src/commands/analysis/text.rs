//! Scores, shares, lines of play and parts of profiles as text and JSON.

use serde::Serialize;

use super::game::{PlayerSummary, SideSummary};
use super::profile::{MaterialGain, MissedGain, PlayerGame, Profile, Results, TacticalMiss};
use super::winning_chance;
use crate::console::counted;
use crate::console::output::Object;
use crate::eval::{ReportedScore, WinModel};
use crate::notation::game::GameResult;
use crate::notation::opening_name::OpeningName;
use crate::notation::{Dialect, write, write_line};
use crate::position::Position;
use crate::types::score::{MATE, RULE_WIN, is_decisive, is_mate, is_rule_decision};
use crate::types::{Move, PieceKind, Side, Value};

/// Moves of the better line of a missed tactic.
const MOVES_OF_MISS: usize = 6;

/// Replaces control characters, which could move the cursor.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Formats the accuracy in whole percent, or a dash.
pub fn accuracy(summary: &SideSummary) -> String {
    summary.accuracy.map_or("–".to_owned(), |accuracy| format!("{accuracy:.0} %"))
}

/// Formats the share of moves that are the first choice of the search in whole percent, or a dash.
pub fn agreed(summary: &SideSummary) -> String {
    match summary.moves {
        0 => "–".to_owned(),
        moves => percent(summary.agreed as f64 / moves as f64),
    }
}

/// Formats a loss in whole percent, rounded down so that it never appears to reach the next mark.
pub fn lost_percent(loss: f64) -> String {
    format!("{:.0} %", (loss * 100.0 + 1e-9).floor())
}

/// Formats a share in whole percent.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Rounds to three decimals.
pub fn thousandths(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

/// Formats a score for a table: in units of the lead that wins half of the games with a sign, `mate 3`, `mate -3`, or a
/// decision by the rules of repetition.
pub fn score(score: ReportedScore) -> String {
    let score = score.get();
    match moves_to_mate(score) {
        _ if is_rule_decision(score) => (if score > 0 { "rule win" } else { "rule loss" }).to_owned(),
        0 if is_mate(score) => "mate".to_owned(),
        moves if is_mate(score) => format!("mate {moves}"),
        _ if is_decisive(score) => (if score > 0 { "won" } else { "lost" }).to_owned(),
        _ => format!("{:+.2}", f64::from(score) / 100.0),
    }
}

/// Returns the moves to mate; negative when the side is mated, 0 when it is checkmate already.
fn moves_to_mate(score: Value) -> Value {
    (MATE - score.abs() + 1) / 2 * score.signum()
}

/// Score in JSON; exactly one field is not null.
#[derive(Clone, Copy, Default, Serialize)]
pub struct ScoreObject {
    /// Hundredths of the lead that wins half of the games, see [`ReportedScore`].
    pub centipawns: Option<Value>,
    /// Moves to mate; negative when the side is mated, 0 at checkmate.
    pub mate: Option<Value>,
    /// Plies to a win by the rules of repetition; negative for a loss.
    pub repetition: Option<Value>,
}

impl ScoreObject {
    pub fn new(score: ReportedScore) -> ScoreObject {
        let score = score.get();
        if is_mate(score) {
            ScoreObject { mate: Some(moves_to_mate(score)), ..ScoreObject::default() }
        } else if is_rule_decision(score) {
            let plies = (RULE_WIN - score.abs()) * score.signum();
            ScoreObject { repetition: Some(plies), ..ScoreObject::default() }
        } else {
            ScoreObject { centipawns: Some(score), ..ScoreObject::default() }
        }
    }
}

/// Adds the keys of a line of play and its score for the side to move; null and empty without a score.
pub fn with_line(object: Object, position: &Position, score: Option<Value>, line: &[Move], dialect: Dialect) -> Object {
    let reported = score.map(|score| ScoreObject::new(WinModel::of(position).reported(score))).unwrap_or_default();
    object
        .with("centipawns", reported.centipawns)
        .with("mate", reported.mate)
        .with("repetition", reported.repetition)
        .with("winning_chance", score.map(|score| thousandths(winning_chance(score))))
        .with("moves", coordinates(line))
        .with("notation", write_line(position, line, dialect))
}

/// Returns moves in coordinates.
pub fn coordinates(line: &[Move]) -> Vec<String> {
    line.iter().map(Move::to_string).collect()
}

/// Adds the keys of accuracy and marks of a side.
pub fn with_accuracy(object: Object, summary: &PlayerSummary) -> Object {
    let rounded = |side: &SideSummary| side.accuracy.map(|accuracy| (accuracy * 10.0).round() / 10.0);
    let whole = &summary.whole;
    object
        .with("accuracy", rounded(whole))
        .with("opening_accuracy", rounded(&summary.phases[0]))
        .with("middle_game_accuracy", rounded(&summary.phases[1]))
        .with("ending_accuracy", rounded(&summary.phases[2]))
        .with("moves", whole.moves)
        .with("inaccuracies", whole.marks[0])
        .with("mistakes", whole.marks[1])
        .with("blunders", whole.marks[2])
        .with("agreed", whole.agreed)
}

/// Returns the number of games of a profile and their time.
pub fn games_line(profile: &Profile) -> String {
    let count = |side| profile.games.iter().filter(|game| game.side == side).count();
    let games = counted(profile.games.len() as u64, "game");
    let mut text = format!("{games} ({} as Red, {} as Black)", count(Side::Red), count(Side::Black));
    let dates: Vec<&str> = profile.games.iter().filter_map(|game| game.date.as_deref()).collect();
    if let (Some(first), Some(last)) = (dates.first(), dates.last()) {
        text += &if first == last { format!(", {first}") } else { format!(", {first} to {last}") };
    }
    plain(&text)
}

/// Formats the mean points of the games, or a dash.
pub fn points(results: &Results) -> String {
    results.score().map_or("–".to_owned(), percent)
}

/// Formats the numbers of inaccuracies, mistakes and blunders for each game, or dashes.
pub fn marks_per_game(summary: &PlayerSummary, results: &Results) -> [String; 3] {
    summary.whole.marks.map(|count| match results.games() {
        0 => "–".to_owned(),
        games => format!("{:.1}", count as f64 / games as f64),
    })
}

/// Returns both names of an opening.
pub fn opening(opening: Option<&OpeningName>) -> String {
    opening.map_or("other openings and positions".to_owned(), OpeningName::text)
}

/// Returns the outcome of a game for the player, which is also the class of its colour on a page.
pub fn outcome(game: &PlayerGame) -> &'static str {
    match game.result.points(game.side) {
        _ if game.result == GameResult::Draw => "drawn",
        Some(points) if points > 0.5 => "won",
        Some(_) => "lost",
        None => "unknown",
    }
}

/// Returns the attack in one line.
pub fn attack_line(profile: &Profile) -> String {
    let attack = profile.attack();
    let (Some([own, opponents, preference]), Some(share)) = (attack.means(), attack.share()) else {
        return "none outside the opening".to_owned();
    };
    let (error, judgement) = match profile.preference_error() {
        None => (String::new(), "one game says nothing of style"),
        Some(error) => {
            let judgement = match preference {
                _ if preference > 2.0 * error => "prefers attack",
                _ if preference < -2.0 * error => "prefers quiet moves",
                _ => "no clear preference",
            };
            (format!(" ± {error:.1}"), judgement)
        }
    };
    format!(
        "own share {} (on average {own:.0} centipawns against {opponents:.0}); {preference:+.1}{error} centipawns against \
         the first choice of the search, {judgement}; {} outside the opening",
        percent(share),
        counted(attack.moves as u64, "move")
    )
}

/// Describes the gain of a missed tactic.
pub fn gain(gain: &MissedGain) -> String {
    let listed = |kinds: &[PieceKind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    match gain {
        MissedGain::Mate(moves) => format!("mate in {moves}"),
        MissedGain::Material(MaterialGain { won, lost, .. }) if lost.is_empty() => listed(won),
        MissedGain::Material(MaterialGain { won, lost, .. }) => format!("{} for {}", listed(won), listed(lost)),
    }
}

/// Returns the number of missed tactics among the blunders.
pub fn misses_line(profile: &Profile) -> String {
    let blunders = profile.summary(None).1.whole.marks[2];
    format!("{} of {}", profile.misses().len(), counted(blunders as u64, "blunder"))
}

/// Formats the move played, and the beginning of the better line.
pub fn moves_of(miss: &TacticalMiss, dialect: Dialect) -> (String, String) {
    let mut line = write_line(&miss.position, &miss.better_line, dialect);
    line.truncate(MOVES_OF_MISS);
    (write(&miss.position, miss.mv, dialect), line.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::score::{mate_in, mated_in, rule_loss_in};

    #[test]
    fn scores_are_formatted() {
        for (value, expected) in [
            (0, "+0.00"),
            (mate_in(1), "mate 1"),
            (mate_in(5), "mate 3"),
            (mated_in(2), "mate -1"),
            (mated_in(0), "mate"),
            (rule_loss_in(8), "rule loss"),
        ] {
            assert_eq!(score(WinModel::new(20).reported(value)), expected);
        }
        for (reported, expected) in [(-5, "-0.05"), (123, "+1.23")] {
            let mut scores = (-2_000..2_000).map(|score| WinModel::new(6).reported(score));
            assert_eq!(scores.find(|score| score.get() == reported).map(score).as_deref(), Some(expected));
        }
    }
}
