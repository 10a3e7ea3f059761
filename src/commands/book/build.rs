//! Making books: `book build`, `merge`, `export` and `import`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use super::foreign::{MAX_POSITIONS, read_eleeye, walk};
use super::{Candidate, Counter, Criteria, Verification, verify};
use crate::book::{Book, Record, import, journal_path, merge, write};
use crate::console::{
    CommandError, Progress, Result, ThreadsArg, cancel_on_request, clock, counted, input, input_name, note, read_games,
    refuse_replacing,
};
use crate::notation::text_encoding::decode_head;
use crate::position::Strictness;
use crate::types::Value;
use crate::util::atomic_file::{check_writable, write_atomically};
use crate::util::files::read_all;

pub const BUILD_HELP: &str = "\
Reads games in any format that 'convert' reads. A position and its mirror image are one position. Results are
those of the side that plays the move; games without a result are skipped, and a move repeated in the same
position of a game counts once. --min-share is relative to the games of the position.

The weight of a move is 10000 * share * (2 * score)^2 among the moves that are kept; the score includes
four virtual games of one half each.

--verify searches every position of the book and the positions after its moves and after the best move
found, each with this number of nodes. Moves that score more than --verify-loss centipawns below the best
are dropped. The same games, options and program give the same bytes, whatever --threads is.

Examples:
  chuhe book build games.pgn more.tsv --out own.book
  chuhe book build masters.tsv --max-ply 50 --min-games 5 --min-score 40 --out solid.book
  chuhe book build masters.tsv --verify 20000 --out own.book";

#[derive(Args, Debug)]
pub struct Build {
    /// Game files (PGN, move lists, XQF, CBR, CBL, DhtmlXQ).
    #[arg(value_name = "GAMES", required = true)]
    games: Vec<PathBuf>,
    /// Write the book to this file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Count the moves of each game up to this ply.
    #[arg(long, value_name = "PLIES", default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..=400))]
    max_ply: u16,
    /// Skip positions after this ply that only one game reached; with --min-games 1.
    #[arg(long, value_name = "PLIES", default_value_t = 400, value_parser = clap::value_parser!(u16).range(0..=400))]
    rare_ply: u16,
    /// Minimum number of games that played a move.
    #[arg(long, value_name = "GAMES", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    min_games: u64,
    /// Minimum percentage of the games of its position that played a move.
    #[arg(long, value_name = "PERCENT", default_value = "2", value_parser = percentage)]
    min_share: f64,
    /// Minimum score of a move for the side that plays it, in percent.
    #[arg(long, value_name = "PERCENT", default_value = "30", value_parser = percentage)]
    min_score: f64,
    /// Verify every move by searches of this number of nodes.
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    verify: Option<u64>,
    /// Maximum loss of a move relative to the best one, in centipawns.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 60, requires = "verify",
        value_parser = clap::value_parser!(u16).range(0..=20_000))]
    verify_loss: u16,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Description of the origin of the games; the build settings are appended.
    #[arg(long, value_name = "TEXT", default_value = "")]
    provenance: String,
}

fn percentage(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "not a number from 0 to 100".to_owned())
}

pub fn build(args: &Build, strictness: Strictness) -> Result {
    let path = &args.out;
    refuse_learning_book(path)?;
    refuse_replacing("--out", path, args.games.iter().map(PathBuf::as_path))?;
    check_writable(path).map_err(CommandError::in_file(path))?;
    let mut counter = Counter::new(usize::from(args.max_ply));
    for file in &args.games {
        read_games(file, strictness, |game| {
            counter.add(game);
            Ok(())
        })?;
    }
    if counter.without_result > 0 {
        note!("{} without a result skipped", counted(counter.without_result, "game"));
    }
    if counter.games == 0 {
        return Err(CommandError::unusable(path, "nothing was written: the files contain no game with a result"));
    }
    let criteria = Criteria {
        min_games: args.min_games,
        min_share: args.min_share / 100.0,
        min_score: args.min_score / 100.0,
        rare_plies: usize::from(args.rare_ply),
    };
    let mut candidates = counter.candidates(&criteria);
    note!(
        "{} with {}; kept: {} in {}",
        counted(counter.games, "game"),
        counted(counter.positions() as u64, "position"),
        counted(move_count(&candidates) as u64, "move"),
        counted(candidates.len() as u64, "position")
    );
    if let Some(nodes) = args.verify {
        let verification =
            Verification { nodes, max_loss: Value::from(args.verify_loss), threads: args.threads.count() };
        candidates = verified(&candidates, &verification)?;
    }
    if candidates.is_empty() {
        let fault = "nothing was written: no move meets the criteria; lower --min-games, --min-share or --min-score";
        return Err(CommandError::unusable(path, fault));
    }
    let records: Vec<Record> = candidates.into_iter().flat_map(|candidate| candidate.records).collect();
    save(path, &records, &provenance(args, &counter))
}

fn move_count(candidates: &[Candidate]) -> usize {
    candidates.iter().map(|candidate| candidate.records.len()).sum()
}

fn verified(candidates: &[Candidate], verification: &Verification) -> Result<Vec<Candidate>> {
    let interrupt = cancel_on_request();
    let mut progress_bar = Progress::bar(candidates.len() as u64);
    let before = move_count(candidates);
    let left = verify(candidates, verification, &interrupt, &mut |progress| {
        let left = progress_bar.time_left(progress.positions as u64);
        let dropped = counted(progress.dropped as u64, "move");
        progress_bar.update(progress.positions as u64, || format!("{dropped} dropped, {} left", clock(left)));
    });
    let elapsed = clock(progress_bar.elapsed());
    progress_bar.finish();
    let left = left?.ok_or(CommandError::Interrupted)?;
    note!("{before} moves searched in {elapsed}, {} dropped", before - move_count(&left));
    Ok(left)
}

/// Returns the text of the user and the build settings, without those that do not change the result.
fn provenance(args: &Build, counter: &Counter) -> String {
    let name = |path: &PathBuf| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let names: Vec<String> = args.games.iter().map(name).collect();
    let Build { max_ply, min_games, min_share, min_score, verify_loss, .. } = args;
    let (games, positions) = (counter.games, counter.positions());
    let mut text = args.provenance.clone();
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&format!(
        "{games} games with {positions} positions; chuhe book build {} --max-ply {max_ply} --min-games {min_games} \
         --min-share {min_share} --min-score {min_score}",
        names.join(" ")
    ));
    if usize::from(args.rare_ply) < Criteria::default().rare_plies {
        text.push_str(&format!(" --rare-ply {}", args.rare_ply));
    }
    if let Some(nodes) = args.verify {
        let program = crate::engine::bench::program_id();
        text.push_str(&format!(" --verify {nodes} --verify-loss {verify_loss} (chuhe {program})"));
    }
    text
}

pub const MERGE_HELP: &str = "\
In positions of several books, the games of each move are added and the weights recomputed; if a move has no
games, because its book does not count them, each move keeps its larger weight. Learned changes (delta) are
added. If several books have a preference for a move, that of the first one stays. All other positions are
copied. A book given twice counts twice.

Example:
  chuhe book merge own.book other.book --out both.book";

pub fn merge_books(books: &[PathBuf], out: &Path) -> Result {
    refuse_learning_book(out)?;
    let (mut records, mut origins) = (Vec::<Record>::new(), Vec::<String>::new());
    for path in books {
        let book = open(Some(path))?;
        records = merge(&records, &book.records().collect::<Vec<_>>());
        if !book.provenance().is_empty() && !origins.iter().any(|origin| origin == book.provenance()) {
            origins.push(book.provenance().to_owned());
        }
    }
    save(out, &records, &origins.join("\n"))
}

pub const EXPORT_HELP: &str = "\
The first line is 'chuhe book 1', the second the origin as a JSON string. One line for each move follows:
key of the position, move, wins, draws and losses of the side to move, weight, delta and verification.
'chuhe book import' restores the same book from it, byte for byte.

Examples:
  chuhe book export own.book | less";

pub const IMPORT_HELP: &str = "\
The format is detected: text, or a book of ElephantEye (BOOK.DAT). The lines of a text may have any order;
empty lines and lines that begin with # are ignored.

A book of ElephantEye stores only hash keys of positions. Its moves are therefore found by playing: from the
start position along the moves of the book, and along all others that lead to a position of it. Moves that
cannot be reached are skipped. Weights are kept.

Examples:
  chuhe book import own.txt --out own.book
  chuhe book export own.book | grep -v ' 0 0 1 weight ' | chuhe book import - --out smaller.book
  chuhe book import BOOK.DAT --out eye.book";

#[derive(Args, Debug)]
pub struct Import {
    /// Text or book to import; '-' is standard input.
    file: PathBuf,
    /// Write the book to this file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

const MAX_IMPORT_BYTES: u64 = 4 << 30;

pub fn import_book(args: &Import) -> Result {
    let (path, out) = (&args.file, &args.out);
    refuse_learning_book(out)?;
    refuse_replacing("--out", out, [path.as_path()])?;
    let read = input::open(path).and_then(|input| read_all(input, MAX_IMPORT_BYTES));
    let mut bytes = read.map_err(CommandError::in_file(&input_name(path)))?;
    // PowerShell redirects text in UTF-16.
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        bytes = decode_head(&bytes).into_owned().into_bytes();
    }
    if let Some(text) = str::from_utf8(&bytes).ok().filter(|text| !text.contains('\0')) {
        let book = import(text).and_then(Book::from_bytes);
        let book = book.map_err(|error| CommandError::unusable(path, error))?;
        return save_bytes(out, book.bytes(), book.len());
    }
    if bytes.starts_with(b"SQLite format 3\0") {
        let fault = "this is a database, as the books of Binghe are; only those of ElephantEye are imported";
        return Err(CommandError::unusable(path, fault));
    }
    let unusable = |error| CommandError::unusable(path, format!("{error}; nor is it text in UTF-8"));
    let book = read_eleeye(&bytes).map_err(unusable)?;
    check_writable(out).map_err(CommandError::in_file(out))?;
    let walked = walk(&book, MAX_POSITIONS);
    if walked.records.is_empty() {
        let fault = "nothing was written: no move of this book can be reached from the start position";
        return Err(CommandError::unusable(path, fault));
    }
    let found = format!("{} of {}", walked.found, counted(book.moves.len() as u64, "move"));
    note!("{found} of {} found", path.display());
    if walked.is_cut_off {
        note!("more than {MAX_POSITIONS} positions; the rest was skipped");
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    save(out, &walked.records, &format!("{found} of a book of ElephantEye; chuhe book import {name}"))
}

/// Opens a book file, or the built-in book without a path.
pub(super) fn open(path: Option<&Path>) -> Result<Book> {
    let Some(path) = path else { return Ok(Book::embedded()) };
    Book::open(path).map_err(|error| CommandError::unusable(path, error))
}

/// Refuses to replace a book that learns: its journal would belong to no book.
fn refuse_learning_book(path: &Path) -> Result {
    let journal = journal_path(path);
    if fs::metadata(&journal).is_ok_and(|journal| journal.len() > 0) {
        let (path, journal) = (path.display(), journal.display());
        let fault = format!("this book learns, and {journal} could no longer undo its games");
        let remedy = "name another output, or remove that file first";
        return Err(CommandError::Mismatch(format!("{path}: {fault}; {remedy}")));
    }
    Ok(())
}

fn save(path: &Path, records: &[Record], provenance: &str) -> Result {
    save_bytes(path, &write(records, provenance).map_err(|error| CommandError::unusable(path, error))?, records.len())
}

fn save_bytes(path: &Path, bytes: &[u8], moves: usize) -> Result {
    write_atomically(path, bytes).map_err(CommandError::in_file(path))?;
    let (moves, bytes) = (counted(moves as u64, "move"), counted(bytes.len() as u64, "byte"));
    note!("{moves} written to {}, {bytes}", path.display());
    Ok(())
}
