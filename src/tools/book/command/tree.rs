//! The lines of play that a book leads to.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::{open, percent};
use crate::book::{Book, BookMove};
use crate::console::error::CommandError;
use crate::console::positions::read_game;
use crate::notation::{Dialect, write_line};
use crate::position::{Position, Strictness};
use crate::types::Move;

/// What stands below the options in the help.
pub const HELP: &str = "\
Both sides choose among the moves of the book by preference, and the lines that come up most often are
shown: how often, the score of the last move of the line for the side that plays it, and the moves. A line
ends after --depth plies or where the book ends.

Examples:
  chuhe book tree
  chuhe book tree startpos h2e2 --depth 6 --lines 20
  chuhe book tree --book own.book --notation coordinate";

/// More positions are not looked at, so that a made-up book cannot hold up the program.
const MOST_POSITIONS: usize = 1_000_000;

/// What `book tree` is asked for.
#[derive(Args, Debug)]
pub struct Tree {
    /// The position before the first move; 'startpos', or nothing, is the start of the game.
    fen: Option<String>,
    /// The moves played, such as h2e2.
    moves: Vec<String>,
    /// How many plies are shown at most.
    #[arg(long, value_name = "PLIES", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=400))]
    depth: u16,
    /// How many lines are shown at most.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    lines: u64,
    /// Ask this book.
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// How moves are written.
    #[arg(long, value_name = "NOTATION", default_value = Dialect::Chinese.name(),
        value_parser = PossibleValuesParser::new(Dialect::ALL.map(Dialect::name)))]
    notation: String,
}

/// Shows the lines that come up most often.
pub fn show(wanted: &Tree, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    let position = read_game(wanted.fen.as_deref(), &wanted.moves, strictness)?;
    let dialect = Dialect::from_name(&wanted.notation).unwrap_or_default();
    let book = open(wanted.book.as_deref())?;
    let most = usize::try_from(wanted.lines).unwrap_or(usize::MAX);
    let lines = lines(&book, &position, usize::from(wanted.depth), most);
    if lines.iter().all(|line| line.moves.is_empty()) {
        writeln!(out, "the book does not know this position")?;
        return Ok(());
    }
    writeln!(out, "share %  score %  line")?;
    for line in lines {
        let words = write_line(&position, &line.moves, dialect).join(" ");
        writeln!(out, "{:>7}  {:>7}  {words}", percent(line.share), percent(line.score))?;
    }
    Ok(())
}

/// A line of play, finished or not.
#[derive(Clone, PartialEq)]
struct Line {
    /// How often it comes up, 0 to 1.
    share: f64,
    /// The score of its last move.
    score: f64,
    moves: Vec<Move>,
    is_finished: bool,
}

impl Eq for Line {}

impl Ord for Line {
    fn cmp(&self, other: &Line) -> Ordering {
        let moves = |line: &Line| line.moves.iter().map(|mv| mv.bits()).collect::<Vec<_>>();
        self.share.total_cmp(&other.share).then_with(|| moves(other).cmp(&moves(self)))
    }
}

impl PartialOrd for Line {
    fn partial_cmp(&self, other: &Line) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The lines that come up most often, the first one most. A line is never more frequent than what it begins with, so
/// the most frequent one that is finished is the next.
fn lines(book: &Book, start: &Position, depth: usize, most: usize) -> Vec<Line> {
    let mut open = BinaryHeap::from([Line { share: 1.0, score: 0.5, moves: Vec::new(), is_finished: false }]);
    let mut finished = Vec::new();
    let mut positions = 0;
    while let Some(line) = open.pop() {
        if finished.len() == most || positions == MOST_POSITIONS {
            break;
        }
        if line.is_finished {
            finished.push(line);
            continue;
        }
        positions += 1;
        let mut position = start.clone();
        line.moves.iter().for_each(|&mv| position.make(mv));
        let moves = if line.moves.len() == depth { Vec::new() } else { book.moves(&position) };
        let all: u64 = moves.iter().map(|found| u64::from(found.preference())).sum();
        let is_chosen = |found: &&BookMove| found.preference() > 0;
        if all == 0 {
            open.push(Line { is_finished: true, ..line });
            continue;
        }
        for found in moves.iter().filter(is_chosen) {
            let share = line.share * f64::from(found.preference()) / all as f64;
            let moves = line.moves.iter().copied().chain([found.mv]).collect();
            open.push(Line { share, score: found.score(), moves, is_finished: false });
        }
    }
    finished
}
