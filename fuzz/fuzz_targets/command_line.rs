//! The command line: arguments are understood or refused. Nothing is carried out.
#![no_main]

use chuhe::cli::Arguments;
use clap::Parser;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let words = std::iter::once("chuhe").chain(text.split('\0'));
    match Arguments::try_parse_from(words) {
        Ok(arguments) => drop(format!("{arguments:?}")),
        Err(error) => drop(error.to_string()),
    }
});
