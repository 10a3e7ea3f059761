//! Game files and positions: conversion, notation, adjudication, and the `show` command, a board or SVG diagram.

pub mod convert;
pub mod judge;

use std::io::{StdoutLock, Write};
use std::path::{Path, PathBuf};

use anstream::AutoStream;
use clap::{Args, ColorChoice};
use serde_json::json;

use crate::console::svg::{Arrow, Diagram};
use crate::console::{Board, BoardStyle, CommandError, Object, aligned, side_name, write_json};
use crate::notation::game::Game;
use crate::notation::{Dialect, write};
use crate::position::Position;
use crate::rules::Rules;
use crate::types::Move;
use crate::util::atomic_file::write_atomically;

pub const HELP: &str = "\
The piece that moved last is in brackets, and the square it came from is marked. If the terminal draws
lines two columns wide, use --style ascii.

Examples:
  chuhe show
  chuhe show '3ak4/9/9/9/9/9/9/9/4A4/4K3R w'
  chuhe show startpos h2e2 h9g7 --style ascii
  chuhe show startpos h2e2 --svg board.svg --arrow h9g7 --arrow b9c7:blue";

/// Arguments of `show`.
#[derive(Args, Debug)]
pub struct Show {
    /// Position before the first move as FEN; default 'startpos'.
    pub fen: Option<String>,
    /// Moves played, such as h2e2.
    pub moves: Vec<String>,
    /// Style of the pieces.
    #[arg(long, value_enum, default_value_t)]
    pub style: BoardStyle,
    /// Show the board from Black's side.
    #[arg(long)]
    pub flip: bool,
    /// Use colours; 'auto' does so on a terminal unless NO_COLOR is set.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,
    /// Write an SVG diagram to this file instead; '-' is standard output.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["style", "color"])]
    pub svg: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long, conflicts_with_all = ["svg", "style", "color", "flip"])]
    pub json: bool,
    /// Draw an arrow in the diagram, such as h2e2 or h2e2:blue; may be repeated.
    #[arg(long = "arrow", value_name = "MOVE[:COLOUR]", requires = "svg")]
    pub arrows: Vec<Arrow>,
}

/// Prints the position as text with the game state, or writes a diagram.
pub fn show(args: &Show, position: &Position, mut out: StdoutLock<'static>) -> Result<(), CommandError> {
    if args.json {
        return show_object(position, &mut out);
    }
    let last_move = position.history().last().map(|played| played.mv);
    let Some(path) = &args.svg else {
        let board = Board { position, last_move, style: args.style, flipped: args.flip };
        let mut out = AutoStream::new(out, colours(args.color));
        return Ok(write!(out, "{board}\n{}", board.state())?);
    };
    let arrows = args.arrows.clone();
    let diagram = Diagram { position, last_move, arrows, flipped: args.flip }.to_file();
    if path == Path::new("-") {
        return Ok(out.write_all(diagram.as_bytes())?);
    }
    write_atomically(path, diagram.as_bytes()).map_err(CommandError::in_file(path))
}

/// Prints a position as JSON.
fn show_object(position: &Position, out: &mut impl Write) -> Result<(), CommandError> {
    let verdict = Rules::default().verdict(position);
    let words = |moves: &mut dyn Iterator<Item = Move>| moves.map(|mv| mv.to_string()).collect::<Vec<_>>();
    let object = json!({
        "fen": position.to_string(),
        "side": side_name(position.side()),
        "check": position.in_check(),
        "moves": words(&mut position.history().iter().map(|played| played.mv)),
        "legal_moves": words(&mut position.legal_moves().into_iter()),
        "verdict": verdict.word(),
        "reason": verdict.reason().map(ToString::to_string),
    });
    write_json(out, "position", &object)
}

/// Prints the moves of a game in every notation: as a table, or as JSON with an object for each move.
pub fn write_notations(game: &Game, as_json: bool, out: &mut impl Write) -> Result<(), CommandError> {
    let mut rows =
        vec![[&["ply"][..], &Dialect::ALL.map(Dialect::name)].concat().into_iter().map(String::from).collect()];
    let mut position = game.start.clone();
    for (ply, mv) in (1..).zip(game.line()) {
        let words = Dialect::ALL.map(|dialect| write(&position, mv, dialect));
        if as_json {
            let object = Object::default().with("ply", ply).with("fen", position.to_string());
            let named = Dialect::ALL.iter().zip(&words);
            write_json(out, "move", &named.fold(object, |object, (dialect, word)| object.with(dialect.name(), word)))?;
        } else {
            rows.push([&[ply.to_string()][..], &words].concat());
        }
        position.make(mv);
    }
    let columns: Vec<usize> = (1..=Dialect::ALL.len()).collect();
    if as_json { Ok(()) } else { Ok(out.write_all(aligned(&rows, &columns).as_bytes())?) }
}

fn colours(choice: ColorChoice) -> anstream::ColorChoice {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
}
