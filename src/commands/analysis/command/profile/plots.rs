//! Plots of a profile as inline SVG, in the colours of the page.

use std::fmt::Write as _;

use html_escape::encode_safe;

use super::text::score;
use crate::commands::analysis::command::score::percent;
use crate::commands::analysis::profile::{PlayerGame, Profile, Results};
use crate::notation::game::GameResult;
use crate::types::Side;

/// Bars of the accuracy by phase: width and height of the plot, height of a bar, left edge and length of 100 %.
const PHASES: (f64, f64) = (640.0, 264.0);
const BAR: f64 = 18.0;
const BARS_FROM: f64 = 120.0;
const BARS_LENGTH: f64 = 440.0;

/// Returns bars of the accuracy in all moves and in each phase, with both colours.
pub fn accuracy_by_phase(profile: &Profile) -> String {
    let (width, height) = PHASES;
    let mut text = format!(
        "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Accuracy by phase\">\n"
    );
    for percent in [0, 25, 50, 75, 100] {
        let x = BARS_FROM + BARS_LENGTH * f64::from(percent) / 100.0;
        let _ = writeln!(
            text,
            "<path class=\"half\" d=\"M{x} 4V{:.0}\"/><text x=\"{x}\" y=\"{:.0}\" text-anchor=\"middle\">{percent} %</text>",
            height - 24.0,
            height - 7.0
        );
    }
    let summaries = Side::BOTH.map(|side| (side, profile.summary(Some(side))));
    let rows = ["all moves", "opening", "middle game", "ending"];
    for (row, name) in rows.into_iter().enumerate() {
        let top = 10.0 + row as f64 * 58.0;
        let _ = writeln!(
            text,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{name}</text>",
            BARS_FROM - 10.0,
            top + 25.0
        );
        for (index, (side, summary)) in summaries.iter().enumerate() {
            let part = row.checked_sub(1).map_or(&summary.whole, |phase| &summary.phases[phase]);
            let Some(accuracy) = part.accuracy else { continue };
            let (y, length) = (top + index as f64 * (BAR + 3.0), BARS_LENGTH * accuracy / 100.0);
            let _ = writeln!(
                text,
                "<rect class=\"{side}\" x=\"{BARS_FROM}\" y=\"{y}\" width=\"{length:.1}\" height=\"{BAR}\">\
                 <title>{name} as {side}: {accuracy:.1} % in {} moves</title></rect>\
                 <text class=\"value\" x=\"{:.1}\" y=\"{:.1}\">{accuracy:.0} %</text>",
                part.moves,
                BARS_FROM + length + 6.0,
                y + 14.0
            );
        }
    }
    text + "</svg>\n"
}

/// Size of the plot of games, and its margins: left, and on the other sides.
const GAMES: (f64, f64) = (1000.0, 260.0);
const LEFT: f64 = 62.0;
const MARGIN: f64 = 20.0;

/// Returns the accuracy of each game in the order of the profile. Every point links to the row of its game.
pub fn accuracy_by_game(profile: &Profile) -> String {
    let (width, height) = GAMES;
    let accuracies: Vec<(usize, &PlayerGame, f64)> = (1..)
        .zip(&profile.games)
        .filter_map(|(number, game)| game.summary.whole.accuracy.map(|accuracy| (number, game, accuracy)))
        .collect();
    let lowest = accuracies.iter().map(|point| point.2).fold(100.0, f64::min);
    // The scale begins at the multiple of ten below the lowest point.
    let floor = ((lowest - 1.0) / 10.0).floor().clamp(0.0, 9.0) * 10.0;
    let step = (width - LEFT - MARGIN) / profile.games.len().max(1) as f64;
    let x_of = |number: usize| LEFT + (number as f64 - 0.5) * step;
    let y_of = |accuracy: f64| MARGIN + (100.0 - accuracy) / (100.0 - floor) * (height - 2.0 * MARGIN);
    let mut text = format!(
        "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Accuracy of each game\">\n"
    );
    for tens in (floor / 10.0) as u32..=10 {
        let accuracy = f64::from(tens * 10);
        let y = y_of(accuracy);
        let _ = writeln!(
            text,
            "<path class=\"half\" d=\"M{LEFT} {y:.1}H{width}\"/>\
             <text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{accuracy:.0} %</text>",
            LEFT - 8.0,
            y + 5.0
        );
    }
    let points: Vec<String> =
        accuracies.iter().map(|&(number, _, accuracy)| format!("{:.1} {:.1}", x_of(number), y_of(accuracy))).collect();
    if points.len() > 1 {
        let _ = writeln!(text, "<path class=\"course\" d=\"M{}\"/>", points.join("L"));
    }
    for (number, game, accuracy) in accuracies {
        let radius = (step / 3.0).clamp(2.0, 7.0);
        let opponent = game.label.opponent.as_deref().unwrap_or("unknown opponent");
        let name = format!("game {number} as {} against {opponent}: {accuracy:.0} %, {}", game.side, outcome(game));
        let _ = writeln!(
            text,
            "<a href=\"#game-{number}\"><title>{}</title><circle class=\"{}\" cx=\"{:.1}\" cy=\"{:.1}\" \
             r=\"{radius:.1}\"/></a>",
            encode_safe(&name),
            outcome(game),
            x_of(number),
            y_of(accuracy)
        );
    }
    text + "</svg>\n"
}

/// Returns the outcome of a game for the player, which is also the class of its colour.
pub fn outcome(game: &PlayerGame) -> &'static str {
    match game.result.points(game.side) {
        _ if game.result == GameResult::Draw => "drawn",
        Some(points) if points > 0.5 => "won",
        Some(_) => "lost",
        None => "unknown",
    }
}

/// Size of the bar of results beside an opening.
const RESULTS: (f64, f64) = (160.0, 16.0);

/// Returns a bar of won, drawn, lost and unknown games, as long as their share in `most` games.
pub fn result_bar(results: &Results, most: usize) -> String {
    let (width, height) = RESULTS;
    let &Results { wins, draws, losses, unknown } = results;
    let name = format!("{wins} won, {draws} drawn, {losses} lost, {unknown} unknown; score {}", score(results));
    let mut text = format!(
        "<svg class=\"bar\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{name}\"><title>{name}</title>"
    );
    let mut x = 0.0;
    for (class, count) in [("won", wins), ("drawn", draws), ("lost", losses), ("unknown", unknown)] {
        let length = width * count as f64 / most.max(1) as f64;
        if count > 0 {
            let _ = write!(
                text,
                "<rect class=\"{class}\" x=\"{x:.1}\" y=\"0\" width=\"{length:.1}\" height=\"{height}\"/>"
            );
        }
        x += length;
    }
    text + "</svg>"
}

/// Size of the scale of attack, and its margin.
const SCALE: (f64, f64) = (640.0, 74.0);
const SCALE_MARGIN: f64 = 40.0;

/// Returns the share of the player's attack on a scale from 0 to 100 %.
pub fn attack_scale(share: f64) -> String {
    let (width, height) = SCALE;
    let x_of = |share: f64| SCALE_MARGIN + share * (width - 2.0 * SCALE_MARGIN);
    let mut text = format!(
        "<svg class=\"chart scale\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"Share of attack: {}\">\n<path class=\"line\" d=\"M{} 40H{}\"/>\n",
        percent(share),
        x_of(0.0),
        x_of(1.0)
    );
    for (at, name) in [(0.0, "0 %"), (0.35, "style solid"), (0.5, "50 %"), (0.65, "style risky"), (1.0, "100 %")] {
        let _ = writeln!(
            text,
            "<path class=\"line\" d=\"M{x:.1} 34V46\"/><text x=\"{x:.1}\" y=\"64\" text-anchor=\"middle\">{name}</text>",
            x = x_of(at)
        );
    }
    let x = x_of(share);
    let _ = writeln!(
        text,
        "<circle class=\"marker\" cx=\"{x:.1}\" cy=\"40\" r=\"8\"/>\
         <text class=\"value\" x=\"{x:.1}\" y=\"24\" text-anchor=\"middle\">{}</text>",
        percent(share)
    );
    text + "</svg>\n"
}
