//! One open page: reads its requests, answers them, and runs one search at a time for it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http::{Incoming, Outgoing};
use super::position::play;
use super::request::{self, Content, Go, Purpose, Request, Review};
use super::search::{self, configure};
use super::share::EngineShare;
use crate::commands::analysis::game::{GameReview, review};
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
    fn send(&self, message: String) {
        // Fails only when the page is gone.
        let _ = self.0.send(message);
    }

    /// Sends an event unless the page is behind.
    fn event_if_ready(&self, id: u64, event: &str, content: Value) {
        if let Err(TrySendError::Full(_)) = self.0.try_send(request::event(id, event, content)) {
            log::debug!("an event was left out because the page is behind");
        }
    }

    /// Says how many searches are ahead.
    fn waiting(&self, id: u64, ahead: usize) {
        self.event_if_ready(id, "waiting", json!({ "ahead": ahead }));
    }
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
                results.send(request::last_event(id, done));
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
        self.outbox.send(request::answer(id, Ok(json!({}))));
        // Fails only when the thread of the searches has failed.
        if self.jobs.send(Job { id, task, stop: self.running.clone() }).is_err() {
            log::error!("a search could not be started");
        }
    }

    fn handle(&mut self, text: &str) {
        match request::read(text) {
            Ok((id, request)) => self.answer(id, request),
            Err(answer) => self.outbox.send(answer),
        }
    }

    fn answer(&mut self, id: u64, request: Request) {
        if let Some(answer) = super::answer(&request, &self.share.sources) {
            return self.outbox.send(request::answer(id, answer));
        }
        match request {
            Request::Go(go) => self.start(id, Task::Go(go)),
            Request::Review(review) => self.start(id, Task::Review(review)),
            _ => {
                self.outbox.send(request::answer(id, Ok(json!({}))));
                self.running.cancel();
            }
        }
    }
}

/// Returns the content of the last event of a search.
fn run_search(go: &Go, id: u64, share: &EngineShare, stop: &CancelFlag, outbox: &Outbox) -> Content {
    let position = play(&go.line, share.sources.strictness)?;
    let mut end = search::cut_short(go, &position, None);
    let mut was_cut_short = true;
    // A search without limits gives way to those of other pages, and begins again.
    while !stop.is_cancelled() && was_cut_short {
        let give_way = CancelFlag::default();
        let flag = search::limits(go).infinite.then(|| give_way.clone());
        let is_move = go.purpose == Purpose::Play;
        let Some(mut turn) = share.acquire(stop, is_move, flag, |ahead| outbox.waiting(id, ahead)) else { break };
        outbox.event_if_ready(id, "searching", json!({}));
        let flag = give_way.clone();
        let search = || {
            search::run(&mut turn.engine, go, &position, &give_way, |line| {
                outbox.event_if_ready(id, "line", search::line_object(&position, line));
                if stop.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        };
        (end, was_cut_short) = stop.during(move || _ = flag.cancel(), search)?;
    }
    Ok(end)
}

fn run_review(request: &Review, id: u64, share: &EngineShare, stop: &CancelFlag, outbox: &Outbox) -> Content {
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
                outbox.send(request::event(id, "progress", progress));
            }
            if give_way.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        gave_way = give_way.is_cancelled();
    }
    Ok(search::reviewed(&found, total))
}
