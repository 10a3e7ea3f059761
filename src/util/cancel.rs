//! Cancellation flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Cancellation flag, set by Ctrl-C or by another thread. Clones share one flag.
///
/// ```
/// use chuhe::util::cancel::CancelFlag;
/// let flag = CancelFlag::default();
/// let clone = flag.clone();
/// assert!(!flag.cancel(), "it was not set before");
/// assert!(clone.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Sets the flag. Returns whether it was set before.
    pub fn cancel(&self) -> bool {
        self.0.swap(true, Relaxed)
    }

    /// Returns whether the flag is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Relaxed)
    }
}
