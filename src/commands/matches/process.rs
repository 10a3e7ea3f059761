//! Running engine process: commands in, lines out with their times of arrival, and what they say in UCCI and UCI.

use std::io::{self, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::protocol::{Input, Lines};
use crate::types::score::MATE;
use crate::types::{Move, Square, Value};
use crate::util::cancel::CancelFlag;

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

    /// Returns the next line and its time of arrival; `None` after `deadline`. The error is the fault of a program that
    /// has ended, or `None` after a request to cancel.
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

/// Search data from `info` lines; each line may contain only some of the fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Info {
    pub depth: Option<usize>,
    /// Score for the engine, in hundredths as it reports it.
    pub score: Option<Value>,
    pub nodes: Option<u64>,
    /// Search time in milliseconds by the engine's own clock.
    pub milliseconds: Option<u64>,
}

impl Info {
    /// Takes over what a line reports about the best of several lines of play.
    pub fn read(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("info") {
            return;
        }
        let mut read = *self;
        while let Some(word) = words.next() {
            let number = words.clone().next().and_then(|word| word.parse::<u64>().ok());
            match word {
                // Free text or moves fill the rest of the line.
                "message" | "string" | "pv" => break,
                "multipv" if number.is_some_and(|number| number > 1) => return,
                "depth" => read.depth = number.and_then(|depth| usize::try_from(depth).ok()).or(read.depth),
                "nodes" => read.nodes = number.or(read.nodes),
                "time" => read.milliseconds = number.or(read.milliseconds),
                "score" => read.score = score(words.clone()).or(read.score),
                _ => {}
            }
        }
        *self = read;
    }
}

/// Parses the words after `score`: a number, `cp N` or `mate N`. Scales of mates differ, so scores beyond are cut.
fn score<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Value> {
    let (max, word) = (i64::from(MATE), words.next()?);
    let mut number = || words.next()?.parse::<i64>().ok();
    let score = match word {
        "cp" => number()?,
        "mate" => {
            let moves = number()?;
            // Mate in 0 means that the side to move is mated.
            let plies = 2 * moves.saturating_abs().min(max / 4);
            if moves > 0 { max - plies + 1 } else { plies - max }
        }
        word => word.parse().ok()?,
    };
    Value::try_from(score.clamp(-max, max)).ok()
}

/// Answer of an engine to `go`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BestMove {
    /// The move as written, empty if missing; `None` if the engine reports that it has no legal move.
    pub text: Option<String>,
    /// True if it offers or accepts a draw.
    pub offers_draw: bool,
    pub resigns: bool,
}

impl BestMove {
    pub fn read(line: &str) -> Option<BestMove> {
        let mut words = line.split_ascii_whitespace();
        let text = match words.next() {
            Some("bestmove") => words.next().unwrap_or_default(),
            Some("nobestmove") => "none",
            _ => return None,
        };
        let has_move = !["(none)", "none", "null", "0000"].contains(&text);
        let says = |word: &str| words.clone().any(|other| other == word);
        let (offers_draw, resigns) = (says("draw"), says("resign") || text == "resign");
        Some(BestMove { text: has_move.then(|| text.to_owned()), offers_draw, resigns })
    }
}

/// Returns a move as an engine writes it that counts ranks from 1 or from 0.
pub(super) fn move_text(mv: Move, one_based_ranks: bool) -> String {
    let point = |square: Square| format!("{}{}", char::from(b'a' + square.file()), square.rank() + 1);
    if one_based_ranks { point(mv.from()) + &point(mv.to()) } else { mv.to_string() }
}

pub(super) fn parse_move(text: &str, one_based_ranks: bool) -> Option<Move> {
    if !one_based_ranks {
        return text.parse().ok();
    }
    let second = 1 + text.bytes().skip(1).position(|byte| byte.is_ascii_alphabetic())?;
    let point = |text: &str| {
        let rank = (1..=10).find(|rank| text.get(1..) == Some(rank.to_string().as_str()))?;
        format!("{}{}", text.get(..1)?, rank - 1).parse::<Square>().ok()
    };
    Some(Move::new(point(text.get(..second)?)?, point(text.get(second..)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(line: &str) -> Info {
        let mut info = Info::default();
        info.read(line);
        info
    }

    #[test]
    fn info_lines_of_both_protocols_are_parsed() {
        let ucci = info("info depth 8 score -35 time 120 nodes 40000 pv h2e2 score 9");
        assert_eq!(ucci, Info { depth: Some(8), score: Some(-35), nodes: Some(40_000), milliseconds: Some(120) });
        let uci = "info depth 8 seldepth 12 multipv 1 score cp -35 nodes 40000 nps 300000 time 120 pv h2e2";
        assert_eq!(info(uci), ucci);
        let mut later = ucci;
        later.read("info depth 9 nodes 50000 score cp x");
        assert_eq!(later, Info { depth: Some(9), nodes: Some(50_000), ..ucci });
        for (line, score) in [
            ("info score mate 3", Some(MATE - 5)),
            ("info score mate -2", Some(4 - MATE)),
            ("info score mate 0", Some(-MATE)),
            ("info score 29999", Some(MATE)),
            ("info score mate -9223372036854775808", Some(-MATE / 2)),
            ("info multipv 2 depth 4 score cp 7", None),
            ("info message depth 5 score 3", None),
            ("info depth x score cp nodes", None),
            ("score 5", None),
        ] {
            assert_eq!(info(line), Info { score, ..Info::default() }, "{line}");
        }
    }

    #[test]
    fn best_moves_are_parsed() {
        for (line, text, offers_draw, resigns) in [
            ("bestmove h2e2 ponder h9g7 draw", Some("h2e2"), true, false),
            ("bestmove h2e2 resign", Some("h2e2"), false, true),
            ("bestmove resign", Some("resign"), false, true),
            ("bestmove", Some(""), false, false),
            ("nobestmove", None, false, false),
            ("bestmove (none)", None, false, false),
            ("bestmove 0000", None, false, false),
        ] {
            let expected = BestMove { text: text.map(str::to_owned), offers_draw, resigns };
            assert_eq!(BestMove::read(line), Some(expected), "{line}");
        }
        assert_eq!(["hello", "", "info bestmove"].map(BestMove::read), [None, None, None]);
    }

    #[test]
    fn moves_may_have_ranks_from_one_on() {
        for (text, mv) in [("a10a9", "a9a8"), ("h3e3", "h2e2")] {
            let found = parse_move(text, true).unwrap();
            assert_eq!((found.to_string().as_str(), move_text(found, true).as_str()), (mv, text));
        }
        for garbage in ["", "a", "a1", "a0a1", "a11a1", "k1k2", "日本", "a1日", "a999a1", "a-1a1", "a+1a2", "a01a2"]
        {
            assert_eq!(parse_move(garbage, true), None, "{garbage}");
        }
    }
}
