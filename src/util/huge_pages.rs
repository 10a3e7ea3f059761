//! Large zeroed memory on huge pages, and prefetching.
//!
//! A search reads its tables at random addresses. With 4 KiB pages nearly every read misses the TLB as well as the
//! caches. Huge pages are requested where the system has them; elsewhere this is ordinary memory. For the transposition
//! table and the continuation history they make the search about 5 % faster (`docs/experiments.md`), which pays for the
//! `unsafe`.
#![allow(unsafe_code)]

use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::sync::atomic::{AtomicI16, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use memmap2::{MmapOptions, MmapRaw};

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
    /// Allocates `length` zeroed elements.
    ///
    /// # Errors
    /// When the system refuses the memory.
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

    /// The pages of the slice.
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

/// Size of the smallest pages of the systems supported.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_starts_as_zeros_and_keeps_what_is_written() {
        let mut slice = ZeroedSlice::<i16>::new(1_000_000).unwrap();
        assert_eq!(slice.len(), 1_000_000);
        assert!(slice.iter().all(|&element| element == 0));
        slice[999_999] = -7;
        assert_eq!(slice[999_999], -7);
    }

    #[test]
    fn backing_leaves_the_contents_alone() {
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
    }

    #[test]
    fn only_atomic_words_may_be_touched() {
        let is_atomic = [
            <CacheLine<[AtomicU64; 8]>>::IS_ATOMIC_WORDS,
            <CacheLine<AtomicU64>>::IS_ATOMIC_WORDS,
            <[AtomicI16; 4]>::IS_ATOMIC_WORDS,
            i16::IS_ATOMIC_WORDS,
        ];
        assert_eq!(is_atomic, [true, false, false, false]);
    }

    #[test]
    fn cache_lines_are_aligned() {
        let slice = ZeroedSlice::<CacheLine<[AtomicU64; 8]>>::new(3).unwrap();
        assert!(slice.iter().all(|line| std::ptr::from_ref(line).addr() % 64 == 0));
        assert_eq!(size_of::<CacheLine<[AtomicU64; 8]>>(), 64);
    }

    #[test]
    fn an_absurd_length_is_refused() {
        assert!(ZeroedSlice::<i16>::new(usize::MAX).is_err());
        assert!(ZeroedSlice::<i16>::new(usize::MAX / 4).is_err());
    }
}
