//! Profile as one self-contained HTML page that works offline, without scripts.
//!
//! All text from the game files is escaped.

use std::fmt::Write as _;

use html_escape::encode_safe;

use super::plots::{accuracy_by_game, accuracy_by_phase, attack_scale, outcome, result_bar};
use super::text::{attack_line, gain_text, games_line, marks_per_game, misses_line, moves_of, opening_text, score};
use crate::commands::analysis::command::page::document;
use crate::commands::analysis::command::score::{accuracy, agreed, lost_percent};
use crate::commands::analysis::profile::{Profile, Results, TacticalMiss};
use crate::console::svg::{Arrow, ArrowColour, Diagram};
use crate::notation::Dialect;
use crate::types::Side;

const STYLE: &str = include_str!("../../../../../assets/report/profile.css");

/// Missed tactics with a diagram, and in all.
const MAX_DIAGRAMS: usize = 6;
const MAX_MISSES: usize = 100;

/// Page of a profile.
pub struct Page<'a> {
    /// Profile.
    pub profile: &'a Profile,
    /// Notation of moves.
    pub dialect: Dialect,
}

impl Page<'_> {
    /// Returns the HTML of the page.
    pub fn to_html(&self) -> String {
        let profile = self.profile;
        let attack = profile.attack();
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
            facts = encode_safe(&games_line(profile)),
            summaries = self.summaries(),
            legend = legend(&[("Red", "as Red"), ("Black", "as Black")]),
            phases = accuracy_by_phase(profile),
            order = if profile.games.iter().any(|game| game.label.date.is_some()) { "by date" } else { "in order" },
            results_legend = legend(&[("won", "won"), ("drawn", "drawn"), ("lost", "lost"), ("unknown", "unknown")]),
            games_plot = accuracy_by_game(profile),
            openings = self.openings(),
            scale = attack.share().map_or(String::new(), attack_scale),
            attack_text = encode_safe(&sentence(&attack_line(profile))),
            misses_line = misses_line(profile),
            misses = self.misses(),
            games = self.games(),
            version = env!("CARGO_PKG_VERSION"),
        );
        document(&profile.player, STYLE, &body)
    }

    fn summaries(&self) -> String {
        let mut text =
            "<div class=\"wide\"><table class=\"sums\">\n<tr><th></th><th>games</th><th>won</th><th>drawn</th><th>lost</th>\
                        <th>unknown</th><th>score</th><th>accuracy</th><th>opening</th><th>middle game</th>\
                        <th>ending</th><th>?!/game</th><th>?/game</th><th>??/game</th><th>agreed</th></tr>\n"
                .to_owned();
        for (name, side) in [("all", None), ("as Red", Some(Side::Red)), ("as Black", Some(Side::Black))] {
            let (results, summary) = (self.profile.results(side), self.profile.summary(side));
            let Results { wins, draws, losses, unknown } = results;
            let counts = [results.games(), wins, draws, losses, unknown].map(|count| count.to_string());
            let phases = summary.phases.map(|phase| accuracy(&phase));
            let cells = counts
                .into_iter()
                .chain([score(&results), accuracy(&summary.whole)])
                .chain(phases)
                .chain(marks_per_game(&summary, &results))
                .chain([agreed(&summary.whole)]);
            let cells: String = cells.map(|cell| format!("<td>{cell}</td>")).collect();
            let _ = writeln!(text, "<tr><th>{name}</th>{cells}</tr>");
        }
        text + "</table></div>\n"
    }

    fn openings(&self) -> String {
        let mut text = String::new();
        let all = Side::BOTH.map(|side| (side, self.profile.openings(side)));
        let most = all.iter().flat_map(|(_, openings)| openings).map(|opening| opening.results.games()).max();
        for (side, openings) in all {
            if openings.is_empty() {
                continue;
            }
            let _ = write!(
                text,
                "<h2>Openings as {side}</h2>\n<div class=\"wide\"><table class=\"openings\">\n<tr><th>opening</th>\
                 <th>results</th><th>games</th><th>won</th><th>drawn</th><th>lost</th><th>score</th>\
                 <th>accuracy</th></tr>\n"
            );
            for opening in openings {
                let Results { wins, draws, losses, .. } = opening.results;
                let _ = writeln!(
                    text,
                    "<tr><th>{}</th><td>{}</td><td>{}</td><td>{wins}</td><td>{draws}</td><td>{losses}</td><td>{}</td>\
                     <td>{}</td></tr>",
                    encode_safe(&opening_text(opening.opening.as_ref())),
                    result_bar(&opening.results, most.unwrap_or(1)),
                    opening.results.games(),
                    score(&opening.results),
                    accuracy(&opening.summary.whole)
                );
            }
            text += "</table></div>\n";
        }
        text
    }

    fn misses(&self) -> String {
        let misses = self.profile.misses();
        let mut text = "<div class=\"cards\">\n".to_owned();
        for (index, miss) in misses.iter().take(MAX_DIAGRAMS) {
            text += &self.card(*index, miss);
        }
        text += "</div>\n";
        if misses.len() > MAX_DIAGRAMS {
            text += "<div class=\"wide\"><table class=\"misses\">\n<tr><th>game</th><th>ply</th><th>move</th><th>loss</th>\
                     <th>missed</th><th>better line</th></tr>\n";
            for (index, miss) in misses.iter().take(MAX_MISSES).skip(MAX_DIAGRAMS) {
                let (mv, line) = moves_of(miss, self.dialect);
                let _ = writeln!(
                    text,
                    "<tr><th><a href=\"#game-{number}\">{number}</a></th><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
                     <td>{}</td></tr>",
                    miss.ply,
                    encode_safe(&mv),
                    lost_percent(miss.loss),
                    gain_text(&miss.gain),
                    encode_safe(&line),
                    number = index + 1
                );
            }
            text += "</table></div>\n";
        }
        if let more @ 1.. = misses.len().saturating_sub(MAX_MISSES) {
            let _ = writeln!(text, "<p>… and {more} more.</p>");
        }
        text
    }

    /// Returns the diagram of a missed tactic, seen from the player's side, with the move played and the better one.
    fn card(&self, index: usize, miss: &TacticalMiss) -> String {
        let arrow = |mv, colour| Arrow { mv, colour };
        let better = miss.better_line.first().map(|&mv| arrow(mv, ArrowColour::Green));
        let diagram = Diagram {
            arrows: [arrow(miss.mv, ArrowColour::Red)].into_iter().chain(better).collect(),
            flipped: miss.position.side() == Side::Black,
            ..Diagram::new(&miss.position)
        };
        let (mv, line) = moves_of(miss, self.dialect);
        format!(
            "<figure>{}<figcaption><a href=\"#game-{number}\">Game {number}</a>, ply {}: {} loses {} of the winning \
             chance. Missed: {}, by {}</figcaption></figure>\n",
            diagram.to_inline(),
            miss.ply,
            encode_safe(&mv),
            lost_percent(miss.loss),
            gain_text(&miss.gain),
            encode_safe(&line),
            number = index + 1
        )
    }

    fn games(&self) -> String {
        let mut text = "<div class=\"wide\"><table class=\"games\">\n<tr><th>game</th><th>date</th><th>event</th>\
                        <th>side</th><th>opponent</th><th>result</th><th>accuracy</th><th>?!</th><th>?</th><th>??</th>\
                        <th>file</th></tr>\n"
            .to_owned();
        for (number, game) in (1..).zip(&self.profile.games) {
            let label = &game.label;
            let words = |text: &Option<String>| encode_safe(text.as_deref().unwrap_or("–")).into_owned();
            let [inaccuracies, mistakes, blunders] = game.summary.whole.marks;
            let _ = writeln!(
                text,
                "<tr id=\"game-{number}\"><th>{number}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
                 <td class=\"{}\">{}</td><td>{}</td><td>{inaccuracies}</td><td>{mistakes}</td><td>{blunders}</td>\
                 <td>{} {}</td></tr>",
                words(&label.date),
                words(&label.event),
                game.side,
                words(&label.opponent),
                outcome(game),
                game.result,
                accuracy(&game.summary.whole),
                encode_safe(&label.file),
                label.number
            );
        }
        text + "</table></div>\n"
    }
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
