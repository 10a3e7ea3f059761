//! The `train` command: arguments.

mod progress;
mod run;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::console::args::{not_negative, positive, share, thread_count};
use crate::console::error::CommandError;
use crate::lab::training::{Loss, Settings};
use crate::search::MAX_THREADS;

pub use progress::TrainingProgress;

/// Text below the options in the help.
pub const HELP: &str = "\
Takes the quiet positions of games written by 'datagen' (not in check, no capture, score within --most-score),
removes duplicates, shuffles them, holds out 1 % of the games for validation, and trains a network to predict

  lambda * sigmoid(score / scale) + (1 - lambda) * result

With --td-lambda below 1, the result of a position is smoothed as in TD(lambda), backwards from the end of the game:

  result = td-lambda * result after the move + (1 - td-lambda) * sigmoid(score after the move / scale)

with both seen from the side to move before the move. In games that 'datagen' stopped at --most-plies the last score
stands in for the result. The scale is fitted without such games; where there are no others, --scale must be given.

Files in the folder --out: network.bin, the quantized network; checkpoint, from which the same command resumes
after Ctrl-C (which stops within a step), a crash or a power failure; samples, the shuffled positions, 32 bytes
each; loss.svg and log.tsv, the losses of every epoch. All but the samples are written after every epoch. The
same seed, number of threads and --memory give the same network, interrupted or not. --lambda is the share of
the score here, but the share of the result in 'tune'. Losses with different --lambda, --td-lambda or --scale
cannot be compared. --start continues to train an existing network, which must keep its place until training is
over. With fewer positions than it was trained on, the mean of both (--start-share 0.5) may play better; the losses
are those of the trained network alone.

Examples:
  chuhe train games.bin --out trained
  chuhe train games.bin more.bin --out trained --epochs 40 --lambda 0.8 --note 'round 2'
  chuhe train new.bin --start trained/network.bin --rate 0.0003 --out further
  chuhe train few.bin --start trained/network.bin --start-share 0.5 --rate 0.0003 --out mean
  chuhe train games.bin --out trial --epochs 2 --batch 4096 --threads 1";

/// Arguments of `train`.
#[derive(Args, Debug)]
pub struct Train {
    /// Game files written by 'datagen'.
    #[arg(value_name = "GAMES", required = true)]
    files: Vec<PathBuf>,
    /// Folder for all output files; created if missing.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Start from this network instead of small random weights.
    #[arg(long, value_name = "NETWORK")]
    start: Option<PathBuf>,
    /// Write the mean of the weights of the --start network, with this share, and of the trained network.
    #[arg(long, value_name = "SHARE", default_value_t = Settings::START_SHARE, value_parser = share, requires = "start")]
    start_share: f64,
    /// Number of passes over the positions.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    epochs: u64,
    /// Positions per step.
    #[arg(long, value_name = "N", default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(1..=16_777_216))]
    batch: u32,
    /// Share of the score in the target; the rest is the result of the game.
    #[arg(long, value_name = "SHARE", default_value_t = Settings::LAMBDA, value_parser = share)]
    lambda: f64,
    /// Smooth the results: the weight of the later scores falls by this factor with each move, and the rest of the
    /// weight goes to the result; 1 is the plain result.
    #[arg(long, value_name = "FACTOR", default_value_t = Settings::TD_LAMBDA, value_parser = share)]
    td_lambda: f64,
    /// Learning rate at the start.
    #[arg(long, value_name = "RATE", default_value_t = 1e-3, value_parser = positive)]
    rate: f64,
    /// Learning rate at the end of the cosine schedule.
    #[arg(long, value_name = "RATE", default_value_t = 1e-5, value_parser = not_negative)]
    last_rate: f64,
    /// Weight decay per step, relative to the learning rate.
    #[arg(long, value_name = "SHARE", default_value_t = Settings::DECAY, value_parser = not_negative)]
    decay: f64,
    /// Loss function.
    #[arg(long, value_name = "LOSS", default_value = Settings::LOSS.name(),
        value_parser = PossibleValuesParser::new(Loss::NAMED.map(|(name, _)| name)))]
    loss: String,
    /// Leave out positions with a score beyond this.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = Settings::MOST_SCORE, value_parser = clap::value_parser!(u16).range(0..=9000))]
    most_score: u16,
    /// Centipawns of a winning chance of 73 % [default: fitted to the results of the games].
    #[arg(long, value_name = "CENTIPAWNS", value_parser = positive)]
    scale: Option<f64>,
    /// Seed of all random choices.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Number of threads; 0 is the number of cores.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
    /// Memory for shuffling, in megabytes.
    #[arg(long, value_name = "MEGABYTES", default_value_t = Settings::SHUFFLE_MEGABYTES, value_parser = clap::value_parser!(u32).range(16..))]
    memory: u32,
    /// Text to store in the network beside the training parameters.
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,
}

impl Train {
    fn threads(&self) -> usize {
        thread_count(self.threads).get()
    }
}

/// Trains a network. Ctrl-C ends it after writing a checkpoint; a second one at once.
pub fn train(args: &Train, out: &mut impl Write) -> Result<(), CommandError> {
    run::train(args, out)
}
