//! Which move is best within limits.
//!
//! Alpha-beta in negamax form with iterative deepening. [`Shared`] is what threads have in common, a [`Worker`] is one
//! thread's own state, a [`Pool`] is all of them, a [`Reporter`] listens. The search never prints, reads no options and
//! knows no protocol.

mod bounds;
mod correction;
mod endings;
mod eval_cache;
mod extend;
mod history;
mod iterate;
mod limits;
mod margins;
mod node;
mod null_move;
mod params;
mod picker;
mod pvs;
mod quiescence;
mod report;
mod reward;
mod shared;
mod stack;
mod threads;
mod time;
mod transposition;
mod vote;
mod worker;

pub use history::{Continuation, History};
pub use limits::{Clock, KnownValue, Limits, MAX_DEPTH};
pub use params::{Parameter, ParameterError, Params};
pub use picker::{Picker, PickerMode, Refutations, Stage};
pub use report::{Iteration, Outcome, Reporter};
pub use shared::{Shared, Signal};
pub use stack::Line;
pub use threads::{MAX_THREADS, Pool};
pub use time::{Budget, IterationStats, should_stop_after_iteration};
pub use transposition::{AllocationError, Bound, Entry, Table, value_from_table, value_to_table};
pub use worker::{EvalNoise, STACK_SIZE, Worker};
