//! `book info`, `book probe` and `book tree`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::build::open;
use crate::book::{Book, BookMove, Preference};
use crate::console::{CommandError, JsonArg, NotationArgs, Object, Result, aligned, data, read_game, write_json};
use crate::notation::opening_name::OpeningName;
use crate::notation::{Dialect, write, write_line};
use crate::position::{Position, Strictness};
use crate::types::Move;

pub fn info(path: Option<&Path>, as_json: bool, out: &mut impl Write) -> Result {
    let book = open(path)?;
    let (mut positions, mut verified, mut learned, mut last) = (0_u64, 0_u64, 0_u64, None);
    let (mut games, mut preferred) = (0, 0_u64);
    for record in book.records() {
        positions += u64::from(last != Some(record.key));
        last = Some(record.key);
        verified += u64::from(record.is_verified);
        learned += u64::from(record.learned_delta != 0);
        preferred += u64::from(record.preference != Preference::NONE);
        games = games.max(record.statistics.games());
    }
    let plain = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let origin: Vec<String> = book.provenance().lines().map(|line| line.chars().map(plain).collect()).collect();
    let name = path.map_or_else(|| "built-in".to_owned(), |path| path.display().to_string());
    let object = json!({
        "book": name, "format": book.version(), "bytes": book.bytes().len(), "positions": positions,
        "move_count": book.len(), "verified": verified, "learned": learned, "preferred": preferred,
        "most_games": games, "origin": origin,
    });
    if as_json {
        return write_json(out, "book", &object);
    }
    writeln!(out, "book       {}", path.map_or_else(|| name.clone(), |_| data(&name)))?;
    for key in ["format", "bytes", "positions", "move_count", "verified", "learned", "preferred", "most_games"] {
        let label = if key == "move_count" { "moves" } else { key };
        writeln!(out, "{:<10} {}", label.replace('_', " "), object[key])?;
    }
    for (index, line) in origin.iter().enumerate() {
        writeln!(out, "{:<10} {}", if index == 0 { "origin" } else { "" }, data(line))?;
    }
    Ok(())
}

fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

pub const PROBE_HELP: &str = "\
Moves are listed by decreasing effective weight: weight plus delta, the change learned from games. The score
is that of the side to move; the share is relative to all games of the position. On a symmetric board, a move
also stands for its mirror image. A column shows preferences ('book prefer'), which change the effective
weight, if a move of the position has one.

Examples:
  chuhe book probe startpos h2e2 h9g7
  chuhe book probe startpos h2e2 --book own.book --notation wxf --json";

#[derive(Args, Debug)]
pub struct Probe {
    /// Position before the first move as FEN; default 'startpos'.
    fen: Option<String>,
    /// Moves played, such as h2e2.
    moves: Vec<String>,
    /// Book to use instead of the built-in one.
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    #[command(flatten)]
    notation: NotationArgs,
    #[command(flatten)]
    output: JsonArg,
}

impl Probe {
    /// Reads the position, unless a book stands in its place.
    fn position(&self, strictness: Strictness) -> Result<Position> {
        match self.fen.as_deref().filter(|word| word.ends_with(".book") || Path::new(word).is_file()) {
            None => read_game(self.fen.as_deref(), &self.moves, strictness),
            Some(word) => Err(CommandError::Mismatch(format!(
                "'{word}' is a file, not a position; choose a book with --book {word}"
            ))),
        }
    }
}

pub fn probe(args: &Probe, strictness: Strictness, out: &mut impl Write) -> Result {
    let (position, dialect) = (args.position(strictness)?, args.notation.or(Dialect::Chinese));
    let moves = open(args.book.as_deref())?.moves(&position);
    // Named by the moves played.
    let opening = OpeningName::from_history(&position);
    if args.output.json {
        let object = Object::default().with("fen", position.to_string()).with("opening", opening);
        write_json(out, "book_moves", &object.with("moves", move_objects(&position, &moves, dialect)))?;
    } else if moves.is_empty() {
        writeln!(out, "this position is not in the book")?;
    } else {
        out.write_all(table(&position, &moves, dialect).as_bytes())?;
        opening.map_or(Ok(()), |opening| writeln!(out, "opening: {}", opening.text()))?;
    }
    Ok(())
}

/// Returns the share of a move in the games of its position.
fn share(found: &BookMove, moves: &[BookMove]) -> f64 {
    found.games() as f64 / moves.iter().map(BookMove::games).sum::<u64>().max(1) as f64
}

/// Returns `always`, `never` or a percentage such as `250%`; `None` without a preference.
fn preference(found: &BookMove) -> Option<String> {
    Some(found.record.preference).filter(|&found| found != Preference::NONE).map(|found| found.to_string())
}

fn move_objects(position: &Position, moves: &[BookMove], dialect: Dialect) -> Vec<Object> {
    let object = |found: &BookMove| {
        Object::default()
            .with("move", found.mv)
            .with("notation", write(position, found.mv, dialect))
            .with("games", found.games())
            .with("wins", found.record.statistics.wins)
            .with("draws", found.record.statistics.draws)
            .with("losses", found.record.statistics.losses)
            .with("score", found.record.statistics.score())
            .with("share", share(found, moves))
            .with("weight", found.record.base_weight)
            .with("delta", found.record.learned_delta)
            .with("verified", found.record.is_verified)
            .with("preference", preference(found))
    };
    moves.iter().map(object).collect()
}

fn table(position: &Position, moves: &[BookMove], dialect: Dialect) -> String {
    let head = ["move", "", "games", "won", "drawn", "lost", "score %", "share %", "weight", "delta", "prefer"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(moves.iter().map(|found| {
        vec![
            found.mv.to_string(),
            write(position, found.mv, dialect),
            found.games().to_string(),
            found.record.statistics.wins.to_string(),
            found.record.statistics.draws.to_string(),
            found.record.statistics.losses.to_string(),
            found.record.statistics.score().map_or_else(|| "–".to_owned(), percent),
            percent(share(found, moves)),
            found.record.base_weight.to_string(),
            found.record.learned_delta.to_string(),
            preference(found).unwrap_or_default(),
        ]
    }));
    if moves.iter().all(|found| preference(found).is_none()) {
        rows.iter_mut().for_each(|row| row.truncate(head.len() - 1));
    }
    aligned(&rows, &[0, 1])
}

pub const TREE_HELP: &str = "\
Both sides choose among the book moves with probability proportional to the effective weight, and the most
frequent lines are shown: probability, score of the last move for the side that plays it, and moves. A line
ends after --depth plies or where the book ends.

Examples:
  chuhe book tree
  chuhe book tree startpos h2e2 --depth 6 --lines 20
  chuhe book tree --book own.book --notation coordinate";

/// Maximum number of positions, so that a crafted book cannot block the program.
const MAX_POSITIONS: usize = 1_000_000;

#[derive(Args, Debug)]
pub struct Tree {
    #[command(flatten)]
    place: Probe,
    /// Maximum length of a line in plies.
    #[arg(long, value_name = "PLIES", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=400))]
    depth: u16,
    /// Maximum number of lines.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    lines: u64,
}

pub fn tree(args: &Tree, strictness: Strictness, out: &mut impl Write) -> Result {
    let (position, dialect) = (args.place.position(strictness)?, args.place.notation.or(Dialect::Chinese));
    let book = open(args.place.book.as_deref())?;
    let max_lines = usize::try_from(args.lines).unwrap_or(usize::MAX);
    let mut lines = frequent_lines(&book, &position, usize::from(args.depth), max_lines);
    lines.retain(|line| !line.moves.is_empty());
    if args.place.output.json {
        return lines.iter().try_for_each(|line| {
            let notation = write_line(&position, &line.moves, dialect);
            let object = json!({ "share": line.share, "score": line.score, "moves": line.moves, "notation": notation });
            write_json(out, "line", &object)
        });
    }
    let is_empty = lines.is_empty();
    writeln!(out, "{}", if is_empty { "this position is not in the book" } else { "share %  score %  line" })?;
    for line in lines {
        let words = write_line(&position, &line.moves, dialect).join(" ");
        writeln!(out, "{:>7}  {:>7}  {words}", percent(line.share), percent(line.score))?;
    }
    Ok(())
}

struct Line {
    share: f64,
    score: f64,
    moves: Vec<Move>,
}

/// Returns the most frequent lines by best-first search: a line is never more frequent than its beginning.
fn frequent_lines(book: &Book, start: &Position, depth: usize, max_lines: usize) -> Vec<Line> {
    // The bits of positive floating-point numbers have the order of the numbers.
    let rank = |line: &Line| (line.share.to_bits(), Reverse(line.moves.iter().map(|mv| mv.bits()).collect::<Vec<_>>()));
    let empty = Line { share: 1.0, score: 0.5, moves: Vec::new() };
    let mut open = BTreeMap::from([(rank(&empty), (empty, false))]);
    let mut finished = Vec::new();
    let mut positions = 0;
    while let Some((_, (line, is_finished))) = open.pop_last() {
        if finished.len() == max_lines || positions == MAX_POSITIONS {
            break;
        }
        if is_finished {
            finished.push(line);
            continue;
        }
        positions += 1;
        let mut position = start.clone();
        line.moves.iter().for_each(|&mv| position.make(mv));
        let moves = if line.moves.len() == depth { Vec::new() } else { book.moves(&position) };
        let total: u64 = moves.iter().map(|found| u64::from(found.effective_weight())).sum();
        if total == 0 {
            open.insert(rank(&line), (line, true));
            continue;
        }
        for found in moves.iter().filter(|found| found.effective_weight() > 0) {
            let share = line.share * f64::from(found.effective_weight()) / total as f64;
            let moves = line.moves.iter().copied().chain([found.mv]).collect();
            let longer = Line { share, score: found.record.statistics.score().unwrap_or(0.5), moves };
            open.insert(rank(&longer), (longer, false));
        }
    }
    finished
}
