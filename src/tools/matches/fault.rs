//! What an engine may do wrong in a match.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::notation::game::shortened;

/// Why an engine loses a game otherwise than by the rules. [`fmt::Display`] continues a sentence that begins with its
/// name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The program cannot be started, or does not introduce itself.
    CannotStart(String),
    /// The program ended; how, as far as that is known.
    Crashed(Option<String>),
    /// It did not answer for so long, not even when told to stop.
    Silent(Duration),
    /// It answered with something that is no move.
    Garbage(String),
    /// It says that it has no move, but it has.
    NoMove,
    /// It played a move that is not legal; why not.
    Illegal(String, String),
    /// It used more time than it had, by so much.
    Overstepped(Duration),
}

/// The kinds of faults, to count them by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// It did not start.
    Start,
    /// It ended.
    Crash,
    /// It did not answer.
    Hang,
    /// It answered nonsense.
    Garbage,
    /// It broke the rules.
    Illegal,
    /// It used too much time.
    Time,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [FaultKind; 6] =
        [FaultKind::Start, FaultKind::Crash, FaultKind::Hang, FaultKind::Garbage, FaultKind::Illegal, FaultKind::Time];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Start => "start",
            FaultKind::Crash => "crash",
            FaultKind::Hang => "hang",
            FaultKind::Garbage => "garbage",
            FaultKind::Illegal => "illegal",
            FaultKind::Time => "time",
        }
    }
}

impl Fault {
    /// Its kind.
    pub fn kind(&self) -> FaultKind {
        match self {
            Fault::CannotStart(_) => FaultKind::Start,
            Fault::Crashed(_) => FaultKind::Crash,
            Fault::Silent(_) => FaultKind::Hang,
            Fault::Garbage(_) | Fault::NoMove => FaultKind::Garbage,
            Fault::Illegal(..) => FaultKind::Illegal,
            Fault::Overstepped(_) => FaultKind::Time,
        }
    }

    /// Whether the program is of no more use and must be started again.
    pub fn needs_restart(&self) -> bool {
        matches!(self, Fault::CannotStart(_) | Fault::Crashed(_) | Fault::Silent(_))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::CannotStart(reason) => write!(f, "cannot be started: {reason}"),
            Fault::Crashed(Some(status)) => write!(f, "crashed ({status})"),
            Fault::Crashed(None) => f.write_str("closed its output"),
            Fault::Silent(waited) => write!(f, "did not answer for {:.1} s", waited.as_secs_f64()),
            Fault::Garbage(text) => write!(f, "answered '{}', which is no move", shortened(text)),
            Fault::NoMove => f.write_str("says that it has no move, but it has"),
            Fault::Illegal(text, reason) => write!(f, "played {}, which {reason}", shortened(text)),
            Fault::Overstepped(time) => write!(f, "overstepped the time by {:.1} ms", time.as_secs_f64() * 1e3),
        }
    }
}
