//! What a person who types commands may want to see.

use crate::position::Position;
use crate::types::Square;

/// The commands, for `help`.
pub(super) const HELP: [&str; 8] = [
    "ucci, uci: speak UCCI (as at the start) or UCI",
    "position startpos|fen FEN [moves MOVES]; banmoves MOVES",
    "go [depth N] [nodes N] [movetime N] [time N] [mate N] [searchmoves MOVES] [infinite]; stop",
    "go perft N: count the lines below each move",
    "setoption NAME VALUE, or setoption name NAME value VALUE",
    "d: show the board; eval: show the evaluation; probe startpos|fen FEN: look into the table",
    "bench [DEPTH]: search fixed positions; isready; ucinewgame; # remark",
    "quit: leave. The manual is in the README and in 'chuhe --help'",
];

/// The board in letters, Red's in upper case, and the position as FEN.
pub(super) fn board(position: &Position) -> Vec<String> {
    let point = |file, rank| position.piece_on(Square::new(file, rank)).map_or('.', |piece| piece.letter());
    let row = |rank: u8| {
        let points: String = (0..Square::FILES).flat_map(|file| [' ', point(file, rank)]).collect();
        format!("{rank} {points}")
    };
    let mut lines: Vec<String> = (0..Square::RANKS).rev().map(row).collect();
    lines.push("   a b c d e f g h i".to_owned());
    lines.push(format!("fen {position}"));
    lines.push(format!("key {:016x}", position.key()));
    lines
}
