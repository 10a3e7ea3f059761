//! The commands that compute in the background: `go` with its parsing, `stop`, `ponderhit`, `go perft` and `bench`.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use super::Protocol;
use super::format::Formatter;
use super::output::{Printer, lock, quotable};
use super::session::{Count, Event, Search, Session};
use crate::engine::{BookChoice, MoveSource, Offer, StopHandle, bench, saturating_number};
use crate::position::{Position, perft};
use crate::search::{Clock, Limits, Outcome, Reporter, STACK_SIZE};
use crate::types::{Move, Side};
use crate::util::host::{Duration, Instant};
use crate::util::parallel::JobThread;

const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(1);
/// Time for a search for a mate without another limit in batch mode, where the commands after it wait for its end.
const BATCH_MATE_TIME: Duration = Duration::from_secs(10);
/// Largest perft depth; any larger one would take years.
const MAX_PERFT_DEPTH: usize = 20;

/// Words that a number follows. All but the first belong to a game clock.
const NUMBERS: [&str; 6] = ["time", "depth", "nodes", "mate", "perft", "movetime"];
const CLOCK_NUMBERS: [&str; 9] =
    ["increment", "movestogo", "opptime", "oppincrement", "oppmovestogo", "wtime", "btime", "winc", "binc"];

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct GoCommand {
    limits: Limits,
    is_draw_offered: bool,
    /// `depth 0`: only the static evaluation.
    evaluation_only: bool,
    perft_depth: Option<usize>,
    search_moves: Vec<String>,
    /// One message for each word that cannot be read.
    errors: Vec<String>,
}

/// Parses the words after `go`, in any order, of UCCI and of UCI alike. `side` is to move; times are in `unit`s.
/// Numbers out of range saturate. A limit that cannot be read is ignored with an error.
fn parse<'a>(words: impl Iterator<Item = &'a str>, side: Side, unit: Duration) -> GoCommand {
    let mut words = words.peekable();
    let mut go = GoCommand::default();
    let limits = &mut go.limits;
    let mut numbers: HashMap<&str, u64> = HashMap::new();
    while let Some(word) = words.next() {
        let word = word.to_ascii_lowercase();
        match word.as_str() {
            "draw" => go.is_draw_offered = true,
            "ponder" => limits.ponder = true,
            "infinite" => limits.infinite = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| looks_like_move(word)) {
                    go.search_moves.push(mv.to_owned());
                }
            }
            word => {
                let Some(key) = NUMBERS.iter().chain(&CLOCK_NUMBERS).find(|key| **key == word) else {
                    go.errors.push(format!("go: unknown word '{}'", quotable(word)));
                    continue;
                };
                if let Some(number) = words.peek().and_then(|text| saturating_number(text)) {
                    words.next();
                    numbers.insert(key, number.max(0) as u64);
                    continue;
                }
                // What follows stands for the number, unless it may be the next key: those have four letters or more.
                let found =
                    words.next_if(|text| !text.bytes().all(|byte| byte.is_ascii_alphabetic()) || text.len() < 4);
                go.errors.push(match found {
                    Some(text) => format!("go: {word} takes a number, not '{}'; it is ignored", quotable(text)),
                    None => format!("go: '{word}' has no number and is ignored"),
                });
            }
        }
    }
    let size = |key| numbers.get(key).map(|&number| usize::try_from(number).unwrap_or(usize::MAX));
    let time = |key| numbers.get(key).map(|&number| times(unit, number));
    let (side_time, side_increment) = if side == Side::Red { ("wtime", "winc") } else { ("btime", "binc") };
    limits.nodes = numbers.get("nodes").copied();
    limits.mate = size("mate").map(|moves| moves.max(1));
    limits.prove_mate = limits.mate.is_some();
    limits.move_time = time("movetime");
    if let Some(remaining) = time("time").or(time(side_time)) {
        let is_game_clock = CLOCK_NUMBERS.iter().any(|key| numbers.contains_key(key));
        // Some clients send 0 when the clock has no time control. `time` without another word of a clock is for this
        // move.
        let moves_to_go = size("movestogo").filter(|&moves| moves > 0).or((!is_game_clock).then_some(0));
        limits.clock = Some(Clock {
            remaining,
            increment: time("increment").or(time(side_increment)).unwrap_or(Duration::ZERO),
            moves_to_go: moves_to_go.map(|moves| u32::try_from(moves).unwrap_or(u32::MAX)),
        });
        // Only on a clock that runs on is time that is left a gain.
        limits.saves_time = is_game_clock;
    }
    // Beside other limits a depth of 0 stands for none.
    let is_limited = limits.is_bounded() || limits.mate.is_some();
    go.evaluation_only = size("depth") == Some(0) && !is_limited && !limits.infinite && !limits.ponder;
    limits.depth = size("depth");
    go.perft_depth = size("perft");
    go.limits = std::mem::take(limits).or_time(DEFAULT_MOVE_TIME);
    go
}

/// Returns `true` if a word looks like a move: 4 to 6 characters that begin with a file and a digit.
fn looks_like_move(word: &str) -> bool {
    let word = word.as_bytes();
    (4..=6).contains(&word.len()) && word[0].is_ascii_alphabetic() && word[1].is_ascii_digit()
}

/// Returns `unit` × `number`, at most 2³⁶ seconds.
fn times(unit: Duration, number: u64) -> Duration {
    /// Longer than any game, and far from the end of the range of a duration.
    const MAX_TIME: Duration = Duration::from_secs(1 << 36);
    Duration::from_millis(number.saturating_mul(unit.as_millis() as u64)).min(MAX_TIME)
}

/// Stops a search of the bench that began just after the bench was stopped, at its first report.
struct LateStop<'a>(&'a AtomicBool, StopHandle);

impl Reporter for LateStop<'_> {
    fn report(&mut self, _: &Outcome) {
        if self.0.load(SeqCst) {
            self.1.stop();
        }
    }
}

fn count_leaves(position: &mut Position, depth: usize, is_stopped: &AtomicBool) -> Option<u64> {
    /// Depth of the parts between two tests; each takes some milliseconds.
    const PART_DEPTH: usize = 3;
    if is_stopped.load(SeqCst) {
        return None;
    }
    if depth <= PART_DEPTH {
        return Some(perft(position, depth));
    }
    let mut total: u64 = 0;
    for mv in position.legal_moves() {
        position.make(mv);
        let count = count_leaves(position, depth - 1, is_stopped);
        position.unmake();
        total = total.saturating_add(count?);
    }
    Some(total)
}

impl Session {
    pub(super) fn go(&mut self, arguments: &str, arrived: Instant) {
        let unit =
            if self.engine.options().use_milliseconds { Duration::from_millis(1) } else { Duration::from_secs(1) };
        let GoCommand { mut limits, is_draw_offered, evaluation_only, perft_depth, search_moves, mut errors } =
            parse(arguments.split_ascii_whitespace(), self.engine.position().side(), unit);
        if self.engine.options().batch && limits.mate.is_some() && !limits.is_bounded() {
            limits.move_time = Some(BATCH_MATE_TIME);
        }
        if self.reports_missing_position("go") {
            self.go_without_position(limits, perft_depth.is_some(), evaluation_only);
            return;
        }
        if let Some(depth) = perft_depth {
            self.perft(depth);
            return;
        }
        let search_moves: Vec<&str> = search_moves.iter().map(String::as_str).collect();
        for (text, mv) in search_moves.iter().zip(self.read_root_moves(&search_moves)) {
            match mv {
                Some(mv) => limits.search_moves.push(mv),
                None => {
                    errors.push(format!("go: '{}' is not a legal move in this position; it is ignored", quotable(text)))
                }
            }
        }
        let formatter = self.formatter();
        if let Some((first, more)) = errors.split_first() {
            let more = match more.len() {
                0 => String::new(),
                1 => " (and 1 more error)".to_owned(),
                count => format!(" (and {count} more errors)"),
            };
            self.message(&format!("{first}{more}"));
        }
        if evaluation_only {
            self.send(&formatter.evaluation(self.engine.evaluate()));
            self.answer(formatter.no_move());
        } else if let Some(choice) = self.engine.book_move(&limits) {
            self.play_book_move(&choice, formatter);
        } else {
            limits.wait_for_stop = self.protocol == Protocol::Uci;
            limits.start = self.clock_start(arrived).filter(|_| limits.is_timed());
            self.start_search(limits, is_draw_offered);
        }
    }

    /// Answers a `go` for which there is no position: with no move, when the answer to such a search may come.
    fn go_without_position(&mut self, limits: Limits, is_count: bool, is_evaluation: bool) {
        if is_count {
            self.send("nodes 0");
        } else if is_evaluation {
            self.answer(self.formatter().no_move());
        } else {
            // No move is allowed, so that the search ends at once; an endless or pondering one waits for the client.
            self.start_search(Limits { search_moves: vec![Move::NONE], wait_for_stop: true, ..limits }, false);
        }
    }

    /// Returns when the clock started for a command: in batch mode not at its arrival, as commands wait for their turn.
    fn clock_start(&self, arrived: Instant) -> Option<Instant> {
        (!self.engine.options().batch).then_some(arrived)
    }

    pub(super) fn new_search(&self, limits: Limits, is_draw_offered: bool) -> Search {
        let formatter = self.formatter();
        let printer = Arc::new(Mutex::new(Printer::new(self.output.clone(), formatter)));
        Search { limits, is_stopping: false, is_draw_offered, book_choice: None, formatter, printer }
    }

    fn start_search(&mut self, limits: Limits, is_draw_offered: bool) {
        let (search, sender) = (self.new_search(limits, is_draw_offered), self.sender.clone());
        // The session may have ended when the result comes.
        let finished = move |outcome| drop(sender.send(Event::Finished(outcome)));
        match self.engine.start(&search.limits, Arc::clone(&search.printer), finished) {
            Ok(()) => self.search = Some(search),
            Err(error) => {
                self.message(&error.to_string());
                // A client waits for a move, whatever happens.
                let line = self.engine.any_move(&search.limits).into_iter().collect();
                self.answer(&search.formatter.best_move(&Outcome { line, ..Outcome::default() }, Offer::None));
            }
        }
    }

    /// Handles `stop`. One that was sent during a search which has ended by itself meanwhile is answered already.
    pub(super) fn stop(&mut self, arrived: Instant) {
        if let Some(search) = &mut self.search {
            search.is_stopping = true;
            self.engine.stop();
        } else if let Some(count) = &self.count {
            count.stop();
        } else if self.protocol == Protocol::Ucci && self.answered_at.is_none_or(|answered| arrived >= answered) {
            self.send("nobestmove");
        }
    }

    pub(super) fn ponder_hit(&mut self, arguments: &str, arrived: Instant) {
        let clock_start = self.clock_start(arrived).unwrap_or_else(Instant::now);
        let Some(search) = &mut self.search else {
            self.message("'ponderhit' is ignored: no search is running");
            return;
        };
        search.is_draw_offered |= arguments.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("draw"));
        if !search.limits.ponder || search.is_stopping {
            return;
        }
        search.limits.ponder = false;
        // A book move needs no search on the engine's own time.
        search.book_choice = self.engine.book_move(&search.limits);
        search.is_stopping = search.book_choice.is_some();
        if search.is_stopping { self.engine.stop() } else { self.engine.ponder_hit(clock_start) }
    }

    pub(super) fn finish(&mut self, outcome: &Outcome) {
        if let Some(search) = self.search.take() {
            lock(&search.printer).print_held_back();
            let formatter = search.formatter;
            let is_own_move = !search.limits.infinite && !search.limits.ponder;
            if let Some(choice) = &search.book_choice {
                self.play_book_move(choice, formatter);
            } else {
                let offer = if formatter.protocol == Protocol::Ucci {
                    self.engine.offer(outcome, search.is_draw_offered, is_own_move)
                } else {
                    Offer::None
                };
                self.answer(&formatter.best_move(outcome, offer));
                if is_own_move && outcome.finished_depth > 0 && !outcome.line.is_empty() {
                    self.record_move(MoveSource::Search(outcome.score));
                }
            }
        }
        // Last, since helpers may have to wait for a processor.
        self.engine.wait();
    }

    fn play_book_move(&mut self, choice: &BookChoice, formatter: Formatter) {
        self.message(&formatter.book(choice));
        let line = [choice.mv].into_iter().chain(choice.reply).collect();
        self.answer(&formatter.best_move(&Outcome { line, ..Outcome::default() }, Offer::None));
        self.record_move(MoveSource::Book);
    }

    fn record_move(&mut self, source: MoveSource) {
        let learned = self.engine.record_move(source);
        self.report_learning(learned);
    }

    /// Starts a count in the background. `search` stops its searches.
    fn start_count(&mut self, search: Option<StopHandle>, count: impl FnOnce(&AtomicBool) + Send + 'static) {
        let thread = match JobThread::spawn("count", STACK_SIZE) {
            Ok(thread) => thread,
            Err(error) => return self.message(&format!("cannot start a thread to count: {error}")),
        };
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (flag, sender) = (Arc::clone(&is_stopped), self.sender.clone());
        thread.run(move || count(&flag));
        // A job of its own, which runs even if the count panics.
        thread.run(move || drop(sender.send(Event::Counted)));
        self.count = Some(Count { is_stopped, search, _thread: thread });
    }

    fn perft(&mut self, depth: usize) {
        let depth = depth.min(MAX_PERFT_DEPTH);
        let (formatter, output) = (self.formatter(), self.output.clone());
        let mut position = self.engine.position().clone();
        self.start_count(None, move |is_stopped| {
            let mut total = u64::from(depth == 0);
            for mv in position.legal_moves().into_iter().filter(|_| depth > 0) {
                position.make(mv);
                let count = count_leaves(&mut position, depth - 1, is_stopped);
                position.unmake();
                let Some(count) = count else {
                    output.line(&formatter.message("the count was stopped; it is not complete"));
                    break;
                };
                total += count;
                output.line(&format!("{}: {count}", formatter.write_move(mv)));
            }
            output.line(&format!("nodes {total}"));
        });
    }

    /// Handles `bench`: searches the bench positions and prints the node count of each.
    pub(super) fn bench(&mut self, arguments: &str) {
        let depth = match arguments.split_ascii_whitespace().next().map(|text| (text, saturating_number(text))) {
            None => bench::DEFAULT_DEPTH,
            Some((_, Some(depth))) => usize::try_from(depth.max(0)).unwrap_or(usize::MAX),
            Some((text, None)) => return self.message(&format!("bench takes a depth, not '{}'", quotable(text))),
        };
        let mut engine = match bench::engine() {
            Ok(engine) => engine,
            Err(error) => return self.message(&error.to_string()),
        };
        let (formatter, output, handle) = (self.formatter(), self.output.clone(), engine.stop_handle());
        self.start_count(Some(engine.stop_handle()), move |is_stopped| {
            let is_stopped_now = || is_stopped.load(SeqCst);
            let depth = depth.clamp(1, bench::MAX_DEPTH);
            let total = bench::bench(&mut engine, depth, &mut LateStop(is_stopped, handle), |position, count| {
                if is_stopped_now() || !output.line(&format!("{} nodes {position}", count.nodes)) {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            });
            match total {
                Ok(total) => {
                    if is_stopped_now() {
                        output.line(&formatter.message("the bench was stopped; its node count is not complete"));
                    }
                    output.line(&format!("total nodes {}", total.nodes));
                    output.line(&format!("{} nodes/s", total.nodes_per_second()));
                }
                Err(error) => drop(output.line(&formatter.message(&error.to_string()))),
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a `go` on a clock in milliseconds asks for, as text.
    fn read(text: &str, side: Side, unit: Duration) -> String {
        let go = parse(text.split_whitespace(), side, unit);
        let limits = go.limits;
        let clock = limits.clock.map(|clock| {
            let moves = clock.moves_to_go.map_or(String::new(), |moves| format!("/{moves}"));
            format!("clock {}+{}{moves}", clock.remaining.as_millis(), clock.increment.as_millis())
        });
        let number = |name: &str, number: Option<u128>| number.map(|number| format!("{name} {number}"));
        let flag = |name: &str, is_set: bool| is_set.then(|| name.to_owned());
        let parts = [
            number("depth", limits.depth.map(|depth| depth as u128)),
            number("nodes", limits.nodes.map(u128::from)),
            number("mate", limits.mate.map(|moves| moves as u128)),
            number("perft", go.perft_depth.map(|depth| depth as u128)),
            number("movetime", limits.move_time.map(|time| time.as_millis())),
            clock,
            flag("saves", limits.saves_time),
            flag("infinite", limits.infinite),
            flag("ponder", limits.ponder),
            flag("draw", go.is_draw_offered),
            flag("evaluation", go.evaluation_only),
            (!go.search_moves.is_empty()).then(|| go.search_moves.join(",")),
            number("errors", Some(go.errors.len() as u128)).filter(|_| !go.errors.is_empty()),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn limits_are_read_in_any_order_and_saturate() {
        let millisecond = Duration::from_millis(1);
        for (text, expected) in [
            ("depth 6", "depth 6"),
            ("nodes 20000", "nodes 20000"),
            ("mate 3", "mate 3"),
            ("infinite", "infinite"),
            ("perft 3", "perft 3 movetime 1000"),
            ("depth 8 nodes 200000 movetime 1000", "depth 8 nodes 200000 movetime 1000"),
            ("searchmoves h2e2 h10g8 depth 3", "depth 3 h2e2,h10g8"),
            // Clocks. `time` alone is for this move, and only on a clock that goes on is an early move a gain.
            ("time 6000 increment 100 opptime 5 oppincrement 6", "clock 6000+100 saves"),
            ("opptime 5 movestogo 9 time 6000", "clock 6000+0/9 saves"),
            ("increment 100 time 6000 draw", "clock 6000+100 saves draw"),
            ("ponder time 1 increment 2", "clock 1+2 saves ponder"),
            ("wtime 800 btime 900 movestogo 1", "clock 800+0/1 saves"),
            ("wtime 800 btime 900 movestogo 0", "clock 800+0 saves"),
            ("wtime 800 btime 900", "clock 800+0 saves"),
            ("time 800 opptime 900", "clock 800+0 saves"),
            ("time 800", "clock 800+0/0"),
            ("time 800 depth 9", "depth 9 clock 800+0/0"),
            ("movetime 800", "movetime 800"),
            // A limit ends an infinite search, and one second is the limit without any.
            ("movetime 200 infinite", "movetime 200"),
            ("", "movetime 1000"),
            ("draw", "movetime 1000 draw"),
            ("ponder", "movetime 1000 ponder"),
            // A depth of 0 beside other limits stands for none.
            ("depth 0", "movetime 1000 evaluation"),
            ("depth -3", "movetime 1000 evaluation"),
            ("depth 0 nodes 900", "nodes 900"),
            ("depth 0 infinite", "infinite"),
            ("ponder depth 0", "movetime 1000 ponder"),
            ("depth 0 time 6000 increment 0", "clock 6000+0 saves"),
            // What cannot be read is ignored.
            ("depth", "movetime 1000 errors 1"),
            ("depth abc", "movetime 1000 errors 1"),
            ("time x", "movetime 1000 errors 1"),
            ("depth infinite", "infinite errors 1"),
            // Numbers saturate.
            ("depth 99999999999999999999", "depth 64"),
            ("time -5 increment -5", "clock 0+0 saves"),
            ("time 99999999999999999999", "clock 68719476736000+0/0"),
            ("nodes 0", "nodes 0"),
            ("mate 0", "mate 1"),
            ("mate -1", "mate 1"),
            ("mate 101", "mate 101"),
        ] {
            let expected = expected.replace("depth 64", &format!("depth {}", crate::search::MAX_DEPTH));
            assert_eq!(read(text, Side::Red, millisecond), expected, "go {text}");
        }
        assert_eq!(read("time 6 increment 1", Side::Black, Duration::from_secs(1)), "clock 6000+1000 saves");
        assert_eq!(read("wtime 8 btime 9 winc 1 binc 2", Side::Black, millisecond), "clock 9+2 saves");
    }
}
