//! A whole session with a front end that says anything. It must end with its input, and every line must be printable:
//! in ASCII, but for the names of the front end's files in messages.
#![no_main]

use std::io::{Cursor, Write};

use chuhe::engine::Engine;
use chuhe::protocol::{self, Output};
use libfuzzer_sys::fuzz_target;

/// Takes everything in and looks at each byte.
struct Reader;

impl Write for Reader {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let is_message = bytes.starts_with(b"info message ") || bytes.starts_with(b"info string ");
        let is_printable = |&byte: &u8| byte == b'\n' || (b' '..=b'~').contains(&byte) || (is_message && byte >= 0x80);
        assert!(bytes.iter().all(is_printable), "{bytes:?}");
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns whether a line asks for a task that rightly takes long: the end of input does not cut it short. Searches
/// without batch mode and `go perft` are cut short, so they are not held back.
fn takes_long(line: &str) -> bool {
    let line = line.trim().to_ascii_lowercase();
    let has_large_number = line.split(|c: char| !c.is_ascii_digit()).any(|number| number.len() > 1);
    match line.split_ascii_whitespace().next() {
        // Memory is filled with zeros, histories are made, and a search waits for the one before it.
        Some("setoption") => {
            line.contains("batch")
                || ((line.contains("hash") || line.contains("threads") || line.contains("multipv")) && has_large_number)
        }
        Some("bench") => true,
        _ => false,
    }
}

fuzz_target!(|bytes: &[u8]| {
    let lines: Vec<&[u8]> =
        bytes.split(|&byte| byte == b'\n').filter(|line| !takes_long(&String::from_utf8_lossy(line))).collect();
    let engine = Engine::with_hash(1).expect("there is a megabyte");
    protocol::run(Cursor::new(lines.join(&b'\n')), Output::new(Reader), engine);
});
