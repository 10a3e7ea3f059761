//! One open page: reads its requests, answers them, and runs one search at a time for it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::http::{Incoming, Outgoing};
use super::position::{MoveObject, play};
use super::request::{Go, Purpose, Request, RequestFault, Review};
use super::search::{self, configure};
use super::share::EngineShare;
use crate::commands::analysis::game::{GameReview, review};
use crate::commands::analysis::{Analysis, analyze_position};
use crate::console::chinese::both;
use crate::engine::FULL_SKILL;
use crate::util::cancel::CancelFlag;

/// Maximum number of messages that wait for a page.
const MAX_WAITING_MESSAGES: usize = 256;
/// Maximum number of searches of a page that wait for the end of the one before.
const MAX_WAITING_TASKS: usize = 8;
/// Interval of pings. Their answers show that the page is alive, which may send nothing else for a long time.
const PING_INTERVAL: Duration = Duration::from_secs(25);

/// Work of a page for the engine, with the number of its request and the flag that ends it, waiting or running.
struct Job {
    id: u64,
    task: Task,
    stop: CancelFlag,
}

enum Task {
    Go(Box<Go>),
    Review(Review),
}

/// Messages for a page, in order.
#[derive(Clone)]
struct Outbox(SyncSender<String>);

impl Outbox {
    /// Answers a request.
    fn answer(&self, id: u64, result: Result<Value, RequestFault>) {
        let message = match result {
            Ok(content) => json!({ "id": id, "ok": content }),
            Err(fault) => json!({ "id": id, "error": both(&fault.0) }),
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
            log::debug!("an event was left out because the page is behind");
        }
    }

    /// Says how many searches are ahead.
    fn waiting(&self, id: u64, ahead: usize) {
        self.event_if_ready(id, "waiting", json!({ "ahead": ahead }));
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
        // Runs searches when their turn comes. Each sends events, the last of them `finished` or `failed`.
        scope.spawn(move || {
            for Job { id, task, stop } in waiting {
                let done = match task {
                    Task::Go(go) => run_search(&go, id, share, &stop, &results),
                    Task::Review(request) => run_review(&request, id, share, &stop, &results),
                };
                if let Err(fault) = done {
                    results.event(id, "failed", json!({ "error": both(&fault.0) }));
                }
            }
        });
        let mut tab = Tab { share, outbox, jobs, running: CancelFlag::default() };
        while let Some(text) = incoming.next_text() {
            tab.handle(&text);
        }
        tab.running.cancel();
    });
}

/// Sends messages until there are no more senders, or the page is gone.
fn write_messages(mut outgoing: Outgoing, messages: &Receiver<String>) {
    let mut next_ping = Instant::now() + PING_INTERVAL;
    loop {
        let text = match messages.recv_timeout(next_ping.saturating_duration_since(Instant::now())) {
            Ok(text) => Some(text),
            Err(RecvTimeoutError::Timeout) => {
                next_ping = Instant::now() + PING_INTERVAL;
                None
            }
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if outgoing.send(text).is_err() {
            break;
        }
    }
    // Ends the reader too.
    outgoing.shut_down();
}

/// State of an open page.
struct Tab<'a> {
    share: &'a EngineShare,
    outbox: Outbox,
    jobs: SyncSender<Job>,
    running: CancelFlag,
}

impl Tab<'_> {
    /// Starts a task instead of the one that runs.
    fn start(&mut self, id: u64, task: Task) {
        self.running.cancel();
        self.running = CancelFlag::default();
        self.outbox.answer(id, Ok(json!({})));
        // Fails only when the thread of the searches has failed.
        if self.jobs.send(Job { id, task, stop: self.running.clone() }).is_err() {
            log::error!("a search could not be started");
        }
    }

    fn handle(&mut self, text: &str) {
        let message: Result<Value, _> = serde_json::from_str(text);
        let id = message.as_ref().ok().and_then(|message| message["id"].as_u64());
        let fault = match (message.and_then(Request::deserialize), id) {
            (Ok(request), Some(id)) => return self.answer(id, request),
            (Ok(_), None) => "it has no number 'id'".to_owned(),
            (Err(error), _) => error.to_string(),
        };
        self.outbox.answer(id.unwrap_or(0), Err(RequestFault(format!("the request is malformed: {fault}"))));
    }

    fn answer(&mut self, id: u64, request: Request) {
        if let Some(answer) = super::answer(&request, &self.share.sources) {
            return self.outbox.answer(id, answer);
        }
        match request {
            Request::Go(go) => self.start(id, Task::Go(go)),
            Request::Review(review) => self.start(id, Task::Review(review)),
            _ => {
                self.outbox.answer(id, Ok(json!({})));
                self.running.cancel();
            }
        }
    }
}

fn run_search(go: &Go, id: u64, share: &EngineShare, stop: &CancelFlag, outbox: &Outbox) -> Result<(), RequestFault> {
    let position = play(&go.line, share.sources.strictness)?;
    let (limits, (skill, book)) = (search::limits(go), search::strength(go));
    let is_move = go.purpose == Purpose::Play;
    let mut analysis = Analysis { was_cut_short: true, ..Analysis::default() };
    // A search without limits gives way to those of other pages, and begins again.
    while !stop.is_cancelled() && analysis.was_cut_short {
        let give_way = CancelFlag::default();
        let flag = limits.infinite.then(|| give_way.clone());
        let Some(mut turn) = share.acquire(stop, is_move, flag, |ahead| outbox.waiting(id, ahead)) else { break };
        let engine = &mut *turn.engine;
        configure(engine, &go.line, skill, book, go.tablebases)?;
        engine.set_position(position.clone());
        outbox.event_if_ready(id, "searching", json!({}));
        if let Some(choice) = engine.book_move(&limits) {
            drop(turn);
            outbox.event(id, "finished", search::book_move(&MoveObject::new(&position, choice.mv)));
            return Ok(());
        }
        let flag = give_way.clone();
        let search = || {
            analyze_position(engine, position.clone(), &limits, &give_way, |line| {
                outbox.event_if_ready(id, "line", search::line_object(&position, line));
                if stop.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        };
        analysis = stop.during(move || _ = flag.cancel(), search)?;
    }
    outbox.event(id, "finished", search::finished(go, &position, &analysis));
    Ok(())
}

fn run_review(
    request: &Review,
    id: u64,
    share: &EngineShare,
    stop: &CancelFlag,
    outbox: &Outbox,
) -> Result<(), RequestFault> {
    let (game, limits) = search::reviewed_game(request, share.sources.strictness)?;
    let total = game.nodes.len();
    let (mut found, mut gave_way) = (GameReview::default(), true);
    // It gives way between two positions.
    while gave_way && !stop.is_cancelled() {
        let give_way = CancelFlag::default();
        let flag = Some(give_way.clone());
        let Some(mut turn) = share.acquire(stop, false, flag, |ahead| outbox.waiting(id, ahead)) else { break };
        configure(&mut turn.engine, &request.line, FULL_SKILL, false, false)?;
        outbox.event_if_ready(id, "searching", json!({}));
        found = review(&mut turn.engine, &game, &limits, stop, found, |so_far| {
            if let Some(progress) = search::progress(so_far, total) {
                outbox.event(id, "progress", progress);
            }
            if give_way.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        gave_way = give_way.is_cancelled();
    }
    outbox.event(id, "finished", search::reviewed(&found, total));
    Ok(())
}
