//! Profile as one self-contained HTML page that works offline, without scripts, with its plots as inline SVG in the
//! colours of the page.
//!
//! All text from the game files is escaped.

use std::fmt::Write as _;

use html_escape::encode_safe;

use super::page::{document, row, table};
use super::profile::{PlayerGame, Profile, Results, TacticalMiss};
use super::text::{self, accuracy, agreed, lost_percent, moves_of, outcome, percent, points};
use crate::console::svg::{Arrow, ArrowColour, Diagram};
use crate::notation::Dialect;
use crate::types::Side;

const STYLE: &str = include_str!("../../../assets/report/profile.css");

/// Missed tactics with a diagram, and in all.
const MAX_DIAGRAMS: usize = 6;
const MAX_MISSES: usize = 100;

/// Returns the HTML of the page with moves in a notation.
pub fn to_html(profile: &Profile, dialect: Dialect) -> String {
    let body = format!(
        "<p class=\"facts\">{facts}</p>\n{summaries}\
         <h2>Accuracy by phase</h2>\n{legend}{phases}\
         <h2>Accuracy of each game, {order}</h2>\n{results_legend}{games_plot}\
         {openings}<h2>Attack</h2>\n{scale}<p>{attack_text}</p>\n\
         <h2>Missed tactics</h2>\n<p>Blunders whose better line mates or wins material: {misses_line}.</p>\n{misses}\
         <h2>Games</h2>\n{games}\
         <footer>Moves that lose 5, 10 or 20 % of the winning chance are marked ?!, ? and ??. The accuracy of a \
         move is 100 · e<sup>−5 · loss</sup> %, that of several moves their mean, without forced moves. “Agreed” \
         is the share of moves that are the first choice of the search. The player’s share of attack is the value of \
         threats against the enemy king in that of both sides’ threats, after the player’s moves outside the \
         opening: above 50 % the player attacks more than the opponents, whose position may be the reason; the \
         number beside it says by how many centipawns the moves played attack more than the first choices of the \
         search, with its standard error over the games. Analyzed by Chuhe {version}.</footer>\n",
        facts = encode_safe(&text::games_line(profile)),
        summaries = summaries(profile),
        legend = legend(&[("Red", "as Red"), ("Black", "as Black")]),
        phases = accuracy_by_phase(profile),
        order = if profile.games.iter().any(|game| game.date.is_some()) { "by date" } else { "in order" },
        results_legend = legend(&["won", "drawn", "lost", "unknown"].map(|name| (name, name))),
        games_plot = accuracy_by_game(profile),
        openings = openings(profile),
        scale = profile.attack().share().map_or(String::new(), attack_scale),
        attack_text = encode_safe(&sentence(&text::attack_line(profile))),
        misses_line = text::misses_line(profile),
        misses = misses(profile, dialect),
        games = games(profile),
        version = env!("CARGO_PKG_VERSION"),
    );
    document(&profile.player, STYLE, &body)
}

fn summaries(profile: &Profile) -> String {
    let part = |(name, side)| {
        let (results, summary) = profile.summary(side);
        let Results { wins, draws, losses, unknown } = results;
        let counts = [results.games(), wins, draws, losses, unknown].map(|count| count.to_string());
        let cells = counts
            .into_iter()
            .chain([points(&results), accuracy(&summary.whole)])
            .chain(summary.phases.map(|phase| accuracy(&phase)))
            .chain(text::marks_per_game(&summary, &results))
            .chain([agreed(&summary.whole)]);
        row(name, cells)
    };
    let head = [
        "",
        "games",
        "won",
        "drawn",
        "lost",
        "unknown",
        "score",
        "accuracy",
        "opening",
        "middle game",
        "ending",
        "?!/game",
        "?/game",
        "??/game",
        "agreed",
    ];
    let parts = [("all", None), ("as Red", Some(Side::Red)), ("as Black", Some(Side::Black))];
    table(" class=\"sums\"", &head, &parts.map(part).concat())
}

fn openings(profile: &Profile) -> String {
    let all = Side::BOTH.map(|side| (side, profile.openings(side)));
    let most = all.iter().flat_map(|(_, openings)| openings).map(|opening| opening.results.games()).max();
    let mut html = String::new();
    for (side, openings) in all.iter().filter(|(_, openings)| !openings.is_empty()) {
        let rows = openings.iter().map(|opening| {
            let results = &opening.results;
            let counts = [results.games(), results.wins, results.draws, results.losses].map(|count| count.to_string());
            let cells = [result_bar(results, most.unwrap_or(1))]
                .into_iter()
                .chain(counts)
                .chain([points(results), accuracy(&opening.summary.whole)]);
            row(&encode_safe(&text::opening(opening.opening.as_ref())), cells)
        });
        let head = ["opening", "results", "games", "won", "drawn", "lost", "score", "accuracy"];
        let rows = rows.collect::<String>();
        let _ = write!(html, "<h2>Openings as {side}</h2>\n{}", table(" class=\"openings\"", &head, &rows));
    }
    html
}

fn misses(profile: &Profile, dialect: Dialect) -> String {
    let misses = profile.misses();
    let cards = misses.iter().take(MAX_DIAGRAMS).map(|(index, miss)| card(*index, miss, dialect)).collect::<String>();
    let mut html = format!("<div class=\"cards\">\n{cards}</div>\n");
    if misses.len() > MAX_DIAGRAMS {
        let rows = misses.iter().take(MAX_MISSES).skip(MAX_DIAGRAMS).map(|(index, miss)| {
            let (mv, line) = moves_of(miss, dialect);
            let number = index + 1;
            let cells = [
                miss.ply.to_string(),
                encode_safe(&mv).into_owned(),
                lost_percent(miss.loss),
                text::gain(&miss.gain),
                encode_safe(&line).into_owned(),
            ];
            row(&format!("<a href=\"#game-{number}\">{number}</a>"), cells)
        });
        let head = ["game", "ply", "move", "loss", "missed", "better line"];
        html += &table(" class=\"misses\"", &head, &rows.collect::<String>());
    }
    if let more @ 1.. = misses.len().saturating_sub(MAX_MISSES) {
        let _ = writeln!(html, "<p>… and {more} more.</p>");
    }
    html
}

/// Returns the diagram of a missed tactic, seen from the player's side, with the move played and the better one.
fn card(index: usize, miss: &TacticalMiss, dialect: Dialect) -> String {
    let better = miss.better_line.first().map(|&mv| Arrow { mv, colour: ArrowColour::Green });
    let diagram = Diagram {
        arrows: [Arrow { mv: miss.mv, colour: ArrowColour::Red }].into_iter().chain(better).collect(),
        flipped: miss.position.side() == Side::Black,
        ..Diagram::new(&miss.position)
    };
    let (mv, line) = moves_of(miss, dialect);
    format!(
        "<figure>{}<figcaption><a href=\"#game-{number}\">Game {number}</a>, ply {}: {} loses {} of the winning \
         chance. Missed: {}, by {}</figcaption></figure>\n",
        diagram.to_inline(),
        miss.ply,
        encode_safe(&mv),
        lost_percent(miss.loss),
        text::gain(&miss.gain),
        encode_safe(&line),
        number = index + 1
    )
}

fn games(profile: &Profile) -> String {
    let mut rows = String::new();
    for (number, game) in (1..).zip(&profile.games) {
        let words = |text: &Option<String>| encode_safe(text.as_deref().unwrap_or("–")).into_owned();
        let [inaccuracies, mistakes, blunders] = game.summary.whole.marks;
        let _ = writeln!(
            rows,
            "<tr id=\"game-{number}\"><th>{number}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
             <td class=\"{}\">{}</td><td>{}</td><td>{inaccuracies}</td><td>{mistakes}</td><td>{blunders}</td>\
             <td>{} {}</td></tr>",
            words(&game.date),
            words(&game.event),
            game.side,
            words(&game.opponent),
            outcome(game),
            game.result,
            accuracy(&game.summary.whole),
            encode_safe(&game.file),
            game.number
        );
    }
    let head = ["game", "date", "event", "side", "opponent", "result", "accuracy", "?!", "?", "??", "file"];
    table(" class=\"games\"", &head, &rows)
}

/// Returns coloured names.
fn legend(entries: &[(&str, &str)]) -> String {
    let entries = entries.iter().map(|(class, name)| format!("<span class=\"{class}\">■ {name}</span>"));
    format!("<p class=\"legend\">{}</p>\n", entries.collect::<Vec<_>>().join(" "))
}

/// Returns a text with a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}

/// Opens a picture of this size with a name for screen readers.
fn picture(class: &str, (width, height): (f64, f64), name: &str) -> String {
    format!("<svg class=\"{class}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{name}\">")
}

/// Bars of the accuracy by phase: width and height of the plot, height of a bar, left edge and length of 100 %.
const PHASES: (f64, f64) = (640.0, 264.0);
const BAR: f64 = 18.0;
const BARS_FROM: f64 = 120.0;
const BARS_LENGTH: f64 = 440.0;

/// Returns bars of the accuracy in all moves and in each phase, with both colours.
fn accuracy_by_phase(profile: &Profile) -> String {
    let mut html = picture("chart", PHASES, "Accuracy by phase") + "\n";
    for percent in [0, 25, 50, 75, 100] {
        let x = BARS_FROM + BARS_LENGTH * f64::from(percent) / 100.0;
        let (end, base) = (PHASES.1 - 24.0, PHASES.1 - 7.0);
        let _ = writeln!(
            html,
            "<path class=\"half\" d=\"M{x} 4V{end:.0}\"/>\
             <text x=\"{x}\" y=\"{base:.0}\" text-anchor=\"middle\">{percent} %</text>"
        );
    }
    let summaries = Side::BOTH.map(|side| (side, profile.summary(Some(side)).1));
    for (row, name) in ["all moves", "opening", "middle game", "ending"].into_iter().enumerate() {
        let top = 10.0 + row as f64 * 58.0;
        let (x, y) = (BARS_FROM - 10.0, top + 25.0);
        let _ = writeln!(html, "<text x=\"{x:.0}\" y=\"{y:.0}\" text-anchor=\"end\">{name}</text>");
        for (index, (side, summary)) in summaries.iter().enumerate() {
            let part = row.checked_sub(1).map_or(&summary.whole, |phase| &summary.phases[phase]);
            let Some(accuracy) = part.accuracy else { continue };
            let (y, length) = (top + index as f64 * (BAR + 3.0), BARS_LENGTH * accuracy / 100.0);
            let _ = writeln!(
                html,
                "<rect class=\"{side}\" x=\"{BARS_FROM}\" y=\"{y}\" width=\"{length:.1}\" height=\"{BAR}\">\
                 <title>{name} as {side}: {accuracy:.1} % in {} moves</title></rect>\
                 <text class=\"value\" x=\"{:.1}\" y=\"{:.1}\">{accuracy:.0} %</text>",
                part.moves,
                BARS_FROM + length + 6.0,
                y + 14.0
            );
        }
    }
    html + "</svg>\n"
}

/// Size of the plot of games, and its margins: left, and on the other sides.
const GAMES: (f64, f64) = (1000.0, 260.0);
const LEFT: f64 = 62.0;
const MARGIN: f64 = 20.0;

/// Returns the accuracy of each game in the order of the profile. Every point links to the row of its game.
fn accuracy_by_game(profile: &Profile) -> String {
    let (width, height) = GAMES;
    let accuracy_of = |(number, game): (usize, &PlayerGame)| Some((number, game.summary.whole.accuracy?));
    let accuracies: Vec<(usize, f64)> = (1..).zip(&profile.games).filter_map(accuracy_of).collect();
    let lowest = accuracies.iter().map(|point| point.1).fold(100.0, f64::min);
    // The scale begins at the multiple of ten below the lowest point.
    let floor = ((lowest - 1.0) / 10.0).floor().clamp(0.0, 9.0) * 10.0;
    let step = (width - LEFT - MARGIN) / profile.games.len().max(1) as f64;
    let x_of = |number: usize| LEFT + (number as f64 - 0.5) * step;
    let y_of = |accuracy: f64| MARGIN + (100.0 - accuracy) / (100.0 - floor) * (height - 2.0 * MARGIN);
    let mut html = picture("chart", GAMES, "Accuracy of each game") + "\n";
    for tens in (floor / 10.0) as u32..=10 {
        let accuracy = f64::from(tens * 10);
        let (x, y) = (LEFT - 8.0, y_of(accuracy));
        let _ = writeln!(
            html,
            "<path class=\"half\" d=\"M{LEFT} {y:.1}H{width}\"/>\
             <text x=\"{x:.0}\" y=\"{:.1}\" text-anchor=\"end\">{accuracy:.0} %</text>",
            y + 5.0
        );
    }
    let points = accuracies.iter().map(|&(number, accuracy)| format!("{:.1} {:.1}", x_of(number), y_of(accuracy)));
    if accuracies.len() > 1 {
        let _ = writeln!(html, "<path class=\"course\" d=\"M{}\"/>", points.collect::<Vec<_>>().join("L"));
    }
    for (number, accuracy) in accuracies {
        let game = &profile.games[number - 1];
        let (x, y, radius) = (x_of(number), y_of(accuracy), (step / 3.0).clamp(2.0, 7.0));
        let (opponent, outcome) = (game.opponent.as_deref().unwrap_or("unknown opponent"), outcome(game));
        let name = format!("game {number} as {} against {opponent}: {accuracy:.0} %, {outcome}", game.side);
        let _ = writeln!(
            html,
            "<a href=\"#game-{number}\"><title>{}</title><circle class=\"{outcome}\" cx=\"{x:.1}\" cy=\"{y:.1}\" \
             r=\"{radius:.1}\"/></a>",
            encode_safe(&name)
        );
    }
    html + "</svg>\n"
}

/// Size of the bar of results beside an opening.
const RESULTS: (f64, f64) = (160.0, 16.0);

/// Returns a bar of won, drawn, lost and unknown games, as long as their share in `most` games.
fn result_bar(results: &Results, most: usize) -> String {
    let (width, height) = RESULTS;
    let &Results { wins, draws, losses, unknown } = results;
    let name = format!("{wins} won, {draws} drawn, {losses} lost, {unknown} unknown; score {}", points(results));
    let mut html = format!("{}<title>{name}</title>", picture("bar", RESULTS, &name));
    let mut x = 0.0;
    for (class, count) in [("won", wins), ("drawn", draws), ("lost", losses), ("unknown", unknown)] {
        let length = width * count as f64 / most.max(1) as f64;
        if count > 0 {
            let size = format!("width=\"{length:.1}\" height=\"{height}\"");
            let _ = write!(html, "<rect class=\"{class}\" x=\"{x:.1}\" y=\"0\" {size}/>");
        }
        x += length;
    }
    html + "</svg>"
}

/// Size of the scale of attack, and its margin.
const SCALE: (f64, f64) = (640.0, 74.0);
const SCALE_MARGIN: f64 = 40.0;

/// Returns the share of the player's attack on a scale from 0 to 100 %.
fn attack_scale(share: f64) -> String {
    let x_of = |share: f64| SCALE_MARGIN + share * (SCALE.0 - 2.0 * SCALE_MARGIN);
    let value = percent(share);
    let mut html = picture("chart scale", SCALE, &format!("Share of attack: {value}"));
    let _ = writeln!(html, "\n<path class=\"line\" d=\"M{} 40H{}\"/>", x_of(0.0), x_of(1.0));
    for (at, name) in [(0.0, "0 %"), (0.35, "style solid"), (0.5, "50 %"), (0.65, "style risky"), (1.0, "100 %")] {
        let x = x_of(at);
        let _ = writeln!(
            html,
            "<path class=\"line\" d=\"M{x:.1} 34V46\"/><text x=\"{x:.1}\" y=\"64\" text-anchor=\"middle\">{name}</text>"
        );
    }
    let x = x_of(share);
    let _ = writeln!(
        html,
        "<circle class=\"marker\" cx=\"{x:.1}\" cy=\"40\" r=\"8\"/>\
         <text class=\"value\" x=\"{x:.1}\" y=\"24\" text-anchor=\"middle\">{value}</text>"
    );
    html + "</svg>\n"
}
