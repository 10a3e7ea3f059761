//! Number of processor cores, and parallel maps over items or indices.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::available_parallelism;

/// Returns the number of cores that the program may use; 1 if the system does not report it.
pub fn cores() -> NonZeroUsize {
    available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Maps items on several threads and returns the results in the order of the items, whatever the number of threads.
/// Each thread has its own state from `prepare`. Items are drawn on the calling thread, at most `2 · threads` ahead.
pub fn map_ordered<T, S, R>(
    items: impl Iterator<Item = T>,
    threads: usize,
    prepare: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) -> R + Sync,
) -> Vec<R>
where
    T: Send,
    R: Send,
{
    if threads <= 1 {
        let mut state = prepare();
        return items.map(|item| work(&mut state, item)).collect();
    }
    let (sender, receiver) = sync_channel::<(usize, T)>(2 * threads);
    // Only the workers own the receiving end, so sending fails instead of blocking when all of them have panicked.
    let receiver = Arc::new(Mutex::new(receiver));
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let run_worker = |receiver: Arc<Mutex<Receiver<(usize, T)>>>| {
            let (mut state, mut results) = (prepare(), Vec::new());
            loop {
                // A thread that panics while holding the lock has not drawn an item.
                let drawn = receiver.lock().unwrap_or_else(|error| error.into_inner()).recv();
                let Ok((index, item)) = drawn else { return results };
                results.push((index, work(&mut state, item)));
            }
        };
        let handles: Vec<_> = (0..threads)
            .map(|_| {
                let receiver = Arc::clone(&receiver);
                scope.spawn(move || run_worker(receiver))
            })
            .collect();
        drop(receiver);
        for item in items.enumerate() {
            if sender.send(item).is_err() {
                break;
            }
        }
        drop(sender);
        let join = |handle: std::thread::ScopedJoinHandle<'_, Vec<(usize, R)>>| match handle.join() {
            Ok(results) => results,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        handles.into_iter().flat_map(join).collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Maximum number of threads of [`map_unordered`].
const MAX_THREADS: usize = 256;

/// Calls `work` for all indices below `count` on several threads and collects the results it pushes, in unspecified
/// order. Threads take a few indices at a time, so that small tasks cause little contention.
pub fn map_unordered<R: Send>(threads: usize, count: usize, work: impl Fn(usize, &mut Vec<R>) + Sync) -> Vec<R> {
    /// Number of indices that a thread takes at a time.
    const BATCH: usize = 4;
    let next = AtomicUsize::new(0);
    let run = || {
        let mut results = Vec::new();
        loop {
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= count {
                return results;
            }
            for index in first..count.min(first + BATCH) {
                work(index, &mut results);
            }
        }
    };
    let threads = threads.min(count.div_ceil(BATCH)).min(MAX_THREADS);
    if threads <= 1 {
        return run();
    }
    std::thread::scope(|scope| {
        // Without a thread that the system does not grant, the others do its part.
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, run).ok();
        let workers: Vec<_> = (1..threads).filter_map(spawn).collect();
        let mut results = run();
        for worker in workers {
            match worker.join() {
                Ok(more) => results.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_number_of_threads() {
        let expected: Vec<usize> = (0..1000).map(|item| item * item).collect();
        for threads in [0, 1, 2, 7] {
            let found = map_ordered(0..1000usize, threads, || (), |(), item| item * item);
            assert_eq!(found, expected, "{threads} threads");
        }
        let panics = || map_ordered(0..1000usize, 2, || (), |(), item| assert!(item > 1000));
        assert!(std::panic::catch_unwind(panics).is_err(), "a panic is passed on");
        assert!(map_ordered(std::iter::empty::<usize>(), 3, || (), |(), item| item).is_empty());
    }
}
