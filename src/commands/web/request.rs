//! Requests of a page, as JSON.
//!
//! Every message is an object with a number `id`, which the answer repeats, and the name of a request in `do`.
//! `docs/web.md` describes them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::console::chinese::both;

/// Request by its name.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request {
    Hello,
    Position(Line),
    ReadMove(ReadMove),
    SetUp(SetUp),
    Book(Line),
    Tablebase(Line),
    Go(Box<Go>),
    Review(Review),
    Stop,
    Import(Import),
    Export(Box<Export>),
    KeepGame(Box<KeepGame>),
}

/// Reads a message: the number of a request, and the request. An error is the answer to the message.
pub fn read(text: &str) -> Result<(u64, Request), String> {
    let message: Result<Value, _> = serde_json::from_str(text);
    let id = message.as_ref().ok().and_then(|message| message["id"].as_u64());
    let fault = match (message.and_then(Request::deserialize), id) {
        (Ok(request), Some(id)) => return Ok((id, request)),
        (Ok(_), None) => "it has no number 'id'".to_owned(),
        (Err(error), _) => error.to_string(),
    };
    Err(answer(id.unwrap_or(0), Err(RequestFault(format!("the request is malformed: {fault}")))))
}

/// Content of an answer, or of the event that ends a task.
pub type Content = Result<Value, RequestFault>;

/// Returns the answer to a request.
pub fn answer(id: u64, result: Content) -> String {
    let message = match result {
        Ok(content) => json!({ "id": id, "ok": content }),
        Err(fault) => json!({ "id": id, "error": both(&fault.0) }),
    };
    message.to_string()
}

/// Returns an event of the request with this number.
pub fn event(id: u64, event: &str, mut content: Value) -> String {
    (content["id"], content["event"]) = (id.into(), event.into());
    content.to_string()
}

/// Returns the event that ends a task: `finished`, or `failed`.
pub fn last_event(id: u64, result: Content) -> String {
    match result {
        Ok(content) => event(id, "finished", content),
        Err(fault) => event(id, "failed", json!({ "error": both(&fault.0) })),
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Line {
    /// FEN before the first move; the start position if it is missing.
    pub start: Option<String>,
    #[serde(default)]
    pub moves: Vec<String>,
    /// Rules of repetition; those of computers if the name is missing.
    pub rules: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ReadMove {
    #[serde(flatten)]
    pub line: Line,
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

#[derive(Clone, Debug, Deserialize)]
pub struct Go {
    #[serde(flatten)]
    pub line: Line,
    pub purpose: Purpose,
    pub lines: Option<usize>,
    /// Skill level, from `MIN_SKILL` to `FULL_SKILL`.
    pub skill: Option<i8>,
    pub depth: Option<usize>,
    pub nodes: Option<u64>,
    /// Time in milliseconds.
    pub time: Option<u64>,
    /// Time left on the clock in milliseconds.
    pub clock: Option<u64>,
    /// Increment of the clock in milliseconds.
    pub increment: Option<u64>,
    #[serde(default)]
    pub book: bool,
    #[serde(default)]
    pub tablebases: bool,
}

/// Analysis of a game.
#[derive(Clone, Debug, Deserialize)]
pub struct Review {
    #[serde(flatten)]
    pub line: Line,
    /// Time of each position in milliseconds.
    pub time: Option<u64>,
    pub depth: Option<usize>,
}

/// Games as text or as the bytes of a file.
#[derive(Clone, Debug, Deserialize)]
pub struct Import {
    pub text: Option<String>,
    pub data: Option<String>,
}

/// Game to keep as a file. The name has letters, digits and hyphens.
#[derive(Clone, Debug, Deserialize)]
pub struct KeepGame {
    pub name: String,
    pub game: GameObject,
}

/// Game to write.
#[derive(Clone, Debug, Deserialize)]
pub struct Export {
    pub game: GameObject,
    pub format: String,
    pub notation: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GameObject {
    #[serde(default)]
    pub tags: Vec<(String, String)>,
    /// FEN before the first move; the start position if it is missing.
    pub start: Option<String>,
    #[serde(default)]
    pub comment: String,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    #[serde(default)]
    pub result: String,
    /// Moves; each comes after its parent, and the first of several with one parent is the main line.
    pub nodes: Vec<NodeObject>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NodeObject {
    /// Index of the move before; none for a first move.
    pub parent: Option<usize>,
    #[serde(rename = "move")]
    pub mv: String,
    #[serde(default)]
    pub comment: String,
    /// Ignored in a request, as the next one.
    #[serde(skip_deserializing)]
    pub chinese: String,
    #[serde(skip_deserializing)]
    pub wxf: String,
}

/// Reason why a request has no answer: one line for the user.
#[derive(Debug)]
pub struct RequestFault(pub String);

impl<E: std::error::Error> From<E> for RequestFault {
    fn from(error: E) -> RequestFault {
        RequestFault(error.to_string())
    }
}

/// Fails with this text.
pub(super) fn fault<T>(text: impl Into<String>) -> Result<T, RequestFault> {
    Err(RequestFault(text.into()))
}
