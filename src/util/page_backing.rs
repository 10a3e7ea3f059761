//! Backing of memory by pages in the background.
//!
//! The system provides memory for a page when it is first written. For a large table that takes seconds, which would
//! come out of the clock of the first search.

use std::collections::VecDeque;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

use super::cores::cores;
use super::huge_pages::Pages;

/// Bytes that a thread backs at a time, a whole number of huge pages: small, so that memory that is given up is soon
/// left alone.
const CHUNK_BYTES: usize = 8 << 20;

/// Backs pages on as many threads as there are cores. The threads end with the work. Pages of memory that is dropped
/// are skipped. Clones share the work.
#[derive(Clone, Default)]
pub struct PageBacking(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    /// Pages, each with the number of bytes that some thread backs or has backed.
    pages: VecDeque<(Pages, usize)>,
    /// Number of threads at work.
    threads: usize,
    /// Number of [pauses](PageBacking::pause) that last.
    pauses: usize,
    /// Called when no thread is at work.
    when_done: Vec<Box<dyn FnOnce() + Send>>,
}

impl PageBacking {
    /// Begins to back these pages. If the system grants no thread, they are left as they are.
    pub fn start(&self, pages: impl IntoIterator<Item = Pages>) {
        let mut queue = lock(&self.0);
        queue.pages.extend(pages.into_iter().map(|pages| (pages, 0)));
        self.spawn(&mut queue);
    }

    /// Keeps the threads from beginning with further pages until the result is dropped. Does not wait for those that
    /// they are at.
    pub fn pause(&self) -> Pause {
        lock(&self.0).pauses += 1;
        Pause(self.clone())
    }

    /// Gives up what is not backed yet, and waits for the threads at work.
    pub fn cancel(&self) {
        lock(&self.0).pages.clear();
        let (sender, done) = channel();
        self.when_done(move || {
            let _ = sender.send(());
        });
        let _ = done.recv();
    }

    /// Calls `done` once all pages are backed or the work is paused: at once if either is so already.
    pub fn when_done(&self, done: impl FnOnce() + Send + 'static) {
        let mut queue = lock(&self.0);
        if queue.threads > 0 {
            queue.when_done.push(Box::new(done));
            return;
        }
        drop(queue);
        done();
    }

    /// Starts the threads that the queue needs, unless the work is paused.
    fn spawn(&self, queue: &mut Queue) {
        if queue.pauses > 0 {
            return;
        }
        let chunks: usize = queue.pages.iter().map(|(pages, _)| pages.bytes().div_ceil(CHUNK_BYTES)).sum();
        for _ in queue.threads..cores().get().min(chunks) {
            let work = self.clone();
            match Builder::new().name("pages".into()).spawn(move || work.run()) {
                Ok(_) => queue.threads += 1,
                Err(error) => log::debug!("no thread to back memory: {error}"),
            }
        }
        if queue.threads == 0 {
            queue.pages.clear();
        }
    }

    /// Backs one chunk after another until the queue is empty or the work is paused.
    fn run(&self) {
        loop {
            let mut queue = lock(&self.0);
            let next = if queue.pauses == 0 { queue.pages.front_mut() } else { None };
            let Some((pages, next)) = next else {
                queue.threads -= 1;
                let done = if queue.threads == 0 { std::mem::take(&mut queue.when_done) } else { Vec::new() };
                drop(queue);
                done.into_iter().for_each(|call| call());
                return;
            };
            let (pages, start) = (pages.clone(), *next);
            if start >= pages.bytes() {
                queue.pages.pop_front();
                continue;
            }
            *next += CHUNK_BYTES;
            drop(queue);
            pages.back(start..start + CHUNK_BYTES);
        }
    }
}

/// Pause of the work of a [`PageBacking`], which goes on when this is dropped.
pub struct Pause(PageBacking);

impl Drop for Pause {
    fn drop(&mut self) {
        let mut queue = lock(&self.0.0);
        queue.pauses -= 1;
        self.0.spawn(&mut queue);
    }
}

fn lock(work: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    work.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::huge_pages::ZeroedSlice;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    #[test]
    fn all_pages_are_backed_before_the_end_is_known() {
        let backing = PageBacking::default();
        let (sender, done) = channel();
        let first = sender.clone();
        backing.when_done(move || first.send(0).unwrap());
        assert_eq!(done.try_recv(), Ok(0), "nothing to do");
        let slices = [1, 3_000_000, 700].map(|length| ZeroedSlice::<AtomicU64>::new(length).unwrap());
        slices[1][2_999_999].store(7, Relaxed);
        // Memory that is dropped meanwhile is no obstacle.
        let dropped = ZeroedSlice::<AtomicU64>::new(5_000_000).unwrap();
        backing.start(slices.iter().map(ZeroedSlice::pages).chain([dropped.pages()]));
        drop(dropped);
        backing.start([slices[0].pages()]);
        backing.when_done(move || sender.send(1).unwrap());
        assert_eq!(done.recv(), Ok(1));
        assert_eq!(slices[1].iter().map(|word| word.load(Relaxed)).sum::<u64>(), 7);
        let queue = lock(&backing.0);
        assert!(queue.threads == 0 && queue.pages.is_empty() && queue.when_done.is_empty());
        #[cfg(target_os = "linux")]
        for slice in &slices {
            assert!(is_in_memory(slice));
        }
    }

    #[test]
    fn work_that_is_paused_goes_on_later() {
        let backing = PageBacking::default();
        let pauses = [backing.pause(), backing.pause()];
        let slice = ZeroedSlice::<AtomicU64>::new(3_000_000).unwrap();
        backing.start([slice.pages()]);
        let (sender, done) = channel();
        let first = sender.clone();
        backing.when_done(move || first.send(0).unwrap());
        assert_eq!(done.try_recv(), Ok(0), "nothing is done until the end of the pauses");
        let [first, last] = pauses;
        drop(first);
        assert!(lock(&backing.0).threads == 0 && lock(&backing.0).pages.len() == 1);
        drop(last);
        backing.when_done(move || sender.send(1).unwrap());
        assert_eq!(done.recv(), Ok(1));
        assert!(lock(&backing.0).pages.is_empty());
        #[cfg(target_os = "linux")]
        assert!(is_in_memory(&slice));
    }

    #[test]
    fn what_is_cancelled_is_left_alone() {
        let backing = PageBacking::default();
        let slice = ZeroedSlice::<AtomicU64>::new(200_000_000).unwrap();
        backing.start([slice.pages()]);
        backing.cancel();
        let queue = lock(&backing.0);
        assert!(queue.threads == 0 && queue.pages.is_empty());
    }

    /// Returns whether all pages of a slice are in memory, as the system reports it.
    #[cfg(target_os = "linux")]
    fn is_in_memory(slice: &[AtomicU64]) -> bool {
        use std::io::{Read, Seek, SeekFrom};

        const PAGE: usize = 4096;
        const IS_PRESENT: u64 = 1 << 63;
        let first = slice.as_ptr().addr() / PAGE;
        let pages = size_of_val(slice).div_ceil(PAGE);
        let mut map = std::fs::File::open("/proc/self/pagemap").unwrap();
        map.seek(SeekFrom::Start(8 * first as u64)).unwrap();
        let mut bytes = vec![0; 8 * pages];
        map.read_exact(&mut bytes).unwrap();
        bytes.as_chunks().0.iter().all(|&page| u64::from_le_bytes(page) & IS_PRESENT != 0)
    }
}
