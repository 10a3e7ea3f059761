//! Specification of an engine (program, protocol, options, limit), and its clock.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::engine::saturating_number;
use crate::notation::game::shortened;
use crate::protocol::Protocol;
use crate::search::MAX_DEPTH;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSpec {
    pub name: String,
    /// Program and arguments; empty for this program itself.
    pub command: Vec<String>,
    pub protocol: Protocol,
    /// Working folder; by default that of this program.
    pub folder: Option<PathBuf>,
    /// Options to set after the handshake, in this order.
    pub options: Vec<(String, String)>,
    /// Limit of this engine, if it differs from the others.
    pub control: Option<TimeControl>,
}

const KEYS: [&str; 8] = ["name", "cmd", "proto", "dir", "tc", "movetime", "nodes", "depth"];
const OPTION: &str = "option.";

impl EngineSpec {
    /// Parses `name=A,cmd=PROGRAM ARGUMENTS,proto=ucci,dir=FOLDER,option.hashsize=64,tc=1+0.01`.
    ///
    /// All keys are optional. Commands, folders and values of options may contain commas, except before a word and `=`,
    /// which must be a key; quotation marks in a command hide those too. The command is split as in a shell.
    pub fn parse(text: &str) -> Result<EngineSpec, String> {
        let mut spec = EngineSpec {
            name: String::new(),
            command: Vec::new(),
            protocol: Protocol::Ucci,
            folder: None,
            options: Vec::new(),
            control: None,
        };
        let mut fields: Vec<(String, String)> = Vec::new();
        for part in text.split(',') {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let key = key.trim();
            let is_quoted = |(last, value): &&mut (String, String)| last == "cmd" && shlex::split(value).is_none();
            let may_continue = |(last, _): &&mut (String, String)| {
                let has_commas = last == "cmd" || last == "dir" || last.starts_with(OPTION);
                has_commas && !is_key(key) && !(part.contains('=') && is_word(key))
            };
            match fields.last_mut().filter(|last| is_quoted(last) || may_continue(last)) {
                Some((_, value)) => {
                    value.push(',');
                    value.push_str(part);
                }
                None if is_key(key) && part.contains('=') => fields.push((key.to_owned(), value.to_owned())),
                None => {
                    let part = shortened(part.trim());
                    return Err(format!("'{part}' should begin with one of {}=, {OPTION}NAME=", KEYS.join("=, ")));
                }
            }
        }
        // Names of options have no case.
        let is_same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        let is_limit = |key: &str| ["tc", "movetime", "nodes", "depth"].contains(&key);
        for (index, (key, value)) in fields.iter().enumerate() {
            let value = value.trim();
            let mut conflicts =
                fields[..index].iter().filter(|(other, _)| is_same(other, key) || is_limit(other) && is_limit(key));
            let fault = |reason: String| format!("{key}={}: {reason}", shortened(value));
            if let Some((other, _)) = conflicts.next() {
                return Err(fault(format!("{other} was given before")));
            }
            match key.as_str() {
                "name" if value.contains(char::is_control) => {
                    return Err(fault("a name has no control characters".to_owned()));
                }
                "name" if value.contains('=') => {
                    return Err(fault("a name has no '='; a comma comes before the next key".to_owned()));
                }
                "name" => spec.name = value.to_owned(),
                "cmd" => {
                    spec.command =
                        shlex::split(value).ok_or_else(|| fault("a quotation mark is not closed".to_owned()))?;
                    // Otherwise an empty variable of a script would make the program play itself.
                    if spec.command.is_empty() {
                        return Err(fault("no command is named; without cmd this program plays".to_owned()));
                    }
                }
                "proto" if value.eq_ignore_ascii_case("ucci") => spec.protocol = Protocol::Ucci,
                "proto" if value.eq_ignore_ascii_case("uci") => spec.protocol = Protocol::Uci,
                "proto" => return Err(fault("the protocol is ucci or uci".to_owned())),
                "dir" => spec.folder = Some(PathBuf::from(value)),
                "tc" => spec.control = Some(value.parse().map_err(fault)?),
                "movetime" => spec.control = Some(TimeControl::MoveTime(milliseconds(value).map_err(fault)?)),
                "nodes" => spec.control = Some(TimeControl::Nodes(positive(value).map_err(fault)?)),
                "depth" => {
                    let depth = positive(value).map_err(fault)?.min(MAX_DEPTH as u64);
                    spec.control = Some(TimeControl::Depth(depth as usize));
                }
                option => {
                    let name = option.strip_prefix(OPTION).unwrap_or(option);
                    spec.options.push((name.to_owned(), value.to_owned()));
                }
            }
        }
        Ok(spec)
    }

    /// Returns the default name: the file name of the program.
    pub fn program_name(&self) -> String {
        let program = self.command.first().map(PathBuf::from);
        let stem = program.as_deref().and_then(|path| path.file_stem()).map(|stem| stem.to_string_lossy().into_owned());
        stem.filter(|stem| !stem.is_empty()).unwrap_or_else(|| "Chuhe".to_owned())
    }
}

/// Makes the names of all engines distinct; engines without a name get that of their program.
pub fn name_engines(specs: &mut [EngineSpec]) {
    for index in 0..specs.len() {
        let base = match specs[index].name.as_str() {
            "" => specs[index].program_name(),
            name => name.to_owned(),
        };
        let is_taken = |name: &str| specs[..index].iter().any(|other| other.name == name);
        let mut name = base.clone();
        let mut number = 2;
        while is_taken(&name) {
            name = format!("{base} {number}");
            number += 1;
        }
        specs[index].name = name;
    }
}

fn is_key(text: &str) -> bool {
    KEYS.contains(&text) || text.strip_prefix(OPTION).is_some_and(|name| !name.is_empty())
}

/// Returns `true` for words that could be keys, unlike the beginning of an argument such as `--limit=5`.
fn is_word(text: &str) -> bool {
    text.starts_with(char::is_alphabetic) && text.chars().all(|c| c.is_alphanumeric() || "._- ".contains(c))
}

fn positive(text: &str) -> Result<u64, String> {
    let number = saturating_number(text).and_then(|number| u64::try_from(number).ok());
    number.filter(|number| *number > 0).ok_or_else(|| "expected a number above 0".to_owned())
}

fn milliseconds(text: &str) -> Result<Duration, String> {
    positive(text).map(|number| Duration::from_millis(number).min(MAX_TIME))
}

/// Longest time that can be set: one day.
const MAX_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Limit of the moves of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeControl {
    Clock {
        base: Duration,
        increment: Duration,
        /// Number of moves after which the base time is added again.
        moves: Option<u32>,
    },
    /// Fixed time for every move.
    MoveTime(Duration),
    /// Fixed nodes for every move.
    Nodes(u64),
    /// Fixed depth in plies for every move.
    Depth(usize),
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.trim().parse::<f64>().ok().filter(|seconds| *seconds >= 0.0);
    let number = number.ok_or_else(|| format!("'{text}' is not a number of seconds"))?;
    let duration = Duration::try_from_secs_f64(number).ok().filter(|duration| *duration <= MAX_TIME);
    duration.ok_or_else(|| format!("{text} seconds are more than a day"))
}

/// Parses `60`, `60+0.5`, `40/60` or `40/60+0.5`: moves, seconds, and seconds for each move.
impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeControl, String> {
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => (Some(moves), rest),
            None => (None, text),
        };
        let number = |text: &str| text.trim().parse().ok().filter(|moves| *moves > 0);
        let moves = moves.map(|text| number(text).ok_or_else(|| format!("'{text}' is not a number of moves")));
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let (base, increment, moves) = (seconds(base)?, seconds(increment)?, moves.transpose()?);
        if base.is_zero() && increment.is_zero() {
            return Err("the clock has no time".to_owned());
        }
        Ok(TimeControl::Clock { base, increment, moves })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::Clock { base, increment, moves } => {
                if let Some(moves) = moves {
                    write!(f, "{moves}/")?;
                }
                write!(f, "{}", base.as_secs_f64())?;
                if !increment.is_zero() {
                    write!(f, "+{}", increment.as_secs_f64())?;
                }
                Ok(())
            }
            TimeControl::MoveTime(time) => write!(f, "{} ms a move", time.as_millis()),
            TimeControl::Nodes(nodes) => write!(f, "{nodes} nodes a move"),
            TimeControl::Depth(depth) => write!(f, "depth {depth}"),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    control: TimeControl,
    remaining: Duration,
    moves_to_go: Option<u32>,
}

impl Clock {
    pub fn new(control: TimeControl) -> Clock {
        let (remaining, moves_to_go) = match control {
            TimeControl::Clock { base, increment, moves } => (base.max(increment), moves),
            TimeControl::MoveTime(time) => (time, None),
            TimeControl::Nodes(_) | TimeControl::Depth(_) => (Duration::ZERO, None),
        };
        Clock { control, remaining, moves_to_go }
    }

    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// Returns the time left for the next move; `None` without a time limit.
    pub fn remaining(&self) -> Option<Duration> {
        matches!(self.control, TimeControl::Clock { .. } | TimeControl::MoveTime(_)).then_some(self.remaining)
    }

    pub fn increment(&self) -> Duration {
        match self.control {
            TimeControl::Clock { increment, .. } => increment,
            _ => Duration::ZERO,
        }
    }

    pub fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go
    }

    /// Charges the time of a move. Overstepping by at most `margin` is tolerated.
    ///
    /// # Errors
    /// The time by which the clock was overstepped beyond the margin.
    pub fn charge(&mut self, elapsed: Duration, margin: Duration) -> Result<(), Duration> {
        let Some(remaining) = self.remaining() else { return Ok(()) };
        let overstepped = elapsed.saturating_sub(remaining);
        if overstepped > margin {
            return Err(overstepped);
        }
        if let TimeControl::Clock { base, increment, moves } = self.control {
            self.remaining = remaining.saturating_sub(elapsed) + increment;
            self.moves_to_go = self.moves_to_go.map(|left| left - 1);
            if self.moves_to_go == Some(0) {
                self.remaining += base;
                self.moves_to_go = moves;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn controls_round_trip_through_text() {
        for text in ["1+0.01", "60", "40/60", "40/60+0.5", "0+1"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        for text in ["", "x", "-1", "0", "0/60", "40/", "1+", "1e9", "NaN", "inf", "1+-1"] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    #[test]
    fn clocks_gain_and_lose_time_by_their_control() {
        let mut clock = Clock::new("1+0.1".parse().unwrap());
        assert_eq!(clock.charge(ms(300), ms(0)), Ok(()));
        assert_eq!(clock.remaining(), Some(ms(800)));
        assert_eq!(clock.charge(ms(810), ms(10)), Ok(()));
        assert_eq!(clock.remaining(), Some(ms(100)));
        assert_eq!(clock.charge(ms(111), ms(10)), Err(ms(11)));
        // The base time is added after its moves, and a time for each move does not accumulate.
        let mut clock = Clock::new("2/1".parse().unwrap());
        assert_eq!((clock.remaining(), clock.moves_to_go()), (Some(ms(1000)), Some(2)));
        clock.charge(ms(600), ms(0)).unwrap();
        assert_eq!((clock.remaining(), clock.moves_to_go()), (Some(ms(400)), Some(1)));
        clock.charge(ms(400), ms(0)).unwrap();
        assert_eq!((clock.remaining(), clock.moves_to_go()), (Some(ms(1000)), Some(2)));
        let mut clock = Clock::new(TimeControl::MoveTime(ms(50)));
        clock.charge(ms(10), ms(0)).unwrap();
        assert_eq!(clock.remaining(), Some(ms(50)));
        assert_eq!(clock.charge(ms(60), ms(5)), Err(ms(10)));
        let mut free = Clock::new(TimeControl::Nodes(1000));
        assert_eq!((free.remaining(), free.charge(MAX_TIME, ms(0))), (None, Ok(())));
    }

    #[test]
    fn every_key_is_parsed() {
        let spec = EngineSpec::parse(
            "name=B, cmd=/opt/e --book a.dat,proto=UCI,dir=/opt,option.Hash=64,option.Skill Level=2,tc=40/60+1",
        )
        .unwrap();
        assert_eq!(spec.name, "B");
        assert_eq!(spec.command, ["/opt/e", "--book", "a.dat"]);
        assert_eq!((spec.protocol, spec.folder), (Protocol::Uci, Some(PathBuf::from("/opt"))));
        assert_eq!(spec.options[1], ("Skill Level".to_owned(), "2".to_owned()));
        assert_eq!(spec.control.unwrap().to_string(), "40/60+1");
        let spec = EngineSpec::parse("movetime=50").unwrap();
        assert_eq!((spec.name.as_str(), spec.program_name().as_str()), ("", "Chuhe"));
        assert_eq!(spec.control.unwrap().to_string(), "50 ms a move");
    }

    #[test]
    fn values_of_some_keys_may_contain_commas() {
        let read = |text: &str| EngineSpec::parse(text).unwrap();
        let spec = read("cmd=./x -a 1,2,--limit=5 '-b=3,nodes=4',dir=/a,b,option.files=a,b;c,depth=3");
        assert_eq!(spec.command, ["./x", "-a", "1,2,--limit=5", "-b=3,nodes=4"]);
        assert_eq!((spec.folder, spec.options), (Some("/a,b".into()), vec![("files".into(), "a,b;c".into())]));
        assert_eq!(spec.control, Some(TimeControl::Depth(3)));
    }

    #[test]
    fn errors_name_the_key() {
        let fault = |text: &str| EngineSpec::parse(text).unwrap_err();
        assert!(fault("").starts_with("'' should begin with one of name="));
        assert!(fault("nme=A").starts_with("'nme=A' should begin"));
        for typed in ["cdm=./x", "nodse=5", "Nodes=5", "optoin.Skill Level=2", "nodes", "x", "option.=5", "=5", ""] {
            for before in ["name=A", "cmd=./x -a", "dir=/a", "tc=1", "option.Hash=1"] {
                // Commands and the like may have commas.
                if before.starts_with("name") || typed.len() > 4 {
                    let message = fault(&format!("{before},{typed}"));
                    assert!(message.starts_with(&format!("'{typed}' should begin with one of name=")), "{message}");
                }
            }
        }
        assert_eq!(fault("option.Hash=1,option.hash=2"), "option.hash=2: option.Hash was given before");
        assert_eq!(fault("name=A nodes=5"), "name=A nodes=5: a name has no '='; a comma comes before the next key");
        assert_eq!(fault("proto=xboard"), "proto=xboard: the protocol is ucci or uci");
        assert_eq!(fault("cmd='a"), "cmd='a: a quotation mark is not closed");
        assert_eq!(fault("name=A,name=B"), "name=B: name was given before");
        assert_eq!(fault("depth=3,nodes=5"), "nodes=5: depth was given before");
        assert_eq!(fault("name=a\u{1b}[31m"), "name=a\u{fffd}[31m: a name has no control characters");
        assert_eq!(fault("name=A,cmd="), "cmd=: no command is named; without cmd this program plays");
        assert_eq!(fault("nodes=0"), "nodes=0: expected a number above 0");
        assert_eq!(fault("tc=x"), "tc=x: 'x' is not a number of seconds");
    }

    #[test]
    fn names_become_distinct() {
        let read = |text: &str| EngineSpec::parse(text).unwrap();
        let mut specs = [read("cmd=/a/eye"), read("cmd=/b/eye.exe"), read("name=eye"), read("nodes=1")];
        name_engines(&mut specs);
        assert_eq!(specs.map(|spec| spec.name), ["eye", "eye 2", "eye 3", "Chuhe"]);
    }
}
