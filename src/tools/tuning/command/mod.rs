//! The `tune` command: what is wanted, and who does it.

mod positions;
mod searches;

use std::io::StdoutLock;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::console::args::{not_negative, percentage, positive, share};
use crate::console::error::CommandError;
use crate::console::interrupt;
use crate::console::progress::Progress;
use crate::position::Strictness;
use crate::search::MAX_THREADS;
use crate::tools::tuning::{Budget, Loss, Method, Step};
use crate::util::cancel::CancelFlag;

/// The method that follows the gradient.
const ADAM: &str = "adam";

/// What stands below the options in the help.
pub const HELP: &str = "\
Weights of the evaluation are fitted to positions with results: lines 'FEN<TAB>result<TAB>score' (1-0,
0-1 or 1/2-1/2; the score, in centipawns for the side to move, may be missing), or games in any format
that 'convert' reads, of which quiet positions are taken. --out is written in the form of weights.rs, to
be compiled in; what is said there about their origin is kept unless --provenance says something else.

Numbers of the search are tuned by games of a fixed number of nodes a move, each opening played twice with
colours reversed. The best numbers are printed as lines 'name value', which --start reads.

A pass reads all positions once (an epoch of adam is two passes), or is one match of --games games. The
same seed gives the same result unless --seconds ends the work. Ctrl-C ends it with the best so far.

Examples:
  chuhe tune games.pgn --out src/eval/handcrafted/weights.rs
  chuhe tune positions.tsv more.tsv --out weights.rs --start material --epochs 50 --lambda 0.6
  chuhe tune games.tsv --out weights.rs --method swarm --passes 1000
  chuhe tune --search-params futility_base,futility_margin --games 64 --nodes 4000 --openings suite.txt
  chuhe tune --search-params all --method spsa --seconds 3600 --start best.txt > better.txt";

/// What `tune` is asked for.
#[derive(Args, Debug)]
pub struct Tune {
    /// Files with labelled positions or games.
    #[arg(value_name = "FILE", required_unless_present = "search_params")]
    files: Vec<PathBuf>,
    /// Write the fitted weights to this file.
    #[arg(long, value_name = "FILE", required_unless_present = "search_params")]
    out: Option<PathBuf>,
    /// How to look for better numbers; by default adam for weights, spsa for the search.
    #[arg(long, value_parser = PossibleValuesParser::new([ADAM, "hill", "anneal", "genetic", "swarm", "spsa"]))]
    method: Option<String>,
    /// Where to start: 'current', 'material' (all other weights 0) or a file that --out wrote; for the search a file of
    /// lines 'name value'.
    #[arg(long, value_name = "START")]
    start: Option<String>,
    /// End after so many passes; by default 500, or 100 matches, for other methods than adam.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    passes: Option<u64>,
    /// End after so many seconds.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    seconds: Option<u64>,
    /// How many threads work; 0 takes all cores.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
    /// Decides everything that is left to chance.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Positions taken of a game, spread over it; 0 takes all that are quiet.
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Positions")]
    per_game: usize,
    /// Plies that must have been played before.
    #[arg(long, value_name = "PLIES", default_value_t = 17, help_heading = "Positions")]
    from_ply: usize,
    /// How much captures may change a quiet position, in centipawns.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 50, help_heading = "Positions",
        value_parser = clap::value_parser!(i32).range(0..=10_000))]
    margin: i32,
    /// The share of games, or of positions, put aside to check the fit with.
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, help_heading = "Positions", value_parser = percentage)]
    validation: f64,

    /// The share of the result in what a position should tell, where it has a score too.
    #[arg(long, value_name = "SHARE", default_value_t = 0.7, help_heading = "Fit", value_parser = share)]
    lambda: f64,
    /// The price of being wrong.
    #[arg(long, value_name = "LOSS", default_value = Loss::NAMED[0].0, help_heading = "Fit",
        value_parser = PossibleValuesParser::new(Loss::NAMED.map(|(name, _)| name)))]
    loss: String,
    /// How many centipawns make a chance of 73 %; fitted to the start by default.
    #[arg(long, value_name = "CENTIPAWNS", help_heading = "Fit", value_parser = positive)]
    scale: Option<f64>,
    /// The same of the scores of searches; by default the same number.
    #[arg(long, value_name = "CENTIPAWNS", help_heading = "Fit", value_parser = positive)]
    score_scale: Option<f64>,
    /// Hold weights to their start: add so much times the squared distance in pawns to the loss.
    #[arg(long, value_name = "PRICE", default_value_t = 0.0, help_heading = "Fit", value_parser = not_negative)]
    decay: f64,
    /// The most epochs of adam.
    #[arg(long, value_name = "N", default_value_t = 30, help_heading = "Fit", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    epochs: u64,
    /// How far adam moves a weight in one step at first, in centipawns.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 2.0, help_heading = "Fit", value_parser = positive)]
    rate: f64,
    /// Positions in a batch of adam.
    #[arg(long, value_name = "N", default_value_t = 16_384, help_heading = "Fit", value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Epochs without a better fit of what was put aside, after which adam ends; 0 for never.
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = "Fit")]
    patience: u64,
    /// What the written file says of the origin of its weights.
    #[arg(long, value_name = "TEXT", help_heading = "Fit")]
    provenance: Option<String>,

    /// Tune these numbers of the search by games instead; 'all' for all of them.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["files", "provenance"], help_heading = "Games")]
    search_params: Vec<String>,
    /// Games in a match.
    #[arg(long, value_name = "N", default_value_t = 32, help_heading = "Games", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    games: u32,
    /// Nodes of each search.
    #[arg(long, value_name = "N", default_value_t = 2_000, help_heading = "Games", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Openings: moves, FEN or EPD, one a line; the start of the game without them.
    #[arg(long, value_name = "FILE", help_heading = "Games", requires = "search_params")]
    openings: Option<PathBuf>,
}

impl Tune {
    /// The method, `None` for adam.
    fn method(&self, usual: Option<Method>) -> Option<Method> {
        self.method.as_deref().map_or(usual, Method::from_name)
    }

    fn threads(&self) -> usize {
        match usize::from(self.threads) {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }

    /// The limits that were given, or these passes when there are none.
    fn budget(&self, usual_passes: Option<u64>, interrupt: &CancelFlag) -> Budget {
        let losses = self.passes.or(if self.seconds.is_some() { None } else { usual_passes });
        Budget { losses, time: self.seconds.map(Duration::from_secs), interrupt: interrupt.clone() }
    }
}

/// Tunes what is wanted. Ctrl-C ends it after the best so far was written; a second one at once.
pub fn tune(wanted: &Tune, strictness: Strictness, mut out: StdoutLock<'static>) -> Result<(), CommandError> {
    let interrupt = interrupt::cancel_on_ctrl_c();
    if wanted.search_params.is_empty() {
        positions::fit(wanted, strictness, &interrupt, &mut out)
    } else {
        searches::tune(wanted, strictness, &interrupt, &mut out)
    }
}

/// Shows a round or an epoch of the work on standard error.
fn show_step(progress: &Progress, round: &str, step: &Step) {
    let validation = step.validation.map_or(String::new(), |loss| format!("  validation {loss:.6}"));
    let Step { round: number, spent, loss, .. } = step;
    let loss = if loss.is_finite() { format!("  loss {loss:.6}") } else { String::new() };
    progress.status(format!("{round} {number:>4}  passes {spent:>6}{loss}{validation}"));
}
