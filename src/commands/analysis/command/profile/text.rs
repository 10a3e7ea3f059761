//! Profile as text.

use std::io::Write;

use crate::commands::analysis::command::game::{columns, padded, plain};
use crate::commands::analysis::command::score::{accuracy, agreed, lost_percent, percent};
use crate::commands::analysis::profile::miss::{MaterialGain, MissedGain};
use crate::commands::analysis::profile::{PlayerSummary, Profile, Results, TacticalMiss};
use crate::console::counted;
use crate::console::error::CommandError;
use crate::notation::opening_name::OpeningName;
use crate::notation::{Dialect, write, write_line};
use crate::types::{PieceKind, Side};

/// Missed tactics that are listed.
const MAX_MISSES: usize = 20;
/// Moves of the better line in a row.
const MOVES_IN_A_ROW: usize = 6;

/// Prints the name of the player and the number of games before they are reviewed.
pub fn head(player: &str, games: usize, out: &mut impl Write) -> Result<(), CommandError> {
    writeln!(out, "Player      {}\nFound       {}", plain(player), counted(games as u64, "game"))?;
    Ok(out.flush()?)
}

/// Prints a profile below its head.
pub fn print(profile: &Profile, dialect: Dialect, out: &mut impl Write) -> Result<(), CommandError> {
    writeln!(out, "Reviewed    {}", games_line(profile))?;
    summaries(profile, out)?;
    for side in Side::BOTH {
        openings(profile, side, out)?;
    }
    writeln!(out, "\nattack      {}", attack_line(profile))?;
    misses(profile, dialect, out)?;
    games(profile, out)
}

/// Returns the cells of a column, the head first, all as wide as the widest.
fn column(head: &str, cells: impl Iterator<Item = String>) -> Vec<String> {
    let cells: Vec<String> = [head.to_owned()].into_iter().chain(cells).collect();
    let widest = cells.iter().map(|cell| columns(cell)).max().unwrap_or_default();
    cells.iter().map(|cell| padded(cell, widest)).collect()
}

/// Returns the number of games and their time.
pub fn games_line(profile: &Profile) -> String {
    let [red, black] = Side::BOTH.map(|side| profile.results(Some(side)).games());
    let games = counted(profile.games.len() as u64, "game");
    let mut text = format!("{games} ({red} as Red, {black} as Black)");
    let dates: Vec<&str> = profile.games.iter().filter_map(|game| game.label.date.as_deref()).collect();
    if let (Some(first), Some(last)) = (dates.first(), dates.last()) {
        text += &if first == last { format!(", {first}") } else { format!(", {first} to {last}") };
    }
    plain(&text)
}

fn summaries(profile: &Profile, out: &mut impl Write) -> Result<(), CommandError> {
    writeln!(
        out,
        "\n       games  won  drawn  lost  unknown  score  accuracy  opening  middle game  ending  ?!/game  ?/game  \
         ??/game  agreed"
    )?;
    for (name, side) in [("all", None), ("Red", Some(Side::Red)), ("Black", Some(Side::Black))] {
        let (results, summary) = (profile.results(side), profile.summary(side));
        let Results { wins, draws, losses, unknown } = results;
        let [opening, middle_game, ending] = summary.phases.map(|phase| accuracy(&phase));
        let [inaccuracies, mistakes, blunders] = marks_per_game(&summary, &results);
        writeln!(
            out,
            "{name:<5}  {:>5}  {wins:>3}  {draws:>5}  {losses:>4}  {unknown:>7}  {:>5}  {:>8}  {opening:>7}  \
             {middle_game:>11}  {ending:>6}  {inaccuracies:>7}  {mistakes:>6}  {blunders:>7}  {:>6}",
            results.games(),
            score(&results),
            accuracy(&summary.whole),
            agreed(&summary.whole)
        )?;
    }
    Ok(())
}

/// Formats the mean points of the games, or a dash.
pub fn score(results: &Results) -> String {
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
pub fn opening_text(opening: Option<&OpeningName>) -> String {
    opening.map_or("other openings and positions".to_owned(), OpeningName::text)
}

fn openings(profile: &Profile, side: Side, out: &mut impl Write) -> Result<(), CommandError> {
    let openings = profile.openings(side);
    if openings.is_empty() {
        return Ok(());
    }
    let head = format!("openings as {side}");
    let names = column(&head, openings.iter().map(|opening| opening_text(opening.opening.as_ref())));
    writeln!(out, "\n{}  games  won  drawn  lost  score  accuracy", names[0])?;
    for (opening, name) in openings.iter().zip(&names[1..]) {
        let Results { wins, draws, losses, .. } = opening.results;
        writeln!(
            out,
            "{name}  {:>5}  {wins:>3}  {draws:>5}  {losses:>4}  {:>5}  {:>8}",
            opening.results.games(),
            score(&opening.results),
            accuracy(&opening.summary.whole)
        )?;
    }
    Ok(())
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
pub fn gain_text(gain: &MissedGain) -> String {
    let listed = |kinds: &[PieceKind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    match gain {
        MissedGain::Mate(moves) => format!("mate in {moves}"),
        MissedGain::Material(MaterialGain { won, lost, .. }) if lost.is_empty() => listed(won),
        MissedGain::Material(MaterialGain { won, lost, .. }) => format!("{} for {}", listed(won), listed(lost)),
    }
}

/// Returns the number of missed tactics among the blunders.
pub fn misses_line(profile: &Profile) -> String {
    let blunders = profile.summary(None).whole.marks[2];
    format!("{} of {}", profile.misses().len(), counted(blunders as u64, "blunder"))
}

/// Formats the move played, and the beginning of the better line.
pub fn moves_of(miss: &TacticalMiss, dialect: Dialect) -> (String, String) {
    let mut line = write_line(&miss.position, &miss.better_line, dialect);
    line.truncate(MOVES_IN_A_ROW);
    (write(&miss.position, miss.mv, dialect), line.join(" "))
}

fn misses(profile: &Profile, dialect: Dialect, out: &mut impl Write) -> Result<(), CommandError> {
    let misses = profile.misses();
    writeln!(out, "misses      tactics in {}", misses_line(profile))?;
    if misses.is_empty() {
        return Ok(());
    }
    let gains = column("missed", misses.iter().take(MAX_MISSES).map(|(_, miss)| gain_text(&miss.gain)));
    writeln!(out, "\n game  ply  move      loss  {}  better line", gains[0])?;
    for ((index, miss), gain) in misses.iter().zip(&gains[1..]) {
        let (mv, line) = moves_of(miss, dialect);
        let (number, mv, loss) = (index + 1, padded(&mv, 8), lost_percent(miss.loss));
        writeln!(out, "{number:>5}  {:>3}  {mv}  {loss:>4}  {gain}  {line}", miss.ply)?;
    }
    if let more @ 1.. = misses.len().saturating_sub(MAX_MISSES) {
        writeln!(out, "       … and {more} more in --json")?;
    }
    Ok(())
}

fn games(profile: &Profile, out: &mut impl Write) -> Result<(), CommandError> {
    let word = |text: &Option<String>| plain(text.as_deref().unwrap_or("?"));
    let dates = column("date", profile.games.iter().map(|game| word(&game.label.date)));
    let opponents = column("opponent", profile.games.iter().map(|game| word(&game.label.opponent)));
    writeln!(out, "\n game  {}  side   {}  result   accuracy  ?!   ?  ??  file", dates[0], opponents[0])?;
    for (number, game) in (1..).zip(&profile.games) {
        let label = &game.label;
        let [inaccuracies, mistakes, blunders] = game.summary.whole.marks;
        writeln!(
            out,
            "{number:>5}  {}  {:<5}  {}  {:<7}  {:>8}  {inaccuracies:>2}  {mistakes:>2}  {blunders:>2}  {} {}",
            dates[number],
            game.side.to_string(),
            opponents[number],
            game.result,
            accuracy(&game.summary.whole),
            plain(&label.file),
            label.number
        )?;
    }
    Ok(())
}
