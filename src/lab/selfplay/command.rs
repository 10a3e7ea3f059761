//! The `selfplay-train` command: limits the time, and reports where the strongest network lies.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;

use super::{Folder, Settings, Start, run};
use crate::console::{CommandError, Result, cancel_on_request, network_in, note, positive, thread_count};
use crate::search::MAX_THREADS;

pub const HELP: &str = "\
A round plays --games games with the strongest network so far, trains a new network on the games of all rounds, and
plays a match between the two. The new network becomes the strongest if it scores more than 52 % of the points.
Training begins with the weights of the strongest network and gives the mean of these and the trained ones. With
--from-nothing the hand-made evaluation plays, training begins with random weights and takes no means, until a network
is accepted.

Files in the folder --out: best.network, the strongest network; log.tsv, one row a round; state.jsonl, the settings
and the completed rounds; and a folder for each round. Ctrl-C stops within a game (a second one at once). The same
command continues there, also after a crash, a power failure or a full disk; options that decide the results may be
left out then and cannot be changed. The same options and number of threads give the same networks, interrupted or not.

Round N of --seed S plays the games of 'datagen' with --seed S * 1000000 + N, --hash 4 and the same --games and
--nodes, so that other machines can play a share of them; see docs/scale.md.

Examples:
  chuhe selfplay-train --hours 8 --out better
  chuhe selfplay-train --out better
  chuhe selfplay-train --hours 24 --out own --from-nothing --games 50000 --nodes 200
  chuhe selfplay-train --rounds 3 --out further --start better/best.network --gate-games 1000
  chuhe selfplay-train --rounds 2 --out trial --from-nothing --games 200 --nodes 50 --gate-games 20";

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
    /// Games of self-play in a round [default: 20000].
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Nodes of a search in self-play; no new iteration starts beyond them [default: 400].
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Games of a match, rounded up to even [default: 400].
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..=5000))]
    gate_games: Option<u64>,
    /// Seed of all random choices [default: 1].
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

/// Makes rounds of self-play and training.
pub fn selfplay_train(args: &SelfplayTrain, out: &mut impl Write) -> Result {
    let start = match &args.start {
        Some(path) => Some(Start::Network(network_in(path)?)),
        None => args.from_nothing.then_some(Start::Nothing),
    };
    // Options that are not given keep the values of the folder, or their defaults.
    let mut folder = Folder::open(&args.out, start, |settings| Settings {
        games: args.games.unwrap_or(settings.games),
        nodes: args.nodes.unwrap_or(settings.nodes),
        gate_games: args.gate_games.unwrap_or(settings.gate_games),
        seed: args.seed.unwrap_or(settings.seed),
        ..settings
    })?;
    let (cancel, begun) = (cancel_on_request(), Instant::now());
    let time = args.hours.map(|hours| Duration::try_from_secs_f64(hours * 3600.0).unwrap_or(Duration::MAX));
    if let Some(time) = time {
        let cancel = cancel.clone();
        // The thread ends with the program.
        std::thread::spawn(move || {
            std::thread::sleep(time);
            cancel.cancel();
        });
    }
    match run(&mut folder, args.rounds, thread_count(args.threads), &cancel, out) {
        Ok(()) => report(&folder, out),
        Err(CommandError::Interrupted) => {
            report(&folder, out)?;
            if time.is_none_or(|time| begun.elapsed() < time) {
                return Err(CommandError::Interrupted);
            }
            note!("the time is over; the same command continues");
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// Reports where the strongest network lies and how to use it.
fn report(folder: &Folder, out: &mut impl Write) -> Result {
    let Some(best) = folder.best()? else {
        writeln!(out, "no network is stronger than the hand-made evaluation yet; {}", folder.log_path().display())?;
        return Ok(());
    };
    let origin = best.round.map_or("the first one".to_owned(), |round| format!("of round {round}"));
    let path = folder.best_path();
    writeln!(out, "strongest network: {} ({origin}); all rounds: {}", path.display(), folder.log_path().display())?;
    writeln!(out, "  play:    setoption evalfile {}", path.display())?;
    let engine = format!("name=new,option.evalfile={}", path.display());
    let engine = shlex::try_quote(&engine).unwrap_or_else(|_| engine.as_str().into());
    writeln!(out, "  measure: chuhe match --engine {engine} --engine name=old --nodes 4000 --games 400")?;
    Ok(())
}
