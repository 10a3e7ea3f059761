//! Processor cores that the program may use.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

/// Returns the number of cores that the program may use; 1 if the system does not report it.
pub fn cores() -> NonZeroUsize {
    available_parallelism().unwrap_or(NonZeroUsize::MIN)
}
