//! Answers and events for a page.

use std::sync::mpsc::{SyncSender, TrySendError};

use serde::Serialize;
use thiserror::Error;

use crate::engine::EngineError;
use crate::notation::NotationError;
use crate::notation::game::GameError;
use crate::position::{FenError, PlayError};

/// Reason why a request has no answer.
#[derive(Debug, Error)]
pub enum RequestFault {
    /// The position is invalid.
    #[error("invalid position: {0}")]
    Position(#[from] FenError),
    /// A move is illegal.
    #[error("invalid move: {0}")]
    Move(#[from] PlayError),
    /// A text is not a move.
    #[error("{0}")]
    Notation(#[from] NotationError),
    /// A game cannot be read.
    #[error("{0}")]
    Game(#[from] GameError),
    /// Error of the engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Error of a writer.
    #[error("cannot write the game: {0}")]
    Output(#[from] std::io::Error),
    /// Other fault of the request.
    #[error("{0}")]
    Other(String),
}

impl RequestFault {
    /// Fault described by a text.
    pub(super) fn other(text: impl Into<String>) -> RequestFault {
        RequestFault::Other(text.into())
    }
}

/// Answer to a request: exactly one of the two fields is present.
#[derive(Serialize)]
struct Answer<T> {
    id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Event of a search.
#[derive(Serialize)]
struct Event<T> {
    id: u64,
    event: &'static str,
    #[serde(flatten)]
    content: T,
}

/// Messages for a page, in order.
#[derive(Clone)]
pub(super) struct Outbox(SyncSender<String>);

impl Outbox {
    pub(super) fn new(sender: SyncSender<String>) -> Outbox {
        Outbox(sender)
    }

    /// Answers a request.
    pub(super) fn answer(&self, id: u64, result: Result<impl Serialize, RequestFault>) {
        let (ok, error) = match result {
            Ok(content) => (Some(content), None),
            Err(fault) => (None, Some(fault.to_string())),
        };
        self.send(&Answer { id, ok, error });
    }

    /// Sends an event.
    pub(super) fn event(&self, id: u64, event: &'static str, content: impl Serialize) {
        self.send(&Event { id, event, content });
    }

    /// Sends an event unless the page is behind.
    pub(super) fn event_if_ready(&self, id: u64, event: &'static str, content: impl Serialize) {
        if let Ok(text) = serde_json::to_string(&Event { id, event, content })
            && let Err(TrySendError::Full(_)) = self.0.try_send(text)
        {
            log::debug!("a line was left out because the page is behind");
        }
    }

    fn send(&self, message: &impl Serialize) {
        match serde_json::to_string(message) {
            // Fails only when the page is gone.
            Ok(text) => drop(self.0.send(text)),
            Err(error) => log::error!("a message could not be written: {error}"),
        }
    }
}
