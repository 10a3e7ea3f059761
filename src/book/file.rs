//! Binary format of a book file: header, provenance, records.
//!
//! | bytes | |
//! |---|---|
//! | 0–7 | magic `89 43 48 42 0D 0A 1A 0A`, which also detects a transfer in text mode |
//! | 8–9 | format version: 2 if a move has a preference, else 1 |
//! | 10–11 | record size in bytes, 24 |
//! | 12–15 | number of records |
//! | 16–19 | length of the provenance in bytes |
//! | 20–23 | CRC-32 (as in zip and PNG) of provenance and records |
//! | 24–27 | CRC-32 of bytes 0–23 |
//! | 28– | provenance: what the book was made from, UTF-8 |
//! | then | records ([`super::Record`]), strictly increasing by (key, from, to) |
//!
//! Nothing follows the records. All integers are little-endian.

use std::fs::File;
use std::io::{self, Read};

use thiserror::Error;

use super::Preference;
use super::preference::is_code;
use super::record::{PREFERENCE_SHIFT, RECORD_SIZE, Record, VERIFIED, key_of};
use crate::types::Square;
use crate::util::cores::cores;

/// Latest version of the book format. Books without preferences are written in version 1, which older programs read.
pub const VERSION: u16 = 2;
/// Version of books without preferences.
const PLAIN_VERSION: u16 = 1;
/// Maximum length of the provenance in bytes.
pub const MAX_PROVENANCE: usize = 1 << 16;

/// Maximum number of moves of a book, which take 960 MB.
pub const MAX_MOVES: usize = 40_000_000;

const MAGIC: [u8; 8] = *b"\x89CHB\r\n\x1A\n";
const HEAD_SIZE: usize = 28;
/// Number of records whose checksum and order are checked together, while they are in the L1 cache.
const RECORDS_AT_ONCE: usize = 512;
/// Minimum number of records that pays for starting threads.
const RECORDS_FOR_THREADS: usize = 1 << 16;
/// Maximum number of threads: more are limited by memory bandwidth.
const MAX_THREADS: usize = 8;

/// Reason why a file cannot be used as a book. The caller reports the path.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BookError {
    /// The file cannot be opened or read.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// The path is not a regular file but, for example, a folder or a pipe.
    #[error("this is not a regular file")]
    NotRegular,
    /// The file has another format.
    #[error("this is not a Chuhe book; convert other formats with 'chuhe book import' or 'chuhe book build'")]
    Foreign,
    /// Line-ending conversion (a transfer in text mode) has damaged the file.
    #[error("this book was damaged by a transfer as text; transfer it in binary mode")]
    Transfer,
    /// The format version is not supported.
    #[error(
        "this book has format {0}, but this program reads formats up to {VERSION}; rebuild it or use a newer Chuhe"
    )]
    Version(u16),
    /// The file length contradicts the header.
    #[error("this book has {found} bytes but should have {expected}: it was truncated or extended")]
    Length {
        /// Length in bytes according to the header.
        expected: u64,
        /// Length of the file in bytes.
        found: u64,
    },
    /// The book has more moves than are read; holds their number.
    #[error("this book has {0} moves, more than {MAX_MOVES}")]
    TooLarge(u32),
    /// A checksum does not match; names the damaged part.
    #[error("this book is damaged: checksum mismatch in its {0}")]
    Checksum(&'static str),
    /// A record is invalid or out of order.
    #[error("record {number} of this book is {fault}")]
    Record {
        /// Number of the record, starting with 1.
        number: usize,
        /// Description of the error.
        fault: &'static str,
    },
    /// A book of format 2 has no preferences, so it would be written in format 1.
    #[error("this book has format 2 but no preferences, which are its only difference from format 1")]
    NoPreference,
    /// The provenance is not UTF-8 or is too long.
    #[error("the provenance (origin) of this book is not UTF-8 text of at most {MAX_PROVENANCE} bytes")]
    Provenance,
}

/// Reason why records cannot be written as a book.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum WriteError {
    /// The provenance is too long; holds its length in bytes.
    #[error("the provenance (origin) has {0} bytes, more than {MAX_PROVENANCE}")]
    Provenance(usize),
    /// There are more records than a book can hold.
    #[error("{0} moves are more than a book can hold, {MAX_MOVES}")]
    TooMany(usize),
    /// The records are not strictly increasing; holds the number of the first wrong one.
    #[error("move {0} is out of order or a duplicate")]
    Order(usize),
    /// A move has equal or invalid squares; holds the number of its record.
    #[error("move {0} is not a move")]
    Move(usize),
}

/// Reads the bytes of a book: those that its head announces and, of a longer file, one more.
///
/// # Errors
/// [`BookError`] if the file cannot be read, its head is invalid or its length contradicts the head.
pub(super) fn read(file: &File) -> Result<Vec<u8>, BookError> {
    let mut bytes = Vec::new();
    file.take(HEAD_SIZE as u64).read_to_end(&mut bytes)?;
    let head = Head::read(&bytes)?;
    if head.records as usize > MAX_MOVES {
        return Err(BookError::TooLarge(head.records));
    }
    if head.provenance as usize > MAX_PROVENANCE {
        return Err(BookError::Provenance);
    }
    let expected = head.length();
    file.take(expected - HEAD_SIZE as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > expected {
        return Err(BookError::Length { expected, found: file.metadata()?.len() });
    }
    Ok(bytes)
}

/// Positions of the parts within the bytes of a valid book.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Offset of the first record, which is the end of the provenance.
    pub records_at: usize,
    /// Version of the format.
    pub version: u16,
}

impl Layout {
    /// Validates a whole book.
    pub fn check(bytes: &[u8]) -> Result<Layout, BookError> {
        let head = Head::read(bytes)?;
        let expected = head.length();
        if expected != bytes.len() as u64 {
            return Err(BookError::Length { expected, found: bytes.len() as u64 });
        }
        // The length check bounds all of these, so nothing overflows below.
        let records_at = HEAD_SIZE + head.provenance as usize;
        let provenance = &bytes[HEAD_SIZE..records_at];
        let (records, _) = bytes[records_at..].as_chunks::<RECORD_SIZE>();
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(provenance);
        let is_valid = check_records(records, max_flags(head.version), &mut checksum);
        // Report a checksum mismatch before errors that the damage caused.
        if checksum.finalize() != head.checksum {
            return Err(BookError::Checksum("content"));
        }
        if !is_valid {
            return Err(first_invalid_record(records, max_flags(head.version)));
        }
        if head.version != PLAIN_VERSION && records.iter().all(|record| record[14] <= VERIFIED) {
            return Err(BookError::NoPreference);
        }
        if provenance.len() > MAX_PROVENANCE || std::str::from_utf8(provenance).is_err() {
            return Err(BookError::Provenance);
        }
        Ok(Layout { records_at, version: head.version })
    }

    /// Returns the provenance.
    pub fn provenance(self, bytes: &[u8]) -> &str {
        std::str::from_utf8(&bytes[HEAD_SIZE..self.records_at]).unwrap_or_default()
    }
}

/// Header fields; the header checksum has been verified.
struct Head {
    version: u16,
    records: u32,
    provenance: u32,
    checksum: u32,
}

impl Head {
    /// Length of the book in bytes.
    fn length(&self) -> u64 {
        HEAD_SIZE as u64 + u64::from(self.provenance) + u64::from(self.records) * RECORD_SIZE as u64
    }

    fn read(bytes: &[u8]) -> Result<Head, BookError> {
        if bytes.is_empty() {
            return Err(BookError::Empty);
        }
        let magic = &bytes[..bytes.len().min(MAGIC.len())];
        if !MAGIC.starts_with(magic) {
            return Err(if bytes.starts_with(&MAGIC[..4]) { BookError::Transfer } else { BookError::Foreign });
        }
        let Some(head) = bytes.first_chunk::<HEAD_SIZE>() else {
            return Err(BookError::Length { expected: HEAD_SIZE as u64, found: bytes.len() as u64 });
        };
        let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if crc32fast::hash(&head[..24]) != number(24) {
            return Err(BookError::Checksum("head"));
        }
        let version = u16::from_le_bytes([head[8], head[9]]);
        if !(PLAIN_VERSION..=VERSION).contains(&version)
            || usize::from(u16::from_le_bytes([head[10], head[11]])) != RECORD_SIZE
        {
            return Err(BookError::Version(version));
        }
        Ok(Head { version, records: number(12), provenance: number(16), checksum: number(20) })
    }
}

/// Largest value of the byte with verification and preference in a format.
fn max_flags(version: u16) -> u8 {
    if version == PLAIN_VERSION { VERIFIED } else { u8::MAX }
}

/// Returns whether the records are valid and strictly increasing. Adds their bytes to the checksum.
///
/// Large books are split among threads, so that a million records take a few milliseconds.
fn check_records(records: &[[u8; RECORD_SIZE]], max_flags: u8, checksum: &mut crc32fast::Hasher) -> bool {
    let threads = match records.len() {
        0..RECORDS_FOR_THREADS => 1,
        _ => cores().get().min(MAX_THREADS),
    };
    let length = records.len().div_ceil(threads).max(1);
    let check = |part: usize| {
        let first = part * length;
        let before = first.checked_sub(1).map(|last| order_of(&records[last]));
        check_part(&records[first..records.len().min(first + length)], max_flags, before)
    };
    let parts = records.len().div_ceil(length);
    let found: Vec<(crc32fast::Hasher, bool)> = std::thread::scope(|scope| {
        // If the system refuses a thread, the calling thread checks that part.
        let others: Vec<_> = (1..parts)
            .map(|part| (part, std::thread::Builder::new().spawn_scoped(scope, move || check(part)).ok()))
            .collect();
        let own = (parts > 0).then(|| check(0));
        let join = |(part, thread): (usize, Option<std::thread::ScopedJoinHandle<'_, _>>)| match thread {
            Some(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            None => check(part),
        };
        own.into_iter().chain(others.into_iter().map(join)).collect()
    });
    found.iter().for_each(|(part, _)| checksum.combine(part));
    found.iter().all(|(_, all_valid)| *all_valid)
}

/// Returns the checksum of a range of records and whether they are valid and increasing after `before`, the sort key of
/// the preceding record. Returns only a flag, and avoids branches, for speed.
fn check_part(records: &[[u8; RECORD_SIZE]], max_flags: u8, before: Option<(u64, u16)>) -> (crc32fast::Hasher, bool) {
    let mut checksum = crc32fast::Hasher::new();
    let mut all_valid = true;
    let mut last = before;
    for records in records.chunks(RECORDS_AT_ONCE) {
        checksum.update(records.as_flattened());
        let mut records = records.iter();
        let (mut key, mut mv) = match last {
            Some(last) => last,
            None => match records.next() {
                Some(first) => {
                    all_valid &= is_valid(first, max_flags);
                    order_of(first)
                }
                None => break,
            },
        };
        for record in records {
            let (next_key, next_move) = order_of(record);
            all_valid &= (next_key > key) | ((next_key == key) & (next_move > mv));
            all_valid &= is_valid(record, max_flags);
            (key, mv) = (next_key, next_move);
        }
        last = Some((key, mv));
    }
    (checksum, all_valid)
}

/// Sort key of a record: position key, then from and to square of the move.
#[inline(always)]
fn order_of(record: &[u8; RECORD_SIZE]) -> (u64, u16) {
    (key_of(record), u16::from_be_bytes([record[8], record[9]]))
}

#[inline(always)]
fn is_valid(record: &[u8; RECORD_SIZE], max_flags: u8) -> bool {
    let [from, to, flags] = [record[8], record[9], record[14]];
    (from < Square::COUNT as u8)
        & (to < Square::COUNT as u8)
        & (from != to)
        & (flags <= max_flags)
        & is_code(flags >> PREFERENCE_SHIFT)
}

/// Returns the error of the first invalid or unordered record.
fn first_invalid_record(records: &[[u8; RECORD_SIZE]], max_flags: u8) -> BookError {
    let is_wrong = |index: &usize| !is_valid(&records[*index], max_flags);
    let is_disordered = |index: &usize| *index > 0 && order_of(&records[*index]) <= order_of(&records[*index - 1]);
    let first = (0..records.len()).find(|index| is_wrong(index) || is_disordered(index)).unwrap_or(0);
    BookError::Record { number: first + 1, fault: if is_wrong(&first) { "not a move" } else { "out of order" } }
}

/// Encodes a book. The records must be sorted by [`Record::order`]. Equal input gives equal bytes.
///
/// # Errors
/// [`WriteError`] if a book cannot hold the records or the provenance.
///
/// ```
/// use chuhe::book::{self, Book};
/// let book = Book::from_bytes(book::write(&[], "nothing")?)?;
/// assert_eq!((book.len(), book.provenance()), (0, "nothing"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(records: &[Record], provenance: &str) -> Result<Vec<u8>, WriteError> {
    if provenance.len() > MAX_PROVENANCE {
        return Err(WriteError::Provenance(provenance.len()));
    }
    if records.len() > MAX_MOVES {
        return Err(WriteError::TooMany(records.len()));
    }
    let is_move = |record: &Record| {
        let (from, to) = (record.mv.from(), record.mv.to());
        from.is_on_board() && to.is_on_board() && from != to
    };
    if let Some(index) = records.iter().position(|record| !is_move(record)) {
        return Err(WriteError::Move(index + 1));
    }
    if let Some(index) = records.windows(2).position(|pair| pair[0].order() >= pair[1].order()) {
        return Err(WriteError::Order(index + 2));
    }
    let mut bytes = Vec::with_capacity(HEAD_SIZE + provenance.len() + records.len() * RECORD_SIZE);
    bytes.extend_from_slice(&[0; HEAD_SIZE]);
    bytes.extend_from_slice(provenance.as_bytes());
    records.iter().for_each(|record| bytes.extend_from_slice(&record.to_bytes()));
    let checksum = crc32fast::hash(&bytes[HEAD_SIZE..]);
    bytes[..8].copy_from_slice(&MAGIC);
    let has_preference = records.iter().any(|record| record.preference != Preference::NONE);
    let version = if has_preference { VERSION } else { PLAIN_VERSION };
    bytes[8..10].copy_from_slice(&version.to_le_bytes());
    bytes[10..12].copy_from_slice(&(RECORD_SIZE as u16).to_le_bytes());
    bytes[12..16].copy_from_slice(&(records.len() as u32).to_le_bytes());
    bytes[16..20].copy_from_slice(&(provenance.len() as u32).to_le_bytes());
    bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..24]);
    bytes[24..28].copy_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}
