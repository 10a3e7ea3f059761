//! Text boards for the terminal, and the state of the game in words.
//!
//! Boards contain colour codes; the output stream removes them where the terminal has no colours.

use std::fmt;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;

use crate::position::Position;
use crate::rules::{Rules, Verdict};
use crate::types::{Move, Piece, Square};

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum BoardStyle {
    /// Chinese characters, each two columns wide.
    #[default]
    Glyphs,
    /// The letters of FEN, upper case for Red; lines of plain ASCII, for every terminal.
    Ascii,
}

/// Position as a text board. Points are four columns and two lines apart, which makes squares on most terminals.
pub struct Board<'a> {
    pub position: &'a Position,
    pub last_move: Option<Move>,
    /// Characters of pieces and lines.
    pub style: BoardStyle,
    pub flipped: bool,
}

const LINES: Style = Style::new().dimmed();
const MARKS: Style = AnsiColor::Cyan.on_default().bold();
/// Styles of Red's and Black's pieces. Black's keep the colour of the terminal, which is readable on its background.
const PIECES: [Style; 2] = [AnsiColor::Red.on_default().bold(), Style::new().bold()];

const COLUMNS: u8 = Square::FILES;
const ROWS: u8 = Square::RANKS;
const BANK: u8 = 4;

impl Board<'_> {
    /// Returns the position as FEN, the last move, the side to move, and the end of the game if it is over.
    pub fn state(&self) -> String {
        let position = self.position;
        let side = position.side();
        let mut text = format!("FEN        {position}\n");
        if let Some(mv) = self.last_move {
            text.push_str(&format!("last move  {mv}\n"));
        }
        text.push_str(&format!("to move    {side}{}\n", if position.in_check() { ", in check" } else { "" }));
        if !position.has_legal_move() {
            text.push_str(&format!("{side} has no legal move and has lost\n"));
        }
        match Rules::default().verdict(position) {
            Verdict::Continue => {}
            Verdict::Draw(reason) => text.push_str(&format!("game over  draw: {reason}\n")),
            Verdict::Win(winner, reason) => text.push_str(&format!("game over  {winner} wins: {reason}\n")),
        }
        text
    }

    fn square(&self, column: u8, row: u8) -> Square {
        let (file, rank) = (column, ROWS - 1 - row);
        if self.flipped { Square::new(COLUMNS - 1 - file, ROWS - 1 - rank) } else { Square::new(file, rank) }
    }

    fn ascii(&self) -> bool {
        self.style == BoardStyle::Ascii
    }

    /// Writes the points of one rank, joined by lines.
    fn write_points(&self, f: &mut fmt::Formatter<'_>, row: u8) -> fmt::Result {
        let horizontal = if self.ascii() { '-' } else { '─' };
        write!(f, "{LINES}{}{LINES:#} ", self.square(0, row).rank())?;
        for (column, crossing) in (0..COLUMNS).zip(crossings(row).chars()) {
            let square = self.square(column, row);
            let line = |is_inside: bool| (LINES, if is_inside { horizontal } else { ' ' });
            let (mut before, after) = (line(column > 0), line(column + 1 < COLUMNS));
            let mut beside = after;
            if self.last_move.is_some_and(|mv| mv.to() == square) {
                (before, beside) = ((MARKS, '['), (MARKS, ']'));
            }
            let is_origin = self.last_move.is_some_and(|mv| mv.from() == square);
            let piece = self.position.piece_on(square);
            let mark = match piece {
                Some(piece) => (PIECES[piece.side().index()], self.letter(piece)),
                None if is_origin => (MARKS, if self.ascii() { '*' } else { '○' }),
                None => (LINES, if self.ascii() { '+' } else { crossing }),
            };
            // A glyph takes two columns; elsewhere one more line character stands there.
            let parts = match self.style {
                BoardStyle::Glyphs if piece.is_some() => &[before, mark, beside][..],
                BoardStyle::Glyphs => &[before, mark, after, beside],
                BoardStyle::Ascii => &[before, mark, beside, after],
            };
            parts.iter().try_for_each(|(style, letter)| write!(f, "{style}{letter}{style:#}"))?;
        }
        writeln!(f)
    }

    fn write_between(&self, f: &mut fmt::Formatter<'_>, row: u8) -> fmt::Result {
        let [vertical, falling, rising] = if self.ascii() { ['|', '\\', '/'] } else { ['│', '╲', '╱'] };
        write!(f, "   {LINES}{vertical}")?;
        if row == BANK {
            let river = if self.ascii() { " ".repeat(31) } else { format!("{:7}楚 河{:7}漢 界{:7}", "", "", "") };
            return writeln!(f, "{river}{vertical}{LINES:#}");
        }
        for column in 0..COLUMNS - 1 {
            let diagonal = match (row, column) {
                (0 | 7, 3) | (1 | 8, 4) => falling,
                (0 | 7, 4) | (1 | 8, 3) => rising,
                _ => ' ',
            };
            write!(f, " {diagonal} {vertical}")?;
        }
        writeln!(f, "{LINES:#}")
    }

    fn letter(&self, piece: Piece) -> char {
        if self.ascii() { piece.letter() } else { piece.glyph() }
    }
}

/// Returns the characters of empty points; no line leads off the board or into the river.
fn crossings(row: u8) -> &'static str {
    match row {
        0 => "┌┬┬┬┬┬┬┬┐",
        BANK => "├┴┴┴┴┴┴┴┤",
        5 => "├┬┬┬┬┬┬┬┤",
        9 => "└┴┴┴┴┴┴┴┘",
        _ => "├┼┼┼┼┼┼┼┤",
    }
}

impl fmt::Display for Board<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in 0..ROWS {
            self.write_points(f, row)?;
            if row + 1 < ROWS {
                self.write_between(f, row)?;
            }
        }
        write!(f, "   {LINES}")?;
        for column in 0..COLUMNS {
            let file = (b'a' + self.square(column, 0).file()) as char;
            write!(f, "{file}{}", if column + 1 < COLUMNS { "   " } else { "" })?;
        }
        writeln!(f, "{LINES:#}")
    }
}
