//! Game files and positions: conversion, notation, adjudication, and the `show` command.

pub mod convert;

use std::io::{Stdout, Write};

use anstream::AutoStream;
use clap::{Args, ColorChoice};
use serde_json::json;

use crate::console::chinese::Terminal;
use crate::console::{Board, BoardStyle, Object, Result, aligned, write_json};
use crate::notation::game::{Game, Warning};
use crate::notation::{Dialect, write};
use crate::position::Position;
use crate::rules::{Chase, CycleMove, MoveCount, Reason, Rules, TrackedPiece, Verdict};

pub const HELP: &str = "\
The piece that moved last is in brackets, and the square it came from is marked. If the terminal draws
lines two columns wide, use --style ascii.

Examples:
  chuhe show
  chuhe show '3ak4/9/9/9/9/9/9/9/4A4/4K3R w'
  chuhe show startpos h2e2 h9g7 --style ascii";

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
    /// Print one JSON object.
    #[arg(long, conflicts_with_all = ["style", "color", "flip"])]
    pub json: bool,
}

/// Prints the position as text with the game state.
pub fn show(args: &Show, position: &Position, mut out: Stdout) -> Result {
    if args.json {
        return show_object(position, &mut out);
    }
    let last_move = position.history().last().map(|played| played.mv);
    let board = Board { position, last_move, style: args.style, flipped: args.flip };
    writeln!(AutoStream::new(out, colours(args.color)), "{board}")?;
    Ok(write!(Terminal::new(true), "{}", board.state())?)
}

fn show_object(position: &Position, out: &mut impl Write) -> Result {
    let verdict = Rules::default().verdict(position);
    let object = json!({
        "fen": position.to_string(),
        "side": position.side(),
        "check": position.in_check(),
        "moves": position.history().iter().map(|played| played.mv).collect::<Vec<_>>(),
        "legal_moves": position.legal_moves().to_vec(),
        "verdict": verdict.word(),
        "reason": verdict.reason().map(ToString::to_string),
    });
    write_json(out, "position", &object)
}

/// Prints the moves of a game in every notation: as a table, or as JSON with an object for each move.
pub fn write_notations(game: &Game, as_json: bool, out: &mut impl Write) -> Result {
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

/// Formats the verdict on a game, of which the end may be cut, its reason, and for a repetition the checks and chases
/// of every move of the cycle.
pub fn verdict_text(rules: Rules, position: &Position, cut: Option<&Warning>) -> String {
    let verdict = rules.verdict(position);
    let mut text = format!("{}\n", verdict.word());
    if let Some(reason) = verdict.reason() {
        text.push_str(&format!("{reason}\n"));
        if let Reason::Repetition(cycle) = reason {
            cycle.moves.iter().for_each(|mv| text.push_str(&move_line(mv)));
        }
    }
    if let Some(cut) = cut {
        let plies = position.history().len();
        text.push_str(&format!("The game goes on after ply {plies}, but cannot be read: {}.\n", cut.reason));
    }
    if let Some((plies, earlier)) = earlier_decision(rules, position) {
        let reason = earlier.reason().map_or(String::new(), ToString::to_string);
        text.push_str(&format!("The game was already over after ply {plies}: {}, {reason}.\n", earlier.word()));
    }
    text
}

/// Returns the ply after which the game was over, if moves follow.
fn earlier_decision(rules: Rules, position: &Position) -> Option<(usize, Verdict)> {
    rules.first_decision(position).filter(|(plies, _)| *plies < position.history().len())
}

fn move_line(mv: &CycleMove) -> String {
    let piece = |tracked: &TrackedPiece| format!("{} {}", tracked.piece.kind().name(), tracked.square);
    let checks = mv.checkers.iter().map(|checker| format!("{} checks", piece(checker)));
    let chase = |Chase { attacker, victim }: &Chase| format!("{} threatens {}", piece(attacker), piece(victim));
    let violations: Vec<String> = checks.chain(mv.chases.iter().map(chase)).collect();
    // As columns they are translated one by one.
    let violations = if violations.is_empty() { "idle".to_owned() } else { violations.join("  ") };
    format!("  ply {:<4} {:<6} {}  {violations}\n", mv.ply, mv.side.to_string(), mv.mv)
}

/// Writes the verdict as one line of JSON.
pub fn write_verdict(rules: Rules, position: &Position, cut: Option<&Warning>, out: &mut impl Write) -> Result {
    let verdict = rules.verdict(position);
    let reason = verdict.reason();
    let cycle = match reason {
        Some(Reason::Repetition(cycle)) => Some(cycle),
        _ => None,
    };
    let object = Object::default()
        .with("verdict", verdict.word())
        .with("rules", rules.set.name())
        .with("natural_limit", rules.move_limit)
        .with("kind", reason.map(Reason::kind))
        .with("reason", reason.map(ToString::to_string))
        // The side that loses by repetition.
        .with("offender", cycle.and_then(|cycle| cycle.loser()))
        .with("fen", position.to_string())
        .with("plies", position.history().len())
        .with("counted_plies", MoveCount::new(rules.set, position).plies())
        .with("over_after_ply", earlier_decision(rules, position).map(|(plies, _)| plies))
        .with("cut", cut.map(|cut| cut.reason.as_str()))
        .with("cycle", cycle.map(|cycle| cycle.moves.iter().map(move_object).collect::<Vec<_>>()));
    write_json(out, "verdict", &object)
}

fn move_object(mv: &CycleMove) -> Object {
    let piece = |tracked: &TrackedPiece| {
        let object = Object::default().with("piece", tracked.piece.kind().name());
        object.with("square", tracked.square.to_string())
    };
    let chase =
        |chase: &Chase| Object::default().with("attacker", piece(&chase.attacker)).with("victim", piece(&chase.victim));
    Object::default()
        .with("ply", mv.ply)
        .with("side", mv.side)
        .with("move", mv.mv)
        .with("checkers", mv.checkers.iter().map(piece).collect::<Vec<_>>())
        .with("chases", mv.chases.iter().map(chase).collect::<Vec<_>>())
}
