//! Faulty engine for matches: this test program, started again with the name of a fault.

use std::io::{BufRead, Write};
use std::time::Duration;

use chuhe::position::Position;

pub fn with_fault(fault: &str) -> String {
    let program = std::env::current_exe().unwrap();
    format!("name={fault},cmd='{}' --ignored --nocapture --exact mock_engine::mock_engine {fault}", program.display())
}

/// Runs as the engine. Ignored as a test: it does nothing unless it is started with the name of a fault.
#[test]
#[ignore = "is an engine, not a test"]
fn mock_engine() {
    let fault = std::env::args().next_back().unwrap();
    if fault != "mock_engine::mock_engine" {
        play(&fault);
    }
}

fn send(text: &str) {
    let mut out = std::io::stdout().lock();
    // The reader may have gone.
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

fn sleep_forever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

fn play(fault: &str) {
    if fault == "leaves" {
        std::process::exit(3);
    }
    // Only the first process starts: it creates the file.
    if fault.starts_with("once-") && std::fs::File::create_new(std::env::temp_dir().join(fault)).is_err() {
        std::process::exit(4);
    }
    let mut position = Position::start();
    let mut owes_move = false;
    let mut moves = 0;
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words[..] {
            ["ucci"] if fault == "mute" => {}
            ["ucci"] => send("option usemillisec type check default true\nucciok"),
            ["isready"] => {
                // A new game.
                moves = 0;
                send("readyok");
            }
            ["quit"] if fault == "deaf" => {}
            ["quit"] => return,
            ["position", ref rest @ ..] => {
                position = Position::start();
                position.play(rest.iter().skip_while(|word| **word != "moves").skip(1).copied()).unwrap();
            }
            ["go", ..] => {
                moves += 1;
                owes_move = true;
                let good = position.legal_moves()[0].to_string();
                match fault {
                    "crashes" if moves == 3 => std::process::abort(),
                    "hangs" | "deaf" if moves == 2 => sleep_forever(),
                    // Searches until `stop`.
                    "slow" if moves == 2 => continue,
                    "babbles" => send(&format!("bestmove {}", "\u{7f}x\u{1b}[2J".repeat(500))),
                    "empty" => send("bestmove"),
                    "cheats" if moves == 2 => send("bestmove a0a9"),
                    "despairs" if moves == 2 => send("nobestmove"),
                    "resigns" if moves == 2 => send(&format!("bestmove {good} resign")),
                    "peaceful" => send(&format!("bestmove {good} draw")),
                    "floods" if moves == 2 => loop {
                        send(&"info depth 1 ".repeat(10_000));
                        // Searches that never end, each smaller than the one before.
                        (1..100).rev().for_each(|depth| send(&format!("info depth {depth} nodes 5 score 1 pv {good}")));
                    },
                    "noisy" => {
                        for _ in 0..20_000 {
                            send("info depth x score cp pv \u{0}\u{fffd} bestmove");
                        }
                        send(&"x".repeat(1 << 20));
                        send(&format!("bestmove {good}"));
                    }
                    _ => send(&format!("info depth 1 score 5\nbestmove {good}")),
                }
                owes_move = false;
            }
            ["stop"] if owes_move => {
                owes_move = false;
                send(&format!("bestmove {}", position.legal_moves()[0]));
            }
            _ => {}
        }
    }
}
