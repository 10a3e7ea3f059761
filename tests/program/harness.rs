//! Harness that starts the program and communicates with it like a client.
//!
//! No test may fail because a machine is slow. The only clock is [`TIMEOUT`], after which a silent program counts as
//! hanging.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::common::network::test_network_file;
use crate::lines::{begins_with, best_move, is_answer};

/// Time without an answer after which the program counts as hanging.
pub const TIMEOUT: Duration = Duration::from_secs(120);

/// A position with a mate in one. A `go` that answers [`MATING_MOVE`] has searched this position.
pub const MATE_IN_ONE: &str = "3a2b2/3k5/9/7N1/9/9/9/4K4/9/6R2 w - - 0 1";
pub const MATING_MOVE: &str = "g0d0";

pub struct Program {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Option<JoinHandle<String>>,
}

#[derive(Debug)]
pub struct Ended {
    /// Exit status; `None` if a signal ended the program.
    pub status: Option<i32>,
    /// Lines of standard output that were not yet read.
    pub lines: Vec<String>,
    pub errors: String,
}

#[derive(Clone, Copy, Default)]
pub struct Start<'a> {
    pub arguments: &'a [&'a str],
    pub log_filter: Option<&'a str>,
    /// Language of the system; English if it is empty.
    pub language: &'a str,
    pub hang_up_after: Option<usize>,
    /// Keep `info currmove` lines. Their number depends on the speed of the machine, so they are dropped by default.
    pub shows_current_moves: bool,
}

impl Start<'_> {
    pub fn now(self) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
        command.args(self.arguments).env_remove("RUST_LOG").env_remove("CLICOLOR_FORCE");
        // The variable LANGUAGE counts for nothing in the locale C.
        let (locale, language) = if self.language.is_empty() { ("C", "zh") } else { (self.language, "") };
        command.env("LC_ALL", locale).env("LANGUAGE", language);
        if let Some(filter) = self.log_filter {
            command.env("RUST_LOG", filter);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let output = child.stdout.take().expect("its output is piped");
        let mut errors = child.stderr.take().expect("its errors are piped");
        Program {
            input: child.stdin.take(),
            lines: read_lines(output, self.hang_up_after, self.shows_current_moves),
            errors: Some(std::thread::spawn(move || {
                let mut bytes = Vec::new();
                // A broken pipe ends like a closed one.
                let _ = errors.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).into_owned()
            })),
            child,
        }
    }
}

fn read_lines(
    output: impl Read + Send + 'static,
    hang_up_after: Option<usize>,
    shows_current_moves: bool,
) -> Receiver<String> {
    let (sender, lines) = channel();
    if hang_up_after == Some(0) {
        return lines;
    }
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        let mut count = 0;
        while output.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            let text = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(&line)).into_owned();
            line.clear();
            if !shows_current_moves && begins_with(&text, "info currmove") {
                continue;
            }
            count += 1;
            if sender.send(text).is_err() || Some(count) == hang_up_after {
                return;
            }
        }
    });
    lines
}

impl Program {
    pub fn start() -> Program {
        Program::with(&[])
    }

    pub fn with(arguments: &[&str]) -> Program {
        Start { arguments, ..Start::default() }.now()
    }

    pub fn start_at(fen: &str) -> Program {
        let mut program = Program::start();
        program.say(&format!("position fen {fen}"));
        program
    }

    /// Makes the program evaluate with the test network, so that scores do not depend on the shipped one.
    pub fn use_test_network(&mut self) {
        // The program has read the whole file when it answers.
        let file = test_network_file();
        let messages = self.ask(&format!("setoption evalfile {}", file.path().display()));
        assert!(messages.is_empty(), "{messages:#?}");
    }

    pub fn say(&mut self, line: &str) {
        self.send(format!("{line}\n").as_bytes());
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.try_send(bytes).expect("the program reads its input");
    }

    /// Sends bytes to a program that may have ended.
    pub fn try_send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let input = self.input.as_mut().expect("its input is open");
        input.write_all(bytes)?;
        input.flush()
    }

    /// Returns the number of threads with one of these names. A new thread has the name of its parent for a moment.
    /// Waits until the program catches signals.
    #[cfg(target_os = "linux")]
    pub fn wait_for_handler(&self) {
        while self.threads_named(&["termination"]) == 0 {
            std::thread::yield_now();
        }
    }

    #[cfg(target_os = "linux")]
    pub fn threads_named(&self, wanted: &[&str]) -> usize {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).expect("it runs");
        let names = tasks.flatten().filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
        names.filter(|name| wanted.contains(&name.trim())).count()
    }

    /// Sends a signal: `INT` is that of Ctrl-C, `TERM` that by which a scheduler or `timeout` asks programs to end.
    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status();
        assert!(status.is_ok_and(|status| status.success()), "the program can be signalled");
    }

    /// Sends a signal and waits until the program has ended as interrupted.
    #[cfg(unix)]
    pub fn interrupt(self, signal: &str) -> Ended {
        self.signal(signal);
        let ended = self.expect_exit();
        assert_eq!(ended.status, Some(130), "{}", ended.errors);
        ended
    }

    pub fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    fn next_line(&mut self, deadline: Instant, awaited: &str, seen: &[String]) -> Option<String> {
        match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Timeout) => panic!("no {awaited} within {TIMEOUT:?}, only {seen:#?}"),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Returns the lines up to the first one that `is_wanted`, which is the last of them.
    pub fn wait_until(&mut self, what: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let deadline = Instant::now() + TIMEOUT;
        let mut seen = Vec::new();
        while let Some(line) = self.next_line(deadline, what, &seen) {
            seen.push(line);
            if seen.last().is_some_and(|line| is_wanted(line)) {
                return seen;
            }
        }
        panic!("the output ended without {what} after {seen:#?}");
    }

    pub fn wait_for(&mut self, start: &str) -> Vec<String> {
        self.wait_until(&format!("'{start}'"), |line| begins_with(line, start))
    }

    pub fn wait_for_answer(&mut self) -> Vec<String> {
        self.wait_until("answer", is_answer)
    }

    pub fn answer(&mut self) -> String {
        self.wait_for_answer().pop().expect("the answer is the last line")
    }

    /// Sends a `go` or `stop`, and returns the lines up to its answer.
    pub fn go(&mut self, command: &str) -> Vec<String> {
        self.say(command);
        self.wait_for_answer()
    }

    /// Sends a `go` or `stop`, and returns the move that answers it.
    pub fn best(&mut self, command: &str) -> String {
        best_move(self.go(command).last().expect("the answer is the last line")).to_owned()
    }

    /// Sends `line` and `isready`, and returns the lines before `readyok`.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.say(line);
        self.say("isready");
        let mut lines = self.wait_for("readyok");
        lines.pop();
        lines
    }

    pub fn expect_exit(mut self) -> Ended {
        let deadline = Instant::now() + TIMEOUT;
        let mut lines = Vec::new();
        while let Some(line) = self.next_line(deadline, "end of the output", &lines) {
            lines.push(line);
        }
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("its status can be asked for") {
                break status.code();
            }
            assert!(Instant::now() < deadline, "still running after {TIMEOUT:?}");
            std::thread::sleep(Duration::from_millis(2));
        };
        let errors = self.errors.take().expect("taken once").join().expect("reading does not fail");
        Ended { status, lines, errors }
    }

    /// Ends a session with `quit`, checks `bye` and the exit status, and returns the lines before `bye`.
    pub fn leave(mut self) -> Vec<String> {
        self.say("quit");
        let mut ended = self.expect_exit();
        ended.assert_quiet_success();
        assert_eq!(ended.lines.pop().as_deref(), Some("bye"), "after {:#?}", ended.lines);
        ended.lines
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The program may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ended {
    pub fn assert_quiet_success(&self) {
        assert_eq!((self.status, self.errors.as_str()), (Some(0), ""), "after {:#?}", self.lines);
    }

    #[track_caller]
    pub fn tells(&self, words: &str) {
        assert!(self.errors.contains(words), "no '{words}' in {}", self.errors);
    }

    pub fn text(&self) -> String {
        self.lines.join("\n")
    }

    pub fn objects(&self) -> Vec<serde_json::Value> {
        let read = |line: &String| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.lines.iter().map(read).collect()
    }

    pub fn last_line(&self) -> &str {
        self.lines.last().map_or("", String::as_str)
    }
}

pub fn run(arguments: &[&str]) -> Ended {
    run_with(arguments, b"")
}

/// Runs a command with this standard input.
pub fn run_with(arguments: &[&str], input: &[u8]) -> Ended {
    let mut program = Program::with(arguments);
    // A program that refuses its input may be gone before it has all of it.
    let _ = program.try_send(input);
    program.close_input();
    program.expect_exit()
}

/// Runs a script of a shell; its first argument is the program, and `words` follow.
#[cfg(target_os = "linux")]
pub fn run_script(script: &str, words: &[&str]) -> Ended {
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_chuhe")]).args(words).stdin(Stdio::null());
    let output = command.output().expect("the shell starts");
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    let lines = text(output.stdout).lines().map(str::to_owned).collect();
    Ended { status: output.status.code(), lines, errors: text(output.stderr) }
}

/// Runs a command that can write no file larger than `blocks` of 512 bytes or 1 KiB, as different shells have it: like
/// a full disk, with an error instead of a signal.
#[cfg(target_os = "linux")]
pub fn run_with_file_limit(blocks: u32, arguments: &[&str]) -> Ended {
    run_script(&format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\""), arguments)
}

/// Runs a session of these commands that may use no more than this many megabytes of address space.
#[cfg(target_os = "linux")]
pub fn run_with_memory_limit(megabytes: u32, commands: &str) -> Ended {
    run_script(&format!("ulimit -v {}; printf '%s' \"$2\" | \"$1\"", megabytes << 10), &[commands])
}

pub fn run_well(arguments: &[&str]) -> Ended {
    let ended = run(arguments);
    assert_eq!((ended.status, ended.errors.as_str()), (Some(0), ""), "{arguments:?}: {}", ended.text());
    ended
}

/// Runs a command that must succeed, whatever it notes on standard error.
pub fn run_noted(arguments: &[&str]) -> Ended {
    let ended = run(arguments);
    assert_eq!(ended.status, Some(0), "{arguments:?}: {} {}", ended.text(), ended.errors);
    ended
}

/// Runs a command that must fail with this status and these words on standard error.
pub fn refused(arguments: &[&str], status: i32, words: &str) -> Ended {
    let ended = run_badly(arguments, status);
    ended.tells(words);
    ended
}

pub fn run_badly(arguments: &[&str], status: i32) -> Ended {
    let ended = run(arguments);
    assert_eq!(ended.status, Some(status), "{arguments:?}: {} {}", ended.text(), ended.errors);
    assert!(!ended.errors.trim().is_empty() && !ended.errors.contains("panicked"), "{arguments:?}: {}", ended.errors);
    ended
}

/// File in a folder of its own, which is removed at the end of the test with what stands beside the file.
pub struct TemporaryFile {
    folder: tempfile::TempDir,
    path: String,
}

impl TemporaryFile {
    pub fn named(name: &str) -> TemporaryFile {
        let folder = tempfile::tempdir().expect("temporary folders can be created");
        let path = folder.path().join(name).to_str().expect("the path is plain text").to_owned();
        TemporaryFile { folder, path }
    }

    pub fn with(name: &str, content: &(impl AsRef<[u8]> + ?Sized)) -> TemporaryFile {
        let file = TemporaryFile::named(name);
        std::fs::write(file.path(), content).expect("temporary files can be written");
        file
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn name(&self) -> &str {
        Path::new(&self.path).file_name().and_then(|name| name.to_str()).expect("the name is plain text")
    }
}

pub fn wait_for_size(file: &TemporaryFile, size: u64) {
    let deadline = Instant::now() + TIMEOUT;
    while std::fs::metadata(file.path()).map_or(0, |data| data.len()) < size {
        assert!(Instant::now() < deadline, "the file does not grow");
        std::thread::sleep(Duration::from_millis(1));
    }
}
