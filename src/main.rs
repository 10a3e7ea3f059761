//! The program: arguments, then the library.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match chuhe::cli::run(chuhe::cli::Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let status = failure.exit_status();
            if status != 0 {
                eprintln!("chuhe: {failure}");
            }
            ExitCode::from(status)
        }
    }
}
