//! The `tune` command: arguments and dispatch.

use std::io::StdoutLock;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::console::args::{not_negative, percentage, positive, share, thread_count};
use crate::console::error::CommandError;
use crate::console::progress::{Progress, cancel_on_request};
use crate::lab::training::Loss;
use crate::lab::tuning::{Budget, LoadSettings, Method, ProgressReport, Selection};
use crate::position::Strictness;
use crate::search::MAX_THREADS;
use crate::util::cancel::CancelFlag;

/// Name of the gradient method.
const ADAM: &str = "adam";
/// Name of the method that measures the effect of each search parameter.
const DESIGN: &str = "design";

/// Text below the options in the help.
pub const HELP: &str = "\
Evaluation weights are fitted to positions with results: lines 'FEN<TAB>result<TAB>score' (1-0, 0-1 or
1/2-1/2; the score, in centipawns for the side to move, is optional), or the quiet positions of games in any
format that 'convert' reads. --out is written in the form of weights.rs, to be compiled in; an existing
description of their origin is kept unless --provenance replaces it.

Search parameters are tuned by games with a fixed number of nodes per move, each opening played twice with
colours reversed. With files of games they are tuned by the share of the moves of these games that searches of
--nodes nodes choose too. The best parameters are printed as lines 'name value', which --start reads.

The method design measures the effect of each search parameter by games: in every match each one has, by chance, its high
value on one side and its low value on the other. It prints the result of the high value against the low one with its
standard error (0.01 a game is 3.5 Elo), and takes the better value where the result exceeds the error. It needs as many
openings as matches, and --games as large as the number of threads.

A pass reads all positions once (an epoch of adam is two passes), searches all positions of the moves to be found, or is
one match of --games games. The same seed gives the same result unless --seconds stops the run. Ctrl-C stops it with the
best result so far. Search parameters so far are written to --out after a round, at most once a
minute, but not by the method design.

--leave-out shows how much each group of terms weighs: the loss of the evaluation without it, with all other weights as
they are and the scale fitted again, and of the group alone.

Examples:
  chuhe tune games.pgn --out src/eval/handcrafted/weights.rs
  chuhe tune positions.tsv more.tsv --out weights.rs --start material --epochs 50 --lambda 0.6
  chuhe tune games.tsv --out weights.rs --method swarm --passes 1000
  chuhe tune games.pgn --leave-out
  chuhe tune --search-params futility_base,futility_margin --games 64 --nodes 4000 --openings suite.txt
  chuhe tune --search-params all --method spsa --seconds 3600 --start best.txt > better.txt
  chuhe tune --search-params all --method design --games 2 --passes 3000 --nodes 8000 --openings suite.txt > better.txt
  chuhe tune --search-params futility_base+futility_margin,reduction_base+reduction_factor --method design --games 8
  chuhe tune masters.pgn --search-params all --method hill --nodes 1000 --per-game 1 > human.txt";

/// Arguments of `tune`.
#[derive(Args, Debug)]
pub struct Tune {
    /// Files with labelled positions or games; with --search-params games whose moves are to be found.
    #[arg(value_name = "FILE", required_unless_present = "search_params")]
    files: Vec<PathBuf>,
    /// Write the tuned weights or parameters to this file.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["search_params", "leave_out"])]
    out: Option<PathBuf>,
    /// Fit nothing: print the loss of the weights without each group of terms, and of each group alone.
    #[arg(long, conflicts_with_all = ["out", "search_params", "method", "passes", "seconds", "validation", "lambda",
        "scale", "score_scale", "decay", "epochs", "rate", "batch", "patience", "provenance", "games", "nodes"])]
    leave_out: bool,
    /// Optimization method [default: adam for weights, spsa for search parameters].
    #[arg(long, value_parser = PossibleValuesParser::new(std::iter::once(ADAM).chain(Method::NAMED.map(|(name, _)| name)).chain([DESIGN])))]
    method: Option<String>,
    /// Start values: 'current', 'material' (all other weights 0) or a file written by --out; for search parameters a
    /// file of lines 'name value'.
    #[arg(long, value_name = "START")]
    start: Option<String>,
    /// Stop after this many passes [default: 500, 100 for search parameters; no limit for adam].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    passes: Option<u64>,
    /// Stop after this many seconds.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    seconds: Option<u64>,
    /// Number of threads; 0 is the number of cores.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
    /// Seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Maximum number of positions per game, spread over it; 0 takes all.
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Positions")]
    per_game: usize,
    /// Minimum number of plies played before a position.
    #[arg(long, value_name = "PLIES", default_value_t = 17, help_heading = "Positions")]
    from_ply: usize,
    /// Maximum change of the evaluation by captures in a quiet position; not for --search-params.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 50, help_heading = "Positions",
        value_parser = clap::value_parser!(i32).range(0..=10_000))]
    margin: i32,
    /// Share of games, or of positions, held out for validation.
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, help_heading = "Positions", value_parser = percentage)]
    validation: f64,

    /// Share of the result in the target of positions with a score.
    #[arg(long, value_name = "SHARE", default_value_t = 0.7, help_heading = "Fit", value_parser = share)]
    lambda: f64,
    /// Loss function.
    #[arg(long, value_name = "LOSS", default_value = Loss::NAMED[0].0, help_heading = "Fit",
        value_parser = PossibleValuesParser::new(Loss::NAMED.map(|(name, _)| name)))]
    loss: String,
    /// Centipawns of a winning chance of 73 % [default: fitted to the start values].
    #[arg(long, value_name = "CENTIPAWNS", help_heading = "Fit", value_parser = positive)]
    scale: Option<f64>,
    /// The same for search scores [default: --scale].
    #[arg(long, value_name = "CENTIPAWNS", help_heading = "Fit", value_parser = positive)]
    score_scale: Option<f64>,
    /// L2 regularization: add this times the squared distance from the start in pawns to the loss.
    #[arg(long, value_name = "PRICE", default_value_t = 0.0, help_heading = "Fit", value_parser = not_negative)]
    decay: f64,
    /// Maximum number of epochs of adam.
    #[arg(long, value_name = "N", default_value_t = 30, help_heading = "Fit", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    epochs: u64,
    /// Learning rate of adam at the start.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 2.0, help_heading = "Fit", value_parser = positive)]
    rate: f64,
    /// Positions per batch of adam.
    #[arg(long, value_name = "N", default_value_t = 16_384, help_heading = "Fit", value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Stop adam after this many epochs without a better validation loss; 0 for never.
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = "Fit")]
    patience: u64,
    /// Origin of the weights, stated in the written file.
    #[arg(long, value_name = "TEXT", help_heading = "Fit")]
    provenance: Option<String>,

    /// Tune these search parameters, by games of their own or by the moves of FILE; 'all' for all of them. Names joined
    /// by '+' change in proportion, as one parameter in percent of their start values; what is 0 or small stays.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "provenance", help_heading = "Games")]
    search_params: Vec<String>,
    /// Games per match, rounded up to an even number.
    #[arg(long, value_name = "N", default_value_t = 32, conflicts_with = "files", help_heading = "Games", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    games: u32,
    /// Nodes per search.
    #[arg(long, value_name = "N", default_value_t = 2_000, help_heading = "Games", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Openings: moves, FEN or EPD, one per line [default: built-in].
    #[arg(long, value_name = "FILE", help_heading = "Games", requires = "search_params", conflicts_with = "files")]
    openings: Option<PathBuf>,
}

/// Method of `--method`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ChosenMethod {
    /// Gradient descent.
    Adam,
    /// A screening design: measures the effect of each parameter.
    Design,
    /// Minimizes by values alone.
    DerivativeFree(Method),
}

impl Tune {
    /// Returns the method by its name.
    fn method(&self, usual: ChosenMethod) -> ChosenMethod {
        match self.method.as_deref() {
            None => usual,
            Some(DESIGN) => ChosenMethod::Design,
            Some(name) => Method::from_name(name).map_or(ChosenMethod::Adam, ChosenMethod::DerivativeFree),
        }
    }

    fn threads(&self) -> usize {
        thread_count(self.threads).get()
    }

    /// Returns the games of a match: an even number, since each opening is played from both sides.
    fn games_per_match(&self) -> usize {
        usize::try_from(self.games).unwrap_or(usize::MAX - 1).next_multiple_of(2)
    }

    /// Returns how files are read.
    fn load_settings(&self, strictness: Strictness, cancel: &CancelFlag) -> LoadSettings {
        let Tune { per_game, from_ply, margin, seed, .. } = *self;
        LoadSettings {
            selection: Selection { per_game, from_ply, margin, seed },
            validation_share: if self.leave_out { 0.0 } else { self.validation / 100.0 },
            strictness,
            threads: self.threads(),
            cancel: cancel.clone(),
        }
    }

    /// Returns the given limits, or `usual_passes` without any.
    fn budget(&self, usual_passes: Option<u64>, cancel: &CancelFlag) -> Budget {
        let losses = self.passes.or(if self.seconds.is_some() { None } else { usual_passes });
        Budget { losses, time: self.seconds.map(Duration::from_secs), cancel: cancel.clone() }
    }
}

/// Runs the tuning. Ctrl-C ends it after the best result so far was written; a second one at once.
pub fn tune(args: &Tune, strictness: Strictness, mut out: StdoutLock<'static>) -> Result<(), CommandError> {
    let cancel = cancel_on_request();
    if args.leave_out {
        run::leave_out(args, strictness, &cancel, &mut out)
    } else if args.search_params.is_empty() {
        run::fit(args, strictness, &cancel, &mut out)
    } else {
        run::tune(args, strictness, &cancel, &mut out)
    }
}

/// Shows a round or an epoch on standard error.
fn show_step(progress: &Progress, round: &str, step: &ProgressReport) {
    let validation = step.validation.map_or(String::new(), |loss| format!("  validation {loss:.6}"));
    let ProgressReport { round: number, spent, loss, .. } = step;
    let loss = if loss.is_finite() { format!("  loss {loss:.6}") } else { String::new() };
    progress.status(format!("{round} {number:>4}  passes {spent:>6}{loss}{validation}"));
}
mod run;
