//! The `show` command: which picture of a position goes where.

use std::io::{StdoutLock, Write};
use std::path::{Path, PathBuf};

use anstream::AutoStream;
use clap::{Args, ColorChoice};

use crate::console::board::{Board, BoardStyle};
use crate::console::error::CommandError;
use crate::console::svg::{Arrow, Diagram};
use crate::position::Position;
use crate::util::atomic_file::write_atomically;

/// What `show` is asked for.
#[derive(Args, Debug)]
pub struct Show {
    /// The position before the first move; 'startpos', or nothing, is the start of the game.
    pub fen: Option<String>,
    /// The moves played, such as h2e2.
    pub moves: Vec<String>,
    /// How the men are written.
    #[arg(long, value_enum, default_value_t)]
    pub style: BoardStyle,
    /// Show the board from Black's side.
    #[arg(long)]
    pub flip: bool,
    /// Whether to use colours; 'auto' does so on a terminal, unless NO_COLOR is set.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,
    /// Write a picture to this file instead, '-' is standard output.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["style", "color"])]
    pub svg: Option<PathBuf>,
    /// Draw an arrow into the picture, such as h2e2 or h2e2:blue; may be given more than once.
    #[arg(long = "arrow", value_name = "MOVE[:COLOUR]", requires = "svg")]
    pub arrows: Vec<Arrow>,
}

/// Shows the position as it is wanted: as text with the state of the game below, or as a picture.
pub fn show(wanted: &Show, position: &Position, mut out: StdoutLock<'static>) -> Result<(), CommandError> {
    let last_move = position.history().last().map(|played| played.mv);
    let Some(path) = &wanted.svg else {
        let board = Board { position, last_move, style: wanted.style, flipped: wanted.flip };
        let mut out = AutoStream::new(out, colours(wanted.color));
        return Ok(write!(out, "{board}\n{}", board.state())?);
    };
    let arrows = wanted.arrows.clone();
    let picture = Diagram { position, last_move, arrows, flipped: wanted.flip }.to_file();
    if path == Path::new("-") {
        return Ok(out.write_all(picture.as_bytes())?);
    }
    write_atomically(path, picture.as_bytes()).map_err(|error| CommandError::File { path: path.to_owned(), error })
}

fn colours(choice: ColorChoice) -> anstream::ColorChoice {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
}
