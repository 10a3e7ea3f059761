//! Playing engine: start, handshake, options, moves. Nothing that it sends is trusted.

use std::process::Command;
use std::time::{Duration, Instant};

use super::engine_protocol::{EngineProtocol, GoRequest};
use super::engine_protocol::{Info, Reply};
use super::process::{Process, ReceiveError};
use super::record::Fault;
use super::spec::EngineSpec;
use crate::engine::bench::IterationNodes;
use crate::position::Position;
use crate::protocol::Protocol;
use crate::types::Move;
use crate::util::cancel::CancelFlag;

/// Time to answer `stop` after the clock has run out; then the engine counts as hung.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval between checks of the cancellation flag while waiting for an engine.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Declared options beyond this number are ignored.
const MAX_OPTIONS: usize = 10_000;
/// Characters of a declaration that are shown.
const MAX_DECLARATION_SHOWN: usize = 100;
/// Messages of an engine that are kept, and characters of each.
const MAX_MESSAGES: usize = 20;
const MAX_MESSAGE_CHARS: usize = 300;
/// Largest depth that counts for the growth of the tree.
const MAX_GROWTH_DEPTH: usize = 1_000;

/// Limits on waiting for engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// Time to start, to get ready, and to answer where no clock runs.
    pub response: Duration,
    /// Time by which a clock may be overstepped.
    pub margin: Duration,
}

/// Engine of a match.
pub(super) struct Player {
    spec: EngineSpec,
    timeouts: Timeouts,
    process: Option<Process>,
    protocol: EngineProtocol,
    /// Command before a new game.
    new_game: Option<&'static str>,
    /// Options of the specification that the engine does not declare.
    unknown_options: Vec<String>,
    /// Options whose value the engine does not declare as possible, with what it declares.
    refused_options: Vec<(String, String)>,
    /// What the engine said between its options and its `readyok`, such as why it refuses one.
    messages: Vec<String>,
}

/// Time by which the move may come after the line before it without a search in between.
const MAX_LINE_DELAY: Duration = Duration::from_millis(2);
/// Difference by which the clock of an engine may be behind where its report of nodes is new.
const MAX_CLOCK_DIFFERENCE: Duration = Duration::from_millis(5);

/// Move or resignation of an engine.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Decision {
    /// The legal move; `None` for a resignation.
    pub mv: Option<Move>,
    /// True if it offers or accepts a draw.
    pub offers_draw: bool,
    /// Time from the `go` command to the reply.
    pub elapsed: Duration,
    /// Search data that it reported.
    pub info: Info,
    /// Time after its last report of nodes.
    pub uncounted_time: Duration,
    /// Growth of the search tree by a ply, by the iterations that it reported.
    pub growth: Option<f64>,
}

/// Reason why an engine made no move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PlayerError {
    /// Fault of the engine.
    Fault(Fault),
    /// The match was interrupted.
    Interrupted,
}

/// Error of waiting for a certain line.
enum WaitError {
    Receive(ReceiveError),
    Interrupted,
}

impl From<Fault> for PlayerError {
    fn from(fault: Fault) -> PlayerError {
        PlayerError::Fault(fault)
    }
}

impl Player {
    pub fn new(spec: EngineSpec, timeouts: Timeouts) -> Player {
        Player {
            protocol: EngineProtocol { protocol: spec.protocol, one_based_ranks: false, uses_seconds: false },
            spec,
            timeouts,
            process: None,
            new_game: None,
            unknown_options: Vec::new(),
            refused_options: Vec::new(),
            messages: Vec::new(),
        }
    }

    /// Returns the options of the specification that the engine does not declare.
    pub fn unknown_options(&self) -> &[String] {
        &self.unknown_options
    }

    /// Options of the specification with a value that the engine does not declare as possible, and its declaration.
    pub fn refused_options(&self) -> &[(String, String)] {
        &self.refused_options
    }

    /// Returns what the engine said to its user after the options of the specification, each text once; nothing without
    /// such options.
    pub fn messages(&self) -> &[String] {
        &self.messages
    }

    /// Ends the program; the next game restarts it.
    pub fn stop(&mut self) {
        self.process = None;
    }

    /// Prepares the engine for a new game; starts it if it is not running.
    pub fn prepare(&mut self, interrupt: &CancelFlag) -> Result<(), PlayerError> {
        let is_new = self.process.is_none();
        if is_new {
            self.start(interrupt)?;
        }
        let process = running(&mut self.process)?;
        if let Some(command) = self.new_game {
            process.send(command);
        }
        process.send("isready");
        let (mut messages, follows_options) = (Vec::new(), is_new && !self.spec.options.is_empty());
        let ready = self.wait(interrupt, |line| {
            if follows_options
                && let Some(text) = message_in(line)
                && messages.len() < MAX_MESSAGES
                && !messages.contains(&text)
            {
                messages.push(text);
            }
            line == "readyok"
        });
        if is_new {
            self.messages = messages;
        }
        match ready {
            Ok(()) => Ok(()),
            Err(WaitError::Interrupted) => Err(PlayerError::Interrupted),
            Err(WaitError::Receive(error)) => Err(self.fault_of(error, self.timeouts.response).into()),
        }
    }

    fn start(&mut self, interrupt: &CancelFlag) -> Result<(), PlayerError> {
        let cannot = |reason: String| PlayerError::Fault(Fault::CannotStart(reason));
        let mut command = match self.spec.command.split_first() {
            Some((program, arguments)) => {
                let mut command = Command::new(program);
                command.args(arguments);
                command
            }
            None => Command::new(std::env::current_exe().map_err(|error| cannot(error.to_string()))?),
        };
        if let Some(folder) = &self.spec.folder {
            // Otherwise the system would report the program as missing.
            if !folder.is_dir() {
                return Err(cannot(format!("there is no folder {}", folder.display())));
            }
            command.current_dir(folder);
        }
        let program = command.get_program().to_string_lossy().into_owned();
        let process =
            Process::start(&self.spec.name, command).map_err(|error| cannot(format!("{program}: {error}")))?;
        let (handshake, acknowledgement) = match self.spec.protocol {
            Protocol::Ucci => ("ucci", "ucciok"),
            Protocol::Uci => ("uci", "uciok"),
        };
        process.send(handshake);
        self.process = Some(process);
        let mut declared: Vec<String> = Vec::new();
        let completed = self.wait(interrupt, |line| {
            if line.starts_with("option ") && declared.len() < MAX_OPTIONS {
                declared.push(line.to_owned());
            }
            line == acknowledgement
        });
        if let Err(error) = completed {
            let failure = match error {
                WaitError::Interrupted => PlayerError::Interrupted,
                WaitError::Receive(ReceiveError::Timeout) => {
                    cannot(format!("{program}: it did not send '{acknowledgement}'"))
                }
                WaitError::Receive(ReceiveError::Closed) => cannot(format!(
                    "{program}: it ended without sending '{acknowledgement}'{}",
                    self.exit_status_text()
                )),
            };
            self.process = None;
            return Err(failure);
        }
        self.set_up(&declared);
        Ok(())
    }

    /// Sends the options; `declared` are the `option` lines of the handshake.
    fn set_up(&mut self, declared: &[String]) {
        let protocol = self.spec.protocol;
        let declaration =
            |name: &str| declared.iter().find(|line| option_name(protocol, line).eq_ignore_ascii_case(name));
        let mut commands = Vec::new();
        match protocol {
            Protocol::Ucci => {
                self.protocol.uses_seconds = declaration("usemillisec").is_none();
                if !self.protocol.uses_seconds {
                    commands.push("setoption usemillisec true".to_owned());
                }
                self.new_game = declaration("newgame").map(|_| "setoption newgame");
            }
            Protocol::Uci => {
                // Engines for several variants need to have one set, and then count ranks as in chess.
                let has_xiangqi = |line: &&String| line.split_ascii_whitespace().any(|word| word == "xiangqi");
                self.protocol.one_based_ranks = declaration("UCI_Variant").filter(has_xiangqi).is_some();
                if self.protocol.one_based_ranks {
                    commands.push("setoption name UCI_Variant value xiangqi".to_owned());
                }
                self.new_game = Some("ucinewgame");
            }
        }
        self.unknown_options.clear();
        self.refused_options.clear();
        for (name, value) in &self.spec.options {
            match declaration(name) {
                None => self.unknown_options.push(name.clone()),
                Some(line) if !is_possible(line, value) => {
                    let what = line.find(" type ").map_or(line.as_str(), |at| line[at..].trim());
                    let what = what.chars().filter(|c| !c.is_control()).take(MAX_DECLARATION_SHOWN).collect();
                    self.refused_options.push((format!("{name}={value}"), what));
                }
                Some(_) => {}
            }
            commands.push(match (protocol, value.as_str()) {
                (Protocol::Ucci, "") => format!("setoption {name}"),
                (Protocol::Ucci, value) => format!("setoption {name} {value}"),
                (Protocol::Uci, "") => format!("setoption name {name}"),
                (Protocol::Uci, value) => format!("setoption name {name} value {value}"),
            });
        }
        // Together, since the queue of commands is short and engines may have hundreds of options.
        if let (Some(process), false) = (&self.process, commands.is_empty()) {
            process.send(&commands.join("\n"));
        }
    }

    /// Requests a move and waits for it until the clock of its side runs out.
    pub fn request_move(&mut self, request: &GoRequest, interrupt: &CancelFlag) -> Result<Decision, PlayerError> {
        let side = request.position.side();
        let clock = &request.clocks[side.index()];
        let commands = self.protocol.commands(request);
        let process = running(&mut self.process)?;
        process.discard_lines();
        let [position, go] = &commands;
        process.send(position);
        let sent = Instant::now();
        process.send(go);

        let allowed =
            clock.remaining().map_or(self.timeouts.response, |left| left.saturating_add(self.timeouts.margin));
        let mut deadline = sent + allowed;
        let mut was_stopped = false;
        let mut info = Info::default();
        let mut iterations = IterationNodes::default();
        let mut counted_time = None;
        loop {
            if interrupt.is_cancelled() {
                return Err(PlayerError::Interrupted);
            }
            // Checked for every line: an engine that never stops writing must not extend its deadline.
            let now = Instant::now();
            let received = match now < deadline {
                true => process.receive(deadline.min(now + POLL_INTERVAL)),
                false => Err(ReceiveError::Timeout),
            };
            let (at, line) = match received {
                Ok(received) => received,
                Err(ReceiveError::Timeout) if Instant::now() < deadline => continue,
                Err(ReceiveError::Timeout) if !was_stopped => {
                    process.send("stop");
                    deadline = Instant::now() + STOP_TIMEOUT;
                    was_stopped = true;
                    continue;
                }
                Err(error) => return Err(self.fault_of(error, sent.elapsed()).into()),
            };
            let elapsed = at.saturating_duration_since(sent);
            let reply = Reply::parse(&line);
            if let (Reply::NoMove | Reply::BestMove { .. }, true) = (&reply, elapsed > allowed) {
                // A late reply loses, whatever it is.
                return Err(match clock.remaining() {
                    Some(left) => Fault::Overstepped(elapsed.saturating_sub(left)),
                    None => Fault::Silent(elapsed),
                }
                .into());
            }
            match reply {
                Reply::Info(more) => {
                    info.update(more);
                    if more.nodes.is_some() {
                        counted_time = Some(counted_at(elapsed, more.time));
                    }
                    if let (true, Some(depth @ ..=MAX_GROWTH_DEPTH), Some(nodes)) =
                        (more.is_exact, more.depth, more.nodes)
                    {
                        // A smaller depth begins another search. Only the last is kept, so a flood fills no memory.
                        if iterations.last_depth().is_some_and(|last| depth < last) {
                            iterations = IterationNodes::default();
                        }
                        iterations.add(depth, nodes);
                    }
                }
                Reply::Other => {}
                Reply::NoMove => return Err(Fault::NoMove.into()),
                Reply::BestMove { text, offers_draw, resigns } => {
                    let mv = if resigns { None } else { Some(self.legal_move(request.position, &text)?) };
                    let uncounted_time = uncounted(elapsed, counted_time);
                    return Ok(Decision {
                        mv,
                        offers_draw,
                        elapsed,
                        info,
                        uncounted_time,
                        growth: iterations.growth(),
                    });
                }
            }
        }
    }

    /// Parses a move and checks that it is legal.
    fn legal_move(&self, position: &Position, text: &str) -> Result<Move, Fault> {
        let mv = self.protocol.parse_move(text);
        let mv = mv.ok_or_else(|| Fault::Garbage(text.to_owned()))?;
        let illegal = |error: crate::position::PlayError| Fault::Illegal(text.to_owned(), error.fault.to_string());
        position.clone().play([mv.to_string().as_str()]).map_err(illegal)?;
        Ok(mv)
    }

    /// Waits for a line that satisfies `is_match`, within the response timeout.
    fn wait(&mut self, interrupt: &CancelFlag, mut is_match: impl FnMut(&str) -> bool) -> Result<(), WaitError> {
        let deadline = Instant::now() + self.timeouts.response;
        let process = self.process.as_ref().ok_or(WaitError::Receive(ReceiveError::Closed))?;
        loop {
            if interrupt.is_cancelled() {
                return Err(WaitError::Interrupted);
            }
            let now = Instant::now();
            if now >= deadline {
                return Err(WaitError::Receive(ReceiveError::Timeout));
            }
            match process.receive(deadline.min(now + POLL_INTERVAL)) {
                Ok((_, line)) if is_match(&line) => return Ok(()),
                Ok(_) | Err(ReceiveError::Timeout) => {}
                Err(ReceiveError::Closed) => return Err(WaitError::Receive(ReceiveError::Closed)),
            }
        }
    }

    /// Returns the fault of an engine that sent nothing for `waited`.
    fn fault_of(&mut self, error: ReceiveError, waited: Duration) -> Fault {
        match error {
            ReceiveError::Timeout => Fault::Silent(waited),
            ReceiveError::Closed => {
                let status = self.process.as_mut().and_then(Process::exit_status);
                Fault::Crashed(status.map(|status| status.to_string()))
            }
        }
    }

    fn exit_status_text(&mut self) -> String {
        let status = self.process.as_mut().and_then(Process::exit_status);
        status.map_or_else(String::new, |status| format!(" ({status})"))
    }
}

fn running(process: &mut Option<Process>) -> Result<&mut Process, Fault> {
    process.as_mut().ok_or_else(|| Fault::CannotStart("it is not running".to_owned()))
}

/// Returns whether an `option` line allows a value. What cannot be understood is allowed.
fn is_possible(line: &str, value: &str) -> bool {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let all_after =
        |word: &str| -> Vec<&str> { words.windows(2).filter(|pair| pair[0] == word).map(|pair| pair[1]).collect() };
    let after = |word: &str| all_after(word).first().copied();
    let bound = |word: &str| after(word).and_then(|number| number.parse::<i64>().ok());
    match after("type") {
        Some("spin") => value.parse::<i64>().is_ok_and(|number| {
            bound("min").is_none_or(|min| number >= min) && bound("max").is_none_or(|max| number <= max)
        }),
        Some("check") => ["true", "false", "on", "off", "yes", "no", "1", "0"].contains(&value),
        Some("combo") => {
            // Values of several words cannot be told apart from their neighbours.
            let all = all_after("var");
            all.is_empty() || value.contains(' ') || all.iter().any(|name| name.eq_ignore_ascii_case(value))
        }
        _ => true,
    }
}

/// Returns the text of a message to the user: `info message` in UCCI, `info string` in UCI.
fn message_in(line: &str) -> Option<String> {
    let rest = line.strip_prefix("info ")?.trim_start();
    let text = rest.strip_prefix("message ").or_else(|| rest.strip_prefix("string "))?.trim();
    Some(text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_MESSAGE_CHARS).collect())
}

/// Returns the option name in an `option` line.
fn option_name(protocol: Protocol, line: &str) -> &str {
    let rest = line.strip_prefix("option").unwrap_or(line).trim_start();
    let rest = match protocol {
        Protocol::Ucci => rest,
        Protocol::Uci => rest.strip_prefix("name ").unwrap_or(rest),
    };
    rest.find(" type ").map_or(rest, |end| &rest[..end]).trim()
}

/// Returns the time of a search after its last count of nodes.
fn uncounted(elapsed: Duration, counted_time: Option<Duration>) -> Duration {
    let time = elapsed.saturating_sub(counted_time.unwrap_or_default());
    if counted_time.is_some() && time <= MAX_LINE_DELAY { Duration::ZERO } else { time }
}

/// Returns the time of a search to which a count of nodes belongs that came at `elapsed`. By the clock of the engine it
/// may be older: then the line repeats an earlier one. Small differences between the clocks do not matter.
fn counted_at(elapsed: Duration, own_time: Option<Duration>) -> Duration {
    let is_current = |own: &Duration| *own + MAX_CLOCK_DIFFERENCE + elapsed / 20 >= elapsed;
    own_time.filter(|own| !is_current(own)).unwrap_or(elapsed)
}

#[cfg(test)]
mod tests {
    use super::super::time_control::Clock;
    use super::*;

    fn player(spec: &str, declared: &[&str]) -> Player {
        let timeouts = Timeouts { response: Duration::from_secs(1), margin: Duration::ZERO };
        let mut player = Player::new(EngineSpec::parse(spec).unwrap(), timeouts);
        player.set_up(&declared.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        player
    }

    fn commands(player: &Player, controls: [&str; 2], moves: &[&str], draw_offered: bool) -> [String; 2] {
        let start = Position::start();
        let mut position = start.clone();
        position.play(moves.iter().copied()).unwrap();
        let moves: Vec<Move> = moves.iter().map(|text| text.parse().unwrap()).collect();
        let clocks = controls.map(|text| Clock::new(EngineSpec::parse(text).unwrap().control.unwrap()));
        let request = GoRequest { start: &start, moves: &moves, position: &position, clocks: &clocks, draw_offered };
        player.protocol.commands(&request)
    }

    #[test]
    fn a_count_of_nodes_belongs_to_the_time_of_its_line_or_an_earlier_one() {
        let ms = Duration::from_millis;
        for (arrival, own, counted) in [(3, 0, 3), (100, 90, 100), (100, 89, 89), (1000, 990, 1000), (1000, 600, 600)] {
            assert_eq!(counted_at(ms(arrival), Some(ms(own))), ms(counted));
        }
        assert_eq!(counted_at(ms(7), None), ms(7));
        for (elapsed, counted, after) in [(3, Some(1), 0), (4, Some(1), 3), (1, None, 1)] {
            assert_eq!(uncounted(ms(elapsed), counted.map(ms)), ms(after));
        }
    }

    #[test]
    fn commands_follow_ucci() {
        let engine = player("proto=ucci", &["option usemillisec type check default true"]);
        let [position, go] = commands(&engine, ["tc=2+0.02", "tc=40/60"], &[], false);
        assert_eq!(position, "position startpos");
        assert_eq!(go, "go time 2000 increment 20 opptime 60000 oppmovestogo 40");
        let [position, go] = commands(&engine, ["nodes=5", "tc=40/60"], &["h2e2"], true);
        assert_eq!(position, "position startpos moves h2e2");
        assert_eq!(go, "go draw time 60000 movestogo 40");
        assert_eq!(commands(&engine, ["movetime=30", "nodes=9"], &[], false)[1], "go time 30 movestogo 1");
        let slow = player("proto=ucci", &[]);
        assert_eq!(
            commands(&slow, ["tc=90+2.5", "tc=1"], &[], false)[1],
            "go time 90 increment 2 opptime 1 oppincrement 0"
        );
    }

    #[test]
    fn values_outside_the_declaration_are_noticed() {
        for (line, possible, refused) in [
            ("option hashsize type spin min 0 max 1024 default 16", &["0", "1024"][..], &["-1", "1025", "x", ""][..]),
            ("option name Hash type spin default 16 min 1 max 64", &["1", "64"], &["0", "65"]),
            ("option style type combo var solid var normal default normal", &["solid", "Normal"], &["foo", ""]),
            ("option name UCI_Chess960 type check default false", &["true", "false"], &["maybe"]),
            ("option bookfiles type string default", &["anything", ""], &[]),
            ("option odd", &["anything"], &[]),
            ("option spin type spin", &["7"], &["seven"]),
        ] {
            for (values, expected) in [(possible, true), (refused, false)] {
                values.iter().for_each(|value| assert_eq!(is_possible(line, value), expected, "{line}: {value}"));
            }
        }
    }

    #[test]
    fn messages_to_the_user_are_recognized() {
        assert_eq!(message_in("info message no such file").as_deref(), Some("no such file"));
        assert_eq!(message_in("info  string  NNUE\tdisabled ").as_deref(), Some("NNUE disabled"));
        for line in ["info depth 3 score 5", "info message", "message x", "infostring x", ""] {
            assert_eq!(message_in(line), None, "{line}");
        }
        assert_eq!(message_in(&format!("info string {}", "炮".repeat(1_000))).unwrap().chars().count(), 300);
    }

    #[test]
    fn commands_follow_uci() {
        let engine = player("proto=uci", &["option name Hash type spin default 16"]);
        let [position, go] = commands(&engine, ["tc=2+0.02", "tc=3+0.03"], &["h2e2"], true);
        assert_eq!(position, "position startpos moves h2e2");
        assert_eq!(go, "go wtime 2000 btime 3000 winc 20 binc 30");
        assert_eq!(commands(&engine, ["movetime=30", "depth=9"], &[], false)[1], "go movetime 30");
        assert_eq!(commands(&engine, ["nodes=5", "depth=9"], &["h2e2"], false)[1], "go depth 9");
        let variants = "option name UCI_Variant type combo default chess var chess var xiangqi";
        let fairy = player("proto=uci", &[variants]);
        assert_eq!(
            commands(&fairy, ["nodes=5", "nodes=5"], &["a0a1", "a9a8"], false)[0],
            "position startpos moves a1a2 a10a9"
        );
    }

    #[test]
    fn moves_are_parsed_with_the_ranks_of_the_engine() {
        let fairy = EngineProtocol { protocol: Protocol::Uci, one_based_ranks: true, uses_seconds: false };
        let text = |text: &str| fairy.parse_move(text).map(|mv| mv.to_string());
        assert_eq!(text("a10a9").as_deref(), Some("a9a8"));
        assert_eq!(text("h3e3").as_deref(), Some("h2e2"));
        for garbage in ["", "a", "a1", "a0a1", "a11a1", "k1k2", "日本", "a1日", "a999a1", "a-1a1", "a+1a2", "a01a2"]
        {
            assert_eq!(text(garbage), None, "{garbage}");
        }
        let engine = player("proto=uci", &[]);
        let read = |text: &str| engine.legal_move(&Position::start(), text);
        assert!(read("h2e2").is_ok());
        assert_eq!(read("hello"), Err(Fault::Garbage("hello".to_owned())));
        assert_eq!(
            read("a0a5").unwrap_err().to_string(),
            "played a0a5, which is not legal: the piece cannot move there"
        );
    }

    #[test]
    fn undeclared_options_are_listed() {
        let declared = ["option hashsize type spin min 1 max 9 default 4", "option newgame type button"];
        let engine = player("option.HashSize=4,option.hsh=4", &declared);
        assert_eq!(engine.unknown_options(), ["hsh"]);
        assert_eq!(engine.new_game, Some("setoption newgame"));
        assert_eq!(option_name(Protocol::Uci, "option name Move Overhead type spin"), "Move Overhead");
        assert_eq!(option_name(Protocol::Ucci, "option usemillisec type check"), "usemillisec");
    }
}
