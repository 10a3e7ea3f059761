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

const MAGIC: &[u8; 8] = b"CHUHENET";
const VERSION: u16 = 1;
const PIECES_ONLY: u16 = 1;
const WITH_THREATS: u16 = 2;
pub(super) const MAX_NOTE_BYTES: usize = 4096;

/// Returns the header fields that must match.
const fn shape(inputs: usize) -> [u32; 6] {
    [inputs as u32, HIDDEN as u32, BUCKETS as u32, QA as u32, QB as u32, SCALE as u32]
}

/// Reason why bytes or weights make no usable network.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct NetworkError(String);

impl NetworkError {
    pub(super) fn overflow() -> NetworkError {
        NetworkError("its weights are so large that results could overflow".to_owned())
    }

    pub(super) fn shape() -> NetworkError {
        NetworkError("network of another architecture".to_owned())
    }

    pub(super) fn note() -> NetworkError {
        NetworkError(format!("its note is not text of at most {MAX_NOTE_BYTES} bytes"))
    }
}

const HEADER: usize = MAGIC.len() + 4 + 4 * shape(INPUTS).len() + 4;
const CHECKSUM: usize = 4;
const fn weights(inputs: usize) -> usize {
    2 * (inputs * HIDDEN + HIDDEN + BUCKETS * 2 * HIDDEN) + 4 * BUCKETS
}

impl Network {
    /// Maximum length of a network file in bytes.
    pub const MAX_BYTES: usize = HEADER + MAX_NOTE_BYTES + weights(INPUTS) + CHECKSUM;

    /// Returns the network as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.content();
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    fn content(&self) -> Vec<u8> {
        let weights = self.raw_weights();
        let (architecture, inputs) =
            if self.has_threats { (WITH_THREATS, INPUTS) } else { (PIECES_ONLY, PIECE_INPUTS) };
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
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        Network::decode(bytes)?.checked()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Network, NetworkError> {
        if !bytes.starts_with(MAGIC) {
            return Err(NetworkError("not a network file".to_owned()));
        }
        let length = |expected| NetworkError(format!("damaged: {} bytes instead of {expected}", bytes.len()));
        let (header, _) = bytes.split_at_checked(HEADER).ok_or(length(HEADER + weights(INPUTS) + CHECKSUM))?;
        let [version, architecture] = [8, 10].map(|at| u16::from_le_bytes([header[at], header[at + 1]]));
        if version != VERSION {
            return Err(NetworkError(format!("format version {version} is not supported (only {VERSION})")));
        }
        let inputs = match architecture {
            WITH_THREATS => INPUTS,
            PIECES_ONLY => PIECE_INPUTS,
            _ => return Err(NetworkError::shape()),
        };
        let numbers = header[12..].as_chunks().0.iter().map(|&number| u32::from_le_bytes(number));
        let numbers: Vec<u32> = numbers.collect();
        let [shape_found @ .., note_length] = &numbers[..] else { return Err(NetworkError::shape()) };
        if shape_found != shape(inputs) {
            return Err(NetworkError::shape());
        }
        let note_length = *note_length as usize;
        if note_length > MAX_NOTE_BYTES {
            return Err(NetworkError::note());
        }
        let expected = HEADER + note_length + weights(inputs) + CHECKSUM;
        if bytes.len() != expected {
            return Err(length(expected));
        }
        let (content, checksum) = bytes.split_at(expected - CHECKSUM);
        if checksum != crc32fast::hash(content).to_le_bytes() {
            return Err(NetworkError("damaged: checksum mismatch".to_owned()));
        }
        let (note, mut rest) = content[HEADER..].split_at(note_length);
        let note = std::str::from_utf8(note).map_err(|_| NetworkError::note())?;
        let mut words = |count: usize| -> Vec<i16> {
            let (row, after) = rest.split_at(2 * count);
            rest = after;
            row.as_chunks().0.iter().map(|&word| i16::from_le_bytes(word)).collect()
        };
        let (mut input_weights, input_biases) = (words(inputs * HIDDEN), words(HIDDEN));
        input_weights.resize(INPUTS * HIDDEN, 0);
        let output_weights = words(BUCKETS * 2 * HIDDEN);
        let output_biases = rest.as_chunks().0.iter().map(|&number| i32::from_le_bytes(number)).collect();
        Network::unchecked(&RawWeights { input_weights, input_biases, output_weights, output_biases }, note)
    }
}
