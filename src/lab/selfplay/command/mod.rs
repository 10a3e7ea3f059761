//! The `selfplay-train` command: arguments.

mod progress;
mod run;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::console::args::{not_negative, positive, share};
use crate::console::error::CommandError;
use crate::engine::MAX_HASH_MEGABYTES;
use crate::lab::selfplay::Settings;
use crate::search::MAX_THREADS;

/// Text below the options in the help.
pub const HELP: &str = "\
A round plays --games games with the strongest network so far, trains a new network on the games of all rounds, and
plays a match between the two. The new network becomes the strongest if it scores more than --accept of the points.
Training begins with the weights of the strongest network and gives the mean of these and the trained ones (see
--start-share); the losses in log.tsv are those before the mean. With --from-nothing the games are played with the
hand-made evaluation, training begins with random weights, and the match is played against the hand-made evaluation,
until a network is accepted.

Files in the folder --out: best.network, the strongest network; log.tsv, one row a round; state.jsonl, the settings
and the completed rounds; and the games, the training and the match of each round in a folder of its own. Ctrl-C stops
within a game (a second one at once). The same command continues there, also after a crash, a power failure or a full
disk; options that decide the results may be left out then and cannot be changed. The same options and number of
threads give the same networks, interrupted or not.

Round N of --seed S plays the games of 'datagen' with --seed S * 1000000 + N and the same --games, --nodes and --hash,
so that other machines can play a share of them; see docs/scale.md.

Examples:
  chuhe selfplay-train --hours 8 --out better
  chuhe selfplay-train --out better
  chuhe selfplay-train --hours 24 --out own --from-nothing --games 50000 --nodes 200
  chuhe selfplay-train --rounds 3 --out further --start better/best.network --gate-games 1000
  chuhe selfplay-train --rounds 2 --out trial --from-nothing --games 200 --nodes 50 --batch 512 --gate-games 20";

/// Arguments of `selfplay-train`.
#[derive(Args, Debug)]
pub struct SelfplayTrain {
    /// Folder for all files; created if missing, continued otherwise.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Stop after this many hours [default: no limit].
    #[arg(long, value_name = "HOURS", value_parser = positive)]
    hours: Option<f64>,
    /// Stop after this many rounds, including those of earlier runs; 0 only creates the folder [default: no limit].
    #[arg(long, value_name = "N")]
    rounds: Option<u64>,
    /// Number of threads; 0 is the number of cores.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
    /// Begin with this network [default: the built-in network].
    #[arg(long, value_name = "NETWORK")]
    start: Option<PathBuf>,
    /// Begin with the hand-made evaluation and random weights.
    #[arg(long, conflicts_with = "start")]
    from_nothing: bool,
    #[command(flatten)]
    given: GivenSettings,
}

/// Options that decide the results; those that are not given keep the values of the folder, or their defaults.
#[derive(Args, Debug)]
struct GivenSettings {
    /// Games of self-play in a round [default: 20000].
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Nodes of a search in self-play; no new iteration starts beyond them [default: 400].
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Hash size per game of self-play, in megabytes [default: 4].
    #[arg(long, value_name = "MEGABYTES", value_parser = clap::value_parser!(u64).range(1..=MAX_HASH_MEGABYTES as u64))]
    hash: Option<u64>,
    /// Number of passes over the positions in a training [default: 9].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    epochs: Option<u64>,
    /// Positions per training step [default: 16384].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16_777_216))]
    batch: Option<u32>,
    /// Share of the score in the training target; the rest is the result of the game [default: 0.7].
    #[arg(long, value_name = "SHARE", value_parser = share)]
    lambda: Option<f64>,
    /// Factor by which the weight of later scores falls in smoothed results, as in 'train'; 1 is the plain result
    /// [default: 1].
    #[arg(long, value_name = "FACTOR", value_parser = share)]
    td_lambda: Option<f64>,
    /// Learning rate at the start of a training [default: 0.001 from random weights, 0.0003 from a network].
    #[arg(long, value_name = "RATE", value_parser = positive)]
    rate: Option<f64>,
    /// Learning rate at the end of a training [default: a hundredth of --rate].
    #[arg(long, value_name = "RATE", value_parser = not_negative)]
    last_rate: Option<f64>,
    /// Share of the strongest network in the mean of its weights and the trained ones [default: 0.5, or 0 with
    /// --from-nothing].
    #[arg(long, value_name = "SHARE", value_parser = share)]
    start_share: Option<f64>,
    /// Games of a match, rounded up to even [default: 400].
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..=5000))]
    gate_games: Option<u64>,
    /// Nodes for each move of a match [default: 4000].
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    gate_nodes: Option<u64>,
    /// Share of the points above which a new network is accepted [default: 0.52].
    #[arg(long, value_name = "SHARE", value_parser = share)]
    accept: Option<f64>,
    /// Seed of all random choices [default: 1].
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

impl GivenSettings {
    /// Returns the settings with the given options replaced.
    fn over(&self, settings: Settings) -> Settings {
        let size = |given: u64| usize::try_from(given).unwrap_or(usize::MAX);
        Settings {
            start: settings.start,
            games: self.games.unwrap_or(settings.games),
            nodes: self.nodes.unwrap_or(settings.nodes),
            hash: self.hash.map_or(settings.hash, size),
            epochs: self.epochs.unwrap_or(settings.epochs),
            batch: self.batch.map_or(settings.batch, |batch| size(batch.into())),
            lambda: self.lambda.unwrap_or(settings.lambda),
            td_lambda: self.td_lambda.unwrap_or(settings.td_lambda),
            rate: self.rate.or(settings.rate),
            last_rate: self.last_rate.or(settings.last_rate),
            start_share: self.start_share.or(settings.start_share),
            gate_games: self.gate_games.unwrap_or(settings.gate_games),
            gate_nodes: self.gate_nodes.unwrap_or(settings.gate_nodes),
            accept: self.accept.unwrap_or(settings.accept),
            seed: self.seed.unwrap_or(settings.seed),
        }
    }
}

/// Makes rounds of self-play and training.
///
/// # Errors
/// When the folder cannot be used, a stage fails, or the run was interrupted.
pub fn selfplay_train(args: &SelfplayTrain, out: &mut impl Write) -> Result<(), CommandError> {
    run::selfplay_train(args, out)
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        args: SelfplayTrain,
    }

    #[test]
    fn the_help_names_the_defaults() {
        let Settings { games, nodes, hash, epochs, batch, lambda, td_lambda, .. } = Settings::default();
        let Settings { gate_games, gate_nodes, accept, seed, .. } = Settings::default();
        let command = Program::command();
        let defaults = [
            ("games", games.to_string()),
            ("nodes", nodes.to_string()),
            ("hash", hash.to_string()),
            ("epochs", epochs.to_string()),
            ("batch", batch.to_string()),
            ("lambda", lambda.to_string()),
            ("td_lambda", td_lambda.to_string()),
            ("gate_games", gate_games.to_string()),
            ("gate_nodes", gate_nodes.to_string()),
            ("accept", accept.to_string()),
            ("seed", seed.to_string()),
        ];
        for (name, default) in defaults {
            let argument = command.get_arguments().find(|argument| argument.get_id() == name).unwrap();
            let help = argument.get_help().unwrap().to_string();
            assert!(help.ends_with(&format!("[default: {default}]")), "{help}");
        }
        let given = Program::parse_from(["chuhe", "--out", "folder", "--start-share", "0.25"]).args.given;
        assert_eq!(given.over(Settings::default()), Settings { start_share: Some(0.25), ..Settings::default() });
        let settings = Settings { rate: Some(0.5), start_share: Some(0.75), games: 7, ..Settings::default() };
        let nothing_given = Program::parse_from(["chuhe", "--out", "folder"]);
        assert_eq!(nothing_given.args.given.over(settings.clone()), settings);
    }
}
