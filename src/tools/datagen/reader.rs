//! Reading files of games one after another, whatever became of them.

use std::io::{self, Read};

use thiserror::Error;

use super::ScoredGame;
use super::record::{
    FRAME, GameRecord, Header, MAGIC, MARKER, MOST_RECORD, MOST_SETTINGS, RecordFault, VERSION, checksum,
};

/// The bytes of a header before the settings.
const FIXED_HEADER: usize = MAGIC.len() + 6;
/// How many bytes are read at once.
const CHUNK: usize = 1 << 16;

/// Why a file is no file of games.
#[derive(Debug, Error)]
pub enum HeaderError {
    /// It begins with something else.
    #[error("it is no file of self-play games")]
    Other,
    /// A later program wrote it.
    #[error("its format has version {0}, and this program knows {VERSION} only")]
    Version(u16),
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
}

/// Why a record of a file is no game. Other games are read all the same, unless the file [ends](Self::is_read_error).
#[derive(Debug, Error)]
pub enum RecordError {
    /// Bytes that are no record stand before the next one.
    #[error("record {record} at byte {offset} is damaged: {bytes} bytes are skipped")]
    Damaged {
        /// Which record of the file, 1 for the first.
        record: u64,
        /// Where it begins.
        offset: u64,
        /// How many bytes are no record.
        bytes: u64,
    },
    /// Bytes that are no record stand at the end.
    #[error("record {record} at byte {offset} is damaged or cut off: the last {bytes} bytes of the file hold no game")]
    CutOff {
        /// Which record of the file, 1 for the first.
        record: u64,
        /// Where it begins.
        offset: u64,
        /// How many bytes are no record.
        bytes: u64,
    },
    /// A record that is whole but is no game.
    #[error("record {record} at byte {offset}, {}: {fault}", named(*number))]
    Content {
        /// Which record of the file, 1 for the first.
        record: u64,
        /// Where it begins.
        offset: u64,
        /// The number of the game.
        number: Option<u64>,
        /// What is wrong.
        fault: RecordFault,
    },
    /// The file cannot be read any further.
    #[error("it cannot be read from byte {offset} on: {error}")]
    Unreadable {
        /// From where on.
        offset: u64,
        /// Why.
        error: io::Error,
    },
}

fn named(number: Option<u64>) -> String {
    number.map_or("a game without a number".to_owned(), |number| format!("game {number}"))
}

impl RecordError {
    /// Whether nothing more can be read.
    pub fn is_read_error(&self) -> bool {
        matches!(self, RecordError::Unreadable { .. })
    }
}

/// Reads the games of a file one after another. No more than a record and a piece of the file are in memory.
///
/// ```
/// use chuhe::tools::datagen::{GameReader, GameWriter, Settings};
/// let mut file = Vec::new();
/// GameWriter::new(&mut file, &Settings::default().to_json())?;
/// let games = GameReader::new(file.as_slice())?.scored_games();
/// assert_eq!(games.count(), 0);
/// assert!(GameReader::new(&b"something else"[..]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GameReader<R> {
    header: Option<Header>,
    window: Window<R>,
    /// How many records came before.
    records: u64,
    /// Where the last whole record ends.
    end: u64,
    last: Place,
}

/// Where a record stands in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Place {
    /// How many bytes stand before it.
    pub offset: u64,
    /// Its checksum.
    pub checksum: u32,
}

impl<R: Read> GameReader<R> {
    /// The games of `reader`. A header that is damaged costs no game: its bytes are told of as a damaged record.
    ///
    /// # Errors
    /// [`HeaderError`] when it holds something else.
    pub fn new(reader: R) -> Result<GameReader<R>, HeaderError> {
        let mut window = Window { reader, bytes: Vec::new(), used: 0, offset: 0, is_at_end: false };
        window.fill(FIXED_HEADER + MOST_SETTINGS + 4)?;
        let rest = window.rest().strip_prefix(MAGIC).ok_or(HeaderError::Other)?;
        if let Some(version) = rest.first_chunk().map(|&bytes| u16::from_le_bytes(bytes))
            && version != VERSION
        {
            return Err(HeaderError::Version(version));
        }
        let header = header_of(window.rest());
        window.skip(header.as_ref().map_or(MAGIC.len(), |header| header.bytes().len()));
        let end = window.offset;
        Ok(GameReader { header, window, records: 0, end, last: Place::default() })
    }

    /// What the file says of itself; `None` when that is damaged.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Where the last record that is whole ends, in bytes from the start of the file. What comes after it is of no use
    /// once the file is read.
    pub fn end_of_records(&self) -> u64 {
        self.end
    }

    /// Where the last record that is whole stands.
    pub(super) fn last_record(&self) -> Place {
        self.last
    }

    /// How many bytes of the file were read.
    pub fn bytes_read(&self) -> u64 {
        self.window.offset
    }

    /// The numbers of the games and their scored parts.
    pub fn scored_games(self) -> impl Iterator<Item = Result<(u64, ScoredGame), RecordError>> {
        self.map(|record| record.map(|record| (record.number, record.into_scored_game())))
    }

    /// The length of the whole record that begins so many bytes from here.
    fn record_at(&mut self, distance: usize) -> io::Result<Option<usize>> {
        self.window.fill(distance + MOST_RECORD)?;
        let rest = self.window.rest().get(distance..).unwrap_or_default();
        let Some(&[low, high]) = rest.strip_prefix(&MARKER).and_then(|rest| rest.first_chunk()) else {
            return Ok(None);
        };
        let length = FRAME + usize::from(u16::from_le_bytes([low, high]));
        let Some((content, sum)) = rest.get(2..length).and_then(|record| record.split_last_chunk::<4>()) else {
            return Ok(None);
        };
        Ok((checksum(content) == u32::from_le_bytes(*sum)).then_some(length))
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
        let (content, sum) = self.window.rest()[4..length].split_at(length - FRAME);
        self.last = Place { offset, checksum: sum.first_chunk().map_or(0, |&sum| u32::from_le_bytes(sum)) };
        let number = GameRecord::read_number(content);
        let read = GameRecord::read(content).map_err(|fault| RecordError::Content { record, offset, number, fault });
        self.window.skip(length);
        self.end = self.window.offset;
        self.records = record;
        Ok(Some(read))
    }

    /// Goes on to the next place where a whole record begins, or to the end.
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
                // What follows a fault of the disk is not asked for again.
                let offset = self.window.offset + self.window.rest().len() as u64;
                self.window.close();
                Some(Err(RecordError::Unreadable { offset, error }))
            }
        }
    }
}

/// The header at the front of these bytes, if it is as it was written.
fn header_of(bytes: &[u8]) -> Option<Header> {
    let length = bytes.get(FIXED_HEADER - 4..)?.first_chunk().map(|&bytes| u32::from_le_bytes(bytes))? as usize;
    let text = bytes.get(FIXED_HEADER..)?.get(..length.min(MOST_SETTINGS))?;
    let header = Header { settings: std::str::from_utf8(text).ok()?.to_owned() };
    bytes.starts_with(&header.bytes()).then_some(header)
}

/// The piece of a file that is looked at.
#[derive(Debug)]
struct Window<R> {
    reader: R,
    bytes: Vec<u8>,
    /// How many of the bytes lie behind.
    used: usize,
    /// Where in the file the first byte lies that is not behind.
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

    /// Sees to it that so many bytes lie ahead, or all that are left. Returns how many do.
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
