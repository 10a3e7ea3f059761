//! The `show` command: which picture of a position goes where.

use std::io::{StdoutLock, Write};
use std::path::Path;

use anstream::AutoStream;
use clap::ColorChoice;

use super::args::Show;
use super::board::Board;
use super::failure::Failure;
use super::svg::Diagram;
use crate::files::write_atomically;
use crate::position::Position;

/// Shows the position as it is wanted: as text with the state of the game below, or as a picture.
pub fn show(wanted: &Show, position: &Position, mut out: StdoutLock<'static>) -> Result<(), Failure> {
    let last_move = position.history().last().map(|played| played.mv);
    let Some(path) = &wanted.svg else {
        let board = Board { position, last_move, lettering: wanted.style, flipped: wanted.flip };
        let mut out = AutoStream::new(out, colours(wanted.color));
        return Ok(write!(out, "{board}\n{}", board.state())?);
    };
    let arrows = wanted.arrows.clone();
    let picture = Diagram { position, last_move, arrows, flipped: wanted.flip }.to_file();
    if path == Path::new("-") {
        return Ok(out.write_all(picture.as_bytes())?);
    }
    write_atomically(path, picture.as_bytes()).map_err(|error| Failure::File { path: path.to_owned(), error })
}

fn colours(choice: ColorChoice) -> anstream::ColorChoice {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
}
