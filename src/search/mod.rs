//! Search for the best move within limits.
//!
//! Alpha-beta in negamax form with iterative deepening, on one thread or several. The search prints nothing, reads no
//! options and depends on no protocol.
//!
//! Three kinds of data are kept apart: [`SearchConfig`] does not change during a search and is shared by all threads,
//! `SearchState` belongs to one thread and one search and is replaced whole by the next, and `ThreadData` (histories of
//! moves, evaluation cache) belongs to one thread and survives from search to search. Correction history survives too,
//! but all threads of a [`ThreadPool`] share it. [`Shared`] holds the transposition table and the [`SearchSignals`],
//! which may change while a search runs.
//!
//! The path of a search: [`ThreadPool::search`] gives the configuration to every thread, `iterate` deepens, `pvs`
//! searches a node and `quiescence` resolves its captures.

mod bounds;
mod correction;
mod history;
mod iterate;
mod limits;
mod margins;
mod material_scale;
mod node_kind;
mod params;
mod picker;
mod proof;
mod pruning;
mod pvs;
mod quiescence;
mod ranked_moves;
mod report;
mod searcher;
mod signals;
mod state;
mod statistics;
mod threads;
mod time;
mod transposition;
mod updates;

pub use history::{Continuation, History, HistoryKeys};
pub use limits::{Clock, KnownValue, Limits, MAX_DEPTH};
pub use margins::BaseReductions;
pub use params::{Parameter, ParameterError, Params};
pub use picker::{Picker, PickerMode, Refutations, Stage};
pub use report::{Outcome, PvReport, Reporter};
pub use signals::SearchSignals;
pub use state::{EvalNoise, Line, SearchConfig, Shared};
pub use statistics::{DEPTH_CLASSES, EvaluationError, PruningRule, RuleStatistics, SearchStatistics};
pub use threads::{JobThread, MAX_THREADS, STACK_SIZE, ThreadPool};
pub use time::{Budget, IterationStats, should_stop_after_iteration};
pub use transposition::{AllocationError, Bound, Entry, TranspositionTable, value_from_table, value_to_table};
