//! The program. With the feature `commands` it has a command line; without it the program speaks UCCI and UCI only.

use std::io::Write as _;
use std::process::ExitCode;

#[cfg(feature = "commands")]
fn main() -> ExitCode {
    match chuhe::cli::run(chuhe::cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let status = error.exit_status();
            if status != 0 {
                note(&chuhe::console::in_language_of_user(&error.to_string()));
            }
            ExitCode::from(status)
        }
    }
}

#[cfg(not(feature = "commands"))]
fn main() -> ExitCode {
    use chuhe::engine::Engine;
    use chuhe::protocol::{self, Output};

    match std::env::args_os().nth(1).map(|argument| argument.to_string_lossy().into_owned()).as_deref() {
        None => {}
        Some("--version" | "-V") => {
            // The reader of the output may have gone.
            let _ = writeln!(std::io::stdout(), "chuhe {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        Some(argument) => {
            note(&format!("'{argument}' is not understood: this build has the engine alone, without commands"));
            return ExitCode::from(2);
        }
    }
    match Engine::new() {
        Ok(engine) => {
            protocol::run(std::io::stdin(), Output::new(std::io::stdout()), engine);
            ExitCode::SUCCESS
        }
        Err(error) => {
            note(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Writes a line for the user to standard error. Its reader may have gone; that is no reason to panic.
fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "chuhe: {text}");
}
