//! A board in the browser: a server for this machine, and the page that it serves.
//!
//! The page holds no rules of the game. It sends requests as JSON ([`request`]) and draws the answers: legal moves,
//! notations and verdicts ([`position`]), lines of a search ([`search`]), and game files (`games`). That much is a
//! library without terminal, file, process, thread or clock of its own.
//!
//! With the feature `web`, [`server`] accepts connections and refuses those of other sites, `http` parses requests and
//! frames of a WebSocket, and `tab` serves one open page. All pages share one engine and take turns ([`share`]), so
//! threads and memory are bounded.

#[cfg(feature = "web")]
pub mod command;
mod games;
#[cfg(feature = "web")]
mod http;
pub mod position;
pub mod request;
pub mod search;
#[cfg(feature = "web")]
pub mod server;
#[cfg(feature = "web")]
pub mod share;
#[cfg(feature = "web")]
mod tab;

use std::path::PathBuf;

use serde_json::json;

use crate::book::Book;
use crate::engine::{FULL_SKILL, MAX_MULTI_PV, MIN_SKILL};
use crate::notation::Dialect;
use crate::notation::format::Format;
use crate::position::{START_FEN, Strictness};
use crate::rules::RuleSet;
use crate::tablebase::Tablebases;
use request::{Content, Request};

/// What requests are answered from.
pub struct Sources {
    pub books: Vec<Book>,
    pub tablebases: Tablebases,
    pub strictness: Strictness,
    /// Folder in which each game is kept as a file.
    pub games: Option<PathBuf>,
}

/// Answers a request that needs no engine; `None` for the others.
pub fn answer(request: &Request, sources: &Sources) -> Option<Content> {
    let strictness = sources.strictness;
    Some(match request {
        Request::Hello => Ok(json!({
            "version": env!("CARGO_PKG_VERSION"),
            "start": START_FEN,
            "min_skill": MIN_SKILL,
            "max_skill": FULL_SKILL,
            "max_lines": MAX_MULTI_PV,
            "rules": RuleSet::NAMED.map(|(name, _)| name),
            "formats": Format::written().map(Format::name).collect::<Vec<_>>(),
            "notations": Dialect::ALL.map(Dialect::name),
            "keeps_games": sources.games.is_some(),
        })),
        Request::Position(line) => position::describe(line, strictness),
        Request::ReadMove(request) => position::read_move(request, strictness),
        Request::SetUp(request) => position::set_up(request, strictness),
        Request::Book(line) => position::book(line, sources),
        Request::Tablebase(line) => position::tablebase(line, sources),
        Request::Import(request) => games::import(request, strictness),
        Request::Export(request) => games::export(request, strictness),
        Request::KeepGame(request) => games::keep(request, sources),
        Request::Go(_) | Request::Review(_) | Request::Stop => return None,
    })
}
