//! The `train` command.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::run::epoch_line;
use super::{Plan, SampleSource, Settings, TrainingFiles, identify, train_in_folder};
use crate::console::{CommandError, Result, cancel_on_request, clock, network_in, positive, share, thread_count};
use crate::eval::network::Network;
use crate::search::MAX_THREADS;

pub const HELP: &str = "\
Takes the quiet positions of games written by 'datagen' (not in check, no capture, score within 2000 centipawns),
removes duplicates, holds out 1 % of the games for validation, and trains a network to predict

  lambda * sigmoid(score / scale) + (1 - lambda) * result

With --td-lambda below 1, the result of a position is smoothed as in TD(lambda), backwards from the end of the game:

  result = td-lambda * result after the move + (1 - td-lambda) * sigmoid(score after the move / scale)

In games that 'datagen' stopped at --most-plies the last score stands in for the result. The scale is fitted without
such games; where there are no others, --scale must be given.

Files in the folder --out, all written after every epoch: network.bin, the quantized network; log.tsv, the losses; and
checkpoint, from which the same command resumes after Ctrl-C (which stops within a step), a crash or a power failure.
The positions are held in memory, 32 bytes each. The same seed and number of threads give the same network, interrupted
or not. Losses with different --lambda, --td-lambda or --scale cannot be compared. --start continues to train a network,
which must keep its place; with fewer positions than it was trained on, the mean of both (--start-share 0.5) may play
better.

Examples:
  chuhe train games.txt --out trained
  chuhe train games.txt more.txt --out trained --epochs 40 --lambda 0.8
  chuhe train new.txt --start trained/network.bin --rate 0.0003 --out further
  chuhe train few.txt --start trained/network.bin --start-share 0.5 --rate 0.0003 --out mean
  chuhe train games.txt --out trial --epochs 2 --batch 4096 --threads 1";

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
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share, requires = "start")]
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
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = share)]
    td_lambda: f64,
    /// Learning rate at the start of the cosine schedule, which ends at a hundredth of it.
    #[arg(long, value_name = "RATE", default_value_t = 1e-3, value_parser = positive)]
    rate: f64,
    /// Centipawns of a winning chance of 73 % [default: fitted to the results of the games].
    #[arg(long, value_name = "CENTIPAWNS", value_parser = positive)]
    scale: Option<f64>,
    /// Seed of all random choices.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Number of threads; 0 is the number of cores.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
}

/// Trains a network. Ctrl-C ends it after writing a checkpoint; a second one at once.
pub fn train(args: &Train, out: &mut impl Write) -> Result {
    let files = TrainingFiles::new(&args.out);
    let start = args.start.as_deref().map(|path| starting_network(path, &files.network)).transpose()?;
    let identities = args.files.iter().map(|path| identify(path)).collect::<Result<_>>()?;
    let scale = args.scale.unwrap_or_default();
    let settings = Settings {
        shape: Settings::this_shape(),
        source: SampleSource { files: identities, td_lambda: args.td_lambda, scale, seed: args.seed },
        epochs: args.epochs,
        batch: usize::try_from(args.batch).unwrap_or(usize::MAX),
        lambda: args.lambda,
        rate: args.rate,
        last_rate: args.rate / Settings::RATE_RATIO,
        threads: thread_count(args.threads).get(),
        start: None,
        start_share: args.start_share,
    };
    let (folder, games) = (args.out.clone(), args.files.clone());
    let fits_scale = args.scale.is_none();
    let plan = Plan { folder, files: games, settings, start, fits_scale, note: String::new() };
    let trained = train_in_folder(&plan, &cancel_on_request(), out, &mut |_| ())?;
    writeln!(out, "{}", epoch_line(&trained.epochs))?;
    let seconds: f64 = trained.epochs.iter().map(|epoch| epoch.seconds).sum();
    let seen = args.epochs as f64 * trained.samples as f64;
    let time = clock(Duration::try_from_secs_f64(seconds).unwrap_or_default());
    writeln!(out, "{time} in all, {:.0} positions/s", seen / seconds.max(1e-3))?;
    writeln!(out, "{}", files.network.display())?;
    Ok(())
}

/// Reads the start network, which must not be the file that training writes.
fn starting_network(path: &Path, written: &Path) -> Result<Arc<Network>> {
    let network = network_in(path)?;
    let [start, written] = [path, written].map(|path| fs::canonicalize(path).ok());
    if start.is_some() && start == written {
        let text = "--start names the network that training writes; copy it elsewhere, or choose another --out";
        return Err(CommandError::Mismatch(text.to_owned()));
    }
    Ok(network)
}
