//! Any number of samples in an order of chance and none of them twice, in bounded memory.
//!
//! Each sample goes into one of some bins by what stands on its board, so that samples of the same position meet. A bin
//! is small enough to be held in memory, where all but the first of the same position are dropped and the rest is
//! shuffled. Since nothing but chance decides on the bin, the bins one after another are in an order of chance too.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::Path;

use super::sample::{BOARD_BYTES, SAMPLE_BYTES, Sample};
use crate::util::cancel::CancelFlag;
use crate::util::random::StableRandom;
use crate::util::stable_hash::StableHash;

/// The most bins: each is an open file.
const MOST_BINS: u64 = 200;
/// What a bin takes in memory for each byte of its file: itself, and the set of its boards.
const MEMORY_FACTOR: u64 = 3;

/// How many samples were kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Kept {
    /// To learn from.
    pub training: u64,
    /// To check with.
    pub validation: u64,
    /// Left out, because their positions are there already.
    pub repeated: u64,
}

/// Takes samples in and gives them out shuffled.
#[derive(Debug)]
pub struct Shuffler {
    bins: Vec<BufWriter<File>>,
}

impl Shuffler {
    /// One whose bins lie in this folder, in files that are gone when it is, and need no more than about so many bytes
    /// of memory one at a time, if there are no more than `samples`.
    ///
    /// # Errors
    /// When files cannot be made there.
    pub fn new(folder: &Path, samples: u64, memory: u64) -> io::Result<Shuffler> {
        let bytes = samples.saturating_mul(SAMPLE_BYTES as u64 * MEMORY_FACTOR);
        let count = bytes.div_ceil(memory.max(1)).clamp(1, MOST_BINS);
        let bin = |_| Ok(BufWriter::with_capacity(1 << 16, tempfile::tempfile_in(folder)?));
        Ok(Shuffler { bins: (0..count).map(bin).collect::<io::Result<_>>()? })
    }

    /// Adds a sample.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, sample: &Sample) -> io::Result<()> {
        let bin = bin_of(&sample.board(), self.bins.len());
        self.bins[bin].write_all(sample.bytes())
    }

    /// Writes all samples to learn from in an order of chance, and returns those put aside with the numbers of all. Of
    /// samples of the same position the first one to learn from is kept, or the first one if all are put aside. Ends
    /// early at an interrupt.
    ///
    /// # Errors
    /// When samples cannot be read back or written.
    pub fn finish(self, seed: u64, interrupt: &CancelFlag, out: &mut dyn Write) -> io::Result<(Vec<Sample>, Kept)> {
        let (mut aside, mut kept) = (Vec::new(), Kept::default());
        for (number, bin) in self.bins.into_iter().enumerate() {
            if interrupt.is_cancelled() {
                break;
            }
            let mut file = bin.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.rewind()?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            let mut seen: HashSet<[u8; BOARD_BYTES]> = HashSet::new();
            let mut training = Vec::with_capacity(bytes.len() / SAMPLE_BYTES);
            training.extend(Sample::all_of(&bytes).filter(|sample| !sample.is_aside() && seen.insert(sample.board())));
            let before = aside.len();
            aside.extend(Sample::all_of(&bytes).filter(|sample| sample.is_aside() && seen.insert(sample.board())));
            kept.training += training.len() as u64;
            kept.validation += (aside.len() - before) as u64;
            kept.repeated += (bytes.len() / SAMPLE_BYTES - training.len() - (aside.len() - before)) as u64;
            StableRandom::new(seed, number as u64).shuffle(&mut training);
            training.iter().try_for_each(|sample| out.write_all(sample.bytes()))?;
        }
        Ok((aside, kept))
    }
}

/// Which of so many bins a board goes into.
fn bin_of(board: &[u8; BOARD_BYTES], bins: usize) -> usize {
    let mixed = StableHash::default().with_bytes(board).value();
    ((u128::from(mixed) * bins as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::util::random::random_moves;

    fn samples(count: u64) -> Vec<Sample> {
        let of = |number| {
            let (mut position, mut dice) = (Position::start(), StableRandom::new(5, number));
            random_moves(&mut position, 12, &mut dice).unwrap();
            Sample::of(&position, number as i32 % 1000, 0.5).unwrap()
        };
        (0..count).map(of).collect()
    }

    fn shuffled(samples: &[Sample], seed: u64, memory: u64) -> (Vec<Sample>, Vec<Sample>, Kept) {
        let folder = tempfile::tempdir().unwrap();
        let mut shuffler = Shuffler::new(folder.path(), samples.len() as u64, memory).unwrap();
        samples.iter().for_each(|sample| shuffler.add(sample).unwrap());
        let mut bytes = Vec::new();
        let (aside, kept) = shuffler.finish(seed, &CancelFlag::default(), &mut bytes).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
        (Sample::all_of(&bytes).collect(), aside, kept)
    }

    #[test]
    fn every_position_comes_out_once_in_an_order_of_chance() {
        let all = samples(3000);
        let sorted = |samples: &[Sample]| {
            let mut bytes: Vec<[u8; SAMPLE_BYTES]> = samples.iter().map(|sample| *sample.bytes()).collect();
            bytes.sort_unstable();
            bytes
        };
        for memory in [1 << 30, 40_000] {
            let twice: Vec<Sample> = all.iter().chain(&all).copied().collect();
            let (found, aside, kept) = shuffled(&twice, 1, memory);
            assert_eq!(sorted(&found), sorted(&all));
            assert_eq!((aside.len(), kept), (0, Kept { training: 3000, validation: 0, repeated: 3000 }));
            // In an order of chance as many neighbours go up as down, give or take four standard deviations of 16.
            let rising = found.windows(2).filter(|pair| pair[0].score() < pair[1].score()).count();
            assert!(rising.abs_diff(1500) < 70, "{rising} of 3000 with {memory} bytes");
            assert_eq!(shuffled(&twice, 1, memory).0, found);
            assert_ne!(shuffled(&twice, 2, memory).0, found);
        }
    }

    #[test]
    fn what_is_learned_from_is_not_checked_with() {
        let all = samples(100);
        let aside = all.iter().map(|sample| sample.put_aside(true));
        let mixed: Vec<Sample> = aside.chain(all[..60].iter().copied()).collect();
        let (found, aside, kept) = shuffled(&mixed, 1, 2000);
        assert_eq!((found.len(), aside.len()), (60, 40));
        assert_eq!(kept, Kept { training: 60, validation: 40, repeated: 60 });
        assert!(aside.iter().all(|sample| sample.is_aside()) && found.iter().all(|sample| !sample.is_aside()));
    }
}
