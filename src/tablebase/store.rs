//! Tables as files: blocks of slices, each compressed and with a checksum of its own.
//!
//! An ending has a file of results (`.wdl`, two bits a position), and one of plies (`.dtc` or `.dtm`, a byte a
//! position). All numbers are little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `ChuheTab` |
//! | 1 | version of the format, 1 |
//! | 1 | content: 0 results, 1 plies to conversion, 2 plies to mate |
//! | 14 | men of Red and of Black: kings, advisors, elephants, horses, rooks, cannons, pawns |
//! | 8 | slices |
//! | 4 | slices a block |
//! | 4 | CRC-32 of all bytes so far |
//! | 8 a block | its compressed length, and the CRC-32 of its compressed bytes |
//! | 4 | CRC-32 of these lengths and checksums |
//! | … | the blocks, one after the other, each a Zstandard frame |
//!
//! A block of results has for every slice four sets of ninety bits in twelve bytes each, bit 0 for a rover on a0: where
//! the side to move wins and loses with Red to move, then with Black. A block of plies has ninety bytes for Red and
//! ninety for Black. Which men a slice means is the numbering of [`super::layout`]. Positions that the numbering has
//! twice are kept once and read as draws elsewhere, and so are places where the rover cannot stand.
//!
//! No length in a file is believed before it has been compared with what the ending must have.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::parallel::in_parallel;
use super::table::{Table, plies_index};
use super::value::Metric;
use crate::counting::Signature;
use crate::types::{PieceKind, Side, Square};
use crate::util::atomic_file;

pub(super) const MAGIC: [u8; 8] = *b"ChuheTab";
pub(super) const VERSION: u8 = 1;
pub(super) const HEADER: usize = 40;
pub(super) const SLICES_PER_BLOCK: usize = 256;
/// The bytes of a set of ninety bits.
pub(super) const SET: usize = 12;
const COMPRESSION: i32 = 9;

/// What a file tells of its positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    /// Who wins.
    Results,
    /// In how many plies.
    Plies(Metric),
}

impl Content {
    /// What the names of such files end with.
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

/// Why a table cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something else, or of another version.
    #[error("{} is no endgame table of this version: build it anew with 'chuhe tablebase build'", .0.display())]
    Foreign(PathBuf),
    /// A table of another ending than its name says.
    #[error("{} is the table of another ending than its name says", .0.display())]
    OtherEnding(PathBuf),
    /// Bytes that are not what they were when the file was written.
    #[error("{} is damaged ({what}): build it anew with 'chuhe tablebase build'", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What does not fit.
        what: &'static str,
    },
}

/// Where the file of an ending lies.
pub fn path_of(folder: &Path, ending: Signature, content: Content) -> PathBuf {
    folder.join(format!("{ending}.{}", content.extension()))
}

/// Writes the files of a table into a folder: its results, and its plies. Gives back how many bytes they have.
///
/// # Errors
/// [`StoreError`] when the folder cannot be written to; files that were there are then as they were.
pub fn write(folder: &Path, table: &Table, threads: usize) -> Result<u64, StoreError> {
    let mut bytes = 0;
    // The results last: who finds them finds the plies too.
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
    let mut compressed = in_parallel(threads, blocks, |block, done: &mut Vec<(usize, Vec<u8>)>| {
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

/// The head of the file of an ending.
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
        let firsts = table.layout.first_places(slice);
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
                    let told = wins | losses;
                    raw.extend(Square::all().map(|rover| if told.contains(rover) { plies[rover.index()] } else { 0 }));
                }
            }
        }
    }
    raw
}
