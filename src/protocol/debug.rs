//! Answers for a person who types commands to find a fault: the board (`d`) and the list of commands and options
//! (`help`). Clients need neither.

use super::options::option_help;
use crate::position::Position;
use crate::types::Square;

/// Commands, for `help`.
const COMMANDS: [&str; 9] = [
    "ucci, uci: speak UCCI (the default) or UCI",
    "position startpos|fen FEN [moves MOVES]; banmoves MOVES",
    "go [depth N] [nodes N] [movetime N] [time N] [mate N] [searchmoves MOVES] [infinite]; stop",
    "go perft N: count the move sequences of N plies below each move",
    "setoption NAME VALUE, or setoption name NAME value VALUE; help options: list all options",
    "d: show the board; eval: show the evaluation; probe startpos|fen FEN: show the transposition table entry",
    "bench [DEPTH]: search a fixed set of positions and count the nodes",
    "isready; ucinewgame; lines that begin with # are comments",
    "quit: end the program. For the manual see README.md and 'chuhe --help'",
];

/// Returns the lines of `help`, or of `help options`.
pub(super) fn help(topic: &str) -> Vec<String> {
    if topic.trim().eq_ignore_ascii_case("options") {
        option_help().into_iter().map(|help| format!("{}. {}", help.heading, help.text)).collect()
    } else {
        COMMANDS.map(str::to_owned).into()
    }
}

/// Returns the board in letters, Red's in upper case, with the FEN and the key of the position.
pub(super) fn board(position: &Position) -> Vec<String> {
    let square = |file, rank| position.piece_on(Square::new(file, rank)).map_or('.', |piece| piece.letter());
    let row = |rank: u8| {
        let squares: String = (0..Square::FILES).flat_map(|file| [' ', square(file, rank)]).collect();
        format!("{rank} {squares}")
    };
    let mut lines: Vec<String> = (0..Square::RANKS).rev().map(row).collect();
    lines.push("   a b c d e f g h i".to_owned());
    lines.push(format!("fen {position}"));
    lines.push(format!("key {:016x}", position.key()));
    lines
}
