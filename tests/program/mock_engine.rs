//! An engine that does what a match must survive. It is this very test program, started again with the name of a vice.

use std::io::{BufRead, Write};
use std::time::Duration;

use chuhe::position::Position;

/// The description of an engine with a vice, for `--engine`.
pub fn with_vice(vice: &str) -> String {
    let program = std::env::current_exe().unwrap();
    format!("name={vice},cmd='{}' --ignored --nocapture --exact mock_engine::mock_engine {vice}", program.display())
}

/// Runs as the engine. Ignored as a test: it does nothing unless it is named together with a vice.
#[test]
#[ignore = "is an engine, not a test"]
fn mock_engine() {
    let vice = std::env::args().next_back().unwrap();
    if vice != "mock_engine::mock_engine" {
        play(&vice);
    }
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    // Nobody may be listening any more.
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

fn for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

fn play(vice: &str) {
    if vice == "leaves" {
        std::process::exit(3);
    }
    // The first one who comes finds the door open: a file that is made now.
    if vice.starts_with("once-") && std::fs::File::create_new(std::env::temp_dir().join(vice)).is_err() {
        std::process::exit(4);
    }
    let mut position = Position::start();
    let mut owes_move = false;
    let mut moves = 0;
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words[..] {
            ["ucci"] if vice == "mute" => {}
            ["ucci"] => say("option usemillisec type check default true\nucciok"),
            ["isready"] => {
                // A new game.
                moves = 0;
                say("readyok");
            }
            ["quit"] if vice == "deaf" => {}
            ["quit"] => return,
            ["position", ref rest @ ..] => {
                position = Position::start();
                position.play(rest.iter().skip_while(|word| **word != "moves").skip(1).copied()).unwrap();
            }
            ["go", ..] => {
                moves += 1;
                owes_move = true;
                let good = position.legal_moves()[0].to_string();
                match vice {
                    "crashes" if moves == 3 => std::process::abort(),
                    "hangs" | "deaf" if moves == 2 => for_ever(),
                    // Thinks until it is told to stop.
                    "slow" if moves == 2 => continue,
                    "babbles" => say(&format!("bestmove {}", "\u{7f}x\u{1b}[2J".repeat(500))),
                    "empty" => say("bestmove"),
                    "cheats" if moves == 2 => say("bestmove a0a9"),
                    "despairs" if moves == 2 => say("nobestmove"),
                    "resigns" if moves == 2 => say(&format!("bestmove {good} resign")),
                    "peaceful" => say(&format!("bestmove {good} draw")),
                    "floods" if moves == 2 => loop {
                        say(&"info depth 1 ".repeat(10_000));
                    },
                    "noisy" => {
                        for _ in 0..20_000 {
                            say("info depth x score cp pv \u{0}\u{fffd} bestmove");
                        }
                        say(&"x".repeat(1 << 20));
                        say(&format!("bestmove {good}"));
                    }
                    _ => say(&format!("info depth 1 score 5\nbestmove {good}")),
                }
                owes_move = false;
            }
            ["stop"] if owes_move => {
                owes_move = false;
                say(&format!("bestmove {}", position.legal_moves()[0]));
            }
            _ => {}
        }
    }
}
