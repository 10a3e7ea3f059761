//! One open page: reads its requests, answers them, and runs one search at a time for it.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::http::{Incoming, Outgoing};
use super::position::{MoveObject, play};
use super::request::{Go, Message, Request, RequestFault, Review};
use super::search::{self, configure};
use super::share::EngineShare;
use crate::commands::analysis::game::{GameReview, review};
use crate::commands::analysis::{Analysis, analyze_position};
use crate::engine::FULL_SKILL;
use crate::util::cancel::CancelFlag;

/// Maximum number of messages that wait for a page.
const MAX_WAITING_MESSAGES: usize = 256;
/// Maximum number of searches of a page that wait for the end of the one before.
const MAX_WAITING_TASKS: usize = 8;
/// Interval of pings. Their answers show that the page is alive, which may send nothing else for a long time.
const PING_INTERVAL: Duration = Duration::from_secs(25);

/// Work of a page for the engine.
enum Task {
    Go(Box<Go>),
    Review(Review),
}

/// Task with the number of its request and its switch.
struct Job {
    id: u64,
    task: Task,
    stop: Arc<StopSwitch>,
}

/// Ends a search, which may be waiting or running.
#[derive(Default)]
struct StopSwitch {
    stopped: CancelFlag,
    /// Flag of the current attempt; an attempt also ends when the search gives way to another page.
    attempt: Mutex<CancelFlag>,
}

impl StopSwitch {
    fn stop(&self) {
        self.stopped.cancel();
        self.attempt.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Returns the flag of a new attempt; `None` when the search is stopped.
    fn begin(&self) -> Option<CancelFlag> {
        let flag = CancelFlag::default();
        *self.attempt.lock().unwrap_or_else(PoisonError::into_inner) = flag.clone();
        (!self.stopped.is_cancelled()).then_some(flag)
    }
}

/// Messages for a page, in order.
#[derive(Clone)]
struct Outbox(SyncSender<String>);

impl Outbox {
    /// Answers a request.
    fn answer(&self, id: u64, result: Result<Value, RequestFault>) {
        let message = match result {
            Ok(content) => json!({ "id": id, "ok": content }),
            Err(fault) => json!({ "id": id, "error": fault.to_string() }),
        };
        // Fails only when the page is gone.
        let _ = self.0.send(message.to_string());
    }

    /// Sends an event.
    fn event(&self, id: u64, event: &str, content: Value) {
        let _ = self.0.send(event_message(id, event, content));
    }

    /// Sends an event unless the page is behind.
    fn event_if_ready(&self, id: u64, event: &str, content: Value) {
        if let Err(TrySendError::Full(_)) = self.0.try_send(event_message(id, event, content)) {
            log::debug!("a line was left out because the page is behind");
        }
    }
}

fn event_message(id: u64, event: &str, mut content: Value) -> String {
    (content["id"], content["event"]) = (id.into(), event.into());
    content.to_string()
}

/// Serves a page until it is closed. Its search ends with it.
pub(super) fn serve(mut incoming: Incoming, outgoing: Outgoing, share: &Arc<EngineShare>) {
    let (sender, messages) = sync_channel(MAX_WAITING_MESSAGES);
    let (jobs, waiting) = sync_channel(MAX_WAITING_TASKS);
    let outbox = Outbox(sender);
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

/// Runs searches when their turn comes. Each sends events, the last of them `finished` or `failed`.
fn run_jobs(jobs: &Receiver<Job>, share: &EngineShare, outbox: &Outbox) {
    for job in jobs {
        let done = match &job.task {
            Task::Go(go) => run_search(go, job.id, share, &job.stop, outbox),
            Task::Review(request) => run_review(request, job.id, share, &job.stop, outbox),
        };
        if let Err(fault) = done {
            outbox.event(job.id, "failed", json!({ "error": fault.to_string() }));
        }
    }
}

/// State of an open page.
struct Tab<'a> {
    share: &'a EngineShare,
    outbox: Outbox,
    jobs: SyncSender<Job>,
    running: Option<Arc<StopSwitch>>,
}

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
        self.outbox.answer(id, Ok(json!({})));
        // Fails only when the thread of the searches has failed.
        if self.jobs.send(Job { id, task, stop }).is_err() {
            log::error!("a search could not be started");
        }
    }

    fn handle(&mut self, text: &str) {
        let Message { id, request } = match serde_json::from_str(text) {
            Ok(message) => message,
            Err(error) => {
                let id = serde_json::from_str(text).map_or(0, |Numbered { id }| id);
                let fault = RequestFault::other(format!("the request is malformed: {error}"));
                return self.outbox.answer(id, Err(fault));
            }
        };
        if let Some(answer) = super::answer(&request, &self.share.sources) {
            return self.outbox.answer(id, answer);
        }
        match request {
            Request::Go(go) => self.start(id, Task::Go(go)),
            Request::Review(review) => self.start(id, Task::Review(review)),
            _ => {
                self.outbox.answer(id, Ok(json!({})));
                self.stop();
            }
        }
    }
}

/// The number of a message that is malformed otherwise.
#[derive(Deserialize)]
struct Numbered {
    id: u64,
}

fn run_search(go: &Go, id: u64, share: &EngineShare, stop: &StopSwitch, outbox: &Outbox) -> Result<(), RequestFault> {
    let position = play(&go.line, share.sources.strictness)?;
    let (limits, (skill, book)) = (search::limits(go), search::strength(go));
    while let Some(attempt) = stop.begin() {
        let give_way = limits.infinite.then(|| attempt.clone());
        let waiting = |ahead: usize| outbox.event_if_ready(id, "waiting", json!({ "ahead": ahead }));
        let Some(mut turn) = share.acquire(&attempt, give_way, waiting) else { continue };
        let engine = turn.engine();
        configure(engine, &go.line, skill, book, go.tablebases)?;
        engine.set_position(position.clone());
        outbox.event_if_ready(id, "searching", json!({}));
        if let Some(choice) = engine.book_move(&limits) {
            drop(turn);
            outbox.event(id, "finished", search::book_move(&MoveObject::new(&position, choice.mv)));
            return Ok(());
        }
        let analysis = analyze_position(engine, position.clone(), &limits, &attempt, |line| {
            outbox.event_if_ready(id, "line", search::line_object(&position, line));
            ControlFlow::Continue(())
        })?;
        drop(turn);
        // Otherwise it gave way to another page.
        if !analysis.was_cut_short || stop.stopped.is_cancelled() {
            outbox.event(id, "finished", search::finished(go, &position, &analysis));
            return Ok(());
        }
    }
    let stopped = Analysis { was_cut_short: true, ..Analysis::default() };
    outbox.event(id, "finished", search::finished(go, &position, &stopped));
    Ok(())
}

fn run_review(
    request: &Review,
    id: u64,
    share: &EngineShare,
    stop: &StopSwitch,
    outbox: &Outbox,
) -> Result<(), RequestFault> {
    let (game, limits) = search::reviewed_game(request, share.sources.strictness)?;
    let total = game.nodes.len();
    let waiting = |ahead: usize| outbox.event_if_ready(id, "waiting", json!({ "ahead": ahead }));
    let mut found = GameReview::default();
    if let Some(attempt) = stop.begin()
        && let Some(mut turn) = share.acquire(&attempt, None, waiting)
    {
        let engine = turn.engine();
        configure(engine, &request.line, FULL_SKILL, false, false)?;
        outbox.event_if_ready(id, "searching", json!({}));
        found = review(engine, &game, &limits, &attempt, |so_far| {
            if let Some(progress) = search::progress(so_far, total) {
                outbox.event(id, "progress", progress);
            }
            ControlFlow::Continue(())
        })?;
    }
    outbox.event(id, "finished", search::reviewed(&found, total));
    Ok(())
}
