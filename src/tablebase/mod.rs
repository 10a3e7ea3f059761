//! Exact results of small endings by retrograde analysis.
//!
//! Answers who wins an ending, how soon, and by which moves: it solves endings ([`Endings::solve`], [`build()`]), keeps
//! their tables in files ([`StoredTable`]) and looks positions up in many of them ([`Tablebases`]). It knows positions and
//! moves, but nothing of searches, options and evaluations.
//!
//! An ending is known by its men, a [`Signature`](crate::counting::Signature) such as `KRvKAABB`; the side with the
//! stronger men counts as Red. King, advisors and elephants of a side never leave their half and are numbered together.
//! One attacker is not numbered: a word of ninety bits tells of all its places, so that retrograde analysis (Thompson,
//! *Retrograde analysis of certain endgames*, ICCA Journal 9/3, 1986) moves ninety positions at a time.
//!
//! # What is exact
//!
//! A position that occurs again is a draw here. The rules say otherwise of perpetual checks and chases, so that it
//! depends on the men who is right (Fang, Hsu and Hsu, *Checking indefinitely in Chinese-chess endgames*, 2000):
//!
//! * Where one side has nothing but defenders it can give no check, and a perpetual check of the other side wins nothing
//!   that a draw would not give it. Results are exact under every rule set, but for defenders that can hold only by
//!   chasing a man for ever with an advisor or an elephant.
//! * Where both sides have attackers, one may be held to a draw here that loses by the rules, because it must check or
//!   chase for ever. [`is_exact`] tells these endings apart.
//!
//! The natural move limit is not part of a value: plies are counted to the next capture that wins, so that whoever asks
//! can tell whether it comes in time.
//!
//! ```
//! use chuhe::position::Position;
//! use chuhe::tablebase::{Tablebases, Value};
//! let (shelf, _) = Tablebases::open(&[]);
//! let position = Position::from_fen("3ak4/9/9/9/9/9/9/9/9/3K4R w")?;
//! let found = shelf.probe(&position)?;
//! assert_eq!(found.value, Value::Win(found.value.plies().unwrap_or(0)));
//! assert!(found.line.len() > 1, "the line goes on to mate");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod captures;
mod check;
mod endings;
mod fills;
mod group;
mod layout;
mod parallel;
mod retrograde;
mod slice_board;
mod store;
mod stored;
mod table;
mod tablebases;
mod value;
mod verify;

pub use build::{BuildError, Plan, Step, build, prepare};
pub use endings::{EndingError, Endings, draws_are_exact, is_exact, needed_for, stronger_first};
pub use layout::MAX_ATTACKERS;
pub use retrograde::Progress;
pub use store::{Content, StoreError, path_of, write};
pub use stored::StoredTable;
pub use table::{Statistics, Table};
pub use tablebases::{Probe, ProbeError, Tablebases, endings_in, make_small_tables, small_endings};
pub use value::{Metric, Outcome, Value};
pub use verify::{VerifyError, value_from_successors, verify};
