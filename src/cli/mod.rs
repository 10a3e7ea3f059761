//! List of commands and their dispatch.

mod beside;
mod help;
mod meta;
mod small;

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write as _};
use std::path::{Path, PathBuf};

use beside::BesideBoard;
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::analysis::command::{self as analysis, Analyze};
use crate::commands::book::command::{self as book, BookTask};
use crate::commands::counting::{self, Count};
use crate::commands::games::convert::{self, Conversion};
use crate::commands::games::{self, Show, show};
use crate::commands::matches::command::{self as matches, MatchArgs};
use crate::commands::mate::{self, Mate};
use crate::commands::tablebase::{self, TablebaseTask};
#[cfg(feature = "web")]
use crate::commands::web::command::{self as web, WebArgs};
use crate::console::chinese::{Language, Terminal};
use crate::console::{CommandError, Result, note, read_game, write_line};
use crate::engine::Engine;
#[cfg(feature = "lab")]
use crate::lab::{
    datagen::command::{self as datagen, Datagen},
    openings::command::{self as openings, Openings},
    selfplay::command::{self as selfplay, SelfplayTrain},
    training::command::{self as training, Train},
    tuning::command::{self as tuning, Tune},
};
use crate::position::Strictness;
use crate::protocol::{self, Output, option_help};

/// Chuhe, a Xiangqi engine. Without a command it speaks UCCI and UCI on standard input and output.
#[derive(Parser, Debug)]
#[command(name = "chuhe", version, about, after_help = EXAMPLES, after_long_help = examples_and_options())]
pub struct Arguments {
    /// Write the log to this file instead of standard error.
    #[arg(long, global = true, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Accept positions with extra pieces and doubled uncrossed pawns (composed problems).
    #[arg(long, global = true)]
    pub lax: bool,
    /// Write reports, messages and this help in Chinese; moves too, unless --notation names another notation.
    #[arg(long, global = true)]
    pub chinese: bool,
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  chuhe                                 speak UCCI or UCI with a client
  chuhe web                             play and analyse in the browser
  printf 'ucci\\nsetoption batch true\\nposition startpos\\ngo depth 10\\nquit\\n' | chuhe
  chuhe convert game.xqf game.pgn
  chuhe analyze game.pgn --report game.html
  chuhe match --engine name=A --engine name=B,cmd=./other --tc 1+0.01 --games 200
  RUST_LOG=debug chuhe --log chuhe.log  speak UCCI and log all lines

Exit status: 0 success, 1 failure, 2 wrong arguments, 3 invalid position or move in an argument,
130 interrupted (web: 0).";

/// Names of the commands that only a program with the laboratory has.
const LAB_COMMANDS: [&str; 5] = ["datagen", "openings", "train", "tune", "selfplay-train"];

fn examples_and_options() -> String {
    let options: String = option_help().iter().map(|(heading, _)| format!("\n  {heading}")).collect();
    format!("{EXAMPLES}\n\nOptions of the engine, set with 'setoption' (docs/options.md describes them):{options}")
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Count the leaf nodes of all legal move sequences.
    #[command(after_help = small::PERFT_HELP)]
    Perft(small::PerftArgs),
    /// Count all positions of Xiangqi or those with certain pieces.
    #[command(after_help = counting::HELP)]
    Count(Count),
    /// Search a fixed set of positions; the node count identifies the search.
    #[command(after_help = small::BENCH_HELP)]
    Bench(small::BenchArgs),
    /// Show the static evaluation of a position term by term.
    #[command(after_help = small::EVAL_HELP)]
    Eval(small::EvalArgs),
    /// Judge a game: repetition, perpetual check and chase, natural move limit, dead draws, mate.
    #[command(after_help = small::JUDGE_HELP)]
    Judge(small::JudgeArgs),
    /// Convert a file of games to another format or notation.
    #[command(after_help = convert::HELP)]
    Convert(Conversion),
    /// Write the moves of a game in every notation.
    #[command(after_help = small::NOTATION_HELP)]
    Notation(small::NotationArgs),
    /// Show a position as a board in the terminal.
    #[command(after_help = games::HELP)]
    Show(Show),
    /// Analyze a position, a game or a suite of problems.
    #[command(after_help = analysis::HELP)]
    Analyze(Analyze),
    /// Prove or refute a mate within a number of moves.
    #[command(after_help = mate::HELP)]
    Mate(Mate),
    /// Play games between engines and measure their strength.
    #[command(after_help = matches::HELP)]
    Match(MatchArgs),
    /// Build opening books and show their contents.
    #[command(subcommand, after_help = book::HELP)]
    Book(BookTask),
    /// Solve small endings exactly and show their tables.
    #[command(subcommand, after_help = tablebase::HELP)]
    Tablebase(TablebaseTask),
    /// Open a board in the browser: play, analyse, go through games.
    #[cfg(feature = "web")]
    #[command(after_help = web::HELP)]
    Web(WebArgs),
    /// Commands of the laboratory.
    #[cfg(feature = "lab")]
    #[command(flatten)]
    Lab(LabCommand),
    /// Commands about the program itself.
    #[command(flatten)]
    Meta(meta::MetaCommand),
}

/// Commands for engine makers.
#[cfg(feature = "lab")]
#[derive(Subcommand, Debug)]
pub enum LabCommand {
    /// Play games of the engine against itself and store them with its scores.
    #[command(after_help = datagen::HELP)]
    Datagen(Datagen),
    /// Select openings for matches, or check those of a file.
    #[command(after_help = openings::HELP)]
    Openings(Openings),
    /// Fit evaluation weights to positions, or search parameters by games.
    #[command(after_help = tuning::HELP)]
    Tune(Box<Tune>),
    /// Train the evaluation network on games of self-play.
    #[command(after_help = training::HELP)]
    Train(Box<Train>),
    /// Make rounds of self-play and training: from nothing, or from a network, to a stronger one.
    #[command(after_help = selfplay::HELP)]
    SelfplayTrain(SelfplayTrain),
}

/// Reads the arguments of the process. Prints help or the error and ends the process where they ask for no command.
pub fn parse() -> Arguments {
    let is_about_lab = std::env::args_os().any(|word| LAB_COMMANDS.iter().any(|name| word == *name));
    let is_chinese = Language::of_user() == Language::Chinese && !is_about_lab;
    // The width 0 keeps each text in one line.
    let mut command = Arguments::command();
    // A session has no arguments and shows no help; it starts sooner without this.
    if std::env::args_os().len() > 1 {
        command = help::with_paragraphs(command);
    }
    let command = if is_chinese { command.term_width(0) } else { command };
    let parsed = command.try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| {
        let Some(name) = command_without_lab(&error) else {
            if !is_chinese {
                error.exit();
            }
            let text = help::translated(&error.render().to_string());
            // The reader of the output may have gone.
            let _ = if error.use_stderr() { write!(io::stderr(), "{text}") } else { write!(io::stdout(), "{text}") };
            std::process::exit(error.exit_code())
        };
        note!("'{name}' belongs to the laboratory; 'cargo build --release --features lab' builds it");
        std::process::exit(2)
    })
}

/// The command of the laboratory that an error of the arguments does not know: the program was built without it.
fn command_without_lab(error: &clap::Error) -> Option<&'static str> {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    LAB_COMMANDS.into_iter().find(|name| name == unknown)
}

/// Runs the command of the arguments, or a session in UCCI and UCI without one.
pub fn run(arguments: Arguments) -> Result {
    start_log(arguments.log.as_deref())?;
    let strictness = if arguments.lax { Strictness::Lax } else { Strictness::Strict };
    let Some(command) = arguments.command else { return run_session(strictness) };
    let mut out = Terminal::new(is_for_people(&command));
    match command {
        Command::Perft(args) => small::run_perft(args, strictness, &mut out),
        Command::Count(args) => counting::count(&args, &mut out),
        Command::Bench(args) => small::run_bench(&args, &mut out),
        Command::Eval(args) => small::run_eval(&args, strictness, &mut out),
        Command::Judge(args) => small::judge(&args, strictness, &mut out),
        Command::Convert(conversion) => conversion.run(strictness, &mut out),
        Command::Notation(args) => small::notation(&args, strictness, &mut out),
        Command::Show(args) => {
            let position = read_game(args.fen.as_deref(), &args.moves, strictness)?;
            show(&args, &position, io::stdout())
        }
        Command::Analyze(args) => analysis::analyze(&args, strictness, out),
        Command::Mate(args) => mate::mate(&args, strictness, &mut out),
        Command::Match(args) => matches::play(&args, strictness, &mut out),
        Command::Book(task) => book::run(&task, strictness, &mut out),
        Command::Tablebase(task) => tablebase::run(&task, strictness, &mut out),
        #[cfg(feature = "web")]
        Command::Web(args) => web::run(&args, strictness, &mut out),
        #[cfg(feature = "lab")]
        Command::Lab(command) => match command {
            LabCommand::Datagen(args) => datagen::datagen(&args, strictness, &mut out),
            LabCommand::Openings(args) => openings::openings(&args, strictness, &mut out),
            LabCommand::Tune(args) => tuning::tune(&args, strictness, &mut out),
            LabCommand::Train(args) => training::train(&args, &mut out),
            LabCommand::SelfplayTrain(args) => selfplay::selfplay_train(&args, &mut out),
        },
        Command::Meta(command) => meta::run(&command, &mut out),
    }
}

/// Returns whether a command writes a report, which people read in their language; the others write data for programs.
fn is_for_people(command: &Command) -> bool {
    match command {
        Command::Book(task) => !matches!(task, BookTask::Export { .. }),
        Command::Tablebase(task) => !matches!(task, TablebaseTask::Export { .. }),
        Command::Analyze(args) => !args.writes_games(),
        Command::Bench(_) | Command::Count(_) | Command::Eval(_) | Command::Judge(_) | Command::Mate(_) => true,
        Command::Match(_) | Command::Meta(meta::MetaCommand::SelfTest) => true,
        _ => false,
    }
}

/// Starts the log: to standard error, or appended to a file. `RUST_LOG` sets the level.
fn start_log(path: Option<&Path>) -> Result {
    let environment = env_logger::Env::default().default_filter_or(if path.is_some() { "debug" } else { "warn" });
    let mut builder = env_logger::Builder::from_env(environment);
    if let Some(path) = path {
        let file = File::options().create(true).append(true).open(path).map_err(CommandError::in_file(path))?;
        builder.target(env_logger::Target::Pipe(Box::new(file)));
    }
    // Fails only if a log was started before; that one stays.
    let _ = builder.try_init();
    Ok(())
}

fn run_session(strictness: Strictness) -> Result {
    let mut engine = Engine::new()?;
    engine.configure(|options| options.strictness = strictness)?;
    let is_for_person = io::stdin().is_terminal() && io::stdout().is_terminal();
    let input: Box<dyn Read + Send> =
        if is_for_person { welcome(strictness == Strictness::Lax) } else { Box::new(io::stdin()) };
    let ended = protocol::run(input, Output::new(io::stdout()), engine);
    log::info!("the session ended: {ended:?}");
    Ok(())
}

/// Tells a person who started the program without arguments what it is, opens the board and returns the session's
/// input.
fn welcome(is_lax: bool) -> Box<dyn Read + Send> {
    let version = env!("CARGO_PKG_VERSION");
    if cfg!(feature = "web") {
        write_line(format_args!(
            "Chuhe {version}, a Xiangqi engine: play and analyse in the browser, at this address."
        ));
        write_line(format_args!(
            "Commands of UCCI and UCI work here; the first one closes the board. 'quit' ends, 'chuhe --help' has more."
        ));
        match BesideBoard::open(io::stdin(), is_lax) {
            Ok(input) => return Box::new(input),
            Err(error) => note!("the board could not be opened: {error}"),
        }
    } else {
        write_line(format_args!("Chuhe {version} speaks UCCI and UCI: type 'ucci', or see 'chuhe --help'."));
    }
    Box::new(io::stdin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_of_the_laboratory_are_named_as_missing() {
        let unknown = |name: &str| {
            let parser = clap::Command::new("chuhe").subcommand(clap::Command::new("web"));
            command_without_lab(&parser.try_get_matches_from(["chuhe", name]).unwrap_err())
        };
        assert_eq!(LAB_COMMANDS.map(unknown), LAB_COMMANDS.map(Some));
        assert_eq!(["wep", "--help"].map(unknown), [None; 2]);
    }
}
