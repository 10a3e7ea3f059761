//! Settings of training, and checkpoints that training resumes from without any difference in the result.
//!
//! | bytes | |
//! |---|---|
//! | 8 | `CHUHECHK` |
//! | 4 | n, little-endian |
//! | n | settings and progress: a JSON object |
//! | 4 each | for each part of the network its parameters, their mean gradients and mean squared gradients, as `f32` |
//! | 4 | CRC-32 of all bytes before it |

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::loss::Loss;
use super::model::{LANES, Row, part_rows};
use super::optimizer::ParamState;
use super::sample_file::SampleSource;
use crate::eval::network::{BUCKETS, HIDDEN, INPUTS};
use crate::lab::datagen::NamedNetwork;

/// First bytes of a checkpoint.
const MAGIC: &[u8; 8] = b"CHUHECHK";

/// Result of an epoch.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Epoch {
    /// Learning rate of its last step.
    pub rate: f64,
    /// Mean training loss over the steps of the epoch.
    pub training: f64,
    /// Validation loss after the epoch; `None` without validation data.
    pub validation: Option<f64>,
    /// Duration in seconds.
    pub seconds: f64,
}

/// Progress of training.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Number of steps done.
    pub steps: u64,
    /// Bits of the sum of the losses in the current epoch.
    #[serde(rename = "price_bits")]
    pub loss_bits: u64,
    /// Duration of the current epoch so far, in seconds.
    pub seconds: f64,
    /// Completed epochs.
    pub epochs: Vec<Epoch>,
}

/// State of training between two steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    /// Settings as JSON; see [`Settings::to_json`].
    pub settings: String,
    /// Progress of training.
    pub progress: Progress,
    /// Parameters and Adam moments, part by part.
    pub parts: Vec<ParamState>,
}

/// Error in the bytes of a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum CheckpointError {
    /// The bytes are no checkpoint.
    #[error("not a training checkpoint")]
    Foreign,
    /// The bytes are truncated or altered.
    #[error("damaged; remove it to start again")]
    Damaged,
    /// The network has another shape than those that this program trains.
    #[error("of a network of another shape; choose another --out, or remove it to start again")]
    Shape,
}

#[derive(Serialize, Deserialize)]
struct Head {
    settings: String,
    progress: Progress,
}

/// The shape among the settings.
#[derive(Deserialize)]
struct Shape {
    shape: Option<String>,
}

impl Checkpoint {
    /// Returns the encoded checkpoint.
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

    /// Decodes a checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError`] when the bytes are no valid checkpoint.
    ///
    /// ```
    /// use chuhe::lab::training::{Checkpoint, CheckpointError};
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
        let shape: Shape = serde_json::from_str(&head.settings).map_err(|_| damaged)?;
        if shape.shape.is_some_and(|shape| shape != Settings::this_shape()) {
            return Err(CheckpointError::Shape);
        }
        let (floats, left) = rest.as_chunks::<4>();
        let (rows, loose) = floats.as_chunks::<LANES>();
        let count: usize = part_rows().iter().sum::<usize>() * 3;
        if rows.len() != count || !loose.is_empty() || !left.is_empty() {
            return Err(damaged);
        }
        let mut rows = rows.iter().map(|row| row.map(f32::from_le_bytes));
        let mut take = |count: usize| -> Vec<Row> { rows.by_ref().take(count).collect() };
        let parts = part_rows()
            .map(|count| ParamState { values: take(count), means: take(count), squares: take(count) })
            .into_iter()
            .collect();
        Ok(Checkpoint { settings: head.settings, progress: head.progress, parts })
    }
}

/// Settings that decide the result of training. Names in files and messages are those of the options.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Settings {
    /// Shape of the network.
    pub shape: String,
    /// Source of the samples.
    pub games: SampleSource,
    /// Number of passes over the samples.
    pub epochs: u64,
    /// Samples per step.
    pub batch: usize,
    /// Share of the score in the target.
    pub lambda: f64,
    /// Centipawns of a winning chance of 73 %.
    pub scale: f64,
    /// Name of the loss; see [`Loss::NAMED`].
    pub loss: String,
    /// Learning rate at the start.
    pub rate: f64,
    /// Learning rate at the end.
    pub last_rate: f64,
    /// Weight decay per step, relative to the learning rate.
    pub decay: f64,
    /// Seed of all random choices.
    pub seed: u64,
    /// Number of threads; it affects the last bits of floating-point sums.
    pub threads: usize,
    /// Initial network; `None` for small random weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<NamedNetwork>,
    /// Share of the initial network in the mean of weights that is written, from 0 to 1; 0 is the trained network.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub start_share: f64,
}

/// Returns `true` for a share that is left out, so that checkpoints without the option have equal settings.
fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

impl Settings {
    /// Usual loss of networks.
    pub const LOSS: Loss = Loss::Squared;
    /// Usual share of the score in the target.
    pub const LAMBDA: f64 = 0.7;
    /// Usual λ of smoothed results; 1 is the plain result.
    pub const TD_LAMBDA: f64 = 1.0;
    /// Usual share of the initial network in the mean of weights that is written.
    pub const START_SHARE: f64 = 0.0;
    /// Usual bound of the scores of samples, in centipawns.
    pub const MOST_SCORE: u16 = 2_000;
    /// Usual weight decay per step, relative to the learning rate.
    pub const DECAY: f64 = 0.01;
    /// Usual memory for shuffling, in megabytes of 2²⁰ bytes.
    pub const SHUFFLE_MEGABYTES: u32 = 1_024;

    /// Returns the shape of the networks that this program trains.
    pub fn this_shape() -> String {
        format!("({INPUTS}->{HIDDEN})x2->1x{BUCKETS}")
    }

    /// Sets the scale, also of smoothed results.
    pub fn set_scale(&mut self, scale: f64) {
        self.scale = scale;
        if let Some(smoothing) = &mut self.games.filter.smoothing {
            smoothing.scale = scale;
        }
    }

    /// Returns the settings as one JSON object.
    pub fn to_json(&self) -> String {
        match serde_json::to_string(self) {
            Ok(text) => text,
            Err(error) => unreachable!("numbers and words can be written as JSON: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::training::Model;

    #[test]
    fn checkpoints_round_trip_and_damage_is_detected() {
        let mut parts: Vec<ParamState> = Model::random(3).parts.into_iter().map(ParamState::new).collect();
        parts[4].means[9] = [f32::MIN_POSITIVE; LANES];
        let epoch = Epoch { rate: 0.1, training: 0.2, validation: None, seconds: 3.0 };
        let progress = Progress { steps: 17, loss_bits: 0.1_f64.to_bits(), seconds: 1.5, epochs: vec![epoch] };
        let checkpoint = Checkpoint { settings: "{\"batch\":5}".to_owned(), progress, parts };
        let bytes = checkpoint.to_bytes();
        assert_eq!(Checkpoint::from_bytes(&bytes).unwrap(), checkpoint);
        let settings = "{\"shape\":\"(689->256)x2->1x8\"}".to_owned();
        let other = Checkpoint { settings, parts: checkpoint.parts[..1].to_vec(), ..checkpoint.clone() };
        assert_eq!(Checkpoint::from_bytes(&other.to_bytes()), Err(CheckpointError::Shape));
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
