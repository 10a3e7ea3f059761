//! Reports of games and of players as self-contained HTML pages that work offline.
//!
//! All text from the game files is escaped. In the page of a game the fragment `#ply=N` of the address selects a ply.

use std::fmt::Write as _;

use html_escape::encode_safe;
use serde_json::{Value, json};

use super::game::{GameReview, MoveReview, PositionReview};
use super::profile::{OUTCOMES, PlayerGame, Profile, Record, TacticalMiss};
use super::text::{self, lost_percent, moves_of, percent, points};
use super::{Mark, winning_chance};
use crate::console::chinese::Language;
use crate::console::data;
use crate::console::svg::{self, Arrow, Diagram, outline};
use crate::notation::game::{Game, is_known};
use crate::notation::{Dialect, write, write_line};
use crate::types::{Move, Side, Square};

const STYLE: &str = include_str!("../../../assets/report/page.css");
const PROFILE_STYLE: &str = include_str!("../../../assets/report/profile.css");
const SCRIPT: &str = include_str!("../../../assets/report/page.js");

/// Size of the chart in its own units, with a margin on all sides.
const CHART: (f64, f64) = (1000.0, 240.0);
const MARGIN: f64 = 14.0;

/// Sentences below the pages: on scores and marks, and on the numbers of a profile.
const SCORES: &str = "With a score of +1.00 half of the games of Chuhe with itself are won, winning chances count a draw as \
    a half; both are for Red.";
const MARKS: &str = "Moves that lose 5, 10 or 20 % of the winning chance are marked ?!, ? and ??. The accuracy of a move is \
    100 · e<sup>−5 · loss</sup> %.";
const PROFILE: &str = "The accuracy of several moves is their mean, without forced moves. “Agreed” is the share of moves \
    that are the first choice of the search. The player’s share of attack is the value of threats against the enemy king \
    in that of both sides’ threats, after the player’s moves outside the opening: above 50 % the player attacks more than \
    the opponents, whose position may be the reason; the number beside it says by how many centipawns the moves played \
    attack more than the first choices of the search, with its standard error over the games.";
const VERSION: &str = concat!("Analyzed by Chuhe ", env!("CARGO_PKG_VERSION"), ".");

pub struct Page<'a> {
    pub game: &'a Game,
    /// Review, which may end before the game.
    pub review: &'a GameReview,
    pub dialect: Dialect,
    pub language: Language,
}

/// Returns a complete page. The title is text, the body HTML that may contain diagrams.
fn document(title: &str, style: &str, body: &str, language: Language) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n{definitions}\
         <h1>{title}</h1>\n{body}</body>\n</html>\n",
        title = encode_safe(title),
        lang = if language == Language::Chinese { "zh-CN" } else { "en" },
        definitions = svg::shared_definitions(),
    )
}

fn heading(text: &str, language: Language) -> String {
    format!("<h2>{}</h2>\n", language.say(text))
}

/// Returns a table of this class. The cells of its rows are HTML; the first row is the head.
fn table(class: &str, rows: Vec<Vec<String>>) -> String {
    let row = |(number, cells): (usize, Vec<String>)| {
        let name = |column: usize| if number == 0 || column == 0 { "th" } else { "td" };
        let cell = |(column, cell)| format!("<{name}>{cell}</{name}>", name = name(column));
        format!("<tr>{}</tr>\n", cells.into_iter().enumerate().map(cell).collect::<String>())
    };
    let rows: String = rows.into_iter().enumerate().map(row).collect();
    format!("<div class=\"wide\"><table class=\"{class}\">\n{rows}</table></div>\n")
}

impl Page<'_> {
    pub fn to_html(&self) -> String {
        let say = |text: &str| self.language.say(text);
        let [start, back, on, end] = ["First position", "Previous move", "Next move", "Last position"].map(say);
        let plies: Value = self.review.positions.iter().enumerate().map(|(ply, at)| self.ply(ply, at)).collect();
        // Escaping `<` keeps the text from ending the script element.
        let data = plies.to_string().replace('<', "\\u003c");
        let body = format!(
            "<p class=\"facts\">{facts}</p>\n\
             <div class=\"columns\">\n<div class=\"board\">\n{board}\
             <div class=\"buttons\"><button type=\"button\" aria-label=\"{start}\">|◀</button>\
             <button type=\"button\" aria-label=\"{back}\">◀</button>\
             <button type=\"button\" aria-label=\"{on}\">▶</button>\
             <button type=\"button\" aria-label=\"{end}\">▶|</button></div>\n\
             <div class=\"details\" aria-live=\"polite\"><p class=\"what\"></p><p class=\"remark\"></p>\
             <p class=\"judgement\"></p><p class=\"score\"></p><p class=\"line\"></p></div>\n</div>\n\
             <div>\n{chart}{table}{moves}</div>\n</div>\n\
             <footer>{footer}</footer>\n\
             <script type=\"application/json\" id=\"plies\">{data}</script>\n<script>\n{SCRIPT}</script>\n",
            facts = self.facts(),
            board = svg::empty_board(false),
            chart = self.chart(),
            table = heading("Accuracy", self.language)
                + &table("accuracy", escaped(text::sides(self.review), self.language)),
            moves = heading("Moves", self.language) + &self.move_list(),
            footer = [SCORES, MARKS, VERSION].map(say).join(" "),
        );
        document(&self.title(), "", &body, self.language)
    }

    fn title(&self) -> String {
        let name = |tag| self.game.tag(tag).filter(|name| is_known(name)).map(str::to_owned);
        let named = |tag, other| name(tag).unwrap_or_else(|| self.language.say(other));
        if name("Red").or(name("Black")).is_none() {
            return named("Event", "Game");
        }
        format!("{} – {}", named("Red", "Red"), named("Black", "Black"))
    }

    fn facts(&self) -> String {
        let tags =
            self.game.tags.iter().filter(|(name, value)| {
                !["Red", "Black", "Game", "Opening"].contains(&name.as_str()) && is_known(value)
            });
        let facts = tags.map(|(name, value)| format!("{name}: {}", data(value)));
        let opening = self.game.opening().map(|name| format!("Opening: {name}"));
        let facts = facts.chain(opening).chain([format!("Result: {}", self.game.result)]);
        facts.map(|fact| encode_safe(&self.language.say(&fact)).into_owned()).collect::<Vec<String>>().join(" · ")
    }

    fn move_text(&self, mv: &MoveReview) -> String {
        write(&self.review.positions[mv.ply - 1].position, mv.mv, self.dialect)
    }

    fn move_number(&self, ply: usize) -> usize {
        let starts_black = self.game.start.side() == Side::Black;
        self.game.start.move_number() + (ply - 1 + usize::from(starts_black)) / 2
    }

    /// Returns the data of a ply for the script.
    fn ply(&self, ply: usize, at: &PositionReview) -> Value {
        let say = |text: &str| self.language.say(text);
        let mv = ply.checked_sub(1).map(|index| &self.review.moves[index]);
        let best = &at.outcome;
        let chance = percent(winning_chance(at.score_for_red()));
        let line = write_line(&at.position, &best.line, self.dialect).join(" ");
        let ends = |mv: Move| (coordinates(mv.from()), coordinates(mv.to()));
        json!({
            "board": at.position.to_string().split(' ').next(),
            "last": mv.map(|mv| ends(mv.mv)).map(|((x, y), (a, b))| [x, y, a, b]),
            // The best move.
            "arrow": best.best().map(ends).map(|(from, to)| outline(from, to)),
            "what": mv.map_or(say("Start"), |mv| {
                let (side, sign) = (say(&mv.side.to_string()), mv.mark.map_or("", Mark::sign));
                format!("{}. {side} {}{sign}", self.move_number(ply), self.move_text(mv))
            }),
            "remark": mv.map_or(&self.game.comment, |mv| &self.game.nodes[mv.ply - 1].comment),
            "judgement": mv.map_or(String::new(), |mv| self.judgement(mv)),
            "score": say(&format!("{} · Red's winning chance {chance}", text::score(at.reported_for_red()))),
            "line": if line.is_empty() { String::new() } else { say(&format!("Best from here: {line}")) },
        })
    }

    fn judgement(&self, mv: &MoveReview) -> String {
        let Some(mark) = mv.mark else { return String::new() };
        let before = &self.review.positions[mv.ply - 1].position;
        let better = write_line(before, &mv.best_line, self.dialect).join(" ");
        let (name, loss) = (mark.name(), lost_percent(mv.loss));
        self.language.say(&format!("{name}: it loses {loss} of the winning chance. Better: {better}"))
    }

    /// Returns the chart of Red's winning chance. Every ply is a link as wide as its share of the chart.
    fn chart(&self) -> String {
        let positions = &self.review.positions;
        let (width, height) = CHART;
        let step = (width - 2.0 * MARGIN) / positions.len().saturating_sub(1).max(1) as f64;
        let point = |(ply, at): (usize, &PositionReview)| {
            let chance = winning_chance(at.score_for_red());
            (MARGIN + ply as f64 * step, MARGIN + (1.0 - chance) * (height - 2.0 * MARGIN))
        };
        let points: Vec<(f64, f64)> = positions.iter().enumerate().map(point).collect();
        let curve: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        let curve = curve.join("L");
        let (half, bottom, right) = (height / 2.0, height - MARGIN, points.last().map_or(MARGIN, |point| point.0));
        let mut html = format!(
            "{}{}\n\
             <path class=\"half\" d=\"M0 {half}H{width}\"/>\n\
             <path class=\"area\" d=\"M{MARGIN} {bottom}L{curve}L{right:.1} {bottom}Z\"/>\n\
             <path class=\"curve\" d=\"M{curve}\"/>\n\
             <text x=\"4\" y=\"16\">100 %</text>\n<text x=\"4\" y=\"{}\">0 %</text>\n",
            heading("Red's winning chance", self.language),
            picture("chart", CHART, &self.language.say("Red's winning chance after every move")),
            height - 5.0
        );
        for (ply, (x, y)) in points.iter().enumerate() {
            let mv = ply.checked_sub(1).map(|index| &self.review.moves[index]);
            let mark = mv.and_then(|mv| mv.mark);
            let class = mark.map_or(String::new(), |mark| format!(" {mark:?}"));
            let radius = if mark.is_some() { 6.0 } else { (step / 3.0).clamp(1.5, 4.0) };
            let words = mv.map_or(self.language.say("Start"), |mv| format!("{ply} {}", self.move_text(mv)));
            let name = self.language.say(&format!("{words}: {}", text::score(positions[ply].reported_for_red())));
            let _ = writeln!(
                html,
                "<a class=\"point{class}\" href=\"#ply={ply}\"><title>{name}</title>\
                 <rect class=\"band\" x=\"{:.1}\" y=\"0\" width=\"{step:.1}\" height=\"{height}\"/>\
                 <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/></a>",
                x - step / 2.0,
                name = encode_safe(&name)
            );
        }
        html + "</svg>\n"
    }

    fn move_list(&self) -> String {
        let mut html = "<div class=\"moves scroll\">\n".to_owned();
        let comment = |html: &mut String, comment: &str| {
            if !comment.is_empty() {
                let _ = writeln!(html, "<span></span><div class=\"comment\">{}</div>", encode_safe(comment));
            }
        };
        comment(&mut html, &self.game.comment);
        // Whether Red's column of the current row is filled.
        let mut is_row_open = false;
        for mv in &self.review.moves {
            let is_red = mv.side == Side::Red;
            if !is_row_open {
                let _ = writeln!(html, "<span class=\"number\">{}.</span>", self.move_number(mv.ply));
                html.push_str(if is_red { "" } else { "<span>…</span>\n" });
            }
            let class = mv.mark.map_or(String::new(), |mark| format!(" {mark:?}"));
            let _ = writeln!(
                html,
                "<a class=\"move{class}\" href=\"#ply={}\"><span>{}<span class=\"mark\">{}</span></span>\
                 <span class=\"score\">{}</span></a>",
                mv.ply,
                encode_safe(&self.move_text(mv)),
                mv.mark.map_or("", Mark::sign),
                self.language.say(&text::score(self.review.positions[mv.ply].reported_for_red()))
            );
            let move_comment = &self.game.nodes[mv.ply - 1].comment;
            is_row_open = is_red && move_comment.is_empty();
            html.push_str(if is_red && !is_row_open { "<span></span>\n" } else { "" });
            comment(&mut html, move_comment);
        }
        html + if is_row_open { "<span></span>\n" } else { "" } + "</div>\n"
    }
}

/// Returns the coordinates of a square in a diagram with Red below.
fn coordinates(square: Square) -> (i32, i32) {
    (i32::from(square.file()) * 100, (i32::from(Square::RANKS) - 1 - i32::from(square.rank())) * 100)
}

/// Missed tactics with a diagram, and in all.
const MAX_DIAGRAMS: usize = 6;
const MAX_MISSES: usize = 100;

/// Returns the page of a profile, which has no scripts; its plots are inline SVG.
pub fn profile_page(profile: &Profile, dialect: Dialect, language: Language) -> String {
    let say = |text: &str| language.say(text);
    let is_dated = profile.games.iter().any(|game| game.date.is_some());
    let legend = OUTCOMES.map(|name| format!("<span class=\"{name}\">■ {}</span>", say(name))).join(" ");
    let body = [
        format!("<p class=\"facts\">{}</p>\n", encode_safe(&say(&text::games_line(profile)))),
        table("sums", escaped(text::records(profile), language)),
        heading(if is_dated { "Accuracy of each game, by date" } else { "Accuracy of each game, in order" }, language),
        format!("<p class=\"legend\">{legend}</p>\n{}", accuracy_by_game(profile, language)),
        openings(profile, language),
        heading("Attack", language),
        format!("<p class=\"attack\">{}</p>\n", encode_safe(&say(&text::attack_line(profile)))),
        heading("Missed tactics", language),
        format!(
            "<p>{}</p>\n",
            say(&format!("Blunders whose better line mates or wins material: {}.", text::misses_line(profile)))
        ),
        misses(profile, dialect, language),
        heading("Games", language) + &games(profile, language),
        format!("<footer>{}</footer>\n", [MARKS, PROFILE, VERSION].map(say).join(" ")),
    ];
    document(&profile.player, PROFILE_STYLE, &body.concat(), language)
}

fn escaped(rows: Vec<Vec<String>>, language: Language) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|cell| encode_safe(&language.say(cell)).into_owned()).collect()).collect()
}

fn openings(profile: &Profile, language: Language) -> String {
    let all = Side::BOTH.map(|side| profile.openings(side));
    let most = all.iter().flatten().map(|(_, record)| record.games()).max().unwrap_or(1);
    let of_side = |(side, openings): (Side, &Vec<(_, Record)>)| {
        let mut rows = escaped(text::openings(profile, side)?, language);
        rows[0].insert(1, language.say("results"));
        let bars = openings.iter().map(|(_, record)| result_bar(record, most, language));
        rows.iter_mut().skip(1).zip(bars).for_each(|(row, bar)| row.insert(1, bar));
        Some(heading(&format!("Openings as {side}"), language) + &table("openings", rows))
    };
    Side::BOTH.into_iter().zip(&all).filter_map(of_side).collect()
}

fn misses(profile: &Profile, dialect: Dialect, language: Language) -> String {
    let misses = profile.misses();
    let cards = misses.iter().take(MAX_DIAGRAMS).map(|(index, miss)| card(*index, miss, dialect, language));
    let mut html = format!("<div class=\"cards\">\n{}</div>\n", cards.collect::<String>());
    if misses.len() > MAX_DIAGRAMS {
        let mut rows = escaped(text::misses(profile, dialect), language);
        rows.truncate(1 + MAX_MISSES);
        rows.drain(1..=MAX_DIAGRAMS);
        rows.iter_mut().skip(1).for_each(|row| row[0] = format!("<a href=\"#game-{0}\">{0}</a>", row[0]));
        html += &table("misses", rows);
    }
    if let more @ 1.. = misses.len().saturating_sub(MAX_MISSES) {
        let _ = writeln!(html, "<p>{}</p>", language.say(&format!("… and {more} more.")));
    }
    html
}

/// Returns the diagram of a missed tactic, seen from the player's side, with the move played and the better one.
fn card(index: usize, miss: &TacticalMiss, dialect: Dialect, language: Language) -> String {
    let better = miss.better_line.first().copied().map(Arrow::green);
    let diagram = Diagram {
        arrows: [Arrow::red(miss.mv)].into_iter().chain(better).collect(),
        flipped: miss.position.side() == Side::Black,
        ..Diagram::new(&miss.position)
    };
    let (mv, line) = moves_of(miss, dialect);
    let (number, loss, gain) = (index + 1, lost_percent(miss.loss), text::gain(miss));
    let words = format!(", ply {}: {mv} loses {loss} of the winning chance. Missed: {gain}, by {line}", miss.ply);
    format!(
        "<figure>{}<figcaption><a href=\"#game-{number}\">{}</a>{}</figcaption></figure>\n",
        diagram.to_inline(),
        language.say(&format!("Game {number}")),
        encode_safe(&language.say(&words)),
    )
}

fn games(profile: &Profile, language: Language) -> String {
    let mut rows = escaped(text::games(profile), language);
    for (row, game) in rows.iter_mut().skip(1).zip(&profile.games) {
        row[0] = format!("<span id=\"game-{0}\">{0}</span>", row[0]);
        row[5] = format!("<span class=\"{}\">{}</span>", OUTCOMES[game.outcome()], row[5]);
    }
    table("games", rows)
}

/// Opens a picture of this size with a name for screen readers.
fn picture(class: &str, (width, height): (f64, f64), name: &str) -> String {
    format!("<svg class=\"{class}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{name}\">")
}

/// Size of the plot of games, and its margins: left, and on the other sides.
const PLOT: (f64, f64) = (1000.0, 260.0);
const LEFT: f64 = 62.0;
const PLOT_MARGIN: f64 = 20.0;

/// Returns the accuracy of each game in the order of the profile. Every point links to the row of its game.
fn accuracy_by_game(profile: &Profile, language: Language) -> String {
    let (width, height) = PLOT;
    let accuracy_of = |(number, game): (usize, &PlayerGame)| Some((number, game.summary[0].accuracy()?));
    let accuracies: Vec<(usize, f64)> = (1..).zip(&profile.games).filter_map(accuracy_of).collect();
    let lowest = accuracies.iter().map(|point| point.1).fold(100.0, f64::min);
    // The scale begins at the multiple of ten below the lowest point.
    let floor = ((lowest - 1.0) / 10.0).floor().clamp(0.0, 9.0) * 10.0;
    let step = (width - LEFT - PLOT_MARGIN) / profile.games.len().max(1) as f64;
    let x_of = |number: usize| LEFT + (number as f64 - 0.5) * step;
    let y_of = |accuracy: f64| PLOT_MARGIN + (100.0 - accuracy) / (100.0 - floor) * (height - 2.0 * PLOT_MARGIN);
    let mut html = picture("chart", PLOT, &language.say("Accuracy of each game")) + "\n";
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
        let outcome = OUTCOMES[game.outcome()];
        let opponent = data(game.opponent.as_deref().unwrap_or("–"));
        let name = format!("game {number} as {} against {opponent}: {accuracy:.0} %, {outcome}", game.side);
        let _ = writeln!(
            html,
            "<a href=\"#game-{number}\"><title>{}</title><circle class=\"{outcome}\" cx=\"{x:.1}\" cy=\"{y:.1}\" \
             r=\"{radius:.1}\"/></a>",
            encode_safe(&language.say(&name))
        );
    }
    html + "</svg>\n"
}

const RESULTS: (f64, f64) = (160.0, 16.0);

/// Returns a bar of won, drawn, lost and unknown games, as long as their share in `most` games.
fn result_bar(record: &Record, most: usize, language: Language) -> String {
    let (width, height) = RESULTS;
    let counts = OUTCOMES.iter().zip(record.results);
    let named: Vec<String> = counts.clone().map(|(outcome, count)| format!("{count} {outcome}")).collect();
    let name = language.say(&format!("{}; score {}", named.join(", "), points(record)));
    let mut html = format!("{}<title>{name}</title>", picture("bar", RESULTS, &name));
    let mut x = 0.0;
    for (class, count) in counts.filter(|(_, count)| *count > 0) {
        let length = width * count as f64 / most as f64;
        let size = format!("width=\"{length:.1}\" height=\"{height}\"");
        let _ = write!(html, "<rect class=\"{class}\" x=\"{x:.1}\" y=\"0\" {size}/>");
        x += length;
    }
    html + "</svg>"
}
