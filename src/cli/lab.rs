//! The commands of the laboratory.

use std::io::StdoutLock;

use clap::Subcommand;

use crate::console::error::CommandError;
use crate::lab::datagen::command::{self as datagen, Datagen};
use crate::lab::openings::command::{self as openings, Openings};
use crate::lab::selfplay::command::{self as selfplay, SelfplayTrain};
use crate::lab::training::command::{self as training, Train};
use crate::lab::tuning::command::{self as tuning, Tune};
use crate::position::Strictness;

/// Commands for engine makers.
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

/// Runs a command of the laboratory.
pub fn run(command: LabCommand, strictness: Strictness, mut out: StdoutLock<'static>) -> Result<(), CommandError> {
    match command {
        LabCommand::Datagen(args) => datagen::datagen(&args, strictness, &mut out),
        LabCommand::Openings(args) => openings::openings(&args, strictness, &mut out),
        LabCommand::Tune(args) => tuning::tune(&args, strictness, &mut out),
        LabCommand::Train(args) => training::train(&args, &mut out),
        LabCommand::SelfplayTrain(args) => selfplay::selfplay_train(&args, &mut out),
    }
}
