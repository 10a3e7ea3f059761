//! A whole book as bytes: head, origin, records.
//!
//! | bytes | |
//! |---|---|
//! | 0–7 | `89 43 48 42 0D 0A 1A 0A`: tells a book from all else, and one that was transferred as text |
//! | 8–9 | version of the format, 1 |
//! | 10–11 | bytes of a record, 24 |
//! | 12–15 | number of records |
//! | 16–19 | bytes of the origin |
//! | 20–23 | CRC-32 (that of zip and PNG) of origin and records |
//! | 24–27 | CRC-32 of bytes 0–23 |
//! | 28– | origin: what the book was made of, UTF-8 |
//! | then | records ([`super::Record`]), sorted by key, start and target, no two alike |
//!
//! Nothing follows. All numbers begin with their low byte.

use super::error::{BookError, WriteError};
use super::record::{RECORD_SIZE, Record, key_of};
use crate::types::Square;

/// The version of the format.
pub const VERSION: u16 = 1;
/// The most bytes that the text about the origin may have.
pub const MOST_PROVENANCE: usize = 1 << 16;

const MAGIC: [u8; 8] = *b"\x89CHB\r\n\x1A\n";
const HEAD_SIZE: usize = 28;
/// Records that are looked at together while they are in the nearest cache.
const RECORDS_AT_ONCE: usize = 512;

/// A book's bytes with everything in it checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Where the records begin, which is where the origin ends.
    pub records_at: usize,
}

impl Layout {
    /// Checks everything.
    pub fn check(bytes: &[u8]) -> Result<Layout, BookError> {
        let head = Head::read(bytes)?;
        let wanted = HEAD_SIZE as u64 + u64::from(head.provenance) + u64::from(head.records) * RECORD_SIZE as u64;
        if wanted != bytes.len() as u64 {
            return Err(BookError::Length { wanted, found: bytes.len() as u64 });
        }
        // All numbers below the length of the bytes fit from here on.
        let records_at = HEAD_SIZE + head.provenance as usize;
        let provenance = &bytes[HEAD_SIZE..records_at];
        let (records, _) = bytes[records_at..].as_chunks::<RECORD_SIZE>();
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(provenance);
        let mut fault = None;
        let mut last = None;
        for (index, part) in records.chunks(RECORDS_AT_ONCE).enumerate() {
            checksum.update(part.as_flattened());
            if fault.is_none() && !is_sound(part, &mut last) {
                fault = Some(index * RECORDS_AT_ONCE);
            }
        }
        // Damage is told as such, and not as the nonsense that it makes.
        if checksum.finalize() != head.checksum {
            return Err(BookError::Checksum("content"));
        }
        if let Some(first) = fault {
            return Err(fault_of(records, first));
        }
        if provenance.len() > MOST_PROVENANCE || std::str::from_utf8(provenance).is_err() {
            return Err(BookError::Provenance);
        }
        Ok(Layout { records_at })
    }

    /// What the bytes say of their origin.
    pub fn provenance(self, bytes: &[u8]) -> &str {
        std::str::from_utf8(&bytes[HEAD_SIZE..self.records_at]).unwrap_or_default()
    }
}

/// The head of a book whose own checksum is right.
struct Head {
    records: u32,
    provenance: u32,
    checksum: u32,
}

impl Head {
    fn read(bytes: &[u8]) -> Result<Head, BookError> {
        if bytes.is_empty() {
            return Err(BookError::Empty);
        }
        let magic = &bytes[..bytes.len().min(MAGIC.len())];
        if !MAGIC.starts_with(magic) {
            return Err(if bytes.starts_with(&MAGIC[..4]) { BookError::Transfer } else { BookError::Foreign });
        }
        let Some(head) = bytes.first_chunk::<HEAD_SIZE>() else {
            return Err(BookError::Length { wanted: HEAD_SIZE as u64, found: bytes.len() as u64 });
        };
        let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if crc32fast::hash(&head[..24]) != number(24) {
            return Err(BookError::Checksum("head"));
        }
        let version = u16::from_le_bytes([head[8], head[9]]);
        if version != VERSION || usize::from(u16::from_le_bytes([head[10], head[11]])) != RECORD_SIZE {
            return Err(BookError::Version(version));
        }
        Ok(Head { records: number(12), provenance: number(16), checksum: number(20) })
    }
}

/// What orders the records of one position: the move, from start to target.
#[inline(always)]
fn move_of(record: &[u8; RECORD_SIZE]) -> u16 {
    u16::from_be_bytes([record[8], record[9]])
}

/// Whether these records can stand in a book, after a record with this key and move. Only says yes or no, so that a
/// million of them take no time.
fn is_sound(records: &[[u8; RECORD_SIZE]], last: &mut Option<(u64, u16)>) -> bool {
    let mut is_sound = true;
    let mut records = records.iter();
    let (mut key, mut mv) = match *last {
        Some(last) => last,
        None => match records.next() {
            Some(first) => {
                is_sound &= is_valid(first);
                (key_of(first), move_of(first))
            }
            None => return true,
        },
    };
    for record in records {
        let (next_key, next_move) = (key_of(record), move_of(record));
        is_sound &= (next_key > key) | ((next_key == key) & (next_move > mv));
        is_sound &= is_valid(record);
        (key, mv) = (next_key, next_move);
    }
    *last = Some((key, mv));
    is_sound
}

#[inline(always)]
fn is_valid(record: &[u8; RECORD_SIZE]) -> bool {
    let [from, to, flags] = [record[8], record[9], record[14]];
    (from < Square::COUNT as u8) & (to < Square::COUNT as u8) & (from != to) & (flags <= 1)
}

/// The fault that lies somewhere from record `first` on.
fn fault_of(records: &[[u8; RECORD_SIZE]], first: usize) -> BookError {
    for index in first..records.len() {
        if Record::from_bytes(&records[index]).is_none() {
            return BookError::Record { number: index + 1, fault: "no move" };
        }
        let order = |index: usize| (key_of(&records[index]), move_of(&records[index]));
        if index > 0 && order(index) <= order(index - 1) {
            return BookError::Record { number: index + 1, fault: "out of order" };
        }
    }
    BookError::Checksum("content")
}

/// The bytes of a book with these records, which must be sorted by [`Record::order`]. The same records and text make
/// the same bytes.
///
/// # Errors
/// [`WriteError`] for records that a book cannot hold.
///
/// ```
/// use chuhe::book::{self, Book};
/// let book = Book::from_bytes(book::write(&[], "nothing")?)?;
/// assert_eq!((book.len(), book.provenance()), (0, "nothing"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(records: &[Record], provenance: &str) -> Result<Vec<u8>, WriteError> {
    if provenance.len() > MOST_PROVENANCE {
        return Err(WriteError::Provenance(provenance.len()));
    }
    let count = u32::try_from(records.len()).map_err(|_| WriteError::TooMany(records.len()))?;
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
    bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
    bytes[10..12].copy_from_slice(&(RECORD_SIZE as u16).to_le_bytes());
    bytes[12..16].copy_from_slice(&count.to_le_bytes());
    bytes[16..20].copy_from_slice(&(provenance.len() as u32).to_le_bytes());
    bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..24]);
    bytes[24..28].copy_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}
