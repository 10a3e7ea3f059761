//! Loops that are compiled once for every set of vector instructions, the best of which the machine has is chosen at
//! run time.
//!
//! A loop over numbers is written once, in plain Rust. `for_each_path!` has it compiled for AVX2 and for AVX-512 beside the
//! portable code, and makes of all of them one function whose first argument says which to take. Since all paths are the
//! same source, integers come out the same bit for bit; sums of floats do as long as the source says in which order they
//! are added. On 64-bit ARM, NEON belongs to every machine and the portable path is compiled for it. It knows nothing of
//! what is computed.

/// Which vector instructions a loop is compiled for. There is a path only for what this machine can do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Path(Instructions);

/// Sets of vector instructions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[non_exhaustive]
pub enum Instructions {
    /// What every machine of its kind has: SSE2 on x86-64, NEON on 64-bit ARM.
    Portable,
    /// AVX2 and FMA, 256 bits: Intel since 2013, AMD since 2015.
    Avx2,
    /// AVX-512 with bytes and words, 512 bits.
    Avx512,
}

impl Path {
    /// The one that works everywhere.
    pub const PORTABLE: Path = Path(Instructions::Portable);

    /// The best one that this machine has.
    ///
    /// ```
    /// use chuhe::util::simd::Path;
    /// assert_eq!(Path::available().last(), Some(&Path::best()));
    /// ```
    pub fn best() -> Path {
        #[cfg(target_arch = "x86_64")]
        {
            // The answers are kept by the standard library; asking again costs a load.
            let has_avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if has_avx2 && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                return Path(Instructions::Avx512);
            }
            if has_avx2 {
                return Path(Instructions::Avx2);
            }
        }
        Path::PORTABLE
    }

    /// All that this machine has, the best one last.
    pub fn available() -> Vec<Path> {
        let all = [Instructions::Portable, Instructions::Avx2, Instructions::Avx512];
        all.map(Path).into_iter().filter(|&path| path <= Path::best()).collect()
    }

    /// What it is compiled for.
    #[inline(always)]
    pub fn instructions(self) -> Instructions {
        self.0
    }
}

/// Makes a function that is compiled for every path of a function that is `#[inline(always)]`. Its first argument is
/// the [`Path`] to take.
macro_rules! for_each_path {
    ($(
        $(#[$meta:meta])*
        $visibility:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $(-> $result:ty)? = $body:path;
    )+) => {$(
        $(#[$meta])*
        #[inline(always)]
        #[allow(clippy::too_many_arguments)]
        $visibility fn $name(path: $crate::util::simd::Path, $($argument: $kind),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            #[allow(clippy::too_many_arguments)]
            fn avx2($($argument: $kind),*) $(-> $result)? {
                $body($($argument),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,avx512f,avx512bw")]
            #[allow(clippy::too_many_arguments)]
            fn avx512($($argument: $kind),*) $(-> $result)? {
                $body($($argument),*)
            }
            match path.instructions() {
                // SAFETY: there is such a path only on a machine that has these instructions.
                #[cfg(target_arch = "x86_64")]
                $crate::util::simd::Instructions::Avx2 => unsafe { avx2($($argument),*) },
                // SAFETY: likewise.
                #[cfg(target_arch = "x86_64")]
                $crate::util::simd::Instructions::Avx512 => unsafe { avx512($($argument),*) },
                _ => $body($($argument),*),
            }
        }
    )+};
}
pub(crate) use for_each_path;

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(always)]
    fn sum_of(numbers: &[i16], times: i32) -> i32 {
        numbers.iter().map(|&number| i32::from(number) * times).sum()
    }

    for_each_path! {
        /// The sum of all numbers, so many times.
        fn sum(numbers: &[i16], times: i32) -> i32 = sum_of;
    }

    #[test]
    fn every_path_of_this_machine_does_the_same() {
        let numbers: Vec<i16> = (-300..1000).collect();
        for path in Path::available() {
            assert_eq!(sum(path, &numbers, 7), 7 * 454_350, "{path:?}");
        }
    }
}
