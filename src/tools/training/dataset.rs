//! The file of samples that a network learns from: shuffled, without repetitions, and made once.
//!
//! | bytes | |
//! |---|---|
//! | 32 each | samples to learn from |
//! | 32 each | samples to check with |
//! | n | what the file holds and where it is from: a JSON object |
//! | 4 | n, low byte first |
//! | 4 | CRC-32 of the n bytes |
//! | 8 | `CHUHESMP` |

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::sample::{SAMPLE_BYTES, Sample};
use crate::util::random::StableRandom;

/// What a file of samples ends with.
const MAGIC: &[u8; 8] = b"CHUHESMP";
/// The bytes behind the description.
const FOOT: usize = 16;
/// The longest description.
const MOST_TEXT: u64 = 1 << 20;
/// The most samples that stay together when an epoch takes them in another order.
const MOST_TOGETHER: usize = 1024;
/// How many lots of samples a batch is made of, at least.
const LOTS_IN_BATCH: usize = 16;

/// Where samples are from.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Source {
    /// The length and the fingerprint of each file of games.
    pub files: Vec<(u64, u64)>,
    /// How many centipawns either side may be ahead.
    pub most_score: i32,
    /// What their order follows from.
    pub seed: u64,
}

/// What a file of samples says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Description {
    source: Source,
    training: u64,
    validation: u64,
}

/// An open file of samples.
#[derive(Debug)]
pub struct Dataset {
    file: File,
    description: Description,
}

/// Writes what stands behind the samples.
///
/// # Errors
/// When it cannot be written.
pub fn write_end(out: &mut dyn Write, source: &Source, training: u64, validation: u64) -> io::Result<()> {
    let description = Description { source: source.clone(), training, validation };
    let text = serde_json::to_vec(&description)?;
    out.write_all(&text)?;
    out.write_all(&(text.len() as u32).to_le_bytes())?;
    out.write_all(&crc32fast::hash(&text).to_le_bytes())?;
    out.write_all(MAGIC)
}

impl Dataset {
    /// Opens a file of samples. `None` when there is none, or it is not whole.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open(path: &Path) -> io::Result<Option<Dataset>> {
        let mut file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let length = file.metadata()?.len();
        let mut foot = [0; FOOT];
        if length < FOOT as u64 {
            return Ok(None);
        }
        file.seek(SeekFrom::End(-(FOOT as i64)))?;
        file.read_exact(&mut foot)?;
        let word = |at: usize| u32::from_le_bytes([foot[at], foot[at + 1], foot[at + 2], foot[at + 3]]);
        let (text_length, checksum) = (u64::from(word(0)), word(4));
        let Some(samples) = length.checked_sub(FOOT as u64 + text_length) else { return Ok(None) };
        if foot[8..] != *MAGIC || text_length > MOST_TEXT {
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
        Ok(description.filter(is_whole).map(|description| Dataset { file, description }))
    }

    /// Where its samples are from.
    pub fn source(&self) -> &Source {
        &self.description.source
    }

    /// How many samples there are to learn from.
    pub fn training(&self) -> usize {
        self.description.training as usize
    }

    /// How many there are to check with.
    pub fn validation(&self) -> usize {
        self.description.validation as usize
    }

    /// So many samples to learn from, beginning with the one at `start`; those at the front follow those at the end.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&mut self, start: usize, count: usize, samples: &mut Vec<Sample>) -> io::Result<()> {
        let all = self.training();
        let first = count.min(all - start);
        self.read_at(start, first, samples)?;
        self.read_at(0, count - first, samples)
    }

    /// So many samples to check with, beginning with the one at `start`, as far as there are so many.
    ///
    /// # Errors
    /// When the file cannot be read.
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
        samples.extend(Sample::all_of(&bytes));
        Ok(())
    }
}

/// The order in which an epoch takes the samples: lots of neighbours in an order of chance, which begin anywhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    lots: Vec<u32>,
    in_lot: usize,
    offset: usize,
    all: usize,
    batch: usize,
}

impl Order {
    /// The order of an epoch of so many samples in batches of that many, or of all when there are fewer.
    pub fn new(all: usize, batch: usize, seed: u64, epoch: u64) -> Order {
        let batch = batch.clamp(1, all.max(1));
        let in_lot = (batch / LOTS_IN_BATCH).clamp(1, MOST_TOGETHER);
        let mut lots: Vec<u32> = (0..(all / in_lot) as u32).collect();
        let mut dice = StableRandom::new(seed, epoch);
        dice.shuffle(&mut lots);
        // What fills no lot is left over too.
        let batch = batch.min(lots.len() * in_lot).max(1);
        let offset = if all == 0 { 0 } else { dice.below(all) };
        Order { lots, in_lot, offset, all, batch }
    }

    /// How many batches there are. What is left over is left out; it is something else in every epoch.
    pub fn batches(&self) -> usize {
        self.lots.len() * self.in_lot / self.batch
    }

    /// The ranges that make up a batch: where they begin, and how many samples they have.
    pub fn batch(&self, number: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (mut at, end) = (number * self.batch, (number + 1) * self.batch);
        std::iter::from_fn(move || {
            let lot = *self.lots.get(at / self.in_lot).filter(|_| at < end)?;
            let within = at % self.in_lot;
            let count = (self.in_lot - within).min(end - at);
            at += count;
            Some(((lot as usize * self.in_lot + within + self.offset) % self.all, count))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    fn sample(score: i32) -> Sample {
        Sample::of(&Position::start(), score, 0.5).unwrap()
    }

    #[test]
    fn a_file_gives_back_its_samples_or_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples");
        assert!(Dataset::open(&path).unwrap().is_none());
        let source = Source { files: vec![(7, 8)], most_score: 2000, seed: 1 };
        let mut bytes: Vec<u8> = (0..12).flat_map(|score| *sample(score).bytes()).collect();
        write_end(&mut bytes, &source, 10, 2).unwrap();
        std::fs::write(&path, &bytes).unwrap();
        let mut dataset = Dataset::open(&path).unwrap().unwrap();
        assert_eq!((dataset.source(), dataset.training(), dataset.validation()), (&source, 10, 2));
        let mut found = Vec::new();
        dataset.read(7, 5, &mut found).unwrap();
        assert_eq!(found.iter().map(Sample::score).collect::<Vec<_>>(), [7, 8, 9, 0, 1]);
        let aside = dataset.read_validation(1, 5).unwrap();
        assert_eq!(aside, [sample(11)]);
        for length in 0..bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(Dataset::open(&path).unwrap().is_none(), "{length} bytes");
        }
        std::fs::write(&path, &bytes[SAMPLE_BYTES..]).unwrap();
        assert!(Dataset::open(&path).unwrap().is_none());
    }

    #[test]
    fn an_epoch_takes_every_sample_once_as_far_as_batches_go() {
        for (all, batch) in [(1000, 64), (40_000, 16_384), (5, 64), (100_000, 30), (1, 1), (2580, 16_384)] {
            let order = Order::new(all, batch, 1, 0);
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
        assert_eq!(Order::new(1000, 64, 1, 3), Order::new(1000, 64, 1, 3));
        assert_ne!(Order::new(1000, 64, 1, 3), Order::new(1000, 64, 1, 4));
        assert_eq!(Order::new(0, 64, 1, 3).batches(), 0);
    }
}
