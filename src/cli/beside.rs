//! The board beside a session of a person at a terminal, until the first command of a front end.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};

use crate::protocol::is_of_front_end;

/// Standard input of a session with a board. The board is a process (`chuhe web --until-input-ends`) with its own engine,
/// so the session is the same with it and without.
pub struct BesideBoard<R> {
    input: R,
    /// `None` after the first command of a front end.
    board: Option<Board>,
}

struct Board(Child);

impl<R> BesideBoard<R> {
    /// Opens a board, which prints its address.
    ///
    /// # Errors
    /// If the process cannot be started.
    pub fn open(input: R, is_lax: bool) -> io::Result<BesideBoard<R>> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["web", "--until-input-ends"]).args(is_lax.then_some("--lax")).stdin(Stdio::piped());
        Ok(BesideBoard { input, board: Some(Board(command.spawn()?)) })
    }
}

impl<R: Read> Read for BesideBoard<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(buffer)?;
        // A terminal hands over whole lines.
        if buffer[..length].split(|byte| *byte == b'\n').any(is_of_front_end) {
            self.board = None;
        }
        Ok(length)
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // It ends at once; without a process there is nothing to wait for.
        let _ = self.0.wait();
    }
}
