//! Reports of games as self-contained HTML pages that work offline.
//!
//! All text from the game files is escaped. The fragment `#ply=N` of the address selects a ply.

use std::fmt::Write as _;

use html_escape::encode_safe;
use serde_json::{Value, json};

use super::game::{GameReview, MoveReview, PositionReview};
use super::text::{self, lost_percent, percent};
use super::{Mark, winning_chance};
use crate::console::chinese::Language;
use crate::console::data;
use crate::console::svg::{self, outline};
use crate::notation::game::{Game, is_known};
use crate::notation::{Dialect, write, write_line};
use crate::types::{Move, Side, Square};

const STYLE: &str = include_str!("../../../assets/report/page.css");
const SCRIPT: &str = include_str!("../../../assets/report/page.js");

/// Size of the chart in its own units, with a margin on all sides.
const CHART: (f64, f64) = (1000.0, 240.0);
const MARGIN: f64 = 14.0;

/// Sentences below the page, on scores and marks.
const SCORES: &str = "With a score of +1.00 half of the games of Chuhe with itself are won, winning chances count a draw as \
    a half; both are for Red.";
const MARKS: &str = "Moves that lose 5, 10 or 20 % of the winning chance are marked ?!, ? and ??. The accuracy of a move is \
    100 · e<sup>−5 · loss</sup> %.";
const VERSION: &str = concat!("Analyzed by Chuhe ", env!("CARGO_PKG_VERSION"), ".");

pub struct Page<'a> {
    pub game: &'a Game,
    /// Review, which may end before the game.
    pub review: &'a GameReview,
    pub dialect: Dialect,
    pub language: Language,
}

fn heading(text: &str, language: Language) -> String {
    format!("<h2>{}</h2>\n", language.say(text))
}

/// Returns the table of the accuracy of both sides; its first row is the head.
fn accuracy(review: &GameReview, language: Language) -> String {
    let row = |(number, cells): (usize, Vec<String>)| {
        let name = |column: usize| if number == 0 || column == 0 { "th" } else { "td" };
        let text = |cell: &str| encode_safe(&language.say(cell)).into_owned();
        let cell = |(column, cell): (usize, &String)| format!("<{0}>{1}</{0}>", name(column), text(cell));
        format!("<tr>{}</tr>\n", cells.iter().enumerate().map(cell).collect::<String>())
    };
    let rows: String = text::sides(review).into_iter().enumerate().map(row).collect();
    format!("<div class=\"wide\"><table class=\"accuracy\">\n{rows}</table></div>\n")
}

impl Page<'_> {
    pub fn to_html(&self) -> String {
        let say = |text: &str| self.language.say(text);
        let [start, back, on, end] = ["First position", "Previous move", "Next move", "Last position"].map(say);
        let plies: Value = self.review.positions.iter().enumerate().map(|(ply, at)| self.ply(ply, at)).collect();
        // Escaping `<` keeps the text from ending the script element.
        let data = plies.to_string().replace('<', "\\u003c");
        format!(
            "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{definitions}\
             <h1>{title}</h1>\n<p class=\"facts\">{facts}</p>\n\
             <div class=\"columns\">\n<div class=\"board\">\n{board}\
             <div class=\"buttons\"><button type=\"button\" aria-label=\"{start}\">|◀</button>\
             <button type=\"button\" aria-label=\"{back}\">◀</button>\
             <button type=\"button\" aria-label=\"{on}\">▶</button>\
             <button type=\"button\" aria-label=\"{end}\">▶|</button></div>\n\
             <div class=\"details\" aria-live=\"polite\"><p class=\"what\"></p><p class=\"remark\"></p>\
             <p class=\"judgement\"></p><p class=\"score\"></p><p class=\"line\"></p></div>\n</div>\n\
             <div>\n{chart}{table}{moves}</div>\n</div>\n\
             <footer>{footer}</footer>\n\
             <script type=\"application/json\" id=\"plies\">{data}</script>\n<script>\n{SCRIPT}</script>\n\
             </body>\n</html>\n",
            lang = if self.language == Language::Chinese { "zh-CN" } else { "en" },
            title = encode_safe(&self.title()),
            definitions = svg::shared_definitions(),
            facts = self.facts(),
            board = svg::empty_board(),
            chart = self.chart(),
            table = heading("Accuracy", self.language) + &accuracy(self.review, self.language),
            moves = heading("Moves", self.language) + &self.move_list(),
            footer = [SCORES, MARKS, VERSION].map(say).join(" "),
        )
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
            format_args!(
                "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">",
                self.language.say("Red's winning chance after every move")
            ),
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
