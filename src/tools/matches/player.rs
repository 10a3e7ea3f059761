//! An engine that plays: started, set up, asked for moves, and not trusted in anything.

use std::process::Command;
use std::time::{Duration, Instant};

use super::answer::{Answer, Info};
use super::fault::Fault;
use super::process::{Process, Silence};
use super::spec::EngineSpec;
use super::words::{Question, Words};
use crate::position::Position;
use crate::protocol::Protocol;
use crate::types::Move;
use crate::util::cancel::Interrupt;

/// How long an engine that has overstepped its time may take to answer `stop` before it counts as hung.
const LAST_WORD: Duration = Duration::from_secs(2);
/// How often an engine that is waited for is forgotten for a look at the interrupt.
const GLANCE: Duration = Duration::from_millis(50);
/// Options beyond these are not listened to.
const MOST_OPTIONS: usize = 10_000;

/// How patient a match is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// How long an engine may take to start, to get ready, and to answer where no clock runs.
    pub silence: Duration,
    /// By how much a clock may be overstepped.
    pub margin: Duration,
}

/// An engine of a match.
pub(super) struct Player {
    spec: EngineSpec,
    patience: Timeouts,
    process: Option<Process>,
    words: Words,
    /// What it should be told at a new game.
    new_game: Option<&'static str>,
    /// The options that were to be set and that it does not know.
    unknown_options: Vec<String>,
}

/// What it decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Decision {
    /// The move, legal; `None` when it resigns.
    pub mv: Option<Move>,
    /// It offers or accepts a draw.
    pub offers_draw: bool,
    /// From the question to the answer.
    pub elapsed: Duration,
    /// What it told of its thinking.
    pub info: Info,
}

/// Why there is no decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NoDecision {
    /// The engine is to blame.
    Fault(Fault),
    /// The match was interrupted.
    Interrupted,
}

/// Why a line was not heard.
enum Unheard {
    Silence(Silence),
    Interrupted,
}

impl From<Fault> for NoDecision {
    fn from(fault: Fault) -> NoDecision {
        NoDecision::Fault(fault)
    }
}

impl Player {
    pub fn new(spec: EngineSpec, patience: Timeouts) -> Player {
        Player {
            words: Words { protocol: spec.protocol, counts_from_one: false, counts_seconds: false },
            spec,
            patience,
            process: None,
            new_game: None,
            unknown_options: Vec::new(),
        }
    }

    /// The options that it was to be given and does not know.
    pub fn unknown_options(&self) -> &[String] {
        &self.unknown_options
    }

    /// Ends the program; the next game starts it again.
    pub fn stop(&mut self) {
        self.process = None;
    }

    /// Gets it ready for a new game, and starts it if it does not run.
    pub fn prepare(&mut self, interrupt: &Interrupt) -> Result<(), NoDecision> {
        if self.process.is_none() {
            self.start(interrupt)?;
        }
        let process = running(&mut self.process)?;
        if let Some(words) = self.new_game {
            process.send(words);
        }
        process.send("isready");
        match self.wait(interrupt, |line| line == "readyok") {
            Ok(()) => Ok(()),
            Err(Unheard::Interrupted) => Err(NoDecision::Interrupted),
            Err(Unheard::Silence(silence)) => Err(self.blame(silence, self.patience.silence).into()),
        }
    }

    fn start(&mut self, interrupt: &Interrupt) -> Result<(), NoDecision> {
        let cannot = |reason: String| NoDecision::Fault(Fault::CannotStart(reason));
        let mut command = match self.spec.command.split_first() {
            Some((program, arguments)) => {
                let mut command = Command::new(program);
                command.args(arguments);
                command
            }
            None => Command::new(std::env::current_exe().map_err(|error| cannot(error.to_string()))?),
        };
        if let Some(folder) = &self.spec.folder {
            // Otherwise the program would be told to be missing.
            if !folder.is_dir() {
                return Err(cannot(format!("there is no folder {}", folder.display())));
            }
            command.current_dir(folder);
        }
        let program = command.get_program().to_string_lossy().into_owned();
        let process =
            Process::start(&self.spec.name, command).map_err(|error| cannot(format!("{program}: {error}")))?;
        let (hello, farewell) = match self.spec.protocol {
            Protocol::Ucci => ("ucci", "ucciok"),
            Protocol::Uci => ("uci", "uciok"),
        };
        process.send(hello);
        self.process = Some(process);
        let mut declared: Vec<String> = Vec::new();
        let introduced = self.wait(interrupt, |line| {
            if line.starts_with("option ") && declared.len() < MOST_OPTIONS {
                declared.push(line.to_owned());
            }
            line == farewell
        });
        if let Err(unheard) = introduced {
            let failure = match unheard {
                Unheard::Interrupted => NoDecision::Interrupted,
                Unheard::Silence(Silence::TimeIsUp) => cannot(format!("{program}: it does not say '{farewell}'")),
                Unheard::Silence(Silence::Gone) => {
                    cannot(format!("{program}: it ends before it says '{farewell}'{}", self.exit_words()))
                }
            };
            self.process = None;
            return Err(failure);
        }
        self.set_up(&declared);
        Ok(())
    }

    /// Sends the options of a program that has just introduced itself with these lines.
    fn set_up(&mut self, declared: &[String]) {
        let protocol = self.spec.protocol;
        let declaration =
            |name: &str| declared.iter().find(|line| option_name(protocol, line).eq_ignore_ascii_case(name));
        let mut commands = Vec::new();
        match protocol {
            Protocol::Ucci => {
                self.words.counts_seconds = declaration("usemillisec").is_none();
                if !self.words.counts_seconds {
                    commands.push("setoption usemillisec true".to_owned());
                }
                self.new_game = declaration("newgame").map(|_| "setoption newgame");
            }
            Protocol::Uci => {
                // Engines of many games must be told which one, and then count as chess does.
                let knows_xiangqi = |line: &&String| line.split_ascii_whitespace().any(|word| word == "xiangqi");
                self.words.counts_from_one = declaration("UCI_Variant").filter(knows_xiangqi).is_some();
                if self.words.counts_from_one {
                    commands.push("setoption name UCI_Variant value xiangqi".to_owned());
                }
                self.new_game = Some("ucinewgame");
            }
        }
        self.unknown_options.clear();
        for (name, value) in &self.spec.options {
            if declaration(name).is_none() {
                self.unknown_options.push(name.clone());
            }
            commands.push(match (protocol, value.as_str()) {
                (Protocol::Ucci, "") => format!("setoption {name}"),
                (Protocol::Ucci, value) => format!("setoption {name} {value}"),
                (Protocol::Uci, "") => format!("setoption name {name}"),
                (Protocol::Uci, value) => format!("setoption name {name} value {value}"),
            });
        }
        if let Some(process) = &self.process {
            commands.iter().for_each(|command| process.send(command));
        }
    }

    /// Asks for a move and waits for it as long as the clock of its side allows.
    pub fn think(&mut self, question: &Question, interrupt: &Interrupt) -> Result<Decision, NoDecision> {
        let side = question.position.side();
        let clock = &question.clocks[side.index()];
        let commands = self.words.ask(question);
        let process = running(&mut self.process)?;
        process.forget_lines();
        let [position, go] = &commands;
        process.send(position);
        let asked = Instant::now();
        process.send(go);

        let allowed = clock.remaining().map_or(self.patience.silence, |left| left.saturating_add(self.patience.margin));
        let mut deadline = asked + allowed;
        let mut was_stopped = false;
        let mut info = Info::default();
        loop {
            if interrupt.is_requested() {
                return Err(NoDecision::Interrupted);
            }
            // Asked every time: an engine that never stops talking is never waited for.
            let now = Instant::now();
            let received = match now < deadline {
                true => process.receive(deadline.min(now + GLANCE)),
                false => Err(Silence::TimeIsUp),
            };
            let (at, line) = match received {
                Ok(received) => received,
                Err(Silence::TimeIsUp) if Instant::now() < deadline => continue,
                Err(Silence::TimeIsUp) if !was_stopped => {
                    process.send("stop");
                    deadline = Instant::now() + LAST_WORD;
                    was_stopped = true;
                    continue;
                }
                Err(silence) => return Err(self.blame(silence, asked.elapsed()).into()),
            };
            let elapsed = at.saturating_duration_since(asked);
            let answer = Answer::read(&line);
            if let (Answer::NoMove | Answer::BestMove { .. }, true) = (&answer, elapsed > allowed) {
                // Late is late, whatever it answers.
                return Err(match clock.remaining() {
                    Some(left) => Fault::Overstepped(elapsed.saturating_sub(left)),
                    None => Fault::Silent(elapsed),
                }
                .into());
            }
            match answer {
                Answer::Info(more) => info.update(more),
                Answer::Other => {}
                Answer::NoMove => return Err(Fault::NoMove.into()),
                Answer::BestMove { text, offers_draw, resigns } => {
                    let mv = if resigns { None } else { Some(self.read_move(question.position, &text)?) };
                    return Ok(Decision { mv, offers_draw, elapsed, info });
                }
            }
        }
    }

    /// The move that a text means, if it is legal.
    fn read_move(&self, position: &Position, text: &str) -> Result<Move, Fault> {
        let mv = self.words.read(text);
        let mv = mv.ok_or_else(|| Fault::Garbage(text.to_owned()))?;
        let illegal = |error: crate::position::PlayError| Fault::Illegal(text.to_owned(), error.fault.to_string());
        position.clone().play([mv.to_string().as_str()]).map_err(illegal)?;
        Ok(mv)
    }

    /// Waits for a line as long as an engine may be silent.
    fn wait(&mut self, interrupt: &Interrupt, mut is_it: impl FnMut(&str) -> bool) -> Result<(), Unheard> {
        let deadline = Instant::now() + self.patience.silence;
        let process = self.process.as_ref().ok_or(Unheard::Silence(Silence::Gone))?;
        loop {
            if interrupt.is_requested() {
                return Err(Unheard::Interrupted);
            }
            let now = Instant::now();
            if now >= deadline {
                return Err(Unheard::Silence(Silence::TimeIsUp));
            }
            match process.receive(deadline.min(now + GLANCE)) {
                Ok((_, line)) if is_it(&line) => return Ok(()),
                Ok(_) | Err(Silence::TimeIsUp) => {}
                Err(Silence::Gone) => return Err(Unheard::Silence(Silence::Gone)),
            }
        }
    }

    /// What an engine that went silent after so long is blamed for.
    fn blame(&mut self, silence: Silence, waited: Duration) -> Fault {
        match silence {
            Silence::TimeIsUp => Fault::Silent(waited),
            Silence::Gone => {
                let status = self.process.as_mut().and_then(Process::exit_status);
                Fault::Crashed(status.map(|status| status.to_string()))
            }
        }
    }

    fn exit_words(&mut self) -> String {
        let status = self.process.as_mut().and_then(Process::exit_status);
        status.map_or_else(String::new, |status| format!(" ({status})"))
    }
}

fn running(process: &mut Option<Process>) -> Result<&mut Process, Fault> {
    process.as_mut().ok_or_else(|| Fault::CannotStart("it does not run".to_owned()))
}

/// The name in the line that declares an option.
fn option_name(protocol: Protocol, line: &str) -> &str {
    let rest = line.strip_prefix("option").unwrap_or(line).trim_start();
    let rest = match protocol {
        Protocol::Ucci => rest,
        Protocol::Uci => rest.strip_prefix("name ").unwrap_or(rest),
    };
    rest.find(" type ").map_or(rest, |end| &rest[..end]).trim()
}

#[cfg(test)]
mod tests {
    use super::super::time_control::Clock;
    use super::*;

    fn player(spec: &str, declared: &[&str]) -> Player {
        let patience = Timeouts { silence: Duration::from_secs(1), margin: Duration::ZERO };
        let mut player = Player::new(EngineSpec::read(spec).unwrap(), patience);
        player.set_up(&declared.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        player
    }

    fn asked(player: &Player, controls: [&str; 2], moves: &[&str], draw_offered: bool) -> [String; 2] {
        let start = Position::start();
        let mut position = start.clone();
        position.play(moves.iter().copied()).unwrap();
        let moves: Vec<Move> = moves.iter().map(|text| text.parse().unwrap()).collect();
        let clocks = controls.map(|text| Clock::new(EngineSpec::read(text).unwrap().control.unwrap()));
        let question = Question { start: &start, moves: &moves, position: &position, clocks: &clocks, draw_offered };
        player.words.ask(&question)
    }

    #[test]
    fn a_ucci_engine_is_asked_in_its_words() {
        let engine = player("proto=ucci", &["option usemillisec type check default true"]);
        let [position, go] = asked(&engine, ["tc=2+0.02", "tc=40/60"], &[], false);
        assert_eq!(position, "position startpos");
        assert_eq!(go, "go time 2000 increment 20 opptime 60000 oppmovestogo 40");
        let [position, go] = asked(&engine, ["nodes=5", "tc=40/60"], &["h2e2"], true);
        assert_eq!(position, "position startpos moves h2e2");
        assert_eq!(go, "go draw time 60000 movestogo 40");
        assert_eq!(asked(&engine, ["movetime=30", "nodes=9"], &[], false)[1], "go time 30 movestogo 1");
        let slow = player("proto=ucci", &[]);
        assert_eq!(
            asked(&slow, ["tc=90+2.5", "tc=1"], &[], false)[1],
            "go time 90 increment 2 opptime 1 oppincrement 0"
        );
    }

    #[test]
    fn a_uci_engine_is_asked_in_its_words() {
        let engine = player("proto=uci", &["option name Hash type spin default 16"]);
        let [position, go] = asked(&engine, ["tc=2+0.02", "tc=3+0.03"], &["h2e2"], true);
        assert_eq!(position, "position startpos moves h2e2");
        assert_eq!(go, "go wtime 2000 btime 3000 winc 20 binc 30");
        assert_eq!(asked(&engine, ["movetime=30", "depth=9"], &[], false)[1], "go movetime 30");
        assert_eq!(asked(&engine, ["nodes=5", "depth=9"], &["h2e2"], false)[1], "go depth 9");
        let variants = "option name UCI_Variant type combo default chess var chess var xiangqi";
        let fairy = player("proto=uci", &[variants]);
        assert_eq!(
            asked(&fairy, ["nodes=5", "nodes=5"], &["a0a1", "a9a8"], false)[0],
            "position startpos moves a1a2 a10a9"
        );
    }

    #[test]
    fn moves_are_read_as_the_engine_counts() {
        let fairy = Words { protocol: Protocol::Uci, counts_from_one: true, counts_seconds: false };
        let text = |text: &str| fairy.read(text).map(|mv| mv.to_string());
        assert_eq!(text("a10a9").as_deref(), Some("a9a8"));
        assert_eq!(text("h3e3").as_deref(), Some("h2e2"));
        for garbage in ["", "a", "a1", "a0a1", "a11a1", "k1k2", "日本", "a1日", "a999a1", "a-1a1", "a+1a2", "a01a2"]
        {
            assert_eq!(text(garbage), None, "{garbage}");
        }
        let engine = player("proto=uci", &[]);
        let read = |text: &str| engine.read_move(&Position::start(), text);
        assert!(read("h2e2").is_ok());
        assert_eq!(read("hello"), Err(Fault::Garbage("hello".to_owned())));
        assert_eq!(read("a0a5").unwrap_err().to_string(), "played a0a5, which is not legal: the man cannot go there");
    }

    #[test]
    fn options_that_an_engine_lacks_are_told() {
        let declared = ["option hashsize type spin min 1 max 9 default 4", "option newgame type button"];
        let engine = player("option.HashSize=4,option.hsh=4", &declared);
        assert_eq!(engine.unknown_options(), ["hsh"]);
        assert_eq!(engine.new_game, Some("setoption newgame"));
        assert_eq!(option_name(Protocol::Uci, "option name Move Overhead type spin"), "Move Overhead");
        assert_eq!(option_name(Protocol::Ucci, "option usemillisec type check"), "usemillisec");
    }
}
