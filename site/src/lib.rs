//! The engine of the static site, in WebAssembly. The page runs it in two workers: one answers requests, the other one
//! runs searches, so that a request is answered during a search. Messages are those of `chuhe web`.

use std::cell::RefCell;
use std::ops::ControlFlow;

use chuhe::book::Book;
use chuhe::commands::analysis::game::{GameReview, review};
use chuhe::commands::web::position::play;
use chuhe::commands::web::request::{self, Go, Request, RequestFault, Review};
use chuhe::commands::web::{self, Sources, search};
use chuhe::engine::{Engine, FULL_SKILL, bench};
use chuhe::position::Strictness;
use chuhe::tablebase::{Tablebases, make_small_tables};
use chuhe::util::cancel::CancelFlag;
use chuhe::util::host;
use js_sys::{Atomics, Function, Int32Array};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

/// Size of the transposition table: phones have little memory.
const HASH_MEGABYTES: usize = 32;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn print_error(text: &str);
}

thread_local! {
    static SOURCES: Sources = Sources {
        books: vec![Book::embedded()],
        tablebases: Tablebases::open(&[]).0,
        strictness: Strictness::default(),
        games: None,
    };
    static ENGINE: RefCell<Option<Engine>> = const { RefCell::new(None) };
    static TASK: RefCell<Option<Task>> = const { RefCell::new(None) };
}

/// What ends the task that runs.
struct Task {
    id: u64,
    /// Memory that the page writes to: the number of the last task that it has stopped.
    stopped: Int32Array,
    flag: CancelFlag,
}

impl Task {
    fn poll(&self) {
        if Atomics::load(&self.stopped, 0).is_ok_and(|last| u64::try_from(last).is_ok_and(|last| last >= self.id)) {
            self.flag.cancel();
        }
    }
}

fn poll() {
    TASK.with_borrow(|task| task.iter().for_each(Task::poll));
}

/// Prepares this instance of the module.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| print_error(&panic.to_string())));
    host::poll_by(poll);
}

/// Answers a request that needs no engine.
#[wasm_bindgen]
pub fn answer(text: &str) -> String {
    let (id, request) = match request::read(text) {
        Ok(read) => read,
        Err(answer) => return answer,
    };
    let answer = SOURCES.with(|sources| web::answer(&request, sources));
    request::answer(id, answer.unwrap_or_else(|| Err(RequestFault("this request takes an engine".to_owned()))))
}

/// Does what would take time from the first search.
#[wasm_bindgen]
pub fn prepare() {
    make_small_tables();
    // A failure is that of the first search too, which reports it.
    let _ = with_engine(|_| Ok(Value::Null));
}

/// Runs a task and returns its last event. `send` receives each event before it, with the last event of a task that ends
/// there. `stopped` has the number of the last task that the page has stopped, where it shares memory with workers.
#[wasm_bindgen]
pub fn run(text: &str, stopped: Option<Int32Array>, send: &Function) -> String {
    let (id, request) = match request::read(text) {
        Ok(read) => read,
        Err(answer) => return answer,
    };
    let (flag, is_kept) = (CancelFlag::default(), stopped.is_some());
    TASK.set(stopped.map(|stopped| Task { id, stopped, flag: flag.clone() }));
    poll();
    let send = |event: &str, content: Value, end: Value| {
        let (event, end) = (request::event(id, event, content), request::last_event(id, Ok(end)));
        // Fails only when the worker is being ended.
        let _ = send.call2(&JsValue::NULL, &event.into(), &end.into());
    };
    let end = with_engine(|engine| match request {
        Request::Go(go) => run_search(engine, *go, is_kept, &flag, send),
        Request::Review(review) => run_review(engine, &review, &flag, send),
        _ => Err(RequestFault("this request is no task".to_owned())),
    });
    TASK.set(None);
    request::last_event(id, end)
}

fn with_engine(work: impl FnOnce(&mut Engine) -> Result<Value, RequestFault>) -> Result<Value, RequestFault> {
    ENGINE.with_borrow_mut(|engine| {
        let engine = match engine {
            Some(engine) => engine,
            none => none.insert(Engine::with_hash(HASH_MEGABYTES)?),
        };
        work(engine)
    })
}

/// Runs a search. A worker that is not kept ends with its task, and the next one would solve the tables again: they are
/// used in their own endings alone then.
fn run_search(
    engine: &mut Engine,
    mut go: Go,
    is_kept: bool,
    flag: &CancelFlag,
    send: impl Fn(&str, Value, Value),
) -> Result<Value, RequestFault> {
    let position = play(&go.line, Strictness::default())?;
    go.tablebases &= is_kept || SOURCES.with(|sources| sources.tablebases.may_contain(&position));
    let nothing = search::cut_short(&go, &position, None);
    if flag.is_cancelled() {
        return Ok(nothing);
    }
    send("searching", json!({}), nothing);
    // What a stopped search has found is its best line.
    let mut end = Value::Null;
    let found = search::run(engine, &go, &position, flag, |line| {
        if line.pv_index == 1 {
            end = search::cut_short(&go, &position, Some(line));
        }
        send("line", search::line_object(&position, line), end.clone());
        ControlFlow::Continue(())
    });
    Ok(found?.0)
}

fn run_review(
    engine: &mut Engine,
    request: &Review,
    flag: &CancelFlag,
    send: impl Fn(&str, Value, Value),
) -> Result<Value, RequestFault> {
    let (game, limits) = search::reviewed_game(request, Strictness::default())?;
    let total = game.nodes.len();
    let nothing = GameReview::default();
    if flag.is_cancelled() {
        return Ok(search::reviewed(&nothing, total));
    }
    search::configure(engine, &request.line, FULL_SKILL, false, false)?;
    send("searching", json!({}), search::reviewed(&nothing, total));
    let found = review(engine, &game, &limits, flag, nothing, |so_far| {
        if let Some(progress) = search::progress(so_far, total) {
            send("progress", progress, search::reviewed(so_far, total));
        }
        ControlFlow::Continue(())
    })?;
    Ok(search::reviewed(&found, total))
}

/// Runs the bench and returns its nodes and milliseconds.
#[wasm_bindgen]
pub fn measure(depth: usize) -> Result<Vec<f64>, JsError> {
    let count = bench::bench(&mut bench::engine()?, depth, &mut (), |_, _| ControlFlow::Continue(()))?;
    Ok(vec![count.nodes as f64, count.elapsed.as_secs_f64() * 1000.0])
}
