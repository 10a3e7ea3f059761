//! Shuffling and deduplication of any number of samples in bounded memory.
//!
//! Each sample goes into a bin by the hash of its board, so that duplicates meet. A bin fits into memory, where
//! duplicates are dropped and the rest is shuffled. The hash distributes samples randomly, so the concatenation of the
//! bins is in random order too.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::Path;

use super::sample::{BOARD_BYTES, SAMPLE_BYTES, Sample};
use crate::util::cancel::CancelFlag;
use crate::util::random::StableRandom;
use crate::util::stable_hash::StableHash;

/// Maximum number of bins, each an open file.
const MAX_BINS: u64 = 200;
/// Memory per byte of a bin file: its samples and the set of its boards.
const MEMORY_FACTOR: u64 = 3;

/// Numbers of samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ShuffleStats {
    /// Training samples.
    pub training: u64,
    /// Validation samples.
    pub validation: u64,
    /// Duplicates dropped.
    pub repeated: u64,
}

/// Collects samples and returns them shuffled.
#[derive(Debug)]
pub struct Shuffler {
    bins: Vec<BufWriter<File>>,
}

impl Shuffler {
    /// Creates the bins as temporary files in `folder`, so that for up to `samples` samples one bin needs about
    /// `memory` bytes.
    ///
    /// # Errors
    /// [`io::Error`] when the files cannot be created.
    pub fn new(folder: &Path, samples: u64, memory: u64) -> io::Result<Shuffler> {
        let bytes = samples.saturating_mul(SAMPLE_BYTES as u64 * MEMORY_FACTOR);
        let count = bytes.div_ceil(memory.max(1)).clamp(1, MAX_BINS);
        let bin = |_| Ok(BufWriter::with_capacity(1 << 16, tempfile::tempfile_in(folder)?));
        Ok(Shuffler { bins: (0..count).map(bin).collect::<io::Result<_>>()? })
    }

    /// Adds a sample.
    ///
    /// # Errors
    /// Write errors.
    pub fn add(&mut self, sample: &Sample) -> io::Result<()> {
        let bin = bin_of(&sample.board(), self.bins.len());
        self.bins[bin].write_all(sample.bytes())
    }

    /// Writes the training samples in random order and returns the validation samples with the numbers of all. Of
    /// duplicates the first training sample is kept, or the first one if all are validation samples. A cancellation
    /// stops early.
    ///
    /// # Errors
    /// Read and write errors.
    pub fn finish(
        self,
        seed: u64,
        cancel: &CancelFlag,
        out: &mut dyn Write,
    ) -> io::Result<(Vec<Sample>, ShuffleStats)> {
        let (mut validation, mut stats) = (Vec::new(), ShuffleStats::default());
        for (number, bin) in self.bins.into_iter().enumerate() {
            if cancel.is_cancelled() {
                break;
            }
            let mut file = bin.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.rewind()?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            let mut seen: HashSet<[u8; BOARD_BYTES]> = HashSet::new();
            let mut training = Vec::with_capacity(bytes.len() / SAMPLE_BYTES);
            training.extend(
                Sample::parse_all(&bytes).filter(|sample| !sample.is_validation() && seen.insert(sample.board())),
            );
            let before = validation.len();
            validation.extend(
                Sample::parse_all(&bytes).filter(|sample| sample.is_validation() && seen.insert(sample.board())),
            );
            stats.training += training.len() as u64;
            stats.validation += (validation.len() - before) as u64;
            stats.repeated += (bytes.len() / SAMPLE_BYTES - training.len() - (validation.len() - before)) as u64;
            StableRandom::new(seed, number as u64).shuffle(&mut training);
            training.iter().try_for_each(|sample| out.write_all(sample.bytes()))?;
        }
        Ok((validation, stats))
    }
}

/// Returns the bin of a board.
fn bin_of(board: &[u8; BOARD_BYTES], bins: usize) -> usize {
    let mixed = StableHash::default().with_bytes(board).value();
    ((u128::from(mixed) * bins as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::openings::random_moves;
    use crate::position::Position;

    fn samples(count: u64) -> Vec<Sample> {
        let of = |number| {
            let (mut position, mut random) = (Position::start(), StableRandom::new(5, number));
            random_moves(&mut position, 12, &mut random).unwrap();
            Sample::new(&position, number as i32 % 1000, 0.5).unwrap()
        };
        (0..count).map(of).collect()
    }

    fn shuffled(samples: &[Sample], seed: u64, memory: u64) -> (Vec<Sample>, Vec<Sample>, ShuffleStats) {
        let folder = tempfile::tempdir().unwrap();
        let mut shuffler = Shuffler::new(folder.path(), samples.len() as u64, memory).unwrap();
        samples.iter().for_each(|sample| shuffler.add(sample).unwrap());
        let mut bytes = Vec::new();
        let (validation, stats) = shuffler.finish(seed, &CancelFlag::default(), &mut bytes).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
        (Sample::parse_all(&bytes).collect(), validation, stats)
    }

    #[test]
    fn every_position_comes_out_once_in_random_order() {
        let all = samples(3000);
        let sorted = |samples: &[Sample]| {
            let mut bytes: Vec<[u8; SAMPLE_BYTES]> = samples.iter().map(|sample| *sample.bytes()).collect();
            bytes.sort_unstable();
            bytes
        };
        for memory in [1 << 30, 40_000] {
            let twice: Vec<Sample> = all.iter().chain(&all).copied().collect();
            let (found, validation, stats) = shuffled(&twice, 1, memory);
            assert_eq!(sorted(&found), sorted(&all));
            assert_eq!((validation.len(), stats), (0, ShuffleStats { training: 3000, validation: 0, repeated: 3000 }));
            // Random order has as many rising as falling neighbours; the bound is four standard deviations of 16.
            let rising = found.windows(2).filter(|pair| pair[0].score() < pair[1].score()).count();
            assert!(rising.abs_diff(1500) < 70, "{rising} of 3000 with {memory} bytes");
            assert_eq!(shuffled(&twice, 1, memory).0, found);
            assert_ne!(shuffled(&twice, 2, memory).0, found);
        }
    }

    #[test]
    fn no_position_is_in_both_sets() {
        let all = samples(100);
        let validation = all.iter().map(|sample| sample.with_validation(true));
        let mixed: Vec<Sample> = validation.chain(all[..60].iter().copied()).collect();
        let (found, validation, stats) = shuffled(&mixed, 1, 2000);
        assert_eq!((found.len(), validation.len()), (60, 40));
        assert_eq!(stats, ShuffleStats { training: 60, validation: 40, repeated: 60 });
        assert!(
            validation.iter().all(|sample| sample.is_validation())
                && found.iter().all(|sample| !sample.is_validation())
        );
    }
}
