//! Time limit for work that the system may block, such as reading a file of a server that does not answer.

use std::io;
use std::sync::mpsc::channel;
use std::thread::Builder;
use std::time::Duration;

/// Time for a file that a user names to be opened and read.
pub const TIME_TO_OPEN: Duration = Duration::from_secs(10);

/// Does work on a thread of its own and returns its result. Work that takes longer than `limit` is given up: its thread
/// goes on, but its result is dropped.
///
/// # Errors
/// An error of the kind [`io::ErrorKind::TimedOut`] after that time, and one if the system grants no thread or the work
/// panics.
///
/// ```
/// use chuhe::util::time_limit::within;
/// use std::{io::ErrorKind, sync::mpsc, time::Duration};
/// assert_eq!(within(Duration::from_secs(60), || 1 + 1)?, 2);
/// let (_sender, never) = mpsc::channel::<()>();
/// assert_eq!(within(Duration::ZERO, move || never.recv()).unwrap_err().kind(), ErrorKind::TimedOut);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    let (sender, result) = channel();
    // The result of work that was given up has no receiver.
    Builder::new().name("opener".into()).spawn(move || drop(sender.send(work())))?;
    result.recv_timeout(limit).map_err(|error| match error {
        std::sync::mpsc::RecvTimeoutError::Timeout => {
            let text = format!("it did not answer within {} seconds and is given up", limit.as_secs());
            io::Error::new(io::ErrorKind::TimedOut, text)
        }
        std::sync::mpsc::RecvTimeoutError::Disconnected => io::Error::other("reading it failed"),
    })
}
