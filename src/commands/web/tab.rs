//! One open page: reads its requests, answers them, and runs one search at a time for it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::answer::{Outbox, RequestFault};
use super::request::{Message, Request};
use super::search::{StopSwitch, Task};
use super::share::EngineShare;
use super::websocket::{Incoming, Outgoing};
use super::{games, position};
use crate::engine::{FULL_SKILL, MAX_MULTI_PV};
use crate::notation::Dialect;
use crate::position::START_FEN;
use crate::rules::RuleSet;

/// Maximum number of messages that wait for a page.
const MAX_WAITING_MESSAGES: usize = 256;
/// Maximum number of searches of a page that wait for the end of the one before.
const MAX_WAITING_TASKS: usize = 8;
/// Interval of pings. Their answers show that the page is alive, which may send nothing else for a long time.
const PING_INTERVAL: Duration = Duration::from_secs(25);

/// Task with the number of its request and its switch.
struct Job {
    id: u64,
    task: Task,
    stop: Arc<StopSwitch>,
}

/// Serves a page until it is closed. Its search ends with it.
pub(super) fn serve(mut incoming: Incoming, outgoing: Outgoing, share: &Arc<EngineShare>) {
    let (sender, messages) = sync_channel(MAX_WAITING_MESSAGES);
    let (jobs, waiting) = sync_channel(MAX_WAITING_TASKS);
    let outbox = Outbox::new(sender);
    std::thread::scope(|scope| {
        scope.spawn(move || write_messages(outgoing, &messages));
        let results = outbox.clone();
        scope.spawn(move || run_jobs(&waiting, share, &results));
        let mut tab = Tab { share, outbox, jobs, running: None };
        while let Some(text) = incoming.next_text() {
            tab.handle(&text);
        }
        tab.stop();
    });
}

/// Sends messages until there are no more senders, or the page is gone.
fn write_messages(mut outgoing: Outgoing, messages: &Receiver<String>) {
    let mut next_ping = Instant::now() + PING_INTERVAL;
    loop {
        let sent = match messages.recv_timeout(next_ping.saturating_duration_since(Instant::now())) {
            Ok(text) => outgoing.send(text),
            Err(RecvTimeoutError::Timeout) => {
                next_ping = Instant::now() + PING_INTERVAL;
                outgoing.ping()
            }
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if sent.is_err() {
            break;
        }
    }
    // Ends the reader too.
    outgoing.shut_down();
}

fn run_jobs(jobs: &Receiver<Job>, share: &EngineShare, outbox: &Outbox) {
    for job in jobs {
        job.task.run(job.id, share, &job.stop, outbox);
    }
}

/// State of an open page.
struct Tab<'a> {
    share: &'a EngineShare,
    outbox: Outbox,
    jobs: SyncSender<Job>,
    running: Option<Arc<StopSwitch>>,
}

/// Answer to `hello`.
#[derive(Serialize)]
struct Hello {
    version: &'static str,
    start: &'static str,
    max_skill: u8,
    max_lines: usize,
    rules: Vec<&'static str>,
    formats: Vec<&'static str>,
    notations: Vec<&'static str>,
}

#[derive(Serialize)]
struct Started {}

impl Tab<'_> {
    fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop();
        }
    }

    /// Starts a task instead of the one that runs.
    fn start(&mut self, id: u64, task: Task) {
        self.stop();
        let stop = Arc::new(StopSwitch::default());
        self.running = Some(Arc::clone(&stop));
        self.outbox.answer(id, Ok(Started {}));
        // Fails only when the thread of the searches has failed.
        if self.jobs.send(Job { id, task, stop }).is_err() {
            log::error!("a search could not be started");
        }
    }

    fn handle(&mut self, text: &str) {
        let message: Message = match serde_json::from_str(text) {
            Ok(message) => message,
            Err(error) => {
                let id = serde_json::from_str(text).map_or(0, |Numbered { id }| id);
                let fault = RequestFault::other(format!("the request is malformed: {error}"));
                self.outbox.answer(id, Err::<(), _>(fault));
                return;
            }
        };
        let (id, strictness) = (message.id, self.share.strictness);
        let outbox = &self.outbox;
        match message.request {
            Request::Hello => outbox.answer(id, Ok(hello())),
            Request::Position(line) => outbox.answer(id, position::describe(&line, strictness)),
            Request::ReadMove(request) => outbox.answer(id, position::read_move(&request, strictness)),
            Request::SetUp(request) => outbox.answer(id, position::set_up(&request, strictness)),
            Request::Book(line) => outbox.answer(id, position::book(&line, self.share)),
            Request::Tablebase(line) => outbox.answer(id, position::tablebase(&line, self.share)),
            Request::Import(request) => outbox.answer(id, games::import(&request, strictness)),
            Request::Export(request) => outbox.answer(id, games::export(&request, strictness)),
            Request::Go(go) => self.start(id, Task::Go(go)),
            Request::Review(review) => self.start(id, Task::Review(review)),
            Request::Stop => {
                outbox.answer(id, Ok(Started {}));
                self.stop();
            }
        }
    }
}

/// The number of a message that is malformed otherwise.
#[derive(serde::Deserialize)]
struct Numbered {
    id: u64,
}

fn hello() -> Hello {
    Hello {
        version: env!("CARGO_PKG_VERSION"),
        start: START_FEN,
        max_skill: FULL_SKILL,
        max_lines: MAX_MULTI_PV,
        rules: RuleSet::NAMED.map(|(name, _)| name).to_vec(),
        formats: games::format_names(),
        notations: Dialect::ALL.map(Dialect::name).to_vec(),
    }
}
