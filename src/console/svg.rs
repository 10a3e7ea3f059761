//! Diagrams as SVG: what a position looks like in a book.
//!
//! A diagram is one self-contained picture, or one of many on a page that share their definitions. All characters are
//! outlines, so that no font is needed and every reader shows the same. The same diagram is the same text, byte for
//! byte. Knows nothing of files.
//!
//! ```
//! use chuhe::console::svg::{self, Diagram};
//! use chuhe::position::Position;
//!
//! let mut position = Position::start();
//! position.play(["h2e2"])?;
//! let diagram = Diagram {
//!     last_move: position.history().last().map(|played| played.mv),
//!     arrows: vec!["h9g7".parse()?],
//!     ..Diagram::of(&position)
//! };
//! // A file of its own …
//! assert!(diagram.to_file().starts_with("<?xml"));
//! // … or one of several in a page.
//! let page = format!("<body>{}{}{}</body>", svg::shared_definitions(), diagram.to_inline(), svg::empty_board(false));
//! assert_eq!(page.matches("<defs>").count(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt::Write as _;

use crate::console::arrow::outline;
pub use crate::console::arrow::{Arrow, ArrowColour, ParseArrowError};
use crate::position::Position;
use crate::types::{Move, Piece, Side, Square};

/// A position to be drawn, with what is to be seen on it.
#[derive(Clone, Debug)]
pub struct Diagram<'a> {
    /// Whose men stand on the board.
    pub position: &'a Position,
    /// The move whose origin and target are marked.
    pub last_move: Option<Move>,
    /// Arrows, the first one lowest.
    pub arrows: Vec<Arrow>,
    /// Whether Black sits below.
    pub flipped: bool,
}

/// The outlines of all characters: lines of a character, a tab and a path; lines with `#` are remarks.
const GLYPHS: &str = include_str!("../../assets/glyphs/glyphs.txt");

/// How far two points are apart; everything else is measured by it.
const STEP: i32 = 100;
const WIDTH: i32 = 8 * STEP;
const HEIGHT: i32 = 9 * STEP;
/// What the picture shows: left, top, width and height around point (0, 0) at the upper left.
const VIEW: (i32, i32, i32, i32) = (-110, -75, WIDTH + 195, HEIGHT + 185);
/// The radius of a man.
const MAN: i32 = 44;

const PAPER: &str = "#fbf6ea";
const INK: &str = "#2b2a28";
const MARK: &str = "#2061a8";
/// What Red's and Black's men are written with.
const SIDES: [&str; 2] = ["#b3261e", "#1c1b1a"];

impl<'a> Diagram<'a> {
    /// The diagram of a position without any marks, Red below.
    pub fn of(position: &'a Position) -> Diagram<'a> {
        Diagram { position, last_move: None, arrows: Vec::new(), flipped: false }
    }

    /// A whole SVG file.
    pub fn to_file(&self) -> String {
        let (_, _, width, height) = VIEW;
        let size = format!(" width=\"{}\" height=\"{}\"", width * 3 / 5, height * 3 / 5);
        let start = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        format!("{start}{}", framed(&size, &format!("{}{}", definitions(), self.content())))
    }

    /// An `<svg>` element for a page that has [`shared_definitions`] in it. Its size is left to the page.
    pub fn to_inline(&self) -> String {
        framed(" class=\"chuhe-diagram\"", &self.content())
    }

    fn content(&self) -> String {
        let mut text = format!("<title>{}</title>\n{}", self.position, board(self.flipped));
        if let Some(mv) = self.last_move {
            text.push_str(&used("chuhe-origin", self.place(mv.from())));
        }
        let mut men: Vec<(Piece, Square)> = self.position.pieces().collect();
        men.sort_by_key(|&(_, square)| square.index());
        for (piece, square) in men {
            text.push_str(&used(&man_id(piece), self.place(square)));
        }
        if let Some(mv) = self.last_move {
            text.push_str(&used("chuhe-target", self.place(mv.to())));
        }
        for arrow in &self.arrows {
            let path = outline(self.place(arrow.mv.from()), self.place(arrow.mv.to()));
            let (mv, colour) = (arrow.mv, arrow.colour.code());
            let _ = writeln!(
                text,
                "<path class=\"chuhe-arrow\" d=\"{path}\" fill=\"{colour}\" fill-opacity=\".82\" \
                 stroke=\"{PAPER}\" stroke-width=\"3\" stroke-linejoin=\"round\"><title>{mv}</title></path>"
            );
        }
        text
    }

    fn place(&self, square: Square) -> (i32, i32) {
        let (x, y) = (i32::from(square.file()) * STEP, HEIGHT - i32::from(square.rank()) * STEP);
        if self.flipped { (WIDTH - x, HEIGHT - y) } else { (x, y) }
    }
}

/// An invisible `<svg>` element with what all diagrams of a page refer to; it must stand in the page once.
pub fn shared_definitions() -> String {
    let hidden = "width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"";
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\" {hidden}>\n{}</svg>\n", definitions())
}

/// A board without men, for a page that has [`shared_definitions`] in it.
pub fn empty_board(flipped: bool) -> String {
    framed(" class=\"chuhe-diagram\"", &board(flipped))
}

fn framed(attributes: &str, content: &str) -> String {
    let (left, top, width, height) = VIEW;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left} {top} {width} {height}\"{attributes} \
         role=\"img\">\n{content}</svg>\n"
    )
}

fn used(id: &str, (x, y): (i32, i32)) -> String {
    format!("<use href=\"#{id}\" x=\"{x}\" y=\"{y}\"/>\n")
}

fn board(flipped: bool) -> String {
    let coordinates = if flipped { "chuhe-coordinates-flipped" } else { "chuhe-coordinates" };
    format!("<use href=\"#chuhe-board\"/>\n<use href=\"#{coordinates}\"/>\n")
}

fn man_id(piece: Piece) -> String {
    let side = if piece.side() == Side::Red { "red" } else { "black" };
    format!("chuhe-{side}-{}", piece.kind().name())
}

/// What is drawn more than once: the board, both kinds of coordinates, the men and the marks.
fn definitions() -> String {
    let mut text = format!("<defs>\n<g id=\"chuhe-board\">\n{}</g>\n", bare_board());
    for (id, flipped) in [("chuhe-coordinates", false), ("chuhe-coordinates-flipped", true)] {
        let _ = writeln!(text, "<g id=\"{id}\" fill=\"{INK}\">\n{}</g>", coordinates(flipped));
    }
    // Many characters are on men of both sides.
    for (letter, path) in men_glyphs() {
        let _ = writeln!(text, "<path id=\"chuhe-glyph-{}\" d=\"{path}\"/>", letter as u32);
    }
    for piece in Piece::ALL {
        text.push_str(&man(piece));
    }
    let _ = writeln!(text, "<circle id=\"chuhe-origin\" r=\"13\" fill=\"none\" stroke=\"{MARK}\" stroke-width=\"5\"/>");
    let _ = writeln!(
        text,
        "<path id=\"chuhe-target\" fill=\"none\" stroke=\"{MARK}\" stroke-width=\"5\" \
         d=\"M-47-27v-20h20M27-47h20v20M47 27v20h-20M-27 47h-20v-20\"/>"
    );
    text.push_str("</defs>\n");
    text
}

/// The outline of a character.
fn glyph(letter: char) -> &'static str {
    glyphs().find(|&(known, _)| known == letter).map_or("", |(_, path)| path)
}

fn glyphs() -> impl Iterator<Item = (char, &'static str)> {
    GLYPHS.lines().filter_map(|line| {
        let (letter, path) = line.split_once('\t')?;
        Some((letter.chars().next()?, path))
    })
}

/// The characters of the men, each once.
fn men_glyphs() -> impl Iterator<Item = (char, &'static str)> {
    glyphs().filter(|&(letter, _)| Piece::ALL.iter().any(|&piece| character(piece) == letter))
}

/// The character on a man: that of the simplified script, since colours tell the sides apart.
fn character(piece: Piece) -> char {
    match piece.glyph() {
        '馬' => '马',
        '車' => '车',
        '砲' => '炮',
        other => other,
    }
}

fn man(piece: Piece) -> String {
    let colour = SIDES[piece.side().index()];
    format!(
        "<g id=\"{}\"><circle r=\"{MAN}\" fill=\"#fffdf6\" stroke=\"{colour}\" stroke-width=\"3.5\"/>\
         <circle r=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.4\"/>\
         <use href=\"#chuhe-glyph-{}\" transform=\"scale(.13)\" fill=\"{colour}\" stroke=\"{colour}\" \
         stroke-width=\"9\"/></g>\n",
        man_id(piece),
        MAN - 6,
        character(piece) as u32
    )
}

fn bare_board() -> String {
    let (left, top, width, height) = VIEW;
    let mut text = format!("<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{PAPER}\"/>\n");
    // The inner files stop at the river.
    let mut lines = String::new();
    for row in 0..i32::from(Square::RANKS) {
        let _ = write!(lines, "M0 {}h{WIDTH}", row * STEP);
    }
    for column in 1..i32::from(Square::FILES) - 1 {
        let _ = write!(lines, "M{} 0v{}m0 {STEP}v{}", column * STEP, 4 * STEP, 4 * STEP);
    }
    let _ = write!(lines, "M0 0v{HEIGHT}M{WIDTH} 0v{HEIGHT}");
    for top in [0, 7 * STEP] {
        let palace = 2 * STEP;
        let _ = write!(lines, "M{} {top}l{palace} {palace}m0-{palace}l-{palace} {palace}", 3 * STEP);
    }
    let _ = writeln!(text, "<path fill=\"none\" stroke=\"{INK}\" stroke-width=\"2\" d=\"{lines}\"/>");
    let frame = 12;
    let _ = writeln!(
        text,
        "<rect x=\"-{frame}\" y=\"-{frame}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{INK}\" \
         stroke-width=\"5\"/>",
        WIDTH + 2 * frame,
        HEIGHT + 2 * frame
    );
    let _ = writeln!(text, "<path fill=\"none\" stroke=\"{INK}\" stroke-width=\"2\" d=\"{}\"/>", corner_marks());
    let _ = writeln!(text, "<g fill=\"{INK}\">\n{}</g>", river());
    text
}

/// The small corners around the points where cannons and pawns start.
fn corner_marks() -> String {
    let (gap, arm) = (7, 14);
    let mut path = String::new();
    let cannons = [1, 7].into_iter().flat_map(|column| [(column, 2), (column, 7)]);
    let pawns = [0, 2, 4, 6, 8].into_iter().flat_map(|column| [(column, 3), (column, 6)]);
    for (column, row) in cannons.chain(pawns) {
        for (right, down) in [(-1, -1), (1, -1), (-1, 1), (1, 1)] {
            let x = column * STEP + right * gap;
            // Half of the marks at the edge would lie off the board.
            if (0..=WIDTH).contains(&x) {
                let y = row * STEP + down * gap;
                let _ = write!(path, "M{x} {}V{y}H{}", y + down * arm, x + right * arm);
            }
        }
    }
    path
}

fn river() -> String {
    let columns = [130, 270, 530, 670];
    let draw = |(letter, x)| {
        format!("<path transform=\"translate({x} {}) scale(.15)\" d=\"{}\"/>\n", HEIGHT / 2, glyph(letter))
    };
    "楚河漢界".chars().zip(columns).map(draw).collect()
}

/// Letters below the files, and numbers beside the ranks.
fn coordinates(flipped: bool) -> String {
    let draw = |letter: char, x: i32, y: i32| {
        format!("<path transform=\"translate({x} {y}) scale(.066)\" d=\"{}\"/>\n", glyph(letter))
    };
    let files = ('a'..='i').zip(0..).map(|(letter, column)| (letter, if flipped { 8 - column } else { column }));
    let ranks = ('0'..='9').zip(0..).map(|(letter, rank)| (letter, if flipped { rank } else { 9 - rank }));
    let below = files.map(|(letter, column)| draw(letter, column * STEP, HEIGHT + 76));
    below.chain(ranks.map(|(letter, row)| draw(letter, -78, row * STEP))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_that_is_drawn_has_an_outline() {
        let letters = Piece::ALL.map(character).into_iter().chain("楚河漢界abcdefghi0123456789".chars());
        for letter in letters {
            assert!(glyph(letter).starts_with('m'), "{letter}");
        }
        assert_eq!(men_glyphs().count(), 11, "seven of Red, and four that Black writes in another way");
    }
}
