//! Sample file: shuffled training samples without duplicate positions, then the validation samples.
//!
//! | bytes | |
//! |---|---|
//! | 32 each | training samples |
//! | 32 each | validation samples |
//! | n | description: a JSON object with the source, the numbers of samples and the CRC-32 of all samples |
//! | 4 | n, little-endian |
//! | 4 | CRC-32 of the n bytes |
//! | 8 | `CHUHESM3` |

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::sample::{SAMPLE_BYTES, Sample};
use super::smoothing::Smoothing;
use crate::types::Value;
use crate::util::random::StableRandom;

/// Last bytes of a sample file.
const MAGIC: &[u8; 8] = b"CHUHESM3";
/// Bytes after the description.
const FOOTER_BYTES: usize = 16;
/// Maximum length of the description.
const MAX_DESCRIPTION: u64 = 1 << 20;
/// Bytes read at a time for the checksum.
const CHUNK: usize = 1 << 20;
/// Maximum number of samples in a run that epochs keep together.
const MAX_RUN: usize = 1024;
/// Minimum number of runs in a batch.
const MIN_RUNS_IN_BATCH: usize = 16;

/// Choice of the samples of a game, and of their results.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SampleFilter {
    /// Maximum absolute score, in centipawns.
    pub most_score: Value,
    /// Smoothing of the results; `None` for plain ones.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub smoothing: Option<Smoothing>,
}

/// Source of the samples.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SampleSource {
    /// Length and hash of each game file.
    pub files: Vec<(u64, u64)>,
    /// Choice of the samples of each game.
    #[serde(flatten)]
    pub filter: SampleFilter,
    /// Seed of the order.
    pub seed: u64,
}

/// Description at the end of a sample file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Description {
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

/// Writer of a sample file: takes the bytes of the samples, then [`finish`](SampleWriter::finish).
pub struct SampleWriter<'a> {
    out: &'a mut dyn Write,
    checksum: crc32fast::Hasher,
}

impl<'a> SampleWriter<'a> {
    /// Creates a writer that passes the file on to `out`.
    pub fn new(out: &'a mut dyn Write) -> SampleWriter<'a> {
        SampleWriter { out, checksum: crc32fast::Hasher::new() }
    }

    /// Writes the description and the footer behind the samples.
    ///
    /// # Errors
    /// Write errors of the file.
    pub fn finish(self, source: &SampleSource, training: u64, validation: u64) -> io::Result<()> {
        let description =
            Description { source: source.clone(), training, validation, checksum: self.checksum.finalize() };
        let text = serde_json::to_vec(&description)?;
        self.out.write_all(&text)?;
        self.out.write_all(&(text.len() as u32).to_le_bytes())?;
        self.out.write_all(&crc32fast::hash(&text).to_le_bytes())?;
        self.out.write_all(MAGIC)
    }
}

impl Write for SampleWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.checksum.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
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
    /// Opens a sample file, reading it once. `None` when there is none, or when it is incomplete or damaged.
    ///
    /// # Errors
    /// Read errors.
    pub fn open(path: &Path) -> io::Result<Option<SampleFile>> {
        let mut file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let length = file.metadata()?.len();
        let mut footer = [0; FOOTER_BYTES];
        if length < FOOTER_BYTES as u64 {
            return Ok(None);
        }
        file.seek(SeekFrom::End(-(FOOTER_BYTES as i64)))?;
        file.read_exact(&mut footer)?;
        let word = |at: usize| u32::from_le_bytes([footer[at], footer[at + 1], footer[at + 2], footer[at + 3]]);
        let (text_length, checksum) = (u64::from(word(0)), word(4));
        let Some(samples) = length.checked_sub(FOOTER_BYTES as u64 + text_length) else { return Ok(None) };
        if footer[8..] != *MAGIC || text_length > MAX_DESCRIPTION {
            return Ok(None);
        }
        let mut text = vec![0; text_length as usize];
        file.seek(SeekFrom::Start(samples))?;
        file.read_exact(&mut text)?;
        let description = serde_json::from_slice::<Description>(&text).ok();
        let is_whole = |description: &Description| {
            let count = description.training.checked_add(description.validation);
            crc32fast::hash(&text) == checksum
                && count.and_then(|n| n.checked_mul(SAMPLE_BYTES as u64)) == Some(samples)
        };
        let Some(description) = description.filter(is_whole) else { return Ok(None) };
        let is_intact = checksum_of(&mut file, samples)? == description.checksum;
        Ok(is_intact.then_some(SampleFile { file, description }))
    }

    /// Returns `true` if a file ends like a sample file, also a damaged one. Sample files are only written whole.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn ends_like_one(path: &Path) -> io::Result<bool> {
        let mut file = File::open(path)?;
        let magic_bytes = MAGIC.len() as u64;
        if file.metadata()?.len() < magic_bytes {
            return Ok(false);
        }
        let mut end = *MAGIC;
        file.seek(SeekFrom::End(-(magic_bytes as i64)))?;
        file.read_exact(&mut end)?;
        Ok(end == *MAGIC)
    }

    /// Source of the samples.
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
    ///
    /// # Errors
    /// Read errors.
    pub fn read(&mut self, start: usize, count: usize, samples: &mut Vec<Sample>) -> io::Result<()> {
        let all = self.training();
        let first = count.min(all - start);
        self.read_at(start, first, samples)?;
        self.read_at(0, count - first, samples)
    }

    /// Reads up to `count` validation samples from index `start` on.
    ///
    /// # Errors
    /// Read errors.
    pub fn read_validation(&mut self, start: usize, count: usize) -> io::Result<Vec<Sample>> {
        let mut samples = Vec::new();
        let count = count.min(self.validation().saturating_sub(start));
        self.read_at(self.training() + start, count, &mut samples)?;
        Ok(samples)
    }

    fn read_at(&mut self, start: usize, count: usize, samples: &mut Vec<Sample>) -> io::Result<()> {
        if count == 0 {
            return Ok(());
        }
        let mut bytes = vec![0; count * SAMPLE_BYTES];
        self.file.seek(SeekFrom::Start((start * SAMPLE_BYTES) as u64))?;
        self.file.read_exact(&mut bytes)?;
        samples.extend(Sample::parse_all(&bytes));
        Ok(())
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
    use crate::position::Position;

    fn sample(score: i32) -> Sample {
        Sample::new(&Position::start(), score, 0.5).unwrap()
    }

    #[test]
    fn sample_files_round_trip_and_damage_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples");
        assert!(SampleFile::open(&path).unwrap().is_none());
        let smoothing = Some(Smoothing { td_lambda: 0.9, scale: 333.3 });
        let source =
            SampleSource { files: vec![(7, 8)], filter: SampleFilter { most_score: 2000, smoothing }, seed: 1 };
        let mut bytes = Vec::new();
        let mut writer = SampleWriter::new(&mut bytes);
        (0..12).for_each(|score| writer.write_all(sample(score).bytes()).unwrap());
        writer.finish(&source, 10, 2).unwrap();
        std::fs::write(&path, &bytes).unwrap();
        let mut dataset = SampleFile::open(&path).unwrap().unwrap();
        assert_eq!((dataset.source(), dataset.training(), dataset.validation()), (&source, 10, 2));
        let mut found = Vec::new();
        dataset.read(7, 5, &mut found).unwrap();
        assert_eq!(found.iter().map(Sample::score).collect::<Vec<_>>(), [7, 8, 9, 0, 1]);
        let validation = dataset.read_validation(1, 5).unwrap();
        assert_eq!(validation, [sample(11)]);
        for length in 0..bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(SampleFile::open(&path).unwrap().is_none(), "{length} bytes");
        }
        std::fs::write(&path, &bytes[SAMPLE_BYTES..]).unwrap();
        assert!(SampleFile::open(&path).unwrap().is_none());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            std::fs::write(&path, &damaged).unwrap();
            assert!(SampleFile::open(&path).unwrap().is_none(), "byte {at}");
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
        assert_eq!(EpochOrder::new(1000, 64, 1, 3), EpochOrder::new(1000, 64, 1, 3));
        assert_ne!(EpochOrder::new(1000, 64, 1, 3), EpochOrder::new(1000, 64, 1, 4));
        assert_eq!(EpochOrder::new(0, 64, 1, 3).batches(), 0);
    }
}
