//! Options as text: declarations in both protocols, help texts and the table of the manual.

use super::Protocol;
use crate::engine::{EngineOption, OPTIONS, OptionKind, Options};

/// Returns the `option` lines of the handshake.
pub(super) fn declarations(protocol: Protocol) -> impl Iterator<Item = String> {
    OPTIONS.iter().filter_map(move |option| match protocol {
        Protocol::Ucci => Some(format!("option {} type {}", option.ucci?, declared_type(option, protocol))),
        Protocol::Uci => Some(format!("option name {} type {}", option.uci?, declared_type(option, protocol))),
    })
}

/// Returns the type, range and default as the protocol writes them.
fn declared_type(option: &EngineOption, protocol: Protocol) -> String {
    let default = default_value(option);
    match (&option.kind, protocol) {
        (OptionKind::Check { .. }, _) => format!("check default {default}"),
        (OptionKind::Spin { min, max, .. }, Protocol::Ucci) => format!("spin min {min} max {max} default {default}"),
        (OptionKind::Spin { min, max, .. }, Protocol::Uci) => format!("spin default {default} min {min} max {max}"),
        (OptionKind::Combo { words, .. }, _) => {
            // The default comes first: some clients take the first word for it, whatever `default` says (uci2wb does
            // not pass on defaults, so XBoard sends every first word back when it restarts an engine).
            let others = words().into_iter().filter(|word| *word != default);
            let words: String =
                [default.as_str()].into_iter().chain(others).map(|word| format!(" var {word}")).collect();
            match protocol {
                Protocol::Ucci => format!("combo{words} default {default}"),
                Protocol::Uci => format!("combo default {default}{words}"),
            }
        }
        (OptionKind::Text { .. }, Protocol::Uci) if default.is_empty() => "string default <empty>".to_owned(),
        (OptionKind::Text { .. }, _) => format!("string default {default}"),
        (OptionKind::Button, _) => "button".to_owned(),
    }
}

/// Returns the default as text; empty for a button.
fn default_value(option: &EngineOption) -> String {
    let defaults = Options::default();
    match &option.kind {
        OptionKind::Check { get, .. } => get(&defaults).to_string(),
        OptionKind::Spin { get, .. } => get(&defaults).to_string(),
        OptionKind::Combo { get, .. } => get(&defaults).to_owned(),
        OptionKind::Text { get, .. } => get(&defaults).to_owned(),
        OptionKind::Button => String::new(),
    }
}

/// Returns the accepted values as text.
fn values(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Check { .. } => "true, false".to_owned(),
        OptionKind::Spin { min, max, unit, .. } => format!("{min} to {max} {unit}").trim_end().to_owned(),
        OptionKind::Combo { words, .. } => words().join(", "),
        OptionKind::Text { .. } => "text".to_owned(),
        OptionKind::Button => "button".to_owned(),
    }
}

/// Help on one option.
pub struct OptionHelp {
    /// Names, values and default.
    pub heading: String,
    /// Description.
    pub text: String,
}

/// Returns the help on every option, in printable ASCII characters.
pub fn option_help() -> Vec<OptionHelp> {
    let help = |option: &EngineOption| {
        let names = match (option.ucci, option.uci) {
            (Some(ucci), Some(uci)) if ucci != uci => format!("{ucci} ({uci})"),
            _ => option.name().to_owned(),
        };
        let default = default_value(option);
        let default = if default.is_empty() { String::new() } else { format!(", default {default}") };
        OptionHelp {
            heading: format!("{names}: {}{default}", values(&option.kind)),
            text: option.help.replace('`', ""),
        }
    };
    OPTIONS.iter().map(help).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::OptionEffect;

    /// Marks of the table in a manual page.
    const BEGIN: &str = "<!-- begin of the generated table -->\n";
    const END: &str = "<!-- end of the generated table -->\n";

    /// First cells of the row of an option: names, values and default.
    fn row_start(option: &EngineOption) -> String {
        let name = |name: Option<&str>| name.map_or(String::new(), |name| format!("`{name}`"));
        let cells = [name(option.ucci), name(option.uci), values(&option.kind), default_value(option)];
        format!("| {} |", cells.join(" | ")).replace("|  |", "| |")
    }

    /// The table of `docs/options.md`.
    fn manual_table() -> String {
        let rows: String = OPTIONS.iter().map(|option| format!("{} {} |\n", row_start(option), option.help)).collect();
        // A new game has no value.
        let keeps_results = |option: &&EngineOption| {
            matches!(option.effect, OptionEffect::None | OptionEffect::OpenBooks | OptionEffect::NewGame)
        };
        let clearing = OPTIONS.iter().filter(|option| !keeps_results(option));
        let clearing: Vec<_> = clearing.map(|option| format!("`{}`", option.name())).collect();
        format!(
            "| UCCI | UCI | values | default | effect |\n|---|---|---|---|---|\n{rows}\nA new value of one of these clears \
             the transposition table and the histories:\n{}.\n`egtbpaths` does so only while `useegtb` is on.\n",
            clearing.join(", ")
        )
    }

    #[test]
    fn the_manual_has_the_table_of_these_options() {
        let path = format!("{}/docs/options.md", env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(&path).unwrap();
        let (head, rest) = page.split_once(BEGIN).expect("the table begins");
        let (table, tail) = rest.split_once(END).expect("the table ends");
        let expected = manual_table();
        if std::env::var_os("CHUHE_WRITE_DOCS").is_some() {
            std::fs::write(&path, format!("{head}{BEGIN}{expected}{END}{tail}")).unwrap();
        } else {
            assert_eq!(table, expected, "run this test with CHUHE_WRITE_DOCS=1 to write docs/options.md");
        }
    }

    #[test]
    fn declarations_follow_the_grammar_of_their_protocol() {
        let declared = |protocol, name: &str| declarations(protocol).find(|line| line.contains(name)).unwrap();
        for (name, ucci, uci) in [
            ("ponder", "option ponder type check default false", "option name Ponder type check default false"),
            (
                "multipv",
                "option multipv type spin min 1 max 100 default 1",
                "option name MultiPV type spin default 1 min 1 max 100",
            ),
            (
                "style",
                "option style type combo var normal var solid var risky var dynamic default normal",
                "option name Style type combo default normal var normal var solid var risky var dynamic",
            ),
            ("evalfile", "option evalfile type string default ", "option name EvalFile type string default <empty>"),
            ("newgame", "option newgame type button", "option name Clear Hash type button"),
        ] {
            let option = OPTIONS.iter().find(|option| option.ucci == Some(name)).unwrap();
            assert_eq!(declared(Protocol::Ucci, option.ucci.unwrap()), ucci);
            assert_eq!(declared(Protocol::Uci, option.uci.unwrap()), uci);
        }
        assert!(declarations(Protocol::Uci).all(|line| !line.contains("usemillisec")));
        assert!(declarations(Protocol::Ucci).all(|line| !line.contains("UCI_Variant")));
    }
}
