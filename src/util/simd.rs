//! Loops that are compiled once for every set of vector instructions, the best of which the machine has is chosen at
//! run time.
//!
//! A loop over numbers is written once, in plain Rust. `multiversion!` has it compiled for AVX2 and for AVX-512 beside the
//! portable code, and makes of all of them one function whose first argument says which to take. Since all paths are the
//! same source, integers come out the same bit for bit; sums of floats do as long as the source says in which order they
//! are added. On 64-bit ARM, NEON belongs to every machine and the portable path is compiled for it. It knows nothing of
//! what is computed.

/// Which vector instructions a loop is compiled for. There is a path only for what this machine can do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Isa(InstructionSet);

/// Sets of vector instructions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[non_exhaustive]
pub enum InstructionSet {
    /// What every machine of its kind has: SSE2 on x86-64, NEON on 64-bit ARM.
    Portable,
    /// AVX2 and FMA, 256 bits: Intel since 2013, AMD since 2015.
    Avx2,
    /// AVX-512 with bytes and words, 512 bits.
    Avx512,
}

impl Isa {
    /// The one that works everywhere.
    pub const PORTABLE: Isa = Isa(InstructionSet::Portable);

    /// The best one that this machine has.
    ///
    /// ```
    /// use chuhe::util::simd::Isa;
    /// assert_eq!(Isa::available().last(), Some(&Isa::best()));
    /// ```
    pub fn best() -> Isa {
        #[cfg(target_arch = "x86_64")]
        {
            // The answers are kept by the standard library; asking again costs a load.
            let has_avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if has_avx2 && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                return Isa(InstructionSet::Avx512);
            }
            if has_avx2 {
                return Isa(InstructionSet::Avx2);
            }
        }
        Isa::PORTABLE
    }

    /// All that this machine has, the best one last.
    pub fn available() -> Vec<Isa> {
        let all = [InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512];
        all.map(Isa).into_iter().filter(|&path| path <= Isa::best()).collect()
    }

    /// What it is compiled for.
    #[inline(always)]
    pub fn instruction_set(self) -> InstructionSet {
        self.0
    }
}

/// Makes a function that is compiled for every path of a function that is `#[inline(always)]`. Its first argument is
/// the [`Isa`] to take.
macro_rules! multiversion {
    ($(
        $(#[$meta:meta])*
        $visibility:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $(-> $result:ty)? = $body:path;
    )+) => {$(
        $(#[$meta])*
        #[inline(always)]
        #[allow(clippy::too_many_arguments)]
        $visibility fn $name(path: $crate::util::simd::Isa, $($argument: $kind),*) $(-> $result)? {
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
            match path.instruction_set() {
                // SAFETY: there is such a path only on a machine that has these instructions.
                #[cfg(target_arch = "x86_64")]
                $crate::util::simd::InstructionSet::Avx2 => unsafe { avx2($($argument),*) },
                // SAFETY: likewise.
                #[cfg(target_arch = "x86_64")]
                $crate::util::simd::InstructionSet::Avx512 => unsafe { avx512($($argument),*) },
                _ => $body($($argument),*),
            }
        }
    )+};
}
pub(crate) use multiversion;

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(always)]
    fn sum_of(numbers: &[i16], times: i32) -> i32 {
        numbers.iter().map(|&number| i32::from(number) * times).sum()
    }

    multiversion! {
        /// The sum of all numbers, so many times.
        fn sum(numbers: &[i16], times: i32) -> i32 = sum_of;
    }

    #[test]
    fn every_path_of_this_machine_does_the_same() {
        let numbers: Vec<i16> = (-300..1000).collect();
        for path in Isa::available() {
            assert_eq!(sum(path, &numbers, 7), 7 * 454_350, "{path:?}");
        }
    }
}
