//! An engine as a running program: lines in, lines out, each with the moment at which it came.

use std::io::{self, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::protocol::{Input, Lines};

/// How many lines of an engine wait to be looked at before it must wait itself: a flood of lines fills no memory.
const WAITING_LINES: usize = 1024;
/// How many commands wait for an engine that does not read before it is given up.
const WAITING_COMMANDS: usize = 64;
/// How long a program may take to leave before it is made to.
const FAREWELL: Duration = Duration::from_millis(500);

/// A running program. It is ended when this is dropped.
pub(super) struct Process {
    name: String,
    child: Child,
    commands: SyncSender<String>,
    lines: Receiver<(Instant, String)>,
}

/// Why no line came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Silence {
    /// The time is up.
    TimeIsUp,
    /// The program has closed its output: none will ever come.
    Gone,
}

impl Process {
    /// Starts a program; `name` is for the log.
    pub fn start(name: &str, mut command: Command) -> io::Result<Process> {
        set_apart(&mut command);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (commands, to_write) = sync_channel(WAITING_COMMANDS);
        let (sender, lines) = sync_channel(WAITING_LINES);
        // From here on the program is ended with this, whatever fails.
        let process = Process { name: name.to_owned(), child, commands, lines };
        let (Some(input), Some(output)) = (input, output) else {
            return Err(io::Error::other("its input and output are not connected"));
        };
        // Threads of their own, so that a program that neither reads nor writes holds up nobody.
        thread::Builder::new().name("engine input".into()).spawn(move || write_commands(input, &to_write))?;
        thread::Builder::new().name("engine output".into()).spawn(move || {
            let mut reader = Lines::new(output);
            loop {
                let line = match reader.next_line() {
                    Input::Line(bytes) => String::from_utf8_lossy(&bytes).trim().to_owned(),
                    Input::TooLong => String::new(),
                    Input::End => return,
                };
                if sender.send((Instant::now(), line)).is_err() {
                    return;
                }
            }
        })?;
        Ok(process)
    }

    /// Sends a line. One that a program is not there to read is lost: its silence will tell.
    pub fn send(&self, line: &str) {
        log::debug!("{} < {line}", self.name);
        if let Err(TrySendError::Full(_)) = self.commands.try_send(format!("{line}\n")) {
            log::debug!("{} reads nothing; a command is lost", self.name);
        }
    }

    /// The next line and when it came, waited for until `deadline`.
    pub fn receive(&self, deadline: Instant) -> Result<(Instant, String), Silence> {
        let left = deadline.saturating_duration_since(Instant::now());
        let received = self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => Silence::TimeIsUp,
            RecvTimeoutError::Disconnected => Silence::Gone,
        });
        if let Ok((_, line)) = &received {
            log::debug!("{} > {line}", self.name);
        }
        received
    }

    /// Throws away what it has said so far and nobody listened to.
    pub fn forget_lines(&self) {
        // Not more than can wait: a flood goes on while it is thrown away.
        for (_, line) in self.lines.try_iter().take(WAITING_LINES) {
            log::debug!("{} > {line} (nobody asked)", self.name);
        }
    }

    /// How the program ended; `None` when it was never seen to end.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        let patience = Instant::now() + FAREWELL;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < patience => thread::sleep(Duration::from_millis(2)),
                _ => return None,
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.send("quit");
        // A program that still writes must be read, or it never comes to reading.
        let deadline = Instant::now() + FAREWELL;
        while Instant::now() < deadline && self.receive(deadline).is_ok() {}
        if !matches!(self.child.try_wait(), Ok(Some(_))) && self.exit_status().is_none() {
            end_all(&mut self.child);
            let _ = self.child.wait();
        }
    }
}

fn write_commands(mut input: ChildStdin, commands: &Receiver<String>) {
    // Ends when nobody sends any more or the program has gone.
    while let Ok(command) = commands.recv() {
        if input.write_all(command.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// Keeps what is typed at the terminal, such as Ctrl-C, from the program: it is the match that is meant.
fn set_apart(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(windows)]
    {
        /// What Windows calls `CREATE_NEW_PROCESS_GROUP`.
        const NEW_GROUP: u32 = 0x200;
        std::os::windows::process::CommandExt::creation_flags(command, NEW_GROUP);
    }
}

/// Ends a program with all that it has started, where the system knows groups: an engine may be started by a script.
fn end_all(child: &mut Child) {
    #[cfg(unix)]
    {
        let group = rustix::process::Pid::from_child(child);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}
