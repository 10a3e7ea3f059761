//! The wish of a person that work ends early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The wish that all work ends, which may come from a signal at any time. Copies are the same wish.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on all work ends as soon as it can. Returns whether that was asked for before.
    pub fn request(&self) -> bool {
        self.0.swap(true, Relaxed)
    }

    /// Whether work is to end.
    pub fn is_requested(&self) -> bool {
        self.0.load(Relaxed)
    }
}
