//! Reader of game files that recovers after damaged records.

use std::io::{self, Read};

use thiserror::Error;

use super::ScoredGame;
use super::record::{FRAME_BYTES, GameRecord, Header, MAGIC, MARKER, MAX_RECORD, MAX_SETTINGS, RecordFault, VERSION};

/// Bytes of a header before the settings.
const FIXED_HEADER: usize = MAGIC.len() + 6;
/// Bytes read at a time.
const CHUNK: usize = 1 << 16;

/// Error that makes a file unusable as a game file.
#[derive(Debug, Error)]
pub enum HeaderError {
    #[error("not a file of self-play games")]
    NotAGameFile,
    #[error("its format version is {0}, but this program supports {VERSION} only")]
    Version(u16),
    #[error(transparent)]
    Unreadable(#[from] io::Error),
}

/// Error in one record: its index in the file, from 1, and its offset in bytes. Reading continues with the next record
/// after all but a read error.
#[derive(Debug, Error)]
pub enum RecordError {
    /// Damaged bytes before the next valid record.
    #[error("record {record} at byte {offset} is damaged: {bytes} bytes skipped")]
    Damaged { record: u64, offset: u64, bytes: u64 },
    /// Damaged or missing bytes at the end of the file.
    #[error("record {record} at byte {offset} is damaged or cut off: the last {bytes} bytes of the file hold no game")]
    CutOff { record: u64, offset: u64, bytes: u64 },
    /// Record with a valid checksum but invalid content.
    #[error("record {record} at byte {offset}, {}: {fault}",
        number.map_or("a game without a number".to_owned(), |number| format!("game {number}")))]
    Content { record: u64, offset: u64, number: Option<u64>, fault: RecordFault },
    /// The rest of the file is lost.
    #[error("cannot be read from byte {offset} on: {error}")]
    Unreadable { offset: u64, error: io::Error },
}

impl RecordError {
    pub fn is_read_error(&self) -> bool {
        matches!(self, RecordError::Unreadable { .. })
    }

    /// Returns the error of a file that cannot be read further, with the offset in its text; `None` for damage, after
    /// which reading continues.
    pub fn read_error(&self) -> Option<io::Error> {
        match self {
            RecordError::Unreadable { error, .. } => Some(io::Error::new(error.kind(), self.to_string())),
            _ => None,
        }
    }
}

/// Iterator over the games of a file. Holds one record and one chunk of the file in memory.
#[derive(Debug)]
pub struct GameReader<R> {
    header: Option<Header>,
    window: Window<R>,
    /// Number of records before the current position.
    records: u64,
    /// Offset after the last valid record.
    end: u64,
    last: RecordLocation,
}

/// Location of a record in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct RecordLocation {
    /// Offset in the file, in bytes.
    pub offset: u64,
    /// Checksum of the record.
    pub checksum: u32,
}

impl<R: Read> GameReader<R> {
    /// Creates a reader. A damaged header costs no game; its bytes are reported as a damaged record.
    ///
    /// # Errors
    /// [`HeaderError`] when `reader` is no game file.
    pub fn new(reader: R) -> Result<GameReader<R>, HeaderError> {
        let mut window = Window { reader, bytes: Vec::new(), used: 0, offset: 0, is_at_end: false };
        window.fill(FIXED_HEADER + MAX_SETTINGS + 4)?;
        let rest = window.rest().strip_prefix(MAGIC).ok_or(HeaderError::NotAGameFile)?;
        if let Some(version) = rest.first_chunk().map(|&bytes| u16::from_le_bytes(bytes))
            && version != VERSION
        {
            return Err(HeaderError::Version(version));
        }
        let header = header_of(window.rest());
        window.skip(header.as_ref().map_or(MAGIC.len(), |header| header.bytes().len()));
        let end = window.offset;
        Ok(GameReader { header, window, records: 0, end, last: RecordLocation::default() })
    }

    /// Returns the header; `None` when it is damaged.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Returns the offset after the last valid record, in bytes. Once the file is read to its end, the bytes after this
    /// offset are garbage.
    pub fn end_of_records(&self) -> u64 {
        self.end
    }

    /// Returns the location of the last valid record.
    pub(super) fn last_record(&self) -> RecordLocation {
        self.last
    }

    /// Returns the number of bytes consumed.
    pub fn bytes_read(&self) -> u64 {
        self.window.offset
    }

    /// Converts to an iterator over the numbers of the games and their scored parts.
    pub fn scored_games(self) -> impl Iterator<Item = Result<(u64, ScoredGame), RecordError>> {
        self.map(|record| record.map(|record| (record.number, record.into_scored_game())))
    }

    /// Returns the length of the valid record that starts `distance` bytes ahead, `None` if there is none.
    fn record_at(&mut self, distance: usize) -> io::Result<Option<usize>> {
        self.window.fill(distance + MAX_RECORD)?;
        let rest = self.window.rest().get(distance..).unwrap_or_default();
        let Some(&[low, high]) = rest.strip_prefix(&MARKER).and_then(|rest| rest.first_chunk()) else {
            return Ok(None);
        };
        let length = FRAME_BYTES + usize::from(u16::from_le_bytes([low, high]));
        let Some((content, sum)) = rest.get(2..length).and_then(|record| record.split_last_chunk::<4>()) else {
            return Ok(None);
        };
        Ok((crc32fast::hash(content) == u32::from_le_bytes(*sum)).then_some(length))
    }

    fn read_next(&mut self) -> io::Result<Option<Result<GameRecord, RecordError>>> {
        if self.window.fill(1)? == 0 {
            return Ok(None);
        }
        let (record, offset) = (self.records + 1, self.window.offset);
        let Some(length) = self.record_at(0)? else {
            self.records = record;
            return self.skip_damage(record, offset).map(|error| Some(Err(error)));
        };
        let (content, sum) = self.window.rest()[4..length].split_at(length - FRAME_BYTES);
        self.last = RecordLocation { offset, checksum: sum.first_chunk().map_or(0, |&sum| u32::from_le_bytes(sum)) };
        let number = GameRecord::read_number(content);
        let read = GameRecord::read(content).map_err(|fault| RecordError::Content { record, offset, number, fault });
        self.window.skip(length);
        self.end = self.window.offset;
        self.records = record;
        Ok(Some(read))
    }

    /// Skips to the next valid record, or to the end of the file.
    fn skip_damage(&mut self, record: u64, offset: u64) -> io::Result<RecordError> {
        self.window.skip(1);
        loop {
            if self.window.fill(1)? == 0 {
                return Ok(RecordError::CutOff { record, offset, bytes: self.window.offset - offset });
            }
            if self.record_at(0)?.is_some() {
                return Ok(RecordError::Damaged { record, offset, bytes: self.window.offset - offset });
            }
            let rest = self.window.rest();
            let next = rest.iter().skip(1).position(|&byte| byte == MARKER[0]);
            let distance = next.map_or(rest.len(), |next| next + 1);
            self.window.skip(distance);
        }
    }
}

impl<R: Read> Iterator for GameReader<R> {
    type Item = Result<GameRecord, RecordError>;

    fn next(&mut self) -> Option<Result<GameRecord, RecordError>> {
        match self.read_next() {
            Ok(next) => next,
            Err(error) => {
                // After a read error the iterator ends.
                let offset = self.window.offset + self.window.rest().len() as u64;
                self.window.close();
                Some(Err(RecordError::Unreadable { offset, error }))
            }
        }
    }
}

/// Decodes the header at the start of `bytes`, `None` if it is damaged.
fn header_of(bytes: &[u8]) -> Option<Header> {
    let length = bytes.get(FIXED_HEADER - 4..)?.first_chunk().map(|&bytes| u32::from_le_bytes(bytes))? as usize;
    let text = bytes.get(FIXED_HEADER..)?.get(..length.min(MAX_SETTINGS))?;
    let header = Header { settings: std::str::from_utf8(text).ok()?.to_owned() };
    bytes.starts_with(&header.bytes()).then_some(header)
}

/// Buffered part of a file.
#[derive(Debug)]
struct Window<R> {
    reader: R,
    bytes: Vec<u8>,
    /// Number of bytes consumed.
    used: usize,
    /// Offset of the first unconsumed byte in the file.
    offset: u64,
    is_at_end: bool,
}

impl<R: Read> Window<R> {
    fn rest(&self) -> &[u8] {
        &self.bytes[self.used..]
    }

    fn skip(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes.len() - self.used);
        self.used += bytes;
        self.offset += bytes as u64;
    }

    /// Buffers at least `wanted` unconsumed bytes, or all that are left. Returns the number of unconsumed bytes.
    fn fill(&mut self, wanted: usize) -> io::Result<usize> {
        while !self.is_at_end && self.bytes.len() - self.used < wanted {
            self.bytes.drain(..self.used);
            self.used = 0;
            let length = self.bytes.len();
            self.is_at_end = self.reader.by_ref().take(CHUNK as u64).read_to_end(&mut self.bytes)? == 0;
            debug_assert!(self.is_at_end || self.bytes.len() > length);
        }
        Ok(self.bytes.len() - self.used)
    }

    fn close(&mut self) {
        self.is_at_end = true;
        self.used = self.bytes.len();
    }
}
