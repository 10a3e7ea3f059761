//! Tables looked up in their files, a block at a time.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::endings::CanonicalPosition;
use super::layout::{Layout, Place};
use super::store::{Content, HEADER, MAGIC, SET, SLICES_PER_BLOCK, StoreError, VERSION, header, path_of};
use super::table::{Table, WinLossBits, plies_index};
use super::value::{Metric, Value};
use crate::counting::{Placement, Signature};
use crate::position::Position;
use crate::types::{Side, Square, SquareSet};

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

/// The blocks that were read last.
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
        if length < (HEADER + count * 8 + 4) as u64 {
            return Err(damaged("it is cut short"));
        }
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
        let slices = SLICES_PER_BLOCK.min(self.slices - block * SLICES_PER_BLOCK);
        let expected = slices * self.content.bytes_per_slice();
        if size as usize > zstd::zstd_safe::compress_bound(expected) {
            return Err(damaged("the length of a block"));
        }
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
        match zstd::bulk::decompress(&compressed, expected) {
            Ok(raw) if raw.len() == expected => Ok(raw),
            _ => Err(damaged("a block")),
        }
    }

    /// A block, from memory if it is one of those that were read last.
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
fn decided_of(bytes: &[u8], side: Side) -> WinLossBits {
    let set = |number: usize| {
        let mut word = [0; 16];
        word[..SET].copy_from_slice(&bytes[number * SET..(number + 1) * SET]);
        SquareSet::from_bits(u128::from_le_bytes(word))
    };
    let first = side.index() * 2;
    WinLossBits { wins: set(first), losses: set(first + 1) }
}

/// The table of an ending in files, looked up without reading it whole.
pub struct StoredTable {
    layout: Layout,
    results: TableFile,
    metric: Metric,
    plies: TableFile,
    /// A block was damaged, so that the table is not asked any more.
    is_broken: AtomicBool,
}

impl StoredTable {
    /// Opens the files of an ending, stronger men first: its results, and its plies by the metric.
    ///
    /// # Errors
    /// [`StoreError`] when a file is missing or cannot be used.
    pub fn open(folder: &Path, ending: Signature, metric: Metric) -> Result<StoredTable, StoreError> {
        let foreign = || StoreError::Foreign(path_of(folder, ending, Content::Results));
        let layout = Layout::new(ending).ok_or_else(foreign)?;
        let results = TableFile::open(folder, &layout, Content::Results)?;
        let plies = TableFile::open(folder, &layout, Content::Plies(metric))?;
        Ok(StoredTable { layout, results, metric, plies, is_broken: AtomicBool::new(false) })
    }

    /// The ending.
    pub fn signature(&self) -> Signature {
        self.layout.signature()
    }

    /// What the plies are counted to.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Reads all blocks and compares them with their checksums.
    ///
    /// # Errors
    /// [`StoreError`] for the first that cannot be read or is damaged.
    pub fn check(&self) -> Result<(), StoreError> {
        for file in [&self.results, &self.plies] {
            (0..file.blocks.len()).try_for_each(|block| file.read(block).map(drop))?;
        }
        Ok(())
    }

    /// The value of a position of this ending; `None` when the men are others or stand where they cannot, or when the
    /// table was found to be damaged before.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read or is damaged there; the table is not asked any more then.
    pub(super) fn value(&self, placement: &Placement, side: Side) -> Result<Option<Value>, StoreError> {
        let Some(place) = self.layout.place_of(placement).filter(|_| !self.is_broken.load(Ordering::Relaxed)) else {
            return Ok(None);
        };
        let value = self.value_at(place, side);
        if let Err(error) = &value
            && !self.is_broken.swap(true, Ordering::Relaxed)
        {
            log::error!("{error}; it is not used any more");
        }
        value.map(Some)
    }

    fn value_at(&self, place: Place, side: Side) -> Result<Value, StoreError> {
        let decided = self.results.with_slice(place.slice, |bytes| decided_of(bytes, side))?;
        let plies = || self.plies.with_slice(place.slice, |bytes| bytes[plies_offset(place, side)]);
        Ok(if decided.wins.contains(place.rover) {
            Value::Win(plies()?)
        } else if decided.losses.contains(place.rover) {
            Value::Loss(plies()?)
        } else {
            Value::Draw
        })
    }

    /// The value of a position, of either colour; `None` when it is of another ending.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read or is damaged there.
    pub fn value_of(&self, position: &Position) -> Result<Option<Value>, StoreError> {
        let placement = Placement::of(position);
        match CanonicalPosition::new(&placement, position.side()) {
            Some(asked) if asked.ending == self.signature() => self.value(&asked.placement, asked.side),
            _ => Ok(None),
        }
    }

    /// Reads the whole table, checking every block.
    ///
    /// # Errors
    /// [`StoreError`] when it cannot be read, or is damaged somewhere.
    pub fn read_all(self) -> Result<Table, StoreError> {
        let slices = self.layout.slices();
        let mut decided = Vec::with_capacity(slices);
        let mut plies = Vec::with_capacity(slices * 2 * Square::COUNT);
        for block in 0..slices.div_ceil(SLICES_PER_BLOCK) {
            let raw = self.results.read(block)?;
            decided.extend(raw.chunks_exact(4 * SET).map(|bytes| Side::BOTH.map(|side| decided_of(bytes, side))));
            plies.extend(self.plies.read(block)?);
        }
        Ok(Table { metric: self.metric, layout: self.layout, decided, plies })
    }
}

fn plies_offset(place: Place, side: Side) -> usize {
    plies_index(0, side) + place.rover.index()
}
