//! The commands about the program itself: self-test, shell completions and manual pages.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Subcommand};
use clap_complete::Shell;

use super::{Arguments, self_test};
use crate::console::error::CommandError;
use crate::util::atomic_file::write_atomically;
use crate::util::files::create_folder;

/// Commands about the program itself.
#[derive(Subcommand, Debug)]
pub enum MetaCommand {
    /// Check in a few seconds that the program works on this machine.
    #[command(after_help = "\
Prints a line for each check and a description of the machine. Please send both with every bug report.
The exit status is 0 if every check is ok.")]
    SelfTest {
        /// Print JSON: an object for each check and one for the machine.
        #[arg(long)]
        json: bool,
    },
    /// Print a script with which a shell completes command lines.
    #[command(after_help = "\
Examples:
  chuhe completions bash > ~/.local/share/bash-completion/completions/chuhe
  chuhe completions zsh > ~/.zfunc/_chuhe      with ~/.zfunc in fpath
  chuhe completions fish > ~/.config/fish/completions/chuhe.fish")]
    Completions {
        /// Shell that reads the script.
        shell: Shell,
    },
    /// Print the manual page.
    #[command(after_help = "\
Examples:
  chuhe man | man -l -
  chuhe man --dir ~/.local/share/man/man1      writes chuhe.1 and a page for each command")]
    Man {
        /// Write the page, and one for each command, into this folder, which is created if necessary.
        #[arg(long, value_name = "FOLDER")]
        dir: Option<PathBuf>,
    },
}

pub fn run(command: &MetaCommand, out: &mut impl Write) -> Result<(), CommandError> {
    match command {
        MetaCommand::SelfTest { json } => self_test::run(*json, out),
        MetaCommand::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "chuhe", &mut script);
            Ok(out.write_all(&script)?)
        }
        MetaCommand::Man { dir: None } => Ok(out.write_all(page(&built_command())?.as_bytes())?),
        MetaCommand::Man { dir: Some(folder) } => write_pages(folder),
    }
}

/// Returns the command line with everything that its parser adds.
fn built_command() -> clap::Command {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    command
}

fn page(command: &clap::Command) -> io::Result<String> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone())
        .source(concat!("chuhe ", env!("CARGO_PKG_VERSION")))
        .manual("Chuhe")
        .render(&mut page)?;
    let page = String::from_utf8_lossy(&page);
    // The text after the options consists of lines, mostly examples; filling would join them to a paragraph.
    let Some((before, notes)) = page.split_once(".SH EXTRA\n") else { return Ok(page.into_owned()) };
    let end = notes.find("\n.SH ").map_or(notes.len(), |end| end + 1);
    Ok(format!("{before}.SH NOTES\n.nf\n{}.fi\n{}", &notes[..end], &notes[end..]))
}

/// Writes `chuhe.1`, and `chuhe-COMMAND.1` for each command and subcommand.
fn write_pages(folder: &Path) -> Result<(), CommandError> {
    create_folder(folder).map_err(CommandError::in_file(folder))?;
    let main = built_command();
    let mut commands = vec![&main];
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands());
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        let path = folder.join(format!("{name}.1"));
        write_atomically(&path, page(command)?.as_bytes()).map_err(CommandError::in_file(&path))?;
    }
    Ok(())
}
