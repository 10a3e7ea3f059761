//! The commands of the laboratory.

use clap::Error;
#[cfg(feature = "lab")]
use clap::Subcommand;
use clap::error::{ContextKind, ContextValue};

#[cfg(feature = "lab")]
use crate::console::error::CommandError;
#[cfg(feature = "lab")]
use crate::lab::datagen::command::{self as datagen, Datagen};
#[cfg(feature = "lab")]
use crate::lab::openings::command::{self as openings, Openings};
#[cfg(feature = "lab")]
use crate::lab::selfplay::command::{self as selfplay, SelfplayTrain};
#[cfg(feature = "lab")]
use crate::lab::training::command::{self as training, Train};
#[cfg(feature = "lab")]
use crate::lab::tuning::command::{self as tuning, Tune};
#[cfg(feature = "lab")]
use crate::position::Strictness;

/// Names of the commands that only a program with the laboratory has.
const NAMES: [&str; 5] = ["datagen", "openings", "train", "tune", "selfplay-train"];

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

/// Runs a command of the laboratory.
///
/// # Errors
/// [`CommandError`] with the reason and the exit status.
#[cfg(feature = "lab")]
pub fn run(
    command: LabCommand,
    strictness: Strictness,
    mut out: std::io::StdoutLock<'static>,
) -> Result<(), CommandError> {
    match command {
        LabCommand::Datagen(args) => datagen::datagen(&args, strictness, &mut out),
        LabCommand::Openings(args) => openings::openings(&args, strictness, &mut out),
        LabCommand::Tune(args) => tuning::tune(&args, strictness, &mut out),
        LabCommand::Train(args) => training::train(&args, &mut out),
        LabCommand::SelfplayTrain(args) => selfplay::selfplay_train(&args, &mut out),
    }
}

/// The command of the laboratory that an error of the arguments does not know: the program was built without it.
pub fn command_without_lab(error: &Error) -> Option<&'static str> {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    NAMES.into_iter().find(|name| name == unknown)
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;

    #[test]
    fn only_commands_of_the_laboratory_are_named_as_missing() {
        let unknown = |name: &str| {
            Command::new("chuhe").subcommand(Command::new("web")).try_get_matches_from(["chuhe", name]).unwrap_err()
        };
        for name in NAMES {
            assert_eq!(command_without_lab(&unknown(name)), Some(name));
        }
        assert_eq!(command_without_lab(&unknown("wep")), None);
        assert_eq!(command_without_lab(&unknown("--help")), None);
    }
}
