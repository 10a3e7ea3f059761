//! Proves that no lines made by chance upset the program.

use std::fmt::Write;
use std::time::Instant;

use chuhe::position::{Position, START_FEN};

use crate::harness::{MATE_IN_ONE, Program, TIMEOUT};
use crate::lines::{best_move, is_answer, is_legal, is_of_the_protocol, messages};

/// Chance that is the same on every machine and in every run (Marsaglia's xorshift, with Vigna's multiplier).
struct Chance(u64);

impl Chance {
    /// The same seed gives the same numbers; it must not be 0.
    fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    /// A number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize) % bound
    }

    /// One of the words of a text.
    fn word(&mut self, text: &'static str) -> &'static str {
        let words: Vec<&str> = text.split(' ').collect();
        self.pick(&words)
    }

    /// One of these.
    fn pick<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// A line that makes some sense, or less.
fn random_line(chance: &mut Chance) -> Vec<u8> {
    const COMMANDS: &str = "ucci isready stop ponderhit probe setoption position banmoves go fen startpos ucinewgame uci \
                            debug position go";
    const MOVES: &str = "h2e2 h9g7 h0g2 b9c7 a0a1 a9a8 e3e4 g0d0 a0a0 z9z9 h2e H2E2";
    // Two blanks in a row make an empty word.
    const WORDS: &str = "fen startpos moves name value draw ponder infinite depth nodes time movetime increment \
                         movestogo opptime oppincrement wtime btime randomness large none laxfen true false newgame \
                         moveoverhead usemillisec w b r - 0 1 -1 7 300 99999999999999999999 abc  \t";
    const FENS: [&str; 6] = [
        START_FEN,
        MATE_IN_ONE,
        "R3k4/1R7/9/9/9/9/9/9/9/3K5 b - - 0 1",
        "4k4/9/9/9/9/9/9/9/9/3K5 w",
        "rrr1k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBA1ABNR w",
    ];
    let mut line = String::new();
    match chance.below(6) {
        0 => {
            line.push_str("position startpos moves");
            (0..chance.below(8)).for_each(|_| write!(line, " {}", chance.word(MOVES)).unwrap());
        }
        1 => {
            write!(line, "{} fen {} moves", chance.pick(&["position", "probe"]), chance.pick(&FENS)).unwrap();
            (0..chance.below(3)).for_each(|_| write!(line, " {}", chance.word(MOVES)).unwrap());
        }
        2 => {
            line.push_str("go");
            (0..chance.below(5)).for_each(|_| write!(line, " {}", chance.word(WORDS)).unwrap());
        }
        // Sizes that any machine has room for.
        3 => write!(line, "setoption hashsize {}", chance.pick(&["1", "2", "-7", "x", ""])).unwrap(),
        _ => {
            line.push_str(chance.word(COMMANDS));
            (0..chance.below(6)).for_each(|_| match chance.below(4) {
                0 => write!(line, " {}", chance.word(MOVES)).unwrap(),
                _ => write!(line, " {}", chance.word(WORDS)).unwrap(),
            });
        }
    }
    let mut bytes = line.into_bytes();
    if chance.below(3) == 0 {
        for _ in 0..=chance.below(4) {
            let at = chance.below(bytes.len() + 1);
            match chance.below(3) {
                0 => bytes.insert(at, chance.below(256) as u8),
                1 => bytes.truncate(at),
                _ if at < bytes.len() => bytes[at] = chance.below(256) as u8,
                _ => {}
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
    let mut chance = Chance::new(20_071_101);
    let mut program = Program::start();
    let (mut may_be_answered, mut answered) = (0, 0);
    for session in 0..400 {
        let mut sent = Vec::new();
        for _ in 0..=chance.below(9) {
            sent.extend(random_line(&mut chance));
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
    program.say("go depth 2");
    assert!(is_legal(&Position::start(), best_move(&program.answer())));
    program.leave();
}
