//! Sample file: shuffled training samples without duplicate positions, then the validation samples, 32 bytes each, and
//! a description as one record of [`record_file`](crate::util::record_file) with the source of the samples, their
//! numbers and their CRC-32.
//!
//! [`Shuffler`] shuffles and deduplicates any number of samples in bounded memory: each sample goes into a bin by the
//! hash of its board, so that duplicates meet. A bin fits into memory, where duplicates are dropped and the rest is
//! shuffled. The hash distributes samples randomly, so the concatenation of the bins is in random order too.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::sample::{SAMPLE_BYTES, Sample};
use crate::util::random::StableRandom;
use crate::util::record_file::{decode, encode};
use crate::util::stable_hash::StableHash;

/// Version of the format.
const VERSION: u32 = 4;
/// Beginning of the description.
const KEY: &[u8] = b"{\"chuhe_samples\":";
/// Maximum length of the description.
const MAX_DESCRIPTION: u64 = 1 << 20;
/// Bytes read at a time for the checksum.
const CHUNK: usize = 1 << 20;
/// Maximum number of samples in a run that epochs keep together.
const MAX_RUN: usize = 1024;
/// Minimum number of runs in a batch.
const MIN_RUNS_IN_BATCH: usize = 16;
/// Maximum number of bins, each an open file.
const MAX_BINS: u64 = 200;
/// Memory per byte of a bin: its samples and the set of its boards.
const MEMORY_FACTOR: u64 = 3;

/// Source of the samples. Equal sources give equal samples.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SampleSource {
    /// Length and hash of each game file.
    pub files: Vec<(u64, u64)>,
    /// λ of smoothed results, from 0 to 1; 1 is the plain result.
    pub td_lambda: f64,
    /// Centipawns of a winning chance of 73 %.
    pub scale: f64,
    /// Seed of all random choices.
    pub seed: u64,
}

/// Description at the end of a sample file.
#[derive(Debug, Serialize, Deserialize)]
struct Description {
    chuhe_samples: u32,
    source: SampleSource,
    training: u64,
    validation: u64,
    checksum: u32,
}

/// Open sample file.
#[derive(Debug)]
pub struct SampleFile {
    file: File,
    description: Description,
}

/// Returns the text of the description with its line end; `None` without one.
fn description_in(file: &mut File) -> io::Result<Option<Vec<u8>>> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_DESCRIPTION)))?;
    let mut end = Vec::new();
    file.take(MAX_DESCRIPTION).read_to_end(&mut end)?;
    let start = end.windows(KEY.len()).rposition(|bytes| bytes == KEY);
    Ok(start.map(|start| end.split_off(start)))
}

/// Returns the CRC-32 of the first `length` bytes of a file, or of all bytes if there are fewer.
fn checksum_of(file: &mut File, length: u64) -> io::Result<u32> {
    file.rewind()?;
    let mut reader = BufReader::with_capacity(CHUNK, file).take(length);
    let mut checksum = crc32fast::Hasher::new();
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(checksum.finalize());
        }
        checksum.update(bytes);
        let count = bytes.len();
        reader.consume(count);
    }
}

impl SampleFile {
    /// Opens a sample file, reading it once. `None` when there is none, or when it is damaged or of another version.
    pub fn open(path: &Path) -> io::Result<Option<SampleFile>> {
        let mut file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let Some(text) = description_in(&mut file)? else { return Ok(None) };
        let samples = file.metadata()?.len() - text.len() as u64;
        let is_whole = |description: &Description| {
            let count = description.training.checked_add(description.validation);
            let bytes = count.and_then(|count| count.checked_mul(SAMPLE_BYTES as u64));
            description.chuhe_samples == VERSION && bytes == Some(samples)
        };
        let description = text.strip_suffix(b"\n").and_then(decode::<Description>).filter(is_whole);
        let Some(description) = description else { return Ok(None) };
        let is_intact = checksum_of(&mut file, samples)? == description.checksum;
        Ok(is_intact.then_some(SampleFile { file, description }))
    }

    /// Returns `true` for a sample file, also a damaged one. Sample files are only written whole.
    pub fn is_one(path: &Path) -> io::Result<bool> {
        Ok(description_in(&mut File::open(path)?)?.is_some())
    }

    pub fn source(&self) -> &SampleSource {
        &self.description.source
    }

    /// Number of training samples.
    pub fn training(&self) -> usize {
        self.description.training as usize
    }

    /// Number of validation samples.
    pub fn validation(&self) -> usize {
        self.description.validation as usize
    }

    /// Appends `count` training samples from index `start` on, wrapping around at the end.
    pub fn read(&mut self, start: usize, count: usize, samples: &mut Vec<Sample>) -> io::Result<()> {
        let first = count.min(self.training() - start);
        self.read_at(start, first, samples)?;
        self.read_at(0, count - first, samples)
    }

    /// Reads up to `count` validation samples from index `start` on.
    pub fn read_validation(&mut self, start: usize, count: usize) -> io::Result<Vec<Sample>> {
        let mut samples = Vec::new();
        let count = count.min(self.validation().saturating_sub(start));
        self.read_at(self.training() + start, count, &mut samples)?;
        Ok(samples)
    }

    fn read_at(&mut self, start: usize, count: usize, samples: &mut Vec<Sample>) -> io::Result<()> {
        let mut bytes = vec![0; count * SAMPLE_BYTES];
        self.file.seek(SeekFrom::Start((start * SAMPLE_BYTES) as u64))?;
        self.file.read_exact(&mut bytes)?;
        samples.extend(Sample::parse_all(&bytes));
        Ok(())
    }
}

/// Collects samples and writes them shuffled.
#[derive(Debug)]
pub struct Shuffler {
    bins: Vec<BufWriter<File>>,
}

impl Shuffler {
    /// Creates the bins as temporary files in `folder`, so that for up to `samples` samples one bin needs about
    /// `memory` bytes.
    pub fn new(folder: &Path, samples: u64, memory: u64) -> io::Result<Shuffler> {
        let bytes = samples.saturating_mul(SAMPLE_BYTES as u64 * MEMORY_FACTOR);
        let count = bytes.div_ceil(memory.max(1)).clamp(1, MAX_BINS);
        let bin = |_| Ok(BufWriter::with_capacity(1 << 16, tempfile::tempfile_in(folder)?));
        Ok(Shuffler { bins: (0..count).map(bin).collect::<io::Result<_>>()? })
    }

    /// Adds a sample.
    pub fn add(&mut self, sample: &Sample) -> io::Result<()> {
        let hash = StableHash::default().with_bytes(&sample.board()).value();
        let bin = ((u128::from(hash) * self.bins.len() as u128) >> 64) as usize;
        self.bins[bin].write_all(sample.bytes())
    }

    /// Writes a sample file and returns the number of duplicates left out. Of duplicates the first training sample is
    /// kept, or the first one if all are validation samples.
    pub fn write(self, source: &SampleSource, out: &mut dyn Write) -> io::Result<u64> {
        let (mut validation, mut training_count, mut repeated) = (Vec::new(), 0, 0);
        let mut checksum = crc32fast::Hasher::new();
        let mut write_all = |samples: &[Sample]| {
            samples.iter().try_for_each(|sample| {
                checksum.update(sample.bytes());
                out.write_all(sample.bytes())
            })
        };
        for (number, bin) in self.bins.into_iter().enumerate() {
            let mut file = bin.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.rewind()?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            let mut seen = HashSet::new();
            let mut take = |is_validation: bool, samples: &mut Vec<Sample>| {
                let chosen = Sample::parse_all(&bytes).filter(|sample| sample.is_validation() == is_validation);
                samples.extend(chosen.filter(|sample| seen.insert(sample.board())));
            };
            let mut training = Vec::with_capacity(bytes.len() / SAMPLE_BYTES);
            take(false, &mut training);
            take(true, &mut validation);
            repeated += bytes.len() / SAMPLE_BYTES - seen.len();
            training_count += training.len() as u64;
            StableRandom::new(source.seed, number as u64).shuffle(&mut training);
            write_all(&training)?;
        }
        write_all(&validation)?;
        out.write_all(&encode(&Description {
            chuhe_samples: VERSION,
            source: source.clone(),
            training: training_count,
            validation: validation.len() as u64,
            checksum: checksum.finalize(),
        }))?;
        Ok(repeated as u64)
    }
}

/// Order of the samples in an epoch: runs of neighbouring samples in random order, with a random offset. Reading runs
/// instead of single samples keeps disk access sequential.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EpochOrder {
    runs: Vec<u32>,
    run_length: usize,
    offset: usize,
    all: usize,
    batch: usize,
}

impl EpochOrder {
    /// Draws the order of an epoch over `all` samples in batches of `batch`, or of all samples when there are fewer.
    pub fn new(all: usize, batch: usize, seed: u64, epoch: u64) -> EpochOrder {
        let batch = batch.clamp(1, all.max(1));
        let run_length = (batch / MIN_RUNS_IN_BATCH).clamp(1, MAX_RUN);
        let mut runs: Vec<u32> = (0..(all / run_length) as u32).collect();
        let mut random = StableRandom::new(seed, epoch);
        random.shuffle(&mut runs);
        // The samples that fill no run are left out too.
        let batch = batch.min(runs.len() * run_length).max(1);
        let offset = if all == 0 { 0 } else { random.below(all) };
        EpochOrder { runs, run_length, offset, all, batch }
    }

    /// Number of batches. Each epoch leaves out a different remainder.
    pub fn batches(&self) -> usize {
        self.runs.len() * self.run_length / self.batch
    }

    /// Returns the ranges of a batch as pairs of first sample and count.
    pub fn batch(&self, number: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (mut at, end) = (number * self.batch, (number + 1) * self.batch);
        std::iter::from_fn(move || {
            let run = *self.runs.get(at / self.run_length).filter(|_| at < end)?;
            let within = at % self.run_length;
            let count = (self.run_length - within).min(end - at);
            at += count;
            Some(((run as usize * self.run_length + within + self.offset) % self.all, count))
        })
    }
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

    /// Writes a sample file in a new folder and returns it with the number of duplicates.
    fn shuffled(samples: &[Sample], seed: u64, memory: u64) -> (tempfile::TempDir, SampleFile, u64) {
        let folder = tempfile::tempdir().unwrap();
        let mut shuffler = Shuffler::new(folder.path(), samples.len() as u64, memory).unwrap();
        samples.iter().for_each(|sample| shuffler.add(sample).unwrap());
        let source = SampleSource { files: vec![(7, 8)], td_lambda: 0.9, scale: 499.486_998_039_385_64, seed };
        let path = folder.path().join("samples");
        let repeated = shuffler.write(&source, &mut File::create(&path).unwrap()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left behind");
        let file = SampleFile::open(&path).unwrap().unwrap();
        assert_eq!(*file.source(), source);
        (folder, file, repeated)
    }

    fn all_of(file: &mut SampleFile) -> Vec<Sample> {
        let mut samples = Vec::new();
        file.read(0, file.training(), &mut samples).unwrap();
        samples
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
            let (_folder, mut file, repeated) = shuffled(&twice, 1, memory);
            let found = all_of(&mut file);
            assert_eq!(sorted(&found), sorted(&all));
            assert_eq!((file.validation(), repeated), (0, 3000));
            // Random order has as many rising as falling neighbours; the bound is four standard deviations of 16.
            let rising = found.windows(2).filter(|pair| pair[0].score() < pair[1].score()).count();
            assert!(rising.abs_diff(1500) < 70, "{rising} of 3000 with {memory} bytes");
            assert_eq!(all_of(&mut shuffled(&twice, 1, memory).1), found);
            assert_ne!(all_of(&mut shuffled(&twice, 2, memory).1), found);
        }
    }

    #[test]
    fn no_position_is_in_both_sets_and_damage_is_detected() {
        let all = samples(50);
        let validation = all.iter().map(|sample| sample.with_validation(true));
        let mixed: Vec<Sample> = validation.chain(all[..30].iter().copied()).collect();
        let (folder, mut file, repeated) = shuffled(&mixed, 1, 2000);
        assert_eq!((file.training(), file.validation(), repeated), (30, 20, 30));
        assert!(all_of(&mut file).iter().all(|sample| !sample.is_validation()));
        let held_out = file.read_validation(0, 99).unwrap();
        assert!(held_out.len() == 20 && held_out.iter().all(|sample| sample.is_validation()));
        let mut wrapped = Vec::new();
        file.read(28, 4, &mut wrapped).unwrap();
        assert_eq!(wrapped[2..], all_of(&mut file)[..2]);

        let path = folder.path().join("samples");
        let bytes = std::fs::read(&path).unwrap();
        let is_refused = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            SampleFile::open(&path).unwrap().is_none()
        };
        assert!((0..bytes.len()).all(|length| is_refused(&bytes[..length])));
        assert!(is_refused(&bytes[SAMPLE_BYTES..]));
        // A checksum whose key is damaged is ignored as that of an older program.
        for at in 0..bytes.len() - 20 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(is_refused(&damaged), "byte {at}");
        }
    }

    #[test]
    fn an_epoch_takes_every_sample_once_as_far_as_batches_go() {
        for (all, batch) in [(1000, 64), (40_000, 16_384), (5, 64), (100_000, 30), (1, 1), (2580, 16_384)] {
            let order = EpochOrder::new(all, batch, 1, 0);
            let mut seen = vec![false; all];
            for number in 0..order.batches() {
                let mut count = 0;
                for (start, length) in order.batch(number) {
                    for at in start..start + length {
                        assert!(!std::mem::replace(&mut seen[at % all], true), "{all} {batch}");
                    }
                    count += length;
                }
                let (most, left_over) = (batch.min(all), (batch.min(all) / 16).max(1));
                assert!(most - left_over < count && count <= most, "{count} of {most}");
            }
            let missed = seen.iter().filter(|&&seen| !seen).count();
            assert!(missed < batch.min(all) + (batch / 16).max(1), "{missed} of {all} in batches of {batch}");
            assert!(order.batches() > 0);
        }
        assert_ne!(EpochOrder::new(1000, 64, 1, 3), EpochOrder::new(1000, 64, 1, 4));
        assert_eq!(EpochOrder::new(0, 64, 1, 3).batches(), 0);
    }
}
