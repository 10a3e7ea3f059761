//! File format of tables: compressed blocks of slices, each with a checksum.
//!
//! An ending has a file of results (`.wdl`, two bits per position) and one of plies (`.dtc` or `.dtm`, one byte per
//! position). All integers are little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `ChuheTab` |
//! | 1 | format version, 1 |
//! | 1 | content: 0 results, 1 plies to conversion, 2 plies to mate |
//! | 14 | pieces of Red and of Black: kings, advisors, elephants, horses, rooks, cannons, pawns |
//! | 8 | number of slices |
//! | 4 | slices per block |
//! | 4 | CRC-32 of all preceding bytes |
//! | 8 per block | compressed length, and CRC-32 of the compressed bytes |
//! | 4 | CRC-32 of these lengths and checksums |
//! | … | the blocks in order, each a Zstandard frame |
//!
//! A block of results has four sets of ninety bits for each slice, twelve bytes each, bit 0 for the free piece on a0:
//! wins and losses of the side to move with Red to move, then with Black to move. A block of plies has ninety bytes for
//! Red to move and ninety for Black. Slices are indexed by [`super::layout`]. Positions that have two indices are
//! stored once and read as draws elsewhere, and so are impossible squares of the free piece.
//!
//! Every length in a file is checked against the value that the ending requires.
//!
//! Tables are stored and probed with the stronger material as Red's ([`stronger_first`]).

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::table::{Table, plies_index};
use super::value::Metric;
use crate::counting::{Placement, Signature};
use crate::types::{PieceKind, Side, Square};
use crate::util::atomic_file;
use crate::util::parallel::map_unordered;

pub(super) const MAGIC: [u8; 8] = *b"ChuheTab";
pub(super) const VERSION: u8 = 1;
pub(super) const HEADER: usize = 40;
pub(super) const SLICES_PER_BLOCK: usize = 256;
/// Size of a set of ninety bits in bytes.
pub(super) const SET: usize = 12;
const COMPRESSION: i32 = 9;

/// Content of a table file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    /// Win, draw or loss.
    Results,
    /// Number of plies.
    Plies(Metric),
}

impl Content {
    /// File extension.
    pub fn extension(self) -> &'static str {
        match self {
            Content::Results => "wdl",
            Content::Plies(Metric::Conversion) => "dtc",
            Content::Plies(Metric::Mate) => "dtm",
        }
    }

    fn code(self) -> u8 {
        match self {
            Content::Results => 0,
            Content::Plies(Metric::Conversion) => 1,
            Content::Plies(Metric::Mate) => 2,
        }
    }

    pub(super) fn bytes_per_slice(self) -> usize {
        match self {
            Content::Results => 4 * SET,
            Content::Plies(_) => 2 * Square::COUNT,
        }
    }
}

/// Reason why a table cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file has another format or version.
    #[error("{} is not a tablebase file of this version: rebuild it with 'chuhe tablebase build'", .0.display())]
    Foreign(PathBuf),
    /// The file contains another ending than its name says.
    #[error("{} contains another ending than its name says", .0.display())]
    OtherEnding(PathBuf),
    /// The file is damaged.
    #[error("{} is damaged ({what}): rebuild it with 'chuhe tablebase build'", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// The damaged part.
        what: &'static str,
    },
}

/// Returns the path of a table file.
pub fn path_of(folder: &Path, ending: Signature, content: Content) -> PathBuf {
    folder.join(format!("{ending}.{}", content.extension()))
}

/// Writes the result and ply files of a table into a folder. Returns their total size in bytes.
///
/// # Errors
/// [`StoreError`] if the folder cannot be written; existing files are unchanged in this case.
pub fn write(folder: &Path, table: &Table, threads: usize) -> Result<u64, StoreError> {
    let mut bytes = 0;
    // Results last: a result file implies a ply file.
    for content in [Content::Plies(table.metric), Content::Results] {
        let path = path_of(folder, table.signature(), content);
        let file = encode(table, content, threads);
        bytes += file.len() as u64;
        atomic_file::write_atomically(&path, &file).map_err(|source| StoreError::Io { path, source })?;
    }
    Ok(bytes)
}

fn encode(table: &Table, content: Content, threads: usize) -> Vec<u8> {
    let slices = table.layout.slices();
    let blocks = slices.div_ceil(SLICES_PER_BLOCK);
    let mut compressed = map_unordered(threads, blocks, |block, done: &mut Vec<(usize, Vec<u8>)>| {
        let raw = raw_block(table, content, block);
        match zstd::bulk::compress(&raw, COMPRESSION) {
            Ok(bytes) => done.push((block, bytes)),
            Err(error) => unreachable!("compression in memory does not fail: {error}"),
        }
    });
    compressed.sort_unstable_by_key(|block| block.0);
    let mut file = header(table.signature(), content, slices);
    let mut directory = Vec::with_capacity(blocks * 8);
    for (_, bytes) in &compressed {
        directory.extend((bytes.len() as u32).to_le_bytes());
        directory.extend(crc32fast::hash(bytes).to_le_bytes());
    }
    file.extend(&directory);
    file.extend(crc32fast::hash(&directory).to_le_bytes());
    compressed.iter().for_each(|(_, bytes)| file.extend(bytes));
    file
}

/// Encodes the header of a table file.
pub(super) fn header(ending: Signature, content: Content, slices: usize) -> Vec<u8> {
    let mut header = Vec::with_capacity(HEADER);
    header.extend(MAGIC);
    header.extend([VERSION, content.code()]);
    for side in Side::BOTH {
        header.extend(PieceKind::ALL.map(|kind| ending.count(side, kind)));
    }
    header.extend((slices as u64).to_le_bytes());
    header.extend((SLICES_PER_BLOCK as u32).to_le_bytes());
    header.extend(crc32fast::hash(&header).to_le_bytes());
    header
}

fn raw_block(table: &Table, content: Content, block: usize) -> Vec<u8> {
    let slices = block * SLICES_PER_BLOCK..table.layout.slices().min((block + 1) * SLICES_PER_BLOCK);
    let mut raw = Vec::with_capacity(slices.len() * content.bytes_per_slice());
    for slice in slices {
        let firsts = table.layout.stored_squares(slice);
        for side in Side::BOTH {
            let decided = table.decided[slice][side.index()];
            let (wins, losses) = (decided.wins & firsts, decided.losses & firsts);
            match content {
                Content::Results => {
                    raw.extend(&wins.bits().to_le_bytes()[..SET]);
                    raw.extend(&losses.bits().to_le_bytes()[..SET]);
                }
                Content::Plies(_) => {
                    let start = plies_index(slice, side);
                    let plies = &table.plies[start..start + Square::COUNT];
                    let decided = wins | losses;
                    raw.extend(
                        Square::all().map(
                            |free_square| if decided.contains(free_square) { plies[free_square.index()] } else { 0 },
                        ),
                    );
                }
            }
        }
    }
    raw
}

/// Returns the ending with the stronger material as Red's, and whether colours were swapped.
///
/// ```
/// use chuhe::tablebase::stronger_first;
/// assert_eq!(stronger_first("KAABBvKR".parse()?), ("KRvKAABB".parse()?, true));
/// # Ok::<(), chuhe::counting::SignatureError>(())
/// ```
pub fn stronger_first(ending: Signature) -> (Signature, bool) {
    let swapped = ending.swapped();
    if swapped > ending { (swapped, true) } else { (ending, false) }
}

/// Position with the stronger material as Red's, as tables store it.
pub(super) struct CanonicalPosition<'a> {
    pub ending: Signature,
    pub placement: Cow<'a, Placement>,
    pub side: Side,
}

impl<'a> CanonicalPosition<'a> {
    /// Normalises a position; `None` if it has more pieces of a kind than a game starts with.
    pub fn new(placement: &'a Placement, side: Side) -> Option<CanonicalPosition<'a>> {
        let (ending, is_swapped) = stronger_first(Signature::from_placement(placement)?);
        Some(if is_swapped {
            CanonicalPosition { ending, placement: Cow::Owned(placement.swapped()), side: !side }
        } else {
            CanonicalPosition { ending, placement: Cow::Borrowed(placement), side }
        })
    }
}
