//! Session with a client: reads commands and sends answers.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};

use encoding_rs::{Encoding, UTF_8};

use super::Protocol;
use super::format::Formatter;
use super::help;
use super::input::{Input, Lines, MAX_LINE_BYTES, Received, WaitingInput, decode, is_command, option_parts};
use super::output::{Output, Printer, lock, printable, quotable};
use crate::engine::{BookChoice, Engine, EngineError, EngineOption, LearnedGame, OptionEffect, StopHandle, parse_bool};
use crate::eval::{self, WinModel};
use crate::position::{Position, START_FEN};
use crate::search::{Limits, Outcome};
use crate::types::Move;
use crate::util::host::{Duration, Instant};
use crate::util::parallel::{JobThread, cores};

/// Time without events of a running search after which lines that are held back and an `info currmove` line come.
const CURRMOVE_INTERVAL: Duration = Duration::from_secs(1);
const POSITION_COMMANDS: [&str; 3] = ["position", "fen", "startpos"];
/// With more threads than this for each processor, a message warns.
const MAX_THREADS_PER_CORE: usize = 2;
/// Places for input that may wait, each of so many bytes. Further input stays with the client.
const WAITING_PLACES: usize = 4_096;
const PLACE_BYTES: usize = 256;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The client sent `quit`.
    Quit,
    EndOfInput,
    /// The output was closed by its reader.
    OutputClosed,
}

pub(super) enum Event {
    /// The reader thread read a line.
    Input(Received),
    /// The running search has ended.
    Finished(Outcome),
    /// A count has ended.
    Counted,
    /// Nothing has happened for a while during a search.
    Silence,
    /// The memory that this wait is for is there.
    Ready(u64),
}

/// What the session does. It decides which commands are handled now and which have to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Idle,
    /// A search that ends by itself, or with a mate. In batch mode, input waits for its end.
    Thinking,
    /// A search until the client ends it, by `stop` or, if it ponders, perhaps by `ponderhit`.
    Endless,
    /// A search was stopped: by `stop`, or since `ponderhit` came with a book move to play. All input but `isready`
    /// waits for its result, since clients may send `stop`, the next position and `go` at once.
    Stopping,
    /// A count of `go perft` or `bench`. All input waits but `stop` and `isready`, and in batch mode that too.
    Counting,
}

pub(super) struct Search {
    /// Limits of the `go` command; after `ponderhit` they do not ponder.
    pub(super) limits: Limits,
    pub(super) is_stopping: bool,
    /// The opponent offers a draw with the current position.
    pub(super) is_draw_offered: bool,
    /// Book move to play instead of the result, found at `ponderhit`.
    pub(super) book_choice: Option<BookChoice>,
    /// Form of the answers, also if another handshake comes during the search.
    pub(super) formatter: Formatter,
    pub(super) printer: Arc<Mutex<Printer>>,
}

/// Count of `go perft` or `bench` that runs in the background, on a thread of its own.
pub(super) struct Count {
    pub(super) is_stopped: Arc<AtomicBool>,
    pub(super) search: Option<StopHandle>,
    pub(super) _thread: JobThread,
}

impl Count {
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, SeqCst);
        self.search.iter().for_each(StopHandle::stop);
    }
}

/// Runs a session, in UCCI at first, until `quit`, the end of the input, or until the output is closed.
pub fn run(input: impl Read + Send + 'static, output: Output, engine: Engine) -> Ended {
    let session = Session::new(output, engine);
    let (reader, places) = (session.sender.clone(), session.places.0.clone());
    // Not joined: it may be blocked in a read until the process ends.
    let spawned = std::thread::Builder::new().name("input".into()).spawn(move || {
        let mut lines = Lines::new(input);
        loop {
            let next = Received::now(lines.next_line());
            let is_end = next.input == Input::End;
            // Waits until there is room.
            let has_places = (0..places_of(&next.input)).all(|_| places.send(()).is_ok());
            if !has_places || reader.send(Event::Input(next)).is_err() || is_end {
                return;
            }
        }
    });
    if let Err(error) = spawned {
        log::error!("cannot start a thread to read the input: {error}");
        return Ended::EndOfInput;
    }
    session.run()
}

/// Returns the number of places that a line takes while it waits.
fn places_of(input: &Input) -> usize {
    match input {
        Input::Line(line) => 1 + line.len() / PLACE_BYTES,
        Input::TooLong(_) | Input::End => 1,
    }
}

pub(super) struct Session {
    pub(super) engine: Engine,
    pub(super) output: Output,
    pub(super) events: Receiver<Event>,
    pub(super) sender: Sender<Event>,
    pub(super) protocol: Protocol,
    /// Unknown options are reported in UCCI too.
    debug: bool,
    /// The client sends positions without the word `position`.
    sends_bare_positions: bool,
    /// Reason why the last position was refused: there is none then, as the engine has another than the client means.
    pub(super) refusal: Option<String>,
    /// The client numbers ranks from 1, or from 0, as its moves have shown since the handshake.
    ranks_from_one: Option<bool>,
    encoding: &'static Encoding,
    pub(super) waiting: WaitingInput,
    /// One message for each place of the lines that were read and not yet handled.
    places: (SyncSender<()>, Receiver<()>),
    memory_waits: u64,
    pub(super) search: Option<Search>,
    pub(super) count: Option<Count>,
    pub(super) answered_at: Option<Instant>,
}

impl Session {
    fn new(output: Output, engine: Engine) -> Session {
        let (sender, events) = channel();
        Session {
            engine,
            output,
            events,
            sender,
            protocol: Protocol::Ucci,
            debug: false,
            sends_bare_positions: false,
            refusal: None,
            ranks_from_one: None,
            encoding: UTF_8,
            waiting: WaitingInput::default(),
            places: sync_channel(WAITING_PLACES),
            memory_waits: 0,
            search: None,
            count: None,
            answered_at: None,
        }
    }

    fn run(mut self) -> Ended {
        let ended = loop {
            if self.output.is_closed() {
                break Ended::OutputClosed;
            }
            let event = self.next_event();
            if let Event::Input(Received { input, .. }) = &event {
                self.free_places(input);
            }
            match event {
                Event::Input(Received { input: Input::Line(bytes), at }) => {
                    let (line, encoding) = decode(&bytes);
                    if !line.is_ascii() {
                        self.encoding = encoding;
                    }
                    if self.handle_line(&line, at) {
                        break Ended::Quit;
                    }
                }
                Event::Input(Received { input: Input::TooLong(start), .. }) => {
                    self.message(&format!("a line of more than {MAX_LINE_BYTES} bytes is ignored"));
                    if POSITION_COMMANDS.iter().any(|command| is_command(&start, command)) {
                        self.refusal = Some(format!("it had more than {MAX_LINE_BYTES} bytes"));
                    }
                }
                Event::Input(Received { input: Input::End, .. }) => break Ended::EndOfInput,
                event => self.handle_search_event(event),
            }
        };
        if self.state() != State::Idle {
            self.stop(Instant::now());
        }
        while self.state() != State::Idle {
            // The session holds a sender itself.
            let Ok(event) = self.events.recv() else { break };
            self.handle_search_event(event);
        }
        self.finish_game();
        if ended == Ended::Quit {
            self.output.line("bye");
        }
        ended
    }

    /// Handles what comes from a search or a count; input is dropped.
    fn handle_search_event(&mut self, event: Event) {
        match (event, &mut self.search) {
            (Event::Finished(outcome), Some(_)) => self.finish(&outcome),
            (Event::Counted, _) => {
                self.count = None;
                // It took as long as the user wanted it to.
                self.waiting.0.iter_mut().for_each(|input| input.at = Instant::now());
            }
            (Event::Silence, Some(search)) => {
                lock(&search.printer).print_held_back();
                if let Some(mv) = self.engine.root_move() {
                    self.send(&format!("info currmove {}", self.formatter().write_move(mv)));
                }
            }
            _ => {}
        }
    }

    /// Frees the places of a line.
    fn free_places(&self, input: &Input) {
        self.places.1.try_iter().take(places_of(input)).for_each(drop);
    }

    fn state(&self) -> State {
        match &self.search {
            Some(search) if search.is_stopping => State::Stopping,
            Some(search) if search.limits.ponder || search.limits.infinite => State::Endless,
            Some(_) => State::Thinking,
            None if self.count.is_some() => State::Counting,
            None => State::Idle,
        }
    }

    fn next_event(&mut self) -> Event {
        let (state, is_batch) = (self.state(), self.engine.options().batch);
        // Whether input has to wait for the end of the search or the count.
        let holds_back = match state {
            State::Idle | State::Endless => false,
            State::Thinking => is_batch,
            State::Stopping | State::Counting => true,
        };
        loop {
            if !holds_back && let Some(input) = self.waiting.0.pop_front() {
                return Event::Input(input);
            }
            if let Some(count) = &self.count {
                // Behind a waiting `go` or `bench` a `stop` is for that one.
                if let Some(stop) = self.waiting.take_stop() {
                    return Event::Input(stop);
                }
                if !is_batch && self.waiting.has_end() {
                    count.stop();
                }
            }
            let received = match state {
                State::Idle => self.events.recv().map_err(RecvTimeoutError::from),
                _ => self.events.recv_timeout(CURRMOVE_INTERVAL),
            };
            let is_answered_at_once = state == State::Stopping || !is_batch;
            match received {
                // A repeated `stop` has no effect. After another `go` or `bench` it is for that one.
                Ok(Event::Input(input))
                    if state == State::Stopping && input.is("stop") && !self.waiting.has_search() =>
                {
                    self.free_places(&input.input);
                }
                Ok(Event::Input(input))
                    if holds_back && !(is_answered_at_once && input.is("isready") && self.waiting.0.is_empty()) =>
                {
                    self.waiting.0.push_back(input);
                }
                Ok(event) => return event,
                Err(RecvTimeoutError::Timeout) => return Event::Silence,
                // Cannot happen while the session holds a sender itself.
                Err(RecvTimeoutError::Disconnected) => return Event::Input(Received::now(Input::End)),
            }
        }
    }

    /// Waits for the memory of the engine, unless it is at work. A command that must not wait ends this.
    fn wait_for_memory(&mut self) {
        if self.state() != State::Idle || self.waiting.0.iter().any(Received::is_urgent) {
            return;
        }
        self.engine.back_memory();
        self.memory_waits += 1;
        let (wait, sender) = (self.memory_waits, self.sender.clone());
        self.engine.when_ready(move || drop(sender.send(Event::Ready(wait))));
        while let Ok(event) = self.events.recv() {
            match event {
                Event::Input(input) => self.waiting.0.push_back(input),
                Event::Ready(ended) if ended == wait => return,
                // Of a wait that something urgent has ended.
                _ => continue,
            }
            if self.waiting.0.back().is_some_and(Received::is_urgent) {
                return;
            }
        }
    }

    /// Handles one line, which arrived at this time. Returns whether it was `quit`.
    fn handle_line(&mut self, line: &str, arrived: Instant) -> bool {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return false;
        }
        log::debug!(">> {}", quotable(line));
        let (word, arguments) = line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, ""));
        let command = word.to_ascii_lowercase();
        match command.as_str() {
            "ucci" => self.handshake(Protocol::Ucci),
            "uci" => self.handshake(Protocol::Uci),
            "isready" => {
                self.wait_for_memory();
                self.send("readyok");
            }
            "quit" => return true,
            "stop" => self.stop(arrived),
            "ponderhit" => self.ponder_hit(arguments, arrived),
            "probe" => self.probe(arguments),
            "d" | "eval" | "banmoves" if self.reports_missing_position(word) => {}
            "d" => help::board(self.engine.position()).iter().for_each(|line| self.send(line)),
            "eval" => {
                eval::table(self.engine.position(), self.engine.network()).lines().for_each(|line| self.send(line))
            }
            "help" => help::help(arguments).iter().for_each(|line| self.message(line)),
            // The other commands need an idle engine.
            "setoption" | "position" | "fen" | "startpos" | "banmoves" | "go" | "ucinewgame" | "uxinewgame"
            | "bench" | "debug"
                if self.search.is_some() =>
            {
                self.message(&format!("'{word}' is ignored during a search; send 'stop' first"));
                if POSITION_COMMANDS.contains(&command.as_str()) {
                    self.refusal = Some("it came during a search; send 'stop' first".to_owned());
                }
            }
            "setoption" => self.set_option(arguments),
            "debug" => self.set_debug(arguments),
            "bench" => self.bench(arguments),
            "position" => self.set_position(arguments),
            // Old forms that some clients still send, and the Cyclone dialect of UCI.
            "fen" | "startpos" => {
                self.sends_bare_positions = true;
                self.set_position(line);
            }
            "ucinewgame" | "uxinewgame" => {
                self.engine.new_game();
                self.finish_game();
            }
            "banmoves" => self.ban_moves(arguments),
            "go" => self.go(arguments, arrived),
            _ => self.message(&format!("unknown command '{}'; send 'help' for the list", quotable(line))),
        }
        false
    }

    /// Returns `true` if there is no position for a command, and says why.
    pub(super) fn reports_missing_position(&self, command: &str) -> bool {
        if let Some(reason) = &self.refusal {
            self.message(&format!("{command}: the last position was refused: {reason}"));
        }
        self.refusal.is_some()
    }

    pub(super) fn send(&self, text: &str) {
        self.output.line(text);
    }

    pub(super) fn answer(&mut self, text: &str) {
        self.answered_at = Some(Instant::now());
        self.send(text);
    }

    /// Sends a text that the client may show to the user.
    pub(super) fn message(&self, text: &str) {
        self.message_naming("", text);
    }

    /// Sends a text that the client may show to the user, and in which the characters of these file names stay as they
    /// are, in the encoding of the client; others are ASCII.
    fn message_naming(&self, names: &str, text: &str) {
        let is_kept = |c: char| !c.is_control() && !c.is_ascii() && names.contains(c);
        let text: String = text.chars().map(|c| if is_kept(c) { c } else { printable(c) }).collect();
        log::info!("{text}");
        self.output.encoded_line(&self.formatter().message(&text), self.encoding);
    }

    /// Sends an error of the engine, with the names of files as the client wrote them, in the options or in `value`.
    fn report_error(&self, error: &EngineError, value: &str) {
        let options = self.engine.options();
        let names = match error {
            EngineError::Files(_) => [value, &options.book_files, &options.tablebase_folders].concat(),
            _ => String::new(),
        };
        self.message_naming(&names, &error.to_string());
    }

    pub(super) fn formatter(&self) -> Formatter {
        let win_model = WinModel::of(self.engine.position());
        Formatter::new(self.protocol, self.engine.options(), self.sends_bare_positions, win_model)
            .with_ranks(self.ranks_from_one)
    }

    /// Remembers how the client numbers ranks, if its moves have shown that it is not as assumed.
    fn learn_ranks(&mut self, formatter: Formatter) {
        if formatter.ranks_from_one != self.formatter().ranks_from_one {
            self.ranks_from_one = Some(formatter.ranks_from_one);
        }
    }

    /// Reads moves in the current position, and learns from them how the client numbers ranks. `None` is not legal.
    pub(super) fn read_root_moves(&mut self, texts: &[&str]) -> Vec<Option<Move>> {
        let position = self.engine.position();
        let legal = |text: &String| text.parse().ok().filter(|&mv| position.can_play(mv));
        let (formatter, moves) = self.formatter().of_moves(texts, |moves| moves.iter().all(|mv| legal(mv).is_some()));
        let moves = moves.iter().map(legal).collect();
        self.learn_ranks(formatter);
        moves
    }

    fn handshake(&mut self, protocol: Protocol) {
        self.protocol = protocol;
        self.sends_bare_positions = false;
        self.ranks_from_one = None;
        self.formatter().handshake().iter().for_each(|line| self.send(line));
        self.engine.back_memory();
    }

    fn set_option(&mut self, arguments: &str) {
        let (name, value) = option_parts(arguments);
        if name.is_empty() {
            self.message("setoption needs the name of an option; send 'help options' for the list");
            return;
        }
        // UCCI names `debug` among the options, UCI among the commands.
        if name.eq_ignore_ascii_case("debug") {
            return self.set_debug(value);
        }
        let option = match EngineOption::named(&name) {
            Ok(option) => option,
            // UCCI clients send options that were never declared; that is not an error.
            Err(_) if self.protocol == Protocol::Ucci && !self.debug => return,
            Err(error) => return self.message(&format!("{error}; send 'help options' for the list")),
        };
        if let Err(error) = self.engine.set(option, value) {
            return self.report_error(&error, value);
        }
        let (threads, cores) = (self.engine.options().threads, cores().get());
        match option.effect {
            Some(OptionEffect::NewGame) => self.finish_game(),
            Some(OptionEffect::SetThreads) if threads > MAX_THREADS_PER_CORE * cores => {
                self.message(&format!("{threads} threads on {cores} processors slow each other down; {cores} are best"))
            }
            _ => {}
        }
    }

    fn set_debug(&mut self, value: &str) {
        match parse_bool(value) {
            Some(value) => self.debug = value,
            None => self.message(&format!("debug takes on or off, not '{}'", quotable(value))),
        }
    }

    fn finish_game(&mut self) {
        let learned = self.engine.finish_game();
        self.report_learning(learned);
    }

    pub(super) fn report_learning(&self, learned: Result<Option<LearnedGame>, EngineError>) {
        match learned {
            Ok(None) => {}
            Ok(Some(game)) => self.message(&format!(
                "the book learned from the last game: {} moves changed, {} added, inferred result {:.0} % for Red",
                game.moves,
                game.added,
                game.points * 100.0
            )),
            Err(error) => self.report_error(&error, ""),
        }
    }

    fn set_position(&mut self, arguments: &str) {
        match self.read_position(arguments) {
            Ok((position, formatter, warnings)) => {
                self.learn_ranks(formatter);
                self.engine.set_position(position);
                self.refusal = None;
                for warning in warnings {
                    self.message(&warning);
                }
            }
            Err(error) => {
                self.message(&format!("the position is refused: {error}"));
                self.refusal = Some(error);
            }
        }
    }

    /// Reads `fen FEN [moves …]` or `startpos [moves …]`: the position, the format of the moves, and warnings.
    fn read_position(&self, arguments: &str) -> Result<(Position, Formatter, Vec<String>), String> {
        let all: Vec<&str> = arguments.split_ascii_whitespace().collect();
        let split = all.iter().position(|word| word.eq_ignore_ascii_case("moves")).unwrap_or(all.len());
        let (setup, moves) = (&all[..split], all.get(split + 1..).unwrap_or_default());
        let fen = match setup {
            [word] if word.eq_ignore_ascii_case("startpos") => START_FEN.to_owned(),
            [word, fen @ ..] if word.eq_ignore_ascii_case("fen") && !fen.is_empty() => fen.join(" "),
            _ => return Err("expected 'fen FEN' or 'startpos', then 'moves' and the moves".to_owned()),
        };
        let parsed = Position::parse_fen(&fen, self.engine.options().strictness)
            .map_err(|error| format!("invalid fen: {error}"))?;
        let mut position = parsed.position;
        let can_be_played = |moves: &[String]| position.clone().play(moves.iter().map(String::as_str)).is_ok();
        let (formatter, read) = self.formatter().of_moves(moves, can_be_played);
        position.play(read.iter().map(String::as_str)).map_err(|mut error| {
            // As the client wrote it.
            error.text = quotable(moves[error.ply - 1]);
            error.to_string()
        })?;
        Ok((position, formatter, parsed.warnings))
    }

    fn ban_moves(&mut self, arguments: &str) {
        let texts: Vec<&str> = arguments.split_ascii_whitespace().collect();
        let moves = self.read_root_moves(&texts);
        let mut skipped = texts;
        let mut moves = moves.into_iter();
        skipped.retain(|_| !moves.next().flatten().is_some_and(|mv| self.engine.ban(mv)));
        if !skipped.is_empty() {
            let skipped = quotable(&skipped.join(" "));
            self.message(&format!("banmoves: not legal in this position and ignored: {skipped}"));
        }
    }

    fn probe(&self, arguments: &str) {
        let (found, formatter) = match self.read_position(arguments) {
            Ok((position, formatter, _)) => (self.engine.probe(&position).map(|entry| (position, entry)), formatter),
            Err(error) => {
                self.message(&format!("probe: {error}"));
                (None, self.formatter())
            }
        };
        self.send(&formatter.probe(found));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Input {
        Input::Line(text.as_bytes().to_vec())
    }

    /// A session without a reader thread.
    fn session(output: impl std::io::Write + Send + 'static) -> Session {
        Session::new(Output::new(output), Engine::with_hash(1).unwrap())
    }

    #[test]
    fn the_clock_starts_when_the_command_arrives() {
        let arrived = Instant::now();
        let start = |command: &str, options: &str| {
            let mut session = session(std::io::sink());
            for line in options.split(';').chain([command]) {
                session.handle_line(line, arrived);
            }
            let start = session.search.as_ref().unwrap().limits.start;
            start.map(|start| start == arrived)
        };
        assert_eq!(start("go time 1000 increment 0", ""), Some(true));
        assert_eq!(start("go ponder movetime 20", ""), Some(true));
        assert_eq!(start("go movetime 20", "setoption batch true"), None, "commands of a batch are all there at once");
        assert_eq!(start("go depth 2", ""), None, "speed is measured from the start of the search");
    }

    /// Returns the bytes that a session of these bytes writes.
    fn output_of(input: &[u8]) -> Vec<u8> {
        let file = tempfile::NamedTempFile::new().unwrap();
        let input = std::io::Cursor::new(input.to_vec());
        run(input, Output::new(file.reopen().unwrap()), Engine::with_hash(1).unwrap());
        std::fs::read(file.path()).unwrap()
    }

    #[test]
    fn names_of_files_are_shown_in_the_encoding_they_came_in() {
        // 楚河, in UTF-8, GBK and Big5.
        for name in ["楚河".as_bytes(), b"\xb3\xfe\xba\xd3", b"\xb7\xa1\xaae"] {
            for command in ["setoption usebook true\nsetoption bookfiles ", "uci\nsetoption name EvalFile value "] {
                let shown = output_of(&[command.as_bytes(), name, b".none\nisready\nucinewgame\nquit\n"].concat());
                let line = shown.split(|&byte| byte == b'\n').find(|line| line.starts_with(b"info ")).unwrap();
                let shown_name = [name, b".none"].concat();
                assert!(line.windows(shown_name.len()).any(|part| part == shown_name), "{}", line.escape_ascii());
                assert_eq!(
                    line.iter().filter(|byte| !byte.is_ascii()).count(),
                    name.iter().filter(|byte| !byte.is_ascii()).count()
                );
            }
        }
        // Other texts are ASCII.
        for line in ["setoption style 楚河", "position fen 楚河", "go depth 1 楚河", "楚河"] {
            let shown = output_of(format!("{line}\nquit\n").as_bytes());
            assert!(shown.is_ascii() && shown.contains(&b'?'), "{line}");
        }
    }

    #[test]
    fn a_stop_that_crosses_with_the_answer_is_not_answered() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut session = session(file.reopen().unwrap());
        let before = Instant::now();
        session.handle_line("go depth 0", before);
        session.handle_line("stop", before);
        let answers = || std::fs::read_to_string(file.path()).unwrap().matches("nobestmove").count();
        assert_eq!(answers(), 1, "of the search alone");
        session.handle_line("stop", Instant::now());
        assert_eq!(answers(), 2, "a stop without a search");
    }

    #[test]
    fn while_a_search_ends_only_a_stop_for_a_later_one_waits() {
        let mut session = session(std::io::sink());
        let sender = session.sender.clone();
        let limits = Limits { infinite: true, ..Limits::default() };
        let mut search = session.new_search(limits, false);
        search.is_stopping = true;
        session.search = Some(search);
        let commands = ["STOP", "position startpos", "stop", "go infinite", "stop", "stop", "isready"];
        let send = |text| sender.send(Event::Input(Received::now(line(text)))).unwrap();
        commands.into_iter().for_each(send);
        sender.send(Event::Finished(Outcome::default())).unwrap();
        assert!(matches!(session.next_event(), Event::Finished(_)));
        let waiting: Vec<Input> =
            std::iter::from_fn(|| session.waiting.0.pop_front()).map(|received| received.input).collect();
        assert_eq!(waiting, ["position startpos", "go infinite", "stop", "isready"].map(line));
        // With nothing before it, `isready` is answered at once.
        send("isready");
        assert!(matches!(session.next_event(), Event::Input(received) if received.input == line("isready")));
    }
}
