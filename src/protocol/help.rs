//! Options as text (declarations in both protocols, help, manual), and answers for a person: `d` and `help`.

use super::Protocol;
use crate::engine::{EngineOption, OptionKind, Options};
use crate::position::Position;
use crate::types::Square;

pub(super) fn declarations(protocol: Protocol) -> impl Iterator<Item = String> {
    EngineOption::all().filter_map(move |option| {
        let (key, name) = match protocol {
            Protocol::Ucci => ("option", option.ucci),
            Protocol::Uci => ("option name", option.uci),
        };
        (!name.is_empty()).then(|| format!("{key} {name} type {}", declared_type(option, protocol)))
    })
}

fn declared_type(option: &EngineOption, protocol: Protocol) -> String {
    let default = option.value(&Options::default());
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

/// Returns the help on every option, in printable ASCII characters: names, values and default, and the description.
pub fn option_help() -> Vec<(String, String)> {
    let help = |option: &EngineOption| {
        let (ucci, uci) = (option.ucci, option.uci);
        let is_double = !ucci.is_empty() && !uci.is_empty() && ucci != uci;
        let names = if is_double { format!("{ucci} ({uci})") } else { option.name().to_owned() };
        let default = option.value(&Options::default());
        let default = if default.is_empty() { default } else { format!(", default {default}") };
        (format!("{names}: {}{default}", option.kind.values(", ")), option.help.replace('`', ""))
    };
    EngineOption::all().map(help).collect()
}

const COMMANDS: [&str; 9] = [
    "ucci, uci: speak UCCI (the default) or UCI",
    "position startpos|fen FEN [moves MOVES]; banmoves MOVES",
    "go [depth N] [nodes N] [movetime N] [time N] [mate N] [searchmoves MOVES] [infinite]; stop",
    "go perft N: count the move sequences of N plies below each move",
    "setoption NAME VALUE, or setoption name NAME value VALUE; help options: list all options",
    "d: show the board; eval: show the evaluation; probe startpos|fen FEN: show the transposition table entry",
    "bench [DEPTH]: search a fixed set of positions and count the nodes",
    "isready; ucinewgame; lines that begin with # are comments",
    "quit: end the program. For the manual see README.md and 'chuhe --help'",
];

pub(super) fn help(topic: &str) -> Vec<String> {
    if topic.trim().eq_ignore_ascii_case("options") {
        option_help().iter().map(|(heading, text)| format!("{heading}. {text}")).collect()
    } else {
        COMMANDS.map(str::to_owned).into()
    }
}

/// Returns the board in letters, Red's in upper case, with the FEN and the key of the position.
pub(super) fn board(position: &Position) -> Vec<String> {
    let square = |file, rank| position.piece_on(Square::new(file, rank)).map_or('.', |piece| piece.letter());
    let row = |rank: u8| {
        let squares: String = (0..Square::FILES).flat_map(|file| [' ', square(file, rank)]).collect();
        format!("{rank} {squares}")
    };
    let mut lines: Vec<String> = (0..Square::RANKS).rev().map(row).collect();
    lines.push("   a b c d e f g h i".to_owned());
    lines.push(format!("fen {position}"));
    lines.push(format!("key {:016x}", position.key()));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{OPTIONS, OptionEffect};

    const BEGIN: &str = "<!-- begin of the generated table -->\n";
    const END: &str = "<!-- end of the generated table -->\n";

    /// First cells of the row of an option: names, values and default.
    fn row_start(option: &EngineOption) -> String {
        let name = |name: &str| if name.is_empty() { String::new() } else { format!("`{name}`") };
        let default = option.value(&Options::default());
        let cells = [name(option.ucci), name(option.uci), option.kind.values(", "), default];
        format!("| {} |", cells.join(" | ")).replace("|  |", "| |")
    }

    fn manual_table() -> String {
        let (laboratory, shown): (Vec<_>, Vec<_>) = OPTIONS.iter().partition(|option| option.is_for_laboratory);
        let rows: String = shown.iter().map(|option| format!("{} {} |\n", row_start(option), option.help)).collect();
        // A new game has no value.
        let keeps_results = |option: &&EngineOption| {
            matches!(option.effect, None | Some(OptionEffect::OpenBooks | OptionEffect::NewGame))
        };
        let clearing = shown.into_iter().filter(|option| !keeps_results(option));
        let clearing: Vec<_> = clearing.map(|option| format!("`{}`", option.name())).collect();
        let describe = |option: &EngineOption| {
            let default = format!(", default {}", option.value(&Options::default()));
            let default = default.trim_end_matches(", default ");
            format!("- `{}`: {}{default}. {}\n", option.name(), option.kind.values(", "), option.help)
        };
        let laboratory: String = laboratory.into_iter().map(describe).collect();
        format!(
            "| UCCI | UCI | values | default | effect |\n|---|---|---|---|---|\n{rows}\nA new value of one of these clears \
             the transposition table and the histories:\n{}.\n`egtbpaths` does so only while `useegtb` is on.\n\nOptions \
             for experiments, only in a program built with `--features lab`:\n\n{laboratory}",
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
}
