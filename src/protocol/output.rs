//! Lines to the front end, from several threads.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// A line writer that threads share. A reader that went away is noticed, not a reason to panic.
#[derive(Clone)]
pub struct Output {
    writer: Arc<Mutex<dyn Write + Send>>,
    closed: Arc<AtomicBool>,
}

impl Output {
    /// Writes to `writer`.
    pub fn new(writer: impl Write + Send + 'static) -> Output {
        Output { writer: Arc::new(Mutex::new(writer)), closed: Arc::default() }
    }

    /// Writes one line and flushes it. Returns whether it went out; once one did not, none does.
    pub fn line(&self, text: &str) -> bool {
        if self.is_closed() {
            return false;
        }
        log::debug!("<< {text}");
        let mut line = String::with_capacity(text.len() + 1);
        line.push_str(text);
        line.push('\n');
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writer.write_all(line.as_bytes()).and_then(|()| writer.flush());
        if let Err(error) = &written {
            log::info!("the output is closed: {error}");
            self.closed.store(true, Relaxed);
        }
        written.is_ok()
    }

    /// Whether the reader at the other end is known to be gone.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }
}
