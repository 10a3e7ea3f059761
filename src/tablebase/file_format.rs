//! Table files: compressed blocks of slices, each with a checksum.
//!
//! An ending has a file of results (`.wdl`, two bits per position) and one of plies (`.dtc` or `.dtm`, one byte per
//! position). All integers are little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `ChuheTab` |
//! | 1 | format version: 1, or 2 if both sides have attackers |
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

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::layout::{Layout, normalised};
use super::table::{Content, Table, plies_index, wins_and_losses};
use super::value::{Metric, TableError, TablebaseValue, is_exact};
use crate::counting::{Placement, Signature};
use crate::position::Position;
use crate::types::{PieceKind, Side};
use crate::util::atomic_file;
use crate::util::parallel::map_indices;

const START: [u8; 9] = *b"ChuheTab\x01";
const HEADER: usize = 40;
const SLICES_PER_BLOCK: usize = 256;
const COMPRESSION: i32 = 9;
const CACHED_BLOCKS: usize = 512;

/// Returns the path of a table file.
pub fn path_of(folder: &Path, ending: Signature, content: Content) -> PathBuf {
    folder.join(format!("{ending}.{}", content.extension()))
}

/// Writes both files of a table into a folder and returns their size. An error leaves existing files unchanged.
pub fn write(folder: &Path, table: &Table, threads: usize) -> Result<u64, TableError> {
    let mut bytes = 0;
    // Results last: a result file implies a ply file.
    for (content, raw) in [(Content::Plies(table.metric), &table.plies), (Content::Results, &table.results)] {
        let file = encode(&table.layout, content, raw, threads);
        bytes += file.len() as u64;
        let path = path_of(folder, table.signature(), content);
        atomic_file::write_atomically(&path, &file).map_err(|error| TableError::File { path, error })?;
    }
    Ok(bytes)
}

fn encode(layout: &Layout, content: Content, raw: &[u8], threads: usize) -> Vec<u8> {
    let blocks: Vec<&[u8]> = raw.chunks(SLICES_PER_BLOCK * content.bytes_per_slice()).collect();
    let mut compressed = map_indices(threads, blocks.len(), |block, done: &mut Vec<(usize, Vec<u8>)>| {
        match zstd::bulk::compress(blocks[block], COMPRESSION) {
            Ok(bytes) => done.push((block, bytes)),
            Err(error) => unreachable!("compression in memory does not fail: {error}"),
        }
    });
    compressed.sort_unstable_by_key(|block| block.0);
    let mut file = header(layout, content);
    for (_, bytes) in &compressed {
        file.extend((bytes.len() as u32).to_le_bytes());
        file.extend(crc32fast::hash(bytes).to_le_bytes());
    }
    file.extend(crc32fast::hash(&file[HEADER..]).to_le_bytes());
    compressed.iter().for_each(|(_, bytes)| file.extend(bytes));
    file
}

fn header(layout: &Layout, content: Content) -> Vec<u8> {
    let mut header = START.to_vec();
    header[START.len() - 1] += u8::from(!is_exact(layout.signature));
    header.push(content.code());
    for side in Side::BOTH {
        header.extend(PieceKind::ALL.map(|kind| layout.signature.count(side, kind)));
    }
    header.extend((layout.slices as u64).to_le_bytes());
    header.extend((SLICES_PER_BLOCK as u32).to_le_bytes());
    header.extend(crc32fast::hash(&header).to_le_bytes());
    header
}

struct TableFile {
    path: PathBuf,
    content: Content,
    slices: usize,
    /// Offset, length and checksum of each block.
    blocks: Vec<(u64, u32, u32)>,
    file: Mutex<File>,
    cached: Mutex<HashMap<usize, Arc<[u8]>>>,
}

impl TableFile {
    fn open(folder: &Path, layout: &Layout, content: Content) -> Result<TableFile, TableError> {
        let path = path_of(folder, layout.signature, content);
        let io = |error| TableError::File { path: path.clone(), error };
        let unusable = |fault| Err(TableError::Unusable { path: path.clone(), fault });
        // Opening a pipe would wait for a writer.
        if !fs::metadata(&path).map_err(io)?.is_file() {
            return unusable("is not a file");
        }
        let mut file = File::open(&path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let mut start = [0; HEADER];
        if file.read_exact(&mut start).is_err() || !start.starts_with(&header(layout, content)[..START.len()]) {
            return unusable("is not a tablebase file of this version");
        }
        if crc32fast::hash(&start[..HEADER - 4]).to_le_bytes() != start[HEADER - 4..] {
            return unusable("is damaged (the header)");
        }
        if start != *header(layout, content) {
            return unusable("contains another ending than its name says");
        }
        // The ending determines the number of blocks, which bounds what is read.
        let mut list = vec![0; layout.slices.div_ceil(SLICES_PER_BLOCK) * 8 + 4];
        if length < (HEADER + list.len()) as u64 || file.read_exact(&mut list).is_err() {
            return unusable("is damaged (the file is truncated)");
        }
        let mut begin = (HEADER + list.len()) as u64;
        let (list, checksum) = list.split_at(list.len() - 4);
        if crc32fast::hash(list).to_le_bytes() != checksum {
            return unusable("is damaged (the list of blocks)");
        }
        let word = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).unwrap_or_default();
        let mut blocks = Vec::with_capacity(list.len() / 8);
        for entry in list.as_chunks::<8>().0 {
            let (size, checksum) = (word(&entry[..4]), word(&entry[4..]));
            blocks.push((begin, size, checksum));
            begin = begin.saturating_add(u64::from(size));
        }
        if begin != length {
            return unusable("is damaged (the file length does not match its blocks)");
        }
        let (file, cached) = (Mutex::new(file), Mutex::default());
        Ok(TableFile { path, content, slices: layout.slices, blocks, file, cached })
    }

    fn read(&self, block: usize) -> Result<Vec<u8>, TableError> {
        let damaged = |fault| Err(TableError::Unusable { path: self.path.clone(), fault });
        let (begin, size, checksum) = self.blocks[block];
        let slices = SLICES_PER_BLOCK.min(self.slices - block * SLICES_PER_BLOCK);
        let expected = slices * self.content.bytes_per_slice();
        if size as usize > zstd::zstd_safe::compress_bound(expected) {
            return damaged("is damaged (the length of a block)");
        }
        let mut compressed = vec![0; size as usize];
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(begin))
                .and_then(|_| file.read_exact(&mut compressed))
                .map_err(|error| TableError::File { path: self.path.clone(), error })?;
        }
        if crc32fast::hash(&compressed) != checksum {
            return damaged("is damaged (a block)");
        }
        let Some(raw) = zstd::bulk::decompress(&compressed, expected).ok().filter(|raw| raw.len() == expected) else {
            return damaged("is damaged (a block)");
        };
        let is_contradictory = |results: &[u8]| {
            Side::BOTH.into_iter().any(|side| {
                let [wins, losses] = wins_and_losses(results, side);
                !(wins & losses).is_empty()
            })
        };
        if self.content == Content::Results && raw.chunks_exact(self.content.bytes_per_slice()).any(is_contradictory) {
            return damaged("is damaged (a position is both won and lost)");
        }
        Ok(raw)
    }

    fn read_all(&self, mut work: impl FnMut(Vec<u8>)) -> Result<(), TableError> {
        (0..self.blocks.len()).try_for_each(|block| self.read(block).map(&mut work))
    }

    /// Returns the block of a slice, from the cache if possible, and the offset of the slice in it.
    fn slice(&self, slice: usize) -> Result<(Arc<[u8]>, usize), TableError> {
        let (block, offset) = (slice / SLICES_PER_BLOCK, slice % SLICES_PER_BLOCK * self.content.bytes_per_slice());
        let cached = || self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        let found = cached().get(&block).map(Arc::clone);
        if let Some(bytes) = found {
            return Ok((bytes, offset));
        }
        let bytes: Arc<[u8]> = self.read(block)?.into();
        let mut cached = cached();
        if cached.len() >= CACHED_BLOCKS
            && let Some(&any) = cached.keys().next()
        {
            cached.remove(&any);
        }
        cached.insert(block, Arc::clone(&bytes));
        Ok((bytes, offset))
    }
}

/// Table in files, probed without reading it whole.
pub struct StoredTable {
    layout: Layout,
    metric: Metric,
    results: TableFile,
    plies: TableFile,
    /// A damaged block was found; the table is not used any more.
    is_broken: AtomicBool,
}

impl StoredTable {
    /// Opens the files of an ending whose stronger material is Red's: results, and plies by the metric.
    pub fn open(folder: &Path, ending: Signature, metric: Metric) -> Result<StoredTable, TableError> {
        let layout = Layout::new(ending)?;
        let results = TableFile::open(folder, &layout, Content::Results)?;
        let plies = TableFile::open(folder, &layout, Content::Plies(metric))?;
        Ok(StoredTable { layout, metric, results, plies, is_broken: AtomicBool::new(false) })
    }

    /// Reads all blocks and verifies their checksums, and that no position is both won and lost.
    pub fn check(&self) -> Result<(), TableError> {
        self.results.read_all(drop)?;
        self.plies.read_all(drop)
    }

    /// Reads the whole table and verifies every block.
    pub fn read_all(self) -> Result<Table, TableError> {
        let [mut results, mut plies] = [&self.results, &self.plies]
            .map(|file| Vec::with_capacity(self.layout.slices * file.content.bytes_per_slice()));
        self.results.read_all(|block| results.extend(block))?;
        self.plies.read_all(|block| plies.extend(block))?;
        Ok(Table { layout: self.layout, metric: self.metric, results, plies })
    }

    /// Returns the value of a position of this ending; `None` if the material differs, a piece is on an impossible
    /// square, or the table has been found damaged before. After an error the table is not used any more.
    pub(super) fn value(&self, placement: &Placement, side: Side) -> Result<Option<TablebaseValue>, TableError> {
        if self.is_broken.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let value = self.read_value(placement, side);
        if let Err(error) = &value
            && !self.is_broken.swap(true, Ordering::Relaxed)
        {
            log::error!("{error}; the table is disabled");
        }
        value
    }

    fn read_value(&self, placement: &Placement, side: Side) -> Result<Option<TablebaseValue>, TableError> {
        let Some(index) = self.layout.index_of(placement) else { return Ok(None) };
        let (results, start) = self.results.slice(index.slice)?;
        let [wins, losses] = wins_and_losses(&results[start..], side);
        let plies = || {
            let (plies, start) = self.plies.slice(index.slice)?;
            Ok::<u8, TableError>(plies[start + plies_index(0, side) + index.free_square.index()])
        };
        Ok(Some(if wins.contains(index.free_square) {
            TablebaseValue::Win(plies()?)
        } else if losses.contains(index.free_square) {
            TablebaseValue::Loss(plies()?)
        } else {
            TablebaseValue::Draw
        }))
    }

    /// Returns the value of a position of either colour; `None` if it belongs to another ending.
    pub fn value_of(&self, position: &Position) -> Result<Option<TablebaseValue>, TableError> {
        match normalised(&Placement::from_position(position), position.side()) {
            Some((ending, placement, side)) if ending == self.layout.signature => self.value(&placement, side),
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::endings::Endings;
    use crate::tablebase::table::SET;

    fn fault(result: Result<impl Sized, TableError>) -> &'static str {
        match result {
            Err(TableError::Unusable { fault, .. }) => fault,
            _ => panic!("the file is usable"),
        }
    }

    #[test]
    fn a_position_that_is_both_won_and_lost_is_damage() {
        let ending: Signature = "KPvK".parse().unwrap();
        let mut tables = Endings::default();
        tables.solve(ending, Metric::Conversion, 1, |_| ()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let open = || StoredTable::open(folder.path(), ending, Metric::Conversion).unwrap();
        write(folder.path(), tables.get(ending).unwrap(), 1).unwrap();
        assert!(open().check().is_ok());
        let mut table = open().read_all().unwrap();
        let slice =
            table.results.as_chunks_mut::<{ 2 * SET }>().0.iter_mut().find(|sets| sets[..SET] != [0; SET]).unwrap();
        slice.copy_within(..SET, SET);
        write(folder.path(), &table, 1).unwrap();
        for fault in [fault(open().check()), fault(open().read_all())] {
            assert_eq!(fault, "is damaged (a position is both won and lost)");
        }
    }

    /// A pipe has no end until something writes into it.
    #[cfg(unix)]
    #[test]
    fn a_pipe_in_place_of_a_table_is_refused() {
        let ending: Signature = "KPvK".parse().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = path_of(folder.path(), ending, Content::Results);
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        assert_eq!(fault(StoredTable::open(folder.path(), ending, Metric::Conversion)), "is not a file");
    }
}
