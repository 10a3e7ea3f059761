//! Probing tables in files, one block at a time.

use std::collections::{HashMap, VecDeque};
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::file_format::{
    CanonicalPosition, Content, HEADER, MAGIC, SET, SLICES_PER_BLOCK, StoreError, VERSION, header, path_of,
};
use super::layout::{Layout, PositionIndex};
use super::table::{Table, WinLossBits, plies_index};
use super::value::{Metric, TablebaseValue};
use crate::counting::{Placement, Signature};
use crate::position::Position;
use crate::types::{Side, Square, SquareSet};

/// Table file opened for probing.
pub(super) struct TableFile {
    path: PathBuf,
    content: Content,
    slices: usize,
    /// Offset, length and checksum of each block.
    blocks: Vec<(u64, u32, u32)>,
    file: Mutex<File>,
    recent: Mutex<Recent>,
}

/// Cache of recently read blocks.
#[derive(Default)]
struct Recent {
    blocks: HashMap<usize, Arc<[u8]>>,
    order: VecDeque<usize>,
}

/// Number of blocks cached per file.
const RECENT_BLOCKS: usize = 512;

impl TableFile {
    /// Opens a table file.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be read or is not a file of that ending in this format.
    pub fn open(folder: &Path, layout: &Layout, content: Content) -> Result<TableFile, StoreError> {
        let path = path_of(folder, layout.signature(), content);
        let io = |source| StoreError::Io { path: path.clone(), source };
        let damaged = |what| StoreError::Damaged { path: path.clone(), what };
        // Opening a pipe would wait for a writer.
        if !fs::metadata(&path).map_err(io)?.is_file() {
            return Err(StoreError::Foreign(path));
        }
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
        // The ending determines the number of blocks, which bounds what is read.
        let count = slices.div_ceil(SLICES_PER_BLOCK);
        if length < (HEADER + count * 8 + 4) as u64 {
            return Err(damaged("the file is truncated"));
        }
        let mut directory = vec![0; count * 8 + 4];
        file.read_exact(&mut directory).map_err(|_| damaged("the file is truncated"))?;
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
            return Err(damaged("the file length does not match its blocks"));
        }
        let recent = Mutex::default();
        Ok(TableFile { path, content, slices, blocks, file: Mutex::new(file), recent })
    }

    /// The error that a part of the file is damaged.
    fn damaged(&self, what: &'static str) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what }
    }

    /// Reads and decompresses a block.
    fn read(&self, block: usize) -> Result<Vec<u8>, StoreError> {
        let (begin, size, checksum) = self.blocks[block];
        let slices = SLICES_PER_BLOCK.min(self.slices - block * SLICES_PER_BLOCK);
        let expected = slices * self.content.bytes_per_slice();
        if size as usize > zstd::zstd_safe::compress_bound(expected) {
            return Err(self.damaged("the length of a block"));
        }
        let mut compressed = vec![0; size as usize];
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(begin))
                .and_then(|_| file.read_exact(&mut compressed))
                .map_err(|source| StoreError::Io { path: self.path.clone(), source })?;
        }
        if crc32fast::hash(&compressed) != checksum {
            return Err(self.damaged("a block"));
        }
        match zstd::bulk::decompress(&compressed, expected) {
            Ok(raw) if raw.len() == expected => Ok(raw),
            _ => Err(self.damaged("a block")),
        }
    }

    /// Returns a block, from the cache if possible.
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

    /// Calls `read` with the bytes of a slice.
    fn with_slice<R>(&self, slice: usize, read: impl FnOnce(&[u8]) -> R) -> Result<R, StoreError> {
        let block = self.block(slice / SLICES_PER_BLOCK)?;
        let bytes = self.content.bytes_per_slice();
        let start = slice % SLICES_PER_BLOCK * bytes;
        Ok(read(&block[start..start + bytes]))
    }
}

/// Decodes the sets of a slice from a block of results.
fn decode_results(bytes: &[u8], side: Side) -> WinLossBits {
    let set = |number: usize| {
        let mut word = [0; 16];
        word[..SET].copy_from_slice(&bytes[number * SET..(number + 1) * SET]);
        SquareSet::from_bits(u128::from_le_bytes(word))
    };
    let first = side.index() * 2;
    WinLossBits { wins: set(first), losses: set(first + 1) }
}

/// Table in files, probed without reading it whole.
pub struct StoredTable {
    layout: Layout,
    results: TableFile,
    metric: Metric,
    plies: TableFile,
    /// A damaged block was found; the table is not used any more.
    is_broken: AtomicBool,
}

impl StoredTable {
    /// Opens the files of a normalised ending: results, and plies by the metric.
    ///
    /// # Errors
    /// [`StoreError`] if a file is missing or invalid.
    pub fn open(folder: &Path, ending: Signature, metric: Metric) -> Result<StoredTable, StoreError> {
        let foreign = || StoreError::Foreign(path_of(folder, ending, Content::Results));
        let layout = Layout::new(ending).ok_or_else(foreign)?;
        let results = TableFile::open(folder, &layout, Content::Results)?;
        let plies = TableFile::open(folder, &layout, Content::Plies(metric))?;
        Ok(StoredTable { layout, results, metric, plies, is_broken: AtomicBool::new(false) })
    }

    /// Material of the ending.
    pub fn signature(&self) -> Signature {
        self.layout.signature()
    }

    /// Metric of the plies.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Reads the results of a block, by slice and side to move.
    fn read_results(&self, block: usize) -> Result<Vec<[WinLossBits; 2]>, StoreError> {
        let raw = self.results.read(block)?;
        let slices = raw.chunks_exact(4 * SET).map(|bytes| Side::BOTH.map(|side| decode_results(bytes, side)));
        let results: Vec<[WinLossBits; 2]> = slices.collect();
        if results.iter().flatten().any(|result| !(result.wins & result.losses).is_empty()) {
            return Err(self.results.damaged("a position is both won and lost"));
        }
        Ok(results)
    }

    /// Reads all blocks and verifies their checksums, and that no position is both won and lost.
    ///
    /// # Errors
    /// [`StoreError`] for the first block that cannot be read or is damaged.
    pub fn check(&self) -> Result<(), StoreError> {
        (0..self.results.blocks.len()).try_for_each(|block| self.read_results(block).map(drop))?;
        (0..self.plies.blocks.len()).try_for_each(|block| self.plies.read(block).map(drop))
    }

    /// Returns the value of a position of this ending; `None` if the material differs, a piece is on an impossible
    /// square, or the table has been found damaged before.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be read or the block is damaged; the table is not used any more then.
    pub(super) fn value(&self, placement: &Placement, side: Side) -> Result<Option<TablebaseValue>, StoreError> {
        let Some(index) = self.layout.index_of(placement).filter(|_| !self.is_broken.load(Ordering::Relaxed)) else {
            return Ok(None);
        };
        let value = self.value_at(index, side);
        if let Err(error) = &value
            && !self.is_broken.swap(true, Ordering::Relaxed)
        {
            log::error!("{error}; the table is disabled");
        }
        value.map(Some)
    }

    fn value_at(&self, index: PositionIndex, side: Side) -> Result<TablebaseValue, StoreError> {
        let decided = self.results.with_slice(index.slice, |bytes| decode_results(bytes, side))?;
        let plies = || self.plies.with_slice(index.slice, |bytes| bytes[plies_offset(index, side)]);
        Ok(if decided.wins.contains(index.free_square) {
            TablebaseValue::Win(plies()?)
        } else if decided.losses.contains(index.free_square) {
            TablebaseValue::Loss(plies()?)
        } else {
            TablebaseValue::Draw
        })
    }

    /// Returns the value of a position of either colour; `None` if it belongs to another ending.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be read or the block is damaged.
    pub fn value_of(&self, position: &Position) -> Result<Option<TablebaseValue>, StoreError> {
        let placement = Placement::from_position(position);
        match CanonicalPosition::new(&placement, position.side()) {
            Some(canonical) if canonical.ending == self.signature() => self.value(&canonical.placement, canonical.side),
            _ => Ok(None),
        }
    }

    /// Reads the whole table and verifies every block.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be read or is damaged.
    pub fn read_all(self) -> Result<Table, StoreError> {
        let slices = self.layout.slices();
        let mut decided = Vec::with_capacity(slices);
        let mut plies = Vec::with_capacity(slices * 2 * Square::COUNT);
        for block in 0..slices.div_ceil(SLICES_PER_BLOCK) {
            decided.extend(self.read_results(block)?);
            plies.extend(self.plies.read(block)?);
        }
        Ok(Table { metric: self.metric, layout: self.layout, decided, plies })
    }
}

fn plies_offset(index: PositionIndex, side: Side) -> usize {
    plies_index(0, side) + index.free_square.index()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::endings::Endings;
    use crate::tablebase::file_format::write;

    #[test]
    fn a_position_that_is_both_won_and_lost_is_damage() {
        let ending: Signature = "KPvK".parse().unwrap();
        let mut table = Endings::default().solve(ending, Metric::Conversion, 1, |_| ()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let open = || StoredTable::open(folder.path(), ending, Metric::Conversion).unwrap();
        write(folder.path(), &table, 1).unwrap();
        assert!(open().check().is_ok() && open().read_all().is_ok());
        let results = table.decided.iter_mut().flatten().find(|results| !results.wins.is_empty()).unwrap();
        results.losses = results.wins;
        write(folder.path(), &table, 1).unwrap();
        for error in [open().check().err(), open().read_all().err()] {
            assert!(matches!(error, Some(StoreError::Damaged { .. })), "{error:?}");
        }
    }

    /// A pipe has no end until something writes into it.
    #[cfg(unix)]
    #[test]
    fn a_pipe_in_place_of_a_table_is_refused() {
        let ending: Signature = "KPvK".parse().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = path_of(folder.path(), ending, Content::Results);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let opened = StoredTable::open(folder.path(), ending, Metric::Conversion);
        assert!(matches!(opened.err(), Some(StoreError::Foreign(found)) if found == path));
    }
}
