//! Specification of an engine: program, protocol, options and limit.

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use super::time_control::{MAX_TIME, TimeControl};
use crate::engine::saturating_number;
use crate::notation::game::shortened;
use crate::protocol::Protocol;
use crate::search::MAX_DEPTH;

/// Specification of an engine of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSpec {
    /// Name in tables and records.
    pub name: String,
    /// Program and arguments; empty for this program itself.
    pub command: Vec<String>,
    /// Protocol.
    pub protocol: Protocol,
    /// Working folder; by default that of this program.
    pub folder: Option<PathBuf>,
    /// Options to set after the handshake, in this order.
    pub options: Vec<(String, String)>,
    /// Limit of this engine, if it differs from the others.
    pub control: Option<TimeControl>,
}

/// Error of parsing an engine specification.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SpecError {
    /// Unknown key.
    #[error("'{0}' should begin with one of name=, cmd=, proto=, dir=, option.NAME=, tc=, movetime=, nodes=, depth=")]
    Key(String),
    /// Invalid value.
    #[error("{key}={value}: {reason}")]
    Value {
        /// Key.
        key: String,
        /// Value.
        value: String,
        /// Reason.
        reason: String,
    },
}

/// All keys except those of options.
const KEYS: [&str; 8] = ["name", "cmd", "proto", "dir", "tc", "movetime", "nodes", "depth"];
/// Prefix of option keys.
const OPTION: &str = "option.";

impl EngineSpec {
    /// Parses `name=A,cmd=PROGRAM ARGUMENTS,proto=ucci,dir=FOLDER,option.hashsize=64,tc=1+0.01`.
    ///
    /// All keys are optional. Commands, folders and values of options may contain commas, except before a word and `=`,
    /// which must be a key; quotation marks in a command hide those too. The command is split as in a shell.
    ///
    /// # Errors
    /// [`SpecError`] names the key or value that is invalid.
    ///
    /// ```
    /// use chuhe::commands::matches::EngineSpec;
    /// let spec = EngineSpec::parse("name=A,cmd='my engine' -x a,b,option.hashsize=64,nodes=5000")?;
    /// assert_eq!(spec.command, ["my engine", "-x", "a,b"]);
    /// assert_eq!(spec.options, [("hashsize".to_owned(), "64".to_owned())]);
    /// # Ok::<(), chuhe::commands::matches::SpecError>(())
    /// ```
    pub fn parse(text: &str) -> Result<EngineSpec, SpecError> {
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
                None => return Err(SpecError::Key(shortened(part.trim()))),
            }
        }
        // Names of options have no case.
        let is_same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        let is_limit = |key: &str| ["tc", "movetime", "nodes", "depth"].contains(&key);
        for (index, (key, value)) in fields.iter().enumerate() {
            let value = value.trim();
            let mut conflicts =
                fields[..index].iter().filter(|(other, _)| is_same(other, key) || is_limit(other) && is_limit(key));
            let fault = |reason: String| SpecError::Value { key: key.clone(), value: shortened(value), reason };
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
                "proto" => {
                    spec.protocol = match value.to_ascii_lowercase().as_str() {
                        "ucci" => Protocol::Ucci,
                        "uci" => Protocol::Uci,
                        _ => return Err(fault("the protocol is ucci or uci".to_owned())),
                    };
                }
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

#[cfg(test)]
mod tests {
    use super::*;

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
        let fault = |text: &str| EngineSpec::parse(text).unwrap_err().to_string();
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
