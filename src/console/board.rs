//! Text boards for the terminal, and the state of the game in words.
//!
//! Boards contain colour codes; the output stream removes them where the terminal has no colours.

use std::fmt;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;

use crate::position::Position;
use crate::rules::{Rules, Verdict};
use crate::types::{Move, Piece, Side, Square};

/// Characters of pieces and lines.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum BoardStyle {
    /// Chinese characters, each two columns wide.
    #[default]
    Glyphs,
    /// The letters of FEN, upper case for Red; lines of plain ASCII, for every terminal.
    Ascii,
    /// The Xiangqi symbols of Unicode, for the few fonts that have them.
    Unicode,
}

/// Position as a text board. Points are four columns and two lines apart, which makes squares on most terminals.
pub struct Board<'a> {
    pub position: &'a Position,
    /// Move whose origin and target are marked.
    pub last_move: Option<Move>,
    /// Characters of pieces and lines.
    pub style: BoardStyle,
    /// True if Black is at the bottom.
    pub flipped: bool,
}

const LINES: Style = Style::new().dimmed();
const MARKS: Style = AnsiColor::Cyan.on_default().bold();
/// Styles of Red's and Black's pieces. Black's keep the colour of the terminal, which is readable on its background.
const PIECES: [Style; 2] = [AnsiColor::Red.on_default().bold(), Style::new().bold()];

const COLUMNS: u8 = Square::FILES;
const ROWS: u8 = Square::RANKS;
/// The row above the river.
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

    /// Returns the square in a column from the left and a row from the top.
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
        for column in 0..COLUMNS {
            let square = self.square(column, row);
            let before = if column > 0 { horizontal } else { ' ' };
            let after = if column + 1 < COLUMNS { horizontal } else { ' ' };
            let is_target = self.last_move.is_some_and(|mv| mv.to() == square);
            let is_origin = self.last_move.is_some_and(|mv| mv.from() == square);
            let (style, mark) = match self.position.piece_on(square) {
                Some(piece) => (PIECES[piece.side().index()], self.letter(piece)),
                None if is_origin => (MARKS, if self.ascii() { '*' } else { '○' }),
                None => (LINES, self.crossing(column, row)),
            };
            // A glyph takes two columns; elsewhere one more line character stands there.
            let wide = self.style == BoardStyle::Glyphs;
            let is_glyph = wide && self.position.piece_on(square).is_some();
            match is_target {
                true => write!(f, "{MARKS}[{MARKS:#}")?,
                false => write!(f, "{LINES}{before}{LINES:#}")?,
            }
            write!(f, "{style}{mark}{style:#}")?;
            if wide && !is_glyph {
                write!(f, "{LINES}{after}{LINES:#}")?;
            }
            match is_target {
                true => write!(f, "{MARKS}]{MARKS:#}")?,
                false => write!(f, "{LINES}{after}{LINES:#}")?,
            }
            if !wide && column + 1 < COLUMNS {
                write!(f, "{LINES}{after}{LINES:#}")?;
            }
        }
        writeln!(f)
    }

    /// Writes the lines between a rank and the one below it.
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

    /// Returns the character of an empty point; no line leads off the board or into the river.
    fn crossing(&self, column: u8, row: u8) -> char {
        let inner = column > 0 && column + 1 < COLUMNS;
        let up = row > 0 && !(inner && row == BANK + 1);
        let down = row + 1 < ROWS && !(inner && row == BANK);
        match (up, down, column > 0, column + 1 < COLUMNS) {
            _ if self.ascii() => '+',
            (true, true, true, true) => '┼',
            (false, _, true, true) => '┬',
            (_, false, true, true) => '┴',
            (false, _, false, _) => '┌',
            (false, _, _, false) => '┐',
            (_, false, false, _) => '└',
            (_, false, _, false) => '┘',
            (_, _, false, _) => '├',
            (_, _, _, false) => '┤',
        }
    }

    fn letter(&self, piece: Piece) -> char {
        match self.style {
            BoardStyle::Glyphs => piece.glyph(),
            BoardStyle::Ascii => piece.letter(),
            BoardStyle::Unicode => symbol(piece),
        }
    }
}

/// Returns the Unicode Xiangqi symbol. Red's symbols come first; both sides are in the order of [`PieceKind`].
///
/// [`PieceKind`]: crate::types::PieceKind
fn symbol(piece: Piece) -> char {
    const RED_GENERAL: u32 = 0x1fa60;
    let side = if piece.side() == Side::Red { 0 } else { 7 };
    char::from_u32(RED_GENERAL + side + piece.kind().index() as u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

impl fmt::Display for Board<'_> {
    /// Writes the board with colours, files below and ranks at the left.
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
