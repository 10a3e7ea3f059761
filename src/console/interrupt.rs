//! What Ctrl-C means to a command that has something to tell before it ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::console::error::CommandError;
use crate::util::cancel::Interrupt;

/// An interrupt that Ctrl-C requests. A second one ends the program at once, and so does the first when the command
/// has nothing to tell any more (`is_busy` is false).
pub fn from_keyboard(is_busy: &Arc<AtomicBool>) -> Interrupt {
    let interrupt = Interrupt::default();
    let (request, has_news) = (interrupt.clone(), Arc::clone(is_busy));
    let handler = ctrlc::set_handler(move || {
        if request.request() || !has_news.load(Relaxed) {
            std::process::exit(i32::from(CommandError::Interrupted.exit_status()));
        }
    });
    if let Err(error) = handler {
        log::warn!("Ctrl-C ends without a result: {error}");
    }
    interrupt
}
