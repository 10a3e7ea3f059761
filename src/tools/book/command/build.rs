//! Building a book from games.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;

use super::save;
use crate::book::Record;
use crate::console::error::CommandError;
use crate::console::games::read_games;
use crate::console::interrupt;
use crate::console::progress::{News, clock, counted};
use crate::position::Strictness;
use crate::search::MAX_THREADS;
use crate::tools::book::{Candidate, Counter, Criteria, Journal, JournalError, Verification, VerifyError, verify};
use crate::tools::datagen::Settings;
use crate::types::Value;
use crate::util::atomic_file::check_writable;

/// What stands below the options in the help.
pub const HELP: &str = "\
Reads games in any format that 'convert' reads. A position and its reflection are one, and so are their
moves. Results are seen from the side that plays the move; games without a result are left out, and a move
that a game plays twice in a position counts once. --min-share is the share of the games in the position.

The weight of a move, by which it is preferred, is 10000 * share * (2 * score)^2 among the moves that are
kept, its score taken with four more games that are worth one half each.

--verify lets the engine search every position of the book and the positions after its moves and after the
best move that it finds, each with so many nodes. Moves that come out more than --verify-loss centipawns
behind the best are dropped. --resume keeps what was found in a file, so that the same command goes on
after Ctrl-C, a crash or a power cut, and other bounds need few new searches. The same games, options and
program make the same bytes, whatever --threads is and however often it was interrupted.

Examples:
  chuhe book build games.pgn more.tsv --out own.book
  chuhe book build masters.tsv --max-ply 50 --min-games 5 --min-score 40 --out solid.book
  chuhe book build masters.tsv --verify 20000 --resume work.txt --out own.book";

/// What `book build` is asked for.
#[derive(Args, Debug)]
pub struct Build {
    /// Files of games (PGN, lists of moves, XQF, DhtmlXQ).
    #[arg(value_name = "GAMES", required = true)]
    games: Vec<PathBuf>,
    /// Write the book to this file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Moves up to this ply of each game are counted.
    #[arg(long, value_name = "PLIES", default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..=400))]
    max_ply: u16,
    /// How many games must have played a move.
    #[arg(long, value_name = "GAMES", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    min_games: u64,
    /// Which percentage of the games in its position must have played a move.
    #[arg(long, value_name = "PERCENT", default_value = "2", value_parser = percentage)]
    min_share: f64,
    /// Which percentage of the points the side that plays a move must have scored with it.
    #[arg(long, value_name = "PERCENT", default_value = "30", value_parser = percentage)]
    min_score: f64,
    /// Verify every move by searches of so many nodes.
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    verify: Option<u64>,
    /// How many centipawns a move may lose against the best one.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 60, requires = "verify",
        value_parser = clap::value_parser!(u16).range(0..=20_000))]
    verify_loss: u16,
    /// Keep what the searches found in this file, and go on with what is there.
    #[arg(long, value_name = "FILE", requires = "verify")]
    resume: Option<PathBuf>,
    /// How many positions are searched at once; 0 is as many as the machine has cores.
    #[arg(long, value_name = "THREADS", default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
    /// What the book is to say of the origin of the games; how it was made is added.
    #[arg(long, value_name = "TEXT", default_value = "")]
    provenance: String,
}

/// A number of percents.
fn percentage(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "it is no number from 0 to 100".to_owned())
}

/// Builds a book.
pub fn build(wanted: &Build, strictness: Strictness) -> Result<(), CommandError> {
    let path = &wanted.out;
    check_writable(path).map_err(|error| CommandError::File { path: path.clone(), error })?;
    let mut counter = Counter::new(usize::from(wanted.max_ply));
    for file in &wanted.games {
        read_games(file, strictness, |game| counter.add(game))?;
    }
    if counter.games_without_result() > 0 {
        eprintln!("chuhe: {} without a result left out", counted(counter.games_without_result(), "game"));
    }
    if counter.games() == 0 {
        let fault = "nothing was written: no game with a result was read".to_owned();
        return Err(CommandError::Unusable { path: path.clone(), fault });
    }
    let criteria = Criteria {
        min_games: wanted.min_games,
        min_share: wanted.min_share / 100.0,
        min_score: wanted.min_score / 100.0,
    };
    let mut candidates = counter.candidates(&criteria);
    let moves = |candidates: &[Candidate]| candidates.iter().map(|found| found.records.len() as u64).sum::<u64>();
    eprintln!(
        "chuhe: {} with {}; worth keeping: {} in {}",
        counted(counter.games(), "game"),
        counted(counter.positions() as u64, "position"),
        counted(moves(&candidates), "move"),
        counted(candidates.len() as u64, "position")
    );
    if let Some(nodes) = wanted.verify {
        let verification = Verification { nodes, most_loss: Value::from(wanted.verify_loss), threads: threads(wanted) };
        candidates = verified(&counter, candidates, &verification, wanted.resume.as_deref())?;
    }
    if candidates.is_empty() {
        let fault = "nothing was written: no move is worth keeping; try --min-games, --min-share or --min-score";
        return Err(CommandError::Unusable { path: path.clone(), fault: fault.to_owned() });
    }
    let records: Vec<Record> = candidates.into_iter().flat_map(|candidate| candidate.records).collect();
    save(path, &records, &provenance(wanted, &counter))
}

fn threads(wanted: &Build) -> usize {
    match usize::from(wanted.threads) {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
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
        eprintln!("chuhe: goes on after {}", counted(known.len() as u64, "position"));
    }
    let interrupt = interrupt::from_keyboard(&Arc::new(AtomicBool::new(true)));
    let mut news = News::of(candidates.len() as u64);
    let before: usize = candidates.iter().map(|candidate| candidate.records.len()).sum();
    // What was known before took no time.
    let (mut first, total) = (None, candidates.len());
    let left = verify(counter, candidates, verification, &known, journal.as_mut(), &interrupt, &mut |progress| {
        let first = *first.get_or_insert(progress.positions);
        let elapsed = news.elapsed();
        news.tell(progress.positions as u64, || {
            let rest = (total - progress.positions) as f64 / (progress.positions - first).max(1) as f64;
            let left = elapsed.mul_f64(rest.min(1e6));
            format!("{} dropped, {} left", counted(progress.dropped as u64, "move"), clock(left))
        });
    });
    let elapsed = news.elapsed();
    news.finish();
    let left = left.map_err(|error| match error {
        VerifyError::Engine(error) => error.into(),
        VerifyError::Journal(error) => journal_failure(error),
    })?;
    let Some(left) = left else { return Err(CommandError::Interrupted) };
    let after: usize = left.iter().map(|candidate| candidate.records.len()).sum();
    eprintln!("chuhe: {before} moves searched in {}, {} dropped", clock(elapsed), before - after);
    Ok(left)
}

fn journal_failure(error: JournalError) -> CommandError {
    match error {
        JournalError::File { path, error } => CommandError::File { path, error },
        error => CommandError::Mismatch(error.to_string()),
    }
}

/// What the book says of its origin: what the user says, and how it was made, without what may differ between two
/// runs that make the same book.
fn provenance(wanted: &Build, counter: &Counter) -> String {
    let name = |path: &PathBuf| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let names: Vec<String> = wanted.games.iter().map(name).collect();
    let Build { max_ply, min_games, min_share, min_score, verify_loss, .. } = wanted;
    let (games, positions) = (counter.games(), counter.positions());
    let mut text = wanted.provenance.clone();
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&format!(
        "{games} games with {positions} positions; chuhe book build {} --max-ply {max_ply} --min-games {min_games} \
         --min-share {min_share} --min-score {min_score}",
        names.join(" ")
    ));
    if let Some(nodes) = wanted.verify {
        let program = Settings::this_program();
        text.push_str(&format!(" --verify {nodes} --verify-loss {verify_loss} (chuhe {program})"));
    }
    text
}
