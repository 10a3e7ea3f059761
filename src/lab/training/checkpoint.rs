//! Settings of training, and checkpoints that training resumes from without any difference in the result.
//!
//! A checkpoint is a record of [`record_file`](crate::util::record_file) with the settings and the progress, and then
//! for each part of the network its parameters, their mean gradients and mean squared gradients, as little-endian
//! `f32`.

use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::model::{LANES, Row, part_rows};
use super::optimizer::ParamState;
use crate::console::{CommandError, Result};
use crate::eval::network::{BUCKETS, HIDDEN, INPUTS};
use crate::lab::datagen::difference;
use crate::lab::{read_if_present, unusable};
use crate::util::record_file::{decode, encode};

/// Version of the format. Earlier programs took the samples in another order.
const VERSION: u32 = 3;
/// Beginning of a checkpoint.
const BEGINNING: &[u8] = b"{\"chuhe_checkpoint\":3,";
/// Maximum size of a checkpoint in bytes, many times that of the network and its moments.
const MAX_BYTES: u64 = 1 << 28;

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
    pub seed: u64,
}

/// Settings that decide the result of training. Names in files and messages are those of the options.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Settings {
    pub shape: String,
    #[serde(flatten)]
    pub source: SampleSource,
    /// Number of passes over the samples.
    pub epochs: u64,
    pub batch: usize,
    /// Share of the score in the target.
    pub lambda: f64,
    /// Learning rate at the start.
    pub rate: f64,
    /// Learning rate at the end.
    pub last_rate: f64,
    /// Number of threads; it affects the last bits of floating-point sums.
    pub threads: usize,
    /// Checksum of the initial network; `None` for small random weights.
    pub start: Option<String>,
    /// Share of the initial network in the mean of weights that is written, from 0 to 1; 0 is the trained network.
    pub start_share: f64,
}

impl Settings {
    /// Usual share of the score in the target.
    pub const LAMBDA: f64 = 0.7;
    /// Weight decay per step, relative to the learning rate.
    pub const DECAY: f64 = 0.01;
    /// Usual ratio of the learning rates at the start and at the end.
    pub const RATE_RATIO: f64 = 100.0;

    /// Returns the shape of the networks that this program trains.
    pub fn this_shape() -> String {
        format!("({INPUTS}->{HIDDEN})x2->1x{BUCKETS}")
    }

    /// Returns the training parameters as the note of a network.
    pub fn note(&self, positions: usize) -> String {
        let Settings { shape, source, epochs, batch, lambda, rate, last_rate, start, start_share, .. } = self;
        let SampleSource { td_lambda, scale, seed, .. } = source;
        let mut begun = String::new();
        if let Some(start) = start {
            let _ = write!(begun, ", begun with network {start}");
            if *start_share > 0.0 {
                let _ = write!(begun, ", which has a share of {start_share} in the mean of the weights");
            }
        }
        format!(
            "{shape}, {epochs} epochs of {positions} positions of self-play in batches of {batch}, scale {scale:.1}, \
             lambda {lambda}, td-lambda {td_lambda}, rate {rate} to {last_rate}, seed {seed}{begun}; chuhe {}",
            env!("CARGO_PKG_VERSION")
        )
    }
}

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

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    pub steps: u64,
    /// Sum of the losses in the current epoch.
    pub loss: f64,
    /// Duration of the current epoch so far, in seconds.
    pub seconds: f64,
    pub epochs: Vec<Epoch>,
}

/// State of training between two steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    pub settings: Settings,
    pub progress: Progress,
    /// Parameters and Adam moments, part by part.
    pub parts: Vec<ParamState>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    chuhe_checkpoint: u32,
    settings: Settings,
    progress: Progress,
    /// CRC-32 of the numbers.
    checksum: u32,
}

impl Checkpoint {
    pub fn to_bytes(&self) -> Vec<u8> {
        let rows = self.parts.iter().flat_map(|part| [&part.values, &part.means, &part.squares]).flatten();
        let numbers: Vec<u8> = rows.flatten().flat_map(|number| number.to_le_bytes()).collect();
        let head = Head {
            chuhe_checkpoint: VERSION,
            settings: self.settings.clone(),
            progress: self.progress.clone(),
            checksum: crc32fast::hash(&numbers),
        };
        [encode(&head), numbers].concat()
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Checkpoint, &'static str> {
        if !bytes.starts_with(BEGINNING) {
            return Err("not a training checkpoint of this version; choose another --out, or remove it to start again");
        }
        let damaged = "damaged; remove it to start again";
        let end = bytes.iter().position(|&byte| byte == b'\n').ok_or(damaged)?;
        let (head, numbers) = (decode::<Head>(&bytes[..end]).ok_or(damaged)?, &bytes[end + 1..]);
        if crc32fast::hash(numbers) != head.checksum {
            return Err(damaged);
        }
        let (rows, loose) = numbers.as_chunks::<4>().0.as_chunks::<LANES>();
        let count: usize = part_rows().iter().sum::<usize>() * 3;
        if head.settings.shape != Settings::this_shape() || rows.len() != count || !loose.is_empty() {
            return Err("of a network of another shape; choose another --out, or remove it to start again");
        }
        let mut rows = rows.iter().map(|row| row.map(f32::from_le_bytes));
        let mut take = |count: usize| -> Vec<Row> { rows.by_ref().take(count).collect() };
        let mut part = |count| ParamState { values: take(count), means: take(count), squares: take(count) };
        let parts = part_rows().into_iter().map(&mut part).collect();
        Ok(Checkpoint { settings: head.settings, progress: head.progress, parts })
    }

    /// Reads a checkpoint. `None` when there is no such file.
    pub fn read(path: &Path) -> Result<Option<Checkpoint>> {
        let bytes = read_if_present(path, MAX_BYTES)?;
        bytes.map(|bytes| Checkpoint::from_bytes(&bytes).map_err(|fault| unusable(path, fault))).transpose()
    }

    /// Checks that a training with these settings continues the checkpoint, which was read from `path`.
    pub fn check(&self, settings: &Settings, path: &Path) -> Result {
        let [now, earlier] = [settings, &self.settings].map(|settings| serde_json::json!(settings).to_string());
        let Some(difference) = difference(&now, &earlier) else { return Ok(()) };
        let is_other = settings.source.files != self.settings.source.files;
        let fault = if is_other { "made from other games".into() } else { difference };
        let path = path.display();
        Err(CommandError::Mismatch(format!("{path}: {fault}; choose another --out, or remove it to start again")))
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
        let progress = Progress { steps: 17, loss: 499.486_998_039_385_64, seconds: 1.5, epochs: vec![epoch] };
        let settings = Settings {
            shape: Settings::this_shape(),
            source: SampleSource::default(),
            epochs: 1,
            batch: 2,
            lambda: 0.904_837_418_035_959_5,
            rate: 0.1,
            last_rate: 0.0,
            threads: 1,
            start: None,
            start_share: 0.0,
        };
        let checkpoint = Checkpoint { settings, progress, parts };
        let bytes = checkpoint.to_bytes();
        assert_eq!(Checkpoint::from_bytes(&bytes).unwrap(), checkpoint);
        let settings = Settings { shape: "(689->256)x2->1x8".to_owned(), ..checkpoint.settings.clone() };
        let other = Checkpoint { settings, parts: checkpoint.parts[..1].to_vec(), ..checkpoint.clone() };
        assert!(Checkpoint::from_bytes(&other.to_bytes()).unwrap_err().starts_with("of a network of another shape"));
        assert!(Checkpoint::from_bytes(b"CHUHECHK").unwrap_err().starts_with("not a training checkpoint"));
        for length in (BEGINNING.len()..bytes.len()).step_by(500_009).chain([bytes.len() - 1]) {
            assert!(Checkpoint::from_bytes(&bytes[..length]).unwrap_err().starts_with("damaged"));
        }
        for at in (0..300).step_by(9).chain((700..bytes.len()).step_by(500_009)) {
            let mut other = bytes.clone();
            other[at] ^= 4;
            assert!(Checkpoint::from_bytes(&other).is_err(), "byte {at}");
        }
    }
}
