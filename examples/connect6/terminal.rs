//! Board and games as text.

use std::io::{self, Write};

use crate::board::{Board, GameResult, Point, SIZE, Side};
use crate::opening::opening_of;
use crate::search::{Player, Settings};

/// Returns the board as text: X for Black, O for White, with the stones of the last turn in brackets.
fn board_text(board: &Board) -> String {
    let letters: String = (0..SIZE).map(|column| format!(" {}", char::from(b'A' + column as u8))).collect();
    let last: Vec<Point> = board.history().rev().take(if board.stone_count() == 1 { 1 } else { 2 }).collect();
    let mut text = format!("  {letters}\n");
    for row in (0..SIZE as i32).rev() {
        let mut cells = [' '; 2 * SIZE + 1];
        for point in (0..SIZE as i32).filter_map(|column| Point::new(column, row)) {
            let cell = 2 * point.column() as usize + 1;
            cells[cell] = match board.stone(point) {
                Some(Side::Black) => 'X',
                Some(Side::White) => 'O',
                None => '.',
            };
            if last.contains(&point) {
                (cells[cell - 1], cells[cell + 1]) = ('(', ')');
            }
        }
        text += &format!("{:>2}{}\n", row + 1, cells.iter().collect::<String>().trim_end());
    }
    text
}

/// Plays a game from these stones and shows every turn.
pub fn play(settings: [Settings; 2], opening: &[Point], mut output: impl Write) -> io::Result<()> {
    let mut players = settings.map(Player::new);
    players.iter_mut().for_each(|player| player.position.play(opening));
    loop {
        let board = players[0].position.board();
        writeln!(output, "{}", board_text(board))?;
        if let Some(result) = board.result() {
            let name = opening_of(board.history()).map(|opening| format!("opening {opening}, ")).unwrap_or_default();
            let text = match result {
                GameResult::Win(side) => format!("{} has six in a row", side.name()),
                GameResult::Draw => "a draw".to_owned(),
            };
            return writeln!(output, "{name}{} stones: {text}", board.stone_count());
        }
        let side = board.side();
        let turn = players[side.index()].choose();
        writeln!(output, "{}: {}", side.name(), turn.iter().map(Point::to_string).collect::<Vec<_>>().join(" "))?;
        players.iter_mut().for_each(|player| player.position.play(&turn));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_is_drawn() {
        let mut board = Board::default();
        board.play(&["J10", "A1", "B1"].map(|name| name.parse().unwrap()));
        let text = board_text(&board);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "   A B C D E F G H I J K L M N O P Q R S");
        assert_eq!(lines[10], "10 . . . . . . . . . X . . . . . . . . .");
        assert_eq!(lines[19], " 1(O(O). . . . . . . . . . . . . . . . .");
        assert_eq!(lines.len(), 20);
    }

    #[test]
    fn a_game_against_itself_ends() {
        let opening = ["J10", "J9", "J8"].map(|name| name.parse().unwrap());
        let mut output = Vec::new();
        play([Settings::default(); 2], &opening, &mut output).unwrap();
        let text = String::from_utf8(output).unwrap();
        let last = text.lines().last().unwrap();
        assert!(last.starts_with("opening T-J8, "), "{last}");
        assert!(last.ends_with("six in a row") || last.ends_with("a draw"), "{last}");
    }
}
