//! Runs of `tune`: evaluation weights fitted to positions, and search parameters tuned by games or moves.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{ChosenMethod, Tune, show_step};
use crate::commands::matches::{built_in_openings, shuffled};
use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::input::read_openings;
use crate::console::note;
use crate::console::output::refuse_replacing;
use crate::console::progress::Progress;
use crate::eval::handcrafted::{Tapered, Terms, WEIGHTS};
use crate::lab::training::Loss;
use crate::lab::tuning::search_space::SearchSpace;
use crate::lab::tuning::{
    AdamSettings, Choices, Effect, Games, GroupLoss, LoadError, Method, MoveAgreement, Objective, OnFault, PlayedMoves,
    Positions, Regression, RegressionSettings, Run, Solution, Tournament, Tuned, WEIGHT_COUNT, descend, fit_scale,
    flat_weights, load, load_played_moves, losses_without_groups, measure_effects, read_provenance, read_weights,
    rounded_weights, weights_source,
};
use crate::position::Strictness;
use crate::rules::Rules;
use crate::search::{Parameter, ParameterError, Params};
use crate::util::atomic_file::{check_writable, write_atomically};
use crate::util::cancel::CancelFlag;
use crate::util::read_limit::read_text;

/// Maximum number of faults reported one by one; the rest are counted.
const MAX_FAULTS_REPORTED: usize = 100;
/// Maximum size of a file of weights in bytes.
const MAX_WEIGHTS_BYTES: u64 = 1 << 20;
/// Time between two writes of the parameters so far.
const POINT_PERIOD: Duration = Duration::from_secs(60);
/// Default of --passes for other methods than adam.
const DEFAULT_PASSES: u64 = 500;

/// Fits weights to the positions of the files and writes them.
pub fn fit(args: &Tune, strictness: Strictness, cancel: &CancelFlag, out: &mut impl Write) -> Result<(), CommandError> {
    let method = match args.method(ChosenMethod::Adam) {
        ChosenMethod::Adam => None,
        ChosenMethod::DerivativeFree(method) => Some(method),
        ChosenMethod::Design => {
            return Err(CommandError::Mismatch(
                "design measures search parameters; for evaluation weights use --leave-out or another --method"
                    .to_owned(),
            ));
        }
    };
    let path = args.out.as_deref().unwrap_or(Path::new("weights.rs"));
    // Report an unwritable file before hours of work, not after.
    refuse_replacing("--out", path, args.files.iter().map(PathBuf::as_path))?;
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

/// Prints the loss of the start weights without each group of terms, on all positions of the files.
pub fn leave_out(
    args: &Tune,
    strictness: Strictness,
    cancel: &CancelFlag,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let start = start(args.start.as_deref())?;
    let positions = load_all(args, strictness, cancel)?.training;
    let loss = Loss::from_name(&args.loss).unwrap_or_default();
    let (whole, rows) = losses_without_groups(&positions, &start, loss, args.threads());
    writeln!(out, "{} positions", positions.len())?;
    writeln!(out, "{:<24} {:>10} {:>10} {:>10}", "group", "without", "worse by", "alone")?;
    writeln!(out, "{:<24} {:>10} {:>10} {whole:>10.6}", "all", "", "")?;
    for GroupLoss { groups, without, alone } in rows {
        writeln!(out, "{:<24} {without:>10.6} {:>10.6} {alone:>10.6}", groups.join(", "), without - whole)?;
    }
    Ok(())
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
    let settings = args.load_settings(strictness, cancel);
    let progress = Progress::spinner("reading");
    let mut positions = Positions::default();
    for path in &args.files {
        let things = |found: &Positions| if found.games > 0 { "games" } else { "lines" };
        let found = load_file(path, |on_fault| load(path, &settings, on_fault), things, cancel)?;
        if found.games_without_result > 0 {
            note!("{}: {} without a result", path.display(), counted(found.games_without_result as u64, "game"));
        }
        positions.append(&found);
    }
    progress.finish();
    if positions.training.is_empty() {
        let path = args.files.last().cloned().unwrap_or_default();
        let fault = match positions.validation.len() {
            0 => "there is no quiet position with a result after the first plies (--from-ply)".to_owned(),
            _ => "all positions were held out; choose a smaller --validation".to_owned(),
        };
        return Err(CommandError::Unusable { path, fault });
    }
    Ok(positions)
}

/// Loads a file by `load` and reports its faults; `things` names what was left out.
fn load_file<T>(
    path: &Path,
    load: impl FnOnce(&mut OnFault) -> Result<T, LoadError>,
    things: impl FnOnce(&T) -> &'static str,
    cancel: &CancelFlag,
) -> Result<T, CommandError> {
    let mut faults = Vec::new();
    let mut count = 0;
    let found = load(&mut |error| {
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
        LoadError::NoGames { path } => {
            CommandError::Unusable { path, fault: "it holds no games of players".to_owned() }
        }
    })?;
    if cancel.is_cancelled() {
        return Err(CommandError::Interrupted);
    }
    faults.iter().for_each(|fault| note!("{}: {fault}", path.display()));
    if count > 0 {
        note!("{}: {count} bad {} left out", path.display(), things(&found));
    }
    Ok(found)
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
    let tuned = tuned(&args.search_params)?;
    let base = args.start.as_deref().map_or(Ok(Params::default()), |path| read_params(Path::new(path)))?;
    if let Some(idle) = tuned.iter().find(|tuned| !tuned.has_effect(&base)) {
        return Err(CommandError::Mismatch(format!(
            "a step changes nothing of the group '{}', whose members are 0 or small; name them one by one",
            idle.name()
        )));
    }
    if let Some(path) = &args.out {
        refuse_replacing("--out", path, args.files.iter().chain(&args.openings).map(PathBuf::as_path))?;
        check_writable(path).map_err(|error| CommandError::File { path: path.clone(), error })?;
    }
    let has_files = !args.files.is_empty();
    let found = match args.method(ChosenMethod::DerivativeFree(Method::Spsa)) {
        ChosenMethod::DerivativeFree(method) if has_files => {
            tune_by_moves(args, method, base, tuned.clone(), strictness, cancel)?
        }
        ChosenMethod::DerivativeFree(method) => {
            tune_by_games(args, method, tournament(args, base, tuned.clone(), strictness, cancel)?, cancel)?
        }
        ChosenMethod::Design if has_files => {
            return Err(CommandError::Mismatch(
                "design measures by games of its own; leave out the files or choose another --method".to_owned(),
            ));
        }
        ChosenMethod::Design => {
            measure_by_games(args, tournament(args, base, tuned.clone(), strictness, cancel)?, cancel)?
        }
        ChosenMethod::Adam => {
            return Err(CommandError::Mismatch(
                "adam needs a gradient, which search parameters lack; choose another --method".to_owned(),
            ));
        }
    };
    let text = found.text(&tuned);
    match &args.out {
        Some(path) => {
            write_atomically(path, text.as_bytes())
                .map_err(|error| CommandError::File { path: path.clone(), error })?;
        }
        // Ctrl-C may have ended the reader of a pipe too. Hours of games are not lost with it.
        None => out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| {
            let _ = io::stderr().write_all(text.as_bytes());
            CommandError::Lost(format!("the parameters above could not be printed: {error}"))
        })?,
    }
    if cancel.is_cancelled() { Err(CommandError::Interrupted) } else { Ok(()) }
}

/// Search parameters that a tuning found.
struct Found {
    params: Params,
    /// The effort and the result in a line.
    summary: String,
    /// Effects of the parameters, the largest first, if they were measured.
    effects: Vec<Effect>,
}

impl Found {
    /// Returns the parameters as lines that `--start` reads: those that were tuned, and all that are not at their
    /// default.
    fn text(&self, tuned: &[Tuned]) -> String {
        let mut text = format!("# {}\n", self.summary);
        if !self.effects.is_empty() {
            text +=
                "# parameter, low and high value, result of the high one against the low one a game, standard error\n";
        }
        for Effect { name, low, high, gain, error } in &self.effects {
            let _ = writeln!(text, "# {name} {low} {high} {gain:+.4} {error:.4}");
        }
        for (parameter, value) in Params::LIST.iter().zip(self.params.values()) {
            let is_tuned = tuned.iter().flat_map(Tuned::parameters).any(|tuned| tuned.name == parameter.name);
            if is_tuned || value != parameter.default {
                let _ = writeln!(text, "{} {value}", parameter.name);
            }
        }
        text
    }
}

/// Writes the parameters found so far to `--out`, now and then, so that no end of the program loses them all.
struct PointWriter<'a> {
    path: Option<&'a Path>,
    space: SearchSpace,
    /// Time of the last write.
    written: Option<Instant>,
}

impl PointWriter<'_> {
    fn on_point(&mut self, vector: &[f64]) {
        let is_due = self.written.is_none_or(|written| written.elapsed() >= POINT_PERIOD);
        let Some(path) = self.path.filter(|_| is_due) else { return };
        self.written = Some(Instant::now());
        let summary = "unfinished: the parameters so far".to_owned();
        let found = Found { params: self.space.params(vector), summary, effects: Vec::new() };
        if let Err(error) = write_atomically(path, found.text(self.space.tuned()).as_bytes()) {
            log::warn!("{}: {error}", path.display());
        }
    }
}

/// Returns the objective of games over these parameters.
fn tournament(
    args: &Tune,
    base: Params,
    tuned: Vec<Tuned>,
    strictness: Strictness,
    cancel: &CancelFlag,
) -> Result<Tournament, CommandError> {
    let openings = match &args.openings {
        Some(path) => read_openings(path, strictness, Rules::default())?,
        None => {
            let all = built_in_openings();
            shuffled(all.len(), args.seed).into_iter().map(|index| all[index].clone()).collect()
        }
    };
    let games = args.games_per_match();
    let games = Games {
        openings,
        nodes: args.nodes,
        games,
        threads: args.threads(),
        cancel: cancel.clone(),
        ..Games::default()
    };
    Ok(Tournament::new(games, base, tuned))
}

/// Measures the effects of search parameters by games and takes the better values.
fn measure_by_games(args: &Tune, mut tournament: Tournament, cancel: &CancelFlag) -> Result<Found, CommandError> {
    let (mut effects, matches, seconds) =
        run_with_progress(args, "playing", cancel, &mut |_| {}, |run| measure_effects(&mut tournament, run));
    if let Some(error) = tournament.failure() {
        return Err(error.clone().into());
    }
    tell_repeats(&tournament);
    let better = effects.iter().zip(tournament.parameters());
    let vector: Vec<f64> = better.map(|(effect, parameter)| effect.better_value().unwrap_or(parameter.start)).collect();
    let changed =
        vector.iter().zip(tournament.parameters()).filter(|(value, parameter)| **value != parameter.start).count();
    let summary = format!(
        "{matches} matches of {} games in {seconds:.1} s; {changed} of {} parameters changed",
        args.games_per_match(),
        effects.len()
    );
    effects.sort_by(|one, other| other.gain.total_cmp(&one.gain));
    Ok(Found { params: tournament.params(&vector), summary, effects })
}

/// Tells if openings were used more than once, since games are the same then.
fn tell_repeats(tournament: &Tournament) {
    let (pairs, openings) = (tournament.pairs(), tournament.openings());
    if pairs > openings {
        let (pairs, openings) = (counted(pairs as u64, "pair"), counted(openings as u64, "opening"));
        note!("{pairs} of games used {openings}: some games were the same");
    }
}

/// Tunes search parameters by games.
fn tune_by_games(
    args: &Tune,
    method: Method,
    mut tournament: Tournament,
    cancel: &CancelFlag,
) -> Result<Found, CommandError> {
    let space = tournament.space().clone();
    let (found, matches, seconds) = minimize(args, method, (&mut tournament, space), "playing", cancel);
    if let Some(error) = tournament.failure() {
        return Err(error.clone().into());
    }
    tell_repeats(&tournament);
    let mut summary = format!("{matches} matches of {} games in {seconds:.1} s", args.games_per_match());
    if found.loss.is_finite() {
        let _ = write!(summary, "; result against the start {:+.3} a game", -found.loss);
    }
    Ok(Found { params: tournament.params(&found.vector), summary, effects: Vec::new() })
}

/// Tunes search parameters by the moves of the games in the files.
fn tune_by_moves(
    args: &Tune,
    method: Method,
    base: Params,
    tuned: Vec<Tuned>,
    strictness: Strictness,
    cancel: &CancelFlag,
) -> Result<Found, CommandError> {
    let settings = args.load_settings(strictness, cancel);
    let progress = Progress::spinner("reading");
    let mut moves = PlayedMoves::default();
    for path in &args.files {
        moves.append(load_file(path, |on_fault| load_played_moves(path, &settings, on_fault), |_| "games", cancel)?);
    }
    progress.finish();
    if moves.training.is_empty() {
        let path = args.files.last().cloned().unwrap_or_default();
        let fault = "no move is left to be found; choose a smaller --from-ply or --validation".to_owned();
        return Err(CommandError::Unusable { path, fault });
    }
    let counts = (moves.training.len(), moves.validation.len());
    let choices = Choices {
        training: moves.training,
        validation: moves.validation,
        nodes: args.nodes,
        threads: args.threads(),
        cancel: cancel.clone(),
    };
    let mut agreement = MoveAgreement::new(choices, base, tuned);
    let progress = Progress::spinner("searching at the start");
    let start: Vec<f64> = agreement.parameters().iter().map(|parameter| parameter.start).collect();
    let validation_before = agreement.validation(&start);
    let before = agreement.loss(&start);
    progress.finish();
    let space = agreement.space().clone();
    let (found, passes, seconds) = minimize(args, method, (&mut agreement, space), "searching", cancel);
    let validation_after = agreement.validation(&found.vector);
    if let Some(error) = agreement.failure() {
        return Err(error.clone().into());
    }
    let share = |loss: Option<f64>| {
        loss.filter(|loss| loss.is_finite()).map_or("-".to_owned(), |loss| format!("{:.2} %", 100.0 * (1.0 - loss)))
    };
    let summary = format!(
        "{passes} passes in {seconds:.1} s; moves found, at the start and now: {} and {} of {}, {} and {} of {} held out",
        share(before),
        share(Some(found.loss)),
        counts.0,
        share(validation_before),
        share(validation_after),
        counts.1,
    );
    Ok(Found { params: agreement.params(&found.vector), summary, effects: Vec::new() })
}

/// Minimizes an objective over search parameters. Returns the solution, the passes and the seconds.
fn minimize(
    args: &Tune,
    method: Method,
    (objective, space): (&mut dyn Objective, SearchSpace),
    activity: &'static str,
    cancel: &CancelFlag,
) -> (Solution, u64, f64) {
    let mut writer = PointWriter { path: args.out.as_deref(), space, written: None };
    run_with_progress(args, activity, cancel, &mut |vector| writer.on_point(vector), |run| {
        method.search(objective, run)
    })
}

/// Calls `work` with the budget of the arguments and shows its progress. Returns its result, the passes and the
/// seconds.
fn run_with_progress<T>(
    args: &Tune,
    activity: &'static str,
    cancel: &CancelFlag,
    on_point: &mut dyn FnMut(&[f64]),
    work: impl FnOnce(&mut Run) -> T,
) -> (T, u64, f64) {
    let progress = Progress::spinner(activity);
    let mut on_progress = |step: &_| show_step(&progress, "round", step);
    let budget = args.budget(Some(DEFAULT_MATCHES), cancel);
    let mut run = Run::new(budget, args.seed, &mut on_progress).with_points(on_point);
    let result = work(&mut run);
    let (passes, seconds) = (run.spent(), run.elapsed().as_secs_f64());
    progress.finish();
    (result, passes, seconds)
}

/// Returns what these names tune: parameters, and groups of them joined by `+`; `all` stands for those not named
/// besides.
fn tuned(names: &[String]) -> Result<Vec<Tuned>, CommandError> {
    let mut seen: Vec<&str> = Vec::new();
    let mut tuned: Vec<Tuned> = Vec::new();
    for name in names.iter().filter(|name| name.trim() != ALL) {
        let mut group = Vec::new();
        for member in name.split('+') {
            let member = member.trim();
            let parameter = Params::parameter(member).map_err(|error| {
                let distance = |known: &&Parameter| strsim::levenshtein(known.name, member);
                let closest =
                    Params::LIST.iter().min_by_key(distance).filter(|known| 3 * distance(known) <= member.len());
                let closest = closest.map_or_else(String::new, |known| format!("; closest: '{}'", known.name));
                CommandError::Mismatch(format!("{error}{closest}; src/search/params.rs lists all"))
            })?;
            if seen.contains(&parameter.name) {
                return Err(CommandError::Mismatch(format!("--search-params names '{}' twice", parameter.name)));
            }
            seen.push(parameter.name);
            group.push(parameter);
        }
        tuned.push(Tuned::new(group));
    }
    if names.iter().any(|name| name.trim() == ALL) {
        let others = |parameter: &&Parameter| !parameter.is_switch() && !seen.contains(&parameter.name);
        tuned.extend(Params::LIST.iter().filter(others).map(Tuned::from));
    }
    Ok(tuned)
}

/// Maximum size of a file of parameters in bytes.
const MAX_PARAMS_BYTES: u64 = 1 << 20;

/// Reads a file of lines `name value`.
fn read_params(path: &Path) -> Result<Params, CommandError> {
    let text =
        read_text(path, MAX_PARAMS_BYTES).map_err(|error| CommandError::File { path: path.to_owned(), error })?;
    let mut params = Params::default();
    let mut named = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut set = || -> Result<(), String> {
            let (name, value) = line.split_once(char::is_whitespace).ok_or("expected a name and a number")?;
            let value = value.trim().parse().map_err(|_| format!("'{}' is not a number", value.trim()))?;
            if named.contains(&name) {
                return Err(ParameterError::Repeated(name.to_owned()).to_string());
            }
            named.push(name);
            params.set(name, value).map_err(|error| error.to_string())
        };
        set().map_err(|fault| CommandError::Unusable {
            path: path.to_owned(),
            fault: format!("line {}: {fault}", index + 1),
        })?;
    }
    Ok(params)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<String>, String> {
        let words: Vec<String> = text.split(',').map(str::to_owned).collect();
        tuned(&words).map(|tuned| tuned.iter().map(Tuned::name).collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn all_stands_for_the_parameters_that_are_not_named_besides() {
        let all = names("all").unwrap();
        assert!(all.len() > 50 && !all.contains(&"use_null_move".to_owned()));
        let with_switch = names("all,use_null_move").unwrap();
        assert_eq!(with_switch[1..], all);
        assert_eq!(with_switch[0], "use_null_move");
        for text in ["futility_base+futility_margin,all", "all, futility_base+futility_margin"] {
            let grouped = names(text).unwrap();
            assert_eq!((grouped[0].as_str(), grouped.len()), ("futility_base+futility_margin", all.len() - 1));
        }
        assert!(names("all,luck").unwrap_err().contains("there is no search parameter 'luck'"));
        assert!(names("futility-base").unwrap_err().contains("closest: 'futility_base'"));
        assert!(names("futility_base,all,futility_base").unwrap_err().contains("names 'futility_base' twice"));
    }

    #[test]
    fn the_parameters_so_far_are_written_now_and_then_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("best.txt");
        let space = SearchSpace::new(Params::default(), [Params::parameter("futility_base").unwrap()]);
        let mut writer = PointWriter { path: Some(&path), space, written: None };
        writer.on_point(&[123.4]);
        // Too soon after the last one.
        writer.on_point(&[99.0]);
        let expected = Params { futility_base: 123, ..Params::default() };
        assert_eq!(read_params(&path).unwrap(), expected);
    }
}
