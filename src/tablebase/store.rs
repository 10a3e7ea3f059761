//! Tables as files: blocks of slices, each compressed and with a checksum of its own.
//!
//! An ending has a file of results (`.wdl`, two bits a position), and one of plies (`.dtc` or `.dtm`, a byte a position).
//! All numbers are little-endian:
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

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;

use super::layout::{Layout, Place};
use super::retrograde::in_parallel;
use super::table::{Decided, Table, plies_index};
use super::value::{Metric, Value};
use crate::census::{Placement, Signature};
use crate::files;
use crate::position::Position;
use crate::types::{PieceKind, Side, Square, SquareSet};

const MAGIC: [u8; 8] = *b"ChuheTab";
const VERSION: u8 = 1;
const HEADER: usize = 40;
const SLICES_PER_BLOCK: usize = 256;
/// The bytes of a set of ninety bits.
const SET: usize = 12;
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

    fn bytes_per_slice(self) -> usize {
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
        files::write_atomically(&path, &file).map_err(|source| StoreError::Io { path, source })?;
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

fn header(ending: Signature, content: Content, slices: usize) -> Vec<u8> {
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

/// A file of one ending, open for looking up.
pub(super) struct TableFile {
    path: PathBuf,
    content: Content,
    slices: usize,
    /// Where each block begins, how many bytes it has, and their checksum.
    blocks: Vec<(u64, u32, u32)>,
    file: Mutex<File>,
    recent: Mutex<Recent>,
}

/// Blocks that were used lately.
#[derive(Default)]
struct Recent {
    blocks: HashMap<usize, Arc<[u8]>>,
    order: VecDeque<usize>,
}

/// How many blocks of a file are kept in memory.
const RECENT_BLOCKS: usize = 512;

impl TableFile {
    /// Opens the file of an ending.
    ///
    /// # Errors
    /// [`StoreError`] when it cannot be read, or is not the file of that ending in this format.
    pub fn open(folder: &Path, layout: &Layout, content: Content) -> Result<TableFile, StoreError> {
        let path = path_of(folder, layout.signature(), content);
        let io = |source| StoreError::Io { path: path.clone(), source };
        let damaged = |what| StoreError::Damaged { path: path.clone(), what };
        let mut file = File::open(&path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let mut start = [0; HEADER];
        file.read_exact(&mut start).map_err(|_| StoreError::Foreign(path.clone()))?;
        if start[..8] != MAGIC || start[8] != VERSION {
            return Err(StoreError::Foreign(path));
        }
        if crc32fast::hash(&start[..HEADER - 4]).to_le_bytes() != start[HEADER - 4..] {
            return Err(damaged("the header"));
        }
        let slices = layout.slices();
        if start != *header(layout.signature(), content, slices) {
            return Err(StoreError::OtherEnding(path));
        }
        // The count of blocks follows from the ending, which bounds what is read.
        let count = slices.div_ceil(SLICES_PER_BLOCK);
        let mut directory = vec![0; count * 8 + 4];
        file.read_exact(&mut directory).map_err(|_| damaged("it is cut short"))?;
        let (directory, checksum) = directory.split_at(count * 8);
        if crc32fast::hash(directory).to_le_bytes() != checksum {
            return Err(damaged("the list of blocks"));
        }
        let mut begin = (HEADER + count * 8 + 4) as u64;
        let word = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).unwrap_or_default();
        let mut blocks = Vec::with_capacity(count);
        for entry in directory.chunks_exact(8) {
            let (size, checksum) = (word(&entry[..4]), word(&entry[4..]));
            blocks.push((begin, size, checksum));
            begin = begin.saturating_add(u64::from(size));
        }
        if begin != length {
            return Err(damaged("its length is not that of its blocks"));
        }
        let recent = Mutex::default();
        Ok(TableFile { path, content, slices, blocks, file: Mutex::new(file), recent })
    }

    /// Reads and unpacks a block.
    fn read(&self, block: usize) -> Result<Vec<u8>, StoreError> {
        let damaged = |what| StoreError::Damaged { path: self.path.clone(), what };
        let (begin, size, checksum) = self.blocks[block];
        let mut compressed = vec![0; size as usize];
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(begin))
                .and_then(|_| file.read_exact(&mut compressed))
                .map_err(|source| StoreError::Io { path: self.path.clone(), source })?;
        }
        if crc32fast::hash(&compressed) != checksum {
            return Err(damaged("a block"));
        }
        let slices = SLICES_PER_BLOCK.min(self.slices - block * SLICES_PER_BLOCK);
        let expected = slices * self.content.bytes_per_slice();
        match zstd::bulk::decompress(&compressed, expected) {
            Ok(raw) if raw.len() == expected => Ok(raw),
            _ => Err(damaged("a block")),
        }
    }

    /// A block, from memory if it was used lately.
    fn block(&self, block: usize) -> Result<Arc<[u8]>, StoreError> {
        if let Some(found) = self.recent().blocks.get(&block) {
            return Ok(Arc::clone(found));
        }
        let bytes: Arc<[u8]> = self.read(block)?.into();
        let mut recent = self.recent();
        if recent.order.len() >= RECENT_BLOCKS
            && let Some(oldest) = recent.order.pop_front()
        {
            recent.blocks.remove(&oldest);
        }
        if recent.blocks.insert(block, Arc::clone(&bytes)).is_none() {
            recent.order.push_back(block);
        }
        Ok(bytes)
    }

    fn recent(&self) -> std::sync::MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes of a slice.
    fn with_slice<R>(&self, slice: usize, look: impl FnOnce(&[u8]) -> R) -> Result<R, StoreError> {
        let block = self.block(slice / SLICES_PER_BLOCK)?;
        let bytes = self.content.bytes_per_slice();
        let start = slice % SLICES_PER_BLOCK * bytes;
        Ok(look(&block[start..start + bytes]))
    }
}

/// The sets of a slice in a block of results.
fn decided_of(bytes: &[u8], side: Side) -> Decided {
    let set = |number: usize| {
        let mut word = [0; 16];
        word[..SET].copy_from_slice(&bytes[number * SET..(number + 1) * SET]);
        SquareSet::from_bits(u128::from_le_bytes(word))
    };
    let first = side.index() * 2;
    Decided { wins: set(first), losses: set(first + 1) }
}

/// The table of an ending in files, looked up without reading it whole.
pub struct StoredTable {
    layout: Layout,
    results: TableFile,
    plies: Option<(Metric, TableFile)>,
}

impl StoredTable {
    /// Opens the files of an ending, stronger men first: its results, and its plies by the metric if they are there.
    ///
    /// # Errors
    /// [`StoreError`] when a file cannot be used; a file of plies may be missing.
    pub fn open(folder: &Path, ending: Signature, metric: Metric) -> Result<StoredTable, StoreError> {
        let foreign = || StoreError::Foreign(path_of(folder, ending, Content::Results));
        let layout = Layout::new(ending).ok_or_else(foreign)?;
        let results = TableFile::open(folder, &layout, Content::Results)?;
        let plies = match TableFile::open(folder, &layout, Content::Plies(metric)) {
            Ok(file) => Some((metric, file)),
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok(StoredTable { layout, results, plies })
    }

    /// The ending.
    pub fn signature(&self) -> Signature {
        self.layout.signature()
    }

    /// What the plies are counted to; `None` when only results are there.
    pub fn metric(&self) -> Option<Metric> {
        self.plies.as_ref().map(|plies| plies.0)
    }

    /// The value of a position of this ending; the plies are 0 when only results are there. `None` when the men are
    /// others or stand where they cannot.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read or is damaged there.
    pub(super) fn value(&self, placement: &Placement, side: Side) -> Result<Option<Value>, StoreError> {
        let Some(place) = self.layout.place_of(placement) else { return Ok(None) };
        let decided = self.results.with_slice(place.slice, |bytes| decided_of(bytes, side))?;
        let plies = || match &self.plies {
            Some((_, file)) => file.with_slice(place.slice, |bytes| bytes[plies_offset(place, side)]),
            None => Ok(0),
        };
        Ok(Some(if decided.wins.contains(place.rover) {
            Value::Win(plies()?)
        } else if decided.losses.contains(place.rover) {
            Value::Loss(plies()?)
        } else {
            Value::Draw
        }))
    }

    /// The value of a position, of either colour; `None` when it is of another ending.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read or is damaged there.
    pub fn value_of(&self, position: &Position) -> Result<Option<Value>, StoreError> {
        let placement = Placement::of(position);
        match Signature::of_placement(&placement) {
            Some(ending) if ending == self.signature() => self.value(&placement, position.side()),
            Some(ending) if ending.swapped() == self.signature() => self.value(&placement.swapped(), !position.side()),
            _ => Ok(None),
        }
    }

    /// Reads the whole table, checking every block.
    ///
    /// # Errors
    /// [`StoreError`] when it cannot be read, is damaged somewhere, or has no plies.
    pub fn read_all(self) -> Result<Table, StoreError> {
        let slices = self.layout.slices();
        let Some((metric, file)) = &self.plies else {
            let path = self.results.path.with_extension("dtc");
            return Err(StoreError::Io { path, source: io::ErrorKind::NotFound.into() });
        };
        let mut decided = Vec::with_capacity(slices);
        let mut plies = Vec::with_capacity(slices * 2 * Square::COUNT);
        for block in 0..slices.div_ceil(SLICES_PER_BLOCK) {
            let raw = self.results.read(block)?;
            decided.extend(raw.chunks_exact(4 * SET).map(|bytes| Side::BOTH.map(|side| decided_of(bytes, side))));
            plies.extend(file.read(block)?);
        }
        Ok(Table { metric: *metric, layout: self.layout, decided, plies })
    }
}

fn plies_offset(place: Place, side: Side) -> usize {
    plies_index(0, side) + place.rover.index()
}
