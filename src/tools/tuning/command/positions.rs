//! Weights fitted to positions.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::{Tune, show_step};
use crate::console::error::CommandError;
use crate::console::progress::Progress;
use crate::eval::handcrafted::{Tapered, Terms, WEIGHTS};
use crate::position::Strictness;
use crate::tools::tuning::{
    Adam, Choice, LoadError, Loading, Loss, Model, Objective as _, Positions, Regression, Run, WEIGHT_COUNT, descend,
    fit_scale, flat_weights, load, provenance_of, read_weights, rounded_weights, source_of_weights,
};
use crate::util::atomic_file::{check_writable, write_atomically};
use crate::util::cancel::CancelFlag;

/// How many bad lines of a file are named one by one; the rest are only counted.
const FAULTS_NAMED: usize = 100;
/// How many passes other methods than adam have unless told otherwise.
const USUAL_PASSES: u64 = 500;

/// Fits weights to the positions of the files and writes them.
pub fn fit(
    wanted: &Tune,
    strictness: Strictness,
    interrupt: &CancelFlag,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let path = wanted.out.as_deref().unwrap_or(Path::new("weights.rs"));
    // Better told before hours of work than after.
    check_writable(path).map_err(|error| CommandError::File { path: path.to_owned(), error })?;
    let start = start(wanted.start.as_deref())?;
    let provenance = wanted.provenance.clone().or_else(|| provenance_of(&fs::read_to_string(path).ok()?));

    let positions = load_all(wanted, strictness, interrupt)?;
    let (training, validation) = (&positions.training, &positions.validation);
    let of_games = if positions.games == 0 { String::new() } else { format!(" of {} games", positions.games) };
    let megabytes = (training.bytes() + validation.bytes()) as f64 / 1e6;
    writeln!(
        out,
        "{} positions to fit to, {} put aside{of_games}, {megabytes:.0} MB",
        training.len(),
        validation.len()
    )?;
    let threads = wanted.threads();
    let loss = Loss::from_name(&wanted.loss).unwrap_or_default();
    let flat = flat_weights(&start);
    let scale = wanted.scale.unwrap_or_else(|| fit_scale(training, &flat, loss, threads));
    let how = if wanted.scale.is_some() { "as told" } else { "fitted to the start" };
    writeln!(out, "scale {scale:.1} centipawns, {how}")?;
    out.flush()?;

    let score_scale = wanted.score_scale.unwrap_or(scale);
    let model = Model { loss, scale, score_scale, result_share: wanted.lambda, decay: wanted.decay };
    let mut regression = Regression::new(training, validation, flat, model, threads);
    let begin: Vec<f64> = regression.axes().iter().map(|axis| axis.start).collect();
    let before = losses(&regression, &begin);
    let method = wanted.method(None);
    let progress = Progress::spinner("fitting");
    let round = if method.is_some() { "round" } else { "epoch" };
    let mut listener = |step: &_| show_step(&progress, round, step);
    let mut run = Run::new(wanted.budget(method.map(|_| USUAL_PASSES), interrupt), wanted.seed, &mut listener);
    let found = match method {
        Some(method) => method.search(&mut regression, &mut run),
        None => {
            let batch = usize::try_from(wanted.batch).unwrap_or(usize::MAX);
            let (rate, epochs, patience) = (wanted.rate, wanted.epochs, wanted.patience);
            descend(&regression, &Adam { rate, batch, epochs, patience, ..Adam::default() }, &mut run)
        }
    };
    let (passes, seconds) = (run.spent(), run.elapsed().as_secs_f64());
    progress.finish();

    let weights = rounded_weights(&regression.weights(&found.vector));
    let provenance = provenance
        .unwrap_or_else(|| format!("Fitted by logistic regression to the results of {} positions.", training.len()));
    write_atomically(path, source_of_weights(&weights, &provenance).as_bytes())
        .map_err(|error| CommandError::File { path: path.to_owned(), error })?;
    writeln!(out, "{:<8} {:>10} {:>10}", "", "training", "validation")?;
    writeln!(out, "{:<8} {before}", "before")?;
    writeln!(out, "{:<8} {}", "after", losses(&regression, &found.vector))?;
    let unseen = WEIGHT_COUNT - regression.axes().len();
    writeln!(
        out,
        "{passes} passes in {seconds:.1} s; {unseen} of {WEIGHT_COUNT} weights were never seen and are as before"
    )?;
    if interrupt.is_cancelled() { Err(CommandError::Interrupted) } else { Ok(()) }
}

fn losses(regression: &Regression, vector: &[f64]) -> String {
    let text = |loss: Option<f64>| loss.map_or("-".to_owned(), |loss| format!("{loss:.6}"));
    format!("{:>10} {:>10}", text(regression.training_loss(vector)), text(regression.validation_loss(vector)))
}

/// The weights to start from.
fn start(name: Option<&str>) -> Result<Terms<Tapered>, CommandError> {
    match name {
        None | Some("current") => Ok(WEIGHTS.clone()),
        Some("material") => Ok(Terms { material: WEIGHTS.material, ..Terms::filled(Tapered::ZERO) }),
        Some(path) => {
            let path = Path::new(path);
            let text = fs::read_to_string(path).map_err(|error| CommandError::File { path: path.to_owned(), error })?;
            let fault = || "it does not hold the weights of this evaluation".to_owned();
            read_weights(&text).ok_or_else(|| CommandError::Unusable { path: path.to_owned(), fault: fault() })
        }
    }
}

/// The positions of all files, with what is wrong in them told.
fn load_all(wanted: &Tune, strictness: Strictness, interrupt: &CancelFlag) -> Result<Positions, CommandError> {
    let Tune { per_game, from_ply, margin, seed, .. } = *wanted;
    let loading = Loading {
        choice: Choice { per_game, from_ply, margin, seed },
        validation_share: wanted.validation / 100.0,
        strictness,
        threads: wanted.threads(),
        interrupt: interrupt.clone(),
    };
    let progress = Progress::spinner("reading");
    let mut positions = Positions::default();
    for path in &wanted.files {
        let mut faults = Vec::new();
        let mut count = 0;
        let found = load(path, &loading, &mut |error| {
            count += 1;
            if count <= FAULTS_NAMED {
                faults.push(error.to_string());
            }
        });
        let found = found.map_err(|error| match error {
            LoadError::File { path, error } => CommandError::File { path, error },
            LoadError::Unknown { path } => {
                let fault = "neither games nor lines of FEN, a tab and a result stand in it".to_owned();
                CommandError::Unusable { path, fault }
            }
        })?;
        if interrupt.is_cancelled() {
            return Err(CommandError::Interrupted);
        }
        faults.iter().for_each(|fault| eprintln!("chuhe: {}: {fault}", path.display()));
        if count > 0 {
            let things = if found.games > 0 { "games" } else { "lines" };
            eprintln!("chuhe: {}: {count} bad {things} left out", path.display());
        }
        if found.games_without_result > 0 {
            eprintln!("chuhe: {}: {} games tell no result", path.display(), found.games_without_result);
        }
        positions.append(&found);
    }
    progress.finish();
    if positions.training.is_empty() {
        let path = wanted.files.last().cloned().unwrap_or_default();
        let fault = match positions.validation.len() {
            0 => "there is no position with a result to fit to".to_owned(),
            _ => "all positions were put aside; choose a smaller --validation".to_owned(),
        };
        return Err(CommandError::Unusable { path, fault });
    }
    Ok(positions)
}
