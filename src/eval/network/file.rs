//! Network file format. All numbers are little-endian.
//!
//! | bytes | |
//! |---|---|
//! | 8 | `CHUHENET` |
//! | 2 | version of the format, 1 |
//! | 2 | architecture: definition of inputs, neurons and output, 1 without threats, 2 with |
//! | 4 · 3 | number of inputs, of neurons per perspective, and of output buckets |
//! | 4 · 3 | QA, QB and the centipawns of an output of 1.0 |
//! | 4 | n, length of the note |
//! | n | note: description of the training, UTF-8 |
//! | 2 · inputs · neurons | input weights, row by row |
//! | 2 · neurons | input biases |
//! | 2 · buckets · 2 · neurons | output weights, bucket by bucket, those of the side to move first |
//! | 4 · buckets | output biases |
//! | 4 | CRC-32 (as in zip) of everything before it |
//!
//! A network in which threats have no weight is a file of architecture 1, with inputs for the pieces only, which older
//! programs read. Files of architecture 2 without such weights are read too.

use thiserror::Error;

use super::{BUCKETS, HIDDEN, INPUTS, Network, PIECE_INPUTS, QA, QB, RawWeights, SCALE};

/// First bytes of a file.
pub const MAGIC: &[u8; 8] = b"CHUHENET";
/// Version of the format.
pub const VERSION: u16 = 1;
/// Version of the meaning of the weights.
pub const ARCHITECTURE: u16 = 2;
/// Architecture with inputs for the pieces only.
const PIECES_ONLY: u16 = 1;
/// Maximum length of a note in bytes.
pub const MAX_NOTE_BYTES: usize = 4096;

/// Returns the header fields that must match.
const fn shape(inputs: usize) -> [u32; 6] {
    [inputs as u32, HIDDEN as u32, BUCKETS as u32, QA as u32, QB as u32, SCALE as u32]
}

/// Error that makes a network unusable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// Not a network file.
    #[error("not a network file")]
    Foreign,
    /// A newer format.
    #[error("format version {0} is not supported (only {VERSION})")]
    Version(u16),
    /// Another architecture or another number of weights.
    #[error("network of another architecture")]
    Shape,
    /// A file of the wrong length.
    #[error("damaged: {found} bytes instead of {expected}")]
    Length {
        /// Bytes found.
        found: usize,
        /// Bytes expected.
        expected: usize,
    },
    /// Checksum mismatch.
    #[error("damaged: checksum mismatch")]
    Checksum,
    /// A note that is too long or is not UTF-8.
    #[error("its note is not text of at most {MAX_NOTE_BYTES} bytes")]
    Note,
    /// Weights so large that results could overflow in a position with no more pieces of a kind than a game begins
    /// with.
    #[error("its weights are so large that results could overflow")]
    Overflow,
}

/// Bytes before the note.
const FIXED: usize = MAGIC.len() + 4 + 4 * shape(INPUTS).len() + 4;
/// Bytes of the checksum.
const CHECKSUM: usize = 4;
/// Returns the bytes of all weights and biases.
const fn weights(inputs: usize) -> usize {
    2 * (inputs * HIDDEN + HIDDEN + BUCKETS * 2 * HIDDEN) + 4 * BUCKETS
}

impl Network {
    /// Maximum length of a network file in bytes.
    pub const MAX_BYTES: usize = FIXED + MAX_NOTE_BYTES + weights(INPUTS) + CHECKSUM;

    /// Returns the network as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.content();
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// Returns everything before the checksum.
    fn content(&self) -> Vec<u8> {
        let weights = self.raw_weights();
        let (architecture, inputs) =
            if self.has_threats { (ARCHITECTURE, INPUTS) } else { (PIECES_ONLY, PIECE_INPUTS) };
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(architecture.to_le_bytes());
        shape(inputs).iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend((self.note().len() as u32).to_le_bytes());
        bytes.extend(self.note().as_bytes());
        for row in [&weights.input_weights[..inputs * HIDDEN], &weights.input_biases, &weights.output_weights] {
            row.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        }
        weights.output_biases.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes
    }

    /// Returns the checksum at the end of its file, which identifies the network. The CRC-32 of a whole file would not:
    /// over data followed by its own CRC-32 it is a constant.
    pub fn checksum(&self) -> u32 {
        crc32fast::hash(&self.content())
    }

    /// Reads a network from the bytes of a whole file.
    ///
    /// # Errors
    /// [`NetworkError`] when they are anything else.
    ///
    /// ```
    /// use chuhe::eval::network::{Network, NetworkError};
    /// assert_eq!(Network::from_bytes(b"something else"), Err(NetworkError::Foreign));
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        Network::decode(bytes)?.checked()
    }

    /// Reads a network that may overflow.
    ///
    /// # Errors
    /// As for [`Network::from_bytes`], except for [`NetworkError::Overflow`].
    pub(super) fn decode(bytes: &[u8]) -> Result<Network, NetworkError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(NetworkError::Foreign)?;
        let short = |expected| NetworkError::Length { found: bytes.len(), expected };
        let (&version, rest) = rest.split_first_chunk().ok_or(short(FIXED + weights(INPUTS) + CHECKSUM))?;
        match u16::from_le_bytes(version) {
            VERSION => {}
            other => return Err(NetworkError::Version(other)),
        }
        let (&architecture, mut rest) = rest.split_first_chunk().ok_or(short(FIXED + weights(INPUTS) + CHECKSUM))?;
        let inputs = match u16::from_le_bytes(architecture) {
            ARCHITECTURE => INPUTS,
            PIECES_ONLY => PIECE_INPUTS,
            _ => return Err(NetworkError::Shape),
        };
        let mut next = || {
            let (&number, after) = rest.split_first_chunk().ok_or(short(FIXED + weights(inputs) + CHECKSUM))?;
            rest = after;
            Ok(u32::from_le_bytes(number))
        };
        for expected in shape(inputs) {
            if next()? != expected {
                return Err(NetworkError::Shape);
            }
        }
        let note_length = next()? as usize;
        if note_length > MAX_NOTE_BYTES {
            return Err(NetworkError::Note);
        }
        let expected = FIXED + note_length + weights(inputs) + CHECKSUM;
        if bytes.len() != expected {
            return Err(short(expected));
        }
        let (content, checksum) = bytes.split_at(expected - CHECKSUM);
        if checksum != crc32fast::hash(content).to_le_bytes() {
            return Err(NetworkError::Checksum);
        }
        let note = std::str::from_utf8(&content[FIXED..FIXED + note_length]).map_err(|_| NetworkError::Note)?;
        let mut rest = &content[FIXED + note_length..];
        let mut words = |count: usize| -> Vec<i16> {
            let (row, after) = rest.split_at(2 * count);
            rest = after;
            row.chunks_exact(2).map(|two| i16::from_le_bytes([two[0], two[1]])).collect()
        };
        let (mut input_weights, input_biases) = (words(inputs * HIDDEN), words(HIDDEN));
        input_weights.resize(INPUTS * HIDDEN, 0);
        let output_weights = words(BUCKETS * 2 * HIDDEN);
        let four = |four: &[u8]| i32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        let output_biases = rest.chunks_exact(4).map(four).collect();
        Network::unchecked(&RawWeights { input_weights, input_biases, output_weights, output_biases }, note)
    }
}
