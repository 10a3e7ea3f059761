//! The `web` command.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;
use tempfile::NamedTempFile;

use super::Sources;
use super::server::{Server, kept_token};
use super::share::EngineShare;
use crate::book::Book;
use crate::console::error::{CommandError, Result};
use crate::console::note;
use crate::console::progress::cancel_on_request;
use crate::engine::{DEFAULT_HASH_MEGABYTES, Engine, MAX_HASH_MEGABYTES};
use crate::position::Strictness;
use crate::search::MAX_THREADS;
use crate::tablebase::Tablebases;
use crate::util::files::create_folder;

/// Interval between checks for Ctrl-C.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Ports that are tried if none is given. The page keeps its settings and games by address.
const DEFAULT_PORTS: RangeInclusive<u16> = 9010..=9029;

/// What opens the browser of Windows from within the Windows Subsystem for Linux.
const WSL_OPENER: &str = "/usr/bin/wslview";

pub const HELP: &str = "\
The board opens in your browser, where there is a desktop. The address is printed too, alone on a
line. It contains a secret token: who has it can use the engine. Without --bind only programs of
this machine can connect. All open pages share the threads and the memory and take turns. Ctrl-C ends the program.

Examples:
  chuhe web
  chuhe web --no-open --games games
  chuhe web --threads 4 --hash 256 --book my.book --tables tables";

#[derive(Args, Debug)]
pub struct WebArgs {
    /// Port of the server; 0 takes any free one, with a new token. Without it, 9010 or the next free one.
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Address of the server. Other machines can connect only to an address that is not local.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// Print the address without opening it.
    #[arg(long)]
    no_open: bool,
    /// Keep each game that is played as a PGN file in this folder.
    #[arg(long, value_name = "FOLDER")]
    games: Option<PathBuf>,
    /// Search threads for all pages together; 0 means all cores.
    #[arg(long, value_name = "THREADS", default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
    /// Transposition table for all pages together, in megabytes.
    #[arg(long, value_name = "MEGABYTES", default_value_t = DEFAULT_HASH_MEGABYTES as u64,
        value_parser = clap::value_parser!(u64).range(1..=MAX_HASH_MEGABYTES as u64))]
    hash: u64,
    /// Use the opening book in this file instead of the built-in book; may be repeated.
    #[arg(long = "book", value_name = "FILE")]
    books: Vec<PathBuf>,
    /// Folder of endgame tables; may be repeated.
    #[arg(long = "tables", value_name = "FOLDER")]
    tables: Vec<PathBuf>,
    /// End with standard input, for a program that starts this one.
    #[arg(long, hide = true)]
    until_input_ends: bool,
}

/// Serves the board until Ctrl-C.
pub fn run(args: &WebArgs, strictness: Strictness, out: &mut impl Write) -> Result {
    let cancel = cancel_on_request();
    if args.until_input_ends {
        let cancel = cancel.clone();
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
            cancel.cancel();
        });
    }
    let ports = args.port.map_or(DEFAULT_PORTS, |port| port..=port);
    let addresses: Vec<SocketAddr> = ports.map(|port| SocketAddr::new(args.bind, port)).collect();
    let token = state_folder()
        .filter(|_| args.port != Some(0) && args.bind.is_loopback())
        .and_then(|folder| kept_token(&folder));
    let server = Server::bind(&addresses, token, share(args, strictness)?).map_err(|error| {
        let address = addresses[0];
        CommandError::Mismatch(format!("cannot listen on {address}: {error}; choose another --port or --bind"))
    })?;
    let url = server.url();
    if !args.bind.is_loopback() {
        note!("other machines can connect to this address, without encryption");
    }
    if cancel.is_cancelled() {
        return Ok(());
    }
    writeln!(out, "{url}")?;
    out.flush()?;
    std::thread::Builder::new().name("server".to_owned()).spawn(move || server.run())?;
    // Removed when the server ends.
    let page = (!args.no_open && has_desktop()).then(|| open_browser(&url));
    if let Some(Err(error)) = &page {
        note!("no browser could be opened ({error}); open the address above");
    }
    while !cancel.is_cancelled() {
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// Returns the folder for what the program keeps of a user between two runs, `None` where there is none.
fn state_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || Some(set("HOME")?.join(".local/state"));
    let folder = if cfg!(windows) { set("LOCALAPPDATA") } else { set("XDG_STATE_HOME").or_else(home) };
    Some(folder?.join("chuhe"))
}

/// Opens the engine, the books and the tables.
fn share(args: &WebArgs, strictness: Strictness) -> Result<EngineShare> {
    let mut engine = Engine::with_hash(args.hash as usize)?;
    let open = |path: &PathBuf| Book::open(path).map_err(|error| CommandError::unusable(path, error));
    let mut books = args.books.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    if books.is_empty() {
        books.push(Book::embedded());
    }
    let (tablebases, faults) = Tablebases::open(&args.tables);
    if let Some(fault) = faults.first() {
        return Err(CommandError::Mismatch(fault.to_string()));
    }
    engine.configure(|options| {
        options.threads = usize::from(args.threads);
        options.strictness = strictness;
        options.book_files = joined(&args.books);
        options.tablebase_folders = joined(&args.tables);
    })?;
    if let Some(folder) = &args.games {
        create_folder(folder).map_err(|error| CommandError::unusable(folder, error))?;
    }
    let sources = Sources { books, tablebases, strictness, games: args.games.clone() };
    Ok(EngineShare::new(engine, sources))
}

/// Joins paths as options of the engine expect them.
fn joined(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>().join(";")
}

/// Returns whether a program can open a window where the user sees it.
fn has_desktop() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_remote = ["SSH_CONNECTION", "SSH_TTY"].into_iter().any(is_set);
    let has_windows = cfg!(any(windows, target_os = "macos")) || Path::new(WSL_OPENER).is_file();
    !is_remote && (has_windows || ["DISPLAY", "WAYLAND_DISPLAY"].into_iter().any(is_set))
}

/// Opens an address in the browser of the desktop, through a file that leads there: all users of the machine see the
/// arguments of a program, and with them the token of the address. Returns the file, which only this user can read.
fn open_browser(url: &str) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("chuhe-").suffix(".html");
    let folder = std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| Path::new(folder).is_dir());
    let mut page = folder.map_or_else(|| builder.tempfile(), |folder| builder.tempfile_in(folder))?;
    let url = html_escape::encode_double_quoted_attribute(url);
    write!(
        page,
        "<!DOCTYPE html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; url={url}\"><title>Chuhe</title>"
    )?;
    page.flush()?;
    let wsl = Path::new(WSL_OPENER);
    let mut command = match () {
        () if cfg!(windows) => Command::new("rundll32"),
        () if cfg!(target_os = "macos") => Command::new("open"),
        () => Command::new(if wsl.is_file() { wsl } else { Path::new("xdg-open") }),
    };
    command.args(cfg!(windows).then_some("url.dll,FileProtocolHandler")).arg(page.path());
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    // The opener ends when the browser has started.
    std::thread::spawn(move || drop(child.wait()));
    Ok(page)
}
