//! Runs `tune` on games: search parameters.

use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::Path;

use super::{Tune, show_step};
use crate::console::error::CommandError;
use crate::console::input::read_openings;
use crate::console::progress::Progress;
use crate::position::Strictness;
use crate::rules::Rules;
use crate::search::{Parameter, Params};
use crate::tools::tuning::{Games, Method, Run, Tournament};
use crate::util::atomic_file::{check_writable, write_atomically};
use crate::util::cancel::CancelFlag;

/// Default of --passes.
const DEFAULT_MATCHES: u64 = 100;
/// Name that stands for all parameters.
const ALL: &str = "all";

/// Tunes search parameters and prints the best.
pub fn tune(
    args: &Tune,
    strictness: Strictness,
    cancel: &CancelFlag,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let Some(method) = args.method(Some(Method::Spsa)) else {
        return Err(CommandError::Mismatch(
            "adam needs a gradient, and games have none; choose another --method".to_owned(),
        ));
    };
    let parameters = parameters(&args.search_params)?;
    if let Some(path) = &args.out {
        check_writable(path).map_err(|error| CommandError::File { path: path.clone(), error })?;
    }
    let base = args.start.as_deref().map_or(Ok(Params::default()), |path| read_params(Path::new(path)))?;
    let openings =
        args.openings.as_deref().map_or(Ok(Vec::new()), |path| read_openings(path, strictness, Rules::default()))?;
    let games = Games {
        openings,
        nodes: args.nodes,
        games: usize::try_from(args.games).unwrap_or(usize::MAX),
        threads: args.threads(),
        cancel: cancel.clone(),
        ..Games::default()
    };
    let mut tournament = Tournament::new(games, base, parameters.clone());
    let progress = Progress::spinner("playing");
    let mut on_progress = |step: &_| show_step(&progress, "round", step);
    let mut run = Run::new(args.budget(Some(DEFAULT_MATCHES), cancel), args.seed, &mut on_progress);
    let found = method.search(&mut tournament, &mut run);
    let (matches, seconds) = (run.spent(), run.elapsed().as_secs_f64());
    progress.finish();
    if let Some(error) = tournament.failure() {
        return Err(error.clone().into());
    }

    let mut text = format!("# {matches} matches of {} games in {seconds:.1} s", args.games);
    if found.loss.is_finite() {
        let _ = write!(text, "; result against the start {:+.3} a game", -found.loss);
    }
    text.push('\n');
    let best = tournament.params(&found.vector);
    for (parameter, value) in Params::LIST.iter().zip(best.values()) {
        let is_tuned = parameters.iter().any(|tuned| tuned.name == parameter.name);
        if is_tuned || value != parameter.default {
            let _ = writeln!(text, "{} {value}", parameter.name);
        }
    }
    match &args.out {
        Some(path) => {
            write_atomically(path, text.as_bytes())
                .map_err(|error| CommandError::File { path: path.clone(), error })?;
        }
        None => out.write_all(text.as_bytes())?,
    }
    if cancel.is_cancelled() { Err(CommandError::Interrupted) } else { Ok(()) }
}

/// Returns the parameters with these names.
fn parameters(names: &[String]) -> Result<Vec<&'static Parameter>, CommandError> {
    if names.iter().any(|name| name == ALL) {
        return Ok(Params::LIST.iter().collect());
    }
    let mut parameters: Vec<&Parameter> = Vec::new();
    for name in names {
        let parameter = Params::parameter(name.trim()).map_err(|error| {
            let known: Vec<&str> = Params::LIST.iter().map(|parameter| parameter.name).collect();
            CommandError::Mismatch(format!("{error}; there are {}", known.join(", ")))
        })?;
        if !parameters.contains(&parameter) {
            parameters.push(parameter);
        }
    }
    Ok(parameters)
}

/// Reads a file of lines `name value`.
fn read_params(path: &Path) -> Result<Params, CommandError> {
    let text = fs::read_to_string(path).map_err(|error| CommandError::File { path: path.to_owned(), error })?;
    let mut params = Params::default();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut set = || -> Result<(), String> {
            let (name, value) = line.split_once(char::is_whitespace).ok_or("expected a name and a number")?;
            let value = value.trim().parse().map_err(|_| format!("'{}' is not a number", value.trim()))?;
            params.set(name, value).map_err(|error| error.to_string())
        };
        set().map_err(|fault| CommandError::Unusable {
            path: path.to_owned(),
            fault: format!("line {}: {fault}", index + 1),
        })?;
    }
    Ok(params)
}
