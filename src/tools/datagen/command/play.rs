//! Playing games into a file.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use super::{Play, RANDOM_PLIES, Search, run};
use crate::console::error::CommandError;
use crate::position::Strictness;
use crate::rules::{RuleSet, Rules};
use crate::tools::datagen::{Plan, Searching, Settings, Starts, knowledge_for_settings};
use crate::types::Value;

/// Plays the games that the file lacks.
pub fn play(wanted: &Play, search: &Search, path: &Path, strictness: Strictness) -> Result<(), CommandError> {
    let plan = plan(wanted, search, strictness)?;
    run::make(&plan, path)
}

fn plan(wanted: &Play, search: &Search, strictness: Strictness) -> Result<Plan, CommandError> {
    let Searching { nodes, hard_nodes, hash, rules, knowledge, network } = search.searching(RuleSet::default())?;
    let starts = match &wanted.openings {
        None => Starts::default(),
        Some(path) => {
            let file = File::open(path).map_err(|error| CommandError::File { path: path.clone(), error })?;
            Starts::read(BufReader::new(file), strictness, Rules::new(rules))
                .map_err(|fault| CommandError::Unusable { path: path.clone(), fault: fault.to_string() })?
        }
    };
    let usual_plies = if wanted.openings.is_some() { 0 } else { RANDOM_PLIES };
    let settings = Settings {
        program: Settings::this_program(),
        seed: wanted.seed,
        shard: search.shard,
        nodes,
        hard_nodes,
        hash,
        random_plies: usize::from(wanted.random_plies.unwrap_or(usual_plies)),
        balance: Value::from(wanted.balance),
        openings: starts.name().map(str::to_owned),
        win_score: Some(Value::from(wanted.win_score)).filter(|&score| score > 0),
        win_plies: u32::from(wanted.win_plies),
        draw_score: wanted.draw_score.map(Value::from),
        draw_plies: u32::from(wanted.draw_plies),
        draw_from: usize::from(wanted.draw_from),
        most_plies: usize::from(wanted.most_plies),
        rules: rules.name().to_owned(),
        knowledge: knowledge_for_settings(knowledge),
        evalfile: network,
    };
    Ok(Plan { settings, starts, games: wanted.games, threads: search.threads() })
}
