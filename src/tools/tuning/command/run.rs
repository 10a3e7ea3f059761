//! Runs of `tune`: evaluation weights fitted to positions, and search parameters tuned by games.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use super::{Tune, show_step};
use crate::console::error::CommandError;
use crate::console::input::read_openings;
use crate::console::progress::Progress;
use crate::eval::handcrafted::{Tapered, Terms, WEIGHTS};
use crate::position::Strictness;
use crate::rules::Rules;
use crate::search::{Parameter, Params};
use crate::tools::training::Loss;
use crate::tools::tuning::{
    AdamSettings, Games, LoadError, LoadSettings, Method, Objective as _, Positions, Regression, RegressionSettings,
    Run, Selection, Tournament, WEIGHT_COUNT, descend, fit_scale, flat_weights, load, read_provenance, read_weights,
    rounded_weights, weights_source,
};
use crate::util::atomic_file::{check_writable, write_atomically};
use crate::util::cancel::CancelFlag;
use crate::util::read_limit::read_text;

/// Maximum number of faults reported one by one; the rest are counted.
const MAX_FAULTS_REPORTED: usize = 100;
/// Maximum size of a file of weights in bytes.
const MAX_WEIGHTS_BYTES: u64 = 1 << 20;
/// Default of --passes for other methods than adam.
const DEFAULT_PASSES: u64 = 500;

/// Fits weights to the positions of the files and writes them.
pub fn fit(args: &Tune, strictness: Strictness, cancel: &CancelFlag, out: &mut impl Write) -> Result<(), CommandError> {
    let path = args.out.as_deref().unwrap_or(Path::new("weights.rs"));
    // Report an unwritable file before hours of work, not after.
    check_writable(path).map_err(|error| CommandError::File { path: path.to_owned(), error })?;
    let start = start(args.start.as_deref())?;
    let provenance = args.provenance.clone().or_else(|| read_provenance(&read_text(path, MAX_WEIGHTS_BYTES).ok()?));

    let positions = load_all(args, strictness, cancel)?;
    let (training, validation) = (&positions.training, &positions.validation);
    let of_games = if positions.games == 0 { String::new() } else { format!(" of {} games", positions.games) };
    let megabytes = (training.bytes() + validation.bytes()) as f64 / 1e6;
    writeln!(out, "{} training positions, {} held out{of_games}, {megabytes:.0} MB", training.len(), validation.len())?;
    let threads = args.threads();
    let loss = Loss::from_name(&args.loss).unwrap_or_default();
    let flat = flat_weights(&start);
    let scale = args.scale.unwrap_or_else(|| fit_scale(training, &flat, loss, threads));
    let how = if args.scale.is_some() { "as given" } else { "fitted to the start values" };
    writeln!(out, "scale {scale:.1} centipawns, {how}")?;
    out.flush()?;

    let score_scale = args.score_scale.unwrap_or(scale);
    let model = RegressionSettings { loss, scale, score_scale, result_share: args.lambda, decay: args.decay };
    let mut regression = Regression::new(training, validation, flat, model, threads);
    let begin: Vec<f64> = regression.parameters().iter().map(|parameter| parameter.start).collect();
    let before = losses(&regression, &begin);
    let method = args.method(None);
    let progress = Progress::spinner("fitting");
    let round = if method.is_some() { "round" } else { "epoch" };
    let mut on_progress = |step: &_| show_step(&progress, round, step);
    let mut run = Run::new(args.budget(method.map(|_| DEFAULT_PASSES), cancel), args.seed, &mut on_progress);
    let found = match method {
        Some(method) => method.search(&mut regression, &mut run),
        None => {
            let batch = usize::try_from(args.batch).unwrap_or(usize::MAX);
            let (rate, epochs, patience) = (args.rate, args.epochs, args.patience);
            descend(&regression, &AdamSettings { rate, batch, epochs, patience, ..AdamSettings::default() }, &mut run)
        }
    };
    let (passes, seconds) = (run.spent(), run.elapsed().as_secs_f64());
    progress.finish();

    let weights = rounded_weights(&regression.weights(&found.vector));
    let provenance = provenance
        .unwrap_or_else(|| format!("Fitted by logistic regression to the results of {} positions.", training.len()));
    write_atomically(path, weights_source(&weights, &provenance).as_bytes())
        .map_err(|error| CommandError::File { path: path.to_owned(), error })?;
    writeln!(out, "{:<8} {:>10} {:>10}", "", "training", "validation")?;
    writeln!(out, "{:<8} {before}", "before")?;
    writeln!(out, "{:<8} {}", "after", losses(&regression, &found.vector))?;
    let unseen = WEIGHT_COUNT - regression.parameters().len();
    writeln!(
        out,
        "{passes} passes in {seconds:.1} s; {unseen} of {WEIGHT_COUNT} weights occur in no position and are unchanged"
    )?;
    if cancel.is_cancelled() { Err(CommandError::Interrupted) } else { Ok(()) }
}

fn losses(regression: &Regression, vector: &[f64]) -> String {
    let text = |loss: Option<f64>| loss.map_or("-".to_owned(), |loss| format!("{loss:.6}"));
    format!("{:>10} {:>10}", text(regression.training_loss(vector)), text(regression.validation_loss(vector)))
}

/// Returns the start weights.
fn start(name: Option<&str>) -> Result<Terms<Tapered>, CommandError> {
    match name {
        None | Some("current") => Ok(WEIGHTS.clone()),
        Some("material") => Ok(Terms { material: WEIGHTS.material, ..Terms::filled(Tapered::ZERO) }),
        Some(path) => {
            let path = Path::new(path);
            let text = read_text(path, MAX_WEIGHTS_BYTES)
                .map_err(|error| CommandError::File { path: path.to_owned(), error })?;
            let fault = || "it does not hold the weights of this evaluation".to_owned();
            read_weights(&text).ok_or_else(|| CommandError::Unusable { path: path.to_owned(), fault: fault() })
        }
    }
}

/// Loads the positions of all files and reports faults.
fn load_all(args: &Tune, strictness: Strictness, cancel: &CancelFlag) -> Result<Positions, CommandError> {
    let Tune { per_game, from_ply, margin, seed, .. } = *args;
    let settings = LoadSettings {
        selection: Selection { per_game, from_ply, margin, seed },
        validation_share: args.validation / 100.0,
        strictness,
        threads: args.threads(),
        cancel: cancel.clone(),
    };
    let progress = Progress::spinner("reading");
    let mut positions = Positions::default();
    for path in &args.files {
        let mut faults = Vec::new();
        let mut count = 0;
        let found = load(path, &settings, &mut |error| {
            count += 1;
            if count <= MAX_FAULTS_REPORTED {
                faults.push(error.to_string());
            }
        });
        let found = found.map_err(|error| match error {
            LoadError::File { path, error } => CommandError::File { path, error },
            LoadError::Unknown { path } => {
                let fault = "it holds neither games nor lines of FEN, a tab and a result".to_owned();
                CommandError::Unusable { path, fault }
            }
        })?;
        if cancel.is_cancelled() {
            return Err(CommandError::Interrupted);
        }
        faults.iter().for_each(|fault| eprintln!("chuhe: {}: {fault}", path.display()));
        if count > 0 {
            let things = if found.games > 0 { "games" } else { "lines" };
            eprintln!("chuhe: {}: {count} bad {things} left out", path.display());
        }
        if found.games_without_result > 0 {
            eprintln!("chuhe: {}: {} games have no result", path.display(), found.games_without_result);
        }
        positions.append(&found);
    }
    progress.finish();
    if positions.training.is_empty() {
        let path = args.files.last().cloned().unwrap_or_default();
        let fault = match positions.validation.len() {
            0 => "there is no position with a result".to_owned(),
            _ => "all positions were held out; choose a smaller --validation".to_owned(),
        };
        return Err(CommandError::Unusable { path, fault });
    }
    Ok(positions)
}

/// Default of --passes.
const DEFAULT_MATCHES: u64 = 100;
/// Name that stands for all parameters but switches.
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
        return Ok(Params::LIST.iter().filter(|parameter| !parameter.is_switch()).collect());
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

/// Maximum size of a file of parameters in bytes.
const MAX_PARAMS_BYTES: u64 = 1 << 20;

/// Reads a file of lines `name value`.
fn read_params(path: &Path) -> Result<Params, CommandError> {
    let text =
        read_text(path, MAX_PARAMS_BYTES).map_err(|error| CommandError::File { path: path.to_owned(), error })?;
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
