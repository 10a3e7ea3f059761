//! The `go` command: parsing, and the search that it starts.

use std::time::{Duration, Instant};

use super::format::Formatter;
use super::input::words;
use super::output::{Printer, quotable};
use super::session::{Event, RunningSearch, Session};
use crate::engine::{BookChoice, MoveSource, Offer, saturating_number};
use crate::search::{Clock, Limits, MAX_DEPTH, Outcome};
use crate::types::{Move, Side};

/// Time for a `go` without any limit.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(1);

/// Parsed `go` command.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct GoCommand {
    limits: Limits,
    /// The opponent offers a draw.
    is_draw_offered: bool,
    /// `depth 0`: only the static evaluation.
    evaluation_only: bool,
    /// Depth of `go perft`.
    perft_depth: Option<usize>,
    /// Root moves to choose from, as the client wrote them.
    search_moves: Vec<String>,
    /// One message for each word that cannot be read.
    errors: Vec<String>,
}

/// Parses the words after `go`, in any order, of UCCI and of UCI alike. `side` is to move; times are in `unit`s.
///
/// Numbers out of range saturate. A limit that cannot be read is ignored with an error.
fn parse<'a>(words: impl Iterator<Item = &'a str>, side: Side, unit: Duration) -> GoCommand {
    let mut words = words.peekable();
    let mut go = GoCommand::default();
    let mut depth = None;
    let (mut remaining, mut increment, mut moves_to_go) = (None, None, None);
    let mut is_game_clock = false;
    while let Some(word) = words.next() {
        let word = word.to_ascii_lowercase();
        match word.as_str() {
            "draw" => go.is_draw_offered = true,
            "ponder" => go.limits.ponder = true,
            "infinite" => go.limits.infinite = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| looks_like_move(word)) {
                    go.search_moves.push(mv.to_owned());
                }
            }
            _ if !NUMBER_WORDS.contains(&word.as_str()) => {
                go.errors.push(format!("go: unknown word '{}'", quotable(&word)));
            }
            _ => {
                let Some(number) = words.peek().and_then(|text| saturating_number(text)) else {
                    // What follows stands for the number, unless it may be the next key: those have four letters or
                    // more.
                    let found =
                        words.next_if(|text| !text.bytes().all(|byte| byte.is_ascii_alphabetic()) || text.len() < 4);
                    go.errors.push(match found {
                        Some(text) => format!("go: {word} takes a number, not '{}'; it is ignored", quotable(text)),
                        None => format!("go: '{word}' has no number and is ignored"),
                    });
                    continue;
                };
                words.next();
                let number = number.max(0) as u64;
                // All other words belong to a game clock: `increment`, `movestogo`, `wtime`, `opptime` and their like.
                is_game_clock |= !matches!(word.as_str(), "time" | "depth" | "nodes" | "mate" | "perft" | "movetime");
                match (word.as_str(), side) {
                    ("depth", _) => depth = Some(number),
                    ("nodes", _) => go.limits.nodes = Some(number),
                    ("mate", _) => go.limits.mate = Some(usize::try_from(number.max(1)).unwrap_or(usize::MAX)),
                    ("perft", _) => go.perft_depth = Some(usize::try_from(number).unwrap_or(usize::MAX)),
                    ("movetime", _) => go.limits.move_time = Some(times(unit, number)),
                    ("time", _) | ("wtime", Side::Red) | ("btime", Side::Black) => {
                        remaining = Some(times(unit, number));
                    }
                    ("increment", _) | ("winc", Side::Red) | ("binc", Side::Black) => {
                        increment = Some(times(unit, number));
                    }
                    // Some clients send 0 when the clock has no time control.
                    ("movestogo", _) => {
                        moves_to_go = Some(u32::try_from(number).unwrap_or(u32::MAX)).filter(|&moves| moves > 0);
                    }
                    // The opponent's clock is not used.
                    _ => {}
                }
            }
        }
    }
    go.limits.depth = depth
        .filter(|&depth| depth > 0)
        .map(|depth| usize::try_from(depth).map_or(MAX_DEPTH, |depth| depth.min(MAX_DEPTH)));
    if let Some(remaining) = remaining {
        // `time` alone, without another word of a game clock, is the time for this move.
        let moves_to_go = if is_game_clock { moves_to_go } else { Some(0) };
        let increment = increment.unwrap_or(Duration::ZERO);
        go.limits.clock = Some(Clock { remaining, increment, moves_to_go });
        // Only on a clock that runs on is time that is left a gain.
        go.limits.saves_time = is_game_clock;
    }
    let has_limit = go.limits.is_bounded() || go.limits.mate.is_some();
    // Beside other limits a depth of 0 stands for none.
    go.evaluation_only = depth == Some(0) && !has_limit && !go.limits.infinite && !go.limits.ponder;
    // The limit that is reached first ends the search.
    go.limits.infinite &= !has_limit;
    if !has_limit && !go.limits.infinite {
        go.limits.move_time = Some(DEFAULT_MOVE_TIME);
    }
    go
}

/// Words that a number follows.
const NUMBER_WORDS: [&str; 15] = [
    "depth",
    "nodes",
    "mate",
    "perft",
    "movetime",
    "time",
    "increment",
    "movestogo",
    "opptime",
    "oppincrement",
    "oppmovestogo",
    "wtime",
    "btime",
    "winc",
    "binc",
];

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

impl Session {
    /// Handles `go`, which arrived at this time.
    pub(super) fn go(&mut self, arguments: &str, arrived: Instant) {
        let unit =
            if self.engine.options().use_milliseconds { Duration::from_millis(1) } else { Duration::from_secs(1) };
        let GoCommand { mut limits, is_draw_offered, evaluation_only, perft_depth, search_moves, mut errors } =
            parse(words(arguments), self.engine.position().side(), unit);
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
            limits.wait_for_stop = formatter.waits_for_stop();
            limits.prove_mate = limits.mate.is_some();
            // Clients play games with a clock or a time; other limits serve analysis too.
            if limits.is_timed() {
                limits.contempt = self.engine.options().contempt;
                limits.start = self.clock_start(arrived);
            }
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

    /// Returns when the clock started for a command that arrived at this time. In batch mode commands are there before
    /// their turn comes, so that only the start of the search counts.
    fn clock_start(&self, arrived: Instant) -> Option<Instant> {
        (!self.engine.options().batch).then_some(arrived)
    }

    fn start_search(&mut self, limits: Limits, is_draw_offered: bool) {
        // The session may have ended when these events come; then they are dropped.
        let closed = self.sender.clone();
        let formatter = self.formatter();
        let reporter = Printer::new(self.output.clone(), formatter, move || drop(closed.send(Event::OutputClosed)));
        let held_back = reporter.held_back();
        let finished = self.sender.clone();
        let on_finished = move |outcome| drop(finished.send(Event::Finished(outcome)));
        match self.engine.start(&limits, reporter, on_finished) {
            Ok(()) => self.running = Some(RunningSearch::new(limits, is_draw_offered, formatter, held_back)),
            Err(error) => {
                self.message(&error.to_string());
                // A client waits for a move, whatever happens.
                let line = self.engine.any_move(&limits).into_iter().collect();
                self.answer(&formatter.best_move(&Outcome { line, ..Outcome::default() }, Offer::None));
            }
        }
    }

    /// Handles `stop`, which arrived at this time. One that was sent during a search which has ended by itself
    /// meanwhile is answered already.
    pub(super) fn stop(&mut self, arrived: Instant) {
        if let Some(search) = &mut self.running {
            search.is_stopping = true;
            self.engine.stop();
        } else if !self.precedes_answer(arrived) {
            self.formatter().answer_to_stop_when_idle().into_iter().for_each(|answer| self.send(answer));
        }
    }

    /// Handles `ponderhit`, which arrived at this time.
    pub(super) fn ponder_hit(&mut self, arguments: &str, arrived: Instant) {
        let clock_start = self.clock_start(arrived).unwrap_or_else(Instant::now);
        let Some(search) = &mut self.running else {
            self.message("'ponderhit' is ignored: no search is running");
            return;
        };
        search.is_draw_offered |= words(arguments).any(|word| word.eq_ignore_ascii_case("draw"));
        if std::mem::take(&mut search.is_pondering) {
            // A book move needs no search on the engine's own time.
            search.book_choice = self.engine.book_move(&Limits { ponder: false, ..search.limits.clone() });
        }
        match search.book_choice {
            Some(_) => {
                search.is_stopping = true;
                self.engine.stop();
            }
            None => self.engine.ponder_hit_at(clock_start),
        }
    }

    /// Answers with the result of the search.
    pub(super) fn finish(&mut self, outcome: &Outcome) {
        if let Some(search) = self.running.take() {
            self.answer_search(&search, outcome);
        }
        // Last, since helpers may have to wait for a processor.
        self.engine.wait();
    }

    fn answer_search(&mut self, search: &RunningSearch, outcome: &Outcome) {
        if let Some(choice) = &search.book_choice {
            self.play_book_move(choice, search.formatter);
            return;
        }
        // That of the search, even if another handshake came during it.
        let formatter = search.formatter;
        let offer = if formatter.has_offers() {
            self.engine.offer(outcome, search.is_draw_offered, search.is_own_move())
        } else {
            Offer::None
        };
        self.answer(&formatter.best_move(outcome, offer));
        if search.is_own_move() && outcome.depth > 0 && !outcome.line.is_empty() {
            self.record_move(MoveSource::Search(outcome.score));
        }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn go(text: &str) -> GoCommand {
        parse(text.split_whitespace(), Side::Red, MS)
    }

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Option<Clock> {
        Some(Clock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            moves_to_go,
        })
    }

    #[test]
    fn limits_are_read_in_any_order() {
        assert_eq!(go("depth 6").limits, Limits::depth(6));
        assert_eq!(go("nodes 20000").limits, Limits::nodes(20_000));
        assert_eq!(go("time 6000 increment 100 opptime 5 oppincrement 6").limits.clock, clock(6000, 100, None));
        assert_eq!(go("opptime 5 movestogo 9 time 6000").limits.clock, clock(6000, 0, Some(9)));
        assert_eq!(go("increment 100 time 6000 draw").limits.clock, clock(6000, 100, None));
        assert!(go("draw time 1 increment 2").is_draw_offered);
        assert!(go("ponder time 1 increment 2").limits.ponder);
        assert!(go("infinite").limits.infinite);
        assert_eq!(go("mate 3").limits.mate, Some(3));
        assert_eq!(go("perft 3").perft_depth, Some(3));
        let chosen = go("searchmoves h2e2 h10g8 depth 3");
        assert_eq!((chosen.search_moves, chosen.limits.depth), (vec!["h2e2".to_owned(), "h10g8".to_owned()], Some(3)));
        assert!(go("depth 0").evaluation_only);
        for (text, limits) in [
            ("depth 0 nodes 900", Limits::nodes(900)),
            ("depth 0 infinite", go("infinite").limits),
            ("ponder depth 0", go("ponder").limits),
            ("depth 0 time 6000 increment 0", go("time 6000 increment 0").limits),
        ] {
            let go = go(text);
            assert_eq!((go.limits, go.evaluation_only), (limits, false), "{text}");
        }
        assert_eq!(go("wtime 800 btime 900 movestogo 1").limits.clock, clock(800, 0, Some(1)));
        for none in ["0", "-1"] {
            assert_eq!(
                go(&format!("wtime 800 btime 900 movestogo {none}")).limits.clock,
                clock(800, 0, None),
                "{none}"
            );
        }
        let combined = go("depth 8 nodes 200000 movetime 1000").limits;
        assert_eq!((combined.depth, combined.nodes, combined.move_time), (Some(8), Some(200_000), Some(MS * 1000)));
    }

    #[test]
    fn time_alone_is_for_this_move() {
        assert_eq!(go("time 800").limits.clock, clock(800, 0, Some(0)));
        assert_eq!(go("time 800 depth 9").limits.clock, clock(800, 0, Some(0)));
        // Only a clock that goes on gains by a move that comes early.
        for (text, saves_time) in [
            ("time 800", false),
            ("movetime 800", false),
            ("movetime 800 infinite", false),
            ("", false),
            ("time 800 movestogo 1", true),
            ("ponder time 800 increment 5", true),
            ("wtime 800 btime 800", true),
        ] {
            assert_eq!(go(text).limits.saves_time, saves_time, "{text}");
        }
        for game in ["time 800 increment 0", "time 800 opptime 900", "wtime 800 btime 900"] {
            assert_eq!(go(game).limits.clock, clock(800, 0, None), "{game}");
        }
    }

    #[test]
    fn the_default_limit_is_one_second() {
        for text in ["", "draw", "ponder", "depth", "depth abc", "time", "time x"] {
            assert_eq!(go(text).limits.move_time, Some(MS * 1000), "{text}");
        }
        assert_eq!(go("depth abc").errors.len(), 1);
        assert_eq!(go("depth infinite").errors.len(), 1);
        assert!(go("depth infinite").limits.infinite);
        assert!(!go("movetime 200 infinite").limits.infinite);
    }

    #[test]
    fn numbers_saturate() {
        assert_eq!(go("depth 99999999999999999999").limits.depth, Some(MAX_DEPTH));
        assert!(go("depth -3").evaluation_only);
        assert_eq!(go("time -5 increment -5").limits.clock, clock(0, 0, None));
        assert!(go("time 99999999999999999999").limits.clock.unwrap().remaining > Duration::from_secs(1_000_000));
        assert_eq!(go("nodes 0").limits.nodes, Some(0));
        for (text, moves) in [("mate 0", 1), ("mate -1", 1), ("mate 101", 101)] {
            let GoCommand { limits, errors, .. } = go(text);
            assert_eq!((limits, errors.len()), (Limits { mate: Some(moves), ..Limits::default() }, 0), "{text}");
        }
    }

    #[test]
    fn times_may_be_in_seconds() {
        let go = parse("time 6 increment 1".split_whitespace(), Side::Black, Duration::from_secs(1));
        assert_eq!(go.limits.clock, clock(6000, 1000, None));
    }
}
