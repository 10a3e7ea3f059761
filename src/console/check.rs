//! Checks of results against files of expected results.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

use crate::console::error::CommandError;
use crate::console::input::setup;
use crate::notation::text_encoding::{MAX_LINE_BYTES, TextLine, TextLines};
use crate::position::{Position, Strictness};
use crate::rules::{Rules, Verdict};

/// Checks every line of a file, in UTF-8 or GBK, except empty lines and comments. Prints the lines that disagree, and
/// the number of `things` that agree.
pub fn check_file(
    path: &Path,
    things: &'static str,
    out: &mut impl Write,
    check: impl Fn(&str) -> Result<(), String>,
) -> Result<(), CommandError> {
    let in_file = CommandError::in_file(path);
    let (mut all, mut wrong) = (0, 0);
    let mut lines = TextLines::new(BufReader::new(File::open(path).map_err(&in_file)?));
    while let Some(TextLine { number, text, is_cut }) = lines.next_line().map_err(&in_file)? {
        if is_cut {
            return Err(CommandError::unusable(path, format!("line {number} has more than {MAX_LINE_BYTES} bytes")));
        }
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        all += 1;
        if let Err(fault) = check(&text) {
            wrong += 1;
            writeln!(out, "{}, line {number}: {fault}", path.display())?;
        }
    }
    writeln!(out, "{all} {things}, {} agree", all - wrong)?;
    if all == 0 {
        return Err(CommandError::unusable(path, format!("it contains no {things}")));
    }
    match wrong {
        0 => Ok(()),
        _ => Err(CommandError::Failed(format!("{wrong} of {all} {things} disagree"))),
    }
}

/// Checks a line `FEN<TAB>n1 n2 …` of perft counts. Returns the first disagreement.
pub fn check_perft_line(
    line: &str,
    strictness: Strictness,
    count: fn(&mut Position, usize) -> u64,
) -> Result<(), String> {
    let (fen, expected) = line.split_once('\t').ok_or("a tab is missing after the FEN")?;
    let mut position = Position::parse_fen(fen, strictness).map_err(|error| error.to_string())?.position;
    if expected.trim().is_empty() {
        return Err("there are no counts after the FEN".to_owned());
    }
    for (depth, text) in expected.split_ascii_whitespace().enumerate() {
        let expected: u64 = text.parse().map_err(|_| format!("'{text}' is not a count"))?;
        let found = count(&mut position, depth + 1);
        if found != expected {
            return Err(format!("depth {}: {found} instead of {expected} from {fen}", depth + 1));
        }
    }
    Ok(())
}

/// Checks a line `id<TAB>FEN<TAB>moves<TAB>verdict`; more columns may follow. Returns the disagreement.
pub fn check_judge_line(line: &str, strictness: Strictness, rules: Rules) -> Result<(), String> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [id, fen, moves, expected, ..] = columns[..] else {
        return Err("expected id, FEN, moves and verdict, separated by tabs".to_owned());
    };
    let fault = |what: String| format!("{id}: {what}");
    let expected = expected.trim();
    if !Verdict::WORDS.contains(&expected) {
        return Err(fault(format!("'{expected}' is not a verdict")));
    }
    let parsed =
        Position::parse_fen(setup(fen), strictness).map_err(|error| fault(format!("invalid position: {error}")))?;
    let mut position = parsed.position;
    position.play(moves.split_ascii_whitespace()).map_err(|error| fault(error.to_string()))?;
    let verdict = rules.verdict(&position);
    if verdict.word() == expected {
        return Ok(());
    }
    let reason = verdict.reason().map_or(String::new(), |reason| format!(" ({reason})"));
    Err(fault(format!("{}{reason} instead of {expected}", verdict.word())))
}
