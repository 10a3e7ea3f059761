//! Boards of text: what a position looks like in a terminal, and the state of the game in words.
//!
//! Lays out columns and chooses colours; knows nothing of terminals, which may take the colours out again.

use std::fmt;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;

use crate::position::Position;
use crate::rules::{Rules, Verdict};
use crate::types::{Move, Piece, Side, Square};

/// How the men are written.
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

/// A position as a board of text. Points are four columns and two lines apart, which makes squares on most terminals.
pub struct Board<'a> {
    /// The position that is shown.
    pub position: &'a Position,
    /// Whose origin and target are marked.
    pub last_move: Option<Move>,
    /// Characters of the pieces and lines.
    pub lettering: BoardStyle,
    /// Whether Black sits below.
    pub flipped: bool,
}

const LINES: Style = Style::new().dimmed();
const MARKS: Style = AnsiColor::Cyan.on_default().bold();
/// Red's men, and Black's in the terminal's own colour, which can be read on its background.
const MEN: [Style; 2] = [AnsiColor::Red.on_default().bold(), Style::new().bold()];

const COLUMNS: u8 = Square::FILES;
const ROWS: u8 = Square::RANKS;
/// The row above the river.
const BANK: u8 = 4;

impl Board<'_> {
    /// The position as FEN, the last move, who is to move, and the end of the game if it has one.
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

    /// The point shown in a column from the left and a row from the top.
    fn square(&self, column: u8, row: u8) -> Square {
        let (file, rank) = (column, ROWS - 1 - row);
        if self.flipped { Square::new(COLUMNS - 1 - file, ROWS - 1 - rank) } else { Square::new(file, rank) }
    }

    fn ascii(&self) -> bool {
        self.lettering == BoardStyle::Ascii
    }

    /// The points of one rank, joined by the lines between them.
    fn write_points(&self, f: &mut fmt::Formatter<'_>, row: u8) -> fmt::Result {
        let horizontal = if self.ascii() { '-' } else { '─' };
        write!(f, "{LINES}{}{LINES:#} ", self.square(0, row).rank())?;
        for column in 0..COLUMNS {
            let square = self.square(column, row);
            let before = if column > 0 { horizontal } else { ' ' };
            let after = if column + 1 < COLUMNS { horizontal } else { ' ' };
            let is_target = self.last_move.is_some_and(|mv| mv.to() == square);
            let is_origin = self.last_move.is_some_and(|mv| mv.from() == square);
            if is_target {
                write!(f, "{MARKS}[{MARKS:#}")?;
            } else {
                write!(f, "{LINES}{before}{LINES:#}")?;
            }
            // A glyph fills the column in which other letterings have one more piece of line.
            let wide = self.lettering == BoardStyle::Glyphs;
            match self.position.piece_on(square) {
                Some(piece) => {
                    let style = MEN[piece.side().index()];
                    write!(f, "{style}{}{style:#}", self.letter(piece))?;
                }
                None if is_origin => {
                    write!(f, "{MARKS}{}{MARKS:#}", if self.ascii() { '*' } else { '○' })?;
                    if wide {
                        write!(f, "{LINES}{after}{LINES:#}")?;
                    }
                }
                None => {
                    write!(f, "{LINES}{}", self.crossing(column, row))?;
                    if wide {
                        write!(f, "{after}")?;
                    }
                    write!(f, "{LINES:#}")?;
                }
            }
            if is_target {
                write!(f, "{MARKS}]{MARKS:#}")?;
            } else {
                write!(f, "{LINES}{after}{LINES:#}")?;
            }
            if !wide && column + 1 < COLUMNS {
                write!(f, "{LINES}{after}{LINES:#}")?;
            }
        }
        writeln!(f)
    }

    /// The lines between a rank and the one below it.
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

    /// Where lines meet on an empty point: none leads off the board or into the river.
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
        match self.lettering {
            BoardStyle::Glyphs => piece.glyph(),
            BoardStyle::Ascii => piece.letter(),
            BoardStyle::Unicode => symbol(piece),
        }
    }
}

/// The Xiangqi symbol of Unicode: Red's stand first, both sides in the order of our kinds.
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
