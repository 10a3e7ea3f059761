//! Ctrl-C as a cancellation flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::console::error::CommandError;
use crate::util::cancel::CancelFlag;

/// Returns a flag that the first Ctrl-C sets; a second Ctrl-C ends the program at once.
pub fn cancel_on_ctrl_c() -> CancelFlag {
    cancel_on_ctrl_c_while(&Arc::new(AtomicBool::new(true)))
}

/// Returns a flag that Ctrl-C sets while `is_busy` is true. A second Ctrl-C, or any while `is_busy` is false, ends the
/// program at once.
pub fn cancel_on_ctrl_c_while(is_busy: &Arc<AtomicBool>) -> CancelFlag {
    let cancel = CancelFlag::default();
    let (flag, is_busy) = (cancel.clone(), Arc::clone(is_busy));
    let handler = ctrlc::set_handler(move || {
        if flag.cancel() || !is_busy.load(Relaxed) {
            std::process::exit(i32::from(CommandError::Interrupted.exit_status()));
        }
    });
    if let Err(error) = handler {
        log::warn!("Ctrl-C ends the program without a result: {error}");
    }
    cancel
}
