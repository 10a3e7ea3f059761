//! Protocol of the Chinese student championships in computer games: one command a line, on standard input and output.
//!
//! | command | answer |
//! |---|---|
//! | `name?` | `name NAME` |
//! | `new black`, `new white` | a new game; as Black the first move |
//! | `move ABCD` | plays the opponent's stones AB and CD, then `move EFGH`; a single first stone is `ABCD` = `JJ@@` |
//! | `error` | none: the last move was refused, and the game is over |
//! | `end` | none: the game is over |
//! | `quit` | the program ends |
//!
//! A point is two letters from A to S, its column and its row. Any other line has the answer `error` with a reason and
//! changes nothing.

use std::io::{self, BufRead, Write};

use crate::board::{Point, Side, Turn};
use crate::search::{Player, Settings};

pub const NAME: &str = "Chuhe";
/// Letters of the missing second stone.
const NO_STONE: &str = "@@";

/// Returns a turn as four letters.
pub fn turn_text(turn: &[Point]) -> String {
    let letter = |place: i32| char::from(b'A' + place as u8);
    let mut text: String = turn.iter().flat_map(|point| [letter(point.column()), letter(point.row())]).collect();
    if turn.len() == 1 {
        text += NO_STONE;
    }
    text
}

/// Parses four letters, the last two of which may be `@@`, or two.
pub fn parse_turn(text: &str) -> Result<Turn, String> {
    let bad = || format!("'{text}' is no move such as JJ@@ or JKKL");
    let stones = text.strip_suffix(NO_STONE).unwrap_or(text).as_bytes();
    let point = |pair: &[u8]| {
        let [column, row] = pair else { return None };
        let place = |letter: u8| i32::from(letter.to_ascii_uppercase()) - i32::from(b'A');
        Point::new(place(*column), place(*row))
    };
    let points: Option<Vec<Point>> = stones.chunks(2).map(point).collect();
    let points = points.filter(|points| (1..=2).contains(&points.len())).ok_or_else(bad)?;
    Ok(points.into_iter().collect())
}

/// Dialogue with the platform.
pub struct Session {
    settings: Settings,
    /// The game in progress, with the player's side.
    game: Option<(Player, Side)>,
}

impl Session {
    pub fn new(settings: Settings) -> Session {
        Session { settings, game: None }
    }

    /// Returns the answer to a line, if it has one, or why it is faulty.
    pub fn answer(&mut self, line: &str) -> Result<Option<String>, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => Ok(None),
            ["name?"] => Ok(Some(format!("name {NAME}"))),
            ["new", name] => {
                let side = Side::BOTH.into_iter().find(|side| side.name() == name);
                let side = side.ok_or_else(|| format!("'{name}' is neither black nor white"))?;
                self.game = Some((Player::new(self.settings), side));
                Ok(self.reply())
            }
            ["move", text] => {
                let turn = parse_turn(text)?;
                let (player, side) = self.game.as_mut().ok_or("no game is in progress")?;
                let board = player.position.board();
                if board.side() == *side {
                    return Err("it is not the opponent's turn".to_owned());
                }
                board.check(&turn)?;
                player.position.play(&turn);
                Ok(self.reply())
            }
            ["error" | "end", ..] => {
                self.game = None;
                Ok(None)
            }
            _ => Err("the commands are name?, new black, new white, move ABCD, error, end and quit".to_owned()),
        }
    }

    /// Plays and returns the player's move, if it is its turn.
    fn reply(&mut self) -> Option<String> {
        let (player, side) = self.game.as_mut()?;
        let board = player.position.board();
        if board.side() != *side || board.result().is_some() {
            return None;
        }
        let turn = player.choose();
        player.position.play(&turn);
        Some(format!("move {}", turn_text(&turn)))
    }
}

/// Iterates over lines to the end of the input; bytes that are not UTF-8 are replaced.
pub fn lines(input: impl BufRead) -> impl Iterator<Item = String> {
    input.split(b'\n').map_while(Result::ok).map(|line| String::from_utf8_lossy(&line).trim().to_owned())
}

/// Answers lines until `quit` or the end of the input. Returns whether there was a line.
pub fn run(settings: Settings, input: impl BufRead, mut output: impl Write) -> io::Result<bool> {
    let (mut session, mut is_used) = (Session::new(settings), false);
    for line in lines(input) {
        is_used = true;
        if line == "quit" {
            break;
        }
        let answer = session.answer(&line).unwrap_or_else(|reason| Some(format!("error {reason}")));
        if let Some(answer) = answer {
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
    }
    Ok(is_used)
}

#[cfg(test)]
mod tests {
    use chuhe::util::math::StableRandom;

    use super::*;
    use crate::board::Board;

    fn dialogue(input: &[u8]) -> Vec<String> {
        let mut output = Vec::new();
        run(Settings::default(), input, &mut output).unwrap();
        String::from_utf8(output).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_dialogue_has_its_answers() {
        assert_eq!(dialogue(b"name?\nnew black\nend\nquit\nname?\n"), ["name Chuhe", "move JJ@@"]);
        let answers = dialogue(b"new white\r\nmove JJ@@\r\nerror\nmove KKKL\nnew white\nmove JJ\n");
        assert_eq!((answers.len(), answers[1].as_str()), (3, "error no game is in progress"));
        assert_eq!(parse_turn(answers[0].strip_prefix("move ").unwrap()).map(|turn| turn.len()), Ok(2));
    }

    #[test]
    fn faulty_lines_have_one_line_as_answer_and_change_nothing() {
        let mut session = Session::new(Settings::default());
        for line in ["move AAAB", "new", "new red", "go", "move", "name", "move JJ@@"] {
            assert!(session.answer(line).is_err(), "{line}");
        }
        session.answer("new black").unwrap();
        for text in ["JJKK", "AAAA", "AA@@", "@@@@", "@@AA", "AATA", "AAA", "AAABAC", "河", "A\u{0}AB", "AA AB"] {
            assert!(session.answer(&format!("move {text}")).is_err(), "{text}");
        }
        // After all that the move is accepted.
        assert!(session.answer("move kkkl").is_ok_and(|answer| answer.unwrap().starts_with("move ")));
        assert_eq!((session.answer("error"), session.answer(" ")), (Ok(None), Ok(None)));
    }

    #[test]
    fn any_bytes_are_survived() {
        let mut random = StableRandom::new(3, 0);
        let words = ["new black", "new white", "move ", "JJ@@", "AB", "\n", "\n", "error", "end", "name?", " "];
        let mut input = Vec::new();
        for _ in 0..2_000 {
            match random.below(8) {
                0 => input.push(random.below(256) as u8),
                _ => input.extend(words[random.below(words.len())].as_bytes()),
            }
        }
        input.extend([b'x'; 5_000]);
        input.extend(b"\nname?\n\xff\xfe");
        let answers = dialogue(&input);
        assert_eq!(answers[answers.len() - 2], "name Chuhe");
        let known = ["name ", "move ", "error "];
        assert!(answers.iter().all(|line| known.iter().any(|start| line.starts_with(start))));
    }

    #[test]
    fn two_sessions_play_a_whole_game() {
        let mut sessions = Side::BOTH.map(|_| Session::new(Settings { depth: 1, ..Settings::default() }));
        assert_eq!(sessions[1].answer("new white"), Ok(None));
        let mut answer = sessions[0].answer("new black").unwrap();
        let (mut board, mut next) = (Board::default(), 1);
        while let Some(line) = answer {
            let turn = parse_turn(line.strip_prefix("move ").unwrap()).unwrap();
            assert_eq!(turn_text(&turn), line[5..]);
            board.check(&turn).unwrap();
            board.play(&turn);
            answer = sessions[next].answer(&line).unwrap();
            next = 1 - next;
        }
        assert!(board.result().is_some());
    }
}
