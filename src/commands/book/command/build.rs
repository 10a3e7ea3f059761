//! `book build` and `book merge`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Args;

use super::{open, refuse_learning_book, save};
use crate::book::{Record, merge};
use crate::commands::book::{Candidate, Counter, Criteria, Journal, JournalError, Verification, VerifyError, verify};
use crate::console::args::thread_count;
use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::input::read_games;
use crate::console::note;
use crate::console::output::refuse_replacing;
use crate::console::progress::{Progress, cancel_on_request, clock};
use crate::position::Strictness;
use crate::search::MAX_THREADS;
use crate::types::Value;
use crate::util::atomic_file::check_writable;

/// Text below the options in the help.
pub const BUILD_HELP: &str = "\
Reads games in any format that 'convert' reads. A position and its mirror image are one position. Results are
those of the side that plays the move; games without a result are skipped, and a move repeated in the same
position of a game counts once. --min-share is relative to the games of the position.

The weight of a move is 10000 * share * (2 * score)^2 among the moves that are kept; the score includes
four virtual games of one half each.

--verify searches every position of the book and the positions after its moves and after the best move
found, each with this number of nodes. Moves that score more than --verify-loss centipawns below the best
are dropped. --resume keeps the results in a file, so that the same command continues after Ctrl-C, a
crash or a power failure, and other thresholds need few new searches. The same games, options and program
give the same bytes, whatever --threads is and however often the work was interrupted.

Examples:
  chuhe book build games.pgn more.tsv --out own.book
  chuhe book build masters.tsv --max-ply 50 --min-games 5 --min-score 40 --out solid.book
  chuhe book build masters.tsv --max-ply 60 --min-games 1 --rare-ply 18 --out wide.book
  chuhe book build masters.tsv --verify 20000 --resume work.txt --out own.book";

/// Arguments of `book build`.
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
    /// Keep the search results in this file and continue from it.
    #[arg(long, value_name = "FILE", requires = "verify")]
    resume: Option<PathBuf>,
    /// Number of positions searched in parallel; 0 for the number of CPU cores.
    #[arg(long, value_name = "THREADS", default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
    /// Description of the origin of the games; the build settings are appended.
    #[arg(long, value_name = "TEXT", default_value = "")]
    provenance: String,
}

/// Parses a percentage.
fn percentage(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "not a number from 0 to 100".to_owned())
}

/// Runs `book build`.
pub fn build(args: &Build, strictness: Strictness) -> Result<(), CommandError> {
    let path = &args.out;
    refuse_learning_book(path)?;
    refuse_replacing("--out", path, args.games.iter().map(PathBuf::as_path))?;
    check_writable(path).map_err(|error| CommandError::File { path: path.clone(), error })?;
    let mut counter = Counter::new(usize::from(args.max_ply));
    for file in &args.games {
        read_games(file, strictness, |game| counter.add(game))?;
    }
    if counter.games_without_result() > 0 {
        note!("{} without a result skipped", counted(counter.games_without_result(), "game"));
    }
    if counter.games() == 0 {
        let fault = "nothing was written: the files contain no game with a result".to_owned();
        return Err(CommandError::Unusable { path: path.clone(), fault });
    }
    let criteria = Criteria {
        min_games: args.min_games,
        min_share: args.min_share / 100.0,
        min_score: args.min_score / 100.0,
        rare_plies: usize::from(args.rare_ply),
    };
    let mut candidates = counter.candidates(&criteria);
    let moves = |candidates: &[Candidate]| candidates.iter().map(|found| found.records.len() as u64).sum::<u64>();
    note!(
        "{} with {}; kept: {} in {}",
        counted(counter.games(), "game"),
        counted(counter.positions() as u64, "position"),
        counted(moves(&candidates), "move"),
        counted(candidates.len() as u64, "position")
    );
    if let Some(nodes) = args.verify {
        let threads = thread_count(args.threads).get();
        let verification = Verification { nodes, max_loss: Value::from(args.verify_loss), threads };
        candidates = verified(&counter, candidates, &verification, args.resume.as_deref())?;
    }
    if candidates.is_empty() {
        let fault = "nothing was written: no move meets the criteria; lower --min-games, --min-share or --min-score";
        return Err(CommandError::Unusable { path: path.clone(), fault: fault.to_owned() });
    }
    let records: Vec<Record> = candidates.into_iter().flat_map(|candidate| candidate.records).collect();
    save(path, &records, &provenance(args, &counter))
}

fn verified(
    counter: &Counter,
    candidates: Vec<Candidate>,
    verification: &Verification,
    journal: Option<&Path>,
) -> Result<Vec<Candidate>, CommandError> {
    let opened = journal.map(|path| Journal::open(path, verification.nodes)).transpose().map_err(journal_failure)?;
    let (mut journal, known) = opened.map_or((None, HashMap::new()), |(journal, known)| (Some(journal), known));
    if !known.is_empty() {
        note!("continues after {}", counted(known.len() as u64, "position"));
    }
    let interrupt = cancel_on_request();
    let mut progress_bar = Progress::bar(candidates.len() as u64);
    let before: usize = candidates.iter().map(|candidate| candidate.records.len()).sum();
    // Positions from the journal took no time and must not enter the estimate.
    let (mut first, total) = (None, candidates.len());
    let left = verify(counter, candidates, verification, &known, journal.as_mut(), &interrupt, &mut |progress| {
        let first = *first.get_or_insert(progress.positions);
        let elapsed = progress_bar.elapsed();
        progress_bar.update(progress.positions as u64, || {
            let rest = (total - progress.positions) as f64 / (progress.positions - first).max(1) as f64;
            let left = elapsed.mul_f64(rest.min(1e6));
            format!("{} dropped, {} left", counted(progress.dropped as u64, "move"), clock(left))
        });
    });
    let elapsed = progress_bar.elapsed();
    progress_bar.finish();
    let left = left.map_err(|error| match error {
        VerifyError::Engine(error) => error.into(),
        VerifyError::Journal(error) => journal_failure(error),
    })?;
    let Some(left) = left else { return Err(CommandError::Interrupted) };
    let after: usize = left.iter().map(|candidate| candidate.records.len()).sum();
    note!("{before} moves searched in {}, {} dropped", clock(elapsed), before - after);
    Ok(left)
}

fn journal_failure(error: JournalError) -> CommandError {
    match error {
        JournalError::File { path, error } => CommandError::File { path, error },
        error => CommandError::Mismatch(error.to_string()),
    }
}

/// Returns the provenance of the book: the text of the user and the build settings, without those that may differ
/// between two runs with the same result.
fn provenance(args: &Build, counter: &Counter) -> String {
    let name = |path: &PathBuf| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let names: Vec<String> = args.games.iter().map(name).collect();
    let Build { max_ply, min_games, min_share, min_score, verify_loss, .. } = args;
    let (games, positions) = (counter.games(), counter.positions());
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

/// Text below the options in the help.
pub const MERGE_HELP: &str = "\
In positions of several books, the games of each move are added and the weights recomputed; if a move has no
games, because its book does not count them, each move keeps its larger weight. Learned changes (delta) are
added. If several books have a preference for a move, that of the first one stays. All other positions are
copied. A book given twice counts twice.

Example:
  chuhe book merge own.book other.book --out both.book";

/// Arguments of `book merge`.
#[derive(Args, Debug)]
pub struct Merge {
    /// Books to merge.
    #[arg(value_name = "BOOK", required = true, num_args = 2..)]
    books: Vec<PathBuf>,
    /// Write the book to this file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Description of the origin; by default the descriptions of all books, one after another.
    #[arg(long, value_name = "TEXT")]
    provenance: Option<String>,
}

/// Runs `book merge`.
pub fn merge_books(args: &Merge) -> Result<(), CommandError> {
    refuse_learning_book(&args.out)?;
    let (mut records, mut origins) = (Vec::<Record>::new(), Vec::<String>::new());
    for path in &args.books {
        let book = open(Some(path))?;
        let others: Vec<Record> = book.records().collect();
        records = merge(&records, &others);
        if !book.provenance().is_empty() && !origins.iter().any(|origin| origin == book.provenance()) {
            origins.push(book.provenance().to_owned());
        }
    }
    let provenance = args.provenance.clone().unwrap_or_else(|| origins.join("\n"));
    save(&args.out, &records, &provenance)
}
