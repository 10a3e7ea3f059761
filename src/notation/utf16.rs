//! Text in UTF-16 with a byte order mark, converted to UTF-8 while it is read.

use std::borrow::Cow;
use std::io::{self, BufRead, Chain, Cursor};

/// Bytes of text that are converted at once.
const CHUNK: usize = 1 << 12;

/// Byte order of UTF-16.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// Returns the byte order by the mark at the beginning of a text in UTF-16.
    fn from_mark(text: &[u8]) -> Option<ByteOrder> {
        match text {
            [0xFF, 0xFE, ..] => Some(ByteOrder::Little),
            [0xFE, 0xFF, ..] => Some(ByteOrder::Big),
            _ => None,
        }
    }
}

/// Returns the beginning of a text in UTF-8: converted from UTF-16, with U+FFFD for what is not UTF-8 otherwise.
pub(crate) fn decode_head(head: &[u8]) -> Cow<'_, str> {
    if ByteOrder::from_mark(head).is_none() {
        return String::from_utf8_lossy(head);
    }
    let mut text = Vec::new();
    // Reading from memory does not fail.
    let _ = io::Read::read_to_end(&mut Source::New(head), &mut text);
    Cow::Owned(String::from_utf8_lossy(&text).into_owned())
}

/// Bytes of a text, those of UTF-16 converted to UTF-8.
#[derive(Debug)]
pub enum Source<R> {
    /// Not yet begun.
    New(R),
    /// As it is, with the bytes that were read to look for a mark.
    Plain(Chain<Cursor<Vec<u8>>, R>),
    Utf16(Utf16<R>),
    /// Only while it begins.
    Empty,
}

/// Text in UTF-16 and the part that is converted.
#[derive(Debug)]
pub struct Utf16<R> {
    reader: R,
    order: ByteOrder,
    /// First byte of a unit.
    half: Option<u8>,
    /// First unit of a pair.
    surrogate: Option<u16>,
    converted: Vec<u8>,
    used: usize,
}

impl<R: BufRead> Source<R> {
    /// Reads the first bytes if none were read.
    fn begin(&mut self) -> io::Result<()> {
        let Source::New(reader) = self else { return Ok(()) };
        let mut head = Vec::new();
        while head.len() < 2 {
            match reader.fill_buf() {
                Ok([]) => break,
                Ok(chunk) => head.push(chunk[0]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            reader.consume(1);
        }
        let Source::New(reader) = std::mem::replace(self, Source::Empty) else { return Ok(()) };
        *self = match ByteOrder::from_mark(&head) {
            None => Source::Plain(io::Read::chain(Cursor::new(head), reader)),
            Some(order) => {
                Source::Utf16(Utf16 { reader, order, half: None, surrogate: None, converted: Vec::new(), used: 0 })
            }
        };
        Ok(())
    }
}

impl<R: BufRead> io::Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let chunk = self.fill_buf()?;
        let length = chunk.len().min(buffer.len());
        buffer[..length].copy_from_slice(&chunk[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Source<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.begin()?;
        match self {
            Source::Plain(reader) => reader.fill_buf(),
            Source::Utf16(text) => text.fill_buf(),
            Source::New(_) | Source::Empty => Ok(&[]),
        }
    }

    fn consume(&mut self, amount: usize) {
        match self {
            Source::Plain(reader) => reader.consume(amount),
            Source::Utf16(text) => text.used += amount,
            Source::New(_) | Source::Empty => {}
        }
    }
}

impl<R: BufRead> Utf16<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.used == self.converted.len() {
            self.used = 0;
            self.converted.clear();
            let chunk = self.reader.fill_buf()?;
            let length = chunk.len().min(CHUNK);
            if length == 0 {
                if self.half.take().is_some() | self.surrogate.take().is_some() {
                    push(&mut self.converted, char::REPLACEMENT_CHARACTER);
                }
                break;
            }
            let mut units = Vec::with_capacity(length / 2 + 2);
            units.extend(self.surrogate.take());
            for &byte in &chunk[..length] {
                match (self.half.take(), self.order) {
                    (None, _) => self.half = Some(byte),
                    (Some(first), ByteOrder::Little) => units.push(u16::from_le_bytes([first, byte])),
                    (Some(first), ByteOrder::Big) => units.push(u16::from_be_bytes([first, byte])),
                }
            }
            self.reader.consume(length);
            self.surrogate = units.pop_if(|unit| (0xD800..0xDC00).contains(unit));
            for unit in char::decode_utf16(units) {
                push(&mut self.converted, unit.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
        Ok(&self.converted[self.used..])
    }
}

fn push(bytes: &mut Vec<u8>, c: char) {
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}
