//! Number of processor cores, a thread for jobs, and parallel maps over items or indices.

use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle, available_parallelism};

/// Returns the number of cores that the program may use; 1 if the system does not report it.
pub fn cores() -> NonZeroUsize {
    available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

type Job = Box<dyn FnOnce() + Send>;

/// Persistent thread that runs one job after another and ends when it is dropped.
pub struct JobThread {
    jobs: Option<Sender<Job>>,
    handle: Option<JoinHandle<()>>,
}

impl JobThread {
    /// Starts a thread with a stack of this many bytes, if the system grants one.
    pub fn spawn(name: &'static str, stack_size: usize) -> io::Result<JobThread> {
        let (jobs, queue) = channel::<Job>();
        let work = move || {
            for job in queue {
                if catch_unwind(AssertUnwindSafe(job)).is_err() {
                    log::error!("a job of the {name} thread panicked");
                }
            }
        };
        let handle = Builder::new().name(name.into()).stack_size(stack_size).spawn(work)?;
        Ok(JobThread { jobs: Some(jobs), handle: Some(handle) })
    }

    /// Queues a job and returns at once. A panic in it is caught and logged.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        if let Some(jobs) = &self.jobs {
            // The thread receives until the sender is dropped.
            let _ = jobs.send(Box::new(job));
        }
    }
}

impl Drop for JobThread {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
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
        let spawn = |_| Builder::new().spawn_scoped(scope, run).ok();
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

    #[test]
    fn a_thread_survives_a_panic_of_its_job() {
        let thread = JobThread::spawn("search", 1 << 20).unwrap();
        let (sender, results) = channel();
        thread.run(|| panic!("a failure on purpose"));
        thread.run(move || sender.send(std::thread::current().name().map(str::to_owned)).unwrap());
        assert_eq!(results.recv().unwrap().as_deref(), Some("search"));
    }
}
