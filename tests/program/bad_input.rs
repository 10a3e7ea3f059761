//! Wrong and odd input, also inputs on which other engines failed, and lines made by chance: the program reports it,
//! keeps its state and goes on.

use std::time::Instant;

use chuhe::position::{Position, START_FEN};
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::harness::{MATE_IN_ONE, MATING_MOVE, Program, TIMEOUT};
use crate::lines::{answers, best_move, is_answer, is_legal, is_of_the_protocol, messages};

const HUGE: &str = "99999999999999999999";

fn assert_no_position(lines: &[String], text: &str) {
    assert_eq!((lines.len(), lines.last().map(String::as_str)), (2, Some("nobestmove")), "{text}: {lines:#?}");
    assert!(lines[0].starts_with("info message go: the last position was refused: "), "{text}: {lines:#?}");
}

/// A game of this many plies in which both rooks move to and fro.
fn to_and_fro(plies: usize) -> String {
    let moves: Vec<&str> = ["a0a1", "a9a8", "a1a0", "a8a9"].into_iter().cycle().take(plies).collect();
    format!("position startpos moves {}", moves.join(" "))
}

#[test]
fn a_position_with_any_error_is_refused_as_a_whole() {
    let mut program = Program::start();
    let long_fen = format!("position fen {}", "9/".repeat(50_000));
    let too_long = format!("position startpos moves {}", "h2e2 ".repeat(60_000));
    for (command, part) in [
        ("position startpos moves h2e2 h9g7 h0g2 h2e2", "ply 4, 'h2e2'"),
        ("position startpos moves h2e2 xx", "ply 2, 'xx'"),
        ("position startpos moves h9g7", "ply 1, 'h9g7'"),
        ("position startpos h2e2", "position"),
        ("position fen moves h2e2", "position"),
        ("position", "position"),
        ("position fen hello world", "rank 9"),
        ("position fen 3ak4/9/9/9/9/9/9/9/4A4/4K3RR w", "rank 0"),
        ("position fen 4k4/9/9/9/9/9/9/9/4a4/3K5 w", "e1"),
        ("position fen R3k4/9/9/9/9/9/9/9/9/3K5 w", "Black is in check"),
        ("position fen 3ak4/9/9/9/9/9/9/9/4A4/4K3R x - - 0 1", "'x'"),
        ("position fen 9/9/9/9/9/9/9/9/9/9 w - - 0 1", "Red has 0 kings"),
        ("position fen rnba1abnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w", "Black has 0 kings"),
        ("position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/RNBAKABNR w", "Red has 2 kings"),
        ("position fen 4k4/9/9/9/9/9/9/9/9/R3K4 w - - 0 1", "kings face each other"),
        ("position fen 4k4/ppppppppp/ppppppppp/9/9/9/9/PPPPPPPPP/PPPPPPPPP/4K4 w", "more than 16"),
        ("position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9 w - - 0 1", "5 ranks"),
        ("startpos moves a0a9", "ply 1"),
        ("fen nonsense", "rank 9"),
        (&long_fen, "ranks"),
        (&too_long, "is ignored"),
    ] {
        program.say(&format!("position fen {MATE_IN_ONE}"));
        let lines = program.ask(command);
        assert_eq!((lines.len(), messages(&lines).len()), (1, 1), "{part}: {lines:#?}");
        assert!(lines[0].contains(part), "{part}: {lines:#?}");
        assert_no_position(&program.go("go depth 3"), part);
        program.say(&format!("position fen {MATE_IN_ONE}"));
        assert_eq!(program.best("go depth 3"), MATING_MOVE, "after {part}");
    }
    program.leave();
}

#[test]
fn without_a_position_nothing_is_answered_for_another_board() {
    let mut program = Program::start();
    program.say("position startpos moves h2e2");
    assert_eq!(messages(&program.ask("position startpos moves h2e2 h9g8")).len(), 1);
    for command in ["d", "eval", "banmoves h9g7", "ucinewgame", "setoption newgame", "stop"] {
        let lines = program.ask(command);
        match command {
            "d" | "eval" | "banmoves h9g7" => assert_eq!(messages(&lines).len(), 1, "{command}: {lines:#?}"),
            "stop" => assert_eq!(lines, ["nobestmove"]),
            _ => assert!(lines.is_empty(), "{command}: {lines:#?}"),
        }
    }
    for go in ["go", "go depth 0", "go draw time 900 increment 0", "go mate 3", "go nodes 9 searchmoves h9g7 x"] {
        assert_no_position(&program.go(go), go);
        assert!(program.ask("").is_empty(), "{go} is answered once");
    }
    program.say("go perft 1");
    assert_eq!(program.wait_for("nodes").pop().unwrap(), "nodes 0");
    assert!(program.ask("probe startpos")[0].starts_with("pophash"), "it has a position of its own");
    // The answer comes when the client may expect it.
    for (go, end) in [("go infinite", "stop"), ("go ponder time 900 increment 0", "ponderhit"), ("go ponder", "stop")] {
        let begun = program.ask(go);
        assert_eq!((begun.len(), messages(&begun).len()), (1, 1), "{go}: {begun:#?}");
        assert_eq!(program.go(end), ["nobestmove"], "{go}");
        assert!(program.ask("").is_empty(), "{go} is answered once");
    }
    program.ask("uci");
    program.say("go infinite");
    let begun = program.wait_for("info string");
    assert!(begun[0].starts_with("info string go: the last position was refused: "), "{begun:#?}");
    assert_eq!(program.go("stop"), ["bestmove (none)"]);
    // A position that came at the wrong time is not the one of the search that follows either.
    program.say("position startpos\ngo infinite");
    program.ask(&format!("position fen {MATE_IN_ONE}"));
    assert!(is_legal(&Position::start(), &program.best("stop")), "it was asked before");
    assert_eq!(program.go("go depth 3").pop().unwrap(), "bestmove (none)");
    program.say(&format!("position fen {MATE_IN_ONE}"));
    assert_eq!(program.best("go depth 3"), MATING_MOVE);
    program.leave();
}

#[test]
fn odd_input_is_answered_once_for_each_go() {
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
    let mut program = Program::start();
    // The first one comes without any position. A message has this part; an empty one stands for no message.
    for (input, part, answer) in [
        ("go depth 6", "", "bestmove"),
        (&format!("position fen {start};go depth 3"), "side", "bestmove"),
        (&format!("position fen {start} w - - 200 150;go depth 3"), "'200'", "bestmove"),
        (&format!("{};go depth 6", to_and_fro(4_000)), "", "bestmove"),
        ("position startpos;go time 0", "", "bestmove"),
        ("go time -100", "", "bestmove"),
        ("go nodes 0", "", "bestmove"),
        ("setoption hashsize -1;go depth 3", "", "bestmove"),
        ("position fen 4k4/9/9/9/9/9/9/9/9/3K5 w;banmoves d0d1 d0e0;go depth 6", "d0e0", "nobestmove"),
    ] {
        input.split(';').for_each(|line| program.say(line));
        let mut lines = program.wait_for_answer();
        lines.extend(program.ask(""));
        assert!(lines.iter().all(|line| is_of_the_protocol(line)), "{input}: {lines:#?}");
        let (found, told) = (answers(&lines), messages(&lines));
        assert!(told.len() == usize::from(!part.is_empty()) && told.iter().all(|text| text.contains(part)), "{told:?}");
        assert!(found.len() == 1 && found[0].split(' ').next() == Some(answer), "{input}: {found:?}");
        assert!(answer == "nobestmove" || is_legal(&Position::start(), best_move(found[0])), "{input}: {found:?}");
    }
    program.say("ucci\nucci");
    assert_eq!(program.ask("").iter().filter(|line| *line == "ucciok").count(), 2);
    program.leave();
}

#[test]
fn numbers_out_of_range_saturate() {
    let mut program = Program::start();
    program.say("position fen 4k4/9/9/9/9/9/9/9/4A4/R2K5 w - - 200 180");
    assert!(program.ask("d").contains(&"fen 4k4/9/9/9/9/9/9/9/4A4/R2K5 w - - 119 180".to_owned()));
    program.say("position startpos");
    let mut total = |depth: &str| {
        program.say(&format!("bench {depth}"));
        program.wait_until("the sum", |line| line.starts_with("total nodes ")).pop()
    };
    let least = total("1");
    assert_eq!([total("0"), total(&format!("-{HUGE}"))], [least.clone(), least]);
    for limit in ["depth", "time"] {
        program.say(&format!("go {limit} {HUGE}"));
        program.wait_for("info depth 3");
        assert!(is_legal(&Position::start(), &program.best("stop")));
    }
    for option in ["moveoverhead", "hashsize"] {
        assert!(program.ask(&format!("setoption {option} -{HUGE}")).is_empty());
    }
    assert!(program.ask(&format!("setoption moveoverhead {HUGE}")).is_empty());
    program.leave();
}

#[test]
fn a_limit_that_cannot_be_read_is_ignored_with_a_message() {
    let mut program = Program::start_at(MATE_IN_ONE);
    for (go, part) in [
        ("go depth abc", "'abc'"),
        ("go depth 3x nodes 1000", "'3x'"),
        ("go nodes depth 3", "nodes"),
        ("go time depth 3", "time"),
        ("go depth 3 quickly", "'quickly'"),
        ("go depth 3 1e9", "'1e9'"),
        ("go movetime 0x10 depth 3", "'0x10'"),
    ] {
        let lines = program.go(go);
        assert_eq!(messages(&lines).len(), 1, "{go}: {lines:#?}");
        assert!(messages(&lines)[0].contains(part), "{go}: {lines:#?}");
        assert_eq!(best_move(lines.last().unwrap()), MATING_MOVE, "{go}");
    }
    program.leave();
}

#[test]
fn a_command_that_cannot_be_read_is_refused_with_a_message_and_changes_nothing() {
    let mut program = Program::start_at(MATE_IN_ONE);
    program.go("go depth 4");
    let probe = format!("probe fen {MATE_IN_ONE}");
    let known = program.ask(&probe);
    let (unknown, too_long) = ("a".repeat(200_000), "a".repeat(1_000_000));
    for command in [
        "setoption hashsize abc",
        "setoption hashsize",
        "setoption name Hash value many",
        "setoption usemillisec perhaps",
        "setoption batch",
        "setoption randomness enormous",
        "setoption moveoverhead 1.5",
        "setoption",
        "setoption name",
        "setoption name value 3",
        "debug perhaps",
        "bench abc",
        "hello",
        "bestmove h2e2",
        "uccinewgame",
        &unknown,
        &too_long,
    ] {
        let lines = program.ask(command);
        assert_eq!((lines.len(), messages(&lines).len()), (1, 1), "{lines:#?}");
    }
    for nothing in ["", "   ", "\t", "# a remark", "setoption hashsize -1"] {
        assert!(program.ask(nothing).is_empty(), "'{nothing}'");
    }
    assert_eq!(program.ask(&probe), known, "the table is the same; a size below the least is the automatic one");
    assert_eq!(program.best("go depth 3"), MATING_MOVE);
    program.leave();
}

#[test]
fn a_flood_of_commands_during_a_search_is_answered_in_full() {
    let mut program = Program::start();
    program.say("go infinite");
    program.send("isready\n".repeat(10_000).as_bytes());
    let mut lines = program.go("stop");
    lines.extend(program.ask(""));
    assert_eq!(lines.iter().filter(|line| *line == "readyok").count(), 10_000);
    // More than may wait, while a search ends and while leaves are counted.
    program.send(format!("go infinite\nstop\n{}go perft 3\n", "stop\n".repeat(5_000)).as_bytes());
    program.wait_for_answer();
    program.wait_for("nodes");
    program.send(format!("go perft 4\n{}", "isready\n".repeat(5_000)).as_bytes());
    // Some are answered during the count.
    let during = program.wait_for("nodes").iter().filter(|line| *line == "readyok").count();
    (during..5_000).for_each(|_| drop(program.wait_for("readyok")));
    assert!(program.ask("").is_empty());
    program.leave();
}

// Lines made by chance

/// A line that makes some sense, or less.
fn random_line(random: &mut ChaCha8Rng) -> Vec<u8> {
    // Sizes of the table that any machine has room for.
    const STARTS: &str = "ucci|isready|stop|ponderhit|probe|setoption|position|banmoves|go|go|fen|startpos|ucinewgame|\
                          uci|debug|position startpos moves|setoption hashsize 1|setoption hashsize 2|FEN|FEN|FEN";
    // Two blanks in a row make an empty word.
    const WORDS: &str = "h2e2 h9g7 h0g2 b9c7 a0a1 a9a8 e3e4 g0d0 a0a0 z9z9 h2e H2E2 fen startpos moves name value draw \
                         ponder infinite depth nodes time movetime increment movestogo opptime oppincrement wtime \
                         btime randomness large none laxfen true false newgame moveoverhead usemillisec w b r - 0 1 -1 7 300 \
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
