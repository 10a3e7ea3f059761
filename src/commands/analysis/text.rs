//! Scores, lines of play and profiles as text and JSON. Tables are rows of cells, the head first.

use serde::Serialize;

use super::game::{GameReview, PlayerSummary, SideSummary};
use super::profile::{MaterialGain, OUTCOMES, Profile, Record, TacticalMiss};
use super::winning_chance;
use crate::console::{Object, counted, data};
use crate::eval::{ReportedScore, WinModel};
use crate::notation::opening_name::OpeningName;
use crate::notation::{Dialect, write, write_line};
use crate::position::Position;
use crate::types::score::{MATE, RULE_WIN, is_decisive, is_mate, is_rule_decision};
use crate::types::{Move, PieceKind, Side, Value};

const MOVES_OF_MISS: usize = 6;

/// Replaces control characters, which could move the cursor.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn percent_or_dash(share: Option<f64>) -> String {
    share.map_or("–".to_owned(), percent)
}

/// Formats a loss in whole percent, rounded down so that it never appears to reach the next mark.
pub fn lost_percent(loss: f64) -> String {
    format!("{:.0} %", (loss * 100.0 + 1e-9).floor())
}

pub fn thousandths(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

/// Formats a score for a table: `+1.00` for the lead that wins half of the games, `mate -3`, or `rule win`.
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
        .with("moves", line)
        .with("notation", write_line(position, line, dialect))
}

pub fn with_accuracy(object: Object, summary: &PlayerSummary) -> Object {
    let rounded = |part: usize| summary[part].accuracy().map(|accuracy| (accuracy * 10.0).round() / 10.0);
    let SideSummary { moves, marks: [inaccuracies, mistakes, blunders], agreed, .. } = summary[0];
    object
        .with("accuracy", rounded(0))
        .with("opening_accuracy", rounded(1))
        .with("middle_game_accuracy", rounded(2))
        .with("ending_accuracy", rounded(3))
        .with("moves", moves)
        .with("inaccuracies", inaccuracies)
        .with("mistakes", mistakes)
        .with("blunders", blunders)
        .with("agreed", agreed)
}

fn accuracy(summary: &SideSummary) -> String {
    percent_or_dash(summary.accuracy().map(|accuracy| accuracy / 100.0))
}

/// Formats the share of moves that are the first choice of the search in whole percent, or a dash.
fn agreed(summary: &SideSummary) -> String {
    percent_or_dash((summary.moves > 0).then(|| summary.agreed as f64 / summary.moves as f64))
}

fn cells(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| plain(cell)).collect()
}

fn counts<const N: usize>(counts: [usize; N]) -> [String; N] {
    counts.map(|count| count.to_string())
}

pub fn sides(review: &GameReview) -> Vec<Vec<String>> {
    let row = |side: Side| {
        let summary = review.side_summary(side);
        let (accuracies, marks) = (summary.each_ref().map(accuracy), counts(summary[0].marks));
        [&[side.to_string()][..], &accuracies, &marks, &[agreed(&summary[0])]].concat()
    };
    let head = ["", "accuracy", "opening", "middle game", "ending", "?!", "?", "??", "agreed"];
    vec![cells(&head), row(Side::Red), row(Side::Black)]
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

pub fn records(profile: &Profile) -> Vec<Vec<String>> {
    let row = |(name, side): (&str, Option<Side>)| {
        let record = profile.record(side);
        let summary = &record.summary;
        let marks_per_game = summary[0].marks.map(|count| match record.games() {
            0 => "–".to_owned(),
            games => format!("{:.1}", count as f64 / games as f64),
        });
        let accuracies = summary.each_ref().map(accuracy);
        let (games, results) = (record.games().to_string(), counts(record.results));
        let start = [&[name.to_owned(), games][..], &results, &[percent_or_dash(record.score())]].concat();
        [&start[..], &accuracies, &marks_per_game, &[agreed(&summary[0])]].concat()
    };
    let parts = [("all", None), ("as Red", Some(Side::Red)), ("as Black", Some(Side::Black))];
    let head = [&["", "games"][..], &OUTCOMES, &["score", "accuracy", "opening", "middle game", "ending"]].concat();
    let head = [&head[..], &["?!/game", "?/game", "??/game", "agreed"]].concat();
    [cells(&head)].into_iter().chain(parts.map(row)).collect()
}

/// Returns the table of the openings with a colour; `None` if there are no games.
pub fn openings(profile: &Profile, side: Side) -> Option<Vec<Vec<String>>> {
    let row = |(opening, record): &(Option<OpeningName>, Record)| {
        let name = opening.as_ref().map_or("other openings and positions".to_owned(), OpeningName::text);
        let [wins, draws, losses, _] = record.results;
        let numbers = counts([record.games(), wins, draws, losses]);
        [&[name][..], &numbers, &[percent_or_dash(record.score()), accuracy(&record.summary[0])]].concat()
    };
    let openings = profile.openings(side);
    let head = cells(&[&format!("openings as {side}"), "games", "won", "drawn", "lost", "score", "accuracy"]);
    (!openings.is_empty()).then(|| [head].into_iter().chain(openings.iter().map(row)).collect())
}

pub fn misses(profile: &Profile, dialect: Dialect) -> Vec<Vec<String>> {
    let row = |(index, miss): (usize, &TacticalMiss)| {
        let mut line = write_line(&miss.position, &miss.better_line, dialect);
        line.truncate(MOVES_OF_MISS);
        let (number, mv) = ((index + 1).to_string(), write(&miss.position, miss.mv, dialect));
        vec![number, miss.ply.to_string(), mv, lost_percent(miss.loss), gain(miss), line.join(" ")]
    };
    let head = cells(&["game", "ply", "move", "loss", "missed", "better line"]);
    [head].into_iter().chain(profile.misses().into_iter().map(row)).collect()
}

pub fn games(profile: &Profile) -> Vec<Vec<String>> {
    let rows = (1..).zip(&profile.games).map(|(number, game)| {
        let word = |text: &Option<String>| data(&plain(text.as_deref().unwrap_or("–")));
        let side = game.side.to_string();
        let start = [number.to_string(), word(&game.date), side, word(&game.opponent)];
        let (marks, file) = (counts(game.summary[0].marks), data(&plain(&format!("{} {}", game.file, game.number))));
        let accuracy = accuracy(&game.summary[0]);
        [&start[..], &[game.result.text().to_owned(), accuracy], &marks, &[file]].concat()
    });
    let head = ["game", "date", "side", "opponent", "result", "accuracy", "?!", "?", "??", "file"];
    [cells(&head)].into_iter().chain(rows).collect()
}

pub fn attack_line(profile: &Profile) -> String {
    let (attack, error) = profile.attack();
    let (Some([own, opponents, preference]), Some(share)) = (attack.means(), attack.share()) else {
        return "none outside the opening".to_owned();
    };
    let judgement = match error {
        None => "one game says nothing of style",
        Some(error) if preference > 2.0 * error => "prefers attack",
        Some(error) if preference < -2.0 * error => "prefers quiet moves",
        Some(_) => "no clear preference",
    };
    let error = error.map_or(String::new(), |error| format!(" ± {error:.1}"));
    format!(
        "own share {} (on average {own:.0} centipawns against {opponents:.0}); {preference:+.1}{error} centipawns against \
         the first choice of the search, {judgement}; {} outside the opening",
        percent(share),
        counted(attack.moves as u64, "move")
    )
}

fn gain(miss: &TacticalMiss) -> String {
    let listed = |kinds: &[PieceKind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    let MaterialGain { won, lost, .. } = &miss.gain;
    match miss.mate_in {
        Some(moves) => format!("mate in {moves}"),
        None if lost.is_empty() => listed(won),
        None => format!("{} for {}", listed(won), listed(lost)),
    }
}

/// Returns the number of missed tactics among the blunders.
pub fn misses_line(profile: &Profile) -> String {
    let blunders = profile.record(None).summary[0].marks[2];
    format!("{} of {}", profile.misses().len(), counted(blunders as u64, "blunder"))
}
