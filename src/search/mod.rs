//! Which move is best within limits.
//!
//! Alpha-beta in negamax form with iterative deepening. [`Shared`] is what threads have in common, a [`Worker`] is one
//! thread's own state, a [`Pool`] is all of them, a [`Reporter`] listens. The search never prints, reads no options and
//! knows no protocol.

mod correction;
mod endings;
mod evaluations;
mod extend;
mod history;
mod iterate;
mod limits;
mod memory;
mod node;
mod null_move;
mod params;
mod picker;
mod pool;
mod prefetch;
mod prune;
mod pvs;
mod quiesce;
mod report;
mod reward;
mod ruling;
mod shared;
mod stack;
mod table;
mod time;
mod vote;
mod worker;

pub use history::{Continuation, History};
pub use limits::{Clock, Known, Limits, MAX_DEPTH};
pub use params::{Parameter, ParameterError, Params};
pub use picker::{Picker, Refutations, Scope, Stage};
pub use pool::{MOST_THREADS, Pool};
pub use report::{Iteration, Outcome, Reporter};
pub use shared::{Shared, Signal};
pub use stack::Line;
pub use table::{AllocationError, Bound, Entry, Table, value_from_table, value_to_table};
pub use time::{Budget, Judgement, should_stop_after_iteration};
pub use worker::{Noise, STACK_SIZE, Worker};
