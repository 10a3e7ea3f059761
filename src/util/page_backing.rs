//! Backing of memory by pages in the background.
//!
//! The system provides memory for a page when it is first written. For a large table that takes seconds, which would
//! come out of the clock of the first search.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

use super::cores::cores;
use super::huge_pages::Pages;

/// Bytes that a thread backs at a time, a whole number of huge pages: small, so that memory that is given up is soon
/// left alone.
const CHUNK_BYTES: usize = 8 << 20;

/// Backs pages on as many threads as there are cores. The threads end with the work. Pages of memory that is dropped
/// are skipped.
#[derive(Default)]
pub struct PageBacking(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    /// Pages, each with the number of bytes that some thread backs or has backed.
    pages: VecDeque<(Pages, usize)>,
    /// Number of threads at work.
    threads: usize,
    /// Called when the queue is empty and no thread is at work.
    when_done: Vec<Box<dyn FnOnce() + Send>>,
}

impl PageBacking {
    /// Begins to back these pages. If the system grants no thread, they are left as they are.
    pub fn start(&self, pages: impl IntoIterator<Item = Pages>) {
        let mut queue = lock(&self.0);
        queue.pages.extend(pages.into_iter().map(|pages| (pages, 0)));
        let chunks: usize = queue.pages.iter().map(|(pages, _)| pages.bytes().div_ceil(CHUNK_BYTES)).sum();
        for _ in queue.threads..cores().get().min(chunks) {
            let work = Arc::clone(&self.0);
            match Builder::new().name("pages".into()).spawn(move || run(&work)) {
                Ok(_) => queue.threads += 1,
                Err(error) => log::debug!("no thread to back memory: {error}"),
            }
        }
        if queue.threads == 0 {
            queue.pages.clear();
        }
    }

    /// Calls `done` once all pages are backed: at once if they are.
    pub fn when_done(&self, done: impl FnOnce() + Send + 'static) {
        let mut queue = lock(&self.0);
        if queue.threads > 0 {
            queue.when_done.push(Box::new(done));
            return;
        }
        drop(queue);
        done();
    }
}

/// Backs one chunk after another until the queue is empty.
fn run(work: &Mutex<Queue>) {
    loop {
        let mut queue = lock(work);
        let Some((pages, next)) = queue.pages.front_mut() else {
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

fn lock(work: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    work.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::sync::mpsc::channel;

    use super::*;
    use crate::util::huge_pages::ZeroedSlice;

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
            assert_eq!(resident_share(slice), 1.0);
        }
    }

    /// Share of the pages of a slice that are in memory, as the system reports it.
    #[cfg(target_os = "linux")]
    fn resident_share(slice: &[AtomicU64]) -> f64 {
        let text = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let address = slice.as_ptr().addr();
        let mut is_inside = false;
        let (mut size, mut resident) = (0.0, 0.0);
        for line in text.lines() {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            if let Some((start, end)) = words[0].split_once('-').filter(|_| !words[0].ends_with(':')) {
                let [start, end] = [start, end].map(|number| usize::from_str_radix(number, 16).unwrap());
                // Mappings side by side are reported as one.
                is_inside = (start..end).contains(&address);
            } else if is_inside && words[0] == "Size:" {
                size = words[1].parse().unwrap();
            } else if is_inside && words[0] == "Rss:" {
                resident = words[1].parse().unwrap();
            }
        }
        resident / size
    }
}
