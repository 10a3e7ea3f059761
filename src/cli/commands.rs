//! What the commands do.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;

use super::args::{Arguments, Command};
use super::meta;
use super::perft::{check_perft_file, count_perft};
use crate::console::check::{check_file, check_judge_line};
use crate::console::error::CommandError;
use crate::console::input::network_in;
use crate::console::input::{read_game, read_position, setup};
use crate::engine::{Engine, bench};
use crate::eval;
use crate::eval::network::Network;
use crate::notation::Dialect;
use crate::notation::format::Format;
use crate::position::Strictness;
use crate::protocol::{self, Output};
use crate::rules::Rules;
use crate::tools::games::convert::Conversion;
use crate::tools::games::notation::{self, MoveNotations};
use crate::tools::games::{judge, show};
use crate::tools::{analysis, book, counting, datagen, matches, openings, tablebase, training, tuning};

/// Does what the arguments ask for.
///
/// # Errors
/// [`CommandError`] says what went wrong and which exit status tells so.
pub fn run(arguments: Arguments) -> Result<(), CommandError> {
    start_log(arguments.log.as_deref())?;
    let strictness = if arguments.lax { Strictness::Lax } else { Strictness::Strict };
    let mut out = io::stdout().lock();
    match arguments.command {
        None => {
            drop(out);
            speak(strictness)?;
        }
        Some(Command::Perft { file: Some(path), no_bulk, .. }) => {
            check_perft_file(&path, strictness, no_bulk, &mut out)?
        }
        Some(Command::Perft { depth, fen, divide, no_bulk, file: None }) => {
            let position = read_position(fen.as_deref(), strictness)?;
            count_perft(position, usize::from(depth.unwrap_or(0)), divide, no_bulk, &mut out)?;
        }
        Some(Command::Count(wanted)) => counting::count(&wanted, &mut out)?,
        Some(Command::Bench { depth, threads }) => run_bench(usize::from(depth), threads, &mut out)?,
        Some(Command::Eval { fen, evalfile }) => {
            let position = read_position(fen.as_deref(), strictness)?;
            let network = match evalfile {
                None => Network::embedded(),
                Some(path) => network_in(&path)?,
            };
            out.write_all(eval::table(&position, &network).as_bytes())?;
        }
        Some(Command::Judge { fen, moves, rules, natural_limit, json, file }) => {
            let usual = Rules::new(rules);
            let rules = Rules { move_limit: natural_limit.unwrap_or(usual.move_limit), ..usual };
            match file {
                Some(path) => check_judge_file(&path, strictness, rules, &mut out)?,
                None => judge_game(fen.as_deref(), &moves, strictness, rules, json, &mut out)?,
            }
        }
        Some(Command::Convert { input, output, notation, from, to }) => {
            let format = |name: Option<String>| name.and_then(|name| Format::from_name(&name));
            let dialect = notation.and_then(|name| Dialect::from_name(&name));
            let (from, to) = (format(from), format(to));
            Conversion { input, output, from, to, dialect, strictness }.run(&mut out)?;
        }
        Some(Command::Notation { fen, moves, json }) => write_moves(&fen, &moves, strictness, json, &mut out)?,
        Some(Command::Show(wanted)) => {
            let position = read_game(wanted.fen.as_deref(), &wanted.moves, strictness)?;
            show(&wanted, &position, out)?;
        }
        Some(Command::Datagen(wanted)) => datagen::command::datagen(&wanted, strictness, &mut out)?,
        Some(Command::Book(task)) => book::command::run(&task, strictness, &mut out)?,
        Some(Command::Tablebase(task)) => tablebase::run(&task, strictness, &mut out)?,
        Some(Command::Openings(wanted)) => openings::command::openings(&wanted, strictness, &mut out)?,
        Some(Command::Meta(command)) => meta::run(&command, &mut out)?,
        Some(Command::Match(wanted)) => matches::command::play(&wanted, strictness, &mut out)?,
        Some(Command::Analyze(wanted)) => analysis::command::analyze(&wanted, strictness, out)?,
        Some(Command::Train(wanted)) => training::command::train(&wanted, &mut out)?,
        Some(Command::Tune(wanted)) => tuning::command::tune(&wanted, strictness, out)?,
    }
    Ok(())
}

/// Sets up the log: to standard error, or to a file that is appended to. `RUST_LOG` chooses what is logged.
fn start_log(path: Option<&Path>) -> Result<(), CommandError> {
    let environment = env_logger::Env::default().default_filter_or(if path.is_some() { "debug" } else { "warn" });
    let mut builder = env_logger::Builder::from_env(environment);
    if let Some(path) = path {
        let file = File::options()
            .create(true)
            .append(true)
            .open(path)
            .map_err(|error| CommandError::File { path: path.to_owned(), error })?;
        builder.target(env_logger::Target::Pipe(Box::new(file)));
    }
    // Fails only when a log was set up before, which then stays.
    let _ = builder.try_init();
    Ok(())
}

fn speak(strictness: Strictness) -> Result<(), CommandError> {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        eprintln!("Chuhe {} speaks UCCI and UCI: type 'ucci', or see 'chuhe --help'.", env!("CARGO_PKG_VERSION"));
    }
    let mut engine = Engine::new()?;
    if strictness == Strictness::Lax {
        engine.set_option("laxfen", "true")?;
    }
    let ended = protocol::run(io::stdin(), Output::new(io::stdout()), engine);
    log::info!("the session ended: {ended:?}");
    Ok(())
}

fn run_bench(depth: usize, threads: u16, out: &mut impl Write) -> Result<(), CommandError> {
    let mut engine = bench::engine()?;
    engine.set_option("threads", &threads.to_string())?;
    let mut written = Ok(());
    let mut number = 0;
    let total = bench::bench_with(&mut engine, depth, |position, count| {
        number += 1;
        let line = writeln!(
            out,
            "{number:>3}/{} {:>10} nodes {:>8.1} ms  {position}",
            bench::POSITIONS.len(),
            count.nodes,
            count.elapsed.as_secs_f64() * 1e3
        );
        // Nobody may be reading any more.
        let goes_on = line.is_ok();
        written = line;
        if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    writeln!(out, "total nodes {}", total.nodes)?;
    writeln!(out, "time {} ms", total.elapsed.as_millis())?;
    writeln!(out, "{} nodes/s", total.nodes_per_second())?;
    Ok(())
}

fn judge_game(
    fen: Option<&str>,
    moves: &[String],
    strictness: Strictness,
    rules: Rules,
    as_json: bool,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let position = read_game(fen, moves, strictness)?;
    if as_json {
        writeln!(out, "{}", judge::json(rules, &position)?)?;
    } else {
        out.write_all(judge::text(rules, &position).as_bytes())?;
    }
    Ok(())
}

fn write_moves(
    fen: &str,
    moves: &[String],
    strictness: Strictness,
    as_json: bool,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let mut position = read_position(Some(setup(fen)), strictness)?;
    let mut played = Vec::new();
    for (index, text) in moves.iter().flat_map(|moves| moves.split_whitespace()).enumerate() {
        let ply = index + 1;
        let mv = crate::notation::read(&position, text).map_err(|error| CommandError::Notation { ply, error })?;
        played.push(MoveNotations::new(&position, ply, mv));
        position.make(mv);
    }
    let text = if as_json { notation::json(&played)? } else { notation::table(&played) };
    out.write_all(text.as_bytes())?;
    Ok(())
}

fn check_judge_file(
    path: &Path,
    strictness: Strictness,
    rules: Rules,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    check_file(path, "cases", out, |line| check_judge_line(line, strictness, rules))
}
