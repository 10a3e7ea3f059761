//! Specification of an engine (program, protocol, options, limit), its clock, and the conditions of a match.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use super::arbiter::Adjudication;
use crate::engine::saturating_number;
use crate::notation::game::shortened;
use crate::protocol::Protocol;
use crate::rules::Rules;
use crate::search::MAX_DEPTH;

/// Rules, adjudication and limits on waiting for engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conditions {
    pub rules: Rules,
    pub adjudication: Adjudication,
    pub margin: Duration,
    /// Time to start, to get ready, and to answer where no clock runs.
    pub patience: Duration,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSpec {
    pub name: String,
    /// Program and arguments; empty for this program itself.
    pub command: Vec<String>,
    pub protocol: Protocol,
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
        let fields = fields(text)?;
        let is_limit = |key: &str| ["tc", "movetime", "nodes", "depth"].contains(&key);
        for (index, (key, value)) in fields.iter().enumerate() {
            let value = value.trim();
            let fault = |reason: &str| format!("{key}={}: {reason}", shortened(value));
            // Names of options have no case.
            let conflicts = |other: &str| other.eq_ignore_ascii_case(key) || is_limit(other) && is_limit(key);
            if let Some((other, _)) = fields[..index].iter().find(|(other, _)| conflicts(other)) {
                return Err(fault(&format!("{other} was given before")));
            }
            match key.as_str() {
                "name" if value.contains(char::is_control) => return Err(fault("a name has no control characters")),
                "name" if value.contains('=') => {
                    return Err(fault("a name has no '='; a comma comes before the next key"));
                }
                "name" => spec.name = value.to_owned(),
                // Otherwise an empty variable of a script would make the program play itself.
                "cmd" if shlex::split(value).is_some_and(|words| words.is_empty()) => {
                    return Err(fault("no command is named; without cmd this program plays"));
                }
                "cmd" => spec.command = shlex::split(value).ok_or_else(|| fault("a quotation mark is not closed"))?,
                "proto" if value.eq_ignore_ascii_case("ucci") => spec.protocol = Protocol::Ucci,
                "proto" if value.eq_ignore_ascii_case("uci") => spec.protocol = Protocol::Uci,
                "proto" => return Err(fault("the protocol is ucci or uci")),
                "dir" => spec.folder = Some(PathBuf::from(value)),
                "tc" => spec.control = Some(value.parse().map_err(|reason: String| fault(&reason))?),
                "movetime" | "nodes" | "depth" => {
                    let number = saturating_number(value).and_then(|number| u64::try_from(number).ok());
                    let number =
                        number.filter(|&number| number > 0).ok_or_else(|| fault("expected a number above 0"))?;
                    spec.control = Some(match key.as_str() {
                        "movetime" => TimeControl::MoveTime(Duration::from_millis(number).min(MAX_TIME)),
                        "nodes" => TimeControl::Nodes(number),
                        _ => TimeControl::Depth(number.min(MAX_DEPTH as u64) as usize),
                    });
                }
                option => {
                    let name = option.strip_prefix(OPTION).unwrap_or(option);
                    spec.options.push((name.to_owned(), value.to_owned()));
                }
            }
        }
        Ok(spec)
    }
}

/// Writes all that distinguishes the engine from others.
impl fmt::Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "name={},proto={}", self.name, if self.protocol == Protocol::Ucci { "ucci" } else { "uci" })?;
        if !self.command.is_empty() {
            write!(f, ",cmd={}", shlex::try_join(self.command.iter().map(String::as_str)).unwrap_or_default())?;
        }
        self.folder.iter().try_for_each(|folder| write!(f, ",dir={}", folder.display()))?;
        self.options.iter().try_for_each(|(name, value)| write!(f, ",{OPTION}{name}={value}"))?;
        self.control.iter().try_for_each(|control| write!(f, ",{control}"))
    }
}

fn fields(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for part in text.split(',') {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let (key, has_value) = (key.trim(), part.contains('='));
        let continues = |(last, before): &&mut (String, String)| {
            let is_quoted = last == "cmd" && shlex::split(before).is_none();
            let has_commas = last == "cmd" || last == "dir" || last.starts_with(OPTION);
            is_quoted || has_commas && !is_key(key) && !(has_value && is_word(key))
        };
        match fields.last_mut().filter(continues) {
            Some((_, value)) => *value = format!("{value},{part}"),
            None if is_key(key) && has_value => fields.push((key.to_owned(), value.to_owned())),
            None => {
                let part = shortened(part.trim());
                return Err(format!("'{part}' should begin with one of {}=, {OPTION}NAME=", KEYS.join("=, ")));
            }
        }
    }
    Ok(fields)
}

fn is_key(text: &str) -> bool {
    KEYS.contains(&text) || text.strip_prefix(OPTION).is_some_and(|name| !name.is_empty())
}

/// Returns `true` for words that could be keys, unlike the beginning of an argument such as `--limit=5`.
fn is_word(text: &str) -> bool {
    text.starts_with(char::is_alphabetic) && text.chars().all(|c| c.is_alphanumeric() || "._- ".contains(c))
}

/// Makes the names of all engines distinct; engines without a name get that of their program.
pub fn name_engines(specs: &mut [EngineSpec]) {
    for index in 0..specs.len() {
        let spec = &specs[index];
        let program = spec.command.first().and_then(|program| Path::new(program).file_stem());
        let base = match program.filter(|_| spec.name.is_empty()) {
            Some(program) => program.to_string_lossy().into_owned(),
            None if spec.name.is_empty() => "Chuhe".to_owned(),
            None => spec.name.clone(),
        };
        let numbered = |number: usize| if number == 1 { base.clone() } else { format!("{base} {number}") };
        let is_free = |name: &String| specs[..index].iter().all(|other| other.name != *name);
        specs[index].name = (1..).map(numbered).find(is_free).unwrap_or_default();
    }
}

const MAX_TIME: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeControl {
    Clock {
        base: Duration,
        increment: Duration,
        /// Number of moves after which the base time is added again.
        moves: Option<u32>,
    },
    MoveTime(Duration),
    Nodes(u64),
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
        let (moves, rest) = text.split_once('/').map_or((None, text), |(moves, rest)| (Some(moves), rest));
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
pub(super) struct Clock {
    pub control: TimeControl,
    /// Time left for the next move; `None` without a time limit.
    pub remaining: Option<Duration>,
    pub moves_to_go: Option<u32>,
}

impl Clock {
    pub fn new(control: TimeControl) -> Clock {
        let (remaining, moves_to_go) = match control {
            TimeControl::Clock { base, increment, moves } => (Some(base.max(increment)), moves),
            TimeControl::MoveTime(time) => (Some(time), None),
            TimeControl::Nodes(_) | TimeControl::Depth(_) => (None, None),
        };
        Clock { control, remaining, moves_to_go }
    }

    pub fn increment(&self) -> Duration {
        match self.control {
            TimeControl::Clock { increment, .. } => increment,
            _ => Duration::ZERO,
        }
    }

    pub fn charge(&mut self, elapsed: Duration) {
        if let (TimeControl::Clock { base, increment, moves }, Some(remaining)) = (self.control, &mut self.remaining) {
            *remaining = remaining.saturating_sub(elapsed) + increment;
            self.moves_to_go = self.moves_to_go.map(|left| left - 1);
            if self.moves_to_go == Some(0) {
                *remaining += base;
                self.moves_to_go = moves;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // Times of moves in milliseconds, and what is left after each, with the moves to go.
        let moves = |control, expected: [(u64, u64, Option<u32>); 3]| {
            let mut clock = Clock::new(control);
            for (time, left, to_go) in expected {
                clock.charge(Duration::from_millis(time));
                let left = (clock.remaining, clock.moves_to_go) == (Some(Duration::from_millis(left)), to_go);
                assert!(left, "{clock:?} after {time} ms");
            }
        };
        moves("1+0.1".parse().unwrap(), [(0, 1_100, None), (400, 800, None), (810, 100, None)]);
        // The base time is added after its moves, and a time for each move does not accumulate.
        moves("2/1".parse().unwrap(), [(600, 400, Some(1)), (400, 1_000, Some(2)), (0, 1_000, Some(1))]);
        moves(TimeControl::MoveTime(Duration::from_millis(50)), [(10, 50, None); 3]);
        assert_eq!(Clock::new(TimeControl::Nodes(1_000)).remaining, None);
    }

    #[test]
    fn every_key_is_parsed_and_values_of_some_may_contain_commas() {
        let text = "name=B, cmd=/opt/e --book a.dat,proto=UCI,dir=/opt,option.Hash=64,option.Skill Level=2,tc=40/60+1";
        let spec = EngineSpec::parse(text).unwrap();
        assert_eq!((spec.name.as_str(), spec.protocol, spec.folder), ("B", Protocol::Uci, Some("/opt".into())));
        assert_eq!(spec.command, ["/opt/e", "--book", "a.dat"]);
        assert_eq!(spec.options[1], ("Skill Level".to_owned(), "2".to_owned()));
        assert_eq!(spec.control.unwrap().to_string(), "40/60+1");
        assert_eq!(EngineSpec::parse("movetime=50").unwrap().control.unwrap().to_string(), "50 ms a move");
        let text = "cmd=./x -a 1,2,--limit=5 '-b=3,nodes=4',dir=/a,b,option.files=a,b;c,depth=3";
        let spec = EngineSpec::parse(text).unwrap();
        assert_eq!(spec.command, ["./x", "-a", "1,2,--limit=5", "-b=3,nodes=4"]);
        assert_eq!((spec.folder, spec.options), (Some("/a,b".into()), vec![("files".into(), "a,b;c".into())]));
        assert_eq!(spec.control, Some(TimeControl::Depth(3)));
    }

    #[test]
    fn errors_name_the_key() {
        let fault = |text: &str| EngineSpec::parse(text).unwrap_err();
        for typed in ["cdm=./x", "nodse=5", "Nodes=5", "optoin.Skill Level=2", "nodes", "x", "option.=5", "=5", ""] {
            for before in ["", "name=A,", "cmd=./x -a,", "dir=/a,", "tc=1,", "option.Hash=1,"] {
                // Commands and the like may have commas.
                if before.len() < 8 && !before.starts_with("dir") || typed.len() > 4 {
                    let message = fault(&format!("{before}{typed}"));
                    assert!(message.starts_with(&format!("'{typed}' should begin with one of name=")), "{message}");
                }
            }
        }
        for (text, expected) in [
            ("option.Hash=1,option.hash=2", "option.hash=2: option.Hash was given before"),
            ("name=A nodes=5", "name=A nodes=5: a name has no '='; a comma comes before the next key"),
            ("proto=xboard", "proto=xboard: the protocol is ucci or uci"),
            ("cmd='a", "cmd='a: a quotation mark is not closed"),
            ("depth=3,nodes=5", "nodes=5: depth was given before"),
            ("name=a\u{1b}[31m", "name=a\u{fffd}[31m: a name has no control characters"),
            ("name=A,cmd=", "cmd=: no command is named; without cmd this program plays"),
            ("nodes=0", "nodes=0: expected a number above 0"),
            ("tc=x", "tc=x: 'x' is not a number of seconds"),
        ] {
            assert_eq!(fault(text), expected);
        }
    }

    #[test]
    fn names_become_distinct() {
        let read = |text: &str| EngineSpec::parse(text).unwrap();
        let mut specs = [read("cmd=/a/eye"), read("cmd=/b/eye.exe"), read("name=eye"), read("nodes=1")];
        name_engines(&mut specs);
        assert_eq!(specs.map(|spec| spec.name), ["eye", "eye 2", "eye 3", "Chuhe"]);
    }
}
