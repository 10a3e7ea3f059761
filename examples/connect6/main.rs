//! Connect6 (六子棋), the game of the thesis of Li (2010), with its methods: the 924 lines of the board, values of empty
//! points, shape vectors, the situation factor, names of openings, and tuning by particle swarm optimization and genetic
//! algorithms, which are those of Chuhe's laboratory.
//!
//! ```sh
//! cargo run --release --features lab --example connect6            # a game against itself
//! cargo run --release --features lab --example connect6 -- --help
//! ```

mod board;
mod evaluation;
mod experiments;
mod opening;
mod protocol;
mod search;
mod terminal;
mod threats;

use std::io::{self, IsTerminal as _, Write};
use std::process::ExitCode;

use chuhe::commands::matches::statistics::Sprt;
use chuhe::lab::tuning::Method;
use chuhe::util::math::StableRandom;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};

use board::Point;
use experiments::{Contender, Match, tune};
use opening::{opening_of, random_stones};

/// Player of the protocol where none is given.
const PROTOCOL_PLAYER: &str = "values=swarm,depth=5,threats=20000";

/// Connect6 by the methods of Li (2010).
///
/// Without a command it speaks the protocol of the Chinese student championships on standard input, or plays a game
/// against itself where the input is a terminal or empty. A player is described by keys, such as
/// values=tuned,leaf=sum,second=on,depth=3,threats=2000 or name=other,cmd=./other.
#[derive(Parser)]
#[command(name = "connect6")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Task>,
}

#[derive(Subcommand)]
enum Task {
    /// Play a game in the terminal.
    Play {
        /// Settings of Black.
        #[arg(long, default_value = "")]
        black: Contender,
        /// Settings of White.
        #[arg(long, default_value = "values=tuned")]
        white: Contender,
        /// Seed of the five random stones of the opening; 0 begins with the empty board.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Speak the protocol of the championships.
    Protocol {
        /// Settings of the player.
        #[arg(long, default_value = PROTOCOL_PLAYER)]
        player: Contender,
    },
    /// Play a match between two players.
    Match {
        #[arg(long, default_value = "name=tuned,values=tuned")]
        first: Contender,
        #[arg(long, default_value = "name=untuned,values=untuned")]
        second: Contender,
        /// Number of games, in pairs with colours reversed.
        #[arg(long, default_value_t = 400)]
        games: u64,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// End by a sequential test, such as elo0=0,elo1=10.
        #[arg(long)]
        sprt: Option<Sprt>,
    },
    /// Tune the values of empty points by games.
    Tune {
        /// Method of `chuhe tune`.
        #[arg(long, default_value = "swarm-tournament", value_parser = methods())]
        method: Method,
        /// Settings of the players; their values are the start.
        #[arg(long, default_value = "depth=1,threats=0")]
        player: Contender,
        /// Games in which two vectors of values are compared.
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=10_000))]
        games: u64,
        /// Number of comparisons.
        #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..))]
        budget: u64,
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Print the name of the opening of a game, such as J10 K11 I9.
    Name {
        #[arg(required = true)]
        stones: Vec<Point>,
    },
}

/// Parser of the names of methods.
fn methods() -> impl TypedValueParser<Value = Method> {
    let names = PossibleValuesParser::new(Method::NAMED.map(|(name, _)| name));
    names.try_map(|name| {
        Method::NAMED.into_iter().find(|(known, _)| *known == name).map(|(_, method)| method).ok_or(name)
    })
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The reader of the errors may have gone.
            let _ = writeln!(io::stderr(), "connect6: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a command.
fn run(arguments: Arguments) -> Result<(), String> {
    let mut output = io::stdout();
    let done = match arguments.command {
        // Nothing is asked where the input is a terminal or empty.
        None if io::stdin().is_terminal() => play(["".parse()?, "values=tuned".parse()?], 1),
        None => match protocol::run(PROTOCOL_PLAYER.parse::<Contender>()?.settings, io::stdin().lock(), output) {
            Ok(false) => play(["".parse()?, "values=tuned".parse()?], 1),
            done => done.map(drop),
        },
        Some(Task::Play { black, white, seed }) => play([black, white], seed),
        Some(Task::Protocol { player }) => protocol::run(player.settings, io::stdin().lock(), output).map(drop),
        Some(Task::Match { first, second, games, seed, sprt }) => {
            play_match(&Match { contenders: [first, second], games, seed, sprt }, output)?
        }
        Some(Task::Tune { method, player, games, budget, seed }) => {
            let games = Match { contenders: [player.clone(), player], games, seed, sprt: None };
            let values = tune(method, games, budget, |progress, values| {
                // The run goes on without a reader.
                let _ = writeln!(io::stdout(), "{} matches: values={values}", progress.spent);
            });
            writeln!(output, "values={values}")
        }
        Some(Task::Name { stones }) => {
            let opening = opening_of(stones).ok_or("an opening is a stone on J10 and two of White")?;
            writeln!(output, "{opening}: {} {} {}", Point::CENTRE, opening.first, opening.second)
        }
    };
    // An output whose reader has gone ends the program without an error.
    done.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error.to_string()) })
}

fn play(contenders: [Contender; 2], seed: u64) -> io::Result<()> {
    let stones = random_stones(&mut StableRandom::new(seed, 0));
    let opening = if seed == 0 { &[] } else { &stones[..] };
    terminal::play(contenders.map(|contender| contender.settings), opening, io::stdout())
}

fn play_match(games: &Match, mut output: impl Write) -> Result<io::Result<()>, String> {
    let [first, second] = &games.contenders;
    let title = format!("{} against {}, seed {}", first.name, second.name, games.seed);
    let mut written = writeln!(output, "{title}");
    let standing = games.play(|standing| {
        if written.is_ok() && standing.games() % 100 == 0 && standing.games() < games.games {
            written = writeln!(output, "{standing}\n");
        }
    })?;
    let test = games.sprt.map(|sprt| (sprt, sprt.log_likelihood_ratio(&standing.pairs)));
    let test =
        test.map(|(sprt, ratio)| format!("\n{sprt}: {ratio:.2}, {}", sprt.decision(ratio).unwrap_or("undecided")));
    Ok(written.and_then(|()| writeln!(output, "{standing}{}", test.unwrap_or_default())))
}
