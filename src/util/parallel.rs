//! Number of processor cores, and parallel maps over items or indices.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

/// Returns the number of cores that the program may use; 1 if the system does not report it.
pub fn cores() -> NonZeroUsize {
    available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

const MAX_THREADS: usize = 256;

/// Maps items on several threads, each with its own state from `prepare`, and returns the results in their order.
pub fn map_ordered<T, S, R: Send>(
    items: impl Iterator<Item = T> + Send,
    threads: usize,
    prepare: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) -> R + Sync,
) -> Vec<R> {
    let items = Mutex::new(items.enumerate());
    let run = || {
        let (mut state, mut results) = (prepare(), Vec::new());
        loop {
            let drawn = items.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((index, item)) = drawn else { return results };
            results.push((index, work(&mut state, item)));
        }
    };
    let mut results = std::thread::scope(|scope| {
        // Without a thread that the system does not grant, the others do its part.
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, run).ok();
        let workers: Vec<_> = (1..threads.min(MAX_THREADS)).filter_map(spawn).collect();
        let mut results = run();
        for worker in workers {
            match worker.join() {
                Ok(more) => results.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Calls `work` for all indices below `count` on several threads; returns the results that it pushes, in their order.
pub fn map_indices<R: Send>(threads: usize, count: usize, work: impl Fn(usize, &mut Vec<R>) + Sync) -> Vec<R> {
    /// Number of indices that a thread takes at a time, unless that leaves threads without work.
    const BATCH: usize = 16;
    let batch = BATCH.min(count.div_ceil(4 * threads.max(1))).max(1);
    let batches = (0..count).step_by(batch).map(|first| first..count.min(first + batch));
    let all = |(): &mut (), indices: std::ops::Range<usize>| {
        let mut results = Vec::new();
        indices.for_each(|index| work(index, &mut results));
        results
    };
    map_ordered(batches, threads.min(count.div_ceil(4)), || (), all).into_iter().flatten().collect()
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
        for count in [0, 1, 5, 1000] {
            let found = map_indices(7, count, |index, found| found.extend([index; 2]));
            assert!(found.iter().copied().eq((0..2 * count).map(|item| item / 2)), "{count} indices");
        }
        let panics = || map_ordered(0..1000usize, 2, || (), |(), item| assert!(item > 1000));
        assert!(std::panic::catch_unwind(panics).is_err(), "a panic is passed on");
        assert!(map_ordered(std::iter::empty::<usize>(), 3, || (), |(), item| item).is_empty());
    }
}
