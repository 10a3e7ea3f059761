//! Which moves a book knows in a position.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use super::{open, percent, share};
use crate::book::BookMove;
use crate::console::error::CommandError;
use crate::console::positions::read_game;
use crate::notation::{Dialect, write};
use crate::position::{Position, Strictness};

/// What stands below the options in the help.
pub const HELP: &str = "\
The moves stand in the order in which they are preferred. The score is that of the side to move; the share
is that of all games in the position; weight and delta (what was learned) together are the preference.
Where the board is its own reflection, a move stands for its reflection too.

Examples:
  chuhe book probe
  chuhe book probe startpos h2e2 h9g7
  chuhe book probe startpos h2e2 --book own.book --notation wxf --json";

/// What `book probe` is asked for.
#[derive(Args, Debug)]
pub struct Probe {
    /// The position before the first move; 'startpos', or nothing, is the start of the game.
    fen: Option<String>,
    /// The moves played, such as h2e2.
    moves: Vec<String>,
    /// Ask this book.
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// How moves are written.
    #[arg(long, value_name = "NOTATION", default_value = Dialect::Chinese.name(),
        value_parser = PossibleValuesParser::new(Dialect::ALL.map(Dialect::name)))]
    notation: String,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// The answer as JSON.
#[derive(Serialize)]
struct Answer {
    fen: String,
    moves: Vec<MoveLine>,
}

#[derive(Serialize)]
struct MoveLine {
    #[serde(rename = "move")]
    mv: String,
    notation: String,
    games: u64,
    wins: u32,
    draws: u32,
    losses: u32,
    /// `null` without games.
    score: Option<f64>,
    share: f64,
    weight: u16,
    delta: i16,
    verified: bool,
}

/// Asks a book about a position.
pub fn probe(wanted: &Probe, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    let position = read_game(wanted.fen.as_deref(), &wanted.moves, strictness)?;
    let dialect = Dialect::from_name(&wanted.notation).unwrap_or_default();
    let lines = lines(&position, &open(wanted.book.as_deref())?.moves(&position), dialect);
    if wanted.json {
        let answer = Answer { fen: position.to_string(), moves: lines };
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
    } else if lines.is_empty() {
        writeln!(out, "the book does not know this position")?;
    } else {
        out.write_all(table(&lines).as_bytes())?;
    }
    Ok(())
}

fn lines(position: &Position, moves: &[BookMove], dialect: Dialect) -> Vec<MoveLine> {
    let all = moves.iter().map(BookMove::games).sum();
    let line = |found: &BookMove| MoveLine {
        mv: found.mv.to_string(),
        notation: write(position, found.mv, dialect),
        games: found.games(),
        wins: found.statistics.wins,
        draws: found.statistics.draws,
        losses: found.statistics.losses,
        score: found.statistics.score(),
        share: share(found.games(), all),
        weight: found.weight,
        delta: found.delta,
        verified: found.is_verified,
    };
    moves.iter().map(line).collect()
}

fn table(lines: &[MoveLine]) -> String {
    const HEAD: [&str; 10] = ["move", "", "games", "won", "drawn", "lost", "score %", "share %", "weight", "delta"];
    let mut rows = vec![HEAD.map(str::to_owned)];
    rows.extend(lines.iter().map(|line| {
        [
            line.mv.clone(),
            line.notation.clone(),
            line.games.to_string(),
            line.wins.to_string(),
            line.draws.to_string(),
            line.losses.to_string(),
            line.score.map_or_else(|| "–".to_owned(), percent),
            percent(line.share),
            line.weight.to_string(),
            line.delta.to_string(),
        ]
    }));
    aligned(&rows)
}

/// Rows under each other: two columns of words, and numbers to the right.
fn aligned(rows: &[[String; 10]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..10).map(width).collect();
    let mut text = String::new();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            let space = " ".repeat(widths[column] - cell.width());
            let gap = if column == 0 { "" } else { "  " };
            let cell = if column < 2 { format!("{gap}{cell}{space}") } else { format!("{gap}{space}{cell}") };
            text.push_str(&cell);
        }
        text.push('\n');
    }
    text
}
