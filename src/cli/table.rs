//! Boards and tables as text.

use crate::eval::{Tapered, Trace, WHOLE_PHASE};
use crate::position::Position;
use crate::types::{Side, Square};

/// The board with the men's Chinese glyphs, ranks and files around it, and the position as FEN below.
///
/// Every point is two columns wide, as the glyphs are.
pub fn board(position: &Position) -> String {
    let mut text = String::new();
    for rank in (0..Square::RANKS).rev() {
        text.push_str(&format!("{rank} "));
        for file in 0..Square::FILES {
            match position.piece_on(Square::new(file, rank)) {
                Some(piece) => text.push(piece.glyph()),
                None => text.push_str(" ."),
            }
        }
        text.push('\n');
        if rank == 5 {
            text.push_str("     楚 河    漢 界\n");
        }
    }
    text.push_str("   a b c d e f g h i\n\n");
    text.push_str(&format!("FEN    {position}\nto move {}\n", position.side()));
    if position.in_check() {
        text.push_str("in check\n");
    }
    if !position.has_legal_move() {
        text.push_str(&format!("{} has no legal move and has lost\n", position.side()));
    }
    text
}

/// The evaluation of a position, each group of terms for both sides.
pub fn evaluation(position: &Position) -> String {
    let trace = Trace::of(position);
    let pair = |worth: Tapered| format!("{:>6} {:>6}", worth.opening, worth.ending);
    let mut text = format!("{:<24}|{:^15}|{:^15}|{:^15}|{:>6}\n", "centipawns", "Red", "Black", "difference", "blend");
    text.push_str(&format!("{:<24}|{:^15}|{:^15}|{:^15}|\n", "", "open.    end.", "open.    end.", "open.    end."));
    let rule = format!("{:-<24}+{:-<15}+{:-<15}+{:-<15}+{:-<6}\n", "", "", "", "", "");
    text.push_str(&rule);
    let mut sums = [Tapered::ZERO; 2];
    let mut row = |name: &str, red: Tapered, black: Tapered| {
        let difference = red - black;
        text.push_str(&format!(
            "{:<24}| {} | {} | {} |{:>6}\n",
            name.replace('_', " "),
            pair(red),
            pair(black),
            pair(difference),
            difference.blend(trace.phase, WHOLE_PHASE)
        ));
    };
    for (name, [red, black]) in trace.groups() {
        row(name, red, black);
        sums[Side::Red.index()] += red;
        sums[Side::Black.index()] += black;
    }
    row("sum", sums[0], sums[1]);
    let value = crate::eval::evaluate(position);
    text.push_str(&rule);
    text.push_str(&format!("phase {} of {WHOLE_PHASE} (opening {WHOLE_PHASE}, ending 0)\n", trace.phase));
    text.push_str(&format!("value for {} to move: {value:+}\n", position.side()));
    text
}
