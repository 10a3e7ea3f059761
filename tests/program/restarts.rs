//! Clients that send every option back when they start the engine a second time get the same engine.
//!
//! XBoard does so through uci2wb, which passes on no default of a combo option: the first of its values counts as the
//! default.

use crate::harness::Program;
use crate::lines::best_move;

/// Positions to search after a restart.
const POSITIONS: [&str; 5] = [
    "startpos",
    "fen r1bakabr1/9/1cn3nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKABR1 w - - 0 4",
    "fen r1bakab1r/9/1cn4c1/p1p1p1p1p/6n2/2P6/P3P1P1P/1C2C1N2/9/RNBAKABR1 b - - 0 6",
    "fen 3akab2/4n4/4b1n2/1PP1R4/6N2/9/1c2r4/4C4/4A4/3AK4 w - - 0 40",
    "fen 4k4/4a4/4ba3/9/2b6/9/9/4C4/4A4/3AK1N2 w - - 0 60",
];

/// An option as a client reads it from its declaration.
#[derive(Debug)]
struct Declared {
    name: String,
    kind: String,
    default: Option<String>,
    /// The values of a combo in their order.
    values: Vec<String>,
}

impl Declared {
    /// Reads `[name] NAME type KIND …`, in any order of what follows the type.
    fn read(declaration: &str) -> Declared {
        let rest = declaration.strip_prefix("name ").unwrap_or(declaration);
        let (name, rest) = rest.split_once(" type ").unwrap_or_else(|| panic!("no type in '{declaration}'"));
        let mut words = rest.split(' ');
        let kind = words.next().expect("split yields at least one part").to_owned();
        let mut declared = Declared { name: name.to_owned(), kind, default: None, values: Vec::new() };
        while let Some(key) = words.next() {
            let value = words.next().unwrap_or_default().to_owned();
            match key {
                "default" => declared.default = Some(value),
                "var" => declared.values.push(value),
                "min" | "max" => {}
                _ => panic!("'{key}' in '{declaration}'"),
            }
        }
        declared
    }

    /// The value that XBoard sends back: the first of a combo, otherwise the default.
    fn value_of_a_restart(&self) -> Option<String> {
        match self.kind.as_str() {
            "button" => None,
            "combo" => self.values.first().cloned(),
            _ => self.default.clone().or_else(|| Some(String::new())),
        }
    }
}

/// Returns the options that a program declares in a protocol.
fn declared(program: &mut Program, protocol: &str) -> Vec<Declared> {
    program.say(protocol);
    let lines = program.wait_for(&format!("{protocol}ok"));
    let declarations = lines.iter().filter_map(|line| line.strip_prefix("option "));
    declarations.map(Declared::read).collect()
}

/// The node counts of a search of each position.
fn node_counts(program: &mut Program) -> Vec<u64> {
    let count = |position| {
        program.say(&format!("position {position}"));
        program.say("go depth 10");
        let lines = program.wait_for_answer();
        let last = lines.iter().rev().find(|line| line.starts_with("info depth 10 ")).cloned();
        let last = last.unwrap_or_else(|| panic!("depth 10 is not reached from {position}: {lines:#?}"));
        let mut words = last.split(' ').skip_while(|word| *word != "nodes");
        words.nth(1).and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("no nodes in '{last}'"))
    };
    POSITIONS.map(count).to_vec()
}

#[test]
fn options_sent_back_at_a_restart_leave_the_engine_as_it_is() {
    for protocol in ["ucci", "uci"] {
        let set = |name: &str, value: &str| match protocol {
            "uci" => format!("setoption name {name} value {value}"),
            _ => format!("setoption {name} {value}"),
        };
        let (hash, threads) = if protocol == "uci" { ("Hash", "Threads") } else { ("hashsize", "threads") };
        let mut fresh = Program::start();
        declared(&mut fresh, protocol);
        for command in [set(hash, "68"), set(threads, "1")] {
            assert!(fresh.ask(&command).is_empty(), "{command}");
        }
        let mut restarted = Program::start();
        for option in declared(&mut restarted, protocol) {
            if let Some(value) = option.value_of_a_restart() {
                let answer = restarted.ask(&set(&option.name, &value));
                assert!(answer.is_empty(), "{option:?} set to '{value}': {answer:#?}");
            }
        }
        // What `cores`, `memory` and `new` of XBoard become.
        for command in [set(threads, "1"), set(hash, "68")] {
            assert!(restarted.ask(&command).is_empty(), "{command}");
        }
        assert_eq!(node_counts(&mut restarted), node_counts(&mut fresh), "{protocol}");
        fresh.leave();
        restarted.leave();
    }
}

#[test]
fn a_client_of_the_cyclone_dialect_counts_ranks_from_zero() {
    // As uci2wb speaks in its UCI mode: the variant is chosen, positions come without the word `position`.
    let mut program = Program::start();
    program.say("uci");
    program.wait_for("uciok");
    assert!(program.ask("setoption name UCI_Variant value xiangqi").is_empty());
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
    assert!(program.ask(&format!("fen {start} r moves h0g2 h9g7")).is_empty());
    program.say("go depth 4 searchmoves b2e2");
    assert_eq!(best_move(&program.answer()), "b2e2");
    // A client that chooses the variant and sends whole commands counts from 1.
    program.say("uci");
    program.wait_for("uciok");
    assert!(program.ask("position startpos moves h1g3 h10g8").is_empty());
    program.say("go depth 4 searchmoves b3e3");
    assert_eq!(best_move(&program.answer()), "b3e3");
    program.leave();
}
