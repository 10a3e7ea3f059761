//! Large zeroed memory on large pages.
//!
//! A search reads its tables in no order, so with small pages nearly every read also misses the processor's page
//! tables. Where the system grants large pages they are asked for; elsewhere this is ordinary memory.

use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use memmap2::{MmapMut, MmapOptions};

/// Types for which memory filled with zero bytes holds valid values.
///
/// # Safety
/// Any number of zero bytes of the type's size must be a valid value of it, and it must not need to be dropped.
pub unsafe trait Zeroable {}

// SAFETY: zero is a number.
unsafe impl Zeroable for i16 {}

/// A slice of `T` that starts as zeros. Pages that were never written take no memory.
pub struct ZeroedSlice<T> {
    map: MmapMut,
    length: usize,
    element: PhantomData<T>,
}

impl<T: Zeroable> ZeroedSlice<T> {
    /// `length` zeroed elements.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub fn new(length: usize) -> io::Result<ZeroedSlice<T>> {
        // Mappings begin at a page, which is more than any of our elements wants.
        const { assert!(align_of::<T>() <= 4096 && size_of::<T>() > 0) };
        let bytes = length.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapOptions::new().len(bytes.max(1)).map_anon()?;
        #[cfg(target_os = "linux")]
        if let Err(error) = map.advise(memmap2::Advice::HugePage) {
            log::debug!("no large pages: {error}");
        }
        Ok(ZeroedSlice { map, length, element: PhantomData })
    }
}

impl<T: Zeroable> Deref for ZeroedSlice<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the mapping is private to this value, page-aligned and at least `length` elements long; its zero
        // bytes are valid elements by the bound on `T`, and whatever was written since was written as `T`.
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
    fn an_absurd_length_is_refused() {
        assert!(ZeroedSlice::<i16>::new(usize::MAX).is_err());
        assert!(ZeroedSlice::<i16>::new(usize::MAX / 4).is_err());
    }
}
