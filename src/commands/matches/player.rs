//! Playing engine: start, handshake, options, moves. Nothing that it sends is trusted.

use std::process::Command;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::process::{BestMove, Fault, FaultKind, Info, Process, move_text, parse_move};
use super::spec::{Clock, Conditions, EngineSpec, TimeControl};
use crate::notation::game::shortened;
use crate::position::{Position, START_FEN};
use crate::protocol::Protocol;
use crate::types::{Move, Value};
use crate::util::cancel::CancelFlag;

/// Time to answer `stop` after the clock has run out; then the engine counts as hung.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);
/// Declared options beyond this number are ignored.
const MAX_OPTIONS: usize = 10_000;
const MAX_MESSAGES: usize = 20;
const MAX_MESSAGE_CHARS: usize = 300;

/// Engine of a worker thread. Its methods fail with its fault, or with `None` after a request to cancel.
pub(super) struct Player {
    pub spec: EngineSpec,
    pub control: TimeControl,
    patience: Duration,
    margin: Duration,
    process: Option<Process>,
    /// True if the engine counts ranks from 1.
    one_based_ranks: bool,
    /// True if times are in whole seconds instead of milliseconds.
    uses_seconds: bool,
    new_game: Option<&'static str>,
    /// What the user should know about the options, and what the engine said between them and its `readyok`.
    pub notices: Vec<String>,
}

pub(super) struct GoRequest<'a> {
    pub position: &'a Position,
    pub clocks: &'a [Clock; 2],
    pub draw_offered: bool,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PlayedMove {
    #[serde(rename = "move")]
    pub mv: Move,
    /// Score for the side that moved, in hundredths as its engine reports it.
    pub score: Option<Value>,
    pub depth: Option<usize>,
    pub nodes: Option<u64>,
    pub milliseconds: f64,
    pub own_milliseconds: Option<u64>,
}

pub(super) struct Decision {
    /// The legal move; `None` for a resignation.
    pub played: Option<PlayedMove>,
    /// True if it offers or accepts a draw.
    pub offers_draw: bool,
    pub elapsed: Duration,
}

impl Player {
    pub fn new(spec: EngineSpec, control: TimeControl, conditions: &Conditions) -> Player {
        Player {
            control: spec.control.unwrap_or(control),
            spec,
            patience: conditions.patience,
            margin: conditions.margin,
            process: None,
            one_based_ranks: false,
            uses_seconds: false,
            new_game: None,
            notices: Vec::new(),
        }
    }

    /// Ends the program; the next game restarts it.
    pub fn stop(&mut self) {
        self.process = None;
    }

    /// Prepares the engine for a new game; starts it if it is not running.
    pub fn prepare(&mut self, interrupt: &CancelFlag) -> Result<(), Option<Fault>> {
        let is_new = self.process.is_none();
        if is_new {
            self.start(interrupt)?;
        }
        if let Some(process) = &self.process {
            self.new_game.into_iter().for_each(|command| process.send(command));
            process.send("isready");
        }
        let (mut messages, follows_options) = (Vec::new(), is_new && !self.spec.options.is_empty());
        let ready = self.wait(interrupt, |line| {
            if let Some(text) = message_in(line).filter(|_| follows_options && messages.len() < MAX_MESSAGES)
                && !messages.contains(&text)
            {
                messages.push(text);
            }
            line == "readyok"
        });
        self.notices.extend(messages.into_iter().map(|text| format!("{} says: {text}", self.spec.name)));
        ready
    }

    fn start(&mut self, interrupt: &CancelFlag) -> Result<(), Option<Fault>> {
        let cannot = |reason: String| Fault::new(FaultKind::Start, format!("cannot be started: {reason}"));
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
                return Err(Some(cannot(format!("there is no folder {}", folder.display()))));
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
        if let Err(fault) = completed {
            self.stop();
            return Err(fault.map(|fault| cannot(format!("{program}: it {} before '{acknowledgement}'", fault.text))));
        }
        let commands = self.option_commands(&declared);
        // Together, since the queue of commands is short and engines may have hundreds of options.
        if let Some(process) = self.process.as_ref().filter(|_| !commands.is_empty()) {
            process.send(&commands.join("\n"));
        }
        Ok(())
    }

    /// Returns the commands that set the options; `declared` are the `option` lines of the handshake.
    fn option_commands(&mut self, declared: &[String]) -> Vec<String> {
        let protocol = self.spec.protocol;
        let declaration =
            |name: &str| declared.iter().find(|line| option_name(protocol, line).eq_ignore_ascii_case(name));
        let mut commands = Vec::new();
        match protocol {
            Protocol::Ucci => {
                self.uses_seconds = declaration("usemillisec").is_none();
                if !self.uses_seconds {
                    commands.push("setoption usemillisec true".to_owned());
                }
                self.new_game = declaration("newgame").map(|_| "setoption newgame");
            }
            Protocol::Uci => {
                // Engines for several variants need to have one set, and then count ranks as in chess.
                let has_xiangqi = |line: &&String| line.split_ascii_whitespace().any(|word| word == "xiangqi");
                self.one_based_ranks = declaration("UCI_Variant").filter(has_xiangqi).is_some();
                if self.one_based_ranks {
                    commands.push("setoption name UCI_Variant value xiangqi".to_owned());
                }
                self.new_game = Some("ucinewgame");
            }
        }
        let engine = &self.spec.name;
        self.notices.clear();
        for (name, value) in &self.spec.options {
            if declaration(name).is_none() {
                self.notices.push(format!("{engine} has no option '{name}'"));
            }
            let [before_name, before_value] = if protocol == Protocol::Uci { ["name ", "value "] } else { [""; 2] };
            let value = if value.is_empty() { String::new() } else { format!(" {before_value}{value}") };
            commands.push(format!("setoption {before_name}{name}{value}"));
        }
        commands
    }

    /// Requests a move and waits for it until the clock of its side runs out.
    pub fn request_move(&mut self, request: &GoRequest, interrupt: &CancelFlag) -> Result<Decision, Option<Fault>> {
        let remaining = request.clocks[request.position.side().index()].remaining;
        let commands = [self.position_command(request.position), self.go_command(request)];
        let process = running(&mut self.process)?;
        process.discard_lines();
        process.send(&commands[0]);
        let sent = Instant::now();
        process.send(&commands[1]);

        let allowed = remaining.map_or(self.patience, |left| left.saturating_add(self.margin));
        let (mut deadline, mut was_stopped, mut info) = (sent + allowed, false, Info::default());
        let (reply, elapsed) = loop {
            match process.receive(deadline, interrupt)? {
                None if was_stopped => return Err(Some(Fault::silent(sent.elapsed()))),
                None => {
                    process.send("stop");
                    (deadline, was_stopped) = (Instant::now() + STOP_TIMEOUT, true);
                }
                Some((at, line)) => match BestMove::read(&line) {
                    Some(reply) => break (reply, at.saturating_duration_since(sent)),
                    None => info.read(&line),
                },
            }
        };
        // A late reply loses, whatever it is.
        if elapsed > allowed {
            return Err(Some(match remaining {
                Some(left) => {
                    let time = elapsed.saturating_sub(left).as_secs_f64() * 1e3;
                    Fault::new(FaultKind::Time, format!("overstepped the time by {time:.1} ms"))
                }
                None => Fault::silent(elapsed),
            }));
        }
        let played = match reply {
            BestMove { text: None, .. } => {
                return Err(Some(Fault::new(FaultKind::Garbage, "reports no legal move although it has one")));
            }
            BestMove { resigns: true, .. } => None,
            BestMove { text: Some(text), .. } => Some(PlayedMove {
                mv: self.legal_move(request.position, &text)?,
                score: info.score,
                depth: info.depth,
                nodes: info.nodes,
                milliseconds: elapsed.as_micros() as f64 / 1e3,
                own_milliseconds: info.milliseconds,
            }),
        };
        Ok(Decision { played, offers_draw: reply.offers_draw, elapsed })
    }

    fn position_command(&self, position: &Position) -> String {
        let mut start = position.clone();
        while !start.history().is_empty() {
            start.unmake();
        }
        let fen = start.to_string();
        let mut command = if fen == START_FEN { "position startpos".to_owned() } else { format!("position fen {fen}") };
        if !position.history().is_empty() {
            command.push_str(" moves");
        }
        for played in position.history() {
            command.push(' ');
            command.push_str(&move_text(played.mv, self.one_based_ranks));
        }
        command
    }

    fn go_command(&self, request: &GoRequest) -> String {
        let side = request.position.side();
        let (own, other) = (&request.clocks[side.index()], &request.clocks[(!side).index()]);
        let time = |time: Duration| if self.uses_seconds { u128::from(time.as_secs()) } else { time.as_millis() };
        let left = |clock: &Clock| time(clock.remaining.unwrap_or_default());
        let is_ucci = self.spec.protocol == Protocol::Ucci;
        let offer = if request.draw_offered && is_ucci { "draw " } else { "" };
        let limit = match own.control {
            TimeControl::Nodes(nodes) => format!("nodes {nodes}"),
            TimeControl::Depth(depth) => format!("depth {depth}"),
            // UCCI has no other way to give the time of one move.
            TimeControl::MoveTime(_) if is_ucci => format!("time {} movestogo 1", left(own)),
            TimeControl::MoveTime(limit) => format!("movetime {}", time(limit)),
            TimeControl::Clock { .. } if is_ucci => {
                let rest = |prefix: &str, clock: &Clock| match clock.moves_to_go {
                    Some(moves) => format!("{} {prefix}movestogo {moves}", left(clock)),
                    None => format!("{} {prefix}increment {}", left(clock), time(clock.increment())),
                };
                let opponent = other.remaining.map(|_| format!(" opptime {}", rest("opp", other)));
                format!("time {}{}", rest("", own), opponent.unwrap_or_default())
            }
            TimeControl::Clock { .. } => {
                let [red, black] = request.clocks.each_ref().map(|clock| (left(clock), time(clock.increment())));
                let to_go = own.moves_to_go.map(|moves| format!(" movestogo {moves}"));
                let to_go = to_go.unwrap_or_default();
                format!("wtime {} btime {} winc {} binc {}{to_go}", red.0, black.0, red.1, black.1)
            }
        };
        format!("go {offer}{limit}")
    }

    fn legal_move(&self, position: &Position, text: &str) -> Result<Move, Fault> {
        let Some(mv) = parse_move(text, self.one_based_ranks) else {
            let text = format!("answered '{}', which is not a move", shortened(text));
            return Err(Fault::new(FaultKind::Garbage, text));
        };
        position.clone().play([mv.to_string().as_str()]).map_err(|error| {
            Fault::new(FaultKind::Illegal, format!("played {}, which {}", shortened(text), error.fault))
        })?;
        Ok(mv)
    }

    /// Waits for a line that satisfies `is_last`, as long as the patience lasts.
    fn wait(&mut self, interrupt: &CancelFlag, mut is_last: impl FnMut(&str) -> bool) -> Result<(), Option<Fault>> {
        let deadline = Instant::now() + self.patience;
        let process = running(&mut self.process)?;
        loop {
            match process.receive(deadline, interrupt)? {
                Some((_, line)) if is_last(&line) => return Ok(()),
                Some(_) => {}
                None => return Err(Some(Fault::silent(self.patience))),
            }
        }
    }
}

fn running(process: &mut Option<Process>) -> Result<&mut Process, Fault> {
    process.as_mut().ok_or_else(|| Fault::new(FaultKind::Start, "cannot be started: it is not running"))
}

/// Returns the text of a message to the user: `info message` in UCCI, `info string` in UCI.
fn message_in(line: &str) -> Option<String> {
    let rest = line.strip_prefix("info ")?.trim_start();
    let text = rest.strip_prefix("message ").or_else(|| rest.strip_prefix("string "))?.trim();
    Some(text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_MESSAGE_CHARS).collect())
}

fn option_name(protocol: Protocol, line: &str) -> &str {
    let rest = line.strip_prefix("option").unwrap_or(line).trim_start();
    let name = rest.strip_prefix("name ").filter(|_| protocol == Protocol::Uci).unwrap_or(rest);
    name.split(" type ").next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::super::arbiter::Adjudication;
    use super::*;

    fn player(spec: &str, declared: &[&str]) -> Player {
        let (patience, margin) = (Duration::from_secs(1), Duration::ZERO);
        let rules = crate::rules::Rules::default();
        let conditions = Conditions { rules, adjudication: Adjudication::default(), margin, patience };
        let mut player = Player::new(EngineSpec::parse(spec).unwrap(), TimeControl::Nodes(1), &conditions);
        player.option_commands(&declared.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        player
    }

    #[test]
    fn commands_follow_both_protocols() {
        let milliseconds = "option usemillisec type check default true";
        let hash = "option name Hash type spin default 16";
        let variants = "option name UCI_Variant type combo default chess var chess var xiangqi";
        for (protocol, declared, controls, moves, position, go) in [
            (
                "ucci",
                milliseconds,
                ["tc=2+0.02", "tc=40/60"],
                "",
                "",
                "time 2000 increment 20 opptime 60000 oppmovestogo 40",
            ),
            ("ucci", milliseconds, ["nodes=5", "tc=40/60"], "h2e2", " moves h2e2", "draw time 60000 movestogo 40"),
            ("ucci", milliseconds, ["movetime=30", "nodes=9"], "", "", "time 30 movestogo 1"),
            ("ucci", "option x", ["tc=90+2.5", "tc=1"], "", "", "time 90 increment 2 opptime 1 oppincrement 0"),
            ("uci", hash, ["tc=2+0.02", "tc=3+0.03"], "h2e2", " moves h2e2", "wtime 2000 btime 3000 winc 20 binc 30"),
            ("uci", hash, ["movetime=30", "depth=9"], "", "", "movetime 30"),
            ("uci", hash, ["nodes=5", "depth=9"], "h2e2", " moves h2e2", "depth 9"),
            ("uci", variants, ["nodes=5", "nodes=5"], "a0a1 a9a8", " moves a1a2 a10a9", "nodes 5"),
        ] {
            let engine = player(&format!("proto={protocol}"), &[declared]);
            let mut after = Position::start();
            after.play(moves.split_whitespace()).unwrap();
            let clocks = controls.map(|text| Clock::new(EngineSpec::parse(text).unwrap().control.unwrap()));
            let request = GoRequest { position: &after, clocks: &clocks, draw_offered: !moves.is_empty() };
            assert_eq!(engine.position_command(&after), format!("position startpos{position}"));
            assert_eq!(engine.go_command(&request), format!("go {go}"));
        }
    }

    #[test]
    fn undeclared_options_are_noticed() {
        let declared = ["option hashsize type spin min 1 max 9 default 4", "option newgame type button"];
        let engine = player("option.HashSize=4,option.hsh=4", &declared);
        assert_eq!(
            (engine.notices, engine.new_game),
            (vec![" has no option 'hsh'".to_owned()], Some("setoption newgame"))
        );
        assert_eq!(option_name(Protocol::Uci, "option name Move Overhead type spin"), "Move Overhead");
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
}
