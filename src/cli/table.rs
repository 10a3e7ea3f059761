//! Boards as text.

use crate::position::Position;
use crate::types::Square;

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
