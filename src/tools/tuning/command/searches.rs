//! Numbers of the search tuned by games.

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

/// How many matches there are unless told otherwise.
const USUAL_MATCHES: u64 = 100;
/// The word for all numbers.
const ALL: &str = "all";

/// Tunes the numbers that are wanted and prints the best.
pub fn tune(
    wanted: &Tune,
    strictness: Strictness,
    interrupt: &CancelFlag,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let Some(method) = wanted.method(Some(Method::Spsa)) else {
        return Err(CommandError::Mismatch(
            "adam needs a gradient, and games have none; choose another --method".to_owned(),
        ));
    };
    let parameters = parameters(&wanted.search_params)?;
    if let Some(path) = &wanted.out {
        check_writable(path).map_err(|error| CommandError::File { path: path.clone(), error })?;
    }
    let base = wanted.start.as_deref().map_or(Ok(Params::default()), |path| read_params(Path::new(path)))?;
    let openings =
        wanted.openings.as_deref().map_or(Ok(Vec::new()), |path| read_openings(path, strictness, Rules::default()))?;
    let games = Games {
        openings,
        nodes: wanted.nodes,
        games: usize::try_from(wanted.games).unwrap_or(usize::MAX),
        threads: wanted.threads(),
        interrupt: interrupt.clone(),
        ..Games::default()
    };
    let mut tournament = Tournament::new(games, base, parameters.clone());
    let progress = Progress::spinner("playing");
    let mut listener = |step: &_| show_step(&progress, "round", step);
    let mut run = Run::new(wanted.budget(Some(USUAL_MATCHES), interrupt), wanted.seed, &mut listener);
    let found = method.search(&mut tournament, &mut run);
    let (matches, seconds) = (run.spent(), run.elapsed().as_secs_f64());
    progress.finish();
    if let Some(error) = tournament.failure() {
        return Err(error.clone().into());
    }

    let mut text = format!("# {matches} matches of {} games in {seconds:.1} s", wanted.games);
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
    match &wanted.out {
        Some(path) => {
            write_atomically(path, text.as_bytes())
                .map_err(|error| CommandError::File { path: path.clone(), error })?;
        }
        None => out.write_all(text.as_bytes())?,
    }
    if interrupt.is_cancelled() { Err(CommandError::Interrupted) } else { Ok(()) }
}

/// The numbers of these names.
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

/// The numbers that a file of lines `name value` sets.
fn read_params(path: &Path) -> Result<Params, CommandError> {
    let text = fs::read_to_string(path).map_err(|error| CommandError::File { path: path.to_owned(), error })?;
    let mut params = Params::default();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut set = || -> Result<(), String> {
            let (name, value) = line.split_once(char::is_whitespace).ok_or("a name and a number are wanted")?;
            let value = value.trim().parse().map_err(|_| format!("'{}' is no number", value.trim()))?;
            params.set(name, value).map_err(|error| error.to_string())
        };
        set().map_err(|fault| CommandError::Unusable {
            path: path.to_owned(),
            fault: format!("line {}: {fault}", index + 1),
        })?;
    }
    Ok(params)
}
