//! Running engine process: commands in, lines out, each with its time of arrival.

use std::io::{self, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::protocol::{Input, Lines};
use crate::util::cancel::CancelFlag;

/// Kind of a fault of an engine, for counting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The program cannot be started, or does not complete the handshake.
    Start,
    Crash,
    /// No answer, not even to `stop`.
    Hang,
    /// The answer is not a move, or denies that there is one.
    Garbage,
    Illegal,
    Time,
}

impl FaultKind {
    /// All kinds with their names in tables and JSON.
    pub const NAMED: [(FaultKind, &'static str); 6] = [
        (FaultKind::Start, "start"),
        (FaultKind::Crash, "crash"),
        (FaultKind::Hang, "hang"),
        (FaultKind::Garbage, "garbage"),
        (FaultKind::Illegal, "illegal"),
        (FaultKind::Time, "time"),
    ];
}

/// Fault of an engine that loses it the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    pub kind: FaultKind,
    /// Continues a sentence that begins with the name of the engine.
    pub text: String,
}

impl Fault {
    pub fn new(kind: FaultKind, text: impl Into<String>) -> Fault {
        Fault { kind, text: text.into() }
    }

    pub fn silent(waited: Duration) -> Fault {
        Fault::new(FaultKind::Hang, format!("did not answer for {:.1} s", waited.as_secs_f64()))
    }
}

/// Queued output lines of an engine; then it blocks, so a flood of lines fills no memory.
const MAX_QUEUED_LINES: usize = 1024;
/// Queued commands for an engine that does not read; further ones are dropped.
const MAX_QUEUED_COMMANDS: usize = 64;
/// Time that a program has after `quit` before it is killed.
const QUIT_TIMEOUT: Duration = Duration::from_millis(500);
/// Interval between checks of the cancellation flag while waiting for a line.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

pub(super) struct Process {
    /// Name in the log.
    name: String,
    child: Child,
    commands: SyncSender<String>,
    lines: Receiver<(Instant, String)>,
}

impl Process {
    pub fn start(name: &str, mut command: Command) -> io::Result<Process> {
        new_process_group(&mut command);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (commands, to_write) = sync_channel(MAX_QUEUED_COMMANDS);
        let (sender, lines) = sync_channel(MAX_QUEUED_LINES);
        // From here on, dropping `process` ends the program if a later step fails.
        let process = Process { name: name.to_owned(), child, commands, lines };
        let (Some(input), Some(output)) = (input, output) else {
            return Err(io::Error::other("its input and output are not connected"));
        };
        // Separate threads: a program that neither reads nor writes blocks nothing else.
        thread::Builder::new().name("engine input".into()).spawn(move || write_commands(input, &to_write))?;
        thread::Builder::new().name("engine output".into()).spawn(move || {
            let mut reader = Lines::new(output);
            loop {
                let line = match reader.next_line() {
                    Input::Line(bytes) => String::from_utf8_lossy(&bytes).trim().to_owned(),
                    Input::TooLong(_) => String::new(),
                    Input::End => return,
                };
                if sender.send((Instant::now(), line)).is_err() {
                    return;
                }
            }
        })?;
        Ok(process)
    }

    /// Sends a line. If the program does not read, the line is dropped, and the missing reply shows as a timeout.
    pub fn send(&self, line: &str) {
        log::debug!("{} < {line}", self.name);
        if let Err(TrySendError::Full(_)) = self.commands.try_send(format!("{line}\n")) {
            log::debug!("{} does not read its input; a command is dropped", self.name);
        }
    }

    /// Returns the next line and its time of arrival; `None` if none comes before `deadline`. The error is the fault of
    /// a program that has ended, or `None` after a request to cancel.
    pub fn receive(
        &mut self,
        deadline: Instant,
        interrupt: &CancelFlag,
    ) -> Result<Option<(Instant, String)>, Option<Fault>> {
        loop {
            if interrupt.is_cancelled() {
                return Err(None);
            }
            // Checked for every line: an engine that never stops writing must not extend its deadline.
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            match self.lines.recv_timeout(left.min(POLL_INTERVAL)) {
                Ok((at, line)) => {
                    log::debug!("{} > {line}", self.name);
                    return Ok(Some((at, line)));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.exit_status().map(|status| format!("crashed ({status})"));
                    return Err(Some(Fault::new(FaultKind::Crash, status.as_deref().unwrap_or("closed its output"))));
                }
            }
        }
    }

    /// Discards the lines that have arrived, at most one full queue: the program may keep writing meanwhile.
    pub fn discard_lines(&self) {
        for (_, line) in self.lines.try_iter().take(MAX_QUEUED_LINES) {
            log::debug!("{} > {line} (discarded)", self.name);
        }
    }

    fn exit_status(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + QUIT_TIMEOUT;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                _ => return None,
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.send("quit");
        // A program that blocks on its output would never read `quit`.
        let deadline = Instant::now() + QUIT_TIMEOUT;
        while let Ok(Some(_)) = self.receive(deadline, &CancelFlag::default()) {}
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            kill_group(&mut self.child);
            let _ = self.child.wait();
        }
    }
}

fn write_commands(mut input: ChildStdin, commands: &Receiver<String>) {
    // Ends when the sender is dropped or the program has closed its input.
    while let Ok(command) = commands.recv() {
        if input.write_all(command.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// Gives the program its own process group, so that Ctrl-C at the terminal reaches the match only.
fn new_process_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(windows)]
    {
        /// `CREATE_NEW_PROCESS_GROUP` of Windows.
        const NEW_GROUP: u32 = 0x200;
        std::os::windows::process::CommandExt::creation_flags(command, NEW_GROUP);
    }
}

/// Kills a program and, on Unix, its process group: a script may have started the engine.
fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    {
        let group = rustix::process::Pid::from_child(child);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}
