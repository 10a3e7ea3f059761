//! What differs in a browser, where the program is WebAssembly without an operating system: another clock, and no
//! threads, so that a search itself has to look for a request that ends it.

use std::sync::OnceLock;

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub use std::time::{Duration, Instant};
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub use web_time::{Duration, Instant};

/// Whether the program can start threads.
pub const HAS_THREADS: bool = !cfg!(all(target_arch = "wasm32", target_os = "unknown"));

static POLL: OnceLock<fn()> = OnceLock::new();

/// Sets the function that work calls several times a second where there are no threads; the first one counts.
pub fn poll_by(function: fn()) {
    let _ = POLL.set(function);
}

/// Calls the function of [`poll_by`] where there are no threads.
#[inline(always)]
pub fn poll() {
    if !HAS_THREADS && let Some(function) = POLL.get() {
        function();
    }
}
