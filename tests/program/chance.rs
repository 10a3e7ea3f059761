//! Proves that no lines made by chance upset the program.

use std::time::Instant;

use chuhe::position::{Position, START_FEN};
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::harness::{MATE_IN_ONE, Program, TIMEOUT};
use crate::lines::{is_answer, is_legal, is_of_the_protocol, messages};

/// A line that makes some sense, or less.
fn random_line(random: &mut ChaCha8Rng) -> Vec<u8> {
    // Sizes of the table that any machine has room for.
    const STARTS: &str = "ucci|isready|stop|ponderhit|probe|setoption|position|banmoves|go|go|fen|startpos|ucinewgame|\
                          uci|debug|position startpos moves|setoption hashsize 1|setoption hashsize 2|FEN|FEN|FEN";
    // Two blanks in a row make an empty word.
    const WORDS: &str = "h2e2 h9g7 h0g2 b9c7 a0a1 a9a8 e3e4 g0d0 a0a0 z9z9 h2e H2E2 fen startpos moves name value draw \
                         ponder infinite depth nodes time movetime increment movestogo opptime oppincrement wtime btime \
                         randomness large none laxfen true false newgame moveoverhead usemillisec w b r - 0 1 -1 7 300 \
                         99999999999999999999 abc  \t";
    const FENS: [&str; 6] = [
        START_FEN,
        MATE_IN_ONE,
        "R3k4/1R7/9/9/9/9/9/9/9/3K5 b - - 0 1",
        "4k4/9/9/9/9/9/9/9/9/3K5 w",
        "rrr1k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBA1ABNR w",
    ];
    let fen = FENS.choose(random).expect("there are some");
    let start = STARTS.split('|').choose(random).expect("split yields at least one part");
    let mut line = start.replace("FEN", &format!("position fen {fen} moves"));
    for _ in 0..random.random_range(0..=5) {
        line.push(' ');
        line.push_str(WORDS.split(' ').choose(random).expect("split yields at least one part"));
    }
    let mut bytes = line.into_bytes();
    if random.random_ratio(1, 3) {
        for _ in 0..random.random_range(1..=4) {
            let at = random.random_range(0..=bytes.len());
            match random.random_range(0..3) {
                0 => bytes.insert(at, random.random()),
                1 => bytes.truncate(at),
                _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = random.random()),
            }
        }
    }
    bytes.push(b'\n');
    bytes
}

/// Stops a running search. Returns the lines up to its end and the number of `stop` commands.
fn settle(program: &mut Program) -> (Vec<String>, usize) {
    let deadline = Instant::now() + TIMEOUT;
    let mut seen = Vec::new();
    for stops in 1.. {
        // In UCCI, which answers a stop without a search.
        let lines = program.ask("ucci\nstop\nposition startpos");
        let is_idle = messages(&lines).is_empty();
        seen.extend(lines);
        if is_idle {
            return (seen, stops);
        }
        assert!(Instant::now() < deadline, "a search does not end");
    }
    unreachable!("the loop has no other end");
}

#[test]
fn no_random_lines_upset_the_program() {
    let mut random = ChaCha8Rng::seed_from_u64(20_071_101);
    let mut program = Program::start();
    let (mut may_be_answered, mut answered) = (0, 0);
    for session in 0..400 {
        let mut sent = Vec::new();
        for _ in 0..random.random_range(1..=9) {
            sent.extend(random_line(&mut random));
        }
        let text = String::from_utf8_lossy(&sent).to_ascii_lowercase();
        may_be_answered +=
            text.lines().filter(|line| ["go", "stop"].iter().any(|word| line.trim().starts_with(word))).count();
        // An unknown command is quoted in a message after all commands before it were handled.
        let marker = format!("end-of-session-{session}");
        sent.extend(format!("{marker}\n").into_bytes());
        program.send(&sent);
        let mut lines = program.wait_until(&marker, |line| line.contains(&marker));
        let (rest, stops) = settle(&mut program);
        lines.extend(rest);
        let odd = lines.iter().find(|line| !is_of_the_protocol(line));
        // Some commands are for people, and so are their answers.
        let for_people =
            |line: &str| ["d", "eval", "bench"].contains(&line.split_whitespace().next().unwrap_or_default());
        assert!(odd.is_none() || text.lines().any(for_people), "{odd:?} after {}", sent.escape_ascii());
        may_be_answered += stops;
        answered += lines.iter().filter(|line| is_answer(line)).count();
    }
    assert!(answered <= may_be_answered, "{answered} answers to {may_be_answered} commands");
    assert!(answered > 400, "hardly anything was searched: {answered}");

    assert!(program.ask("").is_empty());
    assert!(is_legal(&Position::start(), &program.best("go depth 2")));
    program.leave();
}
