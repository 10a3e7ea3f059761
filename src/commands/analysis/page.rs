//! Report of a game as one self-contained HTML page that works offline.
//!
//! All text from the game file is escaped. The fragment `#ply=N` of the address selects a ply.

use std::fmt::Write as _;

use html_escape::encode_safe;
use serde::Serialize;

use super::game::{GameReview, MoveReview, PlayerSummary, PositionReview};
use super::text::{self, accuracy, lost_percent, percent};
use super::{Mark, winning_chance};
use crate::console::svg::{self, outline};
use crate::notation::game::Game;
use crate::notation::{Dialect, write, write_line};
use crate::types::{Move, Side, Square};

const STYLE: &str = include_str!("../../../assets/report/page.css");
const SCRIPT: &str = include_str!("../../../assets/report/page.js");

/// Size of the chart in its own units, with a margin on all sides.
const CHART: (f64, f64) = (1000.0, 240.0);
const MARGIN: f64 = 14.0;

/// Report page of a game.
pub struct Page<'a> {
    pub game: &'a Game,
    /// Review, which may end before the game.
    pub review: &'a GameReview,
    pub dialect: Dialect,
}

/// Returns a complete page with the style of all reports and more of its own. The title is text, the body HTML that may
/// contain diagrams.
pub fn document(title: &str, style: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n{definitions}\
         <h1>{title}</h1>\n{body}</body>\n</html>\n",
        title = encode_safe(title),
        definitions = svg::shared_definitions(),
    )
}

/// Returns a table with a head and rows of [`row`].
pub fn table(attributes: &str, head: &[&str], rows: &str) -> String {
    let head: String = head.iter().map(|cell| format!("<th>{cell}</th>")).collect();
    format!("<div class=\"wide\"><table{attributes}>\n<tr>{head}</tr>\n{rows}</table></div>\n")
}

/// Returns a row of a table. Head and cells are HTML.
pub fn row(head: &str, cells: impl IntoIterator<Item = String>) -> String {
    let cells: String = cells.into_iter().map(|cell| format!("<td>{cell}</td>")).collect();
    format!("<tr><th>{head}</th>{cells}</tr>\n")
}

/// Data of a ply for the script.
#[derive(Serialize)]
struct Ply {
    /// First field of the FEN.
    board: String,
    /// Coordinates of origin and target of the last move.
    last: Option<[i32; 4]>,
    /// SVG path of the arrow of the best move.
    arrow: Option<String>,
    what: String,
    remark: String,
    judgement: String,
    score: String,
    line: String,
}

impl Page<'_> {
    /// Returns the HTML of the page.
    ///
    /// # Errors
    /// None in practice: all data can be written as JSON.
    pub fn to_html(&self) -> serde_json::Result<String> {
        let plies: Vec<Ply> = self.review.positions.iter().enumerate().map(|(ply, at)| self.ply(ply, at)).collect();
        // Escaping `<` keeps the text from ending the script element.
        let data = serde_json::to_string(&plies)?.replace('<', "\\u003c");
        let body = format!(
            "<p class=\"facts\">{facts}</p>\n\
             <div class=\"columns\">\n<div class=\"board\">\n{board}\
             <div class=\"buttons\"><button type=\"button\" aria-label=\"start\">|◀</button>\
             <button type=\"button\" aria-label=\"back\">◀</button>\
             <button type=\"button\" aria-label=\"on\">▶</button>\
             <button type=\"button\" aria-label=\"end\">▶|</button></div>\n\
             <div class=\"details\" aria-live=\"polite\"><p class=\"what\"></p><p class=\"remark\"></p>\
             <p class=\"judgement\"></p><p class=\"score\"></p><p class=\"line\"></p></div>\n</div>\n\
             <div>\n{chart}{table}<h2>Moves</h2>\n{moves}</div>\n</div>\n\
             <footer>With a score of +1.00 half of the games of Chuhe with itself are won, winning chances count a \
             draw as a half; both are for Red. Moves that lose 5, 10 or 20 % of the winning chance are marked ?!, ? \
             and ??. The accuracy of a move is 100 · e<sup>−5 · loss</sup> %. Analyzed by Chuhe {version}.</footer>\n\
             <script type=\"application/json\" id=\"plies\">{data}</script>\n<script>\n{SCRIPT}</script>\n",
            facts = self.facts(),
            board = svg::empty_board(false),
            chart = self.chart(),
            table = self.table(),
            moves = self.move_list(),
            version = env!("CARGO_PKG_VERSION"),
        );
        Ok(document(&self.title(), "", &body))
    }

    fn title(&self) -> String {
        let name = |tag| self.game.tag(tag).filter(|name| is_known(name));
        match (name("Red"), name("Black")) {
            (None, None) => name("Event").unwrap_or("Game").to_owned(),
            (red, black) => format!("{} – {}", red.unwrap_or("Red"), black.unwrap_or("Black")),
        }
    }

    fn facts(&self) -> String {
        let tags =
            self.game.tags.iter().filter(|(name, value)| {
                !["Red", "Black", "Game", "Opening"].contains(&name.as_str()) && is_known(value)
            });
        let facts = tags.map(|(name, value)| format!("{}: {}", encode_safe(name), encode_safe(value)));
        let opening = self.game.opening().map(|name| format!("Opening: {}", encode_safe(&name)));
        let result = format!("Result: {}", self.game.result);
        facts.chain(opening).chain([result]).collect::<Vec<String>>().join(" · ")
    }

    fn move_text(&self, mv: &MoveReview) -> String {
        write(&self.review.positions[mv.ply - 1].position, mv.mv, self.dialect)
    }

    /// Returns the number of the full move of a ply.
    fn move_number(&self, ply: usize) -> usize {
        let starts_black = self.game.start.side() == Side::Black;
        self.game.start.move_number() + (ply - 1 + usize::from(starts_black)) / 2
    }

    fn ply(&self, ply: usize, at: &PositionReview) -> Ply {
        let mv = ply.checked_sub(1).map(|index| &self.review.moves[index]);
        let best = &at.analysis.outcome;
        let chance = percent(winning_chance(at.score_for_red()));
        let line = write_line(&at.position, &best.line, self.dialect).join(" ");
        let corners = |mv: Move| {
            let ([x, y], [a, b]) = (coordinates(mv.from()), coordinates(mv.to()));
            [x, y, a, b]
        };
        Ply {
            board: at.position.to_string().split(' ').next().unwrap_or_default().to_owned(),
            last: mv.map(|mv| corners(mv.mv)),
            arrow: best.best().map(|mv| {
                let [x, y, a, b] = corners(mv);
                outline((x, y), (a, b))
            }),
            what: mv.map_or("Start".to_owned(), |mv| {
                let sign = mv.mark.map_or("", Mark::sign);
                format!("{}. {} {}{sign}", self.move_number(ply), mv.side, self.move_text(mv))
            }),
            remark: match mv {
                Some(mv) => self.game.nodes[mv.ply - 1].comment.clone(),
                None => self.game.comment.clone(),
            },
            judgement: mv.map_or(String::new(), |mv| self.judgement(mv)),
            score: format!("{} · Red's winning chance {chance}", text::score(at.reported_for_red())),
            line: if line.is_empty() { String::new() } else { format!("Best from here: {line}") },
        }
    }

    fn judgement(&self, mv: &MoveReview) -> String {
        let Some(mark) = mv.mark else { return String::new() };
        let before = &self.review.positions[mv.ply - 1].position;
        let mut name = mark.name().to_owned();
        name[..1].make_ascii_uppercase();
        let better = write_line(before, &mv.best_line, self.dialect).join(" ");
        format!("{name}: it loses {} of the winning chance. Better: {better}", lost_percent(mv.loss))
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
            "<h2>Red's winning chance</h2>\n<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-label=\"Red's winning chance after every move\">\n\
             <path class=\"half\" d=\"M0 {half}H{width}\"/>\n\
             <path class=\"area\" d=\"M{MARGIN} {bottom}L{curve}L{right:.1} {bottom}Z\"/>\n\
             <path class=\"curve\" d=\"M{curve}\"/>\n\
             <text x=\"4\" y=\"16\">100 %</text>\n<text x=\"4\" y=\"{}\">0 %</text>\n",
            height - 5.0
        );
        for (ply, (x, y)) in points.iter().enumerate() {
            let mv = ply.checked_sub(1).map(|index| &self.review.moves[index]);
            let mark = mv.and_then(|mv| mv.mark);
            let class = mark.map_or(String::new(), |mark| format!(" {mark:?}"));
            let radius = if mark.is_some() { 6.0 } else { (step / 3.0).clamp(1.5, 4.0) };
            let words = mv.map_or("start".to_owned(), |mv| format!("{ply} {}", self.move_text(mv)));
            let name = format!("{words}: {}", text::score(positions[ply].reported_for_red()));
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

    fn table(&self) -> String {
        let side = |side: Side| {
            let PlayerSummary { whole, phases } = PlayerSummary::new(self.review, side);
            let marks = whole.marks.map(|count| count.to_string());
            let cells = [accuracy(&whole)].into_iter().chain(phases.map(|phase| accuracy(&phase))).chain(marks);
            row(&side.to_string(), cells)
        };
        let head = ["", "all", "opening", "middle game", "ending", "?!", "?", "??"];
        format!("<h2>Accuracy</h2>\n{}", table("", &head, &Side::BOTH.map(side).concat()))
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
            if mv.side == Side::Red || !is_row_open {
                let _ = writeln!(html, "<span class=\"number\">{}.</span>", self.move_number(mv.ply));
            }
            if mv.side == Side::Black && !is_row_open {
                html.push_str("<span>…</span>\n");
            }
            let class = mv.mark.map_or(String::new(), |mark| format!(" {mark:?}"));
            let _ = writeln!(
                html,
                "<a class=\"move{class}\" href=\"#ply={}\"><span>{}<span class=\"mark\">{}</span></span>\
                 <span class=\"score\">{}</span></a>",
                mv.ply,
                encode_safe(&self.move_text(mv)),
                mv.mark.map_or("", Mark::sign),
                text::score(self.review.positions[mv.ply].reported_for_red())
            );
            let move_comment = &self.game.nodes[mv.ply - 1].comment;
            is_row_open = mv.side == Side::Red && move_comment.is_empty();
            if mv.side == Side::Red && !move_comment.is_empty() {
                html.push_str("<span></span>\n");
            }
            comment(&mut html, move_comment);
        }
        if is_row_open {
            html.push_str("<span></span>\n");
        }
        html + "</div>\n"
    }
}

fn is_known(value: &str) -> bool {
    !value.trim().is_empty() && value != "?"
}

/// Returns the coordinates of a square in a diagram with Red below.
fn coordinates(square: Square) -> [i32; 2] {
    [i32::from(square.file()) * 100, (i32::from(Square::RANKS) - 1 - i32::from(square.rank())) * 100]
}
