//! The `train` command: what is wanted, and who does it.

mod curve;
mod run;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::console::args::{not_negative, positive, share};
use crate::console::error::CommandError;
use crate::search::MAX_THREADS;
use crate::tools::tuning::Loss;

/// What stands below the options in the help.
pub const HELP: &str = "\
Takes the quiet positions of games that 'datagen' played (not in check, no capture, score within
--most-score), each once, shuffles them all, puts 1 % of the games aside, and trains a network that tells

  lambda * sigmoid(score / scale) + (1 - lambda) * result

In the folder --out there are then network.bin, the network in integers; checkpoint, from which the same
command started again goes on after Ctrl-C (which ends it within a step), a crash or a power cut; samples,
the shuffled positions, 32 bytes each; loss.svg and log.tsv, what every epoch came to. All but the samples
are written after every epoch. The same seed and number of threads give the same network, interrupted or
not. --lambda is the share of the score here, and that of the result in 'tune'. A network that is there
already learns from other games with --start; it must stay there until training is over.

Examples:
  chuhe train games.bin --out trained
  chuhe train games.bin more.bin --out trained --epochs 40 --lambda 0.8 --note 'round 2'
  chuhe train new.bin --start trained/network.bin --rate 0.0003 --out further
  chuhe train games.bin --out trial --epochs 2 --batch 4096 --threads 1";

/// What `train` is asked for.
#[derive(Args, Debug)]
pub struct Train {
    /// Files of games that 'datagen' wrote.
    #[arg(value_name = "GAMES", required = true)]
    files: Vec<PathBuf>,
    /// The folder of all that is written; it is made if it is not there.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// The network to begin with, instead of small random weights.
    #[arg(long, value_name = "NETWORK")]
    start: Option<PathBuf>,
    /// How often all positions are gone through.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    epochs: u64,
    /// Positions that make a step.
    #[arg(long, value_name = "N", default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(1..=16_777_216))]
    batch: u32,
    /// The share of the score in what the network should tell; the rest is the result of the game.
    #[arg(long, value_name = "SHARE", default_value_t = 0.7, value_parser = share)]
    lambda: f64,
    /// The rate of learning at first.
    #[arg(long, value_name = "RATE", default_value_t = 1e-3, value_parser = positive)]
    rate: f64,
    /// The rate at the end, reached along a cosine.
    #[arg(long, value_name = "RATE", default_value_t = 1e-5, value_parser = not_negative)]
    last_rate: f64,
    /// The share of each weight that is taken away in a step, in proportion to the rate.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = not_negative)]
    decay: f64,
    /// The price of being wrong.
    #[arg(long, value_name = "LOSS", default_value = Loss::NAMED[1].0,
        value_parser = PossibleValuesParser::new(Loss::NAMED.map(|(name, _)| name)))]
    loss: String,
    /// Positions in which the score is further from 0 are left out.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 2000, value_parser = clap::value_parser!(u16).range(0..=9000))]
    most_score: u16,
    /// How many centipawns make a chance of 73 %; by default they are fitted to the results of the games.
    #[arg(long, value_name = "CENTIPAWNS", value_parser = positive)]
    scale: Option<f64>,
    /// All random choices follow from this number.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// How many threads work; 0 takes all cores.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
    /// Memory for shuffling, in megabytes.
    #[arg(long, value_name = "MEGABYTES", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(16..))]
    memory: u32,
    /// What the network says of itself beside how it was trained.
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,
}

impl Train {
    fn threads(&self) -> usize {
        match usize::from(self.threads) {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}

/// Trains what is wanted. Ctrl-C ends it after a checkpoint was written; a second one at once.
pub fn train(wanted: &Train, out: &mut impl Write) -> Result<(), CommandError> {
    run::train(wanted, out)
}
