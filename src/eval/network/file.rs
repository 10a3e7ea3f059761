//! Networks as files. All numbers have their low byte first.
//!
//! | bytes | |
//! |---|---|
//! | 8 | `CHUHENET` |
//! | 2 | the version of the format, 1 |
//! | 2 | the architecture: how inputs, neurons and output are defined, 1 |
//! | 4 · 3 | how many inputs, neurons of a view, and sets of output weights there are |
//! | 4 · 3 | what stands for 1 in sums and in output weights, and what an output of 1 is worth in centipawns |
//! | 4 | n, the length of the note |
//! | n | the note: how it was trained, as text |
//! | 2 · inputs · neurons | the weights of the inputs, row by row |
//! | 2 · neurons | what is added to the sums |
//! | 2 · sets · 2 · neurons | the output weights, set by set, those of the side to move first |
//! | 4 · sets | what is added to the outputs |
//! | 4 | CRC-32 (that of zip) of all that stands before |

use thiserror::Error;

use super::{BUCKETS, HIDDEN, INPUTS, Network, QA, QB, RawWeights, SCALE};

/// What a file begins with.
pub const MAGIC: &[u8; 8] = b"CHUHENET";
/// The version of the format.
pub const VERSION: u16 = 1;
/// The version of what the numbers mean.
pub const ARCHITECTURE: u16 = 1;
/// The most bytes of a note.
pub const MAX_NOTE_BYTES: usize = 4096;

/// The numbers that say what shape a network has.
const SHAPE: [u32; 6] = [INPUTS as u32, HIDDEN as u32, BUCKETS as u32, QA as u32, QB as u32, SCALE as u32];

/// Why a network cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// It begins with something else.
    #[error("it is no network of this program")]
    Foreign,
    /// A later program wrote it.
    #[error("its format has version {0}, and this program knows {VERSION} only")]
    Version(u16),
    /// Its numbers mean something else, or there are more or fewer of them.
    #[error("it has another architecture than the networks of this program")]
    Shape,
    /// There are not as many bytes as there must be.
    #[error("it has {found} bytes and not {wanted}")]
    Length {
        /// How many there are.
        found: usize,
        /// How many there must be.
        wanted: usize,
    },
    /// The checksum does not fit.
    #[error("it is damaged: its checksum does not fit")]
    Checksum,
    /// The note is too long or no text.
    #[error("its note is no text of at most {MAX_NOTE_BYTES} bytes")]
    Note,
    /// Its numbers are so large that results could overflow.
    #[error("its weights are so large that results could overflow")]
    Overflow,
}

/// The bytes before the note.
const FIXED: usize = MAGIC.len() + 4 + 4 * SHAPE.len() + 4;
/// The bytes of the checksum.
const CHECKSUM: usize = 4;
/// The bytes of all weights.
const WEIGHTS: usize = 2 * (INPUTS * HIDDEN + HIDDEN + BUCKETS * 2 * HIDDEN) + 4 * BUCKETS;

impl Network {
    /// No file of a network is longer than so many bytes.
    pub const MAX_BYTES: usize = FIXED + MAX_NOTE_BYTES + WEIGHTS + CHECKSUM;

    /// The network as a file holds it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.content();
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// All that stands before the checksum.
    fn content(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(ARCHITECTURE.to_le_bytes());
        SHAPE.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend((self.note().len() as u32).to_le_bytes());
        bytes.extend(self.note().as_bytes());
        let numbers = self.raw_weights();
        for row in [&numbers.input_weights, &numbers.input_biases, &numbers.output_weights] {
            row.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        }
        numbers.output_biases.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes
    }

    /// The checksum that its file ends with, which tells it from other networks. That of a whole file would not: a CRC-32
    /// followed by itself leaves nothing but a constant.
    pub fn checksum(&self) -> u32 {
        crc32fast::hash(&self.content())
    }

    /// The network in these bytes, which are a whole file.
    ///
    /// # Errors
    /// [`NetworkError`] when they are anything else.
    ///
    /// ```
    /// use chuhe::eval::network::{Network, NetworkError};
    /// assert_eq!(Network::from_bytes(b"something else"), Err(NetworkError::Foreign));
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(NetworkError::Foreign)?;
        let short = |wanted| NetworkError::Length { found: bytes.len(), wanted };
        let (&version, rest) = rest.split_first_chunk().ok_or(short(FIXED + WEIGHTS + CHECKSUM))?;
        match u16::from_le_bytes(version) {
            VERSION => {}
            other => return Err(NetworkError::Version(other)),
        }
        let (&architecture, mut rest) = rest.split_first_chunk().ok_or(short(FIXED + WEIGHTS + CHECKSUM))?;
        if u16::from_le_bytes(architecture) != ARCHITECTURE {
            return Err(NetworkError::Shape);
        }
        let mut next = || {
            let (&number, after) = rest.split_first_chunk().ok_or(short(FIXED + WEIGHTS + CHECKSUM))?;
            rest = after;
            Ok(u32::from_le_bytes(number))
        };
        for wanted in SHAPE {
            if next()? != wanted {
                return Err(NetworkError::Shape);
            }
        }
        let note_length = next()? as usize;
        if note_length > MAX_NOTE_BYTES {
            return Err(NetworkError::Note);
        }
        let wanted = FIXED + note_length + WEIGHTS + CHECKSUM;
        if bytes.len() != wanted {
            return Err(short(wanted));
        }
        let (content, checksum) = bytes.split_at(wanted - CHECKSUM);
        if checksum != crc32fast::hash(content).to_le_bytes() {
            return Err(NetworkError::Checksum);
        }
        let note = std::str::from_utf8(&content[FIXED..FIXED + note_length]).map_err(|_| NetworkError::Note)?;
        let mut rest = &content[FIXED + note_length..];
        let mut words = |count: usize| {
            let (row, after) = rest.split_at(2 * count);
            rest = after;
            row.chunks_exact(2).map(|two| i16::from_le_bytes([two[0], two[1]])).collect()
        };
        let (input_weights, input_biases) = (words(INPUTS * HIDDEN), words(HIDDEN));
        let output_weights = words(BUCKETS * 2 * HIDDEN);
        let four = |four: &[u8]| i32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        let output_biases = rest.chunks_exact(4).map(four).collect();
        Network::new(&RawWeights { input_weights, input_biases, output_weights, output_biases }, note)
    }
}
