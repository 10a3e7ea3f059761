//! The commands about games: `judge`, `convert` and `notation`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::commands::games::{judge as verdict, write_notations};
use crate::console::args::{JsonArg, RulesArg};
use crate::console::check::{check_file, check_judge_line};
use crate::console::error::CommandError;
use crate::console::input::{Games, input_name, read_game, read_moves, read_position};
use crate::position::Strictness;
use crate::rules::Rules;

pub(super) const JUDGE_HELP: &str = "\
The first line is the verdict: red_wins, black_wins, draw or none. The reason follows, and for a
repetition the threats of every move of the cycle.

Examples:
  chuhe judge '3k5/R8/9/9/9/9/9/4K4/9/9 w' a8a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9
  chuhe judge --json --rules league startpos h2e2 h9g7
  chuhe judge --moves game.txt          moves in any notation, with or without numbers or a FEN
  chuhe judge --file cases.tsv          lines of id, FEN, moves and verdict, separated by tabs";

pub(super) const CONVERT_HELP: &str = "\
Reads PGN, lists of moves, lines of games, XQF (XQStudio), CBR and CBL (象棋桥) and DhtmlXQ; writes all but
lists of moves, CBR and CBL. A game is read up to its first wrong move; what is lost is reported on standard
error, with exit status 1. Variations and comments are kept, except in lines of games. An XQF file holds one game.

A list of moves (movelist) contains moves in any notation, with or without numbers, on one line or many,
from the start position or after 'startpos moves', 'FEN moves' or a line with a FEN; results may end games,
and # or ; begins a comment. A line of games (moves) is a result, a FEN or nothing, and moves, separated by tabs.

Examples:
  chuhe convert game.xqf game.pgn
  chuhe convert games.pgn games.tsv      a line for each game
  echo h2e2 h9g7 h0g2 | chuhe convert - game.pgn
  chuhe convert --notation wxf games.pgn - | less";

pub(super) const NOTATION_HELP: &str = "\
The moves are read as those of a list of moves: in every notation that Chuhe writes, with many variants
of characters, and with or without numbers. A move that begins with a dash must come after '--', or in one
argument with other moves before it.

Examples:
  chuhe notation startpos h2e2 h9g7
  chuhe notation startpos '1. 炮二平五 馬8進7 2. R1+1' --json
  chuhe notation startpos P2-5 M8.7
  chuhe notation '3k5/9/4P4/4P4/4P4/9/9/9/9/4K4 w' 中兵平四";

pub(super) const SHOW_HELP: &str = "\
The piece that moved last is in brackets, and the square it came from is marked. If the terminal draws
lines two columns wide, use --style ascii.

Examples:
  chuhe show
  chuhe show '3ak4/9/9/9/9/9/9/9/4A4/4K3R w'
  chuhe show startpos h2e2 h9g7 --style ascii
  chuhe show startpos h2e2 --svg board.svg --arrow h9g7 --arrow b9c7:blue";

#[derive(Args, Debug)]
pub struct JudgeArgs {
    /// Position before the first move; 'startpos' is the start position.
    #[arg(required_unless_present_any = ["file", "moves_file"])]
    fen: Option<String>,
    /// Moves of the game, such as h2e2.
    moves: Vec<String>,
    /// Judge the game in this file: a list of moves in any notation, PGN, XQF, CBR, CBL or DhtmlXQ; '-' is standard
    /// input.
    #[arg(long = "moves", value_name = "FILE", conflicts_with_all = ["fen", "moves", "file"])]
    moves_file: Option<PathBuf>,
    /// Number of the game in that file, from 1.
    #[arg(long, value_name = "NUMBER", requires = "moves_file", conflicts_with_all = ["fen", "moves", "file"],
        value_parser = clap::value_parser!(u64).range(1..))]
    game: Option<u64>,
    #[command(flatten)]
    rules: RulesArg,
    /// Natural move limit in counted plies, 1 to 1000; by default that of the rules, 120, or 100 for league.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(1..=1000))]
    natural_limit: Option<u16>,
    #[command(flatten)]
    output: JsonArg,
    /// Check the verdicts (red_wins, black_wins, draw or none) of this file; exit status 1 unless all agree.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "moves", "json"])]
    file: Option<PathBuf>,
}

pub(super) fn judge(args: &JudgeArgs, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    let rules = Rules::new(args.rules.rules);
    let rules = Rules { move_limit: args.natural_limit.unwrap_or(rules.move_limit), ..rules };
    if let Some(path) = &args.file {
        return check_file(path, "cases", out, |line| check_judge_line(line, strictness, rules));
    }
    let game = match &args.moves_file {
        Some(path) => Some(Games::open(path, strictness)?.only(args.game).first()?),
        None => None,
    };
    let position = match &game {
        Some(game) => game.end(),
        None => read_game(args.fen.as_deref(), &args.moves, strictness)?,
    };
    let cut = game.as_ref().and_then(|game| game.warnings.cut());
    if args.output.json {
        verdict::write_object(rules, &position, cut, out)?;
    } else {
        out.write_all(verdict::text(rules, &position, cut).as_bytes())?;
    }
    match (&args.moves_file, &game) {
        (Some(path), Some(game)) => CommandError::if_partly_read(input_name(path), game.warnings.has_losses().into()),
        _ => Ok(()),
    }
}

#[derive(Args, Debug)]
pub struct NotationArgs {
    /// Position before the first move; 'startpos' is the start position.
    fen: String,
    /// Moves of the game, such as h2e2, 炮二平五 or C2.5.
    #[arg(required = true)]
    moves: Vec<String>,
    #[command(flatten)]
    output: JsonArg,
}

pub(super) fn notation(args: &NotationArgs, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    let start = read_position(Some(&args.fen), strictness)?;
    let game = read_moves(&start, Some(&args.fen), &args.moves.join(" "), strictness)?;
    write_notations(&game, args.output.json, out)
}
