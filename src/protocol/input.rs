//! Input lines of bounded length with their time of arrival, those that wait, and the words of a line.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};

use encoding_rs::{Encoding, GB18030, UTF_8, WINDOWS_1252};

use crate::util::host::Instant;

/// Length of the longest line that is read, in bytes: enough for a game of 50,000 moves.
pub const MAX_LINE_BYTES: usize = 256 << 10;

const KEPT_BYTES: usize = 64;
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    Line(Vec<u8>),
    /// Line longer than [`MAX_LINE_BYTES`]: its first bytes, which have the command. The rest was dropped.
    TooLong(Vec<u8>),
    End,
}

pub struct Lines<R> {
    reader: BufReader<R>,
    has_begun: bool,
}

impl<R: Read> Lines<R> {
    pub fn new(reader: R) -> Lines<R> {
        Lines { reader: BufReader::new(reader), has_begun: false }
    }

    /// Returns the next line. A read error counts as the end; a last line without a line feed counts as a line. A byte
    /// order mark before the first line that is not blank, as some programs of Windows write it, is dropped.
    pub fn next_line(&mut self) -> Input {
        let mut line = Vec::new();
        let most = MAX_LINE_BYTES as u64 + 1;
        if let Err(error) = self.reader.by_ref().take(most).read_until(b'\n', &mut line) {
            log::warn!("cannot read the input: {error}");
            return Input::End;
        }
        if line.is_empty() {
            return Input::End;
        }
        if line.pop_if(|last| *last == b'\n').is_none() && line.len() > MAX_LINE_BYTES {
            // The next call meets an error again.
            let _ = self.reader.skip_until(b'\n');
            line.truncate(KEPT_BYTES);
            return Input::TooLong(line);
        }
        if !self.has_begun && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        self.has_begun |= !line.trim_ascii().is_empty();
        Input::Line(line)
    }
}

/// Returns `true` if the first word of a line is this command, in letters of either case.
pub(super) fn is_command(line: &[u8], command: &str) -> bool {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next().is_some_and(|word| word.eq_ignore_ascii_case(command.as_bytes()))
}

/// Returns `true` if a line has a command that front ends send, not one for people: `d`, `eval` and `help`.
pub fn is_of_front_end(line: &[u8]) -> bool {
    const WORDS: &str = "ucci uci isready setoption debug position fen startpos banmoves go stop ponderhit ucinewgame \
                         uxinewgame probe bench quit";
    WORDS.split(' ').any(|word| is_command(line, word))
}

/// Decodes a line and returns its encoding: UTF-8, or GBK, in which clients on Chinese Windows write file names, or one
/// in which each byte is a character, so that the text can be written back in any case.
pub(super) fn decode(line: &[u8]) -> (Cow<'_, str>, &'static Encoding) {
    let decoded = |encoding: &'static Encoding| {
        Some((encoding.decode_without_bom_handling_and_without_replacement(line)?, encoding))
    };
    decoded(UTF_8).or_else(|| decoded(GB18030)).unwrap_or_else(|| {
        let (text, _) = WINDOWS_1252.decode_without_bom_handling(line);
        (text, WINDOWS_1252)
    })
}

/// Splits the arguments of `setoption` into name and value, in the form of UCCI (`hashsize 16`) or of UCI
/// (`name Hash value 16`). The value keeps its spaces, which names of files may contain.
pub(super) fn option_parts(arguments: &str) -> (String, &str) {
    let (first, mut rest) = split_word(arguments);
    if !first.eq_ignore_ascii_case("name") {
        return (first.to_owned(), rest);
    }
    let mut name = Vec::new();
    while !rest.is_empty() {
        let (word, after) = split_word(rest);
        rest = after;
        if word.eq_ignore_ascii_case("value") {
            break;
        }
        name.push(word);
    }
    (name.join(" "), rest)
}

fn split_word(line: &str) -> (&str, &str) {
    let line = line.trim_ascii();
    let (word, rest) = line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, ""));
    (word, rest.trim_ascii_start())
}

/// Input with the time at which it arrived: the client's clock runs from then on.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) input: Input,
    pub(super) at: Instant,
}

impl Received {
    pub(super) fn now(input: Input) -> Received {
        Received { input, at: Instant::now() }
    }

    pub(super) fn is(&self, command: &str) -> bool {
        matches!(&self.input, Input::Line(line) if is_command(line, command))
    }

    fn begins_search(&self) -> bool {
        self.is("go") || self.is("bench")
    }

    fn ends_session(&self) -> bool {
        self.input == Input::End || self.is("quit")
    }

    /// Returns `true` if it must not wait for memory.
    pub(super) fn is_urgent(&self) -> bool {
        self.begins_search() || self.ends_session()
    }
}

/// Input that arrived while a search was ending, during a search in batch mode, or during perft or bench.
#[derive(Default)]
pub(super) struct WaitingInput(pub(super) VecDeque<Received>);

impl WaitingInput {
    /// Removes the `stop` of the running search: no `go` or `bench` stands before it.
    pub(super) fn take_stop(&mut self) -> Option<Received> {
        let at = self.0.iter().position(|input| input.is("stop") || input.begins_search())?;
        if self.0[at].is("stop") { self.0.remove(at) } else { None }
    }

    /// Returns `true` if a later `stop` is for a `go` or `bench` that waits: no other `stop` follows it.
    pub(super) fn has_search(&self) -> bool {
        let last = self.0.iter().rev().find(|input| input.is("stop") || input.begins_search());
        last.is_some_and(Received::begins_search)
    }

    pub(super) fn has_end(&self) -> bool {
        self.0.iter().any(Received::ends_session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(bytes: &[u8]) -> Vec<Input> {
        let mut lines = Lines::new(bytes);
        let mut all = vec![lines.next_line()];
        while all.last() != Some(&Input::End) {
            all.push(lines.next_line());
        }
        all
    }

    fn line(text: &str) -> Input {
        Input::Line(text.into())
    }

    #[test]
    fn lines_are_read_whole_and_only_a_long_one_is_lost() {
        let longest = vec![b'a'; MAX_LINE_BYTES];
        let long = |end: &[u8]| [&longest[..], b"a", &longest[..], end].concat();
        let too_long = || Input::TooLong(vec![b'a'; KEPT_BYTES]);
        for (bytes, expected) in [
            (b"ucci\r\n\nquit".to_vec(), vec![line("ucci\r"), line(""), line("quit")]),
            (Vec::new(), vec![]),
            (b"\xff\x00\n".to_vec(), vec![Input::Line(vec![0xff, 0])]),
            (long(b"\nquit\n"), vec![too_long(), line("quit")]),
            (long(b""), vec![too_long()]),
            (longest.clone(), vec![Input::Line(longest.clone())]),
            ([&longest[..], b"\nquit"].concat(), vec![Input::Line(longest.clone()), line("quit")]),
            // A byte order mark is dropped before the first line alone.
            ("\u{feff}uci\n\u{feff}isready".into(), vec![line("uci"), line("\u{feff}isready")]),
            ("\n\u{feff}uci".into(), vec![line(""), line("uci")]),
            ("\u{feff}\r\n\u{feff}uci".into(), vec![line("\r"), line("uci")]),
        ] {
            assert_eq!(read_all(&bytes), [expected, vec![Input::End]].concat());
        }
    }

    #[test]
    fn setoption_is_split_in_the_form_of_either_protocol() {
        for (arguments, name, value) in [
            ("hashsize 16", "hashsize", "16"),
            ("pruning  large", "pruning", "large"),
            ("bookfiles \t my  books\\a \t b.dat \r", "bookfiles", "my  books\\a \t b.dat"),
            ("name Move Overhead value 50", "Move Overhead", "50"),
            ("name  Book   File\tVALUE  a value  of  two.dat ", "Book File", "a value  of  two.dat"),
            (" name Clear Hash value ", "Clear Hash", ""),
            ("name Clear Hash", "Clear Hash", ""),
            ("newgame", "newgame", ""),
            ("", "", ""),
        ] {
            assert_eq!(option_parts(arguments), (name.to_owned(), value), "{arguments}");
        }
    }

    #[test]
    fn a_stop_is_for_the_search_before_it() {
        for (lines, remaining, has_search) in [
            ("stop", Some(0), false),
            ("isready;STOP;go;stop", Some(3), false),
            ("go depth 3;stop", None, false),
            ("bench", None, true),
            ("stop;go", Some(1), true),
            ("go;stop;position startpos;go nodes 9", None, true),
            ("isready", None, false),
            ("", None, false),
        ] {
            let mut input = WaitingInput(lines.split(';').map(|text| Received::now(line(text))).collect());
            let before = input.0.len();
            assert_eq!(input.has_search(), has_search, "{lines}");
            assert_eq!(input.take_stop().map(|_| before - 1), remaining, "{lines}");
        }
    }
}
