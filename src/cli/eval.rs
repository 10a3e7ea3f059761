//! The `eval` command.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::console::error::CommandError;
use crate::console::input::{network_in, read_position};
use crate::eval;
use crate::eval::network::Network;
use crate::position::Strictness;

/// Examples for `--help`.
pub(super) const HELP: &str = "\
Examples:
  chuhe eval
  chuhe eval 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b'
  chuhe eval --evalfile my.network";

/// Arguments of `eval`.
#[derive(Args, Debug)]
pub struct EvalArgs {
    /// Position; the start position if there is none.
    fen: Option<String>,
    /// Use the network in this file instead of the built-in network.
    #[arg(long, value_name = "FILE")]
    evalfile: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(args: &EvalArgs, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    let position = read_position(args.fen.as_deref(), strictness)?;
    let network = match &args.evalfile {
        None => Network::embedded(),
        Some(path) => network_in(path)?,
    };
    Ok(out.write_all(eval::table(&position, &network).as_bytes())?)
}
