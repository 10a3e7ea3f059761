//! Input of `analyze`, detected by the argument and the first bytes, without waiting for more than is needed.

use std::io::{self, BufRead, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use super::Analyze;
use crate::commands::analysis::suite::is_problem;
use crate::console::{CommandError, Games, Result, input_name, is_stream, open, peek, read_game, rejoin};
use crate::notation::after_position_words;
use crate::notation::format::{BYTES_TO_DETECT, Format};
use crate::notation::game::GameError;
use crate::notation::openings::{EpdRecord, read_epd};
use crate::notation::text_encoding::decode_head;
use crate::position::{Position, Strictness, decode_address};

pub enum Input {
    /// Position with the moves that led to it.
    Position(Box<Position>),
    /// Positions, one per line, and the errors of lines that cannot be read.
    Fens(Box<dyn Iterator<Item = Result<Position, GameError>>>),
    /// Positions with solutions, and the name of the file.
    Suite(PathBuf, Box<dyn BufRead>),
    Games(Games),
    Folder(PathBuf),
}

impl Input {
    pub fn detect(args: &Analyze, strictness: Strictness) -> Result<Input> {
        let word = args.input.as_deref().unwrap_or("startpos");
        let path = Path::new(word);
        if word != "startpos" && path.is_dir() && args.moves.is_empty() {
            return Ok(Input::Folder(path.to_owned()));
        }
        let name = input_name(path);
        let (kind, reader): (_, Box<dyn BufRead>) = if is_stream(path) {
            let mut stream = Stream::new(io::stdin());
            let head = stream.take_head(FIRST_LINE_TIMEOUT).map_err(CommandError::in_file(&name))?;
            // Lines that are not positions are reported one by one.
            let usual = (!head.trim_ascii().is_empty()).then_some(Kind::Fens);
            (Format::detect(&head).map(Kind::Games).or(usual), Box::new(rejoin(head, stream)))
        } else if is_position(word) {
            return Ok(Input::Position(Box::new(read_game(Some(word), &args.moves, strictness)?)));
        } else {
            // Moves without a position before them are not a file either.
            if !path.exists() && Format::detect(word.as_bytes()) == Some(Format::MoveList) {
                return Err(CommandError::Mismatch(format!(
                    "'{word}' holds moves and is no file; to analyze a game, put its moves in a file or pipe them to \
                     'chuhe analyze -'; for the position after them write 'startpos' first"
                )));
            }
            let (head, reader) = open(path).and_then(peek).map_err(CommandError::in_file(&name))?;
            (Kind::detect(path, &head), Box::new(reader))
        };
        let input = match kind {
            Some(Kind::Games(format)) => Input::Games(Games::new(name, format, reader, strictness)),
            Some(Kind::Suite) => Input::Suite(name, reader),
            Some(Kind::Fens) => {
                Input::Fens(Box::new(read_epd(reader, strictness).map(|record| record.map(|record| record.position))))
            }
            None => {
                let fault = "it contains neither games, nor moves, nor a suite, nor positions";
                return Err(CommandError::unusable(name, fault));
            }
        };
        match args.moves.first() {
            Some(mv) => Err(CommandError::Mismatch(format!("'{mv}': moves can only follow a position"))),
            None => Ok(input),
        }
    }
}

/// Returns whether the argument is `startpos` or a FEN, after `position` or `fen` or not, and not the name of a file.
fn is_position(word: &str) -> bool {
    let text = after_position_words(word.trim());
    let mut fields = text.split_whitespace();
    let field = fields.next().unwrap_or_default();
    // Moves after `startpos` alone are the text of a game, after `position startpos` those of a session.
    let is_start = field.eq_ignore_ascii_case("startpos") && (fields.next().is_none() || text != word.trim());
    is_start || (is_board(field) && !Path::new(word).exists())
}

/// Returns whether a word is meant to be the board of a FEN: with any letters if the number of ranks is right, with any
/// number of ranks if the letters are.
fn is_board(word: &str) -> bool {
    let is_letter = |c: char| c == '/' || c.is_ascii_digit() || "rnhbeakcp".contains(c.to_ascii_lowercase());
    let word = decode_address(word);
    let slashes = word.matches('/').count();
    slashes == SLASHES || (slashes >= MIN_SLASHES && word.chars().all(is_letter))
}

const SLASHES: usize = 9;
/// Slashes from which on a word of digits and piece letters is a board rather than the path of a file.
const MIN_SLASHES: usize = 5;

enum Kind {
    Games(Format),
    Suite,
    Fens,
}

impl Kind {
    fn detect(path: &Path, head: &[u8]) -> Option<Kind> {
        let has_name = |extension| path.extension().is_some_and(|other| other.eq_ignore_ascii_case(extension));
        if has_name("epd") {
            return Some(Kind::Suite);
        }
        if let Some(format) = Format::detect(head) {
            return Some(Kind::Games(format));
        }
        let text = decode_head(head);
        // Composed problems have the same form.
        let is_problem = |line: &str| EpdRecord::read(line, Strictness::Lax).is_ok_and(|record| is_problem(&record));
        if text.lines().any(is_problem) {
            return Some(Kind::Suite);
        }
        let mut lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        if lines.next().and_then(|line| line.split_whitespace().next()).is_some_and(is_board) {
            return Some(Kind::Fens);
        }
        Format::from_path(path).map(Kind::Games)
    }
}

/// Time to wait for moves after a first position; a program that waits for an answer to each one loses it once.
const FIRST_LINE_TIMEOUT: Duration = Duration::from_millis(500);
const MAX_QUEUED_CHUNKS: usize = 4;
const CHUNK_SIZE: usize = 1 << 16;

/// Standard input, read by its own thread.
pub struct Stream {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Cursor<Vec<u8>>,
}

impl Stream {
    pub fn new(mut input: impl Read + Send + 'static) -> Stream {
        let (sender, chunks) = sync_channel(MAX_QUEUED_CHUNKS);
        std::thread::spawn(move || {
            let mut buffer = vec![0; CHUNK_SIZE];
            loop {
                let chunk = match input.read(&mut buffer) {
                    Ok(0) => return,
                    Ok(length) => Ok(buffer[..length].to_vec()),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let is_last = chunk.is_err();
                if sender.send(chunk).is_err() || is_last {
                    return;
                }
            }
        });
        Stream { chunks, chunk: Cursor::default() }
    }

    /// Reads [`BYTES_TO_DETECT`] or all bytes; fewer if positions come first, which are answered line by line.
    /// Waits at most `timeout` for the line after the first position.
    pub fn take_head(&mut self, timeout: Duration) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        while head.len() < BYTES_TO_DETECT {
            let chunk = match lines_after_position(&head) {
                None => self.chunks.recv().ok(),
                Some(0) => self.chunks.recv_timeout(timeout).ok(),
                Some(_) => None,
            };
            match chunk {
                Some(chunk) => head.extend(chunk?),
                None => break,
            }
        }
        Ok(head)
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let length = self.chunk.read(buffer)?;
            if length > 0 || buffer.is_empty() {
                return Ok(length);
            }
            match self.chunks.recv() {
                Ok(chunk) => self.chunk = Cursor::new(chunk?),
                Err(_) => return Ok(0),
            }
        }
    }
}

/// Returns the number of complete lines after the first one if that is a position.
fn lines_after_position(head: &[u8]) -> Option<usize> {
    let end = head.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |end| end + 1);
    let text = String::from_utf8_lossy(&head[..end]);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let is_position = lines.next()?.split_whitespace().next().is_some_and(is_board);
    is_position.then(|| lines.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEN: &[u8] = b"3ak4/9/9/9/9/9/9/9/4A4/4K3R w\n";

    /// Never reached unless the test hangs.
    const FOREVER: Duration = Duration::from_secs(3600);

    /// An input that gives its parts one by one and stays open.
    struct Parts(Vec<&'static [u8]>);

    impl Read for Parts {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            while self.0.is_empty() {
                std::thread::park();
            }
            let part = self.0.remove(0);
            buffer[..part.len()].copy_from_slice(part);
            Ok(part.len())
        }
    }

    #[test]
    fn a_position_is_known_while_the_input_stays_open() {
        let head = |parts: &[&'static [u8]], timeout| Stream::new(Parts(parts.to_vec())).take_head(timeout).unwrap();
        for parts in [&[FEN][..], &[b"# x\n", FEN], &[&FEN[..9], &FEN[9..]]] {
            assert_eq!(head(parts, Duration::ZERO), parts.concat());
        }
        for parts in [&[FEN, FEN][..], &[FEN, b"\n", b"h2e2\n"], &[FEN, b"h2", b"e2\n"]] {
            assert_eq!(head(parts, FOREVER), parts.concat());
        }
    }

    #[test]
    fn what_is_no_position_is_read_to_the_end() {
        let text = b"h2e2\nh9g7\n".repeat(30_000);
        let mut stream = Stream::new(Cursor::new(text.clone()));
        let mut all = stream.take_head(FOREVER).unwrap();
        assert!(all.len() >= BYTES_TO_DETECT && text.starts_with(&all));
        stream.read_to_end(&mut all).unwrap();
        assert_eq!(all, text);
    }
}
