//! A session with a front end: commands in, answers out.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use super::debug;
use super::draw_resign::{DrawResignPolicy, Leave, Word};
use super::format::{Formatter, Protocol};
use super::go::{self, Go};
use super::input::{Input, LONGEST_LINE, Lines, text_of};
use super::output::Output;
use super::printer::Printer;
use super::tracker::{FinishedGame, Found, GameTracker};
use super::words::{option_parts, printable, quotable, words};
use crate::engine::{BookChoice, Engine, EngineError, MoveContinuity, OptionEffect, OptionError};
use crate::eval;
use crate::position::{Position, START_FEN};
use crate::search::{Bound, Limits, Outcome};

/// How often a running search tells which move it is looking at.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

/// Why a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// `quit` was received.
    Quit,
    /// The input ended.
    EndOfInput,
    /// Nobody reads the output any more.
    OutputClosed,
}

pub(super) enum Event {
    Input(Input),
    Finished(Outcome),
    OutputClosed,
}

/// Speaks UCCI (UCI once `uci` is heard) on these streams until `quit`, the end of input, or the closing of the output.
pub fn run(input: impl Read + Send + 'static, output: Output, engine: Engine) -> Ended {
    let (sender, events) = channel();
    let reader = sender.clone();
    // Not joined: it may sit in a read that ends only with the process.
    let spawned = std::thread::Builder::new().name("input".into()).spawn(move || {
        let mut lines = Lines::new(input);
        loop {
            let next = lines.next_line();
            let is_end = next == Input::End;
            if reader.send(Event::Input(next)).is_err() || is_end {
                return;
            }
        }
    });
    if let Err(error) = spawned {
        log::error!("no thread to read the input: {error}");
        return Ended::EndOfInput;
    }
    Session {
        engine,
        output,
        events,
        sender,
        protocol: Protocol::Ucci,
        sends_bare_positions: false,
        waiting: VecDeque::new(),
        draw_offered: false,
        turns: MoveContinuity::default(),
        diary: GameTracker::default(),
        is_own_turn: false,
        waits_for_word: false,
        is_infinite: false,
        pondered: None,
        book_answer: None,
    }
    .run()
}

pub(super) struct Session {
    pub(super) engine: Engine,
    pub(super) output: Output,
    pub(super) events: Receiver<Event>,
    sender: Sender<Event>,
    /// The one that was named last.
    protocol: Protocol,
    /// The client sends positions without the word `position`.
    sends_bare_positions: bool,
    /// Input that came during a search in batch mode, or during a count.
    pub(super) waiting: VecDeque<Input>,
    /// The opponent offered a draw with the running `go`.
    draw_offered: bool,
    /// What the own moves of this game say about its result, before each of the last and after it.
    turns: MoveContinuity<[DrawResignPolicy; 2]>,
    /// What a book may learn from it.
    diary: GameTracker,
    /// The running search is for a move to be played, neither analysis nor (as yet) pondering.
    is_own_turn: bool,
    /// The running search ends only when told to, so that input must be read even in batch mode.
    waits_for_word: bool,
    /// The running search has no end of its own.
    is_infinite: bool,
    /// The limits of a search on the opponent's time.
    pondered: Option<Limits>,
    /// A book has the answer, so that the result of the search that is ending does not matter.
    book_answer: Option<BookChoice>,
}

impl Session {
    fn run(mut self) -> Ended {
        let ended = loop {
            if self.output.is_closed() {
                break Ended::OutputClosed;
            }
            match self.next_event() {
                Event::Input(Input::Line(bytes)) => {
                    if self.obey(&text_of(&bytes)) {
                        break Ended::Quit;
                    }
                }
                Event::Input(Input::TooLong) => {
                    self.message(&format!("a line of more than {LONGEST_LINE} bytes was dropped"));
                }
                Event::Input(Input::End) => break Ended::EndOfInput,
                Event::Finished(outcome) => self.finish(&outcome),
                Event::OutputClosed => break Ended::OutputClosed,
            }
        };
        self.end_search();
        self.end_game();
        if ended == Ended::Quit {
            self.output.line("bye");
        }
        ended
    }

    /// The next thing to deal with. In batch mode input waits for the end of the search, if that comes by itself.
    fn next_event(&mut self) -> Event {
        let holds_back = self.engine.is_busy() && self.engine.options().batch && !self.waits_for_word;
        if !holds_back && let Some(input) = self.waiting.pop_front() {
            return Event::Input(input);
        }
        loop {
            let received = if self.engine.is_busy() {
                self.events.recv_timeout(SIGN_OF_LIFE)
            } else {
                self.events.recv().map_err(RecvTimeoutError::from)
            };
            match received {
                Ok(Event::Input(input)) if holds_back => self.waiting.push_back(input),
                Ok(event) => return event,
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(mv) = self.engine.root_move() {
                        self.say(&format!("info currmove {}", self.voice().written(mv)));
                    }
                }
                // Cannot happen while the session holds a sender itself.
                Err(RecvTimeoutError::Disconnected) => return Event::Input(Input::End),
            }
        }
    }

    /// Stops a running search and prints its result.
    fn end_search(&mut self) {
        if !self.engine.is_busy() {
            return;
        }
        self.engine.stop();
        while self.engine.is_busy() {
            match self.events.recv() {
                Ok(Event::Finished(outcome)) => self.finish(&outcome),
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    /// Obeys one line. Returns whether it was `quit`.
    fn obey(&mut self, line: &str) -> bool {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return false;
        }
        log::debug!(">> {}", quotable(line));
        let (command, arguments) = line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, ""));
        match command.to_ascii_lowercase().as_str() {
            "ucci" => self.introduce(Protocol::Ucci),
            "uci" => self.introduce(Protocol::Uci),
            "isready" => self.say("readyok"),
            "quit" => return true,
            "stop" if self.engine.is_busy() => {
                self.waits_for_word = false;
                self.engine.stop();
            }
            "stop" => self.voice().stray_stop().into_iter().for_each(|answer| self.say(answer)),
            "ponderhit" => self.ponder_hit(arguments),
            "probe" => self.probe(arguments),
            "d" => debug::board(self.engine.position()).iter().for_each(|line| self.say(line)),
            "eval" => {
                eval::table(self.engine.position(), self.engine.network()).lines().for_each(|line| self.say(line))
            }
            "help" => debug::HELP.iter().for_each(|line| self.message(line)),
            // The rest is for an idle engine.
            "setoption" | "position" | "fen" | "startpos" | "banmoves" | "go" | "ucinewgame" | "uxinewgame"
            | "bench" | "debug"
                if self.engine.is_busy() =>
            {
                self.message(&format!("'{}' is ignored while thinking", quotable(command)));
            }
            "setoption" => self.set_option(arguments),
            "debug" => self.set_option(&format!("debug {arguments}")),
            "bench" => self.bench(arguments),
            "position" => self.set_position(arguments),
            // Old forms that some front ends still send, and the Cyclone dialect of UCI.
            "fen" | "startpos" => {
                self.sends_bare_positions = true;
                self.set_position(line);
            }
            "ucinewgame" | "uxinewgame" => {
                self.engine.new_game();
                self.end_game();
            }
            "banmoves" => self.ban(arguments),
            "go" => self.go(arguments),
            _ => self.message(&format!("unknown command '{}'", quotable(line))),
        }
        false
    }

    pub(super) fn say(&self, text: &str) {
        self.output.line(text);
    }

    pub(super) fn message(&self, text: &str) {
        let text: String = text.chars().map(printable).collect();
        log::info!("{text}");
        self.say(&self.voice().message(&text));
    }

    pub(super) fn voice(&self) -> Formatter {
        Formatter::new(self.protocol, self.engine.options(), self.sends_bare_positions)
    }

    fn introduce(&mut self, protocol: Protocol) {
        self.protocol = protocol;
        self.sends_bare_positions = false;
        self.voice().handshake().iter().for_each(|line| self.say(line));
    }

    fn set_option(&mut self, arguments: &str) {
        let (name, value) = option_parts(arguments);
        match self.engine.set_option(&name, &value) {
            // Whatever sets the engine back makes no difference to the game, but for this.
            Ok(OptionEffect::NewGame) => self.end_game(),
            Ok(_) => {}
            // Front ends send options that were never declared; that is no error.
            Err(EngineError::Option(error @ OptionError::Unknown(_))) if !name.is_empty() => {
                if self.engine.options().debug || self.voice().tells_of_unknown_options() {
                    self.message(&error.to_string());
                }
            }
            Err(EngineError::Option(OptionError::Unknown(_))) => self.message("setoption names no option"),
            Err(error) => self.message(&error.to_string()),
        }
    }

    /// The game is over.
    fn end_game(&mut self) {
        self.turns = MoveContinuity::default();
        let game = std::mem::take(&mut self.diary).finish();
        self.learn(game);
    }

    /// Lets a book learn from a game, where that is wanted.
    fn learn(&mut self, game: Option<FinishedGame>) {
        let Some(FinishedGame { start, moves, points }) = game else { return };
        match self.engine.learn(&start, &moves, points) {
            Ok(0) => {}
            Ok(count) => self.message(&format!("the book learned of {count} moves; {:.0} % for Red", points * 100.0)),
            Err(error) => self.message(&error.to_string()),
        }
    }

    fn set_position(&mut self, arguments: &str) {
        match self.read_position(arguments) {
            Ok((position, warnings)) => {
                self.engine.set_position(position);
                for warning in warnings {
                    self.message(&warning);
                }
            }
            Err(fault) => self.message(&format!("the position is ignored: {fault}")),
        }
    }

    /// Reads `fen FEN [moves …]` or `startpos [moves …]` into a position and warnings, or says what is wrong.
    fn read_position(&self, arguments: &str) -> Result<(Position, Vec<String>), String> {
        let all: Vec<&str> = words(arguments).collect();
        let split = all.iter().position(|word| word.eq_ignore_ascii_case("moves")).unwrap_or(all.len());
        let (setup, moves) = (&all[..split], all.get(split + 1..).unwrap_or_default());
        let fen = match setup {
            [word] if word.eq_ignore_ascii_case("startpos") => START_FEN.to_owned(),
            [word, fen @ ..] if word.eq_ignore_ascii_case("fen") && !fen.is_empty() => fen.join(" "),
            _ => return Err("it takes 'fen FEN' or 'startpos', then 'moves' and the moves".to_owned()),
        };
        let parsed = Position::parse_fen(&fen, self.engine.options().strictness)
            .map_err(|error| format!("invalid fen: {error}"))?;
        let mut position = parsed.position;
        let voice = self.voice();
        let read: Vec<String> = moves.iter().map(|text| voice.read(text)).collect();
        position.play(read.iter().map(String::as_str)).map_err(|mut error| {
            // As the front end wrote it.
            error.text = quotable(moves[error.ply - 1]);
            error.to_string()
        })?;
        let warnings = parsed.warnings.iter().map(|warning| warning.to_string()).collect();
        Ok((position, warnings))
    }

    fn ban(&mut self, arguments: &str) {
        let voice = self.voice();
        let skipped: Vec<&str> =
            words(arguments).filter(|text| !voice.read(text).parse().is_ok_and(|mv| self.engine.ban(mv))).collect();
        if !skipped.is_empty() {
            let skipped = quotable(&skipped.join(" "));
            self.message(&format!("banmoves: no legal moves here, skipped: {skipped}"));
        }
    }

    fn go(&mut self, arguments: &str) {
        let unit =
            if self.engine.options().use_milliseconds { Duration::from_millis(1) } else { Duration::from_secs(1) };
        let Go { mut limits, draw_offered, evaluation_only, perft_depth, wanted_moves, mut complaints } =
            go::parse(words(arguments), self.engine.position().side(), unit);
        if let Some(depth) = perft_depth {
            self.perft(depth);
            return;
        }
        let voice = self.voice();
        for text in wanted_moves {
            match voice.read(&text).parse() {
                Ok(mv) if self.engine.position().can_play(mv) => limits.search_moves.push(mv),
                _ => complaints.push(format!("go: '{}' is no legal move here", quotable(&text))),
            }
        }
        if let Some((first, more)) = complaints.split_first() {
            let more = if more.is_empty() { String::new() } else { format!(" (and {} more words)", more.len()) };
            self.message(&format!("{first}{more}"));
        }
        if evaluation_only {
            self.say(&voice.evaluation(self.engine.evaluate()));
            self.say(voice.no_move());
            return;
        }
        if let Some(choice) = self.engine.book_move(&limits) {
            self.answer_from_book(&choice);
            return;
        }
        self.pondered = limits.ponder.then(|| limits.clone());
        limits.wait_for_stop = voice.waits_for_stop();
        self.draw_offered = draw_offered;
        self.is_infinite = limits.infinite;
        self.is_own_turn = !limits.infinite && !limits.ponder;
        self.waits_for_word = limits.infinite || limits.ponder;
        let lost = self.sender.clone();
        // The session may have ended already; then nobody needs to know.
        let reporter = Printer::new(self.output.clone(), voice, move || drop(lost.send(Event::OutputClosed)));
        let sender = self.sender.clone();
        // The session may be gone when the result comes; then nobody wants it.
        let finished = move |outcome| drop(sender.send(Event::Finished(outcome)));
        if let Err(error) = self.engine.start(&limits, reporter, finished) {
            self.message(&error.to_string());
            self.say(voice.no_move());
        }
    }

    fn answer_from_book(&mut self, choice: &BookChoice) {
        let voice = self.voice();
        self.message(&voice.book(choice));
        let line = [choice.mv].into_iter().chain(choice.reply).collect();
        self.say(&voice.best_move(&Outcome { line, ..Outcome::default() }, Word::None));
        self.note(Found::InBook);
    }

    fn ponder_hit(&mut self, arguments: &str) {
        if !self.engine.is_busy() {
            self.message("'ponderhit' is ignored: nothing is being pondered");
            return;
        }
        self.draw_offered |= words(arguments).any(|word| word.eq_ignore_ascii_case("draw"));
        self.waits_for_word = self.is_infinite;
        self.is_own_turn = !self.is_infinite;
        // A move that a book knows needs no thought on the own time.
        if let Some(limits) = self.pondered.take() {
            self.book_answer = self.engine.book_move(&Limits { ponder: false, ..limits });
        }
        match self.book_answer {
            Some(_) => self.engine.stop(),
            None => self.engine.ponder_hit(),
        }
    }

    fn finish(&mut self, outcome: &Outcome) {
        self.engine.wait();
        self.pondered = None;
        if let Some(choice) = self.book_answer.take() {
            self.draw_offered = false;
            self.answer_from_book(&choice);
            return;
        }
        let word = self.word(outcome);
        self.say(&self.voice().best_move(outcome, word));
        if self.is_own_turn && outcome.depth > 0 && !outcome.line.is_empty() {
            self.note(Found::BySearch(outcome.score));
        }
    }

    /// Notes a move that was given out in a game, for a book to learn from. What was only thought about is not part of
    /// it.
    fn note(&mut self, found: Found) {
        if self.engine.options().multi_pv == 1 {
            let before = self.diary.note(self.engine.position(), found);
            self.learn(before);
        }
    }

    /// What is said with the move.
    fn word(&mut self, outcome: &Outcome) -> Word {
        let draw_offered = std::mem::take(&mut self.draw_offered);
        let options = self.engine.options();
        let leave = Leave { draws: options.offers_draws, resigning: options.resigns };
        if !self.voice().can_parley() || outcome.line.is_empty() {
            return Word::None;
        }
        // What was only thought about is not part of the game.
        if !self.is_own_turn || leave == Leave::default() {
            return DrawResignPolicy::default().word(outcome.score, draw_offered, Leave::default());
        }
        let [before, after] = self.turns.turn(self.engine.position(), |earlier| {
            let parley = earlier.map_or(DrawResignPolicy::default(), |(_, [_, after])| *after);
            [parley; 2]
        });
        *after = *before;
        after.word(outcome.score, draw_offered, leave)
    }

    fn probe(&self, arguments: &str) {
        let mut reply = "pophash".to_owned();
        match self.read_position(arguments) {
            Ok((position, _)) => {
                if let Some(entry) = self.engine.probe(&position) {
                    if position.can_play(entry.mv) {
                        reply.push_str(&format!(" bestmove {}", self.voice().written(entry.mv)));
                    }
                    let depth = entry.depth;
                    if matches!(entry.bound, Bound::Lower | Bound::Exact) {
                        reply.push_str(&format!(" lowerbound {} depth {depth}", entry.value));
                    }
                    if matches!(entry.bound, Bound::Upper | Bound::Exact) {
                        reply.push_str(&format!(" upperbound {} depth {depth}", entry.value));
                    }
                }
            }
            Err(fault) => self.message(&format!("the probe finds nothing: {fault}")),
        }
        self.say(&reply);
    }
}
