//! Playing engine: start, handshake, options, moves. Nothing that it sends is trusted.

use std::process::Command;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize, Serializer};

use super::arbiter::Adjudication;
use super::engine_protocol::{EngineProtocol, GoRequest, Info, Reply};
use super::process::{NoLine, Process};
use super::spec::EngineSpec;
use crate::engine::bench::IterationNodes;
use crate::notation::game::shortened;
use crate::position::Position;
use crate::protocol::Protocol;
use crate::rules::Rules;
use crate::types::{Move, Value};
use crate::util::cancel::CancelFlag;

/// Time to answer `stop` after the clock has run out; then the engine counts as hung.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);
/// Declared options beyond this number are ignored.
const MAX_OPTIONS: usize = 10_000;
/// Characters of a declaration that are shown.
const MAX_DECLARATION_SHOWN: usize = 100;
/// Messages of an engine that are kept, and characters of each.
const MAX_MESSAGES: usize = 20;
const MAX_MESSAGE_CHARS: usize = 300;
/// Largest depth that counts for the growth of the tree.
const MAX_GROWTH_DEPTH: usize = 1_000;
/// Time by which the move may come after the line before it without a search in between.
const MAX_LINE_DELAY: Duration = Duration::from_millis(2);
/// Difference by which the clock of an engine may be behind where its report of nodes is new.
const MAX_CLOCK_DIFFERENCE: Duration = Duration::from_millis(5);

pub(super) struct Player {
    spec: EngineSpec,
    patience: Duration,
    margin: Duration,
    process: Option<Process>,
    protocol: EngineProtocol,
    /// Command before a new game.
    new_game: Option<&'static str>,
    /// What the user should know about the options: which the engine does not declare or may ignore, and what it said
    /// between its options and its `readyok`, such as why it refuses one.
    pub notices: Vec<String>,
}

/// Move or resignation of an engine.
pub(super) struct Decision {
    /// The legal move; `None` for a resignation.
    pub played: Option<PlayedMove>,
    /// True if it offers or accepts a draw.
    pub offers_draw: bool,
    /// Time from the `go` command to the reply.
    pub elapsed: Duration,
    /// Time after its last report of nodes.
    pub uncounted: Duration,
}

/// Reason why an engine made no move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PlayerError {
    Fault(Fault),
    Interrupted,
}

impl From<Fault> for PlayerError {
    fn from(fault: Fault) -> PlayerError {
        PlayerError::Fault(fault)
    }
}

impl Player {
    pub fn new(spec: EngineSpec, conditions: &Conditions) -> Player {
        Player {
            protocol: EngineProtocol { protocol: spec.protocol, one_based_ranks: false, uses_seconds: false },
            spec,
            patience: conditions.patience,
            margin: conditions.margin,
            process: None,
            new_game: None,
            notices: Vec::new(),
        }
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
        self.notices.extend(messages.into_iter().map(|text| format!("{} says: {text}", self.spec.name)));
        ready.map_err(|error| self.error_of(error, self.patience))
    }

    fn start(&mut self, interrupt: &CancelFlag) -> Result<(), PlayerError> {
        let cannot =
            |reason: String| PlayerError::Fault(Fault::new(FaultKind::Start, format!("cannot be started: {reason}")));
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
                NoLine::Interrupted => PlayerError::Interrupted,
                NoLine::Timeout => cannot(format!("{program}: it did not send '{acknowledgement}'")),
                NoLine::Closed => {
                    let status = self.process.as_mut().and_then(Process::exit_status);
                    let status = status.map_or_else(String::new, |status| format!(" ({status})"));
                    cannot(format!("{program}: it ended without sending '{acknowledgement}'{status}"))
                }
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
        let engine = &self.spec.name;
        self.notices.clear();
        for (name, value) in &self.spec.options {
            match declaration(name) {
                None => self.notices.push(format!("{engine} has no option '{name}'")),
                Some(line) if !is_possible(line, value) => {
                    let what = line.find(" type ").map_or(line.as_str(), |at| line[at..].trim());
                    let what: String = what.chars().filter(|c| !c.is_control()).take(MAX_DECLARATION_SHOWN).collect();
                    self.notices.push(format!("{engine} may ignore '{name}={value}': it declares '{what}'"));
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
        let clock = &request.clocks[request.position.side().index()];
        let [position, go] = self.protocol.commands(request);
        let process = running(&mut self.process)?;
        process.discard_lines();
        process.send(&position);
        let sent = Instant::now();
        process.send(&go);

        let allowed = clock.remaining().map_or(self.patience, |left| left.saturating_add(self.margin));
        let (mut deadline, mut was_stopped) = (sent + allowed, false);
        let (mut info, mut iterations, mut counted_time) = (Info::default(), IterationNodes::default(), None);
        loop {
            let (at, line) = match process.receive(deadline, interrupt) {
                Ok(received) => received,
                Err(NoLine::Timeout) if !was_stopped => {
                    process.send("stop");
                    (deadline, was_stopped) = (Instant::now() + STOP_TIMEOUT, true);
                    continue;
                }
                Err(error) => return Err(self.error_of(error, sent.elapsed())),
            };
            let elapsed = at.saturating_duration_since(sent);
            let reply = Reply::parse(&line);
            if let (Reply::NoMove | Reply::BestMove { .. }, true) = (&reply, elapsed > allowed) {
                // A late reply loses, whatever it is.
                let fault = match clock.remaining() {
                    Some(left) => Fault::overstepped(elapsed.saturating_sub(left)),
                    None => Fault::silent(elapsed),
                };
                return Err(fault.into());
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
                Reply::NoMove => {
                    let text = "reports no legal move although it has one";
                    return Err(Fault::new(FaultKind::Garbage, text).into());
                }
                Reply::BestMove { text, offers_draw, resigns } => {
                    let mv = if resigns { None } else { Some(self.legal_move(request.position, &text)?) };
                    let milliseconds = |time: Duration| time.as_micros() as f64 / 1e3;
                    let played = mv.map(|mv| PlayedMove {
                        mv,
                        score: info.score,
                        depth: info.depth,
                        nodes: info.nodes,
                        milliseconds: milliseconds(elapsed),
                        own_milliseconds: info.time.map(milliseconds),
                        growth: iterations.growth().map(|growth| (1e3 * growth).round() / 1e3),
                    });
                    return Ok(Decision { played, offers_draw, elapsed, uncounted: uncounted(elapsed, counted_time) });
                }
            }
        }
    }

    /// Parses a move and checks that it is legal.
    fn legal_move(&self, position: &Position, text: &str) -> Result<Move, Fault> {
        let Some(mv) = self.protocol.parse_move(text) else {
            let text = format!("answered '{}', which is not a move", shortened(text));
            return Err(Fault::new(FaultKind::Garbage, text));
        };
        position.clone().play([mv.to_string().as_str()]).map_err(|error| {
            Fault::new(FaultKind::Illegal, format!("played {}, which {}", shortened(text), error.fault))
        })?;
        Ok(mv)
    }

    /// Waits for a line that satisfies `is_match`, as long as the patience lasts.
    fn wait(&mut self, interrupt: &CancelFlag, mut is_match: impl FnMut(&str) -> bool) -> Result<(), NoLine> {
        let deadline = Instant::now() + self.patience;
        let process = self.process.as_ref().ok_or(NoLine::Closed)?;
        while !is_match(&process.receive(deadline, interrupt)?.1) {}
        Ok(())
    }

    /// Returns the error of an engine that sent nothing for `waited`.
    fn error_of(&mut self, error: NoLine, waited: Duration) -> PlayerError {
        let fault = match error {
            NoLine::Interrupted => return PlayerError::Interrupted,
            NoLine::Timeout => Fault::silent(waited),
            NoLine::Closed => {
                let status = self.process.as_mut().and_then(Process::exit_status);
                let text =
                    status.map_or_else(|| "closed its output".to_owned(), |status| format!("crashed ({status})"));
                Fault::new(FaultKind::Crash, text)
            }
        };
        fault.into()
    }
}

fn running(process: &mut Option<Process>) -> Result<&mut Process, Fault> {
    process.as_mut().ok_or_else(|| Fault::new(FaultKind::Start, "cannot be started: it is not running"))
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

/// Rules, adjudication and limits on waiting for engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conditions {
    pub rules: Rules,
    pub adjudication: Adjudication,
    /// Time by which a clock may be overstepped.
    pub margin: Duration,
    /// Time to start, to get ready, and to answer where no clock runs.
    pub patience: Duration,
}

/// Played move with the search data that its engine reported.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PlayedMove {
    #[serde(rename = "move", serialize_with = "as_text")]
    pub mv: Move,
    /// Score for the side that moved, in hundredths as its engine reports it.
    pub score: Option<Value>,
    /// Depth in plies.
    pub depth: Option<usize>,
    pub nodes: Option<u64>,
    /// Time charged to the clock.
    pub milliseconds: f64,
    /// Search time that the engine reported.
    pub own_milliseconds: Option<f64>,
    /// Factor by which a ply multiplied the nodes of the search; see [`IterationNodes::growth`].
    ///
    /// [`IterationNodes::growth`]: crate::engine::bench::IterationNodes::growth
    pub growth: Option<f64>,
}

fn as_text<S: Serializer>(mv: &Move, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(mv)
}

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

/// Fault of an engine that loses it the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    pub kind: FaultKind,
    /// Continues a sentence that begins with the name of the engine.
    pub text: String,
}

impl FaultKind {
    pub const ALL: [FaultKind; 6] =
        [FaultKind::Start, FaultKind::Crash, FaultKind::Hang, FaultKind::Garbage, FaultKind::Illegal, FaultKind::Time];

    /// Returns the name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Start => "start",
            FaultKind::Crash => "crash",
            FaultKind::Hang => "hang",
            FaultKind::Garbage => "garbage",
            FaultKind::Illegal => "illegal",
            FaultKind::Time => "time",
        }
    }
}

impl Fault {
    pub fn new(kind: FaultKind, text: impl Into<String>) -> Fault {
        Fault { kind, text: text.into() }
    }

    pub fn overstepped(time: Duration) -> Fault {
        Fault::new(FaultKind::Time, format!("overstepped the time by {:.1} ms", time.as_secs_f64() * 1e3))
    }

    pub fn silent(waited: Duration) -> Fault {
        Fault::new(FaultKind::Hang, format!("did not answer for {:.1} s", waited.as_secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::arbiter::Adjudication;
    use super::super::spec::Clock;
    use super::*;

    fn player(spec: &str, declared: &[&str]) -> Player {
        let (patience, margin) = (Duration::from_secs(1), Duration::ZERO);
        let rules = crate::rules::Rules::default();
        let conditions = Conditions { rules, adjudication: Adjudication::default(), margin, patience };
        let mut player = Player::new(EngineSpec::parse(spec).unwrap(), &conditions);
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
        assert_eq!(read("hello").unwrap_err().text, "answered 'hello', which is not a move");
        let error = read("a0a5").unwrap_err();
        let text = "played a0a5, which is not legal: the piece cannot move there";
        assert_eq!(error, Fault::new(FaultKind::Illegal, text));
    }

    #[test]
    fn undeclared_options_are_listed() {
        let declared = ["option hashsize type spin min 1 max 9 default 4", "option newgame type button"];
        let engine = player("option.HashSize=4,option.hsh=4", &declared);
        assert_eq!(engine.notices, [" has no option 'hsh'"]);
        assert_eq!(engine.new_game, Some("setoption newgame"));
        assert_eq!(option_name(Protocol::Uci, "option name Move Overhead type spin"), "Move Overhead");
        assert_eq!(option_name(Protocol::Ucci, "option usemillisec type check"), "usemillisec");
    }
}
