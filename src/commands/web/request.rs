//! Requests of a page, as JSON.
//!
//! Every message is an object with a number `id`, which the answer repeats, and the name of a request in `do`.
//! `docs/web.md` describes them.

use serde::{Deserialize, Serialize};

/// Message of a page.
#[derive(Clone, Debug, Deserialize)]
pub struct Message {
    /// Number chosen by the page.
    pub id: u64,
    /// The request.
    #[serde(flatten)]
    pub request: Request,
}

/// Request by its name.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request {
    /// Version and settings of the program.
    Hello,
    /// State of a game after its last move.
    Position(Line),
    /// The move that a text in any notation means.
    ReadMove(ReadMove),
    /// FEN of a board that was set up by hand.
    SetUp(SetUp),
    /// Moves of the opening books.
    Book(Line),
    /// Values of the endgame tables.
    Tablebase(Line),
    /// Start a search; events follow.
    Go(Box<Go>),
    /// Analyse all positions of a game; events follow.
    Review(Review),
    /// Stop the search of this page.
    Stop,
    /// Read games in any format.
    Import(Import),
    /// Write a game.
    Export(Box<Export>),
}

/// Line of a game.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Line {
    /// FEN before the first move; the start position if it is missing.
    pub start: Option<String>,
    /// Moves in coordinates.
    #[serde(default)]
    pub moves: Vec<String>,
    /// Rules of repetition; those of computers if the name is missing.
    pub rules: Option<String>,
}

/// A move as text.
#[derive(Clone, Debug, Deserialize)]
pub struct ReadMove {
    /// Game before the move.
    #[serde(flatten)]
    pub line: Line,
    /// The move in any notation.
    pub text: String,
}

/// Board set up by hand.
#[derive(Clone, Debug, Deserialize)]
pub struct SetUp {
    /// 90 letters as in a FEN, from a9 to i0, a dot for an empty square.
    pub board: String,
    /// `red` or `black`.
    pub side: String,
}

/// Purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// A move of the game, with the chosen strength, by book or search.
    Play,
    /// Lines until it is stopped, or until a limit.
    Analyse,
    /// A proposal at full strength.
    Hint,
    /// The answer to a draw offer.
    Draw,
}

/// Search.
#[derive(Clone, Debug, Deserialize)]
pub struct Go {
    /// The game.
    #[serde(flatten)]
    pub line: Line,
    /// Purpose.
    pub purpose: Purpose,
    /// Number of lines.
    pub lines: Option<usize>,
    /// Skill level, 1 to 20.
    pub skill: Option<u8>,
    /// Depth in plies.
    pub depth: Option<usize>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Time in milliseconds.
    pub time: Option<u64>,
    /// Time left on the clock in milliseconds.
    pub clock: Option<u64>,
    /// Increment of the clock in milliseconds.
    pub increment: Option<u64>,
    /// Moves may come from the opening books.
    #[serde(default)]
    pub book: bool,
    /// Endgame tables are used.
    #[serde(default)]
    pub tablebases: bool,
}

/// Analysis of a game.
#[derive(Clone, Debug, Deserialize)]
pub struct Review {
    /// The game.
    #[serde(flatten)]
    pub line: Line,
    /// Time of each position in milliseconds.
    pub time: Option<u64>,
    /// Depth of each position in plies.
    pub depth: Option<usize>,
}

/// Games as text or as the bytes of a file.
#[derive(Clone, Debug, Deserialize)]
pub struct Import {
    /// Text.
    pub text: Option<String>,
    /// Bytes in base 64.
    pub data: Option<String>,
}

/// Game to write.
#[derive(Clone, Debug, Deserialize)]
pub struct Export {
    /// The game.
    pub game: GameObject,
    /// Name of the format.
    pub format: String,
    /// Notation of the moves.
    pub notation: Option<String>,
}

/// Game tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GameObject {
    /// Names and values.
    #[serde(default)]
    pub tags: Vec<(String, String)>,
    /// FEN before the first move; the start position if it is missing.
    pub start: Option<String>,
    /// Comment before the first move.
    #[serde(default)]
    pub comment: String,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    #[serde(default)]
    pub result: String,
    /// Moves; each comes after its parent, and the first of several with one parent is the main line.
    pub nodes: Vec<NodeObject>,
}

/// Move of a tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NodeObject {
    /// Index of the move before; none for a first move.
    pub parent: Option<usize>,
    /// The move in coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// Comment after the move.
    #[serde(default)]
    pub comment: String,
    /// The move in Chinese; ignored in a request.
    #[serde(skip_deserializing)]
    pub chinese: String,
    /// The move in Latin letters; ignored in a request.
    #[serde(skip_deserializing)]
    pub wxf: String,
}
