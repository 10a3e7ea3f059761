//! The `tune` command: evaluation weights fitted to positions, and search parameters tuned by games or moves.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::{
    AdamSettings, Example, LoadSettings, Method, MoveAgreement, Objective, ProgressReport, Regression, Run,
    SearchSpace, Sets, Solution, Tournament, WEIGHT_COUNT, descend, fit_scale, flat_weights, load_moves,
    load_positions, losses_without_groups, read_provenance, read_weights, rounded_weights, weights_source,
};
use crate::console::{
    CommandError, Progress, Result, cancel_on_request, counted, note, percentage, read_openings, refuse_replacing,
    thread_count,
};
use crate::eval::handcrafted::{Tapered, Terms, WEIGHTS};
use crate::lab::match_play::drawn_openings;
use crate::lab::{in_file, unusable};
use crate::position::Strictness;
use crate::rules::Rules;
use crate::search::{MAX_THREADS, Parameter, Params};
use crate::util::atomic_file::{check_writable, write_atomically};
use crate::util::cancel::CancelFlag;
use crate::util::files::read_text;

const ADAM: &str = "adam";
/// Name that stands for all search parameters but toggles.
const ALL: &str = "all";
const SEED: u64 = 1;
/// Plies played before a position of a game is taken.
const FROM_PLY: usize = 17;
/// Share of the result in the target of positions with a score.
const RESULT_SHARE: f64 = 0.7;
/// Default of --passes for weights and for search parameters; that of adam is in [`AdamSettings`].
const DEFAULT_PASSES: [u64; 2] = [500, 100];
/// Maximum size of a file of weights or parameters in bytes.
const MAX_START_BYTES: u64 = 1 << 20;

pub const HELP: &str = "\
Evaluation weights are fitted to positions with results: lines 'FEN<TAB>result<TAB>score' (1-0, 0-1 or
1/2-1/2; the score, in centipawns for the side to move, is optional), or the quiet positions of games in any
format that 'convert' reads. --out is written in the form of weights.rs, to be compiled in; an existing
description of their origin is kept.

Search parameters are tuned by games with a fixed number of nodes per move, each opening played twice with
colours reversed. With files of games they are tuned by the share of the moves of these games that searches of
--nodes nodes choose too. The best parameters are printed as lines 'name value', which --start reads.

A pass reads all positions once (an epoch of adam is two passes), searches all positions of the moves to be found, or is
one match of --games games. The same options give the same result. Ctrl-C stops the run with the best result so far.
Search parameters so far are written to --out after each round.

--leave-out shows how much each group of terms weighs: the loss of the evaluation without it, with all other weights as
they are and the scale fitted again, and of the group alone.

Examples:
  chuhe tune games.pgn --out src/eval/handcrafted/weights.rs
  chuhe tune positions.tsv more.tsv --out weights.rs --start material --passes 100
  chuhe tune games.tsv --out weights.rs --method swarm --passes 1000
  chuhe tune games.pgn --leave-out
  chuhe tune --search-params futility_base,futility_margin --games 64 --nodes 4000 --openings suite.txt
  chuhe tune --search-params all --method spsa --passes 5000 --start best.txt > better.txt
  chuhe tune masters.pgn --search-params all --method hill --nodes 1000 --per-game 1 > human.txt";

#[derive(Args, Debug)]
pub struct Tune {
    /// Files with labelled positions or games; with --search-params games whose moves are to be found.
    #[arg(value_name = "FILE", required_unless_present = "search_params")]
    files: Vec<PathBuf>,
    /// Write the tuned weights or parameters to this file.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["search_params", "leave_out"])]
    out: Option<PathBuf>,
    /// Fit nothing: print the loss of the weights without each group of terms, and of each group alone.
    #[arg(long, conflicts_with_all = ["out", "search_params", "method", "passes", "validation",
        "games", "nodes"])]
    leave_out: bool,
    /// Optimization method [default: adam for weights, spsa for search parameters].
    #[arg(long, value_parser = PossibleValuesParser::new(std::iter::once(ADAM).chain(Method::NAMED.map(|(name, _)| name))))]
    method: Option<String>,
    /// Start values: 'current', 'material' (all other weights 0) or a file written by --out; for search parameters a
    /// file of lines 'name value'.
    #[arg(long, value_name = "START")]
    start: Option<String>,
    /// Stop after this many passes [default: 500, 100 for search parameters, 60 for adam].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    passes: Option<u64>,
    /// Number of threads; 0 is the number of cores.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
    /// Maximum number of positions per game, spread over it; 0 takes all.
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Positions")]
    per_game: usize,
    /// Share of games, or of positions, held out for validation.
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, help_heading = "Positions", value_parser = percentage)]
    validation: f64,
    /// Tune these search parameters, by games of their own or by the moves of FILE; 'all' for all of them.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Games")]
    search_params: Vec<String>,
    /// Games per match, rounded up to an even number.
    #[arg(long, value_name = "N", default_value_t = 32, conflicts_with = "files", help_heading = "Games", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    games: u32,
    /// Nodes per search.
    #[arg(long, value_name = "N", default_value_t = 2_000, help_heading = "Games", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Openings: moves, FEN or EPD, one per line [default: built-in].
    #[arg(long, value_name = "FILE", help_heading = "Games", requires = "search_params", conflicts_with = "files")]
    openings: Option<PathBuf>,
}

/// Runs the tuning. Ctrl-C ends it after the best result so far was written; a second one at once.
pub fn tune(args: &Tune, strictness: Strictness, out: &mut impl Write) -> Result {
    let session = Session { args, strictness, threads: thread_count(args.threads).get(), cancel: cancel_on_request() };
    if args.leave_out {
        return session.leave_out(out);
    }
    if args.search_params.is_empty() {
        session.fit(out)?
    } else {
        session.tune_search(out)?
    }
    CommandError::if_interrupted(&session.cancel)
}

/// Arguments, and what all runs share.
struct Session<'a> {
    args: &'a Tune,
    strictness: Strictness,
    threads: usize,
    cancel: CancelFlag,
}

impl Session<'_> {
    /// Fits weights to the positions of the files and writes them.
    fn fit(&self, out: &mut impl Write) -> Result {
        let args = self.args;
        let path = args.out.as_deref().unwrap_or(Path::new("weights.rs"));
        self.check_output(path)?;
        let start = start_weights(args.start.as_deref())?;
        let earlier = read_text(path, MAX_START_BYTES).ok().and_then(|text| read_provenance(&text));

        let positions = self.load_positions()?;
        let (training, validation) = (&positions.training, &positions.validation);
        let of_games = if positions.games == 0 { String::new() } else { format!(" of {} games", positions.games) };
        let count = training.len();
        writeln!(out, "{count} training positions, {} held out{of_games}", validation.len())?;
        let flat = flat_weights(&start);
        let scale = fit_scale(training, &flat, self.threads);
        writeln!(out, "scale {scale:.1} centipawns, fitted to the start values")?;
        out.flush()?;

        let mut regression = Regression::new(training, validation, flat, (scale, RESULT_SHARE), self.threads);
        let begin: Vec<f64> = regression.parameters().iter().map(|parameter| parameter.start).collect();
        let before = losses(&regression, &begin);
        let (found, spent) = match method_named(args.method.as_deref().unwrap_or(ADAM)) {
            Some(method) => {
                let passes = args.passes.or(Some(DEFAULT_PASSES[0]));
                self.run("fitting", "round", passes, &mut |_| {}, |run| method.search(&mut regression, run))
            }
            None => self.run("fitting", "epoch", args.passes, &mut |_| {}, |run| {
                descend(&regression, &AdamSettings::of_passes(args.passes), run)
            }),
        };
        let weights = rounded_weights(&regression.weights(&found.vector));
        let origin = format!("Fitted by logistic regression to the results of {count} positions.");
        write_file(path, &weights_source(&weights, &earlier.unwrap_or(origin)))?;
        writeln!(out, "{:<8} {:>10} {:>10}", "", "training", "validation")?;
        writeln!(out, "{:<8} {before}", "before")?;
        writeln!(out, "{:<8} {}", "after", losses(&regression, &found.vector))?;
        let unseen = WEIGHT_COUNT - begin.len();
        writeln!(out, "{spent}; {unseen} of {WEIGHT_COUNT} weights occur in no position and are unchanged")?;
        Ok(())
    }

    /// Prints the loss of the start weights without each group of terms, on all positions of the files.
    fn leave_out(&self, out: &mut impl Write) -> Result {
        let start = start_weights(self.args.start.as_deref())?;
        let positions = self.load_positions()?.training;
        let (whole, rows) = losses_without_groups(&positions, &start, self.threads);
        writeln!(out, "{} positions", positions.len())?;
        writeln!(out, "{:<24} {:>10} {:>10} {:>10}", "group", "without", "worse by", "alone")?;
        writeln!(out, "{:<24} {:>10} {:>10} {whole:>10.6}", "all", "", "")?;
        for (groups, [without, alone]) in rows {
            writeln!(out, "{:<24} {without:>10.6} {:>10.6} {alone:>10.6}", groups.join(", "), without - whole)?;
        }
        Ok(())
    }

    fn tune_search(&self, out: &mut impl Write) -> Result {
        let args = self.args;
        let base = args.start.as_deref().map_or(Ok(Params::default()), |path| read_params(Path::new(path)))?;
        let space = SearchSpace::new(base, named_parameters(&args.search_params)?);
        if let Some(path) = &args.out {
            self.check_output(path)?;
        }
        let method = method_named(args.method.as_deref().unwrap_or("spsa"))
            .ok_or_else(|| mismatch("adam needs a gradient, which search parameters lack; choose another --method"))?;
        let text =
            if args.files.is_empty() { self.tune_by_games(method, space) } else { self.tune_by_moves(method, space) }?;
        match &args.out {
            Some(path) => write_file(path, &text),
            // Ctrl-C may have ended the reader of a pipe too. Hours of games are not lost with it.
            None => out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| {
                let _ = io::stderr().write_all(text.as_bytes());
                let fault = "not everything was written: the parameters above could not be printed";
                CommandError::Failed(format!("{fault}: {error}"))
            }),
        }
    }

    fn tune_by_games(&self, method: Method, space: SearchSpace) -> Result<String> {
        let openings = match &self.args.openings {
            Some(path) => read_openings(path, self.strictness, Rules::default())?,
            None => drawn_openings(SEED),
        };
        // Each opening is played from both sides.
        let games = (self.args.games as usize).next_multiple_of(2);
        let mut tournament = Tournament {
            space: space.clone(),
            openings,
            nodes: self.args.nodes,
            games,
            threads: self.threads,
            cancel: self.cancel.clone(),
            next_opening: 0,
            failure: None,
        };
        let (found, spent) = self.minimize(method, &mut tournament, &space, "playing");
        if let Some(error) = tournament.failure {
            return Err(error.into());
        }
        let (pairs, openings) = (tournament.next_opening.max(games / 2), tournament.openings.len());
        if pairs > openings {
            let (pairs, openings) = (counted(pairs as u64, "pair"), counted(openings as u64, "opening"));
            note!("{pairs} of games used {openings}: some games were the same");
        }
        let mut summary = spent.replacen("passes", &format!("matches of {games} games"), 1);
        if found.loss.is_finite() {
            let _ = write!(summary, "; result against the start {:+.3} a game", -found.loss);
        }
        Ok(params_text(&space, &found.vector, &summary))
    }

    /// Tunes search parameters by the moves of the games in the files.
    fn tune_by_moves(&self, method: Method, space: SearchSpace) -> Result<String> {
        let Sets { training, validation, .. } = self.load(load_moves)?;
        if training.is_empty() {
            return Err(self.nothing("no move is left to be found; choose a smaller --validation"));
        }
        let counts = [training.len(), validation.len()];
        let mut agreement = MoveAgreement {
            space: space.clone(),
            training,
            validation,
            nodes: self.args.nodes,
            threads: self.threads,
            cancel: self.cancel.clone(),
            known: Default::default(),
            failure: None,
        };
        let share = |loss: Option<f64>| {
            let loss = loss.filter(|loss| loss.is_finite());
            loss.map_or("-".to_owned(), |loss| format!("{:.2} %", 100.0 * (1.0 - loss)))
        };
        let mut shares = |vector: &[f64]| [agreement.loss(vector), agreement.validation(vector)].map(share);
        let progress = Progress::spinner("searching at the start");
        let start: Vec<f64> = space.dimensions.iter().map(|parameter| parameter.start).collect();
        let before = shares(&start);
        progress.finish();
        let (found, spent) = self.minimize(method, &mut agreement, &space, "searching");
        let after = [Some(found.loss), agreement.validation(&found.vector)].map(share);
        if let Some(error) = agreement.failure {
            return Err(error.into());
        }
        let summary = format!(
            "{spent}; moves found, at the start and now: {} and {} of {}, {} and {} of {} held out",
            before[0], after[0], counts[0], before[1], after[1], counts[1],
        );
        Ok(params_text(&space, &found.vector, &summary))
    }

    /// Minimizes an objective over search parameters. Those so far are written to `--out`, so that none are lost.
    fn minimize(
        &self,
        method: Method,
        objective: &mut dyn Objective,
        space: &SearchSpace,
        activity: &'static str,
    ) -> (Solution, String) {
        let mut keep = |vector: &[f64]| {
            let Some(path) = &self.args.out else { return };
            let text = params_text(space, vector, "unfinished: the parameters so far");
            if let Err(error) = write_atomically(path, text.as_bytes()) {
                log::warn!("{}: {error}", path.display());
            }
        };
        let passes = self.args.passes.or(Some(DEFAULT_PASSES[1]));
        self.run(activity, "round", passes, &mut keep, |run| method.search(objective, run))
    }

    /// Calls `work` with this budget and shows its progress. Returns its result and what was spent.
    fn run(
        &self,
        activity: &'static str,
        round: &str,
        passes: Option<u64>,
        on_vector: &mut dyn FnMut(&[f64]),
        work: impl FnOnce(&mut Run) -> Solution,
    ) -> (Solution, String) {
        let progress = Progress::spinner(activity);
        let mut on_progress = |report: &ProgressReport| {
            let ProgressReport { round: number, spent, vector, loss, validation } = report;
            let loss = if loss.is_finite() { format!("  loss {loss:.6}") } else { String::new() };
            let validation = validation.map_or(String::new(), |loss| format!("  validation {loss:.6}"));
            progress.status(format!("{round} {number:>4}  passes {spent:>6}{loss}{validation}"));
            on_vector(vector);
        };
        let mut run = Run::new(passes, self.cancel.clone(), SEED, &mut on_progress);
        let found = work(&mut run);
        let spent = format!("{} passes in {:.1} s", run.spent(), run.elapsed().as_secs_f64());
        progress.finish();
        (found, spent)
    }

    /// Reports an unwritable file before hours of work, not after.
    fn check_output(&self, path: &Path) -> Result {
        let inputs = self.args.files.iter().chain(&self.args.openings);
        refuse_replacing("--out", path, inputs.map(PathBuf::as_path))?;
        check_writable(path).map_err(in_file(path))
    }

    fn load_positions(&self) -> Result<Sets<Example>> {
        let positions = self.load(load_positions)?;
        match (positions.training.len(), positions.validation.len()) {
            (0, 0) => Err(self.nothing("there is no quiet position with a result after the first plies")),
            (0, _) => Err(self.nothing("all positions were held out; choose a smaller --validation")),
            _ => Ok(positions),
        }
    }

    /// Loads all files.
    fn load<T>(&self, load: fn(&[PathBuf], &LoadSettings) -> Result<T>) -> Result<T> {
        let (per_game, from_ply, seed) = (self.args.per_game, FROM_PLY, SEED);
        let validation_share = if self.args.leave_out { 0.0 } else { self.args.validation / 100.0 };
        let (strictness, threads, cancel) = (self.strictness, self.threads, self.cancel.clone());
        let settings = LoadSettings { per_game, from_ply, validation_share, seed, strictness, threads, cancel };
        let progress = Progress::spinner("reading");
        let found = load(&self.args.files, &settings);
        progress.finish();
        found
    }

    /// Returns the error of files that leave nothing to be used.
    fn nothing(&self, fault: &str) -> CommandError {
        CommandError::unusable(self.args.files.last().cloned().unwrap_or_default(), fault)
    }
}

fn mismatch(text: &str) -> CommandError {
    CommandError::Mismatch(text.to_owned())
}

/// Returns the derivative-free method of this name; `None` for adam.
fn method_named(name: &str) -> Option<Method> {
    Method::NAMED.into_iter().find(|(other, _)| *other == name).map(|(_, method)| method)
}

fn write_file(path: &Path, text: &str) -> Result {
    write_atomically(path, text.as_bytes()).map_err(in_file(path))
}

fn losses(regression: &Regression, vector: &[f64]) -> String {
    let text = |loss: Option<f64>| loss.map_or("-".to_owned(), |loss| format!("{loss:.6}"));
    format!("{:>10} {:>10}", text(regression.training_loss(vector)), text(regression.validation_loss(vector)))
}

fn start_weights(name: Option<&str>) -> Result<Terms<Tapered>> {
    match name {
        None | Some("current") => Ok(WEIGHTS.clone()),
        Some("material") => Ok(Terms { material: WEIGHTS.material, ..Terms::filled(Tapered::ZERO) }),
        Some(path) => {
            let path = Path::new(path);
            let text = read_text(path, MAX_START_BYTES).map_err(in_file(path))?;
            read_weights(&text).ok_or_else(|| unusable(path, "it does not hold the weights of this evaluation"))
        }
    }
}

/// Returns parameters as lines that `--start` reads: those that were tuned, and all that are not at their default.
fn params_text(space: &SearchSpace, vector: &[f64], summary: &str) -> String {
    let mut text = format!("# {summary}\n");
    for (parameter, value) in Params::LIST.iter().zip(space.params(vector).values()) {
        let is_tuned = space.tuned.iter().any(|tuned| tuned.name == parameter.name);
        if is_tuned || value != parameter.default {
            let _ = writeln!(text, "{} {value}", parameter.name);
        }
    }
    text
}

/// Returns the named parameters; `all` stands for those not named besides.
fn named_parameters(names: &[String]) -> Result<Vec<&'static Parameter>> {
    let mut named: Vec<&'static Parameter> = Vec::new();
    for name in names.iter().map(|name| name.trim()).filter(|name| *name != ALL) {
        let parameter = Params::parameter(name).map_err(|error| {
            let distance = |known: &&Parameter| strsim::levenshtein(known.name, name);
            let closest = Params::LIST.iter().min_by_key(distance);
            let closest = closest.filter(|known| 3 * distance(known) <= name.len());
            let closest = closest.map_or_else(String::new, |known| format!("; closest: '{}'", known.name));
            mismatch(&format!("{error}{closest}; src/search/params.rs lists all"))
        })?;
        if named.iter().any(|other| other.name == parameter.name) {
            return Err(mismatch(&format!("--search-params names '{name}' twice")));
        }
        named.push(parameter);
    }
    if names.iter().any(|name| name.trim() == ALL) {
        let is_other = |other: &&Parameter| !other.is_toggle() && named.iter().all(|named| named.name != other.name);
        named.extend(Params::LIST.iter().filter(is_other).collect::<Vec<_>>());
    }
    Ok(named)
}

/// Reads a file of lines `name value`.
fn read_params(path: &Path) -> Result<Params> {
    let text = read_text(path, MAX_START_BYTES).map_err(in_file(path))?;
    let mut params = Params::default();
    let mut named = Vec::new();
    for (index, line) in text.lines().map(str::trim).enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut set = || -> Result<(), String> {
            let (name, value) = line.split_once(char::is_whitespace).ok_or("expected a name and a number")?;
            let value = value.trim().parse().map_err(|_| format!("'{}' is not a number", value.trim()))?;
            if named.contains(&name) {
                return Err(format!("the search parameter '{name}' is named twice"));
            }
            named.push(name);
            params.set(name, value).map_err(|error| error.to_string())
        };
        set().map_err(|fault| unusable(path, format!("line {}: {fault}", index + 1)))?;
    }
    Ok(params)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_stands_for_the_parameters_that_are_not_named_besides() {
        let names = |text: &str| {
            let words: Vec<String> = text.split(',').map(str::to_owned).collect();
            let named = named_parameters(&words).map_err(|error| error.to_string())?;
            Ok::<_, String>(named.into_iter().map(|parameter| parameter.name).collect::<Vec<_>>())
        };
        let all = names("all").unwrap();
        assert!(all.len() > 50 && !all.contains(&"use_null_move"));
        let with_toggle = names("all, use_null_move").unwrap();
        assert_eq!((with_toggle[0], &with_toggle[1..]), ("use_null_move", &all[..]));
        for (text, words) in [
            ("all,luck", "there is no search parameter 'luck'; src/search/params.rs lists all"),
            ("futility-base", "closest: 'futility_base'"),
            ("futility_base,all,futility_base", "names 'futility_base' twice"),
        ] {
            assert!(names(text).unwrap_err().contains(words), "{text}");
        }
    }

    #[test]
    fn parameters_are_written_and_read_back() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let space = SearchSpace::new(Params::default(), vec![Params::parameter("futility_base").unwrap()]);
        std::fs::write(file.path(), params_text(&space, &[123.4], "one\n# two")).unwrap();
        assert_eq!(read_params(file.path()).unwrap(), Params { futility_base: 123, ..Params::default() });
    }
}
