//! Large zeroed memory on huge pages, its backing by the system in the background, and prefetching.
//!
//! A search reads its tables at random addresses. With 4 KiB pages nearly every read misses the TLB as well as the
//! caches. Huge pages are requested where the system has them; elsewhere this is ordinary memory. For the transposition
//! table and the continuation history they make the search about 5 % faster (`docs/experiments.md`), which pays for the
//! `unsafe`.
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::sync::atomic::{AtomicI16, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::Builder;

use memmap2::{MmapOptions, MmapRaw};

use super::parallel::cores;

/// Types for which memory filled with zero bytes holds valid values.
///
/// # Safety
/// Any number of zero bytes of the type's size must be a valid value of it, and it must not need to be dropped. With
/// `IS_ATOMIC_WORDS` a value must consist of `AtomicU64` alone.
pub unsafe trait Zeroable {
    /// Any thread may write to any word of a value at any time.
    const IS_ATOMIC_WORDS: bool = false;
}

// SAFETY: zero is a number.
unsafe impl Zeroable for i16 {}
// SAFETY: an atomic has the representation of its number.
unsafe impl Zeroable for AtomicI16 {}
// SAFETY: as for `AtomicI16`.
unsafe impl Zeroable for AtomicU64 {
    const IS_ATOMIC_WORDS: bool = true;
}
// SAFETY: an array is valid when its elements are, and consists of them.
unsafe impl<T: Zeroable, const N: usize> Zeroable for [T; N] {
    const IS_ATOMIC_WORDS: bool = T::IS_ATOMIC_WORDS;
}
// SAFETY: the alignment of a value does not change what its bytes mean, and there are no other fields. Padding, which
// only a value that is no whole number of cache lines has, is no word.
unsafe impl<T: Zeroable> Zeroable for CacheLine<T> {
    const IS_ATOMIC_WORDS: bool = T::IS_ATOMIC_WORDS && size_of::<T>() == size_of::<CacheLine<T>>();
}

/// Value that starts at the start of a cache line of 64 bytes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub struct CacheLine<T>(pub T);

/// Slice of `T` that starts as zeros. Pages that are neither written nor [backed](Pages::back) take no memory.
pub struct ZeroedSlice<T> {
    map: Arc<MmapRaw>,
    length: usize,
    element: PhantomData<T>,
}

impl<T: Zeroable> ZeroedSlice<T> {
    pub fn new(length: usize) -> io::Result<ZeroedSlice<T>> {
        // A mapping starts at a page, which satisfies any alignment up to its size.
        const { assert!(align_of::<T>() <= 4096 && size_of::<T>() > 0) };
        let bytes = length.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapRaw::from(MmapOptions::new().len(bytes.max(1)).map_anon()?);
        #[cfg(all(target_os = "linux", not(miri)))]
        if let Err(error) = map.advise(memmap2::Advice::HugePage) {
            log::debug!("no huge pages: {error}");
        }
        Ok(ZeroedSlice { map: Arc::new(map), length, element: PhantomData })
    }

    pub fn pages(&self) -> Pages {
        Pages { map: Arc::downgrade(&self.map), may_touch: T::IS_ATOMIC_WORDS }
    }
}

/// Pages of a [`ZeroedSlice`], which may be backed by memory while the slice is used. They do not keep it alive.
#[derive(Clone)]
pub struct Pages {
    map: Weak<MmapRaw>,
    /// Whether any thread may write to the words of the slice.
    may_touch: bool,
}

impl Pages {
    /// Number of bytes; 0 once the slice is dropped.
    pub fn bytes(&self) -> usize {
        self.map.upgrade().map_or(0, |map| map.len())
    }

    /// Has the system provide zeroed memory for these bytes, which otherwise comes at the first write to each page.
    /// Contents stay as they are. Does nothing for bytes that do not exist, and, on systems without a call for this,
    /// for elements that are not atomic.
    pub fn back(&self, bytes: Range<usize>) {
        let Some(map) = self.map.upgrade() else { return };
        let bytes = bytes.start.min(map.len())..bytes.end.min(map.len());
        #[cfg(all(target_os = "linux", not(miri)))]
        match map.advise_range(memmap2::Advice::PopulateWrite, bytes.start, bytes.len()) {
            Ok(()) => return,
            // An old system does not know the call.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
            Err(error) => {
                log::debug!("pages cannot be populated: {error}");
                return;
            }
        }
        if self.may_touch {
            for start in bytes.step_by(PAGE_BYTES) {
                // SAFETY: the mapping lives as long as `map`, and this word of it is an `AtomicU64` by the bound on
                // `may_touch`; mappings and their pages begin at a multiple of its alignment.
                let word = unsafe { AtomicU64::from_ptr(map.as_mut_ptr().add(start).cast()) };
                // Adds nothing, but is a write.
                word.fetch_add(0, Relaxed);
            }
        }
    }
}

const PAGE_BYTES: usize = 4096;

impl<T: Zeroable> Deref for ZeroedSlice<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: only this value reads or writes the mapping, but for writes to atomic words that leave them as they
        // are; it is page-aligned and at least `length` elements long; its zero bytes are valid elements by the bound
        // on `T`, and everything written since was written as `T`.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast(), self.length) }
    }
}

impl<T: Zeroable> DerefMut for ZeroedSlice<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // Those may be touched meanwhile.
        const { assert!(!T::IS_ATOMIC_WORDS) };
        // SAFETY: as for `deref`, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.map.as_mut_ptr().cast(), self.length) }
    }
}

/// Hints to the processor that the cache line of `value` will be read soon. Does nothing on processors without such a
/// hint.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction; it reads nothing and cannot fault, and the address is
        // that of a live reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Bytes that a thread backs at a time, a whole number of huge pages: small, so that memory that is given up is soon
/// left alone.
const CHUNK_BYTES: usize = 8 << 20;

/// Backs pages on as many threads as there are cores. The threads end with the work. Pages of memory that is dropped
/// are skipped. Clones share the work.
///
/// The system provides memory for a page when it is first written. For a large table that takes seconds, which would
/// come out of the clock of the first search.
#[derive(Clone, Default)]
pub struct PageBacking(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    /// Pages that no thread has begun to back, each with its first byte; a chunk is backed at a time.
    chunks: VecDeque<(Pages, usize)>,
    threads: usize,
    /// Number of [pauses](PageBacking::pause) that last.
    pauses: usize,
    when_done: Vec<Box<dyn FnOnce() + Send>>,
}

impl PageBacking {
    /// Begins to back these pages. If the system grants no thread, they are left as they are.
    pub fn start(&self, pages: impl IntoIterator<Item = Pages>) {
        let mut queue = lock(&self.0);
        for pages in pages {
            queue.chunks.extend((0..pages.bytes()).step_by(CHUNK_BYTES).map(|start| (pages.clone(), start)));
        }
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
        lock(&self.0).chunks.clear();
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
        for _ in queue.threads..cores().get().min(queue.chunks.len()) {
            let work = self.clone();
            match Builder::new().name("pages".into()).spawn(move || work.run()) {
                Ok(_) => queue.threads += 1,
                Err(error) => log::debug!("no thread to back memory: {error}"),
            }
        }
        if queue.threads == 0 {
            queue.chunks.clear();
        }
    }

    /// Backs one chunk after another until the queue is empty or the work is paused.
    fn run(&self) {
        loop {
            let mut queue = lock(&self.0);
            let next = if queue.pauses == 0 { queue.chunks.pop_front() } else { None };
            let Some((pages, start)) = next else {
                queue.threads -= 1;
                let done = if queue.threads == 0 { std::mem::take(&mut queue.when_done) } else { Vec::new() };
                drop(queue);
                done.into_iter().for_each(|call| call());
                return;
            };
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

    #[test]
    fn memory_starts_as_zeros_in_whole_cache_lines_and_keeps_what_is_written() {
        let mut slice = ZeroedSlice::<i16>::new(1_000_000).unwrap();
        assert!(slice.len() == 1_000_000 && slice.iter().all(|&element| element == 0));
        slice[999_999] = -7;
        assert_eq!(slice[999_999], -7);
        let lines = ZeroedSlice::<CacheLine<[AtomicU64; 8]>>::new(3).unwrap();
        assert!(lines.iter().all(|line| std::ptr::from_ref(line).addr() % 64 == 0 && size_of_val(line) == 64));
        assert!([usize::MAX, usize::MAX / 4].iter().all(|&length| ZeroedSlice::<i16>::new(length).is_err()));
    }

    #[test]
    fn backing_leaves_the_contents_alone_and_touches_only_atomic_words() {
        let slice = ZeroedSlice::<CacheLine<[AtomicU64; 8]>>::new(1_000).unwrap();
        slice[999].0[7].store(5, Relaxed);
        slice[64].0[0].store(6, Relaxed);
        let pages = slice.pages();
        assert_eq!(pages.bytes(), 64_000);
        pages.back(4096..1 << 40);
        pages.back(0..8192);
        let sum: u64 = slice.iter().flat_map(|line| &line.0).map(|word| word.load(Relaxed)).sum();
        assert_eq!((sum, slice[999].0[7].load(Relaxed), slice[64].0[0].load(Relaxed)), (11, 5, 6));
        drop(slice);
        pages.back(0..64_000);
        assert_eq!(pages.bytes(), 0);
        let is_atomic = [
            <CacheLine<[AtomicU64; 8]>>::IS_ATOMIC_WORDS,
            <CacheLine<AtomicU64>>::IS_ATOMIC_WORDS,
            <[AtomicI16; 4]>::IS_ATOMIC_WORDS,
            i16::IS_ATOMIC_WORDS,
        ];
        assert_eq!(is_atomic, [true, false, false, false]);
    }

    #[test]
    fn all_pages_are_backed_before_the_end_is_known_and_after_pauses() {
        let backing = PageBacking::default();
        let pauses = [backing.pause(), backing.pause()];
        let slices = [1, 3_000_000, 700].map(|length| ZeroedSlice::<AtomicU64>::new(length).unwrap());
        slices[1][2_999_999].store(7, Relaxed);
        // Memory that is dropped meanwhile is no obstacle.
        let dropped = ZeroedSlice::<AtomicU64>::new(5_000_000).unwrap();
        backing.start(slices.iter().map(ZeroedSlice::pages).chain([dropped.pages()]));
        drop(dropped);
        let (sender, done) = channel();
        let first = sender.clone();
        backing.when_done(move || first.send(0).unwrap());
        assert_eq!(done.try_recv(), Ok(0), "nothing is done until the end of the pauses");
        let [first, last] = pauses;
        drop(first);
        assert!(lock(&backing.0).threads == 0 && lock(&backing.0).chunks.len() > 4);
        drop(last);
        backing.when_done(move || sender.send(1).unwrap());
        assert_eq!(done.recv(), Ok(1));
        assert_eq!(slices[1].iter().map(|word| word.load(Relaxed)).sum::<u64>(), 7);
        let queue = lock(&backing.0);
        assert!(queue.threads == 0 && queue.chunks.is_empty() && queue.when_done.is_empty());
        #[cfg(target_os = "linux")]
        assert!(slices.iter().all(|slice| is_in_memory(slice)));
    }

    #[test]
    fn what_is_cancelled_is_left_alone() {
        let backing = PageBacking::default();
        let slice = ZeroedSlice::<AtomicU64>::new(200_000_000).unwrap();
        backing.start([slice.pages()]);
        backing.cancel();
        let queue = lock(&backing.0);
        assert!(queue.threads == 0 && queue.chunks.is_empty());
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
