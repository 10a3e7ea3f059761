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
/// Fewer records are checked before a thread has begun.
const RECORDS_FOR_THREADS: usize = 1 << 16;
/// More threads wait for the memory.
const MAX_THREADS: usize = 8;

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
        let is_sound = check_records(records, &mut checksum);
        // Damage is told as such, and not as the nonsense that it makes.
        if checksum.finalize() != head.checksum {
            return Err(BookError::Checksum("content"));
        }
        if !is_sound {
            return Err(fault_of(records));
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

/// Whether these records can stand in a book in this order. Their bytes are added to the checksum.
///
/// Large books are shared out among threads, so that a million records take some milliseconds.
fn check_records(records: &[[u8; RECORD_SIZE]], checksum: &mut crc32fast::Hasher) -> bool {
    let threads = match records.len() {
        0..RECORDS_FOR_THREADS => 1,
        _ => std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS),
    };
    let length = records.len().div_ceil(threads).max(1);
    let check = |part: usize| {
        let first = part * length;
        let before = first.checked_sub(1).map(|last| order_of(&records[last]));
        check_part(&records[first..records.len().min(first + length)], before)
    };
    let parts = records.len().div_ceil(length);
    let found: Vec<(crc32fast::Hasher, bool)> = std::thread::scope(|scope| {
        // Where the system grants no thread, this one does the work.
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
    found.iter().all(|(_, is_sound)| *is_sound)
}

/// The checksum of these records, and whether they can stand in a book behind one of this order. Only says yes or no,
/// and without branches, for the sake of speed.
fn check_part(records: &[[u8; RECORD_SIZE]], before: Option<(u64, u16)>) -> (crc32fast::Hasher, bool) {
    let mut checksum = crc32fast::Hasher::new();
    let mut is_sound = true;
    let mut last = before;
    for records in records.chunks(RECORDS_AT_ONCE) {
        checksum.update(records.as_flattened());
        let mut records = records.iter();
        let (mut key, mut mv) = match last {
            Some(last) => last,
            None => match records.next() {
                Some(first) => {
                    is_sound &= is_valid(first);
                    order_of(first)
                }
                None => break,
            },
        };
        for record in records {
            let (next_key, next_move) = order_of(record);
            is_sound &= (next_key > key) | ((next_key == key) & (next_move > mv));
            is_sound &= is_valid(record);
            (key, mv) = (next_key, next_move);
        }
        last = Some((key, mv));
    }
    (checksum, is_sound)
}

/// What orders records: the key, then the start and the target of the move.
#[inline(always)]
fn order_of(record: &[u8; RECORD_SIZE]) -> (u64, u16) {
    (key_of(record), u16::from_be_bytes([record[8], record[9]]))
}

#[inline(always)]
fn is_valid(record: &[u8; RECORD_SIZE]) -> bool {
    let [from, to, flags] = [record[8], record[9], record[14]];
    (from < Square::COUNT as u8) & (to < Square::COUNT as u8) & (from != to) & (flags <= 1)
}

/// The first fault of these records.
fn fault_of(records: &[[u8; RECORD_SIZE]]) -> BookError {
    let is_wrong = |index: &usize| Record::from_bytes(&records[*index]).is_none();
    let is_disordered = |index: &usize| *index > 0 && order_of(&records[*index]) <= order_of(&records[*index - 1]);
    let first = (0..records.len()).find(|index| is_wrong(index) || is_disordered(index)).unwrap_or(0);
    BookError::Record { number: first + 1, fault: if is_wrong(&first) { "no move" } else { "out of order" } }
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
