//! Large zeroed memory on huge pages, where the system has them, and prefetching.
//!
//! With 4 KiB pages nearly every read at a random address misses the TLB as well. For the transposition table and the
//! continuation history huge ones make the search about 5 % faster (`docs/experiments.md`), which pays for the
//! `unsafe`.
#![allow(unsafe_code)]

use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicI16, AtomicU32};

#[cfg(not(target_family = "wasm"))]
use memmap2::{MmapOptions, MmapRaw as Pages};

/// Types for which memory filled with zero bytes holds valid values.
///
/// # Safety
/// Any number of zero bytes of the type's size must be a valid value of it, and it must not need to be dropped.
pub unsafe trait Zeroable {}

// SAFETY: zero is a number.
unsafe impl Zeroable for i16 {}
// SAFETY: an atomic has the representation of its number.
unsafe impl Zeroable for AtomicI16 {}
// SAFETY: as for `AtomicI16`.
unsafe impl Zeroable for AtomicU32 {}
// SAFETY: an array is valid when its elements are.
unsafe impl<T: Zeroable, const N: usize> Zeroable for [T; N] {}
// SAFETY: the alignment of a value does not change what its bytes mean, and there are no other fields.
unsafe impl<T: Zeroable> Zeroable for CacheLine<T> {}

/// Value that starts at the start of a cache line of 64 bytes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub struct CacheLine<T>(pub T);

/// Slice of `T` that starts as zeros. The system provides memory for a page when it is first written.
pub struct ZeroedSlice<T> {
    map: Pages,
    length: usize,
    element: PhantomData<T>,
}

impl<T: Zeroable> ZeroedSlice<T> {
    pub fn new(length: usize) -> io::Result<ZeroedSlice<T>> {
        // A mapping starts at a page, which satisfies any alignment up to its size.
        const { assert!(align_of::<T>() <= PAGE_BYTES && size_of::<T>() > 0) };
        let bytes = length.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
        #[cfg(not(target_family = "wasm"))]
        let map = Pages::from(MmapOptions::new().len(bytes.max(1)).map_anon()?);
        #[cfg(target_family = "wasm")]
        let map = zeroed_pages(bytes)?;
        #[cfg(all(target_os = "linux", not(miri)))]
        if let Err(error) = map.advise(memmap2::Advice::HugePage) {
            log::debug!("no huge pages: {error}");
        }
        Ok(ZeroedSlice { map, length, element: PhantomData })
    }
}

pub const PAGE_BYTES: usize = 4096;

/// Memory of WebAssembly, which has no mappings.
#[cfg(target_family = "wasm")]
type Pages = Vec<Page>;

#[cfg(target_family = "wasm")]
#[derive(Clone, Copy)]
#[repr(align(4096))]
#[allow(dead_code, reason = "it is read as other types")]
struct Page([u8; PAGE_BYTES]);

#[cfg(target_family = "wasm")]
fn zeroed_pages(bytes: usize) -> io::Result<Pages> {
    let (mut pages, count) = (Vec::new(), bytes.div_ceil(PAGE_BYTES));
    pages.try_reserve_exact(count).map_err(|_| io::ErrorKind::OutOfMemory)?;
    pages.resize(count, Page([0; PAGE_BYTES]));
    Ok(pages)
}

impl<T: Zeroable> Deref for ZeroedSlice<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: only this value reads or writes the mapping; it is page-aligned and at least `length` elements long;
        // its zero bytes are valid elements by the bound on `T`, and everything written since was written as `T`.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast(), self.length) }
    }
}

impl<T: Zeroable> DerefMut for ZeroedSlice<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `deref`, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.map.as_mut_ptr().cast(), self.length) }
    }
}

/// Hints to the processor that the cache line of `value` will be read soon, if it knows such a hint.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction; it reads nothing and cannot fault, and the address is
        // that of a live reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    // WebAssembly has no hint, but a processor does not wait for a byte that nothing uses.
    #[cfg(target_family = "wasm")]
    // SAFETY: the address is that of a live reference, there are no other threads, and the byte may be anything.
    let _ = unsafe { std::ptr::from_ref(value).cast::<std::mem::MaybeUninit<u8>>().read_volatile() };
    #[cfg(not(any(target_arch = "x86_64", target_family = "wasm")))]
    let _ = value;
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
        let lines = ZeroedSlice::<CacheLine<[AtomicU32; 8]>>::new(3).unwrap();
        assert!(lines.iter().all(|line| std::ptr::from_ref(line).addr() % 64 == 0 && size_of_val(line) == 64));
        assert!([usize::MAX, usize::MAX / 4].iter().all(|&length| ZeroedSlice::<i16>::new(length).is_err()));
    }
}
