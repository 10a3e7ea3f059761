//! Board and pieces as SVG, for pages that place them. All characters are outlines, so that they need no font.

use std::fmt::Write as _;

use crate::types::{Piece, Side, Square};

/// Outlines of all characters: lines of a character, a tab and a path; lines with `#` are comments.
const GLYPHS: &str = include_str!("../../assets/glyphs/glyphs.txt");

/// Distance of adjacent points, the unit of all other measures.
const STEP: i32 = 100;
const WIDTH: i32 = 8 * STEP;
const HEIGHT: i32 = 9 * STEP;
/// View box: left, top, width and height; the upper left point is (0, 0).
const VIEW: (i32, i32, i32, i32) = (-110, -75, WIDTH + 195, HEIGHT + 185);
const RADIUS: i32 = 44;

const PAPER: &str = "#fbf6ea";
const INK: &str = "#2b2a28";
const MARK: &str = "#2061a8";
const SIDES: [&str; 2] = ["#b3261e", "#1c1b1a"];

/// Returns an invisible `<svg>` element with the definitions of pieces and board for a page.
pub fn shared_definitions() -> String {
    let hidden = "width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"";
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\" {hidden}>\n{}</svg>\n", definitions())
}

/// Returns a board without pieces, for a page that contains [`shared_definitions`].
pub fn empty_board() -> String {
    let (left, top, width, height) = VIEW;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left} {top} {width} {height}\" class=\"chuhe-diagram\" \
         role=\"img\">\n<use href=\"#chuhe-board\"/>\n</svg>\n"
    )
}

fn piece_id(piece: Piece) -> String {
    let side = if piece.side() == Side::Red { "red" } else { "black" };
    format!("chuhe-{side}-{}", piece.kind().name())
}

fn definitions() -> String {
    let mut text = "<defs>\n".to_owned();
    for line in GLYPHS.lines() {
        if let Some((letter, path)) = line.split_once('\t') {
            let _ = writeln!(text, "<path id=\"{}\" d=\"{path}\"/>", glyph_id(letter.chars().next().unwrap_or(' ')));
        }
    }
    let _ = writeln!(text, "<g id=\"chuhe-board\">\n{}</g>", board());
    for piece in Piece::ALL {
        text.push_str(&piece_definition(piece));
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

fn glyph_id(letter: char) -> String {
    format!("chuhe-glyph-{}", letter as u32)
}

fn glyph(letter: char, (x, y): (i32, i32), scale: &str) -> String {
    format!("<use href=\"#{}\" transform=\"translate({x} {y}) scale({scale})\"/>\n", glyph_id(letter))
}

/// Returns the character of a piece in simplified script; colours distinguish the sides.
fn character(piece: Piece) -> char {
    match piece.glyph() {
        '馬' => '马',
        '車' => '车',
        '砲' => '炮',
        other => other,
    }
}

fn piece_definition(piece: Piece) -> String {
    let colour = SIDES[piece.side().index()];
    format!(
        "<g id=\"{}\"><circle r=\"{RADIUS}\" fill=\"#fffdf6\" stroke=\"{colour}\" stroke-width=\"3.5\"/>\
         <circle r=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.4\"/>\
         <use href=\"#{}\" transform=\"scale(.13)\" fill=\"{colour}\" stroke=\"{colour}\" \
         stroke-width=\"9\"/></g>\n",
        piece_id(piece),
        RADIUS - 6,
        glyph_id(character(piece))
    )
}

fn board() -> String {
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
    let _ = writeln!(text, "<g fill=\"{INK}\">\n{}{}</g>", river(), coordinates());
    text
}

fn corner_marks() -> String {
    let (gap, arm) = (7, 14);
    let mut path = String::new();
    let cannons = [1, 7].into_iter().flat_map(|column| [(column, 2), (column, 7)]);
    let pawns = [0, 2, 4, 6, 8].into_iter().flat_map(|column| [(column, 3), (column, 6)]);
    for (column, row) in cannons.chain(pawns) {
        for (right, down) in [(-1, -1), (1, -1), (-1, 1), (1, 1)] {
            let x = column * STEP + right * gap;
            // Half of the marks at the edge would be off the board.
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
    "楚河漢界".chars().zip(columns).map(|(letter, x)| glyph(letter, (x, HEIGHT / 2), ".15")).collect()
}

fn coordinates() -> String {
    let below = ('a'..='i').zip(0..).map(|(letter, column)| (letter, (column * STEP, HEIGHT + 76)));
    let beside = ('0'..='9').zip(0..).map(|(letter, rank)| (letter, (-78, HEIGHT - rank * STEP)));
    below.chain(beside).map(|(letter, place)| glyph(letter, place, ".066")).collect()
}

/// Distances of the ends of an arrow from the centres of its squares, so that the pieces remain recognizable.
const START_GAP: f64 = 36.0;
const END_GAP: f64 = 14.0;
/// Half the width of the shaft and of the head, and the length of the head, in units of the diagram.
const SHAFT: f64 = 7.0;
const HEAD: f64 = 21.0;
const HEAD_LENGTH: f64 = 36.0;

/// Returns the outline of an arrow between the centres of two squares as SVG path data.
pub fn outline(from: (i32, i32), to: (i32, i32)) -> String {
    let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
    let length = dx.hypot(dy).max(1.0);
    let (along, across) = ((dx / length, dy / length), (-dy / length, dx / length));
    let neck = length - END_GAP - HEAD_LENGTH;
    let corners = [
        (START_GAP, SHAFT),
        (neck, SHAFT),
        (neck, HEAD),
        (length - END_GAP, 0.0),
        (neck, -HEAD),
        (neck, -SHAFT),
        (START_GAP, -SHAFT),
    ];
    let mut path = String::new();
    for (index, (ahead, aside)) in corners.into_iter().enumerate() {
        let x = f64::from(from.0) + along.0 * ahead + across.0 * aside;
        let y = f64::from(from.1) + along.1 * ahead + across.1 * aside;
        // Whole numbers: one unit is a hundredth of the distance between two squares.
        path.push_str(&format!("{}{x:.0} {y:.0}", if index == 0 { "M" } else { "L" }));
    }
    path.push('Z');
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_that_is_drawn_has_an_outline() {
        let definitions = definitions();
        for letter in Piece::ALL.map(character).into_iter().chain("楚河漢界abcdefghi0123456789".chars()) {
            assert!(definitions.contains(&format!("<path id=\"{}\" d=\"m", glyph_id(letter))), "{letter}");
        }
    }

    #[test]
    fn all_that_is_referred_to_is_defined_once() {
        let page = shared_definitions() + &empty_board();
        for rest in page.split("href=\"#").skip(1) {
            let (id, _) = rest.split_once('"').unwrap();
            assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
        }
    }
}
