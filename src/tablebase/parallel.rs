//! Work on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The most threads that work together.
const MAX_THREADS: usize = 256;

/// Does a number of pieces of work on several threads, and gives back what they found, in no particular order.
pub(super) fn in_parallel<R: Send>(threads: usize, pieces: usize, work: impl Fn(usize, &mut Vec<R>) + Sync) -> Vec<R> {
    /// How many pieces a thread takes at a time.
    const BATCH: usize = 4;
    let next = AtomicUsize::new(0);
    let run = || {
        let mut found = Vec::new();
        loop {
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= pieces {
                return found;
            }
            for piece in first..pieces.min(first + BATCH) {
                work(piece, &mut found);
            }
        }
    };
    let threads = threads.min(pieces.div_ceil(BATCH)).min(MAX_THREADS);
    if threads <= 1 {
        return run();
    }
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut found = run();
        for other in others {
            match other.join() {
                Ok(more) => found.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        found
    })
}
