//! Input with the time of its arrival, and the input that waits while the session cannot handle it.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::input::{Input, is_command};

/// Bytes of input that may wait; a longer line waits alone. Further input stays with the client.
const MAX_WAITING_BYTES: usize = 1 << 20;
/// Bytes that a line takes besides its text, so that many short ones are bounded as well.
const BYTES_PER_LINE: usize = 256;

/// Bytes of input that was read and not yet handled.
#[derive(Clone, Default, Debug)]
pub(super) struct InputQuota(Arc<(Mutex<usize>, Condvar)>);

impl InputQuota {
    /// Waits until there is room for this input, which arrived before.
    pub(super) fn receive(&self, input: Input) -> Received {
        let bytes = BYTES_PER_LINE + if let Input::Line(line) = &input { line.len() } else { 0 };
        let received = Received::now(input);
        let mut waiting = self.lock();
        while *waiting > 0 && *waiting + bytes > MAX_WAITING_BYTES {
            waiting = self.0.1.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        *waiting += bytes;
        drop(waiting);
        Received { _share: Some(InputShare { quota: self.clone(), bytes }), ..received }
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Share of one input in the quota, given back when it is dropped.
#[derive(Debug)]
struct InputShare {
    quota: InputQuota,
    bytes: usize,
}

impl Drop for InputShare {
    fn drop(&mut self) {
        *self.quota.lock() -= self.bytes;
        self.quota.0.1.notify_one();
    }
}

/// Input with the time at which it arrived. The client's clock runs from then on, even if the session is still busy
/// with earlier commands.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) input: Input,
    pub(super) at: Instant,
    _share: Option<InputShare>,
}

impl Received {
    /// Input that has just arrived.
    pub(super) fn now(input: Input) -> Received {
        Received { input, at: Instant::now(), _share: None }
    }

    /// Returns `true` if it is this command.
    pub(super) fn is(&self, command: &str) -> bool {
        matches!(&self.input, Input::Line(line) if is_command(line, command))
    }

    /// Returns `true` if the session ends with it.
    fn ends_session(&self) -> bool {
        self.input == Input::End || self.is("quit")
    }

    /// Returns `true` if it begins a search or a benchmark.
    fn begins_search(&self) -> bool {
        self.is("go") || self.is("bench")
    }
}

/// Input that arrived while a search was ending, during a search in batch mode, or during perft or bench.
#[derive(Default)]
pub(super) struct WaitingInput(VecDeque<Received>);

impl WaitingInput {
    pub(super) fn push(&mut self, input: Received) {
        self.0.push_back(input);
    }

    /// Removes the input that arrived first.
    pub(super) fn pop(&mut self) -> Option<Received> {
        self.0.pop_front()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

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

    /// Returns `true` if the session ends with the input that arrived first.
    pub(super) fn begins_with_end(&self) -> bool {
        self.0.front().is_some_and(Received::ends_session)
    }

    /// Returns `true` if any of it must not wait for memory: a search, or the end of the session.
    pub(super) fn has_urgent(&self) -> bool {
        self.0.iter().any(|input| input.begins_search() || input.ends_session())
    }

    /// Returns `true` if the session will end.
    pub(super) fn has_end(&self) -> bool {
        self.0.iter().any(Received::ends_session)
    }

    /// Lets all of it count as arrived now.
    pub(super) fn restart_clocks(&mut self) {
        let now = Instant::now();
        self.0.iter_mut().for_each(|input| input.at = now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(lines: &str) -> WaitingInput {
        let input = |text: &str| Received::now(Input::Line(text.as_bytes().to_vec()));
        WaitingInput(lines.split(';').filter(|line| !line.is_empty()).map(input).collect())
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
            let mut input = waiting(lines);
            assert_eq!(input.has_search(), has_search, "{lines}");
            assert_eq!(input.take_stop().map(|_| input.0.len()), remaining, "{lines}");
        }
    }

    #[test]
    fn quit_and_the_end_of_input_end_the_session() {
        let mut input = waiting("isready;quit");
        assert!(input.has_end() && !input.begins_with_end());
        input.pop();
        assert!(input.begins_with_end());
        let mut input = waiting("isready");
        assert!(!input.has_end());
        input.push(Received::now(Input::End));
        assert!(input.has_end());
    }

    #[test]
    fn input_waits_with_the_client_until_there_is_room() {
        let quota = InputQuota::default();
        let line = || Input::Line(vec![b'x'; MAX_WAITING_BYTES / 2]);
        let first = quota.receive(line());
        // Longer than what may wait, but the second one: it comes when the first is handled.
        let (sender, receiver) = std::sync::mpsc::channel();
        let reader = quota.clone();
        let thread = std::thread::spawn(move || {
            for input in [line(), Input::Line(vec![b'y'; 2 * MAX_WAITING_BYTES]), Input::End] {
                sender.send(reader.receive(input)).unwrap();
            }
        });
        assert!(receiver.try_recv().is_err());
        drop(first);
        for expected in [MAX_WAITING_BYTES / 2, 2 * MAX_WAITING_BYTES] {
            let received = receiver.recv().unwrap();
            assert!(matches!(&received.input, Input::Line(line) if line.len() == expected));
            assert_eq!(*quota.lock(), expected + BYTES_PER_LINE);
        }
        assert_eq!(receiver.recv().unwrap().input, Input::End);
        thread.join().unwrap();
        assert_eq!(*quota.lock(), 0);
    }

    #[test]
    fn input_that_waited_may_count_as_arrived_now() {
        let mut input = waiting("go;stop");
        let now = Instant::now();
        assert!(input.0.iter().all(|input| input.at <= now));
        input.restart_clocks();
        assert!(input.0.iter().all(|input| input.at >= now));
    }
}
