//! Tests of move lists.

use chuhe::notation::Dialect;
use chuhe::notation::format::Format;
use chuhe::notation::game::GameResult;
use chuhe::position::Position;

use crate::samples::{GAMES, bare, moves, random_games, read, read_well};

#[test]
fn move_lists_round_trip() {
    let games = random_games(1, 60);
    let mut file = Vec::new();
    games.iter().for_each(|game| Format::Moves.write(&mut file, game, Dialect::Coordinate).unwrap());
    let expected: Vec<_> = games.iter().map(bare).collect();
    assert_eq!(read_well(Format::Moves, &file), expected);
}

#[test]
fn real_games_round_trip() {
    let games = read_well(Format::Moves, GAMES.as_bytes());
    assert_eq!(games.len(), 21);
    let mut file = Vec::new();
    games.iter().for_each(|game| Format::Moves.write(&mut file, game, Dialect::Coordinate).unwrap());
    let lines: Vec<&str> = GAMES.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(String::from_utf8(file).unwrap().lines().collect::<Vec<_>>(), lines);
}

#[test]
fn columns_can_be_empty_missing_or_additional() {
    let plain = moves(&Position::start(), "h2e2 h9g7");
    for line in ["1-0\t\th2e2 h9g7", "1-0\th2e2 h9g7", "1-0\t\tH2-E2 h9-g7\tC\tmore", "\u{feff}1-0\t\th2e2 h9g7\r\n"] {
        let games = read_well(Format::Moves, line.as_bytes());
        assert_eq!((games.len(), games[0].result, &games[0].nodes), (1, GameResult::RedWins, &plain), "{line}");
    }
    let games = read_well(Format::Moves, b"\n# nothing\n*\n1/2-1/2\t3ak4/9/9/9/9/9/9/9/4A4/4K3R b\n");
    assert_eq!(games.iter().map(|game| game.result).collect::<Vec<_>>(), [GameResult::Unknown, GameResult::Draw]);
    assert!(games.iter().all(|game| game.nodes.is_empty()));
    assert_eq!(games[1].start.to_string(), "3ak4/9/9/9/9/9/9/9/4A4/4K3R b - - 0 1");
}

#[test]
fn an_error_skips_its_line_and_names_it() {
    let file =
        "1-0\t\th2e2\nnonsense\t\th2e2\n0-1\t\th2e2 h9g7 h0g2 h2e2\n*\t9/9/9 w\th2e2\n1-0\t\th2e2 x\n0-1\t\th2e2\n";
    let games = read(Format::Moves, file.as_bytes());
    let faults: Vec<String> =
        games.iter().map(|game| game.as_ref().map_or_else(ToString::to_string, |_| "".into())).collect();
    assert_eq!((faults.len(), faults[0].as_str(), faults[5].as_str()), (6, "", ""));
    for (fault, parts) in faults[1..].iter().zip([
        &["line 2", "nonsense"][..],
        &["line 3", "ply 4", "h2e2"],
        &["line 4", "ranks"],
        &["line 5", "ply 2", "x"],
    ]) {
        assert!(parts.iter().all(|part| fault.contains(part)), "{fault}");
    }
}
