//! Games to put into files: random legal ones with comments, and real ones.

use chuhe::notation::Dialect;
use chuhe::notation::format::Format;
use chuhe::notation::game::{Game, GameError, GameNode, GameResult};
use chuhe::position::{Position, Strictness};
use chuhe::types::{Move, Side};
use encoding_rs::GB18030;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub use crate::common::data::GAMES;
use crate::common::data::{self, perft_lines};
use crate::common::walks::random_line;

const RESULTS: [GameResult; 4] = [GameResult::RedWins, GameResult::BlackWins, GameResult::Draw, GameResult::Unknown];

/// Comments with everything that a format may take for something else.
const COMMENTS: [&str; 12] = [
    "",
    "",
    "",
    "好棋",
    "a plain remark (not a variation) ; and more",
    "unbalanced ) and ( signs :-)",
    "lines\n[Event \"no tag\"]\n\n% no escape\n1-0",
    "1. h2e2 1-0 $3 *",
    "\"quoted\" \\ masked \\n",
    "［全角］ ｛全角｝",
    "long long long long long long long long long long long long long long long long long long long long line",
    "联通",
];

/// All games that a file holds, faults included; a game that lacks its end is one.
pub fn read(format: Format, bytes: &[u8]) -> Vec<Result<Game, GameError>> {
    format.games(bytes, Strictness::Strict).map(|game| game.and_then(Game::with_end)).collect()
}

pub fn read_well(format: Format, bytes: &[u8]) -> Vec<Game> {
    read(format, bytes).into_iter().map(|game| game.unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// The file of these games.
pub fn written(format: Format, games: &[Game], dialect: Dialect) -> Vec<u8> {
    let mut file = Vec::new();
    games.iter().for_each(|game| format.write(&mut file, game, dialect).unwrap());
    file
}

/// The only game of a list of moves, which is detected and read alike in UTF-8 and in GBK.
pub fn read_list(text: &str) -> Game {
    let gbk = GB18030.encode(text).0;
    // Vietnamese is not written in GBK.
    let is_vietnamese = text.contains(|c: char| !c.is_ascii() && c < '\u{2000}');
    let [mut game, other] = [text.as_bytes(), if is_vietnamese { text.as_bytes() } else { &gbk }].map(|bytes| {
        assert_eq!(Format::detect(bytes), Some(Format::MoveList), "{text}");
        read_well(Format::MoveList, bytes)
    });
    assert!(game.len() == 1 && game == other, "{text}");
    game.remove(0)
}

pub fn words(game: &Game) -> String {
    game.line().iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
}

pub fn comments(game: &Game) -> Vec<&str> {
    game.nodes.iter().map(|node| node.comment.as_str()).collect()
}

/// Moves by their names, each of which must be legal.
pub fn moves(start: &Position, text: &str) -> Vec<GameNode> {
    let game = Game::from_line(start.clone(), data::moves(text));
    assert!(game.is_valid(), "{text} in {start}");
    game.nodes
}

/// Random games of all kinds: from the start and from other positions, of either side, without a move and with many.
pub fn random_games(seed: u64, count: usize) -> Vec<Game> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let starts: Vec<&str> = perft_lines().into_iter().map(|line| line.fen).collect();
    (0..count).map(|index| random_game(&mut random, &starts, index)).collect()
}

fn random_game(random: &mut ChaCha8Rng, starts: &[&str], index: usize) -> Game {
    let start = if index.is_multiple_of(2) {
        Position::start()
    } else {
        Position::from_fen(starts.choose(random).expect("there are positions")).expect("they are valid")
    };
    let plies = random.random_range(0..90);
    let mut game = Game::from_line(start.clone(), random_line(&mut start.clone(), plies, random));
    let comment = |random: &mut ChaCha8Rng| (*COMMENTS.choose(random).expect("there are some")).to_owned();
    game.nodes.iter_mut().for_each(|node| node.comment = comment(random));
    let tags = [
        ("Event", format!("第{index}届 \"杯\" \\ [赛]")),
        ("Site", "Somewhere \"] else".to_owned()),
        ("Red", "胡荣华".to_owned()),
        ("RedTeam", "上海\\".to_owned()),
    ];
    Game {
        tags: tags.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        comment: comment(random),
        result: *RESULTS.choose(random).expect("there are some"),
        ..game
    }
}

/// The game without the counters of its position, if that is valid with this side to move.
pub fn without_counters(game: Game, side: char) -> Option<Game> {
    let start = Position::from_fen(&format!("{} {side}", game.start.board_text())).ok()?;
    Some(Game { start, ..game })
}

pub fn side(game: &Game) -> char {
    if game.start.side() == Side::Red { 'w' } else { 'b' }
}

pub fn bare(game: &Game) -> Game {
    Game { result: game.result, ..Game::from_line(game.start.clone(), game.line()) }
}
