//! Training as a file, from which it goes on as if nothing had happened.
//!
//! | bytes | |
//! |---|---|
//! | 8 | `CHUHECHK` |
//! | 4 | n, low byte first |
//! | n | the settings and how far training is: a JSON object |
//! | 4 each | of each part of the network its numbers, their mean slopes and the mean squares of these |
//! | 4 | CRC-32 of all that stands before |

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::adamw::Learned;
use super::model::{LANES, Row, part_rows};

/// What a checkpoint begins with.
const MAGIC: &[u8; 8] = b"CHUHECHK";

/// What an epoch came to.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Epoch {
    /// The rate at its end.
    pub rate: f64,
    /// The mean price of what was learned from, as it was met.
    pub training: f64,
    /// The mean price of what was put aside, at the end; `None` when there is nothing.
    pub validation: Option<f64>,
    /// The seconds that it took.
    pub seconds: f64,
}

/// How far training is.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Steps that were made.
    pub steps: u64,
    /// The bits of the sum of the prices in the epoch so far.
    pub price_bits: u64,
    /// The seconds of the epoch so far.
    pub seconds: f64,
    /// The epochs that are over.
    pub epochs: Vec<Epoch>,
}

/// Training at some point.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    /// The settings as JSON; see [`super::Settings::to_json`].
    pub settings: String,
    /// How far it is.
    pub progress: Progress,
    /// The numbers and what is remembered of their slopes, part by part.
    pub parts: Vec<Learned>,
}

/// Why bytes are no checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum CheckpointError {
    /// They begin with something else.
    #[error("it is no checkpoint of training")]
    Foreign,
    /// They are not as they were written.
    #[error("it is damaged; remove it to begin anew")]
    Damaged,
}

#[derive(Serialize, Deserialize)]
struct Head {
    settings: String,
    progress: Progress,
}

impl Checkpoint {
    /// Its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let head = Head { settings: self.settings.clone(), progress: self.progress.clone() };
        let text = match serde_json::to_vec(&head) {
            Ok(text) => text,
            Err(error) => unreachable!("numbers and words can be written as JSON: {error}"),
        };
        let mut bytes = MAGIC.to_vec();
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text);
        let rows = self.parts.iter().flat_map(|part| [&part.values, &part.means, &part.squares]).flatten();
        rows.flatten().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// The checkpoint in these bytes.
    ///
    /// # Errors
    /// [`CheckpointError`] when they hold none.
    ///
    /// ```
    /// use chuhe::tools::training::{Checkpoint, CheckpointError};
    /// assert_eq!(Checkpoint::from_bytes(b"something else"), Err(CheckpointError::Foreign));
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        if !bytes.starts_with(MAGIC) {
            return Err(CheckpointError::Foreign);
        }
        let damaged = CheckpointError::Damaged;
        let (content, checksum) = bytes.split_last_chunk::<4>().ok_or(damaged)?;
        if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
            return Err(damaged);
        }
        let (length, rest) = content[MAGIC.len()..].split_first_chunk().ok_or(damaged)?;
        let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(damaged)?;
        let head: Head = serde_json::from_slice(text).map_err(|_| damaged)?;
        let (floats, left) = rest.as_chunks::<4>();
        let (rows, loose) = floats.as_chunks::<LANES>();
        let count: usize = part_rows().iter().sum::<usize>() * 3;
        if rows.len() != count || !loose.is_empty() || !left.is_empty() {
            return Err(damaged);
        }
        let mut rows = rows.iter().map(|row| row.map(f32::from_le_bytes));
        let mut take = |count: usize| -> Vec<Row> { rows.by_ref().take(count).collect() };
        let parts = part_rows()
            .map(|count| Learned { values: take(count), means: take(count), squares: take(count) })
            .into_iter()
            .collect();
        Ok(Checkpoint { settings: head.settings, progress: head.progress, parts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::training::Model;

    #[test]
    fn a_checkpoint_comes_back_bit_by_bit_or_not_at_all() {
        let mut parts: Vec<Learned> = Model::random(3).parts.into_iter().map(Learned::new).collect();
        parts[4].means[9] = [f32::MIN_POSITIVE; LANES];
        let epoch = Epoch { rate: 0.1, training: 0.2, validation: None, seconds: 3.0 };
        let progress = Progress { steps: 17, price_bits: 0.1_f64.to_bits(), seconds: 1.5, epochs: vec![epoch] };
        let checkpoint = Checkpoint { settings: "{\"batch\":5}".to_owned(), progress, parts };
        let bytes = checkpoint.to_bytes();
        assert_eq!(Checkpoint::from_bytes(&bytes).unwrap(), checkpoint);
        for length in (8..bytes.len()).step_by(4001).chain([bytes.len() - 1]) {
            assert_eq!(Checkpoint::from_bytes(&bytes[..length]), Err(CheckpointError::Damaged));
        }
        for at in (0..bytes.len()).step_by(4001) {
            let mut other = bytes.clone();
            other[at] ^= 4;
            assert!(Checkpoint::from_bytes(&other).is_err(), "byte {at}");
        }
    }
}
