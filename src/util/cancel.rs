//! Cancellation flag.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Cancellation flag, set by Ctrl-C or by another thread. Clones share one flag.
#[derive(Clone, Default)]
pub struct CancelFlag(Arc<State>);

#[derive(Default)]
struct State {
    is_set: AtomicBool,
    /// What else ends work in progress, by the order in which the work began.
    actions: Mutex<BTreeMap<u64, Box<dyn Fn() + Send>>>,
}

impl CancelFlag {
    /// Sets the flag and ends the work of [`CancelFlag::during`]. Returns whether the flag was set before.
    pub fn cancel(&self) -> bool {
        let was_set = self.0.is_set.swap(true, SeqCst);
        self.actions().values().for_each(|end| end());
        was_set
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.is_set.load(SeqCst)
    }

    /// Does work that does not look at the flag: `end` is called when the flag is set meanwhile, not if it was before.
    pub fn during<T>(&self, end: impl Fn() + Send + 'static, work: impl FnOnce() -> T) -> T {
        let mut actions = self.actions();
        let number = actions.last_key_value().map_or(0, |(last, _)| last + 1);
        actions.insert(number, Box::new(end));
        drop(actions);
        let result = work();
        self.actions().remove(&number);
        result
    }

    fn actions(&self) -> MutexGuard<'_, BTreeMap<u64, Box<dyn Fn() + Send>>> {
        self.0.actions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for CancelFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CancelFlag").field(&self.is_cancelled()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_in_progress_is_ended_and_other_work_is_not() {
        let (flag, ended) = (CancelFlag::default(), CancelFlag::default());
        let end = || {
            let ended = ended.clone();
            move || _ = ended.cancel()
        };
        flag.during(end(), || ());
        flag.during(|| (), || flag.cancel());
        assert!(flag.is_cancelled() && !ended.is_cancelled());
        flag.during(end(), || flag.cancel());
        assert!(ended.is_cancelled());
    }
}
